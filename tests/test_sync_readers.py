"""After an upgrade whose loaders read better, the next sync reads unchanged files of those formats again, and nothing else."""

from __future__ import annotations

import re
from pathlib import Path

import apsw
import pytest

from sync_fakes import Embedder, Reader, contents
from test_sync_run import run, write
from yinju.load import detect, registry
from yinju.messages import set_language
from yinju.store import Store, migrations
from yinju.store.opening import load_extension
from yinju.sync.documents import reader_of
from yinju.types import Dropped, Receipt


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "资料"
    write(folder, "plans.md", "# Plans\n\nThe yearly plan costs 168 yuan.\n")
    write(folder, "说明.txt", "按住按钮五秒钟。\n")
    write(folder, "note.txt", "Press the button for 5 seconds.\n")
    write(folder, "logo.png", "never read")
    return folder


def upgraded(monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    old = registry.FORMATS[kind]
    monkeypatch.setitem(registry.FORMATS, kind, old._replace(revision=old.revision + 1))


def test_only_files_of_the_format_that_reads_better_are_read_again(root, monkeypatch):
    with Store.open(None) as store:
        embedder = Embedder()
        run(store, root, embedder=embedder)
        before, embedded = contents(store), len(embedder.texts)
        upgraded(monkeypatch, "text")
        reader = Reader()
        report = run(store, root, reader=reader, embedder=embedder)
        assert sorted(reader.seen) == ["note.txt", "说明.txt"]
        assert (report.updated, report.removed, report.embedded) == (2, 0, 0), "the vectors of unchanged text are kept"
        assert contents(store) == before
        assert len(embedder.texts) == embedded
        assert "2 (TXT)" in report.notices[0]
        again = Reader()
        assert run(store, root, reader=again).notices == ()
        assert again.seen == []


def test_the_notice_is_chinese_where_the_user_is(root, monkeypatch):
    with Store.open(None) as store:
        run(store, root)
        upgraded(monkeypatch, "markdown")
        set_language("zh")
        try:
            assert "有 1 个文件未改动，但会重新读取" in run(store, root).notices[0]
        finally:
            set_language(None)


def test_a_format_that_could_not_be_read_before_is_tried_again(root, monkeypatch):
    (root / "old.txt").write_bytes(b"MZ\x90" + bytes(range(256)) * 20)
    with Store.open(None) as store:
        assert run(store, root).skipped == 1
        still = Reader()
        run(store, root, reader=still)
        assert still.seen == []
        upgraded(monkeypatch, "text")
        reader = Reader()
        run(store, root, reader=reader)
        assert "old.txt" in reader.seen
        once = Reader()
        run(store, root, reader=once)
        assert once.seen == []


def test_a_whole_library_read_again_is_no_mass_delete(tmp_path, monkeypatch):
    for number in range(30):
        write(tmp_path / "many", f"{number}.txt", f"Page {number} of many.\n")
    with Store.open(None) as store:
        run(store, tmp_path / "many")
        upgraded(monkeypatch, "text")
        report = run(store, tmp_path / "many")
        assert (report.updated, report.removed) == (30, 0)


def test_an_interrupted_reading_goes_on_where_it_stopped(root, monkeypatch):
    write(root, "third.txt", "The third.\n")
    with Store.open(None) as store:
        run(store, root)
        upgraded(monkeypatch, "text")
        run(store, root / "note.txt")
        reader = Reader()
        run(store, root, reader=reader)
        assert sorted(reader.seen) == ["third.txt", "说明.txt"]


def test_a_name_that_gets_a_loader_of_its_own_changes_the_reader(monkeypatch):
    before = reader_of("talk.log", "text")
    monkeypatch.setitem(registry.FORMATS, "turns", registry.FORMATS["text"])
    monkeypatch.setitem(detect.SUFFIXES, "log", "turns")
    assert reader_of("talk.log", "text") != before
    assert reader_of("no-name-of-a-kind") == "none"
    assert reader_of("page.pdf", "html") == "pdf:{}/html:{}".format(*map(registry.revision_of, ("pdf", "html")))


def shape(connection: apsw.Connection) -> set[str]:
    rows = connection.execute("select sql from sqlite_schema where sql is not null").fetchall()
    return {re.sub(r"\s|--[^\n]*\n", "", sql) for (sql,) in rows}


def as_first_released(path: Path) -> None:
    """Take the library back to the shape of migration 1, and prove by its SQL that it is that."""
    load_extension()
    connection = apsw.Connection(str(path))
    connection.execute("begin immediate")
    for table in ("document", "skipped"):
        connection.execute(f"alter table {table} drop column reader")
    first = apsw.Connection(":memory:")
    first.execute(migrations.MIGRATIONS[0].sql)
    for kind in ("index", "table"):
        asked = "select name from sqlite_schema where type = ? and sql is not null"
        were = {name for (name,) in first.execute(asked, (kind,))}
        for (name,) in connection.execute(asked, (kind,)).fetchall():
            if name not in were:
                connection.execute(f"drop {kind} {name}")
    first_receipt = (
        '{"characters":9,"covered":9,"found":12,"dropped":[["页眉",3]],"pages":null,"chunks":1,"warnings":["注意"]}'
    )
    connection.execute("update document set receipt = ?", (first_receipt,))  # as that release wrote it
    connection.execute("delete from migration where number > 1")
    connection.execute("pragma user_version = 1")
    connection.execute("commit")
    assert shape(connection) == shape(first)
    connection.close()


def test_a_library_of_the_first_release_opens_answers_and_is_read_again_once(root, tmp_path):
    folder, embedder = tmp_path / ".yinju", Embedder()
    with Store.open(folder) as store:
        run(store, root, embedder=embedder)
        before = contents(store)
    as_first_released(folder / "library.db")
    with Store.open(folder) as store:
        assert store.check() == []
        assert contents(store) == before
        assert store.receipt("plans.md") == Receipt(9, 9, 12, (Dropped("页眉", 3),), None, 1, ("注意",))
        assert store.receipt("plans.md").balanced
        reader, again = Reader(), Embedder()
        report = run(store, root, reader=reader, embedder=again)
        assert sorted(reader.seen) == ["note.txt", "plans.md", "说明.txt"]
        assert (report.updated, report.removed, again.texts) == (3, 0, [])
        assert contents(store) == before
        assert store.check() == []
    with Store.open(folder) as store:
        assert run(store, root).unchanged == 3
