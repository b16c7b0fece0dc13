"""What goes wrong is said so that a person can act: damage, foreign files, newer formats, full disks, folders that cannot be written to."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
import textwrap
import threading
from pathlib import Path

import apsw
import pytest

from store_samples import entry
from yinju.errors import StoreBusy, StoreError, StoreReadOnly
from yinju.messages import set_language
from yinju.store import Store, faults, lock, migrations

SOURCE = Path(__file__).resolve().parent.parent / "src"


@pytest.fixture
def folder(tmp_path):
    with Store.open(tmp_path / "lib") as store, store.writer() as writer:
        writer.put([entry(f"{number}.md", f"内容 文字 {number}", "第二 段") for number in range(30)])
    return tmp_path / "lib"


def run(code: str, *arguments: str, path: Path = SOURCE, **options) -> subprocess.CompletedProcess[str]:
    paths = os.pathsep.join((str(SOURCE), str(path)))
    environment = {**os.environ, "PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1", "YINJU_LANG": "en"}
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code), *arguments],
        capture_output=True, text=True, timeout=60, check=False, env=environment, **options,
    )  # fmt: skip


def read_everything(folder: Path) -> None:
    with Store.open(folder) as store:
        for summary in store.sources():
            store.document(summary.source)
            store.chunks_of(summary.source)
        store.term_counts(range(1, 100))
        store.word_candidates(["内容", "第二"], ["容文"], 100)


def test_every_flipped_bit_is_noticed_or_harmless(folder):
    path = folder / "library.db"
    sound = path.read_bytes()
    noticed = 0
    for place in range(200, len(sound), len(sound) // 40):
        content = bytearray(sound)
        content[place] ^= 0x04
        path.write_bytes(content)
        try:
            read_everything(folder)
        except StoreError as error:
            noticed += str(path) in error.message and "doctor" in (error.hint or "")
    assert noticed > 12  # the others lie in pages that were not read, and there are tables that nothing stands in


@pytest.mark.parametrize("content", [b"", b"no database " * 500, b"SQLite format 3\0" + b"\0" * 5000])
def test_a_file_that_is_no_library_is_refused_and_left_alone(folder, content):
    (folder / "library.db").write_bytes(content)
    with pytest.raises(StoreError) as caught:
        Store.open(folder)
    assert caught.value.hint
    assert (folder / "library.db").read_bytes() == content


def test_a_truncated_file_is_noticed(folder):
    path = folder / "library.db"
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    with pytest.raises(StoreError):
        read_everything(folder)


def test_a_database_of_another_program_is_refused(tmp_path):
    connection = apsw.Connection(str(tmp_path / "library.db"))
    connection.execute("create table theirs(a)")
    connection.close()
    with pytest.raises(StoreError) as caught:
        Store.open(tmp_path)
    assert caught.value.code == "not-a-library"


def test_a_newer_format_is_refused_with_both_versions(folder):
    connection = apsw.Connection(str(folder / "library.db"))
    connection.pragma("user_version", 99)
    connection.close()
    with pytest.raises(StoreError) as caught:
        Store.open(folder)
    assert caught.value.message.endswith(f"has format 99; this program knows formats up to {migrations.CURRENT}")


def test_a_missing_library_is_not_made_unasked(tmp_path):
    with pytest.raises(StoreError) as caught:
        Store.open(tmp_path / "none", create=False)
    assert caught.value.code == "missing"
    assert not (tmp_path / "none").exists()
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreReadOnly):
        Store.open(tmp_path / "file" / "lib")


def test_a_log_of_a_deleted_library_is_not_replayed_onto_a_new_one(folder):
    (folder / "library.db-wal").write_bytes(b"stale" * 1000)
    (folder / "library.db").unlink()
    with Store.open(folder) as store:
        assert store.counts().documents == 0


def test_an_old_sqlite_is_refused(monkeypatch, tmp_path):
    monkeypatch.setattr("yinju.store.opening._extension", [])
    monkeypatch.setattr(apsw, "sqlite_lib_version", lambda: "3.40.1")
    with pytest.raises(StoreError) as caught:
        Store.open(tmp_path)
    assert "3.40.1" in caught.value.message


@pytest.mark.parametrize(
    ("error", "kind", "code"),
    [
        (apsw.FullError("full"), StoreError, "disk-full"),
        (apsw.BusyError("busy"), StoreBusy, "busy"),
        (apsw.ReadOnlyError("ro"), StoreReadOnly, "read-only"),
        (apsw.IOError("io"), StoreError, "damaged"),
        (apsw.CorruptError("bad"), StoreError, "damaged"),
        (apsw.CantOpenError("no"), StoreError, "cannot-open"),
        (apsw.SQLError("oops"), StoreError, "store"),
    ],
)
def test_each_error_of_sqlite_has_a_hint(error, kind, code):
    made = faults.explain(error, Path("/x/library.db"))
    assert (type(made), made.code) == (kind, code)
    assert made.hint
    assert "/x/library.db" in made.message


def test_a_full_disk_loses_nothing_and_reading_goes_on(folder):
    with Store.open(folder) as store, store.writer() as writer:
        pages = writer._connection.pragma("page_count")
        writer._connection.pragma("max_page_count", pages + 5)
        before = store.generation
        with pytest.raises(StoreError) as caught:
            writer.put([entry("big.md", *(f"长 文 {number}" * 50 for number in range(300)))])
        assert caught.value.code == "disk-full"
        assert (store.generation, store.document("big.md")) == (before, None)
        assert store.word_candidates(["内容"], [], 5)
        writer._connection.pragma("max_page_count", 1_000_000)
        writer.put([entry("big.md", "现在 好了")])
        assert store.document("big.md") is not None


READ_ONLY = """
    import os, sys
    from pathlib import Path
    from yinju.errors import StoreReadOnly
    from yinju.store import Store
    folder = Path(sys.argv[1])
    with Store.open(None) as store:
        store.word_candidates(["load", "everything"], [], 1)  # another user may not read Python's own files
    import numpy
    if os.getuid() == 0:
        os.setgid(65534); os.setuid(65534)
    with Store.open(folder) as store:
        print(len(store.word_candidates(["内容"], [], 100)), store.writable)
        try:
            store.writer()
        except StoreReadOnly as error:
            print(error.exit_code, error.hint is not None)
