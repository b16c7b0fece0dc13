"""Opening the one file. The order of the pieces matters and is why this room exists:

1. the checksum extension is loaded before any file is opened, since only connections of a process that has it write checksums;
2. eight bytes a page are reserved before the first table is made, since checksums lie there;
3. a new file gets its whole shape under another name and appears by renaming, so that nobody ever sees half of it;
4. whose file it is and of which version is asked before anything is written.
"""

from __future__ import annotations

import errno
import json
import os
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from yinju.errors import StoreError, StoreReadOnly
from yinju.failing import reach
from yinju.messages import say
from yinju.store import attachments, backup, memory, migrations, opening
from yinju.store.faults import READ_ONLY, damaged, explain, newer, not_ours, of_system, read_only, translated
from yinju.store.lock import WriterLock
from yinju.store.opening import APPLICATION_ID, NAME

if TYPE_CHECKING:
    import apsw

BEFORE = "before-format-"  # what is kept of a library before its format was changed
_CREATION_WAIT = 10.0  # seconds: another process may be making the same library just now


class Database:
    """Where the truth lies and how connections to it are made. `path` is None in memory; `writable` is False where nothing can be written."""

    def __init__(self, folder: Path | None, *, read_only: bool, create: bool) -> None:
        """Make or check the file. Raises StoreError, StoreReadOnly."""
        opening.load_extension()
        self.folder = folder
        self.path = folder / NAME if folder else None
        self.writable = not read_only
        self._immutable = False
        self._memory: apsw.Connection | None = None
        self._address = ""
        with translated(self.path):
            if self.path is None:
                self._address = memory.new_address()
                self._memory = _new_in_memory(self._address)
            else:
                self._open_file(self.path, create=create and not read_only)

    def connect(self, *, writing: bool = False) -> apsw.Connection:
        """Return a new connection, or in memory the only one."""
        if self._memory is not None:
            return self._memory
        assert self.path is not None
        return opening.connect(self.path, writing=writing, immutable=self._immutable)

    def connect_beside(self) -> apsw.Connection:
        """Return a new connection for reading, also in memory."""
        if self._memory is None:
            return self.connect()
        return opening.prepared(memory.open_at(self._address), writing=False)

    def _open_file(self, path: Path, *, create: bool) -> None:
        if not path.exists():
            if not create:
                raise StoreError(
                    say("there is no library in {folder}", "{folder} 中没有资料库", folder=path.parent),
                    say("Make one with `yinju sync`.", "请用 `yinju sync` 建立。"),
                    code="missing",
                )
            _create(path)
        if path.stat().st_size == 0:
            raise damaged(path, "empty")
        self.writable = self.writable and os.access(path.parent, os.W_OK) and os.access(path, os.W_OK)
        connection = self._first_connection(path)
        try:
            self._check(connection, path)
        finally:
            connection.close()

    def _first_connection(self, path: Path) -> apsw.Connection:
        """Open for reading; where the folder lets SQLite make no WAL beside the file, as an immutable file."""
        import apsw

        connection = None
        try:
            connection = opening.connect(path, bare=True)
            connection.execute("select count(*) from sqlite_schema").fetchall()
        except (apsw.CantOpenError, apsw.ReadOnlyError) as error:
            log = path.with_name(path.name + "-wal")
            if log.exists() and log.stat().st_size:
                raise _kept_from(path, error, 0 if connection is None else connection.system_errno) from error
            self._immutable = True
            self.writable = False
            connection = opening.connect(path, immutable=True, bare=True)
        return connection

    def _check(self, connection: apsw.Connection, path: Path) -> None:
        if connection.pragma("application_id") != APPLICATION_ID:
            raise not_ours(path)
        version = migrations.version(connection)
        if version > migrations.CURRENT:
            raise newer(path, version, migrations.CURRENT)
        if version < migrations.CURRENT:
            self._change(path, _bring_up_to_date)
        elif self.writable and (attachments.is_there(connection) or connection.pragma("journal_mode") != "wal"):
            self._change(path, _settle)

    def _change(self, path: Path, change: Callable[[Path], None]) -> None:
        """Do what has to be done to the file before it can be used, as its only writer."""
        if not self.writable:
            raise read_only(path.parent)
        lock = WriterLock(path.parent, wait=_CREATION_WAIT)
        try:
            change(path)
        finally:
            lock.release()


