"""One endpoint, and one policy for everything that goes wrong on a wire.

Two more tries (five where we are too fast) with growing pauses, the server's own `Retry-After` up to 20 s, one deadline for the whole
request, a limit on what an answer may weigh. The key goes into one header and into no message.
"""

from __future__ import annotations

import ipaddress
import json
import random
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from yinju.errors import ModelError, UsageError
from yinju.inference import wire
from yinju.messages import say

if TYPE_CHECKING:
    import httpx

TRIES = 3
TRIES_WHEN_BUSY = 6  # where the server says that we are too fast: it works, only later
FIRST_PAUSE = 0.5  # seconds, doubled each time, plus up to half of it by chance
LONGEST_PAUSE = 20.0  # seconds that a Retry-After may ask for
CONNECT = 5.0  # seconds
LARGEST_ANSWER = 256 << 20  # bytes
_AGAIN = frozenset({408, 425, 429, 500, 502, 503, 504, 529})


@dataclass(frozen=True, slots=True)
class Names:
    """How people are told about an endpoint: what it is, its environment variables (`YINJU_EMBED` + `_URL`), what happens without it."""

    english: str
    chinese: str
    variable: str
    path: str  # what is posted to, such as `embeddings`
    without_english: str
    without_chinese: str

    @property
    def what(self) -> str:
        """The name of the endpoint in the language of messages."""
        return say(self.english, self.chinese)

    @property
    def without(self) -> str:
        """What to do while it does not work."""
        return say(self.without_english, self.without_chinese)


