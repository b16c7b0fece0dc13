"""How many visible characters an RTF file holds, counted by other code than the loader's: one loop over the text as Latin-1 characters.

It knows which groups hold no text of the document and how bytes are decoded, nothing of paragraphs, tables, notes or what is shown.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_NEXT = re.compile(r"[\\{}]|[^\\{}\r\n]+")
_WORD = re.compile(r"([A-Za-z]{1,32})(-?[0-9]{1,10})? ?")
_HEX = re.compile(r"'([0-9A-Fa-f]{2})")
_OFF = {
    "fonttbl",
    "stylesheet",
    "info",
    "colortbl",
    "pict",
    "nonshppict",
    "objdata",
    "nonesttables",
    "shprslt",
    "upr",
    "filetbl",
    "private",
    "template",
}
_SHAPE = {"shpinst", "do", "sp"}
_BOX = {"shptxt", "dptxbxtext"}
_TEXT = {
    "header",
    "headerl",
    "headerr",
    "headerf",
    "footer",
    "footerl",
    "footerr",
    "footerf",
    "annotation",
    "fldinst",
    "xe",
    "tc",
    "listtext",
    "pntext",
    "footnote",
}
_FURTHER = {"shppict", "shpgrp"}
_ONE = {"emdash", "endash", "lquote", "rquote", "ldblquote", "rdblquote", "bullet"}
_PAGES = {
    0: 1252,
    77: 10000,
    128: 932,
    129: 949,
    134: 936,
    136: 950,
    161: 1253,
    162: 1254,
    163: 1258,
    177: 1255,
    178: 1256,
}
_PAGES |= {186: 1257, 204: 1251, 222: 874, 238: 1250}
_NAMES = {
    936: "gb18030",
    54936: "gb18030",
    10008: "gb18030",
    20936: "gb18030",
    65001: "utf-8",
    10000: "mac_roman",
    28591: "cp1252",
}
_NAMES |= {1200: "utf-16-le", 20127: "cp1252", 50220: "iso2022_jp"}
_DOUBLE = ("gb18030", "cp950", "cp932", "cp949")


class _Group(NamedTuple):
    counts: str = "on"  # on, off, fonts, shape
    after: int = 1  # characters behind a Unicode one that only repeat it
    font: int = -1


class _Count:
    def __init__(self) -> None:
        self.found = 0
        self.group = _Group()
        self.outer: list[_Group] = []
        self.bytes: list[str] = []
        self.page = "cp1252"
        self.fonts: dict[int, str] = {}
        self.default = -1

    def end_of_bytes(self) -> None:
        raw = "".join(self.bytes).encode("latin-1")
        self.bytes.clear()
        if raw and self.group.counts == "on":
            font = self.group.font if self.group.font >= 0 else self.default
            self.text(_decode(raw, self.fonts.get(font, self.page), self.page))

    def text(self, text: str) -> None:
        if self.group.counts == "on":
            self.found += sum(1 for c in text if c >= " " and not c.isspace() and not 0xDC00 <= ord(c) <= 0xDFFF)


def count_rtf(data: bytes) -> int:
    """Return the visible characters of the text, page headers, notes, comments, field codes, hidden and deleted text among them."""
    text, count = data.decode("latin-1"), _Count()
    at, repeats, star, first = 0, 0, False, False
    while match := _NEXT.search(text, at):
        at = match.end()
        piece = match[0]
        code = _HEX.match(text, at) if piece == "\\" else None
        if code or piece not in "\\{}":
            if code:
                piece, at = chr(int(code[1], 16)), code.end()
            kept = piece[repeats:]
            repeats -= min(repeats, len(piece))
            first, star = first and not kept, star and not kept
            count.bytes.append(kept)
            continue
        word = _WORD.match(text, at) if piece == "\\" else None
        if word:
            at = word.end()
            name, number = word[1], int(word[2]) if word[2] else None
            if name == "bin":
                at += min(max(number or 0, 0), len(text) - at)
            elif repeats and name != "u":
                repeats -= 1
                continue
            count.end_of_bytes()
            begins, first, starred, star = first, False, star, False
            if name == "u" and number is not None and not starred:
                count.text(chr(number & 0xFFFF))
                repeats = count.group.after
            else:
                repeats = 0 if name == "u" else repeats
                _word(count, name, number, starred, begins)
            continue
        count.end_of_bytes()
        if piece == "\\":
            symbol = text[at : at + 1]
            at += 1
            star, first = (True, first) if symbol == "*" else (star, False)
            count.text(symbol if symbol and symbol in "\\{}" else "")
            continue
        repeats, first = 0, piece == "{"
        if piece == "{":
            count.outer.append(count.group)
        elif count.outer:
            count.group = count.outer.pop()
    count.end_of_bytes()
    return count.found


def _word(count: _Count, name: str, number: int | None, starred: bool, begins: bool) -> None:
    group = count.group
    if starred or (begins and name in _OFF | _SHAPE | _BOX | _TEXT):
        count.group = group._replace(counts=_kind(group.counts, name, starred))
    elif name in _ONE:
        count.text("x")
    elif name == "uc":
        count.group = group._replace(after=min(max(number or 0, 0), 1000))
    elif name == "f":
        count.group = group._replace(font=number if number is not None and 0 <= number < 100_000 else -1)
    elif name == "plain":
        count.group = group._replace(font=-1)
    elif name == "deff":
        count.default = number if number is not None else -1
    elif name == "ansicpg":
        count.page = _codec(number or 1252)
    elif name == "fcharset" and group.counts == "fonts" and group.font >= 0 and number in _PAGES:
        count.fonts[group.font] = _codec(_PAGES[number])


def _kind(before: str, name: str, starred: bool) -> str:
    if before in ("off", "fonts"):
        return "off" if starred else before
    if name in _OFF:
        return "fonts" if name == "fonttbl" else "off"
    if name in _SHAPE:
        return "shape"
    if name in _BOX:
        return "on"
    return before if name in _TEXT or name in _FURTHER or not starred else "off"


def _decode(raw: bytes, font: str, page: str) -> str:
    if font not in _DOUBLE and page in _DOUBLE[:2] and not raw.isascii():
        second = "\xa1-\xfe" if page == "gb18030" else "\x40-\xfe"
        pairs = re.fullmatch(f"(?:[\x00-\x7f]|[\xa1-\xfe][{second}])*", raw.decode("latin-1"))
        try:
            return raw.decode(page if pairs else font)
        except UnicodeDecodeError:
            pass
    return raw.decode(font, "replace")


def _codec(page: int) -> str:
    name = _NAMES.get(page, f"cp{page}")
    try:
        "".encode(name)
    except LookupError:
        return "cp1252"
    return name
