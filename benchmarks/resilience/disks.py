"""Disks to try things on: an ext4 image whose power can be cut, and a small file system in memory. Both need root on Linux.

A cut is ext4's own: the ioctl that its crash tests use, after which nothing more reaches the image, neither what was written without a sync nor
the journal that was not flushed. Mounting the image again replays the journal, as after a power cut.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import struct
import subprocess
import sys
import time
from pathlib import Path

_SHUTDOWN = 0x8004587D  # FS_IOC_SHUTDOWN of Linux: _IOR('X', 125, __u32)
_WITHOUT_FLUSHING_THE_JOURNAL = 2


class NoDisk(RuntimeError):
    """Such a disk cannot be had here; the message says why."""


def _run(*command: str | Path) -> None:
    try:
        subprocess.run([str(part) for part in command], check=True, capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.SubprocessError) as error:
        said = getattr(error, "stderr", None) or error
        raise NoDisk(f"{Path(str(command[0])).name} failed: {str(said).strip()}") from error


def _need_root(*tools: str) -> None:
    if not sys.platform.startswith("linux"):
        raise NoDisk("not Linux")
    if os.geteuid() != 0:
        raise NoDisk("not root: file systems cannot be mounted")
    missing = [tool for tool in tools if shutil.which(tool) is None]
    if missing:
        raise NoDisk(f"there is no {', '.join(missing)}")


def _unmount(mounted: Path) -> None:
    for _ in range(50):
        with contextlib.suppress(NoDisk):
            _run("umount", mounted)
            return
        time.sleep(0.1)
    with contextlib.suppress(NoDisk):
        _run("umount", "-l", mounted)


class Image:
    """An ext4 file system in a file, mounted at `mounted` while the block lasts. Raises NoDisk."""

    def __init__(self, place: Path, megabytes: int = 200) -> None:
        self._file, self.mounted, self._megabytes = place / "disk.img", place / "disk", megabytes
        self._is_mounted = False

    def __enter__(self) -> Image:
        _need_root("mkfs.ext4", "mount", "umount")
        self.mounted.mkdir(parents=True)
        with self._file.open("wb") as file:
            file.truncate(self._megabytes << 20)
        _run("mkfs.ext4", "-q", "-F", self._file)
        self._mount()
        return self

    def __exit__(self, *_: object) -> None:
        if self._is_mounted:
            _unmount(self.mounted)
        self._file.unlink(missing_ok=True)

    def cut(self) -> None:
        """Cut the power: from now on nothing reaches the image."""
        import fcntl

        descriptor = os.open(self.mounted, os.O_RDONLY)
        try:
            fcntl.ioctl(descriptor, _SHUTDOWN, struct.pack("I", _WITHOUT_FLUSHING_THE_JOURNAL))
        finally:
            os.close(descriptor)

    def start_again(self) -> None:
        """Switch on: the journal is replayed. Nobody may use the disk while that is done."""
        _unmount(self.mounted)
        self._is_mounted = False
        self._mount()

    def read_only(self) -> None:
        """Mount it anew so that nothing can be written."""
        _run("mount", "-o", "remount,ro", self.mounted)

    def _mount(self) -> None:
        _run("mount", "-o", "loop", self._file, self.mounted)
        self._is_mounted = True


class SmallDisk:
    """A file system in memory with room for so many kilobytes, mounted at `mounted` while the block lasts. Raises NoDisk."""

    def __init__(self, mounted: Path, kilobytes: int) -> None:
        self.mounted, self._kilobytes = mounted, kilobytes

    def __enter__(self) -> SmallDisk:
        _need_root("mount", "umount")
        self.mounted.mkdir(parents=True, exist_ok=True)
        _run("mount", "-t", "tmpfs", "-o", f"size={self._kilobytes}k", "tmpfs", self.mounted)
        return self

    def __exit__(self, *_: object) -> None:
        _unmount(self.mounted)

    def grow(self, kilobytes: int) -> None:
        """Give it more room."""
        _run("mount", "-o", f"remount,size={kilobytes}k", self.mounted)
