"""Cells merged over several rows: a category that stands once on the screen holds for each of the rows beside it, so each is given it.

Only rows that hold something of their own are: a value merged over a whole block stands once. Long texts (remarks beside a table) stand once too.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from yinju.load.builder import TextBuilder

LONGEST_CATEGORY = 100  # characters; longer ones are remarks


@dataclass(slots=True)
class Merges:
    """The merged ranges of one sheet, and the categories that hold at the row that is being read. Columns count from 0."""

    builder: TextBuilder
    _open: dict[int, tuple[int, str]] = field(default_factory=dict)  # column -> last row, category

    def begin(self, line: int, column: int, last_line: int, text: str) -> None:
        """A range begins at this cell and reaches down to `last_line`."""
        if last_line > line and text and len(text) <= LONGEST_CATEGORY:
            self._open[column] = (last_line, text)

    def fill(self, line: int, cells: list[str]) -> None:
        """Write the categories that hold into the empty cells of a row; a row without anything of its own is left empty."""
        if not self._open or not any(cells):
            return
        for column, (last, text) in list(self._open.items()):
            if line > last:
                del self._open[column]
            else:
                cells += [""] * (column + 1 - len(cells))
                if not cells[column]:
                    cells[column] = self.builder.added("merged cell", text)
