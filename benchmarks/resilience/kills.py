"""Kill a sync again and again, at random moments, and hold the library against what it had told.

A round changes the folder, lets a process bring the library up to date, kills it and looks. Every tenth round is left alone and must end
where a new library of the same folder would, without computing a vector again that was there. One round in twelve is the real command (a process
group, with its readers), the others are forks of a process that has everything imported (see child). All that is chosen comes from the seed;
only the machine decides what a process had done by the moment at which it was killed.
"""

from __future__ import annotations

import random
import shutil
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.resilience import oracle
from benchmarks.resilience.child import FINGERPRINTS
from benchmarks.resilience.controller import Kill, Nursery, Run, command
from benchmarks.resilience.world import World
from yinju.store import Store

LOOKED_AT_BY_READER = 4  # every so many rounds the library is also looked at by one who opened it before the kill
LEFT_ALONE = 10  # every so many rounds nothing is killed
COMMAND = 12  # every so many rounds is the command
YOUNG = 60  # rounds after which a new library is begun
LONGEST_FORK_S, COMMAND_S = 0.25, (0.3, 1.1)


class Broken(AssertionError):
    """An invariant does not hold. The message names seed, round, what was done and what is wrong."""


@dataclass(slots=True)
class Result:
    """What was tried."""

    kills: int = 0
    of_command: int = 0
    rounds: int = 0
    ended_before: int = 0  # they were done before they could be killed
    acknowledged: int = 0  # documents told to be on disk by processes that were killed
    within: int = 0  # kills after the first acknowledgement or with something new on disk
    completed: int = 0
    slowest_start_s: float = 0.0  # from opening after a kill to the first answer
    embedded_again: int = 0

    def lines(self) -> list[str]:
        """Return it for people."""
        return [
            f"{self.kills} kills in {self.rounds} rounds, {self.of_command} of them of the command with its readers;"
            f" {self.ended_before} processes were done before their kill",
            f"{self.acknowledged} documents acknowledged by processes that were killed; {self.within} kills in the middle of changes:"
            " 0 lost, 0 partial, 0 doubled, 0 in disagreement, 0 libraries that did not open",
            f"{self.completed} rounds were left alone and ended as the folder is; {self.embedded_again} vectors computed again",
            f"first answer after a kill: {self.slowest_start_s * 1000:.0f} ms at the slowest",
        ]


