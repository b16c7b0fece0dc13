"""Who takes forever to ask does not hold a connection: heads that do not come are cut by the protocol, bodies by the guard."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.requests import ClientDisconnect
from tests.web_client import over, served

from yinju import Library
from yinju.messages import set_language
from yinju.testing import FakeEmbedder
from yinju.web.body import Body
from yinju.web.connections import Patient
from yinju.web.guard import GuardOptions

HEAD_S, BODY_S = 0.6, 0.6


@pytest.fixture
def client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[httpx.Client]:
    monkeypatch.setattr(Patient, "head_s", HEAD_S)
    (tmp_path / "a.md").write_text("# 年费\n\n年费 168 元。\n", encoding="utf-8")
    with Library.open(tmp_path / ".yinju", embedder=FakeEmbedder()) as library:
        library.sync(tmp_path)
        with served(library, GuardOptions(body_seconds=BODY_S)) as client:
            assert client.get("/health").status_code == 200
            yield client


def connected(client: httpx.Client) -> socket.socket:
    return socket.create_connection(("127.0.0.1", client.base_url.port or 0), timeout=20)


def is_healthy(connection: socket.socket) -> bool:
    """Ask for /health, and read the whole answer."""
    connection.sendall(b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
    said = b""
    while not said.endswith(b"}"):
        said += connection.recv(65_536)
    return said.startswith(b"HTTP/1.1 200")


def closed_after(connection: socket.socket, drip: bytes = b"", every: float = 0.1) -> tuple[float, bytes]:
    """Send a byte every now and then until the server closes the connection; return after how long it did, and what it said."""
    began, said, at = time.monotonic(), b"", 0
    connection.settimeout(every)
    while time.monotonic() - began < 15:
        try:
            if drip:
                connection.sendall(drip[at % len(drip) :][:1])
                at += 1
            part = connection.recv(65_536)
        except TimeoutError:
            continue
        except OSError:
            return time.monotonic() - began, said
        if not part:
            return time.monotonic() - began, said
        said += part
    return float("inf"), said


@pytest.mark.slow
@pytest.mark.parametrize("drip", [b"", b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: " + b"a" * 1_000])
def test_a_head_that_does_not_come_ends_the_connection(client: httpx.Client, drip: bytes) -> None:
    with connected(client) as connection:
        seconds, said = closed_after(connection, drip)
    assert HEAD_S * 0.8 < seconds < 10
    assert said == b""


@pytest.mark.slow
def test_the_second_head_of_a_connection_is_waited_for_no_longer(client: httpx.Client) -> None:
    with connected(client) as connection:
        assert is_healthy(connection)
        time.sleep(HEAD_S * 2)  # silence between two requests is uvicorn's affair, a minute of it
        assert is_healthy(connection)
        seconds, said = closed_after(connection, b"GET /health HTTP/1.1\r\nX-Slow: " + b"a" * 1_000)
    assert HEAD_S * 0.8 < seconds < 10
    assert said == b""


@pytest.mark.slow
@pytest.mark.parametrize("path", ["/api/search", "/api/upload", "/v1/chat/completions", "/mcp"])
def test_a_body_that_does_not_come_is_told_and_ends_the_connection(client: httpx.Client, path: str) -> None:
    kind = b"multipart/form-data; boundary=x" if path == "/api/upload" else b"application/json"
    head = b"POST %s HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: %s\r\n" % (path.encode(), kind)
    with connected(client) as connection:
        connection.sendall(head + b"Accept: application/json, text/event-stream\r\nContent-Length: 5000\r\n\r\n")
        seconds, said = closed_after(connection, b" " * 4_999)
    assert BODY_S * 0.8 < seconds < 10
    assert said.startswith(b"HTTP/1.1 408"), said
    assert b'"too-slow"' in said
    assert client.get("/health").status_code == 200


@pytest.mark.slow
def test_an_answer_that_takes_longer_than_the_question_may_is_not_cut(
    client: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor are those that only listen: they have asked."""

    def slowly(call: Callable[..., Any]) -> Callable[..., Any]:
        def wrapped(*arguments: Any, **options: Any) -> Any:
            time.sleep(max(HEAD_S, BODY_S) * 3)
            return call(*arguments, **options)

        return wrapped

    monkeypatch.setattr(Library, "find", slowly(Library.find))
    assert client.post("/api/search", json={"query": "年费"}).json()["hits"][0]["source"] == "a.md"
    monkeypatch.setattr(Library, "sync", slowly(Library.sync))
    job = over(client, client.post("/api/sync", json={"plan": True}).json()["job"])
    assert job["state"] == "done"


@pytest.mark.slow
def test_a_large_body_that_comes_steadily_has_all_the_time_that_it_needs(client: httpx.Client) -> None:
    piece = b"x" * 20_000
    form = b'--x\r\nContent-Disposition: form-data; name="files"; filename="b.md"\r\n\r\n'

    def pieces() -> Iterator[bytes]:
        yield form
        for _ in range(8):
            time.sleep(0.3)
            yield piece
        yield b"\r\n--x--\r\n"

    answer = client.post(
        "/api/upload", content=pieces(), headers={"content-type": "multipart/form-data; boundary=x"}
    )  # fmt: skip
    assert answer.status_code == 202, answer.text
    assert over(client, answer.json()["job"])["report"]["added"] == 1


def received(body: Body) -> list[str]:
    async def read() -> list[str]:
        kinds = []
        for _ in range(3):
            kinds.append((await body())["type"])
        return kinds

    return asyncio.run(read())


def test_only_the_time_in_which_the_client_is_waited_for_counts() -> None:
    parts = [{"type": "http.request", "body": b"x", "more_body": True}] * 3

    async def at_once() -> Any:
        time.sleep(0.02)  # what stores the part before is slow, not the client: the event loop does not run
        return parts[0]

    async def never() -> Any:
        await asyncio.Event().wait()

    assert received(Body(at_once, 10, 5.0)) == ["http.request"] * 3
    late = Body(never, 10, 0.01)
    assert received(late) == ["http.disconnect"] * 3
    assert late.is_late


def test_what_an_application_makes_of_a_late_body_is_not_sent() -> None:
    """Neither its answer nor its error: who asked is told why."""
    from yinju.web.guard import Guard

    sent: list[Any] = []

    async def answers(_scope: Any, receive: Any, send: Any) -> None:
        await receive()
        await send({"type": "http.response.start", "status": 400, "headers": []})
        await send({"type": "http.response.body", "body": b"what?"})

    async def raises(_scope: Any, receive: Any, _send: Any) -> None:
        await receive()
        raise ClientDisconnect

    async def never() -> Any:
        await asyncio.Event().wait()

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {"type": "http", "path": "/health", "method": "POST", "headers": [(b"host", b"localhost")]}
    for application in (answers, raises):
        for language, words in (("en", "did not come to its end"), ("zh", "未能在规定时间内传完")):
            set_language(language)
            sent.clear()
            asyncio.run(Guard(application, GuardOptions(body_seconds=0.01))(scope, never, send))
            assert [message["type"] for message in sent] == ["http.response.start", "http.response.body"]
            assert sent[0]["status"] == 408
            assert (b"connection", b"close") in sent[0]["headers"]
            assert words in sent[1]["body"].decode()
