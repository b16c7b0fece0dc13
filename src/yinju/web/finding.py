"""Routes that find and read: search, context, read, outline, grep, sources, receipts, quotations. Each is one call of the library."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, Strict

from yinju.types import Span, as_plain
from yinju.web import telling
from yinju.web.state import Served

router = APIRouter(prefix="/api", tags=["find"])
LONGEST_QUESTION = 20_000
Mode = Literal["hybrid", "lexical", "dense"]
Text = Annotated[str, Field(min_length=1, max_length=LONGEST_QUESTION)]


def _number(value: object) -> object:
    """Return a number as it is: `true` is not 1, and "5" not 5."""
    if isinstance(value, (bool, str)):
        raise ValueError("a number is expected")
    return value


NUMBER = BeforeValidator(_number)
Share = Annotated[float, Field(ge=0, le=1), NUMBER]
Yes = Annotated[bool, Strict()]
Source = Annotated[str, Query(min_length=1, max_length=4_096, description="as `sources` names it")]


class Asked(BaseModel):
    """What every way of asking takes."""

    model_config = ConfigDict(extra="forbid")
    limit: Annotated[int, Field(ge=1, le=100), NUMBER] | None = None
    mode: Mode = "hybrid"
    where: dict[str, str] = Field(default_factory=dict, max_length=20, description="KEY: GLOB")
    min_score: Share | None = None
    per_document: Annotated[int, Field(ge=0, le=100), NUMBER] | None = None


class Turn(BaseModel):
    """One earlier turn of a conversation."""

    model_config = ConfigDict(extra="forbid")
    role: Literal["user", "assistant"]
    content: Annotated[str, Field(max_length=100_000)]


History = Annotated[list[Turn], Field(default_factory=list, max_length=100)]
Rewrite = Annotated[
    Literal["model", "rules", "off"] | None,
    Field(description="how a follow-up is made to stand alone; null: as the settings say"),
]


def turns(history: Sequence[Turn]) -> list[dict[str, str]]:
    """Return earlier turns as the library takes them."""
    return [{"role": turn.role, "content": turn.content} for turn in history]


class SearchRequest(Asked):
    """A question or words, and what was said before."""

    query: Text
    collapse: Yes = True
    history: History
    rewrite: Rewrite = None
    hops: Annotated[
        Yes | None,
        Field(description="search again in the documents that the question names; null: where it needs that"),
    ] = None


class ContextRequest(Asked):
    """A question for which an agent wants passages."""

    question: Text
    tokens: Annotated[int, Field(ge=50, le=100_000), NUMBER] | None = None
    format: Literal["tagged", "numbered", "sections", "fragments"] = "tagged"
    widen: Literal["none", "neighbours", "section"] = "none"


class GrepRequest(BaseModel):
    """A pattern to look for in every line."""

    model_config = ConfigDict(extra="forbid")
    pattern: Annotated[str, Field(min_length=1, max_length=1_000)]
    regex: Yes = False
    where: dict[str, str] = Field(default_factory=dict, max_length=20)
    limit: Annotated[int, Field(ge=1, le=1_000), NUMBER] = 100


class VerifyRequest(BaseModel):
    """A quotation, and the source that it is said to come from."""

    model_config = ConfigDict(extra="forbid")
    text: Text
    source: str | None = Field(default=None, max_length=4_096)


@router.get("/status")
async def status(served: Served) -> dict[str, Any]:
    """Counts, size and models of the library, who asks, and whether that one may change it; `agent`: whether a model may look further."""
    found = await served.work.run(served.library.status)
    return {**found, "agent": served.library.chat_model is not None, "asker": served.told_asker()}


@router.post("/search")
async def search(asked: SearchRequest, served: Served) -> dict[str, Any]:
    """Ranked passages for a question."""
    found = await served.work.run(
        lambda: served.library.find(
            asked.query, asked.limit, asked.mode, asked.where, asked.min_score, asked.collapse, asked.per_document,
            history=turns(asked.history), rewrite=asked.rewrite, hops=asked.hops,
        )
    )  # fmt: skip
    return dict(as_plain(found))


@router.post("/context")
async def context(asked: ContextRequest, served: Served) -> dict[str, Any]:
    """The block of passages that an agent puts into its prompt."""
    found = await served.work.run(
        lambda: served.library.context(
            asked.question, asked.tokens, asked.format, limit=asked.limit, mode=asked.mode, where=asked.where,
            min_score=asked.min_score, per_document=asked.per_document, widen=asked.widen,
        )
    )  # fmt: skip
    return dict(as_plain(found))


@router.get("/sources")
async def sources(served: Served) -> dict[str, Any]:
    """What the library holds, also what was skipped; `remarks` say what each code among the warnings means."""
    found = await served.work.run(served.library.sources)
    warnings = (warning for one in found for warning in one.warnings)
    return {"sources": as_plain(found), "remarks": telling.codes(warnings)}


@router.get("/receipt")
async def receipt(source: Source, served: Served) -> dict[str, Any]:
    """What became of one file; `remarks` say what its warnings mean, `why` what its reason means."""
    return telling.file_report(await served.work.run(lambda: served.library.receipt(source)))


@router.get("/read")
async def read(
    source: Source,
    served: Served,
    first: Annotated[int | None, Query(ge=1, le=100_000_000)] = None,
    last: Annotated[int | None, Query(ge=1, le=100_000_000)] = None,
    page: Annotated[int | None, Query(ge=1, le=1_000_000)] = None,
) -> dict[str, Any]:
    """The text of a source, whole, some of its lines, or a page of it."""
    lines = None if first is None and last is None else (first or 1, last or 100_000_000)
    return dict(as_plain(await served.work.run(lambda: served.library.read(source, lines, page))))


@router.get("/view")
async def view(
    source: Source,
    served: Served,
    start: Annotated[int, Query(ge=0, le=1_000_000_000)] = 0,
    end: Annotated[int, Query(ge=0, le=1_000_000_000)] = 0,
    around: Annotated[int, Query(ge=0, le=1_000)] = 60,
) -> dict[str, Any]:
    """Show the lines around a span (code points of the text), what each is, and which characters are meant."""
    span = Span(start, max(start, end))
    return dict(as_plain(await served.work.run(lambda: served.library.view(source, span, around))))


@router.get("/outline")
async def outline(source: Source, served: Served) -> dict[str, Any]:
    """The headings of a source."""
    return {
        "source": source,
        "headings": as_plain(await served.work.run(lambda: served.library.outline(source))),
    }


@router.post("/grep")
async def grep(asked: GrepRequest, served: Served) -> dict[str, Any]:
    """Lines that contain a pattern."""
    found = await served.work.run(
        lambda: served.library.grep(asked.pattern, where=asked.where, regex=asked.regex, limit=asked.limit)
    )
    return {"pattern": asked.pattern, "matches": as_plain(found)}


@router.post("/verify")
async def verify(asked: VerifyRequest, served: Served) -> dict[str, Any]:
    """Whether a quotation is really there, and where."""
    return dict(as_plain(await served.work.run(lambda: served.library.verify(asked.text, asked.source))))
