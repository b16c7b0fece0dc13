"""RTF cut into tokens, and its bytes decoded: code pages hang at fonts, and what a font says is often wrong for Chinese."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from yinju.load.legacy.ole import codec_of, is_chinese

_TOKEN = re.compile(
    rb"\\([a-zA-Z]{1,32})(-?[0-9]{1,10})?[ ]?|\\'([0-9a-fA-F]{2})|\\([^a-zA-Z])|([{}])|([\r\n]+)|([^\\{}\r\n]+)",
    re.DOTALL,
)
# \\fcharset -> Windows code page
CHARSETS = {
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
CHARSETS |= {186: 1257, 204: 1251, 222: 874, 238: 1250}
_EAST_ASIAN = ("gb18030", "cp950", "cp932", "cp949")


class Token(NamedTuple):
    """A control word with its number, a symbol (`*`, `~`), a brace, or bytes of text."""

    kind: str  # word, symbol, open, close, text
    word: str = ""
    number: int | None = None
    text: bytes = b""
    length: int = 0  # characters for counting what a Unicode character replaces


def tokens(data: bytes) -> Iterator[Token]:
    """Yield the tokens; bytes of pictures behind `bin` are stepped over. Linear in the length, whatever the bytes."""
    at, end = 0, len(data)
    while at < end:
        match = _TOKEN.match(data, at)
        if match is None:  # a lone backslash at the end
            at += 1
            continue
        at = match.end()
        word, number, code, symbol, brace, _, text = match.groups()
        if word is not None:
            value = int(number) if number else None
            if word == b"bin":
                at += min(max(value or 0, 0), end - at)
            yield Token("word", word.decode("ascii"), value)
        elif code is not None:
            yield Token("text", text=bytes((int(code, 16),)))
        elif text is not None:
            yield Token("text", text=text)
        elif brace is not None:
            yield Token("open" if brace == b"{" else "close")
        elif symbol is not None:
            yield Token("symbol", symbol.decode("latin-1"))


def decoded(raw: bytes, font: str, document: str) -> str:
    """Return the text of bytes in a font's code page; the document's East Asian one wins where the bytes are Han characters in it."""
    if raw.isascii():
        return raw.decode("ascii")
    if font not in _EAST_ASIAN and is_chinese(raw, document):
        return raw.decode(document)
    return raw.decode(font, "replace")


def codec(page: int) -> str:
    """Return Python's codec for a code page."""
    return codec_of(page)
