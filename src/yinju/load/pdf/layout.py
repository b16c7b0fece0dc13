"""One PDF page: segments to lines in reading order.

Segments are put together to rows by their baseline; where a clear gutter separates prose, the page is read column by column,
otherwise row by row. Rows whose cells line up with those of their neighbours are a table. All lengths are points.
"""

from __future__ import annotations

import re
import statistics
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from yinju.load.builder import TextBuilder
from yinju.load.pdf.cells import Heights, join_cells, put_together, same_row
from yinju.load.pdf.characters import WIDE_GAP, Segment, is_han, is_right_to_left, read_segments

_MARKER = re.compile(
    r"[•●○▪■□◆◇–—*·➢✓-]|\(?[0-9a-zA-Zivx]{1,4}[.)、]|[(（]?[一二三四五六七八九十0-9]{1,3}[)）、.]|[①-⑳]"
)
_MOST_LABELS = 12  # rows without a value between two that have one


@dataclass(slots=True)
class Line:
    """A row of segments in one column. `tabular`: its cells stand below or above those of a neighbour."""

    cells: list[Segment]
    column: int  # number of the column block on the page, in reading order
    page: int
    tabular: bool = False
    left: float = 0.0
    right: float = 0.0
    top: float = 0.0
    bottom: float = 0.0
    baseline: float = 0.0
    size: float = 0.0
    bold: bool = False
    turned: bool = False  # not in the direction of most of the page's text

    def __post_init__(self) -> None:
        """Measure the line."""
        self.left, self.right = min(c.left for c in self.cells), max(c.right for c in self.cells)
        self.top, self.bottom = max(c.top for c in self.cells), min(c.bottom for c in self.cells)
        longest = max(self.cells, key=lambda cell: len(cell.text))
        self.baseline, self.size = longest.baseline, longest.size
        self.bold = all(cell.bold for cell in self.cells)

    @property
    def text(self) -> str:
        """The line's text, cells separated by tabs in a table and by spaces otherwise."""
        return ("\t" if self.tabular else " ").join(cell.text for cell in self.cells)

    @property
    def hyphen(self) -> bool:
        """Whether the line ends in a divided word."""
        return self.cells[-1].hyphen


@dataclass(slots=True)
class PageText:
    """The lines of one page in reading order, and what its characters say about their worth."""

    number: int
    lines: list[Line] = field(default_factory=list)
    characters: int = 0
    unreadable: int = 0  # private use, replacement characters, characters without a code


def read_page(textpage: Any, number: int, builder: TextBuilder) -> PageText:
    """Return the page's lines; characters that are left out go to the builder's account."""
    segments, characters, unreadable = read_segments(textpage, builder)
    page = PageText(number, [], characters, unreadable)
    turns = sorted(
        {segment.turn for segment in segments}, key=lambda turn: -sum(len(s.text) for s in segments if s.turn == turn)
    )
    column = 0
    for turn in turns:
        drawn = {id(segment): place for place, segment in enumerate(segments)}
        for group in _blocks([segment for segment in segments if segment.turn == turn], 0):
            block = join_cells(sorted(group, key=lambda segment: drawn[id(segment)]), builder)
            rows = [Line(row, column, number, turned=turn != turns[0]) for row in _rows(block)]
            _find_tables(rows)
            page.lines += rows
            column += 1
    return page


def _blocks(segments: list[Segment], depth: int) -> list[list[Segment]]:
    """Return the column blocks of the segments in reading order."""
    gutter = _gutter(segments) if depth < 3 and len(segments) >= 6 else None
    if gutter is None:
        return [segments] if segments else []
    blocks: list[list[Segment]] = []
    across: list[Segment] = []  # what crosses the gutter, and what stands level with it
    band: list[Segment] = []
    for segment in sorted(segments, key=lambda s: -s.baseline):
        crosses = segment.left < gutter < segment.right
        level = across and not band and across[-1].baseline - segment.baseline <= 0.45 * segment.size
        if not crosses and not level:
            if across:
                blocks.append(across)
                across = []
            band.append(segment)
            continue
        if band:
            beside = [s for s in band if crosses and s.baseline - segment.baseline <= 0.45 * segment.size]
            blocks += _columns(band[: len(band) - len(beside)], gutter, depth)
            across, band = beside, []
        across.append(segment)
    return [*blocks, *([across] if across else []), *_columns(band, gutter, depth)]


def _columns(band: list[Segment], gutter: float, depth: int) -> list[list[Segment]]:
    left = [segment for segment in band if segment.right <= gutter]
    right = [segment for segment in band if segment.right > gutter]
    return _blocks(left, depth + 1) + _blocks(right, depth + 1)


