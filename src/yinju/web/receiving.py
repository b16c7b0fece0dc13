"""Uploaded files from the stream of a request to a folder on disk, a piece at a time, under names that are safe on every system.

A name that somebody sends is a wish: it may hold a path, a device of Windows, marks that turn writing round, or be that of another file. What it
becomes is one plain visible name. A file has its name only once it is there wholly; until then it is a hidden one, which no sync looks at.
"""

from __future__ import annotations

import contextlib
import filecmp
import os
import re
import secrets
import unicodedata
from dataclasses import dataclass
from typing import BinaryIO

from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header

from yinju.errors import DocumentError, UsageError, YinjuError
from yinju.load import is_document_name
from yinju.load.archive import is_archive_name
from yinju.load.detect import detect
from yinju.messages import say

FIELD = "files"
MOST_FILES = 100
MOST_BYTES = 200 * 1024 * 1024  # of one file: what a loader takes
LONGEST_NAME = 180  # bytes in UTF-8; systems take 255, a number may be added, and a source has a prefix
PART = ".part-"  # hidden: no file yet
HEAD = 64 * 1024
_FORBIDDEN = re.compile(r'[<>:"|?*]')
_DEVICE = re.compile(r"(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(?=\.|$)", re.IGNORECASE)


@dataclass(slots=True)
class Received:
    """One file as it came: what it was called, where it lies meanwhile, its size and its first bytes."""

    name: str
    path: str
    size: int = 0
    head: bytes = b""


@dataclass(frozen=True, slots=True)
class Refused:
    """A file that is not taken, and why."""

    name: str
    code: str
    message: str
    hint: str | None


@dataclass(frozen=True, slots=True)
class Stored:
    """A file that was taken, by the name that it has now."""

    name: str
    stored_as: str


