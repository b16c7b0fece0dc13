"""The route that answers: as one JSON document, or as events while the answer is made. A reader who leaves stops the model."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from typing import Annotated, Literal

from fastapi import APIRouter
from fastapi.responses import JSONResponse, Response, StreamingResponse
from pydantic import BaseModel, ConfigDict, Field

from yinju.errors import YinjuError
from yinju.types import Answer, Citation, as_plain
from yinju.web import errors
from yinju.web.events import event, with_pings
from yinju.web.finding import Asked, Text
from yinju.web.state import Served, State

router = APIRouter(prefix="/api", tags=["ask"])


class Turn(BaseModel):
    """One earlier turn of a conversation."""

    model_config = ConfigDict(extra="forbid")
    role: Literal["user", "assistant"]
    content: Annotated[str, Field(max_length=100_000)]


class AskRequest(Asked):
    """A question, what was said before it, and how to answer."""

    question: Text
    history: list[Turn] = Field(default_factory=list, max_length=100)
    tokens: int | None = Field(default=None, ge=50, le=100_000)
    refuse_below: float | None = Field(default=None, ge=0, le=1)
    system: str | None = Field(default=None, max_length=4_000)
    widen: Literal["none", "neighbours", "section"] = "none"
    stream: bool = Field(default=False, description="answer with server-sent events: text, citation, answer, error")


@router.post("/ask", response_model=None)
async def ask(asked: AskRequest, served: Served) -> Response:
    """Answer with verified citations, or refuse."""
    if not asked.stream:
        return JSONResponse(as_plain(await served.work.run(lambda: last_part(parts(served, asked, lambda: False)))))
    return StreamingResponse(with_pings(_events(served, asked)), media_type="text/event-stream")


def parts(served: State, asked: AskRequest, cancelled: Callable[[], bool]) -> Iterator[str | Citation | Answer]:
    """Return the parts of the answer as the library makes them."""
    return served.library.ask_stream(
        asked.question, [turn.model_dump() for turn in asked.history], limit=asked.limit, mode=asked.mode,
        where=asked.where, min_score=asked.min_score, tokens=asked.tokens, refuse_below=asked.refuse_below,
        system=asked.system, cancel=cancelled, per_document=asked.per_document, widen=asked.widen,
    )  # fmt: skip


def last_part(found: Iterator[str | Citation | Answer]) -> Answer:
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
                yield event("answer" if isinstance(part, Answer) else "citation", as_plain(part))
    except YinjuError as error:
        yield event("error", errors.shape(error))
