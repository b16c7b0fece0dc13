"""Tables of a page: rows on a grid on which a value stands once, titles over the table apart from its header; tables for layout are none."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from yinju.load.builder import TextBuilder
from yinju.load.office.package import beyond_limit
from yinju.load.office.rows import looks_like_value
from yinju.types import Span

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

    from yinju.load.web.measure import Size

_WIDEST = 1000  # columns of one cell
_LONGEST_NAME = 40  # characters of a column's name
_LONG_CELL, _FEW_CELLS = 600, 12  # a few cells of running text are a layout


@dataclass(slots=True)
class _Row:
    cells: list[str] = field(default_factory=list)
    heads: int = 0  # cells that are `th`
    in_head: bool = False
    widest: int = 1  # columns of the widest cell

    @property
    def filled(self) -> int:
        return sum(map(bool, self.cells))


class Grid:
    """The rows of one table while it is read."""

    def __init__(self, cells_left: int) -> None:
        self.rows: list[_Row] = []
        self.row: _Row | None = None
        self.in_cell = False
        self.in_head = False
        self.cells_left = cells_left
        self._below: dict[int, int] = {}  # column -> rows that a cell above still takes
        self._place = 0

    def begin_row(self) -> None:
        """Begin a row."""
        self.row = _Row(in_head=self.in_head)

    def begin_cell(self, node: LexborNode, head: bool) -> None:
        """Open a cell. Below a cell that spans rows, and right of one that spans columns, empty cells keep the columns apart.

        Raises DocumentError with code `limit`.
        """
        if self.row is None:
            self.begin_row()
        row = self.row
        assert row is not None
        self._fill(row)
        wide, deep = _number(node, "colspan"), _number(node, "rowspan")
        self._place = len(row.cells)
        row.cells += [""] * wide
        row.heads += head
        row.widest = max(row.widest, wide)
        self.in_cell = True
        if deep > 1:
            self._below.update(dict.fromkeys(range(self._place, self._place + wide), deep - 1))
        self.cells_left -= wide
        if self.cells_left < 0:
            raise beyond_limit("too many table cells", "表格单元格过多")

    def end_cell(self, text: str) -> None:
        """Close the cell with its text; a tab or line end in it is a space."""
        if self.row is not None and self.in_cell:
            self.row.cells[self._place] = " ".join(text.split())
        self.in_cell = False

    def end_row(self) -> None:
        """Close the row and keep it where it says anything."""
        if self.row is not None:
            self._fill(self.row)
            if self.row.filled:
                self.rows.append(self.row)
            self.row = None

    def _fill(self, row: _Row) -> None:
        while self._below.get(len(row.cells), 0) > 0:
            self._below[len(row.cells)] -= 1
            row.cells.append("")

    def write(self, builder: TextBuilder, before: str) -> int | None:
        """Write the rows behind the separator `before`; rows of one title over all columns come first, apart.

        Returns where the text begins, None where there is none.
        """
        rows = self.rows
        if not rows:
            return None
        builder.separate(before)
        begin = builder.position
        used = sorted({place for row in rows for place, cell in enumerate(row.cells) if cell})
        if len(used) == 1:
            _write_lines(builder, [row.cells[used[0]] for row in rows if len(row.cells) > used[0]])
            return begin
        titles = 0
        while titles < len(rows) - 1 and _is_title(rows[titles], len(used)):
            titles += 1
        if titles:
            builder.write("\n".join(next(cell for cell in row.cells if cell) for row in rows[:titles]) + "\n")
        rows = rows[titles:]
        start = builder.position
        spans: list[Span] = []
        for row in rows:
            if spans:
                builder.write("\n")
            cells = [row.cells[place] if place < len(row.cells) else "" for place in used]
            spans.append(builder.write("\t".join(cells).rstrip("\t")))
        builder.mark("table", Span(start, builder.position))
        head = _header(rows, len(used))
        if head:
            builder.mark("header", Span(start, spans[head - 1].end))
        for span in spans[head:]:
            builder.mark("row", span)
        return begin


def is_data(table: LexborNode, sizes: dict[int, Size]) -> bool:
    """Say whether a table holds data; one that holds tables, headings or code of its own, or a few long texts, is a page's layout."""
    if table.attributes.get("role") in ("presentation", "none"):
        return False
    if len(table.css("table")) > 1 or table.css_first("h1, h2, h3, pre") is not None:
        return False
    if table.css_first("td + td, th + td, td + th, th + th") is None:
        return False  # one column
    cells = table.css("td")
    if len(cells) > _FEW_CELLS or table.css_first("th, caption, thead") is not None:
        return True
    return not any(sizes[cell.mem_id].text > _LONG_CELL for cell in cells if cell.mem_id in sizes)


def _write_lines(builder: TextBuilder, lines: list[str]) -> None:
    """A table of one column is a list of lines."""
    builder.write("\n".join(line for line in lines if line))


def _is_title(row: _Row, columns: int) -> bool:
    return row.filled == 1 and not row.in_head and columns > 1 and (row.widest >= columns or len(row.cells) == 1)


def _header(rows: list[_Row], columns: int) -> int:
    """Return how many rows are the header: those of `thead`, else the first ones that are all `th`, else a first row of names."""
    for heads in ([row.in_head for row in rows], [1 < row.filled <= row.heads for row in rows]):
        head = heads.index(False) if False in heads else len(heads) - 1
        if head:
            return head
    first = rows[0].cells
    names = [cell for cell in first if cell]
    if len(rows) < 2 or len(names) < max(2, columns - 1) or len(set(names)) < len(names) or rows[0].heads:
        return 0
    if any(looks_like_value(name) or len(name) > _LONGEST_NAME or name.endswith((":", "：")) for name in names):
        return 0
    values = any(looks_like_value(cell) for row in rows[1:6] for cell in row.cells[1:])
    return 1 if values or (len(rows) > 2 and columns > 2) else 0


def _number(node: LexborNode, attribute: str) -> int:
    value = re.sub(r"\s", "", node.attributes.get(attribute) or "")
    return min(max(int(value), 1), _WIDEST) if value.isascii() and value.isdigit() and len(value) < 6 else 1
