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
_MOST_STREAMS = 20_000
_SUMMARY = "\x05SummaryInformation"
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
        try:
            found: dict[int, Any] = self._file.getproperties(_SUMMARY, convert_time=True) if self.has(_SUMMARY) else {}
        except _BROKEN:
            return None, {}
        codec = codec_of(found[1] & 0xFFFF) if isinstance(found.get(1), int) else "cp1252"
        metadata = {name: text for key, name in _TEXTS.items() if (text := _text(found.get(key), codec))}
        for key, name in _TIMES.items():
            moment = found.get(key)
            if isinstance(moment, datetime.datetime) and moment.year > 1970:
                metadata[name] = moment.replace(microsecond=0).isoformat()
        return _text(found.get(2), codec) or None, metadata

    @staticmethod
    def _broken(path: tuple[str, ...]) -> DocumentError:
        name = "/".join(path).replace("\x05", "")
        return damaged(say("the stream {name} is missing or broken", "内部数据流 {name} 缺失或损坏", name=name))


def _text(value: Any, codec: str) -> str:
    if isinstance(value, bytes):
        value = value.decode(codec, "replace")
    return " ".join(value.replace("\x00", " ").split()) if isinstance(value, str) else ""
