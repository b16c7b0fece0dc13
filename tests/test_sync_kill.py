"""Kill a sync at any moment: what is there is whole, and the next sync ends where a fresh one would."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sync_fakes import contents
from yinju import sync
from yinju.store import Store

SCRIPT = """
import sys
from pathlib import Path
from yinju import sync
from yinju.store import Store
with Store.open(Path(sys.argv[1])) as store:
    print("ready", flush=True)
    sync.run(store, [sys.argv[2]], progress=lambda event: print(event.stage, event.done, flush=True))
"""


def start(library: Path, root: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", SCRIPT, str(library), str(root)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.mark.slow
def test_killed_at_random_moments_it_goes_on(tmp_path: Path) -> None:
    root, library = tmp_path / "docs", tmp_path / "library"
    root.mkdir()
    for number in range(300):
        body = "\n\n".join(f"Paragraph {n} of document {number}. 第 {number} 篇的第 {n} 段。" for n in range(30))
        (root / f"{number:03}.md").write_text(f"# Document {number}\n\n{body}\n", encoding="utf-8")
    chance = random.Random(20)
    documents = 0
    for _ in range(6):
        process = start(library, root)
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        for _event in range(
            chance.randrange(0, 160)
        ):  # by events, not by the clock: a slow machine gets as far as a quick one
            process.stdout.readline()
        time.sleep(chance.uniform(0.0, 0.05))
        process.kill()
        process.communicate()
        with Store.open(library) as store:
            counts = store.counts()
            assert counts.documents >= documents, "what was indexed stays indexed"
            documents = counts.documents
            for summary in store.sources():
                receipt = store.receipt(summary.source)
                assert receipt is not None
                assert receipt.balanced
                assert receipt.chunks == len(store.chunks_of(summary.source))
    assert documents > 0
    last = start(library, root)
    errors = last.communicate()[1]
    assert (last.returncode, errors) == (0, "")
    with Store.open(library) as store, Store.open(None) as fresh:
        sync.run(fresh, [root])
        assert contents(store) == contents(fresh)
        assert len(contents(store)) == 300
