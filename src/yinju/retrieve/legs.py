"""The legs of a search and their votes: filters first, each leg proposes candidates, every leg scores every candidate, the scores are summed."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from yinju.retrieve import dense, everyday, filters, fuse, lexical, neighbours
from yinju.types import Query, Vote

if TYPE_CHECKING:
    from yinju.protocols import Embedder, Vectors
    from yinju.store import Store
    from yinju.store.records import RowIds


@dataclass(frozen=True, slots=True)
class RetrieveOptions:
    """Candidates that each leg proposes, the legs' weights in the convex sum, and how much the best lend to those like them."""

    candidates: int = 50
    word_candidates: int = 200
    dense_weight: float = 0.55
    words_weight: float = 0.225
    bigrams_weight: float = 0.225
    neighbours_weight: float = 0.15
    hops: bool | None = None  # search again inside the documents that the question names; None: where it needs that
    rerank: int | None = None  # of the best, for the reranker; None: as many as it names itself, else RERANKED


@dataclass(frozen=True, slots=True)
class Legs:
    """What the legs found for one question, in one committed generation."""

    question: lexical.QuestionTerms
    lexical: Mapping[int, lexical.LexicalScore]
    near: dense.Near
    proposed: Mapping[str, tuple[int, ...]]

    def by_words(self) -> Legs:
        """Return them as if the vectors had not been asked."""
        return replace(
            self, near=dense.Near(), proposed={name: rows for name, rows in self.proposed.items() if name != "dense"}
        )


def ask(
    store: Store, query: Query, embedder: Embedder | None, vector: Vectors | None, options: RetrieveOptions
) -> Legs:
    """Return what every leg proposes inside the query's filter, and what every leg says of each proposed row. No vector: words only."""
    allowed: RowIds | None = filters.allowed(store, query.where)
    depth = max(options.candidates, query.limit)
    question = lexical.question_terms(store, query.text)
    proposed: dict[str, tuple[int, ...]] = {}
    rows = lexical.candidates(store, question, max(options.word_candidates, depth), allowed)
    by_words = lexical.scores(store, question, rows)
    for leg in ("words", "bigrams"):  # where only vectors rank, the evidence still asks the words
        values = {row: getattr(score, leg) for row, score in by_words.items()}
        proposed[leg] = tuple(lexical.best_first(rows, values)[:depth])
    near = dense.Near()
    if vector is not None and embedder is not None:
        vector = everyday.without(vector, everyday.centre(store, embedder, query.text))
        near = dense.nearest(store, embedder.fingerprint, (query.text, vector), depth, query.where, allowed)
        proposed["dense"] = near.proposed
    union = list(dict.fromkeys(row for rows in proposed.values() for row in rows))
    by_words |= lexical.scores(store, question, [row for row in union if row not in by_words])
    if vector is not None and embedder is not None:
        unseen = [row for row in union if row not in near.heights]
        near.heights.update(store.similarities(embedder.fingerprint, vector, unseen))
    return Legs(question, {row: by_words[row] for row in union if row in by_words}, near, proposed)


def fused(legs: Legs, query: Query, options: RetrieveOptions) -> dict[int, tuple[Vote, ...]]:
    """Return each row's votes by the mode of the query; their shares sum to its score."""
    # Where even the best passage has few of the question's words (another language, other wording), the words know little.
    known = max((score.coverage for score in legs.lexical.values()), default=0.0)
    say_of_words = math.sqrt(known) if legs.near.heights and query.mode == "hybrid" else 1.0
    opinions = []
    if query.mode != "dense":
        for name, weight in (("words", options.words_weight), ("bigrams", options.bigrams_weight)):
            values = {row: getattr(score, name) for row, score in legs.lexical.items()}
            opinions.append(fuse.Leg(name, values, legs.proposed.get(name, ()), weight * say_of_words))
    if legs.near.proposed:
        values = legs.near.values()
        opinions.append(fuse.Leg("dense", values, legs.proposed["dense"], options.dense_weight, floor=None))
    names = ("dense",) if query.mode == "dense" else tuple(legs.proposed)
    rows = list(dict.fromkeys(row for name in names for row in legs.proposed.get(name, ())))
    if query.mode == "rank-fusion":
        voted = fuse.reciprocal_ranks(opinions, rows)
    else:
        voted = fuse.convex(opinions, rows)
        if legs.near.proposed:
            voted = {row: _with_stand_in(votes, row, legs, options) for row, votes in voted.items()}
    return {row: votes for row, votes in voted.items() if votes}


def voted(
    store: Store, embedder: Embedder | None, legs: Legs, query: Query, options: RetrieveOptions
) -> dict[int, tuple[Vote, ...]]:
    """Return all votes of each row; the best lend to those like them where legs are weighed against each other."""
    votes = fused(legs, query, options)
    if query.mode != "hybrid" or embedder is None:
        return votes
    return _with_neighbours(store, embedder, legs, votes, options)


def _with_neighbours(
    store: Store, embedder: Embedder, legs: Legs, votes: Mapping[int, tuple[Vote, ...]], options: RetrieveOptions
) -> dict[int, tuple[Vote, ...]]:
    """Add to each row's votes what the best rows lend to it."""
    scores = {row: sum(vote.share for vote in given) for row, given in votes.items()}
    vectors = store.vectors(embedder.fingerprint, list(scores)) if legs.near.heights else {}
    lent = neighbours.lent(vectors, scores, legs.near.across)
    return {
        row: (*given, Vote("neighbours", None, lent[row], options.neighbours_weight * lent[row]))
        if lent.get(row)
        else given
        for row, given in votes.items()
    }


def _with_stand_in(votes: tuple[Vote, ...], row: int, legs: Legs, options: RetrieveOptions) -> tuple[Vote, ...]:
    """Let the words stand in for a vector that is not there yet: new text is found at once, in its place."""
    if row in legs.near.heights or not votes:
        return votes
    by_words = sum(vote.share for vote in votes)
    weight = options.dense_weight / (options.words_weight + options.bigrams_weight)
    return (*votes, Vote("no vector yet", None, by_words, weight * by_words))
