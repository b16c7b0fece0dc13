"""Small documents for the tests of the store: each line of text is a chunk, its terms are the characters (or words) between blanks."""

from __future__ import annotations

import hashlib

import numpy as np

from yinju.store import ChunkRecord, Entry, chunk_id
from yinju.types import Chunk, Document, Receipt, SourceFile, Span, document_id

FINGERPRINT = "fake-4"


def text_hash(line: str) -> str:
    return "sha256:" + hashlib.sha256(line.encode("utf-8", "surrogatepass")).hexdigest()


def vector(line: str, dimension: int = 4) -> np.ndarray:
    seed = int.from_bytes(hashlib.sha256(line.encode()).digest()[:4])
    made = np.random.default_rng(seed).standard_normal(dimension).astype(np.float32)
    return made / np.linalg.norm(made)


def words_of(line: str) -> tuple[str, ...]:
    return tuple(line.split())


def bigrams_of(line: str) -> tuple[str, ...]:
    joined = line.replace(" ", "")
    return tuple(joined[at : at + 2] for at in range(len(joined) - 1)) or (joined,)


def entry(source: str, *lines: str, root: str | None = "/root", **metadata: object) -> Entry:
    text, at, chunks, seen = "\n".join(lines), 0, [], {}
    for number, line in enumerate(lines):
        seen[line] = seen.get(line, -1) + 1
        chunk = Chunk(source, number, Span(at, at + len(line)), line, ("标题",), "", (number + 1, number + 1), None, 3)
        name = chunk_id(document_id(source), text_hash(line), seen[line])
        chunks.append(ChunkRecord(name, chunk, text_hash(line), words_of(line), bigrams_of(line)))
        at += len(line) + 1
    size = len(text)
    receipt = Receipt(size, size, size, (), None, len(lines), ())
    document = Document(
        text, source, title=source, type="markdown", language="zh", metadata=metadata, anchors=((0, 1),)
    )
    return Entry(document, tuple(chunks), receipt, file_of(source), root)


def file_of(source: str, digest: str = "sha256:00", modified_ns: int = 1_700_000_000_000_000_000) -> SourceFile:
    return SourceFile(source, "/root/" + source, 10, modified_ns, digest)


def embed_all(store, writer, dimension: int = 4, fingerprint: str = FINGERPRINT) -> int:
    """Store vectors of everything that has none."""
    items = [
        (hash_, vector(store.chunks([rowid])[0].chunk.text, dimension))
        for hash_, rowid in store.missing_vectors(fingerprint, 100_000)
    ]
    return writer.put_vectors(fingerprint, dimension, items)
