"""Web pages: the main text in blocks, with headings, lists, code and tables; scripts, hidden parts and the furniture of the site left out.

White space is collapsed as a browser does. What is left out is decided before the text is written (`html_parts.py`), and counted by its reason.
The tree is walked with a stack of our own, since hostile pages nest deeper than Python's.

For other loaders (mails, books): `html_blocks(builder, data, charset=None) -> Facts` writes the HTML body `data` (bytes or str) into a
`TextBuilder` with marks and account; what it found is `yinju.load.count.web.count_markup(data, charset=None)`.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from yinju.load.clean import WHAT, clean
from yinju.load.encoding import Decoded, decode
from yinju.load.parsed import Limits, Parsed, visible
from yinju.load.web.html_parts import BLOCKS, left_out, main_part, properties
from yinju.types import Dropped, Mark, MarkKind, Span

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

_CHARSET = re.compile(
    rb"<meta[^>]{0,300}?charset\s*=\s*[\"']?\s*([\w.:-]{2,40})|<\?xml[^>]{0,100}?encoding=[\"']([\w.:-]{2,40})",
    re.IGNORECASE,
)
_SPACE = re.compile(r"[ \t\n\r\f\xa0]+")
_BREAK = "\r"  # a line end of the source inside a block
_CHINESE = "[\u2e80-\u9fff\uf900-\ufaff\uff01-\uff60\U00020000-\U0003ffff]"
_BREAK_IN_CHINESE = re.compile(f"(?<={_CHINESE}) *\r[ \r]*(?={_CHINESE})")
_LANGUAGE_CLASS = re.compile(r"(?:language|lang|highlight-source|brush)[-: ]+([\w+#-]+)")
_HEADINGS = {f"h{level}": level for level in range(1, 7)}


@dataclass(frozen=True, slots=True)
class Page:
    """A parsed page with the encoding that it was decoded by."""

    tree: LexborHTMLParser
    decoded: Decoded


def parse_html(data: bytes) -> Page:
    """Return the tree of the page. The charset that it declares only breaks ties. Raises DocumentError with code `binary`."""
    from selectolax.lexbor import LexborHTMLParser

    match = _CHARSET.search(data[:4096])
    declared = next((group.decode("ascii") for group in match.groups() if group), None) if match else None
    decoded = decode(data, declared)
    return Page(LexborHTMLParser(decoded.text.replace("\x00", "")), decoded)


def load_html(data: bytes, source: str, limits: Limits) -> Parsed:
    """Return the main text of the page. Raises DocumentError."""
    page = parse_html(data)
    writer = _Writer()
    root = page.tree.root
    if root is not None:
        _walk(root, main_part(page.tree), writer)
    writer.block()
    title, metadata = properties(page.tree)
    text = writer.text()
    first = next((m.label for m in writer.marks if m.kind == "heading" and m.level == 1), None)
    counts = tuple(Dropped(what, count) for what, count in writer.dropped.items() if count)
    hidden = writer.dropped[WHAT]
    return Parsed(
        text=text,
        marks=tuple(writer.marks),
        title=first or title,
        metadata={"encoding": page.decoded.encoding, **metadata},
        dropped=counts,
        warnings=page.decoded.warnings + ((f"hidden-characters: {hidden}",) if hidden else ()),
    )


def _walk(root: LexborNode, main: LexborNode | None, writer: _Writer) -> None:
    """Write every text node once: into the document, or into the account of what was left out."""
    stack: list[tuple[LexborNode, str, bool]] = [(root, "" if main is None else "page furniture", False)]
    main_id = main.mem_id if main is not None else None
    while stack:
        node, reason, leaving = stack.pop()
        if leaving:
            writer.leave(node)
        elif node.is_text_node:
            text = node.text_content or ""
            if reason:
                writer.dropped[reason] += visible(text)
            else:
                writer.write(text)
        elif node.is_element_node:
            if node.mem_id == main_id:
                reason = ""
            elif not reason:
                reason = left_out(node)
            if not reason:
                writer.enter(node)
                stack.append((node, reason, True))
            elif node.mem_id != main_id and reason == "page furniture":
                reason = left_out(node) or reason
            stack += [(child, reason, False) for child in reversed(list(node.iter(include_text=True)))]


@dataclass(slots=True)
class _Open:
    kind: MarkKind | None
    start: int
    level: int = 0
    label: str = ""


class _Writer:
    """Text and marks under construction. Between two blocks stands one line end, around paragraphs, tables and lists an empty line."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.length = 0
        self.marks: list[Mark] = []
        self.dropped: Counter[str] = Counter()
        self.line: list[str] = []  # inline pieces of the block that is being read
        self.preformatted = 0
        self.lists: list[int | None] = []  # the number of the last item, None for bullets
        self.open: list[_Open] = []
        self.marker = ""  # of the list item that begins
        self.gap = 0  # line ends owed before the next text
        self.cells: list[list[str]] | None = None
        self.current = 0  # the cell that is being read
        self.below: dict[int, int] = {}  # column -> rows that a cell above still takes
        self.table_head = 0
        self.rows: list[tuple[Span, bool]] = []
        self.tables = 0

    def text(self) -> str:
        """Return the text so far."""
        return "".join(self.parts)

    def write(self, text: str) -> None:
        """Take the content of a text node."""
        cleaned = clean(text)
        self.dropped[WHAT] += cleaned.removed
        self.line.append(cleaned.text if self.preformatted else _SPACE.sub(_collapsed, cleaned.text))

    def enter(self, node: LexborNode) -> None:
        """Begin an element."""
        tag = node.tag or ""
        if tag == "br":
            self.line.append("\n")
            return
        if self._in_table():
            self._enter_in_table(tag, node)
            return
        if tag in BLOCKS:
            self.block(
                2
                if tag in ("p", "pre", "blockquote", "table", "ul", "ol", "dl", "figure", *_HEADINGS) and not self.lists
                else 1
            )
        if tag in _HEADINGS:
            self.open.append(_Open("heading", -1, _HEADINGS[tag]))
        elif tag == "pre":
            self.preformatted += 1
            self.open.append(_Open("code", -1, 0, _language(node)))
        elif tag in ("ul", "ol"):
            self.lists.append(_first_number(node) - 1 if tag == "ol" else None)
            self.open.append(_Open("list" if len(self.lists) == 1 else None, -1))
        elif tag == "li":
            self._marker()
        elif tag == "table" and _is_data(node):
            self.tables += 1
            self.rows, self.cells, self.below = [], None, {}

    def leave(self, node: LexborNode) -> None:
        """End an element."""
        tag = node.tag or ""
        if self._in_table():
            self._leave_in_table(tag)
            return
        if tag in _HEADINGS or tag == "pre" or tag in ("ul", "ol"):
            self.block(2 if not self.lists[1:] else 1)
            self.preformatted -= tag == "pre"
            if tag in ("ul", "ol"):
                self.lists.pop()
            self._close(self.open.pop())
        elif tag in BLOCKS:
            self.block(2 if tag in ("p", "blockquote", "figure") and not self.lists else 1)
            if tag == "li":
                self.marker = ""
        elif tag in ("td", "th"):
            self.line.append(" ")

    def block(self, gap: int = 1) -> None:
        """End the block that is being read and write it, if it has any text."""
        joined = "".join(self.line)
        self.line = []
        shown = joined.strip("\n").rstrip() if self.preformatted else _paragraph(joined)
        if shown.strip():
            start = self._put(self.marker + shown)
            self.dropped["list markers"] -= visible(self.marker)
            self.marker = ""
            for item in self.open:
                item.start = start if item.start < 0 else item.start
                if item.kind == "heading":
                    item.label = " ".join(f"{item.label} {shown}".split())
            self.gap = gap
        else:
            self.gap = max(self.gap, gap) if self.length else 0

    def _put(self, text: str) -> int:
        if self.length:
            self._append("\n" * max(1, self.gap))
        start = self.length
        self._append(text)
        return start

    def _append(self, text: str) -> None:
        self.parts.append(text)
        self.length += len(text)

    def _close(self, item: _Open) -> None:
        if item.kind is not None and 0 <= item.start < self.length:
            self.marks.append(Mark(item.kind, Span(item.start, self.length), item.level, item.label))

    def _marker(self) -> None:
        depth = max(0, len(self.lists) - 1)
        if not self.lists or self.lists[-1] is None:
            self.marker = "  " * depth + "- "
            return
        self.lists[-1] += 1
        self.marker = "  " * depth + f"{self.lists[-1]}. "

    def _in_table(self) -> bool:
        return self.tables > 0

    def _enter_in_table(self, tag: str, node: LexborNode) -> None:
        if tag == "tr":
            self._end_row()
            self.cells, self.table_head = [], 0
        elif tag in ("td", "th") and self.cells is not None:
            self._end_cell()
            self._begin_cell(node)
            self.table_head += tag == "th"
        elif tag in BLOCKS:
            self.line.append(" ")

    def _begin_cell(self, node: LexborNode) -> None:
        """Open a cell. Below a cell that spans rows, and right of one that spans columns, empty cells keep the columns apart."""
        assert self.cells is not None
        while self.below.get(len(self.cells), 0) > 0:
            self.below[len(self.cells)] -= 1
            self.cells.append([])
        wide, deep = _number(node, "colspan"), _number(node, "rowspan")
        first = len(self.cells)
        self.cells += [[] for _ in range(wide)]
        self.current = first
        for column in range(first, first + wide):
            self.below[column] = deep - 1

    def _leave_in_table(self, tag: str) -> None:
        if tag == "table":
            self._end_row()
            self.tables -= 1
            self.block(2)
            self._end_table()
        elif tag == "tr":
            self._end_row()
        elif tag == "caption":
            self.block(1)
        elif tag in BLOCKS:
            self.line.append(" ")

    def _end_cell(self) -> None:
        text = " ".join(_flowing("".join(self.line)).split())
        self.line = []
        if self.cells:
            self.cells[self.current].append(text)
        elif text:
            self.line = [text]
            self.block(1)

    def _end_row(self) -> None:
        if self.cells is None:
            return
        self._end_cell()
        cells = [" ".join(piece for piece in cell if piece) for cell in self.cells]
        self.cells = None
        if any(cells):
            start = self._put("\t".join(cells).rstrip("\t"))
            self.rows.append((Span(start, self.length), self.table_head == sum(map(bool, cells))))
            self.gap = 1

    def _end_table(self) -> None:
        if not self.rows:
            return
        head = 0
        while head < len(self.rows) - 1 and self.rows[head][1]:
            head += 1
        start, end = self.rows[0][0].start, self.rows[-1][0].end
        self.marks.append(Mark("table", Span(start, end)))
        if head:
            self.marks.append(Mark("header", Span(start, self.rows[head - 1][0].end)))
        self.marks += [Mark("row", span) for span, _ in self.rows[head:]]
        self.gap = 2


