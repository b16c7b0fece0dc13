"""More of a document around a passage: its neighbours or the section that it stands in, as far as the budget of a context allows.

A widened passage is one contiguous span of its document, so lines, pages and quotes stay exact. Passages that lie inside a widened one are
not shown again. What is widened keeps its id and its score: it was found by the passage.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal, get_args

from yinju.errors import UsageError
from yinju.messages import say
from yinju.sections import Sections
from yinju.text.tokens import estimate
from yinju.types import Document, Hit, Span

if TYPE_CHECKING:
    from yinju.store import Store

Widen = Literal["none", "neighbours", "section"]
WIDTHS: tuple[str, ...] = get_args(Widen)
FRAME = 60  # tokens that a context spends around each passage


def widened(store: Store, hits: Sequence[Hit], how: Widen, budget: int) -> list[Hit]:
    """Return the hits (best first) with more of their documents, in about `budget` tokens together. Raises UsageError for an unknown `how`.

    Where a section does not fit, the neighbours inside of it are taken, then one of them, then the passage stays as it is.
    """
    if how not in WIDTHS:
        raise UsageError(
            say("Passages cannot be widened by {how!r}.", "不能按 {how!r} 扩展段落。", how=how),
            say("Choose one of {names}.", "可选：{names}。", names=", ".join(WIDTHS)),
        )
    if how == "none":
        return list(hits)
    documents = {hit.source: store.document(hit.source) for hit in hits}
    spare = budget - sum(hit.tokens + FRAME for hit in hits)
    found: list[Hit] = []
    for place, hit in enumerate(hits):
        taken = [other.span for other in found if other.source == hit.source]
        if any(span.start <= hit.span.start and hit.span.end <= span.end for span in taken):
            spare += hit.tokens + FRAME
            continue
        document = documents[hit.source]
        if document is None or hit.span.of(document.text) != hit.text:  # replaced meanwhile
            found.append(hit)
            continue
        later = [other for other in hits[place + 1 :] if other.source == hit.source]
        wider = _widest(_choices(store, document, hit, how), document, hit, taken, later, spare)
        spare -= wider.tokens - hit.tokens
        found.append(wider)
    return found


def _choices(store: Store, document: Document, hit: Hit, how: Widen) -> list[Span]:
    """Return spans around the hit, the widest first."""
    section = Sections(document.text, document.marks).of(hit.span) if how == "section" else Span(0, len(document.text))
    spans = [stored.chunk.span for stored in store.chunks_of(hit.source)]
    before = max((span for span in spans if span.start < hit.span.start), default=hit.span)
    after = min((span for span in spans if span.end > hit.span.end and span.start > hit.span.start), default=hit.span)
    around = [
        Span(before.start, max(hit.span.end, after.end)),
        Span(hit.span.start, max(hit.span.end, after.end)),
        Span(min(before.start, hit.span.start), hit.span.end),
    ]
    inside = [Span(max(span.start, section.start), min(span.end, section.end)) for span in around]
    return [*([section] if how == "section" else []), *inside]


def _widest(
    choices: Sequence[Span], document: Document, hit: Hit, taken: Sequence[Span], later: Sequence[Hit], spare: int
) -> Hit:
    """Return the hit with the first span that the budget allows; what it shows of later hits counts for nothing."""
    for choice in choices:
        cut = [other.span for other in later if not choice.start <= other.span.start < other.span.end <= choice.end]
        span = _clear_of(choice, hit.span, [*taken, *cut])
        if span == hit.span:
            continue
        wider = _over(document, hit, span)
        saved = sum(
            other.tokens + FRAME for other in later if span.start <= other.span.start and other.span.end <= span.end
        )
        if wider.tokens - hit.tokens <= spare + saved:
            return wider
    return hit


def _clear_of(span: Span, own: Span, taken: Sequence[Span]) -> Span:
    """Return as much of the span as lies between what is shown already."""
    start = max([span.start, *(min(other.end, own.start) for other in taken if other.start <= own.start)])
    end = min([span.end, *(max(other.start, own.end) for other in taken if other.start > own.start)])
    return Span(min(start, own.start), max(end, own.end))


def _over(document: Document, hit: Hit, span: Span) -> Hit:
    text = span.of(document.text)
    header = "" if hit.header and hit.header.strip() in text else hit.header
    return replace(
        hit, span=span, text=text, header=header, lines=document.lines(span), page=document.page(span.start), tokens=estimate(text)
    )  # fmt: skip
