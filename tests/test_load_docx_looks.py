"""DOCX: headings that only look like headings, where the document has none by style; and what looks so and is none."""

from __future__ import annotations

import docx
import pytest
from docx.shared import Pt

from test_load_docx import load, saved

PROSE = {
    "zh": "本办法适用于公司全体正式员工及外聘顾问，出差前须经部门负责人书面批准。",
    "en": "These rules hold for all employees, who ask the head of their department before they travel.",
}


def paragraph(document, text, *, bold=None, size=None, style=None):
    run = document.add_paragraph(style=style).add_run(text)
    run.bold = bold
    if size:
        run.font.size = Pt(size)


def headings(document) -> list[tuple[int, str]]:
    return [(mark.level, mark.label) for mark in load(saved(document)).marks if mark.kind == "heading"]


@pytest.mark.parametrize(
    ("lang", "title", "names"),
    [
        ("zh", "员工差旅管理办法", ["适用范围", "住宿标准", "报销时限"]),
        ("en", "Rules of travel", ["Scope", "Hotels", "Claims"]),
    ],
)
@pytest.mark.parametrize("look", [{"bold": True}, {"size": 16}, {"bold": True, "size": 14}])
def test_short_lines_that_stand_out_are_headings(lang, title, names, look):
    document = docx.Document()
    paragraph(document, title, bold=True, size=20)
    for name in names:
        paragraph(document, name, **look)
        paragraph(document, PROSE[lang])
    assert headings(document) == [(1, title), *((2, name) for name in names)]
    assert load(saved(document)).title == title


def test_larger_letters_stand_above_bold_ones():
    document = docx.Document()
    for part in ("第一部分", "第二部分"):
        paragraph(document, part, size=18)
        for name in ("住宿", "交通"):
            paragraph(document, name, bold=True)
            paragraph(document, PROSE["zh"])
    wanted = [(2, "住宿"), (2, "交通")]
    assert headings(document) == [(1, "第一部分"), *wanted, (1, "第二部分"), *wanted]


def test_the_look_may_come_from_a_style_that_is_no_heading():
    document = docx.Document()
    style = document.styles.add_style("小节", 1)
    style.font.bold, style.font.size = True, Pt(15)
    for name in ("Scope", "Hotels"):
        paragraph(document, name, style="小节")
        paragraph(document, PROSE["en"])
    assert headings(document) == [(1, "Scope"), (1, "Hotels")]


def test_below_a_title_by_style_they_begin_at_level_two():
    document = docx.Document()
    document.add_heading("差旅", 0)
    for name in ("住宿", "交通"):
        paragraph(document, name, bold=True)
        paragraph(document, PROSE["zh"])
    assert headings(document) == [(1, "差旅"), (2, "住宿"), (2, "交通")]


def test_where_styles_name_headings_their_word_is_final():
    document = docx.Document()
    for name in ("住宿", "交通"):
        document.add_heading(name, 2)
        paragraph(document, "注意", bold=True)
        paragraph(document, PROSE["zh"])
    assert headings(document) == [(2, "住宿"), (2, "交通")]


@pytest.mark.parametrize(
    "line",
    [
        "请在出发前三天提交申请。",
        "甲方：北京云杉科技有限公司",
        "2024年3月1日",
        "Please hand in your claim in time.",
        "Name:",
        "18 500",
        "姓名______",
    ],
)
def test_sentences_labels_dates_and_numbers_in_bold_are_none(line):
    document = docx.Document()
    for _ in range(3):
        paragraph(document, line, bold=True)
        paragraph(document, PROSE["zh"])
    assert headings(document) == []


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_what_is_not_clear_is_none(lang):
    once = docx.Document()
    paragraph(once, PROSE[lang])
    paragraph(once, "Scope", bold=True)
    paragraph(once, PROSE[lang])
    assert headings(once) == [], "it comes but once"

    all_bold = docx.Document()
    for name in ("Scope", "Hotels", "Claims"):
        paragraph(all_bold, name, bold=True)
        paragraph(all_bold, PROSE[lang], bold=True)
    assert headings(all_bold) == [], "all of the text looks so"

    in_part = docx.Document()
    for name in ("Scope", "Hotels"):
        line = in_part.add_paragraph()
        line.add_run(name).bold = True
        line.add_run(" " + PROSE[lang])
    assert headings(in_part) == [], "it is not alone in its paragraph"

    a_list = docx.Document()
    paragraph(a_list, PROSE[lang])
    for name in ("Scope", "Hotels", "Claims"):
        paragraph(a_list, name, bold=True)
    assert headings(a_list) == [], "nothing follows"


def test_lines_of_a_title_page_are_none_but_the_title():
    document = docx.Document()
    paragraph(document, "智慧园区项目", bold=True, size=26)
    for line in ("投标文件", "北京云杉科技有限公司", "二〇二四年三月"):
        paragraph(document, line, bold=True, size=16)
    for name in ("项目背景", "建设目标"):
        paragraph(document, name, bold=True)
        paragraph(document, PROSE["zh"] * 3)
    assert headings(document) == [(1, "智慧园区项目"), (2, "项目背景"), (2, "建设目标")]


def test_clauses_are_left_to_the_recognition_of_laws():
    document = docx.Document()
    paragraph(document, "租赁合同", bold=True, size=18)
    for number, name in zip("一二三", ("标的", "租金", "租期"), strict=True):
        paragraph(document, f"第{number}条　{name}", bold=True)
        paragraph(document, PROSE["zh"])
    assert headings(document) == [(1, "租赁合同")]
