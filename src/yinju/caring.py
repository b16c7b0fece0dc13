"""The half of the facade that changes a library and looks after it: documents in, vectors, health.

`Library` is this and what reads. It stands apart since what reads is open to every door and every asker, and this to the owner alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from yinju import keeping
from yinju.types import REFUSE_BELOW, Document, FileReport, Hit, SyncReport

if TYPE_CHECKING:
    from yinju.protocols import Embedder
    from yinju.store import Store
    from yinju.store.access import Names, Origin
    from yinju.store.backup import Backup
    from yinju.store.records import Step
    from yinju.sync import Progress, PurgeReport
    from yinju.sync.health import Finding
    from yinju.sync.repair import Repaired


@dataclass(frozen=True, slots=True)
class LibraryOptions:
    """What a library does when a call does not say otherwise. `presets` maps globs of sources to chunker presets."""

    limit: int = 5
    context_tokens: int = 2_000
    refuse_below: float = REFUSE_BELOW
    rewrite: str = "model"
    unsupported: Literal["mark", "remove"] = "mark"  # sentences of a model that no passage proves
    check: bool = False  # whether a model reads once more what it put in words of its own
    presets: Mapping[str, str] = field(default_factory=dict)
    workers: int = 2
    ocr: bool = True


class Caring:
    """What changes a library. Made by `Library`, which holds the parts named here."""

    store: Store
    embedder: Embedder | None
    options: LibraryOptions

    # documents in

    def sync(
        self,
        paths: str | Path | Sequence[str | Path],
        *,
        embed: bool = True,
        plan: bool = False,
        allow_mass_delete: bool = False,
        check: bool = False,
        release: bool = False,
        new_roots: Sequence[str] | None = None,
        progress: Callable[[Progress], None] | None = None,
        read_budget_s: float | None = None,
        cancel: Callable[[], bool] | None = None,
        on_file: Callable[[FileReport], None] | None = None,
    ) -> SyncReport:
        """Bring the library up to date with these folders and files; returns when the vectors are there too, unless `embed=False`.

        `plan` only tells what would be done. `check` reads every file again, whatever its size and date say. `release` takes
        what an undo holds back. `new_roots`: besides what the library knows only these real paths may be named, for doors that pass on what
        somebody asked for; None: any. `read_budget_s` stops
        reading new files after so many seconds, and `cancel` all work once it is true; the next sync goes on. `on_file` is told of each file
        that changed the library, once that is on disk. Raises SourceMissing, MassDelete, YinjuError (`outside`: none of the `new_roots`),
        StoreBusy, StoreReadOnly.
        """
        return self._keeper().sync(
            paths, embed=embed, plan=plan, progress=progress, cancel=cancel, on_file=on_file,
            allow_mass_delete=allow_mass_delete, check=check, release=release, read_budget_s=read_budget_s,
            new_roots=None if new_roots is None else tuple(new_roots),
        )  # fmt: skip

    def add(self, documents: Iterable[Document], *, embed: bool = True) -> SyncReport:
        """Add documents that are no files; one with the source of another replaces it. A sync never removes them."""
        return self._keeper().add(documents, embed=embed)

    def remove(self, sources: str | Sequence[str]) -> SyncReport:
        """Remove these sources with everything that was made of them. Raises SourceMissing where one is not in the library."""
        from yinju import sync

        return sync.remove(self.store, [sources] if isinstance(sources, str) else list(sources))

    def purge(self, sources: str | Sequence[str]) -> PurgeReport:
        """Remove these sources for good: no byte of their texts stays in the library's files, nor of earlier versions. It cannot be undone.

        The report names where the text may still be: files on disk, backups, other documents, evaluations and feedback that quote it.
        Raises SourceMissing where the library knows nothing of one, StoreBusy, StoreReadOnly.
        """
        return self._keeper().purge([sources] if isinstance(sources, str) else list(sources))

    def undo(self, steps: int = 1) -> SyncReport:
        """Take back what the last syncs, adds or removals did to documents, the newest first; the files stay as they are.

        What they say now is held back from later syncs until they change again, or a sync is told to `release` it. An undo is no step itself.
        Raises UsageError where there are not so many steps (code `nothing-to-undo`), StoreBusy, StoreReadOnly.
        """
        return self._keeper().undo(steps)

    def steps(self) -> list[Step]:
        """Return what `undo` can take back, newest first: at most five steps, fewer where they take more room than the documents."""
        return self.store.steps()

    def restrict(self, source: str, names: str | Iterable[str] | None) -> None:
        """Let only these see a source, names of principals or groups (`*`: all who may ask; nobody: `[]`); None takes the list away.

        The list holds beside those of the document itself and of rules files, outlives reading anew and removal, and follows a rename.
        Raises SourceMissing where the source is not in the library and has no list.
        """
        self._keeper().restrict(source, names)

    def access(self, source: str) -> dict[Origin, Names]:
        """Return the access lists of a source by who gives it one: `document`, `rules`, `owner`. An asker has to be on each of them."""
        return self._keeper().access(source)

    def embed_missing(
        self,
        *,
        first: Sequence[Hit] = (),
        budget_s: float | None = None,
        progress: Callable[[Progress], None] | None = None,
    ) -> SyncReport:
        """Compute vectors that are still missing, those of the hits `first`, for at most `budget_s` seconds. Can be interrupted."""
        return self._keeper().embed_missing(first, budget_s, progress)

    def _keeper(self) -> keeping.Keeper:
        options = self.options
        return keeping.Keeper(self.store, self.embedder, options.presets, options.workers, options.ocr)

    def doctor(self) -> list[Finding]:
        """Check the library against itself and its folders, and return what needs attention, worst first."""
        from yinju.sync import health

        return health.findings(self.store, self.embedder)

    def backup(self, file: str | Path, *, replace: bool = False) -> Backup:
        """Write the whole library to one file, checked, and on disk when this returns; works while a sync writes.

        `replace`: the file may be there. Raises UsageError (it is there), StoreReadOnly (cannot be written there), StoreError (the library is
        damaged, the disk is full). `Library.restore` makes a library of it.
        """
        from yinju.store import backup

        return backup.save(self.store, Path(file), replace=replace)

    @staticmethod
    def repair(folder: str | Path, *, presets: Mapping[str, str] | None = None) -> Repaired:
        """Mend the library in this folder, also one that cannot be opened: what can be read is kept, the rest comes from its backups.

        The damaged file stays beside the new one. What is `lost` then is read again by the next sync of its folder. Nobody needs to close the
        library for this. Raises StoreBusy (somebody is writing), StoreReadOnly, StoreError (no library, of a newer format, another program's).
        """
        from yinju.sync.repair import repair

        return repair(Path(folder).expanduser(), presets=presets)

    def watch(
        self,
        paths: Sequence[str | Path],
        on_change: Callable[[], object],
        stop: Callable[[], bool] = lambda: False,
        *,
        on_ready: Callable[[], object] = lambda: None,
    ) -> None:
        """Call `on_change` whenever files below the paths change, until `stop()` is true or the process is interrupted.

        `on_ready` is called once when changes are noticed from now on.
        """
        from yinju import sync

        sync.watch(paths, on_change, stop, on_ready=on_ready)
