"""Compute the vectors that are missing, in batches that are kept as they come: whatever interrupts this, the next run goes on there.

A text that the model refuses must not hold up the others: its batch is halved until it stands alone, then it is left out for this
run. A model that refuses everything is given up after a few texts. The words answer in any case.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from yinju.chunk import indexed_text
from yinju.errors import ModelError, UsageError
from yinju.failing import reach
from yinju.messages import say
from yinju.protocols import Embedder
from yinju.sync import spaces
from yinju.sync.documents import hash_of
from yinju.sync.guard import GuardedEmbedder
from yinju.sync.values import Cancel, Progress, ProgressCallback

if TYPE_CHECKING:
    from yinju.protocols import Vectors
    from yinju.store import Store, Writer

BATCH = 64
BATCH_FIRST = 8  # before it is known how fast the model is
BATCH_S = 1.5  # what is interrupted loses no more than that
BATCH_ON_BUDGET = 16  # so that a budget of seconds is kept
MAXIMUM_REFUSED = 3  # texts in a row, before the model is given up


@dataclass(frozen=True, slots=True)
class Embedded:
    """How many texts have got a vector, how many are still without one, and what went wrong."""

    count: int = 0
    left: int = 0
    notices: tuple[str, ...] = ()


@dataclass(slots=True)
class _Work:
    """One run: what is done, and which texts the model would not take."""

    store: Store
    writer: Writer
    embedder: Embedder
    count: int = 0
    characters: int = 0
    refused: set[str] = field(default_factory=set)
    refused_in_a_row: int = 0
    error: ModelError | None = None

    def batch(self, size: int, first: Sequence[int]) -> list[tuple[str, str]]:
        """Return the next texts without a vector, as (hash, text); none where there are no more."""
        missing = self.store.missing_vectors(self.embedder.fingerprint, size + len(self.refused), first)
        wanted = [(text_hash, rowid) for text_hash, rowid in missing if text_hash not in self.refused][:size]
        chunks = {chunk.rowid: chunk for chunk in self.store.chunks([rowid for _, rowid in wanted])}
        texts = []
        for text_hash, rowid in wanted:
            stored = chunks.get(rowid)
            text = indexed_text(stored.title, stored.chunk) if stored is not None else ""
            if hash_of(text) == text_hash:
                texts.append((text_hash, text))
            else:  # not the text that the hash stands for: a vector of it would be a lie
                self.refused.add(text_hash)
        return texts if texts or not wanted else self.batch(size, first)

    def embed(self, batch: Sequence[tuple[str, str]]) -> None:
        """Compute and keep the vectors of these texts; leave out those that the model refuses. Raises ModelError to give up."""
        try:
            rows = self.embedder.embed_passages([text for _, text in batch])
            reach("embed")
            self._keep(batch, rows)
        except ModelError as error:
            if error.retryable or self.refused_in_a_row >= MAXIMUM_REFUSED:
                raise
            if len(batch) == 1:
                self.refused.add(batch[0][0])
                self.refused_in_a_row += 1
                self.error = error
                return
            middle = len(batch) // 2
            self.embed(batch[:middle])
            self.embed(batch[middle:])
            return

    def _keep(self, batch: Sequence[tuple[str, str]], rows: Vectors) -> None:
        """Put the rows on disk. Raises ModelError where they are no vectors of these texts."""
        if len(rows) != len(batch):
            raise _unusable(
                say(
                    "{found} vectors for {expected} texts",
                    "{expected} 段文本得到 {found} 个向量",
                    found=len(rows),
                    expected=len(batch),
                )
            )
        items = [(text_hash, rows[number]) for number, (text_hash, _) in enumerate(batch)]
        try:
            self.writer.put_vectors(self.embedder.fingerprint, self.embedder.dimension, items)
        except UsageError as error:
            raise _unusable(error.message) from error
        self.refused_in_a_row = 0
        self.count += len(batch)
        self.characters += sum(len(text) for _, text in batch)


def embed_missing(
    store: Store,
    writer: Writer,
    embedder: Embedder,
    *,
    first: Sequence[int] = (),
    budget_s: float | None = None,
    progress: ProgressCallback | None = None,
    cancel: Cancel | None = None,
) -> Embedded:
    """Give vectors to the texts that have none for this embedder, those of the chunks `first` (rowids) before the others.

    Stops when all have one, after `budget_s` seconds, when `cancel` says so, or when the model fails: that is a notice, not an
    exception, because the words still answer.
    """
    work = _Work(store, writer, embedder)
    began = time.monotonic()
    total = missing_count(store, embedder)
    notices: tuple[str, ...] = ()
    most = BATCH if budget_s is None else BATCH_ON_BUDGET
    size = BATCH_FIRST
    try:
        if progress is not None and total:
            progress(_progress(work, total, 0.0))
        while not _is_over(began, budget_s, cancel) and (batch := work.batch(size, first)):
            started = time.monotonic()
            named = embedder.fingerprint
            work.embed(batch)
            if embedder.fingerprint != named:  # a guard noticed another model: all is missing
                total = work.count + missing_count(store, embedder)
            size = _next_size(len(batch), time.monotonic() - started, work.count, most)
            if progress is not None:
                progress(_progress(work, total, time.monotonic() - began))
    except ModelError as error:
        work.error = error
    if isinstance(embedder, GuardedEmbedder):
        embedder.keep(writer)
    if work.error is not None:
        notices = (_failed(work.error),)
    left = missing_count(store, embedder) if total > work.count else 0
    if (
        budget_s is None and not notices and not missing_count(store, embedder)
    ):  # who waits for an answer does not wait for this
        notices = spaces.forget_unused(store, writer, embedder.fingerprint)
    return Embedded(work.count, left, notices)


def missing_count(store: Store, embedder: Embedder) -> int:
    """Return how many chunks have no vector of this embedder."""
    counts = store.counts()
    return max(0, counts.chunks - counts.embedded(embedder.fingerprint))


def _next_size(size: int, took_s: float, done: int, most: int) -> int:
    """Return how many texts to take next: as many as are done already, but no more than the model takes in a moment."""
    in_time = int(size * BATCH_S / max(took_s, 1e-9))
    return max(1, min(most, in_time, max(BATCH_FIRST, done)))


def _is_over(began: float, budget_s: float | None, cancel: Cancel | None) -> bool:
    return (budget_s is not None and time.monotonic() - began >= budget_s) or (cancel is not None and cancel())


def _progress(work: _Work, total: int, spent: float) -> Progress:
    done = min(work.count, total)
    return Progress(
        "embed",
        done,
        total,
        work.characters,
        work.characters / max(spent, 1e-9),
        spent / work.count * (total - done) if work.count else None,
    )


def _failed(error: ModelError) -> str:
    return say(
        "Vectors are missing, the library answers by words: {message} The next sync goes on.",
        "部分向量尚未生成，目前按词语检索：{message} 下次同步会继续。",
        message=f"{error.message} {error.hint or ''}".strip(),
    )


def _unusable(detail: str) -> ModelError:
    return ModelError(
        say(
            "The embedding model gave unusable vectors ({detail}).",
            "向量模型返回的结果无法使用（{detail}）。",
            detail=detail,
        ),
        say("Choose another embedding model.", "请更换向量模型。"),
    )
