"""What lies in the roots and what is to be done about it: the looking half of a sync (`run` is the doing one). Nothing is written here.

A plan can be made again from the same scan. Roots that were moved with the library are looked at where they are now (`moving`).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from yinju.sync import access, holding
from yinju.sync.documents import check_presets, preset_by_glob, recipe
from yinju.sync.hashing import digests
from yinju.sync.holding import Holding
from yinju.sync.moving import Adoption, adoption, known_of, moved, renamed_roots, roots_now
from yinju.sync.pictures import can_read, document_names, with_known
from yinju.sync.plan import Known, Plan, make_plan, suffix, to_compare
from yinju.sync.roots import Target, targets
from yinju.sync.scan import Scan, scan
from yinju.sync.values import Progress, ProgressCallback, SyncOptions

if TYPE_CHECKING:
    from yinju.store import Store
    from yinju.store.records import Hold

Paths = Iterable[str | os.PathLike[str]]


@dataclass(frozen=True, slots=True)
class Job:
    """One target with what lies there and what is to be done."""

    target: Target
    scan: Scan
    plan: Plan
    known: dict[str, Known]
    holding: Holding
    new_recipe: str | None  # not the one on record; to be written down once all files of the root were read by it
    adopts: Adoption | None = None  # files that the library has under another root

    @property
    def is_idle(self) -> bool:
        """True where nothing has to be written."""
        recut = self.new_recipe is not None and not self.target.part
        changed = self.target.is_new or self.adopts is not None or recut
        return self.plan.is_empty and self.holding.is_empty and not changed


def survey(store: Store, paths: Paths, options: SyncOptions, progress: ProgressCallback | None) -> list[Job]:
    """Look at all paths and plan what is to be done. Nothing is written."""
    check_presets(options.presets)
    known_sources = [summary.source for summary in store.sources()]
    moves = {move.root: move for move in moved(store)}
    jobs = []
    roots = renamed_roots(store.roots(), moves.values())
    for target in targets(paths, roots, known_sources, new_roots=options.new_roots):
        found = scan(
            target.root,
            prefix=target.prefix,
            part=target.part,
            leave_out=target.leave_out | store.own_files(),
            is_document=document_names(options),
            limits=options.limits,
            met=None if progress is None else _tell(progress),
        )
        found = replace(found, root=target.root)  # that of a single file is the file, not the folder that was listed
        jobs.append(plan_target(store, target, found, options, moves.get(target.root)))
    return jobs


def access_lists(store: Store, jobs: Sequence[Job]) -> access.Lists:
    """Return who may see which file by the rules files of these roots and of those around them."""
    sources: dict[tuple[str, str], set[str]] = {}
    for job in jobs:
        here = sources.setdefault((job.target.root, job.target.prefix), set(job.known))
        here.update(file.source for file in job.scan.files)
    return access.lists_for(store, sources, roots_now(store))


def _tell(progress: ProgressCallback) -> Callable[[int], None]:
    return lambda count: progress(Progress("scan", count, 0))


def plan_target(store: Store, target: Target, found: Scan, options: SyncOptions, move: Adoption | None = None) -> Job:
    """Return what is to be done about what was found in this target, by what the library knows now.

    `move`: what the root was before its folder was moved, where the library has not written that down yet.
    """
    everything_known = known_of(store, target, move, ocr=can_read(options))
    found = with_known(found, everything_known, options)
    before = () if move is None else move.forget
    synced = next((value for root in (*before, target.root) if (value := store.value(synced_key(root)))), None)
    synced_ns = int(synced) if synced and synced.isdigit() else None
    taken = _taken(store, everything_known, found)
    holds = _holds(store, (target.root, *before), everything_known)
    known, left, held = _held(holds, everything_known, found, options, synced_ns, taken)
    wanted = recipe(options.presets)
    own = () if target.is_new else before or (target.root,)
    recipes = {store.value(recipe_key(root)) for root in (*own, *target.absorbs) or (target.root,)}
    compare = to_compare(known, left, synced_ns=synced_ns, check=options.check)
    plan = make_plan(
        known,
        left,
        digests(compare, options.limits.file_bytes),
        synced_ns=synced_ns,
        everything=recipes != {wanted} and bool(known),
        taken=taken,
        kind=_kind(options),
    )
    new_recipe = None if store.value(recipe_key(target.root)) == wanted else wanted
    adopts = None if move is not None else adoption(store, target, everything_known, found)
    return Job(target, found, plan, everything_known, held, new_recipe, adopts)


def _holds(store: Store, roots: tuple[str, ...], known: Mapping[str, Known]) -> dict[str, Hold]:
    """Return what an undo holds back of this root, by source."""
    mine = [hold for hold in store.holds() if hold.root in roots or hold.source in known]
    return {hold.source: replace(hold, root=roots[0]) for hold in mine}


def _held(
    holds: Mapping[str, Hold],
    known: dict[str, Known],
    found: Scan,
    options: SyncOptions,
    synced_ns: int | None,
    taken: set[str],
) -> tuple[dict[str, Known], Scan, Holding]:
    """Return what is left to plan for without the files that an undo holds back, and what becomes of those."""
    compare = holding.to_compare(known, found, holds, synced_ns=synced_ns, check=options.check) if holds else ()
    compared = digests(compare, options.limits.file_bytes)
    return holding.sift(known, found, holds, compared, kind=_kind(options), taken=taken, release=options.release)


def _taken(store: Store, known: Mapping[str, Known], found: Scan) -> set[str]:
    """Return the sources that belong to other roots or were added, if any new file could meet them."""
    if all(file.source in known for file in found.files):
        return set()
    return {summary.source for summary in store.sources() if summary.source not in known}


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
