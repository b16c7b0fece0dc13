"""From a backup to a library: the file is copied and judged first, and only then takes the place of what is there.

Nothing of the file is believed. It is copied page by page into a draft; the draft has to have our mark, a format that we know, the shape that
this format has and nothing more, pages with right checksums, tables that agree and cells that can be read; names of attached files have to be
ones that we write. What is refused leaves everything as it was.

The draft replaces the library in one renaming (see `place`). The attached files follow: as long as the table of them is in the truth they are
not all in place, and whoever opens the library next goes on with it. A restored library gets a new identity, so that no view of another
history fits it, and a generation above the old one's.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from yinju.errors import SourceMissing, StoreError, UsageError
from yinju.failing import reach
from yinju.messages import say
from yinju.store import attachments, backup, check, contents, migrations, opening, place, shape, sql
from yinju.store.faults import translated
from yinju.store.lock import WriterLock
from yinju.store.opening import APPLICATION_ID, NAME

if TYPE_CHECKING:
    import apsw

PENDING = "restoring"  # key of a value: where replaced files go, and which there were
_KEPT = re.compile(r"replaced-[0-9TZ-]{16,24}")
_STAGE = "unpacking-"


@dataclass(frozen=True, slots=True)
class Restored:
    """A library that came from a backup. `kept`: the folder in which the old one lies now; None: there was none."""

    folder: Path
    kept: Path | None
    generation: int
    documents: int
    files: int


def restore(file: Path, folder: Path, *, wait: float = 0.0) -> Restored:
    """Make the library in `folder` what it was when the backup `file` was made; what is there now is kept beside.

    Raises SourceMissing (no such file), UsageError (it is this library itself), StoreBusy (somebody writes, for longer than `wait` seconds),
    StoreReadOnly, StoreError (damaged, foreign, hostile or of a newer format): then nothing was changed.
    """
    file, folder = file.absolute(), folder.absolute()
    path = folder / NAME
    _check_names(file, path)
    with _refusing(file):
        _recognise(file)
    is_new = not folder.exists()
    opening.make_folder(folder)
    lock = WriterLock(folder, wait)
    draft = folder / f"new-{os.getpid()}-{secrets.token_hex(4)}.db"
    try:
        opening.remove_drafts(folder)
        with _refusing(file):
            _copy(file, draft)
            reach("restore-copied")
            _judge(draft, file)
        kept = place.free_name(folder, "replaced-") if path.exists() else None
        generation, documents = _dress(draft, path, kept)
        backup.put_on_disk(draft)
        reach("restore-ready")
        place.put(draft, path, None if kept is None else kept / NAME)
        reach("restore-placed")
        files = finish(path)
        _remove_views(folder)
        if kept is not None:  # it holds texts, too: a purge has to be able to name it
            backup.remember(path, backup.Backup(kept / NAME, generation - 1, 0, 0, 0))
    finally:
        opening.remove_with_logs(draft)
        lock.release()
        if is_new and not path.exists():
            shutil.rmtree(folder, ignore_errors=True)
    return Restored(folder, kept, generation, documents, files)


def is_pending(connection: apsw.Connection) -> bool:
    """Return whether attached files of a restored library still have to be put in place."""
    return attachments.is_there(connection)


def finish(path: Path) -> int:
    """Put the attached files of a restored library in their places and forget them in the truth. Return how many there were.

    Can be interrupted and goes on where it stopped. The caller holds the writer's lock. Raises StoreError, OSError.
    """
    folder = path.parent
    with translated(path):
        connection = opening.connect(path, writing=True)
        try:
            if not is_pending(connection):
                return 0
            kept, there = _pending(connection, folder)
            for stale in folder.glob(f"{_STAGE}*"):
                shutil.rmtree(stale, ignore_errors=True)
            stage = folder / f"{_STAGE}{secrets.token_hex(4)}"
            stage.mkdir(mode=0o700)
            count = attachments.unpack(connection, stage)
            reach("restore-unpacked")
            for name in (*attachments.FOLDERS, *attachments.FILES):
                _swap(name, folder, stage, kept if name in there else None)
            shutil.rmtree(stage, ignore_errors=True)
            opening.sync_folder(folder)
            connection.execute("begin immediate")
            connection.execute(f"drop table {attachments.TABLE}")
            connection.execute("delete from value where key = ?", (PENDING,))
            connection.execute("commit")
            reach("restore-finished")
            sql.rows(connection, "pragma wal_checkpoint(truncate)")
        finally:
            connection.close()
    return count


def _swap(name: str, folder: Path, stage: Path, kept: Path | None) -> None:
    """Put what was unpacked under this name in its place; what is there goes to `kept`, unless that has it from an earlier try."""
    here = folder / name
    if os.path.lexists(here):
        if kept is not None and not os.path.lexists(kept / name):
            kept.mkdir(mode=0o700, exist_ok=True)
            os.replace(here, kept / name)
            reach("restore-moved")
        elif here.is_dir() and not here.is_symlink():
            shutil.rmtree(here)
        else:
            here.unlink()
    if os.path.lexists(stage / name):
        os.replace(stage / name, here)


def _pending(connection: apsw.Connection, folder: Path) -> tuple[Path, frozenset[str]]:
    """Return the folder for what is replaced, and the names of what there was. A backup that was copied here by hand says neither."""
    text = sql.cell(connection, "select value from value where key = ?", (PENDING,))
    with contextlib.suppress(ValueError, TypeError, KeyError):
        told = json.loads(text)
        if _KEPT.fullmatch(told["kept"]):
            return folder / told["kept"], frozenset(map(str, told["there"]))
    kept, there = place.free_name(folder, "replaced-"), _there(folder)
    _tell_pending(connection, kept, there)
    return kept, frozenset(there)


def _tell_pending(connection: apsw.Connection, kept: Path, there: list[str]) -> None:
    told = json.dumps({"kept": kept.name, "there": there})
    connection.execute("insert or replace into value values(?, ?)", (PENDING, told))


def _there(folder: Path) -> list[str]:
    return [name for name in (*attachments.FOLDERS, *attachments.FILES) if os.path.lexists(folder / name)]


def _check_names(file: Path, path: Path) -> None:
    if not file.is_file():
        raise SourceMissing(
            say("There is no file {file}.", "没有文件 {file}。", file=file),
            say("Name a file that `yinju backup` made.", "请指定 `yinju backup` 生成的文件。"),
        )
    if path.exists() and file.samefile(path):
        raise UsageError(
            say("{file} is this library itself.", "{file} 就是这个资料库本身。", file=file),
            say("Name a file that `yinju backup` made.", "请指定 `yinju backup` 生成的文件。"),
        )


def _recognise(file: Path) -> None:
    """Raise StoreError where the file is not ours or of a format that we do not know. Reads its first page."""
    connection = _open_given(file)
    try:
        if connection.pragma("application_id") != APPLICATION_ID or connection.reserve_bytes(None, -1) != 8:
            raise _foreign(file)
        version = migrations.version(connection)
    finally:
        connection.close()
    if not 0 < version <= migrations.CURRENT:
        raise StoreError(
            say(
                "{file} has format {version}; this program knows formats up to {current}",
                "{file} 的格式为 {version}；本程序只支持到格式 {current}",
                file=file,
                version=version,
                current=migrations.CURRENT,
            ),
            say("Install a newer Yinju. Nothing was changed.", "请安装更新版本的引据。没有改动任何内容。"),
            code="newer-format",
        )


def _open_given(file: Path) -> apsw.Connection:
    """Open a file that somebody gave us; where SQLite may make no log beside it, as one that nobody writes to."""
    import apsw

    try:
        connection = opening.connect(file, bare=True)
        _distrust(connection)
        connection.execute("select count(*) from sqlite_schema").fetchall()
    except (apsw.CantOpenError, apsw.ReadOnlyError):
        connection = opening.connect(file, immutable=True, bare=True)
        _distrust(connection)
    return connection


def _distrust(connection: apsw.Connection) -> None:
    import apsw

    connection.pragma("trusted_schema", 0)
    connection.pragma("cell_size_check", 1)
    for switch, value in (
        (apsw.SQLITE_DBCONFIG_DEFENSIVE, 1), (apsw.SQLITE_DBCONFIG_ENABLE_TRIGGER, 0), (apsw.SQLITE_DBCONFIG_ENABLE_VIEW, 0),
    ):  # fmt: skip
        connection.config(switch, value)


def _copy(file: Path, draft: Path) -> None:
    source = _open_given(file)
    try:
        source.execute("begin")
        source.execute("select count(*) from sqlite_schema").fetchall()
        backup.copy_pages(source, draft)
    finally:
        source.close()


def _judge(draft: Path, file: Path) -> None:
    """Bring the draft to today's format. Raises StoreError where it is not a library of ours, whole and readable."""
    connection = opening.connect(draft, writing=True, bare=True)
    try:
        _distrust(connection)
        strangers = shape.strangers(connection)
        if strangers:
            raise StoreError(
                say(
                    "{file} has not the shape of a library: {names}",
                    "{file} 的结构不是资料库的结构：{names}",
                    file=file,
                    names=", ".join(repr(name)[:80] for name in strangers[:5]),
                ),
                say("Nothing was changed. Do not trust this file.", "没有改动任何内容。请不要信任这个文件。"),
                code="hostile-backup",
            )
        found = check.problems(connection)
        if not found:
            migrations.migrate(connection)
            found = contents.problems(connection)
        if found:
            raise _damaged(file, found[0])
        if attachments.is_there(connection):
            attachments.names(connection)
    finally:
        connection.close()


