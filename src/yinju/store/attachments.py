"""The files beside the truth that nobody could make again, as rows of a backup and as files once more.

A backup may come from anybody, so that a name in it is only a claim. Names are held to what this program writes itself (known folders, plain
components) before anything is written, and files are written below a fresh folder that nobody else knows, never over what is there.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from yinju.errors import StoreError
from yinju.messages import say
from yinju.store import sql

if TYPE_CHECKING:
    import apsw

TABLE = "attachment"
SHAPE = "create table attachment(name text not null, part integer not null, content blob not null, primary key(name, part)) without rowid"
FOLDERS = ("uploads", "evaluations", "cases")
FILES = ("feedback.jsonl", "feedback-open.jsonl", "settings.toml")
MAXIMUM_FILES = 100_000
MAXIMUM_BYTES = 1 << 40  # of all files together
MAXIMUM_DEPTH = 12
PART_BYTES = 1 << 20
_NAME_BYTES = 255
_RESERVED = {"con", "prn", "aux", "nul", "clock$"} | {
    f"{port}{digit}" for port in ("com", "lpt") for digit in "0123456789¹²³"
}
_FORBIDDEN = frozenset('<>:"|?*\\/')


@dataclass(frozen=True, slots=True)
class Item:
    """A file beside the truth, its name below the library's folder with `/`."""

    name: str
    path: Path
    size: int


@dataclass(frozen=True, slots=True)
class Found:
    """What goes into a backup, and the names of what does not (links, odd names, too much)."""

    items: tuple[Item, ...]
    left_out: tuple[str, ...]


def beside(folder: Path) -> Found:
    """Return what lies beside the truth and belongs into a backup. Links are not followed."""
    items: list[Item] = []
    left_out: list[str] = []
    for path in _walk(folder):
        name = path.relative_to(folder).as_posix()
        try:
            found = path.lstat()
        except OSError:
            continue  # it went while we looked
        if not stat.S_ISREG(found.st_mode) or complaint(name) is not None or len(items) >= MAXIMUM_FILES:
            left_out.append(name)
        else:
            items.append(Item(name, path, found.st_size))
    return Found(tuple(items), tuple(left_out))


def _walk(folder: Path) -> Iterator[Path]:
    for name in FILES:
        if os.path.lexists(folder / name):
            yield folder / name
    for name in FOLDERS:
        top = folder / name
        if top.is_symlink():
            yield top
            continue
        for place, folders, files in os.walk(top):
            folders.sort()
            for inner in [inner for inner in folders if (Path(place) / inner).is_symlink()]:
                yield Path(place) / inner
            for file in sorted(files):
                yield Path(place) / file


def pack(connection: apsw.Connection, found: Found) -> int:
    """Write the files as rows into a table that is made for them. Return how many there are; one that goes meanwhile is left out."""
    connection.execute(SHAPE)
    count = 0
    for item in found.items:
        try:
            with item.path.open("rb") as file:
                for number, content in enumerate(_parts(file.read, item.size)):
                    connection.execute("insert into attachment values(?, ?, ?)", (item.name, number, content))
        except FileNotFoundError:
            continue
        count += 1
    return count


def _parts(read: object, size: int) -> Iterator[bytes]:
    """Yield a file's bytes as far as it reached when it was counted, at least one part."""
    assert callable(read)
    left, first = size, True
    while left > 0 or first:
        content: bytes = read(min(PART_BYTES, max(left, 0)))
        if not content and not first:
            return
        yield content
        left, first = left - len(content), False


def is_there(connection: apsw.Connection) -> bool:
    """Return whether the file has attachments, which a library in use has not."""
    return sql.cell(connection, "select 1 from sqlite_schema where type = 'table' and name = ?", (TABLE,)) is not None


def names(connection: apsw.Connection) -> list[str]:
    """Return the names of the attachments. Raises StoreError where one of them, or all together, are not what a backup holds."""
    rows = sql.rows(
        connection, "select name, count(*), max(part), min(part), total(length(content)) from attachment group by name"
    )
    total = 0.0
    for name, count, last, first, size in rows:
        what = complaint(name) if isinstance(name, str) else "no text"
        if what is None and (first, last) != (0, count - 1):
            what = "parts are missing"
        if what is not None:
            raise _refused(str(name), what)
        total += size
    if len(rows) > MAXIMUM_FILES or total > MAXIMUM_BYTES:
        raise _refused("…", "too many or too large")
    _check_no_file_is_a_folder([str(row[0]) for row in rows])
    return [str(row[0]) for row in rows]


def _check_no_file_is_a_folder(found: list[str]) -> None:
    files = set(found)
    for name in found:
        parts = name.split("/")
        if any("/".join(parts[:depth]) in files for depth in range(1, len(parts))):
            raise _refused(name, "inside a file")


def unpack(connection: apsw.Connection, folder: Path) -> int:
    """Write the attachments as files below `folder`, which is new and empty. Return how many. Raises StoreError, OSError."""
    found = names(connection)
    for name in found:
        path = folder.joinpath(*name.split("/"))
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0)
        with open(os.open(path, flags, 0o600), "wb") as file:
            for (content,) in connection.execute(
                "select content from attachment where name = ? order by part", (name,)
            ):
                file.write(content)
            file.flush()
            os.fsync(file.fileno())
    return len(found)


def complaint(name: str) -> str | None:
    """Return what is wrong with the name of an attachment, None where nothing is: a plain relative path to where such files lie."""
    parts = name.split("/")
    if not (name in FILES or (len(parts) > 1 and parts[0] in FOLDERS)):
        return "not a file that belongs to a library"
    if len(parts) > MAXIMUM_DEPTH:
        return "too deep"
    return next((what for part in parts if (what := _wrong_with(part)) is not None), None)


def _wrong_with(part: str) -> str | None:
    try:
        length = len(part.encode())
    except UnicodeEncodeError:
        return "no valid Unicode"
    if part in {"", ".", ".."}:
        return "leads elsewhere"
    if length > _NAME_BYTES:
        return "too long"
    if any(character in _FORBIDDEN or ord(character) < 32 or ord(character) == 127 for character in part):
        return "a character that names may not hold"
    if part[-1] in " ." or part.split(".", maxsplit=1)[0].rstrip().lower() in _RESERVED:
        return "a name that systems keep for themselves"
    return None


def _refused(name: str, what: str) -> StoreError:
    return StoreError(
        say(
            "the backup holds a file that no backup of ours does: {name!r} ({what})",
            "备份中有不属于引据备份的文件：{name!r}（{what}）",
            name=name[:200],
            what=what,
        ),
        say("Nothing was changed. Do not trust this file.", "没有改动任何内容。请不要信任这个文件。"),
        code="hostile-backup",
    )
