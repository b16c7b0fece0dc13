"""The characters of a PDF page as PDFium gives them, joined to segments: what was drawn one after the other on one baseline.

Text that stands upright or on its head is turned here, so that the rest reads it as if level. All lengths are points.
"""

from __future__ import annotations

import ctypes
import math
import re
import statistics
import unicodedata
from dataclasses import dataclass
from typing import Any

from yinju.load.builder import TextBuilder

WIDE_GAP = 1.2  # in sizes of the character: beyond it another cell or column begins
_BULLET_CODES = frozenset("\uf0b7\uf0a7\uf06c\uf06e\uf075\uf076\uf0d8\uf0a8\uf0fc\uf071\uf0e0\uf097\uf09f")
_HYPHENS = (0x02, 0xFFFE)  # how PDFium names a hyphen at the end of a line
_HEAVY = re.compile(rb"bold|black|heavy|simhei|heiti|\xba\xda\xcc\xe5")
Box = tuple[float, float, float, float, float]  # left, right, bottom, top, baseline


@dataclass(slots=True)
class Segment:
    """Characters drawn one after the other on one baseline; `left` to `right` along it, `bottom` to `top` across."""

    text: str
    left: float
    right: float
    bottom: float
    top: float
    baseline: float
    turn: int  # quarter turns
    bold: bool
    size: float  # height of most of its characters' boxes
    hyphen: bool = False  # ends with a hyphen that PDFium takes for a word's division
    lines: int = 1  # more for a cell of a table


class _Pen:
    """Collects the characters of a page into segments."""

    def __init__(self, builder: TextBuilder) -> None:
        self.builder = builder
        self.segments: list[Segment] = []
        self.seen: dict[str, list[Box]] = {}
        self.text: list[str] = []
        self.sizes: list[float] = []
        self.box = (0.0, 0.0, 0.0, 0.0, 0.0)  # left, right, bottom, top, baseline of the segment so far
        self.last = (0.0, 0.0, 1.0)  # left, right, size of the last character
        self.turn = 0
        self.bold = False
        self.hyphen = False

    def fits(self, box: Box, character: str) -> bool:
        """Return whether the character goes on with the segment: same baseline, no wide gap, not far back."""
        left, right, bottom, top, baseline = box
        last_left, last_right, last_size = self.last
        size = max(top - bottom, last_size)
        if abs(baseline - self.box[4]) > 0.45 * size:
            return False
        gap = last_left - right if is_right_to_left(character) else left - last_right
        return -0.35 * size < gap < WIDE_GAP * size or (is_right_to_left(character) and abs(left - last_right) < size)

    def repeats(self, character: str, box: Box) -> bool:
        """Return whether the character was just drawn at this place: bold made by printing each character twice."""
        reach = 0.25 * (box[1] - box[0])
        return bool(self.text) and self.text[-1] == character and abs(box[0] - self.last[0]) < reach

    def add(self, character: str, box: Box, space: bool) -> None:
        left, right, bottom, top, _ = box
        if not self.text:
            self.box = box
        else:
            if space:
                self.text.append(" ")
            old = self.box
            self.box = (min(old[0], left), max(old[1], right), min(old[2], bottom), max(old[3], top), old[4])
        self.text.append(character)
        self.last = (left, right, max(top - bottom, 0.1))
        self.sizes.append(self.last[2])

    def flush(self) -> None:
        """End the segment."""
        text = self.builder.clean("".join(self.text)).strip()
        if text and self._printed_before(text):
            self.builder.drop("text printed twice", text)
        elif text:
            left, right, bottom, top, baseline = self.box
            size = statistics.median_low(self.sizes)
            self.segments.append(
                Segment(text, left, right, bottom, top, baseline, self.turn, self.bold, size, self.hyphen)
            )
        self.text, self.sizes, self.hyphen = [], [], False

    def _printed_before(self, text: str) -> bool:
        """Return whether the same text was drawn here before, a little shifted: bold made by printing twice."""
        places = self.seen.setdefault("".join(text.split()), [])
        reach = 0.2 * self.last[2]
        if any(abs(self.box[0] - place[0]) < reach and abs(self.box[4] - place[4]) < reach for place in places[-200:]):
            return True
        places.append(self.box)
        return False


