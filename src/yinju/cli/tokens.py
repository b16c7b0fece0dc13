"""Who may ask a server: `yinju token add`, `list`, `groups`, `remove` write the file that `yinju serve --tokens` reads again when it changes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from yinju import settings, tokens
from yinju.cli import helping, render
from yinju.cli import options as o
from yinju.messages import say

app = typer.Typer(
    cls=helping.Group,
    help="Tokens of people and programs that may ask a server.",
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings=helping.HELP_NAMES,
)
FILE_NAME = "tokens.json"
Name = Annotated[str, typer.Argument(metavar="NAME", show_default=False)]
Groups = Annotated[list[str] | None, typer.Option("--group", metavar="GROUP", help="NAME is in GROUP. Repeatable.")]
TokensFile = Annotated[
    Path | None, typer.Option("--tokens", metavar="FILE", help="The file of tokens. Without it: one of your own.")
]


@app.command("add", cls=helping.Command)
def add(
    name: Name, group: Groups = None, file: TokensFile = None, as_json: o.Json = False, quiet: o.Quiet = False
) -> int:
    """Make a token for NAME and print it: this once only, nothing keeps it."""
    path = _path(file)
    token = tokens.add(path, name, group or ())
    if as_json:
        render.emit_json({"name": tokens.checked_name(name), "token": token, "file": str(path)})
        return 0
    print(token)
    render.notice(
        say(
            "Give it to {name}: it is shown this once. `yinju serve --tokens {path}` lets it in.",
            "请交给 {name}：只显示这一次。`yinju serve --tokens {path}` 即可使用。",
            name=tokens.checked_name(name), path=path,
        ),
        quiet,
    )  # fmt: skip
    _warn(path)
    return 0


@app.command("list", cls=helping.Command)
def list_tokens(file: TokensFile = None, as_json: o.Json = False, quiet: o.Quiet = False) -> int:
    """List who has a token, and the groups of each."""
    path = _path(file)
    found = tokens.entries(path)
    if as_json:
        rows = [{"name": one.name, "groups": one.groups, "created": one.created} for one in found]
        render.emit_json({"tokens": rows, "file": str(path)})
        return 0
    columns = max((render.width(render.one_line(one.name)) for one in found), default=0)
    for one in found:
        groups = ", ".join(map(render.one_line, one.groups)) or "-"
        print(f"{render.pad(render.one_line(one.name), columns)}  {render.one_line(one.created)}  {groups}")
    if not found:
        render.notice(say("Nobody has a token.", "还没有令牌。"), quiet)
    _warn(path)
    return 0


@app.command("groups", cls=helping.Command)
def groups(
    name: Name, group: Groups = None, file: TokensFile = None, as_json: o.Json = False, quiet: o.Quiet = False
) -> int:
    """Put NAME into these groups instead of those before; the token stays."""
    path = _path(file)
    tokens.set_groups(path, name, group or ())
    _done(path, as_json, quiet, say("{name}: from the next request on.", "{name}：下一个请求起生效。", name=name))
    return 0


@app.command("remove", cls=helping.Command)
def remove(name: Name, file: TokensFile = None, as_json: o.Json = False, quiet: o.Quiet = False) -> int:
    """Take the token of NAME away: from the next request on it opens nothing."""
    path = _path(file)
    tokens.remove(path, name)
    _done(path, as_json, quiet, say("{name} has no token any more.", "{name} 的令牌已删除。", name=name))
    return 0


def _path(given: Path | None) -> Path:
    return settings.user_file().with_name(FILE_NAME) if given is None else given.expanduser()


def _done(path: Path, as_json: bool, quiet: bool, text: str) -> None:
    if as_json:
        render.emit_json({"file": str(path)})
    else:
        render.notice(text, quiet)
    _warn(path)


def _warn(path: Path) -> None:
    for text in tokens.warnings(path):
        render.notice(text)
