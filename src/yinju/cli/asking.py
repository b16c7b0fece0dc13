"""Commands that answer: ask, search, context."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from yinju.cli import excerpt, render, session
from yinju.cli import options as o
from yinju.cli.answers import answer_and_print
from yinju.cli.fresh import finish, prepare
from yinju.cli.links import Links
from yinju.cli.places import inside
from yinju.messages import say
from yinju.retrieve.filters import joined
from yinju.types import SearchResult, as_plain

if TYPE_CHECKING:
    from yinju.protocols import Message

EXIT_REFUSED = 4
_SHOWN = ("query", "mode", "coverage", "took_ms", "hits", "evidence", "unknown", "notices", "phrases", "without")
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
    per_document: o.PerDocument = None,
    widen: o.Widen = "none",
    model: o.Model = None,
    tokens: o.Tokens = None,
    system: o.System = None,
    history: o.History = None,
    rewrite: o.Rewrite = None,
    prefer: o.Prefer = None,
    agent: o.Agent = False,
    agent_limits: o.AgentLimits = None,
    unsupported: o.Unsupported = None,
    check: o.Check = None,
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
    o.speak_like(question)
    given = o.filters(where)
    turns = o.turns(history)
    with session.opened(
        path, library=library, model=model, quiet=quiet or as_json, fast=fast, create=path is not None, answers=True
    ) as opened:
        unfinished = prepare(opened, path, question, yes=yes, quiet=quiet or as_json)
        narrowed: dict[str, Any] = {
            "limit": limit, "mode": mode, "min_score": min_score, "where": joined(inside(opened, path), given),
            "per_document": per_document, "widen": widen, "rewrite": rewrite, "prefer": prefer,
        }  # fmt: skip
        if show_prompt:
            _show_prompt(opened.prompt(question, turns, **narrowed, tokens=tokens, system=system), as_json)
            return 0
        answer = answer_and_print(
            opened,
            question,
            turns,
            as_json=as_json,
            quiet=quiet,
            **narrowed,
            refuse_below=refuse_below,
            tokens=tokens,
            system=system,
            agent=o.agent(agent, agent_limits),
            unsupported=o.unproved(unsupported),
            check=check,
        )
        if unfinished and path is not None:
            finish(opened, path, quiet=quiet or as_json)
    return EXIT_REFUSED if answer.refused else 0


def search(
    words: PathAndQuery,
    library: o.LibraryPath = None,
    limit: o.Limit = None,
    where: o.Where = None,
    min_score: o.MinScore = None,
    mode: o.SearchMode = "hybrid",
    per_document: o.PerDocument = None,
    model: o.Model = None,
    rerank: o.Rerank = None,
    hops: o.Hops = None,
    explain: Annotated[bool, typer.Option("--explain", help="Show every vote.")] = False,
    yes: o.Yes = False,
    fast: o.Fast = False,
    as_json: o.Json = False,
    quiet: o.Quiet = False,
) -> int:
    """Show ranked passages."""
    path, question = o.path_and_text(words, say("query", "查询"))
    given = o.filters(where)
    with session.opened(
        path,
        library=library,
        model=model,
        quiet=quiet or as_json,
        fast=fast,
        create=path is not None,
        with_model=mode != "lexical",
        rerank=rerank,
    ) as opened:
        prepare(opened, path, question, yes=yes, quiet=quiet or as_json)
        narrowed = joined(inside(opened, path), given)
        found = opened.find(question, limit, mode, narrowed, min_score, per_document=per_document, hops=hops)  # type: ignore[arg-type]
        links = Links(opened)
    if as_json:
        plain = as_plain(found)
        render.emit_json({key: plain[key] for key in _SHOWN})
        return 0
    for text in found.notices:
        render.notice(text, quiet)
    for line in (
        *(_as_understood(found) if explain else ()),
        *excerpt.hits(found.hits, found.query, explain=explain, links=links),
    ):
        print(line)
    if not found.hits:
        render.notice(say("Nothing found.", "没有找到。"), quiet)
    return 0


def _as_understood(found: SearchResult) -> Iterator[str]:
    """Yield what of the question was syntax, and which of its words stand nowhere."""
    if found.phrases:
        yield say("word for word: {texts}", "原样包含：{texts}", texts=_listed(found.phrases))
    if found.without:
        yield say("left out: {texts}", "排除：{texts}", texts=_listed(found.without))
    if found.unknown:
        yield say("stands nowhere: {texts}", "库中没有：{texts}", texts=_listed(found.unknown))


def _listed(texts: Sequence[str]) -> str:
    return ", ".join(f'"{render.one_line(text)}"' for text in texts)


def context(
    words: PathAndQuestion,
    library: o.LibraryPath = None,
    format: Annotated[str, typer.Option("--format", help="tagged, numbered, sections or fragments.")] = "tagged",
    tokens: o.Tokens = None,
    limit: o.Limit = None,
    where: o.Where = None,
    min_score: o.MinScore = None,
    mode: o.SearchMode = "hybrid",
    per_document: o.PerDocument = None,
    widen: o.Widen = "none",
    model: o.Model = None,
    yes: o.Yes = False,
    as_json: o.Json = False,
    quiet: o.Quiet = False,
) -> int:
    """Print the block that an agent puts into its prompt."""
    path, question = o.path_and_text(words, say("question", "问题"))
    given = o.filters(where)
    with session.opened(path, library=library, model=model, quiet=quiet or as_json, create=path is not None) as opened:
        prepare(opened, path, question, yes=yes, quiet=quiet or as_json)
        built = opened.context(
            question, tokens, format, limit=limit, mode=mode, where=joined(inside(opened, path), given), min_score=min_score,  # type: ignore[arg-type]
            per_document=per_document, widen=widen,  # type: ignore[arg-type]
        )  # fmt: skip
    if as_json:
        render.emit_json({
            "question": built.question, "format": built.format, "text": built.text, "tokens": built.tokens, "left_out": built.left_out,
            "passages": [{"marker": p.marker, "id": p.id, "source": p.hit.source} for p in built.passages],
        })  # fmt: skip
    else:
        print(built.text)
    if not built.passages and not as_json:
        render.notice(_why_empty(built.left_out), quiet)
    return 0


def _why_empty(left_out: int) -> str:
    if left_out:
        return say(
            "Nothing fits into so few tokens; raise --tokens.", "这么少的 token 装不下任何段落，请调大 --tokens。"
        )
    return say("Nothing found.", "没有找到。")


def _show_prompt(messages: Sequence[Message], as_json: bool) -> None:
    if as_json:
        render.emit_json({"messages": messages})
        return
    for message in messages:
        print(f"--- {message.role}\n{render.safe(message.content)}\n")
