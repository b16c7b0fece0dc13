"""What the styles and lists of a Word 97-2003 file say: which style is a heading, which a line of the table of contents, how lists count.

Source: [MS-DOC] 2.9.271 (STSH), 2.9.150 (LSTF, LVLF, LFO). Numbers are counted as in DOCX, by the same code.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, replace

from yinju.load.legacy.doc_file import WordFile
from yinju.load.legacy.doc_properties import Paragraph, paragraph_of, sprms
from yinju.load.office.docx_numbering import Level, Numbering

_STYLES, _LISTS, _OVERRIDES = 1, 73, 74  # numbers of the parts in the header
_MOST_STYLES, _MOST_LISTS = 4095, 10_000
_TITLE = 62
_NO_STYLE = 0xFFF
_FORMS = [
    "decimal",
    "upperRoman",
    "lowerRoman",
    "upperLetter",
    "lowerLetter",
    "ordinal",
    "cardinalText",
    "ordinalText",
    "hex",
    "chicago",
    "ideographDigital",
    "japaneseCounting",
    "aiueo",
    "iroha",
    "decimalFullWidth",
    "decimalHalfWidth",
    "japaneseLegal",
    "japaneseDigitalTenThousand",
    "decimalEnclosedCircle",
    "decimalFullWidth",
    "aiueo",
    "iroha",
    "decimalZero",
    "bullet",
    "ganada",
    "chosung",
    "decimalEnclosedFullstop",
    "decimalEnclosedParen",
    "decimalEnclosedCircleChinese",
    "ideographEnclosedCircle",
    "ideographTraditional",
    "ideographZodiac",
    "ideographZodiacTraditional",
    "taiwaneseCounting",
    "ideographLegalTraditional",
    "taiwaneseCountingThousand",
    "taiwaneseDigital",
    "chineseCounting",
    "chineseLegalSimplified",
    "chineseCountingThousand",
]


@dataclass(frozen=True, slots=True)
class Style:
    """What a paragraph style says, its ancestors included. `level` 0: no heading."""

    level: int = 0
    contents: bool = False
    list_number: int = 0
    list_level: int = 0


def read_styles(word: WordFile) -> list[Style]:
    """Return the paragraph styles by number; as many as can be read."""
    offset, length = word.plex(_STYLES)
    part = word.table[offset : offset + length]
    own: list[tuple[Style, int]] = []
    try:
        header = struct.unpack_from("<H", part)[0]
        count, base = struct.unpack_from("<HH", part, 2)
        at = 2 + header
        for number in range(min(count, _MOST_STYLES)):
            size = struct.unpack_from("<H", part, at)[0]
            own.append(_style(part[at + 2 : at + 2 + size], base, number))
            at += 2 + size + (size & 1)
    except struct.error:
        pass
    return [_inherited(number, own) for number in range(len(own))] or [Style(level) for level in range(10)]


def _style(definition: bytes, base: int, number: int) -> tuple[Style, int]:
    """Return the style without its ancestors, and the number of the one that it is based on."""
    if len(definition) < 10:
        return Style(), _NO_STYLE
    identity, kind, parts = (value for value in struct.unpack_from("<3H", definition))
    identity, parent = identity & 0xFFF, kind >> 4
    if kind & 0xF != 1:  # no paragraph style
        return Style(), _NO_STYLE
    level = identity if 1 <= identity <= 9 else 1 if identity == _TITLE else 0
    found = _codes(definition, base) if parts & 0xF else Paragraph()
    if found.outline is not None and not level:
        level = found.outline + 1 if found.outline < 9 else 0
    contents = 19 <= identity <= 27
    return Style(level, contents, found.list_number or 0, found.list_level or 0), parent


def _codes(definition: bytes, base: int) -> Paragraph:
    """Return the paragraph properties behind the style's name."""
    try:
        letters = struct.unpack_from("<H", definition, base)[0]
        at = base + 2 + 2 * letters + 2
        size = struct.unpack_from("<H", definition, at)[0]
        return paragraph_of(0, sprms(definition[at + 4 : at + 2 + size]))
    except struct.error:
        return Paragraph()


def _inherited(number: int, own: list[tuple[Style, int]]) -> Style:
    found, seen = Style(), set[int]()
    while number < len(own) and number not in seen:
        seen.add(number)
        style, number = own[number]
        if not found.list_number and style.list_number:
            found = replace(found, list_number=style.list_number, list_level=found.list_level or style.list_level)
        elif not found.list_level:
            found = replace(found, list_level=style.list_level)
        found = replace(found, level=found.level or style.level, contents=found.contents or style.contents)
    return found


def read_lists(word: WordFile) -> Numbering:
    """Return the lists of the document; as many as can be read."""
    numbering = Numbering()
    try:
        _read_levels(word, numbering)
        _read_overrides(word, numbering)
    except struct.error:
        pass
    return numbering


def _read_levels(word: WordFile, numbering: Numbering) -> None:
    offset, length = word.plex(_LISTS)
    count = min(struct.unpack_from("<H", word.table, offset)[0], _MOST_LISTS) if length else 0
    at = offset + 2 + 28 * count  # the levels of all lists follow the lists
    for number in range(count):
        start = offset + 2 + 28 * number
        identity, flags = struct.unpack_from("<i22xB", word.table, start)
        levels: dict[int, Level] = {}
        for depth in range(1 if flags & 1 else 9):
            levels[depth], at = _level(word.table, at)
        numbering.levels[str(identity)] = levels


def _level(table: bytes, at: int) -> tuple[Level, int]:
    start, form = struct.unpack_from("<iB", table, at)
    character_codes, paragraph_codes = struct.unpack_from("<BB", table, at + 24)
    at += 28 + character_codes + paragraph_codes
    letters = struct.unpack_from("<H", table, at)[0]
    raw = table[at + 2 : at + 2 + 2 * letters].decode("utf-16-le", "replace")
    pattern = "".join(f"%{ord(c) + 1}" if ord(c) < 9 else c for c in raw)
    name = _FORMS[form] if form < len(_FORMS) else "none" if form == 255 else "decimal"
    return Level(name, pattern, min(max(start, 0), 32_767)), at + 2 + 2 * letters


def _read_overrides(word: WordFile, numbering: Numbering) -> None:
    """Read the lists as paragraphs name them, by numbers from 1, with the levels that they start anew."""
    offset, length = word.plex(_OVERRIDES)
    count = min(struct.unpack_from("<I", word.table, offset)[0], _MOST_LISTS) if length else 0
    at = offset + 4 + 16 * count
    changed = []
    for number in range(count):
        identity, levels = struct.unpack_from("<i8xB", word.table, offset + 4 + 16 * number)
        numbering.lists[str(number + 1)] = (str(identity), {})
        changed.append(min(levels, 9))
    for number, levels in enumerate(changed):
        at += 4
        for _ in range(levels):
            start, flags = struct.unpack_from("<iI", word.table, at)
            at += 8
            if flags & 0x20:
                own, at = _level(word.table, at)
                start = own.start
            if flags & 0x10:
                numbering.lists[str(number + 1)][1][flags & 0xF] = min(max(start, 0), 32_767)
