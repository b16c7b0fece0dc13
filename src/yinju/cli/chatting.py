"""`yinju chat`: a conversation in the terminal. Lines are edited and recalled by what Python has (readline); nothing is kept on disk.

Ctrl-C ends the answer at hand, not the conversation. What begins with "/" is a command; a question that does is asked with a blank before it.
In a pipe each line is a question, the first empty line ends, and nothing but results is printed.
"""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from yinju.cli import excerpt, render, session, tables
from yinju.cli import options as o
from yinju.cli.answers import answer_and_print, searched
from yinju.cli.fresh import prepare
from yinju.cli.links import Links
from yinju.cli.looking import split_range
from yinju.cli.places import inside
from yinju.errors import YinjuError
from yinju.messages import say, short_of
from yinju.retrieve.filters import joined

if TYPE_CHECKING:
    from collections.abc import Iterator

    from yinju.library import Library
    from yinju.types import Answer

COMMANDS = ("/new", "/sources", "/why", "/help", "/quit")


def chat(
    path: Annotated[Path | None, typer.Argument(metavar="[PATH]", show_default=False)] = None,
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
    yes: o.Yes = False,
    fast: o.Fast = False,
    as_json: o.Json = False,
    quiet: o.Quiet = False,
) -> int:
    """Hold a conversation. /help lists its commands, Ctrl-D ends it."""
    given, turns = o.filters(where), o.turns(history)
    with session.opened(
        path, library=library, model=model, quiet=quiet or as_json, fast=fast, create=path is not None, answers=True
    ) as opened:
        prepare(opened, path, "", yes=yes, quiet=quiet or as_json)
        settings: dict[str, Any] = {
            "limit": limit, "mode": mode, "where": joined(inside(opened, path), given), "min_score": min_score,
            "refuse_below": refuse_below, "tokens": tokens, "system": system, "per_document": per_document, "widen": widen,
            "rewrite": rewrite, "prefer": prefer, "agent": o.agent(agent, agent_limits), "unsupported": o.unproved(unsupported),
            "check": check,
        }  # fmt: skip
        talk = Talk(opened, turns, settings, as_json=as_json, quiet=quiet)
        if sys.stdin.isatty():
            _edit_lines()
            if not as_json:
                render.notice(
                    say("Ask. /help lists commands, Ctrl-D ends.", "请提问。/help 列出命令，Ctrl-D 结束。"), quiet
                )
        for line in _lines():
            talk.hear(line)
    return 0


class Talk:
    """A conversation: what was said, and what the commands have to tell of the last answer."""

    def __init__(
        self, library: Library, turns: list[dict[str, str]], settings: dict[str, Any], *, as_json: bool, quiet: bool
    ) -> None:
        self._library, self._settings = library, settings
        self._as_json, self._quiet = as_json, quiet
        self._turns = turns
        self._before: list[dict[str, str]] = []  # the turns before the last question
        self._last: Answer | None = None

    def hear(self, line: str) -> None:
        """Answer a question or do a command. What goes wrong is told, and the conversation goes on."""
        word, _, rest = line.partition(" ")
        try:
            if word in COMMANDS and not self._as_json:
                self._command(word, rest.strip())
            else:
                self._ask(line.strip())
        except YinjuError as error:
            if self._as_json:
                render.emit_json(render.error_json(error))
            else:
                render.notice(f"{error.message} {error.hint or ''}".rstrip())
        except KeyboardInterrupt:
            if not sys.stdin.isatty():
                raise
            render.notice("\n" + say("Stopped; the conversation goes on.", "已停止，对话继续。"))

    def _ask(self, question: str) -> None:
        o.speak_like(question)
        answer = answer_and_print(
            self._library, question, self._turns, as_json=self._as_json, quiet=self._quiet, **self._settings
        )
        if not self._as_json:
            print()
        self._before, self._last = list(self._turns), answer
        self._turns += [{"role": "user", "content": question}, {"role": "assistant", "content": answer.text}]

    def _command(self, word: str, rest: str) -> None:
        if word == "/new":
            self._turns, self._before, self._last = [], [], None
            render.notice(say("A new conversation.", "新的对话。"), self._quiet)
        elif word == "/help":
            print("\n".join(_help()))
        elif self._last is None:
            render.notice(say("Nothing was asked yet.", "还没有提问。"))
        elif word == "/sources":
            print("\n".join(_sources(self._last, Links(self._library))))
        else:
            print("\n".join(self._why(self._last, rest)))

    def _why(self, answer: Answer, expected: str) -> list[str]:
        """Return why the last answer is as it is; with FILE[:LINE] where that place was lost."""
        if not expected:
            return self._how(answer)
        from yinju.evaluate import Case, Gold, diagnose

        name, lines = split_range(expected)
        case = Case(answer.question, (Gold(name, lines=lines),), history=tuple(self._before))
        found = diagnose(self._library, case, mode=self._settings["mode"], where=self._settings["where"])
        return [line for one in found for line in tables.diagnosis(one)]

    def _how(self, answer: Answer) -> list[str]:
        given = self._settings["refuse_below"]
        bound = self._library.options.refuse_below if given is None else given
        evidence, threshold = short_of(answer.evidence, bound)
        out = [
            say("searched as: {text}", "检索用语：{text}", text=searched(answer)),
            say(
                "evidence {e}, refused below {t}; answered by {model}",
                "证据 {e}，低于 {t} 则拒答；作答：{model}",
                e=evidence,
                t=threshold,
                model=render.one_line(answer.model),
            ),
            "",
        ]
        hits = [passage.hit for passage in answer.context.passages] if answer.context else list(answer.nearest)
        out += excerpt.hits(hits, answer.searched_as, explain=True, links=Links(self._library))
        hint = say("/why FILE:LINE tells where that place was lost.", "/why 文件:行 说明该处为何没有被用到。")
        return [*out, hint]


