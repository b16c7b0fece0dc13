"""Commands that answer: ask, search, context, chat."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from yinju.cli import options as o
from yinju.cli import render, session
from yinju.errors import UsageError
from yinju.messages import say
from yinju.types import Answer, Citation, as_plain

if TYPE_CHECKING:
    from yinju.library import Library

EXIT_REFUSED = 4
READ_BUDGET_S = 12.0  # an answer has to come within 20 s of starting to read
EMBED_BUDGET_S = 4.0
MANY_FILES = 2_000
LONG_S = 600.0
BYTES_PER_S = 20_000.0  # read and embedded on two cores: 4,500 tokens a second, 4.5 bytes a token
PathAndQuestion = Annotated[list[str], typer.Argument(metavar="[PATH] QUESTION", show_default=False)]
PathAndQuery = Annotated[list[str], typer.Argument(metavar="[PATH] QUERY", show_default=False)]


def ask(
    words: PathAndQuestion,
    library: o.LibraryPath = None,
    limit: o.Limit = None,
    where: o.Where = None,
    min_score: o.MinScore = None,
    refuse_below: o.RefuseBelow = None,
    mode: o.SearchMode = "hybrid",
    model: o.Model = None,
    tokens: o.Tokens = None,
    system: o.System = None,
    history: o.History = None,
    show_prompt: Annotated[
        bool, typer.Option("--show-prompt", help="Print what a language model is sent, and stop.")
    ] = False,
    yes: o.Yes = False,
    fast: o.Fast = False,
    as_json: o.Json = False,
    quiet: o.Quiet = False,
) -> int:
    """Bring PATH up to date, then answer with citations."""
    path, question = o.path_and_text(words, say("question", "问题"))
    turns = o.turns(history)
    with session.opened(
        path, library=library, model=model, quiet=quiet or as_json, fast=fast, create=path is not None
    ) as opened:
        unfinished = prepare(opened, path, question, yes=yes, quiet=quiet or as_json)
        if show_prompt:
            _show_prompt(opened, question, turns, tokens, system, as_json)
            return 0
        narrow = {} if path is None else inside(opened, path)
        answer = _answer(
            opened, question, turns, as_json=as_json, limit=limit, mode=mode, where={**narrow, **o.filters(where)}, min_score=min_score,
            refuse_below=refuse_below, tokens=tokens, system=system,
        )  # fmt: skip
        if not as_json:
            for text in answer.notices:
                render.notice(text, quiet)
        if unfinished and path is not None:
            _finish(opened, path, quiet=quiet or as_json)
    return EXIT_REFUSED if answer.refused else 0


def search(
    words: PathAndQuery,
    library: o.LibraryPath = None,
    limit: o.Limit = None,
    where: o.Where = None,
    min_score: o.MinScore = None,
    mode: o.SearchMode = "hybrid",
    model: o.Model = None,
    explain: Annotated[bool, typer.Option("--explain", help="Show every vote.")] = False,
    yes: o.Yes = False,
    fast: o.Fast = False,
    as_json: o.Json = False,
    quiet: o.Quiet = False,
) -> int:
    """Show ranked passages."""
    path, question = o.path_and_text(words, say("query", "查询"))
    with session.opened(
        path,
        library=library,
        model=model,
        quiet=quiet or as_json,
        fast=fast,
        create=path is not None,
        with_model=mode != "lexical",
    ) as opened:
        prepare(opened, path, question, yes=yes, quiet=quiet or as_json)
        narrow = {} if path is None else inside(opened, path)
        found = opened.find(question, limit, mode, {**narrow, **o.filters(where)}, min_score)  # type: ignore[arg-type]
    if as_json:
        plain = as_plain(found)
        render.emit_json(
            {
                key: plain[key]
                for key in ("query", "mode", "coverage", "took_ms", "hits", "evidence", "unknown", "notices")
            }
        )
        return 0
    for text in found.notices if mode != "lexical" else ():
        render.notice(text, quiet)
    for line in render.hits(found.hits, explain=explain):
        print(line)
    if not found.hits:
        render.notice(say("Nothing found.", "没有找到。"), quiet)
    return 0


def context(
    words: PathAndQuestion,
    library: o.LibraryPath = None,
    format: Annotated[str, typer.Option("--format", help="tagged, numbered, sections or fragments.")] = "tagged",
    tokens: o.Tokens = None,
    limit: o.Limit = None,
    where: o.Where = None,
    min_score: o.MinScore = None,
    mode: o.SearchMode = "hybrid",
    model: o.Model = None,
    yes: o.Yes = False,
    as_json: o.Json = False,
    quiet: o.Quiet = False,
) -> int:
    """Print the block that an agent puts into its prompt."""
    path, question = o.path_and_text(words, say("question", "问题"))
    with session.opened(path, library=library, model=model, quiet=quiet or as_json, create=path is not None) as opened:
        prepare(opened, path, question, yes=yes, quiet=quiet or as_json)
        narrow = {} if path is None else inside(opened, path)
        built = opened.context(
            question, tokens, format, limit=limit, mode=mode, where={**narrow, **o.filters(where)}, min_score=min_score  # type: ignore[arg-type]
        )  # fmt: skip
    if as_json:
        render.emit_json({
            "question": built.question, "format": built.format, "text": built.text, "tokens": built.tokens, "left_out": built.left_out,
            "passages": [{"marker": p.marker, "id": p.id, "source": p.hit.source} for p in built.passages],
        })  # fmt: skip
    else:
        print(built.text)
    return 0


def chat(
    path: Annotated[Path | None, typer.Argument(metavar="[PATH]", show_default=False)] = None,
    library: o.LibraryPath = None,
    where: o.Where = None,
    model: o.Model = None,
    system: o.System = None,
    yes: o.Yes = False,
    as_json: o.Json = False,
    quiet: o.Quiet = False,
) -> int:
    """Hold a conversation; an empty line or Ctrl-D ends it."""
    with session.opened(path, library=library, model=model, quiet=quiet or as_json, create=path is not None) as opened:
        prepare(opened, path, "", yes=yes, quiet=quiet or as_json)
        narrow = {} if path is None else inside(opened, path)
        history: list[dict[str, str]] = []
        if sys.stdin.isatty() and not quiet:
            render.notice(say("Ask; an empty line ends.", "请提问；空行结束。"))
        for question in iter(_next_question, ""):
            try:
                answer = _answer(
                    opened, question, history, as_json=as_json, where={**narrow, **o.filters(where)}, system=system
                )
            except UsageError as error:
                render.notice(f"{error.message} {error.hint or ''}")
                continue
            if not as_json:
                print()
            history += [{"role": "user", "content": question}, {"role": "assistant", "content": answer.text}]
    return 0


def prepare(library: Library, path: Path | None, question: str, *, yes: bool, quiet: bool) -> bool:
    """Bring the library up to date with the path as far as an answer in 20 s allows. Return whether something is left to do."""
    if path is None:
        return False
    first_run = library.status()["documents"] == 0
    if first_run and not yes:
        _ask_before_long_run(library, path)
    with session.sync_progress(quiet) as show:
        report = library.sync(path, embed=False, progress=show, read_budget_s=READ_BUDGET_S)
    if not quiet and (report.files or report.skipped):
        for line in render.sync_summary(report).split("\n")[1:]:
            render.notice(line)
    for text in report.notices:
        render.notice(text, quiet)
    if library.embedder is None:
        return bool(report.notices)
    nearest = library.search(question, 50, "lexical") if question.strip() else []
    with session.sync_progress(quiet) as show:
        embedded = library.embed_missing(first=nearest, budget_s=EMBED_BUDGET_S, progress=show)
    for text in embedded.notices:
        render.notice(text, quiet)
    status = library.status()
    missing = status["chunks"] - status["embedded"]
    if missing:
        text = say(
            "{done} of {all} passages have vectors so far; all are found by their words. `yinju sync {path}` computes the rest.",
            "目前 {done}/{all} 个段落已有向量；全部段落都可按词找到。`yinju sync {path}` 会补齐。",
            done=status["embedded"], all=status["chunks"], path=path,
        )  # fmt: skip
        render.notice(text, quiet)
    return bool(missing or report.notices)


def inside(library: Library, path: Path) -> dict[str, str]:
    """Return the filter that keeps to a folder or file below the library's root; empty where the path is the root."""
    resolved = path.expanduser().resolve()
    for root, prefix in library.store.roots():
        try:
            relative = resolved.relative_to(root).as_posix()
        except ValueError:
            continue
        if relative == ".":
            return {"source": f"{prefix}*"} if prefix else {}
        return {"source": prefix + relative + ("/*" if resolved.is_dir() else "")}
    return {}


