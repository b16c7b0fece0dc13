"""What XLSX and ODS have in common beyond rows: a sheet's name as heading, notes and shapes behind its rows, what is hidden named in warnings.

Hidden sheets are left out: nobody who opens the file sees them. Hidden (filtered) rows and hidden columns are kept, as data that a filter takes
away for a moment is still data, and counted in a warning. Notes of cells explain the figures and are kept behind the sheet with the cell that
they belong to; threads of comments are talk about the file and left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from yinju.errors import DocumentError
from yinju.load.builder import TextBuilder
from yinju.load.clean import clean
from yinju.load.office.rows import Row, write_rows
from yinju.messages import say

_DEFAULT_NAME = re.compile(r"(sheet|工作表|表|tabelle|feuille|hoja)\s*\d*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Aside:
    """A note of a cell, or a text in a shape (`place` empty)."""

    line: int
    place: str
    text: str


class SheetWriter:
    """Writes the sheets of one workbook. `hidden` are the names of sheets that are left out."""

    def __init__(self, builder: TextBuilder, sheets: int) -> None:
        self.builder = builder
        self.many = sheets > 1
        self.hidden: list[str] = []
        self.hidden_rows = 0
        self.hidden_columns: list[str] = []

    def write(self, name: str, rows: Iterator[Row]) -> None:
        """Write the sheet's name as a heading, then its rows; an empty sheet leaves nothing."""
        first = next(rows, None)
        if first is None:
            return
        self.builder.separate("\n\n")
        if self.many or not _DEFAULT_NAME.fullmatch(name):
            self.builder.anchor(first.line)
            label = " ".join(self.builder.added("sheet name", clean(name).text).split())
            self.builder.mark("heading", self.builder.write(label), 1, label)
        write_rows(self.builder, _chain(first, rows))

    def asides(self, asides: Iterable[Aside]) -> None:
        """Write notes and texts of shapes behind the rows of their sheet."""
        for aside in asides:
            self.builder.separate("\n\n")
            self.builder.anchor(aside.line)
            place = self.builder.added("place of a note", f"[{aside.place}]") + " " if aside.place else ""
            self.builder.write(place + aside.text)

    def warnings(self) -> tuple[str, ...]:
        """Return what a reader of the receipt should know of hidden parts."""
        found = [f"hidden-sheets: {', '.join(self.hidden)}"] if self.hidden else []
        if self.hidden_rows:
            found.append(f"hidden-rows: {self.hidden_rows}")
        if self.hidden_columns:
            found.append(f"hidden-columns: {', '.join(self.hidden_columns[:20])}")
        return tuple(found)

    def nothing(self) -> DocumentError:
        """Return the error for a workbook without text."""
        if self.hidden:
            return DocumentError(
                say("all sheets with text are hidden", "有内容的工作表都被隐藏"),
                say("show the sheets and save the file again", "请取消隐藏后重新保存"),
                code="no-text",
            )
        return DocumentError(
            say("no cell holds anything", "没有任何单元格有内容"),
            say("charts and pictures are not read", "图表和图片不会被读取"),
            code="no-text",
        )


def column_letters(column: int) -> str:
    """Return the name of a column, counted from 0: `A`, `Z`, `AA`."""
    letters = ""
    column += 1
    while column:
        column, place = divmod(column - 1, 26)
        letters = chr(65 + place) + letters
    return letters


def _chain(first: Row, rest: Iterator[Row]) -> Iterator[Row]:
    yield first
    yield from rest
