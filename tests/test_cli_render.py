"""Lines of a terminal: what matched can be seen."""

from __future__ import annotations

import pytest

from yinju.cli import excerpt as excerpts
from yinju.cli import render
from yinju.cli.excerpt import excerpt
from yinju.types import Hit, Span, Vote


def around(text: str, found: str, columns: int) -> str:
    start = text.index(found)
    return render.cut_around(text, Span(start, start + len(found)), columns)


@pytest.mark.parametrize(
    ("text", "found", "columns", "shown"),
    [
        ("the alpha costs 3 euros", "alpha", 40, "the alpha costs 3 euros"),
        ("word " * 90 + "alpha costs", "alpha", 20, "…rd word alpha costs"),
        ("word " * 90 + "alpha" + " more" * 90, "alpha", 20, "…ord alpha more mor…"),
        ("前" * 90 + "价格" + "后" * 90, "价格", 20, "…前前价格后后后后后…"),
        ("前" * 90 + "价格", "价格", 20, "…前前前前前前前价格"),
        ("x" * 50, "x" * 50, 20, "x" * 19 + "…"),
        ("a\tb \x1b[31m alpha", "alpha", 40, "a b \\u001b[31m alpha"),
    ],
)
def test_a_line_that_is_cut_shows_what_matched(text: str, found: str, columns: int, shown: str) -> None:
    assert around(text, found, columns) == shown
    assert render.width(shown) <= columns


FILLING = [f"Nothing of note happened on day {number}." for number in range(20)]
FILLING_ZH = [f"第{number}天一切如常。" for number in range(20)]


@pytest.mark.parametrize(
    ("lines", "line", "question"),
    [
        (FILLING, "Sessions expire after 25 minutes.", "When does a session expire?"),
        (FILLING_ZH, "會議室改到 B307。", "复盘会议在哪个会议室？"),
    ],
)
@pytest.mark.parametrize("at", [0, 1, 3, 10, 19, 20])
def test_the_lines_that_match_the_question_are_shown(lines: list[str], line: str, question: str, at: int) -> None:
    text = [*lines[:at], line, *lines[at:]]
    shown = excerpt("\n".join(text), question)
    assert line in shown
    kept = [each for each in shown if each != "…"]
    start = text.index(kept[0])
    assert kept == text[start : start + 4]
    assert (shown[0] == "…", shown[-1] == "…") == (start > 0, start + 4 < len(text))


def test_without_a_match_the_beginning_is_shown() -> None:
    assert excerpt("\n\n".join(FILLING), "质保期") == [*FILLING[:4], "…"]
    assert excerpt("one\ttwo\n\x1b[0m", "quetzal") == ["one | two", "\\u001b[0m"]
    assert excerpt("", "quetzal") == []


@pytest.mark.parametrize(
    ("filling", "found"), [("all day long ", "the alpha costs 3"), ("今天天气很好，", "价格是三欧元")]
)
def test_of_an_endless_line_the_matching_part_is_shown(
    monkeypatch: pytest.MonkeyPatch, filling: str, found: str
) -> None:
    monkeypatch.setattr("yinju.cli.excerpt.columns", lambda: 60)
    (line,) = excerpt(filling * 3_000 + found + filling * 9, "What does the alpha cost? 价格是多少？")
    assert found in line
    assert line.startswith("…")
    assert line.endswith("…")
    assert render.width(line) <= 57


def test_votes_are_broken_between_them_where_the_terminal_is_narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    votes = tuple(Vote(leg, 1, 12.5, 0.25) for leg in ("words", "bigrams", "dense", "neighbours"))
    hit = Hit("c", "手册.md", "d", None, (), None, None, 0, 1, Span(0, 1), "文", score=1.0, votes=votes)
    monkeypatch.setattr(excerpts, "columns", lambda: 80)
    lines = list(excerpts.hits([hit], "文", explain=True))
    assert lines[1:3] == [
        "   words #1 12.500 → 0.250; bigrams #1 12.500 → 0.250; dense #1 12.500 → 0.250;",
        "   neighbours #1 12.500 → 0.250",
    ]
    monkeypatch.setattr(excerpts, "columns", lambda: 10_000)
    assert list(excerpts.hits([hit], "文", explain=True))[1].count(";") == 3
