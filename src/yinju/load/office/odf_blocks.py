"""The blocks of OpenDocument text, wherever they stand (a text, a shape of a slide): headings, paragraphs, lists, tables, notes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from yinju.load.office.blocks import Blocks, TableRow
from yinju.load.office.elements import attribute, local, number
from yinju.load.office.odf_inline import DRAWN, OdfInline
from yinju.load.office.odf_package import inside, qualified, repeated
from yinju.load.office.odf_styles import Counts, Level, Styles
from yinju.load.office.package import beyond_limit
from yinju.load.parsed import Limits

_LONGEST_HEADING = 200  # characters
LEFT_OUT = {
    "text:tracked-changes": "deleted text",
    "table:tracked-changes": "deleted text",
    "text:table-of-content": "table of contents",
    "text:illustration-index": "table of contents",
    "text:table-index": "table of contents",
    "text:object-index": "table of contents",
    "text:alphabetical-index": "table of contents",
    "text:user-index": "table of contents",
    "table:content-validations": "settings",
    "table:calculation-settings": "settings",
    "presentation:header-decl": "slide number, date or footer",
    "presentation:footer-decl": "slide number, date or footer",
    "presentation:date-time-decl": "slide number, date or footer",
}
_MOST_COLUMNS = 16_384


class OdfBlocks:
    """Walks blocks once and writes them."""

    def __init__(self, blocks: Blocks, inline: OdfInline, styles: Styles, limits: Limits) -> None:
        self.blocks = blocks
        self.inline = inline
        self.styles = styles
        self.limits = limits
        self.builder = blocks.builder
        self.cells = 0
        self._headings = Counts()
        self._counts: dict[str, Counts] = {}  # by list, and the last one of each list style
        self._boxes_within = 0

    def write(self, container: Any) -> None:
        """Write all blocks in this element."""
        self.builder.drop("text outside of paragraphs", container.text or "")
        for child in container:
            self.one(child)
            self.builder.drop("text outside of paragraphs", child.tail or "")
        self.blocks.end_list()

    def one(self, element: Any) -> None:
        """Write one block, and the frames and notes that are met in it."""
        self._one(element)
        self._waiting()

    def _one(self, element: Any) -> None:
        kind, name = qualified(element), local(element)
        if kind in ("text:p", "text:h"):
            self._paragraph(element)
        elif kind == "text:list":
            self._list(element)
        elif kind == "table:table":
            self.table(element)
        elif kind in LEFT_OUT:
            self.builder.drop(LEFT_OUT[kind], inside(element))
        elif name in DRAWN:
            formula = self.inline.formula(element)
            if formula:
                self.blocks.block(self.builder.added("formula", formula))
                self.builder.drop("alternative text of pictures and objects", inside(element))
            elif not self.inline.is_object(element):
                self.write(element)
        elif not self.inline.leave_out(element):
            self.write(element)

    def _paragraph(self, paragraph: Any, marker: str = "") -> None:
        text = self.inline.text(paragraph)
        if not text:
            return
        style = attribute(paragraph, "style-name")
        heading = local(paragraph) == "h"
        level = number(attribute(paragraph, "outline-level"), 1) if heading else self.styles.heading_level(style)
        if level and len(text) <= _LONGEST_HEADING:
            if heading and not marker and self.styles.outline and attribute(paragraph, "is-list-header") != "true":
                marker = self._headings.marker(self.styles.outline, level)
            self.blocks.heading(text, min(max(level, 1), 9), marker)
        else:
            self.blocks.block(text)

    def _list(self, element: Any, level: int = 1, above: tuple[dict[int, Level], Counts] | None = None) -> None:
        levels, counts = above or self._counting(element)
        own = attribute(element, "style-name")
        if above and own in self.styles.lists:
            levels = self.styles.lists[own]
        self.builder.drop("text outside of paragraphs", element.text or "")
        for item in element:
            self._item(item, level, levels, counts)
            self.builder.drop("text outside of paragraphs", item.tail or "")

    def _counting(self, element: Any) -> tuple[dict[int, Level], Counts]:
        """Return the levels of a list and its counter: a new one, unless the list says that it goes on with another."""
        style, before = attribute(element, "style-name"), attribute(element, "continue-list")
        counts = self._counts.get("#" + before) if before else None
        if counts is None and attribute(element, "continue-numbering") == "true":
            counts = self._counts.get(style)
        counts = counts or Counts()
        self._counts[style] = self._counts["#" + attribute(element, "id")] = counts
        return self.styles.lists.get(style, {}), counts

    def _item(self, item: Any, level: int, levels: dict[int, Level], counts: Counts) -> None:
        self.builder.drop("text outside of paragraphs", item.text or "")
        start = attribute(item, "start-value")
        first = local(item) != "list-header"
        for child in item:
            kind = qualified(child)
            if kind == "text:list":
                self._list(child, level + 1, (levels, counts))
            elif kind == "text:number":
                self.builder.drop("list number as stored", inside(child))
            elif kind == "text:h" or (kind == "text:p" and self.styles.heading_level(attribute(child, "style-name"))):
                self._paragraph(
                    child, counts.marker(levels, level, number(start, 1) if start else None) if first else ""
                )
                first = False
            elif kind == "text:p":
                text = " ".join(self.inline.text(child).split())
                if text:
                    marker = counts.marker(levels, level, number(start, 1) if start else None) if first else ""
                    first = False
                    self.blocks.item(text, level - 1, marker)
            else:
                self._one(child)
            if not kind.startswith("text:list"):
                self._waiting()
            self.builder.drop("text outside of paragraphs", child.tail or "")

    def _waiting(self) -> None:
        """Write the frames and notes that were met in the block before."""
        while self.inline.boxes or self.inline.notes:
            boxes, self.inline.boxes = self.inline.boxes, []
            notes, self.inline.notes = self.inline.notes, []
            for box in boxes:
                self.write(box)
            for place, note in notes:
                text = self.inline.flat(note)
                self.blocks.block(self.builder.added("note mark", f"[^{place}]:") + " " + text)

    def table(self, table: Any) -> None:
        """Write a table, merged cells once."""
        self.builder.drop("text outside of paragraphs", table.text or "")
        self.blocks.table(list(self._rows(table, header=False)))

    def _rows(self, container: Any, *, header: bool) -> Iterator[TableRow]:
        for child in container:
            kind = qualified(child)
            if kind == "table:table-row":
                yield from self._row(child, header=header)
            elif kind.startswith("table:table-") and kind.endswith(("rows", "row-group")):
                self.builder.drop("text outside of paragraphs", child.text or "")
                yield from self._rows(child, header=header or kind == "table:table-header-rows")
            elif not self.inline.leave_out(child):
                self.builder.drop(LEFT_OUT.get(kind, "text outside of paragraphs"), inside(child))
            self.builder.drop("text outside of paragraphs", child.tail or "")

    def _row(self, row: Any, *, header: bool) -> Iterator[TableRow]:
        cells: list[str] = []
        joined: list[int] = []
        self.builder.drop("text outside of paragraphs", row.text or "")
        for cell in row:
            text = self.inline.flat(cell)
            if local(cell) == "covered-table-cell":
                self.builder.drop("text under a merged cell", text)
                text = ""
            joined += range(len(cells) + 1, len(cells) + min(repeated(cell, "number-columns-spanned"), 64))
            times = min(repeated(cell, "number-columns-repeated"), _MOST_COLUMNS if text else 64)
            cells += self._times(text, times)
            self.builder.drop("text outside of paragraphs", cell.tail or "")
        times = repeated(row, "number-rows-repeated") if any(cells) else 1
        yield TableRow(cells, header, joined)
        for _ in range(times - 1):
            yield TableRow([copy for cell in cells for copy in self._times(cell, 2)[1:]], header, joined)

    def _times(self, text: str, times: int) -> list[str]:
        """Return the cell so many times. Raises DocumentError beyond the limit of cells."""
        self.cells += times if text else 0
        if self.cells > self.limits.cells:
            raise beyond_limit("too many cells", "单元格过多")
        if text and times > 1:
            self.builder.added("repeated cell", text * (times - 1))
        return [text] * times