"""


@pytest.mark.skipif(not hasattr(os, "setuid"), reason="folders of other users are a matter of POSIX")
def test_a_folder_that_cannot_be_written_to_can_be_searched(folder):
    for above in (folder, *folder.parents):
        if os.access(above, os.W_OK) and above.stat().st_uid == os.getuid() and "pytest" in str(above):
            above.chmod(0o755)
    for path in folder.iterdir():
        path.chmod(0o444)
    folder.chmod(0o555)
    try:
        done = run(READ_ONLY, str(folder))
    finally:
        folder.chmod(0o755)
    assert done.stdout.split() == ["30", "False", "73", "True"], done.stderr
    assert not done.stderr


@pytest.fixture
def unclosed(tmp_path):
    """A library whose writer was killed, so that its log lies beside it."""
    code = """
        import os, sys
        from pathlib import Path
        from store_samples import entry
        from yinju.store import Store
        writer = Store.open(Path(sys.argv[1])).writer()
        writer.put([entry("a.md", "内容 文字")])
        os._exit(9)
    """
    assert run(code, str(tmp_path / "lib"), path=Path(__file__).parent).returncode == 9
    assert (tmp_path / "lib" / "library.db-wal").stat().st_size
    (tmp_path / "lib" / "library.db-shm").unlink()
    return tmp_path / "lib"


@pytest.mark.skipif(os.name == "nt", reason="links need rights on Windows")
@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "code", "exit_code"),
    [(errno.EIO, "disk-fault", 74), (errno.ENOSPC, "disk-full", 74), (errno.EROFS, "unfinished", 73)],
)
def test_with_a_log_left_a_disk_that_fails_is_told_from_one_that_is_read_only(
    unclosed, monkeypatch, number, code, exit_code
):
    """SQLite says the same of all: it is no folder in which a file can be made."""

    def fails(path, flags, mode=0o777, **more):
        if "new-" in os.fspath(path):
            raise OSError(number, os.strerror(number))
        return real(path, flags, mode, **more)

    real = os.open
    (unclosed / "library.db-shm").symlink_to("nowhere")  # which SQLite follows nowhere
    with monkeypatch.context() as patched:
        patched.setattr(os, "open", fails)
        with pytest.raises(StoreError) as caught:
            Store.open(unclosed)
    assert (caught.value.code, caught.value.exit_code) == (code, exit_code)
    assert str(unclosed) in caught.value.message
    (unclosed / "library.db-shm").unlink()
    with Store.open(unclosed) as store:
        assert [summary.source for summary in store.sources()] == ["a.md"]


@pytest.mark.skipif(os.name == "nt", reason="links need rights on Windows")
@pytest.mark.slow
def test_with_a_log_left_what_keeps_sqlite_from_it_is_told(unclosed):
    (unclosed / "library.db-shm").symlink_to("nowhere")
    with pytest.raises(StoreError) as caught:
        Store.open(unclosed)
    assert (caught.value.code, caught.value.exit_code) == ("cannot-open", 74)
    assert os.strerror(errno.ELOOP) in caught.value.message
    assert not [path for path in unclosed.iterdir() if path.name.startswith("new-")]
    set_language("zh")
    with pytest.raises(StoreError, match="无法打开"):
        Store.open(unclosed)


def test_opened_for_reading_nothing_is_written(folder):
    before = (folder / "library.db").read_bytes()
    with Store.open(folder, read_only=True) as store:
        assert store.counts().documents == 30
        with pytest.raises(StoreReadOnly):
            store.writer()
    assert (folder / "library.db").read_bytes() == before


HOLD = """
    import sys
    from pathlib import Path
    from yinju.store import Store
    writer = Store.open(Path(sys.argv[1])).writer()
    print("ready", flush=True)
    sys.stdin.read()