def _settle(path: Path) -> None:
    """Make a backup that was restored but for its attached files, or put here by hand, a library in use."""
    from yinju.store import restore

    connection = opening.connect(path, writing=True)
    connection.pragma("journal_mode", "wal")
    connection.close()
    restore.finish(path)


def _bring_up_to_date(path: Path) -> None:
    """Keep the file as it is under another name, then take all steps that it lacks. The caller holds the writer's lock."""
    connection = opening.connect(path, writing=True)
    try:
        if migrations.version(connection) < migrations.CURRENT:  # else another process did it meanwhile
            kept = path.with_name(f"{BEFORE}{migrations.CURRENT}.db")
            made = backup.write(path, kept, replace=True, files=False, agreements=False)
            reach("migrate-saved")
            migrations.migrate(connection)
            backup.remember(path, made)
            for older in path.parent.glob(f"{BEFORE}*.db"):
                if older != kept:
                    older.unlink(missing_ok=True)
    finally:
        connection.close()


def _kept_from(path: Path, error: apsw.Error, number: int) -> StoreError:
    """Return the error for a library with a log that SQLite could not take in, by what the system says, `number` being its last error.

    SQLite says the same of a folder that is read-only and of a disk that fails: it could make no file beside.
    """
    try:
        opening.try_folder(path.parent)
    except OSError as fault:
        return _unfinished(path) if fault.errno in READ_ONLY else of_system(fault, path)
    if number == errno.EIO:
        return of_system(OSError(number, os.strerror(number)), path)
    return explain(error, path, os.strerror(number) if number else "")


def _unfinished(path: Path) -> StoreReadOnly:
    return StoreReadOnly(
        say(
            "the library {path} was not closed, and its folder is read-only, so that it cannot be put in order",
            "资料库 {path} 未正常关闭，而其文件夹只读，无法整理",
            path=path,
        ),
        say("Open it once where it can be written to, or copy the folder.", "请在可写的位置打开一次，或复制该文件夹。"),
        code="unfinished",
    )


def _new_in_memory(address: str) -> apsw.Connection:
    connection = memory.open_at(address, create=True)
    migrations.migrate(connection)
    return opening.prepared(connection, writing=True)


def _create(path: Path) -> None:
    """Make the library's file, unless another process does so first."""
    folder = path.parent
    opening.make_folder(folder)
    lock = WriterLock(folder, wait=_CREATION_WAIT)
    try:
        opening.remove_drafts(folder)
        if not path.exists():
            _build(path)
    except OSError as error:
        raise of_system(error, path) from error
    finally:
        lock.release()


def _build(path: Path) -> None:
    draft = path.with_name(f"new-{os.getpid()}-{secrets.token_hex(4)}.db")
    try:
        connection = opening.new_file(draft)
        try:
            migrations.migrate(connection)
            opening.close_new(connection)
        finally:
            connection.close()
        for suffix in (
            "-wal",
            "-shm",
        ):  # of a library whose file somebody deleted: they must not be replayed onto the new one
            path.with_name(path.name + suffix).unlink(missing_ok=True)
        reach("create")
        os.replace(draft, path)
        opening.sync_folder(path.parent)
    finally:
        opening.remove_with_logs(draft)


def to_cell(text: str) -> str:
    """Return the text as SQLite can hold it: itself, or marked JSON where it is no valid Unicode."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return "\x01" + json.dumps(text)
    return "\x01" + json.dumps(text) if text.startswith("\x01") or "\0" in text else text


def from_cell(cell: str) -> str:
    """Return the text that `to_cell` was given."""
    return str(json.loads(cell[1:])) if cell.startswith("\x01") else cell


def maybe_to_cell(text: str | None) -> str | None:
    """`to_cell` for a text that may be missing."""
    return None if text is None else to_cell(text)


def maybe_from_cell(cell: str | None) -> str | None:
    """`from_cell` for a text that may be missing."""
    return None if cell is None else from_cell(cell)
