"""Markdown: the file's own text, with marks from the block structure of CommonMark (markdown-it-py) and GitHub's tables.

Only blocks are parsed; inline syntax is read for the labels of headings alone. Offsets come from markdown-it's line numbers, so the text must
not be changed in between.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from yinju.load.clean import clean
from yinju.load.encoding import decode
from yinju.load.parsed import Limits, Parsed, visible
from yinju.load.plain.frontmatter import read_front_matter
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
PIECE = 400_000  # characters
_ANCHOR = re.compile(r"\s*\{#[^{}]*\}\s*$")  # the explicit id of Docusaurus, Hugo and others


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


def structure_of(text: str) -> Iterator[Mark]:
    """Yield the marks of a Markdown text without front matter, unsorted. A long text is parsed in pieces: its tokens would fill the memory."""
    environment: dict[str, Any] = {}
    offset = 0
    for piece in pieces(text, PIECE):
        for mark in _structure_of_piece(piece, environment):
            yield mark if offset == 0 else replace(mark, span=Span(mark.span.start + offset, mark.span.end + offset))
        offset += len(piece)


def pieces(text: str, size: int) -> Iterator[str]:
    """Yield the text in pieces of at least `size` characters, cut only in front of a heading at which no other block goes on."""
    start, fence = 0, ""
    for match in _FENCE_OR_HEADING.finditer(text) if len(text) > size else ():
        marker, rest = match.group(1) or "", match.group(2) or ""
        if fence:
            fence = "" if marker.startswith(fence) and not rest.strip() else fence
        elif marker.startswith("~") or "`" not in rest:
            fence = marker
        if not marker and not fence and match.start() - start >= size and _ends_all_blocks(text, start, match.start()):
            yield text[start : match.start()]
            start = match.start()
    yield text[start:]


def _ends_all_blocks(text: str, start: int, end: int) -> bool:
    """Say whether an empty line and no open comment or raw HTML stands before `end`."""
    if text[end - 2 : end] != "\n\n":
        return False
    opened = (
        (first, last) for first, last in _RAW_HTML if text.count(first, start, end) != text.count(last, start, end)
    )
    return next(opened, None) is None


def _structure_of_piece(text: str, environment: dict[str, Any]) -> Iterator[Mark]:
    reader = _reader()
    tokens = reader.parse(text, environment)
    lines = _Lines(text)
    for place, token in enumerate(tokens):
        if token.map is None:
            continue
        span = lines.span(*token.map)
        match token.type:
            case "heading_open" if token.level == 0:
                if label := _label(reader, tokens[place + 1], environment):
                    yield Mark("heading", span, int(token.tag[1]), label)
            case "fence" | "code_block":
                yield Mark("code", span, 0, token.info.split()[0] if token.info.split() else "")
            case "table_open":
                yield Mark("table", span)
                yield Mark("header", lines.span(token.map[0], token.map[0] + 2))
            case "tr_open" if tokens[place - 1].type != "thead_open":
                yield Mark("row", span)
            case "bullet_list_open" | "ordered_list_open" if token.level == 0:
                yield Mark("list", span)
            case "html_block" if not _NO_HEADINGS.match(token.content):
                yield from _html_headings(text, span)
            case _:
                pass


class _Lines:
    """Line numbers to offsets; a span ends before its last line end and before blank lines that follow it."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._starts = [0, *(match.end() for match in re.finditer("\n", text)), len(text) + 1]

    def span(self, first: int, end: int) -> Span:
        last = len(self._starts) - 1
        start, stop = self._starts[min(first, last)], self._starts[min(end, last)] - 1
        stop = min(stop, len(self._text))
        return Span(start, start + len(self._text[start:stop].rstrip()))


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
    return " ".join(_ANCHOR.sub("", "".join(pieces)).split())


def _html_headings(text: str, span: Span) -> Iterator[Mark]:
    for match in _HTML_HEADING.finditer(text, span.start, span.end):
        label = " ".join(_TAG.sub(" ", match.group(2)).split())
        if label:
            yield Mark("heading", Span(match.start(), match.end()), int(match.group(1)), label)
