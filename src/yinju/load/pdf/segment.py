"""A piece of a PDF page's text as it was drawn, with the places of its words.

A long report has a million words, and each is needed only when the text is written: so the words of a segment are a flat array of
numbers, not objects. All lengths are points.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

WIDE_GAP = 1.2  # in sizes of the character: beyond it another cell or column begins
_NUMBERS = 6  # a word
_BEHIND_NUMBERS = (")", "%", ")%", "%)")  # a number's sign that was drawn on its own
Box = tuple[float, float, float, float, float]  # left, right, bottom, top, baseline


class Word(NamedTuple):
    """A word of a segment: its place in the segment's text, and its box in the direction of the text."""

    start: int
    end: int
    left: float
    right: float
    bottom: float
    top: float


@dataclass(slots=True, eq=False)
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
    words: array[float] = field(default_factory=lambda: array("f"))


def words_of(segment: Segment) -> Iterator[Word]:
    """Yield the words of a segment."""
    numbers = segment.words
    for place in range(0, len(numbers), _NUMBERS):
        start, end, left, right, bottom, top = numbers[place : place + _NUMBERS]
        yield Word(int(start), int(end), left, right, bottom, top)


def shifted(words: array[float], characters: int) -> array[float]:
    """Return the words as they stand in a text that has so many characters more in front."""
    moved = array("f", words)
    for place in range(0, len(moved), _NUMBERS):
        moved[place] += characters
        moved[place + 1] += characters
    return moved


def shortened(words: array[float], length: int) -> array[float]:
    """Return the words as they are in a text that was cut off at this length."""
    kept = array("f")
    for place in range(0, len(words), _NUMBERS):
        if words[place] < length:
            kept.extend(words[place : place + _NUMBERS])
            kept[-5] = min(kept[-5], length)
    return kept


def part(segment: Segment, first: int, last: int) -> Segment:
    """Return the words from number `first` to before number `last` as a segment of their own."""
    words = list(words_of(segment))[first:last]
    start, end = words[0].start, words[-1].end
    cut = Segment(
        segment.text[start:end],
        min(word.left for word in words),
        max(word.right for word in words),
        min(word.bottom for word in words),
        max(word.top for word in words),
        segment.baseline,
        segment.turn,
        segment.bold,
        segment.size,
        segment.hyphen and end == len(segment.text),
        segment.lines,
    )
    cut.words = shifted(segment.words[first * _NUMBERS : last * _NUMBERS], -start)
    return cut


def put_together(before: Segment, segment: Segment) -> Segment:
    """Return two neighbours of one line as one: a word in another font, an index, a formula's parts."""
    size = max(before.size, segment.size)
    gap = max(segment.left - before.right, before.left - segment.right)
    tight = gap < 0.12 * size or (gap < 0.7 * size and is_han(before.text[-1]) and is_han(segment.text[0]))
    tight = tight or (segment.text in _BEHIND_NUMBERS and before.text[-1].isdigit())
    longer = before if len(before.text) >= len(segment.text) else segment
    return glued(before, segment, "" if tight else " ", longer)


def glued(before: Segment, segment: Segment, between: str, longer: Segment) -> Segment:
    """Return two segments as one with this between their texts; baseline and size are those of `longer`."""
    words = array("f", before.words)
    words.extend(shifted(segment.words, len(before.text) + len(between)))
    return Segment(
        before.text + between + segment.text,
        min(before.left, segment.left),
        max(before.right, segment.right),
        min(before.bottom, segment.bottom),
        max(before.top, segment.top),
        longer.baseline,
        before.turn,
        before.bold and segment.bold,
        longer.size,
        segment.hyphen,
        max(before.lines, segment.lines),
        words,
    )


def turned(left: float, right: float, bottom: float, top: float, turn: int) -> tuple[float, float, float, float]:
    """Return left, right, bottom, top as they are when the page is turned so that text of this turn is level."""
    if turn == 0:
        return left, right, bottom, top
    if turn == 1:
        return -top, -bottom, left, right
    if turn == 2:
        return -right, -left, -top, -bottom
    return bottom, top, -right, -left


def turned_back(left: float, right: float, bottom: float, top: float, turn: int) -> tuple[float, float, float, float]:
    """Return left, right, bottom, top on the page: `turned` undone."""
    if turn == 0:
        return left, right, bottom, top
    if turn == 1:
        return bottom, top, -right, -left
    if turn == 2:
        return -right, -left, -top, -bottom
    return -top, -bottom, left, right


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
