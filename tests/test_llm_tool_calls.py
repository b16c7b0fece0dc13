"""Tool calls in streams: put together from pieces, bounded, sent back as the API wants them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.test_llm_openai_compatible import model, reply, serving, streaming

from yinju.llm.tool_calls import LONGEST_ARGUMENTS, MOST_CALLS, ToolCalls, as_body
from yinju.protocols import ChatPart, Message, ToolCall

TOOLS = [{"type": "function", "function": {"name": "search", "parameters": {"type": "object"}}}]


def delta(*calls: dict[str, Any], finish: str | None = None) -> str:
    return (
        "data: " + json.dumps({"choices": [{"delta": {"tool_calls": list(calls)}, "finish_reason": finish}]}) + "\n\n"
    )


def piece(index: int, arguments: str, name: str | None = None, id: str | None = None) -> dict[str, Any]:
    function = {"arguments": arguments, **({"name": name} if name else {})}
    return {"index": index, "function": function, **({"id": id} if id else {})}


PIECES = (
    delta(piece(0, "", "search", "a")), delta(piece(0, '{"query": ')), delta(piece(0, '"年费"}'), piece(1, "{}", "list_sources", "b")),
    delta(finish="tool_calls"), "data: [DONE]\n\n",
)  # fmt: skip
WHOLE = (ToolCall("a", "search", '{"query": "年费"}'), ToolCall("b", "list_sources", "{}"))


def test_pieces_become_calls_and_results_go_back() -> None:
    with serving(
        streaming(*PIECES),
        reply(200, json.dumps({"choices": [{"message": {"content": "好。"}, "finish_reason": "stop"}]})),
    ) as server:
        chat = model(server)
        asked = [Message("user", "?")]
        parts = list(chat.stream(asked, tools=TOOLS))
        assert parts == [ChatPart("", "tool_calls", WHOLE)]
        again = [*asked, Message("assistant", "", tool_calls=WHOLE), Message("tool", "168", answers="a")]
        assert list(chat.stream(again, tools=TOOLS)) == [ChatPart("好。", "stop")]
        sent = server.requests[1]["messages"]
    assert sent[1]["tool_calls"][0]["function"] == {"name": "search", "arguments": '{"query": "年费"}'}
    assert sent[2] == {"role": "tool", "content": "168", "tool_call_id": "a"}


def test_a_server_that_does_not_stream() -> None:
    body = {
        "choices": [
            {
                "message": {
                    "content": None,
                    "tool_calls": [{"id": "a", "function": {"name": "search", "arguments": "{}"}}],
                },
                "finish_reason": "tool_calls",
            }
        ]
    }
    with serving(reply(200, json.dumps(body))) as server:
        assert list(model(server).stream([Message("user", "?")], tools=TOOLS)) == [
            ChatPart("", "tool_calls", (ToolCall("a", "search", "{}"),))
        ]


@pytest.mark.parametrize(
    "junk",
    [
        '{"tool_calls": 3}',
        '"tool_calls"',
        '{"choices": [{"delta": {"tool_calls": ["x", {"index": true, "function": 4}]}}]}',
    ],
)
def test_junk_is_no_call(junk: str) -> None:
    calls = ToolCalls()
    if junk.startswith("{"):
        calls.feed(junk)
    assert calls.whole() == ()


def test_a_flood_is_bounded() -> None:
    calls = ToolCalls()
    for number in range(200):
        calls.feed(delta(piece(number, "x" * 50_000, "search"))[6:])
    assert len(calls.whole()) == MOST_CALLS
    assert max(len(call.arguments) for call in calls.whole()) == LONGEST_ARGUMENTS


def test_an_ordinary_message_is_as_before() -> None:
    assert as_body(Message("user", "问")) == {"role": "user", "content": "问"}
