"""A backup is whole or not there, made while others write."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from backup_samples import SOURCE, TESTS, change, child, make, state
from store_samples import entry
from yinju import Library, Principal
from yinju.embed.hashing import HashingEmbedder
from yinju.errors import StoreError, StoreReadOnly, UsageError
from yinju.failing import EXIT_CODE
from yinju.store import Store, attachments, backup, opening
from yinju.store.restore import restore


@pytest.fixture
def folder(tmp_path) -> Path:
    make(tmp_path / "lib")
    return tmp_path / "lib"


def test_a_backup_is_the_library_in_one_file_for_its_owner_alone(folder, tmp_path):
    made = backup.write(folder / "library.db", tmp_path / "a.backup")
    assert (made.documents, made.path) == (4, tmp_path / "a.backup")
    assert made.size_bytes == (tmp_path / "a.backup").stat().st_size
    if os.name == "posix":
        assert (tmp_path / "a.backup").stat().st_mode & 0o777 == 0o600
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.backup", "lib"]
    before = state(folder)
    change(folder)
    assert state(folder) != before
    restored = restore(tmp_path / "a.backup", folder)
    assert state(folder) == before
    assert restored.kept is not None
    assert set(state(restored.kept)) == {"0.md", "2.md", "3.md", "later.md"}


@pytest.mark.slow
def test_an_existing_file_is_replaced_only_when_asked(folder, tmp_path):
    target = tmp_path / "a.backup"
    target.write_text("mine")
    with pytest.raises(UsageError) as caught:
        backup.write(folder / "library.db", target)
    assert "--force" in (caught.value.hint or "")
    assert target.read_text() == "mine"
    backup.write(folder / "library.db", target, replace=True)
    assert restore(target, tmp_path / "new").documents == 4
    with pytest.raises(UsageError):
        backup.write(folder / "library.db", folder / "library.db", replace=True)
    with pytest.raises(UsageError):
        backup.write(folder / "library.db", tmp_path, replace=True)


@pytest.mark.slow
def test_where_nothing_can_be_written_it_is_said_and_nothing_is_left(folder, tmp_path, monkeypatch):
    with pytest.raises(StoreReadOnly) as caught:
        backup.write(folder / "library.db", tmp_path / "none" / "a.backup")
    assert caught.value.exit_code == 73
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda _path: usage._replace(free=9))
    with pytest.raises(StoreError) as full:
        backup.write(folder / "library.db", tmp_path / "a.backup")
    assert full.value.code == "disk-full"
    assert str(tmp_path / "a.backup") in full.value.message
    assert "9 are free" in full.value.message
    assert [path.name for path in tmp_path.iterdir()] == ["lib"]


FULL = """
    import resource, signal, sys
    from pathlib import Path
    from yinju.errors import StoreError
    from yinju.store import Store, backup
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    Store.open(Path(sys.argv[1])).counts()
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[3]), int(sys.argv[3])))
    try:
        backup.write(Path(sys.argv[1]) / "library.db", Path(sys.argv[2]), replace=True)
    except StoreError as error:
        print(error.code, error.exit_code, sys.argv[2] in error.message)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="limits of files are a matter of POSIX")
@pytest.mark.parametrize("share", [0.3, 0.6, 0.95])
def test_a_write_that_fails_leaves_the_old_backup_and_no_half_one(folder, tmp_path, share):
    target = tmp_path / "a.backup"
    made = backup.write(folder / "library.db", target)
    before = target.read_bytes()
    done = child(FULL, str(folder), str(target), str(int(made.size_bytes * share)))
    assert done.stdout.split() == ["cannot-write", "73", "True"], done.stderr
    assert target.read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.backup", "lib"]


@pytest.mark.slow
def test_files_beside_the_truth_go_along_and_links_do_not(folder, tmp_path):
    (folder / "uploads" / "in").mkdir(parents=True)
    (folder / "uploads" / "in" / "手册.md").write_text("上传", encoding="utf-8")
    (folder / "uploads" / "empty.md").write_text("")
    (folder / "uploads" / "large.bin").write_bytes(bytes(range(256)) * 5_000)
    (folder / "feedback.jsonl").write_text("{}\n")
    left_out = []
    if os.name == "posix":
        (folder / "uploads" / "link").symlink_to("/etc/passwd")
        (folder / "uploads" / "CON.md").write_text("a name that Windows keeps for itself")
        left_out = ["uploads/CON.md", "uploads/link"]
    made = backup.write(folder / "library.db", tmp_path / "a.backup")
    assert (made.files, sorted(made.left_out)) == (4, left_out)
    restored = restore(tmp_path / "a.backup", tmp_path / "new")
    assert restored.files == 4
    new = tmp_path / "new" / "uploads"
    assert (new / "in" / "手册.md").read_text(encoding="utf-8") == "上传"
    assert (new / "large.bin").read_bytes() == bytes(range(256)) * 5_000
    assert (new / "empty.md").read_bytes() == b""
    assert not (new / "link").exists()
    assert (tmp_path / "new" / "feedback.jsonl").read_text() == "{}\n"
    state(tmp_path / "new")  # and the table of them is gone


