"""The word leg: BM25 over words and over character bigrams, two fields of the same text.

Segmented words carry meaning, bigrams survive every mistake of segmentation; together they find what either alone would miss.
The index proposes candidates by its own crude score; the exact score here gives small libraries sane weights, which FTS5's does not:
it makes a term worthless as soon as it stands in more than half of the passages.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from yinju.retrieve import alone, nowhere, phrases
from yinju.retrieve.wording import as_written, but_asking
from yinju.text.words import FILLERS, Terms, index_terms, parts_of, terms
from yinju.types import Query

if TYPE_CHECKING:
    from yinju.store import Store
    from yinju.store.records import RowIds

K1 = 1.2
B = 0.75
_NAME = re.compile(r"[A-Z]{2}")


@dataclass(frozen=True, slots=True)
class QuestionTerms:
    """The distinct terms of a question that carry information, with their inverse document frequencies in this library."""

    words: Mapping[str, float]
    bigrams: Mapping[str, float]
    average_words: float
    average_bigrams: float
    unknown: tuple[str, ...]  # words that certainly stand nowhere in the library, as the question has them
    missing: tuple[
        str, ...
    ]  # words that the index does not have, fragments of longer ones left out: some may stand there otherwise segmented
    alone: Mapping[str, tuple[str, ...]] = field(
        default_factory=dict
    )  # words of one character: the bigrams that hold them, see `alone`


@dataclass(frozen=True, slots=True)
class LexicalScore:
    """BM25 of one passage in both fields, and the share of the question's word weight (idf) that it contains, 0 to 1."""

    words: float
    bigrams: float
    coverage: float


def question_terms(store: Store, question: str) -> QuestionTerms:
    """Return the question's terms weighted by rarity. Fillers are left out unless the question has nothing else."""
    words, bigrams = without_fillers(index_terms(question, question=True))
    statistics = store.statistics(words, bigrams)
    words = alone.without_guesses(words, statistics.word_frequency)
    holders = alone.holders(store, words)
    passages = max(1, statistics.passages)
    frequency = {word: statistics.word_frequency.get(word, 0) for word in words}
    frequency |= {word: min(passages, max(frequency[word], sum(pairs.values()))) for word, pairs in holders.items()}
    words = [word for word in words if frequency[word] or not _known_in_parts(word, frequency)]
    missing = [word for word in words if not frequency[word]]
    return QuestionTerms(
        words={word: inverse_frequency(frequency[word], passages) for word in words},
        bigrams={pair: inverse_frequency(statistics.bigram_frequency.get(pair, 0), passages) for pair in bigrams},
        average_words=statistics.average_words or 1.0,
        average_bigrams=statistics.average_bigrams or 1.0,
        unknown=nowhere.certainly(store, question, missing),
        missing=but_asking(question, as_written(question, missing)),
        alone={word: tuple(pairs) for word, pairs in holders.items()},
    )


def misses(store: Store, question: str) -> bool:
    """Return whether the question has a word that the index does not have: what asks for it alone is hardly answered by what others found."""
    return bool(question_terms(store, phrases.understood(store, Query(question)).query.text).missing)


def _known_in_parts(word: str, frequency: Mapping[str, int]) -> bool:
    """Whether a code that stands nowhere is written apart in the library: `iphone15` where there are `iPhone` and `15`."""
    parts = parts_of(word)
    return len(parts) > 1 and len(parts[0]) > 2 and all(frequency.get(part) for part in parts)


def without_fillers(found: Terms) -> tuple[list[str], list[str]]:
    """Return the distinct words and bigrams of a question in their order, fillers last resort only."""
    words = [word for word in dict.fromkeys(found.words) if word not in FILLERS]
    bigrams = [pair for pair in dict.fromkeys(found.bigrams) if pair not in FILLERS]
    return words or list(dict.fromkeys(found.words)), bigrams or list(dict.fromkeys(found.bigrams))


def asks_something(question: str) -> bool:
    """Return whether there is anything in the question that a passage could answer: a word that is no filler, or a name such as WHO."""
    return _NAME.search(question) is not None or any(word not in FILLERS for word in terms(question).words)


def candidates(store: Store, question: QuestionTerms, limit: int, allowed: RowIds | None) -> list[int]:
    """Return the rows that the word index proposes."""
    rows = store.word_candidates(list(question.words), list(question.bigrams), limit, allowed)
    for pairs in question.alone.values():
        rows += store.word_candidates([], pairs, alone.CANDIDATES, allowed)
    return list(dict.fromkeys(rows))


def scores(store: Store, question: QuestionTerms, rows: Sequence[int]) -> dict[int, LexicalScore]:
    """Score these rows exactly, in both fields."""
    pairs = [pair for holders in question.alone.values() for pair in holders]
    counted = store.term_counts(rows, words=list(question.words), bigrams=[*question.bigrams, *pairs])
    scored = {}
    for row, counts in counted.items():
        words = alone.counted(question.alone, counts)
        scored[row] = LexicalScore(
            words=bm25(question.words, words, counts.word_length, question.average_words),
            bigrams=bm25(question.bigrams, counts.bigrams, counts.bigram_length, question.average_bigrams),
            coverage=covered(question.words, words),
        )
    return scored


def bm25(weights: Mapping[str, float], counts: Mapping[str, int], length: int, average: float) -> float:
    """Okapi BM25: sum of idf x tf (k1 + 1) / (tf + k1 (1 - b + b length / average)) (Robertson and Zaragoza 2009, eq. 3.15)."""
    penalty = K1 * (1 - B + B * length / average)
    return math.fsum(
        weights[term] * tf * (K1 + 1) / (tf + penalty) for term, tf in counts.items() if tf and term in weights
    )


def covered(weights: Mapping[str, float], counts: Mapping[str, int]) -> float:
    """Return the share of the weights whose terms occur."""
    return sum(weight for term, weight in weights.items() if counts.get(term)) / (sum(weights.values()) or 1.0)


def inverse_frequency(containing: int, passages: int) -> float:
    """ln((N - df + 0.5) / (df + 0.5) + 1): never negative, unlike the classic form, so common terms only fade."""
    return math.log((passages - containing + 0.5) / (containing + 0.5) + 1)


def best_first(rows: Iterable[int], values: Mapping[int, float]) -> list[int]:
    """Return rows by falling value, ties by row, those without any value left out."""
    return sorted((row for row in rows if values.get(row, 0.0) > 0), key=lambda row: (-values[row], row))
