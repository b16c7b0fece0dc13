"""How any file of ours is opened: the checksum extension first, since only connections of a process that has it check and write checksums."""

from __future__ import annotations

import contextlib
import ctypes
import os
import re
import secrets
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from yinju import private
from yinju.errors import StoreError, StoreReadOnly
from yinju.messages import say

if TYPE_CHECKING:
    import apsw

NAME = "library.db"
APPLICATION_ID = 0x59494E4A  # "YINJ"
MINIMUM_SQLITE = (3, 51, 3)  # older libraries can corrupt a WAL database with two connections
_BUSY_MS = 5000
_OWN = re.compile(
    r"library\.db(-wal|-shm|-journal)?|writer\.lock|new-\d+-[0-9a-f]+\.db(-wal|-shm|-journal)?|vectors-.+\.(view|new)"
    r"|before-format-\d+\.db|(replaced|damaged|unpacking)-.+|feedback(-open)?\.jsonl|backups\.jsonl"
)
_OWN_FOLDERS = ("uploads", "evaluations", "cases")
_extension: list[apsw.Connection] = []  # holds the connection that loaded the extension


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


def connect(path: Path, *, writing: bool = False, immutable: bool = False, bare: bool = False) -> apsw.Connection:
    """Open a file that is there. `bare`: nothing of it is read yet, nothing set. Raises errors of SQLite.

    `immutable`: nobody writes to it and no log lies beside it, for places where SQLite may make no files.
    """
    import apsw

    load_extension()
    flags = apsw.SQLITE_OPEN_READWRITE if writing else apsw.SQLITE_OPEN_READONLY
    place = path.absolute().as_posix()
    address = "file:" + ("" if place.startswith("/") else "/") + quote(place, safe="/:", errors="surrogateescape")
    if immutable:
        address += "?immutable=1"
    connection = apsw.Connection(address, flags=flags | apsw.SQLITE_OPEN_URI)
    connection.set_busy_timeout(_BUSY_MS)
    return connection if bare else prepared(connection, writing=writing)


def prepared(connection: apsw.Connection, *, writing: bool) -> apsw.Connection:
    """Set what every connection of ours is set to, and return it."""
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


def new_file(path: Path) -> apsw.Connection:
    """Make an empty file with room for a checksum on each page, readable by its owner alone, and open it for writing."""
    import apsw

    load_extension()
    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    connection = apsw.Connection(str(path))
    connection.reserve_bytes(None, 8)
    connection.execute("vacuum")
    connection.pragma("journal_mode", "wal")
    connection.pragma("synchronous", "full")
    assert str(connection.pragma("checksum_verification")) == "1"
    connection.pragma("application_id", APPLICATION_ID)
    return connection


def has_moved(connection: apsw.Connection) -> bool:
    """Return whether the file that this connection reads is no longer the one of that name. Where files in use cannot be replaced: False."""
    import apsw

    moved = ctypes.c_int(0)
    known = connection.file_control("main", apsw.SQLITE_FCNTL_HAS_MOVED, ctypes.addressof(moved))
    return bool(known and moved.value)


def close_new(connection: apsw.Connection) -> None:
    """Close a new file with all of it in the file itself. Raises errors of SQLite.

    On a full disk closing alone leaves a log beside it, without a word, and what is renamed then is half a file.
    """
    connection.execute("pragma wal_checkpoint(truncate)").fetchall()
    connection.close()


def make_folder(folder: Path) -> None:
    """Make a library's folder, which no version control looks into. Raises StoreReadOnly.

    In a folder that holds other files already, such as the documents themselves, nothing is hidden: those are the user's.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        hide(folder)
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


def hide(folder: Path) -> None:
    """Let the folder's own `.gitignore` name all that is in it, unless something in it is not ours. Raises OSError."""
    ignore = folder / ".gitignore"
    if all(is_own(entry.name) or entry.name in _OWN_FOLDERS or entry == ignore for entry in folder.iterdir()) and not (
        ignore.is_file() and ignore.read_bytes() == b"*\n"
    ):
        private.write(ignore, "*\n")


def is_own(name: str) -> bool:
    """Return whether a library writes files under this name, which are no documents of whoever keeps both in one folder."""
    return _OWN.fullmatch(name) is not None


def try_folder(folder: Path) -> None:
    """Write a file into the folder, and remove it. Raises OSError, which says why no file can be made there."""
    trial = folder / f"new-{os.getpid()}-{secrets.token_hex(4)}.db"
    try:
        with open(os.open(trial, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as file:
            file.write(b"\0")
    finally:
        trial.unlink(missing_ok=True)


def remove_drafts(folder: Path) -> None:
    """Remove drafts of a library that a process left behind when it was killed. The caller holds the writer's lock, as whoever makes one does."""
    for draft in folder.glob("new-*.db"):
        remove_with_logs(draft)


def remove_with_logs(path: Path) -> None:
    """Remove a file of SQLite and what SQLite keeps beside it, as far as they are there and the system lets us."""
    for suffix in ("", "-wal", "-shm", "-journal"):
        with contextlib.suppress(OSError):
            path.with_name(path.name + suffix).unlink(missing_ok=True)


def sync_folder(folder: Path) -> None:
    """Put new names on disk, where the system can do that for a folder."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
