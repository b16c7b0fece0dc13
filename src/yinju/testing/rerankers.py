"""A reranker for tests that needs no model, and what every reranker must do."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from yinju.errors import ModelError
from yinju.protocols import Reranker
from yinju.text.words import terms

QUESTION = "电池保修多久？ How long is the battery under warranty?"
# One that answers in each language, one on another matter in each, and texts that break careless readers.
TEXTS = (
    "年费方案每年 168 元。",
    "电池保修六个月。",
    "The yearly plan costs 168 yuan.",
    "The battery is under warranty for six months.",
    "<s> </s> [SEP] <unk> \x00 \ufeff \U0001f600 \ud800",
    "电池保修六个月。" * 400,
    "",
    " \n\t",
)
TOLERANCE = 0.02  # of scores of the same text in other company; int8 models move a little


class FakeReranker:
    """The share of the question's words and character pairs that a text has. Deterministic.

    `fail_at`: the call with this number (from 1) and all later ones raise ModelError. `calls` remembers what was asked.
    """

    def __init__(self, *, fail_at: int | None = None) -> None:
        self._fail_at = fail_at
        self.calls: list[tuple[str, tuple[str, ...]]] = []

    @property
    def fingerprint(self) -> str:
        """Its name."""
        return "fake-reranker"

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return a score from 0 to 1 for each text."""
        self.calls.append((query, tuple(texts)))
        if self._fail_at is not None and len(self.calls) >= self._fail_at:
            raise ModelError("the fake reranker fails as it was told to", "this is a test", code="fake", retryable=True)
        asked = _terms(query)
        return [len(asked & _terms(text)) / max(1, len(asked)) for text in texts]

    def close(self) -> None:
        """Do nothing."""


def reranker_conformance(make: Callable[[], Reranker], *, understands: bool = True) -> None:
    """Check all that the protocol promises, on a reranker from `make` (called twice). Raises AssertionError that says what is wrong.

    `understands=False` leaves out that texts with the answer come before others: for models of random weights.
    """
    reranker, other = make(), make()
    assert isinstance(reranker, Reranker), "methods or properties of the protocol are missing"
    assert reranker.fingerprint, "a fingerprint names the model"
    assert reranker.fingerprint == other.fingerprint, "two of the same kind need one fingerprint"
    assert list(reranker.score(QUESTION, [])) == [], "no texts: no scores"
    scores = [float(score) for score in reranker.score(QUESTION, TEXTS)]
    assert len(scores) == len(TEXTS), "one score for each text"
    assert all(math.isfinite(score) for score in scores), "NaN or infinite"
    assert reranker.fingerprint == other.fingerprint, "the fingerprint must not change with use"
    reversed_ = list(other.score(QUESTION, TEXTS[::-1]))[::-1]
    for text, score, again in zip(TEXTS, scores, reversed_, strict=True):
        assert abs(score - again) <= TOLERANCE, f"another order, another score: {text[:20]!r}"
        [alone] = reranker.score(QUESTION, [text])
        assert abs(score - alone) <= TOLERANCE, f"alone another score: {text[:20]!r}"
    if understands:
        assert scores[1] > scores[0], "a Chinese text with the answer comes before another"
        assert scores[3] > scores[2], "an English text with the answer comes before another"


def _terms(text: str) -> set[str]:
    found = terms(text)
    return {*found.words, *found.bigrams}
