"""How many visible characters the texts of a mail hold, its alternatives among them: counted by a walk over all parts.

What is a body, what an alternative, what stands around it is not asked here; attachments are no text of the mail. Headers are added to the
text by the loader, and not counted.
"""

from __future__ import annotations

import email
import io
import re
import struct
from email.message import Message
from typing import Any

from yinju.errors import DocumentError
from yinju.load.encoding import decode

_SEPARATOR = re.compile(rb"\r?\n\r?\nFrom [^\r\n]*[0-9]{4}[^\r\n]*\r?\n")
_UNREADABLE = (OSError, ValueError, TypeError, LookupError, AttributeError, struct.error, OverflowError)
_MOST = 200  # messages
_STATEFUL = ("iso-2022-", "iso2022", "hz", "utf-7", "utf7")


def count_eml(data: bytes) -> int:
    """Return the visible characters of all plain and HTML parts that are not attached, in mails inside of the mail too."""
    return sum(map(_part, email.message_from_bytes(data).walk()))


def count_mbox(data: bytes) -> int:
    """Return the sum over the mails of a mailbox."""
    mails = _SEPARATOR.split(b"\n\n" + data)  # so that a line `From ...` at the start is one, too
    return sum(map(count_eml, [mails[0][2:], *mails[1:]]))


def _part(part: Message) -> int:
    kind = part.get_content_type()
    if kind not in ("text/plain", "text/html") or part.is_multipart():
        return 0
    if str(part.get("content-disposition", "")).lstrip().lower().startswith("attachment"):
        return 0
    try:
        text = _decoded(bytes(part.get_payload(decode=True) or b""), part)
    except (DocumentError, ValueError, TypeError, LookupError, AssertionError):
        return 0
    if kind == "text/html":
        from yinju.load.count.web import count_markup

        return count_markup(text)
    return len("".join(text.split()))


def _decoded(data: bytes, part: Message) -> str:
    if not data:
        return ""
    try:
        charset = part.get_content_charset() or ""
    except (LookupError, ValueError, TypeError, AttributeError):
        charset = ""
    return _by_charset(data, charset)


def _by_charset(data: bytes, charset: str) -> str:
    charset = charset.strip().lower().replace("_", "-")
    stateful = charset.startswith(_STATEFUL)
    if stateful or (b"\x1b$" in data and data.isascii()):
        try:
            return str(data, charset if stateful else "iso2022_jp_2")
        except (UnicodeError, LookupError):
            pass
    beyond = len(data) - len(data.decode("ascii", "ignore"))
    if charset and len(data) < 10_000 and 0 < beyond < 40:
        family = {"gb2312": "gb18030", "gbk": "gb18030", "x-gbk": "gb18030", "gb-2312": "gb18030"}
        for name in ("utf-8", family.get(charset, charset)):
            try:
                return str(data, name)
            except (UnicodeError, LookupError):
                pass
    return decode(data, charset).text


def count_msg(data: bytes) -> int:
    """Return the visible characters of the text of a message of Outlook and of those inside of it: plain text, else HTML, else RTF."""
    import olefile

    with olefile.OleFileIO(io.BytesIO(data)) as file:
        streams = {"/".join(path).lower(): path for path in file.listdir()}
        places = sorted(
            name.removesuffix("__properties_version1.0")
            for name in streams
            if name.endswith("__substg1.0_3701000d/__properties_version1.0")
        )
        return sum(_message(file, streams, place) for place in ["", *places[: _MOST - 1]])


def _message(file: Any, streams: dict[str, list[str]], place: str) -> int:
    def content(name: str) -> bytes:
        try:
            return bytes(file.openstream(streams[f"{place}__substg1.0_{name}"]).read())
        except (KeyError, *_UNREADABLE):
            return b""

    def text(name: str) -> str:
        if wide := content(name + "001f"):
            return str(wide, "utf-16-le", "replace").rstrip("\0")
        narrow = content(name + "001e").rstrip(b"\0")
        codec = _codec(_page(properties()))
        try:
            return _by_charset(narrow, codec) if narrow else ""
        except DocumentError:
            return str(narrow, codec, "replace")

    def properties() -> bytes:
        try:
            return bytes(file.openstream(streams[f"{place}__properties_version1.0"]).read())[24 if place else 32 :]
        except (KeyError, *_UNREADABLE):
            return b""

    plain = text("1000")
    if plain.strip("\0 \t\r\n\xa0"):
        return len("".join(plain.split()))
    page: bytes | str = content("10130102") or text("1013")
    if page.strip():
        from yinju.load.count.web import count_markup

        try:
            return count_markup(page)
        except DocumentError:
            return 0
    from yinju.load.count.rtf import count_rtf
    from yinju.load.mail.lzfu import expand

    return count_rtf(expand(content("10090102"), 50_000_000))


def _page(properties: bytes) -> int:
    """Return the code page that a list of properties of 16 bytes states."""
    pages: dict[bytes, int] = {}
    for start in range(0, len(properties) - 15, 16):
        page = int.from_bytes(properties[start + 8 : start + 10], "little")
        pages.setdefault(properties[start + 2 : start + 4], page)
    return pages.get(b"\xfd\x3f", pages.get(b"\xde\x3f", 1252))


def _codec(page: int) -> str:
    names = {936: "gb18030", 54936: "gb18030", 10008: "gb18030", 20936: "gb18030", 65001: "utf-8", 1200: "utf-16-le"}
    names |= {20127: "cp1252", 28591: "cp1252", 10000: "mac_roman", 50220: "iso2022_jp"}
    name = names.get(page, f"cp{page}")
    try:
        "".encode(name)
    except LookupError:
        return "cp1252"
    return name
