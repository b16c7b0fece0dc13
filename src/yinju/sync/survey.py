"""What lies in the roots and what is to be done about it: the looking half of a sync (`run` is the doing one). Nothing is written here.

All roots are looked at before anything is planned, and a plan can be made again from the same scan. A library's own folder that was moved or
copied, with the library in it, is recognised, so that its files are the same files at another place.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from yinju.sync import access, holding
from yinju.sync.apply import known_files
from yinju.sync.documents import check_presets, preset_by_glob, recipe
from yinju.sync.hashing import digests
from yinju.sync.holding import Holding
from yinju.sync.pictures import can_read, document_names, with_known_pictures
from yinju.sync.plan import Known, Plan, make_plan, suffix, to_compare
from yinju.sync.roots import Root, Target, targets
from yinju.sync.scan import Scan, scan
from yinju.sync.values import Progress, ProgressCallback, SyncOptions

if TYPE_CHECKING:
    from yinju.store import Store

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


def survey(store: Store, paths: Paths, options: SyncOptions, progress: ProgressCallback | None) -> list[Job]:
    """Look at all paths and plan what is to be done. Nothing is written."""
    check_presets(options.presets)
    known_sources = [summary.source for summary in store.sources()]
    old, roots = moved_root(store)
    jobs = []
    for named in targets(paths, roots, known_sources):
        moved_from = old if named.root == home_of(store) else None
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
        jobs.append(plan_target(store, target, found, options, moved_from))
    return jobs


def moved_root(store: Store) -> tuple[str | None, list[Root]]:
    """Return the root that the library's own folder was when it had another name (or None), and the roots as they are now.

    A folder that is moved or copied takes its `.yinju` along: its files are the same files, at another place.
    """
    roots, home, was = store.roots(), home_of(store), store.value(HOME_KEY)
    prefix = next((prefix for root, prefix in roots if root == was), None)
    if home is None or was is None or was == home or prefix is None:
        return None, roots
    return was, [*((root, prefix) for root, prefix in roots if root not in (was, home)), (home, prefix)]


def home_of(store: Store) -> str | None:
    """Return the folder that holds the library's own folder."""
    return None if store.folder is None else os.path.dirname(os.path.realpath(store.folder))


def access_lists(store: Store, jobs: Sequence[Job]) -> access.Lists:
    """Return who may see which file by the rules files of these roots and of those around them."""
    sources: dict[tuple[str, str], set[str]] = {}
    for job in jobs:
        here = sources.setdefault((job.target.root, job.target.prefix), set(job.known))
        here.update(file.source for file in job.scan.files)
    return access.lists_for(store, sources, moved_root(store)[1])


def _tell(progress: ProgressCallback) -> Callable[[int], None]:
    return lambda count: progress(Progress("scan", count, 0))


def plan_target(store: Store, target: Target, found: Scan, options: SyncOptions, moved_from: str | None) -> Job:
    """Return what is to be done about what was found in this target, by what the library knows now."""
    ocr = can_read(options)
    everything_known = known_files(store, target.root, ocr=ocr)
    if moved_from is not None:
        everything_known = {**known_files(store, moved_from, ocr=ocr), **everything_known}
    found = with_known_pictures(found, everything_known, options)
    synced = store.value(synced_key(target.root))
    synced_ns = int(synced) if synced and synced.isdigit() else None
    taken = _taken(store, (target.root, moved_from), everything_known, found)
    known, left, held = _held(store, (target.root, moved_from), everything_known, found, options, synced_ns, taken)
    wanted = recipe(options.presets)
    other_recipe = store.value(recipe_key(target.root)) != wanted
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


def _taken(store: Store, roots: tuple[str, str | None], known: dict[str, Known], found: Scan) -> set[str]:
    """Return the sources that belong to other roots or were added, if any new file could meet them."""
    if all(file.source in known for file in found.files):
        return set()
    return {summary.source for summary in store.sources() if summary.root is None or summary.root not in roots}


def _kind(options: SyncOptions) -> Callable[[str], Hashable]:
    return lambda source: (suffix(source), preset_by_glob(source, options.presets))


def has_new_problems(store: Store, job: Job) -> bool:
    """Tell whether the scan met other problems than those on record."""
    problems = {(p.source, p.reason) for p in job.plan.skip if p.reason != "name-taken"}
    recorded = {(s.source, s.reason) for s in store.skipped() if s.root == job.target.root and s.file is None}
    return not problems <= recorded or (not job.target.part and problems != recorded)


def synced_key(root: str) -> str:
    """Return under which name the library keeps when the last whole sync of this root began."""
    return f"synced:{root}"


def recipe_key(root: str) -> str:
    """Return under which name the library keeps how the files of this root are cut."""
    return f"recipe:{root}"
