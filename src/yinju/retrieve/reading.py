"""A closer look at documents that are in the library: their lines, headings, and what stands where. Pure functions on documents."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from yinju.boxes import Box, rectangles, within
from yinju.errors import SourceMissing, UsageError
from yinju.messages import say
from yinju.retrieve import filters
from yinju.text.normalize import fold, fold_with_offsets
from yinju.types import Answer, Citation, Document, FileReport, Lines, Mark, Receipt, Span, Step, Where

if TYPE_CHECKING:
    from yinju.store import Store

LONGEST_SHOWN = 1_000  # characters: of a longer line grep shows what stands around the match
BEFORE_MATCH = 200  # of them in front of it
MAXIMUM_PATTERN = 1_000
MOST_PARTS = 50  # of a text that has no structure, in its outline
LONGEST_LABEL = 80
_PAGED = re.compile(r"(.+?)(?::p\.? ?| p\.)(\d{1,6})", re.DOTALL)
_Matcher = Callable[[str], Span | None]  # the place of the first match in a line


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Some lines of a document. `numbers` are the file's line numbers, or those of the loaded text where the file has none."""

    source: str
    title: str | None
    text: str
    lines: Lines | None
    numbers: tuple[int, ...]


OutlineKind = Literal["heading", "definition", "page", "table", "part"]


@dataclass(frozen=True, slots=True)
class Heading:
    """One entry of an outline: a heading, a definition of source code, or where there is neither a page, a table or a part of the text."""

    level: int
    text: str
    line: int | None
    page: int | None
    kind: OutlineKind = "heading"


@dataclass(frozen=True, slots=True)
class Match:
    """A line that matched; of a long one what stands around the match, with … where it was cut. `at` is the match's place in `text`."""

    source: str
    line: int | None
    page: int | None
    text: str
    at: Span


def numbered_lines(document: Document) -> list[tuple[int, Span]]:
    """Return (number, span without line end) for each line of the text; a line end at the very end begins none."""
    found, start = [], 0
    lines = document.text.split("\n")
    if len(lines) > 1 and not lines[-1]:  # what follows the last line end is no line
        lines.pop()
    for count, line in enumerate(lines, 1):
        found.append((document.line_at(start) or count, Span(start, start + len(line))))
        start += len(line) + 1
    return found


def split_page(source: str) -> tuple[str, int | None]:
    """Return name and page of a source as citations name it: `card.pdf p.2` or `card.pdf:p.2`."""
    found = _PAGED.fullmatch(source)
    return (source, None) if found is None else (found[1], int(found[2]))


def read(document: Document, lines: Lines | None, page: int | None = None) -> Excerpt:
    """Return the whole text, or these lines, or the lines of this page (from 1); of both what stands in both.

    In a workbook row numbers occur in each sheet: all of them are returned.
    """
    numbered = numbered_lines(document)
    if page is not None:
        there = [mark.span for mark in document.marks if mark.kind == "page" and mark.level == page]
        numbered = [
            (number, span)
            for number, span in numbered
            if any(one.start <= span.start < one.end or span.start < one.start < span.end for one in there)
        ]
    if lines is not None:
        first, last = lines
        if first < 1 or last < first:
            raise UsageError(
                say(
                    "The lines {first}-{last} are not possible.", "行号 {first}-{last} 不可用。", first=first, last=last
                ),
                say("Count from 1, such as 3-8.", "从 1 数起，例如 3-8。"),
            )
        numbered = [(number, span) for number, span in numbered if first <= number <= last]
    numbers = tuple(number for number, _span in numbered)
    text = (
        document.text
        if lines is None and page is None
        else "\n".join(span.of(document.text) for _number, span in numbered)
    )
    return Excerpt(document.source, document.title, text, (min(numbers), max(numbers)) if numbers else None, numbers)


def boxes(document: Document, packed: bytes, span: Span) -> list[tuple[int, Box]]:
    """Return the rectangles that the span takes on its pages, each with the number of its page; `packed` are the document's word boxes."""
    pages: dict[int, list[Box]] = {}
    for word, box in within(packed, span):
        page = document.page(word.start)
        if page is not None:
            pages.setdefault(page, []).append(box)
    return [(page, box) for page, words in pages.items() for box in rectangles(words)]


