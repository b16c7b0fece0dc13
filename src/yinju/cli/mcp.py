"""`yinju mcp`: the library as tools of an agent. A client waits for its handshake, so this file imports next to nothing and the other
commands are not loaded with it (see `cli/__init__.py`)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from yinju.errors import SourceMissing, UsageError
from yinju.messages import say

if TYPE_CHECKING:
    from collections.abc import Sequence
    from contextlib import AbstractContextManager

    from yinju.library import Library
    from yinju.mcp_server.opening import Refresh
    from yinju.principal import Principal
    from yinju.sync import Progress

VECTORS_S = 5.0  # between two looks at whether the client has gone


def mcp(
    path: Annotated[Path | None, typer.Argument(metavar="[PATH]", show_default=False)] = None,
    library: Annotated[
        str | None, typer.Option("--library", metavar="DIR", help="Use the library in this folder.")
    ] = None,
    model: Annotated[
        str | None,
        typer.Option("--model", metavar="NAME", help="e5, hashing, none, a folder, or a model of the endpoint."),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Read a folder of many files for the first time.")] = False,
    as_name: Annotated[
        str | None, typer.Option("--as", metavar="NAME", help="The agent sees what NAME may see, not all.")
    ] = None,
    group: Annotated[
        list[str] | None, typer.Option("--group", metavar="GROUP", help="NAME is in GROUP. Repeatable.")
    ] = None,
) -> None:
    """Serve the library to an agent: Model Context Protocol on stdin and stdout.

    PATH is brought up to date meanwhile; `status` says how far it is.
    """
    from yinju.mcp_server import stdio
    from yinju.mcp_server.opening import Opening

    principal = _principal(as_name, group or [])
    wire = stdio.take()
    if path is not None and not path.expanduser().exists():
        raise SourceMissing(
            say("There is no {path}.", "没有 {path}。", path=path),
            say("Check the path. Nothing was changed.", "请检查路径。没有改动任何内容。"),
        )

    def opened(**how: Any) -> AbstractContextManager[Library]:
        from yinju.cli import session

        return session.opened(path, library=library, model=model, answers=True, quiet=False, **how)

    def refresh(opened_library: Library, told: Refresh) -> None:
        assert path is not None
        bring_up_to_date(opened_library, path.expanduser(), told, yes=yes)

    opening = Opening(
        lambda: opened(create=path is not None),
        by_words=lambda: opened(read_only=True, with_model=False),
        refresh=None if path is None else refresh,
        principal=principal,
    )
    stdio.serve(wire, opening)


def _principal(name: str | None, groups: Sequence[str]) -> Principal | None:
    """Return who the agent asks as, None for the owner. Raises UsageError for groups of nobody and for what is no name."""
    if name is None:
        if groups:
            raise UsageError(
                say("--group says nothing without --as.", "没有 --as 时 --group 无意义。"),
                say("Add --as NAME.", "请加上 --as 名称。"),
            )
        return None
    from yinju.principal import Principal
    from yinju.tokens import checked_name

    return Principal(checked_name(name), tuple(checked_name(group) for group in groups))


def bring_up_to_date(library: Library, path: Path, told: Refresh, *, yes: bool) -> None:
    """Read what is new in PATH, so that its words are found, then compute its vectors; say meanwhile how far it is.

    Raises the errors of a sync, and UsageError where a first run over very many files needs somebody's word.
    """
    from yinju.cli import render

    _check_size(library, path, yes=yes)

    def show(event: Progress) -> None:
        told.tell(
            say(
                "the folder is being read: {done} of {all} files; more may be found later",
                "正在读取文件夹：{done}/{all} 个文件；稍后可能找到更多",
                done=int(event.done), all=int(event.total),
            )
            if event.total
            else say("the folder is being read; more may be found later", "正在读取文件夹；稍后可能找到更多")
        )  # fmt: skip

    report = library.sync(path, embed=False, progress=show, cancel=told.cancelled)
    for text in report.notices:
        render.notice(text)
    told.tell("")
    told.filled()
    while library.embedder is not None and not told.cancelled():
        status = library.status()
        missing = status["chunks"] - status["embedded"]
        if not missing or not library.embed_missing(budget_s=VECTORS_S).embedded:
            break
        told.tell(
            say("{n} passages have no vectors yet: found by words", "还有 {n} 个段落没有向量：目前按词检索", n=missing)
        )
    if not told.cancelled():
        told.tell("")
        render.notice(
            say("{path} is up to date: {n} documents.", "{path} 已是最新：{n} 个文档。", path=path, n=library.status()["documents"])
        )  # fmt: skip


def _check_size(library: Library, path: Path, *, yes: bool) -> None:
    from yinju.cli.fresh import MANY_FILES
    from yinju.sync import measure

    if yes or library.status()["documents"] > 0:
        return
    files = measure(path).files
    if files > MANY_FILES:
        raise UsageError(
            say("{path} holds {files} files.", "{path} 有 {files} 个文件。", path=path, files=files),
            say("`yinju sync {path}` reads them; or start with --yes.", "请运行 `yinju sync {path}`，或加 --yes 启动。", path=path),
            code="confirm",
        )  # fmt: skip
