"""The only room that speaks SQL: one file holds the truth, views beside it only propose."""

from yinju.store.records import (
    ChunkRecord,
    Counts,
    Entry,
    LogEntry,
    Skipped,
    SourceSummary,
    Statistics,
    StoredChunk,
    TermCounts,
    chunk_id,
)
from yinju.store.store import Store
from yinju.store.writer import Writer

__all__ = [
    "ChunkRecord", "Counts", "Entry", "LogEntry", "Skipped", "SourceSummary", "Statistics", "Store", "StoredChunk", "TermCounts", "Writer",
    "chunk_id",
]  # fmt: skip
