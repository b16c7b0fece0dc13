"""Documents that are no files: their structure is read as a file's would be, then they are the same in the library.

They belong to no root, so no sync removes them. One with the source of another replaces it.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import TYPE_CHECKING

from yinju.errors import DocumentError
from yinju.messages import say
from yinju.protocols import Embedder
from yinju.sync import heirs
from yinju.sync.apply import Batch, Tally
from yinju.sync.documents import check_presets, entry_for
from yinju.sync.values import Cancel, ProgressCallback, SyncOptions
from yinju.sync.vectors import embed_missing
from yinju.types import Document, FileReport, SyncReport

if TYPE_CHECKING:
    from yinju.store import Store


def add(
    store: Store,
    documents: Iterable[Document],
    *,
    embedder: Embedder | None = None,
    options: SyncOptions | None = None,
    progress: ProgressCallback | None = None,
    cancel: Cancel | None = None,
) -> SyncReport:
    """Put these documents into the library, with vectors where there is an embedder. One without text is skipped with a reason.

    An older version of a skipped one stays. Raises StoreBusy, StoreReadOnly, StoreError.
    """
    from yinju.load import structure

    began = time.monotonic()
    options = options or SyncOptions()
    check_presets(options.presets)
    tally = Tally()
    with store.writer() as writer:
        writer.begin("add")
        batch = Batch(writer, tally, frozenset(summary.source for summary in store.sources()))
        for document in documents:
            try:
                structured = document if document.type else structure(document)
                entry = entry_for(structured, presets=options.presets)
                if not entry.receipt.characters:
                    raise _no_text()
            except DocumentError as error:
                tally.files.append(FileReport(document.source, "skipped", error.reason, error.hint))
            else:
                batch.put(entry)
        batch.flush()
        tally.notices += heirs.notices(writer.inherited)
        if embedder is not None and options.embed:
            done = embed_missing(
                store, writer, embedder, budget_s=options.embed_budget_s, progress=progress, cancel=cancel
            )
            tally.embedded += done.count
            tally.notices += done.notices
    return tally.report(time.monotonic() - began)


def _no_text() -> DocumentError:
    return DocumentError("", say("Give it some text.", "请提供文字内容。"), code="no-text")
