"""Routes that tell why: where an expected passage was lost, what each leg of a search said, and what two settings make of one question."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field

from yinju.errors import UsageError
from yinju.messages import say
from yinju.types import Hit, as_plain
from yinju.web.finding import NUMBER, Asked, History, Mode, Text, Turn, Yes, turns
from yinju.web.state import Served

if TYPE_CHECKING:
    from yinju.evaluate import Case, Gold
    from yinju.evaluate.places import Place
    from yinju.library import Library
    from yinju.retrieve.explain import Explained, LegRow

router = APIRouter(prefix="/api", tags=["measure"])
BEGINNING = 200  # characters of a passage that a row shows
_Name = Annotated[str, Field(min_length=1, max_length=4_096)]
_Line = Annotated[int, Field(ge=1, le=100_000_000), NUMBER]


class Expected(BaseModel):
    """A place where the answer stands."""

    model_config = ConfigDict(extra="forbid")
    source: _Name
    lines: tuple[_Line, _Line] | None = None
    page: Annotated[int, Field(ge=1, le=100_000), NUMBER] | None = None
    heading: str | None = Field(default=None, max_length=1_000)
    quote: str | None = Field(default=None, max_length=4_000)


_One = _Name | Expected
Expect = _One | Annotated[list[_One], Field(min_length=1, max_length=10)]


class WhyRequest(BaseModel):
    """A question, and where its answer stands: `FILE`, `FILE:LINE`, `FILE:A-B`, an object, or several of these."""

    model_config = ConfigDict(extra="forbid")
    question: Text
    expect: Expect
    mode: Mode = "hybrid"
    where: dict[str, str] = Field(default_factory=dict, max_length=20)
    history: History
    answers: Yes = Field(default=True, description="ask for an answer, too; else only its evidence is looked at")


class Settings(Asked):
    """How to search."""

    collapse: Yes = True


class ExplainRequest(Settings):
    """A question, how to search, how deep to show each leg's list, and where the answer stands."""

    query: Text
    depth: Annotated[int, Field(ge=1, le=200), NUMBER] = 20
    expect: Expect | None = None


class CompareRequest(BaseModel):
    """A question and two ways to search."""

    model_config = ConfigDict(extra="forbid")
    query: Text
    depth: Annotated[int, Field(ge=1, le=200), NUMBER] = 20
    expect: Expect | None = None
    before: Settings = Field(default_factory=Settings)
    after: Settings = Field(default_factory=Settings)


@router.post("/why")
async def why(asked: WhyRequest, served: Served) -> dict[str, Any]:
    """Tell where an expected passage was lost: read, cut, embedded, found, ranked, answered."""
    from yinju import evaluate

    case = _case(asked.question, asked.expect, asked.history)
    found = await served.work.run(
        lambda: evaluate.diagnose(served.library, case, mode=asked.mode, where=asked.where, answers=asked.answers)
    )
    return {"question": asked.question, "expected": as_plain(found)}


@router.post("/explain")
async def explain(asked: ExplainRequest, served: Served) -> dict[str, Any]:
    """Show what each leg of a search says, side by side, and where an expected passage stands in each."""
    return await served.work.run(
        lambda: explanation(served.library, asked.query, asked, depth=asked.depth, expect=asked.expect)
    )


@router.post("/compare")
async def compare(asked: CompareRequest, served: Served) -> dict[str, Any]:
    """Show what two settings make of one question, and which hits moved."""

    def both() -> dict[str, Any]:
        before, after = (
            explanation(served.library, asked.query, settings, depth=asked.depth, expect=asked.expect)
            for settings in (asked.before, asked.after)
        )
        return {"before": before, "after": after, "moved": _moved(before["hits"], after["hits"])}

    return await served.work.run(both)


