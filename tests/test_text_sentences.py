"""Sentences, tokens and rows."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yinju.text.sentences import split
from yinju.text.tables import as_record, cells
from yinju.text.tokens import estimate


def sentences(text: str) -> list[str]:
    return [span.of(text) for span in split(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("费用为123.23元。版本v1.2.3于2024.05.01发布。", ["费用为123.23元。", "版本v1.2.3于2024.05.01发布。"]),
        ("It costs 3.50. See Fig. 2. Done.", ["It costs 3.50.", "See Fig. 2.", "Done."]),
        ("地址192.168.1.10。圆周率是３．１４。好", ["地址192.168.1.10。", "圆周率是３．１４。", "好"]),
        ("Ask Mr. Smith, e.g. Today. Read a.md! OK?", ["Ask Mr. Smith, e.g. Today.", "Read a.md!", "OK?"]),
        ("后来雨停了！他走了吗？也许；不知道。", ["后来雨停了！", "他走了吗？", "也许；不知道。"]),
        ("他说：“今天走。明天回。”然后离开。", ["他说：“今天走。明天回。”", "然后离开。"]),
        ("“你好！”，他说。（见第3节。）好", ["“你好！”，他说。", "（见第3节。）", "好"]),
        ('Then left. "Why?" He asked.', ["Then left.", '"Why?"', "He asked."]),
        ('他走了。"你好。"她笑了。', ["他走了。", '"你好。"', "她笑了。"]),
        ("**注意。**下文。", ["**注意。**", "下文。"]),
        ("见https://a.com/b?c=d.html 好。完", ["见https://a.com/b?c=d.html 好。", "完"]),
        ("See https://a.com/b?c=d.html now. End", ["See https://a.com/b?c=d.html now.", "End"]),
        ("第一行\n接着。第二句\n\n新段", ["第一行\n接着。", "第二句", "新段"]),
        ("one\ntwo. Three\n\nnew", ["one\ntwo.", "Three", "new"]),
        ("# 标题\n正文\n- 项一\n- 项二", ["# 标题", "正文", "- 项一", "- 项二"]),
        ("# Title\nBody\n1. First\n2. Second", ["# Title", "Body", "1. First", "2. Second"]),
        ("|a。b|c|\n|d|e|\n尾", ["|a。b|c|", "|d|e|", "尾"]),
        ("x\ty. Z\nx\tw", ["x\ty. Z", "x\tw"]),
        ("他等着……后来走了。真的？！", ["他等着……后来走了。", "真的？！"]),
        ("Well... maybe. Wait... No", ["Well... maybe.", "Wait...", "No"]),
        ("", []),
        (" \n　", []),
    ],
)
def test_split(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "NEW YORK, August 19, 2022 – Foot Locker, Inc. (NYSE: FL) named a CEO. She starts soon.",
            ["NEW YORK, August 19, 2022 – Foot Locker, Inc. (NYSE: FL) named a CEO.", "She starts soon."],
        ),
        ("We hired Acme Corp. (“Acme”) last year.", ["We hired Acme Corp. (“Acme”) last year."]),
        ("Acme Co., Ltd. owns it. Acme Corp. Announces Results", ["Acme Co., Ltd. owns it.", "Acme Corp. Announces Results"]),
        ("He works at Acme, Inc. The company sells shoes.", ["He works at Acme, Inc.", "The company sells shoes."]),
        ("The U.S. Army is in the U.S. The law says so.", ["The U.S. Army is in the U.S.", "The law says so."]),
        ("See No. 5 and approx. 7 of Jul. 5 vs. Jan. 6, e.g. (this).", ["See No. 5 and approx. 7 of Jul. 5 vs. Jan. 6, e.g. (this)."]),
        ("Open at 9 a.m. (Monday) to 5 p.m. Friday. Close at 6 p.m. Later calls wait.",
         ["Open at 9 a.m. (Monday) to 5 p.m. Friday.", "Close at 6 p.m.", "Later calls wait."]),
        ("Cats, dogs etc. (pets) are in. Birds etc. Fish too.", ["Cats, dogs etc. (pets) are in.", "Birds etc.", "Fish too."]),
        ("Papers by K. He and Y. She count. Plan B. It works.", ["Papers by K. He and Y. She count.", "Plan B.", "It works."]),
        ("Acme Inc. 是一家公司。总部在上海。", ["Acme Inc. 是一家公司。", "总部在上海。"]),
        ("供方为 Acme Ltd.（以下简称公司）。第二句。", ["供方为 Acme Ltd.（以下简称公司）。", "第二句。"]),
        ("先装 .NET 8，再看 No. 5 文件。美国（U.S.）公司除外。", ["先装 .NET 8，再看 No. 5 文件。", "美国（U.S.）公司除外。"]),
    ],
)  # fmt: skip
def test_a_dot_of_an_abbreviation_ends_no_sentence_that_goes_on(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


@given(st.text(st.sampled_from('a A1.。！?!“”（）()"*`\n\t|-#…，的')))
def test_sentences_cover_all_but_white_space(text: str) -> None:
    place = 0
    for span in split(text):
        assert not text[place : span.start].strip()
        assert span.of(text) == span.of(text).strip() != ""
        place = span.end
    assert not text[place:].strip()


@pytest.mark.parametrize(
    "text",
    [
        "a" * 500_000,
        "." * 500_000,
        "“a" * 200_000,
        "a." * 200_000,
        "A. " * 100_000,
        "Inc." + " " * 400_000,
        "(" * 300_000,
        '"' * 300_000,
        "\n" * 300_000,
    ],
)
def test_hostile_text_ends_quickly(text: str) -> None:
    assert len(split(text)) <= len(text)


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ("| a | b\\|c |  |", ["a", "b|c", ""]),
        ("a | b", ["a", "b"]),
        ("名称\t类型\t", ["名称", "类型", ""]),
        ("alone", ["alone"]),
        ("", [""]),
    ],
)
def test_cells(row: str, expected: list[str]) -> None:
    assert cells(row) == expected


def test_as_record() -> None:
    assert as_record("|名称|类型|默认|\n|---|---|---|", "|端口|整数||") == "名称: 端口; 类型: 整数"
    assert as_record("name\tkind", "port\tint\textra") == "name: port; kind: int; extra"


@pytest.mark.parametrize(
    ("header", "row", "record"),
    [
        ("For\t901,248,622", "Broker Non-Votes\t172,969,325", "Broker Non-Votes: 172,969,325"),
        ("| 赞成 | 1,125 |\n|---|---|", "| 反对 | 65 |", "反对: 65"),
        ("", "弃权\t84,193", "弃权: 84,193"),
        ("收入\t2023", "门店\t1,125", "收入: 门店; 2023: 1,125"),
        ("Region\tRevenue", "North\t51,230", "Region: North; Revenue: 51,230"),
    ],
)
def test_a_label_and_its_figure_name_no_columns(header: str, row: str, record: str) -> None:
    assert as_record(header, row) == record


@given(st.text(), st.text())
def test_estimate_is_additive_enough(left: str, right: str) -> None:
    both = estimate(left + right)
    assert max(estimate(left), estimate(right)) <= both <= estimate(left) + estimate(right)


def test_estimate_by_arithmetic() -> None:
    assert estimate("") == estimate(" \n") == 0
    assert estimate("汉") == 1
    assert estimate("汉" * 1000) == 780  # 0.78 a character
    assert estimate("hello") == 2  # 0.55 for the word, 0.16 for each of five letters: 1.35
