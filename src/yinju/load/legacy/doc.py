"""Word 97-2003 (.doc, also what WPS writes as .wps) to a document, in its final view, by a reader of our own.

Headings come from styles and outline levels, list numbers from the file's lists, tables from cell marks, notes stand behind their paragraph.
Field codes, deleted and hidden text, comments, page headers and footers stay out of the text and in the account. Macros are never looked at.
"""

from __future__ import annotations

import re
from itertools import accumulate, pairwise

from yinju.load.builder import TextBuilder
from yinju.load.legacy.blocks import Blocks, TableRow, one_line
from yinju.load.legacy.doc_file import Run, WordFile, open_word, read_properties
from yinju.load.legacy.doc_properties import Paragraph
from yinju.load.legacy.doc_styles import Style, read_lists, read_styles
from yinju.load.legacy.ole import Compound
from yinju.load.office.package import only_pictures
from yinju.load.parsed import Limits, Parsed, visible

_PARTS = re.compile("([\x00-\x08\x0b-\x1f])")
_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_LOW_HALF = re.compile("[\udc00-\udfff]")
_ENDS = "\r\x07\x0c"  # paragraph, cell or row, page or section
_ASIDE = {
    "header": "page header or footer",
    "header box": "page header or footer",
    "comment": "comment",
    "macro": "macro",
}
# Symbols of Wingdings that people type with meaning: boxes, ticks, bullets, arrows.
_SYMBOLS = {
    0x6C: "●",
    0x6E: "■",
    0x6F: "□",
    0x71: "❑",
    0x75: "◆",
    0x76: "❖",
    0xA7: "▪",
    0xA8: "□",
    0xD8: "➢",
    0xE0: "→",
}
_SYMBOLS |= {
    0xFB: "✗",
    0xFC: "✓",
    0xFD: "☒",
    0xFE: "☑",
    0x52: "☑",
    0x53: "☒",
    0x54: "☒",
    0xA3: "□",
    0x81: "①",
    0x82: "②",
}


def load_doc(data: bytes, source: str, limits: Limits) -> Parsed:
    """Return the text of a document of Word 97-2003, or 6 and 95. Raises DocumentError: damaged, encrypted, no-text, unknown-type."""
    compound = Compound(data)
    word = open_word(compound)
    whole = read_properties(word)
    reader = _Reader(word)
    reader.read()
    title, metadata = compound.properties()
    builder = reader.blocks.builder
    if not builder.position:
        raise only_pictures()
    marks = builder.sorted_marks()
    first = builder.first_heading(1)
    return Parsed(
        text=builder.text(),
        marks=marks,
        title=first or title,
        metadata=metadata,
        dropped=builder.dropped(),
        images=reader.images,
        warnings=(() if whole else ("styles-unreadable",)) + reader.warnings() + builder.warnings(),
    )


class _Line:
    """Collects the characters of one paragraph after another; what is not shown goes to the account."""

    def __init__(self, builder: TextBuilder) -> None:
        self.builder = builder
        self.out: list[str] = []
        self.fields: list[bool] = []  # open fields, True while in the instruction
        self.waits = ""  # text of a paragraph whose end was deleted

    def write(self, text: str, run: Run) -> None:
        reason = _hidden_because(run) or ("field code" if any(self.fields) else "")
        if reason:
            self.builder.drop(reason, visible(_joined(text)))
        elif run.properties.symbol and text == "(":
            self.out.append(_SYMBOLS.get(run.properties.symbol & 0xFF, "•"))
        else:
            self.out.append(text)

    def field(self, control: str) -> None:
        if control == "\x13":
            self.fields.append(True)
        elif self.fields and control == "\x14":
            self.fields[-1] = False
        elif self.fields:
            self.fields.pop()

    def take(self) -> str:
        """Return the paragraph. A field whose instruction is never ended must not swallow the rest."""
        self.fields = [False for _ in self.fields]
        text, self.out = _joined("".join(self.out)), []
        return self.builder.clean(text.replace("\x0b", "\n")).strip()


