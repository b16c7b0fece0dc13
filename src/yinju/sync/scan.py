"""Walk a root and say what lies there, without opening a single document.

Everything that is no regular file inside the root ends as a problem with a reason, never as an exception: one bad entry must not
stop the others. What could not be listed is named (`unlisted`), because silence about a file is no proof that it is gone.

Symlinks are followed where their target stays inside the root. A linked folder is not entered again from inside itself, nor from
inside another linked folder, so that the walk ends whatever the links are.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from yinju.errors import SourceMissing
from yinju.messages import say
from yinju.sync.ignore import Rules, rules_above
from yinju.types import FileReport, SourceFile

if TYPE_CHECKING:
    from yinju.load import Limits

LIBRARY_FOLDER = ".yinju"
DAMAGED_LINK = (errno.ENOENT, errno.ELOOP, errno.ENOTDIR)


@dataclass(frozen=True, slots=True)
class Scan:
    """What lies in a root, or in the part of it that was looked at. All names are sources: `/` between folders, spelled as on disk.

    `part` is the source of the file or folder that was scanned, "" for the whole root. `unlisted` are folders whose content could
    not be told. `ignored` counts files that are no documents; hidden files and what ignore rules name are not counted.
    """

    root: str
    prefix: str = ""
    part: str = ""
    files: tuple[SourceFile, ...] = ()
    problems: tuple[FileReport, ...] = ()
    unlisted: tuple[str, ...] = ()
    ignored: int = 0
    notices: tuple[str, ...] = ()

    def covers(self, source: str) -> bool:
        """Tell whether this scan would have met the file with this source, were it there."""
        return is_below(source, self.part) and not any(is_below(source, folder) for folder in self.unlisted)


def is_below(source: str, folder: str) -> bool:
    """Tell whether `source` is `folder` or lies in it, also in an archive (`a.zip!/b.md` in `a.zip`).

    A folder "" or one that ends with `/` is a prefix.
    """
    if not folder or folder.endswith("/"):
        return source.startswith(folder)
    return (source + "/").startswith((folder + "/", folder + "!/"))


@dataclass(frozen=True, slots=True)
class _Folder:
    path: str
    real: str
    relative: str  # below the root, "" is the root
    rules: Rules
    linked: bool  # reached through a linked folder
    above: _Folder | None = None


@dataclass(slots=True)
class _Walk:
    """The state of one scan."""

    root: str
    prefix: str
    is_document: Callable[[str], bool]
    leave_out: frozenset[str]
    is_archive: Callable[[str], bool]
    limits: Limits
    met: Callable[[int], None] | None
    files: list[SourceFile] = field(default_factory=list)
    problems: list[FileReport] = field(default_factory=list)
    unlisted: list[str] = field(default_factory=list)
    ignored: int = 0
    notices: set[str] = field(default_factory=set)

    def walk(self, top: _Folder) -> None:
        """List `top` and everything below it."""
        waiting = [top]
        while waiting:
            folder = waiting.pop()
            rules = folder.rules.entered(folder.path, folder.relative)
            self.notices.update(rules.notices)
            try:
                with os.scandir(folder.path) as listing:
                    entries = sorted(listing, key=lambda entry: entry.name)
            except FileNotFoundError:
                continue  # gone since its own folder was listed
            except OSError as error:
                self.unlisted.append(self.source(folder.relative))
                self.problem(folder.relative, *_reason(error))
                continue
            inside = _Folder(folder.path, folder.real, folder.relative, rules, folder.linked, folder.above)
            found = [self.entry(inside, entry) for entry in entries]
            waiting += [below for below in reversed(found) if below is not None]
            if self.met is not None:
                self.met(len(self.files))

    def entry(self, folder: _Folder, entry: os.DirEntry[str]) -> _Folder | None:
        """Take note of one entry; return it where it is a folder to look into."""
        relative = f"{folder.relative}/{entry.name}" if folder.relative else entry.name
        if is_hidden(entry.name) or entry.path in self.leave_out:
            return None
        try:
            about = entry.stat()
            is_link = entry.is_symlink() or _is_junction(entry)
        except OSError as error:
            if not folder.rules.ignores(relative, folder=False) and self.is_document(entry.name):
                self.not_there(relative, error, entry)
            return None
        if stat.S_ISDIR(about.st_mode):
            if folder.rules.ignores(relative, folder=True):
                return None
            return self.linked_folder(folder, entry, relative) if is_link else _below(folder, entry, relative)
        if not folder.rules.ignores(relative, folder=False):
            self.file(entry.path, relative, about, folder.rules, is_link=is_link)
        return None

    def file(
        self,
        path: str,
        relative: str,
        about: os.stat_result,
        rules: Rules,
        *,
        is_link: bool,
        named: bool = False,
        is_root: bool = False,
    ) -> None:
        """Take note of something that is no folder. `named`: the user asked for exactly this one. `is_root`: as a root, which may be a link that
        leads out; a part of a folder may not, since whoever may write to the folder could lay it there.
        """
        is_archive = self.is_archive(relative)
        if not named and not is_archive and not self.is_document(os.path.basename(relative)):
            self.ignored += 1
            return
        if not stat.S_ISREG(about.st_mode):
            self.problem(relative, "not-a-file", _not_a_file())
            return
        inside = not is_link or self.contains(os.path.realpath(path))
        folder = None if is_root and not inside else self.root
        if not inside and not is_root:
            self.problem(relative, "outside root", _outside())
        elif is_archive:
            self.archive(path, relative, about, rules, folder)
        else:
            name = self.source(relative)
            self.files.append(SourceFile(name, path, about.st_size, about.st_mtime_ns, folder=folder))

    def archive(self, path: str, relative: str, about: os.stat_result, rules: Rules, folder: str | None) -> None:
        """Take note of the documents in an archive: files whose date is the archive's."""
        from yinju.load.archive import SEPARATOR, listing

        inside = listing(path, self.limits)
        if inside.problem is not None:
            self.problem(relative, inside.problem.reason, inside.problem.hint)
        if not inside.complete:
            self.unlisted.append(self.source(relative))
        for member in inside.members:
            name = f"{relative}{SEPARATOR}{member.name}"
            if not self.is_document(os.path.basename(member.name)):
                self.ignored += 1
            elif not rules.ignores(name, folder=False):
                at = f"{path}{SEPARATOR}{member.name}"
                self.files.append(SourceFile(self.source(name), at, member.size, about.st_mtime_ns, folder=folder))

    def linked_folder(self, folder: _Folder, entry: os.DirEntry[str], relative: str) -> _Folder | None:
        """Return the linked folder where it may be entered."""
        real = os.path.realpath(entry.path)
        if not self.contains(real):
            self.problem(relative, "outside root", _outside())
            return None
        if folder.linked or _is_inside(folder, real):
            return None
        return _Folder(entry.path, real, relative, folder.rules, linked=True, above=folder)

    def contains(self, real: str) -> bool:
        """Tell whether this real path lies in the root, and not in a library."""
        relative = os.path.relpath(real, self.root) if _same_drive(real, self.root) else os.pardir
        parts = relative.split(os.sep)
        return parts[0] != os.pardir and LIBRARY_FOLDER not in parts

    def not_there(self, relative: str, error: OSError, entry: os.DirEntry[str]) -> None:
        """Take note of an entry that cannot be looked at. One that vanished since it was listed is simply gone."""
        if error.errno not in DAMAGED_LINK:
            self.unlisted.append(self.source(relative))
            self.problem(relative, *_reason(error))
        elif entry.is_symlink():
            self.problem(
                relative,
                "missing",
                say("The link points nowhere: mend or remove it.", "链接的目标不存在：请修正或删除它。"),
            )

    def problem(self, relative: str, reason: str, hint: str) -> None:
        """Take note of something that cannot be indexed."""
        self.problems.append(FileReport(self.source(relative), "skipped", reason, hint))

    def source(self, relative: str) -> str:
        """Return the name in the library of what lies at this path below the root."""
        return self.prefix + relative

    def scan(self, part: str) -> Scan:
        """Return what was found."""
        return Scan(
            root=self.root,
            prefix=self.prefix,
            part=self.source(part),
            files=tuple(sorted(self.files, key=lambda file: file.source)),
            problems=tuple(sorted(self.problems, key=lambda problem: problem.source)),
            unlisted=tuple(self.unlisted),
            ignored=self.ignored,
            notices=tuple(
                say("An ignore pattern cannot be used: {line}", "忽略规则无法使用：{line}", line=line)
                for line in sorted(self.notices)
            ),
        )


