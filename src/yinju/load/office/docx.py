"""DOCX to a document: headings by style and outline level, list numbers, tables as rows, notes behind their paragraph.

Page headers and footers, comments, the table of contents, deleted and hidden text stay out of the text and in the account.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from yinju.errors import DocumentError
from yinju.load.builder import TextBuilder
from yinju.load.office.docx_inline import Inline, attribute, is_on, split_tag, text_within
from yinju.load.office.docx_numbering import Numbering, read_numbering
from yinju.load.office.package import core_properties, damaged, open_package, parse_part, parts_of_type, relationships
from yinju.load.office.rows import looks_like_value
from yinju.load.parsed import Limits, Parsed
from yinju.messages import say
from yinju.types import Span

_HEADING_STYLE = re.compile(r"(?:heading|标题|標題)\s*([1-9])", re.IGNORECASE)
_TITLE_STYLE = re.compile(r"title|标题|標題", re.IGNORECASE)
_CONTENTS_STYLE = re.compile(r"(?:toc|目录|目錄)\s*\d+", re.IGNORECASE)
_ASIDE = {"header+xml": "page header", "footer+xml": "page footer", "comments+xml": "comment"}
_WRAPPERS = frozenset(("sdt", "sdtContent", "ins", "moveTo", "customXml", "smartTag", "AlternateContent", "Choice"))
_LONGEST_HEADING = 200  # characters


@dataclass(frozen=True, slots=True)
class _Style:
    """What a paragraph style says, its ancestors included. `level` 0: no heading."""

    level: int = 0
    contents: bool = False
    number: tuple[str, int] | None = None


def load_docx(data: bytes, source: str, limits: Limits) -> Parsed:
    """Return the text of a Word document. Raises DocumentError: damaged, encrypted, limit, no-text, unknown-type, unsafe-xml."""
    with open_package(data, limits) as package:
        main = next((target for kind, target in relationships(package, "").values() if kind == "officeDocument"), None)
        root = parse_part(package, main) if main else None
        body = root.find("{*}body") if root is not None else None
        if main is None or body is None:
            raise damaged(say("no document in the package", "包内没有正文"))
        reader = _Reader(package, main)
        reader.blocks(body)
        reader.account_for_the_rest(package)
        title, metadata = core_properties(package)
    text = reader.builder.text()
    if not text.strip():
        raise DocumentError(
            say("no text, perhaps only pictures", "没有文字，可能只有图片"),
            say("if it holds scanned pages, run OCR on it first", "如果是扫描页，请先做文字识别（OCR）"),
            code="no-text",
        )
    marks = reader.builder.sorted_marks()
    first = next((mark.label for mark in marks if mark.kind == "heading" and mark.level == 1), None)
    return Parsed(
        text=text,
        marks=marks,
        title=first or title,
        metadata=metadata,
        dropped=reader.builder.dropped(),
        warnings=tuple(reader.warnings) + reader.builder.warnings(),
    )


class _Reader:
    """Walks the blocks of a document once and writes them."""

    def __init__(self, package: zipfile.ZipFile, main: str) -> None:
        self.builder = TextBuilder()
        self.inline = Inline(self.builder)
        self.warnings: list[str] = []
        related = dict(relationships(package, main).values())
        styles = parse_part(package, related.get("styles", "word/styles.xml"))
        self.numbering: Numbering = read_numbering(
            parse_part(package, related.get("numbering", "word/numbering.xml")), styles
        )
        self.styles = _read_styles(styles, self.numbering)
        self.notes: dict[tuple[str, str], Any] = {}
        for kind in ("footnote", "endnote"):
            for part in parts_of_type(package, f"{kind}s+xml"):
                root = parse_part(package, part)
                self.notes.update({(kind, attribute(note, "id")): note for note in root.iterfind(f"{{*}}{kind}")})
        self.before = ""  # text of a paragraph whose end was deleted
        self.list_start: int | None = None

    def blocks(self, container: Any) -> None:
        """Write the paragraphs and tables in this element."""
        for child in container:
            name = split_tag(child)[1]
            if name == "p":
                self._paragraph(child)
            elif name == "tbl":
                self._end_list()
                self._table(child)
            elif name in ("del", "moveFrom"):
                self.builder.drop("deleted text", text_within(child))
            elif name == "Fallback":
                self.builder.drop("the same for older programs", text_within(child))
            elif name in _WRAPPERS:
                self.blocks(child)
            elif name not in ("sectPr", "sdtPr", "sdtEndPr", "tcPr"):
                stray = self.inline.text(child)
                if stray:
                    self._block(stray)
            self._waiting()
        self._end_list()

    def account_for_the_rest(self, package: zipfile.ZipFile) -> None:
        """Count what is read by no one: headers, footers, comments, notes without a reference."""
        for ending, what in _ASIDE.items():
            for part in parts_of_type(package, ending):
                self.builder.drop(what, text_within(parse_part(package, part)))
        for key, note in self.notes.items():
            if key not in self.inline.note_number:
                self.builder.drop("note without reference", text_within(note))
        if self.before:
            self._block(self.before)
            self.before = ""
        comments = self.builder.account.get("comment", 0)
        if comments:
            self.warnings.append(f"comments-left-out: {comments}")
        if self.builder.account.get("deleted text", 0):
            self.warnings.append(f"tracked-changes: {self.builder.account['deleted text']}")
        if any("/embeddings/" in name for name in package.namelist()):
            self.warnings.append("embedded-files-not-read")

    def _paragraph(self, paragraph: Any) -> None:
        properties = paragraph.find("{*}pPr")
        style = self._style_of(properties)
        if style.contents:
            self.builder.drop("table of contents", text_within(paragraph))
            return
        text = self.before + self.inline.text(paragraph)
        self.before = ""
        if properties is not None and properties.find("{*}rPr/{*}del") is not None:
            self.before = text
            return
        if not text:
            return
        level = self._level_of(properties, style)
        number = self._number_of(properties, style)
        marker = self.numbering.marker(*number) if number else ""
        if level and len(text) <= _LONGEST_HEADING:
            self._heading(text, level, marker)
        elif number and (marker or self.numbering.is_bullet(*number)):
            self._list_item(text, number[1], marker)
        else:
            self._block(text)

    def _block(self, text: str) -> Span:
        self._end_list()
        self.builder.separate("\n\n")
        return self.builder.write(text)

    def _heading(self, text: str, level: int, marker: str) -> None:
        label = " ".join(text.split())
        if marker:
            label = self.builder.added("list number", marker) + " " + label
        self.builder.mark("heading", self._block(label), level, label)

    def _list_item(self, text: str, level: int, marker: str) -> None:
        self.builder.separate("\n\n" if self.list_start is None else "\n")
        if self.list_start is None:
            self.list_start = self.builder.position
        self.builder.write("  " * min(level, 8) + self.builder.added("list number", marker) + " " + text)

    def _end_list(self) -> None:
        if self.list_start is not None:
            self.builder.mark("list", Span(self.list_start, self.builder.position))
            self.list_start = None

    def _waiting(self) -> None:
        """Write the text boxes and notes that were met in the block before."""
        while self.inline.boxes or self.inline.notes:
            boxes, self.inline.boxes = self.inline.boxes, []
            notes, self.inline.notes = self.inline.notes, []
            for box in boxes:
                self.blocks(box)
            for key in notes:
                text = self._flat(self.notes[key]) if key in self.notes else ""
                self._block(self.builder.added("note mark", f"[^{self.inline.note_number[key]}]:") + " " + text)

    def _flat(self, container: Any) -> str:
        """Return the text of all paragraphs below, in one line."""
        texts = (self._item(paragraph) for paragraph in _paragraphs(container, self.builder))
        return " ".join(" ".join(texts).split())

    def _item(self, paragraph: Any) -> str:
        properties = paragraph.find("{*}pPr")
        text = self.inline.text(paragraph)
        number = self._number_of(properties, self._style_of(properties)) if text else None
        marker = self.numbering.marker(*number) if number else ""
        return f"{self.builder.added('list number', marker)} {text}" if marker else text

    def _table(self, table: Any) -> None:
        rows = [self._row(row) for row in _rows(table, self.builder)]
        rows = [row for row in rows if any(row[0])]
        if not rows:
            return
        self.builder.separate("\n\n")
        start = self.builder.position
        spans: list[Span] = []
        for cells, _ in rows:
            if spans:
                self.builder.write("\n")
            spans.append(self.builder.write("\t".join(cells).rstrip("\t")))
        self.builder.mark("table", Span(start, self.builder.position))
        header = _header_of(rows)
        if header:
            self.builder.mark("header", Span(start, spans[header - 1].end))
        for span in spans[header:]:
            self.builder.mark("row", span)

    def _row(self, row: Any) -> tuple[list[str], bool]:
        cells: list[str] = []
        for cell in _cells(row):
            width = cell.find("{*}tcPr/{*}gridSpan")
            cells.append(self._flat(cell))
            cells += [""] * (min(_number(width, 1), 64) - 1)
        return cells, is_on(row.find("{*}trPr/{*}tblHeader"))

    def _style_of(self, properties: Any) -> _Style:
        name = properties.find("{*}pStyle") if properties is not None else None
        return self.styles.get(attribute(name, "val") if name is not None else "", _Style())

    def _level_of(self, properties: Any, style: _Style) -> int:
        outline = properties.find("{*}outlineLvl") if properties is not None else None
        if outline is None:
            return style.level
        level = _number(outline, 9)
        return level + 1 if level < 9 else 0

    def _number_of(self, properties: Any, style: _Style) -> tuple[str, int] | None:
        own = properties.find("{*}numPr") if properties is not None else None
        if own is None:
            return style.number
        number, level = own.find("{*}numId"), own.find("{*}ilvl")
        identity = attribute(number, "val") if number is not None else (style.number[0] if style.number else "")
        if identity in ("", "0"):
            return None
        return identity, _number(level, style.number[1] if style.number and number is None else 0)


def _paragraphs(container: Any, builder: TextBuilder) -> Iterator[Any]:
    for child in container:
        name = split_tag(child)[1]
        if name == "p":
            yield child
        elif name in ("del", "moveFrom"):
            builder.drop("deleted text", text_within(child))
        elif name == "Fallback":
            builder.drop("the same for older programs", text_within(child))
        elif name == "tbl" or name in _WRAPPERS or name in ("tr", "tc"):
            yield from _paragraphs(child, builder)


def _rows(table: Any, builder: TextBuilder) -> Iterator[Any]:
    for child in table:
        name = split_tag(child)[1]
        if name == "tr":
            yield child
        elif name in ("del", "moveFrom"):
            builder.drop("deleted text", text_within(child))
        elif name in _WRAPPERS:
            yield from _rows(child, builder)


def _cells(row: Any) -> Iterator[Any]:
    for child in row:
        name = split_tag(child)[1]
        if name == "tc":
            yield child
        elif name in _WRAPPERS:
            yield from _cells(child)


def _header_of(rows: list[tuple[list[str], bool]]) -> int:
    """Return how many rows are the header: those that Word repeats on each page, else a first row of names."""
    repeated = 0
    while repeated < len(rows) - 1 and rows[repeated][1]:
        repeated += 1
    if repeated:
        return repeated
    first = [cell for cell in rows[0][0] if cell]
    named = len(rows) > 1 and len(first) > 1 and len(first) == len(set(first)) and 2 * len(first) > len(rows[0][0])
    return 1 if named and not any(looks_like_value(cell) or len(cell) > 60 for cell in first) else 0


def _read_styles(root: Any, numbering: Numbering) -> dict[str, _Style]:
    parents: dict[str, str] = {}
    own: dict[str, _Style] = {}
    for style in root.iterfind("{*}style") if root is not None else ():
        if attribute(style, "type") not in ("paragraph", ""):
            continue
        identity = attribute(style, "styleId")
        based, name, outline = style.find("{*}basedOn"), style.find("{*}name"), style.find("{*}pPr/{*}outlineLvl")
        parents[identity] = attribute(based, "val") if based is not None else ""
        own[identity] = _own_style(
            attribute(name, "val") if name is not None else identity, outline, numbering.styles.get(identity)
        )
        if attribute(style, "default") in ("1", "true"):
            own[""], parents[""] = own[identity], parents[identity]
    return {identity: _inherited(identity, own, parents) for identity in own}


def _own_style(name: str, outline: Any, number: tuple[str, int] | None) -> _Style:
    heading = _HEADING_STYLE.fullmatch(name.strip())
    level = int(heading[1]) if heading else 1 if _TITLE_STYLE.fullmatch(name.strip()) else 0
    if not level and outline is not None:
        level = _number(outline, 9) + 1
        level = level if level <= 9 else 0
    return _Style(level, bool(_CONTENTS_STYLE.fullmatch(name.strip())), number)


def _inherited(identity: str, own: dict[str, _Style], parents: dict[str, str]) -> _Style:
    level, contents, number = 0, False, None
    seen: set[str] = set()
    current = identity
    while current in own and current not in seen:
        seen.add(current)
        style = own[current]
        level, contents, number = level or style.level, contents or style.contents, number or style.number
        current = parents.get(current, "") or "\0"
    return _Style(level, contents, number)


def _number(element: Any, default: int) -> int:
    text = attribute(element, "val") if element is not None else ""
    return int(text) if re.fullmatch(r"\d{1,9}", text) else default
