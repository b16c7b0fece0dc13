"""Let a disk run full, at many sizes, so that it fails in many places; then give it room, and let the same order go on."""

from __future__ import annotations

import random
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.resilience import oracle
from benchmarks.resilience.controller import Nursery
from benchmarks.resilience.disks import SmallDisk
from benchmarks.resilience.kills import Broken
from benchmarks.resilience.world import World
from yinju.store import Store

SIZES = tuple(range(100, 2100, 100))  # kilobytes
ROOM = 64_000
DISK_FULL = 74


@dataclass(slots=True)
class Result:
    """How often the disk was full, and what was on it then."""

    full: int = 0
    fitted: int = 0
    documents: list[int] = field(default_factory=list)

    def lines(self) -> list[str]:
        """Return it for people."""
        return [
            f"{self.full} full disks, {self.fitted} that were large enough; documents on them when they were full: {self.documents}",
            "each time: exit code 74 with path and free bytes, questions answered, the same order finished once there was room",
        ]


def run(place: Path, sizes: Sequence[int] = SIZES, *, earlier: bool = False) -> Result:
    """Sync to a disk of each size; `earlier`: where a first part was synced when there was room. Raises Broken, NoDisk."""
    result = Result()
    with Nursery() as nursery:
        for size in sizes:
            shutil.rmtree(place / "docs", ignore_errors=True)
            with SmallDisk(place / f"disk-{size}", ROOM if earlier else size) as disk:
                _try(disk, size, place, nursery, result, earlier=earlier)
    return result


def _try(disk: SmallDisk, size: int, place: Path, nursery: Nursery, result: Result, *, earlier: bool) -> None:
    world = World(place / "docs", random.Random(size))
    world.start(5)
    library = disk.mounted / "library"
    order = {"action": "sync", "root": str(world.root), "library": str(library), "together": 3, "batch": 8}
    held: dict[str, str] = {}
    if earlier:
        nursery.carry_out(order)
        held = world.wanted()
        used = sum(path.stat().st_size for path in library.iterdir())
        disk.grow(max(size, used // 1024 + size // 4))
    world.start_more(30)
    run = nursery.carry_out(order)
    target = world.wanted()
    if run.code == 0:
        result.fitted += 1
        return
    said = run.lines[-1]
    if (
        run.code != DISK_FULL
        or said["error"] != "disk-full"
        or str(disk.mounted) not in said["message"]
        or "bytes are free" not in said["message"]
    ):
        raise Broken(f"a disk of {size} kB: ended with {run.code}, {said}")
    result.full += 1
    allowed = {
        source: {target[source]} if source in run.acknowledged else {held.get(source), target[source]}
        for source in target
    }
    found = []
    if (library / "library.db").exists():
        with Store.open(library) as store:
            found = oracle.problems(store, allowed)
            result.documents.append(len(oracle.held(store)))
    disk.grow(ROOM)
    if (again := nursery.carry_out(order)).code != 0:
        found.append(f"with room it ended with {again.code}: {again.lines[-1:]}")
    with Store.open(library) as store:
        found += oracle.problems(store, {source: {text} for source, text in target.items()})
    if found:
        raise Broken("\n".join([f"a disk of {size} kB, told {run.acknowledged}:", *found[:20]]))
