"""From a question to its passages and its answer, for the facade: what every way of asking shares, each thing once.

`Library` keeps the words that its users see; here stand the steps between its rooms: search, widen, then a context, a prompt or an answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING

from yinju import retrieve
from yinju.retrieve import nearest, reading
from yinju.retrieve.widen import Widen, widened
from yinju.types import Answer, Citation, Context, ContextFormat, Document, Mode, Query, SearchResult, Where

if TYPE_CHECKING:
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


def find(parts: Parts, text: str, wanted: Wanted) -> SearchResult:
    """Return the passages for this text, as it stands. Raises the errors of a search."""
    query = Query(
        text, wanted.limit, wanted.mode, dict(wanted.where or {}), wanted.min_score, wanted.collapse, wanted.per_document
    )  # fmt: skip
    return retrieve.search(parts.store, query, parts.embedder, reranker=parts.reranker)


def context(parts: Parts, question: str, wanted: Wanted, format: ContextFormat) -> Context:
    """Return the block of numbered passages; no language model is called."""
    from yinju.answer import build_context

    hits = _widened(parts, find(parts, question, wanted), wanted).hits
    return build_context(question, hits, tokens=wanted.tokens, format=format)


def prompt(parts: Parts, question: str, history: Turns, wanted: Wanted, system: str | None) -> list[Message]:
    """Return the messages that a chat model would be sent."""
    from yinju import answer

    turns, result = _evidence(parts, question, history, wanted)
    options = answer.AnswerOptions(context_tokens=wanted.tokens, system=system)
    return answer.prompt(question, result, options=options, history=turns)


def stream(
    parts: Parts,
    question: str,
    history: Turns,
    wanted: Wanted,
    *,
    refuse_below: float,
    system: str | None = None,
    cancel: Callable[[], bool] | None = None,
) -> Iterator[str | Citation | Answer]:
    """Yield text as it comes, citations as they are proved, and last the whole Answer."""
    from yinju import answer

    turns, result = _evidence(parts, question, history, wanted)
    document = cache(parts.store.document)
    for part in answer.answer_stream(
        question,
        result,
        chat_model=parts.chat_model,
        embedder=parts.embedder,
        options=answer.AnswerOptions(context_tokens=wanted.tokens, refuse_below=refuse_below, system=system),
        history=turns,
        cancel=cancel,
    ):
        yield reading.placed(part, document)


def verify(text: str, documents: Callable[[str], Document], sources: Sequence[str]) -> Citation:
    """Return where this quotation stands in these sources, or the nearest text that does stand there."""
    from yinju.answer import verify_quote

    read = [documents(name) for name in dict.fromkeys(sources)]
    found = [verify_quote(text, document) for document in read]
    right = next((proof for proof in found if proof.status == "verified"), None)
    if right is not None or not found:
        return right or verify_quote(text, None)
    return nearest.nearest(text, found, read)


def _evidence(parts: Parts, question: str, history: Turns, wanted: Wanted) -> tuple[list[Message], SearchResult]:
    """Return the earlier turns as messages, and the passages for the question as it stands after them."""
    from yinju import answer

    turns = answer.as_messages(history)
    return turns, _widened(parts, find(parts, answer.standalone(question, turns), wanted), wanted)


def _widened(parts: Parts, result: SearchResult, wanted: Wanted) -> SearchResult:
    return replace(result, hits=tuple(widened(parts.store, result.hits, wanted.widen, wanted.tokens)))
