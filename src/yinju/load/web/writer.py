"""Blocks of a page to text: white space as a browser shows it, list numbers, code, headings and tables as marks.

Between two blocks stands one line end, around paragraphs, tables and lists an empty line. A line end of the source between two Chinese
characters is no space.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from yinju.load.builder import TextBuilder
from yinju.load.web.names import APART, BLOCKS, LISTS
from yinju.load.web.tables import Grid
from yinju.types import MarkKind, Span

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

_SPACE = re.compile(r"[ \t\n\r\f\xa0]+")
_BREAK = "\r"  # a line end of the source inside a block
_CHINESE = "[\u2e80-\u9fff\uf900-\ufaff\uff01-\uff60\u2018\u2019\u201c\u201d\u2014\u2026\U00020000-\U0003ffff]"
_BREAK_IN_CHINESE = re.compile(f"(?<={_CHINESE}) *\r[ \r]*(?={_CHINESE})")
_EMPTY_LINES = re.compile(r"\n{3,}")
_LANGUAGE_CLASSES = (
    re.compile(r"(?:^|[\s_-])(?:language|lang)[-:]\s*([\w+#]+)"),
    re.compile(r"(?:highlight-source|highlight|brush|sourceCode)[-: ]+([\w+#]+)"),
)
_NO_LANGUAGE = frozenset(("default", "none", "plaintext", "wrapper", "text", "code"))
MARKERS = "list markers"


@dataclass(slots=True)
class _Open:
    kind: MarkKind | None
    start: int
    level: int = 0
    label: str = ""


class Writer:
    """Text and marks under construction, one page after another."""

    def __init__(self, builder: TextBuilder, cells: int) -> None:
        self.builder = builder
        self.line: list[str] = []  # inline pieces of the block that is being read
        self.preformatted = 0
        self.headings = 0  # open ones
        self.lists: list[int | None] = []  # the number of the last item, None for bullets
        self.open: list[_Open] = []
        self.marker = ""  # of the list item that begins
        self.gap = 2 if builder.position else 0  # line ends owed before the next text
        self.grid: Grid | None = None
        self.cells_left = cells

    def write(self, text: str) -> None:
        """Take the content of a text node."""
        cleaned = self.builder.clean(text)
        self.line.append(cleaned if self.preformatted else _SPACE.sub(_collapsed, cleaned))

    def piece(self, text: str) -> None:
        """Take a piece whose white space is as it should be: a mark of a note, a formula."""
        self.line.append(self.builder.clean(text))

    def space(self) -> None:
        """Set what comes apart from what was before, on the same line."""
        if self.line and not self.preformatted:
            self.line.append(" ")

    def enter(self, node: LexborNode, tag: str, attributes: Mapping[str, str | None], level: int) -> None:
        """Begin an element; `level` is that of a heading, else 0."""
        if tag == "br":
            self.line.append(_BREAK if self.headings else "\n")
        elif tag == "wbr":
            pass
        elif tag in ("input", "img", "video", "audio", "canvas"):
            self.line.append("" if self.preformatted else " " if tag == "input" else "")
        elif self.grid is not None:
            self._enter_in_table(self.grid, tag, node)
        elif self.preformatted and tag != "pre":
            if tag in BLOCKS or tag == "code":
                self._new_line_of_code()
        elif level:
            self.block(2 if not self.lists else 1)
            self.headings += 1
            self.open.append(_Open("heading", -1, level))
        elif tag in BLOCKS:
            self._begin_block(node, tag, attributes)

    def _begin_block(self, node: LexborNode, tag: str, attributes: Mapping[str, str | None]) -> None:
        if self.headings:
            self.line.append(" ")
            return
        self.block(2 if tag in APART and not self.lists else 1)
        if tag == "pre":
            self.preformatted += 1
            self.open.append(_Open("code", -1, 0, code_language(node)))
        elif tag in LISTS:
            self.lists.append(_number(attributes.get("start"), 1) - 1 if tag == "ol" else None)
            self.open.append(_Open("list" if len(self.lists) == 1 else None, -1))
        elif tag == "li":
            self._item(attributes)

    def begin_table(self) -> None:
        """Begin a table of data."""
        self.grid = Grid(self.cells_left)

    def leave(self, tag: str, level: int) -> None:
        """End an element."""
        if self.grid is not None:
            self._leave_in_table(self.grid, tag)
        elif self.preformatted and tag != "pre":
            if tag in BLOCKS:
                self._new_line_of_code()
        elif level:
            self.block(2 if not self.lists else 1)
            self.headings -= 1
            self._close(self.open.pop())
        elif tag not in BLOCKS:
            return
        elif self.headings:
            self.line.append(" ")
        elif tag == "pre" or tag in LISTS:
            self.block(2 if not self.lists[1:] else 1)
            self.preformatted -= tag == "pre"
            if tag in LISTS:
                self.lists.pop()
            self._close(self.open.pop())
        else:
            self.block(2 if tag in APART and not self.lists else 1)
            if tag == "li":
                self.marker = ""

    def block(self, gap: int = 1) -> None:
        """End the block that is being read and write it, if it has any text."""
        joined = "".join(self.line)
        self.line = []
        shown = joined.strip("\n").rstrip() if self.preformatted else paragraph(joined)
        if shown.strip():
            if self.headings:
                shown = " ".join(shown.split())
            self.builder.separate(self._owed())
            start = self.builder.position
            self.builder.write(self.builder.added(MARKERS, self.marker) + shown)
            self.marker = ""
            for item in self.open:
                item.start = start if item.start < 0 else item.start
                if item.kind == "heading":
                    item.label = " ".join(f"{item.label} {shown}".split())
            self.gap = gap
        else:
            self.gap = max(self.gap, gap) if self.builder.position else 0

    def set_marker(self, marker: str) -> None:
        """Put a bullet before the block that begins."""
        self.marker = marker

    def _owed(self) -> str:
        return "\n" * max(1, self.gap)

    def _new_line_of_code(self) -> None:
        last = next((piece for piece in reversed(self.line) if piece), "\n")
        if not last.endswith("\n"):
            self.line.append("\n")

    def _close(self, item: _Open) -> None:
        if item.kind is not None and 0 <= item.start < self.builder.position:
            self.builder.mark(item.kind, Span(item.start, self.builder.position), item.level, item.label)

    def _item(self, attributes: Mapping[str, str | None]) -> None:
        depth = max(0, len(self.lists) - 1)
        last = self.lists[-1] if self.lists else None
        if last is None:
            self.marker = "  " * depth + "- "
            return
        self.lists[-1] = number = _number(attributes.get("value"), last + 1)
        self.marker = "  " * depth + f"{number}. "

    def _enter_in_table(self, grid: Grid, tag: str, node: LexborNode) -> None:
        if tag in ("td", "th"):
            self._end_cell(grid)
            grid.begin_cell(node, tag == "th")
        elif tag == "tr":
            self._end_cell(grid)
            grid.end_row()
            grid.begin_row()
        elif tag == "thead":
            grid.in_head = True
        elif tag in BLOCKS:
            self.line.append(" ")

    def _leave_in_table(self, grid: Grid, tag: str) -> None:
        if tag in ("td", "th"):
            self._end_cell(grid)
        elif tag in ("tr", "table"):
            self._end_cell(grid)
            grid.end_row()
            if tag == "table":
                self._end_table(grid)
        elif tag == "thead":
            grid.in_head = False
        elif tag == "caption":
            self.block(1)
        elif tag in BLOCKS:
            self.line.append(" ")

    def _end_cell(self, grid: Grid) -> None:
        text = flowing("".join(self.line))
        if grid.in_cell:
            self.line = []
            grid.end_cell(text)
        elif text.strip():
            self.block(1)
        else:
            self.line = []

    def _end_table(self, grid: Grid) -> None:
        self.grid = None
        self.block(1)
        self.cells_left = grid.cells_left
        start = grid.write(self.builder, self._owed())
        if start is not None:
            self.marker, self.gap = "", 2
            for item in self.open:
                item.start = start if item.start < 0 else item.start


def _collapsed(match: re.Match[str]) -> str:
    return _BREAK if "\n" in match.group() else " "


def flowing(text: str) -> str:
    """Return the text of a block with single spaces; a line end of the source is none between two Chinese characters."""
    if _BREAK in text:
        text = _BREAK_IN_CHINESE.sub("", text).replace(_BREAK, " ")
    return re.sub(" {2,}", " ", text)


def paragraph(text: str) -> str:
    """Return the text of a block, each line without white space around it."""
    shown = "\n".join(line.strip() for line in flowing(text).split("\n")).strip()
    return _EMPTY_LINES.sub("\n\n", shown)


def code_language(pre: LexborNode) -> str:
    """Return the language of a code block, by the classes of the block, its code, or the box around it."""
    code = pre.css_first("code")
    around = (pre, code, pre.parent, pre.parent.parent if pre.parent is not None else None)
    for node in around:
        classes = (node.attributes.get("class") or "") if node is not None and node.is_element_node else ""
        for pattern in _LANGUAGE_CLASSES:
            match = pattern.search(classes)
            if match and match[1].lower() not in _NO_LANGUAGE:
                return str(match[1])
    data = pre.attributes.get("data-lang") or pre.attributes.get("data-language") or pre.attributes.get("lang") or ""
    return data if re.fullmatch(r"[\w+#]{1,20}", data) else ""


def _number(value: str | None, default: int) -> int:
    return int(value) if value and re.fullmatch(r"-?[0-9]{1,6}", value) else default
