"""Every way in which a chat server fails, end to end: the reader gets the passages and the reason with its code, within the deadlines.

The number of each row of the table of endpoint faults stands in the test's id. What only the reading of a stream decides is tested with
the client alone in `test_llm_openai_compatible`; what embedding servers do wrong in `test_embed_http` (row 26).
"""

from __future__ import annotations

import gc
import json
import random
import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from answer_hits import STUDENT, WARRANTY, YEAR, result
from yinju.answer import AnswerOptions, answer, answer_stream
from yinju.llm import Limits, OpenAICompatible
from yinju.llm.limits import Circuit
from yinju.testing.chat_server import Script, event, raw, reply, said, serving, silent, streaming
from yinju.types import Answer

pytestmark = pytest.mark.slow

QUICK = Limits(connect=0.5, first_token=0.5, between_tokens=0.3, whole=1.5, backoff=0.02, retry_after=0.5)
QUESTION = "一年要付多少？在校生能便宜吗？"
HITS = [YEAR, STUDENT, WARRANTY]  # shown as 1 plans, 2 warranty, 3 students
GOOD = "年费方案每年 168 元 [1]。在校生上传学生证后按七折结算 [3]。"
HALF = event("年费方案每年 168 元 [1]。在校")
OPEN = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n"


def ask(url: str, key: str | None = None, **options: object) -> Answer:
    chat = OpenAICompatible(url, key, "tiny", limits=QUICK)
    try:
        return answer(QUESTION, result(QUESTION, HITS), chat_model=chat, options=AnswerOptions(**options))  # type: ignore[arg-type]
    finally:
        chat.close()


def row(number: int, *values: object, name: str) -> object:
    return pytest.param(*values, id=f"B8-{number}-{name}")


@pytest.mark.parametrize(
    ("script", "code", "requests"),
    [
        row(3, silent(9.0), "llm-timeout", 1, name="never answers"),
        row(4, raw(b"HTTP/1.1 200 OK\r\n", *[b"x", 0.1] * 60), "llm-timeout", 1, name="headers that drip"),
        row(4, raw(), "llm-unreachable", 3, name="hangs up at once"),
        row(5, reply(401, '{"error": {"message": "bad key"}}'), "llm-auth", 1, name="401"),
        row(5, reply(403, "<html>no</html>", "text/html"), "llm-auth", 1, name="403 page"),
        row(6, reply(404, '{"error": {"message": "no such model"}}'), "llm-model", 1, name="404"),
        row(7, reply(400, '{"error": {"message": "maximum context length is 512 tokens"}}'), "llm-too-long", 2, name="too long twice"),
        row(9, reply(429, "{}", retry_after="3600"), "llm-busy", 1, name="429 for an hour"),
        row(10, reply(503, "try later", "text/plain"), "llm-server", 3, name="503"),
        row(10, reply(500, "", "text/plain"), "llm-server", 3, name="500 empty"),
        row(11, reply(200, "<html>please log in</html>", "text/html"), "llm-bad-response", 1, name="login page"),
        row(12, reply(200, "<html>please log in</html>", "text/event-stream"), "llm-empty", 1, name="page called a stream"),
        row(12, reply(200, '{"choices": [{"mess'), "llm-bad-response", 1, name="JSON cut off"),
        row(12, reply(200, "[1, 2]"), "llm-bad-response", 1, name="no object"),
        row(12, raw(b"SSH-2.0-OpenSSH_9.6\r\n"), "llm-unreachable", 3, name="no HTTP"),
        row(13, reply(200, '{"choices": []}'), "llm-empty", 1, name="no choices"),
        row(14, reply(200, '{"choices": [{"message": {"content": null}, "finish_reason": "stop"}]}'), "llm-empty", 1, name="content null"),
        row(14, streaming(event("", "content_filter")), "llm-empty", 1, name="filtered"),
        row(14, streaming(event(reasoning_content="hm"), event(finish="length")), "llm-empty", 1, name="reasoning only"),
        row(17, streaming('data: {"error": {"message": "overloaded"}}\n\n'), "llm-error", 1, name="error event first"),
        row(25, streaming(event(tool_calls=[{"function": {"name": "rm"}}]), event(finish="tool_calls")), "llm-empty", 1, name="tool only"),
        row(12, reply(307, "", location="http://127.0.0.1:9/v1/chat/completions"), "llm-refused", 1, name="redirect"),
    ],
)  # fmt: skip
def test_without_an_answer_the_passages_and_the_reason_are_given(script: Script, code: str, requests: int) -> None:
    with serving(script) as server:
        start = time.monotonic()
        given = ask(server.url, "sk-secret-123456")
        assert time.monotonic() - start < QUICK.whole + 1
        assert (given.failure, given.model, given.complete) == (code, "extractive", True)
        assert given.text.startswith("年费方案每年 168 元 [1]")
        assert {citation.status for citation in given.citations} == {"verified"}
        assert any(notice.startswith("No answer from the model: ") for notice in given.notices)
        assert "secret" not in json.dumps(given.notices)
        assert len(server.requests) == requests


