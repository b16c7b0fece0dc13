"""Paragraphs, headings, list items and tables, written one way for all Office formats: see `types.Document` for the shape of the text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from yinju.load.builder import TextBuilder
from yinju.load.office.rows import looks_like_value
from yinju.types import Span

_LONGEST_NAME = 60  # characters of a column's name
_DEEPEST_INDENT = 8


@dataclass(frozen=True, slots=True)
class TableRow:
    """The cells of a row from the first column on, merged ones once; `repeated`: the file itself calls this row a header."""

    cells: Sequence[str]
    repeated: bool = False


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
        self.builder.write("  " * min(level, _DEEPEST_INDENT) + self.builder.added("list number", marker) + " " + text)

    def end_list(self) -> None:
        """Close the list that is open, if one is."""
        if self._list_start is not None:
            self.builder.mark("list", Span(self._list_start, self.builder.position))
            self._list_start = None

    def table(self, rows: Sequence[TableRow]) -> None:
        """Write the rows that hold something, without the columns that are empty throughout."""
        self.end_list()
        rows = [row for row in rows if any(row.cells)]
        if not rows:
            return
        columns = sorted({column for row in rows for column, cell in enumerate(row.cells) if cell})
        rows = [TableRow([row.cells[c] if c < len(row.cells) else "" for c in columns], row.repeated) for row in rows]
        self.builder.separate("\n\n")
        start = self.builder.position
        spans: list[Span] = []
        for row in rows:
            if spans:
                self.builder.write("\n")
            spans.append(self.builder.write("\t".join(row.cells).rstrip("\t")))
        self.builder.mark("table", Span(start, self.builder.position))
        header = header_rows(rows)
        if header:
            self.builder.mark("header", Span(start, spans[header - 1].end))
        for span in spans[header:]:
            self.builder.mark("row", span)


def header_rows(rows: Sequence[TableRow]) -> int:
    """Return how many rows are the header: those that the file says are, else a first row of names."""
    repeated = 0
    while repeated < len(rows) - 1 and rows[repeated].repeated:
        repeated += 1
    if repeated:
        return repeated
    first = [cell for cell in rows[0].cells if cell]
    named = len(rows) > 1 and len(first) > 1 and len(first) == len(set(first)) and 2 * len(first) > len(rows[0].cells)
    return 1 if named and not any(looks_like_value(cell) or len(cell) > _LONGEST_NAME for cell in first) else 0
