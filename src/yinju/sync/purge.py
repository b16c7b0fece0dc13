"""Remove documents so that nothing of them is left, and be honest about what that does not reach.

What is in the library goes: text, former versions, words, vectors, views. What only its owner can judge is named: files on disk, backups, other
documents with the same text, evaluations and feedback that quote it, copies of the library that were set aside.
"""

from __future__ import annotations

import contextlib
import os
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from yinju.errors import SourceMissing
from yinju.messages import say
from yinju.sync.undo import Disk
from yinju.sync.values import SyncOptions
from yinju.text.language import is_chinese

if TYPE_CHECKING:
    from yinju.store import Store

UPLOADS = "uploads"
# so many characters in a row, white space left out, are a piece; a quotation of twice the length holds one
PIECE_CHINESE = 8
PIECE = 20
SAYING = 8  # characters of a line that another document would not have by chance
NAMED = 5  # names in a notice
_OWN = re.compile(r"library\.db(-wal|-shm)?|writer\.lock|\.gitignore|vectors-.*\.(view|new)")
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|n|r|t)")
_MAGIC = b"SQLite format 3\0"
_OF_LIBRARIES = (".db", "-wal", ".view")
_LARGEST = 64 << 20  # bytes of a file that is searched for quotations
_WAIT_S = 10.0


@dataclass(frozen=True, slots=True)
class PurgeReport:
    """What was removed for good, and where the text may still be. Paths are absolute."""

    sources: tuple[str, ...]
    shared: tuple[str, ...] = ()  # other sources that have a line of it: that text stays
    files: tuple[str, ...] = ()  # on disk: the next sync of their folder reads them again
    backups: tuple[str, ...] = ()  # known ones that hold it
    quoted: tuple[str, ...] = ()  # files of the library's folder that quote it: evaluations, cases, feedback
    copies: tuple[str, ...] = ()  # earlier states of the library in its folder
    left: tuple[str, ...] = ()  # files that another process kept us from clearing
    deleted: tuple[str, ...] = ()  # uploads that went with their sources
    took_s: float = 0.0
    notices: tuple[str, ...] = ()


def purge(
    store: Store, sources: Sequence[str], *, options: SyncOptions | None = None, wait_s: float = _WAIT_S
) -> PurgeReport:
    """Remove these sources and everything that was kept of them; it cannot be undone. `wait_s`: see `Writer.purge`.

    Raises SourceMissing where the library knows nothing of one, before anything is removed; StoreBusy, StoreReadOnly, StoreError.
    """
    began = time.monotonic()
    wanted = list(dict.fromkeys(sources))
    with store.writer() as writer:
        check_known(store, wanted)
        texts = [*_texts(store, wanted), *store.former_texts(wanted)]
        shared = sorted(store.holders(_lines(texts), wanted))
        backups = store.backups_with(wanted)
        files = _on_disk(store, wanted, options or SyncOptions())
        left = [str(path) for path in writer.purge(wanted, wait_s=wait_s)]
    deleted = [path for path in files if _delete_upload(store, path)]
    files = [path for path in files if path not in deleted]
    quoted, copies = _others(store.folder, texts)
    report = PurgeReport(
        tuple(wanted), tuple(shared), tuple(files), tuple(backups), tuple(quoted), tuple(copies), tuple(left), tuple(deleted),
        round(time.monotonic() - began, 3),
    )  # fmt: skip
    return replace(report, notices=tuple(_notices(report)))


def check_known(store: Store, sources: Sequence[str]) -> None:
    """Raise SourceMissing where the library holds nothing of one of these sources, nor of what it was."""
    known = {summary.source for summary in store.sources()} | {skipped.source for skipped in store.ignored()}
    known |= store.former_sources() | {hold.source for hold in store.holds()}
    for source in sources:
        if source not in known:
            raise SourceMissing(
                say(
                    "The library holds nothing of {source}, nor an earlier version of it.",
                    "资料库中没有 {source}，也没有它的旧版本。",
                    source=source,
                ),
                say("`yinju sources` lists what is.", "`yinju sources` 可列出全部文档。"),
            )


def _texts(store: Store, sources: Sequence[str]) -> Iterator[str]:
    for source in sources:
        document = store.document(source)
        if document is not None:
            yield document.text


