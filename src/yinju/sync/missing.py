"""Compute vectors that an earlier sync left, and nothing else: what a search that waits for them asks for."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from yinju.protocols import Embedder
from yinju.sync.apply import Tally
from yinju.sync.values import Cancel, ProgressCallback
from yinju.sync.vectors import embed_missing, missing_count
from yinju.types import SyncReport

if TYPE_CHECKING:
    from yinju.store import Store


def embed(
    store: Store,
    embedder: Embedder | None,
    *,
    first: Sequence[int] = (),
    budget_s: float | None = None,
    progress: ProgressCallback | None = None,
    cancel: Cancel | None = None,
) -> SyncReport:
    """Compute missing vectors, those of the chunks `first` (rowids) before the others. Raises StoreBusy, StoreReadOnly."""
    began = time.monotonic()
    tally = Tally()
    if embedder is not None and missing_count(store, embedder):
        with store.writer() as writer:
            done = embed_missing(
                store, writer, embedder, first=first, budget_s=budget_s, progress=progress, cancel=cancel
            )
        tally.embedded = done.count
        tally.notices += done.notices
    return tally.report(time.monotonic() - began)
