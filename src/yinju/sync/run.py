"""Sync from end to end: which roots, what lies there, what is to be done, and doing it.

The plan is made without the writer's lock, so that an unchanged folder costs no lock and works in a read-only library. Where the
library has moved on until the lock is held, the plan is made again from the same scan. All roots are looked at, and mass deletion is
refused, before the first byte is written.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from yinju.errors import DocumentError, SourceMissing, StoreBusy, StoreReadOnly, UsageError
from yinju.messages import say
from yinju.protocols import Embedder
from yinju.sync import access, holding, spaces
from yinju.sync.apply import Tally, carry_out, count_idle, known_files
from yinju.sync.documents import check_presets, preset_by_glob, recipe
from yinju.sync.hashing import digests
from yinju.sync.holding import Holding
from yinju.sync.pictures import can_read, document_names, with_known_pictures
from yinju.sync.plan import Known, Plan, guard_against_mass_delete, make_plan, suffix, to_compare
from yinju.sync.roots import Root, Target, targets
from yinju.sync.scan import Scan, scan
from yinju.sync.values import Cancel, FileCallback, Progress, ProgressCallback, Reader, ReaderFactory, SyncOptions
from yinju.sync.vectors import embed_missing, missing_count
from yinju.types import FileReport, SourceFile, SyncReport

if TYPE_CHECKING:
    from yinju.load import Loaded
    from yinju.store import Store, Writer

Paths = Iterable[str | os.PathLike[str]]
HOME_KEY = "home"  # the root that holds the library's own folder, as it was called at the last sync


@dataclass(frozen=True, slots=True)
class Job:
    """One target with what lies there and what is to be done."""

    target: Target
    scan: Scan
    plan: Plan
    known: dict[str, Known]
    holding: Holding
    new_recipe: str | None  # not the one on record; to be written down once all files of the root were read by it
    moved_from: str | None = None  # the root that this one was when its folder had another name

    @property
    def is_idle(self) -> bool:
        """True where nothing has to be written."""
        recut = self.new_recipe is not None and not self.target.part
        changed = self.target.is_new or self.moved_from is not None or recut
        return self.plan.is_empty and self.holding.is_empty and not changed


def run(
    store: Store,
    paths: Paths,
    *,
    pool: ReaderFactory | None = None,
    embedder: Embedder | None = None,
    options: SyncOptions | None = None,
    progress: ProgressCallback | None = None,
    cancel: Cancel | None = None,
    on_file: FileCallback | None = None,
) -> SyncReport:
    """Bring the library up to date with these folders and files, vectors included where there is an embedder.

    `pool` makes the reader (by default `load.Pool`), only if a file has to be read. `on_file` is told of each file that was indexed, renamed,
    removed, kept or skipped, once that is on disk. A model that fails is a notice. Raises
    SourceMissing, MassDelete, UsageError before anything is written; StoreBusy, StoreReadOnly, StoreError.
    """
    began = time.monotonic()
    options = options or SyncOptions()
    started_ns = time.time_ns()
    generation = store.generation
    jobs = survey(store, paths, options, progress)
    if not options.allow_mass_delete:
        _guard(store, jobs)
    lists = _lists(store, jobs)
    tally = Tally(on_file=on_file, notices=[*lists.notices])
    if lists.is_current and all(job.is_idle and not _new_problems(store, job) for job in jobs):
        for job in jobs:
            count_idle(job.plan, tally)
        _count_held(jobs, tally)
        _embed_only(store, embedder if options.embed else None, options, tally, progress, cancel)
        return tally.report(time.monotonic() - began)
    with store.writer() as writer:
        writer.begin("sync")
        if store.generation != generation:
            jobs = [_plan(store, job.target, job.scan, options, job.moved_from) for job in jobs]
            lists = _lists(store, jobs)
        lists.narrow(store, writer)
        unread: list[SourceFile] = []
        for job in jobs:
            complete = _carry_out(store, writer, job, pool, options, tally, started_ns, progress, cancel)
            unread += () if complete else job.plan.reads
        lists.widen(store, writer, [file.source for file in unread])
        _count_held(jobs, tally)
        if embedder is not None and options.embed:
            _embed(store, writer, embedder, options, tally, progress, cancel)
    return tally.report(time.monotonic() - began)


def plan_only(store: Store, paths: Paths, *, options: SyncOptions | None = None) -> SyncReport:
    """Return what `run` would do, without writing anything; whether it would remove too much is a notice."""
    began = time.monotonic()
    options = options or SyncOptions()
    jobs = survey(store, paths, options, None)
    tally = Tally()
    try:
        _guard(store, jobs)
    except UsageError as error:
        tally.notices.append(f"{error.message} {error.hint or ''}".strip())
    for job in jobs:
        plan = job.plan
        tally.added += len(plan.add)
        tally.updated += len(plan.update)
        tally.renamed += len(plan.rename)
        tally.removed += len(plan.remove)
        tally.files += [FileReport(file.source, "indexed") for file in plan.reads]
        tally.files += [FileReport(file.source, "renamed", f"renamed: {old}") for old, file in plan.rename]
        tally.files += [FileReport(source, "removed") for source in plan.remove]
        count_idle(plan, tally)
    _count_held(jobs, tally)
    return tally.report(time.monotonic() - began, planned=True)


def survey(store: Store, paths: Paths, options: SyncOptions, progress: ProgressCallback | None) -> list[Job]:
    """Look at all paths and plan what is to be done. Nothing is written."""
    check_presets(options.presets)
    known_sources = [summary.source for summary in store.sources()]
    old, roots = moved_root(store)
    jobs = []
    for named in targets(paths, roots, known_sources):
        moved_from = old if named.root == _home(store) else None
        target = named if moved_from is None else replace(named, part="")
        found = scan(
            target.root,
            prefix=target.prefix,
            part=target.part,
            leave_out=target.leave_out,
            is_document=document_names(options),
            limits=options.limits,
            met=None if progress is None else _tell(progress),
        )
        jobs.append(_plan(store, target, found, options, moved_from))
    return jobs


def moved_root(store: Store) -> tuple[str | None, list[Root]]:
    """Return the root that the library's own folder was when it had another name (or None), and the roots as they are now.

    A folder that is moved or copied takes its `.yinju` along: its files are the same files, at another place.
    """
    roots, home, was = store.roots(), _home(store), store.value(HOME_KEY)
    prefix = next((prefix for root, prefix in roots if root == was), None)
    if home is None or was is None or was == home or prefix is None:
        return None, roots
    return was, [*((root, prefix) for root, prefix in roots if root not in (was, home)), (home, prefix)]


def _home(store: Store) -> str | None:
    """Return the folder that holds the library's own folder."""
    return None if store.folder is None else os.path.dirname(os.path.realpath(store.folder))


