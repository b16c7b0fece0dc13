"""One file that holds a library as it was at one moment, made while others go on writing.

SQLite copies the pages of one snapshot into a draft beside the target; what the library's folder holds besides that cannot be made anew
(uploads, evaluations) goes in as rows. Only a draft that passes the check, and is on disk, gets the name that was asked for, by renaming:
whoever finds a backup finds a whole one.

The file is a library's in all but two things: it keeps no write-ahead log, so that it is one file, and it has the table of `attachments`.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from yinju import private
from yinju.errors import StoreError, StoreReadOnly, UsageError
from yinju.failing import reach
from yinju.messages import say
from yinju.store import attachments, check, opening, sql
from yinju.store.faults import damaged, is_unreadable, owner_only, translated

if TYPE_CHECKING:
    import apsw

    from yinju.store.store import Store

KNOWN = "backups.jsonl"
_MOST_KNOWN = 50
_PAGES_AT_ONCE = 4_096
_ABANDONED = 3_600.0  # seconds since the last write to a draft that nobody works at any more
_MARGIN = 1 << 20  # bytes


@dataclass(frozen=True, slots=True)
class Backup:
    """A backup that was made. `left_out` are files beside the library whose names or kinds no restore would accept."""

    path: Path
    generation: int
    documents: int
    files: int
    size_bytes: int
    left_out: tuple[str, ...] = ()


def save(store: Store, target: Path, *, replace: bool = False) -> Backup:
    """Make a backup of an open library and write it into the library's log. Raises what `write` raises, StoreReadOnly for who is no owner."""
    if not store.sees_all:
        raise owner_only()
    if store.path is None:
        raise UsageError(
            say("A library in memory has no backup.", "内存中的资料库无法备份。"),
            say("Open one in a folder.", "请打开文件夹中的资料库。"),
        )
    made = write(store.path, target.expanduser(), replace=replace)
    remember(store.path, made)
    return made


def write(path: Path, target: Path, *, replace: bool = False, files: bool = True, agreements: bool = True) -> Backup:
    """Copy the library whose truth lies in `path` to `target`, checked, and on disk when this returns; readable by its owner alone.

    `replace`: the target may be there. `files`: with what lies beside the truth. `agreements`: tables that
    disagree are damage, too. Raises UsageError (the target is there, or is no place for a
    backup), StoreReadOnly (cannot be written there), StoreError (the library is damaged, the disk is full): then there is no new file.
    """
    target = target.absolute()
    _check_target(path, target, replace=replace)
    draft = target.with_name(f"{target.name}.{secrets.token_hex(4)}.part")
    try:
        made = _fill(path, draft, target, files=files, agreements=agreements)
        reach("backup-checked")
        os.replace(draft, target)
        reach("backup-renamed")
        opening.sync_folder(target.parent)
    except OSError as error:
        raise _cannot_write(target, error.strerror or type(error).__name__) from error
    finally:
        opening.remove_with_logs(draft)
    return made


def remember(path: Path, made: Backup) -> bool:
    """Write the backup into the library's log, so that a purge can name the files that still hold a text. Return whether it could be.

    This needs no writer's lock: it is one line in a transaction of its own, and a sync that is at work goes on beside it. The path goes into
    a file beside the library, too: where the library is damaged nobody can ask its log what it could be repaired from.
    """
    content = json.dumps({"path": str(made.path), "generation": made.generation})
    with contextlib.suppress(OSError):
        beside = path.with_name(KNOWN)
        before = beside.read_text(encoding="utf-8").splitlines() if beside.exists() else []
        lines = [*[line for line in before if line != content][-_MOST_KNOWN:], content]
        draft = beside.with_suffix(".new")
        private.write(draft, "\n".join(lines) + "\n")
        os.replace(draft, beside)
    with contextlib.suppress(StoreError), translated(path):
        connection = opening.connect(path, writing=True)
        try:
            connection.execute(
                "insert into log(kind, time, generation, content)"
                " values('backup', strftime('%Y-%m-%dT%H:%M:%SZ', 'now'), ?, ?)",
                (made.generation, content),
            )
        finally:
            connection.close()
        return True
    return False


def copy_pages(source: apsw.Connection, draft: Path) -> None:
    """Copy the snapshot that `source` sees into a new file that keeps no write-ahead log. Raises errors of SQLite."""
    # A first page that says that pages have checksums has to be there before others are written: only then they are computed,
    # and pages that lie in the write-ahead log alone have none yet.
    opening.new_file(draft).close()
    copy = opening.connect(draft, writing=True, bare=True)
    try:
        copy.pragma("journal_mode", "off")  # a draft that fails is thrown away
        copy.pragma("synchronous", "off")  # it is put on disk at the end, once
        sql.rows(copy, "select * from sqlite_schema")
        with copy.backup("main", source, "main") as work:
            while not work.done:
                work.step(_PAGES_AT_ONCE)
                reach("backup-pages")
    finally:
        copy.close()
    copy = opening.connect(draft, writing=True, bare=True)
    try:
        copy.pragma("journal_mode", "delete")  # the copied pages say "wal"
    finally:
        copy.close()