"""


def test_the_lock_names_its_owner_and_ends_with_it(folder):
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    owner = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(HOLD), str(folder)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment,
    )  # fmt: skip
    try:
        assert owner.stdout is not None
        assert owner.stdout.readline() == "ready\n"
        with Store.open(folder) as store:
            with pytest.raises(StoreBusy) as caught:
                store.writer()
            assert str(owner.pid) in caught.value.message
            assert json.loads((folder / lock.NAME).read_text())["since"] in caught.value.message
            assert store.counts().documents == 30  # readers do not wait
            owner.kill()
            owner.wait()
            with store.writer(wait=1.0) as writer:
                writer.set_value("taken", "over")
    finally:
        owner.kill()
        owner.communicate()


@pytest.mark.slow
def test_readers_in_threads_see_whole_generations_while_one_writes(folder):
    """Each document has two chunks and a generation never holds half of one."""
    wrong: list[object] = []
    stop = threading.Event()

    def read(store: Store) -> None:
        while not stop.is_set():
            with store.snapshot() as generation:
                counts = store.counts()
                found = len(store.word_candidates(["第二"], [], 1000))
                if not (found == counts.documents == len(store.sources()) and counts.chunks == 2 * found):
                    wrong.append((generation, counts, found))
                if store.generation != generation:
                    wrong.append("the generation moved inside a snapshot")

    with Store.open(folder) as store, store.writer() as writer:
        threads = [threading.Thread(target=read, args=(store,)) for _ in range(3)]
        for thread in threads:
            thread.start()
        for number in range(40):
            writer.put([entry(f"{number}.md", f"内容 文字 {number}", "第二 段")])
            writer.remove([f"{number - 3}.md"])
        stop.set()
        for thread in threads:
            thread.join()
    assert wrong == []


def test_a_library_that_is_not_true_is_noticed(folder):
    with Store.open(folder) as store, store.writer() as writer:
        assert store.check() == []
        with writer._transaction() as connection:
            connection.execute("delete from kept where id = 3")
            connection.execute("delete from words where rowid = 4")
            connection.execute("insert into vector(space, text_hash, changed, vector) values(1, 'nobody', 1, x'00')")
        assert (
            len(store.check()) == 5
        )  # a chunk without terms, so two wrong totals; one not in the word index; a vector of nothing


def test_two_processes_may_make_the_same_library(tmp_path):
    code = """
        import sys
        from pathlib import Path
        from store_samples import entry
        from yinju.store import Store
        with Store.open(Path(sys.argv[1])) as store, store.writer(wait=20) as writer:
            for number in range(5):
                writer.put([entry(f"{sys.argv[2]}-{number}.md", "内容")])
    """
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(SOURCE), str(Path(__file__).parent)))}
    makers = [
        subprocess.Popen([sys.executable, "-c", textwrap.dedent(code), str(tmp_path / "lib"), name], env=environment)
        for name in "ab"
    ]
    assert [maker.wait(60) for maker in makers] == [0, 0]
    with Store.open(tmp_path / "lib") as store:
        assert store.counts().documents == 10
