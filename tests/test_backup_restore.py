"""From a backup to a library: the old one or the new one, whatever happens, and nothing of the one in the other."""

from __future__ import annotations

import shutil
import sys
import threading
from pathlib import Path

import pytest

from backup_samples import change, child, make, state
from store_samples import FINGERPRINT, embed_all, entry, vector
from yinju import Library
from yinju.cli import run
from yinju.errors import SourceMissing, StoreBusy, StoreError, UsageError
from yinju.failing import EXIT_CODE
from yinju.store import Store, backup, opening, repairing
from yinju.store.restore import restore

pytestmark = pytest.mark.slow


@pytest.fixture
def folder(tmp_path) -> Path:
    make(tmp_path / "lib")
    return tmp_path / "lib"


def test_uploads_that_a_restore_replaces_are_kept(folder, tmp_path):
    (folder / "uploads").mkdir()
    (folder / "uploads" / "a.md").write_text("then")
    backup.write(folder / "library.db", tmp_path / "a.backup")
    (folder / "uploads" / "a.md").write_text("now")
    (folder / "cases").mkdir()
    restored = restore(tmp_path / "a.backup", folder)
    assert (folder / "uploads" / "a.md").read_text() == "then"
    assert restored.kept is not None
    assert (restored.kept / "uploads" / "a.md").read_text() == "now"
    assert (restored.kept / "cases").is_dir()
    assert not (folder / "cases").exists()


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "not-a-backup"),
        (b"plain text " * 1_000, "not-a-backup"),
        (b"SQLite format 3\0" + b"\0" * 9_000, "not-a-backup"),
    ],
)
def test_a_file_of_another_kind_is_refused(folder, tmp_path, content, code):
    (tmp_path / "a.backup").write_bytes(content)
    before = state(folder)
    with pytest.raises(StoreError) as caught:
        restore(tmp_path / "a.backup", folder)
    assert caught.value.code == code
    assert state(folder) == before
    with pytest.raises(StoreError):
        restore(tmp_path / "a.backup", tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_what_is_not_there_and_the_library_itself_are_refused(folder, tmp_path):
    with pytest.raises(SourceMissing):
        restore(tmp_path / "none", folder)
    with pytest.raises(UsageError):
        restore(folder / "library.db", folder)
    assert list(folder.glob("replaced-*")) == []


def test_a_log_of_the_old_library_is_not_replayed_onto_the_new_one(folder, tmp_path):
    backup.write(folder / "library.db", tmp_path / "a.backup")
    before = state(folder)
    with Store.open(folder) as store:
        with store.snapshot():  # a reader keeps the log from being emptied
            change(folder)
            assert (folder / "library.db-wal").stat().st_size > 0
        with Store.open(folder) as other:
            assert other.document("later.md") is not None
        restored = restore(tmp_path / "a.backup", folder)
        assert {one.source for one in store.sources()} == set(before)  # who has it open sees the new one at once
    assert state(folder) == before
    assert restored.kept is not None
    assert "later.md" in state(restored.kept)  # what lay in the log alone is kept, too


def test_while_somebody_writes_nothing_is_restored(folder, tmp_path):
    backup.write(folder / "library.db", tmp_path / "a.backup")
    with Store.open(folder) as store, store.writer(), pytest.raises(StoreBusy):
        restore(tmp_path / "a.backup", folder)
    assert list(folder.glob("replaced-*")) == []


def test_readers_in_threads_see_the_old_or_the_new_library(folder, tmp_path):
    backup.write(folder / "library.db", tmp_path / "a.backup")
    old = frozenset(state(folder))
    change(folder)
    new = frozenset(state(folder))
    seen: set[frozenset[str]] = set()
    wrong: list[object] = []
    stop = threading.Event()

    def read(store: Store) -> None:
        while not stop.is_set():
            with store.snapshot():
                names = frozenset(one.source for one in store.sources())
                chunks = store.counts().chunks
                nearest = len(store.nearest(FINGERPRINT, vector("问"), 100))
                embedded = store.counts().embedded(FINGERPRINT)
                seen.add(names)
                if nearest != embedded or len(store.word_candidates(["文字", "第二", "的", "了"], [], 100)) > chunks:
                    wrong.append((names, chunks, nearest))

    with Store.open(folder) as store:
        threads = [threading.Thread(target=read, args=(store,)) for _ in range(2)]
        for thread in threads:
            thread.start()
        for _ in range(3):
            restore(tmp_path / "a.backup", folder)
            change(folder)
        stop.set()
        for thread in threads:
            thread.join()
    assert wrong == []
    assert seen <= {old, new, new - {"later.md", "2.md"} | {"2.md"}}


def test_views_of_another_history_are_not_used(tmp_path, monkeypatch):
    monkeypatch.setattr("yinju.store.matrix.MINIMUM_TAIL", 2)
    folder = tmp_path / "lib"
    make(folder, 8)
    backup.write(folder / "library.db", tmp_path / "a.backup")
    with Store.open(folder) as store:
        with store.writer() as writer:
            writer.remove([f"{number}.md" for number in range(6)])
            writer.put([entry(f"new-{number}.md", f"新 的 {number}") for number in range(6)])
            embed_all(store, writer)
        assert len(store.nearest(FINGERPRINT, vector("问"), 100)) == 10
        restore(tmp_path / "a.backup", folder)
        assert len(store.nearest(FINGERPRINT, vector("问"), 100)) == 16  # also in a store that is open
        with store.writer() as writer:
            writer.put([entry("more.md", "更 多")])
            embed_all(store, writer)
        assert len(store.nearest(FINGERPRINT, vector("问"), 100)) == 17


def test_a_backup_that_was_copied_into_place_by_hand_works(folder, tmp_path):
    (folder / "uploads").mkdir()
    (folder / "uploads" / "a.md").write_text("a")
    backup.write(folder / "library.db", tmp_path / "a.backup")
    place = tmp_path / "by hand"
    place.mkdir()
    shutil.copyfile(tmp_path / "a.backup", place / "library.db")
    assert state(place) == state(folder)
    assert (place / "uploads" / "a.md").read_text() == "a"
    with Store.open(place) as store, store.writer() as writer:
        writer.remove(["1.md"])
    connection = opening.connect(place / "library.db", bare=True)
    assert connection.pragma("journal_mode") == "wal"
    connection.close()


@pytest.mark.skipif(sys.platform == "win32", reason="copies of open files are a matter of POSIX")
def test_a_copy_of_a_file_that_changed_meanwhile_is_found_by_the_check(folder, tmp_path):
    make(folder, 40)
    path, copied = folder / "library.db", tmp_path / "copied"
    copied.mkdir()
    first = path.read_bytes()[: path.stat().st_size // 2]
    with Store.open(folder) as store, store.writer() as writer:
        writer.put([entry(f"{number}.md", f"改 了 {number}", "又 一 段", "再 一 段") for number in range(60)])
        embed_all(store, writer)
    (copied / "library.db").write_bytes(first + path.read_bytes()[len(first) :])
    assert repairing.problems(copied / "library.db") != []
    Library.repair(copied)
    with Store.open(copied) as store:
        assert store.check() == []


# kills


RESTORE = """
    import sys
    from pathlib import Path
    from yinju.store.restore import restore
    restore(Path(sys.argv[1]), Path(sys.argv[2]))
"""


@pytest.mark.parametrize(
    "point",
    ["restore-copied", "restore-ready", "place-kept", "place-bare", "place-new", "restore-placed", "restore-unpacked", "restore-moved",
     "restore-moved:2", "restore-finished"],
)  # fmt: skip
def test_killed_while_it_restores_the_library_is_the_old_or_the_new_one(folder, tmp_path, point):
    for name in ("uploads", "cases"):
        (folder / name).mkdir()
        (folder / name / "a.md").write_text("then")
    backup.write(folder / "library.db", tmp_path / "a.backup")
    new = state(folder)
    change(folder)
    old = state(folder)
    for name in ("uploads", "cases"):
        (folder / name / "a.md").write_text("now")
    done = child(RESTORE, str(tmp_path / "a.backup"), str(folder), point=point)
    assert done.returncode == EXIT_CODE, done.stderr
    found = state(folder)  # opening it finishes what was begun
    files = {(folder / name / "a.md").read_text() for name in ("uploads", "cases")}
    placed = point not in {"restore-copied", "restore-ready", "place-kept", "place-bare"}
    assert (found, files) == ((new, {"then"}) if placed else (old, {"now"}))
    if placed:
        kept = next(folder.glob("replaced-*"))
        assert state(kept) == old
        assert {(kept / name / "a.md").read_text() for name in ("uploads", "cases")} == {"now"}
    restore(tmp_path / "a.backup", folder)  # and it can be done again, or for the first time
    assert state(folder) == new
    assert (list(folder.glob("new-*")), list(folder.glob("unpacking-*"))) == ([], [])


def test_the_commands_speak(tmp_path, monkeypatch, capsys, without_model):
    root = tmp_path / "docs"
    root.mkdir()
    (root / "a.md").write_text("# 甲\n\n内容。\n", encoding="utf-8")
    monkeypatch.chdir(root)
    assert run(["sync", ".", "--quiet"]) == 0
    assert run(["backup", "../a.backup"]) == 0
    assert run(["backup", "../a.backup"]) == 2
    assert run(["backup", "../a.backup", "--force", "--json"]) == 0
    (root / "a.md").unlink()
    (root / "b.md").write_text("# 乙\n\n内容。\n", encoding="utf-8")
    assert run(["sync", ".", "--quiet", "--allow-mass-delete"]) == 0
    assert run(["restore", "../a.backup"]) == 0
    out, told = capsys.readouterr()
    assert "1 document, " in out
    assert "Restored: 1 document in " in out
    assert "--force" in told
    assert "What was there is kept in " in told
    assert run(["sources", "--json"]) == 0
    assert '"a.md"' in capsys.readouterr().out
    assert run(["restore", "../none"]) == 74
    assert run(["restore", "b.md", "--json"]) == 74
