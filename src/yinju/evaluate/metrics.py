"""Metrics as pure functions on plain numbers, each with its formula and source, and the intervals that say how far a figure can be trusted.

A ranking is a sequence of passage ids, best first, without repeats; judgements map the id of each relevant passage to its relevance (> 0).
All metrics of a ranking are 0 to 1, higher is better. A question without a relevant passage has no metric: leave it out before.
The benchmarks and `yinju eval` count with the same functions.
"""

from __future__ import annotations

import itertools
import math
import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from yinju.text.normalize import fold

if TYPE_CHECKING:
    from numpy.typing import NDArray

RESAMPLES = 2_000
SEED = 20_260_101
_units = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]|[^\W_\u3400-\u9fff\uf900-\ufaff]+(?:[.,]\d+)*")
EXACTLY = 10  # changed questions up to which all 2^n signs are tried


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


def share_within(ranks: Sequence[int | None], k: int) -> float:
    """Recall at k from the rank of each relevant thing (None: not found): those with a rank of at most k / all of them."""
    return sum(rank is not None and rank <= k for rank in ranks) / len(ranks)


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


def average_precision(relevant: Sequence[bool]) -> float:
    """Return the mean of precision at k over the ranks k of the relevant passages shown, 0 where none is: context precision by gold.

    Manning, Raghavan and Schütze, "Introduction to Information Retrieval", 2008, section 8.4; over the passages shown, as RAGAs does.
    """
    hits = [sum(relevant[:rank]) / rank for rank, right in enumerate(relevant, 1) if right]
    return sum(hits) / len(hits) if hits else 0.0


def overlap(answer: str, expected: str) -> float:
    """Return the F1 of the words that answer and expected text share, counted as often as they stand; a Chinese character is a word.

    2 · common / (words of one + words of the other). Rajpurkar et al., "SQuAD: 100,000+ questions", EMNLP 2016; Cui et al., "A span-extraction
    dataset for Chinese machine reading comprehension", EMNLP 2019. Folded: case, width, traditional forms.
    """
    one, other = (Counter(_units.findall(fold(text))) for text in (answer, expected))
    total = sum(one.values()) + sum(other.values())
    return 2 * sum((one & other).values()) / total if total else 0.0


def rank_correlation(one: Sequence[float], other: Sequence[float]) -> float | None:
    """Return Spearman's rank correlation, the product-moment correlation of mean ranks; None where one of the two never varies.

    Spearman, "The proof and measurement of association between two things", American Journal of Psychology 15, 1904.
    """
    if len(one) != len(other):
        raise ValueError(f"{len(one)} values against {len(other)}")
    if len(set(one)) < 2 or len(set(other)) < 2:
        return None
    return float(np.corrcoef(_mean_ranks(one), _mean_ranks(other))[0, 1])


def _mean_ranks(values: Sequence[float]) -> list[float]:
    order = sorted(values)
    return [
        bisect_left(order, value) + (bisect_right(order, value) - bisect_left(order, value) + 1) / 2 for value in values
    ]


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


def share_interval(count: int, of: int) -> Interval:
    """Return the share `count / of` with its 95 % Wilson score interval, which says something even where nothing or all was counted.

    Centre (p + z²/2n) / (1 + z²/n), half width z / (1 + z²/n) · sqrt(p(1-p)/n + z²/4n²), z = 1.96.
    Wilson, "Probable inference, the law of succession, and statistical inference", JASA 22, 1927. Raises ValueError for a share of nothing.
    """
    if not 0 <= count <= of or of == 0:
        raise ValueError(f"{count} of {of} is no share")
    share, z = count / of, 1.96
    grown = 1 + z * z / of
    centre = (share + z * z / (2 * of)) / grown
    half = z / grown * math.sqrt(share * (1 - share) / of + z * z / (4 * of * of))
    return Interval(share, max(0.0, centre - half), min(1.0, centre + half))


