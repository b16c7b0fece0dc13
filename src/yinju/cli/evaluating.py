"""Commands that measure: eval (run, make, compare, add) and why."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from yinju import assemble
from yinju.cli import helping, render, reports, session, tables
from yinju.cli import options as o
from yinju.cli.fresh import announce, skips
from yinju.cli.looking import split_range
from yinju.cli.places import inside, opened_for
from yinju.errors import MassDelete, SourceMissing, StoreBusy, StoreReadOnly, UsageError
from yinju.messages import say
from yinju.retrieve.filters import joined, literal
from yinju.types import as_plain

if TYPE_CHECKING:
    from yinju.evaluate import Case, Gold, Judge, Record
    from yinju.evaluate.places import Places
    from yinju.evaluate.run import Progress
    from yinju.library import Library
    from yinju.types import Where

EXIT_BELOW = 4  # as where a quotation is not there: what was asked for was not found to hold


class _Group(helping.Group):
    """`eval FILE` runs the questions of a file: what is no command's name is one."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put `run` in front of everything that names no command."""
        named = bool(args) and (args[0] in self.commands or args[0] in ("-h", "--help"))
        return super().parse_args(ctx, args if named or not args else ["run", *args])


app = typer.Typer(
    cls=_Group,
    help="Measure on your own questions: `yinju eval FILE.jsonl [PATH]`.",
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings=helping.HELP_NAMES,
)

File = Annotated[Path, typer.Argument(metavar="FILE.jsonl", show_default=False)]
OptionalPath = Annotated[Path | None, typer.Argument(metavar="[PATH]", show_default=False)]
Answers = Annotated[bool, typer.Option("--answer/--no-answer", help="Answer too, or only search.")]
Failures = Annotated[int, typer.Option("--failures", min=0, metavar="N", help="Show the N worst failures.")]


@app.command("run", cls=helping.Command)
def run(
    file: File,
    path: OptionalPath = None,
    library: o.LibraryPath = None,
    where: o.Where = None,
    mode: o.SearchMode = "hybrid",
    model: o.Model = None,
    answer: Answers = True,
    keep: Annotated[Path | None, typer.Option("--keep", metavar="FILE", help="Keep a record per question.")] = None,
    fail_under: Annotated[
        list[str] | None,
        typer.Option("--fail-under", metavar="NAME=V", help="Exit 4 if a measure is lower, e.g. hit@5=0.8."),
    ] = None,
    judge: Annotated[bool, typer.Option("--judge", help="Let a language model score the answers from 1 to 5.")] = False,
    failures: Failures = 10,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print the table as Markdown.")] = False,
    fast: o.Fast = False,
    as_json: o.Json = False,
    quiet: o.Quiet = False,
) -> int:
    """Ask the questions of FILE.jsonl and count what came."""
    from yinju import evaluate
    from yinju.evaluate.report import as_json as plain
    from yinju.evaluate.report import as_markdown, bounds, missed

    if judge and not answer:
        raise UsageError(
            say("Without answers there is nothing to judge.", "没有回答就无从评审。"),
            say("Leave out --no-answer.", "请去掉 --no-answer。"),
        )
    cases, given, wanted = evaluate.read(file), o.filters(where), bounds(fail_under or [])
    with measuring(path, library, model, quiet=quiet or as_json, fast=fast) as opened:
        filters = joined(inside(opened, path), given, apart(opened, file))
        judging = _judge(opened, quiet=quiet or as_json) if judge else None
        records = ask(opened, cases, mode, filters, answers=answer, quiet=quiet or as_json, judge=judging)
    if keep is not None:
        evaluate.keep(keep, records)
    found = evaluate.report(records)
    below = missed(found, wanted)
    if as_json:
        render.emit_json(plain(found, below))
    elif markdown:
        print(as_markdown(found))
    else:
        print("\n".join(tables.report(found, failures)))
    for text in below if not as_json else ():
        render.notice(say("Too low: {what}", "未达标：{what}", what=text))
    return EXIT_BELOW if below else 0


def _judge(library: Library, *, quiet: bool) -> Judge:
    """Return the judge of the settings. Raises UsageError where there is no model."""
    from yinju import models, settings
    from yinju.evaluate import Judge

    model = models.open_judge(settings.load(), library.chat_model)
    if library.chat_model is not None and model.name == library.chat_model.name:
        text = say(
            "The judge is the model that answers: it may favour its own words.", "评审与作答是同一模型：可能偏向自己的说法。"
        )  # fmt: skip
        render.notice(text, quiet)
    return Judge(model)


