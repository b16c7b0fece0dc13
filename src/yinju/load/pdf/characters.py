"""The characters of a PDF page as PDFium gives them, joined to segments: what was drawn one after the other on one baseline.

Text that stands upright or on its head is turned here, so that the rest reads it as if level. What nobody can see (white on white, outside
of the page, too small, invisible without a picture of it) is set aside: it is written for machines. All lengths are points.
"""

from __future__ import annotations

import ctypes
import math
import re
import unicodedata
from array import array
from bisect import bisect_left
from dataclasses import dataclass, field
from typing import Any

from yinju.load.builder import TextBuilder
from yinju.load.pdf.calls import address, quick
from yinju.load.pdf.drawing import Drawing, Rectangle
from yinju.load.pdf.segment import WIDE_GAP, Box, Segment, is_han, is_right_to_left, turned, turned_back

HIDDEN = "hidden text"
_BULLET_CODES = frozenset("\uf0b7\uf0a7\uf06c\uf06e\uf075\uf076\uf0d8\uf0a8\uf0fc\uf071\uf0e0\uf097\uf09f")
_HYPHENS = (0x02, 0xFFFE)  # how PDFium names a hyphen at the end of a line
_HEAVY = re.compile(rb"bold|black|heavy|simhei|heiti|\xba\xda\xcc\xe5")
_WHITE = 250
_SMALLEST = 0.9  # points; smaller characters cannot be read
_MOST_IN_WORD = 12  # Chinese characters whose box is one word's
_BREAKS = frozenset("，。、；：？！…—（）《》〈〉「」『』【】〔〕“”‘’·～")


@dataclass(slots=True)
class Characters:
    """The segments of a page in the order of drawing, and what its characters say about their worth."""

    segments: list[Segment] = field(default_factory=list)
    count: int = 0
    unreadable: int = 0  # private use, replacement characters, control characters, characters without a code


