"""Faults of a chat server, each played by a real server on loopback (reliability: the table of endpoint faults)."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from yinju.errors import ModelError, UsageError
from yinju.llm import Limits, OpenAICompatible
from yinju.llm.events import EventReader, part_of
from yinju.llm.limits import Circuit
from yinju.protocols import ChatPart, Message
from yinju.testing.chat import check_chat_model
from yinju.testing.chat_server import ChatServer, Script, event, reply, serving, silent, streaming

ASKED = [Message("user", "hello")]
QUICK = Limits(connect=1.0, first_token=0.6, between_tokens=0.4, whole=3.0, backoff=0.02, retry_after=0.5)


GOOD = streaming(event("你"), event("好"), event(finish="stop"), "data: [DONE]\n\n")


def model(server: ChatServer, key: str | None = None, limits: Limits = QUICK) -> OpenAICompatible:
    return OpenAICompatible(server.url, key, "tiny", limits=limits)


def read(chat: OpenAICompatible, **options: Any) -> tuple[str, str | None]:
    parts = list(chat.stream(ASKED, **options))
    return "".join(part.text for part in parts), parts[-1].finish_reason if parts else None


def failure(*scripts: Script, key: str | None = None) -> tuple[ModelError, ChatServer, float]:
    with serving(*scripts) as server:
        start = time.monotonic()
        with pytest.raises(ModelError) as caught:
            read(model(server, key))
        assert caught.value.hint
        return caught.value, server, time.monotonic() - start


def test_conformance() -> None:
    with serving(GOOD) as server:
        check_chat_model(model(server))


def test_request_and_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-another-service")
    monkeypatch.setenv("OPENAI_ORG_ID", "org-private")
    with serving(GOOD) as server:
        assert read(model(server), max_tokens=7) == ("你好", "stop")
        assert server.requests[0]["messages"] == [{"role": "user", "content": "hello"}]
        assert (server.requests[0]["model"], server.requests[0]["max_tokens"], server.requests[0]["stream"]) == (
            "tiny",
            7,
            True,
        )
        assert "authorization" not in server.headers[0]
        assert "openai-organization" not in server.headers[0]
        read(model(server, "secret"))
        assert server.headers[1]["authorization"] == "Bearer secret"


@pytest.mark.slow  # end to end in test_llm_faults
def test_refused_connection_and_unknown_host() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    for url in (f"http://127.0.0.1:{port}/v1", "http://no-such-host.invalid/v1"):
        with pytest.raises(ModelError) as caught:
            read(OpenAICompatible(url, None, "m", limits=QUICK))
        assert caught.value.code == "llm-unreachable"
        assert caught.value.retryable
    assert "no-such-host.invalid" in str(caught.value)


@pytest.mark.slow  # end to end in test_llm_faults
def test_accepts_and_never_answers() -> None:
    error, server, took = failure(silent(1.5))
    assert error.code == "llm-timeout"
    assert took < 1.2
    assert len(server.requests) == 1  # one budget, not three


@pytest.mark.parametrize("status", [401, 403])
def test_key_refused_and_never_shown(status: int) -> None:
    error, server, _ = failure(
        reply(status, '{"error": {"message": "Incorrect key sk-secret123456"}}'), key="sk-secret123456"
    )
    assert error.code == "llm-auth"
    assert "secret" not in f"{error}{error.hint}{error.__cause__}"
    assert len(server.requests) == 1


def test_unknown_model_names_the_available_ones() -> None:
    error, _, _ = failure(reply(404, '{"error": {"message": "no such model"}}'))
    assert error.code == "llm-model"
    assert "tiny" in str(error)
    assert "small" in str(error.hint)


def test_too_long() -> None:
    error, server, _ = failure(
        reply(400, '{"error": {"message": "This model\'s maximum context length is 4096 tokens"}}')
    )
    assert error.code == "llm-too-long"
    assert len(server.requests) == 1


def test_other_refusals_do_not_show_the_key() -> None:
    error, _, _ = failure(reply(400, '{"error": {"message": "bad header: Bearer k3y"}}'), key="k3y")
    assert error.code == "llm-refused"
    assert "k3y" not in str(error)


@pytest.mark.slow  # end to end in test_llm_faults
def test_busy_waits_as_asked() -> None:
    with serving(reply(429, "{}", retry_after="0.3"), GOOD) as server:
        start = time.monotonic()
        assert read(model(server)) == ("你好", "stop")
        assert time.monotonic() - start >= 0.3


def test_busy_for_an_hour_fails_at_once() -> None:
    error, server, took = failure(reply(429, "{}", retry_after="3600"))
    assert error.code == "llm-busy"
    assert "3600" in str(error)
    assert len(server.requests) == 1
    assert took < 0.5


def test_server_errors_are_tried_three_times() -> None:
    error, server, _ = failure(reply(503, "try later", "text/plain"))
    assert error.code == "llm-server"
    assert len(server.requests) == 3


def test_login_page_instead_of_an_answer() -> None:
    error, _, _ = failure(reply(200, "<html>please log in</html>", "text/html; charset=utf-8"))
    assert error.code == "llm-bad-response"


@pytest.mark.parametrize(
    "script",
    [
        reply(200, '{"choices": []}'),
        streaming('data: {"choices": []}\n\n', "data: [DONE]\n\n"),
        streaming(event(finish="stop")),
        streaming(
            event(tool_calls=[{"index": 0, "function": {"name": "f", "arguments": "{}"}}]), event(finish="tool_calls")
        ),
        streaming(event(reasoning_content="hmm"), event(finish="stop")),
    ],
)
def test_no_text(script: Script) -> None:
    error, _, _ = failure(script)
    assert error.code == "llm-empty"


def test_answer_in_one_piece() -> None:
    whole = {"choices": [{"message": {"role": "assistant", "content": "ready"}, "finish_reason": "stop"}]}
    with serving(reply(200, json.dumps(whole))) as server:
        assert read(model(server)) == ("ready", "stop")


def test_stream_without_an_end_has_no_finish_reason() -> None:
    with serving(streaming(event("half"))) as server:
        assert read(model(server)) == ("half", None)


def test_stream_that_says_done_is_complete() -> None:
    with serving(streaming(event("whole"), "data: [DONE]\n\n")) as server:
        assert read(model(server)) == ("whole", "stop")


def test_the_reason_that_was_given_stays() -> None:
    with serving(streaming(event("half"), event(finish="length"), "data: [DONE]\n\n")) as server:
        assert read(model(server)) == ("half", "length")


@pytest.mark.slow  # end to end in test_llm_faults
@pytest.mark.parametrize(
    ("script", "code"),
    [
        (streaming(event("half"), 0.3, reset=True), "llm-unreachable"),  # a reset at once may overtake the text
        (streaming(event("half"), 'data: {"error": {"message": "out of memory"}}\n\n'), "llm-error"),
        (streaming(event("half"), 1.2, event("late")), "llm-timeout"),
        (streaming(event("half"), *[b": ping\n\n", 0.1] * 12, event("late")), "llm-timeout"),  # pings are no tokens
    ],
)
def test_failures_in_the_middle_keep_the_text_and_are_not_retried(script: Any, code: str) -> None:
    with serving(script) as server:
        seen: list[ChatPart] = []
        with pytest.raises(ModelError) as caught:
            seen.extend(part for part in _collect(model(server), seen))
        assert "".join(part.text for part in seen) == "half"
        assert caught.value.code == code
        assert len(server.requests) == 1


def _collect(chat: OpenAICompatible, seen: list[ChatPart]) -> Iterator[ChatPart]:
    for part in chat.stream(ASKED):
        seen.append(part)
    yield from ()


def test_endless_stream_is_cut() -> None:
    with serving(streaming(*[event("word ")] * 5000)) as server:
        text, finish = read(model(server), max_tokens=50)
        assert finish == "length"
        assert len(text.split()) <= 50 * 1.2 + 2


def test_cancel_ends_a_silent_stream_at_once() -> None:
    gone = threading.Event()
    with serving(streaming(event("a"), 3.0, event("b"))) as server:
        parts = []
        for part in OpenAICompatible(server.url, None, "m").stream(ASKED, cancel=gone.is_set):
            parts.append(part.text)
            gone.set()
            start = time.monotonic()
        assert parts == ["a"]
        assert time.monotonic() - start < 1.5
    assert not [thread for thread in threading.enumerate() if thread.name == "yinju-llm"]


def test_new_name_for_the_length() -> None:
    refusal = reply(
        400, '{"error": {"message": "Unsupported parameter: use max_completion_tokens instead of max_tokens"}}'
    )
    with serving(refusal, GOOD) as server:
        assert read(model(server), max_tokens=9) == ("你好", "stop")
        assert server.requests[1]["max_completion_tokens"] == 9
        assert "max_tokens" not in server.requests[1]


def test_circuit() -> None:
    now = [0.0]
    circuit = Circuit(failures=2, within=30, pause=15, clock=lambda: now[0])
    circuit.failed()
    circuit.check()
    circuit.failed()
    with pytest.raises(ModelError) as caught:
        circuit.check()
    assert caught.value.code == "llm-paused"
    now[0] = 15.1
    circuit.check()
    circuit.failed()
    now[0] = 46.0
    circuit.failed()
    circuit.check()  # 31 s apart


def test_url_must_be_http() -> None:
    with pytest.raises(UsageError):
        OpenAICompatible("ftp://example", None, "m")
    assert "pass" not in repr(OpenAICompatible("http://user:pass@host/v1", "k", "m"))


def test_events_in_any_split() -> None:
    data = (event("价格 168 元") + ": comment\n\n" + event("。", "stop")).replace("\n", "\r\n").encode()
    for size in (1, 2, 3, 7, len(data)):
        reader, found = EventReader(), []
        for start in range(0, len(data), size):
            found += reader.feed(data[start : start + size])
        assert [part_of(each) for each in [*found, *reader.finish()]] == [
            ChatPart("价格 168 元"),
            ChatPart("。", "stop"),
        ]