class Endpoint:
    """Posts JSON to one address. `deadline`: seconds for one request with all its tries. Safe to use from several threads.

    Raises UsageError for a URL or key that cannot be right.
    """

    def __init__(
        self,
        names: Names,
        address: str,
        key: str | None,
        *,
        deadline: float,
        trust_env: bool = True,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._names = names
        self.host = checked_host(names, address)
        self.address, self._login = wire.login(address.strip())
        self._key = _checked_key(names, key)
        self._deadline = deadline
        self._trust_env = trust_env and not is_loopback(self.host)
        self._sleep = sleep
        self._lock = threading.Lock()
        self._client: httpx.Client | None = None

    def close(self) -> None:
        """Close the connections. The next request opens new ones."""
        with self._lock:
            client, self._client = self._client, None
        if client is not None:
            client.close()

    def post(self, body: dict[str, Any], end: float | None = None) -> tuple[int, bytes]:
        """Return status and body of the answer, after some tries within the deadline (or until `end`, of `time.monotonic`).

        Raises ModelError where no answer came.
        """
        latest = time.monotonic() + self._deadline
        end = latest if end is None else min(end, latest)
        for attempt in range(TRIES_WHEN_BUSY):
            last = attempt >= TRIES - 1
            pause = FIRST_PAUSE * 2**attempt * (1 + random.random() / 2)  # noqa: S311  no secret
            try:
                status, answer, asked = self._once(body, end)
            except ModelError as error:
                if last or not error.retryable or time.monotonic() + pause >= end:
                    raise
            else:
                if status == 200 and wire.is_busy(answer):
                    status = 429  # some services say it in the body only
                pause = pause if asked is None else asked
                last = attempt == TRIES_WHEN_BUSY - 1 if status == 429 else last
                if status not in _AGAIN or last or pause > LONGEST_PAUSE or time.monotonic() + pause >= end:
                    return status, answer
            self._sleep(pause)
        raise AssertionError("the last try returns or raises")

    def refusal(self, status: int, answer: bytes) -> ModelError:
        """Return the error for an answer that is none."""
        names = self._names
        said = wire.complaint(answer, hide=self._key)
        host = f"{self.host} ({status}{': ' + said if said else ''})"
        if status in {401, 403}:
            return ModelError(
                say("The {what} refused the key: {host}", "{what}拒绝了密钥：{host}", what=names.what, host=host),
                say("Check {variable}_KEY.", "请检查 {variable}_KEY。", variable=names.variable),
                code="auth",
            )
        if status == 404 or 300 <= status < 400:
            return ModelError(
                say(
                    "The endpoint has no {path} or not this model: {host}",
                    "该接口没有 {path} 服务或没有此模型：{host}",
                    path=names.path,
                    host=host,
                ),
                say(
                    "Check {variable}_URL (mostly ending in /v1) and {variable}_MODEL.",
                    "请检查 {variable}_URL（通常以 /v1 结尾）与 {variable}_MODEL。",
                    variable=names.variable,
                ),
                code=f"no-{names.path}",
            )
        message = say("The {what} refused the request: {host}", "{what}拒绝了请求：{host}", what=names.what, host=host)
        if status in _AGAIN:
            code = "rate-limited" if status == 429 else "unavailable"
            return ModelError(message, names.without, code=code, retryable=True)
        return ModelError(
            message, say("Check the model's name and limits.", "请检查模型名称与限制。"), code="bad-request"
        )

    def trouble(self, code: str) -> ModelError:
        """Return the error for no answer (`timeout`, `unreachable`) or for one that cannot be read."""
        names = self._names
        messages = {
            "timeout": say(
                "The {what} {host} did not answer in time", "{what} {host} 未按时应答", what=names.what, host=self.host
            ),
            "unreachable": say(
                "The {what} {host} cannot be reached", "无法连接{what} {host}", what=names.what, host=self.host
            ),
        }
        fallback = say(
            "The {what} {host} gave no usable answer", "{what} {host} 的应答不可用", what=names.what, host=self.host
        )
        hint = say("Check {variable}_URL and the network.", "请检查 {variable}_URL 与网络。", variable=names.variable)
        return ModelError(messages.get(code, fallback), hint, code=code, retryable=code in messages)

    def _once(self, body: dict[str, Any], end: float) -> tuple[int, bytes, float | None]:
        import httpx

        left = max(0.1, end - time.monotonic())
        timeout = httpx.Timeout(left, connect=min(CONNECT, left))
        content = json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")  # lone surrogates become "?"
        try:
            with self._opened().stream("POST", self.address, content=content, timeout=timeout) as response:
                parts, size = [], 0
                for part in response.iter_bytes():
                    size += len(part)
                    if size > LARGEST_ANSWER or time.monotonic() > end:
                        raise self.trouble("timeout" if size <= LARGEST_ANSWER else "bad-response")
                    parts.append(part)
                asked = wire.retry_after(response.headers.get("retry-after"))
                return response.status_code, b"".join(parts), asked
        except httpx.TimeoutException as error:
            raise self.trouble("timeout") from error
        except httpx.TransportError as error:
            raise self.trouble("unreachable") from error
        except httpx.HTTPError as error:
            raise self.trouble("bad-response") from error

    def _opened(self) -> httpx.Client:
        import httpx

        with self._lock:
            if self._client is None:
                headers = {"content-type": "application/json", "accept": "application/json"}
                if self._key:
                    headers["authorization"] = f"Bearer {self._key}"
                # Plain HTTP without a proxy needs no certificates, which take a tenth of a second to load.
                certificates = self._trust_env or self.address.startswith("https:")
                self._client = httpx.Client(
                    headers=headers, auth=self._login, trust_env=self._trust_env, verify=certificates
                )  # fmt: skip
            return self._client


def checked_host(names: Names, url: str) -> str:
    """Return host and port of a URL as people may see them (a URL can hold a password). Raises UsageError for one that cannot be right."""
    try:
        parts = urlsplit(url.strip())
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port, parts = None, None, urlsplit("")
    if parts.scheme not in {"http", "https"} or not host or parts.query or parts.fragment:
        raise UsageError(
            say("The URL of the {what} is not usable", "{what}的 URL 不可用", what=names.what),
            say(
                "Give a base URL such as https://api.example.com/v1", "请给出形如 https://api.example.com/v1 的基础 URL"
            ),
        )
    return host if port is None else f"{host}:{port}"


def _checked_key(names: Names, key: str | None) -> str | None:
    stripped = (key or "").strip()
    if not stripped.isascii() or not stripped.isprintable():
        raise UsageError(
            say(
                "The key of the {what} holds characters that no key has",
                "{what}的密钥含有不可能的字符",
                what=names.what,
            ),
            say("Check {variable}_KEY.", "请检查 {variable}_KEY。", variable=names.variable),
        )
    return stripped or None


def is_loopback(host: str) -> bool:
    """Tell whether a proxy would be the wrong way to this host."""
    name = urlsplit(f"//{host}").hostname or host
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return name == "localhost" or name.endswith(".localhost")
