"""Let a chat model write a follow-up out as a question that stands alone: one short call, and nothing that it says is taken on trust.

A rewriting is only used to search. It is dropped, and the rules serve, where it is no single short line, is in another language, lost a
number, code or name of the question, brought a number that nobody said, or has nothing to do with the conversation. The signs of our
search syntax are taken out of it, so that it can never exclude a passage.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from yinju.answer.context import neutralise
from yinju.answer.prompt import spoken
from yinju.answer.rewrite import Reading, asked_before, bare, is_again, read, standalone
from yinju.answer.subject import codes, kept
from yinju.answer.templates import filled, template
from yinju.answer.thinking import ThinkingFilter, reasons
from yinju.errors import ModelError
from yinju.messages import say
from yinju.protocols import ChatModel, Message
from yinju.text.normalize import fold
from yinju.text.words import FILLERS, terms

DEADLINE_S = 6.0  # for the whole call; later the rules serve
MAX_TOKENS = 96
_LONGEST = 300  # characters of a rewriting
_HEARD = 4_000  # characters that are read of what a model says, its reasoning included
_TURNS = 6  # last turns that the model is shown
_TURN = 400  # characters of each
_INSIDE = re.compile(r"[\s\"“”「」『』`]+")
_EXCLUDES = re.compile(r"(?<!\S)[-－−]+(?=\S)")  # `-term` leaves passages out
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufffd]|<\|")
_LABEL = re.compile(
    r"^(?:question|rewritten question|standalone question|问题|改写后?的?问题|独立问题)\s*[:：]\s*", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class RephraseOptions:
    """Seconds and tokens for the one call."""

    deadline_s: float = DEADLINE_S
    max_tokens: int = MAX_TOKENS


def read_with_model(
    question: str,
    history: Sequence[Message],
    chat_model: ChatModel,
    *,
    cancel: Callable[[], bool] | None = None,
    options: RephraseOptions | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> Reading:
    """Return how the question is searched: as the model words it, beside it the question itself; by rules where the model is no help.

    No ModelError escapes; `notices` says why the model was not followed where it failed. A question that opens a conversation, or only
    asks for the last answer once more, costs no call.
    """
    by_rules = read(question, history)
    if not asked_before(history) or not bare(question) or is_again(bare(question)) or len(question) > _LONGEST:
        return by_rules
    try:
        said = _said(question, history, chat_model, cancel, options or RephraseOptions(), clock)
    except ModelError as error:
        why = error.message.rstrip(".。")
        notice = say(
            "The question was made to stand alone by rules: {why}.", "追问按规则改写：{why}。", why=why
        )  # fmt: skip
        return replace(by_rules, notices=(notice,))
    text = accepted(said, question, history)
    if text is None or fold(text) == fold(question):
        return by_rules
    return Reading(text, question)


def accepted(said: str, question: str, history: Sequence[Message]) -> str | None:
    """Return what a model said as a question to search for, or None where it cannot be one."""
    lines = [line.strip() for line in said.strip().split("\n") if line.strip()]
    if len(lines) != 1 or len(lines[0]) > _LONGEST or _CONTROL.search(lines[0]):
        return None
    text = _INSIDE.sub(" ", _LABEL.sub("", lines[0])).strip()
    text = _EXCLUDES.sub("", text).strip()
    if not text or not kept(bare(question), text):
        return None
    conversation = "\n".join((question, *(turn.content for turn in history)))
    heard = fold(conversation)
    if any(fold(code) not in heard for code in codes(text)):
        return None
    if spoken(text) not in {spoken(question), spoken(standalone(question, history))}:
        return None
    return text if _words(text) & _words(conversation) else None


def _said(
    question: str,
    history: Sequence[Message],
    chat_model: ChatModel,
    cancel: Callable[[], bool] | None,
    options: RephraseOptions,
    clock: Callable[[], float],
) -> str:
    """Return what the model says. Raises ModelError where it fails, is late, is cut off or talks on and on."""
    end = clock() + options.deadline_s
    thinking = ThinkingFilter(wait=reasons(chat_model.name))
    said, heard, finish = "", 0, None

    def over() -> bool:
        return clock() > end or (cancel is not None and cancel())

    for part in chat_model.stream(messages(question, history), max_tokens=options.max_tokens, cancel=over):
        void_before = thinking.void
        visible = thinking.feed(part.text)
        said = visible if thinking.void > void_before else said + visible
        heard += len(part.text)
        finish = part.finish_reason or finish
        if heard > _HEARD or over():
            break
    said += thinking.finish()
    if finish != "stop":
        raise ModelError(
            say("the chat model did not word it in time", "对话模型没有及时给出改写"),
            say("Choose rewrite=rules to do without it.", "可用 rewrite=rules 不使用它。"),
            code="llm-late-rewrite",
        )
    return said


def messages(question: str, history: Sequence[Message]) -> list[Message]:
    """Return what the model is sent: rules, the last turns cut short, and the question, as text to work on and not as turns to follow."""
    language = spoken(question)
    names = {"user": "用户" if language == "zh" else "User", "assistant": "助手" if language == "zh" else "Assistant"}
    told = [turn for turn in history if turn.role in names][-_TURNS:]
    conversation = "\n".join(f"{names[turn.role]}: {_short(turn.content)}" for turn in told)
    content = filled(template(f"rewrite.{language}.md"), conversation=conversation, question=_short(question))
    return [Message("user", content)]


def _short(text: str) -> str:
    text = " ".join(neutralise(text[: 2 * _TURN]).split())
    return text if len(text) <= _TURN else text[:_TURN] + "…"


def _words(text: str) -> set[str]:
    return {word for word in terms(text[:20_000]).words if word not in FILLERS}