def _lines(texts: Sequence[str]) -> set[str]:
    """Return the lines that are long enough to say something."""
    lines = (line.strip() for text in texts for line in text.splitlines())
    return {line for line in lines if len("".join(line.split())) >= SAYING}


def _on_disk(store: Store, sources: Sequence[str], options: SyncOptions) -> list[str]:
    """Return where files with these names lie that a sync would read."""
    disk, found = Disk(store, options), []
    for root, _ in store.roots():
        for source in sources:
            file = disk.file(root, source)[1]
            if file is not None:
                found.append(file.path)
    return sorted(set(found))


def _delete_upload(store: Store, path: str) -> bool:
    """Delete a file that lies among the uploads of the library: it is the library's own copy."""
    if store.folder is None:
        return False
    uploads = os.path.join(os.path.realpath(store.folder), UPLOADS)
    if os.path.commonpath([uploads, os.path.realpath(os.path.dirname(path))]) != uploads:
        return False
    try:
        os.unlink(path)
    except OSError:
        return False
    return True


def _others(folder: Path | None, texts: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the files of the library's folder that quote one of the texts, and the copies of the library that lie in it."""
    quoted: list[str] = []
    copies: list[str] = []
    if folder is None:
        return quoted, copies
    quotations = _quotations(texts)
    for path in sorted(path for path in folder.rglob("*") if not path.is_symlink() and path.is_file()):
        if path.parent == folder and _OWN.fullmatch(path.name):
            continue
        if path.name.endswith(_OF_LIBRARIES) or _begins_like_a_library(path):
            copies.append(str(path))
        elif _quotes(path, quotations):
            quoted.append(str(path))
    return quoted, copies


def _begins_like_a_library(path: Path) -> bool:
    with contextlib.suppress(OSError), path.open("rb") as file:
        return file.read(len(_MAGIC)) == _MAGIC
    return False


def _quotations(texts: Sequence[str]) -> dict[int, set[str]]:
    """Return pieces of the texts by length: every quotation of twice their length holds one of them."""
    found: dict[int, set[str]] = {}
    for text in texts:
        bare = "".join(text.split())
        size = min(PIECE_CHINESE if is_chinese(text) else PIECE, len(bare))
        if size:
            found.setdefault(size, set()).update(bare[at : at + size] for at in range(0, len(bare) - size + 1, size))
    return found


def _quotes(path: Path, quotations: dict[int, set[str]]) -> bool:
    with contextlib.suppress(OSError):
        if path.stat().st_size > _LARGEST:
            return False
        bare = "".join(_ESCAPE.sub(_unescaped, path.read_text(encoding="utf-8", errors="replace")).split())
        return any(
            bare[at : at + size] in pieces for size, pieces in quotations.items() for at in range(len(bare) - size + 1)
        )
    return False


def _unescaped(found: re.Match[str]) -> str:
    code = found[1]
    return chr(int(code[1:], 16)) if code[0] == "u" else " "


def _notices(report: PurgeReport) -> Iterator[str]:
    """Say what the reader of the report has to know."""
    if report.shared:
        yield say(
            "The same text stays in other documents: {names}.",
            "同样的文字仍在其他文档中：{names}。",
            names=_list(report.shared),
        )
    if report.files:
        yield say(
            "The files are still there; the next sync reads them again unless they are deleted or named in .yinjuignore: {names}.",
            "文件仍在；除非删除它们或写入 .yinjuignore，下次同步会重新读入：{names}。",
            names=_list(report.files),
        )
    if report.backups:
        yield say("Backups still hold it: {names}.", "以下备份仍含有它：{names}。", names=_list(report.backups))
    if report.copies:
        yield say(
            "Earlier copies of the library may hold it: {names}.",
            "资料库的旧副本可能含有它：{names}。",
            names=_list(report.copies),
        )
    if report.quoted:
        yield say("These files quote it: {names}.", "以下文件引用了它：{names}。", names=_list(report.quoted))
    if report.left:
        yield say(
            "These files could not be cleared, since another process is reading or the disk is full: {names}. The next change tries again.",
            "另一个进程正在读取或磁盘已满，以下文件未能清除：{names}。下次改动会再次尝试。",
            names=_list(report.left),
        )


def _list(names: Sequence[str]) -> str:
    return ", ".join(names[:NAMED]) + (f" … ({len(names)})" if len(names) > NAMED else "")
