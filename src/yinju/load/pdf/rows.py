"""Segments put together to rows by their baseline, and lines of one cell to one segment."""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from yinju.load.builder import TextBuilder
from yinju.load.pdf.hyphens import seam
from yinju.load.pdf.segment import WIDE_GAP, Segment, glued, is_right_to_left, put_together, shortened

_RAISED = 0.85  # of the size of the text beside it: an index or exponent is smaller
_LONGEST_RAISED = 8
STAND_IN = " "  # the text of a segment that stands for something else: no other is only a space
DIVIDED = "hyphen at a line's end"


class Heights:
    """Segments by height, so that those beside a cell are found without looking at all of a page."""

    def __init__(self, segments: list[Segment]) -> None:
        self.segments = sorted(segments, key=_middle)
        self.middles = [_middle(segment) for segment in self.segments]

    def between(self, bottom: float, top: float) -> list[Segment]:
        """Return the segments whose middle lies between the two heights."""
        return self.segments[bisect_right(self.middles, bottom) : bisect_left(self.middles, top)]


def _middle(segment: Segment) -> float:
    return (segment.top + segment.bottom) / 2


def apart(segment: Segment, left: float, right: float) -> bool:
    """Return whether the segment stands left or right of the two places."""
    return segment.right <= left + 1 or segment.left >= right - 1


def rows_of(segments: list[Segment]) -> list[list[Segment]]:
    """Return the segments as rows from top to bottom, each from left to right (right to left for such scripts)."""
    rows: list[list[Segment]] = []
    heads = _heads(segments)
    for segment in sorted(segments, key=lambda s: -heads.get(id(s), s.baseline)):
        height = heads.get(id(segment), segment.baseline)
        first = rows[-1][0] if rows else None
        reach = 0.4 * max(min(first.size, segment.size), 1.0) if first else 0.0
        if first is not None and heads.get(id(first), first.baseline) - height < reach:
            rows[-1].append(segment)
        else:
            rows.append([segment])
    for row in rows:
        backward = sum(1 for s in row if is_right_to_left(s.text[0])) * 2 > len(row)
        row.sort(key=lambda s: s.left, reverse=backward)
    return [_merged(row) for row in rows]


def _heads(segments: list[Segment]) -> dict[int, float]:
    """Return the height at which segments beside a cell with several lines count: that of the cell's first line."""
    heads: dict[int, float] = {}
    tall = sorted((s for s in segments if s.lines > 1), key=lambda s: -s.lines)
    largest = max((s.size for s in segments), default=0.0)
    small = [s for s in segments if len(s.text) <= _LONGEST_RAISED and s.size < _RAISED * largest]
    heights = Heights(segments) if tall or small else None
    for cell in tall:
        if heights is not None and id(cell) not in heads:
            heads[id(cell)] = cell.baseline
            beside = _same_row(cell, heights)
            heads |= {id(other): cell.baseline for other in beside if id(other) not in heads}
    for segment in small:
        if heights is not None and id(segment) not in heads and (host := _host(segment, heights)) is not None:
            heads[id(segment)] = heads.get(id(host), host.baseline)
    return heads


def _host(raised: Segment, heights: Heights) -> Segment | None:
    """Return the larger text at which a small piece hangs as an index, a mark of a footnote or an exponent."""
    middle = _middle(raised)
    near = [
        other
        for other in heights.between(raised.bottom - raised.size, raised.top + raised.size)
        if raised.size < _RAISED * other.size
        and other.bottom - 0.2 * other.size < middle < other.top + 0.2 * other.size
        and max(raised.left - other.right, other.left - raised.right) < 0.6 * other.size
    ]
    return min(near, key=lambda other: abs(_middle(other) - middle), default=None)


def _same_row(cell: Segment, heights: Heights) -> list[Segment]:
    """Return the segments that stand in the row of a cell with several lines; none where two of them stand one above the other."""
    beside = [other for other in heights.between(cell.bottom, cell.top) if apart(other, cell.left, cell.right)]
    for place, first in enumerate(beside):
        for second in beside[place + 1 :]:
            overlap = min(first.right, second.right) > max(first.left, second.left)
            if overlap and first.baseline != second.baseline:
                return []
    return beside


def _merged(row: list[Segment]) -> list[Segment]:
    """Join neighbours that touch."""
    merged = row[:1]
    for segment in row[1:]:
        before = merged[-1]
        size = max(before.size, segment.size)
        gap = max(segment.left - before.right, before.left - segment.right)
        wide = gap >= WIDE_GAP * size or (is_right_to_left(segment.text[0]) and gap > 0.3 * size)
        if wide or max(before.lines, segment.lines) > 1 or STAND_IN in (before.text, segment.text):
            merged.append(segment)
        else:
            merged[-1] = put_together(before, segment)
    return merged


def one_cell(lines: list[Segment], builder: TextBuilder) -> Segment:
    """Return the lines of a cell, from the top, as one segment; a hyphen that divided a word is accounted for."""
    cell = lines[0]
    for line in lines[1:]:
        divided, between = seam(cell.text, line.text)
        if divided:
            builder.drop(DIVIDED, 1)
            cell.text = cell.text[:-1]
            cell.words = shortened(cell.words, len(cell.text))
        cell = glued(cell, line, between, lines[0])
    cell.lines = len(lines)
    return cell
