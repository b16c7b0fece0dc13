"""All sets in one library: what a question finds when its passages lie among those of every other set, in both languages.

Sources are `SET/PASSAGE.txt`. Sets share passages; a text that several hold is there once, under its first name, and relevant under that.
Vectors that the sets' own libraries hold already are taken from there: a text has the same vector wherever it lies.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from benchmarks import sets
from yinju import Library
from yinju.chunk import indexed_text
from yinju.store import Store
from yinju.sync.documents import hash_of

BATCH = 2_000
HELD_BY_OTHERS = ("xquad-cross",)  # its passages are those of xquad-zh and xquad-en


def filled(names: Sequence[str], bench: Path, libraries: Path) -> Library:
    """Return the kept library `mixed` with the passages of all these sets. Raises SetMissing."""
    folder = libraries / "mixed"
    folder.mkdir(parents=True, exist_ok=True)
    library = Library.open(folder)
    kept = set(holders(names, bench).values())
    documents = [
        replace(one, source=f"{name}/{one.source}")
        for name in names
        for one in sets.documents(name, bench)
        if f"{name}/{sets.passage_id(one.source)}" in kept
    ]
    started = time.perf_counter()
    wanted = {one.source for one in documents}
    library.remove([one.source for one in library.sources() if one.source not in wanted])  # of an earlier run: copies
    report = library.add(documents, embed=False)
    borrowed = sum(borrow(library, libraries / name) for name in names)
    embedded = library.embed_missing().embedded if library.embedder is not None else 0
    took = time.perf_counter() - started
    print(
        f"mixed: {len(documents)} passages, {library.status()['chunks']} chunks, {report.chunks} new; {borrowed} vectors of the sets' libraries,"
        f" {embedded} embedded, {took:.1f} s",
        file=sys.stderr,
    )
    return library


def holders(names: Sequence[str], bench: Path) -> dict[str, str]:
    """Return for each passage, as `SET/PASSAGE`, the first that has the same text. Raises SetMissing."""
    first: dict[str, str] = {}
    return {
        (place := f"{name}/{sets.passage_id(one.source)}"): first.setdefault(one.text.strip(), place)
        for name in names
        for one in sets.documents(name, bench)
    }


def among_others(task: sets.Task, held: Mapping[str, str]) -> sets.Task:
    """Return the task with the names that its passages have in the mixed library (see `holders`); one without text keeps its own."""

    def name(passage: str) -> str:
        return held.get(place := f"{task.name}/{passage}", place)

    return replace(
        task,
        questions=tuple(
            replace(one, relevant={name(passage): value for passage, value in one.relevant.items()})
            for one in task.questions
        ),
    )


def borrow(library: Library, folder: Path) -> int:
    """Put the vectors of the library in this folder into this one, for texts that it holds; return how many. 0 where there is none."""
    embedder = library.embedder
    if embedder is None or not (folder / "library.db").is_file():
        return 0
    missing = {text_hash for text_hash, _ in library.store.missing_vectors(embedder.fingerprint, sys.maxsize)}
    count = 0
    with Store.open(folder, read_only=True) as lender:
        rows = [stored.rowid for source in lender.sources() for stored in lender.chunks_of(source.source)]
        for start in range(0, len(rows), BATCH):
            found = lender.vectors(embedder.fingerprint, rows[start : start + BATCH])
            texts = {stored.rowid: indexed_text(stored.title, stored.chunk) for stored in lender.chunks(list(found))}
            wanted = [(key, found[row]) for row, text in texts.items() if (key := hash_of(text)) in missing]
            if wanted:
                with library.store.writer() as writer:
                    count += writer.put_vectors(embedder.fingerprint, embedder.dimension, wanted)
    return count
