"""Sync from end to end: have it looked at and planned (`survey`), then do it.

The plan is made without the writer's lock, so that an unchanged folder costs no lock and works in a read-only library. Where the
library has moved on until the lock is held, the plan is made again from the same scan. All roots are looked at, and mass deletion is
refused, before the first byte is written.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

from yinju.errors import DocumentError, SourceMissing, StoreBusy, StoreReadOnly, UsageError
from yinju.messages import say
from yinju.protocols import Embedder
from yinju.sync import heirs, holding, spaces
from yinju.sync.apply import Tally, carry_out, count_idle
from yinju.sync.moving import moved, settle
from yinju.sync.pictures import document_names
from yinju.sync.plan import Plan, guard_against_mass_delete
from yinju.sync.survey import (
    Job,
    Paths,
    access_lists,
    has_new_problems,
    plan_target,
    recipe_key,
    survey,
    synced_key,
)
from yinju.sync.values import Cancel, FileCallback, Progress, ProgressCallback, Reader, ReaderFactory, SyncOptions
from yinju.sync.vectors import embed_missing, missing_count
from yinju.types import FileReport, SourceFile, SyncReport

if TYPE_CHECKING:
    from yinju.load import Loaded
    from yinju.store import Store, Writer


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
    lists = access_lists(store, jobs)
    tally = Tally(on_file=on_file, notices=[*lists.notices])
    if lists.is_current and not moved(store) and all(job.is_idle and not has_new_problems(store, job) for job in jobs):
        store.glance()  # nothing else of the library may be read now, and "all unchanged" would be said of a damaged one
        for job in jobs:
            count_idle(job.plan, tally)
        _count_held(jobs, tally)
        _embed_only(store, embedder if options.embed else None, options, tally, progress, cancel)
        return tally.report(time.monotonic() - began)
    with store.writer() as writer:
        writer.begin("sync")
        settle(store, writer, tally)
        if store.generation != generation:
            jobs = [plan_target(store, job.target, job.scan, options) for job in jobs]
            lists = access_lists(store, jobs)
        lists.narrow(store, writer)
        closed = heirs.close_by_name(store, writer, jobs)
        unread: list[SourceFile] = []
        for job in jobs:
            complete = _carry_out(store, writer, job, pool, options, tally, started_ns, progress, cancel)
            unread += () if complete else job.plan.reads
        lists.widen(store, writer, [file.source for file in unread])
        tally.notices += heirs.notices([*closed, *writer.inherited])
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


def _count_held(jobs: Sequence[Job], tally: Tally) -> None:
    """Count what is held back, which is no change, and say so."""
    for job in jobs:
        tally.files += job.holding.reports()
        tally.held += len(job.holding.held)
    tally.unchanged += tally.held
    if tally.held:
        tally.notices.append(holding.notice(tally.held))


def _guard(store: Store, jobs: Sequence[Job]) -> None:
    total = store.counts().documents
    for job in jobs:
        guard_against_mass_delete(job.plan, job.known, total)


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
    if job.adopts is not None:
        job.adopts.write(writer)
    elif target.is_new:
        writer.set_root(target.root, target.prefix)
        if not job.known and job.new_recipe is not None:
            writer.set_value(recipe_key(target.root), job.new_recipe)
    if not job.holding.is_empty:
        writer.hold(job.holding.holds, release=job.holding.gone, moved=job.holding.documents)
    if job.new_recipe is not None and job.plan.reads and job.known and store.value(recipe_key(target.root)):
        writer.set_value(recipe_key(target.root), None)  # a part, or an interruption, leaves files of two recipes
    before = store.generation
    with _reader(job.plan, pool, options, progress, cancel) as reader:
        complete = carry_out(
            store, writer, job.plan, reader, options, tally, job.known, progress=progress, cancel=cancel
        )
    if complete and _is_nothing(store, job, options):
        writer.remove([file.source for file in job.scan.files])
        if target.is_new:
            writer.forget_root(target.root)
            writer.set_value(recipe_key(target.root), None)
        return complete
    if not complete or target.part:
        return complete
    if store.generation != before:
        writer.set_value(synced_key(target.root), str(started_ns))
    if job.new_recipe is not None and store.value(recipe_key(target.root)) != job.new_recipe:
        writer.set_value(recipe_key(target.root), job.new_recipe)
    return complete


def _is_nothing(store: Store, job: Job, options: SyncOptions) -> bool:
    """Tell whether this is a single file that was named, is new, and turned out to be no document that can be read.

    It leaves nothing behind: whoever named it is told, and no sync of its folder would look at it again.
    """
    found, target = job.scan.files, job.target
    if len(found) != 1 or found[0].source in job.known or job.adopts is not None or not job.holding.is_empty:
        return False
    passed_over = found[0].source == job.scan.part and not document_names(options)(found[0].source)
    is_new_file = target.is_new and target.root == found[0].path
    return (is_new_file or passed_over) and store.document(found[0].source) is None


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
