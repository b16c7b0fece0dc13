"""Libraries, states and child processes for the tests of backups."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

from store_samples import embed_all, entry
from yinju.failing import VARIABLE
from yinju.store import Store, contents, shape

TESTS = Path(__file__).resolve().parent
SOURCE = TESTS.parent / "src"


def make(folder: Path, documents: int = 4) -> None:
    with Store.open(folder) as store, store.writer() as writer:
        writer.put([entry(f"{number}.md", f"内容 文字 {number}", "第二 段") for number in range(documents)])
        embed_all(store, writer)


def state(folder: Path) -> dict[str, str]:
    with Store.open(folder) as store:
        assert store.check() == []
        with store._reading() as connection:
            assert contents.problems(connection) == []
            assert shape.strangers(connection) == []
        return {one.source: store.document(one.source).text for one in store.sources()}


def change(folder: Path) -> None:
    with Store.open(folder) as store, store.writer() as writer:
        writer.remove(["1.md"])
        writer.put([entry("later.md", "后来 的"), entry("2.md", "改 了")])


def child(code: str, *arguments: str, point: str = "") -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join((str(SOURCE), str(TESTS)))
    environment = {**os.environ, "PYTHONPATH": path, "YINJU_LANG": "en", VARIABLE: point}
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code), *arguments],
        capture_output=True, text=True, timeout=120, check=False, env=environment,
    )  # fmt: skip