@dataclass(slots=True)
class Trial:
    """One library and its folder through many rounds."""

    place: Path
    seed: int
    nursery: Nursery
    result: Result = field(default_factory=Result)
    held: dict[str, str] = field(default_factory=dict)
    seen: list[str] = field(default_factory=list)
    fingerprint: str = FINGERPRINTS[0]
    rng: random.Random = field(init=False)
    world: World = field(init=False)
    reader: Store | None = None  # stays open through all kills, as a server does

    def __post_init__(self) -> None:
        self.rng = random.Random(self.seed)
        self.begin_anew()

    @property
    def library(self) -> Path:
        """The folder of the library."""
        return self.place / "library"

    def begin_anew(self) -> None:
        """Start with a new folder and no library."""
        self.close()
        shutil.rmtree(self.place, ignore_errors=True)
        self.place.mkdir(parents=True)
        self.world = World(self.place / "docs", self.rng)
        self.world.start(8)
        self.held, self.seen = {}, []

    def close(self) -> None:
        """Close the reader."""
        if self.reader is not None:
            self.reader.close()
            self.reader = None

    def round(self, number: int) -> None:
        """Change, start, kill, look. Raises Broken."""
        if number and number % YOUNG == 0:
            self.begin_anew()
        self.result.rounds += 1
        said = self.world.step()
        alone, by_command = self._way(number)
        order = self._order(by_command, alone)
        kill = self._kill(by_command, alone)
        self.seen.append(
            f"round {number}: {order['action']}{' by the command' if by_command else ''}, {kill}: {'; '.join(said)}"
        )
        target = self._target(order)
        before = dict(self.held)
        had = (
            self._vectors({source for source, text in self.held.items() if target.get(source) == text})
            if alone
            else set()
        )
        run = self._start(order, kill, by_command)
        self._count(run, by_command, alone)
        allowed = {
            source: {target.get(source)}
            if source in run.acknowledged or (alone and run.code == 0)
            else {self.held.get(source), target.get(source)}
            for source in {*self.held, *target}
        }
        self.seen.append(f"    ended with {run.code}, told {run.acknowledged}, held before {sorted(before)}")
        self._look(run, allowed, alone, had)

    def _way(self, number: int) -> tuple[bool, bool]:
        """Return whether the round is left alone, and whether it is the command."""
        return number % LEFT_ALONE == LEFT_ALONE - 1, number % COMMAND == COMMAND // 2

    def _order(self, by_command: bool, alone: bool) -> dict[str, Any]:
        order: dict[str, Any] = {"action": "sync", "library": str(self.library), "root": str(self.world.root)}
        order["together"] = self.rng.choice((1, 2, 5, 64))
        order["batch"] = self.rng.choice((1, 4, 64))
        action = self.rng.random()
        if not by_command and self.rng.random() < 0.15:
            self.fingerprint = self.rng.choice(FINGERPRINTS)
        order["fingerprint"] = FINGERPRINTS[0] if by_command else self.fingerprint
        if by_command or alone or action < 0.75:
            return order
        if action < 0.85 and self.held:
            return order | {"action": "remove", "sources": self.rng.sample(sorted(self.held), min(3, len(self.held)))}
        documents = dict(self.world.new_document() for _ in range(self.rng.randint(1, 4)))
        return order | {"action": "add", "documents": list(documents.items())}

    def _kill(self, by_command: bool, alone: bool) -> Kill:
        if alone:
            return Kill()
        if self.rng.random() < 0.5:
            return Kill(self.rng.randint(1, 6), self.rng.choice((0.0, self.rng.uniform(0, 0.05))))
        return Kill(0, self.rng.uniform(*COMMAND_S) if by_command else self.rng.uniform(0, LONGEST_FORK_S))

    def _start(self, order: dict[str, Any], kill: Kill, by_command: bool) -> Run:
        if not by_command:
            return self.nursery.carry_out(order, kill)
        return command(
            ["sync", order["root"], "--library", order["library"], "--each", "--allow-mass-delete", "--yes"], kill
        )

    def _target(self, order: dict[str, Any]) -> dict[str, str]:
        """Return what the library holds when the order was carried out wholly."""
        if order["action"] == "remove":
            return {source: text for source, text in self.held.items() if source not in order["sources"]}
        if order["action"] in ("add", "grow"):
            return self.held | dict(order["documents"])
        added = {source: text for source, text in self.held.items() if source in self.world.added}
        return added | {source: text for source, text in self.world.wanted().items() if source in self.world.files}

    def _vectors(self, unchanged: set[str]) -> set[str]:
        """Return the hashes of texts that have a vector and stand in a document that does not change."""
        if not (self.library / "library.db").exists():
            return set()
        with Store.open(self.library) as store:
            return oracle.embedded_hashes(store, self.fingerprint, unchanged)

    def _count(self, run: Run, by_command: bool, alone: bool) -> None:
        if run.killed:
            self.result.kills += 1
            self.result.of_command += by_command
            self.result.acknowledged += len(run.acknowledged)
            return
        if run.code != 0:
            raise Broken(self._story([f"it ended with {run.code}: {run.lines[-1:]} {run.errors[-2000:]}"]))
        self.result.ended_before += not alone

    def _look(self, run: Run, allowed: dict[str, set[str | None]], alone: bool, had: set[str]) -> None:
        if not (self.library / "library.db").exists():
            if any(None not in texts for texts in allowed.values()):
                raise Broken(self._story(["the library is gone"]))
            return
        began = time.perf_counter()
        with Store.open(self.library) as store:
            store.word_candidates(["pump"], [], 5)
            self.result.slowest_start_s = max(self.result.slowest_start_s, time.perf_counter() - began)
            dead = self.world.markers - self.world.living()
            found = oracle.problems(store, allowed, living=self.world.living(), dead=dead)
            before, self.held = self.held, oracle.held(store)
            found += self._whole(store, run, had) if alone else []
        self.result.within += run.killed and self.held != before
        if self.result.rounds % LOOKED_AT_BY_READER == 0:
            found += self._seen_by_reader(dead)
        if found:
            raise Broken(self._story(found))

    def _seen_by_reader(self, dead: set[str]) -> list[str]:
        if self.reader is None:
            self.reader = Store.open(self.library, read_only=True)
        exactly = {source: {text} for source, text in self.held.items()}
        return [f"a reader of old: {one}" for one in oracle.problems(self.reader, exactly, dead=dead, whole=False)]

    def _whole(self, store: Store, run: Run, had: set[str]) -> list[str]:
        """What must hold where nothing was killed: all vectors are there, and none was computed again."""
        self.result.completed += 1
        fingerprints = store.fingerprints()
        found = [] if any(not store.missing_vectors(one, 1) for one in fingerprints) else ["vectors are missing"]
        again = had & set(run.said("embedded") or ())
        self.result.embedded_again += len(again)
        return found + ([f"{len(again)} vectors were computed again"] if again else [])

    def _story(self, found: list[str]) -> str:
        return "\n".join(
            [f"seed {self.seed}, library kept in {self.place}", *self.seen[-12:], "what is wrong:", *found[:20]]
        )


def run(place: Path, count: int, seed: int) -> Result:
    """Go on until `count` processes were killed. Raises Broken."""
    with Nursery() as nursery:
        trial = Trial(place, seed, nursery)
        number = 0
        try:
            while trial.result.kills < count:
                trial.round(number)
                number += 1
        finally:
            trial.close()
    shutil.rmtree(place, ignore_errors=True)
    return trial.result
