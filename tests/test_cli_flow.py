"""Answers on a terminal: lines end between words, no citation is wider than it, and a marker with several places is told once."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answer_hits import hit
from yinju.cli import render
from yinju.cli.flow import Flow, flowing
from yinju.types import Answer, Citation, Span

pytestmark = pytest.mark.slow
ENGLISH = "The annual plan costs 168 yuan a year [1], and may be cancelled at any time before it ends [2]."
CHINESE = "年费方案每年 168 元[1]，到期之前随时可以取消[2]；在校学生可以享受半价优惠。"


def cited(
    marker: int, source: str = "plans.md", lines: tuple[int, int] | None = None, page: int | None = None
) -> Citation:
    return Citation(
        marker, f"c_{marker}", source, "d_1", ("订阅方案", "年费"), lines, page, Span(0, 3), "168", "verified"
    )


@pytest.mark.parametrize("columns", [20, 33, 60])
@pytest.mark.parametrize("text", [ENGLISH, CHINESE, f"- {ENGLISH}\n- {CHINESE}"])
def test_lines_end_between_words(monkeypatch, columns, text):
    monkeypatch.setattr(render, "columns", lambda: columns)
    lines = flowing(text).split("\n")
    assert all(render.width(line.rstrip()) <= columns for line in lines)
    assert "".join("".join(lines).split()) == "".join(text.split())
    words = set(text.split())
    assert all(word in words or not word.isascii() for line in lines for word in line.split())
    assert not any(line.lstrip().startswith(("，", "；", "。")) for line in lines)


@given(st.text(alphabet="ab 年，。[1]\n", max_size=80), st.lists(st.integers(0, 80), max_size=5))
def test_a_stream_is_broken_as_the_whole_is(text, cuts):
    whole, bits = Flow(12), Flow(12)
    places = [0, *sorted(min(cut, len(text)) for cut in cuts), len(text)]
    said = "".join(bits.feed(text[a:b]) for a, b in pairwise(places)) + bits.rest()
    assert said == whole.feed(text) + whole.rest()
    assert "".join(said.split()) == "".join(text.split())


def test_a_row_of_a_table_stays_whole(monkeypatch):
    monkeypatch.setattr(render, "columns", lambda: 20)
    assert flowing("| plan | price | 方案 | 价格 |\n") == "| plan | price | 方案 | 价格 |\n"


@pytest.mark.parametrize("columns", [40, 60, 80])
@pytest.mark.parametrize("source", ["handbook/" * 9 + "plans.md", "手册/订阅方案与退款规则/" * 4 + "方案.md"])
def test_no_citation_is_wider_than_the_terminal(monkeypatch, columns, source):
    monkeypatch.setattr(render, "columns", lambda: columns)
    found = [cited(1, source, (1209, 1214)), cited(12, source, None, 7), cited(3)]
    lines = render.citations(found).split("\n")
    assert len(lines) == 3
    assert all(render.width(line) <= columns for line in lines)
    assert ".md:1209-1214" in lines[0]
    assert "md p.7" in lines[1]
    assert all("verified" in line for line in lines)


def test_what_is_said_in_other_words_is_told_where_there_is_room(monkeypatch):
    quoted, reworded = replace(cited(1), exact=True), cited(2)
    monkeypatch.setattr(render, "columns", lambda: 80)
    assert [line.rpartition("✓ ")[2] for line in render.citations([quoted, reworded]).split("\n")] == [
        "verified",
        "verified, reworded",
    ]
    monkeypatch.setattr(render, "columns", lambda: 40)
    assert "reworded" not in render.citations([quoted, reworded])


def test_a_marker_with_several_places_is_told_once():
    found = [cited(1, "card.pdf", None, 3), cited(2), cited(1, "card.pdf", None, 4)]
    lines = render.citations(found).split("\n")
    assert [line.split()[0] for line in lines] == ["[1]", "card.pdf", "[2]"]
    assert "p.3" in lines[0]
    assert lines[1].startswith("    card.pdf p.4")


@pytest.mark.parametrize(
    ("question", "lines", "shown"),
    [
        (
            "买书每年报销多少？",
            ["第四章", "其他费用", "差旅另见下文", "住宿", "书籍", "买书每年最多报销 60 元", "尾注"],
            "买书每年最多报销 60 元",
        ),
        (
            "How much for books each year?",
            ["Chapter", "Other", "Travel", "Hotels", "Meals", "Books: up to 60 each year", "Notes"],
            "Books: up to 60",
        ),
    ],
)
def test_a_refusal_shows_where_the_answer_may_stand(monkeypatch, question, lines, shown):
    monkeypatch.setattr(render, "columns", lambda: 60)
    near = replace(hit("\n".join(lines)), source="costs.md")
    text = render.refusal(Answer(question, "-", question, refused=True, reason="weak", nearest=(near,)))
    assert shown in text
    assert lines[0] not in text
    assert all(render.width(line) <= 60 for line in text.split("\n"))