def _lists(store: Store, jobs: Sequence[Job]) -> access.Lists:
    """Return who may see which file by the rules files of these roots and of those around them."""
    sources: dict[tuple[str, str], set[str]] = {}
    for job in jobs:
        here = sources.setdefault((job.target.root, job.target.prefix), set(job.known))
        here.update(file.source for file in job.scan.files)
    return access.lists_for(store, sources, moved_root(store)[1])


def _tell(progress: ProgressCallback) -> Callable[[int], None]:
    return lambda count: progress(Progress("scan", count, 0))


def _plan(store: Store, target: Target, found: Scan, options: SyncOptions, moved_from: str | None) -> Job:
    ocr = can_read(options)
    everything_known = known_files(store, target.root, ocr=ocr)
    if moved_from is not None:
        everything_known = {**known_files(store, moved_from, ocr=ocr), **everything_known}
    found = with_known_pictures(found, everything_known, options)
    synced = store.value(_synced_key(target.root))
    synced_ns = int(synced) if synced and synced.isdigit() else None
    taken = _taken(store, (target.root, moved_from), everything_known, found)
    known, left, held = _held(store, (target.root, moved_from), everything_known, found, options, synced_ns, taken)
    wanted = recipe(options.presets)
    other_recipe = store.value(_recipe_key(target.root)) != wanted
    compare = to_compare(known, left, synced_ns=synced_ns, check=options.check)
    plan = make_plan(
        known,
        left,
        digests(compare, options.limits.file_bytes),
        synced_ns=synced_ns,
        everything=(other_recipe and bool(known)) or moved_from is not None,
        taken=taken,
        kind=_kind(options),
    )
    return Job(target, found, plan, everything_known, held, wanted if other_recipe else None, moved_from)