@app.command("compare", cls=helping.Command)
def compare(
    first: Annotated[Path, typer.Argument(metavar="A", show_default=False)],
    second: Annotated[Path | None, typer.Argument(metavar="[B]", show_default=False)] = None,
    mode: Annotated[
        str | None, typer.Option("--mode", metavar="A,B", help="Ask file A of the library at B in two modes.")
    ] = None,
    library: o.LibraryPath = None,
    model: o.Model = None,
    answer: Answers = True,
    changed: Annotated[int, typer.Option("--changed", min=0, metavar="N", help="Show N questions that changed.")] = 20,
    fast: o.Fast = False,
    as_json: o.Json = False,
    quiet: o.Quiet = False,
) -> int:
    """Compare two kept records A and B, or with --mode two settings."""
    from yinju import evaluate
    from yinju.evaluate.compare import as_json as plain

    if mode is None:
        if second is None:
            raise UsageError(
                say("There is nothing to compare with.", "没有可比较的对象。"),
                say("Name two files of records, or --mode A,B.", "请给出两个记录文件，或 --mode A,B。"),
            )
        before, after = evaluate.load(first), evaluate.load(second)
    else:
        before, after = _in_two_modes(
            first, second, mode, library, model, answers=answer, fast=fast, quiet=quiet or as_json
        )
    found = evaluate.compare(before, after)
    if as_json:
        render.emit_json(plain(found))
    else:
        print("\n".join(tables.comparison(found, changed)))
    return 0


def _in_two_modes(
    file: Path, path: Path | None, modes: str, library: str | None, model: str | None, *, answers: bool, fast: bool, quiet: bool
) -> tuple[list[Record], list[Record]]:  # fmt: skip
    from yinju import evaluate

    names = [name.strip() for name in modes.split(",")]
    if len(names) != 2:
        raise UsageError(
            say("Two modes are compared, not {n}.", "需要两种检索方式，而不是 {n} 种。", n=len(names)),
            say("Write --mode lexical,hybrid.", "请写成 --mode lexical,hybrid。"),
        )
    cases = evaluate.read(file)
    with measuring(path, library, model, quiet=quiet, fast=fast) as opened:
        filters = joined(inside(opened, path), apart(opened, file))
        before, after = (
            ask(opened, cases, name, filters, answers=answers, quiet=quiet, diagnoses=False) for name in names
        )
    return before, after


@app.command("add", cls=helping.Command)
def add(
    question: Annotated[str, typer.Argument(metavar="QUESTION", show_default=False)],
    expect: Annotated[
        list[str] | None, typer.Option("--expect", metavar="FILE[:LINE]", help="Where the answer stands. Repeatable.")
    ] = None,
    quote: Annotated[str | None, typer.Option("--quote", metavar="TEXT", help="The words that answer it.")] = None,
    answer: Annotated[
        list[str] | None, typer.Option("--answer", metavar="TEXT", help="What an answer has to say. Repeatable.")
    ] = None,
    unanswerable: Annotated[bool, typer.Option("--unanswerable", help="The documents do not answer it.")] = False,
    file: Annotated[Path, typer.Option("--file", metavar="FILE", help="Where it is kept.")] = Path("cases.jsonl"),
    library: o.LibraryPath = None,
    as_json: o.Json = False,
    quiet: o.Quiet = False,
) -> int:
    """Keep a question with the place of its answer as a case."""
    import json

    from yinju.evaluate import Case
    from yinju.evaluate.cases import append, as_line
    from yinju.evaluate.places import Places

    o.speak_like(question)
    if unanswerable is bool(expect or answer):
        raise UsageError(
            say("Say where the answer stands, or that there is none.", "请指明答案的出处，或说明没有答案。"),
            say("Use --expect FILE:LINE or --unanswerable.", "请用 --expect 文件:行 或 --unanswerable。"),
        )
    with _holding(expect or [], library, quiet=quiet or as_json, with_model=False) as (opened, expected):
        golds = _golds(opened, Places(opened), expected, quote)
        made = Case(question, tuple(golds), tuple(answer or ()), answerable=not unanswerable)
        case = append(file, made)
        lies_open = _lies_open(opened, file)
    if as_json:
        render.emit_json({"file": str(file), "case": json.loads(as_line(case))})
    else:
        print(say("Added to {file} as {id}.", "已加入 {file}，编号 {id}。", file=file, id=case.id))
    if lies_open:
        text = say(
            "{file} lies in a synced folder: name it in .yinjuignore, so that its questions are not found as text.",
            "{file} 在已同步的文件夹里：请写进 .yinjuignore，以免题目被当作正文检索到。",
            file=file,
        )
        render.notice(text, quiet or as_json)
    return 0


def why(
    words: Annotated[list[str], typer.Argument(metavar="[PATH] QUESTION", show_default=False)],
    expect: Annotated[
        list[str], typer.Option("--expect", metavar="FILE[:LINE]", help="Where the answer stands. Repeatable.")
    ],
    library: o.LibraryPath = None,
    where: o.Where = None,
    mode: o.SearchMode = "hybrid",
    model: o.Model = None,
    history: o.History = None,
    answer: Answers = True,
    as_json: o.Json = False,
    quiet: o.Quiet = False,
) -> int:
    """Tell where an expected passage was lost: read, cut, ... answered."""
    from yinju.evaluate import Case, Gold, diagnose

    path, question = o.path_and_text(words, say("question", "问题"))
    o.speak_like(question)
    turns = o.turns(history)
    here = library or (None if path is None else str(assemble.library_folder(path)))
    with _holding(expect, here, model, quiet=quiet or as_json) as (opened, expected):
        golds = tuple(Gold(name, lines=lines) for name, lines in expected)
        case = Case(question, golds, history=tuple(turns))
        narrowed = joined(inside(opened, path), o.filters(where))
        found = diagnose(opened, case, mode=mode, where=narrowed, answers=answer)  # type: ignore[arg-type]
    if as_json:
        render.emit_json({"question": question, "expected": as_plain(found)})
        return 0
    for one in found:
        print("\n".join(tables.diagnosis(one)))
    return 0