def put_on_disk(path: Path) -> None:
    """Wait until what was written to a file is on disk. Raises OSError."""
    descriptor = os.open(path, os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _fill(path: Path, draft: Path, target: Path, *, files: bool, agreements: bool) -> Backup:
    with translated(path):
        source = opening.connect(path)
    try:
        with translated(path):
            source.execute("begin")  # one snapshot, however long it takes
            generation, documents = sql.generation(source), int(sql.cell(source, "select count(*) from document"))
            size = int(source.pragma("page_count")) * int(source.pragma("page_size"))
        found = attachments.beside(path.parent) if files else attachments.Found((), ())
        needed = size + sum(item.size for item in found.items) + _MARGIN
        with _writing(path, target, needed):
            _check_room(target, needed)
            copy_pages(source, draft)
            reach("backup-copied")
            count = _attach(draft, found) if files else 0
    finally:
        source.close()
    reach("backup-filled")
    _check(draft, path, agreements=agreements)
    put_on_disk(draft)
    return Backup(target, generation, documents, count, draft.stat().st_size, found.left_out)


def _attach(draft: Path, found: attachments.Found) -> int:
    connection = opening.connect(draft, writing=True, bare=True)
    try:
        connection.pragma("journal_mode", "memory")
        connection.pragma("synchronous", "off")
        connection.execute("begin")
        count = attachments.pack(connection, found)
        connection.execute("commit")
    finally:
        connection.close()
    return count


def _check(draft: Path, path: Path, *, agreements: bool) -> None:
    """Raise StoreError where the copy is not sound, which its original then is not either."""
    with translated(path):
        connection = opening.connect(draft)
        try:
            problems = check.problems(connection, agreements=agreements)
        finally:
            connection.close()
    if problems:
        raise StoreError(
            say(
                "the library {path} is damaged, so that no backup of it was made: {what}",
                "资料库 {path} 已损坏，因此没有备份：{what}",
                path=path,
                what=problems[0],
            ),
            say("Run `yinju doctor --repair`, then try again.", "请运行 `yinju doctor --repair`，然后重试。"),
            code="damaged",
        )


def _check_target(path: Path, target: Path, *, replace: bool) -> None:
    if target.name == path.name or target.is_dir():
        raise UsageError(
            say("{target} cannot be a backup.", "{target} 不能用作备份文件。", target=target),
            say("Name a new file, such as `help-centre.backup`.", "请给出一个新文件名，例如 `help-centre.backup`。"),
        )
    if os.path.lexists(target) and not replace:
        raise UsageError(
            say("{target} is there already.", "{target} 已经存在。", target=target),
            say("Name another file, or add --force to replace it.", "请换一个文件名，或加 --force 替换它。"),
            code="exists",
        )
    if not target.parent.is_dir():
        raise _cannot_write(target, say("there is no such folder", "没有这个文件夹"))
    for abandoned in target.parent.glob(f"{_literal(target.name)}.*.part*"):
        with contextlib.suppress(OSError):
            if time.time() - abandoned.stat().st_mtime > _ABANDONED:
                abandoned.unlink()


def _literal(name: str) -> str:
    return "".join(f"[{character}]" if character in "*?[" else character for character in name)


def _check_room(target: Path, needed: int) -> None:
    with contextlib.suppress(OSError):
        free = shutil.disk_usage(target.parent).free
        if free < needed:
            raise _full(target, needed, free)


@contextmanager
def _writing(path: Path, target: Path, needed: int) -> Iterator[None]:
    """Tell apart whether the library cannot be read or the copy cannot be written, which SQLite reports alike."""
    import apsw

    try:
        yield
    except apsw.FullError as error:
        free = 0
        with contextlib.suppress(OSError):
            free = shutil.disk_usage(target.parent).free
        raise _full(target, needed, free) from error
    except (apsw.CorruptError, apsw.NotADBError) as error:
        raise damaged(path, str(error)) from error
    except apsw.IOError as error:
        if is_unreadable(error):
            raise damaged(path, str(error)) from error
        raise _cannot_write(target, str(error)) from error
    except (apsw.CantOpenError, apsw.ReadOnlyError, apsw.PermissionsError) as error:
        raise _cannot_write(target, str(error)) from error
    except apsw.Error as error:
        with translated(path):
            raise error


def _full(target: Path, needed: int, free: int) -> StoreError:
    return StoreError(
        say(
            "there is no room for the backup {target}: it takes {needed:,} bytes, {free:,} are free",
            "没有足够空间存放备份 {target}：需要 {needed:,} 字节，可用 {free:,} 字节",
            target=target,
            needed=needed,
            free=free,
        ),
        say(
            "Free some space, or name another disk. Nothing was changed.",
            "请腾出空间，或换一个磁盘。没有改动任何内容。",
        ),
        code="disk-full",
    )


def _cannot_write(target: Path, why: str) -> StoreReadOnly:
    return StoreReadOnly(
        say("cannot write the backup {target}: {why}", "无法写入备份 {target}：{why}", target=target, why=why),
        say("Name a file in a folder that you may write to.", "请指定一个可写文件夹中的文件。"),
        code="cannot-write",
    )
