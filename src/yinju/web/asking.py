"""The route that answers: as one JSON document, or as events while the answer is made. A reader who leaves stops the model."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from typing import Annotated, Literal

from fastapi import APIRouter
from fastapi.responses import JSONResponse, Response, StreamingResponse
from pydantic import BaseModel, ConfigDict, Field

from yinju.errors import YinjuError
from yinju.types import Answer, Citation, Step, as_plain
from yinju.web import errors
from yinju.web.events import event, with_pings
from yinju.web.finding import NUMBER, Asked, History, Rewrite, Share, Text, Yes, turns
from yinju.web.state import Served, State

router = APIRouter(prefix="/api", tags=["ask"])


class Limits(BaseModel):
    """When an agent is ended: model calls, tool calls in all and in one round, tokens that tools may return, seconds."""

    model_config = ConfigDict(extra="forbid")
    rounds: Annotated[int, Field(ge=1, le=100), NUMBER] = 8
    calls: Annotated[int, Field(ge=1, le=1_000), NUMBER] = 24
    calls_each: Annotated[int, Field(ge=1, le=100), NUMBER] = 6
    tokens: Annotated[int, Field(ge=1, le=1_000_000), NUMBER] = 16_000
    seconds: Annotated[float, Field(gt=0, le=3_600), NUMBER] = 120.0


class AskRequest(Asked):
    """A question, what was said before it, and how to answer."""

    question: Text
    history: History
    tokens: Annotated[int, Field(ge=50, le=100_000), NUMBER] | None = None
    refuse_below: Share | None = None
    system: str | None = Field(default=None, max_length=4_000)
    widen: Literal["none", "neighbours", "section"] = "none"
    rewrite: Rewrite = None
    prefer: Literal["newest"] | None = Field(default=None, description="of documents that disagree")
    unsupported: Literal["mark", "remove"] | None = Field(default=None, description="sentences that no passage proves")
    check: Yes | None = Field(
        default=None, description="let the model check its own wording once more; null: as the settings say"
    )  # fmt: skip
    agent: Yes | Limits = Field(default=False, description="let the model look further with tools")
    stream: Yes = Field(
        default=False, description="answer with server-sent events: text, citation, step, answer, error"
    )


@router.post("/ask", response_model=None)
async def ask(asked: AskRequest, served: Served) -> Response:
    """Answer with verified citations, or refuse."""
    if not asked.stream:
        return JSONResponse(as_plain(await served.work.run(lambda: last_part(parts(served, asked, lambda: False)))))
    return StreamingResponse(with_pings(_events(served, asked)), media_type="text/event-stream")


def parts(served: State, asked: AskRequest, cancelled: Callable[[], bool]) -> Iterator[str | Citation | Step | Answer]:
    """Return the parts of the answer as the library makes them."""
    from yinju.answer import AgentLimits

    agent = AgentLimits(**asked.agent.model_dump()) if isinstance(asked.agent, Limits) else asked.agent
    return served.library.ask_stream(
        asked.question, turns(asked.history), limit=asked.limit, mode=asked.mode, where=asked.where, min_score=asked.min_score,
        tokens=asked.tokens, refuse_below=asked.refuse_below, system=asked.system, cancel=cancelled, per_document=asked.per_document,
        widen=asked.widen, rewrite=asked.rewrite, prefer=asked.prefer, unsupported=asked.unsupported, agent=agent,
        check=asked.check,
    )  # fmt: skip


def last_part(found: Iterator[str | Citation | Step | Answer]) -> Answer:
    """Return the whole answer, the last of its parts."""
    *_, last = found
    assert isinstance(last, Answer)
    return last


async def _events(served: State, asked: AskRequest) -> AsyncIterator[str]:
    """Yield the answer as events. What goes wrong after the first is an event, too: the status has long been sent."""
    try:
        async for part in served.work.stream(lambda cancelled: parts(served, asked, cancelled)):
            if isinstance(part, str):
                yield event("text", {"text": part})
            else:
                yield event(type(part).__name__.lower(), as_plain(part))  # citation, step, answer
    except YinjuError as error:
        yield event("error", errors.shape(error))
