"""Messages between the pool and its children: JSON text behind its length in bytes."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import BinaryIO

from yinju.load.parsed import Limits

LOADED, FAILED = "+", "-"  # the first character of an answer; behind it JSON
PAGE = "."  # of a report before the answer: a page is about to be read by OCR; behind it JSON, its number and how many there are
LAST = "!"  # of a word before the answer: the child ends after it, since it has grown too large
MORE = "^"  # of an answer: the file needs more memory than it was given
ELSEWHERE = ">"  # of an answer: the file needs OCR, which another child does
MOST = 1 << 32  # bytes of a message; more is no message
LENGTH = 8  # bytes of the length in front of each message, big-endian


def write_message(stream: BinaryIO, text: str) -> None:
    """Write one message. Raises OSError where nobody reads any more."""
    body = text.encode("utf-8")
    stream.write(len(body).to_bytes(LENGTH, "big") + body)
    stream.flush()


def read_message(stream: BinaryIO) -> str | None:
    """Return the next message, or None at the end of the stream or where it breaks off. Raises OSError, UnicodeDecodeError."""
    head = stream.read(LENGTH)
    if len(head) < LENGTH:
        return None
    size = int.from_bytes(head, "big")
    if size > MOST:
        return None
    body = stream.read(size)
    return body.decode("utf-8") if len(body) == size else None


def request(
    path: str, source: str, limits: Limits, language: str, *, memory: int, ocr: bool = False, folder: str | None = None
) -> str:
    """Return the message that asks for one file within `memory` bytes; `ocr`: of the child that reads pictures. It has to lie in `folder`.

    Names are escaped: they need not be valid UTF-8.
    """
    asked = {
        "path": path,
        "folder": folder,
        "source": source,
        "limits": asdict(limits),
        "language": language,
        "memory": memory,
        "ocr": ocr,
    }
    return json.dumps(asked)
