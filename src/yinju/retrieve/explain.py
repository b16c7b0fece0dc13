"""What each leg of a search says on its own, side by side: its list, its values, and what it gives to the score.

A search shows the sum; where a passage was expected and is not there, the legs tell which of them knew it. The lists are those of the search itself,
as deep as it looks, before votes are summed; a second round and the reranker show in the votes of its hits.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from yinju.retrieve import filters, legs, phrases
from yinju.retrieve.legs import RetrieveOptions
from yinju.retrieve.search import as_hit, question_vector
from yinju.types import Hit, Query, SearchResult

if TYPE_CHECKING:
    from yinju.protocols import Embedder
    from yinju.store import Store


@dataclass(frozen=True, slots=True)
class LegRow:
    """One passage in a leg's list. `share`: what the leg gives to its score, None where the leg is not weighed in this mode."""

    rank: int
    value: float
    share: float | None
    hit: Hit


@dataclass(frozen=True, slots=True)
class Leg:
    """A leg with its list, best first."""

    name: str
    rows: tuple[LegRow, ...]


@dataclass(frozen=True, slots=True)
class Explained:
    """A search with what its legs said. `filters` are keys with patterns, those that the question's own syntax made included."""

    result: SearchResult
    filters: tuple[tuple[str, str], ...]
    passages: int
    allowed: int  # of the passages, those that the filters let through
    legs: tuple[Leg, ...]


def explain(store: Store, query: Query, embedder: Embedder | None, result: SearchResult) -> Explained:
    """Return what the legs say of this query, beside the result that a search has for it. Raises UsageError, StoreError."""
    options = RetrieveOptions()
    asked = phrases.understood(store, query).query
    asked = replace(asked, limit=min(asked.limit, options.candidates))
    vector = question_vector(asked, embedder, []) if asked.mode != "lexical" else None
    with store.snapshot():
        allowed = filters.allowed(store, asked.where)
        passages = store.counts().chunks
        found = legs.ask(store, asked, embedder, vector, options)
        votes = legs.voted(store, embedder, found, asked, options)
        rows = list(dict.fromkeys(row for proposed in found.proposed.values() for row in proposed))
        hits = {stored.rowid: as_hit(stored, votes.get(stored.rowid, ())) for stored in store.chunks(rows)}
    return Explained(
        result,
        tuple(_shown(key, pattern) for key, pattern in filters.patterns(asked.where)),
        passages,
        passages if allowed is None else len(allowed),
        tuple(Leg(name, tuple(_rows(name, proposed, found, hits))) for name, proposed in found.proposed.items()),
    )


def _rows(name: str, proposed: tuple[int, ...], found: legs.Legs, hits: dict[int, Hit]) -> Iterator[LegRow]:
    near = found.near.values() if name == "dense" else {}
    for rank, row in enumerate(proposed, 1):
        hit = hits.get(row)
        if hit is None:
            continue
        value = near.get(row, 0.0) if name == "dense" else getattr(found.lexical.get(row), name, 0.0)
        share = next((vote.share for vote in hit.votes if vote.leg == name), None)
        yield LegRow(rank, float(value), share, hit)


def _shown(key: str, pattern: str) -> tuple[str, str]:
    """Return a filter for people: the key of texts that passages must hold has no name that could be typed."""
    return key.replace(filters.HOLDS, "holds"), pattern
