"""Which questions are about the whole collection, and what they want; a question about one fact never is."""

from __future__ import annotations

from dataclasses import replace

import pytest

from answer_hits import hit
from yinju.answer.collecting import recognise
from yinju.answer.collecting_words import iso
from yinju.answer.collection import shortened, worded
from yinju.tally import Dated, Row, Sought, Tally
from yinju.types import Span


@pytest.mark.parametrize(
    ("question", "texts", "count"),
    [
        ("How many documents mention the student card?", ("student card",), True),
        ("Which files contain both “annual plan” and refunds?", ("annual plan",), False),
        ("List all files that mention USB-C", ("USB-C",), False),
        ("In how many files does roostctl appear?", ("roostctl",), True),
        ("Please show me all documents mentioning recovery codes", ("recovery codes",), False),
        ("Are there any files that mention blockchain?", ("blockchain",), False),
        ("有多少个文件提到学生证？", ("学生证",), True),
        ("哪些文档里有“保修”这个词？", ("保修",), False),
        ("列出所有提到退款的文件", ("退款",), False),
        ("学生证在哪些文件中出现过？", ("学生证",), False),
        ("统计一下提到“备份”的文件数量", ("备份",), True),
        ("提到蓝牙或者WiFi的文件有多少个？", ("蓝牙", "WiFi"), True),
        ("请列出所有与隐私有关的文件", ("隐私",), False),
    ],
)
def test_documents_that_mention(question, texts, count):
    wanted = recognise(question)
    assert wanted is not None
    assert wanted.kind == "documents"
    assert tuple(sought.text for sought in wanted.texts)[: len(texts)] == texts
    assert wanted.count == count


@pytest.mark.parametrize(
    "question",
    [
        "How many days do I have to return a device?",
        "How many minutes does the annual plan include?",
        "What documents do I need for a refund?",
        "How many files can I upload at once?",
        "How long is the warranty?",
        "What article was published in 1937?",
        "哪份报告有正确的日期？",
        "退货要多少天？",
        "家庭方案最多几个人用？",
        "一年要付多少钱？",
        "需要哪些文件才能开发票？",
        "密码输错几次会锁定？",
        "录音最长多少小时？",
        "",
        "how many files mention " + "x" * 500,
    ],
)
def test_questions_about_one_fact_are_left_alone(question):
    assert recognise(question) is None


def test_conditions_in_both_languages():
    wanted = recognise("Which documents do not mention the app?")
    assert wanted is not None
    assert (wanted.without, wanted.texts) == (True, (Sought("app"),))
    wanted = recognise("哪些文件没有提到App？")
    assert wanted is not None
    assert (wanted.without, wanted.texts) == (True, (Sought("App"),))
    assert recognise("哪些 PDF 文件提到“电池”？").types == ("pdf",)
    assert recognise("How many English Word documents are there?").language == "en"
    assert recognise("Which files in the zh folder mention 退款?").names == ("zh/",)
    assert recognise("哪些文件无法读取？").unread
    assert recognise("Which files could not be read?").unread
    assert recognise("List all sections of plans.md").names == ("plans.md",)
    assert recognise("plans.md有哪些章节？").names == ("plans.md",)


@pytest.mark.parametrize(
    ("question", "dated"),
    [
        ("Which documents were updated after 2026-05-01?", Dated("2026-05-01", "", exclusive=True)),
        ("Which files were created in June 2026?", Dated("2026-06", "2026-06", changed=False)),
        ("Which pages were updated between 2026-03-01 and 2026-04-30?", Dated("2026-03-01", "2026-04-30")),
        ("哪些文件是2026年5月之后更新的？", Dated("2026-05", "", exclusive=True)),
        ("2026年3月到4月之间更新的文档有多少个？", Dated("2026-03", "2026-04")),
        ("6月份更新的文件有哪些？", Dated("--06", "--06")),
    ],
)
def test_dates(question, dated):
    wanted = recognise(question)
    assert wanted is not None
    assert wanted.dated == dated


