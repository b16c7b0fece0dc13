"""Hits for the tests of the answer room, cut from small documents so that spans are real."""

from __future__ import annotations

from collections.abc import Sequence

from yinju.types import Document, Hit, Passage, SearchResult, Span


def hits_of(
    text: str,
    passages: Sequence[str],
    *,
    source: str = "plans.md",
    headings: tuple[str, ...] = ("方案",),
    header: str = "",
) -> list[Hit]:
    """Return a hit for each passage, which must stand in the text."""
    document = Document(text, source, anchors=((0, 1),))
    found = []
    for number, passage in enumerate(passages):
        start = text.index(passage)
        span = Span(start, start + len(passage))
        found.append(
            Hit(
                id=f"c_{source}_{number}", source=source, document=document.id, title=None, headings=headings, lines=document.lines(span), page=None,
                index=number, tokens=len(passage), span=span, text=passage, header=header, score=1.0 / (number + 1),
            )
        )  # fmt: skip
    return found


def hit(
    text: str, *, source: str = "plans.md", headings: tuple[str, ...] = (), header: str = "", before: str = ""
) -> Hit:
    """Return one hit that stands behind `before` in its document."""
    return hits_of(before + text, [text], source=source, headings=headings, header=header)[0]


def passages(*hits: Hit) -> list[Passage]:
    return [Passage(number, each) for number, each in enumerate(hits, start=1)]


def result(question: str, hits: Sequence[Hit], *, evidence: float = 0.9, unknown: tuple[str, ...] = ()) -> SearchResult:
    return SearchResult(question, "hybrid", tuple(hits), evidence=evidence, unknown=unknown)


YEAR = hit(
    "年费方案每年 168 元。付款后立即生效。",
    source="plans.md",
    headings=("订阅方案", "年费"),
    before="# 订阅方案\n\n## 年费\n\n",
)
STUDENT = hit(
    "在校生上传学生证后按七折结算。折扣不适用于月费。",
    source="students.md",
    headings=("订阅方案", "在校生"),
    before="# 学生\n",
)
WARRANTY = hit(
    "The battery is covered for six months. Water damage is not covered.", source="warranty.md", headings=("Warranty",)
)
