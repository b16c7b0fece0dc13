"""Let a chat model judge what others wrote: the material stands fenced and harmless, and the reply is JSON where the endpoint can.

The fence is a line with a random mark, made anew for each request: no document and no model can have written it before.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import dataclass
from typing import Any, cast

from yinju.answer.context import neutralise
from yinju.answer.thinking import ThinkingFilter
from yinju.errors import ModelError
from yinju.protocols import ChatModel, Message
from yinju.types import Passage

_SPARE = 100_000  # characters that are heard beyond what the tokens of a reply can hold: reasoning
_hidden = re.compile(
    "[\u00ad\u034f\u061c\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e01ef\x00-\x08\x0b-\x1f\x7f]"
)


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model said, without its reasoning, and how it ended: `stop`, `length`, ..., None where it was stopped or broke off."""

    text: str
    finish: str | None


class JsonAsker:
    """Asks a model for JSON. An endpoint that refuses `response_format` is not asked for it again."""

    def __init__(self, model: ChatModel) -> None:
        self._model = model
        self._json_mode = True

    def __call__(
        self, messages: Sequence[Message], *, max_tokens: int, cancel: Callable[[], bool] | None = None
    ) -> Reply:
        """Return the reply. Raises ModelError where the model fails."""
        if self._json_mode:
            try:
                return self._said(messages, max_tokens, {"type": "json_object"}, cancel)
            except ModelError as error:
                if error.code != "llm-refused":
                    raise
                self._json_mode = False
        return self._said(messages, max_tokens, None, cancel)

    def _said(
        self,
        messages: Sequence[Message],
        max_tokens: int,
        form: Mapping[str, Any] | None,
        cancel: Callable[[], bool] | None,
    ) -> Reply:
        thinking = ThinkingFilter()
        out: list[str] = []
        finish: str | None = None
        heard = 0
        parts = self._model.stream(messages, max_tokens=max_tokens, response_format=form, cancel=cancel)
        with ended(parts):
            for part in parts:
                was_void = thinking.void
                visible = thinking.feed(part.text)
                if thinking.void > was_void:
                    out.clear()
                out.append(visible)
                finish = part.finish_reason or finish
                heard += len(part.text)
                if heard > 8 * max_tokens + _SPARE or (cancel is not None and cancel()):
                    finish = part.finish_reason
                    break
        return Reply("".join((*out, thinking.finish())), finish)


def ended(parts: Iterator[Any]) -> AbstractContextManager[Any]:
    """Close a generator in any case, so that its request ends at once; other iterators have nothing to close."""
    return closing(cast(Any, parts)) if hasattr(parts, "close") else nullcontext()


def new_fence() -> str:
    """Return the beginning of lines that nobody can foresee."""
    return f"=== {secrets.token_hex(6)}"


def fenced(fence: str, title: str, text: str) -> str:
    """Return what somebody wrote behind a line of ours, with hidden characters, delimiters and control tokens made harmless."""
    return f"{fence} {title}\n{neutralise(_hidden.sub('', text))}"


def shown(passage: Passage) -> str:
    """Return a passage with what stands above it."""
    hit = passage.hit
    return "\n".join(
        part for part in (" > ".join(hit.headings) or hit.title or "", hit.header.rstrip(), hit.text) if part.strip()
    )
