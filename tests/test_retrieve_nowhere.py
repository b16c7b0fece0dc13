"""What is said to stand nowhere does stand nowhere: the library's own grep does not find it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from yinju import Document, Library
from yinju.retrieve import lexical

CHINESE = (
    "寬限期間為三十日", "宽限期", "保险金额一百万元", "这份合同有几天犹豫期", "盐水三两", "张伟打官司", "本公司食堂", "百分之五的报销", "臺灣的酒店",
    "小表加索引要几秒", "五公斤级比赛", "酒 店", "每晚最多报多少", "多长时间能拿到", "第三方责任险", "影子计划",
)  # fmt: skip
ENGLISH = (
    "the mini bar", "a minibar", "cooling-off period", "a cooling off", "SKU-9999 costs 5 GB", "iPhone 15", "payslips", "pay a slip", "WiFi-Router",
    "getUserName", "ten percent of 1,000 kg", "Zanzibar in 2031", "How tall?", "e-mail to a café", "on 2024.05.01",
)  # fmt: skip


def _unknown(passages, question):
    with Library.open() as library:
        library.embedder = None
        library.add([Document.from_text(text, source=f"{n}.md") for n, text in enumerate(passages)])
        return library.find(question, mode="lexical").unknown


@settings(max_examples=25, deadline=None)
@given(
    passages=st.lists(
        st.sampled_from(CHINESE + ENGLISH) | st.text(st.sampled_from("寬限期间三十报销險ab -"), min_size=1, max_size=12), min_size=1, max_size=6
    ),
    question=st.lists(st.sampled_from(CHINESE + ENGLISH), min_size=1, max_size=3),
)  # fmt: skip
def test_no_word_that_is_named_is_found_by_grep(passages, question) -> None:
    with Library.open() as library:
        library.embedder = None
        library.add([Document.from_text(text, source=f"{n}.md") for n, text in enumerate(passages)])
        for word in library.find(" ".join(question), mode="lexical").unknown:
            if word.isascii():  # a word of its own: `tall` does not stand in `install`
                assert not library.grep(rf"(^|[^0-9A-Za-z_]){word}($|[^0-9A-Za-z_])", regex=True)
            else:
                assert not library.grep(word)


@pytest.mark.parametrize(
    ("passage", "question", "named"),
    [
        ("寬限期間為三十日。", "寬限期多久？", ()),  # inside a longer word, in either script
        ("寬限期間為三十日。", "宽限期多久？", ()),
        ("保險費的寬限。", "寬限期多久？", ("寬限期",)),
        ("年费每年 168 元。", "免費申訴電話是幾號？幾天？幾倍？", ("免費", "申訴電話")),  # words that ask
        ("年费每年 168 元。", "影子计划一轮多长时间？这份要多少？", ("影子", "计划")),
        ("年费每年 168 元。", "小表加年费要几秒？最多报多少？", ()),  # broken pieces of a segmentation
        ("年费每年 168 元。", "张伟在哪里？", ("张伟",)),  # a name that no dictionary has
        ("百分之五", "百分点", ()),  # numerals are indexed as digits
        ("The minibar is free.", "Is the mini bar free?", ()),
        ("The mini bar is free.", "Is the minibar free?", ()),
        ("Mini cars. There is a free bar.", "Is the minibar free?", ()),  # it may be written apart
        ("A period of cooling off.", "Which cooling-off period?", ()),
        ("The period is over.", "Which cooling-off period?", ("cooling-off",)),
        ("All payslips are sent.", "Where is my payslip?", ()),
        ("SKU-1001 costs 5.", "What does SKU-9999 cost?", ("SKU-9999",)),
        ("The plan of the year.", "How tall is it, how much, how often?", ()),
        ("Of 2024.05.01.", "2024?", ()),
        ("年费每年 168 元。", "What is in it?", ()),
        ("The plan.", "这是什么？为什么？", ()),
        ("Of 2024.05.01.", "Zanzibar 2031?", ("Zanzibar", "2031")),
    ],
)
def test_only_what_is_certain_is_named(passage, question, named) -> None:
    assert _unknown([passage], question) == named


def test_halves_that_never_meet_make_no_word() -> None:
    assert _unknown(["A free mini car.", "A snack bar."], "Is the minibar free?") == ("minibar",)


@pytest.mark.parametrize(("question", "misses"), [("寬限期多久？", True), ("保险费", False)])
def test_what_the_index_lacks_counts_for_the_evidence_even_where_it_is_not_named(question, misses) -> None:
    with Library.open() as library:
        library.embedder = None
        library.add([Document.from_text("寬限期間為三十日，保险费。", source="a.md")])
        assert lexical.misses(library.store, question) is misses
