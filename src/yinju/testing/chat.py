"""A chat model that says what it was told to say, and remembers what it was asked; and what every chat model must do."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from yinju.protocols import ChatModel, ChatPart, Message

Script = (
    str
    | BaseException
    | Sequence[str | ChatPart | BaseException]
    | Callable[[Sequence[Message]], str | Sequence[str | ChatPart]]
)


class ScriptedChatModel:
    """Answers from a script; works without a network.

    One script for each call (the last one is used again): a text; a sequence of parts that are streamed as they are, in which an error is
    raised where it stands; an error; or a function from the messages to a text or to parts. `finish_reason` ends each answer that has none of its
    own (a part with tool calls ends with `tool_calls`); None: the stream just ends. `calls` and `tools` keep what was sent.
    """

    def __init__(
        self,
        *scripts: Script,
        name: str = "scripted",
        context_tokens: int = 32_768,
        finish_reason: str | None = "stop",
        piece: int | None = None,
    ) -> None:
        self._scripts = scripts or ("",)
        self._name, self._context_tokens = name, context_tokens
        self._finish_reason, self._piece = finish_reason, piece
        self.calls: list[list[Message]] = []
        self.tools: list[tuple[Mapping[str, Any], ...]] = []

    @property
    def name(self) -> str:
        """What people are shown."""
        return self._name

    @property
    def context_tokens(self) -> int:
        """The window for prompt and answer."""
        return self._context_tokens

    def stream(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int = 1024,
        tools: Sequence[Mapping[str, Any]] | None = None,
        response_format: Mapping[str, Any] | None = None,
        cancel: Callable[[], bool] | None = None,
    ) -> Iterator[ChatPart]:
        """Yield the script of this call."""
        script = self._scripts[min(len(self.calls), len(self._scripts) - 1)]
        self.calls.append(list(messages))
        self.tools.append(tuple(tools or ()))
        finished = False
        for item in self._items(script, messages):
            if cancel is not None and cancel():
                return
            if isinstance(item, BaseException):
                raise item
            part = item if isinstance(item, ChatPart) else ChatPart(item)
            finished = finished or part.finish_reason is not None
            yield part
        if self._finish_reason is not None and not finished:
            yield ChatPart(finish_reason=self._finish_reason)

    def _items(self, script: Script, messages: Sequence[Message]) -> Sequence[str | ChatPart | BaseException]:
        if callable(script):
            script = script(messages)
        if isinstance(script, BaseException):
            return [script]
        if isinstance(script, str):
            size = self._piece or max(len(script), 1)
            return [script[start : start + size] for start in range(0, len(script), size)]
        return script


def check_chat_model(model: ChatModel, *, messages: Sequence[Message] = (Message("user", "Say: ready"),)) -> None:
    """Assert what the rest of Yinju relies on: a name, a window, text parts, one finish reason, last; and that `cancel` ends a stream."""
    assert isinstance(model, ChatModel)
    assert model.name
    assert model.context_tokens > 0
    parts = list(model.stream(messages, max_tokens=64))
    assert all(isinstance(part, ChatPart) for part in parts)
    assert "".join(part.text for part in parts), "the model said nothing"
    assert parts[-1].finish_reason, "the last part must say why the model stopped"
    assert all(part.finish_reason is None for part in parts[:-1])
    asked = 0

    def cancel() -> bool:
        nonlocal asked
        asked += 1
        return True

    cancelled = list(model.stream(messages, max_tokens=64, cancel=cancel))
    assert asked, "cancel was never asked"
    assert len(cancelled) <= 1, "a cancelled stream must end"
    assert not any(part.finish_reason == "stop" for part in cancelled), "a cancelled stream is not complete"
