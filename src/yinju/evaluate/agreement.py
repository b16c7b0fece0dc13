"""Where a judging model and the measures that need none agree: each criterion against its nearest deterministic counterpart.

A judge that calls unsupported what the verifier proved word for word, or the other way round, is worth a look before its scores are believed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from yinju.evaluate import metrics
from yinju.evaluate.records import Record
from yinju.evaluate.scores import CRITERIA

GOOD_SCORE = 4.0  # of 5: from here on the judge calls an answer good
GOOD_SHARE = 0.5  # of 1: from here on the measure does
PAIRS = (
    ("judge-faithfulness", "verified"),
    ("judge-relevance", "correct"),
    ("judge-relevance", "overlap"),
    ("judge-precision", "precision"),
)
MOST_NAMED = 5


@dataclass(frozen=True, slots=True)
class Agreement:
    """A criterion and a measure over the `n` answers that have both. `correlation` is Spearman's, None where one of the two never varies.

    `agree` counts answers that both call good (4 of 5; 0.5) or both do not; `apart` are ids of answers on which they part most.
    """

    criterion: str
    measure: str
    n: int
    correlation: float | None
    agree: int
    apart: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Judged:
    """What a judge did in a run: answers given to it, scores that failed, and why, the most frequent reason first."""

    model: str
    answers: int
    scores: int
    failed: int
    reasons: tuple[tuple[str, int], ...]
    agreement: tuple[Agreement, ...]


def summary(records: Sequence[Record]) -> Judged | None:
    """Return what the judge did in these records, None where none was asked."""
    judged = [record.judged for record in records if record.judged is not None]
    if not judged:
        return None
    failures = Counter(
        failure for one in judged for name in CRITERIA if (failure := getattr(one, name).failure) is not None
    )
    failed = sum(one.failures for one in judged)
    agreement = tuple(found for pair in PAIRS if (found := _agreement(records, *pair)) is not None)
    return Judged(
        judged[0].model, len(judged), len(CRITERIA) * len(judged) - failed, failed, tuple(failures.most_common()), agreement
    )  # fmt: skip


def _agreement(records: Sequence[Record], criterion: str, measure: str) -> Agreement | None:
    both = [
        (record.id, found[criterion], found[measure])
        for record in records
        if criterion in (found := record.measures()) and measure in found
    ]
    if not both:
        return None
    apart = [one for one in both if (one[1] >= GOOD_SCORE) is not (one[2] >= GOOD_SHARE)]
    apart.sort(key=lambda one: -abs((one[1] - 1) / 4 - one[2]))
    correlation = metrics.rank_correlation([score for _, score, _ in both], [value for _, _, value in both])
    return Agreement(
        criterion, measure, len(both), None if correlation is None else round(correlation, 4), len(both) - len(apart),
        tuple(name for name, _, _ in apart[:MOST_NAMED]),
    )  # fmt: skip
