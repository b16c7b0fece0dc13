"""How another file becomes the truth: the old one stays beside it, and no kill between leaves anything but the old or the new.

What makes this more than a renaming is SQLite's write-ahead log, which belongs to a name and not to a file: a log of the old file beside the new
one would be replayed onto it. So the old file takes in its log first, then the log goes, and only then the new file gets the name. Readers
that have the old file open go on reading that; `Connections` notices that the name means another file and opens it anew.
"""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path

from yinju.errors import StoreBusy
from yinju.failing import reach
from yinju.messages import say
from yinju.store import opening, sql

_WAIT = 10.0  # seconds for readers to finish what they read
_PAUSE = 0.05


def stamp() -> str:
    """Return the time as a part of a file name, UTC."""
    return time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())


def free_name(folder: Path, beginning: str, end: str = "") -> Path:
    """Return a path in the folder, named after the time, that nothing has yet."""
    wanted, number = folder / f"{beginning}{stamp()}{end}", 1
    while os.path.lexists(wanted):
        number += 1
        wanted = folder / f"{beginning}{stamp()}-{number}{end}"
    return wanted


def put(draft: Path, path: Path, keep_as: Path | None) -> None:
    """Let `draft`, which is on disk, be the file at `path`; what was there stays as `keep_as`. The caller holds the writer's lock.

    Raises StoreBusy (readers do not end, or the system keeps open files in place) and OSError.
    """
    logs = [path.with_name(path.name + suffix) for suffix in ("-wal", "-shm")]
    if path.exists() and keep_as is not None:
        whole = _take_in_log(path)
        keep_as.parent.mkdir(mode=0o700, exist_ok=True)
        _keep(path, keep_as)
        if not whole and logs[0].exists():
            _keep(logs[0], keep_as.with_name(keep_as.name + "-wal"))
        opening.sync_folder(keep_as.parent)
    reach("place-kept")
    try:
        for log in logs:
            log.unlink(missing_ok=True)
        reach("place-bare")
        os.replace(draft, path)
    except PermissionError as error:
        raise _held_open(path) from error
    reach("place-new")
    opening.sync_folder(path.parent)


def _take_in_log(path: Path) -> bool:
    """Write all of the log into the file. Return False where the file is too damaged for that. Raises StoreBusy."""
    import apsw

    if not path.stat().st_size:
        return False
    deadline = time.monotonic() + _WAIT
    while True:
        try:
            connection = opening.connect(path, writing=True, bare=True)
            try:
                _busy, frames, written = sql.row(connection, "pragma wal_checkpoint(truncate)")
            finally:
                connection.close()
            if frames == written:  # -1, -1 where there is no log
                return True
        except (apsw.BusyError, apsw.LockedError):
            pass
        except apsw.Error:
            return False
        if time.monotonic() > deadline:
            raise _held_open(path)
        time.sleep(_PAUSE)


def _keep(path: Path, other: Path) -> None:
    """Give the file a second name, or copy it where the file system has no such thing."""
    try:
        os.link(path, other)
    except OSError:
        shutil.copyfile(path, other)
        other.chmod(0o600)
        with other.open("rb+") as file:
            os.fsync(file.fileno())


def _held_open(path: Path) -> StoreBusy:
    return StoreBusy(
        say(
            "another program has the library {path} open and does not let go of it",
            "另一个程序一直打开着资料库 {path}",
            path=path,
        ),
        say(
            "End it (`yinju serve`, an MCP client), then try again.",
            "请结束它（`yinju serve`、MCP 客户端），然后重试。",
        ),
    )
