"""Answer with tools: a model looks further in a bounded loop, and its answer is verified like any other, against all that it was shown.

Passages are numbered from the first to the last over all tool results, so a marker means one passage for the whole answer. The model is
not trusted: its arguments are checked, what it asks for twice it is not given twice, and rounds, calls, tokens and time are counted. A
loop that comes to its end without an answer is asked once more without tools; then the answer is quoted from the passages, and says why.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from yinju.answer import compare
from yinju.answer.generate import answer_stream
from yinju.answer.options import REFUSALS, AnswerOptions
from yinju.answer.prompt import answer_tokens, assemble, spoken
from yinju.answer.shown import Shown
from yinju.answer.templates import filled, template
from yinju.answer.thinking import ThinkingFilter, reasons
from yinju.answer.tools import LONGEST_ARGUMENTS, Asked, Found, Tool, offered, understood
from yinju.answer.writing import Request, Writing
from yinju.errors import ModelError, YinjuError
from yinju.messages import say
from yinju.protocols import ChatModel, ChatPart, Embedder, Message, ToolCall
from yinju.text.tokens import estimate
from yinju.types import Answer, Citation, Context, Hit, SearchResult, Step

_LEAST = 300  # tokens that a round needs: below it the model is asked to come to an end
_IDLE = 2  # rounds in a row that brought nothing new
_CUT = 160  # characters of arguments and outcomes in the trace


@dataclass(frozen=True, slots=True)
class AgentLimits:
    """When an agent is ended: model calls, tool calls in all and in one round, tokens that tools may return, seconds."""

    rounds: int = 8
    calls: int = 24
    calls_each: int = 6
    tokens: int = 16_000
    seconds: float = 120.0


@dataclass(slots=True)
class _Turn:
    """What one call of the model brought."""

    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    finish: str | None = None
    failure: ModelError | None = None


def agent_stream(
    question: str,
    result: SearchResult,
    *,
    tools: Mapping[str, Tool],
    chat_model: ChatModel,
    embedder: Embedder | None = None,
    options: AnswerOptions | None = None,
    limits: AgentLimits | None = None,
    history: Sequence[Message] = (),
    cancel: Callable[[], bool] | None = None,
) -> Iterator[str | Citation | Step | Answer]:
    """Yield the steps as they are done, then the text, its citations, and last the whole Answer with all steps. No ModelError escapes.

    `result` is the search for the question itself; `tools` must have `search`. With nothing relevant for the question or a side of its
    comparison the model is not called.
    """
    run = _Run(
        question,
        result,
        dict(tools),
        chat_model,
        embedder,
        options or AnswerOptions(),
        limits or AgentLimits(),
        history,
        cancel,
    )
    yield from run.parts()


class _Said:
    """A model that says again what was heard from another one, so that its text is concluded like any other."""

    def __init__(self, model: ChatModel, turn: _Turn) -> None:
        self.name, self.context_tokens = model.name, model.context_tokens
        self._turn = turn

    def stream(self, messages: Sequence[Message], **_options: object) -> Iterator[ChatPart]:
        """Yield the text and how it ended. Raises what the other one raised."""
        yield ChatPart(self._turn.text)
        if self._turn.failure is not None:
            raise self._turn.failure
        if self._turn.finish is not None:
            yield ChatPart(finish_reason=self._turn.finish)


class _Run:
    """One question on its way through the loop."""

    def __init__(
        self,
        question: str,
        result: SearchResult,
        tools: dict[str, Tool],
        model: ChatModel,
        embedder: Embedder | None,
        options: AnswerOptions,
        limits: AgentLimits,
        history: Sequence[Message],
        cancel: Callable[[], bool] | None,
    ) -> None:
        self._question, self._result, self._tools = question, result, tools
        self._model, self._embedder, self._options, self._limits = model, embedder, options, limits
        self._history, self._cancel = history, cancel
        self._language = spoken(question)
        self._began = time.monotonic()
        self._deadline = self._began + limits.seconds
        self._steps: list[Step] = []
        self._told = 0  # steps that were yielded
        self._notices: list[str] = []
        self._done: dict[str, tuple[int, ...]] = {}  # calls that were answered, with the passages that they showed
        self._calls = 0
        self._spent = 0  # tokens that tools have returned
        self._evidence = result.evidence
        self._seen = Shown(question)

    def parts(self) -> Iterator[str | Citation | Step | Answer]:
        """Yield the parts of the answer."""
        self._ask_sides()
        yield from self._new_steps()
        if not self._result.hits or self._evidence < self._options.refuse_below:
            yield from self._without_model(self._result)
            return
        rules = filled(template(f"agent.{self._language}.md"), steps=str(self._limits.rounds))
        window = self._model.context_tokens
        try:
            messages, context = assemble(
                self._question, self._result, options=self._options, history=self._history, window=window - estimate(rules)
            )  # fmt: skip
        except ModelError as error:
            yield from self._quoted(error, "")
            return
        messages[0] = replace(messages[0], content=f"{messages[0].content}\n\n{rules}")
        self._seen = Shown(self._question, context.passages)
        turn, why = yield from self._look_further(messages)
        if not turn.text.strip():
            if turn.failure is None or turn.failure.code == "llm-refused":
                turn = self._last(messages, why)
            elif why:
                self._notices.append(why)
        yield from self._concluded(turn, why)

    def _ask_sides(self) -> None:
        """Search for each side of a comparison on its own, before any model is asked: its passages come first."""
        found: list[Sequence[Hit]] = []
        for side in compare.sides(self._question):
            outcome = self._use(Asked(self._tools["search"], {"query": side}))
            found.append(outcome.hits)
            self._evidence = max(self._evidence, outcome.evidence)
            self._steps.append(Step("search", side, _count(len(outcome.hits))))
        if found:
            merged = [hits[rank] for rank in range(max(map(len, found))) for hits in found if rank < len(hits)]
            merged = [*merged, *self._result.hits]
            unique = {(hit.source, hit.span): hit for hit in reversed(merged)}
            order = dict.fromkeys((hit.source, hit.span) for hit in merged)
            self._result = replace(self._result, hits=tuple(unique[key] for key in order), evidence=self._evidence)

    # the loop

    def _look_further(self, messages: list[Message]) -> Generator[Step, None, tuple[_Turn, str]]:
        """Let the model use tools until it answers or a limit is reached; yield its steps, return its last turn and which limit that was."""
        idle = 0
        turn = _Turn()
        for number in range(self._limits.rounds):
            room = self._room(messages)
            if room < _LEAST:
                return _Turn(), say("the tokens are used up", "token 已用完")
            turn = self._turn(messages, offered(self._tools))
            if turn.failure is not None or turn.finish is None or not turn.calls:
                return turn, self._why_ended(turn)
            calls = self._allowed(turn.calls, number)
            messages.append(Message("assistant", turn.text[:2_000], tool_calls=calls))
            new = self._results(calls, messages, room)
            yield from self._new_steps()
            idle = 0 if new else idle + 1
            if idle >= _IDLE:
                return _Turn(), say("it asked for nothing new", "没有提出新的查找")
            if self._calls >= self._limits.calls:
                return _Turn(), say("the tool calls are used up", "工具调用次数已用完")
            if self._late():
                return _Turn(), say("the time is used up", "时间已用完")
        return _Turn(), say("the rounds are used up", "轮数已用完")

    def _new_steps(self) -> Iterator[Step]:
        """Yield the steps that were not told yet."""
        yield from self._steps[self._told :]
        self._told = len(self._steps)

    def _why_ended(self, turn: _Turn) -> str:
        if turn.failure is not None:
            return turn.failure.message
        if self._late():
            return say("the time is used up", "时间已用完")
        return "" if turn.text.strip() else say("the model said nothing", "模型没有回答")

    def _turn(self, messages: Sequence[Message], tools: Sequence[Mapping[str, object]] | None) -> _Turn:
        """Ask the model once. Reasoning is left out; an answer that does not end is cut, also where the model does not heed `cancel`."""
        turn = _Turn()
        thinking = ThinkingFilter(wait=reasons(self._model.name))
        most = answer_tokens(self._options, self._model.context_tokens)
        pieces: list[str] = []
        length = said = 0
        try:
            for part in self._model.stream(messages, max_tokens=most, tools=tools, cancel=self._gone):
                void_before = thinking.void
                visible = thinking.feed(part.text)
                if thinking.void > void_before:
                    pieces.clear()
                pieces.append(visible)
                length += len(part.text)
                said += len(visible)
                turn.calls += part.tool_calls
                turn.finish = part.finish_reason or turn.finish
                if self._gone() or said > 8 * most or length > 8 * most + 100_000:
                    turn.finish = turn.finish if part.finish_reason else None
                    break
        except ModelError as error:
            turn.failure = error
        pieces.append(thinking.finish())
        turn.text = "".join(pieces)
        return turn

    def _results(self, calls: Sequence[ToolCall], messages: list[Message], room: int) -> bool:
        """Add a result for each call that is run; return whether any showed something new."""
        new = False
        each = max(_LEAST // 2, room // (2 * len(calls)))
        for call in calls:
            self._calls += 1
            text, step, fresh = self._result_of(call, min(each, max(1, self._room(messages) - _LEAST // 2)))
            new = new or fresh
            self._spent += estimate(text)
            self._steps.append(step)
            messages.append(Message("tool", text, answers=call.id))
        return new

    def _allowed(self, calls: Sequence[ToolCall], number: int) -> tuple[ToolCall, ...]:
        """Return the first calls of a round, as many as may be run, each with an id of its own; the others were never made."""
        most = min(self._limits.calls_each, self._limits.calls - self._calls)
        ids: set[str] = set()
        kept: list[ToolCall] = []
        for place, call in enumerate(calls[:most]):
            own = call.id if call.id and call.id not in ids else f"call{number:02}{place:03}"
            ids.add(own)
            kept.append(ToolCall(own, call.name[:_CUT], call.arguments[: LONGEST_ARGUMENTS + 1]))
        if left := len(calls) - len(kept):
            self._steps.append(
                Step("tools", "", say("{count} further calls were not run", "另有 {count} 次调用未执行", count=left))
            )
        return tuple(kept)

    def _result_of(self, call: ToolCall, tokens: int) -> tuple[str, Step, bool]:
        asked = understood(call, self._tools)
        if asked.mistake or asked.tool is None:
            return f"error: {asked.mistake}", Step(call.name[:40], call.arguments[:_CUT], asked.mistake[:_CUT]), False
        if asked.key in self._done:
            markers = self._done[asked.key]
            text = (
                f"already done: see passages {', '.join(map(str, markers))}"
                if markers
                else "already done: nothing was found"
            )
            return text, Step(asked.tool.name, _shown(asked), say("asked again", "重复的查找"), markers), False
        found = self._use(asked)
        self._evidence = max(self._evidence, found.evidence)
        text, markers, fresh = self._seen.worded(found, tokens)
        self._done[asked.key] = markers
        outcome = _count(len(markers)) if markers else " ".join(found.text.split())[:_CUT] or _count(0)
        return (
            text,
            Step(asked.tool.name, _shown(asked), outcome, markers),
            fresh or bool(found.text and not found.hits),
        )

    def _use(self, asked: Asked) -> Found:
        assert asked.tool is not None
        try:
            return asked.tool.run(asked.values)
        except YinjuError as error:
            return Found(text=f"error: {error.message} {error.hint or ''}".strip())

    # limits

    def _room(self, messages: Sequence[Message]) -> int:
        """Return how many tokens of tool results there is still space for, in the limit and in the model's window."""
        used = sum(
            estimate(message.content) + 8 + sum(estimate(call.arguments) + 16 for call in message.tool_calls)
            for message in messages
        )
        tools = 120 * len(self._tools)
        window = (
            self._model.context_tokens
            - answer_tokens(self._options, self._model.context_tokens)
            - used
            - tools
            - _LEAST
        )
        return min(self._limits.tokens - self._spent, window)

    def _late(self) -> bool:
        return time.monotonic() > self._deadline

    def _gone(self) -> bool:
        return self._late() or (self._cancel is not None and self._cancel())

    def _wait_a_little(self) -> None:
        self._deadline = max(self._deadline, time.monotonic() + min(10.0, self._limits.seconds / 4))

    # the end

    def _last(self, messages: list[Message], why: str) -> _Turn:
        """Ask once more, without tools. A model that was never heard gets a little time for it, whatever the clock says."""
        if self._cancel is not None and self._cancel():
            return _Turn()
        self._wait_a_little()
        text = filled(template(f"agent-last.{self._language}.md"), reason=why or "-", refusal=REFUSALS[self._language])
        turn = self._turn([*messages, Message("user", text)], None)
        self._steps.append(Step("answer", "", why))
        return turn

    def _concluded(self, turn: _Turn, why: str) -> Iterator[str | Citation | Answer]:
        """Verify the model's text as any other answer is, against all passages that it was shown."""
        if not turn.text.strip():
            yield from self._quoted(turn.failure, why)
            return
        if why and turn.failure is None:
            self._notices.append(
                say("The search with tools was ended: {why}.", "工具查找已结束：{why}。", why=why.rstrip(".。"))
            )
        passages = tuple(self._seen.passages)
        context = Context(self._question, "tagged", "", passages, sum(passage.hit.tokens for passage in passages))
        result = replace(self._result, evidence=self._evidence)
        reader = self._model if self._options.check else None
        request = Request(
            self._question, result, self._options, self._embedder, (), self._gone, second_reader=reader, notices=self._notices
        )  # fmt: skip
        request.flag([passage.hit for passage in passages])
        self._wait_a_little()  # for a second reading
        writing = Writing(request, _Said(self._model, turn), (), context)
        yield from writing.text()
        if writing.answer is None:
            yield from self._quoted(turn.failure, why)
            return
        yield from writing.citations
        yield self._with_steps(writing.answer)

    def _quoted(self, failure: ModelError | None, why: str) -> Iterator[str | Citation | Answer]:
        """Quote the answer from the passages, since the model gave none, and say why."""
        reason = failure.message if failure else why or say("the model said nothing", "模型没有回答")
        self._notices.append(
            say(
                "No answer from the model: {why}. The answer is quoted from the passages.",
                "模型没有回答：{why}。以下直接引自文档。",
                why=reason.rstrip(".。"),
            )
        )
        own = {(hit.source, hit.span) for hit in self._result.hits}
        more = tuple(one.hit for one in self._seen.passages if (one.hit.source, one.hit.span) not in own)
        result = replace(self._result, hits=(*self._result.hits, *more), evidence=self._evidence)
        yield from self._without_model(result, failure.code if failure else "llm-empty")

    def _without_model(self, result: SearchResult, failure: str | None = None) -> Iterator[str | Citation | Answer]:
        for part in answer_stream(self._question, result, embedder=self._embedder, options=self._options):
            if isinstance(part, Answer):
                yield self._with_steps(replace(part, notices=(*part.notices, *self._notices), failure=failure))
            else:
                yield part

    def _with_steps(self, answer: Answer) -> Answer:
        return replace(answer, steps=tuple(self._steps), took_ms=self._took(answer.took_ms))

    def _took(self, so_far: Mapping[str, float]) -> dict[str, float]:
        return {**so_far, "agent": round((time.monotonic() - self._began) * 1000, 2)}


def _shown(asked: Asked) -> str:
    return ", ".join(f"{name}: {value}" for name, value in asked.values.items())[:_CUT]


def _count(passages: int) -> str:
    return say("{count} passages", "{count} 个段落", count=passages)
