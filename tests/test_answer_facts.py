"""Numbers, units, dates, codes and names are the same however they are written, in both languages."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yinju.answer import numerals
from yinju.answer.facts import Quantity, facts, holds_date, holds_quantity
from yinju.answer.polarity import flipped, opposed


@pytest.mark.parametrize(
    ("text", "value"),
    [("一百六十八", 168), ("十五", 15), ("二十", 20), ("一百五", 150), ("一百零五", 105), ("三万二", 32000), ("二〇二四", 2024),
     ("三点五", Decimal("3.5")),
     ("两万", 20000), ("一亿二千万", 120000000), ("半", Decimal("0.5")), ("不是", None)],
)  # fmt: skip
def test_chinese_numerals(text: str, value: object) -> None:
    assert numerals.chinese(text) == value


@pytest.mark.parametrize(
    ("text", "value"), [("six", 6), ("one hundred and sixty-eight", 168), ("two thousand five hundred", 2500)]
)
def test_english_number_words(text: str, value: int) -> None:
    assert numerals.english(text) == value


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("年费 168 元", {("168", "cny")}),
        ("１６８元", {("168", "cny")}),
        ("一百六十八元", {("168", "cny")}),
        ("costs 168 yuan", {("168", "cny")}),
        ("$1,234.50", {("1234.5", "usd")}),
        ("保修六个月", {("6", "month")}),
        ("six-month warranty", {("6", "month")}),
        ("百分之三十", {("30", "%")}),
        ("30 percent", {("30", "%")}),
        ("1.5亿元", {("150000000", "cny")}),
        ("5kg", {("5", "kg")}),
        ("48 小时内", {("48", "hour")}),
        ("3 个工作日", {("3", "workday")}),
        ("按七折结算", {("7", "fold")}),
        ("一般十分简单，万一不行", set()),
        ("一个办法", set()),
    ],
)
def test_quantities(text: str, expected: set[tuple[str, str]]) -> None:
    assert {(q.value, q.unit) for q in facts(text).quantities} == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [("2024年5月3日", {"2024-05-03"}), ("2024-05-03", {"2024-05-03"}), ("May 3, 2024", {"2024-05-03"}), ("3 May 2024", {"2024-05-03"}),
     ("5月3日", {"--05-03"}), ("2024年5月", {"2024-05"}), ("2024 年", {"2024"})],
)  # fmt: skip
def test_dates(text: str, expected: set[str]) -> None:
    assert facts(text).dates == expected


def test_codes_and_names() -> None:
    assert facts("错误 E-4031 在 v2.3.1 修复，用 --no-embed").codes == {"e-4031", "v2.3.1", "no-embed"}
    assert facts("Ask Anna Schmidt. Then call the API desk.").names == {"anna", "schmidt", "api"}


def test_quantities_agree() -> None:
    known = facts("七折，半年，30 元").quantities
    assert holds_quantity(Quantity("30", "%"), known)  # 100 - 7 x 10
    assert holds_quantity(Quantity("6", "month"), known)  # 0.5 x 12
    assert holds_quantity(Quantity("30"), known)
    assert not holds_quantity(Quantity("30", "usd"), known)
    assert not holds_quantity(Quantity("1", "year"), facts("保修两年").quantities)
    assert holds_quantity(Quantity("1", "year"), facts("年费 168 元").quantities)  # 每年 is said in other words


def test_dates_agree() -> None:
    assert holds_date("2024-05", facts("2024年5月3日"))
    assert holds_date("--05-03", facts("2024-05-03"))
    assert not holds_date("2024-05-04", facts("2024-05-03"))


@pytest.mark.parametrize(
    ("claim", "source", "opposite"),
    [
        ("支持退款。", "本店不支持退款。", True),
        ("不支持退款。", "本店不支持退款。", False),
        ("禁止带入。", "允许带入。", True),
        ("The fee is refundable.", "The fee is not refundable.", True),
        ("Sales increased.", "Sales decreased by a lot.", True),
        ("年费 168 元。", "年费 168 元，不含税。", False),
        ("非常适合无线连接。", "非常适合无线连接。", False),
        ("最多 5 人。", "至少 5 人。", True),
    ],
)
def test_opposites(claim: str, source: str, opposite: bool) -> None:
    assert (flipped(claim, [source]) or opposed(claim, source)) is opposite


@given(st.integers(1, 99_999_999))
def test_chinese_numerals_of_any_number(number: int) -> None:
    assert numerals.chinese(_written(number)) == number


def _written(number: int) -> str:
    """The Chinese numeral of a number below 10**8, by the school's rule."""
    high, low = divmod(number, 10_000)
    text = (
        (_below(high) + "万" if high else "") + ("零" if high and 0 < low < 1000 else "") + (_below(low) if low else "")
    )
    return text.strip("零") if text != "零" else text


def _below(number: int) -> str:
    digits, text, gap = "零一二三四五六七八九", "", False
    for unit, name in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        digit = number // unit % 10
        if digit:
            text += ("零" if gap and text else "") + digits[digit] + name
            gap = False
        else:
            gap = True
    return text


@pytest.mark.parametrize(
    ("text", "quantity"),
    [
        ("People read it about twice as fast.", Quantity("2", "times")),
        ("The price doubled within a year.", Quantity("2", "times")),
        ("价格一年内翻了一番。", Quantity("2", "times")),
        ("Half of the pupils came.", Quantity("50", "%")),
        ("一半的学生来了。", Quantity("50", "%")),
    ],
)
def test_words_that_multiply_are_numbers(text: str, quantity: Quantity) -> None:
    assert quantity in facts(text).quantities
    assert not facts("a double room on the second half of the floor").quantities
