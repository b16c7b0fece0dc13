"""Embeddings from an OpenAI-compatible or Voyage endpoint, believed only after every number was looked at.

One policy for everything that goes wrong on a wire: two more tries (five where we are too fast) with growing pauses, the server's own
`Retry-After` up to 20 s, one deadline for the whole request, a limit on what an answer may weigh. Where a server takes fewer texts at a time
than we sent, the batch is halved and that is remembered. The key goes into one header and into no message.
"""

from __future__ import annotations

import hashlib
import ipaddress
import json
import random
import threading
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlsplit

from yinju.embed import http_answer
from yinju.embed.batches import batches, cut
from yinju.errors import ModelError, UsageError
from yinju.messages import say

if TYPE_CHECKING:
    import httpx

    from yinju.protocols import Vectors

Style = Literal["openai", "voyage"]
Purpose = Literal["query", "document"]
TRIES = 3
TRIES_WHEN_BUSY = 6  # where the server says that we are too fast: it works, only later
FIRST_PAUSE = 0.5  # seconds, doubled each time, plus up to half of it by chance
LONGEST_PAUSE = 20.0  # seconds that a Retry-After may ask for
CONNECT = 5.0  # seconds
LARGEST_ANSWER = 256 << 20  # bytes
_AGAIN = frozenset({408, 425, 429, 500, 502, 503, 504, 529})
_TOO_MUCH = (
    "batch",
    "too many",
    "too large",
    "too long",
    "larger than",
    "maximum",
    "exceed",
    "at most",
    "limit",
    "最大",
    "超过",
    "过长",
)


