"""Options that commands share, so that each has one spelling and one help text."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Annotated, Any

import typer

from yinju import settings
from yinju.errors import UsageError
from yinju.messages import say, set_language
from yinju.text.language import is_chinese
from yinju.types import Where as Filter

_WORD = re.compile("[a-z]{2}")

LibraryPath = Annotated[str | None, typer.Option("--library", metavar="DIR", help="Use the library in this folder.")]
Limit = Annotated[int | None, typer.Option("--limit", "-n", metavar="N", help="Show at most N passages.")]
Where = Annotated[
    list[str] | None,
    typer.Option("--where", metavar="KEY=GLOB", help="Only where KEY matches, e.g. source='faq/*'. Repeatable."),
]
MinScore = Annotated[float | None, typer.Option("--min-score", metavar="S", help="Leave out hits with a lower score.")]
RefuseBelow = Annotated[
    float | None,
    typer.Option("--refuse-below", min=0, max=1, metavar="P", help="Refuse where the evidence is below P (0 to 1)."),
]
Model = Annotated[
    str | None, typer.Option("--model", metavar="NAME", help="e5, hashing, none, a folder, or a model of the endpoint.")
]
Rerank = Annotated[
    bool | None, typer.Option("--rerank/--no-rerank", help="Order the best by the reranker of the settings, or not.")
]
Hops = Annotated[
    bool | None,
    typer.Option("--hops/--no-hops", help="Search again in the documents that the question names, or never."),
]
System = Annotated[str | None, typer.Option("--system", metavar="TEXT", help="Role and tone for the language model.")]
History = Annotated[
    Path | None, typer.Option("--history", metavar="FILE", help="Earlier turns: JSON list of role, content.")
]
SearchMode = Annotated[str, typer.Option("--mode", metavar="MODE", help="hybrid, lexical, dense or rank-fusion.")]
PerDocument = Annotated[
    int | None,
    typer.Option("--per-document", min=0, metavar="N", help="At most N passages of a document (0: all; default: 2)."),
]
Widen = Annotated[
    str, typer.Option("--widen", metavar="HOW", help="Show more around a passage: none, neighbours or section.")
]
Agent = Annotated[bool, typer.Option("--agent", help="Let the language model look further with tools.")]
AgentLimits = Annotated[
    str | None,
    typer.Option(
        "--agent-limits", metavar="LIMITS", help="Such as rounds=4,calls=12,tokens=8000,seconds=60; implies --agent."
    ),
]
Rewrite = Annotated[
    str | None,
    typer.Option("--rewrite", metavar="HOW", help="Follow-up questions: model (where there is one), rules or off."),
]
Prefer = Annotated[
    str | None, typer.Option("--prefer", metavar="WHICH", help="Where documents disagree, follow the `newest`.")
]
Unsupported = Annotated[
    str | None,
    typer.Option(
        "--unsupported", metavar="HOW", help="Sentences of a model that no passage proves: mark (✗) or remove."
    ),
]
Check = Annotated[
    bool | None,
    typer.Option(
        "--check/--no-check", help="Let the model check its own wording once more; it may only take verdicts back."
    ),
]
Tokens = Annotated[int | None, typer.Option("--tokens", min=1, metavar="N", help="Size of the context.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress and no notices.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask before a long first run.")]
Ocr = Annotated[bool, typer.Option("--ocr/--no-ocr", help="Read scans and pictures, where installed.")]
Fast = Annotated[bool, typer.Option("--fast", help="Use all cores for the model.")]


def filters(where: list[str] | None) -> Filter:
    """Return KEY=GLOB options as one filter. Raises UsageError naming the faulty one."""
    found: dict[str, tuple[str, ...]] = {}
    for text in where or []:
        key, sign, pattern = text.partition("=")
        if not sign or not key.strip() or not pattern:
            raise UsageError(
                say("{text!r} is no filter.", "{text!r} 不是筛选条件。", text=text),
                say("Write KEY=GLOB, such as source='faq/*'.", "请写成 KEY=GLOB，例如 source='faq/*'。"),
            )
        found[key.strip()] = (*found.get(key.strip(), ()), pattern)
    return found


def agent(wanted: bool, limits: str | None) -> Any:
    """Return what `ask_stream` takes as `agent`. Raises UsageError for limits that are none."""
    if limits is None:
        return wanted
    from dataclasses import fields

    from yinju.answer import AgentLimits

    names = [field.name for field in fields(AgentLimits)]
    given: dict[str, Any] = {}
    for part in limits.split(","):
        name, _, value = part.strip().partition("=")
        whole = value.strip().isdecimal() and len(value.strip()) < 9
        if name.strip() not in names or not whole or int(value) < 1:
            raise UsageError(
                say("{text!r} is no limit of an agent.", "{text!r} 不是智能体的限制。", text=part.strip()),
                say(
                    "Write NAME=NUMBER; names are {names}.",
                    "请写成 名称=数字；名称有 {names}。",
                    names=", ".join(names),
                ),
            )
        given[name.strip()] = int(value)
    return AgentLimits(**given)


def unproved(how: str | None) -> str | None:
    """Return what `ask_stream` takes as `unsupported`. Raises UsageError for anything else."""
    if how not in (None, "mark", "remove"):
        raise UsageError(
            say("{how!r} says not what to do with sentences without proof.", "{how!r} 不是对待无证据句子的方式。", how=how),
            say("Write mark or remove.", "请写 mark 或 remove。"),
        )  # fmt: skip
    return how


def path_and_text(words: list[str], what: str) -> tuple[Path | None, str]:
    """Split `[PATH] TEXT`: with two or more words the first is the path, if such a path exists."""
    if not words:
        raise UsageError(
            say("The {what} is missing.", "缺少{what}。", what=what),
            say("Put it in quotes after the path.", "请放在路径之后，并加引号。"),
        )
    if len(words) == 1:
        if not _is_folder(words[0]):
            return None, words[0]
        raise UsageError(
            say("{path} is a folder; what is the {what}?", "{path} 是文件夹；{what}是什么？", path=words[0], what=what),
            say("Put it in quotes after the path.", "请放在路径之后，并加引号。"),
        )
    if _is_path(words[0]):
        return Path(words[0]), " ".join(words[1:])
    if len(words) == 2:
        from yinju.errors import SourceMissing

        raise SourceMissing(
            say("There is no folder or file {path!r}.", "没有文件夹或文件 {path!r}。", path=words[0]),
            say("Check the path; put the question in quotes.", "请检查路径；问题请加引号。"),
        )
    return None, " ".join(words)


def _is_folder(word: str) -> bool:
    return _is_path(word) and Path(word).expanduser().is_dir()


def _is_path(word: str) -> bool:
    try:
        return Path(word).expanduser().exists()
    except (
        OSError,
        ValueError,
        RuntimeError,
    ):  # too long for a name, a zero character, no such user: then it is a question
        return False


def turns(history: Path | None) -> list[dict[str, str]]:
    """Return the earlier turns in this file. Raises UsageError where it is not a list of {"role", "content"}."""
    if history is None:
        return []
    try:
        given: Any = json.loads(history.read_text(encoding="utf-8"))
        found = [{"role": str(turn["role"]), "content": str(turn["content"])} for turn in given]
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise UsageError(
            say(
                "The history {path} cannot be used: {why}.", "历史文件 {path} 不可用：{why}。", path=history, why=error
            ),
            say(
                'It has to be JSON: [{{"role": "user", "content": "..."}}].',
                '应为 JSON：[{{"role": "user", "content": "..."}}]。',
            ),
        ) from error
    return found


def speak_like(question: str) -> None:
    """Use the language of the question, unless settings or `YINJU_LANG` name one; a bare code or name is in no language."""
    if settings.load().lang is None:
        if is_chinese(question):
            set_language("zh")
        elif _WORD.search(question):
            set_language("en")


def speak(lang: str | None) -> None:
    """Use the language of the settings, if they name one."""
    if lang is not None:
        set_language(lang)
