"""Each cited sentence is compared with its passages by our own rules; markers are put right; quotes are the document's."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from answer_hits import STUDENT, WARRANTY, YEAR, hit, hits_of, passages
from yinju.answer import standalone
from yinju.answer.context import build
from yinju.answer.parts import parts
from yinju.answer.pieces import pieces
from yinju.answer.verify import verify_answer, verify_quote
from yinju.protocols import Message
from yinju.types import Document

GIVEN = passages(YEAR, STUDENT, WARRANTY)
TABLE = hit(
    "| 方案 | 价格 |\n|---|---|\n| 家庭版 | 30 元 |\n| 企业版 | 99 元 |", source="prices.md", headings=("价格表",)
)
MIXED = hit("年费 168 元，月费 18 元。会员满 30 天可以退款。", source="mixed.md")


@pytest.mark.parametrize(
    ("text", "exact"),
    [
        (f"{YEAR.text.rstrip('。')} [1]。", True),
        ("年費方案每年１６８元 [1]。", True),
        ("每年 168 元的是年费方案 [1]。", False),
        ("年费 168 元 [1]。在校生七折 [1]。", False),
        (f"{WARRANTY.text.split('.')[0]} [3].", True),
        ("For six months the battery is covered [3].", False),
        ("The battery is covered for nine months [3].", False),
        (f"{WARRANTY.text.split('.')[0]} [1].", True),
    ],
)
def test_a_sentence_says_whether_it_is_quoted_or_in_words_of_its_own(text: str, exact: bool) -> None:
    found = verify_answer(text, GIVEN)
    assert [sentence.exact for sentence in found.sentences][-1:] == [exact]
    assert {citation.exact for citation in found.citations[-1:]} == {exact}


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("年费方案每年 168 元 [1]。", "verified"),
        ("年费是一百六十八元 [1]。", "verified"),
        ("年費方案每年１６８元 [1]。", "verified"),
        ("年费方案每年 186 元 [1]。", "unsupported"),
        ("年费方案每年 168 美元 [1]。", "unsupported"),
        ("折扣适用于月费 [2]。", "unsupported"),
        ("折扣不适用于月费 [2]。", "verified"),
        ("在校生八折 [2]。", "unsupported"),
        ("年费 168 元，在校生七折 [1][2]。", "verified"),
        ("The battery is covered for 6 months [3].", "verified"),
        ("The battery is covered for nine months [3].", "unsupported"),
        ("Water damage is covered [3].", "unsupported"),
        ("Anna Schmidt covers the battery for six months [3].", "unsupported"),
        ("电池保修六个月 [3]。", "translated"),
        ("电池保修八个月 [3]。", "unsupported"),
        ("The yearly plan costs 168 yuan [1].", "translated"),
        ("The yearly plan costs 200 yuan [1].", "unsupported"),
        ("年费方案每年 168 元 [2]。", "moved"),
        ("The battery is covered for six months [1].", "moved"),
    ],
)
def test_status(text: str, status: str) -> None:
    (sentence,) = verify_answer(text, GIVEN).sentences
    assert sentence.status == status


def test_swapped_markers_are_put_right() -> None:
    verified = verify_answer("年费方案每年 168 元 [2]。在校生按七折结算 [1]。", GIVEN)
    assert verified.text == "年费方案每年 168 元 [1]。在校生按七折结算 [2]。"
    assert [(c.marker, c.source, c.status) for c in verified.citations] == [
        (1, "plans.md", "moved"),
        (2, "students.md", "moved"),
    ]


def test_swapped_markers_inside_a_sentence_are_put_right() -> None:
    verified = verify_answer("年费方案每年 168 元 [2]，在校生上传学生证后七折 [1]。", GIVEN)
    assert verified.text == "年费方案每年 168 元 [1]，在校生上传学生证后七折 [2]。"


def test_a_marker_that_carries_nothing_is_dropped() -> None:
    verified = verify_answer("年费方案每年 168 元 [1][3]。", GIVEN)
    assert verified.text == "年费方案每年 168 元 [1]。"
    assert verified.sentences[0].markers == (1,)


def test_numbers_belong_to_their_words() -> None:
    given_here = passages(MIXED, TABLE)
    assert verify_answer("月费 18 元 [1]。", given_here).sentences[0].status == "verified"
    assert verify_answer("月费 168 元 [1]。", given_here).sentences[0].status == "unsupported"
    assert verify_answer("企业版 99 元 [2]。", given_here).sentences[0].status == "verified"
    assert verify_answer("企业版 30 元 [2]。", given_here).sentences[0].status == "unsupported"


def test_a_row_worded_as_a_record_is_verified_and_quoted_as_it_is() -> None:
    verified = verify_answer("方案: 家庭版; 价格: 30 元 [1]", passages(TABLE))
    assert verified.sentences[0].status == "verified"
    assert verified.citations[0].quote == "| 家庭版 | 30 元 |"
    assert verified.citations[0].lines == (3, 3)


def test_quotes_stand_in_the_document() -> None:
    text = "# 题\n\n年费 168 元。\n\n月费 18 元。\n"
    (found,) = hits_of(text, ["年费 168 元。\n\n月费 18 元。"])
    (citation,) = verify_answer("月费 18 元 [1]。", passages(found)).citations
    assert citation.span.of(text) == citation.quote == "月费 18 元。"
    assert citation.lines == (5, 5)


def test_a_sentence_without_a_marker_gets_one_where_it_is_proved() -> None:
    verified = verify_answer(
        "年费方案每年 168 元。 The battery is covered for six months. 你好！年费方案每年 186 元。", GIVEN
    )
    assert (
        verified.text
        == "年费方案每年 168 元。 [1] The battery is covered for six months. [3] 你好！年费方案每年 186 元。"
    )
    assert [s.status for s in verified.sentences] == ["verified", "verified", "unsupported", "unsupported"]
    assert [(c.marker, c.status) for c in verified.citations] == [(1, "verified"), (3, "verified")]
    assert verify_answer(verified.text, GIVEN).text == verified.text


_words = st.sampled_from(
    [
        "年费",
        "168 元",
        "在校生",
        "七折",
        "battery",
        "six months",
        "not",
        "不",
        "，",
        "。",
        " [1]",
        " [2]",
        "[3]",
        "[9]",
        "\n",
        "200 元",
    ]
)


@settings(deadline=None)
@given(st.lists(_words, max_size=14).map("".join))
def test_every_quote_is_in_its_document(text: str) -> None:
    verified = verify_answer(text, GIVEN)
    for citation in verified.citations:
        source = GIVEN[citation.marker - 1].hit
        start = citation.span.start - source.span.start
        assert source.text[start : start + len(citation.quote)] == citation.quote != ""
    assert {c.marker for c in verified.citations} == {m for s in verified.sentences for m in s.markers}
    again = verify_answer(verified.text, GIVEN)
    assert all(s.status != "verified" or s.markers for s in again.sentences)


def test_verify_quote() -> None:
    document = Document("# 保修\n\n电池保修６个月，\n自购买之日起。", "warranty.md", anchors=((0, 1),))
    found = verify_quote("電池保修6個月， 自购买", document)
    assert (found.status, found.quote, found.lines) == ("verified", "电池保修６个月，\n自购买", (3, 4))
    assert found.span.of(document.text) == found.quote
    missing = verify_quote("电池保修九个月", document)
    assert (missing.status, missing.quote) == ("unsupported", "")
    assert verify_quote("  ", document).status == "unsupported"
    assert verify_quote("x", None).status == "unsupported"


@given(st.text(max_size=60), st.data())
def test_each_part_of_a_document_is_found_in_it(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    citation = verify_quote(text[start:end], Document(text, "a.md", anchors=((0, 1),)))
    assert citation.span.of(text) == citation.quote


def test_pieces_of_a_passage() -> None:
    text = "## 退款\n\n以下情况可以：\n\n- 未拆封\n- 7 天内。\n\n第一句。第二句\n接着。\n\n```\ncode\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |"
    found = [(piece.kind, piece.worded, piece.lead) for piece in pieces(hit(text))]
    assert found == [
        ("heading", "## 退款", ""),
        ("sentence", "以下情况可以：", ""),
        ("item", "未拆封", "以下情况可以："),
        ("item", "7 天内。", "以下情况可以："),
        ("sentence", "第一句。", ""),
        ("sentence", "第二句接着。", ""),
        ("code", "```\ncode\n```", ""),
        ("heading", "| a | b |", ""),
        ("row", "a: 1; b: 2", ""),
    ]
    assert all(piece.span.of(text) == piece.text for piece in pieces(hit(text)))


def test_rows_of_a_sheet_are_cited_by_their_number() -> None:
    sheet = replace(hit("价格\n\n型号\t零售价\nQ1\t899 元\nQ1 Mini\t599 元", source="prices.xlsx"), lines=(1, 3))
    (citation,) = verify_answer("型号: Q1 Mini; 零售价: 599 元 [1]", passages(sheet)).citations
    assert (citation.status, citation.lines, citation.quote) == ("verified", (3, 3), "Q1 Mini\t599 元")


@pytest.mark.parametrize(
    "text",
    ["a" * 20_000, "9" * 20_000, "一" * 20_000, "a." * 10_000, "Ab " * 6000, "不" * 20_000, "\n" * 20_000, "[1" * 5000],
)
def test_hostile_text_takes_no_time(text: str) -> None:
    start = time.monotonic()
    evil = hit(text + " 完", source="evil.md")
    verify_answer("年费 168 元 [1]。", passages(evil))
    verify_answer(text + " [1]", passages(YEAR))
    build(text, [evil], tokens=100_000, format="sections")
    parts(text)
    standalone(text, [Message("user", text)])
    assert time.monotonic() - start < 2.0
