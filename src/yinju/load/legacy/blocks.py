"""Blocks as the formats before XML have them: like those of Office, but what a stray style calls a heading or a table may be none."""

from __future__ import annotations

from collections.abc import Sequence

from yinju.load.builder import TextBuilder
from yinju.load.office.blocks import Blocks as OfficeBlocks
from yinju.load.office.blocks import TableRow

__all__ = ["LONGEST_HEADING", "Blocks", "TableRow", "one_line"]
LONGEST_HEADING = 200  # characters


class Blocks(OfficeBlocks):
    """Writes blocks into a builder of its own; empty ones leave nothing."""

    def __init__(self) -> None:
        super().__init__(TextBuilder())

    def paragraph(self, text: str) -> None:
        """Write a paragraph."""
        if text:
            self.block(text)

    def heading(self, text: str, level: int, marker: str = "") -> None:
        """Write a heading, or a paragraph where it is too long for one."""
        label = one_line(text)
        if len(label) > LONGEST_HEADING:
            self.paragraph(f"{self.builder.added('list number', marker)} {label}" if marker else label)
        elif label:
            super().heading(label, level, marker)

    def table(self, rows: Sequence[TableRow]) -> None:
        """Write a table. One of a single filled cell is a box around a paragraph."""
        filled = [cell for row in rows for cell in row.cells if cell]
        if len(filled) == 1:
            self.paragraph(filled[0])
        else:
            super().table(rows)


def one_line(text: str) -> str:
    """Return the text in one line, as a cell of a table needs it."""
    return " ".join(text.split())