def scan(
    root: str,
    *,
    prefix: str = "",
    part: str = "",
    leave_out: frozenset[str] = frozenset(),
    is_document: Callable[[str], bool] | None = None,
    limits: Limits | None = None,
    met: Callable[[int], None] | None = None,
) -> Scan:
    """List the documents of `root` (a real path), or only of `part` below it (with `/`).

    Names in the library begin with `prefix`. A root that is a file is its folder with the file as the only part. `leave_out` are paths
    that belong to other roots. `met` is told after each folder how many files there are so far. A part that is gone gives an empty
    scan. Raises SourceMissing where the root is gone: nothing may be concluded from that.
    """
    from yinju.load import Limits, is_document_name
    from yinju.load.archive import is_archive_name

    if not os.path.exists(root):
        raise SourceMissing(
            say("{path} is not there.", "找不到 {path}。", path=root),
            say(
                "Check the name, or whether the drive is connected. Nothing was removed from the library.",
                "请检查名称，或磁盘是否已连接。资料库没有删除任何内容。",
            ),
        )
    is_root = os.path.isfile(root)
    if is_root:
        root, part = os.path.split(root)
    is_document = is_document or is_document_name
    walk = _Walk(root, prefix, is_document, leave_out, is_archive_name, limits or Limits(), met)
    _start(walk, part, is_root=is_root)
    return walk.scan(part)


