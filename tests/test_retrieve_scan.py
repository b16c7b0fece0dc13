"""A scan counts over everything, within the filters, says its denominator, and cites each find where it stands."""

from __future__ import annotations

import time

import pytest
from benchmarks import collection

from yinju import Document, Library
from yinju.answer.collecting import recognise
from yinju.answer.collection import worded
from yinju.retrieve.scan import SHOWN, scan
from yinju.retrieve.scan_conditions import understood
from yinju.store import Store

PARTS = (
    "# 配件\n\n| 编号 | 名称 | 价格（元） | 现货 |\n| --- | --- | --- | --- |\n"
    "| A1 | 背夹 | 29 | 有 |\n| A2 | 支架 | 1,059 元 | 无 |\n| B1 | 线 / 2 米 | 35 | 有 |\n"
)
PLANS = (
    "# Plans\n\nThe annual plan costs 168 yuan. Refunds [3]\nare possible.\n\n## Limits\n\n- one device\n- two phones\n"
)


@pytest.fixture(scope="module")
def library():
    with Library(Store.open(None)) as library:
        library.add(
            [
                Document.from_text(PARTS, source="zh/parts.md", metadata={"author": "陈屿", "updated": "2026-05-03"}),
                Document.from_text(
                    PLANS, source="en/plans.md", metadata={"author": "Chen Yu", "updated": "2026-06-30"}
                ),
                Document.from_text("退款请联系客服。", source="zh/refunds.md", metadata={"updated": "2025-01-02"}),
            ],
            embed=False,
        )
        yield library


def tally(library, question, where=None):
    wanted = recognise(question)
    return None if wanted is None else scan(library.store, wanted, where or {})


@pytest.mark.parametrize(
    ("question", "found", "among", "first"),
    [
        ("Which files mention a refund?", 1, 3, "en/plans.md"),
        ("哪些文件提到退款？", 1, 3, "zh/refunds.md"),
        ("How many files do not mention refunds?", 2, 3, "zh/parts.md"),
        ("作者是陈屿的文件有哪些？", 1, 3, "zh/parts.md"),
        ("Which documents have no author?", 1, 3, "zh/refunds.md"),
        ("哪些文件是2026年5月之后更新的？", 1, 3, "en/plans.md"),
        ("How many files are there?", 3, 3, "en/plans.md"),
        ("Which files contain a table?", 1, 3, "zh/parts.md"),
    ],
)
def test_documents(library, question, found, among, first):
    counted = tally(library, question)
    assert counted is not None
    assert (counted.found, counted.files, counted.unread) == (found, among, 0)
    assert first in [row.source for row in counted.rows]


@pytest.mark.parametrize(
    ("question", "found", "among"),
    [
        ("有多少种配件？", 3, 3),
        ("价格大于30元的配件有几个？", 2, 3),
        ("现货的配件有哪些？", 2, 3),
        ("没有现货的配件有几种？", 1, 3),
        ("parts.md里名称为背夹的有多少行？", 1, 3),
        ("How many rows in parts.md are there?", 3, 3),
        ("List all limits", 2, 2),
    ],
)
def test_rows_and_items(library, question, found, among):
    counted = tally(library, question)
    assert counted is not None
    assert (counted.found, counted.among) == (found, among)


def test_a_table_that_is_not_there_is_no_answer(library):
    assert tally(library, "List all penguins") is None
    assert tally(library, "有多少种企鹅？") is None
    assert tally(library, "How many rows in nowhere.md are there?") is None


def test_filters_narrow_numerator_and_denominator(library):
    counted = tally(library, "How many files are there?", {"source": "zh/*"})
    assert (counted.found, counted.files) == (2, 2)
    assert tally(library, "Which files mention a refund?", {"source": "zh/*"}).found == 0


def test_each_find_is_cited_word_for_word_and_no_document_forges_a_marker(library):
    answer = library.ask("Which files mention a refund?")
    assert "1 of 3 files" in answer.text
    assert [(citation.marker, citation.source) for citation in answer.citations] == [(1, "en/plans.md")]
    assert all(c.span.of(library.document(c.source).text) == c.quote for c in answer.citations)
    assert answer.citations[0].lines == (3, 3)
    assert "[3]" not in answer.text
    assert "共 3 个文件中的 1 个" in library.ask("哪些文件提到退款？").text


