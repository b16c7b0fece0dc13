"""Where a gold answer stands in the library as it is, and whether a passage or a citation stands there.

A gold is resolved to spans of the document once, so that source, heading, lines, page and quote are all judged in one way: by overlap.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from yinju.errors import UsageError
from yinju.messages import say
from yinju.retrieve.reading import numbered_lines
from yinju.text.normalize import fold
from yinju.types import Citation, Document, Hit, Span

if TYPE_CHECKING:
    from yinju.evaluate.cases import Gold
    from yinju.library import Library
    from yinju.store.records import SourceSummary

QUOTE_SHARE = 0.5  # of a quote has to stand in a passage that is said to hold it: a cut may fall into a long one
BLANK = 3  # lines without text after the one that was named, at most: farther away it is another place
Problem = Literal["no-source", "skipped", "no-heading", "no-lines", "no-page", "no-quote"]


@dataclass(frozen=True, slots=True)
class Place:
    """A gold as the library has it. `problem`: why it has no place there; then nothing can be found in it."""

    gold: Gold
    source: str
    spans: tuple[Span, ...] = ()
    text: str = ""  # squeezed, of all spans
    problem: Problem | None = None

    def holds(self, hit: Hit) -> bool:
        """Whether this passage stands in the place: for a quote at least half of it, else any part."""
        if not self.spans:
            return False
        if hit.source != self.source:
            return self.source in hit.also and _alike(self.text, squeezed(hit.text))
        if self.gold.quote is None:
            return any(_overlap(span, hit.span) for span in self.spans)
        longest = max(_overlap(span, hit.span) / max(1, span.end - span.start) for span in self.spans)
        return longest >= QUOTE_SHARE or self.text in squeezed(hit.text)

    def proves(self, citation: Citation) -> bool:
        """Whether this citation quotes from the place; the same words in a copy of the source count."""
        if citation.source == self.source and any(_overlap(span, citation.span) for span in self.spans):
            return True
        return bool(self.gold.quote) and bool(self.spans) and _alike(self.text, squeezed(citation.quote))


class Places:
    """Resolves golds against one library. Documents are read when a gold first needs them."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self.summaries: dict[str, SourceSummary] = {summary.source: summary for summary in library.sources()}
        self._document = lru_cache(maxsize=64)(library.document)

    def source(self, name: str) -> str | None:
        """Return the source with this name, or the only one that ends so; None where there is none. Raises UsageError for several."""
        if name in self.summaries:
            return name
        ending = "/" + name.replace("\\", "/").lstrip("/")
        found = [source for source in self.summaries if source.endswith(ending)]
        if len(found) > 1:
            raise UsageError(
                say("{n} sources end with {name!r}: {names}", "有 {n} 个来源以 {name!r} 结尾：{names}",
                    n=len(found), name=name, names=", ".join(found[:5])),
                say("Name more of its path.", "请多写一段路径。"),
            )  # fmt: skip
        return found[0] if found else None

    def of(self, gold: Gold) -> Place:
        """Return the place of a gold, or why it has none."""
        source = self.source(gold.source)
        if source is None:
            return Place(gold, gold.source, problem="no-source")
        if self.summaries[source].state == "skipped":
            return Place(gold, source, problem="skipped")
        document = self._document(source)
        spans: Sequence[Span] = (Span(0, len(document.text)),)
        for narrow in (_under_heading, _on_page, _in_lines):
            narrowed = narrow(document, gold)
            if narrowed is not None:
                spans = tuple(_cut(spans, narrowed))
                if not spans:
                    return Place(gold, source, problem=_PROBLEMS[narrow.__name__])
        if gold.quote is not None:
            proof = self._library.verify(gold.quote, source)
            if proof.status != "verified":
                return Place(gold, source, problem="no-quote")
            spans = (proof.span,)
        return Place(gold, source, tuple(spans), squeezed("".join(span.of(document.text) for span in spans)))


_PROBLEMS: dict[str, Problem] = {"_under_heading": "no-heading", "_on_page": "no-page", "_in_lines": "no-lines"}


def squeezed(text: str) -> str:
    """Return the text folded and without white space, so that wrapped lines and table cells compare."""
    return "".join(fold(text).split())


def contains(text: str, answer: str) -> bool:
    """Whether the answer stands in the text: folded, whatever the white space, but never inside a longer number or at a word's middle."""
    letters = squeezed(answer)
    if not letters:
        return False
    before = r"(?<![0-9a-z])(?<![0-9][.,])" if letters[0].isascii() and letters[0].isalnum() else ""
    after = ""
    if letters[-1].isdigit():
        after = r"(?![0-9])(?![.,][0-9])"
    elif letters[-1].isascii() and letters[-1].isalpha() and len(letters) <= 3:
        after = r"(?![0-9a-z])"
    return re.search(before + r"\s*".join(map(re.escape, letters)) + after, fold(text)) is not None


def _under_heading(document: Document, gold: Gold) -> list[Span] | None:
    if gold.heading is None:
        return None
    wanted = [squeezed(part) for part in re.split("[›>]", gold.heading) if part.strip()]
    marks = [mark for mark in document.marks if mark.kind == "heading"]
    found = []
    for number, mark in enumerate(marks):
        path = [squeezed(label) for label in document.headings(mark.span.start)]
        if path[-len(wanted) :] == wanted:
            end = next(
                (later.span.start for later in marks[number + 1 :] if later.level <= mark.level), len(document.text)
            )
            found.append(Span(mark.span.start, end))
    return found


def _on_page(document: Document, gold: Gold) -> list[Span] | None:
    if gold.page is None:
        return None
    return [mark.span for mark in document.marks if mark.kind == "page" and mark.level == gold.page]


def _in_lines(document: Document, gold: Gold) -> list[Span] | None:
    """Sheets count their rows anew, so that several spans may have the lines. Blank lines are skipped: the next one with text is meant."""
    if gold.lines is None:
        return None
    first, last = gold.lines
    lines = [(number, span) for number, span in numbered_lines(document) if span.of(document.text).strip()]
    if not any(first <= number <= last for number, _ in lines):
        last = min((number for number, _ in lines if last < number <= last + BLANK), default=last)
    found: list[Span] = []
    for number, span in lines:
        if first <= number <= last:
            joins = bool(found) and not document.text[found[-1].end : span.start].strip()
            found[-1:] = [Span(found[-1].start, span.end)] if joins else [*found[-1:], span]
    return found


def _cut(spans: Sequence[Span], others: Sequence[Span]) -> Iterator[Span]:
    for span in spans:
        for other in others:
            if _overlap(span, other):
                yield Span(max(span.start, other.start), min(span.end, other.end))


def _overlap(one: Span, other: Span) -> int:
    return max(0, min(one.end, other.end) - max(one.start, other.start))


def _alike(one: str, other: str) -> bool:
    return bool(one) and bool(other) and (one in other or other in one)
