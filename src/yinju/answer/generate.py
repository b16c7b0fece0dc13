"""Answer a question from hits: refuse without evidence, else extract or ask a chat model; prove each sentence; never hide a failure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from yinju.answer import disagreement
from yinju.answer.context import build, renumber
from yinju.answer.extract import extract
from yinju.answer.options import REFUSALS, AnswerOptions
from yinju.answer.prompt import assemble, spoken
from yinju.answer.verify import verify_answer
from yinju.answer.writing import Request, Writing
from yinju.errors import ModelError
from yinju.messages import say, short_of
from yinju.protocols import ChatModel, Embedder, Message
from yinju.types import Answer, Citation, Context, SearchResult

__all__ = ["Request", "Writing", "answer", "answer_stream"]

Part = str | Citation | Answer
_OWN_MARKER = re.compile(r"\[(\d+)\]")  # as `extract` writes them; quotations hold none


def answer(
    question: str,
    result: SearchResult,
    *,
    chat_model: ChatModel | None = None,
    embedder: Embedder | None = None,
    options: AnswerOptions | None = None,
    history: Sequence[Message] = (),
    cancel: Callable[[], bool] | None = None,
) -> Answer:
    """Return the whole answer; see `answer_stream`."""
    *_, last = answer_stream(
        question, result, chat_model=chat_model, embedder=embedder, options=options, history=history, cancel=cancel
    )
    assert isinstance(last, Answer)
    return last


def answer_stream(
    question: str,
    result: SearchResult,
    *,
    chat_model: ChatModel | None = None,
    embedder: Embedder | None = None,
    options: AnswerOptions | None = None,
    history: Sequence[Message] = (),
    cancel: Callable[[], bool] | None = None,
) -> Iterator[Part]:
    """Yield the text as it comes, then its citations, and last the whole Answer.

    The pieces of text joined are the Answer's text (unless a model's reasoning could be told from its answer only afterwards).
    Citations come once the answer is known to be complete, because an answer that was cut off proves nothing. Without a chat model the
    answer is extractive; where a chat model fails before its first word, too, and `notices` and `model` say so. No ModelError escapes.
    """
    request = Request(question, result, options or AnswerOptions(), embedder, history, cancel)
    if not result.hits or result.evidence < request.options.refuse_below:
        yield from _refuse(request, _why_no_evidence(request))
    elif chat_model is None:
        yield from _extractive(request)
    else:
        yield from _generated(request, chat_model)


def _refuse(request: Request, reason: str, model: str = "extractive", context: Context | None = None) -> Iterator[Part]:
    text = REFUSALS[spoken(request.question)]
    yield text
    nearest = request.result.hits[: request.options.nearest]
    yield request.answer(text, refused=True, reason=reason, model=model, nearest=nearest, context=context)


def _why_no_evidence(request: Request) -> str:
    result = request.result
    if not result.hits:
        reason = say(
            "Searched for “{query}”: no passage was found.", "检索了“{query}”：没有找到任何段落。", query=result.query
        )
    else:
        evidence, needed = short_of(result.evidence, request.options.refuse_below)
        reason = say(
            "Searched for “{query}”: the evidence is too weak to answer from ({evidence}, needed {needed});"
            " the nearest passages (first: {source}) may still hold the answer.",
            "检索了“{query}”：证据太弱，不足以据此作答（{evidence}，需要 {needed}）；最接近的段落（首先是 {source}）里仍可能有答案。",
            query=result.query, source=result.hits[0].source, evidence=evidence, needed=needed,
        )  # fmt: skip
    if result.unknown:
        words = say(", ", "、").join(result.unknown)
        reason += say(" Nowhere in the documents: {words}.", "文档中任何地方都没有：{words}。", words=words)
    return reason


def _extractive(request: Request) -> Iterator[Part]:
    with request.trace.step("context"):
        context = build(
            request.question, request.result.hits, tokens=request.options.context_tokens, format=request.options.format
        )
    language = spoken(request.question)
    with request.trace.step("answer"):
        try:
            text = extract(request.result.query, context, embedder=request.embedder, language=language)
        except ModelError as error:
            request.notices.append(
                say("Sentences were chosen by words only: {reason}", "只按词选择了句子：{reason}", reason=error.message)
            )
            text = extract(request.result.query, context, language=language)
    if not text:
        yield from _refuse(
            request,
            say("No sentence of the passages can be quoted as an answer.", "段落中没有可以引用作答的句子。"),
            context=context,
        )
        return
    with request.trace.step("verify"):
        text, told = disagreement.with_both(request.question, text, context, language, prefer=request.options.prefer)
        request.notices += told
        text, context = _in_reading_order(text, context)
        verified = verify_answer(text, context.passages)
    cited = {citation.id for citation in verified.citations}
    request.flag([passage.hit for passage in context.passages if passage.id in cited])
    yield verified.text
    yield from verified.citations
    yield request.answer(verified.text, sentences=verified.sentences, citations=verified.citations, context=context)


def _in_reading_order(text: str, context: Context) -> tuple[str, Context]:
    """Return our own extract with its markers counted in the order in which a reader meets them. No model saw the old ones."""
    met = list(dict.fromkeys(int(number) for number in _OWN_MARKER.findall(text)))
    new = {marker: number for number, marker in enumerate(met, start=1)}
    return _OWN_MARKER.sub(lambda found: f"[{new[int(found[1])]}]", text), renumber(context, met)


def _generated(request: Request, chat_model: ChatModel) -> Iterator[Part]:
    """Ask the model; if the prompt proves too long, once more with half the passages; if it says nothing, extract."""
    request.second_reader = chat_model if request.options.check else None
    failure: ModelError | None = None
    removed = 0
    for shrink in (1.0, 0.5):
        try:
            with request.trace.step("context"):
                messages, context = assemble(
                    request.question, request.result, options=request.options, history=request.history,
                    window=chat_model.context_tokens, shrink=shrink,
                )  # fmt: skip
        except ModelError as error:
            failure = error
            break
        if shrink == 1.0:
            request.flag([passage.hit for passage in context.passages])
        writing = Writing(request, chat_model, messages, context)
        yield from writing.text()
        if writing.answer is not None:
            yield from writing.citations
            yield writing.answer
            return
        failure, removed = writing.failure, writing.removed
        if failure is None or failure.code != "llm-too-long" or shrink < 1.0:
            break
        request.notices.append(
            say(
                "The prompt was too long for the model: asked again with fewer passages.",
                "提示词对模型来说过长：已减少段落重新提问。",
            )
        )
    request.failure = failure.code if failure else "llm-unproved" if removed else "llm-empty"
    reason = failure.message.rstrip(".。") if failure else say("it returned no text", "没有返回文字")
    if removed and not failure:
        reason = say("no passage proves anything that it said", "它说的话没有一句得到段落证实")
    request.notices.append(
        say(
            "No answer from the model: {reason}. The answer is quoted from the passages.",
            "模型没有回答：{reason}。以下直接引自文档。",
            reason=reason,
        )
    )
    if failure and failure.hint:
        request.notices.append(failure.hint)
    yield from _extractive(request)
