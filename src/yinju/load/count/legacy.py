"""How many visible characters a file of the old Office holds, counted by other code than the loaders': by the streams' bytes alone.

Nothing here knows of paragraphs, styles or fields. Called after the loader, which has refused damaged files.
"""

from __future__ import annotations

import io
import re
import struct
from collections.abc import Iterator
from itertools import chain
from typing import Any

_CONTROLS = re.compile("[\x00-\x1f]")


def _stream(data: bytes, name: str) -> bytes:
    import olefile

    with olefile.OleFileIO(io.BytesIO(data)) as file, file.openstream(name) as stream:
        return bytes(stream.read())


def _visible(text: str) -> int:
    """Second halves of surrogate pairs are no characters of their own."""
    return sum(1 for c in _CONTROLS.sub("", text) if not c.isspace() and not "\udc00" <= c <= "\udfff")


def count_doc(data: bytes) -> int:
    """Return the visible characters of all pieces of the text: notes, page headers, field codes and deleted text among them."""
    main = _stream(data, "WordDocument")
    old = int.from_bytes(main[2:4], "little") < 0xC1
    return sum(_visible(text) for text in (_old_text(main) if old else _pieces(data, main)))


def _pieces(data: bytes, main: bytes) -> Iterator[str]:
    table = _stream(data, "1Table" if main[11] & 2 else "0Table")
    start, length = struct.unpack_from("<II", main, 0x1A2)
    clx = io.BytesIO(table[start : start + length])
    while clx.read(1) == b"\x01":
        clx.seek(int.from_bytes(clx.read(2), "little"), 1)
    plex = clx.read(int.from_bytes(clx.read(4), "little"))
    count = (len(plex) - 4) // 12
    ends = [end for (end,) in struct.iter_unpack("<I", plex[: 4 * (count + 1)])]
    for number, (_, place, _) in enumerate(struct.iter_unpack("<HIH", plex[4 * (count + 1) : 12 * count + 4])):
        characters = ends[number + 1] - ends[number]
        if place & 1 << 30:
            start = (place & (1 << 30) - 1) >> 1
            yield _one_byte(main[start : start + characters], main)
        else:
            start = place & (1 << 30) - 1
            yield main[start : start + 2 * characters].decode("utf-16-le", "surrogatepass")


def _old_text(main: bytes) -> Iterator[str]:
    """Word 6 and 95: all text in bytes, from one place to another or, after quick saves, in pieces."""
    first, last = struct.unpack_from("<II", main, 0x18)
    length = sum(struct.unpack_from("<8I", main, 0x34))
    start, size = struct.unpack_from("<II", main, 0x160)
    if not (main[10] & 4 and size):
        yield main[first : first + min(length, max(0, last - first))].decode(_codec(main), "replace")
        return
    clx = io.BytesIO(main[start : start + size])
    while clx.read(1) == b"\x01":
        clx.seek(int.from_bytes(clx.read(2), "little"), 1)
    plex = clx.read(int.from_bytes(clx.read(4), "little"))
    count = (len(plex) - 4) // 12
    ends = [end for (end,) in struct.iter_unpack("<I", plex[: 4 * (count + 1)])]
    for number, (_, place, _) in enumerate(struct.iter_unpack("<HIH", plex[4 * (count + 1) : 12 * count + 4])):
        yield main[place : place + ends[number + 1] - ends[number]].decode(_codec(main), "replace")


def _codec(main: bytes) -> str:
    language = int.from_bytes(main[6:8], "little")
    if (
        main[11] & 0x40
        and language not in (0x0404, 0x0804, 0x0C04, 0x1004)
        and int.from_bytes(main[2:4], "little") >= 0xC1
    ):
        language = int.from_bytes(main[0x3C:0x3E], "little")
    names = {0x0804: "gb18030", 0x1004: "gb18030", 0x0404: "cp950", 0x0C04: "cp950", 0x0411: "cp932", 0x0412: "cp949"}
    return names.get(language) or {0x0419: "cp1251", 0x0415: "cp1250"}.get(language, "cp1252")


def _one_byte(piece: bytes, main: bytes) -> str:
    """Text of one byte a character is Western, except where some program wrote bytes of the document's own code page."""
    codec = _codec(main)
    second = {"gb18030": b"[\xa1-\xfe]", "cp950": b"[\x40-\xfe]"}.get(codec)
    if second and re.fullmatch(b"(?:[\x00-\x7f]|[\xa1-\xfe]" + second + b")*", piece):
        try:
            return piece.decode(codec)
        except UnicodeDecodeError:
            pass
    return piece.decode("cp1252", "replace")


def count_xls(data: bytes) -> int:
    """Return the visible characters of all cells of all worksheets as they are stored, numbers with 15 digits, formulas by their value."""
    start = data[:4000].lstrip(b"\xef\xbb\xbf\xff\xfe \t\r\n")
    if start.startswith(b"<"):
        return _count_xml(data)
    return sum(map(_cell, _cells(data)))


def _cells(data: bytes) -> Iterator[Any]:
    import xlrd

    for override in (None, "gb18030"):
        try:
            book = xlrd.open_workbook(file_contents=data, encoding_override=override, logfile=io.StringIO())
        except (UnicodeDecodeError, LookupError):
            continue
        for number in range(book.nsheets):
            yield from chain.from_iterable(book.sheet_by_index(number).get_rows())
        return


def _cell(cell: Any) -> int:
    if isinstance(cell.value, str):
        return len("".join(cell.value.split()))
    return len(format(cell.value, ".15g"))


def _count_xml(data: bytes) -> int:
    """XML of Excel 2003: what stands in Data elements, by the standard library's parser."""
    from xml.etree.ElementTree import fromstring

    from yinju.load.encoding import decode

    text = decode(data).text.replace("\0", "").lstrip()
    if text.startswith("<?xml"):
        text = text[text.find("?>") + 2 :]
    root = fromstring(text)  # noqa: S314  the loader has refused DTDs
    cells = (cell for row in root.iter() if row.tag.endswith("Row") for cell in row if cell.tag.endswith("}Cell"))
    found = 0
    for data_ in chain.from_iterable(cells):
        found += sum(len("".join(part.split())) for part in data_.itertext()) if data_.tag.endswith("}Data") else 0
    return found
