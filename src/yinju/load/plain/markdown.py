"""Markdown: the file's own text, with marks from the block structure of CommonMark (markdown-it-py) and GitHub's tables.

Only blocks are parsed; inline syntax is read for the labels of headings alone. What is parsed is a view of the text in which dialects do not
mislead (`dialects`); it has the same lines, and offsets come from markdown-it's line numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from yinju.load.clean import clean
from yinju.load.encoding import decode
from yinju.load.numbering import pseudo_headings
from yinju.load.parsed import Limits, Parsed, visible
from yinju.load.plain.dialects import view
from yinju.load.plain.frontmatter import read_front_matter
from yinju.load.plain.html_tables import html_table
from yinju.types import Dropped, Mark, Span

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_HTML_HEADING = re.compile(r"<h([1-6])(?:\s[^>]*)?>(.*?)</h\1\s*>", re.DOTALL | re.IGNORECASE)
_NO_HEADINGS = re.compile(r"\s*<(?:!--|(?:pre|script|style|textarea|template)\b)", re.IGNORECASE)
_TAG = re.compile(r"<[^<>]*>")
_FENCE_OR_HEADING = re.compile(r"^(?: {0,3}(`{3,}|~{3,})(.*)|#{1,6}[ \t].*)$", re.MULTILINE)
_RAW_HTML = (
    ("<!--", "-->"),
    ("<pre", "</pre"),
    ("<script", "</script"),
    ("<style", "</style"),
    ("<textarea", "</textarea"),
    ("<?", "?>"),
)
_RAW_HTML_OPENS = tuple(first for first, _ in _RAW_HTML)
_RAW_HTML_EDGE = re.compile(
    r"^ {0,3}<(?:!--|\?|(?:pre|script|style|textarea)(?=[\s>]))|-->|\?>|</(?:pre|script|style|textarea)>",
    re.MULTILINE | re.IGNORECASE,
)
PIECE = 400_000  # characters
_ANCHOR = re.compile(
    r"\s*\{:?\s*[#.][^{}]*\}\s*$|\s*\{/\*.*?\*/\}\s*$"
)  # the explicit id of Docusaurus, Hugo and others
_WIKI_LINK = re.compile(r"!?\[\[([^\[\]|]*)(?:\|([^\[\]|]*))?\]\]")
_FOOTNOTE = re.compile(r"\[\^[^\[\]]{1,80}\]")
_SHORTCODE = re.compile(r"\{\{[<%].*?[%>]\}\}|\{%.*?%\}")
_LANGUAGE = re.compile(r"[\s{.]*([\w+#.-]*[\w+#])")
_BOLD_LINE = re.compile(r"(\*\*)([^*\n]{1,60})\1[：:]?[ \t]*")
_RULE = re.compile(r"[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*")
_KEY_LINE = re.compile(r"[A-Za-z_][\w-]*:\s")
_ENDS_A_SENTENCE = tuple("。！？；，：.!?;,:")
_LONGEST_UNDERLINED = 40  # characters of a line with a stop at its end


def load_markdown(data: bytes, source: str, limits: Limits) -> Parsed:
    """Return the document without its front matter, which becomes title and metadata. Raises DocumentError."""
    decoded = decode(data)
    cleaned = clean(decoded.text)
    front = read_front_matter(cleaned.text)
    text = cleaned.text[front.length :]
    cut = cleaned.text[: front.length]
    marks = tuple(structure_of(text))
    dropped = (Dropped("front matter", visible(cut)),) if cut else ()
    return Parsed(
        text=text,
        marks=marks,
        anchors=((0, 1 + cut.count("\n")),),
        title=front.title or next((m.label for m in marks if m.kind == "heading" and m.level == 1 and m.label), None),
        metadata={"encoding": decoded.encoding, **front.metadata},
        dropped=dropped + cleaned.dropped,
        warnings=decoded.warnings + cleaned.warnings + front.warnings,
    )


def structure_of(text: str, size: int = PIECE) -> Iterator[Mark]:
    """Yield the marks of a Markdown text without front matter, unsorted. A long text is parsed in pieces: its tokens would fill the memory."""
    seen = view(text)
    lines = _Lines(text, seen.text)
    environment: dict[str, Any] = {}
    headings: list[Mark] = []
    bold: list[Mark] = []
    first = 0
    for piece in pieces(seen.text, size):
        for mark in _structure_of_piece(piece, lines, first, environment):
            if mark.kind == "heading":
                (headings if mark.level else bold).append(mark)
            else:
                yield mark
        first += piece.count("\n")
    yield from headings
    yield from pseudo_headings(bold, headings)
    for block in seen.blocks:
        span = lines.whole(block.first, block.end)
        if block.kind == "table":
            yield from html_table(text, span)
        else:
            yield Mark("code", span, 0, block.label)


def pieces(text: str, size: int) -> Iterator[str]:
    """Yield the text in pieces of at least `size` characters, cut only in front of a heading at which no other block goes on.

    Fences are followed twice, with those that stand in raw HTML and without: only where neither way leaves one open is the cut sure.
    """
    start = seen = 0
    fence = outside = raw = ""
    for match in _FENCE_OR_HEADING.finditer(text) if len(text) > size else ():
        if not outside:
            raw = _raw_html(text, seen, match.start(), raw)
        seen = match.start()
        fence = _fence_after(match, fence)
        outside = outside if raw else _fence_after(match, outside)
        heading, closed = match.group(1) is None, not (fence or outside or raw)
        if heading and closed and seen - start >= size and _ends_all_blocks(text, start, seen):
            yield text[start:seen]
            start = seen
    yield text[start:]


def _fence_after(match: re.Match[str], fence: str) -> str:
    """Return what opened the fence that is open behind this line, "" where none is; `fence` is that before it."""
    marker, rest = match.group(1) or "", match.group(2) or ""
    if fence:
        return "" if marker.startswith(fence) and not rest.strip() else fence
    return marker if marker.startswith("~") or "`" not in rest else ""


def _raw_html(text: str, start: int, end: int, opened: str) -> str:
    """Return what opened the raw HTML that is open at `end`, "" where none is; `opened` is that at `start`."""
    for match in _RAW_HTML_EDGE.finditer(text, start, end):
        edge = match.group().lower().strip()
        if not opened:
            opened = edge if edge.startswith(_RAW_HTML_OPENS) else ""
        elif edge.startswith({"<!--": "-->", "<?": "?>"}.get(opened, "</")):
            opened = ""
    return opened


def _ends_all_blocks(text: str, start: int, end: int) -> bool:
    """Say whether an empty line and no open comment or raw HTML stands before `end`."""
    if text[end - 2 : end] != "\n\n":
        return False
    return all(text.rfind(first, start, end) <= text.rfind(last, start, end) for first, last in _RAW_HTML)


def _structure_of_piece(text: str, lines: _Lines, first: int, environment: dict[str, Any]) -> Iterator[Mark]:
    """Yield the marks of a piece whose first line is line `first` of the document. A bold line that may be a heading has level 0."""
    reader = _reader()
    tokens = reader.parse(text, environment)
    list_end = 0
    for place, token in enumerate(tokens):
        if token.map is None:
            continue
        span = lines.span(first + token.map[0], first + token.map[1])
        match token.type:
            case "heading_open" if token.level == 0:
                label = _label(reader, tokens[place + 1], environment)
                if label and (token.markup[0] == "#" or _is_underlined_title(tokens[place + 1].content, lines, span)):
                    yield Mark("heading", span, int(token.tag[1]), label)
            case "paragraph_open" if tokens[place + 1].content[:1] in ("*", "|") and token.level == 0:
                yield from _in_paragraph(tokens[place + 1].content, lines, first + token.map[0], span)
            case "fence" | "code_block":
                yield Mark("code", span, 0, _language(token.info))
            case "table_open":
                yield Mark("table", span)
                yield Mark("header", lines.span(first + token.map[0], first + token.map[0] + 2))
            case "tr_open" if tokens[place - 1].type != "thead_open":
                yield Mark("row", span)
            case "bullet_list_open" | "ordered_list_open" if token.map[0] >= list_end:  # no list in a list
                list_end = token.map[1]
                yield Mark("list", span)
            case "html_block" if not _NO_HEADINGS.match(token.content):
                yield from _html_headings(lines.text, span)
            case _:
                pass


def _in_paragraph(content: str, lines: _Lines, first: int, span: Span) -> Iterator[Mark]:
    if alone := _BOLD_LINE.fullmatch(content):
        yield Mark("heading", span, 0, " ".join(alone.group(2).split()))
    elif content[0] == "|":
        yield from _uneven_table(content, lines, first)


def _is_underlined_title(content: str, lines: _Lines, span: Span) -> bool:
    """Whether what is underlined is a title: a paragraph that lacks its blank line, and the keys of a slide's front matter, are none."""
    if content.count("\n") > (lines.text[span.end - 1] == "=") or (
        len(content) > _LONGEST_UNDERLINED and content.endswith(_ENDS_A_SENTENCE)
    ):
        return False
    return not (_KEY_LINE.match(content) and lines.text[: span.start].rstrip().endswith("\n---"))