class HttpEmbedder:
    """Vectors from `url` (a base URL, usually ending in /v1) + `/embeddings`.

    `key` may be None where the server wants none. `dimensions` is asked for where given. `batch` texts and `batch_tokens` estimated tokens go into
    one request; a text over `text_tokens` is cut into pieces whose vectors are averaged, weighted by their tokens. `encoding` base64 saves
    two thirds of the way where the server knows it. `deadline` is for one request with all its tries, in seconds. Safe to use from several threads.
    Raises UsageError for a URL or key that cannot be right.
    """

    def __init__(
        self,
        url: str,
        key: str | None,
        model: str,
        *,
        style: Style = "openai",
        dimensions: int | None = None,
        query_prefix: str = "",
        passage_prefix: str = "",
        encoding: Literal["float", "base64"] = "float",
        batch: int = 64,
        batch_tokens: int = 50_000,
        text_tokens: int = 7_500,
        deadline: float = 60.0,
        trust_env: bool = True,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._url, self._host = _endpoint(url)
        self._key = _checked_key(key)
        self._model, self._style, self._dimensions = model, style, dimensions
        self._prefixes: dict[Purpose, str] = {"query": query_prefix, "document": passage_prefix}
        self._encoding = encoding
        self._batch, self._batch_tokens, self._text_tokens = max(1, batch), batch_tokens, max(1, text_tokens)
        self._deadline = deadline
        self._trust_env = trust_env and not _is_loopback(self._host)
        self._sleep = sleep
        self._lock = threading.Lock()
        self._client: httpx.Client | None = None
        self._known_dimension = dimensions

    @property
    def fingerprint(self) -> str:
        """Model, host, style, prefixes, dimensions and window rule; needs no request. The endpoint behind a name may still change: canaries."""
        facts = [self._host, self._model, self._style, self._dimensions, self._prefixes, self._text_tokens]
        digest = hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()
        return f"http/{self._model}/{digest[:16]}"

    @property
    def dimension(self) -> int:
        """Numbers in a vector; asks the endpoint once where it is not known. Raises ModelError."""
        if self._known_dimension is None:
            self.embed_queries(["dimension"])
        assert self._known_dimension is not None
        return self._known_dimension

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Return float32 (len(texts), dimension), rows of unit length, all zero for a blank text. Raises ModelError; then nothing is returned."""
        return self._embed(texts, "document")

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Return float32 (len(texts), dimension), rows of unit length, all zero for a blank text. Raises ModelError; then nothing is returned."""
        return self._embed(texts, "query")

    def close(self) -> None:
        """Close the connections. The next text opens new ones."""
        with self._lock:
            client, self._client = self._client, None
        if client is not None:
            client.close()

    def _embed(self, texts: Sequence[str], purpose: Purpose) -> Vectors:
        import numpy as np

        pieces = [(row, *piece) for row, text in enumerate(texts) for piece in cut(text, self._text_tokens)]
        vectors: list[Vectors] = []
        while len(vectors) < len(pieces):
            waiting = pieces[len(vectors) : len(vectors) + self._batch]
            count = next(batches([tokens for _row, _text, tokens in waiting], self._batch, self._batch_tokens))
            vectors.extend(
                self._send([self._prefixes[purpose] + text for _row, text, _tokens in waiting[:count]], purpose)
            )
        total = np.zeros((len(texts), self.dimension if texts else self._known_dimension or 0), np.float64)
        for (row, _text, tokens), vector in zip(pieces, vectors, strict=True):
            total[row] += max(1, tokens) * vector.astype(np.float64)
        lengths = np.linalg.norm(total, axis=1, keepdims=True)
        rows: Vectors = np.divide(total, lengths, out=np.zeros_like(total), where=lengths > 0).astype(np.float32)
        return rows

    def _send(self, texts: list[str], purpose: Purpose) -> Vectors:
        """Return the vectors of one batch; halves it where the server says that it is too much."""
        import numpy as np

        status, answer = self._post(self._body(texts, purpose))
        if status in {400, 413, 422} and len(texts) > 1 and (status == 413 or _says_too_much(answer)):
            self._batch = middle = len(texts) // 2
            return np.concatenate([self._send(texts[:middle], purpose), self._send(texts[middle:], purpose)])
        if status != 200:
            raise self._refusal(status, answer)
        rows = http_answer.vectors(answer, len(texts), self._known_dimension)
        self._known_dimension = rows.shape[1]
        return rows

    def _body(self, texts: list[str], purpose: Purpose) -> dict[str, Any]:
        body: dict[str, Any] = {"model": self._model, "input": texts}
        if self._encoding == "base64":
            body["encoding_format"] = "base64"
        if self._style == "voyage":
            body |= {"input_type": purpose, "output_dtype": "float"}
        if self._dimensions is not None:
            body["output_dimension" if self._style == "voyage" else "dimensions"] = self._dimensions
        return body

    def _post(self, body: dict[str, Any]) -> tuple[int, bytes]:
        """Return status and body of the answer, after some tries within the deadline. Raises ModelError where no answer came."""
        end = time.monotonic() + self._deadline
        for attempt in range(TRIES_WHEN_BUSY):
            last = attempt >= TRIES - 1
            pause = FIRST_PAUSE * 2**attempt * (1 + random.random() / 2)  # noqa: S311  no secret
            try:
                status, answer, asked = self._once(body, end)
            except ModelError as error:
                if last or not error.retryable or time.monotonic() + pause >= end:
                    raise
            else:
                if status == 200 and http_answer.is_busy(answer):
                    status = 429  # some services say it in the body only
                pause = pause if asked is None else asked
                last = attempt == TRIES_WHEN_BUSY - 1 if status == 429 else last
                if status not in _AGAIN or last or pause > LONGEST_PAUSE or time.monotonic() + pause >= end:
                    return status, answer
            self._sleep(pause)
        raise AssertionError("the last try returns or raises")

    def _once(self, body: dict[str, Any], end: float) -> tuple[int, bytes, float | None]:
        import httpx

        left = max(0.1, end - time.monotonic())
        timeout = httpx.Timeout(left, connect=min(CONNECT, left))
        content = json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")  # lone surrogates become "?"
        try:
            with self._opened().stream("POST", self._url, content=content, timeout=timeout) as response:
                parts, size = [], 0
                for part in response.iter_bytes():
                    size += len(part)
                    if size > LARGEST_ANSWER or time.monotonic() > end:
                        raise self._trouble("timeout" if size <= LARGEST_ANSWER else "bad-response")
                    parts.append(part)
                return (
                    response.status_code,
                    b"".join(parts),
                    http_answer.retry_after(response.headers.get("retry-after")),
                )
        except httpx.TimeoutException as error:
            raise self._trouble("timeout") from error
        except httpx.TransportError as error:
            raise self._trouble("unreachable") from error
        except httpx.HTTPError as error:
            raise self._trouble("bad-response") from error

    def _opened(self) -> httpx.Client:
        import httpx

        with self._lock:
            if self._client is None:
                headers = {"content-type": "application/json", "accept": "application/json"}
                if self._key:
                    headers["authorization"] = f"Bearer {self._key}"
                # Plain HTTP without a proxy needs no certificates, which take a tenth of a second to load.
                certificates = self._trust_env or self._url.startswith("https:")
                self._client = httpx.Client(headers=headers, trust_env=self._trust_env, verify=certificates)
            return self._client

    def _trouble(self, code: str) -> ModelError:
        messages = {
            "timeout": say(
                "The embedding endpoint {host} did not answer in time", "向量接口 {host} 未按时应答", host=self._host
            ),
            "unreachable": say(
                "The embedding endpoint {host} cannot be reached", "无法连接向量接口 {host}", host=self._host
            ),
        }
        fallback = say(
            "The embedding endpoint {host} gave no usable answer", "向量接口 {host} 的应答不可用", host=self._host
        )
        hint = say("Check YINJU_EMBED_URL and the network.", "请检查 YINJU_EMBED_URL 与网络。")
        return ModelError(messages.get(code, fallback), hint, code=code, retryable=code in messages)

    def _refusal(self, status: int, answer: bytes) -> ModelError:
        said = http_answer.complaint(answer, hide=self._key)
        host = f"{self._host} ({status}{': ' + said if said else ''})"
        if status in {401, 403}:
            message = say("The embedding endpoint refused the key: {host}", "向量接口拒绝了密钥：{host}", host=host)
            return ModelError(message, say("Check YINJU_EMBED_KEY.", "请检查 YINJU_EMBED_KEY。"), code="auth")
        if status == 404:
            message = say(
                "The endpoint has no embeddings or not this model: {host}",
                "该接口没有向量服务或没有此模型：{host}",
                host=host,
            )
            hint = say(
                "Check YINJU_EMBED_URL (ending in /v1) and YINJU_EMBED_MODEL.",
                "请检查 YINJU_EMBED_URL（以 /v1 结尾）与 YINJU_EMBED_MODEL。",
            )
            return ModelError(message, hint, code="no-embeddings")
        message = say("The embedding endpoint refused the request: {host}", "向量接口拒绝了请求：{host}", host=host)
        if status in _AGAIN:
            hint = say(
                "Try again later; until then questions are answered by words.", "请稍后再试；在此之前按词语检索。"
            )
            return ModelError(message, hint, code="rate-limited" if status == 429 else "unavailable", retryable=True)
        return ModelError(
            message, say("Check the model's name and limits.", "请检查模型名称与限制。"), code="bad-request"
        )


def _endpoint(url: str) -> tuple[str, str]:
    """Return the address to post to, and host and port as people may see them (a URL can hold a password)."""
    try:
        parts = urlsplit(url.strip())
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port, parts = None, None, urlsplit("")
    if parts.scheme not in {"http", "https"} or not host or parts.query or parts.fragment:
        raise UsageError(
            say("The URL of the embedding endpoint is not usable", "向量接口的 URL 不可用"),
            say(
                "Give a base URL such as https://api.example.com/v1", "请给出形如 https://api.example.com/v1 的基础 URL"
            ),
        )
    address = url.strip().rstrip("/").removesuffix("/embeddings").rstrip("/") + "/embeddings"
    return address, host if port is None else f"{host}:{port}"


def _checked_key(key: str | None) -> str | None:
    stripped = (key or "").strip()
    if not stripped.isascii() or not stripped.isprintable():
        raise UsageError(
            say("The key of the embedding endpoint holds characters that no key has", "向量接口的密钥含有不可能的字符"),
            say("Check YINJU_EMBED_KEY.", "请检查 YINJU_EMBED_KEY。"),
        )
    return stripped or None


def _is_loopback(host: str) -> bool:
    """Tell whether a proxy would be the wrong way to this host."""
    name = urlsplit(f"//{host}").hostname or host
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return name == "localhost" or name.endswith(".localhost")


def _says_too_much(answer: bytes) -> bool:
    said = http_answer.complaint(answer).lower()
    return any(word in said for word in _TOO_MUCH)