@pytest.mark.slow
def test_undo_and_access_lists_are_part_of_it(tmp_path):
    root = tmp_path / "docs"
    root.mkdir()
    (root / "a.md").write_text("# 甲\n\n第一版。\n", encoding="utf-8")
    (root / "b.md").write_text("---\naccess: hr\n---\n# B\n\nSalaries.\n", encoding="utf-8")
    with Library.open(root / ".yinju", embedder=HashingEmbedder()) as library:
        library.sync(root)
        library.restrict("a.md", ["li"])
        (root / "a.md").write_text("# 甲\n\n第二版。\n", encoding="utf-8")
        library.sync(root)
        library.backup(tmp_path / "a.backup")
        steps = library.steps()
    shutil.rmtree(root / ".yinju")
    Library.restore(tmp_path / "a.backup", root / ".yinju")
    with Library.open(root / ".yinju", embedder=HashingEmbedder()) as library:
        assert library.steps() == steps
        assert library.access("a.md") == {"owner": ("li",)}
        assert [one.source for one in library.seen_by(Principal("li")).sources()] == ["a.md"]
        assert [one.source for one in library.seen_by(Principal("x", ("hr",))).sources()] == ["b.md"]
        report = library.sync(root)
        assert (report.unchanged, report.embedded, report.chunks) == (2, 0, 0)  # it goes on as if nothing had happened
        library.undo()
        assert "第一版" in library.document("a.md").text
        with pytest.raises(StoreReadOnly):
            library.seen_by(Principal("li")).backup(tmp_path / "b.backup")


@pytest.mark.slow
def test_a_damaged_library_has_no_backup(folder, tmp_path):
    with Store.open(folder) as store, store.writer() as writer, writer._transaction() as connection:
        connection.execute("delete from kept where id = 3")
    with pytest.raises(StoreError) as caught:
        backup.write(folder / "library.db", tmp_path / "a.backup")
    assert (caught.value.code, "--repair" in (caught.value.hint or "")) == ("damaged", True)
    assert not (tmp_path / "a.backup").exists()


@pytest.mark.slow
def test_a_library_in_memory_says_that_it_has_none(tmp_path):
    with Library.open(embedder=HashingEmbedder()) as library, pytest.raises(UsageError):
        library.backup(tmp_path / "a.backup")


@pytest.mark.slow
def test_what_a_killed_backup_left_goes_with_the_next(folder, tmp_path):
    abandoned, working = tmp_path / "a.backup.00.part", tmp_path / "a.backup.11.part"
    abandoned.write_text("half")
    working.write_text("another process writes here")
    os.utime(abandoned, (1, 1))
    backup.write(folder / "library.db", tmp_path / "a.backup")
    assert sorted(path.name for path in tmp_path.glob("*.part")) == [working.name]


@pytest.mark.slow
def test_a_backup_among_the_documents_is_no_document(tmp_path):
    root = tmp_path / "docs"
    root.mkdir()
    (root / "a.md").write_text("# A\n\nText.\n", encoding="utf-8")
    with Library.open(root / ".yinju", embedder=HashingEmbedder()) as library:
        library.sync(root)
        library.backup(root / "a.backup")
        report = library.sync(root)
        assert (report.skipped, report.unchanged, report.added) == (0, 1, 0)
        assert [one.source for one in library.sources()] == ["a.md"]


WRITER = """
    import sys, time
    from pathlib import Path
    from store_samples import embed_all, entry
    from yinju.store import Store
    with Store.open(Path(sys.argv[1])) as store, store.writer(wait=5) as writer:
        print("ready", flush=True)
        for number in range(100_000):
            writer.put([entry(f"{number % 40}-{part}.md", f"第 {number} 号 {part}", "共 有") for part in range(3)])
            embed_all(store, writer)
"""


