"""End a process at each fail point in each thing that it can do there, look, and let the same be done again.

First each scenario runs once to the end and notes which points it passes and how often; then it is ended at the first and at the last time of
each. What is left is held against the oracle, and the same order given once more must end as if nothing had happened.
"""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.resilience import oracle
from benchmarks.resilience.child import FINGERPRINTS
from benchmarks.resilience.controller import ROOT, Nursery, Run, environment
from benchmarks.resilience.kills import Broken
from benchmarks.resilience.world import World, marker, text
from yinju.failing import EXIT_CODE, VARIABLE
from yinju.store import Store

OFTEN = 2  # scenarios for each point, where not all are tried
ALWAYS = frozenset({"before-commit", "after-commit"})  # tried in all of them


@dataclass(frozen=True, slots=True)
class Scenario:
    """What a process does: an action on a library that was brought up to date before `change` (of none where `new`)."""

    action: str = "sync"
    change: Callable[[World], None] = lambda world: None
    new: bool = False
    order: Mapping[str, Any] = field(default_factory=dict)


def _add(world: World) -> None:
    for ident in (21, 22, 24):
        world._write(f"new/{ident}.md", ident, 1)
    (world.root / "空.md").write_bytes(b"")


def _replace(world: World) -> None:
    for source in sorted(world.files)[:3]:
        world._write(source, world.files[source][0], world.files[source][1] + 1)


def _delete(world: World) -> None:
    for source in sorted(world.files)[:3]:
        world._place(source).unlink()
        del world.files[source]


def _rename(world: World) -> None:
    one, other, third = sorted(world.files)[:3]
    world._place(one).rename(world.root / "aside.tmp")
    world._place(other).rename(world._place(one))
    (world.root / "aside.tmp").rename(world._place(other))
    world.files[one], world.files[other] = world.files[other], world.files[one]
    world._place(third).rename(world.root / "改名.md")
    world.files["改名.md"] = world.files.pop(third)


SCENARIOS: dict[str, Scenario] = {
    "first sync": Scenario(change=_add, new=True),
    "sync": Scenario(change=_add),
    "replace": Scenario(change=_replace),
    "delete": Scenario(change=_delete),
    "rename": Scenario(change=_rename),
    "re-embed": Scenario(order={"fingerprint": FINGERPRINTS[1]}),
    "remove": Scenario("remove", order={"sources": ["1.md", "2.md"]}),
    "add": Scenario("add", order={"documents": [["1.md", text(31, 1)], ["memo.md", text(32, 1)]]}),
    "search": Scenario("search", order={"tail": 0}),
    "search again": Scenario("search", change=_replace, order={"tail": 0, "twice": True}),
}


@dataclass(slots=True)
class Result:
    """Which points were passed in which scenarios, and how many times a process was ended there."""

    passed: dict[str, list[str]] = field(default_factory=dict)
    ended: int = 0
    by_environment: int = 0

    def lines(self) -> list[str]:
        """Return it for people."""
        said = [f"{point}: {', '.join(names)}" for point, names in sorted(self.passed.items())]
        return [
            *said,
            f"{self.ended} ends at {len(self.passed)} points, {self.by_environment} of them armed by {VARIABLE}",
        ]


