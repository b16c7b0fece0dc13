"""Writes Word 97 files for tests: text in pieces of one or two bytes a character, without properties; and Word 6 files."""

from __future__ import annotations

import struct

from tests.ole_writer import compound

CHINESE, ENGLISH = 0x0804, 0x0409


def word(
    *pieces: str | bytes, language: int = ENGLISH, flags: int = 0, notes: str = "", clx: bytes | None = None
) -> bytes:
    """Return a document of these pieces: str as UTF-16, bytes as they are. `notes` is a second subdocument, of footnotes."""
    text, places = bytearray(), []
    for piece in (*pieces, notes):
        raw = piece.encode("utf-16-le") if isinstance(piece, str) else piece
        width = 2 if isinstance(piece, str) else 1
        place = 2048 + len(text)
        places.append((len(raw) // width, place if width == 2 else 0x40000000 | place * 2))
        text += raw + b"\0" * (len(raw) % 2)
    borders = [0]
    for length, _ in places:
        borders.append(borders[-1] + length)
    plex = struct.pack(f"<{len(borders)}I", *borders) + b"".join(
        struct.pack("<HIH", 0, place, 0) for _, place in places
    )
    clx = b"\x02" + struct.pack("<I", len(plex)) + plex if clx is None else clx
    main = bytearray(2048)
    struct.pack_into("<6H", main, 0, 0xA5EC, 0xC1, 0, language, 0, flags | 0x0200)
    struct.pack_into("<2I", main, 0x4C, borders[-2], borders[-1] - borders[-2])
    struct.pack_into("<H", main, 0x98, 93)
    struct.pack_into("<II", main, 0x1A2, 0, len(clx))
    return compound({"WordDocument": bytes(main + text).ljust(4096, b"\0"), "1Table": clx.ljust(4096, b"\0")})


def word_6(text: bytes, language: int = ENGLISH) -> bytes:
    """Return a document of Word 6: bytes of a code page, in one stretch."""
    main = bytearray(1024)
    struct.pack_into("<6H", main, 0, 0xA5DC, 101, 0, language, 0, 0)
    struct.pack_into("<2I", main, 0x18, 1024, 1024 + len(text))
    struct.pack_into("<I", main, 0x34, len(text))
    return compound({"WordDocument": (bytes(main) + text).ljust(4096, b"\0")})
