"""Rows of cells to text: title rows, header, one line a row, cells separated by tabs. One way for XLSX, ODS, XLS and CSV.

A sheet is cut at its empty rows into blocks, and a block of two tables side by side into those. The rows above a table that do not name its
columns are its title, not its header; a block that has the columns of the table before it goes on with that table. Columns that are empty in a
block are left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from yinju.load.builder import TextBuilder
from yinju.load.office.headers import (
    header_height,
    is_labelled,
    is_period,
    looks_like_value,
    names_columns,
    whole_names,
)
from yinju.load.parsed import visible
from yinju.types import Span

__all__ = ["Row", "looks_like_value", "write_rows"]

_MOST_TITLES = 6  # rows above a header


@dataclass(frozen=True, slots=True)
class Row:
    """A row with its line in the file, its cells from the first column on, and the style of its first filled cell (0: none known).

    `joined`: some of its cells reach over several columns. `covered`: the columns that they reach over, if known.
    """

    line: int
    cells: tuple[str, ...]
    style: int = 0
    joined: bool = False
    covered: tuple[int, ...] = ()

    @property
    def filled(self) -> list[int]:
        """The columns that hold something."""
        return [column for column, cell in enumerate(self.cells) if cell]


@dataclass(slots=True)
class _Shape:
    """What the table before looked like, to know whether a block goes on with it."""

    columns: list[int]
    header: Row | None
    first: Row


def write_rows(builder: TextBuilder, rows: Iterable[Row], *, split: bool = True) -> None:
    """Write the rows; with `split` empty rows end a table (sheets), without it they are ignored (CSV)."""
    before: _Shape | None = None
    for block in _blocks(rows, split):
        parts = _side_by_side(block) if split else [block]
        for part in parts:
            before = _write_block(builder, part, before if len(parts) == 1 else None)


def _blocks(rows: Iterable[Row], split: bool) -> Iterator[list[Row]]:
    block: list[Row] = []
    used: set[int] = set()
    for row in rows:
        if any(row.cells):
            columns = row.filled
            gap = bool(block) and row.line > block[-1].line + 1
            aside = len(columns) > 1 < len(used) and used.isdisjoint(columns)
            if split and (aside or (gap and not _is_head_of(block, row))):
                yield block
                block, used = [], set()
            block.append(row)
            used.update(columns)
    if block:
        yield block


def _is_head_of(block: list[Row], row: Row) -> bool:
    """Names of columns, then an empty row, then the first row of values: one table."""
    return (
        len(block) <= _MOST_TITLES
        and row.line <= block[-1].line + 3
        and len(block[-1].filled) > 1
        and len(row.filled) > 1
        and set(row.filled) <= {column for above in block for column in above.filled}
        and any(looks_like_value(row.cells[column]) for column in row.filled)
        and not any(_is_amount(cell) for above in block for cell in above.cells)
    )


def _is_amount(cell: str) -> bool:
    return looks_like_value(cell) and not is_period(cell)


def _side_by_side(block: list[Row]) -> list[list[Row]]:
    """Cut a block at its empty columns, if that makes several tables: each with names of its own, and unlike each other in height or alike in names.

    One table with an empty column in it stays one.
    """
    columns = sorted({column for row in block for column in row.filled})
    groups: list[list[int]] = []
    for column in columns:
        if groups and column == groups[-1][-1] + 1:
            groups[-1].append(column)
        else:
            groups.append([column])
    if len(groups) < 2 or any(len(group) < 2 for group in groups):
        return [block]
    parts = [_part(block, group) for group in groups]
    names = [_names_in(part) for part in parts]
    if not all(names):
        return [block]
    same = len(set(names)) < len(names)
    heights = {(part[0].line, part[-1].line) for part in parts}
    return parts if same or len(heights) == len(parts) or len({lines[0] for lines in heights}) > 1 else [block]


def _part(block: list[Row], columns: list[int]) -> list[Row]:
    last = columns[-1] + 1
    return [
        replace(row, cells=("",) * columns[0] + row.cells[columns[0] : last])
        for row in block
        if any(row.cells[columns[0] : last])
    ]


def _names_in(part: list[Row]) -> tuple[str, ...]:
    """The names of the columns of a part, or nothing where it is no table."""
    for place, row in enumerate(part[:_MOST_TITLES]):
        if names_columns(row.cells, [below.cells for below in part[place + 1 :]], _covered(row), 1):
            return tuple(cell for cell in row.cells if cell)
    return ()


def _write_block(builder: TextBuilder, block: list[Row], before: _Shape | None) -> _Shape | None:
    columns = sorted({column for row in block for column in row.filled})
    if len(columns) < 2:
        builder.separate("\n\n")
        for number, row in enumerate(block):
            _write_line(builder, row, columns, first=number == 0)
        return None
    titles = _titles(block, columns)
    for row in block[:titles]:
        builder.separate("\n\n")
        _write_line(builder, row, columns, first=True)
    table = block[titles:]
    columns = sorted({column for row in table for column in row.filled})
    if not titles and before is not None and _goes_on(before, table, columns):
        builder.separate("\n")
        _write_table(builder, table, before.columns, 0)
        return before
    builder.separate("\n\n")
    header = _header_rows(table, columns)
    _write_table(builder, table, columns, header)
    return _Shape(columns, table[0] if header else None, table[min(header, len(table) - 1)])


def _titles(block: list[Row], columns: list[int]) -> int:
    """Return how many rows above the table are its title: rows of one cell, or sparse ones (`单位：万元`, a date) above a header."""
    for place, row in enumerate(block[:_MOST_TITLES]):
        if _names_the_columns(block, place, columns):
            return place
        sparse = 2 * (len(row.filled) + len(row.covered)) < len(columns)
        if len(row.filled) > 1 and not (
            sparse or _is_spread(row) or all(is_labelled(row.cells[c]) for c in row.filled)
        ):
            break
    titles = 0
    while titles < len(block) - 1 and len(block[titles].filled) == 1 and titles < _MOST_TITLES - 1:
        titles += 1
    return 0 if len(block[titles].filled) == 1 else titles  # labels in one column are no title


def _is_spread(row: Row) -> bool:
    """Long cells over several columns each: a line of remarks, no line of values."""
    return len(row.covered) > len(row.filled) and not all(looks_like_value(cell) for cell in row.cells if cell)


def _names_the_columns(block: list[Row], place: int, columns: list[int]) -> bool:
    row, below = block[place], block[place + 1 : place + 6]
    return names_columns(_cells(row, columns), [_cells(other, columns) for other in below], _covered(row), len(columns))


def _covered(row: Row) -> tuple[int, ...]:
    """The columns that cells reach over; where they are not known, the empty ones behind the first filled one."""
    if row.covered or not row.joined or not row.filled:
        return row.covered
    return tuple(column for column in range(row.filled[0] + 1, len(row.cells)) if not row.cells[column])


def _cells(row: Row, columns: Sequence[int]) -> list[str]:
    return [row.cells[column] if column < len(row.cells) else "" for column in columns]


def _header_rows(table: list[Row], columns: list[int]) -> int:
    rows = [_cells(row, columns) for row in table[:12]]
    joined = [[columns.index(c) for c in _covered(row) if c in columns] for row in table[:12]]
    return header_height(rows, joined, len(columns))


def _with_whole_names(builder: TextBuilder, rows: list[Row]) -> list[Row]:
    """Give the parts of joined cells in a header the names above them."""
    named = whole_names([row.cells for row in rows], [row.covered for row in rows])
    for row, cells in zip(rows, named, strict=True):
        builder.drop("merged cell", sum(map(visible, row.cells)) - sum(map(visible, cells)))
    return [replace(row, cells=tuple(cells)) for row, cells in zip(rows, named, strict=True)]


def _goes_on(before: _Shape, table: list[Row], columns: list[int]) -> bool:
    """A block continues the table before it: its columns are among that table's, and its first row is no header by its dress or its words."""
    if before.header is None or not set(columns) <= set(before.columns) or _names_values(table, columns):
        return False
    return before.header.style == before.first.style or table[0].style != before.header.style