def _dress(draft: Path, path: Path, kept: Path | None) -> tuple[int, int]:
    """Make the draft a library in use, with a log of its own and a new identity. Return generation and documents."""
    connection = opening.connect(draft, writing=True)
    try:
        connection.pragma("journal_mode", "wal")
        connection.execute("begin immediate")
        connection.execute("insert or replace into value values('identity', lower(hex(randomblob(8))))")
        connection.execute("delete from value where key = ?", (PENDING,))
        generation = max(sql.generation(connection), generation_of(path)) + 1
        connection.execute("update tally set number = ? where name = 'generation'", (generation,))
        if attachments.is_there(connection):
            _tell_pending(connection, kept or place.free_name(path.parent, "replaced-"), _there(path.parent))
        documents = int(sql.cell(connection, "select count(*) from document"))
        connection.execute("commit")
    finally:
        connection.close()
    return generation, documents


def generation_of(path: Path) -> int:
    """Return the generation of the library that is there, 0 where none is or none can be read."""
    import apsw

    try:
        connection = opening.connect(path)
        try:
            return sql.generation(connection)
        finally:
            connection.close()
    except (apsw.Error, TypeError, ValueError):
        return 0


def _remove_views(folder: Path) -> None:
    for view in folder.glob("vectors-*.view"):
        with contextlib.suppress(OSError):
            view.unlink()


@contextmanager
def _refusing(file: Path) -> Iterator[None]:
    """Say of the given file what SQLite says while it is judged."""
    import apsw

    try:
        yield
    except apsw.NotADBError as error:
        raise _foreign(file) from error
    except apsw.FullError:
        raise
    except (apsw.Error, UnicodeDecodeError) as error:
        raise _damaged(file, str(error)) from error


def _foreign(file: Path) -> StoreError:
    return StoreError(
        say("{file} is no backup of Yinju", "{file} 不是引据的备份", file=file),
        say("Name a file that `yinju backup` made.", "请指定 `yinju backup` 生成的文件。"),
        code="not-a-backup",
    )


def _damaged(file: Path, what: Any) -> StoreError:
    return StoreError(
        say("the backup {file} is damaged: {what}", "备份 {file} 已损坏：{what}", file=file, what=what),
        say("Nothing was changed. Take another backup.", "没有改动任何内容。请换一个备份。"),
        code="damaged-backup",
    )
