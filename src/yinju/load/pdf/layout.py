"""One PDF page: segments to lines in reading order.

Tables drawn with rules are taken out first and stand in the text as one block each. The other segments are put together to rows by their
baseline; where a clear gutter separates prose, the page is read column by column, otherwise row by row. Rows whose cells line up with
those of their neighbours are a table. All lengths are points.
"""

from __future__ import annotations

import re
import statistics
from array import array
from itertools import pairwise

from yinju.load.builder import TextBuilder
from yinju.load.pdf.cells import join_cells, joined_lines
from yinju.load.pdf.drawing import Drawing
from yinju.load.pdf.grid import find_grids, tables_of
from yinju.load.pdf.lines import SENTENCE_ENDS
from yinju.load.pdf.page import Line
from yinju.load.pdf.rows import STAND_IN, rows_of
from yinju.load.pdf.segment import Segment, is_han
from yinju.load.pdf.tables import make_tables

_MARKER = re.compile(
    r"[•●○▪■□◆◇–—*·➢✓-]|\(?[0-9a-zA-Zivx]{1,4}[.)、]|[(（]?[一二三四五六七八九十0-9]{1,3}[)）、.]|[①-⑳]"
)
_MOST_LABELS = 12  # rows without a value between two that have one
_LONGEST_HEAD = 90
_MOST_GUTTERS = 2  # beside the first: up to four columns
_NARROWEST_GUTTER = 0.8  # sizes
_MOST_HEADS = 4  # lines of a header above the first row that has the table's columns


def lay_out(segments: list[Segment], drawing: Drawing, number: int, builder: TextBuilder) -> list[Line]:
    """Return the lines of a page in reading order."""
    amounts: dict[int, int] = {}
    for segment in segments:
        amounts[segment.turn] = amounts.get(segment.turn, 0) + len(segment.text)
    turns = sorted(amounts, key=lambda turn: -amounts[turn])
    lines: list[Line] = []
    column = 0
    for turn in turns:
        free, tables = _ruled_tables([s for s in segments if s.turn == turn], drawing, turn, number, builder)
        stands = [_stand_in(rows) for rows in tables]
        rows_at = {id(stand): rows for stand, rows in zip(stands, tables, strict=True)}
        free = joined_lines(free)
        drawn = {id(segment): place for place, segment in enumerate(free)}
        for group in _blocks(free + stands, 0):
            loose = sorted((s for s in group if id(s) not in rows_at), key=lambda segment: drawn[id(segment)])
            block = join_cells(loose, builder) + [s for s in group if id(s) in rows_at]
            rows: list[Line] = []
            for row in rows_of(block):
                ruled = [rows_at[id(s)] for s in row if id(s) in rows_at]
                rest = [s for s in row if id(s) not in rows_at]
                rows += [Line(rest, column, number)] if rest else []
                rows += [line for table in ruled for line in table]
            for line in rows:
                line.column, line.turned = column, turn != turns[0]
            for loose_lines in _stretches(rows):
                _find_tables(loose_lines)
                make_tables(loose_lines)
            lines += rows
            column += 1
    return lines


def _stretches(lines: list[Line]) -> list[list[Line]]:
    """Return the runs of lines between ruled tables."""
    runs: list[list[Line]] = [[]]
    for line in lines:
        if line.table is None:
            runs[-1].append(line)
        elif runs[-1]:
            runs.append([])
    return runs


def _ruled_tables(
    segments: list[Segment], drawing: Drawing, turn: int, number: int, builder: TextBuilder
) -> tuple[list[Segment], list[list[Line]]]:
    """Return the segments that stand in no ruled table, and the tables; of tables inside tables the inner one is one."""
    tables = []
    for grid in find_grids(drawing, turn):
        inside = [segment for segment in segments if grid.holds(segment)]
        if _has_names_outside(inside, segments):
            continue
        rows = tables_of(grid, inside, number, builder) if len(inside) > 1 else []
        if rows:
            tables.append(rows)
            taken = {id(segment) for segment in inside}
            segments = [segment for segment in segments if id(segment) not in taken]
    return segments, tables


