"""What a reader sees of a document around a place."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from yinju.load import load
from yinju.retrieve.viewing import LONGEST, view
from yinju.types import Document, Span

PLANS = "# 订阅方案\n\n年费 168 元。\n\n| 方案 | 价格 |\n|---|---|\n| 年费 | 168 |\n\n```\ncode\n```\n"


def test_lines_say_what_they_are_and_what_is_meant() -> None:
    document = load(PLANS.encode(), "plans.md").document
    start = document.text.index("168 元")
    seen = view(document, Span(start, start + 5), 2)
    assert [(line.number, line.kind) for line in seen.lines] == [(1, "heading"), (2, "text"), (3, "text"), (4, "text"), (5, "table")]  # fmt: skip
    meant = [line for line in seen.lines if line.at]
    assert [line.at and line.at.of(line.text) for line in meant] == ["168 元"]
    assert (seen.before, seen.after) == (0, 6)
    assert view(document, Span(10**9, 10**9), 1).lines[-1].text == "```"


def test_a_line_that_never_ends_is_shown_around_its_place() -> None:
    text = "长" * 50_000 + "针" + "长" * 50_000
    seen = view(Document(text, "long.txt", type="text"), Span(50_000, 50_001))
    assert seen.lines[0].cut
    assert len(seen.lines[0].text) == LONGEST
    assert seen.lines[0].at is not None
    assert seen.lines[0].at.of(seen.lines[0].text) == "针"


@given(st.text("ab\n长 ", max_size=60), st.integers(0, 70), st.integers(0, 70), st.integers(0, 4))
def test_what_is_meant_is_what_is_marked(text: str, start: int, length: int, around: int) -> None:
    document, meant = Document(text, "a.txt", type="text"), Span(start, start + length)
    seen = view(document, meant, around)
    for line in seen.lines:
        assert line.span.of(text) == line.text
    marked = "".join(line.at.of(line.text) for line in seen.lines if line.at)
    assert marked == meant.of(text).replace("\n", "")
    assert seen.before + len(seen.lines) + seen.after == max(
        len(text.split("\n")) - (text.endswith("\n") and len(text) > 0), 1
    )


def test_the_header_of_a_table_is_repeated_where_it_stands_before_what_is_seen() -> None:
    rows = "\n".join(f"| 方案 {number} | {number} 元 |" for number in range(30))
    document = load(f"# 价目\n\n| 方案 | 价格 |\n|---|---|\n{rows}\n".encode(), "prices.md").document
    start = document.text.index("20 元")
    seen = view(document, Span(start, start + 4), 2)
    assert [line.text for line in seen.header] == ["| 方案 | 价格 |", "|---|---|"]
    assert all(line.head for line in seen.header)
    assert not any(line.head for line in seen.lines)
    whole = view(document, Span(start, start + 4))
    assert whole.header == ()
    assert [line.number for line in whole.lines if line.head] == [3, 4]
