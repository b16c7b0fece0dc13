"""How near sentences are in meaning to a question, as signs that they answer it: their own nearness, and what the sentence before adds.

Across languages words cannot meet, and meaning speaks for them, too.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from yinju.answer.candidates import Candidate
from yinju.answer.signs import Signs
from yinju.answer.support import chinese

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vector = NDArray[np.float32]

CANDIDATES = 20  # sentences that are embedded
ACROSS = 0.7  # what nearness in meaning is worth in place of words, for a sentence in another language


def likely(part: str, among: Sequence[Candidate], signs: Mapping[int, Signs]) -> list[Candidate]:
    """Return the candidates whose meaning is compared: the best by words, half of them in another language where there are such."""
    by_words = sorted(among, key=lambda c: -signs[c.order].score)
    across = [c for c in by_words if chinese(c.piece.worded) != chinese(part)]
    chosen = {c.order: c for c in (*by_words[: CANDIDATES // 2], *across[: CANDIDATES // 2], *by_words)}
    return list(chosen.values())[:CANDIDATES]


def with_meaning(
    asked: str, compared: Sequence[Candidate], signs: Mapping[int, Signs], near: list[float]
) -> dict[int, float]:
    """Add nearness in meaning to the signs of all; return it for the compared ones in deviations from their mean."""
    across = [chinese(c.piece.worded) != chinese(asked) for c in compared]
    near = _on_one_scale(near, across)
    lowest, highest = min(near), max(near)
    spread = (highest - lowest) or 1.0
    scaled = {c.order: (value - lowest) / spread for c, value in zip(compared, near, strict=True)}
    own = [c for c, other in zip(compared, across, strict=True) if not other] or list(compared)
    most = max(signs[c.order].characters for c in own)
    for sign in signs.values():
        sign.near = 10 * (lowest - highest)
    for c, other, value in zip(compared, across, near, strict=True):
        sign = signs[c.order]
        sign.near = 10 * (value - highest)
        before = _said_before(c, compared)
        sign.near_before = scaled[before.order] if before else 0.0
        if other and not sign.states:  # across languages words cannot meet, so there meaning speaks for them, too
            sign.words = max(sign.words, ACROSS * scaled[c.order])
            sign.characters = max(sign.characters, ACROSS * scaled[c.order] * most)
    mean = sum(near) / len(near)
    deviation = math.sqrt(sum((value - mean) ** 2 for value in near) / len(near)) or 1.0
    return {c.order: (value - mean) / deviation for c, value in zip(compared, near, strict=True)}


def _said_before(candidate: Candidate, among: Sequence[Candidate]) -> Candidate | None:
    """Return the sentence before, if it is among these; a row goes on from nothing, and nothing from a row."""
    before = next((b for b in among if b.order == candidate.order - 1 and b.passage == candidate.passage), None)
    return before if before is not None and "row" not in (before.piece.kind, candidate.piece.kind) else None


def with_what_goes_before(
    compared: Sequence[Candidate], signs: Mapping[int, Signs], vectors: Sequence[Vector], query: Vector
) -> None:
    """Add to the signs what the sentence before adds to the nearness of each: `it` in the one may mean what the other names."""
    place = {c.order: at for at, c in enumerate(compared)}
    for at, c in enumerate(compared):
        before = _said_before(c, compared)
        if before is not None:
            both = vectors[at] + vectors[place[before.order]]
            length = math.sqrt(float(both @ both)) or 1.0
            signs[c.order].goes_on = 10 * (float(both @ query) / length - float(vectors[at] @ query))


def _on_one_scale(near: list[float], across: Sequence[bool]) -> list[float]:
    """Take out most of what sentences in another language than the question's are farther away on average (see retrieve/dense.py)."""
    own = [value for value, other in zip(near, across, strict=True) if not other]
    others = [value for value, other in zip(near, across, strict=True) if other]
    if len(own) < 3 or len(others) < 3:
        return near
    shift = 0.8 * max(0.0, sum(own) / len(own) - sum(others) / len(others))
    return [value + shift * other for value, other in zip(near, across, strict=True)]
