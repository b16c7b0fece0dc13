"""What SQLite says when something is wrong, turned into errors that a person can act on."""

from __future__ import annotations

import contextlib
import errno
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from yinju.errors import StoreBusy, StoreError, StoreReadOnly
from yinju.messages import say

if TYPE_CHECKING:
    import apsw

READ_ONLY = frozenset({errno.EROFS, errno.EACCES, errno.EPERM})


@contextmanager
def translated(path: Path | None) -> Iterator[None]:
    """Raise StoreError, StoreBusy or StoreReadOnly in place of an error of SQLite; other exceptions pass."""
    import apsw

    try:
        yield
    except apsw.Error as error:
        raise explain(error, path) from error


def explain(error: apsw.Error, path: Path | None, why: str = "") -> StoreError:
    """Return the error for people that says the same as SQLite's; `why`: what the system said to SQLite."""
    import apsw

    name = str(path) if path else ":memory:"
    detail = f"{error} ({why})" if why else str(error)
    if isinstance(error, (apsw.BusyError, apsw.LockedError)):
        return StoreBusy(
            say("the library {name} is in use by another process", "另一个进程正在使用资料库 {name}", name=name),
            say("Wait until it has finished, then try again.", "请等它结束后再试。"),
        )
    if isinstance(error, apsw.FullError):
        return _disk_full(path)
    if isinstance(error, (apsw.ReadOnlyError, apsw.PermissionsError, apsw.AuthError)):
        return read_only(path)
    if isinstance(error, apsw.CantOpenError):
        return StoreError(
            say("cannot open {name}: {detail}", "无法打开 {name}：{detail}", name=name, detail=detail),
            say("Check that the file is there and that you may read it.", "请确认该文件存在且可读。"),
            code="cannot-open",
        )
    if isinstance(error, apsw.IOError) and not is_unreadable(error):
        return _disk_fault(name, detail)
    if isinstance(error, (apsw.CorruptError, apsw.NotADBError, apsw.IOError, apsw.FormatError)):
        return damaged(path, what_is_wrong(error))
    return StoreError(
        say("the library {name} failed: {detail}", "资料库 {name} 出错：{detail}", name=name, detail=detail),
        say("Run `yinju doctor` and report what it says.", "请运行 `yinju doctor` 并反馈其输出。"),
    )


def of_system(error: OSError, path: Path) -> StoreError:
    """Return the error for people where the system could not make, rename or lock a file of the library."""
    if error.errno in {errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC)}:
        return _disk_full(path)
    if error.errno in READ_ONLY:
        return read_only(path)
    return _disk_fault(path, error.strerror or type(error).__name__)


def _disk_full(path: Path | None) -> StoreError:
    """SQLite does not say how much it would have needed; how much is there helps to see which disk is meant."""
    free = None
    with contextlib.suppress(OSError):
        free = None if path is None else shutil.disk_usage(path.parent).free
    room = "" if free is None else say(" ({free} bytes are free)", "（剩余 {free} 字节）", free=f"{free:,}")
    return StoreError(
        say("no space is left on the disk of {name}", "{name} 所在的磁盘已满", name=path or ":memory:") + room,
        say("Free some space and repeat the command; nothing was lost.", "请腾出空间后重复该命令；没有丢失任何内容。"),
        code="disk-full",
    )


def _disk_fault(path: Path | str | None, detail: str) -> StoreError:
    return StoreError(
        say("the disk of {name} failed: {detail}", "{name} 所在的磁盘出错：{detail}", name=path, detail=detail),
        say(
            "Check that the disk is there and has room, then repeat the command; nothing was lost.",
            "请确认磁盘可用且有空间，然后重复该命令；没有丢失任何内容。",
        ),
        code="disk-fault",
    )


def is_unreadable(error: apsw.Error) -> bool:
    """Return whether this is about what was read, and not about a disk that takes nothing (SQLITE_IOERR_READ, _SHORT_READ, _DATA, _CORRUPTFS)."""
    return getattr(error, "extendedresult", 10) >> 8 in {0, 1, 2, 32, 33}


def what_is_wrong(error: Exception) -> str:
    """Return for people what damage an error tells of: of a page that fails its checksum SQLite only says "disk I/O error"."""
    import apsw

    if isinstance(error, apsw.IOError):
        return say("a page does not have its checksum, or the disk failed", "有一页与其校验和不符，或磁盘出错")
    return str(error)


def damaged(path: Path | None, detail: str) -> StoreError:
    """Return the error for a file that does not hold what was written to it."""
    return StoreError(
        say("the file {name} is damaged ({detail})", "文件 {name} 已损坏（{detail}）", name=path, detail=detail),
        say(
            "Run `yinju doctor --repair`: it keeps what can be read and takes the rest from your documents, which are untouched.",
            "请运行 `yinju doctor --repair`：保留可读的内容，其余取自您的文档；文档不受影响。",
        ),
        code="damaged",
    )


def read_only(path: Path | None) -> StoreReadOnly:
    """Return the error for an attempt to write where nothing can be written."""
    return StoreReadOnly(
        say("the library {name} is read-only", "资料库 {name} 是只读的", name=path or ":memory:"),
        say(
            "Searching works. To change it, make its folder writable or choose another with --library.",
            "仍可检索。要修改它，请让该文件夹可写，或用 --library 指定另一个资料库。",
        ),
    )


def unplaced(error: StoreError) -> StoreError:
    """Return the error of a fault without its text, which names files of the owner."""
    text = say("The library cannot be read now.", "现在无法读取资料库。")
    return type(error)(text, say("Tell its owner.", "请告知所有者。"), code=error.code)


def owner_only() -> StoreReadOnly:
    """Return the error for what only the owner of the library may do or see."""
    return StoreReadOnly(
        say("only the owner of the library may do that", "只有资料库的所有者可以这样做"),
        say("Ask the owner; searching and reading work.", "请联系所有者；检索与阅读可以使用。"),
        code="owner-only",
    )


def not_ours(path: Path) -> StoreError:
    """Return the error for a file that SQLite can read and that is no library of ours."""
    return StoreError(
        say("{path} is not a library of Yinju", "{path} 不是引据的资料库", path=path),
        say("Choose another folder with --library.", "请用 --library 指定其他文件夹。"),
        code="not-a-library",
    )


def newer(path: Path, version: int, current: int) -> StoreError:
    """Return the error for a library whose format a later version made: `version`, where this one knows formats up to `current`."""
    return StoreError(
        say(
            "{path} has format {version}; this program knows formats up to {current}",
            "{path} 的格式为 {version}；本程序只支持到格式 {current}",
            path=path,
            version=version,
            current=current,
        ),
        say("Install a newer Yinju.", "请安装更新版本的引据。"),
        code="newer-format",
    )
