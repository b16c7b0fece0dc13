"""Carry out a plan: files read by the pool, cut, and written in transactions of whole documents.

Order: renames and touches first (they cost nothing), then what is read, then what is removed, so that text which moved from one file to
another keeps its vectors. Each transaction leaves a state in which every document is wholly old or wholly new; interrupted anywhere,
the next sync makes a new plan from what is there and goes on.

What happens to the old version of a file that cannot be read: it is kept (`kept`) as long as we do not know what the file says now
(permission, changed while being read, crash, damaged, encrypted, over a limit, receipt out of balance). It goes (`skipped`) where we
do know and it is no text: empty, no text in it, binary, of an unknown type. Nobody should be shown a quotation of a file that says
nothing any more, and nobody should lose a document because a disk was slow.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from yinju.errors import DocumentError
from yinju.failing import reach
from yinju.load import Loaded
from yinju.messages import say
from yinju.protocols import Embedder
from yinju.store.records import Entry, Skipped
from yinju.sync import heirs
from yinju.sync.documents import entry_for, is_outdated, reader_of
from yinju.sync.pace import Pace, Queue
from yinju.sync.pictures import can_read, failed_without_ocr, is_no_document, lacks_ocr
from yinju.sync.plan import Known, Plan
from yinju.sync.scan import is_below
from yinju.sync.values import Cancel, FileCallback, ProgressCallback, Reader, SyncOptions
from yinju.sync.vectors import embed_missing
from yinju.types import FileReport, Outcome, Receipt, SourceFile, SyncReport

if TYPE_CHECKING:
    from yinju.store import Store, Writer

TOGETHER_DOCUMENTS = 64
TOGETHER_CHARACTERS = 2_000_000
TOGETHER_SECONDS = 1.0
HOLDS_NO_TEXT = frozenset({"empty", "no-text", "binary", "unknown-type", "not-a-file", "picture"})


@dataclass(slots=True)
class Tally:
    """What was done so far; only what is on disk counts. `on_file` is told of each file that changed the library."""

    added: int = 0
    updated: int = 0
    renamed: int = 0
    removed: int = 0
    unchanged: int = 0
    chunks: int = 0
    embedded: int = 0
    ignored: int = 0
    held: int = 0
    files: list[FileReport] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
    on_file: FileCallback | None = None

    def done(self, reports: Iterable[FileReport]) -> None:
        """Take the reports of what is on disk now."""
        for report in reports:
            self.files.append(report)
            if self.on_file is not None:
                self.on_file(report)

    def report(self, took_s: float, *, planned: bool = False) -> SyncReport:
        """Return it as what the caller gets."""
        outcomes = [file.outcome for file in self.files]
        return SyncReport(
            added=self.added,
            updated=self.updated,
            renamed=self.renamed,
            removed=self.removed,
            unchanged=self.unchanged,
            skipped=outcomes.count("skipped"),
            kept=outcomes.count("kept"),
            chunks=self.chunks,
            embedded=self.embedded,
            took_s=round(took_s, 3),
            files=tuple(sorted(self.files, key=lambda file: file.source)),
            ignored=self.ignored,
            held=self.held,
            planned=planned,
            notices=tuple(dict.fromkeys(self.notices)),
        )


@dataclass(slots=True)
class Batch:
    """Documents that go into the next transaction."""

    writer: Writer
    tally: Tally
    existing: frozenset[str]  # sources that have text in the library already
    entries: list[Entry] = field(default_factory=list)
    skips: list[Skipped] = field(default_factory=list)
    reports: list[FileReport] = field(default_factory=list)
    characters: int = 0
    ignored: int = 0
    began: float = 0.0

    def put(self, entry: Entry) -> None:
        """Take a document; one that is large by itself does not wait for others, nor others for it."""
        size = len(entry.document.text)
        if self.characters + size > TOGETHER_CHARACTERS:
            self.flush()
        self.began = self.began or time.monotonic()
        self.entries.append(entry)
        self.characters += size
        self.reports.append(FileReport(entry.document.source, "indexed", receipt=entry.receipt))
        if self.is_full():
            self.flush()

    def skip(self, skipped: Skipped, *, remember: bool = True, receipt: Receipt | None = None) -> None:
        """Take a file that could not be indexed; `remember` False: the library knows that already."""
        self.reports.append(
            FileReport(skipped.source, skipped.outcome, skipped.reason, skipped.hint, receipt or Receipt())
        )
        self.skips += [skipped] if remember else []
        if len(self.reports) >= TOGETHER_DOCUMENTS:
            self.flush()

    def ignore(self, skipped: Skipped) -> None:
        """Take a file that turned out to be no document. It is remembered, so that it is not read again, and only counted."""
        self.skips.append(skipped)
        self.ignored += 1
        if skipped.source in self.existing:
            self.reports.append(FileReport(skipped.source, "removed"))
        if len(self.skips) >= TOGETHER_DOCUMENTS:
            self.flush()

    def is_full(self) -> bool:
        """Tell whether it is time for a transaction."""
        return (
            len(self.entries) >= TOGETHER_DOCUMENTS
            or self.characters >= TOGETHER_CHARACTERS
            or time.monotonic() - self.began >= TOGETHER_SECONDS
        )

    def flush(self) -> None:
        """Write what was taken, then count it."""
        if self.entries:
            self.writer.put(self.entries)
        if self.skips:
            self.writer.skip(self.skips)
        for entry in self.entries:
            if entry.document.source in self.existing:
                self.tally.updated += 1
            else:
                self.tally.added += 1
            self.tally.chunks += len(entry.chunks)
        self.tally.done(self.reports)
        self.tally.ignored += self.ignored
        self.tally.removed += sum(report.outcome == "removed" for report in self.reports)
        self.entries, self.skips, self.reports = [], [], []
        self.characters, self.ignored, self.began = 0, 0, 0.0


def apply(
    store: Store,
    plan: Plan,
    pool: Reader,
    *,
    options: SyncOptions | None = None,
    embedder: Embedder | None = None,
    progress: ProgressCallback | None = None,
    cancel: Cancel | None = None,
    writer: Writer | None = None,
) -> SyncReport:
    """Carry out one plan and, with an embedder, compute the vectors that are missing. Opens a writer unless it is given one.

    Raises StoreBusy, StoreReadOnly, StoreError; never for a file. Interrupted, what was reported as done is done.
    """
    began = time.monotonic()
    options = options or SyncOptions()
    tally = Tally()
    holder: AbstractContextManager[Writer] = store.writer() if writer is None else nullcontext(writer)
    with holder as held:
        known = known_files(store, plan.root, ocr=can_read(options))
        carry_out(store, held, plan, pool, options, tally, known, progress=progress, cancel=cancel)
        tally.notices += heirs.notices(held.inherited)
        if embedder is not None and options.embed:
            done = embed_missing(
                store, held, embedder, budget_s=options.embed_budget_s, progress=progress, cancel=cancel
            )
            tally.embedded += done.count
            tally.notices += done.notices
    return tally.report(time.monotonic() - began)


def carry_out(
    store: Store,
    writer: Writer,
    plan: Plan,
    pool: Reader,
    options: SyncOptions,
    tally: Tally,
    known: Mapping[str, Known],
    *,
    progress: ProgressCallback | None = None,
    cancel: Cancel | None = None,
) -> bool:
    """Carry out the plan's words, without vectors, counting into `tally`; `known` is what it was made from.

    Return whether all files of the plan were read.
    """
    if plan.rename:
        writer.rename([(old, file.source, file) for old, file in plan.rename])
        tally.renamed += len(plan.rename)
        tally.done(_renamed(store, old, file) for old, file in plan.rename)
    if plan.touch:
        writer.touch(plan.touch)
    complete = _read(writer, plan, pool, known, options, tally, progress, cancel)
    gone = [*plan.remove, *plan.forget]
    if gone:
        writer.remove(gone)
        tally.removed += len(plan.remove)
        no_files_now = {report.source for report in plan.skip}  # their own reports say why
        tally.done(FileReport(source, "removed") for source in plan.remove if source not in no_files_now)
    _remember_problems(store, writer, plan)
    count_idle(plan, tally)
    if not complete:
        tally.notices.append(
            say("Not all files were read yet; the next sync goes on.", "还有文件未读取，下次同步会继续。")
        )
    return complete


def count_idle(plan: Plan, tally: Tally) -> None:
    """Count what a plan finds and leaves as it is."""
    tally.unchanged += len(plan.unchanged) + len(plan.touch)
    tally.ignored += plan.ignored
    tally.notices += plan.notices
    tally.files += [*plan.kept, *plan.skip, *plan.known_problems]


def known_files(store: Store, root: str, *, ocr: bool = False) -> dict[str, Known]:
    """Return what the library remembers of the files of this root, by source; `ocr`: what waits for it is read again."""
    readers = store.readers(root)
    known = {
        source: Known(file, outdated=source in readers and is_outdated(source, *readers[source], ocr=ocr))
        for source, file in store.files(root).items()
    }
    for skipped in (*store.skipped(), *store.ignored()):
        file = skipped.file or (known[skipped.source].file if skipped.source in known else None)
        if skipped.root == root and file is not None and skipped.file is not None:
            state = skipped.outcome if skipped.outcome in ("kept", "ignored") else "skipped"
            outdated = is_outdated(skipped.source, None, skipped.reader, ocr=ocr)
            known[skipped.source] = Known(file, state, skipped.reason, skipped.hint, outdated)
    return known


def _read(
    writer: Writer,
    plan: Plan,
    pool: Reader,
    known: Mapping[str, Known],
    options: SyncOptions,
    tally: Tally,
    progress: ProgressCallback | None,
    cancel: Cancel | None,
) -> bool:
    files = plan.reads
    if not files:
        return True
    existing = frozenset(source for source, before in known.items() if before.has_text)
    batch = Batch(writer, tally, existing)
    pace = Pace(files, progress)
    queue = Queue(files, options.read_budget_s, cancel)
    for file, result in pool.load_files(queue):
        _take(batch, file, result, known.get(file.source), plan.root, options)
        pace.advance(file, result)
    batch.flush()
    return pace.done == len(files)


def _take(
    batch: Batch,
    file: SourceFile,
    result: Loaded | DocumentError,
    before: Known | None,
    root: str,
    options: SyncOptions,
) -> None:
    """Put one file's document, or the reason why there is none, into the batch."""
    if isinstance(result, DocumentError):
        helped = failed_without_ocr(file.source, result.code) and not can_read(options)
        failed(batch, file, result, before, root, lacks_ocr=helped)
        return
    reach("parse")
    helped = lacks_ocr(result.receipt) and not can_read(options)
    file = replace(file, size=result.size, modified_ns=result.modified_ns or file.modified_ns, digest=result.digest)
    try:
        entry = entry_for(
            result.document, result.receipt, file=file, root=root, presets=options.presets, lacks_ocr=helped
        )
    except Exception as error:  # noqa: BLE001  one document must not stop the others: its fault is recorded
        failed(batch, file, _fault(error), before, root)
        return
    reach("chunk")
    if entry.receipt.balanced:
        batch.put(entry)
    else:
        failed(batch, file, _unbalanced(entry.receipt), before, root, entry.receipt)


