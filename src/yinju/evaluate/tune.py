"""Where to refuse: error rates of refusal at each threshold, and a proposal where labelled questions allow one.

Questions made from the documents echo them, so that their evidence is higher than that of real ones: they show how well the evidence tells
answerable from unanswerable, but a threshold is proposed from labelled questions only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from yinju.evaluate import metrics
from yinju.evaluate.metrics import Interval
from yinju.evaluate.records import Record
from yinju.messages import say
from yinju.types import as_plain

LEAST_ANSWERABLE, LEAST_UNANSWERABLE = 30, 15  # labelled questions, below which nothing is proposed
MOST_WRONG_REFUSALS = 0.05
SHOWN = tuple(step / 10 for step in range(1, 10))
_GRID = tuple(step / 100 for step in range(101))


@dataclass(frozen=True, slots=True)
class Rates:
    """What a threshold does: the share of answerable questions refused and of unanswerable ones answered, with Wilson intervals."""

    threshold: float
    wrong_refusals: Interval
    wrong_answers: Interval


@dataclass(frozen=True, slots=True)
class Tuning:
    """Rates at several thresholds and at the one in force. `proposal` is None where `why_not` says why; `span` is its 95 % interval.

    `made`: all questions were; `left_out`: made ones that do not count beside labelled ones.
    """

    answerable: int
    unanswerable: int
    made: bool
    left_out: int
    area: Interval
    calibration_error: float
    rates: tuple[Rates, ...]
    now: Rates
    proposal: Rates | None
    span: tuple[float, float] | None
    why_not: str | None


def tune(records: Sequence[Record], now: float, *, most_wrong_refusals: float = MOST_WRONG_REFUSALS) -> Tuning | None:
    """Return what the evidence of these records says about thresholds; None where one of the two kinds of questions is missing.

    The proposal is the threshold (in steps of 0.01) that refuses most unanswerable questions while at most this share of the answerable
    ones is refused; the lowest of several. Where there are labelled questions only they count; made ones alone propose nothing.
    """
    labelled = [record for record in records if not record.made]
    yes, no = _evidence(labelled or records)
    if not yes or not no:
        return None
    proposal, span, why_not = _propose(*_evidence(labelled), most_wrong_refusals)
    return Tuning(
        answerable=len(yes), unanswerable=len(no), made=not labelled, left_out=len(records) - len(yes) - len(no),
        area=metrics.area_interval(yes, no),
        calibration_error=metrics.calibration_error([*yes, *no], [True] * len(yes) + [False] * len(no)),
        rates=tuple(rates(yes, no, threshold) for threshold in SHOWN), now=rates(yes, no, now),
        proposal=None if proposal is None else rates(yes, no, proposal), span=span, why_not=why_not,
    )  # fmt: skip


def rates(yes: Sequence[float], no: Sequence[float], threshold: float) -> Rates:
    """Return the error rates of refusing what has less evidence than the threshold."""
    refused = sum(evidence < threshold for evidence in yes)
    answered = sum(evidence >= threshold for evidence in no)
    return Rates(threshold, metrics.share_interval(refused, len(yes)), metrics.share_interval(answered, len(no)))


def best_threshold(yes: Sequence[float], no: Sequence[float], most_wrong_refusals: float) -> float | None:
    """Return the threshold of the rule, None where every one that refuses anything unanswerable refuses too many answerable questions."""
    answerable, unanswerable = np.sort(np.asarray(yes, dtype=np.float64)), np.sort(np.asarray(no, dtype=np.float64))
    refused_wrongly = np.searchsorted(answerable, _GRID, side="left") / len(answerable)
    refused_rightly = np.searchsorted(unanswerable, _GRID, side="left")
    allowed = np.where(refused_wrongly <= most_wrong_refusals + 1e-12, refused_rightly, -1)
    best = int(allowed.argmax())  # the first of several
    return _GRID[best] if allowed[best] > 0 else None


def _propose(
    yes: Sequence[float], no: Sequence[float], most: float
) -> tuple[float | None, tuple[float, float] | None, str | None]:
    if len(yes) < LEAST_ANSWERABLE or len(no) < LEAST_UNANSWERABLE:
        text = say(
            "No threshold is proposed: that takes {a} labelled answerable and {u} unanswerable questions; there are {x} and {y}.",
            "不给出阈值建议：至少需要 {a} 道人工标注的有答案题和 {u} 道无答案题，现有 {x} 和 {y} 道。",
            a=LEAST_ANSWERABLE, u=LEAST_UNANSWERABLE, x=len(yes), y=len(no),
        )  # fmt: skip
        return None, None, text
    best = best_threshold(yes, no, most)
    if best is None:
        text = say(
            "No threshold is proposed: none refuses anything unanswerable with at most {share:.0%} wrong refusals.",
            "不给出阈值建议：误拒不超过 {share:.0%} 时，没有阈值能拒掉任何无答案题。", share=most,
        )  # fmt: skip
        return None, None, text
    generator = np.random.default_rng(metrics.SEED)
    drawn = []
    for _ in range(500):
        again = best_threshold(generator.choice(yes, len(yes)).tolist(), generator.choice(no, len(no)).tolist(), most)
        drawn.append(0.0 if again is None else again)
    low, high = np.percentile(drawn, [2.5, 97.5])
    return best, (round(float(low), 2), round(float(high), 2)), None


def _evidence(records: Sequence[Record]) -> tuple[list[float], list[float]]:
    yes = [record.evidence for record in records if record.answerable]
    return yes, [record.evidence for record in records if not record.answerable]


def as_json(found: Tuning) -> dict[str, Any]:
    """Return the tuning as JSON data."""
    plain: dict[str, Any] = as_plain(found)
    return plain