def _names_values(table: list[Row], columns: list[int]) -> bool:
    """Whether the first row has a word for each column, all different, and one of them stands above nothing but amounts."""
    first, *below = [_cells(row, columns) for row in table]
    if not all(first) or len(set(first)) < len(first) or any(map(looks_like_value, first)):
        return False
    return any(
        cells and all(map(_is_amount, cells))
        for cells in ([c for c in cells if c] for cells in zip(*below, strict=True))
    )


def _write_table(builder: TextBuilder, table: list[Row], columns: list[int], header: int) -> None:
    start = builder.position
    if header > 1:
        table = [*_with_whole_names(builder, table[:header]), *table[header:]]
    spans = [_write_line(builder, row, columns, first=number == 0) for number, row in enumerate(table)]
    if (
        start
        and builder.marks
        and builder.marks[-1].kind == "row"
        and builder.marks[-1].span.end + 1 == start
        and not header
    ):
        _extend_table(builder, spans[-1].end)
    else:
        builder.mark("table", Span(start, spans[-1].end))
    if header:
        builder.mark("header", Span(spans[0].start, spans[header - 1].end))
    for span in spans[header:]:
        builder.mark("row", span)


def _extend_table(builder: TextBuilder, end: int) -> None:
    for place in range(len(builder.marks) - 1, -1, -1):
        mark = builder.marks[place]
        if mark.kind == "table":
            builder.marks[place] = type(mark)("table", Span(mark.span.start, end), mark.level, mark.label)
            return


def _write_line(builder: TextBuilder, row: Row, columns: list[int], *, first: bool) -> Span:
    if not first:
        builder.write("\n")
    builder.anchor(row.line)
    cells = row.cells
    return builder.write("\t".join(cells[column] if column < len(cells) else "" for column in columns).rstrip("\t"))
