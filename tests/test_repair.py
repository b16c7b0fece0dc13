"""A damaged library is noticed, named and mended: what can be read is kept, the rest comes from backups and from the folder."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from benchmarks import damage

from backup_samples import change, child, make, state
from store_samples import FINGERPRINT, embed_all, entry, vector
from yinju import Document, Library, Principal
from yinju.cli import run
from yinju.embed.hashing import HashingEmbedder
from yinju.errors import StoreBusy, StoreError
from yinju.failing import EXIT_CODE
from yinju.store import Store, backup, check, opening, salvage_tables
from yinju.sync.repair import repair

pytestmark = pytest.mark.slow
CASES = 60  # of the 200 that `python -m benchmarks.damage` does; 37 s of computing

# For each agreement a statement that breaks it, and perhaps others with it.
BREAKS = {
    "a passage without its text": "delete from passage where id = 2",
    "text of a passage that is gone": "insert into passage select 999, start, \"end\", text, header, 1, 1, null, 1 from passage where id = 1",
    "a passage without its terms": "delete from kept where id = 2",
    "terms of a passage that is gone": "insert into kept select 999, words, bigrams, word_length, bigram_length from kept where id = 1",
    "a passage of a document that is gone": "delete from document where id = 2",
    "a document without its text": "delete from body where document = 2",
    "a vector of a text that is gone": "insert into vector(space, text_hash, changed, vector) values(1, 'nobody', 1, x'00')",
    "a former document of a step that is gone": "insert into former(step, source, did) values(77, 'x', 'added')",
    "a former text of a document that is gone": "insert into former_text values(77, 'sha256:x')",
    "a passage that the word index does not hold": "delete from words where rowid = 2",
    "a word entry of a passage that is gone": "insert into words(rowid, terms) values(999, '无')",
    "a passage that the bigram index does not hold": "delete from bigrams where rowid = 2",
    "a bigram entry of a passage that is gone": "insert into bigrams(rowid, terms) values(999, '无')",
    "a wrong total of documents": "update tally set number = 7 where name = 'documents'",
    "a wrong total of passages": "update tally set number = 7 where name = 'passages'",
    "a wrong total of words": "update tally set number = 7 where name = 'words'",
    "a wrong total of bigrams": "update tally set number = 7 where name = 'bigrams'",
    "text of a document that is gone": "insert into body values(99, 'x', '[]', '[]')",
    "word boxes of a document that is gone": "insert into boxes values(99, x'789c030000000001')",
}  # fmt: skip


@pytest.fixture
def folder(tmp_path) -> Path:
    make(tmp_path / "lib")
    return tmp_path / "lib"


def spoil(folder: Path, *statements: str) -> None:
    connection = opening.connect(folder / "library.db", writing=True)
    for statement in statements:
        connection.execute(statement)
    connection.close()


def zero(path: Path, page: int, count: int = 1) -> None:
    content = bytearray(path.read_bytes())
    content[4096 * (page - 1) : 4096 * (page - 1 + count)] = bytes(4096 * count)
    path.write_bytes(content)


def pages_of(folder: Path, *tables: str) -> list[int]:
    """Return the pages on which these tables or indexes lie."""
    connection = opening.connect(folder / "library.db", bare=True)
    try:
        return [
            page
            for table in tables
            for (page,) in connection.execute("select rootpage from sqlite_schema where name = ?", (table,)).fetchall()
        ]
    finally:
        connection.close()


def test_a_sound_library_is_left_alone(folder):
    before = (folder / "library.db").read_bytes()
    assert repair(folder).problems == ()
    assert (folder / "library.db").read_bytes() == before


def test_every_agreement_is_tried():
    assert set(BREAKS) == set(check.AGREEMENTS)


@pytest.mark.parametrize("what", BREAKS)
def test_tables_that_disagree_are_mended(folder, tmp_path, what):
    backup.remember(folder / "library.db", backup.write(folder / "library.db", tmp_path / "a.backup"))
    before = state(folder)
    spoil(folder, BREAKS[what])
    with Store.open(folder) as store:
        assert any(what in problem for problem in store.check())
    done = repair(folder)
    assert done.kept is not None
    assert any(what in problem for problem in done.problems)
    found = state(folder)
    if (
        what == "a passage of a document that is gone"
    ):  # the document was deleted, and nobody can tell whether on purpose
        assert {**found, "1.md": before["1.md"]} == before
    else:
        assert found == before
        assert done.lost == ()
    if what == "a passage without its text":  # cut anew: its vectors are missing until the next sync
        assert done.cut_anew == ("0.md",)
        return
    with Store.open(folder) as store:  # the words find, and the vectors
        assert len(store.word_candidates(["第二"], [], 100)) == len(found)
        assert len(store.nearest(FINGERPRINT, vector("问"), 100)) == store.counts().chunks


@pytest.mark.parametrize("harm", ["emptied", "zeroed", "cut", "gone", "flipped"])
def test_a_damaged_view_is_made_anew_without_being_asked(tmp_path, monkeypatch, harm):
    monkeypatch.setattr("yinju.store.matrix.MINIMUM_TAIL", 2)
    folder = tmp_path / "lib"
    make(folder, 30)
    with Store.open(folder) as store:
        before = store.nearest(FINGERPRINT, vector("问"), 20)
    (view,) = folder.glob("*.view")
    content = view.read_bytes()
    flipped = bytearray(content)
    flipped[-100] ^= 1
    harmed = {
        "emptied": b"",
        "zeroed": bytes(len(content)),
        "cut": content[: len(content) // 2],
        "flipped": bytes(flipped),
    }
    if harm == "gone":
        view.unlink()
    else:
        view.write_bytes(harmed[harm])
    with Store.open(folder) as store:
        assert store.nearest(FINGERPRINT, vector("问"), 20) == before
    (view,) = folder.glob("*.view")
    assert len(view.read_bytes()) == len(content)
    view.write_bytes(b"bad")
    assert repair(folder).views == 1
    assert list(folder.glob("*.view")) == []


@pytest.mark.parametrize("harm", ["emptied", "first page", "gone", "cut"])
def test_a_file_of_which_nothing_is_left_comes_from_its_backup(folder, tmp_path, harm):
    backup.remember(folder / "library.db", backup.write(folder / "library.db", tmp_path / "a.backup"))
    before = state(folder)
    path = folder / "library.db"
    for log in folder.glob("library.db-*"):
        log.unlink()
    if harm == "emptied":
        path.write_bytes(b"")
    elif harm == "gone":
        path.unlink()
    elif harm == "cut":
        path.write_bytes(path.read_bytes()[:5_000])
    else:
        zero(path, 1)
    if harm != "gone":
        with pytest.raises(StoreError) as caught, Store.open(folder) as store:
            store.sources()
        assert "yinju doctor --repair" in (caught.value.hint or "")
        assert str(path) in caught.value.message
    done = repair(folder)
    assert sorted(done.from_backup) == sorted(before)
    assert (done.kept is None) == (harm == "gone")
    assert state(folder) == before


def test_without_a_backup_the_next_sync_brings_it_back(tmp_path):
    root = tmp_path / "docs"
    root.mkdir()
    for number in range(6):
        (root / f"{number}.md").write_text(f"# 第 {number} 章\n\n内容 {number}。\n", encoding="utf-8")
    folder = root / ".yinju"
    with Library.open(folder, embedder=HashingEmbedder()) as library:
        library.sync(root)
        before = sorted((hit.source, hit.text) for hit in library.search("内容", 6))
    (folder / "library.db").write_bytes(b"")
    done = Library.repair(folder)
    assert (done.documents, done.names_complete, done.lists_lost) == (0, False, True)
    with Library.open(folder, embedder=HashingEmbedder()) as library:
        assert library.sync(root).added == 6
        assert sorted((hit.source, hit.text) for hit in library.search("内容", 6)) == before


def test_vectors_that_are_there_are_not_computed_again(folder):
    spoil(folder, BREAKS["a passage without its terms"])
    repair(folder)
    with Store.open(folder) as store:
        assert store.missing_vectors(FINGERPRINT, 100) == []


def test_a_document_that_only_bad_pages_hold_is_proved_by_the_hashes_of_its_texts(tmp_path):
    folder = tmp_path / "lib"
    text = "# Memo\n\n" + "\n\n".join(f"The office number {n} opens on {n} May." for n in range(1, 29))
    with Library.open(folder, embedder=HashingEmbedder()) as library:
        library.add(
            [Document.from_text(text, source="memo.md"), Document.from_text("# 其他\n\n别的。\n", source="b.md")]
        )
    path = folder / "library.db"
    content = bytearray(path.read_bytes())
    (page,) = pages_of(folder, "body")
    content[4096 * page - 1] ^= 1  # the checksum of the page of the texts: the texts are right
    path.write_bytes(content)
    done = repair(folder)
    assert sorted(done.unproven) == ["b.md", "memo.md"]
    with Library.open(folder, embedder=HashingEmbedder()) as library:
        assert library.document("memo.md").text == Document.from_text(text, source="memo.md").text
        assert library.seen_by(Principal("li")).sources() == []  # what its page says of access is not proved
    content[4096 * (page - 1) + 3_000] ^= 1  # and now a text is wrong
    path.write_bytes(content)
    assert "memo.md" in repair(folder).lost or "b.md" in repair(folder).lost


def test_access_lists_that_are_lost_close_and_do_not_open(tmp_path):
    folder = tmp_path / "lib"
    with Library.open(folder, embedder=HashingEmbedder()) as library:
        library.add([Document.from_text(f"# {name}\n\n内容。\n", source=f"{name}.md") for name in ("a", "b")])
        library.restrict("a.md", ["li"])
        assert [one.source for one in library.seen_by(Principal("wang")).sources()] == ["b.md"]
    (page, *_) = pages_of(folder, "access")
    zero(folder / "library.db", page)
    done = repair(folder)
    assert done.lists_lost
    with Library.open(folder, embedder=HashingEmbedder()) as library:
        assert len(library.sources()) == 2
        assert library.seen_by(Principal("wang")).sources() == []
        assert library.seen_by(Principal("li")).sources() == []


def test_access_lists_that_are_lost_come_from_a_backup(tmp_path):
    folder = tmp_path / "lib"
    with Library.open(folder, embedder=HashingEmbedder()) as library:
        library.add([Document.from_text(f"# {name}\n\n内容。\n", source=f"{name}.md") for name in ("a", "b")])
        library.restrict("a.md", ["li"])
        library.backup(tmp_path / "a.backup")
    (page, *_) = pages_of(folder, "access")
    zero(folder / "library.db", page)
    repair(folder)
    with Library.open(folder, embedder=HashingEmbedder()) as library:
        assert [one.source for one in library.seen_by(Principal("wang")).sources()] == ["b.md"]
        assert [one.source for one in library.seen_by(Principal("li")).sources()] == ["a.md", "b.md"]


def test_what_was_removed_does_not_come_back_from_a_backup(folder, tmp_path):
    backup.remember(folder / "library.db", backup.write(folder / "library.db", tmp_path / "a.backup"))
    change(folder)  # 1.md is removed
    spoil(folder, "delete from body where document = 1")
    done = repair(folder)
    assert "1.md" not in state(folder)
    assert done.from_backup == ("0.md",)


def test_what_is_not_ours_to_mend_is_left_alone(folder):
    connection = opening.connect(folder / "library.db", writing=True, bare=True)
    connection.pragma("user_version", 99)
    connection.execute("pragma wal_checkpoint(truncate)")
    connection.close()
    before = (folder / "library.db").read_bytes()
    with pytest.raises(StoreError) as caught:
        repair(folder)
    assert caught.value.code == "newer-format"
    assert (folder / "library.db").read_bytes() == before
    import sqlite3

    (folder / "library.db").unlink()
    theirs = sqlite3.connect(folder / "library.db")
    theirs.execute("create table theirs(a)")
    theirs.commit()
    theirs.close()
    with pytest.raises(StoreError) as caught:
        repair(folder)
    assert caught.value.code == "not-a-library"
    with pytest.raises(StoreError) as caught:
        repair(folder.parent / "none")
    assert caught.value.code == "missing"


def test_a_passage_that_is_not_in_its_document_is_noticed_and_cut_anew(tmp_path):
    folder = tmp_path / "lib"
    with Library.open(folder, embedder=HashingEmbedder()) as library:
        library.add([Document.from_text("# 甲\n\n内容。\n", source="a.md")])
        before = library.store.chunks_of("a.md")[0].chunk
        spoil(folder, "update passage set text = replace(text, '内容', '假的')")
        assert [one.level for one in library.doctor()] == ["damage"]
        done = Library.repair(folder)
        assert (done.cut_anew, library.doctor()) == (("a.md",), [])
        assert library.store.chunks_of("a.md")[0].chunk == before


def test_while_somebody_writes_nothing_is_mended(folder):
    with Store.open(folder) as store, store.writer(), pytest.raises(StoreBusy):
        repair(folder)


def test_leftovers_of_killed_processes_go(folder):
    for name in ("new-1-aa.db", "new-1-aa.db-wal", "vectors-x-1.new"):
        (folder / name).write_bytes(b"half")
    (folder / ".gitignore").write_text("")
    repair(folder)
    assert not {"new-1-aa.db", "new-1-aa.db-wal", "vectors-x-1.new"} & {path.name for path in folder.iterdir()}
    assert (folder / ".gitignore").read_text() == "*\n"


REPAIR = """
    import sys
    from pathlib import Path
    from yinju.sync.repair import repair
    repair(Path(sys.argv[1]))
