"""The compound file (OLE2) around Word, Excel, PowerPoint 97 and Outlook: a small file system in which every pointer may lie.

olefile bounds chains of sectors and refuses loops; what it raises for a broken file becomes one error of ours. Nothing in a stream is ever run.
"""

from __future__ import annotations

import codecs
import datetime
import io
import struct
from collections.abc import Iterator
from typing import Any

from yinju.errors import DocumentError
from yinju.load.office.package import damaged
from yinju.messages import say

SIGNATURE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_BROKEN = (
    *(OSError, ValueError, TypeError, LookupError, AttributeError, struct.error),
    *(RecursionError, OverflowError, EOFError, MemoryError),
)
_PROGRAMS = (
    "openpyxl",
    "python-docx",
    "python-pptx",
    "User",
    "Administrator",
    "Microsoft",
    "微软用户",
    "微软中国",
)  # no persons
_CHINESE = ("gb18030", "cp950")
_MOST_STREAMS = 20_000
_SUMMARY = "\x05SummaryInformation"
_LONGEST_SUMMARY, _LONGEST_TEXT, _MOST_PROPERTIES = 2_000_000, 4_000, 200
_FIRST_TICK, _LAST_TICK = 116_444_736_000_000_000, 157_766_880_000_000_000  # the years 1970 to 2100
_TEXTS = {3: "subject", 4: "author", 5: "keywords"}
_TIMES = {12: "created", 13: "modified"}
_PAGES = {
    1200: "utf-16-le",
    65001: "utf-8",
    936: "gb18030",
    54936: "gb18030",
    10008: "gb18030",
    950: "cp950",
    932: "cp932",
}
_PAGES |= {949: "cp949", 20127: "cp1252", 10000: "mac_roman", 28591: "cp1252", 20936: "gb18030", 50220: "iso2022_jp"}


def codec_of(page: int) -> str:
    """Return Python's codec for a Windows code page; `cp1252` for one that is not known."""
    if page in _PAGES:
        return _PAGES[page]
    try:
        return codecs.lookup(f"cp{page}").name
    except LookupError:
        return "cp1252"


def is_chinese(raw: bytes, codec: str) -> bool:
    """Say whether bytes that should be Western are Chinese in this code page: pairs of the common planes, and nothing else beyond ASCII.

    A typographic apostrophe with the letter behind it is a rare character of GBK: rare ones prove nothing.
    """
    if codec not in _CHINESE or raw.isascii():
        return False
    try:
        beyond = [character.encode(codec) for character in raw.decode(codec) if character > "\x7f"]
    except UnicodeDecodeError:
        return False
    return all(len(pair) == 2 and pair[0] > 0xA0 and (pair[1] > 0xA0 or codec == "cp950") for pair in beyond)


class Compound:
    """An open compound file. Names of streams are compared without regard to case, as Windows does."""

    def __init__(self, data: bytes) -> None:
        """Raises DocumentError with code `damaged`."""
        import olefile

        try:
            self._file: Any = olefile.OleFileIO(io.BytesIO(data))
            self.names: list[tuple[str, ...]] = [tuple(path) for path in self._file.listdir()][:_MOST_STREAMS]
        except _BROKEN as error:
            raise damaged(say("the directory of the file cannot be read", "无法读取文件内部目录")) from error
        self._by_name = {tuple(part.lower() for part in path): path for path in self.names}

    def has(self, *path: str) -> bool:
        """Say whether there is a stream of this name."""
        return tuple(part.lower() for part in path) in self._by_name

    def stream(self, *path: str) -> bytes:
        """Return the content of a stream. Raises DocumentError with code `damaged` where it is missing or broken."""
        name = self._by_name.get(tuple(part.lower() for part in path))
        try:
            if name is not None:
                with self._file.openstream(list(name)) as stream:
                    return bytes(stream.read())
        except _BROKEN as error:
            raise self._broken(path) from error
        raise self._broken(path)

    def optional(self, *path: str) -> bytes:
        """Return the content of a stream, nothing where it is missing or broken."""
        try:
            return self.stream(*path)
        except DocumentError:
            return b""

    def below(self, *storage: str) -> Iterator[tuple[str, ...]]:
        """Yield the names of the streams directly in this storage."""
        wanted = tuple(part.lower() for part in storage)
        for path in self.names:
            if len(path) == len(wanted) + 1 and tuple(part.lower() for part in path[:-1]) == wanted:
                yield path

    def properties(self) -> tuple[str | None, dict[str, str]]:
        """Return title and author, dates and the like; what is broken or empty is left out."""
        found = _properties(self.optional(_SUMMARY)[:_LONGEST_SUMMARY])
        page = found.get(1)
        codec = codec_of(page & 0xFFFF) if isinstance(page, int) else "cp1252"
        metadata = {name: text for key, name in _TEXTS.items() if (text := _text(found.get(key), codec))}
        if metadata.get("author") in _PROGRAMS:
            del metadata["author"]
        for key, name in _TIMES.items():
            ticks = found.get(key)
            if isinstance(ticks, int) and _FIRST_TICK < ticks < _LAST_TICK:
                moment = datetime.datetime(1601, 1, 1) + datetime.timedelta(seconds=ticks // 10_000_000)
                metadata[name] = moment.isoformat()
        return _text(found.get(2), codec) or None, metadata

    @staticmethod
    def _broken(path: tuple[str, ...]) -> DocumentError:
        name = "/".join(path).replace("\x05", "")
        return damaged(say("the stream {name} is missing or broken", "内部数据流 {name} 缺失或损坏", name=name))


def _properties(raw: bytes) -> dict[int, int | bytes | str]:
    """Return number -> value of a property set ([MS-OLEPS] 2.2 to 2.20). olefile's own reader believes any count, and may run for hours."""
    found: dict[int, int | bytes | str] = {}
    try:
        start = struct.unpack_from("<I", raw, 44)[0]
        count = min(struct.unpack_from("<I", raw, start + 4)[0], _MOST_PROPERTIES)
        for number in range(count):
            key, offset = struct.unpack_from("<II", raw, start + 8 + 8 * number)
            kind, first = struct.unpack_from("<HxxI", raw, start + offset)
            at, length = start + offset + 8, min(first, _LONGEST_TEXT)
            if kind in (2, 3):
                found[key] = first
            elif kind == 30:
                found[key] = raw[at : at + length]
            elif kind == 31:
                found[key] = raw[at : at + 2 * length].decode("utf-16-le", "replace")
            elif kind == 64:
                found[key] = struct.unpack_from("<Q", raw, start + offset + 4)[0]
    except struct.error:
        pass
    return found


def _text(value: int | bytes | str | None, codec: str) -> str:
    if isinstance(value, bytes):
        value = value.decode(codec, "replace")
    return " ".join(value.replace("\x00", " ").split()) if isinstance(value, str) else ""
