"""Words and the syntax of questions: the same thing is found however it is written, and no question is a syntax error."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from yinju import Document, Library
from yinju.retrieve.holding import stands
from yinju.retrieve.phrases import parsed
from yinju.testing import FakeEmbedder
from yinju.text.normalize import fold_keeping_case
from yinju.text.quantities import marks, spelled, value
from yinju.text.words import END, index_terms, stem

MODES = ("lexical", "dense", "hybrid", "rank-fusion")


@pytest.mark.parametrize(
    ("numeral", "number"),
    [
        ("三十九", 39), ("一百零五", 105), ("一百五", 150), ("一万二", 12_000), ("二〇二四", 2024), ("三千万", 30_000_000), ("十", 10),
        ("一亿零五百万", 105_000_000), ("两万三千五百", 23_500), ("两三百", None), ("万一", None), ("七八", None), ("百万", None),
        ("一" * 30, None),
    ],
)  # fmt: skip
def test_value_of_chinese_numerals(numeral: str, number: int | None) -> None:
    assert value(numeral) == number


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("保修三个月", "保修3个月"), ("第三十九条", "第39条"), ("百分之十五", "15%"), ("05月01日", "5月1日"), ("5 GB", "5GB"), ("1,000 kg", "1000kg"),
        ("30 °C", "30C"), ("一些", "一些"), ("统一年度", "统一年度"), ("十分好", "十分好"), ("这一天", "这一天"), ("第一名", "第一名"),
        ("三分之一", "三分之一"),
        ("5 a day", "5 a day"), ("chapter 5 general", "chapter 5 general"),
    ],
)  # fmt: skip
def test_only_certain_numerals_and_measures_are_rewritten(text: str, expected: str) -> None:
    assert spelled(fold_keeping_case(text)) == expected


@pytest.mark.parametrize(
    "text", ["2024年5月1日", "2024/5/1", "2024.05.01", "May 1, 2024", "1 May 2024", "May 1st, 2024"]
)
def test_dates_have_one_mark(text: str) -> None:
    assert list(marks(text)) == ["20240501"]
    assert "20240501" in index_terms("2024-05-01").words


@settings(deadline=None)
@given(st.text(st.sampled_from("三十九百〇一二两个月年万亿第条%分之 0123.,/kgGB°Cay")))
def test_spelling_twice_changes_nothing_more_to_find(text: str) -> None:
    found = index_terms(text)
    for term in (*found.words, *found.bigrams):
        assert term
        assert all(ord(sign) > 127 or sign.isalnum() for sign in term)


MEET = [
    ("第39条", "第三十九条 用人单位"), ("第三十九条", "第39条 用人单位"), ("3个月", "保修三个月"), ("三个月", "保修 3 个月"), ("两年", "2 年后"),
    ("一百元", "押金100元"), ("10万元", "注册资本十万元"), ("10%", "增长百分之十"), ("百分之十", "增长１０％"), ("10 percent", "a rise of 10%"),
    ("5GB", "空间 5 GB"), ("5 GB", "空间5GB"), ("7kg", "毛重7公斤"), ("１６８元", "每年 168 元"), ("2024-05-01", "于2024年5月1日召开"),
    ("2024年5月1日", "on May 1, 2024"), ("iphone15", "the iPhone 15 costs"), ("Windows11", "下载 Windows 11"), ("RTX 4090", "显卡RTX4090"),
    ("URL", "two URLs"), ("api", "the APIs"), ("nodejs", "uses Node.js"), ("v2.3", "since v2.3.1"), ("cafe", "the café"), ("Müller", "Herr Muller"),
    ("colour", "the color"), ("organisation", "an organization"), ("analyse", "we analyzed"), ("R&D", "the R&D budget"),
    ("getUserName", "call get_user_name()"), ("getusername", "call getUserName()"), ("頁面", "该⻚面"), ("ios", "iOS 17"), ("税", "增值税"),
    ("税", "税务局"),
    ("盐", "水里放盐"), ("盐放多少", "炒菜加盐两克"), ("USB", "usb接口"), ("less", "less file"),
]  # fmt: skip


@pytest.mark.parametrize(("question", "passage"), MEET)
def test_the_same_thing_is_found_however_it_is_written(question: str, passage: str) -> None:
    with Library.open() as library:
        library.embedder = None
        library.add(
            [Document.from_text(passage, source="a.md"), Document.from_text("另一页 of nothing", source="b.md")]
        )
        assert [hit.source for hit in library.search(question, mode="lexical")] == ["a.md"]


@pytest.mark.parametrize(
    ("question", "passage"),
    [("10%", "增长1.0倍"), ("123", "12.3"), ("USB", "the bus"), ("ios", "the IO port"), ("税", "睡觉"), ("牛排", "排骨汤与黄牛"), ("C#", "C++")],
)  # fmt: skip
def test_what_differs_does_not_meet(question: str, passage: str) -> None:
    with Library.open() as library:
        library.embedder = None
        library.add([Document.from_text(passage, source="a.md")])
        assert library.search(question, mode="lexical") == []


def test_one_unknown_term_hides_nothing_and_is_named() -> None:
    with Library.open() as library:
        library.embedder = None
        library.add([Document.from_text("年费方案每年 168 元。", source="a.md"), Document.from_text("The annual plan.", source="b.md")])  # fmt: skip
        for question, source, unknown in [
            ("年费方案的量子纠缠", "a.md", "量子"),
            ("annual plan of Zanzibar", "b.md", "Zanzibar"),
        ]:
            result = library.find(question, mode="lexical")
            assert result.hits[0].source == source
            assert unknown in " ".join(result.unknown)


def test_a_code_that_is_written_apart_is_not_unknown() -> None:
    with Library.open() as library:
        library.embedder = None
        library.add([Document.from_text("The iPhone 15 and the RTX-4090.", source="a.md")])
        assert library.find("iphone15", mode="lexical").unknown == ()
        assert library.find("iphone16", mode="lexical").unknown != ()


@pytest.mark.parametrize(
    ("word", "expected"),
    [("usb", "usb"), ("as", "as"), ("less", "less"), ("ios", "ios"), ("e4031", "e4031"), ("plans", "plan")])  # fmt: skip
def test_codes_are_not_stemmed(word: str, expected: str) -> None:
    assert stem(word) == expected


def test_the_last_character_of_a_run_is_a_term_of_passages_only() -> None:
    assert "税" + END in index_terms("增值税").bigrams
    assert "税" + END not in index_terms("增值税", question=True).bigrams


# Syntax


@pytest.mark.parametrize(
    ("question", "text", "phrases", "without"),
    [
        ('"annual plan" price', '"annual plan" price', ("annual plan",), ()),
        ("“年费方案”多少钱", "“年费方案”多少钱", ("年费方案",), ()),
        ("退款 -优惠券", "退款", (), ("优惠券",)),
        ("退款 －优惠券 怎么办", "退款   怎么办", (), ("优惠券",)),
        ('refund -"gift card"', "refund", (), ("gift card",)),
        ('"C"', '"C"', (), ()),
        ("《年费方案》", "《年费方案》", (), ()),
        ("3-5 天", "3-5 天", (), ()),
        ("sync --no-embed", "sync --no-embed", (), ()),
        ("rm -rf x", "rm -rf x", (), ()),
        ("温度 -20 度", "温度 -20 度", (), ()),
        ("a - b", "a - b", (), ()),
        ("well-known", "well-known", (), ()),
        ('a 27" monitor and a 24" one', 'a 27" monitor and a 24" one', (), ()),
        ('"open', '"open', (), ()),
        ("x -refund", "x", (), ("refund",)),
        (" -refund", " -refund", (), ()),
    ],
)  # fmt: skip
def test_what_is_syntax_and_what_is_words(question, text, phrases, without) -> None:
    asked = parsed(question)
    assert (asked.text, asked.phrases, asked.without) == (text, phrases, without)


@given(st.text(st.sampled_from('"“”-－ abc退款\n3.'), max_size=40))
def test_no_question_loses_all_its_words(question: str) -> None:
    asked = parsed(question)
    assert bool(index_terms(asked.text).words) or not index_terms(question).words


PAGES = {
    "a.md": "年费方案每年 168 元。",
    "b.md": "方案的年费另算，每年不同。",
    "c.md": "The annual\nplan costs 168 yuan.",
    "d.md": "The plan is annual, its refunds are not.",
    "e.md": "Start it with java -jar app.",
    "f.md": "年費\n方案的退款規則。",
    "g.md": "An empty jar of honey.",
}


@pytest.fixture(scope="module")
def library() -> Iterator[Library]:
    with Library.open(embedder=FakeEmbedder()) as opened:
        opened.add([Document.from_text(text, source=source) for source, text in PAGES.items()])
        yield opened


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("question", "sources"),
    [
        ("“年费方案”", {"a.md", "f.md"}),
        ('"年费方案" 多少元', {"a.md", "f.md"}),
        ('"annual plan"', {"c.md"}),
        ('"ANNUAL PLAN" "168 yuan"', {"c.md"}),
        ("“年费方案” -退款", {"a.md"}),
        ("“年费方案” －退", {"a.md"}),
    ],
)
def test_phrases_are_exact_in_every_leg(library, mode, question, sources) -> None:
    result = library.find(question, 10, mode)
    assert {hit.source for hit in result.hits} == sources
    assert result.phrases
    assert result.query == question


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("question", "gone"),
    [("plan annual -refund", {"d.md"}), ("年费 方案 -元", {"a.md"}), ("年费 方案 -每年", {"a.md", "b.md"}), ('plan -"annual plan"', {"c.md"})],
)  # fmt: skip
def test_what_is_left_out_is_in_no_leg(library, mode, question, gone) -> None:
    result = library.find(question, 10, mode)
    assert result.hits
    assert not gone & {hit.source for hit in result.hits}
    assert result.without


def test_filters_by_text_hold_in_a_library_of_two_languages_too(library) -> None:
    library_of_two = [Document.from_text(f"第 {n} 页", source=f"zh{n}.md") for n in range(5)]
    with Library.open(embedder=FakeEmbedder()) as mixed:
        mixed.add([Document.from_text(text, source=source) for source, text in PAGES.items()] + library_of_two)
        assert {hit.source for hit in mixed.search('"annual plan"', 10, "dense")} == {"c.md"}


@pytest.mark.parametrize("question", ['"annual plot" costs', "“方案年费” 168 元"])
def test_a_phrase_that_stands_nowhere_counts_as_words_and_it_is_said(library, question) -> None:
    result = library.find(question, mode="lexical")
    assert result.hits
    assert result.phrases == ()
    assert any("“" in text for text in result.notices)


def test_a_phrase_outside_of_the_filter_is_words(library) -> None:
    result = library.find('"annual plan"', mode="lexical", where={"source": "d*"})
    assert [hit.source for hit in result.hits] == ["d.md"]
    assert result.notices


def test_an_option_that_the_documents_write_is_searched(library) -> None:
    result = library.find("java -jar", mode="lexical")
    assert result.hits[0].source == "e.md"
    assert result.without == ()
    assert any("-jar" in text for text in result.notices)


@pytest.mark.parametrize(
    ("text", "passage", "there"),
    [
        ("年费方案", "本年\n费方案", True), ("annual plan", "Annual \n Plan", True), ("plan", "plans", False), ("12", "123", False),
        ("1.5", "11.5", False), ("12", "12.5", False), ("12", "于12。", True), ("臺灣", "台湾", True), ("a.b", "axb", False),
    ],
)  # fmt: skip
def test_where_a_phrase_stands(text, passage, there) -> None:
    assert stands(text, passage) is there


@settings(max_examples=60, deadline=None)
@given(
    question=st.text(st.sampled_from('"“”-－ 年费方案退plan refund\x00*().:'), min_size=1, max_size=30).filter(
        str.strip
    ),
    mode=st.sampled_from(MODES),
)
def test_no_question_is_an_error(library, question, mode) -> None:
    library.search(question, mode=mode)
