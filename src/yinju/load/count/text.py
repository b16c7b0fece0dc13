"""Counts the visible characters of text formats by other code than the loaders: what the receipt of each file must balance against.

Text is decoded piece by piece, JSON is read by the standard library.
"""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterator
from typing import Any

from yinju.load.encoding import decode

_PIECE = 1 << 16


def count_text(data: bytes) -> int:
    """Return the number of code points that are no white space in a text file, its byte-order mark left out."""
    decoded = decode(data)
    if not decoded.plain:  # lines of several encodings, or a repaired text: no decoder reads the bytes
        return _visible(decoded.text)
    return sum(_visible(piece) for piece in _pieces(data, decoded.encoding, decoded.mark))


def count_json(data: bytes) -> int:
    """Return the visible characters of all keys and values; of the whole text where it is no JSON."""
    try:
        return _count_values(decode(data).text)
    except ValueError:
        return count_text(data)


def count_jsonl(data: bytes) -> int:
    """Return the sum over the lines; of the whole text where one of them is no JSON."""
    lines = decode(data).text.replace("\r", "\n").split("\n")
    try:
        return sum(_count_values(line) for line in lines if line.strip())
    except ValueError:
        return count_text(data)


def _pieces(data: bytes, encoding: str, start: int) -> Iterator[str]:
    """Decode in pieces. A piece may end inside a character, never inside the count."""
    decoder = codecs.getincrementaldecoder(encoding)(errors="replace")
    for place in range(start, len(data), _PIECE):
        yield decoder.decode(data[place : place + _PIECE])
    yield decoder.decode(b"", final=True)


def _visible(text: str) -> int:
    return sum(map(len, text.split()))


def _count_values(text: str) -> int:
    """Raises ValueError (JSONDecodeError) for what is no JSON."""
    found = 0

    def pairs(items: list[tuple[str, Any]]) -> list[Any]:
        nonlocal found
        found += sum(_visible(key) for key, _ in items)
        return [value for _, value in items]

    stack: list[Any] = [json.loads(text, parse_int=str, parse_float=str, parse_constant=str, object_pairs_hook=pairs)]
    while stack:
        value = stack.pop()
        if isinstance(value, list):
            stack += value
        else:
            found += _visible(value) if isinstance(value, str) else {True: 4, False: 5, None: 4}[value]
    return found
