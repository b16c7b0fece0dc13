"""Metrics of a ranking, each with its formula and source, and the intervals that say how far a difference can be trusted.

A ranking is a sequence of passage ids, best first, without repeats; judgements map the id of each relevant passage to its relevance (> 0).
All metrics are 0 to 1, higher is better. A question without a relevant passage has no metric: leave it out before.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

RESAMPLES = 2_000
SEED = 20_260_101


def ndcg(ranking: Sequence[str], judgements: Mapping[str, float], k: int = 10) -> float:
    """Normalised discounted cumulative gain: sum of rel_i / log2(i + 1) for ranks i = 1..k, divided by that of the ideal order.

    Järvelin and Kekäläinen, "Cumulated gain-based evaluation of IR techniques", ACM TOIS 20(4), 2002; with the discount of trec_eval.
    """
    gain = sum(judgements.get(name, 0.0) / math.log2(rank + 1) for rank, name in enumerate(ranking[:k], 1))
    ideal = sorted(judgements.values(), reverse=True)[:k]
    return gain / sum(relevance / math.log2(rank + 1) for rank, relevance in enumerate(ideal, 1))


def recall(ranking: Sequence[str], judgements: Mapping[str, float], k: int) -> float:
    """Recall at k: relevant passages among the first k / all relevant passages.

    Manning, Raghavan and Schütze, "Introduction to Information Retrieval", 2008, section 8.3.
    """
    return sum(name in judgements for name in ranking[:k]) / len(judgements)


def hit(ranking: Sequence[str], judgements: Mapping[str, float], k: int) -> float:
    """Success at k: 1 where a relevant passage is among the first k, else 0. Equal to recall where one passage is relevant.

    Voorhees, "Overview of the TREC 2004 robust retrieval track": success@k.
    """
    return float(any(name in judgements for name in ranking[:k]))


def reciprocal_rank(ranking: Sequence[str], judgements: Mapping[str, float], k: int = 10) -> float:
    """Return 1 / rank of the first relevant passage, 0 where none is among the first k; its mean is the MRR.

    Voorhees, "The TREC-8 question answering track report", 1999.
    """
    return next((1 / rank for rank, name in enumerate(ranking[:k], 1) if name in judgements), 0.0)


def area_under_curve(positives: Sequence[float], negatives: Sequence[float]) -> float:
    """Return the share of pairs (positive, negative) in which the positive has the higher score; ties count half.

    Hanley and McNeil, "The meaning and use of the area under a ROC curve", Radiology 143, 1982.
    """
    order = np.sort(np.asarray(negatives, dtype=np.float64))
    scores = np.asarray(positives, dtype=np.float64)
    below = np.searchsorted(order, scores, side="left")
    up_to = np.searchsorted(order, scores, side="right")
    return float((below + up_to).sum() / 2 / (len(scores) * len(order)))


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean and its 95 % interval."""

    mean: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.mean:.4f} [{self.low:.3f}, {self.high:.3f}]"


def interval(values: Sequence[float], *, resamples: int = RESAMPLES, seed: int = SEED) -> Interval:
    """Return the mean and its 95 % percentile bootstrap interval over questions.

    Efron and Tibshirani, "An Introduction to the Bootstrap", 1993, chapter 13.
    """
    sample = np.asarray(values, dtype=np.float64)
    low, high = np.percentile(_resampled_means(sample, resamples, seed), [2.5, 97.5])
    return Interval(float(sample.mean()), float(low), float(high))


@dataclass(frozen=True, slots=True)
class Comparison:
    """How much b is better than a, and the share of resamples in which the sign is the other way or nought, doubled (two-sided p)."""

    difference: Interval
    p: float
    better: int
    worse: int
    same: int


def compare(a: Sequence[float], b: Sequence[float], *, resamples: int = RESAMPLES, seed: int = SEED) -> Comparison:
    """Compare two runs on the same questions in the same order by the paired bootstrap.

    Sakai, "Evaluating evaluation metrics based on the bootstrap", SIGIR 2006. Raises ValueError where the lengths differ.
    """
    if len(a) != len(b):
        raise ValueError(f"{len(a)} questions against {len(b)}: a paired comparison needs the same ones")
    differences = np.asarray(b, dtype=np.float64) - np.asarray(a, dtype=np.float64)
    means = _resampled_means(differences, resamples, seed)
    low, high = np.percentile(means, [2.5, 97.5])
    tail = min(float((means <= 0).mean()), float((means >= 0).mean()))
    return Comparison(
        Interval(float(differences.mean()), float(low), float(high)),
        min(1.0, 2 * tail),
        int((differences > 0).sum()),
        int((differences < 0).sum()),
        int((differences == 0).sum()),
    )


def _resampled_means(sample: np.ndarray, resamples: int, seed: int) -> np.ndarray:
    generator = np.random.default_rng(seed)
    return np.array([sample[generator.integers(0, len(sample), len(sample))].mean() for _ in range(resamples)])
