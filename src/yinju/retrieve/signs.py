"""The signs of the evidence: what one search says about whether the library answers the question, the same whatever the mode and the limit.

They are read off the hybrid order of all legs, also where only words or only vectors rank the hits. A question asked in two modes has one
probability, and a threshold means one thing. Where nothing is known of the embedding's cosines, or there is no model, the words tell alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from yinju.errors import ModelError
from yinju.retrieve import dense, evidence, floor
from yinju.retrieve.legs import Legs, RetrieveOptions, fused
from yinju.text.language import is_chinese
from yinju.types import Query

if TYPE_CHECKING:
    from yinju.protocols import Embedder
    from yinju.store import Store

FEW = 10  # candidates, whose scores do not tell how far the first is ahead


def of(
    store: Store, legs: Legs, query: Query, options: RetrieveOptions, embedder: Embedder | None
) -> tuple[dict[str, float], str]:
    """Return the features of the evidence (`evidence.features`) and the name of the weights that hold for them."""
    chinese = is_chinese(query.text)
    known = embedder is not None and bool(legs.near.heights) and evidence.knows(embedder.fingerprint)
    heard = legs if known else legs.by_words()
    votes = fused(heard, replace(query, mode="hybrid"), options)
    scores = {row: sum(vote.share for vote in given) for row, given in votes.items()}
    order = sorted(scores, key=lambda row: (-scores[row], row))
    above, across, sentence = 0.0, False, 0.0
    heights: list[float] = []
    for first in store.chunks(order[:1]):
        sentence = evidence.best_sentence(first.chunk.text, legs.question)
        across = known and dense.is_across(first, query.text)
    if known and order:
        heights = legs.near.alike(order[0])
        measured = _floors(store, embedder).get("zh" if chinese else "en")
        level = None if measured is None else measured.of(across=across)
        above = heights[0] - level if level is not None else 0.0
    # scaled to the best and the worst, cosines of a few passages always lie far apart; so do those of a lifted language
    telling = not known or (len(order) >= FEW and not (across and legs.near.shift))
    features = evidence.features(
        [legs.lexical[row] for row in order[:3] if row in legs.lexical],
        [scores[row] for row in order[: 1 + evidence.BEHIND]] if telling else [],
        heights,
        sentence=sentence,
        above_floor=above,
        chinese=chinese,
    )
    fingerprint = embedder.fingerprint if known and embedder is not None else None
    # two passages in another language cannot stand out: there, too, what the question's own language says is heard
    doubtful = bool(legs.near.shift) or len(heights) < evidence.FEWEST
    return features, evidence.space(fingerprint, across=across, among_own=across and doubtful)


def _floors(store: Store, embedder: Embedder | None) -> Mapping[str, floor.Floor]:
    """Return the floors of the cosines, where anyone could make use of them."""
    if embedder is None or not evidence.knows(embedder.fingerprint):
        return {}
    try:
        return floor.kept_or_measured(store, embedder)
    except ModelError:  # the question's own vector came through; without a floor the evidence is weaker, no more
        return {}
