"""A backup may come from anybody: what no backup of ours holds is refused, and nothing is written."""

from __future__ import annotations

from pathlib import Path

import pytest

from backup_samples import make
from yinju.errors import StoreError
from yinju.messages import set_language
from yinju.store import attachments, backup, opening
from yinju.store.restore import restore

pytestmark = pytest.mark.slow


@pytest.fixture
def folder(tmp_path) -> Path:
    make(tmp_path / "lib")
    return tmp_path / "lib"


def hostile(folder: Path, target: Path, *statements: str) -> Path:
    """A backup that somebody has been at, its checksums right."""
    backup.write(folder / "library.db", target, replace=True)
    connection = opening.connect(target, writing=True, bare=True)
    for statement in statements:
        connection.execute(statement)
    connection.close()
    return target


HOSTILE = {
    "newer format": ("pragma user_version = 99",),
    "another program's": ("pragma application_id = 7",),
    "no format": ("pragma user_version = 0",),
    "a trigger": ("create trigger t after insert on log begin delete from document; end",),
    "a view": ("create view v as select * from document",),
    "a view in place of a table": ("drop table held", "create view held as select 1 as source, 2 as digest"),
    "a table": ("create table theirs(a)",),
    "an index": ("create index i on document(lower(title))",),
    "a column": ("alter table document add column theirs text",),
    "a generated column": ("alter table document add column theirs text as (hex(title)) virtual",),
    "a missing table": ("drop table former_text",),
    "attachments of another shape": ("drop table attachment", "create table attachment(name, part, content, evil)"),
    "tables that disagree": ("delete from passage where id = 1",),
    "bytes for a text": ("update document set title = x'ff00' where id = 1",),
    "a text for bytes": ("update kept set words = 'words' where id = 1",),
    "metadata that are no JSON": ("update document set metadata = '{' where id = 1",),
    "metadata that are too deep": ("update document set metadata = replace(hex(zeroblob(90000)), '00', '[') where id = 1",),
    "a receipt of another shape": ("update document set receipt = '[1]' where id = 1",),
    "marks of another shape": ("update body set marks = '[1]' where document = 1",),
    "a span beyond the text": ('update passage set "end" = 999999 where id = 1',),
    "a passage that is not in its document": ("update passage set text = '假的' where id = 1",),
    "terms that cannot be read": ("update kept set words = x'01ffffffff' where id = 1",),
    "a vector of another size": ("update vector set vector = x'0000' where id = 1",),
    "a vector that is no number": ("update vector set vector = x'0000c07f0000c07f0000c07f0000c07f' where id = 1",),
    "boxes that unpack to nothing": ("insert into boxes values(1, x'00')",),
    "an access list that is no list": ("insert into access values('0.md', 'owner', '{')",),
    "a former document that cannot be read": (
        "insert into step(number, kind, time, generation) values(1, 'sync', 'then', 1)",
        "insert into former(step, source, did, content) values(1, '0.md', 'updated', x'00')",
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_file_that_somebody_has_been_at_is_refused_and_nothing_is_written(folder, tmp_path, kind):
    target = hostile(folder, tmp_path / "a.backup", *HOSTILE[kind])
    before = sorted((path.name, path.read_bytes()) for path in folder.iterdir() if path.suffix != ".db-shm")
    with pytest.raises(StoreError) as caught:
        restore(target, folder)
    assert caught.value.hint
    assert caught.value.code in {"newer-format", "not-a-backup", "hostile-backup", "damaged-backup"}
    after = sorted((path.name, path.read_bytes()) for path in folder.iterdir() if path.suffix != ".db-shm")
    assert [name for name, _ in after] == sorted({*dict(before), "writer.lock"})
    assert dict(after)["library.db"] == dict(before)["library.db"]


def test_a_newer_format_is_refused_with_both_numbers(folder, tmp_path):
    target = hostile(folder, tmp_path / "a.backup", "pragma user_version = 99")
    with pytest.raises(StoreError) as caught:
        restore(target, folder)
    assert caught.value.code == "newer-format"
    assert "format 99" in caught.value.message
    set_language("zh")
    with pytest.raises(StoreError, match="格式为 99"):
        restore(target, folder)


@pytest.mark.parametrize(
    "name", ["../../evil", "/tmp/evil", "uploads/../../evil", "uploads/\0", "uploads/CON", "library.db"]
)
def test_an_attachment_that_leads_elsewhere_is_refused(folder, tmp_path, name):
    target = tmp_path / "a.backup"
    backup.write(folder / "library.db", target)
    connection = opening.connect(target, writing=True, bare=True)
    connection.execute("insert into attachment values(?, 0, x'00')", (name,))
    connection.close()
    with pytest.raises(StoreError) as caught:
        restore(target, tmp_path / "deep" / "er" / "new")
    assert caught.value.code == "hostile-backup"
    assert {path.name for path in tmp_path.rglob("*")} <= {
        "a.backup",
        "lib",
        "deep",
        "er",
        *(p.name for p in folder.iterdir()),
    }


@pytest.mark.parametrize(
    "statements",
    [
        (
            "insert into attachment values('uploads/a', 0, x'00')",
            "insert into attachment values('uploads/a', 2, x'00')",
        ),
        ("insert into attachment values('uploads/a', 1, x'00')",),
        (
            "insert into attachment values('uploads/a', 0, x'00')",
            "insert into attachment values('uploads/a/b', 0, x'00')",
        ),
        ("insert into attachment values(x'75706c6f6164732f61', 0, x'00')",),
    ],
)
def test_attachments_that_contradict_each_other_are_refused(folder, tmp_path, statements):
    with pytest.raises(StoreError):
        restore(hostile(folder, tmp_path / "a.backup", *statements), tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_too_many_or_too_large_attachments_are_refused(folder, tmp_path, monkeypatch):
    target = hostile(
        folder, tmp_path / "a.backup", "insert into attachment values('uploads/a', 0, zeroblob(2000))",
        "insert into attachment values('uploads/b', 0, x'00')",
    )  # fmt: skip
    for limit in ("MAXIMUM_FILES", "MAXIMUM_BYTES"):
        with monkeypatch.context() as patched:
            patched.setattr(attachments, limit, 1)
            with pytest.raises(StoreError, match="too many or too large"):
                restore(target, tmp_path / "new")
    assert restore(target, tmp_path / "new").files == 2


def test_every_flipped_bit_of_a_backup_is_noticed(folder, tmp_path):
    target = tmp_path / "a.backup"
    backup.write(folder / "library.db", target)
    sound = target.read_bytes()
    for place in range(100, len(sound), len(sound) // 30):
        content = bytearray(sound)
        content[place] ^= 0x10
        target.write_bytes(content)
        with pytest.raises(StoreError):
            restore(target, tmp_path / "new")
        assert not (tmp_path / "new").exists()
    target.write_bytes(sound[: len(sound) // 2])
    with pytest.raises(StoreError):
        restore(target, tmp_path / "new")
