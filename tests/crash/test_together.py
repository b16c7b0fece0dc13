"""Several processes on one library: one writes, all may read, and what a writer left behind is taken over (benchmarks.resilience)."""

from __future__ import annotations

import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from benchmarks.resilience import together
from benchmarks.resilience.child import FINGERPRINTS
from benchmarks.resilience.controller import ROOT, Nursery, environment
from benchmarks.resilience.world import World

from yinju.store import Store

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not hasattr(os, "fork"), reason="the trials fork processes, which this system does not know"),
]
BUSY = 75


@pytest.fixture(scope="module")
def nursery():
    with Nursery() as one:
        yield one


@pytest.fixture
def base(tmp_path, nursery):
    """Return the order to sync a small folder into a library that holds it already."""
    world = World(tmp_path / "docs", random.Random(3))
    world.start(6)
    order = {"action": "sync", "root": str(world.root), "library": str(tmp_path / "library")}
    assert nursery.carry_out(order).code == 0
    return order


def test_each_reader_sees_one_state_while_another_writes(tmp_path):
    result = together.run(tmp_path, readers=3, seconds=6.0, seed=11)
    print("\n".join(result.lines()))
    assert result.questions > 20
    assert result.writes > 3


def test_a_second_writer_is_told_who_writes_and_takes_over_at_once_when_that_one_is_killed(base, nursery):
    held = subprocess.Popen(
        [sys.executable, "-c", _HOLD, str(base["library"])], cwd=ROOT, env=environment(), stdout=subprocess.PIPE, text=True
    )  # fmt: skip
    assert held.stdout is not None
    assert held.stdout.readline() == "held\n"
    shutil.copyfile(next(iter(_files(base))), os.path.join(str(base["root"]), "new.md"))
    second = subprocess.run(
        [sys.executable, "-m", "yinju", "sync", str(base["root"]), "--library", str(base["library"])],
        cwd=ROOT, env=environment(), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert second.returncode == BUSY
    assert re.search(rf"process {held.pid} is writing .*\(since 20\d\d-\d\d-\d\dT", second.stderr)
    held.send_signal(signal.SIGKILL)
    held.wait()
    held.stdout.close()
    began = time.monotonic()
    run = nursery.carry_out(base)
    assert run.code == 0
    assert run.acknowledged == {"new.md": "indexed"}
    assert time.monotonic() - began < 1 + 4 * _load(), "within a second on a machine that has nothing else to do"


_HOLD = """
import sys, time
from pathlib import Path
from yinju.store import Store
with Store.open(Path(sys.argv[1])) as store, store.writer() as writer:
    print("held", flush=True)
    time.sleep(60)
"""


def _files(base: dict[str, object]) -> list[str]:
    found = []
    for folder, _, names in os.walk(str(base["root"])):
        found += [os.path.join(folder, name) for name in names]
    return sorted(found)


def _load() -> float:
    return max(0.0, os.getloadavg()[0] / (os.cpu_count() or 1) - 1)


def test_one_who_reads_for_long_sees_what_was_there_until_the_end(base, nursery):
    with Store.open(Path(base["library"]), read_only=True) as store:
        source = store.sources()[0].source
        with store.snapshot():
            before = store.document(source).text
            rows = [chunk.rowid for chunk in store.chunks_of(source)]
            query = next(iter(store.vectors(FINGERPRINTS[0], rows).values()))
            run = nursery.carry_out(base | {"action": "remove", "sources": [source]})
            assert run.code == 0
            assert store.document(source).text == before
            assert {row for row, _ in store.nearest(FINGERPRINTS[0], query, 100)} >= set(rows)
            assert store.chunks(rows)
        assert store.document(source) is None
        assert store.chunks(rows) == []
        assert not {row for row, _ in store.nearest(FINGERPRINTS[0], query, 100)} & set(rows)
    with Store.open(Path(base["library"])) as store:
        assert store.check() == []
