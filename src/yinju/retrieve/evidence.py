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


def features(best: Sequence[LexicalScore], cosines: Sequence[float]) -> dict[str, float]:
    """Return what the first hits and the sorted cosines say: shares and cosines, all about 0 to 1."""
    top = cosines[0] if cosines else 0.0
    tail = sum(cosines[-10:]) / len(cosines[-10:]) if cosines else 0.0
    return {
        "coverage_first": best[0].coverage if best else 0.0,
        "coverage_best": max((score.coverage for score in best), default=0.0),
        "cosine": top,
        "cosine_lead": top - tail,
    }


def probability(found: Mapping[str, float], space: str | None) -> float:
    """Return 1 / (1 + exp(-(intercept + sum of weight x feature))) with the weights of this space (None or unknown: words alone)."""
    table = _weights()
    weights = table.get(space or "words", table["words"])
    return 1 / (
        1 + math.exp(-(weights["intercept"] + sum(weights.get(name, 0.0) * value for name, value in found.items())))
    )


@cache
def _weights() -> dict[str, dict[str, float]]:
    text = (files("yinju.retrieve") / "evidence.json").read_text(encoding="utf-8")
    table: dict[str, dict[str, float]] = json.loads(text)["spaces"]
    return table