class Points:
    """The scenarios, each with its library before, below `place`."""

    def __init__(self, place: Path, nursery: Nursery, *, thorough: bool) -> None:
        self.place, self.nursery, self.thorough = place, nursery, thorough
        self.result = Result()

    def run(self) -> Result:
        """Try all of them. Raises Broken."""
        for name, scenario in SCENARIOS.items():
            self._try(name, scenario)
        return self.result

    def _try(self, name: str, scenario: Scenario) -> None:
        base = self.place / "base"
        shutil.rmtree(base, ignore_errors=True)
        world = World(base / "docs", random.Random(name))
        base.mkdir(parents=True)
        world.root.mkdir()
        for ident in range(1, 6):
            world._write(f"{ident}.md", ident, 1)
        held: dict[str, str] = {}
        order = {"action": "sync", "root": str(world.root), "library": str(base / "library"), "together": 2, "batch": 4}
        if not scenario.new:
            self._finish(name, order)
            held = world.wanted()
        scenario.change(world)
        target = _target(scenario, world, held)
        order |= {"action": scenario.action, **scenario.order}
        passed = self._passed(name, base, order)
        for point, count in passed.items():
            names = self.result.passed.setdefault(point, [])
            if not self.thorough and len(names) >= OFTEN and point not in ALWAYS:
                continue
            for at in sorted({1, count} if self.thorough else {1}):
                self._end(
                    f"{name}, {point}:{at}",
                    base,
                    order,
                    f"{point}:{at}",
                    held,
                    target,
                    by_environment=not names and at == 1,
                )
            names.append(name)

    def _passed(self, name: str, base: Path, order: dict[str, Any]) -> dict[str, int]:
        with Copied(base, self.place / "trial") as library:
            run = self._finish(name, order | {"library": str(library), "note": True})
        return dict(run.said("passed"))

    def _finish(self, name: str, order: dict[str, Any]) -> Run:
        run = self.nursery.carry_out(order)
        if run.code != 0:
            raise Broken(f"{name}: ended with {run.code}, {run.lines[-1:]}")
        return run

    def _end(
        self,
        name: str,
        base: Path,
        order: dict[str, Any],
        point: str,
        held: dict[str, str],
        target: dict[str, str],
        *,
        by_environment: bool,
    ) -> None:
        with Copied(base, self.place / "trial") as library:
            order = order | {"library": str(library)}
            run = _once(order, point) if by_environment else self.nursery.carry_out(order | {"fail_at": point})
            if run.code != EXIT_CODE:
                raise Broken(f"{name}: ended with {run.code}")
            self.result.ended += 1
            self.result.by_environment += by_environment
            told = {source for source, outcome in run.acknowledged.items() if outcome != "skipped"}
            allowed = {
                source: {target.get(source)} if source in told else {held.get(source), target.get(source)}
                for source in {*held, *target}
            }
            self._look(name, library, allowed)
            if self._is_left_to_do(order):
                self._finish(name, order)
            self._look(f"{name}, done again", library, {source: {target.get(source)} for source in {*held, *target}})

    def _is_left_to_do(self, order: dict[str, Any]) -> bool:
        """Whether the order can be given again: what is removed already is missing."""
        if order["action"] != "remove":
            return True
        with Store.open(Path(order["library"])) as store:
            return bool(set(order["sources"]) & set(oracle.held(store)))

    def _look(self, name: str, library: Path, allowed: dict[str, set[str | None]]) -> None:
        if not (library / "library.db").exists() and all(None in texts for texts in allowed.values()):
            return
        dead = {marker(ident, version) for ident in range(1, 6) for version in (1, 2)}
        with Store.open(library) as store:
            found = oracle.problems(store, allowed, dead=dead)
            left = [path.name for path in library.glob("new-*")]
        if "done again" in name and left:
            found.append(f"left behind: {left}")
        if found:
            raise Broken("\n".join([f"{name} (kept in {library}):", *found[:20]]))


def _target(scenario: Scenario, world: World, held: dict[str, str]) -> dict[str, str]:
    if scenario.action == "remove":
        return {source: text for source, text in held.items() if source not in scenario.order["sources"]}
    if scenario.action == "add":
        return held | dict(scenario.order["documents"])
    return world.wanted() if scenario.action == "sync" or scenario.order.get("twice") else held


def _once(order: dict[str, Any], point: str) -> Run:
    """Carry the order out in a process of its own, the point armed by the environment."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.resilience.child", "once", json.dumps(order)],
        cwd=ROOT, env=environment(**{VARIABLE: point}), capture_output=True, text=True, check=False,
    )  # fmt: skip
    return Run([json.loads(line) for line in done.stdout.splitlines()], done.returncode, done.stderr)


class Copied:
    """A copy of the library of `base`, removed afterwards unless something was wrong. Its folder of documents stays where it is."""

    def __init__(self, base: Path, trial: Path) -> None:
        self._from, self._to = base / "library", trial

    def __enter__(self) -> Path:
        shutil.rmtree(self._to, ignore_errors=True)
        if self._from.exists():
            shutil.copytree(self._from, self._to)
        return self._to

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None:
            shutil.rmtree(self._to, ignore_errors=True)


def run(place: Path, *, thorough: bool = True) -> Result:
    """Try every point; if `thorough`, in all scenarios that pass it, at the first and the last time. Raises Broken."""
    with Nursery() as nursery:
        return Points(place, nursery, thorough=thorough).run()
