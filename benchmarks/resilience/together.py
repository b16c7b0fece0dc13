"""One who writes and many who read: each question has to see one state of the library, and nobody may get an error.

The writer syncs a folder that changes, adds, removes, and is sometimes killed; the readers ask all the while, each in a process of its own.
"""

from __future__ import annotations

import random
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.resilience import oracle
from benchmarks.resilience.child import FINGERPRINTS
from benchmarks.resilience.controller import Kill, Nursery, Run
from benchmarks.resilience.kills import Broken
from benchmarks.resilience.world import World
from yinju.store import Store


@dataclass(slots=True)
class Result:
    """What was asked and written meanwhile."""

    readers: int = 0
    questions: int = 0
    writes: int = 0
    killed: int = 0
    slow_ms: list[float] = field(default_factory=list)
    idle_ms: float = 0.0

    def lines(self) -> list[str]:
        """Return it for people."""
        return [
            f"{self.questions} questions by {self.readers} readers beside {self.writes} writes ({self.killed} killed): 0 violations, 0 errors",
            f"p95 of all that a question reads: {self.slow_ms} ms; of one reader alone {self.idle_ms} ms",
        ]


def run(place: Path, readers: int, seconds: float, seed: int) -> Result:
    """Write and read for so many seconds. Raises Broken."""
    rng = random.Random(seed)
    world = World(place / "docs", rng)
    world.start(20)
    base: dict[str, Any] = {"root": str(world.root), "library": str(place / "library"), "fingerprint": FINGERPRINTS[0]}
    result = Result(readers)
    with Nursery() as writer:
        writer.carry_out(base | {"action": "sync"})
        alone = writer.carry_out(base | {"action": "read", "seconds": min(2.0, seconds / 4), "seed": 0})
        result.idle_ms = alone.said("slow_ms")
        heard: list[Run] = []
        threads = [threading.Thread(target=_read, args=(base, seconds, number, heard)) for number in range(readers)]
        for thread in threads:
            thread.start()
        ends = time.monotonic() + seconds
        while time.monotonic() < ends or any(thread.is_alive() for thread in threads):
            world.step()
            kill = Kill(0, rng.uniform(0, 0.3)) if rng.random() < 0.2 else Kill()
            run = writer.carry_out(base | {"action": "sync", "together": rng.choice((1, 3, 64))}, kill)
            result.writes += 1
            result.killed += run.killed
            if not run.killed and run.code:
                raise Broken(f"seed {seed}: the writer ended with {run.code}, {run.lines[-1:]}")
        for thread in threads:
            thread.join()
        writer.carry_out(base | {"action": "sync"})
    found = [f"a reader: {one}" for run in heard for one in run.said("wrong") or ()]
    found += [f"a reader ended with {run.code}, {run.lines[-1:]}" for run in heard if run.code]
    with Store.open(place / "library") as store:
        found += oracle.problems(store, {source: {text} for source, text in world.wanted().items()})
    if found or len(heard) != readers:
        raise Broken("\n".join([f"seed {seed}:", *found[:20]]))
    result.questions = sum(run.said("questions") for run in heard)
    result.slow_ms = [run.said("slow_ms") for run in heard]
    return result


def _read(base: dict[str, Any], seconds: float, number: int, heard: list[Run]) -> None:
    with Nursery() as nursery:
        heard.append(nursery.carry_out(base | {"action": "read", "seconds": seconds, "seed": number}))
