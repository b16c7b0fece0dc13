"""Where a text is mentioned: every form of its words, wherever line ends, case, width and traditional characters fall. Pure.

A word of English is met by its other forms (refund, refunds, refunded), but never by a part of another word; Chinese characters stand
next to each other, with white space between them at most; numbers and codes are not parts of longer ones. Synonyms are not guessed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from yinju.text.normalize import fold, fold_with_offsets
from yinju.text.words import stem
from yinju.types import Span

LONGEST = 200  # characters of a text that is looked for
_HAN = "\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
_tokens = re.compile(rf"[a-z]+|[0-9]+(?:[.,:][0-9]+)*|[{_HAN}]|[^\W_a-z0-9{_HAN}]+|[^\w\s]")
_BETWEEN = r"[\s\-_‐‑/.,:;*`'\"’“”()]{0,3}"
_SHORTEST_STEM = 3


class Mention:
    """A text that is looked for. `exact`: the words as they are written, not their other forms."""

    def __init__(self, text: str, *, exact: bool = False) -> None:
        self.text = text
        tokens = _tokens.findall(fold(text[:LONGEST]))
        self._stems = [] if exact else [stem(token) for token in tokens if _inflected(token)]
        self._pattern = _pattern(tokens, exact)
        self._rarest = max((_beginning(token, exact) for token in tokens), key=len, default="")

    def __bool__(self) -> bool:
        """False for a text without anything to look for."""
        return self._pattern is not None

    def stands_in(self, folded: str) -> bool:
        """Return whether a folded text mentions it."""
        return next(self._places(folded), None) is not None

    def times_in(self, folded: str) -> int:
        """Return how often a folded text mentions it."""
        return sum(1 for _place in self._places(folded))

    def places(self, text: str) -> Iterator[Span]:
        """Yield where the text mentions it, at offsets in the text as it is written."""
        folded, offsets = fold_with_offsets(text)
        for place in self._places(folded):
            last = offsets[place.end - 1]
            end = next((offset for offset in offsets[place.end :] if offset > last), len(text))
            yield Span(offsets[place.start], end)

    def _places(self, folded: str) -> Iterator[Span]:
        if self._pattern is None or self._rarest not in folded:
            return
        for found in self._pattern.finditer(folded):
            if all(stem(word) == wanted for word, wanted in zip(found.groups(), self._stems, strict=True)):
                yield Span(*found.span())


def _inflected(token: str) -> bool:
    return token.isascii() and token.isalpha() and len(token) >= _SHORTEST_STEM


@lru_cache(maxsize=1024)
def _beginning(token: str, exact: bool) -> str:
    """Return with what every form of a word begins: `studi` and `study` have `stud` in common."""
    if exact or not _inflected(token):
        return token
    return (
        stem(token)[: max(_SHORTEST_STEM - 1, len(stem(token)) - 1)]
        if token.startswith(stem(token)[:-1])
        else token[:2]
    )


def _pattern(tokens: list[str], exact: bool) -> re.Pattern[str] | None:
    if not any(token[0].isalnum() for token in tokens):
        return None
    parts: list[str] = []
    for place, token in enumerate(tokens):
        if place:
            han = _is_han(token) and _is_han(tokens[place - 1])
            parts.append(
                r"\s*" if han else r"\s*" if not (token[0].isalnum() and tokens[place - 1][0].isalnum()) else _BETWEEN
            )
        form = _inflected(token) and not exact
        parts.append(f"({re.escape(_beginning(token, exact))}[a-z]*)" if form else re.escape(token))
    first, last = tokens[0][0], tokens[-1][-1]
    before = r"(?<![0-9a-z_])" if re.match("[0-9a-z]", first) else ""
    before += r"(?<![0-9][.,])" if first.isdigit() else ""
    after = r"(?![0-9a-z_])" if re.match("[0-9a-z]", last) else ""
    after += r"(?![.,][0-9])" if last.isdigit() else ""
    return re.compile(before + "".join(parts) + after)


def _is_han(token: str) -> bool:
    return len(token) == 1 and re.match(f"[{_HAN}]", token) is not None
