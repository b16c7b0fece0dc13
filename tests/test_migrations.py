"""Every earlier format opens, is kept as it was, changes in one transaction, and answers as the code that made it did."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import apsw
import pytest

from yinju import Library
from yinju.embed.hashing import HashingEmbedder
from yinju.errors import StoreError
from yinju.failing import EXIT_CODE, VARIABLE
from yinju.store import Store, contents, migrations, opening, shape

FORMATS = Path(__file__).parent / "fixtures" / "formats"
EARLIER = sorted(int(path.name) for path in FORMATS.iterdir())
SOURCE = Path(__file__).resolve().parent.parent / "src"
KEPT = f"before-format-{migrations.CURRENT}.db"
# Since format 3 a search gives two passages of one document unless it is asked for all, and answers are written by other rules; what words
# and vectors find has not changed, so that this is what is compared of the first two.
SAME_ANSWERS_SINCE = 3


@pytest.fixture(params=EARLIER)
def number(request) -> int:
    return int(request.param)


@pytest.fixture
def folder(number, tmp_path) -> Path:
    """A library of an earlier format."""
    place = tmp_path / "library"
    place.mkdir()
    shutil.copyfile(FORMATS / str(number) / "library.db", place / "library.db")
    return place


def told(number: int) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((FORMATS / str(number) / "answers.json").read_text(encoding="utf-8"))
    return found


def format_of(path: Path) -> int:
    connection = opening.connect(path, bare=True)
    try:
        return migrations.version(connection)
    finally:
        connection.close()


def hits(library: Library, number: int, question: str, mode: Any) -> list[list[Any]]:
    cap = None if number >= SAME_ANSWERS_SINCE else 0
    found = library.search(question, 5, mode, per_document=cap, hops=None if number >= SAME_ANSWERS_SINCE else False)
    return [[hit.source, list(hit.lines or ()), hit.text] for hit in found]


def check_answers(folder: Path, number: int) -> None:
    expected = told(number)
    with Library.open(folder, embedder=HashingEmbedder()) as library:
        assert library.store.check() == []
        with library.store._reading() as connection:
            assert contents.problems(connection) == []
            assert shape.strangers(connection) == []
        sources = library.sources()
        assert [[one.source, one.chunks, one.embedded, one.digest] for one in sources] == expected["sources"]
        assert {one.source: library.document(one.source).text for one in sources} == expected["texts"]
        assert len(expected["answers"]) == 10
        for one in expected["answers"]:
            for mode in ("lexical", "dense"):
                assert hits(library, number, one["question"], mode) == one[mode], (one["question"], mode)
            if number >= SAME_ANSWERS_SINCE:
                answer = library.ask(one["question"])
                assert (answer.text, answer.refused) == (one["text"], one["refused"])
                assert [[c.source, list(c.lines or ()), c.quote] for c in answer.citations] == one["citations"]


def test_the_fixtures_are_of_the_formats_that_they_say():
    assert EARLIER[:3] == [1, 2, 3]
    for number in EARLIER:
        path = FORMATS / str(number) / "library.db"
        assert path.stat().st_size < 300_000
        assert int.from_bytes(path.read_bytes()[60:64], "big") == number


@pytest.mark.slow
def test_an_earlier_format_opens_and_answers_as_it_did(folder, number):
    before = (folder / "library.db").read_bytes()
    check_answers(folder, number)
    assert format_of(folder / "library.db") == migrations.CURRENT
    assert format_of(folder / KEPT) == number  # as it was, but for the log that it keeps no more
    assert (folder / KEPT).stat().st_mode & 0o777 == 0o600
    assert len(before) == (folder / KEPT).stat().st_size
    with Store.open(folder) as store:
        entry = store.log()[0]
    assert (entry.kind, entry.content["path"]) == ("backup", str(folder / KEPT))


@pytest.mark.slow
def test_what_was_kept_of_the_earlier_format_can_be_restored(folder, number):
    with Store.open(folder) as store, store.writer() as writer:
        writer.remove(["memo.md"])
    made = Library.restore(folder / KEPT, folder)
    assert made.documents == len(told(number)["sources"])
    check_answers(folder, number)


@pytest.mark.slow
def test_only_the_last_one_is_kept(folder):
    (folder / "before-format-2.db").write_bytes(b"older")
    with Store.open(folder):
        pass
    assert [path.name for path in folder.glob("before-*")] == [KEPT]


@pytest.mark.slow
@pytest.mark.parametrize(
    "point", ["migrate-saved", "migrate-step", "migrate-step:2", "migrate-done", "backup-checked", "backup-renamed"]
)
def test_killed_while_the_format_changes_it_is_the_old_or_the_new_one(point, tmp_path):
    folder = tmp_path / "library"
    folder.mkdir()
    shutil.copyfile(FORMATS / "3" / "library.db", folder / "library.db")
    code = "import sys; from pathlib import Path; from yinju.store import Store; Store.open(Path(sys.argv[1]))"
    environment = {**os.environ, "PYTHONPATH": str(SOURCE), VARIABLE: point}
    done = subprocess.run([sys.executable, "-c", code, str(folder)], env=environment, check=False, timeout=60)
    assert done.returncode == EXIT_CODE
    assert format_of(folder / "library.db") == (migrations.CURRENT if point == "migrate-done" else 3)
    check_answers(folder, 3)
    assert format_of(folder / "library.db") == migrations.CURRENT


@pytest.mark.slow
def test_without_room_for_the_copy_nothing_is_changed(folder, monkeypatch):
    usage = shutil.disk_usage(folder)
    monkeypatch.setattr(shutil, "disk_usage", lambda _path: usage._replace(free=1_000))
    before = (folder / "library.db").read_bytes()
    with pytest.raises(StoreError) as caught:
        Store.open(folder)
    assert caught.value.code == "disk-full"
    assert "1,000 are free" in caught.value.message
    assert (folder / "library.db").read_bytes() == before
    assert list(folder.glob("before*")) == []


@pytest.mark.slow
def test_two_that_open_it_at_once_change_it_once(tmp_path):
    folder = tmp_path / "library"
    folder.mkdir()
    shutil.copyfile(FORMATS / "1" / "library.db", folder / "library.db")
    code = "import sys; from pathlib import Path; from yinju.store import Store; print(Store.open(Path(sys.argv[1])).counts().documents)"
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    both = [
        subprocess.Popen([sys.executable, "-c", code, str(folder)], env=environment, stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    assert {one.communicate(timeout=60)[0].strip() for one in both} == {str(len(told(1)["sources"]))}
    with Store.open(folder) as store:
        assert [entry.kind for entry in store.log()] == ["backup"]


def listing(folder: Path) -> list[tuple[str, int, int, bytes]]:
    """All but the log, which is empty, and its index, which is shared memory."""
    return sorted(
        (one.name, one.stat().st_mtime_ns, one.stat().st_size, one.read_bytes())
        for one in folder.iterdir()
        if not one.name.startswith("library.db-")
    )


def test_a_newer_format_is_refused_with_both_numbers_and_nothing_is_written(tmp_path):
    with Store.open(tmp_path):
        pass
    connection = apsw.Connection(str(tmp_path / "library.db"))
    connection.pragma("user_version", 99)
    connection.execute("pragma wal_checkpoint(truncate)")
    connection.close()
    before = listing(tmp_path)
    with pytest.raises(StoreError) as caught:
        Store.open(tmp_path)
    assert caught.value.code == "newer-format"
    assert "99" in caught.value.message
    assert str(migrations.CURRENT) in caught.value.message
    assert listing(tmp_path) == before


def test_opening_and_reading_does_not_write(tmp_path):
    with Store.open(tmp_path) as store, store.writer() as writer:
        writer.set_value("a", "b")
    path = tmp_path / "library.db"
    before = (path.stat().st_mtime_ns, path.read_bytes())
    with Store.open(tmp_path) as store:
        assert store.value("a") == "b"
        assert store.check() == []
    assert (path.stat().st_mtime_ns, path.read_bytes()) == before
