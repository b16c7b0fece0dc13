"""Killed at any moment: what was acknowledged is there, nothing is half there, and the next writer goes on."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

import apsw
import pytest

from store_samples import FINGERPRINT, vector
from yinju.store import Store

TESTS = Path(__file__).resolve().parent
SOURCE = TESTS.parent / "src"
KILLS = 12

WRITER = """
import sys
from pathlib import Path
from store_samples import embed_all, entry
from yinju.store import Store

folder, start = Path(sys.argv[1]), int(sys.argv[2])
with Store.open(folder) as store, store.writer(wait=5) as writer:
    for number in range(start, start + 10_000):
        writer.put([entry(f"{number}-{part}.md", *(f"文 {number} {part} {line}" for line in range(4))) for part in range(3)])
        print("put", number, flush=True)
        embed_all(store, writer)
        print("embedded", number, flush=True)
        if number % 3 == 0:
            writer.put([entry(f"{number}-0.md", *(f"改 {number} {line}" for line in range(5)))])
            print("replaced", number, flush=True)
        if number % 5 == 0:
            writer.remove([f"{number}-1.md"])
            print("removed", number, flush=True)
"""


def acknowledged_until_killed(folder: Path, start: int, delay: float) -> list[tuple[str, int]]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(SOURCE), str(TESTS)))}
    child = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(folder), str(start)], stdout=subprocess.PIPE, text=True, env=environment
    )
    assert child.stdout is not None
    lines = [child.stdout.readline()]  # the clock starts with the first acknowledgement
    try:
        child.wait(delay)
    except subprocess.TimeoutExpired:
        child.kill()
    lines += child.stdout.read().split("\n")
    child.wait()
    child.stdout.close()
    whole = [line.split() for line in lines if line.strip()]
    return [(line[0], int(line[1])) for line in whole if len(line) == 2]


def expected_states(number: int, done: set[str]) -> dict[str, list[list[str] | None]]:
    """For each document the versions that are allowed, given what was acknowledged (and what may have happened since)."""
    first = [[f"文 {number} {part} {line}" for line in range(4)] for part in range(3)]
    changed = [f"改 {number} {line}" for line in range(5)]
    zero: list[list[str] | None] = [first[0]] if "replaced" not in done else []
    if number % 3 == 0 and "embedded" in done:
        zero.append(changed)
    one: list[list[str] | None] = [first[1]] if "removed" not in done else []
    if number % 5 == 0 and ("replaced" in done if number % 3 == 0 else "embedded" in done):
        one.append(None)
    return {f"{number}-0.md": zero, f"{number}-1.md": one, f"{number}-2.md": [first[2]]}


@pytest.mark.slow
def test_nothing_acknowledged_is_lost_and_nothing_is_half_there(tmp_path):
    generator = random.Random(20_240)
    done: dict[int, set[str]] = {}
    for kill in range(KILLS):
        for what, number in acknowledged_until_killed(tmp_path, kill * 10_000, generator.uniform(0.0, 0.6)):
            done.setdefault(number, set()).add(what)
        with Store.open(tmp_path) as store:
            assert store.check() == []
            check(store, done)
    connection = apsw.Connection(str(tmp_path / "library.db"))
    assert connection.execute("pragma integrity_check").fetchall() == [("ok",)]
    connection.close()


def check(store: Store, done: dict[int, set[str]]) -> None:
    with store.snapshot():
        summaries = {summary.source: summary for summary in store.sources(FINGERPRINT)}
        seen = 0
        for number, acknowledged in done.items():
            for source, allowed in expected_states(number, acknowledged).items():
                lines = [chunk.chunk.text for chunk in store.chunks_of(source)] if source in summaries else None
                assert lines in allowed, (source, acknowledged, lines)
                if lines and "embedded" in acknowledged and lines[0].startswith("文"):
                    assert summaries[source].embedded == len(lines)
                seen += 1
        for summary in summaries.values():  # also those that were not acknowledged are whole
            chunks = store.chunks_of(summary.source)
            assert len(chunks) in (4, 5)
            assert "\n".join(chunk.chunk.text for chunk in chunks) == store.document(summary.source).text
        counts = store.counts()
        assert counts.chunks == sum(summary.chunks for summary in summaries.values())
        assert len(store.word_candidates(["文", "改"], [], 1_000_000)) == counts.chunks
        assert len(store.nearest(FINGERPRINT, vector("问"), 1_000_000)) == counts.embedded(FINGERPRINT)
        assert len(store.missing_vectors(FINGERPRINT, 1_000_000)) == counts.chunks - counts.embedded(FINGERPRINT)
        assert seen
