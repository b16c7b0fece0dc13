"""What goes into the store and what comes out of it. Plain values; nothing here knows SQL.

A chunk has two names: `rowid`, an integer that the store gives and never gives again, and `id`, the public `c_...` that others made.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from yinju.types import Chunk, Document, Outcome, Receipt, SourceFile

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    RowIds = NDArray[np.int64]  # sorted, each once
    Vector = NDArray[np.float32]  # shape (dimension,)

State = Literal["indexed", "skipped", "kept"]


@dataclass(frozen=True, slots=True)
class ChunkRecord:
    """A chunk on its way in. `text_hash` is of the indexed text, `words` and `bigrams` are its terms, as often as they occur."""

    id: str
    chunk: Chunk
    text_hash: str
    words: tuple[str, ...]
    bigrams: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Entry:
    """A whole document on its way in. `file` and `root` are None for documents that were added without a file."""

    document: Document
    chunks: tuple[ChunkRecord, ...]
    receipt: Receipt
    file: SourceFile | None = None
    root: str | None = None
    reader: str | None = None  # by which loaders it was read, see `sync.documents.reader_of`


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file that could not be indexed. Outcome `kept`: its old version still serves; any other: nothing of it does.

    `ignored`: it is no document, which only reading it could tell.
    """

    source: str
    root: str | None
    file: SourceFile | None
    outcome: Outcome
    reason: str
    hint: str | None = None
    reader: str | None = None


@dataclass(frozen=True, slots=True)
class StoredChunk:
    """A chunk as it lies in the store, with what is known of its document."""

    rowid: int
    id: str
    source: str
    document: str
    title: str | None
    type: str
    language: str
    metadata: Mapping[str, Any]
    chunk: Chunk
    text_hash: str


@dataclass(frozen=True, slots=True)
class SourceSummary:
    """One line of `yinju sources`. `embedded` counts the chunks that have a vector; a skipped file's receipt is empty."""

    source: str
    document: str
    title: str | None
    type: str
    language: str
    characters: int
    chunks: int
    embedded: int
    digest: str | None
    state: State
    warnings: tuple[str, ...]
    root: str | None
    metadata: Mapping[str, Any]
    receipt: Receipt = field(default_factory=Receipt)
    modified_ns: int | None = None  # of the file as it was read; None: no file


@dataclass(frozen=True, slots=True)
class Counts:
    """How much the library holds. `vectors` has for each fingerprint the number of chunks with a vector."""

    documents: int
    chunks: int
    skipped: int = 0
    vectors: Mapping[str, int] = field(default_factory=dict)

    def embedded(self, fingerprint: str) -> int:
        """Return the number of chunks that have a vector of this fingerprint."""
        return self.vectors.get(fingerprint, 0)


@dataclass(frozen=True, slots=True)
class Statistics:
    """What BM25 needs to know of the library: passages, mean number of terms in one, and in how many passages each term stands."""

    passages: int
    average_words: float
    average_bigrams: float
    word_frequency: Mapping[str, int]
    bigram_frequency: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class TermCounts:
    """How often terms occur in one passage, and how many terms the passage has in all."""

    words: Mapping[str, int]
    bigrams: Mapping[str, int]
    word_length: int
    bigram_length: int


@dataclass(frozen=True, slots=True)
class LogEntry:
    """One line of the library's log, newest first in `store.log()`. `content` is whatever JSON value the writer put there."""

    number: int
    kind: str
    time: str  # ISO 8601, UTC
    generation: int
    content: Any


@dataclass(frozen=True, slots=True)
class Step:
    """What one sync, add or remove did, as numbers of documents, so long as it can be undone."""

    number: int
    kind: str  # sync, add, remove
    time: str  # ISO 8601, UTC
    added: int = 0
    updated: int = 0
    renamed: int = 0
    removed: int = 0


@dataclass(frozen=True, slots=True)
class Former:
    """A document as it was before a step, with its chunks as (id, chunk, text hash)."""

    document: Document
    chunks: tuple[tuple[str, Chunk, str], ...]
    receipt: Receipt
    file: SourceFile | None
    root: str | None
    reader: str | None


@dataclass(frozen=True, slots=True)
class FileState:
    """How a file below a root was when it was last read, and by which loaders."""

    root: str
    file: SourceFile
    reader: str | None


@dataclass(frozen=True, slots=True)
class Change:
    """What a step did to one source: how the document was before (None: there was none), and what is known of its file now."""

    source: str
    did: str  # added, updated, renamed (to `moved`), removed
    moved: str | None
    arrived: bool  # a document was moved here, and there was none before
    before: Former | None
    now: FileState | None


@dataclass(frozen=True, slots=True)
class Hold:
    """A file that an undo holds back: a sync passes it over while it looks like this (None: while there is no file)."""

    source: str
    root: str
    file: SourceFile | None


def chunk_id(document: str, text_hash: str, occurrence: int = 0) -> str:
    """Return the public id of the chunk of `document` (its `d_...` id) with this text, the `occurrence`-th (from 0) of that text in it."""
    return "c_" + hashlib.sha256(f"{document}\n{text_hash}\n{occurrence}".encode()).hexdigest()[:16]
