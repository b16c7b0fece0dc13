"""Cases asked of a small library: where golds stand, what is a hit, a right citation, a right refusal, and the figures of it all."""

import pytest

from yinju import Document, Library
from yinju.errors import ModelError, UsageError
from yinju.evaluate import Case, Gold, Record, keep, load, report, run
from yinju.evaluate.places import Places, contains
from yinju.evaluate.report import as_json, as_markdown, bounds, interval_of, missed
from yinju.evaluate.run import failed, worst
from yinju.settings import Settings
from yinju.testing import ScriptedChatModel

PLANS = """# 订阅方案

## 年费

年费方案每年 168 元。付款后立即生效。

## 在校生

在校生上传学生证后按七折结算。
"""
WARRANTY = """# Warranty

## Battery

The battery is covered for six months.

## Water

Damage by water is not repaired for free.
"""


@pytest.fixture
def library():
    with Library.open(settings=Settings(embed_model="none")) as opened:
        opened.add(
            [
                Document.from_text(PLANS, source="zh/plans.md"),
                Document.from_text(WARRANTY, source="en/warranty.md"),
                Document.from_text("设备\t保修\n电池\t六个月\n", source="parts.csv"),
            ]
        )
        yield opened


def place(library, *arguments, **names):
    return Places(library).of(Gold(*arguments, **names))


def text_of(library, found):
    return [span.of(library.document(found.source).text).strip() for span in found.spans]


def test_a_gold_is_narrowed_by_what_is_said_of_it(library):
    assert text_of(library, place(library, "zh/plans.md", heading="年费")) == [
        "## 年费\n\n年费方案每年 168 元。付款后立即生效。"
    ]
    assert text_of(library, place(library, "zh/plans.md", heading="订阅方案 › 年费"))[0].startswith("## 年费")
    assert text_of(library, place(library, "zh/plans.md", lines=(5, 5))) == ["年费方案每年 168 元。付款后立即生效。"]
    assert text_of(library, place(library, "zh/plans.md", lines=(4, 4))) == [
        "年费方案每年 168 元。付款后立即生效。"
    ]  # blank
    assert text_of(library, place(library, "zh/plans.md", quote="每年168元")) == ["每年 168 元"]
    assert text_of(library, place(library, "en/warranty.md", heading="water", lines=(1, 11))) == [
        "## Water\n\nDamage by water is not repaired for free."
    ]


def test_the_end_of_a_source_is_enough(library):
    assert place(library, "plans.md").source == "zh/plans.md"
    library.add([Document.from_text("# x\n\nother", source="en/plans.md")])
    with pytest.raises(UsageError, match="2 sources end with"):
        place(library, "plans.md")


@pytest.mark.parametrize(
    ("gold", "problem"),
    [
        (Gold("none.md"), "no-source"),
        (Gold("zh/plans.md", lines=(90, 99)), "no-lines"),
        (Gold("zh/plans.md", heading="月费"), "no-heading"),
        (Gold("zh/plans.md", page=1), "no-page"),
        (Gold("zh/plans.md", quote="每年 169 元"), "no-quote"),
    ],
)
def test_a_gold_that_is_not_there_says_why_and_is_found_nowhere(library, gold, problem):
    found = Places(library).of(gold)
    assert found.problem == problem
    assert not any(found.holds(hit) for hit in library.search("年费方案 battery", 10))


def test_a_passage_holds_what_it_overlaps(library):
    hits = library.search("年费方案每年多少元", 5)
    right = next(hit for hit in hits if "168" in hit.text)
    assert place(library, "zh/plans.md", lines=(5, 5)).holds(right)
    assert place(library, "zh/plans.md", quote="付款后立即生效").holds(right)
    assert not place(library, "en/warranty.md").holds(right)


def test_a_copy_of_the_source_counts_where_it_was_collapsed(library):
    library.add([Document.from_text(PLANS, source="a/plans-copy.md")])
    hit = next(hit for hit in library.search("年费方案每年多少元", 5) if "168" in hit.text)
    assert hit.also
    for source in (hit.source, *hit.also):
        assert place(library, source, lines=(5, 5)).holds(hit)


