"""Commands on questions made from one's own documents: eval make, and tune, which shows what a threshold of refusal does."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from yinju import settings
from yinju.cli import options as o
from yinju.cli import render, tables
from yinju.cli.evaluating import OptionalPath, apart, ask, measuring
from yinju.cli.places import inside
from yinju.errors import StoreReadOnly, UsageError
from yinju.messages import say
from yinju.retrieve.filters import joined

if TYPE_CHECKING:
    from yinju.evaluate.metrics import Interval
    from yinju.evaluate.tune import Rates, Tuning
    from yinju.evaluate.wording import Wording
    from yinju.library import Library

MADE = 120  # questions that `tune` makes where none are given: enough for intervals of a few points

Number = Annotated[int, typer.Option("--number", min=1, metavar="N", help="Make N questions.")]
Seed = Annotated[int, typer.Option("--seed", metavar="S", help="The same seed, the same questions.")]


def make(
    path: OptionalPath = None,
    number: Number = 50,
    seed: Seed = 0,
    out: Annotated[Path | None, typer.Option("--out", metavar="FILE", help="Write to FILE, not to stdout.")] = None,
    with_model: Annotated[bool, typer.Option("--model", help="Let the chat model word the questions.")] = False,
    library: o.LibraryPath = None,
    where: o.Where = None,
    as_json: o.Json = False,
    quiet: o.Quiet = False,
) -> int:
    """Make questions from your own documents, offline."""
    from yinju.evaluate import write
    from yinju.evaluate.cases import as_line
    from yinju.evaluate.make import make as made_from

    given = o.filters(where)
    with measuring(path, library, None if with_model else "none", quiet=quiet or as_json, embed=False) as opened:
        wording = _wording(opened) if with_model else None
        cases = made_from(opened, number, seed=seed, where=joined(inside(opened, path), given), write=wording)
    if out is not None:
        write(out, cases)
    if as_json:
        import json

        render.emit_json({"file": str(out) if out else None, "cases": [json.loads(as_line(case)) for case in cases]})
        return 0
    if out is None:
        for case in cases:
            print(render.safe(as_line(case)))
    unanswerable = sum(not case.answerable for case in cases)
    text = say(
        "{n} questions made, {u} of them without their source. They echo their source's words: real questions are harder.",
        "生成了 {n} 道题，其中 {u} 道检索时不含其来源。它们与原文用词相近：真实的问题更难。",
        n=len(cases), u=unanswerable,
    )  # fmt: skip
    render.notice(text, quiet)
    if wording is not None and wording.failed:
        text = say(
            "{n} questions are worded by rule, because the model gave none that can be used.", "{n} 道题按规则措辞，因为模型没有给出可用的问题。",
            n=wording.failed,
        )  # fmt: skip
        render.notice(text, quiet)
    return 0


def _wording(library: Library) -> Wording:
    from yinju.evaluate.wording import Wording

    if library.chat_model is None:
        raise UsageError(
            say("There is no chat model.", "没有聊天模型。"),
            say(
                "Set YINJU_CHAT_URL and YINJU_CHAT_MODEL, or leave --model out.",
                "请设置 YINJU_CHAT_URL 和 YINJU_CHAT_MODEL，或去掉 --model。",
            ),
        )
    return Wording(library.chat_model)


def tune(
    words: Annotated[list[str] | None, typer.Argument(metavar="[FILE.jsonl] [PATH]", show_default=False)] = None,
    number: Number = MADE,
    seed: Seed = 0,
    wrong_refusals: Annotated[
        float,
        typer.Option("--wrong-refusals", min=0, max=1, metavar="SHARE", help="Refuse at most this share wrongly."),
    ] = 0.05,
    write: Annotated[bool, typer.Option("--write", help="Put the proposal into the library's settings.")] = False,
    library: o.LibraryPath = None,
    mode: o.SearchMode = "hybrid",
    model: o.Model = None,
    fast: o.Fast = False,
    as_json: o.Json = False,
    quiet: o.Quiet = False,
) -> int:
    """Show what thresholds of refusal do; labelled questions propose one."""
    from yinju import evaluate
    from yinju.evaluate.make import make as made_from
    from yinju.evaluate.tune import as_json as plain
    from yinju.evaluate.tune import tune as tuned

    file, path = _file_and_path(words or [])
    cases = evaluate.read(file) if file is not None else []
    if write and file is None:
        raise UsageError(
            say(
                "Made questions may not set the threshold: they echo their source.",
                "生成的题目不能决定阈值：它们与原文用词相近。",
            ),
            say("Name a file of labelled questions.", "请给出人工标注的问题文件。"),
        )
    with measuring(path, library, model, quiet=quiet or as_json, fast=fast) as opened:
        filters = joined(inside(opened, path), apart(opened, file) if file else {})
        asked = cases or made_from(opened, number, seed=seed, where=filters, unanswerable=0.5)
        records = ask(opened, asked, mode, filters, answers=False, quiet=quiet or as_json, diagnoses=False)
        found = tuned(records, opened.options.refuse_below, most_wrong_refusals=wrong_refusals)
        if found is None:
            raise UsageError(
                say("It takes both answerable and unanswerable questions.", "既需要有答案的题，也需要没有答案的题。"),
                say('Add some with "answerable": false.', "请加入一些 answerable 为 false 的题。"),
            )
        written = _write(opened, found) if write else None
    if as_json:
        render.emit_json({**plain(found), "written": str(written) if written else None})
        return 0
    print("\n".join(_lines(found, labelled=file is not None)))
    if written is not None:
        print(say("Written to {file}.", "已写入 {file}。", file=written))
    return 0


def _file_and_path(words: list[str]) -> tuple[Path | None, Path | None]:
    if len(words) > 2:
        raise UsageError(
            say("Too many arguments.", "参数过多。"),
            say("Write tune [FILE.jsonl] [PATH].", "请写成 tune [FILE.jsonl] [PATH]。"),
        )
    paths = [Path(word) for word in words]
    if paths and paths[0].suffix == ".jsonl":
        return paths[0], paths[1] if len(paths) > 1 else None
    if len(paths) > 1:
        raise UsageError(
            say("{name} is no file of questions.", "{name} 不是问题文件。", name=paths[0]),
            say("It ends in .jsonl.", "它应以 .jsonl 结尾。"),
        )
    return None, paths[0] if paths else None


def _write(library: Library, found: Tuning) -> Path:
    if found.proposal is None:
        raise UsageError(found.why_not or "", say("Nothing was written.", "没有写入任何内容。"))
    folder = library.store.folder
    if folder is None:
        raise StoreReadOnly(
            say("This library lies in memory.", "这个库在内存里。"), say("Name a folder.", "请给出一个文件夹。")
        )
    return settings.write_library_setting(folder, "refuse_below", found.proposal.threshold)


def _lines(found: Tuning, *, labelled: bool) -> list[str]:
    head = say(
        "{a} answerable and {u} unanswerable questions",
        "{a} 道有答案、{u} 道没有答案",
        a=found.answerable,
        u=found.unanswerable,
    )
    if found.made:
        head += say(", all made from the documents", "，全部由文档生成")
    elif found.left_out:
        head += say("; {n} made ones do not count", "；另有 {n} 道由文档生成，不计入", n=found.left_out)
    area = say(
        "area under the curve {v:.3f} ({low:.3f}–{high:.3f}); evidence is off by {e:.3f}",
        "曲线下面积 {v:.3f}（{low:.3f}–{high:.3f}）；证据概率平均偏差 {e:.3f}",
        v=found.area.mean, low=found.area.low, high=found.area.high, e=found.calibration_error,
    )  # fmt: skip
    titles = (
        say("refuse below", "阈值"),
        say("answerable refused", "有答案却拒答"),
        say("unanswerable answered", "没有答案却回答"),
    )
    shown = sorted(
        {rate.threshold: rate for rate in (*found.rates, found.now)}.values(), key=lambda rate: rate.threshold
    )
    rows = [(_threshold(rate, found), *_shares(rate)) for rate in shown]
    out = [*tables.wrapped(head, ""), area, "", *tables.table(titles, rows), ""]
    if found.proposal is not None and found.span is not None:
        (yes, no), (yes_now, no_now) = (_means(rate) for rate in (found.proposal, found.now))
        text = say(
            "Proposed: refuse below {t:.2f} (95 % interval {low:.2f}–{high:.2f}): {yes} of the answerable refused (now {yes_now}), "
            "{no} of the unanswerable answered (now {no_now}). --write puts it into the library's settings.",
            "建议阈值 {t:.2f}（95 % 区间 {low:.2f}–{high:.2f}）：有答案却拒答 {yes}（现为 {yes_now}），没有答案却回答 {no}（现为 {no_now}）。"
            "加 --write 写入库的设置。",
            t=found.proposal.threshold, low=found.span[0], high=found.span[1], yes=yes, no=no, yes_now=yes_now, no_now=no_now,
        )  # fmt: skip
    elif labelled:
        text = found.why_not or ""
    else:
        text = say(
            "These questions echo the words of their source, so that real ones have less evidence: no threshold is proposed from them. "
            "Label some (`yinju eval add`), then `yinju tune FILE.jsonl`.",
            "这些题目与原文用词相近，真实问题的证据会更低：不能据此给出阈值。请先标注一些问题（`yinju eval add`），再运行 `yinju tune FILE.jsonl`。",
        )
    return [*out, *tables.wrapped(text, "")]


def _threshold(rate: Rates, found: Tuning) -> str:
    mark = say("  (now)", "（现在）") if rate.threshold == found.now.threshold else ""
    return f"{rate.threshold:.2f}{mark}"


def _means(rate: Rates) -> tuple[str, str]:
    return f"{rate.wrong_refusals.mean:.1%}", f"{rate.wrong_answers.mean:.1%}"


def _shares(rate: Rates) -> tuple[str, str]:
    def share(one: Interval) -> str:
        return f"{one.mean:6.1%} ({one.low:.1%}–{one.high:.1%})"

    return share(rate.wrong_refusals), share(rate.wrong_answers)
