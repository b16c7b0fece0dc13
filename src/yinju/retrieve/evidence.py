"""How probable is it that the passages found answer the question? A logistic function over a few features of the search.

The weights stand in evidence.json, fitted by `python -m benchmarks.calibrate` on questions with and without an answer in the library.
Cosines mean something else in every embedding space, so each known space has weights of its own; an unknown space, and a search by
words alone, use the words' features only.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from yinju.retrieve.lexical import LexicalScore


def features(best: Sequence[LexicalScore], cosines: Sequence[float], *, agree: bool, chinese: bool) -> dict[str, float]:
    """Return what the first hits and the cosines (falling) say: shares and cosines, all about 0 to 1.

    coverage, known_coverage   the largest shares of the question's word weight that one of the first hits contains
    cosine, lead               of the nearest passage, and how far it is ahead of the mean of the next nine
    agree                      1 where words and vectors name the same passage as the best
    chinese                    1 where the question is Chinese: cosines of related texts lie higher there
    """
    next_nine = cosines[1:10]
    return {
        "coverage": max((score.coverage for score in best), default=0.0),
        "known_coverage": max((score.known_coverage for score in best), default=0.0),
        "cosine": cosines[0] if cosines else 0.0,
        "lead": cosines[0] - sum(next_nine) / len(next_nine) if next_nine else 0.0,
        "agree": float(agree),
        "chinese": float(chinese),
    }


def space(fingerprint: str | None, *, same_language: bool) -> str:
    """Return which weights hold: those of the embedding's family (the fingerprint up to the first `/`), else those of words alone.

    Where the best passage is in another language than the question, shares of words mean nothing: there are weights of their own.
    """
    family = (fingerprint or "").split("/")[0]
    name = family if same_language else f"{family} across languages"
    return name if fingerprint and name in _weights() else "words"


def probability(found: Mapping[str, float], name: str) -> float:
    """Return 1 / (1 + exp(-(intercept + sum of weight x feature))) with the weights of this space."""
    weights = _weights()[name]
    return 1 / (
        1 + math.exp(-(weights["intercept"] + sum(weights.get(key, 0.0) * value for key, value in found.items())))
    )


@cache
def _weights() -> dict[str, dict[str, float]]:
    text = (files("yinju.retrieve") / "evidence.json").read_text(encoding="utf-8")
    table: dict[str, dict[str, float]] = json.loads(text)["spaces"]
    return table
