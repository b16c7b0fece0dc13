"""What must hold in a library after any crash, as one function.

I1  what was told to be on disk is there, whole            `allowed` has one version for it
I2  each document is wholly at its old or its new version  its text is one of the allowed, its passages are those of this text, each once
I3  passages, terms, word index and vectors agree          counted and compared, each from its own table
I4  nothing leads to a version that is gone                no word, no vector finds one
I5  all this without any repair                            the library is opened and asked as always
I6  what is shown is what was kept                         each passage's hash is that of its text
I7  one question sees one state                            all reads of one check are one snapshot, views answer as the truth does
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from yinju.chunk import indexed_text
from yinju.embed.hashing import HashingEmbedder
from yinju.sync.documents import hash_of
from yinju.text import words

if TYPE_CHECKING:
    from yinju.store import Store
    from yinju.store.records import StoredChunk

Allowed = Mapping[str, Collection[str | None]]
ALL = 1_000_000
_EMBEDDER = HashingEmbedder()


def problems(
    store: Store, allowed: Allowed, *, living: Collection[str] = (), dead: Collection[str] = (), whole: bool = True
) -> list[str]:
    """Return what is wrong, nothing where all invariants hold.

    `allowed` gives for each source the texts that it may have (None: it may be absent). `living` and `dead` are markers of versions; no word or
    vector may lead to a dead one that no document holds. `whole` False leaves out the check of every page of the file.
    """
    found = list(store.check()) if whole else []
    with store.snapshot():
        texts = {one.source: document.text for one in store.sources() if (document := store.document(one.source))}
        for source in sorted({*allowed, *texts}):
            if texts.get(source) not in allowed.get(source, (None,)):
                found.append(
                    f"{source} is {_named(texts.get(source))}, may be {[_named(one) for one in allowed.get(source, (None,))]}"
                )
        chunks = {source: store.chunks_of(source) for source in texts}
        for source, text in texts.items():
            found += _document(store, source, text, chunks[source])
        found += _counts(store, texts, chunks)
        found += _ghosts(store, chunks, living, dead)
        for fingerprint in store.fingerprints():
            found += _vectors(store, fingerprint, chunks)
    return found


def held(store: Store) -> dict[str, str]:
    """Return by source the texts that the library holds."""
    with store.snapshot():
        return {one.source: document.text for one in store.sources() if (document := store.document(one.source))}


def embedded_hashes(store: Store, fingerprint: str, sources: Collection[str]) -> set[str]:
    """Return the hashes of the texts of these sources that have a vector of this model."""
    with store.snapshot():
        hashes = {chunk.text_hash for source in sources for chunk in store.chunks_of(source)}
        return hashes - {text_hash for text_hash, _ in store.missing_vectors(fingerprint, ALL)}


def _named(text: str | None) -> str:
    if text is None:
        return "absent"
    return " ".join(sorted({word.strip("。") for word in text.split() if _is_marker(word)})) or text[:40]


def _is_marker(word: str) -> bool:
    first, _, second = word.removeprefix("d").partition("v")
    return word.startswith("d") and first.isdecimal() and second.isdecimal()


def _document(store: Store, source: str, text: str, chunks: list[StoredChunk]) -> list[str]:
    found = []
    end, covered = 0, 0
    for number, stored in enumerate(chunks):
        chunk = stored.chunk
        if chunk.index != number:
            found.append(f"{source}: passage {chunk.index} stands at {number}")
        if text[chunk.span.start : chunk.span.end] != chunk.text:
            found.append(f"{source}: passage {number} is not the text at its place")
        if hash_of(indexed_text(stored.title, chunk)) != stored.text_hash:
            found.append(f"{source}: passage {number} has another hash than its text")
        covered += len("".join(text[max(chunk.span.start, end) : chunk.span.end].split()))
        end = max(end, chunk.span.end)
    if covered != len("".join(text.split())):
        found.append(f"{source}: passages cover {covered} of {len(''.join(text.split()))} characters")
    receipt = store.receipt(source)
    if receipt is None or not receipt.balanced or receipt.chunks != len(chunks):
        found.append(f"{source}: its receipt does not balance")
    counts = store.term_counts([stored.rowid for stored in chunks])
    for stored in chunks:
        expected, kept = _terms(indexed_text(stored.title, stored.chunk))[:2], counts.get(stored.rowid)
        if kept is None or (kept.words, kept.bigrams) != expected:
            found.append(f"{source}: passage {stored.chunk.index} has other terms than its text")
    return found


def _counts(store: Store, texts: Mapping[str, str], chunks: Mapping[str, list[StoredChunk]]) -> list[str]:
    counts, total = store.counts(), sum(len(one) for one in chunks.values())
    ids = Counter(stored.id for one in chunks.values() for stored in one)
    found = [f"the id {id} stands twice" for id, count in ids.items() if count > 1]
    if (counts.documents, counts.chunks) != (len(texts), total):
        found.append(
            f"totals say {counts.documents} documents, {counts.chunks} passages; there are {len(texts)}, {total}"
        )
    return found


def _ghosts(
    store: Store, chunks: Mapping[str, list[StoredChunk]], living: Collection[str], dead: Collection[str]
) -> list[str]:
    found = []
    holders: dict[str, set[int]] = {}
    for one in chunks.values():
        for stored in one:
            for word in _terms(indexed_text(stored.title, stored.chunk))[2]:
                holders.setdefault(word, set()).add(stored.rowid)
    for word in sorted({*living, *dead, *holders}):
        stands = holders.get(word, set())
        for field, asked in (("words", ([word], [])), ("bigrams", ([], [word]))):
            rows = set(store.word_candidates(*asked, ALL))
            if rows != stands:
                found.append(f"the {field} lead from {word} to {sorted(rows)}, it stands in {sorted(stands)}")
    return found


def _vectors(store: Store, fingerprint: str, chunks: Mapping[str, list[StoredChunk]]) -> list[str]:
    found = []
    stored = {one.rowid: one for group in chunks.values() for one in group}
    vectors: dict[int, Any] = store.vectors(fingerprint, sorted(stored))
    missing = {text_hash for text_hash, _ in store.missing_vectors(fingerprint, ALL)}
    without = {one.text_hash for one in stored.values() if one.rowid not in vectors}
    if missing != without:
        found.append(f"{fingerprint}: {len(missing)} texts count as without vector, {len(without)} are")
    if store.counts().embedded(fingerprint) != len(vectors):
        found.append(f"{fingerprint}: the count of vectors is wrong")
    if not vectors:
        return found
    rowids = sorted(vectors)
    for rowid in rowids:
        row = _vector(indexed_text(stored[rowid].title, stored[rowid].chunk))
        if not np.allclose(vectors[rowid], row, atol=1e-6):
            found.append(f"{fingerprint}: the vector of passage {rowid} is of another text")
    query = _vector("水泵的压力 pumps")
    truth = store.similarities(fingerprint, query, rowids)
    nearest = store.nearest(fingerprint, query, ALL)
    if {rowid for rowid, _ in nearest} != set(truth) or any(
        abs(truth[rowid] - score) > 1e-5 for rowid, score in nearest
    ):
        found.append(f"{fingerprint}: the view answers otherwise than the truth")
    return found


@lru_cache(2_000)
def _terms(text: str) -> tuple[dict[str, int], dict[str, int], frozenset[str]]:
    """Return how often each word and each bigram stands in a passage, and its markers."""
    terms = words.index_terms(text)
    return dict(Counter(terms.words)), dict(Counter(terms.bigrams)), frozenset(filter(_is_marker, terms.words))


@lru_cache(800)
def _vector(text: str) -> Any:
    return _EMBEDDER.embed_passages([text])[0]
