"""Take back the last steps, newest first: every document as it was before, one transaction for each step.

The folder is not changed, so it says something else now than the library does. What it says now is held back (see `holding`), or the next sync
would do again what was undone. How a file is now is told by a scan, as a sync would see it; where its folder is not there at the moment, by
what the library knew of it last.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from yinju.chunk import indexed_text
from yinju.errors import SourceMissing, UsageError
from yinju.messages import say
from yinju.store.records import Change, ChunkRecord, Entry, Former, Hold, Step
from yinju.sync import heirs, holding
from yinju.sync.apply import Tally
from yinju.sync.documents import is_outdated
from yinju.sync.hashing import digests
from yinju.sync.pictures import can_read, document_names
from yinju.sync.roots import owner, targets
from yinju.sync.scan import scan
from yinju.sync.values import SyncOptions
from yinju.text import words
from yinju.types import FileReport, SourceFile, SyncReport

if TYPE_CHECKING:
    from yinju.store import Store

REASON = "undone"


def undo(store: Store, steps: int = 1, *, options: SyncOptions | None = None) -> SyncReport:
    """Undo the last steps, each wholly or not at all. An undo is no step: what it holds back comes with `release` of a sync.

    Raises UsageError where there are not so many, before anything is changed; StoreBusy, StoreReadOnly, StoreError.
    """
    began = time.monotonic()
    tally = Tally()
    with store.writer() as writer:
        todo = store.steps()
        check_undo(todo, steps)
        disk = Disk(store, options or SyncOptions())
        for step in todo[:steps]:
            work = _Undoing(disk)
            writer.undo(step.number, work.decide)
            work.count(tally)
        tally.notices += heirs.notices(writer.inherited)
    tally.held = sum(hold.source in disk.touched for hold in store.holds())
    if tally.held:
        tally.notices.append(holding.notice(tally.held))
    return tally.report(time.monotonic() - began)


def check_undo(known: Sequence[Step], steps: int) -> None:
    """Raise UsageError where so many steps cannot be undone."""
    if steps < 1:
        raise UsageError(
            say("{n} steps cannot be undone.", "无法撤销 {n} 步。", n=steps),
            say("Name a number from 1 on.", "请指定不小于 1 的数字。"),
        )
    if not known:
        raise UsageError(
            say("There is nothing to undo.", "没有可撤销的操作。"),
            say(
                "The last syncs, adds and removals that changed documents can be undone, until they are or five others came.",
                "可撤销最近几次改动了文档的同步、添加和移除，直到已被撤销或又有五次改动。",
            ),
            code="nothing-to-undo",
        )
    if steps > len(known):
        raise UsageError(
            say("Only {n} steps can be undone.", "只能撤销 {n} 步。", n=len(known)),
            say("`yinju undo --list` names them.", "`yinju undo --list` 可列出。"),
            code="nothing-to-undo",
        )


@dataclass(slots=True)
class Disk:
    """How files are now, as a sync would see them; each root is looked at once, when it is first asked for."""

    store: Store
    options: SyncOptions
    touched: set[str] = field(default_factory=set)
    _roots: dict[str, dict[str, SourceFile] | None] = field(default_factory=dict)

    def file(self, root: str, source: str) -> tuple[bool, SourceFile | None]:
        """Return whether that can be told at all, and the file, None where there is none."""
        if root not in self._roots:
            self._roots[root] = self._scan(root)
        files = self._roots[root]
        return (False, None) if files is None else (True, files.get(source))

    def digest(self, file: SourceFile, known: SourceFile | None) -> str | None:
        """Return the digest of what the file says now, None where it cannot be read."""
        if known is not None and known.digest and _record(known) == _record(file):
            return known.digest
        return digests([file], self.options.limits.file_bytes).get(file.source)

    def root_now(self, root: str, source: str) -> str:
        """Return to which root a file of an earlier step belongs now: its folder may have been moved since, or be synced as a whole."""
        roots = self.store.roots()
        return root if root in dict(roots) else owner(source, roots) or root

    def _scan(self, root: str) -> dict[str, SourceFile] | None:
        store = self.store
        roots = store.roots()
        if root not in dict(roots):
            return None
        try:
            target = replace(targets([root], roots)[0], part="")
            found = scan(
                target.root,
                prefix=target.prefix,
                part=target.part,
                leave_out=target.leave_out | store.own_files(),
                is_document=document_names(self.options),
                limits=self.options.limits,
            )
        except SourceMissing:
            return None
        return {file.source: file for file in found.files}


@dataclass(slots=True)
class _Undoing:
    """One step on its way back: what it did to each source is answered with what to put there."""

    disk: Disk
    counts: dict[str, int] = field(default_factory=dict)
    chunks: int = 0
    files: list[FileReport] = field(default_factory=list)

    def decide(self, change: Change) -> tuple[Entry | None, Hold | None]:
        """Return the document to put back and the hold on its file."""
        self.disk.touched.add(change.source)
        entry = None if change.before is None else self._entry(change.before)
        self._report(change, entry)
        return entry, self._hold(change)

    def count(self, tally: Tally) -> None:
        """Count what was undone, once it is on disk."""
        tally.added += self.counts.get("removed", 0)
        tally.updated += self.counts.get("updated", 0)
        tally.renamed += self.counts.get("renamed", 0)
        tally.removed += self.counts.get("added", 0)
        tally.chunks += self.chunks
        tally.files += self.files

    def _entry(self, former: Former) -> Entry:
        """Return the document as it goes back: with the ids and texts that it had, its words taken anew."""
        records = []
        for public, chunk, text_hash in former.chunks:
            terms = words.index_terms(indexed_text(former.document.title, chunk))
            records.append(ChunkRecord(public, chunk, text_hash, terms.words, terms.bigrams))
        root, file = former.root, former.file
        if root is not None and file is not None:
            root = self.disk.root_now(root, former.document.source)
            there = self.disk.file(root, former.document.source)[1]
            file = file if there is None else replace(file, path=there.path)
        return Entry(former.document, tuple(records), former.receipt, file, root, former.reader)

    def _report(self, change: Change, entry: Entry | None) -> None:
        if entry is not None:
            self.chunks += len(entry.chunks)
        if change.arrived:  # it comes back under its own name
            return
        self.counts[change.did] = self.counts.get(change.did, 0) + 1
        if entry is None:
            self.files.append(FileReport(change.source, "removed", REASON))
        elif change.did == "renamed":
            self.files.append(FileReport(change.source, "renamed", f"renamed: {change.moved}", receipt=entry.receipt))
        else:
            self.files.append(FileReport(change.source, "indexed", REASON, receipt=entry.receipt))

    def _hold(self, change: Change) -> Hold | None:
        """Return what keeps the next sync from doing it again, None where it would not."""
        source, before, now = change.source, change.before, change.now
        root = before.root if before is not None else None if now is None else now.root
        if root is None:
            return None
        root = self.disk.root_now(root, source)
        told, file = self.disk.file(root, source)
        known = None if now is None else now.file
        if not told:
            file = known
        if file is None:
            return None if before is None else Hold(source, root, None)
        if before is not None and not self._differs(before, file, known):
            return None
        return Hold(source, root, replace(file, digest=self.disk.digest(file, known)))

    def _differs(self, before: Former, file: SourceFile, known: SourceFile | None) -> bool:
        """Tell whether the next sync would read the file again: it says something else, or other loaders read it now."""
        document = before.document
        if is_outdated(document.source, document.type, before.reader, ocr=can_read(self.disk.options)):
            return True
        if before.file is None or before.file.size != file.size:
            return True
        if _record(before.file) == _record(file):
            return False
        return before.file.digest is None or self.disk.digest(file, known) != before.file.digest


def _record(file: SourceFile) -> tuple[int, int]:
    return file.size, file.modified_ns
