"""Small real implementations for the tests of the sync room: a reader without processes, an embedder without a model."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np

from yinju.errors import DocumentError, ModelError
from yinju.load import Loaded, load
from yinju.store import Store
from yinju.types import SourceFile


class Reader:
    """Reads files in this process, in order. `faults` are raised for sources, `seen` are the sources that were asked for."""

    def __init__(self, faults: dict[str, DocumentError] | None = None, stop_at: str | None = None) -> None:
        self.faults = faults or {}
        self.stop_at = stop_at
        self.seen: list[str] = []

    def __call__(self) -> Self:
        return self

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return None

    def load_files(self, files: Iterable[SourceFile]) -> Iterator[tuple[SourceFile, Loaded | DocumentError]]:
        for file in files:
            self.seen.append(file.source)
            if file.source == self.stop_at:
                raise KeyboardInterrupt
            yield file, self.faults.get(file.source) or self._load(file)

    def _load(self, file: SourceFile) -> Loaded | DocumentError:
        path = Path(file.path)
        try:
            return _dated(load(path.read_bytes(), file.source), path)
        except DocumentError as error:
            return error


def _dated(loaded: Loaded, path: Path) -> Loaded:
    return Loaded(loaded.document, loaded.receipt, loaded.digest, loaded.size, path.stat().st_mtime_ns)


class Embedder:
    """Unit vectors from a digest of the text. Refuses texts that hold `poison`; fails wholly after `fail_after` texts."""

    fingerprint = "test:1"
    dimension = 8

    def __init__(self, poison: str | None = None, fail_after: int | None = None) -> None:
        self.poison = poison
        self.fail_after = fail_after
        self.texts: list[str] = []

    def embed_passages(self, texts: Iterable[str]) -> Any:
        texts = list(texts)
        if self.fail_after is not None and len(self.texts) + len(texts) > self.fail_after:
            raise ModelError("the endpoint is gone", "Try later.", retryable=True)
        if self.poison is not None and any(self.poison in text for text in texts):
            raise ModelError("bad input", "Leave it out.")
        self.texts += texts
        rows = [np.frombuffer(hashlib.sha256(text.encode()).digest()[:8], np.uint8) for text in texts]
        vectors = np.asarray(rows, np.float32).reshape(len(texts), self.dimension) + 1
        return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)

    def embed_queries(self, texts: Iterable[str]) -> Any:
        return self.embed_passages(texts)


def contents(store: Store) -> dict[str, tuple[str, tuple[tuple[str, str], ...]]]:
    """Everything that must be equal in two libraries of the same files: texts, chunk ids and hashes, by source."""
    found = {}
    for summary in store.sources():
        document = store.document(summary.source)
        if document is not None:
            chunks = tuple((chunk.id, chunk.text_hash) for chunk in store.chunks_of(summary.source))
            found[summary.source] = (document.text, chunks)
    return found