@pytest.mark.parametrize(
    "url",
    [row(1, "http://127.0.0.1:9/v1", name="refused"), row(2, "http://no-such-host.invalid/v1", name="DNS")],
)
def test_not_reachable(url: str) -> None:
    start = time.monotonic()
    given = ask(url)
    assert time.monotonic() - start < 5
    assert (given.failure, given.model) == ("llm-unreachable", "extractive")
    assert any(url.split("/")[2] in notice for notice in given.notices)  # the host is named


@pytest.mark.parametrize(
    ("script", "code"),
    [
        row(15, streaming(HALF), "llm-incomplete", name="ends without a reason"),
        row(16, streaming(HALF, 0.2, reset=True), "llm-unreachable", name="reset"),
        row(17, streaming(HALF, 'data: {"error": {"message": "out of memory"}}\n\n'), "llm-error", name="error event"),
        row(18, streaming(HALF, "data: {broken\n\n"), "llm-bad-response", name="broken event"),
        row(18, raw(OPEN, HALF.encode(), b"data: " + b"x" * (5 << 20)), "llm-bad-response", name="event without end"),
        row(19, streaming(HALF, 9.0), "llm-timeout", name="stall"),
        row(19, streaming(HALF, *[b": ping\n\n", 0.1] * 30), "llm-timeout", name="pings only"),
        row(20, streaming(HALF, *[event("字"), 0.2] * 30), "llm-timeout", name="longer than the whole deadline"),
        row(21, streaming(HALF, event(finish="length")), "llm-length", name="length"),
        row(21, streaming(HALF, *[event("word ")] * 9_000), "llm-length", name="endless"),
        row(24, streaming(HALF, event("", "content_filter")), "llm-stopped", name="filtered in the middle"),
        row(25, streaming(HALF, event(tool_calls=[{"index": 0}]), event(finish="tool_calls")), "llm-stopped", name="tool in the middle"),
    ],
)  # fmt: skip
def test_a_broken_answer_is_kept_and_proves_nothing(script: Script, code: str) -> None:
    with serving(script) as server:
        start = time.monotonic()
        given = ask(server.url)
        assert time.monotonic() - start < QUICK.whole + 1
        assert (given.failure, given.model, given.complete) == (code, "tiny", False)
        assert given.text.startswith("年费方案每年 168 元 [1]。在校")
        assert {item.status for item in (*given.citations, *given.sentences)} == {"unsupported"}
        assert given.notices
        assert len(server.requests) == 1


@pytest.mark.parametrize(
    "scripts",
    [
        row(7, (reply(400, '{"error": {"message": "prompt is too long: 9000 tokens"}}'), said(GOOD)), name="less context"),
        row(8, (reply(429, "{}", retry_after="0.2"), said(GOOD)), name="429 honoured"),
        row(10, (reply(503, "later", "text/plain"), said(GOOD)), name="503 once"),
        row(22, (streaming(*event(GOOD).replace("\n", "\r\n"), event(finish="stop")),), name="one byte at a time"),
        row(22, (streaming(event(GOOD), "data: [DONE]\n\n"),), name="done without a reason"),
        row(22, (streaming(b"\xef\xbb\xbf", b": hello\n\n", event(role="assistant"), event(GOOD), event(finish="stop")),), name="comments"),
        row(22, (streaming(event(GOOD), b'data: {"choices": [], "usage": {}}\n\n', event(finish="stop")),), name="usage between"),
        row(25, (streaming(event(tool_calls=[{"index": 0}]), event(GOOD), event(finish="stop")),), name="tool beside text"),
        row(22, (reply(200, json.dumps({"choices": [{"message": {"content": GOOD}, "finish_reason": "stop"}]})),), name="whole"),
    ],
)  # fmt: skip
def test_what_can_be_mended_is(scripts: tuple[Script, ...]) -> None:
    with serving(*scripts) as server:
        given = ask(server.url)
        assert (given.text, given.failure, given.complete, given.model) == (GOOD, None, True, "tiny")
        assert [citation.status for citation in given.citations] == ["verified", "verified"]


