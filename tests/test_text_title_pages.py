"""Title pages and heads of pages name a document; they are known as such, take no place from what it says, and answer no question about figures."""

from __future__ import annotations

from dataclasses import replace

import pytest

from answer_hits import hit
from yinju import Document, Library
from yinju.answer import cues
from yinju.answer.context import build
from yinju.answer.extract import extract
from yinju.answer.facts import facts
from yinju.text.title_pages import is_title_page

ZH, EN = "东方电气股份有限公司", "Harbour Electric Annual Report"


@pytest.mark.parametrize(
    ("text", "title", "expected"),
    [
        (f"{ZH}\n\n2018 年第一季度报告\n\n2018 年 04 月", ZH, True),
        (f"{ZH} 2018 年第一季度报告全文", ZH, True),
        (f"{ZH}：营业收入 475 万元", ZH, False),
        (f"{ZH}成立于 1992 年。", ZH, False),
        ("2018 年 04 月", ZH, False),
        (f"{EN} 2018\n\nVolume 2", EN, True),
        (f"{EN}\tRevenue\t475", EN, False),
        (f"The {EN} tells of 475 kilometres.", EN, False),
        ("word " * 60 + EN, EN, False),
        ("anything", None, False),
        ("anything", "，", False),
    ],
)
def test_a_title_page_names_its_document_and_states_nothing(text: str, title: str | None, expected: bool) -> None:
    assert is_title_page(text, title) is expected


@pytest.mark.parametrize(
    ("title", "pages", "question", "wanted"),
    [
        (
            ZH,
            (f"{ZH}\n\n2018 年第一季度报告", "营业收入为 475 万元。"),
            "东方电气 2018 年第一季度营业收入是多少？",
            "营业收入为 475 万元",
        ),
        (
            EN,
            (f"{EN} 2018", "The revenue was 475 million euros."),
            "How much revenue does the Harbour Electric annual report 2018 tell of?",
            "The revenue was 475 million euros",
        ),
    ],
)
def test_a_title_answers_no_question_about_figures(
    title: str, pages: tuple[str, str], question: str, wanted: str
) -> None:
    hits = [replace(hit(text, source=f"{number}.pdf"), title=title) for number, text in enumerate(pages)]
    assert extract(question, build(question, hits, tokens=2000)).startswith(wanted)


@pytest.mark.parametrize(
    ("question", "sentence", "expected"),
    [
        ("2018 年第一季度营业收入是多少？", "2018 年第一季度报告全文", 0.0),
        ("2018 年第一季度营业收入是多少？", "2018 年第一季度营业收入为 475 万元", 1.0),
        ("阿根廷队第几次夺冠？", "这是阿根廷队第三次夺冠", 1.0),
        ("How many people worked there in 1990?", "People worked there in 1990.", 0.0),
        ("How many people worked there in 1990?", "Many worked there in 1990.", cues.UNNUMBERED),
        ("How many people worked there in 1990?", "In 1990 there were 12 people.", 1.0),
        ("How many connections are allowed?", "There is no limit to the connections.", cues.UNNUMBERED),
        ("最多允许多少个连接？", "连接数没有限制。", cues.UNNUMBERED),
    ],
)
def test_what_the_question_says_itself_is_no_answer_to_it(question: str, sentence: str, expected: float) -> None:
    assert cues.fits(question, sentence, facts(sentence)) == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("怎样知道一张表是什么时候建的？", False),
        ("How can I see when a table was created?", False),
        ("Who bears the fees of the bank?", False),
        ("这张表是什么时候建的？", True),
        ("How much are the fees of the bank?", True),
    ],
)
def test_what_is_asked_first_tells_whether_only_a_number_can_answer(question: str, expected: bool) -> None:
    assert cues.countable(question) is expected


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("东方电气的营业收入。公司设在沈阳。", "东方电气的营业收入是多少？"),
        (
            "Tensile strength of the blue steel. It is sold in bars.",
            "How large is the tensile strength of the blue steel, how many newtons?",
        ),
    ],
)
def test_without_a_figure_anywhere_nothing_is_quoted(text: str, question: str) -> None:
    assert extract(question, build(question, [hit(text)], tokens=2000)) == ""


@pytest.mark.parametrize(
    ("text", "question", "wanted"),
    [
        ("FSDP。FSDP 把模型的参数分到多块显卡上。", "FSDP 是什么？", "FSDP 把模型的参数分到多块显卡上"),
        (
            "Tensile strength of the blue steel. The blue steel bears 1000 units.",
            "What is the tensile strength of the blue steel?",
            "The blue steel bears",
        ),
    ],
)
def test_an_echo_of_the_question_is_no_answer(text: str, question: str, wanted: str) -> None:
    assert extract(question, build(question, [hit(text)], tokens=2000)).startswith(wanted)


def test_title_pages_take_no_place_from_what_their_document_says() -> None:
    pages = [f"{ZH} 2018 年报告", f"{ZH} 2018 年报告全文", "营业收入 475 万元。", "营业收入的说明。"]
    with Library.open() as library:
        library.add(
            [
                Document.from_text(
                    "\n\n".join(f"# {n}\n\n{page}" for n, page in enumerate(pages)), source="a.md", title=ZH
                )
            ]
        )
        found = [one.text for one in library.find("东方电气 营业收入 2018", 10, "lexical").hits]
    assert sum("营业收入" in text for text in found) == 2


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("When is the local time used?", cues.UNNUMBERED),
        ("何时使用本地时间？", cues.UNNUMBERED),
        ("When was the tower built?", 0.0),
        ("Until when may I send it back?", 0.0),
        ("塔是哪年建成的？", 0.0),
    ],
)
def test_a_condition_may_answer_when_but_not_when_something_was(question: str, expected: float) -> None:
    sentence = "如果没有指定时区就用它" if "何" in question else "If all else fails it is the one."
    assert cues.fits(question, sentence, facts(sentence)) == expected


@pytest.mark.parametrize(
    ("question", "sentence", "expected"),
    [
        ("What is the monthly limit for desks?", "Desks cost up to $700.00.", 1.0),
        ("What is the monthly limit for desks?", "Desks are paid for.", 0.3),
        ("工位的报销上限是什么？", "每月最多 700 元", 1.0),
        ("工位的报销上限是什么？", "工位可以报销", 0.3),
    ],
)
def test_a_limit_is_a_figure(question: str, sentence: str, expected: float) -> None:
    assert cues.fits(question, sentence, facts(sentence)) == expected


@pytest.mark.parametrize(
    ("header", "rows", "question", "wanted"),
    [
        ("项目\t本期", "综合收益总额\t2434\n基本每股收益\t-0.0053", "每股收益是多少？", "基本每股收益"),
        (
            "Item\tThis year",
            "Total income\t2434\nIncome per share\t0.0053",
            "How much is the income per share?",
            "Income per share",
        ),
    ],
)
def test_a_row_goes_on_from_no_other_row(header: str, rows: str, question: str, wanted: str) -> None:
    text = f"{header}\n{rows}"
    assert wanted in extract(question, build(question, [hit(text)], tokens=2000)).split("[1]")[0]