def _collapsed(match: re.Match[str]) -> str:
    return _BREAK if "\n" in match.group() else " "


def _flowing(text: str) -> str:
    """Return the text of a block with single spaces; a line end of the source is none between two Chinese characters."""
    text = _BREAK_IN_CHINESE.sub("", text).replace(_BREAK, " ")
    return re.sub(" {2,}", " ", text)


def _paragraph(text: str) -> str:
    return "\n".join(line.strip() for line in _flowing(text).split("\n")).strip()


def _is_data(table: LexborNode) -> bool:
    """Say whether a table holds data; one that holds tables, headings or code of its own is a page's layout."""
    return len(table.css("table")) == 1 and table.css_first("h1, h2, h3, pre") is None


def _language(pre: LexborNode) -> str:
    code = pre.css_first("code")
    classes = " ".join(filter(None, (pre.attributes.get("class"), code.attributes.get("class") if code else None)))
    match = _LANGUAGE_CLASS.search(classes)
    return match.group(1) if match else ""


def _number(node: LexborNode, attribute: str) -> int:
    value = node.attributes.get(attribute) or ""
    return min(max(int(value), 1), 100) if value.isascii() and value.isdigit() and len(value) < 6 else 1


def _first_number(node: LexborNode) -> int:
    start = node.attributes.get("start") or ""
    return int(start) if re.fullmatch(r"-?[0-9]{1,6}", start) else 1
