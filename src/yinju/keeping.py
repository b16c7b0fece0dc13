"""From files and documents to a library brought up to date, for the facade: a sync, its vectors, and the floor of the evidence.

`Library` keeps the words that its users see; here stands what each way of adding shares.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from yinju import retrieve
from yinju.errors import DocumentError, ModelError, StoreBusy, StoreReadOnly
from yinju.messages import say
from yinju.principal import normal_names
from yinju.retrieve import reading
from yinju.store.access import split
from yinju.types import Document, FileReport, Hit, SyncReport

if TYPE_CHECKING:
    from yinju.protocols import Embedder
    from yinju.store import Store
    from yinju.store.access import Names, Origin
    from yinju.sync import Progress, PurgeReport, SyncOptions


@dataclass(frozen=True, slots=True)
class Keeper:
    """The store, the model for its vectors, and how files are read and cut."""

    store: Store
    embedder: Embedder | None
    presets: Mapping[str, str]
    workers: int
    ocr: bool

    def sync(
        self,
        paths: str | Path | Sequence[str | Path],
        *,
        embed: bool,
        plan: bool,
        progress: Callable[[Progress], None] | None,
        cancel: Callable[[], bool] | None = None,
        on_file: Callable[[FileReport], None] | None = None,
        **choices: Any,
    ) -> SyncReport:
        """Bring the library up to date with these folders and files; `choices` are fields of SyncOptions."""
        from yinju import sync

        roots = [paths] if isinstance(paths, (str, Path)) else list(paths)
        options = self._options(embed=embed and self.embedder is not None, **choices)
        if plan:
            return sync.plan_only(self.store, roots, options=options)
        embedder = self.embedder if embed else None
        report = sync.run(
            self.store, roots, embedder=embedder, options=options, progress=progress, cancel=cancel, on_file=on_file
        )
        return self._with_floor(report)

    def add(self, documents: Iterable[Document], *, embed: bool) -> SyncReport:
        """Add documents that are no files."""
        from yinju import sync

        embedder = self.embedder if embed else None
        return self._with_floor(
            sync.add(self.store, documents, embedder=embedder, options=self._options(embed=embed))
        )  # fmt: skip

    def restrict(self, source: str, names: str | Iterable[str] | None) -> None:
        """Store the owner's list of a source, or take it away. Raises SourceMissing."""
        self.access(source)
        wanted = None if names is None else split(names) if isinstance(names, str) else normal_names(names)
        with self.store.writer() as writer:
            writer.set_access("owner", {source: wanted})

    def access(self, source: str) -> dict[Origin, Names]:
        """Return the access lists of a source. Raises SourceMissing where it has none and is not in the library."""
        found = self.store.access(source)
        if not found and all(summary.source != source for summary in self.store.sources()):
            raise reading.missing(self.store, source)
        return found

    def purge(self, sources: Sequence[str]) -> PurgeReport:
        """Remove sources for good."""
        from yinju import sync

        return sync.purge(self.store, sources, options=self._options())

    def undo(self, steps: int) -> SyncReport:
        """Take back the last steps."""
        from yinju import sync

        return sync.undo(self.store, steps, options=self._options())

    def embed_missing(
        self, first: Sequence[Hit], budget_s: float | None, progress: Callable[[Progress], None] | None
    ) -> SyncReport:
        """Compute vectors that are still missing, those of the hits `first`."""
        from yinju import sync

        rows = [stored.rowid for hit in first if (stored := self.store.chunk_by_id(hit.id)) is not None]
        return self._with_floor(sync.embed(self.store, self.embedder, first=rows, budget_s=budget_s, progress=progress))

    def _with_floor(self, report: SyncReport) -> SyncReport:
        """Measure the floor of the evidence where vectors are new, so that no search has to."""
        if self.embedder is not None and not report.planned:
            with contextlib.suppress(StoreBusy, StoreReadOnly, ModelError):  # a search measures it for itself then
                retrieve.keep_floor(self.store, self.embedder, anew=report.embedded > 0)
        return report

    def _options(self, **changes: Any) -> SyncOptions:
        from yinju.load import Limits
        from yinju.sync import SyncOptions

        limits = Limits() if self.ocr else Limits(ocr_pages=0)
        return SyncOptions(presets=self.presets, workers=self.workers, limits=limits, **changes)


def page_picture(store: Store, source: str, page: int, width: int) -> bytes:
    """Return a page of a file that the library knows as a PNG. Raises SourceMissing, DocumentError."""
    from yinju.load import page_picture as draw
    from yinju.load import type_by_name

    file = store.file(source)
    if file is None:
        raise reading.missing(store, source)
    if type_by_name(source) != "pdf":
        raise DocumentError(
            say("{source} has no pages to show", "{source} 没有可显示的页面", source=source),
            say("read its text instead", "请改看文字"),
            code="no-picture",
        )
    return draw(file.path, file.digest, page, width)
