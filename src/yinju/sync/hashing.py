"""Digests of files, for the few that size and date leave in doubt. No text is read here."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterable

from yinju.types import SourceFile

PIECE = 1024 * 1024
_FLAGS = (
    os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)
)  # a pipe put in its place must not hang us


def digests(files: Iterable[SourceFile], maximum_bytes: int) -> dict[str, str]:
    """Return `sha256:...` by source; files that cannot be read, or are larger than what is indexed at all, are left out."""
    found = ((file.source, digest(file.path)) for file in files if file.size <= maximum_bytes)
    return {source: value for source, value in found if value is not None}


def digest(path: str) -> str | None:
    """Return the digest of a regular file, or None where it cannot be read."""
    try:
        handle = os.open(path, _FLAGS)
    except OSError:
        return None
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            return None
        sha = hashlib.sha256()
        while piece := os.read(handle, PIECE):
            sha.update(piece)
    except OSError:
        return None
    finally:
        os.close(handle)
    return "sha256:" + sha.hexdigest()
