"""Where words stand on their pages, so that a citation can be shown on the page itself.

A long PDF has a million words, and most are never asked for: they are kept as bytes, 14 a word, and read only around a citation.
"""

from __future__ import annotations

import struct
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from yinju.types import Span

_WORD = struct.Struct("<IH4H")  # start in the text, length, then left, top, right, bottom in 1/65535 of the page
_WHOLE = 65_535
WIDEST_GAP = 1.5  # between words of one line, in heights of the line; pages are higher than wide, so that this is less than it seems


class Box(NamedTuple):
    """A rectangle on a page as it is shown, in shares (0 to 1) of its width and height from the upper left corner."""

    left: float
    top: float
    right: float
    bottom: float


def pack(words: Iterable[tuple[Span, Box]]) -> bytes:
    """Return the words' boxes as bytes. The spans must rise and be shorter than 65,536 characters; what lies off the page is cut off."""
    return b"".join(
        _WORD.pack(span.start, span.end - span.start, *(round(min(max(edge, 0.0), 1.0) * _WHOLE) for edge in box))
        for span, box in words
    )


def within(boxes: bytes, span: Span) -> Iterator[tuple[Span, Box]]:
    """Yield the words that touch the span, in order. Of a word that lies only partly inside, the part along its line is taken."""
    count = len(boxes) // _WORD.size
    first = max(bisect_right(range(count), span.start, key=lambda number: _word(boxes, number)[0].start) - 1, 0)
    for number in range(first, count):
        word, box = _word(boxes, number)
        if word.start >= span.end:
            return
        if word.end > span.start:
            yield _part(word, box, span)


def rectangles(words: Iterable[Box]) -> list[Box]:
    """Return the words of one page, in reading order, as rectangles: neighbours on a line as one, so that a marker pen could draw them.

    A word goes on with the line before it where both overlap in height by at least half of the smaller and the gap is at most one and a
    half times the height of the line (a column's gutter is wider), in whatever direction the script runs.
    """
    joined: list[Box] = []
    for box in words:
        if joined and _goes_on(joined[-1], box):
            last = joined[-1]
            joined[-1] = Box(
                min(last.left, box.left),
                min(last.top, box.top),
                max(last.right, box.right),
                max(last.bottom, box.bottom),
            )
        else:
            joined.append(box)
    return joined


def _goes_on(last: Box, box: Box) -> bool:
    height = min(last.bottom - last.top, box.bottom - box.top)
    together = min(last.bottom, box.bottom) - max(last.top, box.top)
    gap = max(box.left - last.right, last.left - box.right)
    return together >= height / 2 > 0 and gap <= WIDEST_GAP * max(last.bottom - last.top, box.bottom - box.top)


def _word(boxes: bytes, number: int) -> tuple[Span, Box]:
    start, length, *edges = _WORD.unpack_from(boxes, number * _WORD.size)
    return Span(start, start + length), Box(*(edge / _WHOLE for edge in edges))


def _part(word: Span, box: Box, span: Span) -> tuple[Span, Box]:
    """Return the part of a word that lies inside the span; its characters are taken to be equally wide."""
    inside = Span(max(word.start, span.start), min(word.end, span.end))
    width = (box.right - box.left) / (word.end - word.start)
    left = box.left + width * (inside.start - word.start)
    return inside, box._replace(left=left, right=left + width * (inside.end - inside.start))
