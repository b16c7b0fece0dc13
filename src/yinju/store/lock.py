"""One writer at a time, held by the operating system, so that the lock ends with the process however it ends.

The lock file is never deleted (deleting one that another process waits for would give two owners). It says who holds the lock; the byte
that is locked lies far behind that text, so that others can read it on Windows too. Readers never look at it.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from yinju.errors import StoreBusy
from yinju.messages import say
from yinju.store.faults import of_system

NAME = "writer.lock"
_LOCKED_BYTE = 1 << 30
_PAUSE = 0.05  # seconds between two tries


class WriterLock:
    """The right to write to the library in `folder`. Raises StoreBusy, which names the owner, or StoreReadOnly."""

    def __init__(self, folder: Path, wait: float = 0.0) -> None:
        """Take the lock, trying for `wait` seconds."""
        self._path = folder / NAME
        try:
            self._file = os.open(self._path, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o600)
        except OSError as error:
            raise of_system(error, folder) from error
        deadline = time.monotonic() + wait
        while not _try_lock(self._file):
            if time.monotonic() >= deadline:
                owner = self._owner()
                os.close(self._file)
                raise _busy(folder, owner)
            time.sleep(_PAUSE)
        self._sign()

    def release(self) -> None:
        """Give the lock back; a second call does nothing."""
        if self._file >= 0:
            _unlock(self._file)
            os.close(self._file)
            self._file = -1

    def _sign(self) -> None:
        owner = {"pid": os.getpid(), "since": datetime.now(UTC).isoformat(timespec="seconds")}
        try:
            os.ftruncate(self._file, 0)
            os.lseek(self._file, 0, os.SEEK_SET)
            os.write(self._file, json.dumps(owner).encode())
        except OSError:
            return  # a full disk must not stop a writer that wants to remove things

    def _owner(self) -> dict[str, Any]:
        try:
            os.lseek(self._file, 0, os.SEEK_SET)
            owner = json.loads(os.read(self._file, 1000))
        except (OSError, ValueError):
            return {}
        return owner if isinstance(owner, dict) else {}


def _busy(folder: Path, owner: dict[str, Any]) -> StoreBusy:
    return StoreBusy(
        say(
            "process {pid} is writing to the library {folder} (since {since})",
            "进程 {pid} 正在写入资料库 {folder}（开始于 {since}）",
            pid=owner.get("pid", "?"),
            since=owner.get("since", "?"),
            folder=folder,
        ),
        say(
            "Wait until it has finished, or end that process; searching works meanwhile.",
            "请等它完成，或结束该进程；期间仍可检索。",
        ),
    )


if sys.platform == "win32":
    import msvcrt

    def _try_lock(file: int) -> bool:
        os.lseek(file, _LOCKED_BYTE, os.SEEK_SET)
        try:
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def _unlock(file: int) -> None:
        os.lseek(file, _LOCKED_BYTE, os.SEEK_SET)
        msvcrt.locking(file, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _try_lock(file: int) -> bool:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _unlock(file: int) -> None:
        fcntl.flock(file, fcntl.LOCK_UN)


class MemoryLock:
    """The writer's lock of a library in memory: the same refusals as on disk."""

    def __init__(self, lock: threading.Lock, wait: float) -> None:
        """Take the lock, trying for `wait` seconds. Raises StoreBusy."""
        self._lock = lock
        if not lock.acquire(timeout=wait) if wait > 0 else not lock.acquire(blocking=False):
            raise StoreBusy(
                say("this program is already writing to the library in memory", "本程序正在写入内存中的资料库"),
                say("Close the other writer first.", "请先关闭另一个写入者。"),
            )

    def release(self) -> None:
        """Give the lock back."""
        self._lock.release()
