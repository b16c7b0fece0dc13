"""What of a long question is embedded: a model reads 512 tokens at a time, and a pasted mail of 20,000 characters kept it busy for 7 to 13 seconds.

The mean of many windows says little anyway. Where a question is longer than `MOST` tokens, its sentences that ask come first, then those at its
end and its start in turn, where people say what they want; they keep their order. The words are searched with all of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from yinju.text import sentences, tokens
from yinju.types import Span

MOST = 900  # tokens as estimated: two windows of a model of 512
_asks = re.compile(
    r"[?？]|[吗呢么][。.!！\s]*$|^\s*(?:请|怎|为什么|是否|(?:what|which|who|whose|where|when|why|how|please)\b)",
    re.IGNORECASE,
)


def of(question: str) -> str:
    """Return the question, or of a long one what asks, its start and its end, at most `MOST` tokens as they are estimated."""
    if len(question) <= MOST // 2 or tokens.estimate(question) <= MOST:
        return question
    spans = [piece for span in sentences.split(question) for piece in _pieces(question, span)]
    chosen: list[Span] = []
    room = MOST
    for span in _by_weight(question, spans):
        size = tokens.estimate(span.of(question)) + 1  # and the blank before the next one
        if size <= room:
            chosen.append(span)
            room -= size
        elif room < MOST // 10:
            break
    return " ".join(span.of(question).strip() for span in sorted(chosen, key=lambda span: span.start))


def _by_weight(question: str, spans: list[Span]) -> Iterator[Span]:
    """Yield what asks, the last first, then all others from both ends."""
    asking = {place for place, span in enumerate(spans) if _asks.search(span.of(question))}
    for place in sorted(asking, reverse=True):
        yield spans[place]
    rest = [place for place in range(len(spans)) if place not in asking]
    while rest:
        yield spans[rest.pop()]
        if rest:
            yield spans[rest.pop(0)]


def _pieces(question: str, span: Span) -> Iterator[Span]:
    """Yield the sentence, in pieces where it alone is longer than a quarter of what is embedded: a log, a table, text without stops."""
    width = MOST // 4
    if tokens.estimate(span.of(question)) <= width:
        yield span
        return
    step = width // 2  # characters: few characters make more than two tokens
    for start in range(span.start, span.end, step):
        yield Span(start, min(start + step, span.end))