def failed(
    batch: Batch,
    file: SourceFile,
    error: DocumentError,
    before: Known | None,
    root: str | None,
    receipt: Receipt | None = None,
    *,
    lacks_ocr: bool = False,
) -> None:
    """Record a file that could not be indexed; see the module's docstring for what happens to its old version."""
    keep = before is not None and before.has_text and error.code not in HOLDS_NO_TEXT
    outcome: Outcome = "kept" if keep else "ignored" if is_no_document(file.source, error.code) else "skipped"
    reader = reader_of(file.source, lacks_ocr=lacks_ocr)
    skipped = Skipped(file.source, root, replace(file, digest=None), outcome, error.reason, error.hint, reader)
    if outcome == "ignored":
        batch.ignore(skipped)
        return
    as_before = (
        before is not None and not before.outdated and before.reason == error.reason and _same_file(before.file, file)
    )
    batch.skip(skipped, remember=not as_before, receipt=receipt)


def _same_file(one: SourceFile, other: SourceFile) -> bool:
    return (one.size, one.modified_ns) == (other.size, other.modified_ns)


def _fault(error: Exception) -> DocumentError:
    return DocumentError(
        f"{type(error).__name__}: {error}"[:300],
        say(
            "This is a fault of Yinju: please report it with the file's type.",
            "这是引据的缺陷：请连同文件类型一并反馈。",
        ),
        code="crashed",
    )


