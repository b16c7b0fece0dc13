"""A block as a file that several processes map at once.

A file is written under a name of its own, appears by renaming, and is never changed afterwards; a newer one gets another name. Old ones are
removed where the system lets us (Windows does not while someone maps them). Everything in a file is under a checksum, since a view that
proposes wrong candidates would lose hits without anybody noticing.

Layout: 8 hex digits of the CRC-32 of the header, the header as JSON padded with blanks to 4,096 bytes in all, then the arrays.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import mmap
import os
import secrets
import time
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from yinju.failing import reach
from yinju.store.blocks import ARRAYS, Block

_MAGIC = "yinju-view-1"
_HEADER_BYTES = 4096
_ALIGNMENT = 64
_ABANDONED_S = 3600.0


@dataclass(frozen=True, slots=True)
class Stamp:
    """What a view reflects: which library, which embedding, and the generation at which it was built."""

    identity: str
    fingerprint: str
    dimension: int
    generation: int


def newest(folder: Path, stamp: Stamp) -> tuple[Stamp, Block] | None:
    """Return the newest sound view of this library and embedding that was built at the stamp's generation or before."""
    for _, path in sorted(_files(folder, stamp.fingerprint), reverse=True):
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
            found, block = _read(path)
            if found.generation <= stamp.generation and (found.identity, found.fingerprint, found.dimension) == (
                stamp.identity, stamp.fingerprint, stamp.dimension,
            ):  # fmt: skip
                return found, block
    return None


def save(folder: Path, stamp: Stamp, block: Block) -> Path | None:
    """Write the view and remove older ones. Return None where it cannot be written: a view is never needed."""
    path = folder / f"vectors-{_tag(stamp.fingerprint)}-{stamp.generation:012d}-{secrets.token_hex(4)}.view"
    draft = path.with_suffix(".new")
    try:
        _write(draft, stamp, block)
        reach("view-written")
        os.replace(draft, path)
        reach("view-renamed")
    except OSError:
        with contextlib.suppress(OSError):
            draft.unlink(missing_ok=True)
        return None
    _remove_drafts(folder)
    for generation, old in _files(folder, stamp.fingerprint):
        if generation <= stamp.generation and old != path:
            with contextlib.suppress(OSError):
                old.unlink()
    return path


def remove(folder: Path, fingerprint: str) -> None:
    """Remove all views of an embedding, where the system lets us."""
    for _, path in _files(folder, fingerprint):
        with contextlib.suppress(OSError):
            path.unlink()


def is_sound(path: Path) -> bool:
    """Return whether a view holds what was written to it."""
    try:
        _read(path)
    except (OSError, ValueError, KeyError, TypeError):
        return False
    return True


def _remove_drafts(folder: Path) -> None:
    """Remove what processes left behind that were killed while they wrote. One that still writes is younger than that."""
    with contextlib.suppress(OSError):
        for draft in folder.glob("vectors-*.new"):
            with contextlib.suppress(OSError):
                if time.time() - draft.stat().st_mtime > _ABANDONED_S:
                    draft.unlink()


def _tag(fingerprint: str) -> str:
    return hashlib.sha256(fingerprint.encode()).hexdigest()[:8]


def _files(folder: Path, fingerprint: str) -> list[tuple[int, Path]]:
    found = []
    with contextlib.suppress(OSError):
        for path in folder.glob(f"vectors-{_tag(fingerprint)}-*.view"):
            with contextlib.suppress(ValueError, IndexError):
                found.append((int(path.name.split("-")[2]), path))
    return found


def _write(path: Path, stamp: Stamp, block: Block) -> None:
    offset, checksum = _HEADER_BYTES, 0
    pieces: list[memoryview | bytes] = []
    places: list[list[Any]] = []
    for name, _ in ARRAYS[block.kind]:
        array = block.arrays[name]
        data = array.data.cast("B") if array.size else memoryview(b"")
        padding = bytes(-len(data) % _ALIGNMENT)
        checksum = zlib.crc32(padding, zlib.crc32(data, checksum))
        places.append([name, offset, int(array.size)])
        pieces += [data, padding]
        offset += len(data) + len(padding)
    header = {
        "magic": _MAGIC,
        "identity": stamp.identity,
        "fingerprint": stamp.fingerprint,
        "dimension": stamp.dimension,
        "generation": stamp.generation,
        "kind": block.kind,
        "arrays": places,
        "size": offset,
        "checksum": checksum,
    }
    text = json.dumps(header).encode().ljust(_HEADER_BYTES - 8)
    if len(text) > _HEADER_BYTES - 8:
        raise OSError("the fingerprint is too long for a view")
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600), "wb") as file:
        file.write(b"%08x" % zlib.crc32(text) + text)
        for piece in pieces:
            file.write(piece)
    if path.stat().st_size != offset:
        raise OSError("the view was not written completely")


def _read(path: Path) -> tuple[Stamp, Block]:
    import numpy as np

    with path.open("rb") as file:
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    text = mapped[8:_HEADER_BYTES]
    if int(mapped[:8], 16) != zlib.crc32(text):
        raise ValueError("header")
    header: dict[str, Any] = json.loads(text)
    with memoryview(mapped) as whole, whole[_HEADER_BYTES:] as content:
        if header["magic"] != _MAGIC or header["size"] != len(whole) or header["checksum"] != zlib.crc32(content):
            raise ValueError("content")
    kinds = dict(ARRAYS[header["kind"]])
    arrays = {name: np.frombuffer(mapped, kinds[name], count, offset) for name, offset, count in header["arrays"]}
    stamp = Stamp(header["identity"], header["fingerprint"], header["dimension"], header["generation"])
    return stamp, Block(header["kind"], stamp.dimension, arrays)