def _held(
    store: Store,
    roots: tuple[str, str | None],
    known: dict[str, Known],
    found: Scan,
    options: SyncOptions,
    synced_ns: int | None,
    taken: set[str],
) -> tuple[dict[str, Known], Scan, Holding]:
    """Return what is left to plan for without the files that an undo holds back, and what becomes of those."""
    holds = {hold.source: replace(hold, root=roots[0]) for hold in store.holds() if hold.root in roots}
    compare = holding.to_compare(known, found, holds, synced_ns=synced_ns, check=options.check) if holds else ()
    compared = digests(compare, options.limits.file_bytes)
    return holding.sift(known, found, holds, compared, kind=_kind(options), taken=taken, release=options.release)


def _count_held(jobs: Sequence[Job], tally: Tally) -> None:
    """Count what is held back, which is no change, and say so."""
    for job in jobs:
        tally.files += job.holding.reports()
        tally.held += len(job.holding.held)
    tally.unchanged += tally.held
    if tally.held:
        tally.notices.append(holding.notice(tally.held))


def _taken(store: Store, roots: tuple[str, str | None], known: dict[str, Known], found: Scan) -> set[str]:
    """Return the sources that belong to other roots or were added, if any new file could meet them."""
    if all(file.source in known for file in found.files):
        return set()
    return {summary.source for summary in store.sources() if summary.root is None or summary.root not in roots}


def _kind(options: SyncOptions) -> Callable[[str], Hashable]:
    return lambda source: (suffix(source), preset_by_glob(source, options.presets))


def _guard(store: Store, jobs: Sequence[Job]) -> None:
    total = store.counts().documents
    for job in jobs:
        guard_against_mass_delete(job.plan, job.known, total)


def _new_problems(store: Store, job: Job) -> bool:
    """Tell whether the scan met other problems than those on record."""
    problems = {(p.source, p.reason) for p in job.plan.skip if p.reason != "name-taken"}
    recorded = {(s.source, s.reason) for s in store.skipped() if s.root == job.target.root and s.file is None}
    return not problems <= recorded or (not job.target.part and problems != recorded)


def _carry_out(
    store: Store,
    writer: Writer,
    job: Job,
    pool: ReaderFactory | None,
    options: SyncOptions,
    tally: Tally,
    started_ns: int,
    progress: ProgressCallback | None,
    cancel: Cancel | None,
) -> bool:
    """Carry out one job, then note what it proves: when the root was last looked at as a whole, and how its files are cut.

    Return whether all its files were read.
    """
    target = job.target
    if target.is_new or job.moved_from is not None:
        writer.set_root(target.root, target.prefix)
        if target.root == _home(store) and job.moved_from is None:
            writer.set_value(HOME_KEY, target.root)
        if not job.known and job.new_recipe is not None:
            writer.set_value(_recipe_key(target.root), job.new_recipe)
    if not job.holding.is_empty:
        writer.hold(job.holding.holds, release=job.holding.gone, moved=job.holding.documents)
    if job.new_recipe is not None and job.plan.reads and job.known and store.value(_recipe_key(target.root)):
        writer.set_value(_recipe_key(target.root), None)  # a part, or an interruption, leaves files of two recipes
    before = store.generation
    with _reader(job.plan, pool, options, progress, cancel) as reader:
        complete = carry_out(
            store, writer, job.plan, reader, options, tally, job.known, progress=progress, cancel=cancel
        )
    if not complete or target.part:
        return complete
    if store.generation != before:
        writer.set_value(_synced_key(target.root), str(started_ns))
    if job.new_recipe is not None and store.value(_recipe_key(target.root)) != job.new_recipe:
        writer.set_value(_recipe_key(target.root), job.new_recipe)
    if job.moved_from is not None:
        writer.hold(root=(job.moved_from, target.root))
        writer.forget_root(job.moved_from)
        writer.set_value(HOME_KEY, target.root)
    return complete