def _gutter(segments: list[Segment]) -> float | None:
    """Return the x of a gutter that separates prose on its left from prose on its right, or None."""
    left, right = min(s.left for s in segments), max(s.right for s in segments)
    bins = 160
    width = (right - left) / bins
    if width <= 0:
        return None
    crossed = [0] * (bins + 1)
    for segment in segments:
        first, last = int((segment.left - left) / width), int((segment.right - left) / width)
        for place in range(max(first, 0), min(last, bins) + 1):
            crossed[place] += 1
    middle = range(bins // 5, bins - bins // 5)
    fewest = min(crossed[place] for place in middle)
    runs: list[tuple[int, int]] = []
    for place in middle:
        if crossed[place] == fewest:
            if runs and runs[-1][1] == place - 1:
                runs[-1] = (runs[-1][0], place)
            else:
                runs.append((place, place))
    start, end = max(runs, key=lambda run: (run[1] - run[0], -abs(sum(run) - bins)))
    gutter = left + ((start + end + 1) / 2) * width
    before = [s for s in segments if s.right <= gutter]
    after = [s for s in segments if s.left >= gutter]
    if fewest > max(len(before), len(after)) or not (_is_prose(before) and _is_prose(after)):
        return None
    return gutter


def _is_prose(segments: list[Segment]) -> bool:
    """Lines of running text fill their column; cells of a table do not. Few lines need a sentence that runs on as proof."""
    rows = _rows(segments)
    if len(rows) < 3:
        return False
    texts = [" ".join(segment.text for segment in row) for row in rows]
    filled = [max(s.right for s in row) - min(s.left for s in row) for row in rows]
    widths = [len(text) + sum(map(is_han, text)) for text in texts]
    if statistics.median(filled) < 0.55 * max(filled) or statistics.median(widths) < 12:
        return False
    if sum(len(row) > 1 for row in rows) > len(rows) / 3:
        return False
    running = sum(1 for text in texts[1:] if text[:1].islower() or is_han(text[0]))
    return (
        2 * running >= len(texts) - 1 if len(rows) < 6 else statistics.median(widths) >= 18 or 3 * running >= len(texts)
    )


def _rows(segments: list[Segment]) -> list[list[Segment]]:
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
    heights = Heights(segments)
    for cell in sorted((s for s in segments if s.lines > 1), key=lambda s: -s.lines):
        if id(cell) not in heads:
            heads[id(cell)] = cell.baseline
            beside = same_row(cell, heights)
            heads |= {id(other): cell.baseline for other in beside if id(other) not in heads}
    return heads


def _merged(row: list[Segment]) -> list[Segment]:
    """Join neighbours that touch."""
    merged = row[:1]
    for segment in row[1:]:
        before = merged[-1]
        size = max(before.size, segment.size)
        gap = max(segment.left - before.right, before.left - segment.right)
        apart = gap >= WIDE_GAP * size or (is_right_to_left(segment.text[0]) and gap > 0.3 * size)
        if apart or max(before.lines, segment.lines) > 1:
            merged.append(segment)
        else:
            merged[-1] = put_together(before, segment)
    return merged


def _find_tables(lines: list[Line]) -> None:
    """Mark the lines whose cells line up with those of the line before or after."""
    for line, below in pairwise(lines):
        near = line.bottom - below.top < 2.5 * max(line.size, below.size)
        if near and _cells(line) > 1 and _cells(below) > 1 and _aligned(line, below):
            line.tabular = below.tabular = True
    for line in lines:
        line.tabular = (
            line.tabular or _cells(line) > 2 or (_cells(line) > 1 and any(cell.lines > 1 for cell in line.cells))
        )
    _take_in_labels(lines)


def _take_in_labels(lines: list[Line]) -> None:
    """Lines between two rows of a table that stay left of its values are rows too: `Current assets:`, names without a value."""
    last: int | None = None
    for place, line in enumerate(lines):
        if not line.tabular:
            continue
        between = lines[last + 1 : place] if last is not None else []
        if last is not None and 0 < len(between) <= _MOST_LABELS:
            values = max(min(cell.left for cell in row.cells[1:]) for row in (lines[last], line) if len(row.cells) > 1)
            if all(_is_label(label, line, values) for label in between) and _evenly(lines[last : place + 1]):
                for label in between:
                    label.tabular = True
        last = place


def _is_label(label: Line, row: Line, values: float) -> bool:
    size = row.cells[0].size
    inside = row.cells[0].left - 2 * size < label.left and label.right < values
    return len(label.cells) == 1 and inside and abs(label.size - size) < 0.15 * size


def _evenly(lines: list[Line]) -> bool:
    return all(before.bottom - line.top < 2 * line.size for before, line in pairwise(lines))


def _cells(line: Line) -> int:
    """The number of cells; a list's marker in front of its text is none."""
    return len(line.cells) - (1 if len(line.cells) == 2 and _MARKER.fullmatch(line.cells[0].text) else 0)


def _aligned(line: Line, below: Line) -> bool:
    reach = 0.6 * max(line.size, below.size)
    return any(
        abs(upper.left - lower.left) < reach or abs(upper.right - lower.right) < reach
        for upper in line.cells[1:]
        for lower in below.cells[1:]
    )