def calibration_error(chances: Sequence[float], outcomes: Sequence[bool], bins: int = 10) -> float:
    """Expected calibration error: over bins of equal width, the sum of n_bin / n · |mean outcome - mean chance| in the bin.

    Naeini, Cooper and Hauskrecht, "Obtaining well calibrated probabilities using Bayesian binning", AAAI 2015. Chances are 0 to 1.
    """
    if len(chances) != len(outcomes) or not chances:
        raise ValueError(f"{len(chances)} chances against {len(outcomes)} outcomes")
    chance, outcome = np.asarray(chances, dtype=np.float64), np.asarray(outcomes, dtype=np.float64)
    numbers = np.minimum((chance * bins).astype(int), bins - 1)
    gaps = [abs(float((outcome - chance)[numbers == number].sum())) for number in range(bins)]
    return sum(gaps) / len(chance)


def percentile(values: Sequence[float], share: float) -> float:
    """Return the value below which `share` percent of the values lie, between two of them by straight line (Hyndman and Fan 1996, type 7)."""
    return float(np.percentile(np.asarray(values, dtype=np.float64), share))


def area_interval(
    positives: Sequence[float], negatives: Sequence[float], *, resamples: int = 500, seed: int = SEED
) -> Interval:
    """Return the area under the curve with its 95 % percentile bootstrap interval, both groups drawn anew each time."""
    generator = np.random.default_rng(seed)
    yes, no = np.asarray(positives, dtype=np.float64), np.asarray(negatives, dtype=np.float64)
    drawn = [
        area_under_curve(generator.choice(yes, len(yes)).tolist(), generator.choice(no, len(no)).tolist())
        for _ in range(resamples)
    ]
    low, high = np.percentile(drawn, [2.5, 97.5])
    return Interval(area_under_curve(positives, negatives), float(low), float(high))


@dataclass(frozen=True, slots=True)
class Comparison:
    """How much b is better than a, and `p`, how often signs drawn by lot would make the two differ as much or more (two-sided)."""

    difference: Interval
    p: float
    better: int
    worse: int
    same: int

    @property
    def has_interval(self) -> bool:
        """Whether resampling tells anything: where all questions changed by the same amount it has nothing to vary."""
        return self.difference.low < self.difference.high or not (self.better or self.worse)


def compare(a: Sequence[float], b: Sequence[float], *, resamples: int = RESAMPLES, seed: int = SEED) -> Comparison:
    """Compare two runs on the same questions in the same order: interval by the paired bootstrap, p by the randomization test.

    Sakai, "Evaluating evaluation metrics based on the bootstrap", SIGIR 2006; Smucker, Allan and Carterette, "A comparison of statistical
    significance tests for information retrieval evaluation", CIKM 2007. Of a few questions the bootstrap draws the same ones again and would
    call one question proof; signs drawn by lot do not. Raises ValueError where the lengths differ.
    """
    if len(a) != len(b):
        raise ValueError(f"{len(a)} questions against {len(b)}: a paired comparison needs the same ones")
    differences = np.asarray(b, dtype=np.float64) - np.asarray(a, dtype=np.float64)
    means = _resampled_means(differences, resamples, seed)
    low, high = np.percentile(means, [2.5, 97.5])
    return Comparison(
        Interval(float(differences.mean()), float(low), float(high)),
        _by_lot(differences, resamples, seed),
        int((differences > 0).sum()),
        int((differences < 0).sum()),
        int((differences == 0).sum()),
    )


def _by_lot(differences: NDArray[np.float64], resamples: int, seed: int) -> float:
    """Return the share of signs of the differences whose sum lies as far from nought: of all signs where they are few, else of drawn ones."""
    changed = differences[differences != 0]
    least = abs(float(changed.sum())) - 1e-9
    if len(changed) <= EXACTLY:
        sums: list[float] = [sum(signs) for signs in itertools.product(*((one, -one) for one in map(float, changed)))]
        return sum(abs(one) >= least for one in sums) / len(sums)
    generator = np.random.default_rng(seed)
    drawn = [float(changed @ generator.choice((-1.0, 1.0), len(changed))) for _ in range(resamples)]
    return (sum(abs(found) >= least for found in drawn) + 1) / (resamples + 1)


def _resampled_means(sample: NDArray[np.float64], resamples: int, seed: int) -> NDArray[np.float64]:
    generator = np.random.default_rng(seed)
    return np.array([sample[generator.integers(0, len(sample), len(sample))].mean() for _ in range(resamples)])