def _reader(
    plan: Plan,
    pool: ReaderFactory | None,
    options: SyncOptions,
    progress: ProgressCallback | None,
    cancel: Cancel | None,
) -> AbstractContextManager[Reader]:
    """Return who reads the plan's files; scans and pictures no longer than the budget allows."""
    if not plan.reads:
        return nullcontext(_NoReader())
    if pool is not None:
        return pool()
    from yinju.load import Pool

    began, budget = time.monotonic(), options.read_budget_s

    def stop() -> bool:
        spent = budget is not None and time.monotonic() - began >= budget
        return spent or (cancel is not None and cancel())

    def on_page(file: SourceFile, number: int, total: int) -> None:
        if progress is not None:
            progress(Progress("ocr", number - 1, total, source=file.source))

    return Pool(options.workers, options.limits, on_page=on_page, stop=stop)


class _NoReader:
    """For a plan that has no file to read."""

    def load_files(self, files: Iterable[SourceFile]) -> Iterator[tuple[SourceFile, Loaded | DocumentError]]:
        return iter(())


def _embed_only(
    store: Store,
    embedder: Embedder | None,
    options: SyncOptions,
    tally: Tally,
    progress: ProgressCallback | None,
    cancel: Cancel | None,
) -> None:
    """Compute what an earlier sync left, if anything; a library that cannot be written to is as good as it can be."""
    if embedder is None or not (missing_count(store, embedder) or spaces.is_due(store, embedder.fingerprint)):
        return
    try:
        with store.writer() as writer:
            _embed(store, writer, embedder, options, tally, progress, cancel)
    except (StoreBusy, StoreReadOnly) as error:
        tally.notices.append(f"{error.message} {error.hint or ''}".strip())


def _embed(
    store: Store,
    writer: Writer,
    embedder: Embedder,
    options: SyncOptions,
    tally: Tally,
    progress: ProgressCallback | None,
    cancel: Cancel | None,
) -> None:
    done = embed_missing(store, writer, embedder, budget_s=options.embed_budget_s, progress=progress, cancel=cancel)
    tally.embedded += done.count
    tally.notices += done.notices


def _synced_key(root: str) -> str:
    return f"synced:{root}"


def _recipe_key(root: str) -> str:
    return f"recipe:{root}"


def remove(store: Store, sources: Sequence[str]) -> SyncReport:
    """Remove these sources with everything that was made of them. Raises SourceMissing where one is not in the library."""
    began = time.monotonic()
    known = {summary.source for summary in store.sources()} | {skipped.source for skipped in store.skipped()}
    for source in sources:
        if source not in known:
            raise SourceMissing(
                say("{source} is not in the library.", "资料库中没有 {source}。", source=source),
                say("`yinju sources` lists what is.", "`yinju sources` 可列出全部文档。"),
            )
    tally = Tally()
    wanted = list(dict.fromkeys(sources))
    if wanted:
        with store.writer() as writer:
            writer.begin("remove")
            writer.remove(wanted)
    tally.removed = len(wanted)
    tally.files += [FileReport(source, "removed") for source in wanted]
    return tally.report(time.monotonic() - began)