def _uneven_table(content: str, lines: _Lines, first: int) -> Iterator[Mark]:
    """Yield the marks of a table whose rule has more or fewer columns than its header: no renderer shows it, but people write it."""
    rows = content.split("\n")
    if len(rows) < 3 or not _RULE.fullmatch(rows[1]) or not all(row.lstrip().startswith("|") for row in rows):
        return
    yield Mark("table", lines.span(first, first + len(rows)))
    yield Mark("header", lines.span(first, first + 2))
    for number in range(first + 2, first + len(rows)):
        yield Mark("row", lines.span(number, number + 1))


def _language(info: str) -> str:
    """Return the language of a fence: `js` of `js{1,3} title=x`, `{r}` and `{.js}`."""
    found = _LANGUAGE.match(info)
    return found.group(1) if found else ""


class _Lines:
    """Line numbers to offsets; a span ends before its last line end and before lines that follow it and are empty for the parser."""

    def __init__(self, text: str, seen: str) -> None:
        self.text = text
        self._starts = [0, *(match.end() for match in re.finditer("\n", text)), len(text) + 1]
        self._seen = seen.split("\n") if seen is not text else []

    def span(self, first: int, end: int) -> Span:
        while self._seen and end - 1 > first and not self._seen[min(end, len(self._seen)) - 1].strip(" \t>"):
            end -= 1
        return self.whole(first, end)

    def whole(self, first: int, end: int) -> Span:
        last = len(self._starts) - 1
        start, stop = self._starts[min(first, last)], self._starts[min(end, last)] - 1
        stop = min(stop, len(self.text))
        return Span(start, start + len(self.text[start:stop].rstrip()))


@lru_cache(maxsize=1)
def _reader() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark").enable("table").disable(["inline", "text_join"])


def _label(reader: MarkdownIt, inline: Token, environment: dict[str, Any]) -> str:
    """Return the plain text of a heading's inline content."""
    children: list[Token] = []
    reader.inline.parse(inline.content, reader, environment, children)
    pieces: list[str] = []
    for child in children:
        if child.type in ("text", "code_inline", "text_special"):
            pieces.append(child.content)
        elif child.type in ("softbreak", "hardbreak"):
            pieces.append(" ")
        elif child.type == "image":
            pieces.append(child.content)
    label = _ANCHOR.sub("", "".join(pieces))
    if "[" in label:
        label = _FOOTNOTE.sub("", _WIKI_LINK.sub(lambda link: link.group(2) or link.group(1), label))
    if "{" in label:
        label = _SHORTCODE.sub(" ", label)
    return " ".join(label.split())


def _html_headings(text: str, span: Span) -> Iterator[Mark]:
    for match in _HTML_HEADING.finditer(text, span.start, span.end):
        label = " ".join(_TAG.sub(" ", match.group(2)).split())
        if label:
            yield Mark("heading", Span(match.start(), match.end()), int(match.group(1)), label)
