"""One list from several wordings of one question: the best wording leads, the others add to what it found.

Every score is a sum of shares on the same scale, 0 to 1 for each wording, so scores of two wordings can be weighed and added; ranks, of
which only the order is left, need not be asked. The votes are weighed as their scores are: they still sum to the score.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from yinju.retrieve import hops, shape
from yinju.types import Hit, Query, SearchResult, Vote

DEPTH = 20  # hits of each wording that are weighed; more where more are wanted


def deeper(query: Query) -> Query:
    """Return the query with as many hits as `together` weighs; their least score is asked of the sum."""
    return replace(query, limit=max(query.limit, DEPTH), min_score=None)


def together(results: Sequence[SearchResult], weights: Sequence[float], query: Query) -> SearchResult:
    """Return the first result with the hits of all, each score the weighted sum of its scores; `query` says how many.

    `weights` sum to 1. Coverage, evidence and syntax are those of the first wording; a notice that several have stands once. A passage
    that a wording did not find has nothing from it (or less than nothing, where a reranker gave all that it found less than that).
    """
    found: dict[str, Hit] = {}
    given: dict[str, list[tuple[int, Vote]]] = {}
    for place, (result, weight) in enumerate(zip(results, weights, strict=True)):
        for hit in result.hits:
            key = hit.text if query.collapse else hit.id
            found.setdefault(key, hit)
            given.setdefault(key, []).extend((place, _weighed(vote, weight)) for vote in hit.votes)
    for place, (result, weight) in enumerate(zip(results, weights, strict=True)):
        lowest = min((hit.score for hit in result.hits), default=0.0)
        if lowest < 0:
            for votes in given.values():
                if all(of != place for of, _ in votes):
                    votes.append((place, Vote("not found", None, lowest, weight * lowest)))
    hits = [_with_votes(hit, [vote for _, vote in given[key]]) for key, hit in found.items()]
    hits = shape.capped(
        sorted(hits, key=lambda hit: -hit.score), query.limit, _most(results[0], query)
    )  # fmt: skip
    if query.min_score is not None:
        hits = [hit for hit in hits if hit.score >= query.min_score]
    took = {name: sum(result.took_ms.get(name, 0.0) for result in results) for name in results[0].took_ms}
    notices = tuple(dict.fromkeys(text for result in results for text in result.notices))
    return replace(results[0], hits=tuple(hits), took_ms=took, notices=notices)


def _most(first: SearchResult, query: Query) -> int | None:
    """Return how many passages of a document may be hits: more than usual where the first wording needed a second round."""
    went_again = any(vote.leg == hops.LEG for hit in first.hits for vote in hit.votes)
    if went_again and query.per_document is None and query.collapse:
        return math.ceil(hops.PLACES * query.limit)
    return shape.wanted_per_document(query)


def _weighed(vote: Vote, weight: float) -> Vote:
    return replace(vote, share=weight * vote.share)


def _with_votes(hit: Hit, votes: Sequence[Vote]) -> Hit:
    """Return the hit with one vote for each leg: rank and value of the wording that weighs most, the shares of all."""
    legs: dict[str, Vote] = {}
    for vote in votes:
        known = legs.get(vote.leg)
        legs[vote.leg] = replace(known, share=known.share + vote.share) if known else vote
    return replace(hit, votes=tuple(legs.values()), score=sum(vote.share for vote in legs.values()))
