"""Answer a question from hits: refuse without evidence, else extract or ask a chat model; prove each sentence; never hide a failure."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import dataclass, field, replace
from typing import Any, cast

from yinju.answer import markers
from yinju.answer.context import build, renumber
from yinju.answer.extract import extract
from yinju.answer.instructions import suspicious
from yinju.answer.options import REFUSALS, AnswerOptions
from yinju.answer.prompt import answer_tokens, assemble, spoken
from yinju.answer.reader import Reader, Statement
from yinju.answer.thinking import ThinkingFilter, reasons
from yinju.answer.verify import Judge, Likeness, downgraded, likeness, verify_answer
from yinju.errors import ModelError
from yinju.messages import say
from yinju.protocols import ChatModel, Embedder, Message
from yinju.text.normalize import fold
from yinju.trace import Trace
from yinju.types import Answer, Citation, Context, Hit, SearchResult

Part = str | Citation | Answer
_OWN_MARKER = re.compile(r"\[(\d+)\]")  # as `extract` writes them; quotations hold none


@dataclass(slots=True)
class _Request:
    """One question on its way through this room."""

    question: str
    result: SearchResult
    options: AnswerOptions
    embedder: Embedder | None
    history: Sequence[Message]
    cancel: Callable[[], bool] | None
    trace: Trace = field(default_factory=Trace)
    notices: list[str] = field(default_factory=list)
    failure: str | None = None  # code of what a model failed with

    def answer(self, text: str, **values: object) -> Answer:
        """Return an Answer with what is the same for all."""
        took = {**self.result.took_ms, **self.trace.took_ms}
        notices = (*self.result.notices, *self.notices)
        base = Answer(
            self.question, text, self.result.query, evidence=self.result.evidence, notices=notices, took_ms=took,
            failure=self.failure,
        )  # fmt: skip
        return replace(base, **values)  # type: ignore[arg-type]

    def flag(self, hits: Sequence[Hit]) -> None:
        """Tell which of these passages speak to a language model."""
        for source, words in suspicious(hits).items():
            self.notices.append(
                say(
                    "{source} holds text that gives orders to a language model (“{words}”). It is quoted material and was not followed by us.",
                    "{source} 中有对语言模型下命令的文字（“{words}”）。它只是引用的材料，我们不会执行。",
                    source=source, words=words,
                )
            )  # fmt: skip


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
    request = _Request(question, result, options or AnswerOptions(), embedder, history, cancel)
    if not result.hits or result.evidence < request.options.refuse_below:
        yield from _refuse(request, _why_no_evidence(request))
    elif chat_model is None:
        yield from _extractive(request)
    else:
        yield from _generated(request, chat_model)


def _refuse(
    request: _Request, reason: str, model: str = "extractive", context: Context | None = None
) -> Iterator[Part]:
    text = REFUSALS[spoken(request.question)]
    yield text
    nearest = request.result.hits[: request.options.nearest]
    yield request.answer(text, refused=True, reason=reason, model=model, nearest=nearest, context=context)


def _why_no_evidence(request: _Request) -> str:
    result = request.result
    if not result.hits:
        reason = say(
            "Searched for “{query}”: no passage was found.", "检索了“{query}”：没有找到任何段落。", query=result.query
        )
    else:
        reason = say(
            "Searched for “{query}”: the nearest passages (first: {source}) do not answer it (evidence {evidence:.2f}, needed {needed:.2f}).",
            "检索了“{query}”：最接近的段落（首先是 {source}）没有回答它（证据 {evidence:.2f}，需要 {needed:.2f}）。",
            query=result.query, source=result.hits[0].source, evidence=result.evidence, needed=request.options.refuse_below,
        )  # fmt: skip
    if result.unknown:
        words = say(", ", "、").join(result.unknown)
        reason += say(" Nowhere in the documents: {words}.", "文档中任何地方都没有：{words}。", words=words)
    return reason


def _extractive(request: _Request) -> Iterator[Part]:
    with request.trace.step("context"):
        context = build(
            request.question, request.result.hits, tokens=request.options.context_tokens, format=request.options.format
        )
    language = spoken(request.question)
    with request.trace.step("answer"):
        try:
            text = extract(request.question, context, embedder=request.embedder, language=language)
        except ModelError as error:
            request.notices.append(
                say("Sentences were chosen by words only: {reason}", "只按词选择了句子：{reason}", reason=error.message)
            )
            text = extract(request.question, context, language=language)
    if not text:
        yield from _refuse(
            request,
            say("No sentence of the passages can be quoted as an answer.", "段落中没有可以引用作答的句子。"),
            context=context,
        )
        return
    with request.trace.step("verify"):
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


def _generated(request: _Request, chat_model: ChatModel) -> Iterator[Part]:
    """Ask the model; if the prompt proves too long, once more with half the passages; if it says nothing, extract."""
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
        writing = _Writing(request, chat_model, messages, context)
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


class _Writing:
    """One call of a chat model: its text as it comes, then the answer with its proofs (None: nothing came, `failure` says why)."""

    def __init__(self, request: _Request, chat_model: ChatModel, messages: Sequence[Message], context: Context) -> None:
        self.answer: Answer | None = None
        self.citations: tuple[Citation, ...] = ()
        self.failure: ModelError | None = None
        self._request, self._model, self._messages, self._context = request, chat_model, messages, context
        self._start_again()

    def _start_again(self) -> None:
        remove = self._request.options.unsupported == "remove"
        self._judge = Judge(self._context.passages, self._likeness())
        rule = self._rule_or_remove if remove else self._judge.rule
        self._reader = Reader(len(self._context.passages), rule, hold=remove)
        self._shown: list[str] = []

    @property
    def removed(self) -> int:
        """How many sentences were left out because no passage proves them."""
        return self._reader.removed

    def _likeness(self) -> Likeness | None:
        """Return the measure of nearness; where the embedder fails, nothing is near, so nothing is proved by it."""
        measure = likeness(self._request.embedder)
        if measure is None:
            return None

        def careful(claim: str, texts: Sequence[str]) -> Sequence[float]:
            try:
                return measure(claim, texts)
            except ModelError as error:
                self._request.notices.append(
                    say("Not compared by meaning: {reason}", "未按语义比较：{reason}", reason=error.message)
                )
                return [math.nan] * len(texts)

        return careful

    def _rule_or_remove(self, statement: Statement) -> list[tuple[int, ...]] | None:
        """Rule as the judge does; None, and nothing is kept of it, for a sentence that no passage proves."""
        judge = self._judge
        sentences, citations = list(judge.sentences), list(judge.citations)
        ruled = judge.rule(statement)
        unproved = len(judge.sentences) > len(sentences) and judge.sentences[-1].status == "unsupported"
        if not unproved or is_refusal(statement.text):
            return ruled
        judge.sentences[:], judge.citations[:] = sentences, citations
        return None

    def text(self) -> Iterator[str]:
        """Yield the visible text; then `answer` is set, or `failure`."""
        finish: str | None = None
        thinking = ThinkingFilter(wait=reasons(self._model.name))
        options = self._request.options
        with self._request.trace.step("model"):
            parts = self._model.stream(
                self._messages,
                max_tokens=answer_tokens(options, self._model.context_tokens),
                cancel=self._request.cancel,
            )
            try:
                with _ended(parts):  # also where nobody reads on
                    for part in parts:
                        yield from self._show(self._read(thinking, part.text))
                        finish = part.finish_reason or finish
            except ModelError as error:
                self.failure = error
        with self._request.trace.step("verify"):
            rest = thinking.finish()
            yield from self._show([*(self._reader.feed(rest) if rest else ()), *self._reader.finish()])
        text = "".join(self._shown)
        if text.strip():
            self._conclude(text, finish)

    def _read(self, thinking: ThinkingFilter, text: str) -> list[str]:
        was_void = thinking.void
        visible = thinking.feed(text)
        if thinking.void and not was_void:
            self._start_again()
        return self._reader.feed(visible) if visible else []

    def _show(self, pieces: Sequence[str]) -> Iterator[str]:
        self._shown += pieces
        yield from pieces

    def _conclude(self, text: str, finish: str | None) -> None:
        request, context = self._request, self._context
        complete = finish == "stop" and self.failure is None
        if not complete:
            request.failure = self.failure.code if self.failure else _CUT.get(finish, "llm-stopped")
        sentences, citations = tuple(self._judge.sentences), tuple(self._judge.citations)
        if not complete:
            reason = self.failure.message if self.failure else _cut_off(finish)
            request.notices.append(
                say("The model's answer is incomplete: {reason}", "模型的回答不完整：{reason}", reason=reason)
            )
            sentences = tuple(replace(sentence, status="unsupported") for sentence in sentences)
            citations = downgraded(citations)
        if self._reader.invalid:
            request.notices.append(
                say(
                    "Removed {count} marker(s) that name no passage.",
                    "删除了 {count} 个不对应任何段落的引用标记。",
                    count=self._reader.invalid,
                )
            )
        if (
            complete
            and is_refusal(text)
            and not any(citation.status in ("verified", "moved") for citation in citations)
        ):
            self.answer = request.answer(
                text, refused=True, model=self._model.name, context=context, nearest=request.result.hits[: request.options.nearest],
                reason=say(
                    "The model found no answer in the {count} passages that it was given.", "模型在给出的 {count} 个段落中没有找到答案。",
                    count=len(context.passages),
                ),
            )  # fmt: skip
            return
        unproved = sum(sentence.status == "unsupported" for sentence in sentences)
        if self._reader.removed:
            request.notices.append(
                say(
                    "Left out {count} sentence(s) that no passage proves.",
                    "略去了 {count} 句没有段落证实的话。",
                    count=self._reader.removed,
                )
            )
        if unproved and complete:
            request.notices.append(
                say(
                    "{count} sentence(s) are not proved by the passages.",
                    "有 {count} 句话没有得到段落的证实。",
                    count=unproved,
                )
            )
        self.citations = citations
        self.answer = request.answer(
            text, complete=complete, model=self._model.name, sentences=sentences, citations=citations, context=context
        )


_CUT = {None: "llm-incomplete", "length": "llm-length"}


def _ended(parts: Iterator[Any]) -> AbstractContextManager[Any]:
    """Close a generator in any case, so that its request ends at once; other iterators have nothing to close."""
    return closing(cast(Any, parts)) if hasattr(parts, "close") else nullcontext()


def _cut_off(finish: str | None) -> str:
    if finish == "length":
        return say("it reached its largest length.", "达到了长度上限。")
    if finish is None:
        return say("the stream ended without saying that it was done.", "数据流没有正常结束。")
    return say("it stopped with “{finish}”.", "以“{finish}”结束。", finish=finish)


def is_refusal(text: str) -> bool:
    """True where a text is the refusal sentence, whatever the punctuation, with at most a short remark behind it."""
    said = _bare(text)
    return any(
        said == _bare(refusal) or (said.startswith(_bare(refusal)) and len(said) < 3 * len(_bare(refusal)))
        for refusal in REFUSALS.values()
    )


def _bare(text: str) -> str:
    return re.sub(r"[\W_]+", "", fold(markers.MARKER.sub("", text)))