def _ask_before_long_run(library: Library, path: Path) -> None:
    from yinju.sync import measure

    files, size = measure(path)
    seconds = size / BYTES_PER_S if library.embedder is not None else 0.0
    if files <= MANY_FILES and seconds <= LONG_S:
        return
    text = say(
        "{path} holds {files} files; a first run takes about {minutes:.0f} minutes.", "{path} 有 {files} 个文件，首次处理约需 {minutes:.0f} 分钟。",
        path=path, files=files, minutes=max(1.0, seconds / 60),
    )  # fmt: skip
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise UsageError(text, say("Say --yes to start it.", "加 --yes 即可开始。"), code="confirm")
    if not typer.confirm(f"{text} {say('Go on?', '继续吗？')}", err=True):
        raise typer.Abort


def _finish(library: Library, path: Path, *, quiet: bool) -> None:
    """Index the rest after the answer, where a person sits at a terminal and can stop it."""
    if quiet or not sys.stderr.isatty():
        return
    render.notice(
        say("Indexing the rest; Ctrl-C stops, nothing is lost.", "继续处理其余文件；可按 Ctrl-C 停止，不会丢失。")
    )
    with session.sync_progress(quiet) as show:
        library.sync(path, progress=show)


def _answer(library: Library, question: str, history: Any, *, as_json: bool, **settings: Any) -> Answer:
    """Answer and print: streamed with a language model, whole without."""
    stream = library.ask_stream(question, history, **settings)
    live = not as_json and library.chat_model is not None
    answer = _follow(stream, print_text=_print_part if live else None)
    if as_json:
        render.emit_json(answer_json(answer))
    elif answer.refused:
        print(("\n" if live else "") + render.refusal(answer))
    else:
        print("\n" if live else render.safe(answer.text) + "\n")
        print(render.citations(answer.citations))
    return answer


