"""What the client raises, as errors that a person can act on. The key never appears in them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from yinju.errors import ModelError
from yinju.inference.wire import SENT
from yinju.messages import say

if TYPE_CHECKING:
    import openai

_TOO_LONG = re.compile(
    r"context[ _]?(?:length|window|size)|maximum context|too (?:long|many (?:input )?tokens)|too large|上下文|超长"
    r"|exceed\w* .{0,40}(?:context|tokens|n_ctx)", re.IGNORECASE
)  # fmt: skip


class Failure(ModelError):
    """A ModelError that knows whether the same request may be sent again, after how many seconds, and whose fault it is."""

    def __init__(
        self,
        message: str,
        hint: str,
        *,
        code: str,
        repeat: bool = False,
        after: float | None = None,
        server: bool = False,
    ) -> None:
        super().__init__(message, hint, code=code, retryable=repeat or server)
        self.repeat, self.after, self.server = repeat, after, server


def host(url: str) -> str:
    """Return host and port of a URL, without the user and password that may stand in it."""
    return urlsplit(url).netloc.rpartition("@")[2] or url


def unreachable(url: str) -> Failure:
    """No connection could be made, or it broke before the first token."""
    return Failure(
        say("{host} cannot be reached.", "无法连接 {host}。", host=host(url)),
        say("Is the server running, and is YINJU_CHAT_URL right?", "服务器在运行吗？YINJU_CHAT_URL 是否正确？"),
        code="llm-unreachable", repeat=True, server=True,
    )  # fmt: skip


def broken(url: str) -> Failure:
    """The connection broke after the first token: nothing is asked again."""
    return Failure(
        say("the connection to {host} broke in the middle.", "与 {host} 的连接中途断开。", host=host(url)),
        say("Ask again.", "请重试。"),
        code="llm-unreachable",
        server=True,
    )


def empty() -> Failure:
    """The model answered, but without a word."""
    return Failure(
        say("the model returned no text.", "模型没有返回文字。"),
        say("Ask again, or use another model.", "请重试，或换用其他模型。"),
        code="llm-empty",
    )


def only_reasoned() -> Failure:
    """All tokens went into reasoning."""
    return Failure(
        say("the model used up its tokens for reasoning.", "模型把 token 都用在了思考上。"),
        say("Switch its reasoning off, or use a model that does not reason.", "请关闭思考，或换用不思考的模型。"),
        code="llm-empty",
    )


def late(url: str, seconds: float, what: str) -> Failure:
    """A deadline passed. `what` is `first`, `next` or `whole`."""
    messages = {
        "first": say("{host} sent nothing for {seconds:.0f} s.", "{host} 在 {seconds:.0f} 秒内没有返回内容。", host=host(url), seconds=seconds),
        "next": say("{host} stopped in the middle for {seconds:.0f} s.", "{host} 中途停顿超过 {seconds:.0f} 秒。", host=host(url), seconds=seconds),
        "whole": say("{host} was not done after {seconds:.0f} s.", "{host} 在 {seconds:.0f} 秒后仍未完成。", host=host(url), seconds=seconds),
    }  # fmt: skip
    return Failure(
        messages[what],
        say("Ask again later, or use a faster model.", "请稍后重试，或换用更快的模型。"),
        code="llm-timeout",
        server=True,
    )


def of_status(error: openai.APIStatusError, url: str, model: str, key: str | None) -> Failure:
    """Return the failure for an HTTP status."""
    status, said = error.status_code, _said(error, key)
    if status in (401, 403):
        return Failure(
            say("{host} refused the key (HTTP {status}).", "{host} 拒绝了密钥（HTTP {status}）。", host=host(url), status=status),
            say("Check YINJU_CHAT_KEY.", "请检查 YINJU_CHAT_KEY。"), code="llm-auth",
        )  # fmt: skip
    if status == 404:
        return Failure(
            say("{host} has no model {model!r} (HTTP 404).", "{host} 上没有模型 {model!r}（HTTP 404）。", host=host(url), model=model),
            say("Check YINJU_CHAT_MODEL and that YINJU_CHAT_URL ends in /v1.", "请检查 YINJU_CHAT_MODEL，以及 YINJU_CHAT_URL 是否以 /v1 结尾。"),
            code="llm-model",
        )  # fmt: skip
    if status == 413 or (status in (400, 422) and _TOO_LONG.search(said)):
        return Failure(
            say("the prompt is too long for {model}.", "提示词对 {model} 来说过长。", model=model),
            say("Use fewer tokens of context (--tokens).", "请减少上下文的 token 数（--tokens）。"), code="llm-too-long",
        )  # fmt: skip
    if status == 429:
        after = _retry_after(error)
        wait = (
            say(" It asks to wait {after:.0f} s.", " 对方要求等待 {after:.0f} 秒。", after=after)
            if after is not None
            else ""
        )
        return Failure(
            say("{host} takes no more requests now (HTTP 429).", "{host} 目前请求过多（HTTP 429）。", host=host(url)) + wait,
            say("Wait, or raise the limit of your account.", "请稍候，或提高账户的限额。"), code="llm-busy", repeat=True, after=after, server=True,
        )  # fmt: skip
    if status >= 500 or status == 408:
        return Failure(
            say("{host} failed (HTTP {status}).", "{host} 出错（HTTP {status}）。", host=host(url), status=status),
            say("Ask again later, or look at the server's log.", "请稍后重试，或查看服务器日志。"),
            code="llm-server", repeat=True, after=_retry_after(error), server=True,
        )  # fmt: skip
    return Failure(
        say(
            "{host} refused the request (HTTP {status}): {said}", "{host} 拒绝了请求（HTTP {status}）：{said}",
            host=host(url), status=status, said=said,
        ),
        say("Check the model's name and settings.", "请检查模型名和设置。"), code="llm-refused",
    )  # fmt: skip


def _said(error: openai.APIStatusError, key: str | None) -> str:
    body: Any = error.body
    message = body.get("message") if isinstance(body, dict) else None
    text = " ".join(str(message or error.message).split())[:300]
    if key:
        text = text.replace(key, "…")
    text = SENT.sub(r"\1 …", text)
    return re.sub(r"\b(?:sk|pk|key)-[\w-]{6,}", "…", text)


def _retry_after(error: openai.APIStatusError) -> float | None:
    try:
        return max(0.0, float(error.response.headers.get("retry-after", "")))
    except ValueError:
        return None
