"""Texts cut to a budget of estimated tokens, from the front: what a reranker would refuse, or cut without a word."""

from __future__ import annotations

from yinju.text.tokens import estimate


def shortened(text: str, most_tokens: int) -> str:
    """Return the longest beginning of the text with at most `most_tokens` estimated tokens (the estimate never falls with more text)."""
    if estimate(text) <= most_tokens:
        return text
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if estimate(text[:middle]) <= most_tokens else (low, middle - 1)
    return text[:low]