def _sources(answer: Answer, links: Links) -> Iterator[str]:
    """Yield the passages that the last answer cites, word for word."""
    if not answer.citations:
        yield say("It cites nothing.", "它没有引用。")
    for citation in answer.citations:
        where = render.place(citation.source, citation.lines, citation.page)
        sign = render.paint(f"{render.MARKS[citation.status]} {citation.told}", citation.status)
        yield f"[{citation.marker}] {links.on(where, citation.source, citation.lines)}  {sign}"
        yield from tables.wrapped(render.one_line(citation.quote), "    ")


def _help() -> list[str]:
    rows = (
        ("/new", say("begin anew: what was said before is forgotten", "重新开始：忘掉之前的对话")),
        ("/sources", say("the passages that the last answer cites, word for word", "上一个回答所引用的原文")),
        ("/why", say("how the last answer was found; /why FILE[:LINE]: where", "上一个回答是怎样找到的；/why 文件[:行]：")),
        ("", say("that place was lost", "该处在哪一步丢失")),
        ("/help", say("this list", "本列表")),
        ("/quit", say("end; Ctrl-D does, too. Ctrl-C stops an answer", "结束，也可按 Ctrl-D；Ctrl-C 停止回答")),
    )  # fmt: skip
    return [f"  {render.pad(name, 9)} {text}" for name, text in rows]


def _lines() -> Iterator[str]:
    """Yield what is typed, until it ends: on a terminal with Ctrl-D or /quit, in a pipe also with an empty line."""
    at_terminal = sys.stdin.isatty()
    while True:
        try:
            line = _typed("> " if at_terminal else "")
        except EOFError:
            if at_terminal:
                print(file=sys.stderr)
            return
        except KeyboardInterrupt:
            if not at_terminal:
                raise
            render.notice("\n" + say("Ctrl-D ends.", "按 Ctrl-D 结束。"))
            continue
        if line.strip() == "/quit":
            return
        if line.strip():
            yield line
        elif not at_terminal:
            return


def _typed(prompt: str) -> str:
    """Read a line. The prompt of `input` goes to stdout, where results go: elsewhere than on a terminal it is written beside them."""
    if prompt and not sys.stdout.isatty():
        print(prompt, end="", file=sys.stderr, flush=True)
        return input()
    return input(prompt)


def _edit_lines() -> None:
    """Let lines be edited and recalled, and Tab complete commands, where Python has readline (not on Windows)."""
    with contextlib.suppress(ImportError):
        import readline

        def complete(begun: str, number: int) -> str | None:
            found = [name for name in COMMANDS if begun.startswith("/") and name.startswith(begun)]
            return found[number] + " " if number < len(found) else None

        readline.set_completer(complete)
        readline.set_completer_delims(" ")
        readline.parse_and_bind("bind ^I rl_complete" if "libedit" in (readline.__doc__ or "") else "tab: complete")
