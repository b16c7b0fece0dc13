"""Near-copies are told from passages that only sound alike."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yinju.text.similar import NEAR, NEAR_BITS, distance, fingerprint, names, near, numbers, resemblance, shingles

CHINESE = (
    "甲方应当在收到发票后十五个工作日内向乙方支付合同价款，逾期支付的，按日万分之五承担违约金。"
    "乙方应保证专业版所供货物符合国家标准，质量不合格的由乙方负责更换。"
)
ENGLISH = (
    "The customer shall pay the price within 15 working days of the invoice. Late payments bear interest of 5% a year. "
    "The supplier ships the MX-500 with its manual and replaces what does not meet the standard at its own cost."
)


@pytest.mark.parametrize(
    ("text", "changes"),
    [
        (CHINESE, [("应当", "须"), ("支付合同价款", "付清合同价款"), ("，", "， "), ("。", "！"), ("十五", "15"), ("负责", "")]),
        (ENGLISH, [("shall pay", "must pay"), ("THE ", "the "), (" a year", " per year"), (". ", ".\n\n"), ("manual", "handbook")]),
    ],
)  # fmt: skip
def test_other_wording_is_near(text: str, changes: list[tuple[str, str]]) -> None:
    for old, new in changes:
        other = text.replace(old, new)
        assert near(text, other), new
        assert distance(fingerprint(text), fingerprint(other)) <= NEAR_BITS


@pytest.mark.parametrize(
    ("text", "changes"),
    [
        (CHINESE, [("十五", "二十"), ("万分之五", "千分之五"), ("专业版", "企业版"), ("应保证", "不保证")]),
        (ENGLISH, [("15 ", "30 "), ("5%", "6%"), ("MX-500", "MX-600"), ("shall pay", "shall not pay")]),
    ],
)
def test_other_facts_in_the_same_words_are_not_near(text: str, changes: list[tuple[str, str]]) -> None:
    for old, new in changes:
        other = text.replace(old, new)
        assert resemblance(text, other) >= NEAR, new
        assert not near(text, other), new


def test_other_text_is_far() -> None:
    assert resemblance(CHINESE, "安装前请先关闭电源，并检查水管接头是否拧紧。") == 0
    assert not near(CHINESE, ENGLISH)
    assert distance(fingerprint(CHINESE), fingerprint(ENGLISH)) > NEAR_BITS


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("2024年3月1日，1,200元，１２００元，一千二百元", ("2024", "3", "1", "1200", "1200", "1200")),
        ("v3.10 与 3.1；百分之五、5％、万分之五", ("3.10", "3.1", "5%", "5%", "5‱")),
        ("第十二条：七折，十四天，两万三千，二〇二四年", ("12", "7", "14", "23000", "2024")),
        ("统一说明一些一般问题，万一不行，三者都一样", ()),
        ("٣ و ༠", ("3", "0")),
        ("On 007 May it cost $1,234.50, i.e. 3 times 0.5", ("7", "1234.50", "3", "0.5")),
    ],
)
def test_numbers(text: str, found: tuple[str, ...]) -> None:
    assert numbers(text) == found


def test_names() -> None:
    assert names("专业版可用 MX-500 与 Docker") == {"专业版", "mx-500", "docker"}
    assert names("The Pro plan runs on SQLite. It is for iPhone users.") == {"pro", "sqlite", "iphone"}


def test_resemblance_by_hand() -> None:
    # Four units make two shingles; the first is shared: 1 of 3.
    assert resemblance("甲乙丙丁", "甲乙丙戊") == 1 / 3
    assert resemblance("one two three four", "One, two; THREE five") == 1 / 3
    assert resemblance("第3页", "第 4 页。") == 1.0
    assert resemblance("", "。") == 1.0
    assert resemblance("", "甲") == 0.0


@given(st.text(), st.text())
def test_properties(a: str, b: str) -> None:
    assert 0 <= fingerprint(a) < 1 << 64
    assert distance(fingerprint(a), fingerprint(b)) == distance(fingerprint(b), fingerprint(a))
    assert resemblance(a, b) == resemblance(b, a)
    assert resemblance(a, a) == 1.0
    assert near(a, a)
    assert shingles(a) == shingles(f" {a}\n。")
    names(a)
    assert all(numbers(a))