@pytest.mark.slow
def test_fifty_backups_while_another_process_writes_are_committed_states(tmp_path):
    folder = tmp_path / "lib"
    make(folder, 1)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(SOURCE), str(TESTS)))}
    writer = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(WRITER), str(folder)], stdout=subprocess.PIPE, text=True, env=environment
    )
    try:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "ready\n"
        generations = []
        for _ in range(50):
            made = backup.write(folder / "library.db", tmp_path / "a.backup", replace=True)
            generations.append(made.generation)
            check_prefix(made.path, made.generation)
        assert backup.remember(folder / "library.db", made)  # a line in the log needs no writer's lock
    finally:
        writer.kill()
        writer.communicate()
    assert len(generations) == 50
    assert generations == sorted(generations)
    assert len(set(generations)) > 25  # it did write meanwhile
    with Store.open(folder) as store:
        assert store.check() == []
        assert any(one.kind == "backup" for one in store.log())


def check_prefix(path: Path, generation: int) -> None:
    """The three documents of a put are of one number, and all that was there at this generation is there."""
    connection = opening.connect(path)
    try:
        told = connection.execute("select number from tally where name = 'generation'").fetchone()
        assert told == (generation,)
        rows = connection.execute("select d.source, b.text from document d join body b on b.document = d.id").fetchall()
    finally:
        connection.close()
    texts = {source: text for source, text in rows if "-" in source}
    numbers = {source.partition("-")[0] for source in texts}
    for number in numbers:
        versions = {texts[f"{number}-{part}.md"].split()[1] for part in range(3)}
        assert len(versions) == 1
    assert len(texts) == 3 * len(numbers)


NAMES = [
    "../evil", "uploads/../../evil", "/etc/evil", "C:\\evil", "uploads/C:evil", "uploads\\evil", "uploads/a\\..\\evil",
    "uploads/a\0b", "uploads/", "uploads//a", "uploads/./a", "uploads", "library.db", "library.db-wal", "writer.lock", ".gitignore",
    "theirs.md", "uploads/CON", "uploads/nul.md", "uploads/com1.txt", "uploads/LPT³", "uploads/a.", "uploads/a ", "uploads/" + "长" * 90,
    "uploads/" + "a/" * 20 + "a", "uploads/a\nb", "uploads/a|b", "evaluations/../uploads/a", "settings.toml/a",
    "feedback.jsonl/../../a", "vectors-0-0-0.view", "",
]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_names_that_lead_elsewhere_are_none(name):
    assert attachments.complaint(name) is not None


@pytest.mark.parametrize(
    "name",
    ["uploads/手册.md", "uploads/a b/c.d.md", "evaluations/1.json", "cases/a.jsonl", "settings.toml", "uploads/…"],
)
def test_names_that_we_write_are_names(name):
    assert attachments.complaint(name) is None


BACKUP = """
    import sys
    from pathlib import Path
    from yinju.store import backup
    backup.remember(Path(sys.argv[2]) / "library.db", backup.write(Path(sys.argv[2]) / "library.db", Path(sys.argv[1]), replace=True))
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "point", ["backup-pages", "backup-copied", "backup-filled", "backup-checked", "backup-renamed"]
)
def test_killed_while_it_backs_up_the_file_is_the_old_or_the_new_one(folder, tmp_path, point):
    target = tmp_path / "a.backup"
    backup.write(folder / "library.db", target)
    before = target.read_bytes()
    change(folder)
    done = child(BACKUP, str(target), str(folder), point=point)
    assert done.returncode == EXIT_CODE, done.stderr
    assert (target.read_bytes() == before) == (point != "backup-renamed")
    restored = restore(target, tmp_path / "new")
    assert restored.documents == 4
    assert ("later.md" in state(tmp_path / "new")) == (point == "backup-renamed")


@pytest.mark.slow
def test_pages_that_lie_in_the_log_alone_get_their_checksums(tmp_path):
    """Large enough that pages of the copy are written before its first one, which says that pages have checksums."""
    folder = tmp_path / "lib"
    make(folder)
    generator = random.Random(1)
    with (
        Store.open(folder) as store,
        store.snapshot(),
        Store.open(folder) as other,
    ):  # a reader keeps the log from being emptied
        with other.writer() as writer:
            for number in range(40):
                lines = ["".join(chr(0x4E00 + generator.randrange(3_000)) for _ in range(20_000)) for _ in range(2)]
                writer.put([entry(f"large-{number}.md", *lines)])
        assert (folder / "library.db-wal").stat().st_size > 8_000_000
        assert backup.write(folder / "library.db", tmp_path / "a.backup").documents == 44
    assert restore(tmp_path / "a.backup", tmp_path / "new").documents == 44
