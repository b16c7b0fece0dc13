"""The library as a chat model: `/v1/chat/completions` and `/v1/models`, so that any program for OpenAI's API can ask the documents.

What their shape has no room for stands beside it under names of ours, and clients that do not know them pass them over: `citations` (as in
`ask --json`), `refused`, `evidence`, `reason`, `failure`, `steps`; in a stream on the last piece.
Source of the shape: OpenAI's API reference, Chat Completions.

Where a model was to answer and gave no text, the status says so (502, 503, 504) with the code of the failure, and what the passages say stands
beside the error: a program that takes any text for the model's would not notice otherwise. A stream has sent its status before; its last piece
names the `failure`.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import AsyncIterator
from typing import Any, Literal

from fastapi import APIRouter
from fastapi.responses import JSONResponse, Response, StreamingResponse
from pydantic import BaseModel, ConfigDict, Field, model_validator

from yinju.errors import ModelError, UsageError, YinjuError
from yinju.messages import say
from yinju.text.tokens import estimate
from yinju.types import Answer, as_plain
from yinju.web import errors
from yinju.web.asking import AskRequest, Limits, last_part, parts
from yinju.web.events import data_only, with_pings
from yinju.web.finding import LONGEST_QUESTION, Rewrite, Turn, Yes
from yinju.web.state import Served, State

router = APIRouter(prefix="/v1", tags=["openai"])
MODEL = "yinju"
OURS_TO_CHOOSE = frozenset(
    (
        "api_base", "api_key", "api_type", "api_url", "base_url", "chat_url", "embed_url", "endpoint", "extra_body", "extra_headers", "headers",
        "library", "model_path", "proxies", "proxy", "trust_remote_code",
    )
)  # fmt: skip
EXTRACTIVE = "extractive"  # the `model` of an answer that no language model wrote


class Part(BaseModel):
    """One part of a message; only text is read."""

    type: str = Field(max_length=100)
    text: str | None = Field(default=None, max_length=100_000)


class ChatMessage(BaseModel):
    """One message. Tool messages and names are passed over."""

    role: Literal["system", "developer", "user", "assistant", "tool"]
    content: str | list[Part] | None = Field(default=None, max_length=100_000)


class StreamOptions(BaseModel):
    """What a stream is to hold besides the text."""

    include_usage: Yes = False


class ChatRequest(BaseModel):
    """A chat completion. Fields that are not named here (temperature, seed, tools, ...) are ignored: they have no bearing on what documents say."""

    model_config = ConfigDict(extra="ignore")

    @model_validator(mode="before")
    @classmethod
    def _names_no_endpoint(cls, given: Any) -> Any:
        """Refuse what would choose a server, a key or a file of ours, where somebody takes this for a proxy that heeds it."""
        wrong = sorted(OURS_TO_CHOOSE & {str(key).lower() for key in given}) if isinstance(given, dict) else []
        if wrong:
            raise ValueError(f"{wrong[0]} is not for a request to choose")
        return given

    model: str = Field(max_length=200)
    messages: list[ChatMessage] = Field(min_length=1, max_length=200)
    n: int | None = Field(default=None, json_schema_extra={"enum": [1, None]})  # one answer to a question
    stream: Yes = False
    stream_options: StreamOptions | None = None
    # ours, as in /api/ask
    agent: Yes | Limits = False
    rewrite: Rewrite = None
    prefer: Literal["newest"] | None = None
    unsupported: Literal["mark", "remove"] | None = None
    check: Yes | None = None


class _Completion:
    """One answer on its way into OpenAI's shapes."""

    def __init__(self, asked: AskRequest) -> None:
        self._asked = asked
        self._head = {"id": f"chatcmpl-{uuid.uuid4().hex}", "created": int(time.time()), "model": MODEL}

    def whole(self, answer: Answer) -> dict[str, Any]:
        message = {"role": "assistant", "content": answer.text}
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": _finish(answer)}
        return {
            **self._head, "object": "chat.completion", "choices": [choice], "usage": self.usage(answer), **_ours(answer)
        }  # fmt: skip

    def piece(self, delta: dict[str, Any], finish: str | None = None, **more: Any) -> str:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
        return data_only({**self._head, "object": "chat.completion.chunk", "choices": [choice], **more})

    def usage_piece(self, answer: Answer) -> str:
        return data_only(
            {**self._head, "object": "chat.completion.chunk", "choices": [], "usage": self.usage(answer)}
        )  # fmt: skip

    def usage(self, answer: Answer) -> dict[str, int]:
        """Estimates: sizes in our own tokens of the question with its passages, and of the answer."""
        asked = estimate(self._asked.question) + (answer.context.tokens if answer.context else 0)
        said = estimate(answer.text)
        return {"prompt_tokens": asked, "completion_tokens": said, "total_tokens": asked + said}


