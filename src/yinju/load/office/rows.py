"""Rows of cells to text: title rows, header, one line a row, cells separated by tabs. One way for XLSX and CSV.

A sheet is cut at its empty rows into blocks. The rows above a table with a single cell are its title, not its header; a block
that has the columns of the table before it goes on with that table. Columns that are empty in a block are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from yinju.load.builder import TextBuilder
from yinju.types import Span

_NUMERIC = re.compile(
    r"[-+(]?[$¥€£￥]?\s?[-+]?[\d,.]*\d[\d,.]*\s?%?\)?([eE][-+]?\d+)?(\s?[a-zA-Z元万亿个天年月日号次人]{1,2})?"
)
_DATE = re.compile(r"\d{2,4}[-/.年]\d{1,2}[-/.月]\d{1,4}日?([ T]\d{1,2}:\d{2}(:\d{2})?)?|\d{1,2}:\d{2}(:\d{2})?")
_LONGEST_NAME = 60  # characters of a column's name


@dataclass(frozen=True, slots=True)
class Row:
    """A row with its line in the file, its cells from the first column on, and the style of its first filled cell (0: none known)."""

    line: int
    cells: tuple[str, ...]
    style: int = 0
    joined: bool = False  # has cells merged across columns

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


def looks_like_value(cell: str) -> bool:
    """Return whether the cell is a number, an amount or a date rather than a name."""
    return bool(_NUMERIC.fullmatch(cell) or _DATE.fullmatch(cell))


def looks_like_header(row: Row, below: Sequence[Row], columns: int) -> bool:
    """Return whether the row names the columns of the rows below it: short, different texts for at least half of the columns."""
    cells = [cell for cell in row.cells if cell]
    if len(cells) < 2 or not below or 2 * len(cells) < columns:
        return False
    if any(looks_like_value(cell) or len(cell) > _LONGEST_NAME for cell in cells):
        return False
    return len(set(cells)) == len(cells) or row.joined


def write_rows(builder: TextBuilder, rows: Iterable[Row], *, split: bool = True) -> None:
    """Write the rows; with `split` empty rows end a table (sheets), without it they are ignored (CSV)."""
    before: _Shape | None = None
    for block in _blocks(rows, split):
        before = _write_block(builder, block, before)


def _blocks(rows: Iterable[Row], split: bool) -> Iterator[list[Row]]:
    block: list[Row] = []
    for row in rows:
        if any(row.cells):
            gap = block and row.line > block[-1].line + 1
            if split and gap:
                yield block
                block = []
            block.append(row)
    if block:
        yield block


def _write_block(builder: TextBuilder, block: list[Row], before: _Shape | None) -> _Shape | None:
    columns = sorted({column for row in block for column in row.filled})
    if len(columns) < 2:
        builder.separate("\n\n")
        for number, row in enumerate(block):
            _write_line(builder, row, columns, first=number == 0)
        return None
    titles = 0
    while titles < len(block) - 1 and len(block[titles].filled) == 1 and titles < 5:
        titles += 1
    if len(block[titles].filled) == 1:  # labels in one column, no title
        titles = 0
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
    header = _header_rows(table, len(columns))
    _write_table(builder, table, columns, header)
    return _Shape(columns, table[0] if header else None, table[min(header, len(table) - 1)])


def _header_rows(table: list[Row], columns: int) -> int:
    if not looks_like_header(table[0], table[1:], columns):
        return 0
    second_is_header = (
        table[0].joined
        and len(table) > 2
        and not any(looks_like_value(cell) for cell in table[1].cells if cell)
        and any(looks_like_value(cell) for row in table[2:6] for cell in row.cells if cell)
    )
    return 2 if second_is_header else 1


def _goes_on(before: _Shape, table: list[Row], columns: list[int]) -> bool:
    """A block continues the table before it: its columns are among that table's, and its first row is not dressed as a header."""
    if before.header is None or not set(columns) <= set(before.columns):
        return False
    return before.header.style == before.first.style or table[0].style != before.header.style


def _write_table(builder: TextBuilder, table: list[Row], columns: list[int], header: int) -> None:
    start = builder.position
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
