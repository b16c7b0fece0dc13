"""Properties of characters and paragraphs in a Word 97-2003 file: deleted, hidden, style, table, list.

Source: [MS-DOC] 2.6 (sprm), 2.9 (PlcBte, FKP). Properties hang at byte positions of the text's stream, in pages of 512 bytes, each a list of
codes with operands. Codes that are not of interest are stepped over by the size that their number states.
"""

from __future__ import annotations

import struct
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

_PAGE = 512
_OPERANDS = {0: 1, 1: 1, 2: 2, 3: 4, 4: 2, 5: 2, 7: 3}  # bytes by spra
_OLD_OPERANDS = {24: 1, 25: 1, 65: 1, 66: 1, 92: 1, 2: 2}  # Word 6: what is of interest, bytes

Ranges = list[tuple[int, int, bytes]]  # from byte, to byte, codes


@dataclass(frozen=True, slots=True)
class Characters:
    """Properties of a run of characters."""

    deleted: bool = False
    hidden: bool = False
    symbol: int = 0  # code in a font of symbols


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Properties of a paragraph, its style left aside. None: nothing said."""

    style: int = 0
    in_table: bool = False
    row_end: bool = False
    inner: bool = False  # a cell or row of a table inside a cell
    header_row: bool = False
    outline: int | None = None  # 0 to 8, 9: body text
    list_number: int | None = None
    list_level: int | None = None


PLAIN = Characters()


def properties_at(ranges: Ranges, place: int) -> tuple[bytes, int | None]:
    """Return the properties that hold at a byte, and the byte up to which they hold."""
    number = bisect_right(ranges, place, key=lambda item: item[0]) - 1
    if number >= 0 and place < ranges[number][1]:
        return ranges[number][2], ranges[number][1]
    return b"", ranges[number + 1][0] if number + 1 < len(ranges) else None


def read_pages(
    main: bytes, plex: bytes, entry: struct.Struct, read: Callable[[bytes, int, int, bool], bytes], old: bool
) -> Iterator[tuple[int, int, bytes]]:
    """Yield the properties of all pages that the plex names, each page once. Raises struct.error."""
    count = (len(plex) - 4) // (4 + entry.size)
    seen: set[int] = set()
    for number in range(count):
        page = entry.unpack_from(plex, 4 * (count + 1) + entry.size * number)[0] & 0x3FFFFF
        start = page * _PAGE
        content = main[start : start + _PAGE]
        if page in seen or len(content) < _PAGE:
            continue
        seen.add(page)
        runs = content[_PAGE - 1]
        if 4 * (runs + 1) >= _PAGE:
            continue
        borders = struct.unpack_from(f"<{runs + 1}I", content)
        for run in range(runs):
            yield borders[run], borders[run + 1], read(content, runs, run, old)


def character_page(content: bytes, runs: int, run: int, old: bool) -> bytes:
    """Return the codes of one run of a page of character properties."""
    at = 2 * content[4 * (runs + 1) + run] if 4 * (runs + 1) + run < _PAGE else 0
    return content[at + 1 : at + 1 + content[at]] if at else b""


def paragraph_page(content: bytes, runs: int, run: int, old: bool) -> bytes:
    """Return the style and codes of one run of a page of paragraph properties."""
    slot = 4 * (runs + 1) + (7 if old else 13) * run
    at = 2 * content[slot] if slot < _PAGE else 0
    if not at:
        return b""
    size = 2 * content[at]
    if old:
        return content[at + 1 : at + 1 + size]
    if size:
        return content[at + 1 : at + size]
    return content[at + 2 : at + 2 + 2 * content[at + 1]] if at + 1 < _PAGE else b""


def sprms(grpprl: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the codes of a list of properties with their operands; what is cut off is left out."""
    at = 0
    while at + 2 <= len(grpprl):
        code = int.from_bytes(grpprl[at : at + 2], "little")
        at += 2
        size = _OPERANDS.get(code >> 13)
        if size is None:
            wide = code == 0xD608  # sprmTDefTable has a length of two bytes
            head = 2 if wide else 1
            size = head + int.from_bytes(grpprl[at : at + head], "little") - (1 if wide else 0)
            if code == 0xC615 and grpprl[at : at + 1] == b"\xff":
                return  # tab stops of unstated length: nothing of interest follows
        yield code, grpprl[at : at + size]
        at += size


def old_sprms(grpprl: bytes) -> Iterator[tuple[int, bytes]]:
    """Word 6: codes of one byte. Only flags of interest are known, so the list is read up to the first other code."""
    at, names = 0, {24: 0x2416, 25: 0x2417, 65: 0x0800, 92: 0x083C}
    while at < len(grpprl):
        code = grpprl[at]
        size = _OLD_OPERANDS.get(code)
        if size is None:
            return
        yield names.get(code, 0), grpprl[at + 1 : at + 1 + size]
        at += 1 + size


def characters_of(codes: Iterator[tuple[int, bytes]]) -> Characters:
    """Return what these codes say of characters; the last one wins."""
    found = PLAIN
    for code, operand in codes:
        on = bool(operand) and operand[0] in (1, 0x81)
        if code == 0x0800:
            found = replace(found, deleted=on)
        elif code == 0x083C:
            found = replace(found, hidden=on)
        elif code == 0x6A09 and len(operand) == 4:
            found = replace(found, symbol=int.from_bytes(operand[2:], "little"))
    return found


def paragraph_of(style: int, codes: Iterator[tuple[int, bytes]]) -> Paragraph:
    """Return what these codes say of a paragraph of this style."""
    values: dict[str, int] = {}
    for code, operand in codes:
        name = _PARAGRAPH_CODES.get(code)
        if name and operand:
            values[name] = int.from_bytes(operand, "little", signed=name == "list_number")
    return Paragraph(
        style=values.get("style", style),
        in_table=bool(values.get("in_table") or values.get("depth")),
        row_end=bool(values.get("row_end")),
        inner=bool(values.get("inner_cell") or values.get("inner_row")) or values.get("depth", 0) > 1,
        header_row=bool(values.get("header_row")),
        outline=values.get("outline"),
        list_number=values.get("list_number"),
        list_level=values.get("list_level"),
    )


_PARAGRAPH_CODES = {
    0x4600: "style",
    0x2416: "in_table",
    0x2417: "row_end",
    0x244B: "inner_cell",
    0x244C: "inner_row",
    0x6649: "depth",
    0x3404: "header_row",
    0x2640: "outline",
    0x460B: "list_number",
    0x260A: "list_level",
}