def outline(document: Document) -> list[Heading]:
    """Return the headings and the definitions in their order; where there are none the pages, else the tables, else the paragraphs.

    Pages, tables and paragraphs go by their first line, a single paragraph by its lines; of more than `MOST_PARTS` of them every second,
    third ... is named.
    """
    return _structure(document) or _pages(document) or _tables(document) or _parts(document)


def _structure(document: Document) -> list[Heading]:
    found: list[Heading] = []
    around: list[Mark] = []
    for mark in document.marks:
        if mark.kind == "heading":
            found.append(_entry(document, mark.span.start, mark.label, "heading", mark.level))
        elif mark.kind == "definition":
            around = [outer for outer in around if outer.span.end > mark.span.start]
            inner = mark.label
            for outer in around:  # `Store.open` inside `Store` is `open`
                inner = mark.label.removeprefix(outer.label).lstrip(".:#/ ") or inner
            around.append(mark)
            found.append(_entry(document, mark.span.start, inner, "definition", len(around)))
    return found


def _pages(document: Document) -> list[Heading]:
    pages = [mark for mark in document.marks if mark.kind == "page"]
    return [
        _entry(document, mark.span.start, _first_line(mark.span.of(document.text)), "page", page=mark.level)
        for mark in pages
    ]


def _tables(document: Document) -> list[Heading]:
    tables = [mark for mark in document.marks if mark.kind == "table"]
    return [_entry(document, mark.span.start, _first_line(mark.span.of(document.text)), "table") for mark in tables]


