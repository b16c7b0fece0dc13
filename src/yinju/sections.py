"""The section that a passage stands in: what an agent or a reader is shown when the passage alone is too little.

Sections follow from the marks alone, so nothing is stored: a heading's section reaches from its line to the next heading of its level or a
higher one, a definition's section is the definition.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable

from yinju.types import Document, Mark, Span


class Sections:
    """The sections of one document, for as many questions as there are passages: each is answered in logarithmic time and the depth."""

    def __init__(self, text: str, marks: Iterable[Mark]) -> None:
        self._whole = Span(0, len(text))
        spans = sorted(
            (*_under_headings(text, marks := tuple(marks)), *_definitions(text, marks)),
            key=lambda span: (span.start, -span.end),
        )
        self._spans: list[Span] = []
        self._parents: list[int] = []  # the place of the section around each; -1: the whole document
        open_places: list[int] = []
        for span in spans:
            while open_places and self._spans[open_places[-1]].end <= span.start:
                open_places.pop()
            around = self._spans[open_places[-1]] if open_places else self._whole
            inside = Span(span.start, min(span.end, around.end))
            self._parents.append(open_places[-1] if open_places else -1)
            open_places.append(len(self._spans))
            self._spans.append(inside)
        self._starts = [span.start for span in self._spans]

    def of(self, span: Span) -> Span:
        """Return the smallest section that holds the span: the whole document where no heading stands above all of it."""
        place = bisect_right(self._starts, span.start) - 1
        while place >= 0 and self._spans[place].end < span.end:
            place = self._parents[place]
        return self._spans[place] if place >= 0 else self._whole

    def around(self, span: Span) -> tuple[Span, ...]:
        """Return all sections that hold the span, the smallest first, the whole document last."""
        found: list[Span] = []
        place = bisect_right(self._starts, span.start) - 1
        while place >= 0:
            if self._spans[place].end >= span.end:
                found.append(self._spans[place])
            place = self._parents[place]
        return (*found, self._whole)


def section(document: Document, span: Span) -> Span:
    """Return the smallest section of the document that holds the span; for many spans ask one `Sections`."""
    return Sections(document.text, document.marks).of(span)


def _under_headings(text: str, marks: Iterable[Mark]) -> Iterable[Span]:
    """Yield the section of each heading, without the white space at its end."""
    headings = sorted((mark for mark in marks if mark.kind == "heading"), key=lambda mark: mark.span.start)
    open_marks: list[Mark] = []
    for heading in headings:
        while open_marks and open_marks[-1].level >= heading.level:
            yield _stripped(text, open_marks.pop().span.start, heading.span.start)
        open_marks.append(heading)
    for heading in open_marks:
        yield _stripped(text, heading.span.start, len(text))


def _definitions(text: str, marks: Iterable[Mark]) -> Iterable[Span]:
    return (_stripped(text, mark.span.start, mark.span.end) for mark in marks if mark.kind == "definition")


def _stripped(text: str, start: int, end: int) -> Span:
    return Span(start, start + len(text[start:end].rstrip()))