def test_nothing_found_is_an_answer(library):
    answer = library.ask("Which files mention penguins?")
    assert not answer.refused
    assert answer.text.startswith("0 of 3 files mention “penguins”.")
    assert answer.citations == ()


def test_conditions_must_be_used_up():
    columns, rows = ("Code", "Retail price", "Offline"), (("A", "12", "yes"), ("B", "300", "no"))
    assert [
        understood(said, columns, rows).holds(rows[1])
        for said in ("", "price over 100", "where Offline is no", "cost at least 300")
    ] == [True] * 4
    assert not understood("Offline", columns, rows).holds(rows[1])
    assert understood("which taste better than a price over 100", columns, rows) is None


def test_many_finds_are_all_counted_and_the_first_shown():
    with Library(Store.open(None)) as library:
        library.add(
            [Document.from_text("\n\n".join(f"第 {n} 段说到企鹅。" for n in range(300)), source="a.md")], embed=False
        )
        counted = tally(library, "“企鹅”出现了多少次？")
        assert (counted.found, counted.times, len(counted.rows)) == (300, 300, SHOWN)
        assert f"只列出前 {SHOWN} 项，共 300 项" in worded("“企鹅”出现了多少次？", counted).text


@pytest.mark.slow
def test_twenty_thousand_passages_take_seconds():
    with Library(Store.open(None)) as library:
        library.add(
            (
                Document.from_text(f"# Note {n}\n\nSome words about pumps and valve {n}.", source=f"{n}.md")
                for n in range(20_000)
            ),
            embed=False,
        )
        start = time.perf_counter()
        assert tally(library, "How many files mention valves?").found == 20_000
        assert time.perf_counter() - start < 60


@pytest.mark.bench
@pytest.mark.slow
@pytest.mark.parametrize("expected", collection.QUESTIONS, ids=lambda expected: expected.question)
def test_questions_counted_by_hand(expected, libraries):
    if expected.library not in libraries:
        pytest.skip(f"{expected.library} is not there")
    assert list(collection.faults(libraries[expected.library], expected)) == []


@pytest.fixture(scope="module")
def libraries():
    return collection.libraries(None)


CHANNELS = (
    "## Channels\n\n| Channel | How often is it used? | Purpose |\n| --- | --- | --- |\n| #cap | daily | existing problems of caps |\n"
    "| #lid | weekly | all else |\n\n## 频道\n\n| 频道 | 用途 |\n| --- | --- |\n| #帽 | 帽子的问题 |\n| #盖 | 其他 |\n"
)


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("Which channel has the purpose all else?", 1),
        ("How many channels have the purpose all else?", 1),
        ("Which channel should I use to reach the captain?", None),
        ("Which channel is used to reach the captain?", None),
        ("Which channel for IT problems?", None),
        ("How many channels are for problems?", 1),
        ("哪个频道可以联系船长？", None),
        ("哪个频道解决问题？", None),
        ("用途为其他的频道有几个？", 1),
    ],
)
def test_one_thing_is_looked_up_in_a_table_only_where_the_condition_surely_is_a_column_of_it(question, found):
    with Library(Store.open(None)) as library:
        library.add([Document.from_text(CHANNELS, source="channels.md")], embed=False)
        counted = tally(library, question)
    assert (counted and counted.found) == found


@pytest.mark.parametrize(
    ("question", "one"),
    [
        ("Which channel is for caps?", True),
        ("Which channels are for caps?", False),
        ("Which language works offline?", True),
        ("Which languages work offline?", False),
        ("List all channels for caps", False),
        ("How many channels are for caps?", False),
        ("哪些频道用来卖帽子？", False),
    ],
)
def test_which_one_is_asked_for(question, one):
    wanted = recognise(question)
    assert wanted is not None
    assert wanted.one is one
