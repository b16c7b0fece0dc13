"""From flags to an open library, and progress for people while it works."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from yinju import assemble, models, settings
from yinju.cli import render
from yinju.cli.options import speak
from yinju.errors import SourceMissing, UsageError
from yinju.messages import say

if TYPE_CHECKING:
    from yinju.library import Library
    from yinju.sync import Progress


@contextmanager
def opened(
    path: Path | None = None,
    *,
    library: str | None = None,
    model: str | None = None,
    quiet: bool = False,
    fast: bool = False,
    create: bool = False,
    read_only: bool = False,
    with_model: bool = True,
    answers: bool = False,
    dry: bool = False,
    ocr: bool = True,
    rerank: bool | None = None,
) -> Iterator[Library]:
    """Open the library of this path (the working folder's for None). `with_model=False` leaves all models out.

    `dry` makes no library: where there is none yet, one in memory is opened. `model` names a local embedding model, or a model of the
    endpoint in use: the chat endpoint where the command `answers`. `rerank`: True asks for the reranker of the settings, False leaves it out.

    Raises SourceMissing where there is none and `create` is False.
    """
    flags: dict[str, Any] = {"library": library, "fast": fast or None, "ocr": None if ocr else False}
    general = settings.load(**flags)
    flags |= _model_flags(general, model, answers=answers) if with_model else _NO_MODELS
    flags |= _rerank_flags(general, rerank)
    speak(general.lang)
    folder = assemble.library_folder(path, given=general.library)
    if folder is None or (not create and not (folder / "library.db").exists()):
        raise SourceMissing(
            say("There is no library here yet.", "这里还没有库。"),
            say(
                "`yinju sync FOLDER` makes one; --library names another.",
                "用 `yinju sync 文件夹` 建库，或用 --library 指定。",
            ),
            code="no-library",
        )
    exists = (folder / "library.db").exists()
    made_by_us, unused = not folder.exists() and not dry, False
    try:
        with (
            progress(quiet) as show,
            assemble.open_library(
                folder if exists or not dry else None,
                settings=settings.load(folder, **flags),
                read_only=read_only,
                create=create,
                progress=lambda stage, share: show(stage, share, 1.0, ""),
            ) as opened_library,
        ):
            for text in opened_library.notices if with_model else ():
                render.notice(text, quiet)
            try:
                yield opened_library
            except (UsageError, typer.Abort):
                unused = made_by_us and not opened_library.sources()
                raise
    finally:
        # somebody said no, or said something wrong: the folder that was made for it goes, never one that was there
        if unused:
            shutil.rmtree(folder, ignore_errors=True)


# Commands that need no model do not care where one would come from.
_NO_RERANKER = {"rerank_model": "none", "rerank_url": ""}
_NO_MODELS = {"embed_model": "none", "embed_url": "", "chat_url": "", **_NO_RERANKER}


def _rerank_flags(general: settings.Settings, rerank: bool | None) -> dict[str, str]:
    """Return the flags for `--rerank` and `--no-rerank`. Raises UsageError where there is no reranker to ask for."""
    if rerank is None:
        return {}
    if not rerank:
        return _NO_RERANKER
    model = general.rerank_model or ""
    if model == "none" or not (model or general.rerank_url):
        raise UsageError(
            say("There is no reranker.", "没有重排模型。"),
            say(
                "Set YINJU_RERANK_URL, or run `yinju model use FOLDER` with a local one.",
                "请设置 YINJU_RERANK_URL，或用 `yinju model use 文件夹` 选择本地模型。",
            ),
        )
    return {"rerank_model": model, "rerank_url": general.rerank_url or ""}


def _model_flags(general: settings.Settings, model: str | None, *, answers: bool) -> dict[str, str]:
    if model is None:
        return {}
    if model in settings.LOCAL_MODELS or models.local_folder(model) is not None:
        return {"embed_model": model, "embed_url": ""}
    return {"chat_model" if answers and general.chat_url else "embed_model": model}


Show = Callable[[str, float, float, str], None]


@contextmanager
def progress(quiet: bool) -> Iterator[Show]:
    """Yield a function (stage, done, total, remark) that shows a bar on a terminal; elsewhere it does nothing."""
    if quiet or not render.is_terminal(sys.stderr):
        yield lambda _stage, _done, _total, _remark: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
    from rich.progress import Progress as Bar

    bar = Bar(
        TextColumn("{task.description}"), BarColumn(20), MofNCompleteColumn(), TextColumn("{task.fields[remark]}", markup=False),
        console=Console(stderr=True), transient=True,
    )  # fmt: skip
    tasks: dict[str, Any] = {}
    started = False

    def show(stage: str, done: float, total: float, remark: str) -> None:
        nonlocal started
        if not started:
            bar.start()
            started = True
        if stage not in tasks:
            tasks[stage] = bar.add_task(_stage_name(stage), total=total, remark="")
        bar.update(tasks[stage], completed=done, total=total, remark=remark, visible=done < total)

    try:
        yield show
    finally:
        if started:
            bar.stop()


@contextmanager
def sync_progress(quiet: bool) -> Iterator[Callable[[Progress], None]]:
    """Yield a function that shows the events of a sync: files, characters a second, time left."""
    with progress(quiet) as show:
        page = (0.0, 0.0)

        def on_event(event: Progress) -> None:
            nonlocal page
            if event.stage == "ocr":
                page = event.done, event.total
                show("ocr", *page, _page_name(event))
                return
            if page[1] and event.stage == "read":
                page = 0.0, 0.0
                show("ocr", 1.0, 1.0, "")
            remark = f"{event.characters_per_s:,.0f} {say('characters/s', '字/秒')}" if event.characters_per_s else ""
            if event.seconds_left is not None:
                remark += say("  {s:.0f} s left", "  还需 {s:.0f} 秒", s=event.seconds_left)
            show(event.stage, event.done, event.total, remark)

        yield on_event


def _page_name(event: Progress) -> str:
    return say(
        "{name}: page {page} of {pages} by OCR", "{name}：识别第 {page}/{pages} 页",
        name=render.one_line(event.source or ""), page=event.done + 1, pages=event.total,
    )  # fmt: skip


def _stage_name(stage: str) -> str:
    names = {
        "scan": say("looking", "扫描"),
        "read": say("reading", "读取"),
        "ocr": say("reading", "读取"),
        "embed": say("embedding", "嵌入"),
        "build": say("preparing the local model (once)", "准备本地模型（仅一次）"),
    }
    return names.get(stage, stage)
