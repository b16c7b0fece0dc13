"""Cut the power under a library again and again, and hold it against what it had told to be on disk.

The library lies on an ext4 image, the documents elsewhere. A round changes the folder, lets a process sync it or add one document after
another, cuts the power, ends the process, switches on and looks. ext4 writes its metadata every five seconds of itself and data within
thirty, so some rounds go on for up to fourteen seconds before their cut; every fifth begins with a new library, the others go on with one
whose first part is old.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.resilience.controller import Kill, Nursery, Run
from benchmarks.resilience.disks import Image
from benchmarks.resilience.kills import Broken, Result, Trial

NEW_EVERY = 5  # rounds
GROWING = 40  # documents
DISK_FAILED = (74, 73)  # or it could not even be opened for writing
QUICK_S, LONG_S = 0.5, 14.0


@dataclass(slots=True)
class PowerTrial(Trial):
    """A library on a disk whose power is cut. `long_share` of the rounds go on for some seconds, up to `longest_s`."""

    image: Image | None = None
    long_share: float = 0.2
    longest_s: float = LONG_S
    begun: int = 0

    @property
    def library(self) -> Path:
        assert self.image is not None
        return self.image.mounted / f"library-{self.begun}"  # a deleted one would come back with the power

    def begin_anew(self) -> None:
        Trial.begin_anew(self)
        self.begun += 1

    def round(self, number: int) -> None:
        if number and number % NEW_EVERY == 0:
            self.begin_anew()
        Trial.round(self, number)
        self.close()  # a reader would keep the disk in use

    def _way(self, number: int) -> tuple[bool, bool]:
        return False, False

    def _order(self, by_command: bool, alone: bool) -> dict[str, Any]:
        order = Trial._order(self, by_command, alone)
        if self.rng.random() >= self.long_share:
            return order
        documents = dict(self.world.new_document() for _ in range(GROWING))
        seconds = self.rng.uniform(self.longest_s / 3, self.longest_s)
        return order | {"action": "grow", "documents": list(documents.items()), "seconds": seconds}

    def _kill(self, by_command: bool, alone: bool) -> Kill:
        return Kill(self.rng.choice((0, 0, 1, 3)), self.rng.uniform(0, QUICK_S))

    def _start(self, order: dict[str, Any], kill: Kill, by_command: bool) -> Run:
        assert self.image is not None
        run = Run()
        seconds = order.get("seconds", kill.seconds)
        pid = self.nursery.send(order)
        ended = self.nursery.hear(run, lines=kill.lines) or self.nursery.hear(run, until=time.monotonic() + seconds)
        run.binding = len(run.lines)  # nobody hears what is told after this
        self.image.cut()
        if not ended:
            time.sleep(self.rng.uniform(0, 0.2))  # it finds out by itself, or dies before
            with contextlib.suppress(ProcessLookupError):
                os.killpg(pid, signal.SIGKILL)
            self.nursery.hear(run)
        self.image.start_again()
        return run

    def _count(self, run: Run, by_command: bool, alone: bool) -> None:
        self.result.kills += 1
        self.result.acknowledged += len(run.acknowledged)
        self.result.ended_before += run.code == 0
        if run.code not in (0, -signal.SIGKILL, *DISK_FAILED):
            raise Broken(self._story([f"it ended with {run.code}: {run.lines[-1:]}"]))


@dataclass(slots=True)
class Cuts:
    """What was tried."""

    of: Result

    def lines(self) -> list[str]:
        """Return it for people."""
        return [
            f"{self.of.kills} power cuts, {self.of.ended_before} of them after the process was done",
            f"{self.of.acknowledged} documents acknowledged before a cut: 0 lost, 0 partial, 0 doubled, 0 in disagreement,"
            " 0 libraries that did not open",
            f"first answer after a cut: {self.of.slowest_start_s * 1000:.0f} ms at the slowest",
        ]


def run(place: Path, count: int, seed: int, *, long_share: float = 0.4, longest_s: float = LONG_S) -> Cuts:
    """Cut the power `count` times. Raises Broken, NoDisk."""
    with Image(place / "power") as image, Nursery() as nursery:
        trial = PowerTrial(place / "trial", seed, nursery, image=image, long_share=long_share, longest_s=longest_s)
        try:
            for number in range(count):
                trial.round(number)
        finally:
            trial.close()
    shutil.rmtree(place, ignore_errors=True)
    return Cuts(trial.result)
