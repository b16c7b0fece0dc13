"""Digests of files, for the few that size and date leave in doubt. No text is read here."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterable

from yinju.errors import DocumentError
from yinju.types import SourceFile

PIECE = 1024 * 1024
_FLAGS = (
    os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)
)  # a pipe put in its place must not hang us


def digests(files: Iterable[SourceFile], maximum_bytes: int) -> dict[str, str]:
    """Return `sha256:...` by source; files that cannot be read, or are larger than what is indexed at all, are left out."""
    from yinju.load import archive

    found = [(file.source, digest(file.path)) for file in files if file.size <= maximum_bytes]
    archive.forget()
    return {source: value for source, value in found if value is not None}


def digest(path: str) -> str | None:
    """Return the digest of a regular file or of a member of an archive, or None where it cannot be read."""
    from yinju.load import archive

    if (place := archive.split(path)) is not None:
        return _member_digest(*place)
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


def _member_digest(path: str, member: str) -> str | None:
    from yinju.load import Limits, archive

    try:
        data, _ = archive.read_member(path, member, Limits())
    except (DocumentError, OSError):
        return None
    return "sha256:" + hashlib.sha256(data).hexdigest()
