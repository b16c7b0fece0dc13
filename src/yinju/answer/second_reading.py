"""A second reading: the model itself is asked whether its passages say what it put in words of its own, and may only take a verdict back.

The rules of `verify` are less sure of a paraphrase than of a quotation. So each sentence that they believe and that is no quotation is shown
to the model once more with the passages that it cites. What the model finds not stated or contradicted becomes `unsupported`. Nothing is
ever raised: quotations, translations and what no passage proves are not asked about. A reading that failed changes nothing and says why.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from yinju.answer.judging import JsonAsker, fenced, new_fence, shown
from yinju.answer.prompt import spoken
from yinju.answer.second_verdicts import Unreadable, Verdict, read
from yinju.answer.templates import filled, template
from yinju.errors import ModelError
from yinju.messages import say
from yinju.protocols import ChatModel, Message
from yinju.text.tokens import estimate
from yinju.types import Citation, Passage, Sentence

MOST = 40  # statements that are asked about
MOST_REQUESTS = 4  # of different statements; the window may be small
ATTEMPTS = 2  # a reply that cannot be read is asked for once more
_EACH = 60  # tokens of a reply for one statement
_SLACK = 200  # tokens of the frame that are not counted one by one
_QUESTION = 1_000  # characters of the question that are shown
_ECHO = 500  # characters of a reply that could not be read

_TITLES = {
    "zh": {"question": "问题", "passage": "资料 {n}", "statement": "陈述 {n}（引用资料 {cited}）", "comma": "、", "end": "结束"},
    "en": {"question": "question", "passage": "passage {n}", "statement": "statement {n} (cites passage {cited})", "comma": ", ", "end": "end"},
}  # fmt: skip
_AGAIN = {
    "zh": "上面的回复不是所要求的 JSON（{why}）。请只输出那一个 JSON 对象，每条陈述都要有编号和结论："
    '"stated"、"not stated" 或 "contradicted"。',
    "en": "That was not the JSON that was asked for ({why}). Reply with the one JSON object only; each statement needs its number and a "
    'verdict: "stated", "not stated" or "contradicted".',
}


@dataclass(frozen=True, slots=True)
class Reading:
    """The verdicts after a second reading. `lowered` sentences were taken back, `unread` ones not asked about; `failure`: why nothing changed."""

    sentences: tuple[Sentence, ...]
    citations: tuple[Citation, ...]
    lowered: int = 0
    unread: int = 0
    failure: str | None = None

    def notices(self) -> Iterator[str]:
        """Yield what people have to know of it."""
        if self.failure is not None:
            yield say(
                "The second reading failed, and the verdicts stay as they were: {reason}",
                "第二遍核对没有完成，原有的核对结果不变：{reason}",
                reason=self.failure,
            )
            return
        if self.lowered:
            yield say(
                "Read once more, the model itself finds that the passages do not say {count} sentence(s); they count as not proved.",
                "模型再读一遍后认为，有 {count} 句话段落并没有说；它们按未得到证实处理。",
                count=self.lowered,
            )
        if self.unread:
            yield say(
                "{count} sentence(s) were not read a second time: there are too many, or they do not fit the model's window.",
                "有 {count} 句话没有再读一遍：句子太多，或模型的窗口容不下。",
                count=self.unread,
            )


@dataclass(frozen=True, slots=True)
class _Statement:
    """A sentence that is asked about: its place among the sentences, and the passages that it cites."""

    at: int
    text: str
    cited: tuple[int, ...]


def read_again(
    question: str,
    sentences: Sequence[Sentence],
    citations: Sequence[Citation],
    cites: Sequence[Sequence[int]],
    passages: Sequence[Passage],
    model: ChatModel,
    *,
    cancel: Callable[[], bool] | None = None,
) -> Reading:
    """Return the verdicts of a complete answer, some of them lowered. `cites`: for each sentence the places of its citations among `citations`.

    No ModelError escapes. Where one request fails, is cancelled or brings nothing that can be read, none of the verdicts is changed.
    """
    unchanged = Reading(tuple(sentences), tuple(citations))
    by_marker = {passage.marker: passage for passage in passages}
    wanted = [
        _Statement(at, sentence.text, sentence.markers)
        for at, sentence in enumerate(sentences)
        if sentence.status in ("verified", "moved")
        and not sentence.exact
        and sentence.markers
        and all(marker in by_marker for marker in sentence.markers)
    ]
    if not wanted:
        return unchanged
    request = _Request(question, by_marker, model, cancel)
    batches = request.batches(wanted[:MOST])
    doubted: set[int] = set()
    try:
        for batch in batches:
            verdicts = request.verdicts(batch)
            doubted |= {one.at for number, one in enumerate(batch, start=1) if verdicts[number] != "stated"}
    except ModelError as error:
        return replace(unchanged, failure=error.message)
    unread = len(wanted) - sum(map(len, batches))
    return replace(lowered(sentences, citations, cites, doubted), unread=unread)


def lowered(
    sentences: Sequence[Sentence],
    citations: Sequence[Citation],
    cites: Sequence[Sequence[int]],
    doubted: set[int],
) -> Reading:
    """Return the verdicts without those of the doubted sentences (by place), and of their citations where nothing else proved cites the place."""
    believed = {
        (citations[place].id, citations[place].span)
        for at, sentence in enumerate(sentences)
        if at not in doubted and sentence.status != "unsupported"
        for place in cites[at]
    }
    fallen = {place for at in doubted for place in cites[at]}
    return Reading(
        tuple(
            replace(sentence, status="unsupported", exact=False) if at in doubted else sentence
            for at, sentence in enumerate(sentences)
        ),
        tuple(
            replace(citation, status="unsupported", exact=False)
            if place in fallen and (citation.id, citation.span) not in believed
            else citation
            for place, citation in enumerate(citations)
        ),
        lowered=len(doubted),
    )


class _Request:
    """The requests of one reading: what they show, and what comes back."""

    def __init__(
        self, question: str, passages: Mapping[int, Passage], model: ChatModel, cancel: Callable[[], bool] | None
    ) -> None:
        self._language = spoken(question)
        self._titles = _TITLES[self._language]
        self._fence = new_fence()
        self._cancel = cancel
        self._ask = JsonAsker(model)
        self._most_tokens = max(1, min(MOST * _EACH, model.context_tokens // 3))
        self._system = filled(template(f"second-reading.{self._language}.md"), fence=self._fence)
        self._question = fenced(self._fence, self._titles["question"], question[:_QUESTION])
        self._space = (
            model.context_tokens - self._most_tokens - estimate(self._system) - estimate(self._question) - _SLACK
        )
        self._passages = {
            marker: fenced(self._fence, filled(self._titles["passage"], n=str(marker)), shown(passage))
            for marker, passage in passages.items()
        }

    def batches(self, wanted: Sequence[_Statement]) -> list[list[_Statement]]:
        """Return the statements as they are asked about together, in their order; what does not fit is left out."""
        costs = {marker: estimate(self._passages[marker]) for one in wanted for marker in one.cited}
        found: list[list[_Statement]] = []
        shown_there: set[int] = set()
        left = 0
        for statement in wanted:
            own = estimate(self._statement(MOST, statement))
            cited = set(statement.cited)
            cost = own + sum(costs[marker] for marker in cited - shown_there)
            alone = own + sum(costs[marker] for marker in cited)
            if found and cost <= left and (len(found[-1]) + 1) * _EACH <= self._most_tokens:
                found[-1].append(statement)
                shown_there |= cited
                left -= cost
            elif len(found) < MOST_REQUESTS and alone <= self._space and self._most_tokens >= _EACH:
                found.append([statement])
                shown_there = cited
                left = self._space - alone
        return found

    def _statement(self, number: int, one: _Statement) -> str:
        cited = self._titles["comma"].join(map(str, one.cited))
        return fenced(self._fence, filled(self._titles["statement"], n=str(number), cited=cited), one.text)

    def _content(self, batch: Sequence[_Statement]) -> str:
        """Return the question, the passages, each once, and behind them the statements with their numbers."""
        cited = dict.fromkeys(marker for one in batch for marker in one.cited)
        return "\n".join((
            self._question,
            *(self._passages[marker] for marker in cited),
            *(self._statement(number, one) for number, one in enumerate(batch, start=1)),
            f"{self._fence} {self._titles['end']}",
        ))  # fmt: skip

    def verdicts(self, batch: Sequence[_Statement]) -> dict[int, Verdict]:
        """Return a verdict for each number from 1. Raises ModelError where the model fails, is stopped, or says nothing that can be read."""
        messages = [Message("system", self._system), Message("user", self._content(batch))]
        why = ""
        for _ in range(ATTEMPTS):
            text = self._reply(messages)
            try:
                return read(text, len(batch))
            except Unreadable as error:
                why = str(error)
            again = Message("user", filled(_AGAIN[self._language], why=why))
            messages = [*messages, Message("assistant", text[:_ECHO] or "-"), again]
        raise ModelError(why, say("Ask again, or without `check`.", "请重试，或不用 check。"), code="llm-no-verdict")

    def _reply(self, messages: Sequence[Message]) -> str:
        stopped = ModelError(say("it was stopped.", "已被中止。"), None, code="llm-incomplete")
        if self._cancel is not None and self._cancel():
            raise stopped
        reply = self._ask(messages, max_tokens=self._most_tokens, cancel=self._cancel)
        if reply.finish is None:
            raise stopped
        return reply.text
