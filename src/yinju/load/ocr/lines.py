"""A recognised line, and the boxes of pages that were scanned on their side or on their head."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from yinju.boxes import Box


@dataclass(frozen=True, slots=True)
class OcrLine:
    """One line of text as it was recognised.

    `box` lies on the page as it is shown. `confidence` is 0 to 1. `turn` (0, 90, 180 or 270 degrees clockwise) makes the page upright; it
    is the same for all lines of a page.
    """

    text: str
    box: Box
    confidence: float
    turn: int = 0


def upright(box: Box, turn: int) -> Box:
    """Return where the box lies once its page is turned clockwise by 0, 90, 180 or 270 degrees."""
    left, top, right, bottom = box
    if turn == 90:
        return Box(1 - bottom, left, 1 - top, right)
    if turn == 180:
        return Box(1 - right, 1 - bottom, 1 - left, 1 - top)
    if turn == 270:
        return Box(top, 1 - right, bottom, 1 - left)
    return box


def as_shown(box: Box, turn: int) -> Box:
    """Return where a box of the upright page lies on the page as it is shown: the way back from `upright`."""
    return upright(box, (360 - turn) % 360)


def reading_order(lines: Iterable[OcrLine]) -> list[OcrLine]:
    """Return the lines row by row, each row from left to right, on the upright page. Columns are for whoever lays out the page."""
    waiting = sorted(lines, key=lambda line: _middle(upright(line.box, line.turn)))
    rows: list[list[OcrLine]] = []
    for line in waiting:
        box = upright(line.box, line.turn)
        if rows and is_beside(upright(rows[-1][0].box, line.turn), box):
            rows[-1].append(line)
        else:
            rows.append([line])
    return [line for row in rows for line in sorted(row, key=lambda one: upright(one.box, one.turn).left)]


def is_beside(one: Box, other: Box) -> bool:
    """Tell whether two boxes of an upright page stand in one row: the middle of each lies between the edges of the other."""
    return one.top <= _middle(other) <= one.bottom and other.top <= _middle(one) <= other.bottom


def _middle(box: Box) -> float:
    return (box.top + box.bottom) / 2
