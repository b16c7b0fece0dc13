"""How texts are put into requests: by count and by estimated tokens, and longer ones in pieces."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from yinju.text.tokens import estimate


def batches(tokens: Sequence[int], most: int, most_tokens: int) -> Iterator[int]:
    """Yield how many of the texts, in their order, go into each request: at most `most`, and `most_tokens` unless one alone is over."""
    count = total = 0
    for size in tokens:
        if count and (count == most or total + size > most_tokens):
            yield count
            count = total = 0
        count, total = count + 1, total + size
    if count:
        yield count


def cut(text: str, most_tokens: int) -> list[tuple[str, int]]:
    """Return the text in the fewest pieces of nearly equal length, each with its estimated tokens, at most `most_tokens`; none where blank."""
    if not text.strip():
        return []
    tokens = estimate(text)
    if tokens <= most_tokens or len(text) < 2:
        return [(text, tokens)]
    count = min(len(text), -(-tokens // most_tokens))
    edges = [len(text) * i // count for i in range(count + 1)]
    # Tokens are not spread evenly over the characters: a piece that is still too long is cut again.
    return [piece for start, end in pairwise(edges) for piece in cut(text[start:end], most_tokens)]
