"""The model as one file in the cache: word table, the two halves of the network and tokenizer, each with its checksum.

One file, because one rename makes it appear whole. Its name carries the version of the builder, so that another version of Yinju never reads
what it did not write. Two processes may build at once: each writes under a name of its own and the last rename wins with equal bytes.
The word table keeps the four-bit blocks of the source and is memory-mapped: only rows that occur are ever in memory.

Layout: magic, u32 length and u32 CRC-32 of the header, the header (JSON), then the sections, each at a multiple of 4,096 bytes.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import struct
import time
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from yinju.embed import e5_graph, e5_tokenizer, e5_weights
from yinju.errors import ModelError
from yinju.messages import say

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BUILDER = 2  # raise it with every change of what is built, and VECTORS in e5 if vectors change with it
NAME = f"multilingual-e5-small.v{BUILDER}.yinju-model"
_MAGIC = b"YINJUE5\n"
_START = struct.Struct("<8sII")
_PAGE = 4096
_STALE_SECONDS = 3600  # a temporary file this old belongs to a build that died

Report = Callable[[str, float], None]


class Damaged(Exception):
    """The file is not what we wrote."""


@dataclass(frozen=True, slots=True)
class Model:
    """What a model needs to run. `words` has shape (vocabulary, hidden / 32), one block of 32 weights each."""

    lower: bytes
    upper: bytes
    tokenizer: bytes
    words: NDArray[np.void]
    positions: int
    bos: int
    eos: int


def path_in(cache: Path) -> Path:
    """Return where the built model lies in this cache."""
    return cache / NAME


def build(source: Path, cache: Path, report: Report | None = None) -> Path:
    """Build the model from a data file into the cache and return its path. Takes seconds, under 300 MB. Raises ModelError."""
    stage = say("Preparing the local model", "正在准备本地模型")

    def step(start: float, end: float) -> Callable[[float], None]:
        return lambda share: report(stage, start + (end - start) * share) if report is not None else None

    e5_weights.check(source, step(0.0, 0.2))
    target = path_in(cache)
    try:
        cache.mkdir(parents=True, exist_ok=True)
        _sweep(cache)
        temporary = cache / f".{NAME}.{os.getpid()}.{secrets.token_hex(4)}.tmp"
        try:
            with source.open("rb") as handle, temporary.open("xb") as out:
                _write(e5_weights.Weights(handle), out, step(0.2, 1.0))
                out.flush()
                os.fsync(out.fileno())
            temporary.replace(target)
        finally:
            temporary.unlink(missing_ok=True)
        _sync_folder(cache)
    except OSError as error:
        raise ModelError(
            say(
                "The local model cannot be written to {folder}: {error}",
                "无法把本地模型写入 {folder}：{error}",
                folder=cache,
                error=error.strerror,
            ),
            say("About 90 MB must be free there, and the folder writable.", "该目录需要可写，并有约 90 MB 的空间。"),
            code="cannot-write",
        ) from error
    return target


def read(path: Path) -> Model:
    """Return the model after checking every byte. Raises Damaged, or FileNotFoundError."""
    import numpy as np

    try:
        with path.open("rb") as handle:
            header = _read_header(handle)
            sections = header["sections"]
            _section(handle, sections["words"], keep=False)
            lower = _section(handle, sections["lower"])
            upper = _section(handle, sections["upper"])
            tokenizer = _section(handle, sections["tokenizer"])
        vocabulary, hidden, positions = (int(header[key]) for key in ("vocabulary", "hidden", "positions"))
        shape = (vocabulary, hidden // e5_weights.BLOCK)
        words = np.memmap(path, e5_weights.block_type(), "r", offset=int(sections["words"][0]), shape=shape)
        return Model(lower, upper, tokenizer, words, positions, int(header["bos"]), int(header["eos"]))
    except FileNotFoundError:
        raise
    except (OSError, ValueError, KeyError, TypeError, struct.error) as error:
        raise Damaged(str(error)) from error


def _write(weights: e5_weights.Weights, out: BinaryIO, progress: Callable[[float], None]) -> None:
    sizes = weights.sizes
    out.seek(_PAGE)
    sections = {"words": _copy_words(weights, out, lambda share: progress(0.3 * share))}
    lower, upper = e5_graph.build(weights, lambda share: progress(0.3 + 0.5 * share))
    sections["lower"], sections["upper"] = _append(out, lower), _append(out, upper)
    sections["tokenizer"] = _append(out, e5_tokenizer.model(weights.pieces))
    header = {
        "builder": BUILDER,
        "source": e5_weights.SHA256,
        "quantisation": e5_graph.QUANTISATION,
        "vocabulary": sizes.vocabulary,
        "hidden": sizes.hidden,
        "positions": sizes.positions,
        "bos": weights.pieces.bos,
        "eos": weights.pieces.eos,
        "sections": sections,
    }
    body = json.dumps(header).encode("ascii")
    out.seek(0)
    out.write(_START.pack(_MAGIC, len(body), zlib.crc32(body)) + body)
    progress(1.0)


def _copy_words(weights: e5_weights.Weights, out: BinaryIO, progress: Callable[[float], None]) -> tuple[int, int, int]:
    offset, size = weights.place("emb.word")
    start, check = out.tell(), 0
    for done in range(0, size, e5_weights.READ_BYTES):
        part = weights.raw(offset + done, min(e5_weights.READ_BYTES, size - done))
        check = zlib.crc32(part, check)
        out.write(part)
        progress((done + len(part)) / size)
    return start, size, check


def _append(out: BinaryIO, body: bytes) -> tuple[int, int, int]:
    start = -(-out.tell() // _PAGE) * _PAGE
    out.seek(start)
    out.write(body)
    return start, len(body), zlib.crc32(body)


def _read_header(handle: BinaryIO) -> dict[str, Any]:
    magic, length, check = _START.unpack(handle.read(_START.size))
    body = handle.read(min(length, _PAGE))
    if magic != _MAGIC or zlib.crc32(body) != check:
        raise Damaged("header")
    header: dict[str, Any] = json.loads(body)
    if header["builder"] != BUILDER or header["source"] != e5_weights.SHA256:
        raise Damaged("other version")
    return header


def _section(handle: BinaryIO, place: tuple[int, int, int], *, keep: bool = True) -> bytes:
    """Return the section, or nothing where it is only to be checked (read, not mapped, so that it takes no memory)."""
    start, size, expected = place
    handle.seek(start)
    check, left, parts = 0, size, []
    while left and (part := handle.read(min(left, e5_weights.READ_BYTES))):
        check = zlib.crc32(part, check)
        left -= len(part)
        if keep:
            parts.append(part)
    if left or check != expected:
        raise Damaged("section")
    return b"".join(parts)


def _sweep(cache: Path) -> None:
    for path in cache.glob(f".{NAME}.*.tmp"):
        with contextlib.suppress(OSError):
            if time.time() - path.stat().st_mtime > _STALE_SECONDS:
                path.unlink()


def _sync_folder(folder: Path) -> None:
    """Make the rename durable where the system can (not on Windows)."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
