"""The table of commands. Each lives in a file with its kin; help fits 80 columns."""

from __future__ import annotations

from typing import Annotated

import typer

from yinju import __version__
from yinju.cli import asking, care, chatting, evaluating, looking, mcp, models, serving, tuning

app = typer.Typer(
    name="yinju",
    help="Documents in, evidence out. 引据：每一句都有出处。",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)

app.command("ask")(asking.ask)
app.command("search")(asking.search)
app.command("context")(asking.context)
app.command("chat")(chatting.chat)
app.command("sync")(care.sync)
app.command("read")(looking.read)
app.command("outline")(looking.outline)
app.command("grep")(looking.grep)
app.command("sources")(looking.sources)
app.command("verify")(looking.verify)
app.command("why")(evaluating.why)
app.command("tune")(tuning.tune)
app.command("status")(care.status)
app.command("doctor")(care.doctor)
app.command("remove")(care.remove)
app.command("serve")(serving.serve)
app.command("mcp")(mcp.mcp)
evaluating.app.command("make")(tuning.make)
app.add_typer(evaluating.app, name="eval")
app.add_typer(models.app, name="model")


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
    """Documents in, evidence out. 引据：每一句都有出处。"""
