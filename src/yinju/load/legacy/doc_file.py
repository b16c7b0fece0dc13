"""The parts of a Word 97-2003 file that its text needs: header and piece table. Word 6 and 95 have the same in a smaller header.

Source: [MS-DOC] 2.5 (FIB), 2.8 and 2.9 (Clx, PlcPcd). The text lies in pieces, one or two bytes a character. Every offset comes from the
file: reads beyond the end raise struct.error, and pieces that do not follow each other or overlap are damage.
"""

from __future__ import annotations

import struct
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from yinju.errors import DocumentError
from yinju.load.legacy.doc_properties import (
    PLAIN,
    Characters,
    Paragraph,
    Ranges,
    character_page,
    characters_of,
    old_sprms,
    paragraph_of,
    paragraph_page,
    properties_at,
    read_pages,
    sprms,
)
from yinju.load.legacy.ole import Compound, codec_of, is_chinese
from yinju.load.office.package import damaged, encrypted
from yinju.messages import say

_WORD_97 = 0xC1  # nFib from which text may be Unicode
_CHINESE, _TAIWANESE = (0x0804, 0x1004), (0x0404, 0x0C04)
_HUGE = (0x6645, 0x6646)
_MOST_PIECES = 1_000_000
_MOST_REPEATED = 4  # times that all pieces together are longer than the file


class Subdocument(NamedTuple):
    """A stretch of the text, in characters: `main`, `footnote`, `header`, `macro`, `comment`, `endnote`, `box`, `header box`."""

    name: str
    start: int
    end: int


class Piece(NamedTuple):
    """A piece of the text: characters `start` to `end` lie at byte `place`, `width` bytes each; text is as many characters, halves of pairs apart."""

    start: int
    end: int
    place: int
    width: int
    text: str
    properties: bytes


class Run(NamedTuple):
    """Characters of the same properties; the first is number `start` of the document, and lies at byte `place`."""

    start: int
    text: str
    place: int
    width: int
    properties: Characters


