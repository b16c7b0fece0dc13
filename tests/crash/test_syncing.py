"""What stands between a commit and the disk: one fdatasync for each, none tried again once it failed; and clocks and files that jump."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from benchmarks.resilience import oracle
from benchmarks.resilience.child import FINGERPRINTS, Embedder, Reader
from benchmarks.resilience.controller import ROOT, environment
from benchmarks.resilience.world import World

from yinju import sync
from yinju.errors import DocumentError
from yinju.load import reading
from yinju.store import Store

pytestmark = pytest.mark.slow
DISK_FAILED = 74
# Lets the calls number FAIL_AT to FAIL_UNTIL of fdatasync fail, and writes a line for each call to the file LOG.
SHIM = r"""
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
static int count;
int fdatasync(int file) {
    const char *at = getenv("FAIL_AT"), *until = getenv("FAIL_UNTIL");
    int fails = ++count >= atoi(at) && count <= atoi(until), log = open(getenv("LOG"), O_WRONLY | O_APPEND | O_CREAT, 0600);
    dprintf(log, "%d %s\n", count, fails ? "failed" : "done");
    close(log);
    if (fails) { errno = EIO; return -1; }
    return syscall(SYS_fdatasync, file);
}
"""


@pytest.fixture
def world(tmp_path):
    made = World(tmp_path / "docs", random.Random(5))
    made.start(12)
    return made


def once(world: World, library: Path, *prefix: str, **variables: str) -> subprocess.CompletedProcess[str]:
    order = {"action": "sync", "root": str(world.root), "library": str(library), "together": 1, "batch": 4}
    command = [*prefix, sys.executable, "-m", "benchmarks.resilience.child", "once", json.dumps(order)]
    return subprocess.run(command, cwd=ROOT, env=environment(**variables), capture_output=True, text=True, check=False)


@pytest.mark.skipif(shutil.which("strace") is None, reason="there is no strace to count system calls with")
def test_a_commit_is_synced_before_it_is_told(world, tmp_path):
    log = tmp_path / "log"
    done = once(world, tmp_path / "library", "strace", "-e", "trace=fdatasync,write", "-s", "60", "-o", str(log))
    if done.returncode and "ptrace" in done.stderr:
        pytest.skip(f"strace may not trace here: {done.stderr.strip()[:200]}")
    calls = log.read_text(encoding="utf-8", errors="replace").splitlines()
    told = [number for number, line in enumerate(calls) if re.search(r'write\(1, "\{\\"source', line)]
    assert len(told) == len(world.files)
    for before, now in zip([0, *told], told, strict=False):
        assert any("fdatasync" in line and line.endswith("= 0") for line in calls[before:now]), "told without a sync"


@pytest.mark.skipif(
    shutil.which("cc") is None or not sys.platform.startswith("linux"),
    reason="no C compiler to make the faulty fdatasync",
)
@pytest.mark.parametrize("once_only", [True, False])
def test_after_a_failed_sync_nothing_more_is_written(world, tmp_path, once_only):
    source, shim = tmp_path / "shim.c", tmp_path / "shim.so"
    source.write_text(SHIM, encoding="utf-8")
    subprocess.run(["cc", "-shared", "-fPIC", "-o", str(shim), str(source)], check=True, capture_output=True)
    library = tmp_path / "library"
    with Store.open(library):
        pass
    for at in (4, 6, 9):
        log = tmp_path / f"log-{at}-{once_only}"
        trial = tmp_path / f"library-{at}"
        shutil.copytree(library, trial)
        until = at if once_only else 1000
        done = once(world, trial, LD_PRELOAD=str(shim), FAIL_AT=str(at), FAIL_UNTIL=str(until), LOG=str(log))
        said = [json.loads(line) for line in done.stdout.splitlines()]
        assert done.returncode == DISK_FAILED
        assert said[-1]["error"] == "disk-fault"
        assert str(trial) in said[-1]["message"]
        told = {line["source"] for line in said if "source" in line}
        with Store.open(trial) as store:
            allowed = {name: {text} if name in told else {None, text} for name, text in world.wanted().items()}
            assert oracle.problems(store, allowed) == []
            assert len(oracle.held(store)) <= len(told) + 1, "it went on writing"
        assert len(log.read_text().splitlines()) <= at + 3, "closing may sync, a commit must not try again"


def sync_once(library: Path, world: World, **options: bool) -> sync.SyncOptions:
    with Store.open(library) as store:
        return sync.run(
            store, [world.root], pool=Reader, embedder=Embedder(FINGERPRINTS[0]), options=sync.SyncOptions(**options)
        )


@pytest.mark.parametrize("jump_s", [-86_400 * 400, -3_600, 3_600, 86_400 * 365 * 20])
def test_a_clock_that_jumps_loses_nothing_and_hides_no_change(world, tmp_path, monkeypatch, jump_s):
    library, real = tmp_path / "library", time.time_ns
    sync_once(library, world)
    monkeypatch.setattr(time, "time_ns", lambda: real() + jump_s * 10**9)
    world.step()
    for source in list(world.files)[:3]:
        path = world.root / source
        os.utime(path, ns=(real() + jump_s * 10**9,) * 2)
    sync_once(library, world)
    monkeypatch.setattr(time, "time_ns", real)
    world.step()
    same = next(iter(world.files))
    path, stat = world.root / same, (world.root / same).stat()
    sync_once(library, world)
    changed = path.read_text(encoding="utf-8").replace("说明", "说过")
    path.write_text(changed, encoding="utf-8")
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns + jump_s))  # as large as before, a few nanoseconds off
    report = sync_once(library, world)
    assert report.updated == 1
    with Store.open(library) as store:
        allowed = {source: {text} for source, text in world.wanted().items()} | {same: {changed}}
        assert oracle.problems(store, allowed) == []


class Unsteady:
    """Reads a file as `load` does; the file changes while it is read, as often as is asked for."""

    def __init__(self, monkeypatch, path: Path, change, times: int) -> None:
        self.left, read = times, os.read

        def unsteady(handle: int, size: int) -> bytes:
            data = read(handle, size)
            if self.left and os.path.exists(path) and os.path.sameopenfile(handle, self._handle(path)):
                self.left -= 1
                change(path, self.left)
            return data

        monkeypatch.setattr(reading.os, "read", unsteady)

    def _handle(self, path: Path) -> int:
        if not hasattr(self, "_file"):
            self._file = path.open("rb")
        return self._file.fileno()


def grow(path: Path, left: int) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write(f"多了一行 {left}。\n")


def vanish(path: Path, left: int) -> None:
    path.write_bytes(b"")


@pytest.mark.parametrize(
    ("change", "times", "outcome"), [(grow, 1, "indexed"), (grow, 9, "kept"), (vanish, 1, "skipped")]
)
def test_a_file_that_changes_while_it_is_read_is_read_again_and_else_kept(
    world, tmp_path, monkeypatch, change, times, outcome
):
    library = tmp_path / "library"
    sync_once(library, world)
    before = world.wanted()
    source = sorted(world.files)[0]
    (world.root / source).write_text("# 改\n\n新的内容，" + "还没有写完。\n" * 20, encoding="utf-8")
    with monkeypatch.context() as patched:
        Unsteady(patched, world.root / source, change, times)
        report = sync_once(library, world)
    file = next(one for one in report.files if one.source == source)
    with Store.open(library) as store:
        text = store.document(source)
    assert file.outcome == outcome
    if outcome == "skipped":  # it is known to be empty now: nobody is shown what it said
        assert (file.reason or "").startswith("empty")
        assert text is None
        return
    assert text is not None
    assert ("多了一行" in text.text) == (outcome == "indexed"), "one whole state of the file, or the old one"
    if outcome == "kept":
        assert (file.reason or "").startswith("changed-during-read")
        assert text.text == before[source]
        assert sync_once(library, world).updated == 1, "read when it is still"


def test_a_file_that_vanishes_before_it_is_read_keeps_its_text_until_it_is_known_to_be_gone(world, tmp_path):
    library, source = tmp_path / "library", sorted(world.files)[0]
    sync_once(library, world)
    (world.root / source).write_text("# 改\n", encoding="utf-8")

    class Late(Reader):
        def load_files(self, files):
            for file in files:
                if file.source == source:
                    os.unlink(file.path)
                try:
                    yield file, reading.load_file(file.path, file.source)
                except DocumentError as error:
                    yield file, error

    with Store.open(library) as store:
        report = sync.run(store, [world.root], pool=Late, options=sync.SyncOptions())
        assert [(one.source, one.outcome) for one in report.files if one.source == source] == [(source, "kept")]
        assert store.document(source) is not None
        assert sync.run(store, [world.root], pool=Reader, options=sync.SyncOptions()).removed == 1
        assert store.document(source) is None