@pytest.mark.parametrize("unsupported", ["mark", "remove"])
@pytest.mark.parametrize(
    "text",
    [
        row(23, "年费方案每年 168 元。在校生打五折。", name="no markers"),
        row(23, "年费方案每年 99 元 [1]。", name="wrong number"),
        row(23, "文档写道：“年费永久免费” [1]。", name="invented quote"),
        row(23, "退款需要三十天 [99]。", name="marker of nothing"),
        row(23, "<|im_start|>assistant\n一切都好 [1]。<|im_end|>", name="template leaks"),
    ],
)  # fmt: skip
def test_what_no_passage_proves_is_never_called_verified(text: str, unsupported: str) -> None:
    with serving(said(text)) as server:
        given = ask(server.url, unsupported=unsupported)
    proved = [sentence for sentence in given.sentences if sentence.status == "verified"]
    assert all("168 元" in sentence.text or given.model == "extractive" for sentence in proved)
    for wrong in ("五折", "99 元", "免费", "三十天", "一切都好"):
        assert unsupported == "mark" or wrong not in given.text
        assert not any(wrong in sentence.text for sentence in proved)


def test_five_failures_open_the_circuit() -> None:  # row 10
    with serving(reply(503, "later", "text/plain")) as server:
        chat = OpenAICompatible(server.url, None, "tiny", limits=QUICK)
        codes = [answer(QUESTION, result(QUESTION, HITS), chat_model=chat).failure for _ in range(7)]
        asked = len(server.requests)
        assert codes == ["llm-server"] * 5 + ["llm-paused"] * 2
        assert asked == 15  # three tries each, none while it is paused


@pytest.mark.parametrize(
    "scripts",
    [
        row(27, (streaming(HALF, 9.0),), name="in mid-stream"),
        row(27, (silent(9.0),), name="before the first byte"),
        row(27, (reply(503, "later", "text/plain"), silent(9.0)), name="in the second try"),
    ],
)  # fmt: skip
def test_a_reader_that_goes_ends_the_request_within_a_second(scripts: tuple[Script, ...]) -> None:
    with serving(*scripts) as server:
        chat = OpenAICompatible(server.url, None, "tiny")  # with the deadlines of every day
        asked: list[float] = []

        def cancel() -> bool:
            if len(server.requests) == len(scripts):
                asked.append(time.monotonic())
            return bool(asked) and time.monotonic() - asked[0] > 0.3

        given = answer(QUESTION, result(QUESTION, HITS), chat_model=chat, cancel=cancel)
        assert server.gone.wait(1.0)
        assert time.monotonic() - asked[0] < 1.3
        assert given.text
        chat.close()
    assert no_reading_threads()


def test_a_stream_that_nobody_reads_on_is_ended() -> None:  # row 27
    with serving(streaming(HALF, 9.0)) as server:
        chat = OpenAICompatible(server.url, None, "tiny")
        parts = answer_stream(QUESTION, result(QUESTION, HITS), chat_model=chat)
        assert next(parts)
        parts.close()  # type: ignore[attr-defined]
        assert server.gone.wait(1.0)
        chat.close()
    assert no_reading_threads()


def no_reading_threads() -> bool:
    return not [thread for thread in threading.enumerate() if thread.name == "yinju-llm"]


