"""A part of a document as a reader sees it: its lines with their numbers, what each is, and which characters of it are meant.

A document may hold millions of lines, so only those around the place are given, and of a line that never ends what stands around it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from yinju.types import Document, Mark, Span

AROUND = 60  # lines before and after
LONGEST = 4_000  # characters of one line that are shown
LONGEST_HEADER = 5  # lines of a table's header that are repeated
_KINDS = ("heading", "table", "code", "list")


@dataclass(frozen=True, slots=True)
class Line:
    """One line. `at`: the characters of `text` that are meant, or None. `cut`: it is longer, and this is a part of it. `head`: of a table."""

    number: int  # in the file, or of the loaded text where the file has none
    text: str
    span: Span
    kind: str = "text"  # heading, table, code, list or text
    level: int = 0  # of a heading
    page: int | None = None
    at: Span | None = None
    cut: bool = False
    head: bool = False


@dataclass(frozen=True, slots=True)
class View:
    """The lines around a place. `before` and `after` count the lines of the document that are not among them.

    `header`: that of the table in which they begin, where it stands before them: rows would not be understood without.
    """

    source: str
    title: str | None
    type: str
    lines: tuple[Line, ...]
    before: int
    after: int
    pages: int | None
    header: tuple[Line, ...] = ()


def view(document: Document, meant: Span, around: int = AROUND) -> View:
    """Return the lines that hold this span and so many before and after it. A span beyond the text is brought back into it."""
    spans = _lines(document.text)
    starts = [span.start for span in spans]
    first = max(bisect_right(starts, meant.start) - 1, 0)
    last = max(bisect_right(starts, max(meant.end - 1, meant.start)) - 1, first)
    low, high = max(first - around, 0), min(last + around + 1, len(spans))
    seen = Span(spans[low].start, spans[high - 1].end) if spans else Span(0, 0)
    tables = [
        mark.span for mark in document.marks if mark.kind == "table" and mark.span.start < seen.start < mark.span.end
    ]
    reach = min((span.start for span in tables), default=seen.start)
    marks = [mark for mark in document.marks if mark.span.start <= seen.end and reach <= mark.span.end]
    lines = tuple(_line(document, count, span, meant, marks) for count, span in enumerate(spans[low:high], low + 1))
    pages = max((mark.level for mark in document.marks if mark.kind == "page"), default=None)
    header = tuple(
        _line(document, count, span, meant, marks) for count, span in _header(marks, seen.start, starts, spans)
    )
    return View(document.source, document.title, document.type, lines, low, len(spans) - high, pages, header)


def _header(marks: Sequence[Mark], at: int, starts: Sequence[int], spans: Sequence[Span]) -> list[tuple[int, Span]]:
    """Return the lines, with their numbers, of the header of the table that holds this place, where it stands before it."""
    table = next((mark for mark in marks if mark.kind == "table" and mark.span.start < at < mark.span.end), None)
    if table is None:
        return []
    head = next((mark for mark in marks if mark.kind == "header" and table.span.start <= mark.span.start < at), None)
    if head is None:
        return []
    first = bisect_right(starts, head.span.start) - 1
    last = bisect_right(starts, max(min(head.span.end, at) - 1, head.span.start)) - 1
    return list(enumerate(spans[first : last + 1], first + 1))[:LONGEST_HEADER]


def _lines(text: str) -> list[Span]:
    """Return the span of each line without its end; a line end at the very end begins none."""
    found, start = [], 0
    for line in text.split("\n"):
        found.append(Span(start, start + len(line)))
        start += len(line) + 1
    if len(found) > 1 and found[-1].start == found[-1].end:
        found.pop()
    return found


def _line(document: Document, count: int, span: Span, meant: Span, marks: Sequence[Mark]) -> Line:
    start, end = max(span.start, meant.start), min(span.end, meant.end)
    at = Span(start, end) if start < end else None
    shown = span
    if span.end - span.start > LONGEST:
        begin = max(span.start, min((at or span).start - LONGEST // 4, span.end - LONGEST))
        shown = Span(begin, begin + LONGEST)
        at = at and Span(max(at.start, shown.start), min(at.end, shown.end))
    holding = [mark for mark in marks if mark.span.start <= span.start < mark.span.end]
    mark = next((mark for mark in reversed(holding) if mark.kind in _KINDS), None)
    return Line(
        document.line_at(span.start) or count,
        shown.of(document.text),
        shown,
        mark.kind if mark is not None else "text",
        mark.level if mark is not None and mark.kind == "heading" else 0,
        next((mark.level for mark in holding if mark.kind == "page"), None),
        Span(at.start - shown.start, at.end - shown.start) if at else None,
        shown != span,
        any(mark.kind == "header" for mark in holding),
    )
