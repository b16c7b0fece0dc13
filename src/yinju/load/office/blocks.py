"""Paragraphs, headings, list items and tables, written one way for all Office formats: see `types.Document` for the shape of the text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from yinju.load.builder import TextBuilder
from yinju.load.office.headers import header_height, whole_names
from yinju.load.parsed import visible
from yinju.types import Span

_DEEPEST_INDENT = 8


@dataclass(frozen=True, slots=True)
class TableRow:
    """The cells of a row from the first column on, merged ones once.

    `repeated`: the file itself calls this row a header. `joined`: the columns that a cell to their left reaches over.
    """

    cells: Sequence[str]
    repeated: bool = False
    joined: Sequence[int] = ()


class Blocks:
    """Writes blocks one after the other; neighbouring list items become one list."""

    def __init__(self, builder: TextBuilder) -> None:
        self.builder = builder
        self._list_start: int | None = None

    def block(self, text: str) -> Span:
        """Write a paragraph."""
        self.end_list()
        self.builder.separate("\n\n")
        return self.builder.write(text)

    def heading(self, text: str, level: int, marker: str = "") -> None:
        """Write a heading, with its number where it has one."""
        label = " ".join(text.split())
        if marker:
            label = self.builder.added("list number", marker) + " " + label
        self.builder.mark("heading", self.block(label), level, label)

    def item(self, text: str, level: int, marker: str) -> None:
        """Write a list item behind its number or bullet; `level` counts from 0."""
        self.builder.separate("\n\n" if self._list_start is None else "\n")
        if self._list_start is None:
            self._list_start = self.builder.position
        lead = self.builder.added("list number", marker) + " " if marker else "  "
        self.builder.write("  " * min(level, _DEEPEST_INDENT) + lead + text)

    def end_list(self) -> None:
        """Close the list that is open, if one is."""
        if self._list_start is not None:
            self.builder.mark("list", Span(self._list_start, self.builder.position))
            self._list_start = None

    def table(self, rows: Sequence[TableRow]) -> None:
        """Write the rows that hold something, without the columns that are empty throughout; a title in the first rows stands above."""
        self.end_list()
        rows = [row for row in rows if any(row.cells)]
        if not rows:
            return
        columns = sorted({column for row in rows for column, cell in enumerate(row.cells) if cell})
        rows = [_narrowed(row, columns) for row in rows]
        titles = _titles(rows)
        for row in rows[:titles]:
            self.block("".join(row.cells))
        self._table(rows[titles:])

    def _table(self, rows: Sequence[TableRow]) -> None:
        header = _header_rows(rows)
        names = whole_names([row.cells for row in rows[:header]], [row.joined for row in rows[:header]])
        for place, whole in enumerate(names):
            self.builder.drop("merged cell", sum(map(visible, rows[place].cells)) - sum(map(visible, whole)))
        lines = [*names, *(row.cells for row in rows[header:])] if header else [_without_gaps(row) for row in rows]
        self.builder.separate("\n\n")
        start = self.builder.position
        spans: list[Span] = []
        for cells in lines:
            if spans:
                self.builder.write("\n")
            spans.append(self.builder.write("\t".join(cells).rstrip("\t")))
        self.builder.mark("table", Span(start, self.builder.position))
        if header:
            self.builder.mark("header", Span(start, spans[header - 1].end))
        for span in spans[header:]:
            self.builder.mark("row", span)


def _titles(rows: Sequence[TableRow]) -> int:
    """Return how many first rows are one cell over the whole width above rows that name the columns."""
    titles = 0
    while titles < min(3, len(rows) - 2) and sum(map(bool, rows[titles].cells)) == 1 and rows[titles].joined:
        titles += 1
    return titles if titles and _header_rows(rows[titles:]) else 0


def _without_gaps(row: TableRow) -> list[str]:
    """The cells of a form: without names of columns there is nothing to align them with."""
    return [cell for place, cell in enumerate(row.cells) if place not in row.joined]


def _narrowed(row: TableRow, columns: Sequence[int]) -> TableRow:
    """Return the row with these columns only."""
    cells = [row.cells[column] if column < len(row.cells) else "" for column in columns]
    return TableRow(cells, row.repeated, [place for place, column in enumerate(columns) if column in row.joined])


def _header_rows(rows: Sequence[TableRow]) -> int:
    """Return how many rows are the header: those that the file says are, else those that name the columns."""
    repeated = 0
    while repeated < len(rows) - 1 and rows[repeated].repeated:
        repeated += 1
    return max(repeated, header_height([row.cells for row in rows], [row.joined for row in rows]))
