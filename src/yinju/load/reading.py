"""A file on disk to bytes, read once: digest and text are of the same moment, and nothing but a regular file is ever opened for long."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from yinju.errors import DocumentError
from yinju.load import archive, inside
from yinju.load.loading import load, too_large
from yinju.load.parsed import DEFAULT_LIMITS, Limits, Loaded
from yinju.messages import say

_PIECE = 1 << 20


def load_file(path: str | Path, source: str, *, limits: Limits = DEFAULT_LIMITS, folder: str | None = None) -> Loaded:
    """Return the file at `path` as a document named `source`; it has to lie in `folder`, wherever links lead meanwhile.

    Raises DocumentError as `load` does, and with code missing, permission, not-a-file, changed-during-read.
    """
    data, modified_ns = read_bytes(path, limits, folder)
    return load(data, source, limits=limits, modified_ns=modified_ns)


def read_bytes(path: str | Path, limits: Limits = DEFAULT_LIMITS, folder: str | None = None) -> tuple[bytes, int]:
    """Return the bytes of a file and its time of change in nanoseconds. Tries once more when it changes in between."""
    try:
        first = _read_once(path, limits, folder)
        found = first if first is not None else _read_once(path, limits, folder)
    except OSError as error:
        raise _unreadable(error) from None
    except ValueError:  # a zero byte in the path
        raise _unreadable(FileNotFoundError()) from None
    if found is None:
        raise DocumentError(
            say("it changed while it was read", "读取时文件发生了变化"),
            say("sync again when nothing writes to it", "请在没有程序写入时再同步"),
            code="changed-during-read",
        )
    return found


def _read_once(path: str | Path, limits: Limits, folder: str | None) -> tuple[bytes, int] | None:
    """Return None where size or time of the file changed, or more or fewer bytes came than it should have."""
    if (place := archive.split(os.fspath(path))) is not None:
        return archive.read_member(*place, limits, folder)
    handle = inside.opened(path, folder)
    try:
        before = os.fstat(handle)
        if not stat.S_ISREG(before.st_mode):
            raise _not_a_file()
        if before.st_size > limits.file_bytes:
            raise too_large(before.st_size, limits)
        pieces, size = [], 0
        while size <= before.st_size and (piece := os.read(handle, _PIECE)):
            pieces.append(piece)
            size += len(piece)
        after = os.fstat(handle)
    finally:
        os.close(handle)
    unchanged = (before.st_size, before.st_mtime_ns) == (after.st_size, after.st_mtime_ns) and size == before.st_size
    return (b"".join(pieces), before.st_mtime_ns) if unchanged else None


def _not_a_file() -> DocumentError:
    return DocumentError(
        say("neither a file nor a link to one", "不是普通文件"), say("nothing to do", "无需处理"), code="not-a-file"
    )


def _unreadable(error: OSError) -> DocumentError:
    if isinstance(error, (FileNotFoundError, NotADirectoryError)):
        return DocumentError(
            say("there is no such file", "文件不存在"), say("sync again", "请重新同步"), code="missing"
        )
    if isinstance(error, IsADirectoryError):
        return _not_a_file()
    return DocumentError(
        say("it cannot be read: {reason}", "无法读取：{reason}", reason=error.strerror or type(error).__name__),
        say("check its permissions and the disk", "请检查权限和磁盘"),
        code="permission",
    )
