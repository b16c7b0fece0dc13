"""Tool calls come in pieces, like text: a name first, then the arguments letter by letter. Pure; what comes in is bounded."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from yinju.llm.events import parsed
from yinju.protocols import Message, ToolCall

MOST_CALLS = 64
LONGEST_ARGUMENTS = 32_768  # characters of one call; what is longer is cut, and so no JSON any more
_LONGEST_NAME = 200


class ToolCalls:
    """Takes the data of events, gives the whole calls."""

    def __init__(self) -> None:
        self._calls: dict[int, list[str]] = {}  # id, name, arguments by number

    def feed(self, data: str) -> bool:
        """Take one event; return whether it was about a tool call. Raises ModelError for what is no JSON object."""
        if '"tool_calls"' not in data:
            return False
        choices = parsed(data).get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else None
        delta = choice.get("delta") or choice.get("message") if isinstance(choice, dict) else None
        pieces = delta.get("tool_calls") if isinstance(delta, dict) else None
        if not isinstance(pieces, list) or not pieces:
            return False
        for place, piece in enumerate(pieces):
            if isinstance(piece, dict):
                self._take(piece, place)
        return True

    def whole(self) -> tuple[ToolCall, ...]:
        """Return the calls in their order; one without a name is none."""
        calls = [(number, call) for number, call in sorted(self._calls.items()) if call[1]]
        return tuple(ToolCall(call[0] or f"call_{number}", call[1], call[2]) for number, call in calls)

    def _take(self, piece: Mapping[str, Any], place: int) -> None:
        number = piece.get("index", place)
        if not isinstance(number, int) or isinstance(number, bool):
            number = place
        if number not in self._calls and len(self._calls) >= MOST_CALLS:
            return
        call = self._calls.setdefault(number, ["", "", ""])
        function = piece.get("function")
        name = function.get("name") if isinstance(function, dict) else None
        arguments = function.get("arguments") if isinstance(function, dict) else None
        if isinstance(piece.get("id"), str) and not call[0]:
            call[0] = piece["id"][:_LONGEST_NAME]
        if isinstance(name, str) and not call[1]:  # some servers repeat the name in every piece
            call[1] = name[:_LONGEST_NAME]
        if isinstance(arguments, str):
            call[2] = (call[2] + arguments)[:LONGEST_ARGUMENTS]


def as_body(message: Message) -> dict[str, Any]:
    """Return a message as the API wants it."""
    body: dict[str, Any] = {"role": message.role, "content": message.content}
    if message.tool_calls:
        body["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in message.tool_calls
        ]
    if message.role == "tool":
        body["tool_call_id"] = message.answers
    return body
