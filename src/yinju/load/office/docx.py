"""DOCX to a document: headings by style and outline level (without any: by their look), list numbers, tables as rows, notes behind their paragraph.

Page headers and footers, comments, the table of contents, deleted and hidden text stay out of the text and in the account.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from typing import Any

from yinju.load.builder import TextBuilder
from yinju.load.office.blocks import Blocks, TableRow
from yinju.load.office.charts import write_chart, write_diagram
from yinju.load.office.docx_inline import Inline, fields_match
from yinju.load.office.docx_looks import headings_by_look
from yinju.load.office.docx_numbering import Numbering, read_numbering
from yinju.load.office.docx_styles import Style, read_styles
from yinju.load.office.docx_tables import DELETED, WRAPPERS, cells_of, is_header, rows_of
from yinju.load.office.drawing import chosen
from yinju.load.office.elements import attribute, split_tag, text_within, value
from yinju.load.office.package import (
    core_properties,
    damaged,
    only_pictures,
    open_package,
    parse_part,
    parts_of_type,
    relationships,
)
from yinju.load.parsed import Limits, Parsed
from yinju.messages import say

_ASIDE = {
    "header+xml": "page header",
    "footer+xml": "page footer",
    "wordprocessingml.comments+xml": "comment",
    "drawingml.chart+xml": "chart outside of the text",
    "drawingml.diagramData+xml": "diagram outside of the text",
}
_NO_TEXT = frozenset(("sectPr", "sdtPr", "sdtEndPr", "tcPr", "bookmarkStart", "bookmarkEnd", "proofErr"))
_LONGEST_HEADING = 200  # characters
_BODY = 9  # the outline level of text


def load_docx(data: bytes, source: str, limits: Limits) -> Parsed:
    """Return the text of a Word document. Raises DocumentError: damaged, encrypted, limit, no-text, unknown-type, unsafe-xml."""
    with open_package(data, limits) as package:
        main = next((target for kind, target in relationships(package, "").values() if kind == "officeDocument"), None)
        root = parse_part(package, main) if main else None
        body = root.find("{*}body") if root is not None else None
        if main is None or body is None:
            raise damaged(say("no document in the package", "包内没有正文"))
        reader = _Reader(package, main, body)
        reader.write(body)
        reader.account_for_the_rest()
        title, metadata = core_properties(package)
    text = reader.builder.text()
    if not text.strip():
        raise only_pictures()
    marks = reader.builder.sorted_marks()
    first = reader.builder.first_heading(1)
    return Parsed(
        text=text,
        marks=marks,
        title=first or title,
        metadata=metadata,
        dropped=reader.builder.dropped(),
        images=reader.inline.images,
        warnings=tuple(reader.warnings) + reader.builder.warnings(),
    )


class _Reader:
    """Walks the blocks of a document once and writes them."""

    def __init__(self, package: zipfile.ZipFile, main: str, body: Any) -> None:
        self.package = package
        self.builder = TextBuilder()
        self.blocks = Blocks(self.builder)
        self.warnings: list[str] = []
        self.related = relationships(package, main)
        kinds = dict(self.related.values())
        styles = parse_part(package, kinds.get("styles", "word/styles.xml"))
        self.numbering: Numbering = read_numbering(
            parse_part(package, kinds.get("numbering", "word/numbering.xml")), styles
        )
        self.styles = read_styles(styles, self.numbering)
        self.looks = self._looks(body, styles)
        self.inline = Inline(self.builder, self.styles.hidden_runs, fields=fields_match(body))
        self.notes: dict[tuple[str, str], Any] = {}
        for kind in ("footnote", "endnote"):
            for part in parts_of_type(package, f"{kind}s+xml"):
                root = parse_part(package, part)
                self.notes.update({(kind, attribute(note, "id")): note for note in root.iterfind(f"{{*}}{kind}")})
        self.before = ""  # text of a paragraph whose end was deleted
        self.read: set[str] = set()  # charts and diagrams
        self.chunks = 0

    def _looks(self, body: Any, styles: Any) -> dict[Any, int]:
        """Return the headings that only look so, where the styles name none but perhaps the title."""
        levels = []
        for paragraph in body.iter("{*}p"):
            properties = paragraph.find("{*}pPr")
            level = _level_of(properties, self.styles.of(properties))
            if level and text_within(paragraph):
                levels.append(level)
        return headings_by_look(body, styles, below_title=bool(levels)) if levels in ([], [1]) else {}

    def write(self, container: Any) -> None:
        """Write the paragraphs and tables in this element."""
        for child in container:
            self._one(child)
            self._waiting()
        self.blocks.end_list()

    def _one(self, element: Any) -> None:
        name = split_tag(element)[1]
        if name == "p":
            self._paragraph(element)
        elif name == "tbl":
            self._end_joined()
            self._table(element)
        elif name in DELETED:
            self.builder.drop("deleted text", text_within(element))
        elif name == "AlternateContent":
            self.write(chosen(element, self.builder))
        elif name == "sdt" and _is_contents(element):
            self.builder.drop("table of contents", text_within(element))
        elif name in WRAPPERS:
            for child in element:
                self._one(child)
                self._waiting()
        elif name == "altChunk":
            self.chunks += 1
        elif name not in _NO_TEXT:
            stray = self.inline.text(element)
            if stray:
                self.blocks.block(stray)

    def account_for_the_rest(self) -> None:
        """Count what is read by no one: headers, footers, comments, notes without a reference, charts of the margins."""
        self._end_joined()
        self._waiting()
        for ending, what in _ASIDE.items():
            for part in parts_of_type(self.package, ending):
                if part not in self.read:
                    self.builder.drop(what, text_within(parse_part(self.package, part)))
        for key, note in self.notes.items():
            if key not in self.inline.note_number:
                self.builder.drop("note without reference", text_within(note))
        account = self.builder.account
        for code, count in (
            ("comments-left-out", account.get("comment", 0)),
            ("tracked-changes", account.get("deleted text", 0)),
            ("formulas-as-pictures", self.inline.pictured_formulas),
            ("inserted-files-not-read", self.chunks),
        ):
            if count:
                self.warnings.append(f"{code}: {count}")
        if any("/embeddings/" in name for name in self.package.NameToInfo):
            self.warnings.append("embedded-files-not-read")

    def _paragraph(self, paragraph: Any) -> None:
        properties = paragraph.find("{*}pPr")
        style = self.styles.of(properties)
        if style.contents or style.hidden:
            self.inline.text_left_out(paragraph, "table of contents" if style.contents else "hidden text")
            return
        text = self.before + self.inline.text(paragraph)
        self.before = ""
        if _end_is_deleted(properties):
            self.before = text
            return
        if not text:
            return
        level = _level_of(properties, style) or self.looks.get(paragraph, 0)
        number = _number_of(properties, style)
        marker = self.numbering.marker(*number) if number else ""
        if level and len(text) <= _LONGEST_HEADING:
            self.blocks.heading(text, level, marker)
        elif number and marker:
            self.blocks.item(text, number[1], marker)
        else:
            self.blocks.block(text)

    def _end_joined(self) -> None:
        """Write what waits for a paragraph to go on with that never comes."""
        if self.before:
            self.blocks.block(self.before)
            self.before = ""

    def _waiting(self) -> None:
        """Write the text boxes, charts and notes that were met in the block before."""
        inline = self.inline
        while inline.boxes or inline.notes or inline.graphics:
            boxes, inline.boxes = inline.boxes, []
            notes, inline.notes = inline.notes, []
            graphics, inline.graphics = inline.graphics, []
            for box in boxes:
                self.write(box)
            for kind, identity in graphics:
                self._graphic(kind, self.related.get(identity, ("", ""))[1])
            for key in notes:
                text = self._flat(self.notes[key]) if key in self.notes else ""
                self.blocks.block(self.builder.added("note mark", f"[^{inline.note_number[key]}]:") + " " + text)

    def _graphic(self, kind: str, part: str) -> None:
        if part in self.read:
            return
        root = parse_part(self.package, part) if part else None
        if root is None:
            self.warnings.append(f"{kind}-not-read")
            return
        self.read.add(part)
        if kind == "chart":
            write_chart(root, self.blocks)
        else:
            write_diagram(root, self.blocks)

    def _flat(self, container: Any) -> str:
        """Return the text of all paragraphs below, in one line; cells of nested tables separated by commas, their rows by semicolons."""
        texts: list[str] = []
        joined = ""
        for paragraph in self._paragraphs(container):
            if split_tag(paragraph)[1] == "tbl":
                texts.append(self._nested(paragraph))
                continue
            joined += self._item(paragraph)
            if not _end_is_deleted(paragraph.find("{*}pPr")):
                texts.append(joined)
                joined = ""
        return " ".join(" ".join([*texts, joined]).split())

    def _nested(self, table: Any) -> str:
        rows = []
        for row in rows_of(table, self.builder):
            cells = [self._flat(cell) for cell, _ in cells_of(row, self.builder) if cell is not None]
            rows.append(", ".join(filter(None, cells)))
            self.builder.added("signs of nested tables", "," * max(0, len(list(filter(None, cells))) - 1))
        rows = [row for row in rows if row]
        self.builder.added("signs of nested tables", ";" * max(0, len(rows) - 1))
        return "; ".join(rows)

    def _item(self, paragraph: Any) -> str:
        properties = paragraph.find("{*}pPr")
        style = self.styles.of(properties)
        if style.hidden:
            self.inline.text_left_out(paragraph, "hidden text")
            return ""
        text = self.inline.text(paragraph)
        number = _number_of(properties, style) if text else None
        marker = self.numbering.marker(*number) if number else ""
        return f"{self.builder.added('list number', marker)} {text}" if marker else text

    def _paragraphs(self, container: Any) -> Iterator[Any]:
        for child in container:
            name = split_tag(child)[1]
            if name == "p":
                yield child
            elif name in DELETED:
                self.builder.drop("deleted text", text_within(child))
            elif name == "AlternateContent":
                yield from self._paragraphs(chosen(child, self.builder))
            elif name in WRAPPERS:
                yield from self._paragraphs(child)
            elif name not in _NO_TEXT:
                yield child

    def _table(self, table: Any) -> None:
        rows = [(row, list(cells_of(row, self.builder))) for row in rows_of(table, self.builder)]
        if all(len(cells) == 1 for _, cells in rows):  # a frame around text, no table
            for _, cells in rows:
                for cell, _ in cells:
                    if cell is not None:
                        self.write(cell)
                        self._end_joined()
            return
        self.blocks.table([self._row(row, cells) for row, cells in rows])

    def _row(self, row: Any, cells: list[tuple[Any, int]]) -> TableRow:
        texts: list[str] = []
        joined: list[int] = []
        for cell, width in cells:
            joined += range(len(texts) + 1, len(texts) + width)
            texts.append(self._flat(cell) if cell is not None else "")
            texts += [""] * (width - 1)
        return TableRow(texts, is_header(row), joined)


def _is_contents(control: Any) -> bool:
    """Return whether a content control is a table of contents that Word made."""
    gallery = control.find("{*}sdtPr/{*}docPartObj/{*}docPartGallery")
    return gallery is not None and attribute(gallery, "val") == "Table of Contents"


def _end_is_deleted(properties: Any) -> bool:
    """Return whether the paragraph's end was deleted or moved away: its text goes on with the next paragraph's."""
    own = properties.find("{*}rPr") if properties is not None else None
    return own is not None and any(own.find("{*}" + kind) is not None for kind in DELETED)


def _level_of(properties: Any, style: Style) -> int:
    outline = properties.find("{*}outlineLvl") if properties is not None else None
    if outline is None:
        return style.level
    level = value(outline, _BODY)
    return level + 1 if 0 <= level < _BODY else 0


def _number_of(properties: Any, style: Style) -> tuple[str, int] | None:
    own = properties.find("{*}numPr") if properties is not None else None
    if own is None:
        return style.number
    number, level = own.find("{*}numId"), own.find("{*}ilvl")
    identity = attribute(number, "val") if number is not None else (style.number[0] if style.number else "")
    if identity in ("", "0"):
        return None
    return identity, min(max(value(level, style.number[1] if style.number and number is None else 0), 0), 8)
