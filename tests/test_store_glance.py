"""A sync with nothing to do notices damage that it would not have to read."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from yinju import Library
from yinju.cli import run
from yinju.embed.hashing import HashingEmbedder
from yinju.errors import StoreError
from yinju.store import glance

pytestmark = pytest.mark.slow

DAMAGED = {"en": "a page does not have its checksum, or the disk failed", "zh": "有一页与其校验和不符，或磁盘出错"}


@pytest.fixture
def folder(tmp_path) -> Path:
    root = tmp_path / "docs"
    root.mkdir()
    for number in range(15):
        lines = [f"The drawer {number}-{line} holds {line * 7} keys. 抽屉里有 {line} 把钥匙。" for line in range(150)]
        (root / f"{number}.md").write_text(f"# {number}\n\n" + "\n\n".join(lines), encoding="utf-8")
    with Library.open(root / ".yinju", embedder=HashingEmbedder()) as library:
        library.sync(root)
    return root


def overwrite(path: Path, start: int, size: int = 60_000) -> None:
    content = bytearray(path.read_bytes())
    content[start : start + size] = os.urandom(size)
    path.write_bytes(content)


@pytest.mark.parametrize("part", [0.3, 0.5, 0.8])
def test_an_idle_sync_tells_that_pages_in_the_middle_are_overwritten(folder, part):
    path = folder / ".yinju" / "library.db"
    with Library.open(folder / ".yinju", embedder=HashingEmbedder()) as library:
        assert library.sync(folder).unchanged == 15
    overwrite(path, int(path.stat().st_size * part))
    with pytest.raises(StoreError) as caught, Library.open(folder / ".yinju", embedder=HashingEmbedder()) as library:
        library.sync(folder)
    assert caught.value.code == "damaged"
    assert "disk I/O" not in caught.value.message


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_command_ends_with_74_and_words_for_people(folder, lang, monkeypatch, capsys):
    monkeypatch.setenv("YINJU_EMBED_MODEL", "none")
    monkeypatch.setenv("YINJU_LANG", lang)
    assert run(["sync", str(folder)]) == 0
    path = folder / ".yinju" / "library.db"
    overwrite(path, path.stat().st_size // 2)
    capsys.readouterr()
    assert run(["sync", str(folder)]) == 74
    told = capsys.readouterr().err
    assert "--repair" in told
    assert "disk I/O error" not in told
    assert run(["doctor", str(folder), "--repair"]) in {0, 3}
    assert "disk I/O error" not in capsys.readouterr().out


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_page_that_fails_its_checksum_is_told_as_that(folder, lang, monkeypatch, capsys):
    """SQLite says "disk I/O error", which sounds like a broken disk."""
    monkeypatch.setenv("YINJU_EMBED_MODEL", "none")
    monkeypatch.setenv("YINJU_LANG", lang)
    overwrite(folder / ".yinju" / "library.db", 4096, 4096 * 40)
    assert run(["sync", str(folder)]) == 74
    assert DAMAGED[lang] in capsys.readouterr().err


def test_a_page_that_is_only_being_written_is_no_damage(folder, monkeypatch):
    monkeypatch.setattr(glance, "seems_damaged", lambda path: True)
    with Library.open(folder / ".yinju", embedder=HashingEmbedder()) as library:
        assert library.sync(folder).unchanged == 15


@pytest.mark.parametrize("pages", [2, 3, 10, 997, 4096])
def test_leaps_reach_every_page_and_are_spread_from_the_first(pages):
    order = list(glance.leaps(pages))
    assert sorted(order) == list(range(pages))
    first = sorted(order[: max(2, pages // 10)])
    gaps = [after - before for before, after in zip([0, *first], [*first, pages], strict=True)]
    assert max(gaps) <= max(2, 3 * pages // len(first))


def test_a_glance_ends_when_its_time_is_up(folder):
    path = folder / ".yinju" / "library.db"
    overwrite(path, path.stat().st_size // 2)
    assert glance.seems_damaged(path)
    assert not glance.seems_damaged(path, budget_s=-1.0)