class Receiver:
    """Takes the body of one multipart request; use it in a `with` block, after which no part of a file is left."""

    def __init__(self, folder: str, content_type: str) -> None:
        """Raise UsageError where the request says no boundary."""
        _, options = parse_options_header(content_type)
        boundary = options.get(b"boundary", b"")
        self._folder = folder
        self._header: list[bytes] = [b"", b""]
        self._disposition = b""
        self._file: BinaryIO | None = None
        self._is_complete = False
        self.files: list[Received] = []
        try:
            if not boundary:
                raise _broken("no boundary")
            self._parser = MultipartParser(
                boundary,
                {
                    "on_part_begin": self._begin, "on_header_field": self._on_field, "on_header_value": self._on_value,
                    "on_header_end": self._on_header, "on_headers_finished": self._open, "on_part_data": self._data, "on_part_end": self._end,
                    "on_end": self._complete,
                },
            )  # fmt: skip
        except FormParserError as error:
            raise _broken(str(error)) from error

    def __enter__(self) -> Receiver:
        return self

    def __exit__(self, *_exception: object) -> None:
        self._end()
        for file in self.files:
            with contextlib.suppress(OSError):
                os.unlink(file.path)

    def feed(self, data: bytes) -> None:
        """Take the next bytes of the body. Raises UsageError for what is no multipart form, for too many files and too large ones."""
        try:
            self._parser.write(data)
        except FormParserError as error:
            raise _broken(str(error)) from error

    def finish(self) -> None:
        """Note that the body is there wholly. Raises UsageError where it is cut off."""
        if not self._is_complete:
            raise _broken("cut off")
        if not self.files:
            raise UsageError(
                say("No file came.", "没有收到文件。"),
                say("Send each as a form field `files`.", "请以表单字段 `files` 发送。"),
            )

    def _begin(self) -> None:
        self._disposition = b""

    def _on_field(self, data: bytes, start: int, end: int) -> None:
        self._header[0] += data[start:end]

    def _on_value(self, data: bytes, start: int, end: int) -> None:
        self._header[1] += data[start:end]

    def _on_header(self) -> None:
        if self._header[0].lower() == b"content-disposition":
            self._disposition = self._header[1]
        self._header = [b"", b""]

    def _open(self) -> None:
        _, options = parse_options_header(self._disposition.decode("latin-1"))
        name = options.get(b"filename", b"").decode("utf-8", "replace")
        if options.get(b"name") != FIELD.encode() or not name:
            raise UsageError(
                say("The form holds something else than files.", "表单中有文件以外的内容。"),
                say("Send each file as a form field `files`.", "请以表单字段 `files` 发送每个文件。"),
            )
        if len(self.files) >= MOST_FILES:
            raise _too_large(say("More than {n} files at once.", "一次超过 {n} 个文件。", n=MOST_FILES))
        path = os.path.join(self._folder, PART + secrets.token_hex(8))
        handle = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_BINARY", 0), 0o600)
        self._file = os.fdopen(handle, "wb", 1024 * 1024)  # closed where its part ends
        self.files.append(Received(name, path))

    def _data(self, data: bytes, start: int, end: int) -> None:
        if self._file is None:
            return
        file, piece = self.files[-1], data[start:end]
        file.size += len(piece)
        if file.size > MOST_BYTES:
            raise _too_large(say("A file is larger than {n} bytes.", "有文件超过 {n} 字节。", n=MOST_BYTES))
        if len(file.head) < HEAD:
            file.head += piece[: HEAD - len(file.head)]
        self._file.write(piece)

    def _end(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def _complete(self) -> None:
        self._is_complete = True


def store(file: Received, folder: str) -> Stored | Refused:
    """Give a received file its name in the folder, or say why it is not taken. Raises OSError where the disk does not."""
    name = safe_name(file.name)
    why = _refusal(file, name)
    if why is not None:
        return Refused(file.name, why.code, why.message, why.hint)
    for number in range(1, 10_000):
        wanted = os.path.join(folder, _numbered(name, number))
        try:
            os.close(os.open(wanted, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        except FileExistsError:
            if os.path.isfile(wanted) and filecmp.cmp(file.path, wanted, shallow=False):
                return Stored(file.name, os.path.basename(wanted))  # the same file again
            continue
        os.replace(file.path, wanted)
        return Stored(file.name, os.path.basename(wanted))
    text = say("Too many files have the name {name}.", "名为 {name} 的文件过多。", name=name)
    return Refused(file.name, "name-taken", text, say("Rename it.", "请改名。"))


def safe_name(given: str) -> str:
    """Return a plain file name for what somebody calls a file: no path, nothing invisible, nothing that a system takes for something else."""
    name = unicodedata.normalize("NFC", given).replace("\\", "/").rsplit("/", 1)[-1]
    name = "".join(
        character
        for character in name
        if unicodedata.category(character) not in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
    )
    name = _FORBIDDEN.sub("_", name).strip()
    name = name.rstrip(". ").lstrip(".~ ")  # Windows drops the one, the other is hidden
    if _DEVICE.match(name):
        name = f"_{name}"
    stem, dot, suffix = name.rpartition(".")
    if not stem or len(suffix.encode()) > 20:
        stem, dot, suffix = name, "", ""
    room = LONGEST_NAME - len((dot + suffix).encode())
    return (stem.encode()[:room].decode("utf-8", "ignore").rstrip(". ") or "document") + dot + suffix


def _numbered(name: str, number: int) -> str:
    """Return the name with a number from 2 on; not `(2)`, by which a copy of the same text is known."""
    if number == 1:
        return name
    stem, dot, suffix = name.rpartition(".")
    return f"{stem}-{number}{dot}{suffix}" if stem else f"{name}-{number}"


def _refusal(file: Received, name: str) -> DocumentError | None:
    """Return why this is no document, as far as its name and its first bytes tell; the rest is told by its receipt."""
    if is_document_name(name) or is_archive_name(name):
        return (
            None
            if file.size
            else DocumentError(
                say("the file has no bytes", "文件是空的"), say("nothing to do", "无需处理"), code="empty"
            )
        )
    try:
        detect(file.head, name)
    except DocumentError as error:
        return error
    return DocumentError(
        say("files of this type are no documents", "这类文件不是文档"),
        say("convert it to text, PDF or another type of document", "请转换为文本、PDF 等文档类型"),
        code="unknown-type",
    )


def _broken(why: str) -> UsageError:
    return UsageError(
        say("The form cannot be read: {why}", "无法读取表单：{why}", why=why[:200]),
        say("Send multipart/form-data with fields `files`.", "请以 multipart/form-data 发送字段 `files`。"),
    )


def _too_large(text: str) -> YinjuError:
    return YinjuError(text, say("Send less at once.", "请减少一次发送的内容。"), code="too-large")
