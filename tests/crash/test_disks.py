"""Disks that are full, read-only or failing: the error says what to do, nothing is lost, questions are answered (benchmarks.resilience)."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from benchmarks.resilience import disks, full, oracle
from benchmarks.resilience.controller import ROOT, Nursery, environment
from benchmarks.resilience.world import World

from yinju.store import Store

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not hasattr(os, "fork"), reason="the trials fork processes, which this system does not know"),
]
NOBODY = 65_534
READ_ONLY, DISK_FAILED = 73, 74


def yinju(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "yinju", *map(str, arguments)]
    done = subprocess.run(command, cwd=ROOT, env=environment(), capture_output=True, text=True, check=False, timeout=60)
    assert "Traceback" not in done.stderr
    return done


@pytest.fixture(scope="module")
def nursery():
    with Nursery() as one:
        yield one


@pytest.fixture
def world(tmp_path):
    made = World(tmp_path / "docs", random.Random(7))
    made.start(12)
    return made


def order(world: World, library: Path, **more: object) -> dict[str, object]:
    return {"action": "sync", "root": str(world.root), "library": str(library), "together": 2, "batch": 4, **more}


def assert_sound(library: Path, world: World, acknowledged=()):
    with Store.open(library) as store:
        wanted = world.wanted()
        allowed = {source: {text} if source in acknowledged else {None, text} for source, text in wanted.items()}
        assert oracle.problems(store, allowed) == []
        return oracle.held(store)


@pytest.mark.parametrize(("earlier", "sizes"), [(False, (150, 400, 600, 800, 1000)), (True, (150, 400, 800))])
def test_a_disk_that_runs_full_loses_nothing_and_goes_on_when_there_is_room(tmp_path, earlier, sizes):
    try:
        result = full.run(tmp_path, sizes, earlier=earlier)
    except disks.NoDisk as error:
        pytest.skip(f"no small disk: {error}")
    print(result)
    assert result.full >= len(sizes) - 1


def test_the_command_on_a_full_disk(tmp_path, world):
    try:
        with disks.SmallDisk(tmp_path / "disk", 8_000) as disk:
            library = disk.mounted / "library"
            assert yinju("sync", world.root, "--library", library).returncode == 0
            world.start_more(20)
            disk.grow(sum(path.stat().st_size for path in library.iterdir()) // 1024 + 100)
            done = yinju("sync", world.root, "--library", library)
            assert done.returncode == DISK_FAILED
            assert str(library) in done.stderr
            assert "bytes are free" in done.stderr
            assert yinju("search", "水泵", "--library", library).returncode == 0
            disk.grow(8_000)
            assert yinju("sync", world.root, "--library", library).returncode == 0
            assert assert_sound(library, world) == world.wanted()
    except disks.NoDisk as error:
        pytest.skip(f"no small disk: {error}")


def test_a_disk_that_takes_no_larger_files(tmp_path, world, nursery):
    library = tmp_path / "library"
    limits = [60_000, 120_000, 200_000, 300_000]
    codes = []
    for limit in limits:
        run = nursery.carry_out(order(world, library, file_limit=limit))
        codes.append(run.code)
        if run.code:
            assert run.code == DISK_FAILED
            assert str(library) in run.said("message")
        if (library / "library.db").exists():
            assert_sound(library, world, run.acknowledged)
    assert DISK_FAILED in codes
    assert nursery.carry_out(order(world, library)).code == 0
    assert assert_sound(library, world) == world.wanted()


def test_a_read_only_disk_answers_and_says_that_it_takes_nothing(tmp_path, world):
    try:
        with disks.Image(tmp_path / "image", 64) as image:
            library = image.mounted / "library"
            assert yinju("sync", world.root, "--library", library).returncode == 0
            image.read_only()
            world.step()
            assert yinju("search", "水泵", "--library", library).returncode == 0
            assert yinju("ask", "水泵的压力是多少？", "--library", library).returncode in (0, 4)
            done = yinju("sync", world.root, "--library", library)
            assert done.returncode == READ_ONLY
            assert "read-only" in done.stderr
    except disks.NoDisk as error:
        pytest.skip(f"no disk to mount read-only: {error}")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="not root: cannot become somebody else")
def test_somebody_who_may_only_read(world, nursery):
    place = Path(tempfile.mkdtemp())
    try:
        library = place / "library"
        shutil.copytree(world.root, place / "docs")
        theirs = {"root": str(place / "docs"), "library": str(library)}
        assert nursery.carry_out(order(world, library) | theirs).code == 0
        (place / "docs" / "new.md").write_text("# 新\n\n水泵。\n", encoding="utf-8")
        for path in (place, *place.rglob("*")):
            path.chmod(0o555 if path.is_dir() else 0o444)
        assert nursery.carry_out(order(world, library) | theirs | {"action": "search", "user": NOBODY}).code == 0
        run = nursery.carry_out(order(world, library) | theirs | {"user": NOBODY})
        assert (run.code, run.said("error")) == (READ_ONLY, "read-only")
    finally:
        for path in (place, *place.rglob("*")):
            path.chmod(0o755)
        shutil.rmtree(place)
