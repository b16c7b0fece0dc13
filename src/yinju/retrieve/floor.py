"""The floor of a library: how near its passages come to questions that it does not answer.

A cosine means nothing by itself: how near unrelated texts lie depends on the model, the languages, and the length and kind of the passages.
So a handful of everyday questions, which next to no library of documents answers, are asked of each library once; the mean cosine of
their nearest passage is the floor above which a real question's nearest passage has to stand. Measured over six public sets and the example
documents, the height above this floor tells answered from unanswered questions about as well in each (ROC area 0.77 to 0.97 with two
more features) and at about the same value, which plain cosines do not.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from yinju.retrieve import dense, everyday, evidence

if TYPE_CHECKING:
    from collections.abc import Sequence

    from yinju.protocols import Embedder, Vectors
    from yinju.store import Store

VERSION = 2  # of how it is measured: floors of another one are measured anew
ASKED = 10  # of the everyday questions, those that no library of documents is about


_probes: dict[tuple[str, str], Vectors] = {}
_measured: WeakKeyDictionary[Store, tuple[tuple[int, str], dict[str, Floor]]] = WeakKeyDictionary()


@dataclass(frozen=True, slots=True)
class Floor:
    """Mean cosine of the nearest passage that can be read in the language of the question, and of the nearest that cannot (None: none)."""

    own: float | None
    across: float | None

    def of(self, *, across: bool) -> float | None:
        """Return the floor for passages in another language than the question, or else for those in its own."""
        return self.across if across else self.own


def kept_or_measured(store: Store, embedder: Embedder) -> dict[str, Floor]:
    """Return the floors that the library keeps; where there are none yet, measure them. Raises ModelError.

    A library that cannot be written to, or is just being made, is measured once per generation of its contents.
    """
    text = store.value(_key(embedder.fingerprint))
    if text is not None:
        return {name: Floor(**kept) for name, kept in json.loads(text).items()}
    state = (store.generation, embedder.fingerprint)
    known = _measured.get(store)
    if known is None or known[0] != state:
        known = _measured[store] = (state, measure(store, embedder))
    return known[1]


def keep(store: Store, embedder: Embedder, *, anew: bool) -> None:
    """Put what everyday questions tell into the library: their mean, and the floors if there is a use for them.

    `anew` measures floors again where they are known.

    Raises StoreBusy, StoreReadOnly, ModelError.
    """
    everyday.keep(store, embedder)
    known = store.value(_key(embedder.fingerprint)) is not None
    if evidence.knows(embedder.fingerprint) and store.counts().embedded(embedder.fingerprint) and (anew or not known):
        text = json.dumps({name: asdict(floor) for name, floor in measure(store, embedder).items()})
        with store.writer() as writer:
            writer.set_value(_key(embedder.fingerprint), text)


def measure(store: Store, embedder: Embedder) -> dict[str, Floor]:
    """Ask the probes and return the floor for Chinese and for other questions. Raises ModelError."""
    found = {}
    for name, questions in everyday.QUESTIONS.items():
        probes = questions[:ASKED]
        centre = everyday.centre(store, embedder, probes[0])
        vectors = [everyday.without(vector, centre) for vector in _embedded(store, embedder, name, probes)]
        own, across = [], []
        for probe, vector in zip(probes, vectors, strict=True):
            near = dense.nearest(store, embedder.fingerprint, (probe, vector), 10, {}, None)
            sides = dense.sides(store, near, probe)
            own += [max(sides[False])] if sides[False] else []
            across += [max(sides[True])] if sides[True] else []
        found[name] = Floor(_mean(own), _mean(across))
    return found


def _embedded(store: Store, embedder: Embedder, name: str, probes: Sequence[str]) -> Vectors:
    """Return the probes' vectors; they are kept for principals, whose floors are measured anew with each generation."""
    if store.sees_all:
        return embedder.embed_queries(probes)
    key = embedder.fingerprint, name
    if key not in _probes:
        _probes[key] = embedder.embed_queries(probes)
    return _probes[key]


def _mean(values: list[float]) -> float | None:
    return round(sum(values) / len(values), 4) if values else None


def _key(fingerprint: str) -> str:
    return f"floor:{VERSION}:{fingerprint}"