def _has_names_outside(inside: list[Segment], segments: list[Segment]) -> bool:
    """Return whether most rows of a grid have something short left of it: then only a part of the table is ruled."""
    heights = {round(segment.baseline) for segment in inside}
    left = min((segment.left for segment in inside), default=0.0)
    names = {
        round(segment.baseline)
        for segment in segments
        if segment.right < left and len(segment.text) < _LONGEST_HEAD and round(segment.baseline) in heights
    }
    return len(heights) > 2 and 2 * len(names) > len(heights)


def _stand_in(rows: list[Line]) -> Segment:
    """Return a segment that stands for a whole table while the page is laid out."""
    left, right = min(row.left for row in rows), max(row.right for row in rows)
    top, bottom = max(row.top for row in rows), min(row.bottom for row in rows)
    return Segment(STAND_IN, left, right, bottom, top, top, rows[0].cells[0].turn, False, 0.1, words=array("f"))


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


def _gutter(segments: list[Segment], depth: int = 0) -> float | None:
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
    if fewest > max(len(before), len(after)) or _run_through([s for s in segments if s.left < gutter], after):
        return None
    return gutter if all(_is_prose(side) or _parts(side, depth) for side in (before, after)) else None


def _run_through(before: list[Segment], after: list[Segment]) -> bool:
    """Return whether lines go on over the gutter: then it is none, only a place where their pieces happen to end.

    `before` is all that begins left of it.
    """
    ends: dict[int, float] = {}
    starts: dict[int, float] = {}
    for segment in before:
        height = round(segment.baseline)
        ends[height] = max(ends.get(height, segment.right), segment.right)
    for segment in after:
        height = round(segment.baseline)
        starts[height] = min(starts.get(height, segment.left), segment.left)
    gaps = [start - ends[height] for height, start in starts.items() if height in ends]
    size = max(before[0].size, 1.0) if before else 1.0
    return 4 * sum(gap < _NARROWEST_GUTTER * size for gap in gaps) > len(gaps)


def _parts(side: list[Segment], depth: int) -> bool:
    """Return whether the side of a gutter is two columns of prose itself."""
    return depth < _MOST_GUTTERS and len(side) >= 6 and _gutter(side, depth + 1) is not None


def _is_prose(segments: list[Segment]) -> bool:
    """Lines of running text fill their column; cells of a table do not. Few lines need a sentence that runs on as proof."""
    rows = rows_of([segment for segment in segments if segment.text != STAND_IN])
    if len(rows) < 3:
        return False
    texts = [" ".join(segment.text for segment in row) for row in rows]
    filled = [max(s.right for s in row) - min(s.left for s in row) for row in rows]
    widths = [len(text) + sum(map(is_han, text)) for text in texts]
    if statistics.median(filled) < 0.55 * max(filled) or statistics.median(widths) < 12:
        return False
    if sum(len(row) > 1 for row in rows) > len(rows) / 3:
        return False
    if 2 * sum(map(str.isalpha, "".join(texts))) < sum(map(len, texts)):
        return False
    running = sum(1 for text in texts[1:] if text[:1].islower() or is_han(text[0]))
    return (
        2 * running >= len(texts) - 1 if len(rows) < 6 else statistics.median(widths) >= 18 or 3 * running >= len(texts)
    )


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
    _take_in_heads(lines)


def _take_in_heads(lines: list[Line]) -> None:
    """Lines right above a table that stand over its values only are part of its header: `Years ended`."""
    for place, line in enumerate(lines):
        if not line.tabular or (place and lines[place - 1].tabular):
            continue
        below = [row for row in lines[place : place + 6] if row.tabular and len(row.cells) > 1]
        if not below:
            continue
        names = min(row.left for row in below)
        values = min(row.cells[1].left for row in below)
        for head in reversed(lines[max(place - _MOST_HEADS, 0) : place]):
            after = lines[lines.index(head) + 1]
            near = 0 < head.bottom - after.top + 0.6 * head.size < 1.8 * head.size
            over = head.left > max(values - 4 * head.size, names + 4 * head.size)
            if not near or not over or head.text.endswith(SENTENCE_ENDS) or len(head.text) > _LONGEST_HEAD:
                break
            head.tabular = True


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
