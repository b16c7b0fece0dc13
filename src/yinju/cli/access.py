"""The command `access`: who may see which source, and the owner's own list."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Annotated

import typer

from yinju.cli import options as o
from yinju.cli import render, session
from yinju.cli.places import opened_for
from yinju.errors import UsageError
from yinju.messages import say

if TYPE_CHECKING:
    from collections.abc import Mapping

    from yinju.store.access import Names, Origin


def access(
    source: Annotated[str | None, typer.Argument(metavar="[SOURCE]", show_default=False)] = None,
    library: o.LibraryPath = None,
    only: Annotated[
        list[str] | None, typer.Option("--only", metavar="NAME", help="Only NAME may see it ('': nobody). Repeatable.")
    ] = None,
    open_: Annotated[bool, typer.Option("--open", help="Take the list of --only away.")] = False,
    as_json: o.Json = False,
    quiet: o.Quiet = False,
) -> int:
    """Show who may see SOURCE, or every source that has lists; set a list of your own."""
    if (only and open_) or ((only or open_) and source is None):
        raise UsageError(
            say("--only and --open need a source, and exclude each other.", "--only 和 --open 需要指定来源，且不能同时使用。"),
            say("Write `yinju access SOURCE --only NAME`.", "请写 `yinju access SOURCE --only NAME`。"),
        )  # fmt: skip
    with ExitStack() as stack:
        if source is None:
            opened = stack.enter_context(session.opened(library=library, quiet=quiet or as_json, with_model=False))
            lists = opened.store.access_lists()
        else:
            opened, name = stack.enter_context(opened_for(source, library=library, quiet=quiet or as_json))
            if only or open_:
                opened.restrict(name, None if open_ else only)
            lists = {name: opened.access(name)}
    if as_json:
        render.emit_json({"sources": [{"source": name, "access": lists[name]} for name in sorted(lists)]})
        return 0
    for name in sorted(lists):
        print(f"{render.one_line(name)}  {shown(lists[name])}")
    if not lists:
        print(
            say(
                "No source has an access list: whoever may ask sees all.",
                "没有来源设有访问名单：可提问者都能看到全部内容。",
            )
        )
    return 0


def shown(lists: Mapping[Origin, Names]) -> str:
    """Return who may see a source, in one line."""
    if not lists:
        return say("open to all who may ask", "对所有可提问者开放")
    words = {"document": say("document", "文档"), "rules": say("rules", "规则"), "owner": say("owner", "所有者")}
    nobody = say("nobody", "无人")
    given = (f"{words[origin]}: {render.one_line(', '.join(names)) or nobody}" for origin, names in lists.items())
    return "; ".join(given)