@dataclass(slots=True)
class WordFile:
    """An open document."""

    main: bytes
    table: bytes
    old: bool  # Word 6 or 95
    codec: str
    data: bytes = b""
    bytes_of_text: int = 0
    subdocuments: list[Subdocument] = field(default_factory=list)
    pieces: list[Piece] = field(default_factory=list)
    characters: Ranges = field(default_factory=list)
    paragraphs: Ranges = field(default_factory=list)
    _parsed: dict[bytes, Characters] = field(default_factory=dict)

    def plex(self, index: int) -> tuple[int, int]:
        """Return offset and length of a part of the table stream, by its number in the header; nothing where the part is not there."""
        if self.old:
            return 0, 0
        count = struct.unpack_from("<H", self.main, 0x98)[0]
        return struct.unpack_from("<II", self.main, 0x9A + 8 * index) if index < count else (0, 0)

    def positions(self, index: int, size: int) -> list[int]:
        """Return the character positions of a plex whose data are `size` bytes each."""
        offset, length = self.plex(index)
        count = (min(length, len(self.table) - min(offset, len(self.table))) - 4) // (4 + size)
        return list(struct.unpack_from(f"<{count + 1}I", self.table, offset)) if count > 0 else []

    def runs(self, start: int, end: int) -> Iterator[Run]:
        """Yield the text from one character to another, cut where properties change."""
        first = max(0, bisect_right(self.pieces, start, key=lambda piece: piece.start) - 1)
        for number in range(first, len(self.pieces)):
            piece = self.pieces[number]
            if piece.start >= end:
                return
            at, last = max(start, piece.start), min(end, piece.end)
            while at < last:
                place = piece.place + (at - piece.start) * piece.width
                grpprl, until = properties_at(self.characters, place)
                stop = last if until is None else min(last, at + max(1, (until - place) // piece.width))
                text = piece.text[at - piece.start : stop - piece.start]
                yield Run(at, text, place, piece.width, self._properties(grpprl + piece.properties))
                at = stop

    def paragraph(self, place: int) -> Paragraph:
        """Return the properties of the paragraph whose mark lies at this byte."""
        grpprl, _ = properties_at(self.paragraphs, place)
        if not grpprl:
            return Paragraph()
        if self.old:
            return paragraph_of(grpprl[0], old_sprms(grpprl[1:]))
        codes = list(sprms(grpprl[2:]))
        for code, operand in codes:  # rows of many columns do not fit into a page: their codes lie in another stream
            if code in _HUGE and len(operand) == 4:
                start = int.from_bytes(operand, "little")
                size = int.from_bytes(self.data[start : start + 2], "little")
                codes += list(sprms(self.data[start + 2 : start + 2 + size]))
                break
        return paragraph_of(int.from_bytes(grpprl[:2], "little"), iter(codes))

    def _properties(self, grpprl: bytes) -> Characters:
        if not grpprl:
            return PLAIN
        found = self._parsed.get(grpprl)
        if found is None:
            found = characters_of(old_sprms(grpprl) if self.old else sprms(grpprl))
            self._parsed[grpprl] = found
        return found


def open_word(compound: Compound) -> WordFile:
    """Return the document, its text cut into pieces. Raises DocumentError: damaged, encrypted, unknown-type."""
    main = compound.stream("WordDocument")
    try:
        magic, version, _, language, _, flags = struct.unpack_from("<6H", main)
        if magic not in (0xA5EC, 0xA5DC) or version < 101:
            raise _too_old()
        if flags & 0x0100:
            raise encrypted()
        old = version < _WORD_97
        table = main if old else compound.stream("1Table" if flags & 0x0200 else "0Table")
        if not old and language not in (*_CHINESE, *_TAIWANESE):
            language = struct.unpack_from("<H", main, 0x3C)[0] if flags & 0x4000 else language
        word = WordFile(main, table, old, _codec(language), compound.optional("Data"))
        _read_text(word, bool(flags & 0x0004))
    except (struct.error, OverflowError) as error:
        raise damaged(say("the header of the Word file is broken", "Word 文件头已损坏")) from error
    return word


def read_properties(word: WordFile) -> bool:
    """Read the pages of properties; False where some of them are broken: the text is whole, but perhaps without its headings and tables."""
    try:
        entry = struct.Struct("<H" if word.old else "<I")
        if word.old:
            plexes = [struct.unpack_from("<II", word.main, 0xB8), struct.unpack_from("<II", word.main, 0xC0)]
        else:
            plexes = [word.plex(12), word.plex(13)]
        parts = [word.table[offset : offset + length] for offset, length in plexes]
        word.characters = sorted(read_pages(word.main, parts[0], entry, character_page, word.old))
        word.paragraphs = sorted(read_pages(word.main, parts[1], entry, paragraph_page, word.old))
    except struct.error:
        return False
    return True


def _codec(language: int) -> str:
    pages = {0x0804: 936, 0x1004: 936, 0x0404: 950, 0x0C04: 950, 0x0411: 932, 0x0412: 949, 0x0419: 1251, 0x0415: 1250}
    return codec_of(pages.get(language, 1252))


def _too_old() -> DocumentError:
    return DocumentError(
        say("a file of Word 2 or older", "Word 2 或更早版本的文件"),
        say("open it in LibreOffice and save it as DOCX", "请用 LibreOffice 打开，另存为 DOCX"),
        code="unknown-type",
    )


def _read_text(word: WordFile, complex_: bool) -> None:
    lengths = struct.unpack_from("<8I", word.main, 0x34 if word.old else 0x4C)
    names = ("main", "footnote", "header", "macro", "comment", "endnote", "box", "header box")
    start = 0
    for name, length in zip(names, lengths, strict=True):
        if length > 0x7FFFFFFF - start:
            raise damaged(say("the header of the Word file is broken", "Word 文件头已损坏"))
        word.subdocuments.append(Subdocument(name, start, start + length))
        start += length
    if word.old:
        offset, length = struct.unpack_from("<II", word.main, 0x160)
        if not complex_ or not length:
            first, last = struct.unpack_from("<II", word.main, 0x18)
            _add_piece(word, 0, min(start, last - first if last > first else 0), first, 1, b"")
            return
    else:
        offset, length = word.plex(33)
    _read_pieces(word, offset, length)


def _read_pieces(word: WordFile, offset: int, length: int) -> None:
    """Read the Clx: property lists (1), then the table of pieces (2)."""
    end, lists = min(offset + length, len(word.table)), list[bytes]()
    while offset < end and word.table[offset] == 1:
        size = struct.unpack_from("<H", word.table, offset + 1)[0]
        lists.append(word.table[offset + 3 : offset + 3 + size])
        offset += 3 + size
    kind, size = struct.unpack_from("<BI", word.table, offset)
    count = (size - 4) // 12
    if kind != 2 or not 0 < count <= _MOST_PIECES:
        raise damaged(say("the table of the text's pieces is broken", "文本分块表已损坏"))
    borders = struct.unpack_from(f"<{count + 1}I", word.table, offset + 5)
    for number in range(count):
        _, place, prm = struct.unpack_from("<HIH", word.table, offset + 5 + 4 * (count + 1) + 8 * number)
        properties = lists[prm >> 1] if prm & 1 and prm >> 1 < len(lists) else b""
        compressed = word.old or bool(place & 0x40000000)
        place = place if word.old else place & 0x3FFFFFFF
        _add_piece(
            word,
            borders[number],
            borders[number + 1],
            place // 2 if compressed and not word.old else place,
            1 if compressed else 2,
            properties,
        )


def _add_piece(word: WordFile, start: int, end: int, place: int, width: int, properties: bytes) -> None:
    """Pieces follow each other and lie inside the stream, or the file is damaged: so the text is never longer than the file."""
    before = word.pieces[-1].end if word.pieces else 0
    raw = word.main[place : place + (end - start) * width] if start == before and end >= start else b""
    if start != before or end < start or len(raw) != (end - start) * width:
        raise damaged(say("a piece of the text lies outside of the file", "文本分块超出文件范围"))
    word.bytes_of_text += len(raw)
    if word.bytes_of_text > _MOST_REPEATED * len(word.main):
        raise damaged(say("pieces of the text overlap", "文本分块重叠"))
    word.pieces.append(Piece(start, end, place, width, _decoded(raw, width, word), properties))


def _decoded(raw: bytes, width: int, word: WordFile) -> str:
    """One character for each position. Word 97 writes Chinese as Unicode, but some other programs write bytes of the code page.

    Of two-byte characters in an old file the second position is left empty (U+0000).
    """
    if width == 2:
        text = raw.decode("utf-16-le", "surrogatepass")
        return text if 2 * len(text) == len(raw) else "".join(map(chr, struct.unpack(f"<{len(raw) // 2}H", raw)))
    if word.codec == "cp1252" or raw.isascii() or not (word.old or is_chinese(raw, word.codec)):
        return raw.decode("cp1252", "replace") if len(raw) else ""
    return "".join(
        character + "\0" * (len(character.encode(word.codec, "replace")) - 1)
        for character in raw.decode(word.codec, "replace")
    ).ljust(len(raw), "\0")[: len(raw)]
