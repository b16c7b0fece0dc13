"""A page of a PDF as a picture, made by a child that ends after it: a file that crashes or hangs it costs that picture and nothing else.

`python -m yinju.load.picture PATH DIGEST PAGE WIDTH` writes a PNG to stdout, or an error as JSON.
"""

from __future__ import annotations

import hashlib
import json
import struct
import subprocess
import sys
import zlib
from typing import TYPE_CHECKING, BinaryIO

from yinju import private
from yinju.errors import DocumentError
from yinju.load.workers import NO_WINDOW
from yinju.messages import language, say, set_language

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SECONDS = 20.0
LARGEST = 2_400  # pixels of a side
MEMORY = 1024 * 1024 * 1024
_PNG = b"\x89PNG\r\n\x1a\n"


def page_picture(path: str, digest: str | None, page: int, width: int) -> bytes:
    """Return this page (from 1) of the PDF at `path` as a PNG of about `width` pixels.

    `digest`: of the file that the library knows; a changed one is not shown, since citations would point beside what they mean.
    Raises DocumentError: it is gone, changed, no PDF, has no such page, or takes too long.
    """
    command = [
        sys.executable,
        "-P",
        "-X",
        "utf8",
        "-m",
        "yinju.load.picture",
        path,
        digest or "",
        str(page),
        str(width),
        language(),
    ]
    try:
        done = subprocess.run(
            command, capture_output=True, timeout=SECONDS, creationflags=NO_WINDOW, env=private.environment(), check=False
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise _failed(say("the page took too long to draw", "绘制该页超时")) from None
    if done.returncode == 0 and done.stdout.startswith(_PNG):
        return done.stdout
    try:
        code, message, hint = json.loads(done.stdout)["error"]
    except (ValueError, KeyError, TypeError):
        raise _failed(say("the page could not be drawn", "无法绘制该页")) from None
    raise DocumentError(message, hint, code=code)


def main(arguments: list[str], out: BinaryIO) -> int:
    """Write the picture, or why there is none."""
    from yinju.load.worker import hold_memory

    path, digest, page, width, speak = arguments
    hold_memory(MEMORY)
    set_language(speak)
    try:
        picture = _draw(path, digest, int(page), int(width))
    except DocumentError as error:
        out.write(json.dumps({"error": [error.code, error.message, error.hint]}).encode())
        return 1
    out.write(picture)
    return 0


def _draw(path: str, digest: str, page: int, width: int) -> bytes:
    import pypdfium2

    from yinju.load.pdf.opening import open_pdf
    from yinju.load.reading import read_bytes

    data, _modified = read_bytes(path)
    if digest and "sha256:" + hashlib.sha256(data).hexdigest() != digest:
        raise DocumentError(
            say("the file has changed since it was read", "文件在读取之后已改变"),
            say("sync again to see its pages", "重新同步后即可查看"),
            code="changed",
        )
    try:
        document = open_pdf(data)
        if not 1 <= page <= len(document):
            raise DocumentError(
                say("it has no page {page}", "没有第 {page} 页", page=page),
                say("choose another", "请选择其他页"),
                code="no-page",
            )
        drawn = document[page - 1]
        scale = min(width / max(drawn.get_width(), 1.0), LARGEST / max(drawn.get_width(), drawn.get_height(), 1.0))
        pixels = drawn.render(scale=scale, rev_byteorder=True, prefer_bgrx=False).to_numpy()
    except (pypdfium2.PdfiumError, MemoryError, ValueError) as error:
        raise _failed(say("the page cannot be drawn", "无法绘制该页")) from error
    return _png(pixels)


def _png(pixels: NDArray[np.uint8]) -> bytes:
    """Return pixels of shape (height, width) or (height, width, 3) as a PNG (W3C, Portable Network Graphics, 11.2 and 9.2: filter 0)."""
    import numpy as np

    height, width = pixels.shape[:2]
    colour = 2 if pixels.ndim == 3 else 0
    rows = np.ascontiguousarray(pixels[..., :3] if pixels.ndim == 3 else pixels).reshape(height, -1)
    unfiltered = np.hstack([np.zeros((height, 1), np.uint8), rows]).tobytes()
    head = struct.pack(">IIBBBBB", width, height, 8, colour, 0, 0, 0)
    parts = ((b"IHDR", head), (b"IDAT", zlib.compress(unfiltered, 1)), (b"IEND", b""))
    return _PNG + b"".join(
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body)) for kind, body in parts
    )


def _failed(message: str) -> DocumentError:
    return DocumentError(message, say("look at its text instead", "请改看文字"), code="no-picture")


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:], sys.stdout.buffer))