def explanation(library: Library, query: str, asked: Settings, *, depth: int, expect: Expect | None) -> dict[str, Any]:
    """Return everything about one search; see docs/http-api.md. Raises the errors of a search."""
    from yinju import evaluate
    from yinju.evaluate.places import Places

    found = library.explain(
        query, asked.limit, asked.mode, asked.where, asked.min_score, asked.collapse, asked.per_document
    )
    case = None if expect is None else _case(query, expect)
    places = [] if case is None else [Places(library).of(gold) for gold in case.golds]
    told = [] if case is None else evaluate.diagnose(library, case, mode=asked.mode, where=asked.where, answers=False)
    result, refuse_below = found.result, library.options.refuse_below
    return {
        "query": query, "mode": result.mode, "limit": asked.limit or library.options.limit,
        "filters": [{"key": key, "pattern": pattern} for key, pattern in found.filters],
        "passages": {"all": found.passages, "allowed": found.allowed},
        "evidence": result.evidence, "refuse_below": refuse_below, "refused": result.evidence < refuse_below,
        "features": as_plain(result.features), "unknown": list(result.unknown), "phrases": list(result.phrases), "without": list(result.without),
        "coverage": as_plain(result.coverage), "took_ms": as_plain(result.took_ms), "notices": list(result.notices),
        "legs": [
            {"leg": leg.name, "proposed": len(leg.rows), "passages": [_of_leg(row, places) for row in leg.rows[:depth]]} for leg in found.legs
        ],
        "hits": [_row(hit, rank, hit.score, hit.score, places) for rank, hit in enumerate(result.hits, 1)],
        "expected": [
            {**as_plain(one), "ranks": _ranks(place, found), "rank": _rank(library, query, asked, place)}
            for one, place in zip(told, places, strict=True)
        ],
    }  # fmt: skip


def golds(expect: Expect) -> list[Gold]:
    """Return the places that are expected. Raises UsageError for lines that run backwards."""
    from yinju.evaluate import Gold

    found = []
    for one in expect if isinstance(expect, list) else [expect]:
        given = one if isinstance(one, Expected) else _split(one)
        if given.lines is not None and given.lines[0] > given.lines[1]:
            raise UsageError(
                say(
                    "The range {a}-{b} runs backwards.",
                    "行号范围 {a}-{b} 前后颠倒。",
                    a=given.lines[0],
                    b=given.lines[1],
                ),
                say("Write 3-8.", "请写成 3-8。"),
            )
        found.append(Gold(given.source, given.heading, given.lines, given.page, given.quote))
    return found


def _split(text: str) -> Expected:
    """Read `FILE:LINE` and `FILE:A-B`; anything else is the name of a source."""
    parts = re.fullmatch(r"(.+):([1-9]\d{0,7})(?:-([1-9]\d{0,7}))?", text, re.DOTALL)
    if parts is None:
        return Expected(source=text)
    return Expected(source=parts[1], lines=(int(parts[2]), int(parts[3] or parts[2])))


def _case(question: str, expect: Expect, history: Sequence[Turn] = ()) -> Case:
    from yinju.evaluate import Case

    return Case(question, tuple(golds(expect)), history=tuple(turns(history)))


def _row(hit: Hit, rank: int, value: float, share: float | None, places: Sequence[Place]) -> dict[str, Any]:
    return {
        "rank": rank, "id": hit.id, "source": hit.source, "title": hit.title, "headings": list(hit.headings),
        "lines": None if hit.lines is None else list(hit.lines), "page": hit.page, "span": list(hit.span), "text": hit.text[:BEGINNING],
        "value": round(value, 6), "share": None if share is None else round(share, 6), "score": hit.score, "votes": as_plain(hit.votes),
        "expected": any(place.holds(hit) for place in places),
    }  # fmt: skip


def _of_leg(row: LegRow, places: Sequence[Place]) -> dict[str, Any]:
    return _row(row.hit, row.rank, row.value, row.share, places)


def _ranks(place: Place, found: Explained) -> dict[str, int | None]:
    """Return the rank of the place in each leg's list, None where it is in none of its rows."""
    return {leg.name: next((row.rank for row in leg.rows if place.holds(row.hit)), None) for leg in found.legs}


def _rank(library: Library, query: str, asked: Settings, place: Place) -> int | None:
    """Return the rank of the place among the hits of a deeper search with the same settings."""
    from yinju.evaluate.diagnose import NEAR

    if not place.spans:
        return None
    hits = library.search(
        query, max(NEAR, asked.limit or 0), asked.mode, asked.where, asked.min_score, asked.collapse, asked.per_document
    )
    return next((rank for rank, hit in enumerate(hits, 1) if place.holds(hit)), None)


def _moved(before: list[dict[str, Any]], after: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the hits whose rank differs, in the order of the second list, then what fell out."""
    was, now = ({row["id"]: row["rank"] for row in rows} for rows in (before, after))
    rows = {row["id"]: row for row in (*after, *before)}
    return [
        {
            "id": id, "source": row["source"], "lines": row["lines"], "page": row["page"], "before": was.get(id), "after": now.get(id),
        }
        for id, row in rows.items()
        if was.get(id) != now.get(id)
    ]  # fmt: skip
