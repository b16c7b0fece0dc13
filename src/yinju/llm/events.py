"""Server-sent events to parts of an answer. Pure; what comes in is bounded and nothing in it is believed."""

from __future__ import annotations

import json
import logging
from typing import Any

from yinju.errors import ModelError
from yinju.messages import say
from yinju.protocols import ChatPart

LONGEST_EVENT = 4 << 20  # bytes
# A part without text: the model is at work (it reasons), which is no answer, but no silence either.
AT_WORK = ChatPart()
_REASONING = ("reasoning_content", "reasoning", "reasoning_details")  # as servers name it
_log = logging.getLogger("yinju.llm")


def bad_response(what: str) -> ModelError:
    """Return the error for an answer that is no answer of a chat API."""
    return ModelError(
        say("the server's response is no chat completion: {what}", "服务器返回的不是聊天结果：{what}", what=what),
        say(
            "Check that YINJU_CHAT_URL is the API's base URL (it ends in /v1), not a web page.",
            "请检查 YINJU_CHAT_URL 是否为接口的基础地址（以 /v1 结尾），而不是网页。",
        ),
        code="llm-bad-response",
    )  # fmt: skip


class EventReader:
    """Takes bytes in any pieces, gives the data of whole events (`data:` lines; comments and other fields are left out)."""

    def __init__(self) -> None:
        self._rest: list[bytes] = []  # of a line without its end yet
        self._size = 0
        self._data: list[str] = []

    def feed(self, piece: bytes) -> list[str]:
        """Take more bytes; return the data of the events that are complete. Raises ModelError for an event without end."""
        self._size += len(piece)
        if self._size > LONGEST_EVENT and b"\n" not in piece:
            raise bad_response(say("one line is larger than 4 MB.", "有一行超过 4 MB。"))
        self._rest.append(piece)
        if b"\n" not in piece:
            return []
        *lines, rest = b"".join(self._rest).split(b"\n")
        self._rest, self._size = [rest], len(rest)
        return [data for line in lines for data in self._line(line)]

    def finish(self) -> list[str]:
        """The bytes are complete; return what an event without its last empty line says."""
        rest, self._rest = b"".join(self._rest), []
        return [*(self._line(rest) if rest else ()), *self._line(b"")]

    def _line(self, line: bytes) -> list[str]:
        if line.removeprefix(b"\xef\xbb\xbf").startswith(b"data:"):
            line = line.removeprefix(b"\xef\xbb\xbf")
            self._data.append(line[5:].strip().decode("utf-8", "replace"))
        elif not line.strip() and self._data:
            data, self._data = "\n".join(self._data), []
            return [data]
        return []


def part_of(data: str, *, offered: bool = False) -> ChatPart | None:
    """Return what one event adds to the answer: AT_WORK for reasoning, None for nothing (usage, roles, tool calls).

    Calls of tools that were `offered` are read elsewhere, see `tool_calls`; others are left out.

    Raises ModelError for an error event and for what is no JSON object.
    """
    body = parsed(data)
    choices = body.get("choices")
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        return None
    delta = choices[0].get("delta") or choices[0].get("message") or {}
    content = delta.get("content") if isinstance(delta, dict) else None
    finish = choices[0].get("finish_reason")
    text = content if isinstance(content, str) else ""
    if isinstance(delta, dict) and delta.get("tool_calls") and not offered:
        _log.info("the model called a tool that was not offered; ignored")
    if text or isinstance(finish, str):
        return ChatPart(text, finish if isinstance(finish, str) else None)
    at_work = isinstance(delta, dict) and any(delta.get(name) for name in _REASONING)
    return AT_WORK if at_work else None


def parsed(data: str) -> dict[str, Any]:
    """Return the JSON object. Raises ModelError for anything else and for an object that is an error."""
    try:
        body = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise bad_response(data[:60].strip() or "…") from error
    if not isinstance(body, dict):
        raise bad_response(data[:60].strip())
    failure = body.get("error")
    if failure:
        message = failure.get("message") if isinstance(failure, dict) else failure
        raise ModelError(
            say("the server reported an error: {what}", "服务器报告错误：{what}", what=str(message)[:200]),
            say("Ask again, or look at the server's log.", "请重试，或查看服务器日志。"),
            code="llm-error",
            retryable=True,
        )
    return body