class _Pen:
    """Collects the characters of a page into segments."""

    def __init__(self, builder: TextBuilder, drawing: Drawing, page: Rectangle) -> None:
        self.builder, self.drawing, self.page = builder, drawing, page
        self.segments: list[Segment] = []
        self.seen: dict[str, list[Box]] = {}
        self.text: list[str] = []
        self.sizes: list[float] = []
        self.box: Box = (0.0, 0.0, 0.0, 0.0, 0.0)  # of the segment so far
        self.last: Box = (0.0, 0.0, 0.0, 0.0, 0.0)  # of the last character
        self.turn = 0
        self.bold = self.hyphen = self.hidden = False
        self.words = array("f")
        self.in_word = 0
        self.han = False
        self.rules: dict[int, tuple[list[float], list[tuple[float, float, float]]]] = {}

    def fits(self, box: Box, character: str) -> bool:
        """Return whether the character goes on with the segment: same baseline, no wide gap, not far back, no rule between."""
        left, right, bottom, top, baseline = box
        last_left, last_right, last_bottom, last_top, _ = self.last
        size = max(top - bottom, last_top - last_bottom)
        if abs(baseline - self.box[4]) > 0.45 * size:
            return False
        if character > "\u058f" and is_right_to_left(character):
            return -0.35 * size < last_left - right < WIDE_GAP * size or abs(left - last_right) < size
        gap = left - last_right
        return -0.35 * size < gap < WIDE_GAP * size and not (
            gap > 0.1 * size and self._ruled(last_left + last_right, box)
        )

    def _ruled(self, before: float, box: Box) -> bool:
        """Return whether an upright rule stands between the middles of two neighbours."""
        if self.turn not in self.rules:
            rules = sorted(self.drawing.upright(self.turn))
            self.rules[self.turn] = ([rule[0] for rule in rules], rules)
        places, rules = self.rules[self.turn]
        if not places:
            return False
        first, last = before / 2, (box[0] + box[1]) / 2
        middle = (box[2] + box[3]) / 2
        place = bisect_left(places, first)
        while place < len(places) and places[place] < last:
            if rules[place][1] <= middle <= rules[place][2]:
                return True
            place += 1
        return False

    def repeats(self, character: str, box: Box) -> bool:
        """Return whether the character was just drawn a little beside this place: bold made by printing each character twice.

        Exactly the same place is no second printing: these are the letters of one ligature.
        """
        shift = abs(box[0] - self.last[0])
        return bool(self.text) and self.text[-1] == character and 0 < shift < 0.25 * (box[1] - box[0])

    def follows(self, character: str, left: float, right: float) -> bool:
        """Add the character if it simply goes on with the word on a level line; nearly all characters do."""
        text = self.text
        if not text or self.hyphen:
            return False
        if "!" <= character <= "~":
            if self.han:
                return False
        elif not (
            self.han and "\u4e00" <= character <= "\u9fff" and self.in_word < _MOST_IN_WORD and text[-1] not in _BREAKS
        ):
            return False
        last_left, last_right, bottom, top, baseline = self.last
        gap, size = left - last_right, top - bottom
        if not -0.35 * size < gap < 0.1 * size or (text[-1] == character and left - last_left < 0.25 * (right - left)):
            return False
        words = self.words
        words[-5] += 1
        if right > words[-3]:
            words[-3] = right
            old = self.box
            if right > old[1]:
                self.box = (old[0], right, old[2], old[3], old[4])
        self.in_word += 1
        text.append(character)
        self.last = (left, right, bottom, top, baseline)
        self.sizes.append(size)
        return True

    def add(self, character: str, box: Box, space: bool) -> None:
        left, right, bottom, top, _ = box
        han = character > "\u2e7f" and is_han(character)
        words = self.words
        if not self.text:
            self.box = box
            fresh = True
        else:
            fresh = space or han != self.han
            if han and not fresh:
                fresh = self.in_word >= _MOST_IN_WORD or self.text[-1] in _BREAKS
            if space:
                self.text.append(" ")
            old = self.box
            self.box = (
                left if left < old[0] else old[0],
                right if right > old[1] else old[1],
                bottom if bottom < old[2] else old[2],
                top if top > old[3] else old[3],
                old[4],
            )
        if fresh:
            place = len(self.text)
            words.extend((place, place + 1, left, right, bottom, top))
            self.in_word = 1
        else:
            words[-5] += 1
            words[-4] = min(words[-4], left)
            words[-3] = max(words[-3], right)
            words[-2] = min(words[-2], bottom)
            words[-1] = max(words[-1], top)
            self.in_word += 1
        self.han = han
        self.text.append(character)
        self.last = box
        self.sizes.append(top - bottom)

    def flush(self) -> None:
        """End the segment."""
        if self.text:
            self._end("".join(self.text))
            self.text, self.sizes, self.words, self.hyphen = [], [], array("f"), False

    def _end(self, raw: str) -> None:
        text = self.builder.clean(raw).strip()
        if not text:
            return
        left, right, bottom, top, baseline = self.box
        sizes = sorted(self.sizes)
        size = max(sizes[(len(sizes) - 1) // 2], 0.1)
        if self._unseen(size):
            self.builder.drop(HIDDEN, text)
        elif self._printed_before(text):
            self.builder.drop("text printed twice", text)
        else:
            words = self.words if len(text) == len(raw) else array("f", (0, len(text), left, right, bottom, top))
            self.segments.append(
                Segment(text, left, right, bottom, top, baseline, self.turn, self.bold, size, self.hyphen, 1, words)
            )

    def _unseen(self, size: float) -> bool:
        """Return whether nobody sees the segment: it is outside of the page, tiny, or said to be hidden."""
        left, right, bottom, top, _ = self.box
        x0, x1, y0, y1 = turned_back(left, right, bottom, top, self.turn)
        page = self.page
        outside = x1 < page[0] or x0 > page[2] or y1 < page[1] or y0 > page[3]
        return self.hidden or outside or (size < _SMALLEST and (right - left) < _SMALLEST * len(self.text))

    def _printed_before(self, text: str) -> bool:
        """Return whether the same text was drawn here before, a little shifted: bold made by printing twice."""
        places = self.seen.setdefault(text.replace(" ", ""), [])
        reach = 0.2 * (self.last[3] - self.last[2])
        if any(abs(self.box[0] - place[0]) < reach and abs(self.box[4] - place[4]) < reach for place in places[-200:]):
            return True
        places.append(self.box)
        return False


def read_characters(textpage: Any, builder: TextBuilder, drawing: Drawing, page: Rectangle) -> Characters:
    """Return the page's segments; characters that are left out go to the builder's account."""
    return _Reader(textpage, builder, drawing, page).read()


class _Reader:
    """Goes through the characters of a page. This is where most of the time goes: what nearly all characters need stands in `read`."""

    def __init__(self, textpage: Any, builder: TextBuilder, drawing: Drawing, page: Rectangle) -> None:
        import pypdfium2

        self.raw: Any = pypdfium2.raw
        self.handle, self.total = textpage.raw, textpage.count_chars()
        self.builder, self.drawing = builder, drawing
        self.pen, self.paint = _Pen(builder, drawing, page), _Paint(textpage.raw, drawing)
        self.rectangle, self.x, self.y = self.raw.FS_RECTF(), ctypes.c_double(), ctypes.c_double()
        self.count = self.unreadable = self.high = 0
        self.space = self.generated = False
        self.extent = (0.0, 0.0)  # lowest and highest point of the last character, across its line
        self.baseline = 0.0

    def read(self) -> Characters:
        """Return what was read."""
        pen, rectangle = self.pen, self.rectangle
        number, pointer = ctypes.c_int, ctypes.c_void_p
        box_of = quick(self.raw.FPDFText_GetLooseCharBox, number, pointer, number, pointer)
        handle, reference = address(self.handle), ctypes.addressof(rectangle)
        for place, code in enumerate(self._codes()):
            if 0x20 < code < 0x7F or 0x4E00 <= code < 0xA000:
                character = chr(code)
            else:
                character = self._unusual(place, code)
                if not character:
                    continue
            self.count += 1
            box_of(handle, place, reference)
            left, right, bottom, top = rectangle.left, rectangle.right, rectangle.bottom, rectangle.top
            level = (bottom, top) == self.extent and not self.space and not pen.turn
            if not level or not pen.follows(character, left, right):
                self._put(place, character, left, right, bottom, top)
                pen.hyphen = code in _HYPHENS
        pen.flush()
        return Characters(pen.segments, self.count, self.unreadable)

    def _codes(self) -> list[int]:
        """The codes of all characters: at once, or one by one where PDFium's text has more or fewer than there are characters."""
        buffer = (ctypes.c_ushort * (self.total + 1))()
        if self.raw.FPDFText_GetText(self.handle, 0, self.total, buffer) == self.total + 1:
            return list(buffer)[: self.total]
        return [self.raw.FPDFText_GetUnicode(self.handle, place) for place in range(self.total)]

    def _unusual(self, place: int, code: int) -> str:
        """Return the character of a code that is no plain letter; nothing for a space, half a character or none."""
        if code in (0x0D, 0x0A):
            self.pen.flush()
            self.space = False
            return ""
        if 0xD800 <= code < 0xDC00:
            self.high = code
            return ""
        if 0xDC00 <= code < 0xE000:
            code, self.high = (
                (0x10000 + ((self.high - 0xD800) << 10) + (code - 0xDC00), 0) if self.high else (0xFFFD, 0)
            )
        character = "-" if code in _HYPHENS else chr(code)
        if character.isspace():
            self.space, self.generated = True, bool(self.raw.FPDFText_IsGenerated(self.handle, place))
            return ""
        if character in _BULLET_CODES:
            return "•"
        control = 0 <= code < 0x20 and code not in _HYPHENS
        if control or code == 0xFFFD or 0x7F <= code < 0xA0 or unicodedata.category(character) == "Co":
            self.unreadable += 1
        if code == 0:
            self.count += 1
            self.builder.drop("character without a code", 1)
            return ""
        return character

    def _put(self, place: int, character: str, left: float, right: float, bottom: float, top: float) -> None:
        """Add a character that does not simply go on with its word, or begin a new segment with it."""
        pen, flat = self.pen, (left, right, bottom, top)
        box = self._box(place, flat)
        hidden = pen.hidden
        if pen.text and self.space:
            hidden = self.paint.hides(place, *flat)
        if not pen.text or hidden != pen.hidden or not pen.fits(box, character):
            pen.flush()
            pen.hidden = self.paint.hides(place, *flat)
            pen.turn = round(self.raw.FPDFText_GetCharAngle(self.handle, place) / (math.pi / 2)) % 4
            pen.bold = _is_bold(self.raw, self.handle, place)
            box = self._box(place, flat)
        if pen.repeats(character, box):
            self.builder.drop("text printed twice", 1)
            return
        made_up = self.generated and bool(pen.text) and _both_han(pen, character, box)
        pen.add(character, box, self.space and not made_up)
        self.space = False

    def _box(self, place: int, flat: tuple[float, float, float, float]) -> Box:
        """Return the character's box in the direction of the segment.

        Neighbours whose boxes have the same feet and heads have the same baseline: that saves most of the calls.
        """
        pen = self.pen
        extent = flat[:2] if pen.turn & 1 else flat[2:]
        if not pen.text or extent != self.extent:
            self.raw.FPDFText_GetCharOrigin(self.handle, place, self.x, self.y)
            x, y = self.x.value, self.y.value
            self.baseline, self.extent = (y, x, -y, -x)[pen.turn], extent
        return (*turned(*flat, pen.turn), self.baseline)


class _Paint:
    """Knows of each character whether it is painted so that it can be seen."""

    def __init__(self, handle: Any, drawing: Drawing) -> None:
        import pypdfium2

        raw: Any = pypdfium2.raw
        self.handle, self.drawing = address(handle), drawing
        pointer, number = ctypes.c_void_p, ctypes.c_int
        self.colour_of = quick(raw.FPDFText_GetFillColor, number, pointer, number, *[pointer] * 4)
        self.object_of = quick(raw.FPDFText_GetTextObject, pointer, pointer, number)
        self.mode_of = quick(raw.FPDFTextObj_GetTextRenderMode, number, pointer)
        self.colour = (ctypes.c_uint * 4)()
        self.places = [ctypes.addressof(self.colour) + 4 * part for part in range(4)]
        self.fill, self.invisible = raw.FPDF_TEXTRENDERMODE_FILL, raw.FPDF_TEXTRENDERMODE_INVISIBLE

    def hides(self, place: int, left: float, right: float, bottom: float, top: float) -> bool:
        """Return whether the character is white where nothing is drawn, or invisible where no picture shows it."""
        item = self.object_of(self.handle, place)
        mode = self.mode_of(item) if item else self.fill
        x, y = (left + right) / 2, (bottom + top) / 2
        if mode == self.invisible:
            return not self.drawing.pictured(x, y)
        if mode != self.fill or not self.colour_of(self.handle, place, *self.places):
            return False
        red, green, blue, alpha = self.colour
        return (alpha == 0 or min(red, green, blue) >= _WHITE) and not self.drawing.coloured(x, y)


def _is_bold(raw: Any, handle: Any, place: int) -> bool:
    """Return whether the character's font is heavy, by its weight or, where that is not given, by its name (黑体 is a heading's font)."""
    if raw.FPDFText_GetFontWeight(handle, place) >= 600:
        return True
    name = ctypes.create_string_buffer(128)
    raw.FPDFText_GetFontInfo(handle, place, name, len(name), None)
    return bool(_HEAVY.search(name.value.lower()))


def _both_han(pen: _Pen, character: str, box: Box) -> bool:
    """Between Chinese characters a space that PDFium made up is none, unless the gap is nearly a character wide."""
    gap = box[0] - pen.last[1]
    return is_han(pen.text[-1]) and is_han(character) and gap < 0.7 * (pen.last[3] - pen.last[2])
