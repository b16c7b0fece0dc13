"""The table of commands. Each lives in a file with its kin; help is laid out by `helping`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import typer

from yinju import __version__
from yinju.cli import (
    access,
    asking,
    care,
    chatting,
    completing,
    evaluating,
    helping,
    looking,
    mcp,
    models,
    safety,
    serving,
    tokens,
    tuning,
    undoing,
)

app = typer.Typer(
    name="yinju",
    cls=helping.Group,
    help="Documents in, evidence out.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    add_completion=False,
    context_settings=helping.HELP_NAMES,
)

COMMANDS: dict[str, Callable[..., Any]] = {
    "ask": asking.ask, "search": asking.search, "context": asking.context, "chat": chatting.chat, "sync": care.sync,
    "read": looking.read, "outline": looking.outline, "grep": looking.grep, "sources": looking.sources, "verify": looking.verify,
    "why": evaluating.why, "tune": tuning.tune, "status": care.status, "doctor": care.doctor, "undo": undoing.undo,
    "remove": undoing.remove, "access": access.access, "backup": safety.backup, "restore": safety.restore, "serve": serving.serve, "mcp": mcp.mcp,
}  # fmt: skip
for name, function in COMMANDS.items():
    app.command(name, cls=helping.Command)(function)
evaluating.app.command("make", cls=helping.Command)(tuning.make)
app.add_typer(evaluating.app, name="eval")
app.add_typer(models.app, name="model")
app.add_typer(tokens.app, name="token")
app.command("completion", cls=helping.Command)(completing.completion)
app.command("complete", hidden=True)(completing.complete)


def root_command() -> Any:
    """Return the tree of commands with their options."""
    return typer.main.get_command(app)


def _version(wanted: bool) -> None:
    if wanted:
        print(f"yinju {__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Documents in, evidence out."""
