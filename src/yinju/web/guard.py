"""Who may ask this server anything, and who it is that asks, settled before any handler runs: the host it was called by, where the caller comes
from, the token, how much is sent and how often.

The asker stands in the ASGI scope from here on, where no header, query or body of a request can reach; a route behind no guard finds none and fails.

A server on 127.0.0.1 is within reach of every web page that its user opens. A page may send requests (so `Origin` and `Sec-Fetch-Site` are
checked) or give the address a name of its own (DNS rebinding, so `Host` is checked, for static files and MCP as well).
"""

from __future__ import annotations

import hmac
import json
import re
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from starlette.requests import ClientDisconnect

from yinju.messages import say
from yinju.tokens import OWNER, SCOPE, Asker, digest_of
from yinju.web.body import Body

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from yinju.tokens import Tokens

_HOST_HEADER = re.compile(r"(\[[0-9a-f:.]{2,45}\]|[a-z0-9_.-]{1,253})(?::[0-9]{1,5})?")
LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
CONTENT = (
    "/api/",
    "/v1/",
    "/mcp",
)  # what lies below gives or takes content: a token is asked for, other sites are kept out
UPLOAD = "/api/upload"
HEADERS = (
    (
        "content-security-policy",
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; font-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-resource-policy", "same-origin"),
    ("cross-origin-opener-policy", "same-origin"),
    ("permissions-policy", "camera=(), geolocation=(), microphone=()"),
)


@dataclass(frozen=True, slots=True)
class GuardOptions:
    """Who may ask. `hosts`: names, without port, by which the server may be called.

    Where `token` and `tokens` are both None, none is asked for, and every request is the owner's.
    """

    hosts: tuple[str, ...] = LOOPBACK
    token: str | None = field(default=None, repr=False)  # the owner's
    tokens: Tokens | None = field(default=None, repr=False)  # those of principals
    most_bytes: int = 1024 * 1024  # of a request's body
    most_upload_bytes: int = 200 * 1024 * 1024
    body_seconds: float = 20.0  # for its first bytes; those that come buy more, see `body`
    requests_per_second: float = 50.0  # of one client address, in the long run
    burst: int = 200


class Guard:
    """ASGI middleware in front of everything; see the module."""

    def __init__(self, app: ASGIApp, options: GuardOptions) -> None:
        self._app = app
        self._options = options
        self._rates: dict[str, tuple[float, float]] = {}  # client: requests left, when that was so

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse the request, or hand it on."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return  # no door of ours is a web socket
        headers = _headers(scope)
        asker = self._asker(headers) if scope["path"].startswith(CONTENT) else None
        refused = self._refusal(scope, headers, asker)
        if refused is not None:
            await _answer(send, *refused)
            return
        told = {name: value for name, value in scope.items() if name != SCOPE}
        if asker is not None:
            told[SCOPE] = asker
        body, answer = Body(receive, self._most(scope), self._options.body_seconds), _Once(_with_headers(scope, send))
        try:
            await self._app(told, body, _unless_late(body, answer))
        except ClientDisconnect:
            if not body.is_late:
                raise
        if body.is_late and not answer.has_begun:
            await _answer(send, 408, "too-slow", *_says_too_slow())

    def _asker(self, headers: Mapping[str, str]) -> Asker | None:
        """Return who asks, None where a token is needed and this is none; all known ones are compared, whichever fits."""
        owners, principals = self._options.token, self._options.tokens
        if owners is None and principals is None:
            return OWNER
        scheme, _, rest = headers.get("authorization", "").partition(" ")
        given = rest.strip() if scheme.lower() == "bearer" else ""
        is_owner = owners is not None and hmac.compare_digest(digest_of(given), digest_of(owners))
        principal = principals.principal_of(given) if principals is not None else None
        return OWNER if is_owner else None if principal is None else Asker(principal)

    def _refusal(
        self, scope: Scope, headers: Mapping[str, str], asker: Asker | None
    ) -> tuple[int, str, str, str] | None:
        """Return status, code, message and hint of a refusal, None where the request may go on."""
        options, path = self._options, scope["path"]
        if _host(headers.get("host", "")) not in options.hosts:
            return 403, "host", *_says_host()
        if not self._is_own(headers.get("origin"), headers.get("host", "")):
            return 403, "origin", *_says_origin()
        content = path.startswith(CONTENT)
        if content and headers.get("sec-fetch-site", "none") not in ("same-origin", "none"):
            return 403, "origin", *_says_origin()
        if content and not self._may_go_on(scope):  # before the token: guessing is slowed, too
            return 429, "too-many", *_says_too_many()
        if content and asker is None:
            return 401, "token", *_says_token()
        length = headers.get("content-length", "")
        if length and (not length.isascii() or not length.isdigit() or int(length[:20]) > self._most(scope)):
            return 413, "too-large", *_says_too_large(self._most(scope))
        if scope["method"] == "POST" and path.startswith(("/api/", "/v1/")) and not _is_typed(path, headers):
            return 415, "content-type", *_says_content_type()
        return None

    def _is_own(self, origin: str | None, host: str) -> bool:
        """Whether the request comes from our own page, or from no page at all."""
        if origin is None:
            return True
        parts = urlsplit(origin)
        return parts.scheme in ("http", "https") and parts.netloc.lower() == host.lower()

    def _most(self, scope: Scope) -> int:
        return self._options.most_upload_bytes if scope["path"] == UPLOAD else self._options.most_bytes

    def _may_go_on(self, scope: Scope) -> bool:
        """Take one request from what this client has left (a token bucket)."""
        client, now = (scope.get("client") or ("", 0))[0], time.monotonic()
        left, since = self._rates.get(client, (float(self._options.burst), now))
        left = min(self._options.burst, left + (now - since) * self._options.requests_per_second)
        if len(self._rates) > 10_000:
            self._rates.clear()
        self._rates[client] = (max(left - 1, 0.0), now)
        return left >= 1


def _headers(scope: Scope) -> dict[str, str]:
    """Return the headers; one that is there twice is as good as wrong, and becomes both."""
    found: dict[str, str] = {}
    for name, value in scope["headers"]:
        key, text = name.decode("latin-1").lower(), value.decode("latin-1")
        found[key] = f"{found[key]}, {text}" if key in found else text
    return found


def _host(value: str) -> str:
    """Return the name in a Host header, without its port, in small letters; an empty one where it is none."""
    found = _HOST_HEADER.fullmatch(value.strip().lower())
    return found[1] if found else ""


def _is_typed(path: str, headers: Mapping[str, str]) -> bool:
    """Whether the body says what it is: a form of another site cannot say JSON."""
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    return kind == ("multipart/form-data" if path == UPLOAD else "application/json")


class _Once:
    """An answer, and whether it has begun."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.has_begun = False

    async def __call__(self, message: Message) -> None:
        self.has_begun = True
        await self._send(message)


def _unless_late(body: Body, answer: _Once) -> Send:
    """Send what the application says, but not what it makes of a body that did not come."""

    async def wrapped(message: Message) -> None:
        if answer.has_begun or not body.is_late:
            await answer(message)

    return wrapped


def _with_headers(scope: Scope, send: Send) -> Send:
    async def wrapped(message: Message) -> None:
        if message["type"] == "http.response.start":
            have = {name.lower() for name, _ in message["headers"]}
            extra = [*HEADERS, *((("cache-control", "no-store"),) if scope["path"].startswith(CONTENT) else ())]
            message["headers"] = [*message["headers"], *_bytes(pair for pair in extra if pair[0].encode() not in have)]
        await send(message)

    return wrapped


def _bytes(pairs: Iterable[tuple[str, str]]) -> list[tuple[bytes, bytes]]:
    return [(name.encode("latin-1"), value.encode("latin-1")) for name, value in pairs]


async def _answer(send: Send, status: int, code: str, message: str, hint: str) -> None:
    body = json.dumps({"error": {"code": code, "message": message, "hint": hint}}, ensure_ascii=False).encode()
    headers: list[tuple[str, str]] = [
        ("content-type", "application/json"), ("content-length", str(len(body))), ("cache-control", "no-store"), *HEADERS
    ]  # fmt: skip
    headers += [("www-authenticate", "Bearer")] if status == 401 else []
    headers += [("retry-after", "1")] if status == 429 else []
    headers += [("connection", "close")] if status == 408 else []
    await send({"type": "http.response.start", "status": status, "headers": _bytes(headers)})
    await send({"type": "http.response.body", "body": body})


def _says_host() -> tuple[str, str]:
    return (
        say("This server is not called by that name.", "本服务器不使用该主机名。"),
        say("Use the address that `yinju serve` printed.", "请使用 `yinju serve` 显示的地址。"),
    )


def _says_origin() -> tuple[str, str]:
    return (
        say("Requests from other web sites are refused.", "拒绝来自其他网站的请求。"),
        say("Open the page of this server itself.", "请直接打开本服务器的页面。"),
    )


def _says_token() -> tuple[str, str]:
    return (
        say("A token is needed.", "需要令牌。"),
        say("Send it as `Authorization: Bearer TOKEN`.", "请以 `Authorization: Bearer 令牌` 发送。"),
    )


def _says_too_large(most: int) -> tuple[str, str]:
    return (
        say("The request is larger than {most} bytes.", "请求超过 {most} 字节。", most=most),
        say("Send less at once.", "请减少一次发送的内容。"),
    )


def _says_too_slow() -> tuple[str, str]:
    return (
        say("The request did not come to its end in time.", "请求未能在规定时间内传完。"),
        say("Send it again, or less at once.", "请重新发送，或减少一次发送的内容。"),
    )


def _says_content_type() -> tuple[str, str]:
    return (
        say("The request does not say that it is JSON.", "请求没有说明其内容是 JSON。"),
        say("Send `Content-Type: application/json`.", "请发送 `Content-Type: application/json`。"),
    )


def _says_too_many() -> tuple[str, str]:
    return (
        say("Too many requests.", "请求过多。"),
        say("Wait a second and try again.", "请稍候再试。"),
    )
