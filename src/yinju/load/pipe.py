"""Messages between the pool and its children: JSON text behind its length in bytes."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import BinaryIO

from yinju.load.parsed import Limits

LOADED, FAILED = "+", "-"  # the first character of an answer; behind it JSON
LENGTH = 8  # bytes of the length in front of each message, big-endian


def write_message(stream: BinaryIO, text: str) -> None:
    """Write one message. Raises OSError where nobody reads any more."""
    body = text.encode("utf-8")
    stream.write(len(body).to_bytes(LENGTH, "big") + body)
    stream.flush()


def read_message(stream: BinaryIO) -> str | None:
    """Return the next message, or None at the end of the stream or where it breaks off."""
    head = stream.read(LENGTH)
    if len(head) < LENGTH:
        return None
    size = int.from_bytes(head, "big")
    body = stream.read(size)
    return body.decode("utf-8") if len(body) == size else None


def request(path: str, source: str, limits: Limits, language: str) -> str:
    """Return the message that asks for one file. Names are escaped: they need not be valid UTF-8."""
    return json.dumps({"path": path, "source": source, "limits": asdict(limits), "language": language})
