"""The messages that a chat model is sent: rules, earlier turns, passages, question; always within the model's window.

The rules and the question are never left out. Where space is short, the oldest turns go first, then whole passages. The passages stand
between two lines that no document can know: their random letters are made anew in each process and for each prompt.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import replace

from yinju.answer.conflicts import conflicts
from yinju.answer.context import build, without_control
from yinju.answer.disagreement import for_prompt
from yinju.answer.options import REFUSALS, AnswerOptions
from yinju.answer.support import chinese
from yinju.answer.templates import filled, template
from yinju.errors import ModelError, UsageError
from yinju.messages import say
from yinju.protocols import Message
from yinju.text.tokens import estimate
from yinju.types import Context, SearchResult

_WINDOW = 32_768  # where no model says its own
_PER_MESSAGE = 8  # tokens around each message
_LEAST = 64  # tokens of context below which asking a model makes no sense
_ROLES = ("user", "assistant", "system")
_SECRET = secrets.token_bytes(32)
_WIDEST = "=====" + "a0" * 8 + "====="  # counts as many tokens as a boundary can


def spoken(question: str) -> str:
    """Return the language to answer in, `zh` or `en`: the question's."""
    return "zh" if chinese(question) else "en"


def rules(language: str, system: str | None = None) -> str:
    """Return the system message: the rules of evidence, and in front of them the user's own role and tone."""
    text = filled(template(f"rules.{language}.md"), refusal=REFUSALS[language])
    return f"{system.strip()}\n\n{text}" if system and system.strip() else text


def as_messages(history: Sequence[Message | Mapping[str, str]]) -> list[Message]:
    """Return earlier turns as messages. Raises UsageError for what is neither a Message nor a mapping with role and content."""
    turns: list[Message] = []
    for turn in history:
        if isinstance(turn, Message):
            turns.append(turn)
            continue
        role = turn.get("role") if isinstance(turn, Mapping) else None
        content = turn.get("content") if isinstance(turn, Mapping) else None
        if role not in _ROLES or not isinstance(content, str):
            raise UsageError(
                say("A turn of the history needs a role and a content.", "历史记录的每一轮都要有 role 和 content。"),
                say(
                    'Write [{{"role": "user", "content": "..."}}, {{"role": "assistant", "content": "..."}}].',
                    '写成 [{{"role": "user", "content": "..."}}, {{"role": "assistant", "content": "..."}}]。',
                ),
            )
        turns.append(
            Message(
                role="user" if role == "user" else "assistant" if role == "assistant" else "system", content=content
            )
        )
    return turns


def assemble(
    question: str,
    result: SearchResult,
    *,
    options: AnswerOptions,
    history: Sequence[Message] = (),
    window: int = _WINDOW,
    shrink: float = 1.0,
) -> tuple[list[Message], Context]:
    """Return the messages and the context in them, at most `window` tokens with the answer. `shrink` takes less context.

    Raises ModelError (`llm-too-long`) where rules and question leave no space for a passage.
    """
    language = spoken(question)
    system = rules(language, options.system)
    frame = template(f"question.{language}.md")
    asked = without_control(question)
    space = (
        window
        - answer_tokens(options, window)
        - estimate(system)
        - estimate(filled(frame, boundary=_WIDEST))
        - estimate(asked)
        - 2 * _PER_MESSAGE
    )
    if space < _LEAST:
        raise ModelError(
            say(
                "The model's window of {window} tokens is too small for the question.",
                "模型的窗口（{window} 个 token）容不下这个问题。",
                window=window,
            ),
            say("Ask a shorter question or use a model with a larger window.", "请缩短问题，或换用窗口更大的模型。"),
            code="llm-too-long",
        )
    wanted = min(int(options.context_tokens * shrink), space)
    for_turns = (
        space - wanted if shrink >= 1.0 else min(space - wanted, wanted)
    )  # the window was smaller than we thought
    turns = _that_fit([turn for turn in history if turn.role != "system"], for_turns)
    context, note = _with_note(question, result, options, wanted, language)
    content = filled(frame, context=context.text, question=asked, boundary=_boundary(context.text))
    content = f"{content}\n\n{note}" if note else content
    return [Message("system", system), *turns, Message("user", content)], context


def _with_note(
    question: str, result: SearchResult, options: AnswerOptions, tokens: int, language: str
) -> tuple[Context, str]:
    """Return the context and what is said of passages in it that disagree, both together in so many tokens."""
    context = build(question, result.hits, tokens=tokens, format=options.format)
    note = for_prompt(conflicts(question, context.passages), language, prefer=options.prefer)
    if note and tokens - estimate(note) >= _LEAST and context.tokens + estimate(note) > tokens:
        context = build(question, result.hits, tokens=tokens - estimate(note), format=options.format)
        note = for_prompt(conflicts(question, context.passages), language, prefer=options.prefer)
    return context, note if context.tokens + estimate(note) <= tokens else ""


def _boundary(text: str) -> str:
    """Return a line that does not stand in the text and that nobody outside of this process can foresee."""
    number = 0
    while True:
        digest = hmac.new(_SECRET, f"{number}\n{text}".encode("utf-8", "replace"), "sha256").hexdigest()[:16]
        if digest not in text:
            return f"====={digest}====="
        number += 1


def prompt(
    question: str,
    result: SearchResult,
    *,
    options: AnswerOptions | None = None,
    history: Sequence[Message] = (),
    window: int = _WINDOW,
) -> list[Message]:
    """Return the messages that a model with this window would be sent."""
    return assemble(question, result, options=options or AnswerOptions(), history=history, window=window)[0]


def answer_tokens(options: AnswerOptions, window: int) -> int:
    """Return how many tokens an answer may have: what the options say, at most a third of the window."""
    return max(1, min(options.max_tokens, window // 3))


def _that_fit(turns: Sequence[Message], space: int) -> list[Message]:
    kept: list[Message] = []
    for turn in reversed(turns):
        space -= estimate(turn.content) + _PER_MESSAGE
        if space < 0:
            break
        kept.insert(0, replace(turn, content=without_control(turn.content)))
    while kept and kept[0].role == "assistant":  # an answer without its question
        kept.pop(0)
    return kept
