"""ZIP archives of documents: what they hold, and the bytes of one member, nothing unpacked to the disk.

A member is a file like any other, at a path behind `!/`: `/docs/a.zip!/b.md`. Its archive may be a bomb, may lead out of the folder, may
hold archives without end, and on a Chinese Windows has names in GBK that it does not declare: all is decided from the directory at the
end of the file, which is bounded before it is read.
"""

from __future__ import annotations

import os
import re
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import BinaryIO

from yinju.errors import DocumentError
from yinju.load import inside
from yinju.load.detect import suffix_of
from yinju.load.parsed import Limits
from yinju.messages import say

SEPARATOR = "!/"
ARCHIVES = frozenset({"zip"})
_NESTED = frozenset(["zip", "7z", "rar", "tar", "gz", "tgz", "bz2", "xz", "zst", "jar"])
_END = b"PK\x05\x06"
_LONGEST_END = 65_557  # bytes: the end of the directory with the longest comment
_LARGEST_DIRECTORY = 8_000_000  # bytes
_SMALL = 20_000_000  # bytes expanded, below which the ratio says nothing
_UNSAFE = re.compile(r"^[/\\]|^[A-Za-z]:|(?:^|[/\\])\.\.(?:[/\\]|$)|\x00")
_DECLARED_UTF8 = 0x800  # general purpose bit 11
_ENCRYPTED = 0x1
_LEFT_BY_SYSTEMS = frozenset({"__MACOSX"})


@dataclass(frozen=True, slots=True)
class Member:
    """A file in an archive: its name with `/`, and its size in bytes when expanded."""

    name: str
    size: int


@dataclass(frozen=True, slots=True)
class Problem:
    """Why the archive, or some of its members, cannot be read: a reason as `DocumentError.code`, with details, and a hint."""

    reason: str
    hint: str


@dataclass(frozen=True, slots=True)
class Listing:
    """What an archive holds. `complete` is False where its directory could not be read: nothing may be concluded from what is missing."""

    members: tuple[Member, ...] = ()
    problem: Problem | None = None
    complete: bool = True


def is_archive_name(source: str) -> bool:
    """Say whether a file of this name is an archive to look into."""
    return suffix_of(source) in ARCHIVES


def split(path: str) -> tuple[str, str] | None:
    """Return archive and member of a path with `!/`, or None for one that is a file of its own."""
    place = path.find(SEPARATOR)
    while place >= 0:
        if is_archive_name(path[:place]) and os.path.isfile(path[:place]) and not os.path.isfile(path):
            return path[:place], path[place + len(SEPARATOR) :]
        place = path.find(SEPARATOR, place + 1)
    return None


def listing(path: str, limits: Limits) -> Listing:
    """Return what the archive at `path` holds. Never raises: what is wrong with it is its problem."""
    try:
        with _open(path, limits) as archive:
            return _listed(archive, limits)
    except DocumentError as error:
        return Listing(problem=Problem(f"{error.code}: {error.message}", error.hint or ""), complete=False)
    except OSError as error:
        return Listing(problem=_unreadable(error), complete=False)


def read_member(archive: str, member: str, limits: Limits, folder: str | None = None) -> tuple[bytes, int]:
    """Return the bytes of a member and the archive's time of change; the archive has to lie in `folder`. Raises DocumentError and OSError."""
    opened = _kept(archive, limits, folder)
    info = opened.entries.get(member)
    if info is None:
        raise FileNotFoundError(f"{archive}{SEPARATOR}{member}")
    if info.flag_bits & _ENCRYPTED:
        raise _encrypted()
    if info.file_size > limits.file_bytes:
        raise _too_large()
    try:
        with opened.archive.open(info) as stream:
            data = stream.read(info.file_size + 1)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError, OSError) as error:
        raise _damaged(say("this member cannot be expanded", "该成员无法解压")) from error
    if len(data) > info.file_size:
        raise _damaged(say("a member is larger than it says", "成员比声明的更大"))
    return data, opened.modified_ns


def forget() -> None:
    """Close the archive that was read last: nobody may be kept from moving or deleting it."""
    global _last  # noqa: PLW0603  one file of the process, as its descriptor is
    if _last is not None:
        _last.archive.close()
    _last = None


@dataclass(frozen=True, slots=True)
class _Opened:
    """An archive that is open, since its members are read one after the other."""

    path: str
    size: int
    modified_ns: int
    archive: zipfile.ZipFile
    entries: dict[str, zipfile.ZipInfo]


_last: _Opened | None = None


def _kept(path: str, limits: Limits, folder: str | None) -> _Opened:
    global _last  # noqa: PLW0603
    about = os.stat(path)
    if not stat.S_ISREG(about.st_mode):
        raise FileNotFoundError(path)
    if _last is None or (_last.path, _last.size, _last.modified_ns) != (path, about.st_size, about.st_mtime_ns):
        forget()
        archive = _open(path, limits, folder)
        entries = dict(zip(_names(archive.infolist()), archive.infolist(), strict=True))
        _last = _Opened(path, about.st_size, about.st_mtime_ns, archive, entries)
    return _last


class _Owning(zipfile.ZipFile):
    """A ZIP file that closes the stream that it was given."""

    def close(self) -> None:
        stream = self.fp
        super().close()
        if stream is not None:
            stream.close()


