"""ODS to a document: each row one line of its cells as displayed, its number that of the sheet, as XLSX is read.

Sheets are streamed. A million empty rows or columns are one element that says how often it repeats, and cost nothing; what repeats and holds
something is written so often, within the limit of cells.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from yinju.load.builder import TextBuilder
from yinju.load.clean import clean
from yinju.load.office.elements import attribute, local
from yinju.load.office.merged import Merges
from yinju.load.office.odf_inline import DRAWN, OdfInline
from yinju.load.office.odf_package import Odf, inside, open_odf, qualified, repeated
from yinju.load.office.odf_styles import Styles
from yinju.load.office.package import beyond_limit, broken_xml, damaged
from yinju.load.office.rows import Row
from yinju.load.office.sheet_blocks import Aside, SheetWriter, column_letters
from yinju.load.parsed import Limits, Parsed, visible
from yinju.messages import say

_LAST_COLUMN = 16_384
_LAST_ROW = 1_048_576
_TABLE = re.compile(rb"<(?:[\w.-]+:)?table\s[^<>]*?:name=")
_PARAGRAPH = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}p"
_CELL = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}table-cell"
_BLOCK = 1 << 20
_OVERLAP = 1000  # bytes
_VALUES = ("string-value", "date-value", "time-value", "boolean-value", "value", "formula")
_EVENTS = ("table", "table-row", "table-column", "shapes", "tracked-changes", "style", "body", "meta")


def load_ods(data: bytes, source: str, limits: Limits) -> Parsed:
    """Return the cells of an OpenDocument spreadsheet. Raises DocumentError: damaged, encrypted, limit, no-text, unsafe-xml."""
    builder = TextBuilder()
    with open_odf(data, limits) as odf:
        with odf.content() as stream:
            writer = SheetWriter(builder, _tables(stream))
        reader = _Reader(odf, builder, writer, limits)
        reader.read()
        title, metadata = odf.properties(reader.meta)
    if not builder.position:
        raise writer.nothing()
    comments = (f"comments-left-out: {builder.account['comment']}",) if builder.account["comment"] else ()
    return Parsed(
        text=builder.text(),
        marks=builder.sorted_marks(),
        anchors=tuple(builder.anchors),
        title=title,
        metadata=metadata,
        dropped=builder.dropped(),
        images=reader.inline.images,
        warnings=writer.warnings() + comments + builder.warnings(),
        preset="table",
    )


def _tables(stream: Any) -> int:
    """Count the sheets: whether a sheet without a name of its own is named depends on there being others."""
    found, rest = 0, b""
    while block := stream.read(_BLOCK):
        found += len(_TABLE.findall(rest + block))
        rest = (rest + block)[-_OVERLAP:]
        found -= len(_TABLE.findall(rest))
    return found + len(_TABLE.findall(rest))


class _Reader:
    """Reads the content once, from top to bottom."""

    def __init__(self, odf: Odf, builder: TextBuilder, writer: SheetWriter, limits: Limits) -> None:
        self.odf = odf
        self.builder = builder
        self.writer = writer
        self.limits = limits
        self.styles = Styles()
        self.inline = OdfInline(builder, odf, self.styles.raised)
        self.styles.read(odf.part("styles.xml"))
        self.meta: Any = None  # what holds the properties of a flat file
        self.cells = 0
        self.line = 0
        self.columns = 0
        self.hidden_columns: set[int] = set()
        self.asides: list[Aside] = []
        self._in_body = False
        self._style_numbers: dict[str, int] = {}
        self._events: Iterator[tuple[str, Any]] = iter(())

    def read(self) -> None:
        """Write all sheets. Raises DocumentError."""
        from lxml import etree

        try:
            with self.odf.content() as stream:
                self._events = iter(
                    etree.iterparse(
                        stream,
                        events=("start", "end"),
                        tag=tuple("{*}" + name for name in _EVENTS),
                        resolve_entities=False,
                        no_network=True,
                        load_dtd=False,
                        remove_comments=True,
                        remove_pis=True,
                    )
                )
                for event, element in self._events:
                    self._outside(event, element)
        except etree.XMLSyntaxError as error:
            raise broken_xml(error, "content.xml") from error

    def _outside(self, event: str, element: Any) -> None:
        kind = qualified(element)
        if event == "start" and kind == "office:body":
            self._in_body = True
        elif event == "start" and kind == "table:table" and self._in_body:
            self._sheet(element)
        elif event == "end" and kind == "style:style":
            self.styles.add(element)
        elif event == "end" and kind == "office:meta":
            self.meta = element.getparent()
        elif event == "end" and kind == "table:tracked-changes":
            self._leave_out(element, "deleted text")
        elif event == "end" and kind == "office:body":
            self._leave_out(element, "settings")

    def _sheet(self, table: Any) -> None:
        name = " ".join(clean(attribute(table, "name")).text.split())
        self.asides, self.hidden_columns, self.columns, self.line = [], set(), 0, 0
        if ("table", attribute(table, "style-name")) in self.styles.hidden:
            self.writer.hidden.append(name)
            for element in self._inside(table):
                self._leave_out(element, "hidden sheet")
        else:
            self.writer.write(name, self._rows(table))
            self.writer.asides(self.asides)
        self._leave_out(table, "text outside of paragraphs")

    def _inside(self, table: Any) -> Iterator[Any]:
        """Yield the elements that end inside the table; what was read before an element is forgotten when the next one comes."""
        for event, element in self._events:
            if element is table:
                return
            if event == "end":
                yield element
                while (before := element.getprevious()) is not None:
                    self.builder.drop("text outside of paragraphs", inside(before) + visible(before.tail or ""))
                    element.getparent().remove(before)

    def _leave_out(self, element: Any, what: str) -> None:
        self.builder.drop(what, inside(element))
        element.clear(keep_tail=True)

    def _rows(self, table: Any) -> Iterator[Row]:
        merges = Merges(self.builder)
        used: set[int] = set()
        for element in self._inside(table):
            name = local(element)
            if name == "table-column":
                self._column(element)
            elif name == "table-row":
                for row in self._row(element, merges):
                    used.update(self.hidden_columns.intersection(row.filled) if self.hidden_columns else ())
                    yield row
            elif name == "shapes":
                for shape in element:
                    self._shape(shape)
                element.clear(keep_tail=True)
        self.writer.hidden_columns += [column_letters(column) for column in sorted(used)]

    def _column(self, element: Any) -> None:
        times = min(repeated(element, "number-columns-repeated"), _LAST_COLUMN)
        if attribute(element, "visibility") in ("collapse", "filter"):
            self.hidden_columns.update(range(self.columns, min(self.columns + times, _LAST_COLUMN)))
        self.columns += times

    def _row(self, row: Any, merges: Merges) -> Iterator[Row]:
        times = repeated(row, "number-rows-repeated")
        first = self.line + 1
        self.line += times
        if self.line > _LAST_ROW + 10_000_000:
            raise damaged(say("a row beyond the last row", "单元格超出最后一行"))
        cells: list[str] = []
        covered: list[int] = []
        style, column = 0, 0
        for cell in row:
            count = repeated(cell, "number-columns-repeated")
            text = self._text(cell, column, first)
            if text:
                self._count(column + count, count * times)
                style = style or self._style(cell)
                cells += [""] * (column - len(cells)) + [text] * count
                if count > 1:
                    self.builder.added("repeated cell", text * (count - 1))
                merges.begin(first, column, first + repeated(cell, "number-rows-spanned") - 1, text)
                end = min(column + repeated(cell, "number-columns-spanned"), _LAST_COLUMN)
                covered += range(max(column + 1, covered[-1] + 1 if covered else 0), end)
            column += count
            if cell.tail:
                self.builder.drop("text outside of paragraphs", cell.tail)
        self.builder.drop("text outside of paragraphs", row.text or "")
        hidden = attribute(row, "visibility") in ("collapse", "filter")
        row.clear(keep_tail=True)
        if cells:
            self.writer.hidden_rows += times if hidden else 0
            merges.fill(first, cells)
            found = Row(first, tuple(cells), style, bool(covered), tuple(covered))
            yield found
            for further in range(1, times):
                self.builder.added("repeated row", "".join(cells))
                yield replace(found, line=first + further)

    def _count(self, columns: int, cells: int) -> None:
        if columns > _LAST_COLUMN:
            raise damaged(say("a cell beyond the last column", "单元格超出最后一列"))
        self.cells += cells
        if self.cells > self.limits.cells:
            raise beyond_limit("more than 2 million cells", "单元格超过 200 万个")

    def _style(self, cell: Any) -> int:
        return self._style_numbers.setdefault(attribute(cell, "style-name"), len(self._style_numbers) + 1)

    def _text(self, cell: Any, column: int, line: int) -> str:
        """Return what the cell shows; its note and the shapes in it wait in `asides`."""
        if len(cell) == 1 and cell[0].tag == _PARAGRAPH and not len(cell[0]) and cell.tag == _CELL:  # most cells
            if cell.text or cell[0].tail:
                self.builder.drop("text outside of paragraphs", (cell.text or "") + (cell[0].tail or ""))
            return " ".join(self.builder.clean(cell[0].text or "").split())
        texts: list[str] = []
        written = False
        self.builder.drop("text outside of paragraphs", cell.text or "")
        for child in cell:
            kind = qualified(child)
            if kind == "text:p":
                written = True
                texts.append(self.inline.text(child))
            elif kind == "office:annotation":
                self._note(child, Aside(line, f"{column_letters(column)}{line}", ""))
            elif local(child) in DRAWN:
                self._shape(child)
            else:
                self.builder.drop("settings", inside(child))
            self.builder.drop("text outside of paragraphs", child.tail or "")
        for box in self.inline.boxes:
            self._shape(box)
        self.inline.boxes = []
        text = " ".join(" ".join(texts).split())
        if qualified(cell) == "table:covered-table-cell":
            self.builder.drop("text under a merged cell", text)
            return ""
        if not written:
            value = next((found for name in _VALUES if (found := attribute(cell, name))), "")
            return self.builder.added("value without text", " ".join(clean(value).text.split()))
        return text

    def _note(self, note: Any, aside: Aside) -> None:
        texts: list[str] = []
        self.builder.drop("text outside of paragraphs", note.text or "")
        for child in note:
            if qualified(child) in ("text:p", "text:list"):
                texts += self.inline.lines(child) if local(child) == "list" else [self.inline.text(child)]
            else:
                self.builder.drop("author and date of a note", inside(child))
            self.builder.drop("text outside of paragraphs", child.tail or "")
        if text := " ".join(" ".join(texts).split()):
            self.asides.append(replace(aside, text=text))

    def _shape(self, shape: Any) -> None:
        if not self.inline.is_object(shape) and (text := "\n".join(self.inline.lines(shape))):
            self.asides.append(Aside(self.line, "", text))
