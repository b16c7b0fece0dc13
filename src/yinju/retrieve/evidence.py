"""How probable is it that the passages found answer the question? Two logistic opinions over a few signs of the search, joined.

The weights stand in evidence.json, fitted by `python -m benchmarks.calibrate` on questions with and without an answer in the library.
Each known embedding space has weights of its own, on heights measured from the library's floor (floor.py), and a second opinion by words; an
unknown space, and a search by words alone, use the words' signs only. All modes that ask the vectors judge by the same signs, those of the hybrid
order, so that they tell the same probability.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from yinju.text.sentences import split
from yinju.text.words import index_terms

if TYPE_CHECKING:
    from yinju.retrieve.lexical import LexicalScore, QuestionTerms

ACROSS = " across languages"
BY_WORDS = " by words"
AMONG_OWN = " among pages in its own"  # behind ACROSS: the library has pages in the question's language, and yet another one comes first
WORDS_ALONE = 0.5
SENTENCES = 60  # of one passage that are looked at
BEHIND = 4  # scores that the first is compared with
STEP_AT_MOST, STEP_BEHIND = 10, 5  # passages that may answer, and those behind them
FEWEST = 3  # passages that something can stand out from
NOTHING_BEHIND = 0.022  # of e5, where as many answered questions of the public sets stand lower as others stand higher


def features(
    best: Sequence[LexicalScore],
    scores: Sequence[float],
    heights: Sequence[float],
    *,
    sentence: float,
    above_floor: float,
    chinese: bool,
) -> dict[str, float]:
    """Return what the search says, all about 0 to 1.

    coverage      the largest share of the question's word weight that one of the first hits contains
    sentence      the largest share of it that one sentence of the first hit contains
    ahead         how far the first score is ahead of those behind it, see `ahead`
    above_floor   the height of the nearest passage in the first hit's language, less the library's floor for it
    standing      how far the nearest passages in that language stand out among all of them, see `standing`
    chinese       1 where the question is Chinese
    """
    return {
        "coverage": max((score.coverage for score in best), default=0.0),
        "sentence": sentence,
        "ahead": ahead(scores),
        "above_floor": above_floor,
        "standing": standing(heights),
        "chinese": float(chinese),
    }


def ahead(scores: Sequence[float]) -> float:
    """Return the first of the falling scores less the mean of the next four, 0 where there are none."""
    behind = scores[1 : 1 + BEHIND]
    return scores[0] - math.fsum(behind) / len(behind) if behind else 0.0


def standing(heights: Sequence[float]) -> float:
    """Return the largest step in the falling heights: the mean of the first 1 to 10 less that of the five behind them.

    Where nothing answers, heights fall evenly. A step shows what answers, be it one passage or, in a library of news, eight that tell the same:
    there the first alone is not ahead of the second. The step does not depend on how high heights are: it holds across languages, and for
    questions worded unlike the pages. Fewer than three passages have nothing to stand out from: neither for nor against.
    """
    if len(heights) < FEWEST:
        return NOTHING_BEHIND
    best = 0.0
    for first in range(1, min(STEP_AT_MOST, len(heights) - 1) + 1):
        behind = heights[first : first + STEP_BEHIND]
        best = max(best, math.fsum(heights[:first]) / first - math.fsum(behind) / len(behind))
    return best


def best_sentence(text: str, question: QuestionTerms) -> float:
    """Return the largest share of the question's word weight (idf) that stands in one sentence, 0 to 1.

    Words that meet in one sentence belong together more often than those strewn over a page: ROC area on questions beside their topic 0.784,
    for the whole passage 0.747 (clapnq).
    """
    total = sum(question.words.values()) or 1.0
    best = 0.0
    for span in split(text)[:SENTENCES]:
        found = index_terms(span.of(text))
        words, bigrams = set(found.words), set(found.bigrams)
        held = (
            weight
            for word, weight in question.words.items()
            if word in words or not bigrams.isdisjoint(question.alone.get(word, ()))
        )
        best = max(best, sum(held) / total)
    return best


def knows(fingerprint: str) -> bool:
    """Return whether there are weights for this embedding's family."""
    return fingerprint.split("/", maxsplit=1)[0] in _weights()


def space(fingerprint: str | None, *, across: bool, among_own: bool = False) -> str:
    """Return which weights hold: those of the embedding's family (the fingerprint up to the first `/`), else those of words alone.

    Where the best passage is in another language than the question there are weights of their own, and `among_own` says whether it came
    before pages in the question's language, or there are too few passages to tell.
    """
    family = (fingerprint or "").split("/")[0]
    name = family + ACROSS if across else family
    if not fingerprint or name not in _weights():
        return "words"
    return name + AMONG_OWN if across and among_own else name


def probability(found: Mapping[str, float], name: str) -> float:
    """Return the probability by the weights of this space; where words can meet, their own opinion is heard as well.

    A page in another language that comes before those in the question's own is oftener beside the point than the weights across languages
    know, which were fitted where there was no other: then it is the geometric mean with what the question's own language says (examples:
    area 0.78 -> 0.83; xquad with each paragraph in one language, 0.81 -> 0.80). So it is with one or two passages, of which none can stand out:
    of eight questions that libraries of one or two documents in another language did not answer (0.30 to 0.43 without this) seven are refused,
    and none of six that they did.
    """
    if name.endswith(AMONG_OWN):
        across = name.removesuffix(AMONG_OWN)
        return math.sqrt(probability(found, across) * probability(found, across.removesuffix(ACROSS)))
    chance = _logistic(found, name)
    return either(chance, _logistic(found, name + BY_WORDS)) if name + BY_WORDS in _weights() else chance


def either(by_vectors: float, by_words: float) -> float:
    """Join two opinions: one of them is enough (noisy or), but words alone convince only by half.

    Few words in common are no sign of absence: a sum of all signs refused half of the examples' questions, which are worded unlike the pages,
    where this refuses a third, at the same area. Both opinions are fitted together, so that what comes out is calibrated.
    """
    return 1 - (1 - by_vectors) * (1 - WORDS_ALONE * by_words)


def _logistic(found: Mapping[str, float], name: str) -> float:
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
