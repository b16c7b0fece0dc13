"""From a question to its passages and its answer, for the facade: what every way of asking shares, each thing once.

`Library` keeps the words that its users see; here stand the steps between its rooms: search, widen, then a context, a prompt or an answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Literal

from yinju import counting, retrieve
from yinju.errors import UsageError
from yinju.messages import say
from yinju.retrieve import in_line, lexical, nearest, reading, together
from yinju.retrieve.widen import Widen, widened
from yinju.types import Answer, Citation, Context, ContextFormat, Document, Mode, Query, SearchResult, Step, Where

if TYPE_CHECKING:
    from yinju.answer import AgentLimits
    from yinju.answer.rewrite import Reading
    from yinju.answer.tools import Tool
    from yinju.protocols import ChatModel, Embedder, Message, Reranker
    from yinju.store import Store

Turns = Sequence["Message | Mapping[str, str]"]


@dataclass(frozen=True, slots=True)
class Parts:
    """What a question is asked of: the store and the models that there are."""

    store: Store
    embedder: Embedder | None = None
    reranker: Reranker | None = None
    chat_model: ChatModel | None = None


@dataclass(frozen=True, slots=True)
class Wanted:
    """How a question is searched and how much of what is found is shown; `find`, `context`, `ask` and `prompt` share it."""

    limit: int
    tokens: int
    mode: Mode = "hybrid"
    where: Where | None = None
    min_score: float | None = None
    collapse: bool = True
    per_document: int | None = None
    widen: Widen = "none"
    rewrite: str = "model"  # or rules, off
    prefer: str | None = None  # of documents that disagree the newest
    hops: bool | None = None  # a second round of search: always, never, or (None) where the question needs it
    read: bool = False  # the first passages are read before their evidence is told, where the embedder can


LEADING, BESIDE = 0.7, 0.3  # weights of the wording that stands alone, and of the other one


def find(parts: Parts, text: str, wanted: Wanted, *, judged: bool = True) -> SearchResult:
    """Return the passages for this text, as it stands; `judged`: with their evidence. Raises the errors of a search."""
    return _searched(parts, _query(text, wanted), wanted, judged=judged)


def _searched(parts: Parts, query: Query, wanted: Wanted, *, judged: bool = True) -> SearchResult:
    found = retrieve.search(parts.store, query, parts.embedder, reranker=parts.reranker, judged=judged)
    if not (judged and wanted.read):
        return found
    from yinju import answer

    return answer.with_reading(found, parts.embedder)


def explain(parts: Parts, text: str, wanted: Wanted) -> retrieve.Explained:
    """Return the passages for this text with what each leg of the search said, their evidence as `ask` judges it. Raises the errors of a search."""
    wanted = replace(wanted, read=True)
    return retrieve.explain(parts.store, _query(text, wanted), parts.embedder, find(parts, text, wanted))


def _query(text: str, wanted: Wanted) -> Query:
    where = dict(wanted.where or {})
    return Query(
        text, wanted.limit, wanted.mode, where, wanted.min_score, wanted.collapse, wanted.per_document, wanted.hops
    )


def context(parts: Parts, question: str, wanted: Wanted, format: ContextFormat) -> Context:
    """Return the block of numbered passages; no language model is called."""
    from yinju.answer import build_context

    hits = _widened(parts, find(parts, question, wanted), wanted).hits
    return build_context(question, hits, tokens=wanted.tokens, format=format)


def prompt(parts: Parts, question: str, history: Turns, wanted: Wanted, system: str | None) -> list[Message]:
    """Return the messages that a chat model would be sent."""
    from yinju import answer

    turns, result = _evidence(parts, question, history, wanted)
    options = answer.AnswerOptions(context_tokens=wanted.tokens, system=system, prefer=answer.preference(wanted.prefer))
    window = {} if parts.chat_model is None else {"window": parts.chat_model.context_tokens}
    return answer.prompt(question, result, options=options, history=turns, **window)


def stream(
    parts: Parts,
    question: str,
    history: Turns,
    wanted: Wanted,
    *,
    refuse_below: float,
    unsupported: Literal["mark", "remove"] = "mark",
    check: bool = False,
    system: str | None = None,
    cancel: Callable[[], bool] | None = None,
    agent: AgentLimits | None = None,
) -> Iterator[str | Citation | Step | Answer]:
    """Yield text as it comes, citations as they are proved, and last the whole Answer. With `agent` the model may look further with tools:
    its steps come as they are done. Small talk gets a sentence of ours: nothing is searched and no model called.
    """
    from yinju import answer

    if (talk := answer.small_talk(question, answer.as_messages(history))) is not None:
        yield talk.text
        yield talk
        return
    wanted = replace(wanted, read=True)
    turns, result = _evidence(parts, question, history, wanted, cancel)
    document = cache(parts.store.document)
    counted = counting.counted(parts.store, question, result.query, wanted.where or {})
    if counted is not None:
        yield from (reading.placed(part, document) for part in counted)
        return
    result = counting.told(result, result.query)
    options = answer.AnswerOptions(
        context_tokens=wanted.tokens, refuse_below=refuse_below, system=system, unsupported=unsupported,
        prefer=answer.preference(wanted.prefer), check=check,
    )  # fmt: skip
    made: Iterator[str | Citation | Step | Answer]
    if agent is not None and parts.chat_model is not None:
        made = answer.agent_stream(
            question, result, tools=_tools(parts, wanted), chat_model=parts.chat_model, embedder=parts.embedder, options=options,
            limits=agent, history=turns, cancel=cancel,
        )  # fmt: skip
    else:
        made = answer.answer_stream(
            question, result, chat_model=parts.chat_model, embedder=parts.embedder, options=options, history=turns, cancel=cancel
        )  # fmt: skip
    yield from (reading.placed(part, document) for part in made)


def agent_limits(agent: bool | AgentLimits, chat_model: ChatModel | None) -> AgentLimits | None:
    """Return the limits of an agent, None for an ordinary answer. Raises UsageError where there is no model to use tools."""
    if not agent:
        return None
    if chat_model is None:
        raise UsageError(
            say("An agent needs a language model.", "智能体需要语言模型。"),
            say(
                "Set YINJU_CHAT_URL and YINJU_CHAT_MODEL, or leave --agent out.",
                "请设置 YINJU_CHAT_URL 和 YINJU_CHAT_MODEL，或去掉 --agent。",
            ),
        )
    from yinju.answer import AgentLimits

    return agent if isinstance(agent, AgentLimits) else AgentLimits()


def _tools(parts: Parts, wanted: Wanted) -> dict[str, Tool]:
    """Return the tools of an agent, which see no more than the question does."""
    from yinju.toolbox import Toolbox

    def search(text: str, limit: int, where: Where) -> SearchResult:
        return find(parts, text, replace(wanted, limit=limit, where=where))

    return Toolbox(parts.store, search, wanted.where or {}).tools()


def verify(text: str, documents: Callable[[str], Document], sources: Sequence[str]) -> Citation:
    """Return where this quotation stands in these sources, or the nearest text that does stand there."""
    from yinju.answer import verify_quote

    read = [documents(name) for name in dict.fromkeys(sources)]
    found = [verify_quote(text, document) for document in read]
    right = next((proof for proof in found if proof.status == "verified"), None)
    if right is not None or not found:
        return right or verify_quote(text, None)
    return nearest.nearest(text, found, read)


def find_in_conversation(parts: Parts, question: str, history: Turns, wanted: Wanted) -> SearchResult:
    """Return the passages for a question, made to stand alone where there are earlier turns."""
    if not history:
        return find(parts, question, wanted)
    from yinju import answer

    return find_after(parts, question, answer.spoken_turns(answer.as_messages(history)), wanted)


def find_after(
    parts: Parts,
    question: str,
    history: Sequence[Message],
    wanted: Wanted,
    cancel: Callable[[], bool] | None = None,
) -> SearchResult:
    """Return the passages for a question as it stands after these turns. Raises UsageError for a rewriting that there is not."""
    reading = _reading(parts, question, history, wanted, cancel)
    if reading.beside is None or reading.beside == reading.text:
        result = find(parts, reading.text, wanted)
    else:
        query = _query(reading.text, wanted)
        deep = together.deeper(query)
        results = [_searched(parts, replace(deep, text=text), wanted) for text in (reading.text, reading.beside)]
        result = together.together(results, (LEADING, BESIDE), query)
        if reading.behind:
            result = replace(result, evidence=_of_both(parts.store, *results))
        if reading.beside != question:
            result = replace(result, beside=reading.beside)
    if reading.step:
        result = in_line.with_next(parts.store, result, reading.step, wanted.limit)
    return replace(result, notices=(*reading.notices, *result.notices)) if reading.notices else result


def _of_both(store: Store, alone: SearchResult, behind: SearchResult) -> float:
    """Return the evidence of a question that may lean on those before it: the mean, since which it does is not known.

    The earlier questions have passages that answer them, so they prove nothing for a question that asks for what the index does not have.
    """
    return (
        alone.evidence
        if lexical.misses(store, alone.query)
        else max(alone.evidence, (alone.evidence + behind.evidence) / 2)
    )


def _reading(
    parts: Parts, question: str, history: Sequence[Message], wanted: Wanted, cancel: Callable[[], bool] | None
) -> Reading:
    from yinju.answer import rephrase, rewrite

    if wanted.rewrite not in rewrite.REWRITES:
        raise UsageError(
            say("There is no rewriting {name!r}.", "没有改写方式 {name!r}。", name=wanted.rewrite),
            say("Choose one of {names}.", "可选：{names}。", names=", ".join(rewrite.REWRITES)),
        )
    if wanted.rewrite == "off" or not question.strip():
        return rewrite.Reading(question)
    if wanted.rewrite == "model" and parts.chat_model is not None:
        return rephrase.read_with_model(question, history, parts.chat_model, cancel=cancel)
    return rewrite.read(question, history)


def _evidence(
    parts: Parts, question: str, history: Turns, wanted: Wanted, cancel: Callable[[], bool] | None = None
) -> tuple[list[Message], SearchResult]:
    """Return the earlier turns as messages, and the passages for the question as it stands after them."""
    from yinju import answer

    turns = answer.spoken_turns(answer.as_messages(history))
    result = _widened(parts, find_after(parts, question, turns, wanted, cancel), wanted)
    if wanted.prefer:
        times = {summary.source: summary.modified_ns for summary in parts.store.sources()}
        result = replace(result, hits=answer.dated(result.hits, times))
    return turns, result


def _widened(parts: Parts, result: SearchResult, wanted: Wanted) -> SearchResult:
    return replace(result, hits=tuple(widened(parts.store, result.hits, wanted.widen, wanted.tokens)))
