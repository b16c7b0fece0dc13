"""Headers of mails as people read them: encoded words, raw bytes of any encoding, dates, names of attachments.

The standard library's own decoder stops at a broken word, and decodes each word alone: but many programs cut a Chinese character in two.
"""

from __future__ import annotations

import base64
import binascii
import quopri
import re
from collections.abc import Iterator
from datetime import datetime
from email.message import Message
from email.utils import parsedate_to_datetime

from yinju.errors import DocumentError
from yinju.load.clean import clean
from yinju.load.encoding import decode

_WORD = re.compile(r"=\?([^?\s]{1,60})\?([bBqQ])\?([^?]*)\?=(?:\s+(?==\?[^?\s]{1,60}\?[bBqQ]\?[^?]*\?=))?")
_SEVEN_BITS = ("iso-2022-", "iso2022", "hz", "utf-7", "utf7")  # their bytes look like ASCII
_SHORT = 40  # bytes beyond ASCII: too few to judge an encoding by them
_LONGEST = 100_000  # characters of one header
_HAN = re.compile("[\u3400-\u9fff]")


def header(message: Message, name: str) -> str:
    """Return the header of this name in one line, empty where it is missing; the first where it is there twice."""
    raw = next((str(value) for key, value in message.raw_items() if key.lower() == name), "")
    return readable(raw)


def readable(raw: str) -> str:
    """Return a raw header (bytes beyond ASCII as surrogates) decoded, in one line, without hidden characters."""
    raw = raw[:_LONGEST]
    if not raw.isascii():
        raw = text_of(raw.encode("utf-8", "surrogateescape"), None)
    out, at = [], 0
    for start, end, text in _words(raw):
        out += [raw[at:start], text]
        at = end
    return " ".join(clean("".join([*out, raw[at:]])).text.split())


def _words(raw: str) -> Iterator[tuple[int, int, str]]:
    """Yield where encoded words stand and what they say; neighbours of one encoding are put together before they are decoded."""
    waiting: tuple[int, int, str, bytes] | None = None
    for match in _WORD.finditer(raw):
        charset, content = match[1].partition("*")[0], _bytes(match[2], match[3])
        if waiting and waiting[1] == match.start() and waiting[2].lower() == charset.lower():
            waiting = (waiting[0], match.end(), charset, waiting[3] + content)
            continue
        if waiting:
            yield waiting[0], waiting[1], text_of(waiting[3], waiting[2])
        waiting = (match.start(), match.end(), charset, content)
    if waiting:
        yield waiting[0], waiting[1], text_of(waiting[3], waiting[2])


def _bytes(form: str, content: str) -> bytes:
    raw = content.encode("utf-8", "surrogateescape")
    if form in "qQ":
        return quopri.decodestring(raw, header=True)
    raw = re.sub(rb"[^A-Za-z0-9+/]", b"", raw)
    try:
        return base64.b64decode(
            raw[: len(raw) // 4 * 4 + (len(raw) % 4 if len(raw) % 4 > 1 else 0)] + b"=" * (-len(raw) % 4)
        )
    except binascii.Error:
        return b""


def text_of(data: bytes, charset: str | None) -> str:
    """Return the text; a mail's word for its charset counts more than a file's, but not against the evidence of a longer text.

    What is no text in any encoding comes back with replacement characters.
    """
    try:
        return body_of(data, charset)
    except DocumentError:
        return data.decode("utf-8", "replace")


def body_of(data: bytes, charset: str | None) -> str:
    """Return the text as `text_of` does. Raises DocumentError with code `binary`."""
    named = (charset or "").strip().lower().replace("_", "-")
    if named.startswith(_SEVEN_BITS) or (b"\x1b$" in data and data.isascii()):
        try:
            return data.decode(named if named.startswith(_SEVEN_BITS) else "iso2022_jp_2")
        except (UnicodeError, LookupError):
            pass
    if named and len(data) < 10_000 and 0 < sum(byte > 0x7F for byte in data) < _SHORT:
        for name in ("utf-8", "gb18030" if named in ("gb2312", "gbk", "x-gbk", "gb-2312") else named):
            try:
                return data.decode(name)
            except (UnicodeError, LookupError):
                continue
    return decode(data, charset).text


def charset_of(part: Message) -> str | None:
    """Return the charset that the part states; None where it states none, or nonsense."""
    try:
        return part.get_content_charset()
    except (LookupError, ValueError, TypeError, AttributeError):
        return None


def file_name(part: Message) -> str:
    """Return the name of an attachment, without folders; empty where it has none."""
    try:
        name = part.get_filename() or ""
    except (LookupError, ValueError, TypeError, AttributeError):
        name = ""
    return re.split(r"[/\\]", readable(name))[-1][:200]


def moment(text: str) -> datetime | None:
    """Return the date of a header; None where it is none."""
    try:
        return parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


def is_chinese(text: str) -> bool:
    """Say whether a text has Chinese characters, so that labels beside it should be Chinese."""
    return bool(_HAN.search(text))
