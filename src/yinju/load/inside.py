"""A file opened by its path, proved to lie in the folder that it was found in.

Between the scan that finds a file and the moment when it is opened, whoever may write to the folder can put a link in its place, or in the place of a
folder above it, and have the owner of a library read what the owner alone may read. So the real path is walked down from the folder, one
name after the other, none of which may be a link by then. Where a system cannot open a file relative to a folder (Windows), what was opened
is compared with what lies at the real path afterwards.
"""

from __future__ import annotations

import os

from yinju.errors import DocumentError
from yinju.messages import say

# Do not wait for the other end of a pipe, never become the owner of a terminal; both are 0 where the system has no such thing.
_FLAGS = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)
_CAN_WALK = os.open in os.supports_dir_fd and hasattr(os, "O_NOFOLLOW") and hasattr(os, "O_DIRECTORY")
_FOLDER = getattr(os, "O_PATH", os.O_RDONLY) | getattr(os, "O_DIRECTORY", 0)
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)


def opened(path: str | os.PathLike[str], folder: str | None) -> int:
    """Return a descriptor of the file at `path`, whose real place has to be in `folder` (None: anywhere).

    Raises OSError, ValueError for a path with a zero byte, DocumentError (`changed-during-read`) for one that leads out of the folder.
    """
    if folder is None:
        return os.open(path, _FLAGS)
    top, real = os.path.realpath(folder), os.path.realpath(path)
    names = _below(real, top)
    if not names:
        raise _elsewhere()
    return _walked(top, names) if _CAN_WALK else _compared(real, top)


def _below(real: str, top: str) -> list[str]:
    """Return the names from the folder down to a path, none where it does not lie in it."""
    start = top.rstrip(os.sep) + os.sep
    return real[len(start) :].split(os.sep) if real.startswith(start) else []


def _walked(top: str, names: list[str]) -> int:
    *above, last = names
    here = os.open(top, _FOLDER)
    try:
        for name in above:
            below = os.open(name, _FOLDER | _NO_LINK, dir_fd=here)
            os.close(here)
            here = below
        return os.open(last, _FLAGS | _NO_LINK, dir_fd=here)
    except OSError as error:
        if os.path.realpath(os.path.join(top, *names)) != os.path.join(top, *names):
            raise _elsewhere() from error
        raise
    finally:
        os.close(here)


def _compared(real: str, top: str) -> int:
    handle = os.open(real, _FLAGS)
    try:
        still = os.path.realpath(real)
        if not _below(still, top) or not os.path.samestat(os.fstat(handle), os.lstat(still)):
            raise _elsewhere()
    except BaseException:
        os.close(handle)
        raise
    return handle


def _elsewhere() -> DocumentError:
    return DocumentError(
        say("a link took its place while it was read", "读取时它被换成了链接"),
        say("sync again when nothing writes to the folder", "请在没有程序写入该文件夹时再同步"),
        code="changed-during-read",
    )
