"""Tells a PDF that is a bomb from one that is empty: content that unpacks to hundreds of megabytes and says nothing.

PDFium unpacks what a page shows, within the worker's limit of memory, and finds no text in it. Only then is it worth looking why.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence

from yinju.errors import DocumentError
from yinju.load.pdf.page import PageText
from yinju.messages import say

_MOST = 100_000_000  # bytes that a stream of an honest page unpacks to
_PIECE = 1 << 20
_STREAM = re.compile(rb"/FlateDecode\b[^<>]{0,200}>>\s*stream\r?\n")


def refuse_bomb(data: bytes, pages: Sequence[PageText]) -> None:
    """Raise DocumentError with code `limit` where no page holds anything and one stream unpacks beyond all measure."""
    if any(page.lines or page.notes or page.state != "blank" for page in pages):
        return
    if any(_is_bomb(data, match.end()) for match in _STREAM.finditer(data)):
        raise DocumentError(
            say("a page expands to more than {size} MB", "页面解压后超过 {size} MB", size=_MOST // 1_000_000),
            say("print it to a new PDF", "请重新打印成 PDF"),
            code="limit",
        )


def _is_bomb(data: bytes, start: int) -> bool:
    unpacker, size, packed = zlib.decompressobj(), 0, data[start : start + _PIECE]
    try:
        while packed and size <= _MOST and not unpacker.eof:
            size += len(unpacker.decompress(packed, _PIECE))
            packed = unpacker.unconsumed_tail
    except zlib.error:
        return False
    return size > _MOST
