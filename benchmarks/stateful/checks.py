"""Hold a library against what it must be: every document found by its words and its vectors, none that is gone found by anything."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from benchmarks.stateful.oracle import SECTIONS, CountingEmbedder, Expected, Version, expected, pair, vector, word
from yinju import Library, SyncReport
from yinju.store import Store
from yinju.store.records import StoredChunk

EVERYTHING = 10_000


@dataclass(frozen=True)
class State:
    """What a library must hold. `complete`: every text has a vector of this model."""

    versions: Mapping[str, Version]
    model: CountingEmbedder
    complete: bool = True
    documents: dict[str, Expected] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "documents", {s: expected(s, version) for s, version in self.versions.items()})

    def with_word(self, section: int) -> set[str]:
        """Return the sources in whose text the section stands."""
        return {source for source, one in self.documents.items() if word(section) in one.text}


def store_agrees(store: Store, state: State) -> None:
    """Look at documents, passages, words and vectors within one generation."""
    with store.snapshot():
        summaries = {one.source: one for one in store.sources() if one.state != "skipped"}
        assert set(summaries) == set(state.documents), "the documents are not those that there should be"
        stored = _stored(store, summaries)
        passages = [chunk for chunks in stored.values() for chunk in chunks]
        counts = store.counts()
        assert (counts.documents, counts.chunks) == (len(state.documents), len(passages))
        for source, one in state.documents.items():
            _document_agrees(store, source, one, stored[source])
            assert summaries[source].receipt.balanced
        _words_agree(store, state, passages)
        _vectors_agree(store, state, passages)


def _stored(store: Store, sources: Mapping[str, Any]) -> dict[str, list[StoredChunk]]:
    return {source: store.chunks_of(source) for source in sources}


def _document_agrees(store: Store, source: str, one: Expected, stored: list[StoredChunk]) -> None:
    document = store.document(source)
    assert document is not None
    assert document.text == one.text, f"{source} is not at the version that it should be"
    assert [(chunk.id, chunk.text_hash, chunk.chunk.span) for chunk in stored] == [
        (passage.id, passage.text_hash, passage.span) for passage in one.passages
    ], f"the passages of {source} are not those of its version"
    for chunk in stored:
        span = chunk.chunk.span
        assert document.text[span.start : span.end] == chunk.chunk.text
        found = store.chunk_by_id(chunk.id)
        assert found is not None
        assert found.rowid == chunk.rowid


def _words_agree(store: Store, state: State, passages: list[StoredChunk]) -> None:
    for section in range(SECTIONS):
        for words, pairs in (([word(section)], []), ([], [pair(section)])):
            sign = (words or pairs)[0]
            holders = {chunk.rowid for chunk in passages if sign in chunk.chunk.text}
            found = store.word_candidates(words, pairs, EVERYTHING)
            assert sorted(found) == sorted(holders), f"{sign} finds other passages than those that hold it"
        assert {chunk.source for chunk in passages if word(section) in chunk.chunk.text} == state.with_word(section)


def _vectors_agree(store: Store, state: State, passages: list[StoredChunk]) -> None:
    model = state.model
    texts = {passage.text_hash: passage.indexed for one in state.documents.values() for passage in one.passages}
    missing = {text_hash for text_hash, _ in store.missing_vectors(model.fingerprint, EVERYTHING)}
    assert missing <= set(texts)
    assert not (missing and state.complete), "a sync that was done left texts without a vector"
    assert store.counts().embedded(model.fingerprint) == sum(chunk.text_hash not in missing for chunk in passages)
    with_vector = [chunk for chunk in passages if chunk.text_hash not in missing]
    question = vector("anything", 7)
    rows = np.array([vector(texts[chunk.text_hash], model.seed) for chunk in with_vector]).reshape(len(with_vector), 8)
    wanted = dict(zip((chunk.rowid for chunk in with_vector), (rows @ question).tolist(), strict=True))
    found = dict(store.nearest(model.fingerprint, question, EVERYTHING))
    assert set(found) == set(wanted), "the vectors find other passages than those that there are"
    assert all(abs(found[rowid] - wanted[rowid]) < 1e-5 for rowid in wanted), "a vector is not that of its text"
    best = [score for _, score in store.nearest(model.fingerprint, question, 2)]
    assert np.allclose(best, sorted(wanted.values(), reverse=True)[:2], atol=1e-5)


def facade_agrees(library: Library, state: State, chance: int) -> None:
    """Search as a user does: for one word (which, `chance` says), in each way of searching, with and without a filter."""
    section = chance % SECTIONS
    holders = state.with_word(section)
    for where in ({"source": "sub/*"} if chance % 3 == 0 else None,):
        wanted = {source for source in holders if where is None or source.startswith("sub/")}
        for mode in ("lexical", "dense", "hybrid"):
            hits = library.search(word(section), 50, mode, where, collapse=False, per_document=0)
            for hit in hits:
                one = state.documents.get(hit.source)
                assert one is not None, f"{hit.source} is found ({mode}) and is not there any more"
                assert one.text[hit.span.start : hit.span.end] == hit.text
                assert where is None or hit.source.startswith("sub/"), f"the filter does not hold ({mode})"
            found = {hit.source for hit in hits if word(section) in hit.text}
            assert found == wanted or (mode == "dense" and not state.complete), (
                f"found by {mode}: {found}, not {wanted}"
            )


def counted(report: SyncReport, model: CountingEmbedder, kept: set[str]) -> None:
    """No text may be embedded that had its vector, and none twice."""
    assert report.embedded == model.embedded.total()
    again = {text_hash for text_hash, times in model.embedded.items() if times > 1 or text_hash in kept}
    assert not again, f"{len(again)} texts were embedded although they had a vector"


def old_or_new(store: Store, before: Mapping[str, Version], after: Mapping[str, Version]) -> dict[str, Version]:
    """Return what is in the library after an interruption. Each source must be wholly at one of its two versions."""
    there = {}
    for summary in store.sources():
        if summary.state == "skipped":
            continue
        source = summary.source
        document = store.document(source)
        assert document is not None
        ids = [(chunk.id, chunk.text_hash) for chunk in store.chunks_of(source)]
        candidates = [version for version in (before.get(source), after.get(source)) if version is not None]
        for version in candidates:
            one = expected(source, version)
            if (one.text, [(p.id, p.text_hash) for p in one.passages]) == (document.text, ids):
                there[source] = version
                break
        else:
            raise AssertionError(f"{source} is neither at its old nor at its new version")
    lost = sorted((set(before) & set(after)) - set(there))
    assert not lost, f"{lost[0]} is gone, neither its old nor its new version is there"
    return there
