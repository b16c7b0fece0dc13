"""Writes compound files (OLE2) for tests: streams by path, small ones in the mini stream, directories as chains of siblings."""

from __future__ import annotations

import struct
from collections.abc import Mapping

_FREE, _END, _FAT = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD
_SECTOR, _MINI, _CUTOFF = 512, 64, 4096


def compound(streams: Mapping[str, bytes]) -> bytes:
    """Return a compound file; `/` in a name means a storage."""
    entries: list[dict] = [{"name": "Root Entry", "kind": 5, "children": []}]
    places = {"": 0}
    for path, data in streams.items():
        parts = path.split("/")
        for depth in range(1, len(parts) + 1):
            key = "/".join(parts[:depth])
            if key not in places:
                leaf = depth == len(parts)
                entries.append(
                    {"name": parts[depth - 1], "kind": 2 if leaf else 1, "children": [], "data": data if leaf else b""}
                )
                places[key] = len(entries) - 1
                entries[places["/".join(parts[: depth - 1])]]["children"].append(places[key])
    mini, mini_fat = bytearray(), []
    for entry in entries:
        data = entry.get("data", b"")
        if data and len(data) < _CUTOFF:
            entry["start"] = len(mini_fat)
            count = -(-len(data) // _MINI)
            mini_fat += [*range(len(mini_fat) + 1, len(mini_fat) + count), _END]
            mini += data.ljust(count * _MINI, b"\0")
    entries[0]["data"] = bytes(mini)
    sectors: list[bytes] = []
    fat: list[int] = []

    def put(data: bytes) -> int:
        if not data:
            return _END
        start, count = len(sectors), -(-len(data) // _SECTOR)
        sectors.extend(data[at : at + _SECTOR].ljust(_SECTOR, b"\0") for at in range(0, len(data), _SECTOR))
        fat.extend([*range(start + 1, start + count), _END])
        return start

    for number, entry in enumerate(entries):
        data = entry.get("data", b"")
        if number == 0 or len(data) >= _CUTOFF or not data:
            entry["start"] = put(data)
    mini_start = put(b"".join(struct.pack("<I", value) for value in mini_fat))
    directory = put(b"".join(_entry(entries, number) for number in range(len(entries))))
    count = 1
    while count * 128 < len(fat) + count:
        count += 1
    fat_start = len(sectors)
    fat += [_FAT] * count
    raw = b"".join(struct.pack("<I", value) for value in fat).ljust(count * _SECTOR, b"\xff")
    sectors.extend(raw[at : at + _SECTOR] for at in range(0, len(raw), _SECTOR))
    header = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16) + struct.pack("<5H6x", 0x3E, 3, 0xFFFE, 9, 6)
    header += struct.pack("<3I", 0, count, directory) + struct.pack("<2I", 0, _CUTOFF)
    header += struct.pack("<4I", mini_start, -(-len(mini_fat) * 4 // _SECTOR), _END, 0)
    assert count <= 109
    header += b"".join(struct.pack("<I", fat_start + n if n < count else _FREE) for n in range(109))
    return header + b"".join(sectors)


def _entry(entries: list[dict], number: int) -> bytes:
    entry = entries[number]
    children = entry["children"]
    sibling = _FREE
    for parent in entries:
        if number in parent["children"]:
            place = parent["children"].index(number)
            sibling = parent["children"][place + 1] if place + 1 < len(parent["children"]) else _FREE
    name = entry["name"].encode("utf-16-le") + b"\0\0"
    raw = name.ljust(64, b"\0") + struct.pack("<HBB", len(name), entry["kind"], 1)
    raw += struct.pack("<3I", _FREE, sibling, children[0] if children else _FREE) + bytes(36)
    return raw + struct.pack("<IQ", entry.get("start", 0), len(entry.get("data", b"")))
