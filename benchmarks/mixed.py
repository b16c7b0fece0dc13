"""All sets in one library: what a question finds when its passages lie among those of every other set, in both languages.

Sources are `SET/PASSAGE.txt`. Vectors that the sets' own libraries hold already are taken from there: a text has the same vector wherever it lies.
"""

from __future__ import annotations

import sqlite3
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks import sets
from yinju import Library

BATCH = 2_000


def filled(names: Sequence[str], bench: Path, libraries: Path) -> Library:
    """Return the kept library `mixed` with the passages of all these sets. Raises SetMissing."""
    folder = libraries / "mixed"
    folder.mkdir(parents=True, exist_ok=True)
    library = Library.open(folder)
    documents = [
        replace(one, source=f"{name}/{one.source}", title=one.title)
        for name in names
        for one in sets.documents(name, bench)
    ]
    started = time.perf_counter()
    report = library.add(documents, embed=False)
    borrowed = sum(borrow(library, libraries / name / "library.db") for name in names)
    embedded = library.embed_missing().embedded if library.embedder is not None else 0
    took = time.perf_counter() - started
    print(
        f"mixed: {len(documents)} passages, {library.status()['chunks']} chunks, {report.chunks} new; {borrowed} vectors of the sets' libraries,"
        f" {embedded} embedded, {took:.1f} s",
        file=sys.stderr,
    )
    return library


def borrow(library: Library, database: Path) -> int:
    """Put the vectors of another library into this one, for texts that it holds; return how many. 0 where there is no such library."""
    embedder = library.embedder
    if embedder is None or not database.is_file():
        return 0
    count = 0
    missing = {text_hash for text_hash, _ in library.store.missing_vectors(embedder.fingerprint, sys.maxsize)}
    wanted = [(key, vector) for key, vector in vectors(database, embedder.fingerprint) if key in missing]
    for start in range(0, len(wanted), BATCH):
        with library.store.writer() as writer:
            count += writer.put_vectors(embedder.fingerprint, embedder.dimension, wanted[start : start + BATCH])
    return count


def vectors(database: Path, fingerprint: str) -> Iterator[tuple[str, NDArray[np.float32]]]:
    """Yield the hash of each embedded text of a library with its vector."""
    connection = sqlite3.connect(database)
    try:
        for dimension, key, packed in connection.execute(
            "select s.dimension, v.text_hash, v.vector from vector v join space s on s.id = v.space where s.fingerprint = ?",
            (fingerprint,),
        ):
            if len(packed) == 4 * dimension:
                yield key, np.frombuffer(packed, "<f4")
    finally:
        connection.close()