"""


@pytest.mark.parametrize("point", ["repair-built", "repair-placed"])
def test_killed_while_it_repairs_it_is_the_damaged_file_or_the_sound_one(folder, point):
    before = state(folder)
    spoil(folder, BREAKS["a passage without its terms"])
    damaged = (folder / "library.db").read_bytes()
    done = child(REPAIR, str(folder), point=point)
    assert done.returncode == EXIT_CODE, done.stderr
    if point == "repair-built":
        assert (folder / "library.db").read_bytes() == damaged
        assert repair(folder).kept is not None
    assert state(folder) == before
    assert list(folder.glob("new-*")) == []


def test_an_open_library_sees_the_mended_one(folder):
    with Store.open(folder) as store:
        before = {one.source for one in store.sources()}
        spoil(folder, BREAKS["a wrong total of documents"])
        assert store.counts().documents == 7
        repair(folder)
        assert store.counts().documents == len(before) == 4
        with store.writer() as writer:
            writer.put([entry("more.md", "更 多")])
            embed_all(store, writer)
        assert len(store.nearest(FINGERPRINT, vector("问"), 100)) == 9


def test_the_command_says_what_it_did(tmp_path, monkeypatch, capsys, without_model):
    root = tmp_path / "docs"
    root.mkdir()
    (root / "a.md").write_text("# 甲\n\n内容。\n", encoding="utf-8")
    monkeypatch.chdir(root)
    assert run(["sync", ".", "--quiet"]) == 0
    assert run(["doctor", "--repair"]) == 0
    assert "All in order." in capsys.readouterr().out
    spoil(root / ".yinju", "delete from body")
    assert run(["doctor"]) == 74
    assert "doctor --repair" in capsys.readouterr().out
    assert run(["doctor", "--repair"]) == 3
    out = capsys.readouterr().out
    assert "a document without its text" in out
    assert "Nothing of it could be saved: the library is empty now." in out
    assert "Repaired:" not in out
    assert "its folder has files (1)" in out
    assert "Not in the library any more: a.md" in out
    assert "`yinju sync FOLDER`" in out
    assert run(["sync", ".", "--quiet"]) == 0
    shutil.copyfile(root / ".yinju" / "library.db", tmp_path / "whole")
    (root / ".yinju" / "library.db").write_bytes(b"")
    assert run(["search", "内容"]) == 74
    assert "--repair" in capsys.readouterr().err
    monkeypatch.setenv("YINJU_LANG", "zh")
    assert run(["doctor", "--repair", "--json"]) == 3
    assert '"problems"' in capsys.readouterr().out
    assert run(["sync", ".", "--quiet"]) == 0
    assert run(["backup", str(tmp_path / "a.backup")]) == 0
    (root / ".yinju" / "library.db").write_bytes(b"")
    capsys.readouterr()
    assert run(["doctor", "--repair"]) == 0
    out = capsys.readouterr().out
    assert "取自备份：1。" in out
    assert "请再次移除或清除" in out
    monkeypatch.chdir(tmp_path)
    assert run(["doctor", "--repair"]) == 74


@pytest.mark.parametrize(
    ("lang", "told", "lists", "next_time"),
    [
        (
            "en",
            "Nothing of it could be saved",
            "open to all who may ask",
            "holds no document, but its folder has files (1)",
        ),
        ("zh", "没有内容可以挽回", "对所有可提问者开放", "资料库中没有文档，而文件夹中有文件（1 个）"),
    ],
)
def test_a_library_of_which_nothing_is_left_is_not_called_in_order(
    tmp_path, monkeypatch, capsys, without_model, lang, told, lists, next_time
):
    monkeypatch.setenv("YINJU_LANG", lang)
    root = tmp_path / "docs"
    root.mkdir()
    (root / "a.md").write_text("# 甲\n\n内容。\n", encoding="utf-8")
    assert run(["sync", str(root), "--quiet"]) == 0
    path = root / ".yinju" / "library.db"
    path.write_bytes(bytes(4096) + path.read_bytes()[4096:])
    for leftover in ("library.db-wal", "library.db-shm"):
        (root / ".yinju" / leftover).unlink(missing_ok=True)
    assert run(["doctor", str(root), "--repair"]) == 3
    out = capsys.readouterr().out
    assert told in out
    assert lists in out
    assert "Access lists were lost" not in out
    assert run(["doctor", str(root)]) == 0
    assert next_time in capsys.readouterr().out
    assert run(["sync", str(root), "--quiet"]) == 0
    with Library.open(root / ".yinju") as library:  # as the repair said: what is read again is open
        assert [one.source for one in library.seen_by(Principal("wang")).sources()] == ["a.md"]
    assert run(["doctor", str(root)]) == 0
    assert next_time not in capsys.readouterr().out


def test_damages_at_random_places_are_noticed_or_harmless_and_mended(tmp_path):
    result = damage.run(tmp_path / "trial", range(CASES), seed=20_261_130)
    print("\n".join(result.lines()))
    assert result.cases == CASES
    assert result.met["noticed"] >= CASES // 4, "damage that nobody can notice would prove nothing"
    assert result.wrong == []


@pytest.mark.parametrize(("places", "values"), [([1, 5], [0.6, 0.0]), ([1, 0], [0.6, 0.8]), ([0, 0], [0.0, 0.0])])
def test_half_a_vector_is_computed_anew(places, values):
    """Pages that are gone read as zeros: a vector with some of them would answer, wrongly and without a word."""

    def packed(places, values):
        return np.array(places, "<u4").tobytes() + np.array(values, "<f4").tobytes()

    assert salvage_tables._is_whole(packed([1, 5], [0.6, 0.8]), 1_000)
    assert not salvage_tables._is_whole(packed(places, values), 1_000)