class _Reader:
    def __init__(self, word: WordFile) -> None:
        self.word = word
        self.blocks = Blocks()
        self.builder = self.blocks.builder
        self.styles = read_styles(word)
        self.lists = read_lists(word)
        self.images = 0
        self.rows: list[TableRow] = []
        self.cells: list[str] = []
        self.cell: list[str] = []
        self.notes: list[tuple[str, int]] = []  # waiting: kind, number in its kind
        self.numbers: dict[tuple[str, int], int] = {}
        self.parts = {part.name: part for part in word.subdocuments}
        self.references = {
            **{place: ("footnote", number) for number, place in enumerate(word.positions(2, 2)[:-1])},
            **{place: ("endnote", number) for number, place in enumerate(word.positions(46, 2)[:-1])},
        }
        self.borders = {"footnote": word.positions(3, 0), "endnote": word.positions(47, 0)}
        self.highest = {kind: list(accumulate(borders, max)) for kind, borders in self.borders.items()}

    def read(self) -> None:
        """Write the main text with its notes, then text boxes; account for the rest."""
        self._blocks("main")
        for kind in ("footnote", "endnote"):
            part = self.parts[kind]
            borders = [place + part.start for place in self.borders[kind] if place <= part.end - part.start]
            for number in range(len(borders) - 1):
                if (kind, number) not in self.numbers and self._has_text(borders[number], borders[number + 1]):
                    self._refer((kind, number))
            self._notes()
            self._rest(kind, borders)
        self._blocks("box")
        for name, what in _ASIDE.items():
            self._drop(what, self.parts[name].start, self.parts[name].end)
        end = self.word.subdocuments[-1].end
        self._drop("text behind the end", end, self.word.pieces[-1].end if self.word.pieces else 0)

    def warnings(self) -> tuple[str, ...]:
        """What a reader of the receipt should know."""
        account = self.builder.account
        named = {"comments-left-out": account["comment"], "tracked-changes": account["deleted text"]}
        return tuple(f"{name}: {count}" for name, count in named.items() if count)

    def _rest(self, kind: str, borders: list[int]) -> None:
        """Characters of the notes that no note's borders enclose."""
        part, at = self.parts[kind], self.parts[kind].start
        for start, end in pairwise(borders):
            if start > at:
                self._drop("text between notes", at, start)
            at = max(at, end)
        self._drop("text between notes", at, part.end)

    def _drop(self, what: str, start: int, end: int) -> None:
        for run in self.word.runs(start, end):
            self.builder.drop(what, visible(_joined(_PARTS.sub("", run.text))))

    def _has_text(self, start: int, end: int) -> bool:
        return any(_PARTS.sub("", run.text).strip() for run in self.word.runs(start, end))

    def _blocks(self, name: str) -> None:
        line = _Line(self.builder)
        part = self.parts[name]
        for run in self.word.runs(part.start, part.end):
            at = 0
            for text in _PARTS.split(run.text):
                if text in ("", *_CONTROLS):
                    if text in tuple(_ENDS):
                        self._end_of_paragraph(line, text, run, at)
                    elif text:
                        self._control(line, text, run, at)
                else:
                    line.write(text, run)
                at += len(text)
        self._paragraph(line.take(), Paragraph())
        self._end_of_table()
        self.blocks.end_list()
        self._notes()

    def _control(self, line: _Line, control: str, run: Run, at: int) -> None:
        if control in "\x13\x14\x15":
            line.field(control)
        elif control == "\x02" and (run.start + at) in self.references and not _hidden_because(run):
            mark = self._refer(self.references[run.start + at])
            if mark:
                line.out.append(self.builder.added("note mark", mark))
        elif control in "\x01\x08":
            self.images += not (_hidden_because(run) or any(line.fields))
        elif control == "\x1e" and not _hidden_because(run) and not any(line.fields):
            line.out.append(self.builder.added("hyphen", "-"))
        elif control in "\x0b\x0e":
            line.out.append("\x0b")

    def _refer(self, key: tuple[str, int]) -> str:
        if key in self.numbers:
            return ""
        self.numbers[key] = len(self.numbers) + 1
        self.notes.append(key)
        return f"[^{self.numbers[key]}]"

    def _notes(self) -> None:
        """Write the notes that were met in the block before; behind a table, not inside."""
        while self.notes and not self.rows and not self.cells and not self.cell:
            kind, number = self.notes.pop(0)
            part, borders = self.parts[kind], self.borders[kind]
            if number + 1 >= len(borders):
                continue
            start, end = (min(part.start + place, part.end) for place in borders[number : number + 2])
            if start < part.start + self.highest[kind][number]:
                continue  # borders that go back: read once, or not at all
            mark = f"[^{self.numbers[kind, number]}]:"
            self.blocks.paragraph(self.builder.added("note mark", mark) + " " + self._flat(start, end))

    def _flat(self, start: int, end: int) -> str:
        """Return the text from one character to another in one line."""
        line = _Line(self.builder)
        for run in self.word.runs(start, end):
            for text in _PARTS.split(run.text):
                if text and text in "\x13\x14\x15":
                    line.field(text)
                elif text in _CONTROLS:
                    line.out.append(" " if text in _ENDS or text == "\x0b" else "")
                elif text:
                    line.write(text, run)
        return one_line(line.take())

    def _end_of_paragraph(self, line: _Line, mark: str, run: Run, at: int) -> None:
        properties = self.word.paragraph(run.place + at * run.width)
        if mark == "\r" and run.properties.deleted and self._goes_on(line, properties):
            return
        text = line.take()
        if mark == "\x07":
            self._cell(text, properties)
        else:
            self._paragraph(text, properties)
        if mark == "\x0c" and not properties.in_table:
            self.blocks.end_list()

    def _goes_on(self, line: _Line, properties: Paragraph) -> bool:
        """A paragraph whose mark was deleted goes on in the next one. LibreOffice marks too many so: whole sentences and headings stay apart."""
        text = "".join(line.out).rstrip()
        whole = text.endswith(tuple("。！？：；.!?:;")) or self._style(properties).level
        return not (whole or properties.in_table)

    def _cell(self, text: str, properties: Paragraph) -> None:
        if properties.row_end:
            self.cell.append(text)
            rest = one_line(" ".join(self.cell))
            self.rows.append(TableRow((*self.cells, *((rest,) if rest else ())), properties.header_row))
            self.cells, self.cell = [], []
        else:
            self.cell.append(self._numbered(text, properties))
            self.cells.append(one_line(" ".join(self.cell)))
            self.cell = []

    def _numbered(self, text: str, properties: Paragraph) -> str:
        marker = self._marker(properties, self._style(properties))[1] if text else ""
        return f"{self.builder.added('list number', marker)} {text}" if marker else text

    def _paragraph(self, text: str, properties: Paragraph) -> None:
        if properties.in_table or properties.inner:
            self.cell.append(self._numbered(text, properties))
            return
        self._end_of_table()
        style = self._style(properties)
        if not text:
            return
        if style.contents:
            self.builder.drop("table of contents", text)
            return
        is_list, marker, depth = self._marker_of(text, properties, style)
        level = style.level
        if properties.outline is not None:
            level = properties.outline + 1 if properties.outline < 9 else 0
        if level:
            self.blocks.heading(text, level, marker)
        elif is_list:
            self.blocks.item(text, depth, marker or "•")
        else:
            self.blocks.paragraph(text)
        self._notes()

    def _marker_of(self, text: str, properties: Paragraph, style: Style) -> tuple[bool, str, int]:
        is_list, marker, depth = False, "", 0
        if text:
            is_list, marker, depth = *self._marker(properties, style), self._depth(properties, style)
        return is_list, marker, depth

    def _depth(self, properties: Paragraph, style: Style) -> int:
        return style.list_level if properties.list_level is None else properties.list_level

    def _marker(self, properties: Paragraph, style: Style) -> tuple[bool, str]:
        """Return whether the paragraph is in a list, and the number or bullet in front of it."""
        number = style.list_number if properties.list_number is None else properties.list_number
        if number <= 0:
            return False, ""
        level = min(self._depth(properties, style), 8)
        marker = self.lists.marker(str(number), level)
        return bool(marker) or self.lists.is_bullet(str(number), level), marker.strip()

    def _style(self, properties: Paragraph) -> Style:
        return self.styles[properties.style] if properties.style < len(self.styles) else Style()

    def _end_of_table(self) -> None:
        rest = one_line(" ".join(self.cell))
        if self.cells or rest:
            self.rows.append(TableRow((*self.cells, *((rest,) if rest else ()))))
        self.cells, self.cell = [], []
        if self.rows:
            self.blocks.table(self.rows)
            self.rows = []
            self._notes()


_CONTROLS = tuple(map(chr, (*range(9), *range(11, 32))))


def _hidden_because(run: Run) -> str:
    if run.properties.deleted:
        return "deleted text"
    return "hidden text" if run.properties.hidden else ""


def _joined(text: str) -> str:
    """Return the text with halves of characters put together; a lone first half is U+FFFD, a lone second half nothing."""
    if text.isascii():
        return text
    text = _PAIR.sub(lambda match: match[0].encode("utf-16-le", "surrogatepass").decode("utf-16-le"), text)
    return _LOW_HALF.sub("", text)
