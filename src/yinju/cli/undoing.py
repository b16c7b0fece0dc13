"""Commands that take something back: `undo` the last steps, `remove` sources, for good where that is asked for."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from yinju.cli import care, render, session
from yinju.cli import options as o
from yinju.messages import say
from yinju.types import as_plain

if TYPE_CHECKING:
    from yinju.store.records import Step


def undo(
    path: Annotated[Path | None, typer.Argument(metavar="[PATH]", show_default=False)] = None,
    library: o.LibraryPath = None,
    steps: Annotated[int, typer.Option("--steps", metavar="N", help="Undo the last N.")] = 1,
    show_list: Annotated[bool, typer.Option("--list", help="Show what can be undone, and stop.")] = False,
    as_json: o.Json = False,
    quiet: o.Quiet = False,
) -> int:
    """Undo the last sync, add or remove of the library (of PATH). The files stay as they are.

    What they say is held back until they change, or `sync --release`.
    """
    with session.opened(path, library=library, quiet=quiet or as_json, with_model=False, read_only=show_list) as opened:
        if show_list:
            _show(opened.steps(), [hold.source for hold in opened.store.holds()], as_json=as_json)
            return 0
        report = opened.undo(steps)
    if not (quiet or as_json):
        print(say("Undone:", "已撤销："))
    care.print_report(report, as_json=as_json, quiet=quiet)
    return 0


def remove(
    sources: Annotated[list[str], typer.Argument(metavar="SOURCE...", show_default=False)],
    library: o.LibraryPath = None,
    purge: Annotated[bool, typer.Option("--purge", help="Leave no byte of the text; cannot be undone.")] = False,
    as_json: o.Json = False,
    quiet: o.Quiet = False,
) -> int:
    """Remove sources from the library. The files stay; a later sync of their folder finds them again."""
    with session.opened(library=library, quiet=quiet or as_json, with_model=False) as opened:
        if not purge:
            care.print_report(opened.remove(sources), as_json=as_json, quiet=quiet)
            return 0
        found = opened.purge(sources)
    if as_json:
        render.emit_json(as_plain(found))
        return 0
    if not quiet:
        text = say(
            "Purged: {n}. No byte of the text is left in the library.",
            "已清除：{n}。资料库中不再有其任何文字。",
            n=len(found.sources),
        )
        print(text if not found.left else say("Purged: {n}.", "已清除：{n}。", n=len(found.sources)))
    for text in found.notices:
        render.notice(render.safe(text))
    return 0


def _show(steps: list[Step], held: list[str], *, as_json: bool) -> None:
    if as_json:
        render.emit_json({"steps": steps, "held": held})
        return
    if not steps:
        print(say("There is nothing to undo.", "没有可撤销的操作。"))
    for place, step in enumerate(steps, 1):
        print(f"{place}  {step.time}  {render.pad(_kind(step.kind), 8)} {_counts(step)}")
    if held:
        print(say("Held back: {names}", "暂不收录：{names}", names=render.one_line(", ".join(held))))


def _kind(kind: str) -> str:
    return {"sync": say("sync", "同步"), "add": say("add", "添加"), "remove": say("remove", "移除")}.get(kind, kind)


def _counts(step: Step) -> str:
    counts = (
        (step.added, say("added", "新增")), (step.updated, say("updated", "更新")), (step.renamed, say("renamed", "改名")),
        (step.removed, say("removed", "删除")),
    )  # fmt: skip
    return say(", ", "，").join(
        say("{n} {what}", "{what} {n}", n=f"{count:,}", what=word) for count, word in counts if count
    )
