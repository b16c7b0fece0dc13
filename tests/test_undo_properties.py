"""Undo under random histories of a folder: any number of steps back is the state that was there, and a sync leaves it alone."""

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
from yinju.types import SyncReport

pytestmark = pytest.mark.slow

NAMES = ("a.md", "乙.md", "folder/c.md", "d.txt")
TEXTS = (
    "",
    "# 甲\n\n年费每年 168 元。\n",
    "# B\n\nThe fee is 20.\n",
    "# 丙\n\n三。\n\n年费每年 168 元。\n",
    "plain words\n",
)
EDITS = st.one_of(
    st.tuples(st.just("write"), st.sampled_from(NAMES), st.sampled_from(TEXTS)),
    st.tuples(st.just("delete"), st.sampled_from(NAMES), st.just("")),
    st.tuples(st.just("rename"), st.sampled_from(NAMES), st.sampled_from(NAMES)),
    st.tuples(st.just("swap"), st.sampled_from(NAMES), st.sampled_from(NAMES)),
)
HISTORIES = st.lists(st.lists(EDITS, min_size=1, max_size=4), min_size=1, max_size=6)


class _Folder:
    """A folder whose clock goes on with each change, so that dates are evidence."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.clock = 1_600_000_000 * 10**9

    def change(self, what: str, name: str, other: str) -> None:
        path = self.root / name
        if what == "write":
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(other, encoding="utf-8")
            self.clock += 10**9
            os.utime(path, ns=(self.clock, self.clock))
        elif path.exists() and what == "delete":
            path.unlink()
        elif path.exists() and what == "rename" and name != other:
            (self.root / other).parent.mkdir(parents=True, exist_ok=True)
            path.replace(self.root / other)
        elif what == "swap" and path.exists() and (self.root / other).exists() and name != other:
            path.rename(self.root / "between")
            (self.root / other).rename(path)
            (self.root / "between").rename(self.root / other)


@given(HISTORIES, st.integers(1, 5), st.booleans(), EDITS)
@settings(max_examples=60, deadline=None)
def test_any_number_of_steps_back(
    history: list[list[tuple[str, str, str]]], back: int, check: bool, later: tuple[str, str, str]
) -> None:
    place = Path(tempfile.mkdtemp())
    try:
        with Store.open(None) as store:
            _play(store, _Folder(place), history, back, check, later)
    finally:
        shutil.rmtree(place)


def _play(
    store: Store,
    folder: _Folder,
    history: list[list[tuple[str, str, str]]],
    back: int,
    check: bool,
    later: tuple[str, str, str],
) -> None:
    embedder = Embedder()
    states = {0: contents(store)}  # by the number of the last step
    for edits in history:
        for edit in edits:
            folder.change(*edit)
        _sync(store, folder.root, embedder)
        states[_last(store)] = contents(store)
    back = min(back, len(store.steps()))
    if not back:
        return
    texts = len(embedder.texts)
    first = store.steps()[back - 1].number
    sync.undo(store, back)
    wanted = states[max(number for number in states if number < first)]
    assert contents(store) == wanted
    assert store.check() == []
    report = _sync(store, folder.root, embedder, check=check)
    assert (report.added, report.updated, report.renamed, report.removed) == (0, 0, 0, 0)
    assert contents(store) == wanted
    assert len(embedder.texts) == texts
    folder.change(*later)
    _sync(store, folder.root, embedder)
    changed = {name for name, one in contents(store).items() if wanted.get(name) != one} | (
        wanted.keys() - contents(store)
    )
    assert changed <= set(later[1:]), "only what changed is taken"
    _sync(store, folder.root, embedder, release=True)
    with Store.open(None) as fresh:
        _sync(fresh, folder.root, Embedder())
        assert contents(store) == contents(fresh)
    assert store.holds() == []
    assert store.check() == []


def _sync(store: Store, root: Path, embedder: Embedder, **options: bool) -> SyncReport:
    asked = SyncOptions(allow_mass_delete=True, **options)  # type: ignore[arg-type]
    return sync.run(store, [root], pool=Reader(), embedder=embedder, options=asked)


def _last(store: Store) -> int:
    return max((step.number for step in store.steps()), default=0)