def _open(path: str, limits: Limits, folder: str | None = None) -> zipfile.ZipFile:
    """Open an archive after the size of its directory was checked. Raises DocumentError: damaged, limit; OSError."""
    stream = os.fdopen(inside.opened(path, folder), "rb")
    try:
        _check_directory(stream, limits)
        return _Owning(stream)
    except (zipfile.BadZipFile, ValueError, EOFError, NotImplementedError, struct.error) as error:
        stream.close()
        raise _damaged(say("not a complete ZIP archive", "不是完整的 ZIP 压缩包")) from error
    except BaseException:
        stream.close()
        raise


def _check_directory(stream: BinaryIO, limits: Limits) -> None:
    """The end of an archive says how many entries and bytes its directory has (APPNOTE 4.3.16)."""
    size = stream.seek(0, os.SEEK_END)
    stream.seek(max(0, size - _LONGEST_END))
    tail = stream.read()
    place = tail.rfind(_END)
    if place < 0:
        raise zipfile.BadZipFile
    entries, directory = struct.unpack_from("<HI", tail, place + 10)
    stream.seek(0)
    if entries > limits.entries or directory > _LARGEST_DIRECTORY:
        raise _limit(say("more than {count} entries", "超过 {count} 个文件", count=limits.entries))


def _listed(archive: zipfile.ZipFile, limits: Limits) -> Listing:
    infos = archive.infolist()
    names = _names(infos)
    files = [(name, info) for name, info in zip(names, infos, strict=True) if not name.endswith("/")]
    expanded = sum(info.file_size for _, info in files)
    packed = sum(info.compress_size for _, info in files)
    if len(infos) > limits.entries or expanded > limits.expanded_bytes:
        raise _limit(say("expands to {size} MB", "解压后为 {size} MB", size=expanded >> 20))
    if expanded > _SMALL and expanded > limits.ratio * max(1, packed):
        raise _limit(say("expands more than a hundredfold: a zip bomb?", "解压后膨胀超过一百倍，疑似压缩炸弹"))
    members: dict[str, Member] = {}
    unsafe, nested, locked = [], [], []
    for name, info in files:
        if _UNSAFE.search(name):
            unsafe.append(name)
        elif _is_left_by_a_system(name):
            continue
        elif info.flag_bits & _ENCRYPTED:
            locked.append(name)
        elif suffix_of(name) in _NESTED:
            nested.append(name)
        else:
            members[name] = Member(name, info.file_size)
    return Listing(tuple(members.values()), _problem(unsafe, locked, nested))


def _names(infos: Iterable[zipfile.ZipInfo]) -> list[str]:
    """Return the entries' names with `/`. Undeclared ones are in the encoding of the system that wrote them: UTF-8, else GBK, else as given.

    Python reads undeclared names as code page 437, which keeps every byte.
    """
    infos = list(infos)
    undeclared = [info for info in infos if not info.flag_bits & _DECLARED_UTF8]
    encoding = next((name for name in ("utf-8", "gb18030") if all(_fits(info, name) for info in undeclared)), None)
    return [
        _with_slashes(
            info.orig_filename.encode("cp437").decode(encoding)
            if encoding and not info.flag_bits & _DECLARED_UTF8
            else info.orig_filename
        )
        for info in infos
    ]


def _fits(info: zipfile.ZipInfo, encoding: str) -> bool:
    try:
        info.orig_filename.encode("cp437").decode(encoding)
    except (UnicodeDecodeError, UnicodeEncodeError):
        return False
    return True


def _with_slashes(name: str) -> str:
    return name if _UNSAFE.search(name) else name.replace("\\", "/")


def _is_left_by_a_system(name: str) -> bool:
    """Resource forks of macOS and hidden files are no documents of anyone."""
    parts = name.split("/")
    return parts[0] in _LEFT_BY_SYSTEMS or any(part.startswith(".") and part.strip(".") for part in parts)


def _problem(unsafe: list[str], locked: list[str], nested: list[str]) -> Problem | None:
    if unsafe:
        return Problem(
            f"unsafe name: {_examples(unsafe)}",
            say(
                "Nothing is written there; pack the archive anew with plain names.",
                "不会写入这些位置；请用普通文件名重新打包。",
            ),
        )
    if locked:
        return Problem(
            f"encrypted: {_examples(locked)}",
            say("Unpack it with its password into the folder.", "请用密码解压到文件夹中。"),
        )
    if nested:
        return Problem(
            f"nested archive: {_examples(nested)}",
            say("Unpack the inner archives into the folder.", "请把内层压缩包解压到文件夹中。"),
        )
    return None


def _examples(names: list[str]) -> str:
    shown = ", ".join(names[:3])
    return f"{shown} (+{len(names) - 3})" if len(names) > 3 else shown


def _unreadable(error: OSError) -> Problem:
    if isinstance(error, PermissionError):
        return Problem(
            "permission", say("Allow your account to read it, then sync again.", "请允许当前账户读取它，然后重新同步。")
        )
    return Problem(
        f"unreadable: {error.strerror or type(error).__name__}",
        say("The disk or network did not answer: try again later.", "磁盘或网络没有响应：请稍后重试。"),
    )


def _damaged(what: str) -> DocumentError:
    return DocumentError(what, say("get the archive again from where it came", "请重新获取该压缩包"), code="damaged")


def _encrypted() -> DocumentError:
    return DocumentError(
        say("a password is needed", "需要密码"),
        say("unpack it with its password into the folder", "请用密码解压到文件夹中"),
        code="encrypted",
    )


def _too_large() -> DocumentError:
    return _limit(say("a member is too large", "成员文件过大"))


def _limit(what: str) -> DocumentError:
    return DocumentError(what, say("unpack it into the folder", "请解压到文件夹中"), code="limit")