def test_a_date_holds_as_far_as_it_was_said():
    assert Dated("2026-05", "", exclusive=True).holds("2026-06-01")
    assert not Dated("2026-05", "", exclusive=True).holds("2026-05-31")
    assert Dated("--06", "--06").holds("2019-06-30")
    assert not Dated("", "2026", exclusive=True).holds("2026-01-01")
    assert [iso(text) for text in ("3 May 2026", "May 3rd, 2026", "2026年5月3日", "2026/5", "13月", "May")] == [
        "2026-05-03", "2026-05-03", "2026-05-03", "2026-05", None, "--05",
    ]  # fmt: skip


def test_what_is_inside_quotation_marks_is_no_syntax():
    wanted = recognise('Which files mention "files updated after 2026-05-01"?')
    assert wanted is not None
    assert wanted.dated is None
    assert wanted.texts == (Sought("files updated after 2026-05-01", exact=True),)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("哪些文件提到“TiDB”？", "共 72 个文件中的 8 个提到“TiDB”。另有 5 个无法读取。"),
        ("Which files mention “TiDB”?", "8 of 72 files mention “TiDB”. 5 more could not be read."),
        ("一共有多少个文件？", "其中 5 个无法读取。"),
        ("How many files are there?", "5 could not be read."),
    ],
)
def test_what_could_not_be_read_is_no_part_of_what_was_found(question, told):
    wanted = recognise(question)
    assert wanted is not None
    answer = worded(question, Tally(wanted, 8, (), 72, unread=5))
    assert told in answer.text


@pytest.mark.parametrize(
    ("question", "unread", "among", "told"),
    [
        ("How many PDF files are there?", 6, 2, "30 of 192 files are of type pdf. 2 of these 30 could not be read, nor could 4 other files."),
        ("How many PDF files are there?", 2, 2, "2 of these 30 could not be read.\n"),
        ("How many PDF files are there?", 6, 0, "6 more could not be read."),
        ("有多少个 PDF 文件？", 6, 2, "共 192 个文件中的 30 个类型为 pdf。这 30 个中有 2 个无法读取，其他文件中另有 4 个无法读取。"),
        ("有多少个 PDF 文件？", 2, 2, "这 30 个中有 2 个无法读取。\n"),
        ("有多少个 PDF 文件？", 6, 0, "另有 6 个无法读取。"),
    ],
)  # fmt: skip
def test_which_of_the_files_that_could_not_be_read_were_counted(question, unread, among, told):
    wanted = recognise(question)
    assert wanted is not None
    rows = (Row("a.pdf", "a", quoted=False),)
    assert told in worded(question, Tally(wanted, 30, rows, 192, unread=unread, found_unread=among)).text


@pytest.mark.parametrize(
    ("question", "found", "told"),
    [
        ("Which files mention “tea”?", 30, "(… 10 more; `--json` lists all)"),
        ("Which files mention “tea”?", 99, "(… 79 more; `--json` lists the first 30)"),
        ("哪些文件提到“茶”？", 30, "（……另有 10 项；用 `--json` 可列出全部）"),
        ("哪些文件提到“茶”？", 99, "（……另有 79 项；用 `--json` 可列出前 30 项）"),
    ],
)
def test_a_terminal_is_shown_the_first_finds_and_how_to_see_all(question, found, told):
    wanted = recognise(question)
    assert wanted is not None
    rows = tuple(Row(f"{number}.md", "", quoted=False) for number in range(30))
    text = worded(question, Tally(wanted, found, rows, 200)).text
    head, *finds, line, end = shortened(text, 20).split("\n")
    assert (head, end) == (text.split("\n")[0], text.split("\n")[-1])
    assert finds == [f"- {number}.md" for number in range(20)]
    assert line == told
    assert shortened(text, 30) == text


@pytest.mark.parametrize("language", ["en", "zh"])
def test_only_a_terminal_is_shown_fewer_finds(language, monkeypatch):
    from yinju.cli import answers

    question = {"en": "Which files mention “tea”?", "zh": "哪些文件提到“茶”？"}[language]
    rows = [Row(f"{number}.md", "tea 茶", replace(hit("tea 茶"), id=str(number)), Span(0, 5)) for number in range(30)]
    answer = worded(question, Tally(recognise(question), 30, tuple(rows), 200))
    assert answers._first_finds(answer) is answer
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    shown = answers._first_finds(answer)
    assert [citation.marker for citation in shown.citations] == list(range(1, 21))
    assert len(answer.citations) == 30
    listed = replace(answer, model="a model that lists thirty things")
    assert answers._first_finds(listed) is listed