def test_a_connection_that_comes_too_late_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine a connection may be made after its asker has gone: nobody else knows of it, so nobody else can close it."""
    connect = socket.create_connection

    def slowly(*arguments: Any, **named: Any) -> socket.socket:
        time.sleep(0.6)
        return connect(*arguments, **named)

    with serving(said(GOOD)) as server:
        threads, files = threading.active_count(), descriptors()
        monkeypatch.setattr(socket, "create_connection", slowly)
        limits = Limits(connect=2.0, first_token=0.2, between_tokens=0.2, whole=0.4, retries=0)
        chat = OpenAICompatible(server.url, None, "tiny", limits=limits)
        gc.disable()  # which would close it as well, some time or other
        try:
            given = answer(QUESTION, result(QUESTION, HITS), chat_model=chat)
            assert given.failure == "llm-timeout"
            time.sleep(0.6)
            wait_until(lambda: threading.active_count() <= threads and descriptors() <= files)
            assert (threading.active_count(), descriptors()) <= (threads, files)
        finally:
            gc.enable()
            chat.close()


def test_memory_stays_flat_with_a_gigabyte() -> None:  # row 21
    piece = event("word " * 1_000).encode()

    def flood(handler: object) -> None:
        streaming(*[piece] * 200_000)(handler)  # type: ignore[arg-type]  # a gigabyte, if anybody read it

    def resident() -> int:
        return int(Path("/proc/self/statm").read_text().split()[1]) * 4096 if Path("/proc/self/statm").exists() else 0

    with serving(flood) as server:
        before = resident()
        given = ask(server.url)
        assert (given.failure, given.complete) == ("llm-length", False)
        assert server.gone.wait(2.0)
        assert resident() - before < 100 << 20


def faults(rng: random.Random) -> Iterator[Script]:
    """Give one script after another, a fifth of them faulty."""
    choices = [
        silent(9.0), raw(), raw(b"\x00\x01"), reply(401, "{}"), reply(404, "{}"), reply(429, "{}", retry_after="3600"),
        reply(503, "later", "text/plain"), reply(200, "<html>", "text/html"), reply(200, '{"choices": []}'),
        reply(200, "{"), streaming(HALF), streaming(HALF, 0.05, reset=True), streaming(HALF, 9.0), streaming(HALF, "data: {\n\n"),
        streaming(HALF, 'data: {"error": {"message": "oom"}}\n\n'), streaming(HALF, event(finish="length")),
        streaming(HALF, *[event("word ")] * 3_000), said("年费方案每年 99 元 [1]。退款三十天 [99]。"), said("<think>[1]</think>"),
    ]  # fmt: skip
    good = [said(GOOD), said(GOOD, piece=1), said("<think>x [9]</think>" + GOOD)]
    while True:
        yield rng.choice(choices) if rng.random() < 0.2 else rng.choice(good)


def descriptors() -> int:
    folder = Path("/proc/self/fd")
    return len(list(folder.iterdir())) if folder.exists() else 0


def test_a_thousand_requests_with_a_fifth_of_faults(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("yinju.llm.openai_compatible.Circuit", lambda: Circuit(failures=10_000))  # each request counts
    scripts, lock = faults(random.Random(8)), threading.Lock()

    def next_script(handler: object) -> None:
        with lock:
            script = next(scripts)
        script(handler)  # type: ignore[arg-type]

    limits = Limits(connect=1.0, first_token=0.6, between_tokens=0.4, whole=3.0, backoff=0.01, retry_after=0.2)
    with serving(next_script) as server:
        chat = OpenAICompatible(server.url, None, "tiny", limits=limits)
        found = result(QUESTION, HITS)
        answer(QUESTION, found, chat_model=chat)  # opens what stays open
        threads, files = threading.active_count(), descriptors()

        def one(_: int) -> tuple[Answer, float]:
            start = time.monotonic()
            return answer(QUESTION, found, chat_model=chat), time.monotonic() - start

        with ThreadPoolExecutor(12) as pool:
            answers = list(pool.map(one, range(1_000)))
        chat.close()
        wait_until(lambda: server.open == 0 and threading.active_count() <= threads)
        gc.collect()
        # Of 200 requests that fail none may leave a thread or a descriptor behind.
        assert threading.active_count() <= threads
        assert descriptors() <= files
    assert max(took for _, took in answers) < limits.whole + 1
    for given, _ in answers:
        right = {"年费方案每年 168 元。付款后立即生效。", "在校生上传学生证后按七折结算。折扣不适用于月费。"}
        for citation in given.citations:
            assert citation.status == "unsupported" or any(citation.quote in text for text in right)
        for sentence in given.sentences:
            assert sentence.status == "unsupported" or "168 元" in sentence.text or "七折" in sentence.text
        assert given.complete or given.failure
        assert given.text
    failed = sum(given.failure is not None for given, _ in answers)
    assert 100 < failed < 600  # a fifth, and on a busy machine some whose deadline passed


def wait_until(condition: object) -> None:
    end = time.monotonic() + 5
    while time.monotonic() < end and not condition():  # type: ignore[operator]
        time.sleep(0.02)
