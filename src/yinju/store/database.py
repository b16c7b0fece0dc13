"""Opening the one file. The order of the pieces matters and is why this room exists:

1. the checksum extension is loaded before any file is opened, since only connections of a process that has it write checksums;
2. eight bytes a page are reserved before the first table is made, since checksums lie there;
3. a new file gets its whole shape under another name and appears by renaming, so that nobody ever sees half of it;
4. whose file it is and of which version is asked before anything is written.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from yinju.errors import StoreError, StoreReadOnly
from yinju.failing import reach
from yinju.messages import say
from yinju.store import migrations
from yinju.store.faults import damaged, read_only, translated
from yinju.store.lock import WriterLock

if TYPE_CHECKING:
    import apsw

NAME = "library.db"
APPLICATION_ID = 0x59494E4A  # "YINJ"
MINIMUM_SQLITE = (3, 51, 3)  # older libraries can corrupt a WAL database with two connections
_BUSY_MS = 5000
_CREATION_WAIT = 10.0  # seconds: another process may be making the same library just now
_extension: list[apsw.Connection] = []  # holds the connection that loaded the extension


class Database:
    """Where the truth lies and how connections to it are made. `path` is None in memory; `writable` is False where nothing can be written."""

    def __init__(self, folder: Path | None, *, read_only: bool, create: bool) -> None:
        """Make or check the file. Raises StoreError, StoreReadOnly."""
        load_extension()
        self.folder = folder
        self.path = folder / NAME if folder else None
        self.writable = not read_only
        self._immutable = False
        self._memory: apsw.Connection | None = None
        with translated(self.path):
            if self.path is None:
                self._memory = _new_in_memory()
            else:
                self._open_file(self.path, create=create and not read_only)

    def connect(self, *, writing: bool = False) -> apsw.Connection:
        """Return a new connection, or in memory the only one."""
        if self._memory is not None:
            return self._memory
        assert self.path is not None
        return _prepare(_open(self.path, writing=writing, immutable=self._immutable), writing=writing)

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

        try:
            connection = _open(path, writing=False, immutable=False)
            connection.execute("select count(*) from sqlite_schema").fetchall()
        except (apsw.CantOpenError, apsw.ReadOnlyError):
            log = path.with_name(path.name + "-wal")
            if log.exists() and log.stat().st_size:
                raise _unfinished(path) from None
            self._immutable = True
            self.writable = False
            connection = _open(path, writing=False, immutable=True)
        return connection

    def _check(self, connection: apsw.Connection, path: Path) -> None:
        if connection.pragma("application_id") != APPLICATION_ID:
            raise StoreError(
                say("{path} is not a library of Yinju", "{path} 不是引据的资料库", path=path),
                say("Choose another folder with --library.", "请用 --library 指定其他文件夹。"),
                code="not-a-library",
            )
        version = migrations.version(connection)
        if version > migrations.CURRENT:
            raise StoreError(
                say(
                    "{path} has format {version}; this program knows formats up to {current}",
                    "{path} 的格式为 {version}；本程序只支持到格式 {current}",
                    path=path,
                    version=version,
                    current=migrations.CURRENT,
                ),
                say("Install a newer Yinju.", "请安装更新版本的引据。"),
                code="newer-format",
            )
        if version < migrations.CURRENT:
            self._migrate(path)

    def _migrate(self, path: Path) -> None:
        if not self.writable:
            raise read_only(path.parent)
        lock = WriterLock(path.parent, wait=_CREATION_WAIT)
        try:
            connection = _prepare(_open(path, writing=True, immutable=False), writing=True)
            migrations.migrate(connection)
            connection.close()
        finally:
            lock.release()


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


def load_extension() -> None:
    """Load the page checksums into this process, once. Raises StoreError where SQLite is too old."""
    import apsw

    if _extension:
        return
    found = apsw.sqlite_lib_version()
    if tuple(int(part) for part in found.split(".")) < MINIMUM_SQLITE:
        raise StoreError(
            say("SQLite {found} can damage libraries", "SQLite {found} 可能损坏资料库", found=found),
            say("Run `pip install --upgrade apsw`.", "请运行 `pip install --upgrade apsw`。"),
            code="old-sqlite",
        )
    import apsw.sqlite_extra

    holder = apsw.Connection(":memory:")
    apsw.sqlite_extra.load(holder, "cksumvfs")
    _extension.append(holder)


def _open(path: Path, *, writing: bool, immutable: bool) -> apsw.Connection:
    import apsw

    flags = apsw.SQLITE_OPEN_READWRITE if writing else apsw.SQLITE_OPEN_READONLY
    place = path.absolute().as_posix()
    address = "file:" + ("" if place.startswith("/") else "/") + quote(place, safe="/:", errors="surrogateescape")
    if immutable:
        address += "?immutable=1"
    connection = apsw.Connection(address, flags=flags | apsw.SQLITE_OPEN_URI)
    connection.set_busy_timeout(_BUSY_MS)
    return connection


def _prepare(connection: apsw.Connection, *, writing: bool) -> apsw.Connection:
    connection.pragma("temp_store", "memory")
    connection.pragma("cache_size", -16_000)  # KiB
    connection.execute("create virtual table temp.words_frequency using fts5vocab('main', 'words', 'row')")
    connection.execute("create virtual table temp.bigrams_frequency using fts5vocab('main', 'bigrams', 'row')")
    if writing:
        connection.pragma("synchronous", "full")
        connection.pragma("secure_delete", 1)
        connection.pragma("wal_autocheckpoint", 4000)  # pages
        connection.pragma("journal_size_limit", 64 << 20)  # bytes
    return connection


def _new_in_memory() -> apsw.Connection:
    import apsw

    connection = apsw.Connection(":memory:")
    migrations.migrate(connection)
    return _prepare(connection, writing=True)


def _create(path: Path) -> None:
    """Make the library's file, unless another process does so first."""
    folder = path.parent
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        ignore = folder / ".gitignore"
        if not ignore.exists():
            ignore.write_text("*\n", encoding="utf-8")
    except OSError as error:
        raise StoreReadOnly(
            say(
                "cannot make a library in {folder}: {error}",
                "无法在 {folder} 建立资料库：{error}",
                folder=folder,
                error=error,
            ),
            say("Choose another folder with --library.", "请用 --library 指定其他文件夹。"),
        ) from error
    lock = WriterLock(folder, wait=_CREATION_WAIT)
    try:
        if not path.exists():
            _build(path)
    finally:
        lock.release()


def _build(path: Path) -> None:
    import apsw

    draft = path.with_name(f"new-{os.getpid()}-{secrets.token_hex(4)}.db")
    try:
        os.close(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        connection = apsw.Connection(str(draft))
        connection.reserve_bytes(None, 8)
        connection.execute("vacuum")
        connection.pragma("journal_mode", "wal")
        connection.pragma("synchronous", "full")
        assert str(connection.pragma("checksum_verification")) == "1"
        connection.pragma("application_id", APPLICATION_ID)
        migrations.migrate(connection)
        connection.close()
        for suffix in (
            "-wal",
            "-shm",
        ):  # of a library whose file somebody deleted: they must not be replayed onto the new one
            path.with_name(path.name + suffix).unlink(missing_ok=True)
        reach("create")
        os.replace(draft, path)
        _sync_folder(path.parent)
    finally:
        for suffix in ("", "-wal", "-shm", "-journal"):
            draft.with_name(draft.name + suffix).unlink(missing_ok=True)


def _sync_folder(folder: Path) -> None:
    """Put the new name on disk, where the system can do that for a folder."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


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