def _follow(stream: Any, print_text: Callable[[str], None] | None) -> Answer:
    last: str | Citation | Answer = ""
    for part in stream:
        if isinstance(part, str) and print_text is not None:
            print_text(part)
        last = part
    assert isinstance(last, Answer)
    return last


def _print_part(text: str) -> None:
    print(render.safe(text), end="", flush=True)


def answer_json(answer: Answer) -> dict[str, Any]:
    """Return the shape of `ask --json`: the context without the passages' texts, which the citations quote."""
    plain: dict[str, Any] = as_plain(answer)
    if answer.context is not None:
        plain["context"] = {
            "passages": [{"marker": p.marker, "id": p.id} for p in answer.context.passages],
            "tokens": answer.context.tokens,
            "left_out": answer.context.left_out,
        }
    return plain


def _show_prompt(
    library: Library, question: str, history: Any, tokens: int | None, system: str | None, as_json: bool
) -> None:
    messages = library.prompt(question, history, tokens=tokens, system=system)
    if as_json:
        render.emit_json({"messages": messages})
        return
    for message in messages:
        print(f"--- {message.role}\n{render.safe(message.content)}\n")


def _next_question() -> str:
    try:
        return input("> " if sys.stdin.isatty() else "").strip()
    except EOFError:
        return ""
