"""Lines of a terminal: what matched can be seen."""

from __future__ import annotations

import pytest

from yinju.cli import render
from yinju.types import Span


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
