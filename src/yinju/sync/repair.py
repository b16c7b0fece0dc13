"""`doctor --repair`: what is wrong with a library is found, then mended without losing what is there.

Views and leftovers are simply removed: they are made anew. Whatever is wrong with the truth itself has one remedy, `store.salvage`, which makes a new
file of all that can be read; the old one stays beside it. What nobody has any more is in the folders: the next sync reads it again, since a
source that the library does not hold is a new one to a sync.
"""

from __future__ import annotations

import os
import secrets
from dataclasses import dataclass
from pathlib import Path

from yinju.chunk import indexed_text
from yinju.errors import StoreError
from yinju.failing import reach
from yinju.messages import say
from yinju.store import Entry, repairing
from yinju.store.lock import WriterLock
from yinju.store.opening import NAME
from yinju.store.salvage import Maker, Salvaged
from yinju.sync.documents import Presets, entry_for, hash_of
from yinju.text import words
from yinju.types import Chunk, Document, Receipt, SourceFile


@dataclass(frozen=True, slots=True)
class Repaired:
    """What was wrong, and what came of it. `kept`: the damaged file as it was; None: the truth was sound."""

    problems: tuple[str, ...] = ()
    kept: Path | None = None
    views: int = 0
    documents: int = 0
    cut_anew: tuple[str, ...] = ()
    from_backup: tuple[str, ...] = ()
    unproven: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    names_complete: bool = True
    lists_lost: bool = False


def repair(folder: Path, *, presets: Presets | None = None, wait: float = 0.0) -> Repaired:
    """Mend the library in this folder. Raises StoreBusy (somebody writes), StoreReadOnly, StoreError (none there, a newer format, not ours)."""
    path = folder / NAME
    if not path.exists() and not repairing.backups_of(path):
        raise StoreError(
            say("there is no library in {folder}", "{folder} 中没有资料库", folder=folder),
            say("Make one with `yinju sync`.", "请用 `yinju sync` 建立。"),
            code="missing",
        )
    lock = WriterLock(folder, wait)
    try:
        views = repairing.tidy(folder)
        problems = repairing.problems(path)
        if not problems:
            return Repaired(views=views)
        draft = folder / f"new-{os.getpid()}-{secrets.token_hex(4)}.db"
        found, kept = repairing.replace(path, draft, _maker(presets or {}))
        reach("repair-placed")
    finally:
        lock.release()
    return _told(problems, kept, views, found)


def _told(problems: list[str], kept: Path | None, views: int, found: Salvaged) -> Repaired:
    count = len(found.whole) + len(found.cut_anew) + len(found.from_backup) + len(found.unproven)
    return Repaired(
        tuple(problems), kept, views, count, tuple(found.cut_anew), tuple(found.from_backup), tuple(found.unproven), tuple(found.lost),
        found.names_complete, found.lists_lost,
    )  # fmt: skip


def _maker(presets: Presets) -> Maker:
    def text_hash(title: str | None, chunk: Chunk) -> str:
        return hash_of(indexed_text(title, chunk))

    def terms(title: str | None, chunk: Chunk) -> tuple[tuple[str, ...], tuple[str, ...]]:
        found = words.index_terms(indexed_text(title, chunk))
        return tuple(found.words), tuple(found.bigrams)

    def cut(document: Document, receipt: Receipt, file: SourceFile | None, root: str | None) -> Entry:
        return entry_for(document, receipt, file=file, root=root, presets=presets)

    return Maker(text_hash, terms, cut)
