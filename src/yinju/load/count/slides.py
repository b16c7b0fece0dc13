"""How many visible characters the slides of a PowerPoint 97-2003 file hold with their notes: by the bytes of its text records alone.

Text records are counted from the start of each live object to its end, whatever container they lie in. Called after the loader, which has
refused damaged files.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from struct import Struct

_HEAD, _WORD = Struct("<HHI"), Struct("<I")
_CONTROLS = re.compile("[\x00-\x08\x0e-\x1f]")


def count_ppt(data: bytes) -> int:
    """Return the visible characters of all slides, their outline, and their notes; masters are not counted."""
    import olefile

    with olefile.OleFileIO(io.BytesIO(data)) as file:
        stream = file.openstream("PowerPoint Document").read()
        user = file.openstream("Current User").read()
    document, places = _places(stream, _WORD.unpack_from(user, 16)[0])
    found, listed, lists_end, notes = 0, {1006: dict[int, None](), 1008: dict[int, None]()}, -1, False
    for at, head, kind, content in _atoms(stream, places[document]):
        if kind == 4080:
            lists_end, notes = (
                (at + _WORD.unpack_from(stream, at + 4)[0] + 8, head >> 4 == 2) if head >> 4 in (0, 2) else (-1, False)
            )
            begun = bool(listed[1006])
        elif at < lists_end and kind == 1011 and len(content) >= 16:
            listed[1008 if notes else 1006][_WORD.unpack(content[:4])[0]] = None
            begun = True
        elif at < lists_end and not notes and begun:
            found += _visible(kind, content)
    for wanted, persists in listed.items():
        starts = {places[number] for number in persists if number in places}
        for start in starts:
            if start + 8 <= len(stream) and _HEAD.unpack_from(stream, start)[1] == wanted:
                found += sum(_visible(kind, content) for _, _, kind, content in _atoms(stream, start))
    return found


def _places(stream: bytes, edit: int) -> tuple[int, dict[int, int]]:
    """Return the document's number and the newest place of each persist object."""
    chain: list[int] = []
    while edit < (chain[-1] if chain else len(stream)) and len(chain) < 10_000:
        chain.append(edit)
        edit = _WORD.unpack_from(stream, edit + 16)[0]
        if not edit:
            break
    places: dict[int, int] = {}
    for edit in reversed(chain):
        directory = _WORD.unpack_from(stream, edit + 20)[0]
        size = _WORD.unpack_from(stream, directory + 4)[0]
        at, end = directory + 8, min(directory + 8 + size, len(stream))
        own: dict[int, int] = {}
        while at + 4 <= end:
            head = _WORD.unpack_from(stream, at)[0]
            count = min(head >> 20, (end - at) // 4 - 1)
            for number in range(count):
                own.setdefault((head & 0xFFFFF) + number, _WORD.unpack_from(stream, at + 4 + 4 * number)[0])
            at += 4 + 4 * count
        places.update(own)
    identities = (_WORD.unpack_from(stream, edit + 24)[0] for edit in chain)
    return next((identity for identity in identities if identity), 0), places


def _atoms(stream: bytes, start: int) -> Iterator[tuple[int, int, int, bytes]]:
    """Yield place, head, kind and content of all records in an object, those of containers without content."""
    end = min(len(stream), start + 8 + _WORD.unpack_from(stream, start + 4)[0])
    at = start + 8
    while at + 8 <= end:
        head, kind, size = _HEAD.unpack_from(stream, at)
        inner = 0 if head & 15 == 15 else size
        if at + 8 + inner > end:
            return
        yield at, head, kind, stream[at + 8 : at + 8 + inner]
        at += 8 + inner


def _visible(kind: int, content: bytes) -> int:
    if kind not in (4000, 4008):
        return 0
    text = content[: len(content) & ~1].decode("utf-16-le", "replace") if kind == 4000 else content.decode("latin-1")
    return len("".join(_CONTROLS.sub("", text).split()))
