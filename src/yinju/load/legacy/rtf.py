"""RTF to a document by a scanner of our own: one pass over the tokens, a stack of states for the groups, nothing nested in Python.

Headings come from styles and outline levels, list numbers from the text that the file keeps for older readers, tables from cell marks.
Field codes, deleted and hidden text, comments, page headers and footers stay out of the text and in the account.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from yinju.load.legacy.blocks import Blocks, TableRow, one_line
from yinju.load.legacy.rtf_groups import GROUPS, PASSED, REASONS, SILENT, State, Style, Table
from yinju.load.legacy.rtf_tokens import CHARSETS, Token, codec, decoded, tokens
from yinju.load.office.package import only_pictures, too_deep
from yinju.load.parsed import Limits, Parsed, visible

_SYMBOLS = {
    "emdash": "—",
    "endash": "–",
    "lquote": "‘",
    "rquote": "’",
    "ldblquote": "“",
    "rdblquote": "”",
    "bullet": "•",
}
_SPACES = frozenset(["tab", "emspace", "enspace", "qmspace"])
_PARAGRAPH_ENDS = frozenset(["par", "sect", "page"])
_INFO = {"title": "title", "author": "author", "subject": "subject", "keywords": "keywords"}
_HEADING = re.compile(r"(?:heading|标题|標題)\s*([1-9])", re.IGNORECASE)
_CONTENTS = re.compile(r"(?:toc|contents|目录|目錄)\s*\d+", re.IGNORECASE)
_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_HALF = re.compile("[\udc00-\udfff]")
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f]")
_DEEPEST = 10_000  # groups


def load_rtf(data: bytes, source: str, limits: Limits) -> Parsed:
    """Return the text of an RTF file. Raises DocumentError: limit, no-text."""
    reader = read_rtf(data)
    builder = reader.blocks.builder
    if not builder.position:
        raise only_pictures()
    marks = builder.sorted_marks()
    first = builder.first_heading(1)
    account = builder.account
    named = {"comments-left-out": account["comment"], "tracked-changes": account["deleted text"]}
    named["cut-off"] = reader.unclosed
    return Parsed(
        text=builder.text(),
        marks=marks,
        title=first or reader.info.get("title") or None,
        metadata={key: text for key, text in reader.info.items() if key != "title" and text},
        dropped=builder.dropped(),
        images=reader.images,
        warnings=tuple(f"{name}: {count}" for name, count in named.items() if count) + builder.warnings(),
    )


def read_rtf(data: bytes) -> _Reader:
    """Return a reader that has written the whole file into its blocks. Raises DocumentError with code `limit`."""
    reader = _Reader()
    for token in tokens(data):
        reader.take(token)
    reader.finish()
    return reader


class _Reader:
    def __init__(self) -> None:
        self.blocks = Blocks()
        self.state = State()
        self.stack: list[State] = []
        self.raw = bytearray()  # bytes that wait for their neighbours: a character may be two of them
        self.skip = 0  # characters that still stand for a Unicode one
        self.starred = False
        self.page = "cp1252"
        self.fonts: dict[int, str] = {}
        self.default_font = -1
        self.styles: dict[int, Style] = {}
        self.name: list[str] = []
        self.info: dict[str, str] = {}
        self.images = 0
        self.unclosed = 0  # groups that are open at the end: the file is cut off or damaged
        self.out: list[str] = []
        self.marker: list[str] = []
        self.note: list[str] = []
        self.box: list[str] = []
        self.notes: list[tuple[int, str]] = []
        self.boxes: list[str] = []
        self.note_count = 0
        self.table = Table()
        self.words: dict[str, Callable[[int | None], None]] = {
            "ansicpg": self._page,
            "uc": lambda number: setattr(self.state, "skipped", min(max(number or 0, 0), 1000)),
            "u": self._unicode,
            "f": self._font,
            "fcharset": self._charset,
            "deff": lambda number: setattr(self, "default_font", number if number is not None else -1),
            "v": lambda number: setattr(self.state, "hidden", number != 0),
            "deleted": lambda number: setattr(self.state, "deleted", number != 0),
            "plain": self._plain,
            "pard": self._pard,
            "s": self._style,
            "sbasedon": lambda number: setattr(self.state, "based", number or 0),
            "outlinelevel": self._outline,
            "intbl": lambda number: setattr(self.state, "in_table", True),
            "itap": lambda number: setattr(self.state, "depth", number or 0),
            "ilvl": lambda number: setattr(self.state, "level", min(max(number or 0, 0), 8)),
            "cell": lambda number: self._cell(),
            "nestcell": lambda number: self._text(" "),
            "nestrow": lambda number: self._text(" "),
            "row": lambda number: self._row(),
            "trowd": lambda number: setattr(self.table, "header", False),
            "trhdr": lambda number: setattr(self.table, "header", True),
            "line": lambda number: self._text("\n"),
            "lbr": lambda number: self._text("\n"),
        }

    def take(self, token: Token) -> None:
        """Take in one token."""
        if token.kind == "text":
            self._bytes(token.text)
            return
        if token.kind == "word" and self.skip and token.word not in ("bin", "u"):
            self.skip -= 1
            return
        self._flush()
        opens, self.state.opens = self.state.opens, False
        if token.kind == "open":
            self.skip = 0
            if len(self.stack) > _DEEPEST:
                raise too_deep()
            self.stack.append(self.state)
            self.state = replace(self.state, opens=True)
        elif token.kind == "close":
            self.skip = 0
            self._close()
        elif token.kind == "symbol":
            self._symbol(token.word, opens)
        else:
            starred, self.starred = self.starred, False
            self._word(token, starred, opens)

    def finish(self) -> None:
        """Write what waits at the end of the file; groups that were never closed are closed."""
        self._flush()
        self.unclosed = len(self.stack)
        for _ in range(self.unclosed):
            self._close()
        if self.note:  # a damaged file may leave a note or box without its end
            self.notes.append((self.note_count, self._joined(self.note)))
        if self.box:
            self.boxes.append(self._joined(self.box))
        self._paragraph()
        self._end_of_table()
        self.blocks.end_list()

    def _bytes(self, text: bytes) -> None:
        if self.skip:
            taken = min(self.skip, len(text))
            self.skip -= taken
            text = text[taken:]
        self.state.opens = self.state.opens and not text
        if text:
            self.starred = False
            self.raw += text

    def _flush(self) -> None:
        if self.raw:
            font = self.fonts.get(self.state.font if self.state.font >= 0 else self.default_font, self.page)
            raw, self.raw = bytes(self.raw), bytearray()
            self._text(decoded(raw, font, self.page))

    def _symbol(self, symbol: str, opens: bool) -> None:
        if symbol == "*":
            self.starred, self.state.opens = True, opens
        elif symbol == "~":
            self._text("\xa0")
        elif symbol == "_":
            self._text("-", added="hyphen")
        elif symbol in "\\{}":
            self._text(symbol)
        elif symbol in "\r\n":
            self._paragraph_end()

    def _word(self, token: Token, starred: bool, opens: bool) -> None:
        word = token.word
        if starred or (opens and (word in GROUPS or word in REASONS)):
            self._group(word, starred)
        elif self.state.group == "info" and word in _INFO:
            self.state.key = _INFO[word] if _INFO[word] not in self.info else ""
        elif word in _SYMBOLS:
            self._text(_SYMBOLS[word])
        elif word in _SPACES:
            self._text(" ")
        elif word in _PARAGRAPH_ENDS:
            self._paragraph_end()
        elif word in self.words:
            self.words[word](token.number)

    def _group(self, word: str, starred: bool) -> None:
        """The group that begins with this word is of its kind; what is silent stays so all the way in."""
        state, kind = self.state, GROUPS.get(word, "")
        self.images += word == "pict" and state.group != "skip"
        if state.group in SILENT:
            state.group = "skip" if starred else state.group
        elif kind in SILENT or kind == "shape":
            state.group = kind
        elif kind == "box":
            state.group = "box"
        elif word in REASONS:
            state.reason = state.reason or REASONS[word]
        elif kind == "footnote" and state.group == "body" and not state.reason:
            self.note_count += 1
            self._text(f"[^{self.note_count}]", added="note mark")
            state.group = kind
        elif kind == "listtext":
            state.group = kind if state.group == "body" else state.group
        elif starred and not kind and word not in PASSED:
            state.group = "skip"

    def _text(self, text: str, *, added: str = "") -> None:
        """Put the text where its group says; a control of the file's bytes is no text."""
        state, text = self.state, _CONTROLS.sub("", text)
        if not text or state.group in ("skip", "shape"):
            return
        if state.group == "stylesheet":
            self.name.append(text)
        elif state.group == "info":
            if state.key:
                self.info[state.key] = self.info.get(state.key, "") + text
        elif state.group != "fonttbl":
            reason = state.reason or ("deleted text" if state.deleted else "hidden text" if state.hidden else "")
            if reason:
                self.blocks.builder.drop(reason, 0 if added else visible(_HALF.sub("", text)))
            else:
                stream = {"listtext": self.marker, "footnote": self.note, "box": self.box}.get(state.group, self.out)
                stream.append(self.blocks.builder.added(added, text) if added else text)

    def _close(self) -> None:
        if not self.stack:
            return
        state, self.state = self.state, self.stack.pop()
        if state.group == "stylesheet" and self.state.group == "stylesheet":
            self._end_of_style(state)
        elif state.group == "footnote" and self.state.group != "footnote":
            self.notes.append((self.note_count, self._joined(self.note)))
        elif state.group == "box" and self.state.group != "box":
            self.boxes.append(self._joined(self.box))

    def _joined(self, parts: list[str]) -> str:
        text = _HALF.sub("", _PAIR.sub(_pair, "".join(parts)))
        parts.clear()
        return self.blocks.builder.clean(text).strip()

    def _end_of_style(self, state: State) -> None:
        name = "".join(self.name).strip().rstrip(";").strip()
        self.name.clear()
        heading = _HEADING.match(name)
        level = int(heading[1]) if heading else 1 if name.lower() in ("title", "标题", "標題") else 0
        if not level and state.outline is not None and state.outline < 9:
            level = state.outline + 1
        parent = self.styles.get(state.based, Style())  # styles stand behind those that they are based on
        self.styles[state.style] = Style(level or parent.level, parent.contents or bool(_CONTENTS.match(name)))

    def _paragraph_end(self) -> None:
        if self.state.group == "body":
            if self.state.deleted or self.state.reason:
                return
            self._paragraph()
        elif self.state.group in ("footnote", "box"):
            self._text("\n")

    def _paragraph(self) -> None:
        """Write the paragraph that ends here; in a table it goes on with the cell."""
        marker, text = one_line(self._joined(self.marker)), self._joined(self.out)
        state, builder = self.state, self.blocks.builder
        if state.in_table or state.depth:
            builder.drop("list number", visible(marker) - visible(_bullet(marker)))
            self.table.cell.append(f"{_bullet(marker)} {text}".strip())
            return
        self._end_of_table()
        style = self.styles.get(state.style, Style())
        if style.contents:
            builder.drop("table of contents", visible(marker) + visible(text))
        else:
            level = style.level if state.outline is None else state.outline + 1 if state.outline < 9 else 0
            builder.drop("list number", marker)
            shown = _bullet(marker)
            if not text:
                pass  # the number of an empty paragraph says nothing
            elif level:
                self.blocks.heading(text, level, shown)
            elif marker:
                self.blocks.item(text, state.level, shown)
            else:
                self.blocks.paragraph(text)
        self._asides()

    def _asides(self) -> None:
        """Write the notes and text boxes that were met in the block before."""
        notes, self.notes = self.notes, []
        boxes, self.boxes = self.boxes, []
        for box in boxes:
            for line in box.split("\n"):
                self.blocks.paragraph(line.strip())
        for number, text in notes:
            self.blocks.paragraph(self.blocks.builder.added("note mark", f"[^{number}]:") + " " + one_line(text))

    def _cell(self) -> None:
        if self.state.group == "body" and not self.state.reason:
            self.state.in_table = True
            self._paragraph()
            self.table.cells.append(one_line(" ".join(self.table.cell)))
            self.table.cell.clear()

    def _row(self) -> None:
        if self.state.group == "body" and not self.state.reason:
            text = one_line(f"{self._joined(self.marker)} {self._joined(self.out)}")
            cells = [*self.table.cells, *([rest] if (rest := one_line(" ".join([*self.table.cell, text]))) else [])]
            self.table.rows.append(TableRow(tuple(cells), self.table.header))
            self.table.cells.clear()
            self.table.cell.clear()

    def _end_of_table(self) -> None:
        table = self.table
        if table.cells or any(table.cell):
            table.rows.append(TableRow((*table.cells, one_line(" ".join(table.cell)))))
        if table.rows:
            self.blocks.table(table.rows)
            self.table = Table(header=table.header)
            self._asides()

    def _page(self, number: int | None) -> None:
        self.page = codec(number or 1252)

    def _unicode(self, number: int | None) -> None:
        self.skip = 0
        if number is not None:
            self._text(chr(number & 0xFFFF))
            self.skip = self.state.skipped

    def _font(self, number: int | None) -> None:
        self.state.font = number if number is not None and 0 <= number < 100_000 else -1

    def _charset(self, number: int | None) -> None:
        if self.state.group == "fonttbl" and self.state.font >= 0 and number in CHARSETS:
            self.fonts[self.state.font] = codec(CHARSETS[number])

    def _plain(self, number: int | None) -> None:
        self.state.hidden = self.state.deleted = False
        self.state.font = -1

    def _pard(self, number: int | None) -> None:
        self.state.style, self.state.outline, self.state.level = 0, None, 0
        self.state.in_table, self.state.depth = False, 0

    def _style(self, number: int | None) -> None:
        self.state.style = number or 0

    def _outline(self, number: int | None) -> None:
        self.state.outline = number if number is not None and 0 <= number <= 9 else None


def _bullet(marker: str) -> str:
    """Return the number as it is, or a bullet for one character of a font of symbols."""
    is_symbol = len(marker) == 1 and (marker == "·" or "\ue000" <= marker <= "\uf8ff")
    return "•" if is_symbol else marker


def _pair(match: re.Match[str]) -> str:
    return match[0].encode("utf-16-le", "surrogatepass").decode("utf-16-le")
