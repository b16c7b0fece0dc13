"""What stands next in a document: `and the one after that?` is answered beside the passage that answered the last question.

Items of a list may be sections of their own, and nothing in the words of the question names the next one; only the order of the document does.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from yinju.retrieve.search import as_hit
from yinju.types import SearchResult, Vote

if TYPE_CHECKING:
    from yinju.store import Store

LEG = "next in the document"
LOOKED_AT = 2  # best hits whose neighbours are looked at
SHARE = 0.95  # of the score of the hit beside which a passage stands


def with_next(store: Store, result: SearchResult, step: int, limit: int) -> SearchResult:
    """Return the result with the passages after (`step` 1) or before (-1) the best ones in their documents, right behind them."""
    found = {hit.id: hit for hit in result.hits}
    for hit in result.hits[:LOOKED_AT]:
        for stored in store.chunks_of(hit.source):
            if stored.chunk.index != hit.index + step:
                continue
            beside = as_hit(stored, (Vote(LEG, None, float(step), SHARE * hit.score),))
            if stored.id not in found or found[stored.id].score < beside.score:
                found[stored.id] = beside
    ranked = sorted(found.values(), key=lambda hit: -hit.score)
    return replace(result, hits=tuple(ranked[:limit]))