def is_visible(root: str, part: str) -> bool:
    """Tell whether a scan of the whole `root` would meet `part`: neither it nor a folder above it is hidden or ignored."""
    rules = rules_above(root)
    folder, relative = root, ""
    *names, last = part.split("/")
    for name in [*names, last]:
        rules = rules.entered(folder, relative)
        folder = os.path.join(folder, name)
        relative = f"{relative}/{name}" if relative else name
        if is_hidden(name) or rules.ignores(relative, folder=os.path.isdir(folder)):
            return False
    return True


def is_hidden(name: str) -> bool:
    """Tell whether a file or folder of this name is left alone: hidden ones, a library (`.yinju`) among them, and what Office keeps while a
    document is open (`~$offer.docx`), which is hidden on Windows only.
    """
    return name.startswith((".", "~$"))


def _start(walk: _Walk, part: str, *, is_root: bool) -> None:
    """Go down to `part`, taking the rules of the folders on the way, and walk from there."""
    rules = rules_above(walk.root)
    folder = _Folder(walk.root, walk.root, "", rules, linked=False)
    if not part:
        walk.walk(folder)
        return
    names = part.split("/")
    for depth, name in enumerate(names):
        rules = rules.entered(folder.path, folder.relative)
        path = os.path.join(folder.path, name)
        linked = folder.linked or os.path.islink(path)
        relative = "/".join(names[: depth + 1])
        folder = _Folder(path, os.path.realpath(path), relative, rules, linked, folder)
    walk.notices.update(rules.notices)
    if not is_root and not walk.contains(folder.real):  # it was no link when it was named
        walk.unlisted.append(walk.source(part))
        walk.problem(part, "outside root", _outside())
        return
    try:
        about = os.stat(folder.path)
    except OSError as error:
        if error.errno not in DAMAGED_LINK:
            walk.unlisted.append(walk.source(part))
            walk.problem(part, *_reason(error))
        return
    if stat.S_ISDIR(about.st_mode):
        walk.walk(folder)
    else:
        walk.file(folder.path, part, about, rules, is_link=os.path.islink(folder.path), named=True, is_root=is_root)


def _below(folder: _Folder, entry: os.DirEntry[str], relative: str) -> _Folder:
    real = os.path.join(folder.real, entry.name)
    return _Folder(entry.path, real, relative, folder.rules, folder.linked, folder)


def _is_junction(entry: os.DirEntry[str]) -> bool:
    return bool(getattr(entry, "is_junction", bool)())  # Windows, from Python 3.12 on


def _is_inside(folder: _Folder | None, real: str) -> bool:
    """Tell whether this real folder is one of those that the walk is in."""
    while folder is not None:
        if folder.real == real:
            return True
        folder = folder.above
    return False


def _same_drive(one: str, other: str) -> bool:
    return os.path.splitdrive(one)[0].lower() == os.path.splitdrive(other)[0].lower()


def _reason(error: OSError) -> tuple[str, str]:
    if isinstance(error, PermissionError):
        hint = say("Allow your account to read it, then sync again.", "请允许当前账户读取它，然后重新同步。")
        return "permission", hint
    hint = say("The disk or network did not answer: try again later.", "磁盘或网络没有响应：请稍后重试。")
    return f"unreadable: {error.strerror or error}", hint


def _not_a_file() -> str:
    return say(
        "A pipe, socket or device holds no document: move it or name it in .yinjuignore.",
        "管道、套接字或设备不是文档：请移走它，或写入 .yinjuignore。",
    )


def _outside() -> str:
    return say(
        "The link leads out of the folder: copy the file into it, or sync the target as a folder of its own.",
        "链接指向文件夹之外：请把文件复制进来，或单独同步目标文件夹。",
    )