@pytest.mark.parametrize(
    ("text", "answer", "right"),
    [
        ("年费每年 168 元。", "168元", True),
        ("年费每年１６８元。", "168 元", True),
        ("共 1168 元", "168 元", False),
        ("共 0.168 元", "168 元", False),
        ("版本 5.12", "5", False),
        ("共 5 次。", "5", True),
        ("It costs 1,800 minutes.", "800 minutes", False),
        ("You get 1,800\nMinutes.", "1,800 minutes", True),
        ("I know that.", "no", False),
        ("No, it is not.", "no", True),
        ("covered for six months", "month", True),
        ("預約", "预约", True),
        ("anything", "", False),
    ],
)
def test_contains(text, answer, right):
    assert contains(text, answer) is right


def test_a_run_counts_ranks_citations_and_refusals(library):
    cases = [
        Case("年费方案每年多少元？", (Gold("zh/plans.md", lines=(5, 5)),), ("168 元",), id="a"),
        Case(
            "For six months what is covered, the battery?",
            (Gold("en/warranty.md", quote="six months"),),
            ("six months",),
            id="b",
        ),
        Case("火星基地的食堂几点开门？", answerable=False, id="c"),
        Case("年费方案每年多少元？", answerable=False, without=("plans.md",), id="d"),
        Case("年费多少？电池呢？", (Gold("zh/plans.md", lines=(5, 5)), Gold("nowhere.md")), id="e"),
    ]
    records = run(library, cases)
    first, second, mars, without, double = records
    assert (first.ranks, first.refused, first.correct, first.right) == ((1,), False, True, first.citations)
    assert first.lost is None
    assert (second.ranks, second.quoted, second.correct) == ((1,), (True,), True)
    assert (mars.ranks, mars.refused, mars.lost) == ((), True, None)
    assert not any("plans.md" in hit for hit in without.hits)
    assert double.ranks == (1, None)
    assert first.measures() | {"citations": 1.0} == {
            "overlap": first.overlap, "verified": 1.0, "precision": 1.0,
        **dict.fromkeys(("hit@1", "hit@5", "hit@10", "mrr@10", "ndcg@10", "recall@1", "recall@5", "recall@10"), 1.0),
        "citations": 1.0, "correct": 1.0, "refusal": 1.0, "wrong-refusals": 0.0,
    }  # fmt: skip
    assert mars.measures() == {"refusal": 1.0, "wrong-answers": 0.0}


def test_several_golds_and_what_they_measure():
    # golds at ranks 2, 2 and none: the passage at rank 2 has grade 2, a third gold is missing
    record = Record("a", "q", ranks=(2, 2, None), quoted=(True, False, True), grades=(0, 2, 0), refused=True)
    found = record.measures()
    assert (found["hit@1"], found["hit@5"], found["mrr@10"]) == (0.0, 1.0, 0.5)
    assert found["recall@5"] == 2 / 3
    assert found["quotes@5"] == 1 / 2
    assert found["all@10"] == 0.0
    # gain 2 / log2(3); ideal 2 / log2(2) + 1 / log2(3)
    assert found["ndcg@10"] == pytest.approx((2 / 1.584963) / (2 + 1 / 1.584963), abs=1e-6)
    assert (found["refusal"], found["wrong-refusals"]) == (0.0, 1.0)
    assert "citations" not in found


def test_without_answers_the_evidence_refuses(library):
    cases = [Case("年费方案每年多少元？", (Gold("zh/plans.md"),)), Case("火星基地的食堂几点开门？", answerable=False)]
    records = run(library, cases, answers=False)
    assert [record.refused for record in records] == [False, True]
    assert [record.text for record in records] == [None, None]
    assert "citations" not in records[0].measures()