Expected = list[tuple[str, tuple[int, int] | None]]  # source and lines


@contextmanager
def _holding(
    expected: list[str], library: str | None, model: str | None = None, *, quiet: bool, with_model: bool = True
) -> Iterator[tuple[Library, Expected]]:
    """Open the library that holds the first expected source, named as `yinju read` takes it, and yield it with sources and lines."""
    pairs = [split_range(text) for text in expected]
    if not pairs:
        with session.opened(library=library, model=model, quiet=quiet, with_model=with_model) as opened:
            yield opened, []
        return
    with opened_for(pairs[0][0], library=library, quiet=quiet, with_model=with_model, model=model) as (opened, first):
        yield opened, [(first, pairs[0][1]), *pairs[1:]]


def _golds(library: Library, places: Places, expected: Expected, quote: str | None) -> Iterator[Gold]:
    """Yield golds that the library really holds. Raises SourceMissing, UsageError."""
    from yinju.evaluate import Gold

    for name, lines in expected:
        source = places.source(name)
        if source is None:
            library.document(name)  # raises with the nearest names
        gold = Gold(source or name, lines=lines, quote=quote)
        problem = places.of(gold).problem
        if problem is not None:
            what = {
                "no-lines": say("no text on these lines", "这些行没有文字"),
                "no-quote": say("no such quotation", "没有这句引文"),
            }
            raise UsageError(
                say("{source} has {what}.", "{source} {what}。", source=gold.source, what=what.get(problem, problem)),
                say("`yinju read {source}` shows its lines.", "`yinju read {source}` 可查看各行。", source=gold.source),
            )
        yield gold


@contextmanager
def measuring(
    path: Path | None,
    library: str | None,
    model: str | None,
    *,
    quiet: bool,
    fast: bool = False,
    embed: bool = True,
) -> Iterator[Library]:
    """Open the library of this path and bring it up to date wholly: figures of half a library would mislead."""
    with session.opened(
        path, library=library, model=model, quiet=quiet, fast=fast, create=path is not None, answers=True
    ) as opened:
        if path is not None:
            announce(opened, [path], embed=embed, quiet=quiet)
            told = skips(opened)
            try:
                with session.sync_progress(quiet) as show:
                    report = opened.sync(path, embed=embed, progress=show)
                for text in (*reports.unread(report.files, told), *report.notices):
                    render.notice(text, quiet)
            except (StoreBusy, StoreReadOnly, MassDelete) as error:
                text = say("Measuring what the library holds: {why}", "按库中已有的内容评测：{why}", why=error.message)
                render.notice(text, quiet)
        if not opened.status()["documents"]:
            raise SourceMissing(
                say("The library is empty.", "库是空的。"), say("Name a folder with documents.", "请给出有文档的文件夹。"), code="no-documents"
            )  # fmt: skip
        yield opened


def ask(
    library: Library,
    cases: list[Case],
    mode: str,
    where: Where,
    *,
    answers: bool,
    quiet: bool,
    diagnoses: bool = True,
    judge: Judge | None = None,
) -> list[Record]:
    """Ask the cases, with a bar on a terminal."""
    from yinju import evaluate

    with asking(quiet) as show:
        return evaluate.run(
            library, cases, mode=mode, where=where, answers=answers, diagnoses=diagnoses, judge=judge, progress=show  # type: ignore[arg-type]
        )  # fmt: skip


@contextmanager
def asking(quiet: bool) -> Iterator[Progress]:
    """Yield a function that shows how many questions were asked."""
    with session.progress(quiet) as show:
        yield lambda done, total: show(say("asking", "提问"), done, total, "")


def apart(library: Library, file: Path) -> Where:
    """Return the filter that leaves the questions themselves out, where their file is one of the documents."""
    sources = {summary.source for summary in library.sources()}
    real = os.path.realpath(file)
    for root, prefix in library.store.roots():
        name = prefix + os.path.relpath(real, root).replace(os.sep, "/") if _is_below(real, root) else ""
        if name in sources:
            return {"source!": literal(name)}
    return {}


def _lies_open(library: Library, file: Path) -> bool:
    """Whether the next sync would read this file as a document."""
    from yinju.load import is_document_name
    from yinju.sync.scan import is_visible

    real = os.path.realpath(file)
    return is_document_name(os.path.basename(real)) and any(
        _is_below(real, root) and is_visible(root, os.path.relpath(real, root).replace(os.sep, "/"))
        for root, _prefix in library.store.roots()
    )


def _is_below(real: str, root: str) -> bool:
    return real.startswith(root.rstrip(os.sep) + os.sep)