def _unbalanced(receipt: Receipt) -> DocumentError:
    dropped = sum(piece.characters for piece in receipt.dropped)
    return DocumentError(
        f"found {receipt.found}, kept {receipt.characters}, left out {dropped}, in passages {receipt.covered}",
        say(
            "Part of the text would be lost, so the file was left out. Try another format, and please report it.",
            "会丢失部分文字，因此没有收录。请换一种格式，并向我们反馈。",
        ),
        code="unbalanced",
    )


def _renamed(store: Store, old: str, file: SourceFile) -> FileReport:
    return FileReport(file.source, "renamed", f"renamed: {old}", receipt=store.receipt(file.source) or Receipt())


def _remember_problems(store: Store, writer: Writer, plan: Plan) -> None:
    """Keep what the scan could not use on record, for `status` and `doctor`, and drop records of what is mended."""
    before = {s.source: s for s in store.skipped() if s.root == plan.root and s.file is None}
    now = {
        problem.source: Skipped(problem.source, plan.root, None, "skipped", problem.reason or "", problem.hint)
        for problem in plan.skip
        if problem.reason != "name-taken"
    }
    changed = [skipped for source, skipped in now.items() if _differs(before.get(source), skipped)]
    if changed:
        writer.skip(changed)
    files = store.files(plan.root)
    mended = [source for source in before if source not in now and source not in files and is_below(source, plan.part)]
    if mended:
        writer.remove(mended)


def _differs(before: Skipped | None, now: Skipped) -> bool:
    return before is None or before.reason != now.reason
