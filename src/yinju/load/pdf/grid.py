"""Tables that are drawn with rules: the rules say which cells there are, so nothing has to be guessed from the places of the words.

Pieces of a rule are joined, rules that touch belong to one table, and two neighbouring cells without a rule between them are one.
A row of the grid may still hold several rows of the table, where only some are ruled off: a column of values tells them apart.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from yinju.load.builder import TextBuilder
from yinju.load.pdf.drawing import Drawing
from yinju.load.pdf.page import Line, Table
from yinju.load.pdf.rows import one_cell, rows_of
from yinju.load.pdf.segment import Segment, put_together
from yinju.load.pdf.tables import header_rows, join_sign_columns, texts_of
from yinju.load.pdf.values import is_time, is_value

_NEAR = 3.0  # points between ends that still touch
_MOST_MEETINGS = 60_000
_MOST_CELLS = 20_000
Row = dict[int, list[Segment]]  # the lines of its cells by column
Rule = tuple[float, float, float]  # where it stands, and from where to where it runs


@dataclass(slots=True)
class Grid:
    """The rules of one table: `xs` from the left, `ys` from the bottom; `upright` and `level` rules between them."""

    xs: list[float]
    ys: list[float]
    upright: list[Rule]
    level: list[Rule]
    cells: dict[tuple[int, int], tuple[int, int]] = field(
        default_factory=dict
    )  # row from the top, column -> first one it is merged with

    def holds(self, segment: Segment) -> bool:
        """Return whether the middle of the segment lies in the table."""
        x, y = (segment.left + segment.right) / 2, (segment.bottom + segment.top) / 2
        return self.xs[0] - 1 < x < self.xs[-1] + 1 and self.ys[0] - 1 < y < self.ys[-1] + 1

    def cell_of(self, segment: Segment) -> tuple[int, int]:
        """Return the cell in which the segment begins its text: row from the top, column."""
        x = (segment.left + segment.right) / 2
        y = (segment.bottom + segment.top) / 2
        column = min(max(bisect_right(self.xs, x) - 1, 0), len(self.xs) - 2)
        row = min(max(bisect_right(self.ys, y) - 1, 0), len(self.ys) - 2)
        place = (len(self.ys) - 2 - row, column)
        return self.cells.get(place, place)

    def is_wide(self, cell: tuple[int, int]) -> bool:
        """Return whether the cell reaches over all columns."""
        return all(self.cells.get((cell[0], column), (cell[0], column)) == cell for column in range(len(self.xs) - 1))


def find_grids(drawing: Drawing, turn: int) -> list[Grid]:
    """Return the tables whose rules are drawn, seen in the direction of text of this turn."""
    if len(drawing.rules) < 4:
        return []
    upright, level = _joined(drawing.upright(turn)), _joined(drawing.level(turn))
    if not upright or not level or len(upright) * len(level) > _MOST_MEETINGS:
        return []
    grids = []
    for group_upright, group_level in _meeting(upright, level):
        xs = _places([r[0] for r in group_upright] + [min(r[1] for r in group_level), max(r[2] for r in group_level)])
        ys = _places([r[0] for r in group_level] + [min(r[1] for r in group_upright), max(r[2] for r in group_upright)])
        if len(xs) > 2 and len(ys) > 1 and len(xs) * len(ys) < _MOST_CELLS:
            grid = Grid(xs, ys, group_upright, group_level)
            _merge(grid)
            grids.append(grid)
    return sorted(grids, key=lambda grid: (grid.xs[-1] - grid.xs[0]) * (grid.ys[-1] - grid.ys[0]))


def _joined(rules: Iterable[Rule]) -> list[Rule]:
    """Join the pieces of which a rule is drawn."""
    by_place: list[list[Rule]] = []
    for rule in sorted(rules):
        if by_place and rule[0] - by_place[-1][0][0] <= 1.6:
            by_place[-1].append(rule)
        else:
            by_place.append([rule])
    joined: list[Rule] = []
    for pieces in by_place:
        pieces.sort(key=lambda rule: rule[1])
        place, start, end = pieces[0]
        for _, first, last in pieces[1:]:
            if first <= end + _NEAR:
                end = max(end, last)
            else:
                joined.append((place, start, end))
                start, end = first, last
        joined.append((place, start, end))
    return joined


def _meeting(upright: list[Rule], level: list[Rule]) -> list[tuple[list[Rule], list[Rule]]]:
    """Return the groups of rules that touch each other."""
    group = list(range(len(upright) + len(level)))

    def find(one: int) -> int:
        while group[one] != one:
            group[one] = group[group[one]]
            one = group[one]
        return one

    for i, (x, bottom, top) in enumerate(upright):
        for j, (y, left, right) in enumerate(level):
            if bottom - _NEAR <= y <= top + _NEAR and left - _NEAR <= x <= right + _NEAR:
                group[find(i)] = find(len(upright) + j)
    groups: dict[int, tuple[list[Rule], list[Rule]]] = defaultdict(lambda: ([], []))
    for one in range(len(group)):
        kind = one >= len(upright)
        groups[find(one)][kind].append(level[one - len(upright)] if kind else upright[one])
    return [found for found in groups.values() if found[0] and len(found[1]) > 1]


def _places(numbers: Iterable[float]) -> list[float]:
    places: list[float] = []
    for number in sorted(numbers):
        if not places or number - places[-1] > _NEAR:
            places.append(number)
    return places


def _merge(grid: Grid) -> None:
    """Find the cells that have no rule between them and a neighbour."""
    rows, columns = len(grid.ys) - 1, len(grid.xs) - 1
    first: dict[tuple[int, int], tuple[int, int]] = {}

    def find(cell: tuple[int, int]) -> tuple[int, int]:
        while first.get(cell, cell) != cell:
            cell = first[cell]
        return cell

    for row in range(rows):
        bottom, top = grid.ys[rows - 1 - row], grid.ys[rows - row]
        for column in range(columns):
            left, right = grid.xs[column], grid.xs[column + 1]
            if column + 1 < columns and not _ruled(grid.upright, right, (bottom + top) / 2):
                one, other = sorted((find((row, column)), find((row, column + 1))))
                first[other] = one
            if row + 1 < rows and not _ruled(grid.level, bottom, (left + right) / 2):
                one, other = sorted((find((row, column)), find((row + 1, column))))
                first[other] = one
    grid.cells = {cell: find(cell) for cell in list(first)}


def _ruled(rules: list[Rule], place: float, middle: float) -> bool:
    return any(abs(rule[0] - place) <= _NEAR and rule[1] - 1 <= middle <= rule[2] + 1 for rule in rules)


def tables_of(grid: Grid, segments: list[Segment], page: int, builder: TextBuilder) -> list[Line]:
    """Return the lines of what stands in the grid: a table, or several with their titles; none where the text in it is no table."""
    texts: dict[tuple[int, int], list[Segment]] = defaultdict(list)
    for segment in segments:
        texts[grid.cell_of(segment)].append(segment)
    if len(texts) < 3 or len({column for _, column in texts}) < 2:
        return []
    lines = {cell: [_whole(row) for row in rows_of(inside)] for cell, inside in texts.items()}
    tall = {cell for cell in texts if grid.cells.get((cell[0] + 1, cell[1])) == cell}
    bands: dict[int, dict[int, list[Segment]]] = defaultdict(dict)
    for (row, column), inside in lines.items():
        bands[row][column] = inside
    rows: list[tuple[Row, bool]] = []
    for row in sorted(bands):
        wide = len(bands[row]) == 1 and grid.is_wide((row, next(iter(bands[row]))))
        rows += [(part, wide) for part in _split(bands[row], {c for c in bands[row] if (row, c) in tall})]
    if len(rows) < 2:
        return []
    made: list[Line] = []
    for part, title in _parts(rows):
        made += _title(part, page) if title else _table(part, grid, page, builder)
    return made if any(line.table for line in made) else []


def _parts(rows: list[tuple[Row, bool]]) -> list[tuple[list[Row], bool]]:
    """Return tables and titles: a cell over all columns is a title where a header stands below it, or nothing above it."""
    parts: list[tuple[list[Row], bool]] = []
    for number, (row, wide) in enumerate(rows):
        below = rows[number + 1] if number + 1 < len(rows) else None
        headed = below is not None and not below[1] and _is_header(below[0])
        if wide and (number == 0 or (parts and parts[-1][1]) or headed):
            parts.append(([row], True))
        elif parts and not parts[-1][1]:
            parts[-1][0].append(row)
        else:
            parts.append(([row], False))
    return parts


def _is_header(row: Row) -> bool:
    texts = ["".join(line.text for line in lines) for lines in row.values()]
    return (
        len(texts) > 1 and not any(is_value(text) and not is_time(text) for text in texts) and max(map(len, texts)) < 30
    )


def _title(part: list[Row], page: int) -> list[Line]:
    return [Line([line], 0, page) for row in part for lines in row.values() for line in lines]


def _table(part: list[Row], grid: Grid, page: int, builder: TextBuilder) -> list[Line]:
    columns = sorted({column for found in part for column in found})
    if len(columns) < 2:
        return _title(part, page)
    table = Table([(grid.xs[column], grid.xs[column + 1]) for column in columns], ruled=True)
    made = []
    for found in part:
        cells = [one_cell(found[column], builder) if column in found else None for column in columns]
        line = Line([cell for cell in cells if cell], 0, page, tabular=True, table=table)
        line.grid = cells
        made.append(line)
    join_sign_columns(made, table)
    for line in made:
        line.cells = [cell for cell in line.grid if cell]
    table.header = header_rows(texts_of(made), made)
    return made


def _whole(row: list[Segment]) -> Segment:
    whole = row[0]
    for segment in row[1:]:
        whole = put_together(whole, segment)
    return whole


def _split(band: Row, tall: set[int]) -> list[Row]:
    """Return the rows of a band: several where a column holds values one below the other."""
    guides = [
        lines
        for column, lines in band.items()
        if column not in tall and len(lines) > 1 and 3 * sum(is_value(line.text) for line in lines) >= 2 * len(lines)
    ]
    if not guides:
        return [band]
    guide = [line.baseline for line in max(guides, key=len)]
    rows: list[Row] = [{} for _ in guide]
    for column, lines in band.items():
        for line in lines:
            nearest = min(range(len(guide)), key=lambda number: abs(guide[number] - line.baseline))
            rows[0 if column in tall else nearest].setdefault(column, []).append(line)
    return [row for row in rows if row]
