"""Before a question: bring the library up to date with the path that was named, within the time that a person waits, and keep to it."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from yinju.cli import render, reports, session
from yinju.cli.places import inside, is_held
from yinju.errors import DocumentError, MassDelete, StoreBusy, StoreReadOnly, UsageError
from yinju.messages import say

if TYPE_CHECKING:
    from yinju.library import Library
    from yinju.types import SyncReport

READ_BUDGET_S = 11.0  # an answer has to come within 20 s of starting to read
EMBED_BUDGET_S = 4.0
EMBED_UNTIL_S = 15.5  # since the start; a busy machine embeds for less than its budget, but at least for the moment that one batch takes
EMBED_AT_LEAST_S = 0.5
MANY_FILES = 2_000
LONG_S = 600.0
WORTH_A_LINE_S = 20.0
BYTES_PER_TOKEN = 4.5
MOST_OF_IT = 0.5  # of the text in one file: worth a word
# Read and embedded: about 8,000 tokens a second on two quiet cores, 5,200 to 6,800 (13 to 17 passages) on two busy ones.
BYTES_PER_S = 5_000 * BYTES_PER_TOKEN


def prepare(library: Library, path: Path | None, question: str, *, yes: bool, quiet: bool) -> bool:
    """Bring the library up to date with the path as far as an answer in 20 s allows. Return whether something is left to do.

    Where another process is writing, the library cannot be written to, or much of the folder has vanished, what it holds answers.
    """
    if path is None:
        return False
    holds_documents = library.status()["documents"] > 0
    if not holds_documents and not yes:
        _ask_before_long_run(library, path)
    try:
        return _bring_up_to_date(library, path, question, quiet=quiet)
    except (StoreBusy, StoreReadOnly, MassDelete) as error:
        if not holds_documents:
            raise
        text = say(
            "Answering from what the library holds: {why}", "按库中已有的内容回答：{why}", why=error.message
        )  # fmt: skip
        render.notice(text, quiet)
        return False


def finish(library: Library, path: Path, *, quiet: bool) -> None:
    """Index the rest after the answer, where a person sits at a terminal and can stop it."""
    if quiet or not sys.stderr.isatty():
        return
    render.notice(
        say("Indexing the rest; Ctrl-C stops, nothing is lost.", "继续处理其余文件；可按 Ctrl-C 停止，不会丢失。")
    )
    try:
        with session.sync_progress(quiet) as show:
            library.sync(path, progress=show)
        status = library.status()
        text = say(
            "Done: {n} document{s}, {passages} passages, all of them with vectors."
            if status["embedded"] >= status["chunks"]
            else "Done: {n} document{s}, {passages} passages.",
            "已完成：{n} 个文档，{passages} 个段落，均已有向量。"
            if status["embedded"] >= status["chunks"]
            else "已完成：{n} 个文档，{passages} 个段落。",
            n=status["documents"], s=render.plural(status["documents"]), passages=status["chunks"],
        )  # fmt: skip
        render.notice(text)
    except StoreBusy as error:  # the other process does it
        render.notice(error.message, quiet)


def skips(library: Library) -> frozenset[tuple[str, str]]:
    """Return source and reason of each file that is on record as not readable: people were told of those."""
    return frozenset((skipped.source, skipped.reason) for skipped in library.store.skipped())


def _bring_up_to_date(library: Library, path: Path, question: str, *, quiet: bool) -> bool:
    started = time.monotonic()
    told = skips(library)
    with session.sync_progress(quiet) as show:
        report = library.sync(path, embed=False, progress=show, read_budget_s=READ_BUDGET_S)
    if path.is_file() and not is_held(library, path):
        raise _not_read(path, report)
    for text in (*reports.unread(report.files, told), *report.notices):
        render.notice(text, quiet)
    unfinished = len(report.notices) > bool(report.held)  # what an undo holds back is told, and is no work
    if library.embedder is None:
        return unfinished
    nearest = library.search(question, 50, "lexical", inside(library, path)) if question.strip() else []
    left = EMBED_UNTIL_S - (time.monotonic() - started)
    with session.sync_progress(quiet) as show:
        budget = min(EMBED_BUDGET_S, max(EMBED_AT_LEAST_S, left))
        embedded = library.embed_missing(first=nearest, budget_s=budget, progress=show)
    for text in embedded.notices:
        render.notice(text, quiet)
    status = library.status()
    missing = status["chunks"] - status["embedded"]
    if missing:
        text = say(
            "{done} of {all} passages have vectors so far; all are found by their words. `yinju sync {path}` computes the rest.",
            "目前 {done}/{all} 个段落已有向量；全部段落都可按词找到。`yinju sync {path}` 会补齐。",
            done=status["embedded"], all=status["chunks"], path=path,
        )  # fmt: skip
        render.notice(text, quiet)
    return bool(missing or unfinished)


def _not_read(path: Path, report: SyncReport) -> DocumentError:
    """Return why a file that was named is no document: a question about it is not answered from others."""
    from yinju.sync import remarks

    refused = next((file for file in report.files if file.outcome == "skipped"), None)
    values = {"path": path}
    if refused is None:
        return DocumentError(say("{path} holds no text.", "{path} 里没有文字。", **values), code="no-text")
    why, hint = remarks.skipped(refused.reason or "", refused.hint)
    return DocumentError(
        say("{path} was not read: {why}", "{path} 未能读取：{why}", why=why, **values), hint, code=(refused.reason or "").partition(":")[0]
    )  # fmt: skip


def announce(library: Library, paths: list[Path], *, embed: bool, quiet: bool) -> None:
    """Say how much a first sync has before it, where that takes more than a moment. It does not ask: a sync was asked for."""
    if quiet or library.status()["documents"] > 0:
        return
    from yinju.sync import Amount, measure

    found = sum((measure(path) for path in paths), start=Amount())
    files = found.files
    seconds = found.text / BYTES_PER_S if embed and library.embedder is not None else 0.0
    if files <= MANY_FILES and seconds <= WORTH_A_LINE_S:
        return
    text = say(
        "{files} files, roughly {passages:,.0f} passages.", "{files} 个文件，大约 {passages:,.0f} 个段落。", files=files, passages=found.passages
    )  # fmt: skip
    if seconds:
        text += say(
            " With vectors about {minutes:.0f} min; Ctrl-C stops, nothing is lost.",
            "含向量约需 {minutes:.0f} 分钟；可按 Ctrl-C 停止，不会丢失。",
            minutes=max(1.0, seconds / 60),
        )
    render.notice(text)
    if files > 1 and found.largest_text > MOST_OF_IT * found.text:
        text = say(
            "Most of it is {name}; if that should not answer, name it in .yinjuignore.",
            "其中大部分是 {name}；若不需要用它回答，请写入 .yinjuignore。",
            name=render.one_line(found.largest),
        )
        render.notice(text)


def _ask_before_long_run(library: Library, path: Path) -> None:
    """Ask before a first run over many files, or, where the rest would be indexed after the answer, one of many minutes."""
    from yinju.sync import measure

    found = measure(path)
    files, seconds = found.files, found.text / BYTES_PER_S if library.embedder is not None else 0.0
    someone_is_there = sys.stdin.isatty() and sys.stderr.isatty()
    if files <= MANY_FILES and (seconds <= LONG_S or not someone_is_there):
        return
    text = say(
        "{path} holds {files} files; a first run takes about {minutes:.0f} min.", "{path} 有 {files} 个文件，首次处理约需 {minutes:.0f} 分钟。",
        path=path, files=files, minutes=max(1.0, seconds / 60),
    )  # fmt: skip
    if not someone_is_there:
        raise UsageError(text, say("Say --yes to start it.", "加 --yes 即可开始。"), code="confirm")
    if not typer.confirm(f"{text} {say('Go on?', '继续吗？')}", err=True):
        raise typer.Abort
