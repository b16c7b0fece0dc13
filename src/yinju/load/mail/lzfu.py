"""The compression of RTF in Outlook messages ([MS-OXRTFCP]): a window of 4,096 bytes that begins with words common in RTF."""

from __future__ import annotations

import struct

_COMPRESSED, _PLAIN = 0x75465A4C, 0x414C454D  # "LZFu", "MELA"
_START = (
    b"{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript \\fdecor MS Sans SerifSymbolArial"
    b"Times New RomanCourier{\\colortbl\\red0\\green0\\blue0\r\n\\par \\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx"
)
_WINDOW = 4096


def expand(data: bytes, most: int) -> bytes:
    """Return the RTF, at most so many bytes; nothing for what is no compressed RTF. A file that is cut off gives what is there."""
    if len(data) < 16:
        return b""
    _, size, kind, _ = struct.unpack_from("<4I", data)
    if kind == _PLAIN:
        return data[16 : 16 + min(size, most)]
    if kind != _COMPRESSED:
        return b""
    window = bytearray(_START.ljust(_WINDOW, b" "))
    out, place, at, limit = bytearray(), len(_START), 16, min(size, most)
    while at < len(data) and len(out) < limit:
        control = data[at]
        at += 1
        for bit in range(8):
            if control >> bit & 1:
                if at + 2 > len(data):
                    return bytes(out[:limit])
                reference = data[at] << 8 | data[at + 1]
                at += 2
                offset, length = reference >> 4, (reference & 15) + 2
                if offset == place % _WINDOW:
                    return bytes(out[:limit])
                piece = bytearray()
                for step in range(length):
                    byte = window[(offset + step) % _WINDOW]
                    window[place % _WINDOW] = byte
                    piece.append(byte)
                    place += 1
                out += piece
            elif at < len(data):
                window[place % _WINDOW] = data[at]
                out.append(data[at])
                place, at = place + 1, at + 1
    return bytes(out[:limit])