def _parts(document: Document) -> list[Heading]:
    lines = [(span, bool(span.of(document.text).strip())) for _number, span in numbered_lines(document)]
    starts = [span for place, (span, said) in enumerate(lines) if said and not (place and lines[place - 1][1])]
    if len(starts) < 2:  # a log, a conversation: no blank line anywhere
        starts = [span for span, said in lines if said]
    step = -(-len(starts) // MOST_PARTS)
    return [_entry(document, span.start, _first_line(span.of(document.text)), "part") for span in starts[:: step or 1]]


def _entry(
    document: Document, start: int, text: str, kind: OutlineKind, level: int = 1, page: int | None = None
) -> Heading:
    return Heading(level, text, document.line_at(start), document.page(start) if page is None else page, kind)


def _first_line(text: str) -> str:
    line = " ".join(text.strip().partition("\n")[0].replace("\t", " | ").split())
    return line if len(line) <= LONGEST_LABEL else line[: LONGEST_LABEL - 1] + "…"


def grep(documents: Iterable[Document], pattern: str, *, regex: bool, limit: int) -> list[Match]:
    """Return at most `limit` lines that contain the pattern, however long they are. Raises UsageError for a pattern that cannot be used.

    The time is linear in the text: RE2 and the search for a fixed string look at each character a bounded number of times.
    """
    place_in = _matcher(pattern, regex)
    found: list[Match] = []
    for document in documents:
        for number, span in numbered_lines(document):
            line = span.of(document.text)
            at = place_in(line)
            if at is not None:
                has_lines = document.line_at(span.start) is not None
                text, at = _around(line, at)
                page = document.page(span.start)
                found.append(Match(document.source, number if has_lines else None, page, text, at))
                if len(found) >= limit:
                    return found
    return found


def _around(line: str, at: Span) -> tuple[str, Span]:
    """Return the line, or of a long one what stands around the match, and the place of the match in that."""
    if len(line) <= LONGEST_SHOWN:
        return line, at
    start = max(0, min(at.start - BEFORE_MATCH, len(line) - LONGEST_SHOWN))
    end = min(len(line), max(start + LONGEST_SHOWN, min(at.end, at.start + LONGEST_SHOWN)))
    before, after = "…" * (start > 0), "…" * (end < len(line))
    moved = len(before) - start
    return before + line[start:end] + after, Span(at.start + moved, min(at.end, end) + moved)


def matching_sources(store: Store, where: Where) -> list[str]:
    """Return the sources of indexed documents that the filters let through."""
    names = [summary.source for summary in store.sources() if summary.state != "skipped"]
    allowed = filters.allowed(store, where)
    if allowed is None:
        return names
    kept = store.sources_of(allowed)
    return [name for name in names if name in kept]


def placed(
    part: str | Citation | Step | Answer, find: Callable[[str], Document | None]
) -> str | Citation | Step | Answer:
    """Return a part of an answer with page and lines of each quote itself; its passage may begin on an earlier page."""
    if isinstance(part, Answer):
        return replace(part, citations=tuple(_placed(citation, find(citation.source)) for citation in part.citations))
    return _placed(part, find(part.source)) if isinstance(part, Citation) else part


def _placed(citation: Citation, document: Document | None) -> Citation:
    if document is None or citation.span.of(document.text) != citation.quote:  # replaced meanwhile
        return citation
    return replace(citation, page=document.page(citation.span.start), lines=document.lines(citation.span))


def status(store: Store, fingerprint: str | None, chat_model: str) -> dict[str, Any]:
    """Return counts, generation, size and models. `fingerprint` is that of the embedding model in use, None: there is none.

    Where the library lies and how large its file is are the owner's to know, for others they are null.
    """
    counts = store.counts()
    return {
        "library": str(store.folder) if store.folder and store.sees_all else None,
        "documents": counts.documents,
        "chunks": counts.chunks,
        "embedded": counts.embedded(fingerprint) if fingerprint else 0,
        "skipped": len(store.skipped()),
        "generation": store.generation,
        "embedder": fingerprint,
        "chat_model": chat_model,
        "size_bytes": store.size_bytes if store.sees_all else None,
        "roots": [root for root, _prefix in store.roots()],
    }


def receipt(store: Store, source: str) -> FileReport:
    """Return what became of one file: its receipt, or why it was skipped. Raises SourceMissing."""
    skipped = next((item for item in (*store.skipped(), *store.ignored()) if item.source == source), None)
    found = store.receipt(source)
    if skipped is not None:
        return FileReport(source, skipped.outcome, skipped.reason, skipped.hint, found or Receipt())
    if found is None and store.document(source) is None:
        raise missing(store, source)
    return FileReport(source, "indexed", receipt=found or Receipt())


def missing(store: Store, source: str) -> SourceMissing:
    """Return the error for a source without text: it was skipped, for this reason, or nothing has that name."""
    skipped = next((item for item in store.skipped() if item.source == source), None)
    if skipped is not None:
        text = say("{source} was skipped: {why}", "{source} 已被跳过：{why}", source=source, why=skipped.reason)
        return SourceMissing(text, skipped.hint, code="skipped")
    near = nearest_names(source, [summary.source for summary in store.sources()])
    hint = (
        say("Did you mean {near}? `yinju sources` lists all.", "是不是 {near}？`yinju sources` 列出全部。", near=near)
        if near
        else say("`yinju sources` lists all.", "`yinju sources` 列出全部。")
    )
    text = say("There is no source {source!r} in this library.", "库里没有来源 {source!r}。", source=source)
    return SourceMissing(text, hint, code="no-source")


def nearest_names(name: str, names: Sequence[str]) -> str:
    """Return up to three names that look like this one, for a hint."""
    ends = [other for other in names if other.rsplit("/", 1)[-1] == name.rsplit("/", 1)[-1]]
    return ", ".join((ends or difflib.get_close_matches(name, names, 3, 0.6))[:3])


def _matcher(pattern: str, regex: bool) -> _Matcher:
    if not pattern or len(pattern) > MAXIMUM_PATTERN:
        raise UsageError(
            say("The pattern is empty or too long.", "查找内容为空或过长。"),
            say("Use 1 to {most} characters.", "请用 1 到 {most} 个字符。", most=MAXIMUM_PATTERN),
        )
    if not regex:
        wanted = fold(pattern)
        return lambda line: _place_of(wanted, line)
    import re2  # linear in the text whatever the pattern: a user's expression cannot hang us

    options = re2.Options()
    options.log_errors = False
    options.case_sensitive = False
    try:
        compiled = re2.compile(pattern, options)
    except re2.error as error:
        why = error.args[0] if error.args else str(error)
        why = why.decode("utf-8", "replace") if isinstance(why, bytes) else str(why)
        raise UsageError(
            say("The expression cannot be used: {why}.", "表达式不可用：{why}。", why=why),
            say("Leave --regex out to search for the text as it is.", "去掉 --regex 则按原文查找。"),
        ) from error

    def place(line: str) -> Span | None:
        match = compiled.search(line)
        return None if match is None else Span(*match.span())

    return place


def _place_of(wanted: str, line: str) -> Span | None:
    """Return where the folded text stands in the line as it was written."""
    if wanted not in fold(line):
        return None
    folded, offsets = fold_with_offsets(line)
    start = folded.find(wanted)
    return Span(offsets[start], offsets[start + len(wanted)]) if start >= 0 else Span(0, 0)
