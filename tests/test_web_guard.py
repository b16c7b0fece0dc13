"""What a web page of somebody else, a wrong name or a missing token may not do; every route alike, static files and MCP too."""

from __future__ import annotations

import asyncio
import json
import os

import pytest

from yinju.errors import UsageError
from yinju.web.guard import Guard, GuardOptions
from yinju.web.serve import guard_options, read_token

TOKEN = "a-token-of-twenty-four-c"
PATHS = ["/", "/health", "/page/app.js", "/api/search", "/api/upload", "/v1/chat/completions", "/mcp"]


async def _echo(scope, receive, send):
    read = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return
        read += len(message.get("body", b""))
        if not message.get("more_body"):
            break
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": str(read).encode()})


def ask(guard, path="/api/status", method="GET", body=(b"",), **headers):
    """Return status and body of one request, status 0 where it was cut off."""
    given = {"host": "127.0.0.1:8390"} | {name.replace("_", "-"): value for name, value in headers.items()}
    scope = {
        "type": "http", "path": path, "method": method, "client": ("127.0.0.1", 1), "query_string": b"",
        "headers": [(name.encode(), value.encode()) for name, value in given.items() if value is not None],
    }  # fmt: skip
    waiting = [{"type": "http.request", "body": part, "more_body": n + 1 < len(body)} for n, part in enumerate(body)]
    sent = []

    async def receive():
        return waiting.pop(0)

    async def send(message):
        sent.append(message)

    asyncio.run(guard(scope, receive, send))
    return (sent[0]["status"], sent[1]["body"], dict(sent[0]["headers"])) if sent else (0, b"", {})


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"host": "evil.example:8390"}, 403),
        ({"host": "127.0.0.1.evil.example"}, 403),
        ({"host": None}, 403),
        ({"host": "localhost:8390, evil.example"}, 403),
        ({"origin": "https://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": "http://127.0.0.1:9999"}, 403),
        ({"origin": "http://127.0.0.1:8390"}, 200),
        ({"host": "LOCALHOST"}, 200),
        ({"host": "[::1]:8390"}, 200),
        ({}, 200),
    ],
)
def test_hosts_and_origins(path, headers, status):
    found, body, sent = ask(Guard(_echo, GuardOptions()), path, **headers)
    assert found == status
    assert b"frame-ancestors 'none'" in sent[b"content-security-policy"]
    if status == 403:
        error = json.loads(body)["error"]
        assert error["message"]
        assert error["hint"]


@pytest.mark.parametrize("path", ["/api/page", "/api/search", "/v1/models", "/mcp"])
def test_content_is_no_picture_or_form_of_another_site(path):
    guard = Guard(_echo, GuardOptions())
    assert ask(guard, path, sec_fetch_site="cross-site")[0] == 403
    assert ask(guard, path, sec_fetch_site="same-site")[0] == 403
    assert ask(guard, path, sec_fetch_site="same-origin")[0] == 200
    assert ask(guard, "/", sec_fetch_site="cross-site")[0] == 200  # a link to the page itself


@pytest.mark.parametrize(
    ("given", "status"),
    [(None, 401), ("Bearer ", 401), (f"Bearer {TOKEN}x", 401), (f"Basic {TOKEN}", 401), (f"Bearer {TOKEN}", 200)],
)
def test_the_token(given, status):
    guard = Guard(_echo, GuardOptions(token=TOKEN))
    for path in PATHS:
        expected = status if path.startswith(("/api", "/v1", "/mcp")) else 200
        headers = {"content_type": "application/json"}
        assert ask(guard, path, authorization=given, **headers)[0] == expected
    assert ask(guard, f"/api/status?token={TOKEN}")[0] == 401
    assert TOKEN not in repr(GuardOptions(token=TOKEN))


def test_forms_cannot_say_json():
    guard = Guard(_echo, GuardOptions())
    for kind in ("text/plain", "application/x-www-form-urlencoded", None):
        assert ask(guard, "/api/search", "POST", (b"{}",), content_type=kind)[0] == 415
    assert ask(guard, "/api/search", "POST", (b"{}",), content_type="application/json; charset=utf-8")[0] == 200
    assert ask(guard, "/api/upload", "POST", (b"",), content_type="multipart/form-data; boundary=x")[0] == 200


def test_sizes_said_and_unsaid():
    guard = Guard(_echo, GuardOptions(most_bytes=10))
    post = {"method": "POST", "content_type": "application/json"}
    assert ask(guard, body=(b"x" * 10,), content_length="10", **post)[0] == 200
    for length in ("11", "-1", "1e3", "9" * 30, "１"):
        if length.isascii():
            assert ask(guard, body=(b"x",), content_length=length, **post)[0] == 413
    assert ask(guard, body=(b"x" * 6, b"x" * 6), **post)[0] == 0  # chunked: ended as if the client had gone


def test_too_many_requests():
    guard = Guard(_echo, GuardOptions(burst=3, requests_per_second=0.001))
    assert [ask(guard)[0] for _ in range(5)] == [200, 200, 200, 429, 429]
    assert ask(guard, "/health")[0] == 200
    assert ask(guard)[2][b"retry-after"] == b"1"


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "example.org", ""])
def test_beyond_this_machine_only_with_a_token(host):
    with pytest.raises(UsageError) as caught:
        guard_options(host, None)
    assert "--token-file" in (caught.value.hint or "")
    assert guard_options(host, TOKEN).token == TOKEN
    assert "localhost" in guard_options("127.0.0.1", None).hosts


def test_a_token_file_is_its_users_own(tmp_path):
    path = tmp_path / "token"
    path.write_text(TOKEN + "\n", encoding="ascii")
    path.chmod(0o600)
    assert read_token(path) == TOKEN
    for bad in ("", "short", "含有中文的令牌不能用含有中文的令牌", "two words of enough length"):
        path.write_text(bad, encoding="utf-8")
        with pytest.raises(UsageError):
            read_token(path)
    if os.name == "posix":
        path.write_text(TOKEN, encoding="ascii")
        path.chmod(0o644)
        with pytest.raises(UsageError):
            read_token(path)
    with pytest.raises(UsageError):
        read_token(tmp_path / "nothing")
