"""One call of a chat model, read as it comes: reasoning taken out, each sentence ruled on, and in the end an answer that says how it went."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from yinju.answer import disagreement, markers
from yinju.answer.instructions import instruction, suspicious
from yinju.answer.judging import ended
from yinju.answer.options import REFUSALS, AnswerOptions
from yinju.answer.prompt import answer_tokens
from yinju.answer.reader import Reader, Statement
from yinju.answer.second_reading import read_again
from yinju.answer.thinking import ThinkingFilter, reasons
from yinju.answer.verify import Judge, Likeness, downgraded, likeness
from yinju.errors import ModelError
from yinju.messages import say
from yinju.protocols import ChatModel, Embedder, Message
from yinju.text.normalize import fold
from yinju.trace import Trace
from yinju.types import Answer, Citation, Context, Hit, SearchResult, Sentence


@dataclass(slots=True)
class Request:
    """One question on its way through this room."""

    question: str
    result: SearchResult
    options: AnswerOptions
    embedder: Embedder | None
    history: Sequence[Message]
    cancel: Callable[[], bool] | None
    second_reader: ChatModel | None = None  # who reads the answer again, where somebody is to
    trace: Trace = field(default_factory=Trace)
    notices: list[str] = field(default_factory=list)
    failure: str | None = None  # code of what a model failed with

    def answer(self, text: str, **values: object) -> Answer:
        """Return an Answer with what is the same for all."""
        took = {**self.result.took_ms, **self.trace.took_ms}
        notices = (*self.result.notices, *self.notices)
        base = Answer(
            self.question, text, self.result.query, evidence=self.result.evidence, notices=notices, took_ms=took,
            failure=self.failure, searched_beside=self.result.beside,
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


class Writing:
    """One call of a chat model: its text as it comes, then the answer with its proofs (None: nothing came, `failure` says why)."""

    def __init__(self, request: Request, chat_model: ChatModel, messages: Sequence[Message], context: Context) -> None:
        self.answer: Answer | None = None
        self.citations: tuple[Citation, ...] = ()
        self.failure: ModelError | None = None
        self._request, self._model, self._messages, self._context = request, chat_model, messages, context
        self._start_again()

    def _start_again(self) -> None:
        remove = self._request.options.unsupported == "remove"
        self._judge = Judge(self._context.passages, self._likeness())
        self._reader = Reader(len(self._context.passages), self._rule, hold=remove)
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

    def _rule(self, statement: Statement) -> list[tuple[int, ...]] | None:
        """Rule as the judge does, but believe no order; None for a sentence that no passage proves, where such are removed.

        What a document tells a model to say is no statement of the document, though the words stand there.
        """
        judge = self._judge
        sentences, citations = list(judge.sentences), list(judge.citations)
        ruled = judge.rule(statement)
        added = judge.citations[len(citations) :]
        if any(instruction(citation.quote) for citation in added) and not instruction(statement.text):
            since = len(sentences)
            judge.sentences[since:] = [
                replace(each, status="unsupported", exact=False) for each in judge.sentences[since:]
            ]
            judge.citations[len(citations) :] = downgraded(added)
        unproved = len(judge.sentences) > len(sentences) and judge.sentences[-1].status == "unsupported"
        if self._request.options.unsupported != "remove" or not unproved or is_refusal(statement.text):
            return ruled
        judge.sentences[:], judge.citations[:] = sentences, citations
        del judge.cites[len(sentences) :]
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
                with ended(parts):  # also where nobody reads on
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
        before = thinking.void
        visible = thinking.feed(text)
        if thinking.void > before:
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
            sentences = tuple(replace(sentence, status="unsupported", exact=False) for sentence in sentences)
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
        if complete:
            sentences, citations = self._read_again(sentences, citations)
        request.notices += disagreement.unsaid(
            request.question, context.passages, citations, prefer=request.options.prefer
        )
        self.citations = citations
        self.answer = request.answer(
            text, complete=complete, model=self._model.name, sentences=sentences, citations=citations, context=context
        )

    def _read_again(
        self, sentences: tuple[Sentence, ...], citations: tuple[Citation, ...]
    ) -> tuple[tuple[Sentence, ...], tuple[Citation, ...]]:
        """Return the verdicts after the second reading, where one is wanted; they are the same or lower."""
        request = self._request
        if request.second_reader is None:
            return sentences, citations
        with request.trace.step("check"):
            reading = read_again(
                request.question, sentences, citations, self._judge.cites, self._context.passages, request.second_reader,
                cancel=request.cancel,
            )  # fmt: skip
        request.notices += reading.notices()
        return reading.sentences, reading.citations


_CUT = {None: "llm-incomplete", "length": "llm-length"}


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