def test_a_follow_up_is_searched_as_it_is_asked(library):
    turns = ({"role": "user", "content": "年费方案每年多少元？"},)
    record = run(
        library, [Case("那在校生呢？", (Gold("zh/plans.md", heading="在校生"),), history=turns)], answers=False
    )[0]
    assert record.ranks[0] is not None


def test_a_chat_model_that_fails_does_not_pass_for_one_that_answers():
    model = ScriptedChatModel(ModelError("gone", "try later"))
    with Library.open(settings=Settings(embed_model="none"), chat_model=model) as library:
        library.add([Document.from_text(PLANS, source="plans.md")])
        found = report(run(library, [Case("年费方案每年多少元？", (Gold("plans.md"),))]))
    assert found.models[0][0] != "scripted"
    assert any("gone" in text for text, _n in found.notices)


def test_a_filter_of_the_case_and_of_the_run_hold_together(library):
    case = Case("battery 电池", (Gold("en/warranty.md"),), where={"language": "en"})
    assert all("warranty" in hit for hit in run(library, [case], answers=False)[0].hits)
    assert run(library, [case], where={"source": "zh/*"}, answers=False)[0].hits == ()


def test_what_counts_as_failed():
    right = Record("a", "q", ranks=(1,), quoted=(False,), grades=(1,), citations=1, right=1)
    assert not failed(right)
    assert failed(Record("a", "q", ranks=(6,), quoted=(False,), grades=(0,) * 5 + (1,)))
    assert failed(Record("a", "q", ranks=(1,), quoted=(False,), grades=(1,), citations=2, right=0))
    assert failed(Record("a", "q", refused=True))
    assert failed(Record("a", "q", answerable=False))
    assert not failed(Record("a", "q", answerable=False, refused=True))
    wrong = Record("b", "q", answerable=False)
    assert worst([right, Record("c", "q", refused=True), wrong]) == [wrong, Record("c", "q", refused=True)]


def test_records_are_kept_and_come_back(tmp_path, library):
    records = run(library, [Case("年费方案每年多少元？", (Gold("zh/plans.md", lines=(5, 5)),), id="a")])
    keep(tmp_path / "a.jsonl", records)
    assert load(tmp_path / "a.jsonl") == records
    (tmp_path / "b.jsonl").write_text('{"id": "a"}\n', encoding="utf-8")
    with pytest.raises(UsageError, match=r"b.jsonl:1 is no kept record"):
        load(tmp_path / "b.jsonl")


def test_a_report_and_its_bounds(library):
    cases = [
        Case("年费方案每年多少元？", (Gold("zh/plans.md", lines=(5, 5)),), ("168 元",), kind="zh"),
        Case("For six months what is covered, the battery?", (Gold("en/warranty.md"),), kind="en"),
        Case("火星基地的食堂几点开门？", answerable=False, kind="zh"),
    ]
    found = report(run(library, cases))
    assert (found.questions, found.answerable, found.unanswerable) == (3, 2, 1)
    assert found.value("hit@1") == 1.0
    assert found.value("area") == 1.0
    assert [kind for kind, *_ in found.kinds] == ["en", "zh"]
    assert missed(found, bounds(["hit@1=1", "refusal=0.9"])) == []
    assert missed(found, bounds(["all@5=0.5"])) == ["all@5 cannot be shown by these questions, wanted 0.5"]
    plain = as_json(found)
    assert set(plain["measures"]["hit@5"]) == {"value", "n", "low", "high"}
    assert "| hit@5 | 1.000 |" in as_markdown(found)


@pytest.mark.parametrize("text", ["hit@5", "hit@5=x", "hit@5=2", "hits=0.5", "wrong-answers=0.1", "hit@5=nan"])
def test_an_impossible_bound_is_refused(text):
    with pytest.raises(UsageError, match="no bound"):
        bounds([text])


def test_where_all_are_alike_the_interval_is_not_certain():
    assert interval_of([1.0]) is None
    assert interval_of([1.0] * 10).low < 0.8
    assert interval_of([0.5] * 10).low == 0.5