@router.get("/models")
async def models() -> dict[str, Any]:
    """List the one model that there is."""
    return {"object": "list", "data": [{"id": MODEL, "object": "model", "created": 0, "owned_by": "yinju"}]}


@router.post("/chat/completions", response_model=None)
async def chat_completions(asked: ChatRequest, served: Served) -> Response:
    """Answer the last user message from the documents; earlier messages are the conversation, system messages role and tone."""
    if asked.model != MODEL:
        raise UsageError(
            say("There is no model {name!r}.", "没有模型 {name!r}。", name=asked.model[:100]),
            say("Use {name!r}.", "请使用 {name!r}。", name=MODEL),
            code="no-model",
        )
    if asked.n not in (None, 1):
        error = UsageError(
            say("There is one answer to a question: n has to be 1.", "每个问题只有一个回答：n 必须为 1。"),
            say("Leave n out.", "请去掉 n。"),
            code="one-answer",
        )
        return JSONResponse(errors.shape(error), 400)
    question = _question(asked)
    completion = _Completion(question)
    if not asked.stream:
        answer = await served.work.run(lambda: last_part(parts(served, question, lambda: False)))
        return (
            _failed(answer) if answer.failure and answer.model == EXTRACTIVE else JSONResponse(completion.whole(answer))
        )
    with_usage = asked.stream_options is not None and asked.stream_options.include_usage
    return StreamingResponse(
        with_pings(_pieces(served, question, completion, with_usage)), media_type="text/event-stream"
    )


def _failed(answer: Answer) -> JSONResponse:
    """Return the error of a model that gave no text, with what the passages say: `text` and the fields of an answer."""
    assert answer.failure is not None
    message = " ".join(answer.notices) or say("No answer from the model.", "模型没有回答。")
    hint = say("What the passages say stands in `text`.", "段落所述在 `text` 中。")
    error = ModelError(message, hint, code=answer.failure)
    body = {**errors.shape(error), "text": answer.text, **_ours(answer)}
    return errors.response(error, body)


async def _pieces(served: State, asked: AskRequest, completion: _Completion, with_usage: bool) -> AsyncIterator[str]:
    yield completion.piece({"role": "assistant", "content": ""})
    try:
        async for part in served.work.stream(lambda cancelled: parts(served, asked, cancelled)):
            if isinstance(part, str):
                yield completion.piece({"content": part})
            elif isinstance(part, Answer):
                yield completion.piece({}, _finish(part), **_ours(part))
                if with_usage:
                    yield completion.usage_piece(part)
    except YinjuError as error:
        yield data_only(errors.shape(error))
    yield "data: [DONE]\n\n"


def _question(asked: ChatRequest) -> AskRequest:
    """Return what the messages ask. Raises UsageError where no user does."""
    said = [(message.role, _text(message.content).strip()) for message in asked.messages]
    last = next((place for place in range(len(said) - 1, -1, -1) if said[place][0] == "user" and said[place][1]), None)
    if last is None:
        raise UsageError(
            say("No message of a user holds text.", "没有包含文字的用户消息。"),
            say("The last user message is the question.", "最后一条用户消息就是问题。"),
        )
    if len(said[last][1]) > LONGEST_QUESTION:
        raise UsageError(
            say("The question is longer than {most} characters.", "问题超过 {most} 个字符。", most=LONGEST_QUESTION),
            say("Ask with fewer words.", "请缩短问题。"),
        )
    history = [
        Turn(role="user" if role == "user" else "assistant", content=text)
        for role, text in said[:last]
        if text and role in ("user", "assistant")
    ]
    system = "\n".join(text for role, text in said if role in ("system", "developer"))[:4_000] or None
    return AskRequest(
        question=said[last][1], history=history[-100:], system=system, agent=asked.agent, rewrite=asked.rewrite, prefer=asked.prefer,
        unsupported=asked.unsupported, check=asked.check,
    )  # fmt: skip


def _text(content: str | list[Part] | None) -> str:
    if isinstance(content, list):
        return "\n".join(part.text or "" for part in content)
    return content or ""


def _finish(answer: Answer) -> str:
    return "stop" if answer.complete else "length"


def _ours(answer: Answer) -> dict[str, Any]:
    return {
        "citations": as_plain(answer.citations), "refused": answer.refused, "evidence": answer.evidence, "reason": answer.reason,
        "failure": answer.failure, "steps": as_plain(answer.steps),
    }  # fmt: skip
