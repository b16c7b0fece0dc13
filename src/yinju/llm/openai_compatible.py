"""A chat model behind any server that speaks the OpenAI chat API: hosted, or llama.cpp, Ollama, vLLM, LM Studio on this machine.

The `openai` client builds requests and knows statuses; patience is ours: one retry loop, only before the first token, and deadlines for
connection, first token, next token and whole answer. A stream that ends without a finish reason stays without one. No redirect is
followed, since a prompt goes to the configured address and to no other, and no proxy is used to reach this machine.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import cached_property
from typing import Any

from yinju.errors import UsageError
from yinju.inference import wire
from yinju.inference.endpoint import is_loopback
from yinju.llm import faults
from yinju.llm.faults import Failure
from yinju.llm.fetch import Broken, Cancelled, Fetch, watch
from yinju.llm.limits import Circuit, Limits
from yinju.llm.presets import Preset, names, preset
from yinju.llm.reading import Reading
from yinju.llm.tool_calls import ToolCalls, as_body
from yinju.messages import say
from yinju.protocols import ChatPart, Message

WINDOW = 32_768  # tokens, where nobody says
_TICK = 0.1


class OpenAICompatible:
    """`url` is the API's base (it ends in /v1) or the name of a preset, `key` may be None for servers that want none.

    `context_tokens` is the model's window; without it the preset's, else 32,768. Raises UsageError for a URL that is none.
    """

    def __init__(
        self, url: str, key: str | None, model: str, *, context_tokens: int | None = None, limits: Limits | None = None
    ) -> None:
        self._preset = preset(url) or Preset(url)
        url = self._preset.url
        if not url.startswith(("http://", "https://")):
            raise UsageError(
                say(
                    "The chat URL must start with http:// or https://.", "聊天接口地址必须以 http:// 或 https:// 开头。"
                ),
                say(
                    "Example: http://127.0.0.1:11434/v1, or a name: {names}",
                    "例如：http://127.0.0.1:11434/v1，或名称：{names}",
                    names=names(),
                ),
            )
        address, self._login = wire.login(url.rstrip("/"))
        self._url, self._key, self._model = address, key or None, model
        self._context_tokens = context_tokens or self._preset.context_tokens or WINDOW
        self._limits = limits or Limits()
        self._circuit = Circuit()
        self._length_name: str = self._preset.length_name
        self._open_client: Any = None
        self._opening = threading.Lock()

    def __repr__(self) -> str:
        return f"OpenAICompatible({faults.host(self._url)!r}, model={self._model!r})"

    @property
    def name(self) -> str:
        """The model's name."""
        return self._model

    @property
    def context_tokens(self) -> int:
        """The window for prompt and answer together."""
        return self._context_tokens

    def stream(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int = 1024,
        tools: Sequence[Mapping[str, Any]] | None = None,
        response_format: Mapping[str, Any] | None = None,
        cancel: Callable[[], bool] | None = None,
    ) -> Iterator[ChatPart]:
        """Yield the answer as it comes, without reasoning; the last part has the calls of tools that were offered.

        `cancel` is asked ten times a second. Raises ModelError with one of the codes llm-unreachable, -timeout, -auth, -model, -too-long,
        -busy, -server, -refused, -bad-response, -empty, -error, -paused.
        """
        self._circuit.check()
        end = time.monotonic() + self._limits.whole
        body: dict[str, Any] = {"messages": [as_body(message) for message in messages]}
        body |= {"tools": list(tools)} if tools else {}
        body |= {"response_format": dict(response_format)} if response_format else {}
        attempt = 0
        while True:
            begun = False
            try:
                for part in self._once(body, max_tokens, end, cancel):
                    begun = True
                    yield part
            except Cancelled:
                return
            except Failure as failure:
                if failure.code == "llm-length-name" and self._length_name == "max_tokens":
                    self._length_name = "max_completion_tokens"
                    continue
                wait = self._wait(failure, attempt, end)
                if begun or wait is None:
                    if failure.server:
                        self._circuit.failed()
                    raise
                if not _slept(wait, cancel):
                    return
                attempt += 1
            else:
                self._circuit.succeeded()
                return

    def _wait(self, failure: Failure, attempt: int, end: float) -> float | None:
        """Return how long to wait before the next attempt, None where there is none."""
        if not failure.repeat or attempt >= self._limits.retries:
            return None
        if failure.after is not None and failure.after > self._limits.retry_after:
            return None
        wait = self._limits.backoff * 2**attempt * random.uniform(0.75, 1.25)  # noqa: S311  spreads requests, guards nothing
        wait = max(wait, failure.after or 0.0)
        return wait if time.monotonic() + wait < end else None

    def _once(
        self, body: dict[str, Any], max_tokens: int, end: float, cancel: Callable[[], bool] | None
    ) -> Iterator[ChatPart]:
        import openai

        began = time.monotonic()
        fetch = Fetch(lambda: self._request(body, max_tokens), cancel)
        calls = ToolCalls() if body.get("tools") else None
        reading = Reading(fetch, self._url, self._limits, max_tokens, began, end, self._preset.reasoning_tokens, calls)
        try:
            yield from reading.parts()
        except openai.APITimeoutError as error:
            if time.monotonic() - began <= self._limits.connect + 1:
                raise faults.unreachable(self._url) from error
            raise faults.late(self._url, self._limits.first_token, "first") from error
        except openai.APIStatusError as error:
            raise self._of_status(error) from None
        except (openai.OpenAIError, OSError, Broken):
            raise (faults.broken if reading.text_seen else faults.unreachable)(self._url) from None
        finally:
            fetch.close()

    def _request(self, body: dict[str, Any], max_tokens: int) -> AbstractContextManager[Any]:
        limits = {self._length_name: max_tokens + self._preset.reasoning_tokens}
        create: Any = self._client().chat.completions.with_streaming_response.create
        request: AbstractContextManager[Any] = create(
            model=self._model,
            stream=True,
            extra_headers=self._headers,
            extra_body=dict(self._preset.extra),
            **body,
            **limits,
        )
        return request

    def close(self) -> None:
        """Close the connections. The next question opens new ones."""
        with self._opening:
            client, self._open_client = self._open_client, None
        if client is not None:
            client.close()

    def _client(self) -> Any:
        import openai

        limits = self._limits
        with self._opening:
            if self._open_client is None:
                timeout = openai.Timeout(limits.first_token, connect=limits.connect)
                local = is_loopback(faults.host(self._url))
                http = openai.DefaultHttpxClient(
                    timeout=timeout, follow_redirects=False, trust_env=not local, event_hooks={"request": [watch]}, auth=self._login,
                    verify=not (local and self._url.startswith("http:")),
                )  # fmt: skip
                self._open_client = openai.OpenAI(
                    api_key=self._key or "none", base_url=self._url, max_retries=0, timeout=timeout, http_client=http
                )
            return self._open_client

    @cached_property
    def _headers(self) -> dict[str, Any]:
        """What the environment holds for another service must not be sent to this one; and no key where we have none."""
        import openai

        headers: dict[str, Any] = {
            "OpenAI-Organization": openai.omit, "OpenAI-Project": openai.omit,
            "Connection": "close",  # each request has a connection of its own, which can be ended without harm to another
        }  # fmt: skip
        return headers if self._key else {**headers, "Authorization": openai.omit}

    def _of_status(self, error: Any) -> Failure:
        failure = faults.of_status(error, self._url, self._model, self._key)
        if error.status_code == 400 and "max_completion_tokens" in failure.message:
            return Failure(failure.message, failure.hint or "", code="llm-length-name")
        if failure.code == "llm-model" and (names := self._available()):
            failure.hint = say("It has: {names}.", "可用的模型：{names}。", names=names)
        return failure

    def _available(self) -> str:
        """Return the first names of models that the server lists, or nothing."""
        import openai

        try:
            listed = (
                self._client().with_options(timeout=self._limits.connect).models.list(extra_headers=self._headers).data
            )
            return ", ".join(sorted(str(model.id) for model in listed)[:8])
        except (openai.OpenAIError, AttributeError, TypeError):
            return ""


def _slept(seconds: float, cancel: Callable[[], bool] | None) -> bool:
    """Sleep; return False as soon as the asker has gone."""
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        if cancel is not None and cancel():
            return False
        time.sleep(min(left, _TICK))
    return True