def read_segments(textpage: Any, builder: TextBuilder) -> tuple[list[Segment], int, int]:
    """Return the segments in the order of drawing, the number of characters, and how many of them mean nothing outside of their font."""
    import pypdfium2

    raw: Any = pypdfium2.raw
    handle, pen = textpage.raw, _Pen(builder)
    rectangle, x, y = raw.FS_RECTF(), ctypes.c_double(), ctypes.c_double()
    code_of, box_of, origin_of = raw.FPDFText_GetUnicode, raw.FPDFText_GetLooseCharBox, raw.FPDFText_GetCharOrigin
    space = generated = False
    characters = unreadable = 0
    high = 0
    for place in range(textpage.count_chars()):
        code = code_of(handle, place)
        if code in (0x0D, 0x0A):
            pen.flush()
            space = False
            continue
        if 0xD800 <= code < 0xDC00:
            high = code
            continue
        if 0xDC00 <= code < 0xE000:
            code, high = (0x10000 + ((high - 0xD800) << 10) + (code - 0xDC00), 0) if high else (0xFFFD, 0)
        character = "-" if code in _HYPHENS else chr(code)
        if character.isspace():
            space, generated = True, bool(raw.FPDFText_IsGenerated(handle, place))
            continue
        characters += 1
        if code == 0:
            unreadable += 1
            builder.drop("character without a code", 1)
            continue
        box_of(handle, place, rectangle)
        origin_of(handle, place, x, y)
        flat = (rectangle.left, rectangle.right, rectangle.bottom, rectangle.top)
        box = _turned(flat, x.value, y.value, pen.turn)
        if not pen.text or not pen.fits(box, character):
            pen.flush()
            pen.turn = round(raw.FPDFText_GetCharAngle(handle, place) / (math.pi / 2)) % 4
            pen.bold = _is_bold(raw, handle, place)
            box = _turned(flat, x.value, y.value, pen.turn)
        if pen.repeats(character, box):
            builder.drop("text printed twice", 1)
            continue
        if character in _BULLET_CODES:
            character = "•"
        elif code == 0xFFFD or unicodedata.category(character) == "Co":
            unreadable += 1
        pen.add(character, box, space and not (generated and pen.text and _both_han(pen, character, box)))
        pen.hyphen = code in _HYPHENS
        space = False
    pen.flush()
    return pen.segments, characters, unreadable


def _is_bold(raw: Any, handle: Any, place: int) -> bool:
    """Return whether the character's font is heavy, by its weight or, where that is not given, by its name (黑体 is a heading's font)."""
    if raw.FPDFText_GetFontWeight(handle, place) >= 600:
        return True
    name = ctypes.create_string_buffer(128)
    raw.FPDFText_GetFontInfo(handle, place, name, len(name), None)
    return bool(_HEAVY.search(name.value.lower()))


def _turned(flat: tuple[float, float, float, float], x: float, y: float, turn: int) -> Box:
    """Return left, right, bottom, top, baseline as they are when the page is turned so that the text is level."""
    left, right, bottom, top = flat
    if turn == 3:
        return bottom, top, -right, -left, -x
    if turn == 2:
        return -right, -left, -top, -bottom, -y
    if turn == 1:
        return -top, -bottom, left, right, x
    return left, right, bottom, top, y


def _both_han(pen: _Pen, character: str, box: Box) -> bool:
    """Between Chinese characters a space that PDFium made up is none, unless the gap is nearly a character wide."""
    return is_han(pen.text[-1]) and is_han(character) and box[0] - pen.last[1] < 0.7 * pen.last[2]


def is_han(character: str) -> bool:
    """Return whether the character is written without spaces around it: Chinese, Japanese, full-width punctuation."""
    code = ord(character)
    return (
        0x2E80 <= code <= 0x9FFF
        or 0xF900 <= code <= 0xFAFF
        or 0xFE30 <= code <= 0xFE4F
        or 0xFF00 <= code <= 0xFFEF
        or code >= 0x20000
    )


def is_right_to_left(character: str) -> bool:
    """Return whether the character belongs to a script that runs from right to left."""
    return 0x590 <= ord(character) <= 0x8FF or 0xFB1D <= ord(character) <= 0xFDFF or 0xFE70 <= ord(character) <= 0xFEFC
