"""Properties on real folders: after any edits and any interruption a synced library equals a fresh one, and nothing is left to do."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sync_fakes import Embedder, Reader, contents
from yinju import sync
from yinju.store import Store
from yinju.sync import SyncOptions

TEXTS = (
    "# 订阅\n\n年费每年 168 元。\n",
    "The battery holds for six months.\n",
    "# A\n\none\n\n# B\n\n第二节。\n",
    "",
    " \n",
)
NAMES = ("a.md", "b.md", "c.txt", "sub/a.md", "sub/d.md", "文档/甲.md", "文档/乙.md")
OPTIONS = SyncOptions(allow_mass_delete=True)

edit = st.one_of(
    st.tuples(st.just("write"), st.sampled_from(NAMES), st.sampled_from(TEXTS)),
    st.tuples(st.just("delete"), st.sampled_from(NAMES), st.just("")),
    st.tuples(st.just("rename"), st.sampled_from(NAMES), st.sampled_from(NAMES)),
    st.tuples(st.just("touch"), st.sampled_from(NAMES), st.just("")),
)
steps = st.lists(
    st.tuples(st.lists(edit, min_size=1, max_size=5), st.none() | st.sampled_from(NAMES)), min_size=1, max_size=4
)


def carry_out(root: Path, kind: str, name: str, other: str, tick: int) -> None:
    path = root / name
    if kind == "write":
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(other, encoding="utf-8")
        os.utime(path, ns=(tick, tick))
    elif path.exists():
        if kind == "delete":
            path.unlink()
        elif kind == "touch":
            os.utime(path, ns=(tick, tick))
        else:
            (root / other).parent.mkdir(parents=True, exist_ok=True)
            path.replace(root / other)


def sync_until_done(store: Store, root: Path, embedder: Embedder, stop_at: str | None) -> None:
    try:
        sync.run(store, [root], pool=Reader(stop_at=stop_at), embedder=embedder, options=OPTIONS)
    except KeyboardInterrupt:
        sync.run(store, [root], pool=Reader(), embedder=embedder, options=OPTIONS)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(steps)
def test_any_edits_lead_to_what_a_fresh_library_holds(
    steps: list[tuple[list[tuple[str, str, str]], str | None]],
) -> None:
    folder = Path(tempfile.mkdtemp())
    try:
        root = folder / "docs"
        root.mkdir()
        tick = 1_600_000_000 * 10**9
        embedder = Embedder()
        with Store.open(None) as store:
            for edits, stop_at in steps:
                for kind, name, other in edits:
                    tick += 10**9
                    carry_out(root, kind, name, other, tick)
                sync_until_done(store, root, embedder, stop_at)
                with Store.open(None) as fresh:
                    sync.run(fresh, [root], pool=Reader())
                    assert contents(fresh) == contents(store)
                    assert {s.source for s in fresh.skipped()} == {s.source for s in store.skipped()}
                generation, reader = store.generation, Reader()
                report = sync.run(store, [root], pool=reader, embedder=embedder)
                assert (reader.seen, store.generation) == ([], generation)
                assert report.unchanged == len(contents(store))
                counts = store.counts()
                assert counts.embedded(embedder.fingerprint) == counts.chunks
    finally:
        shutil.rmtree(folder)


@pytest.mark.bench
@pytest.mark.slow
def test_a_real_tree_of_documents(tmp_path: Path) -> None:
    original = Path(__file__).resolve().parents[2] / "shared" / "bench" / "docs-tidb-zh"
    if not original.is_dir():
        pytest.skip("the public set docs-tidb-zh is not beside the checkout")
    root = tmp_path / "docs-tidb-zh"
    shutil.copytree(original, root, copy_function=shutil.copyfile)
    for path in root.rglob("*.md"):
        os.utime(path, ns=(10**18, 10**18))
    with Store.open(tmp_path / "library") as store:
        report = sync.run(store, [root])
        indexed = [file for file in report.files if file.source.endswith(".md")]
        assert (len(indexed), report.skipped, report.kept) == (1218, 0, 0)
        assert all(file.outcome == "indexed" and file.receipt.balanced for file in indexed)

        generation = store.generation
        report = sync.run(store, [root])
        assert (report.files, store.generation) == ((), generation)

        some = sorted(root.rglob("*.md"))[500]
        some.write_text(some.read_text(encoding="utf-8") + "\n新增的一行。\n", encoding="utf-8")
        report = sync.run(store, [root])
        assert (report.updated, report.added, report.removed, len(report.files)) == (1, 0, 0, 1)

        some.unlink()
        source = report.files[0].source
        report = sync.run(store, [root])
        assert (report.removed, report.files[0].source) == (1, source)
        assert store.chunks_of(source) == []
