"""Each step at which an expected passage can be lost, once."""

from dataclasses import replace

import pytest

from yinju import Document, Library
from yinju.evaluate import Case, Gold, diagnose
from yinju.evaluate.diagnose import STEPS, first_lost
from yinju.messages import set_language
from yinju.settings import Settings
from yinju.testing import FakeEmbedder

FILLER = [
    Document.from_text(f"# 章节 {n}\n\n订阅方案 年费 第 {n} 条说明，年费 年费。", source=f"filler/{n:03}.md")
    for n in range(30)
]
PLANS = "# 订阅方案\n\n年费方案每年 168 元。\n\n## 押金\n\n仓库另收押金 500 元。"


@pytest.fixture
def library():
    with Library.open(settings=Settings(embed_model="none")) as opened:
        opened.add([Document.from_text(PLANS, source="plans.md"), *FILLER])
        yield opened


def lost(library, question, gold, **names):
    found = diagnose(library, Case(question, (gold,), where=names.pop("where", {})), **names)[0]
    assert tuple(step.name for step in found.steps) == STEPS
    return found


def states(found):
    return {step.name: step.state for step in found.steps}


def test_a_passage_that_came_through(library):
    found = lost(library, "仓库另收押金多少元？", Gold("plans.md", lines=(7, 7)))
    assert found.lost is None
    assert states(found) == {
        "read": "ok",
        "cut": "ok",
        "embedded": "weak",
        "found": "ok",
        "ranked": "ok",
        "answered": "ok",
    }
    blank = lost(library, "仓库另收押金多少元？", Gold("plans.md", lines=(6, 6)))  # before the line with the text
    assert states(blank) == states(found)


@pytest.mark.parametrize("gold", [Gold("none.md"), Gold("plans.md", lines=(99, 99)), Gold("plans.md", quote="169 元")])
def test_what_was_not_read(library, gold):
    found = lost(library, "押金多少？", gold)
    assert found.lost == "read"
    assert set(states(found).values()) == {"lost", "unknown"}


def test_a_file_that_was_skipped_says_why(tmp_path):
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.7 nothing")
    (tmp_path / "a.md").write_text("# a\n\ntext", encoding="utf-8")
    with Library.open(settings=Settings(embed_model="none")) as library:
        library.sync(tmp_path)
        found = lost(library, "q text", Gold("broken.pdf"))
    assert found.lost == "read"
    assert "skipped" in found.why


def test_a_passage_spread_over_several_is_weak(library):
    long = "第一句话说的是保修。" * 400
    library.add([Document.from_text(f"# 长文\n\n{long}", source="long.md")])
    assert states(lost(library, "保修说的是什么？", Gold("long.md", quote=long)))["cut"] == "weak"


def test_missing_vectors_are_told(tmp_path):
    with Library.open(embedder=FakeEmbedder()) as library:
        library.add([Document.from_text(PLANS, source="plans.md")], embed=False)
        found = lost(library, "押金多少？", Gold("plans.md", lines=(7, 7)))
        assert states(found)["embedded"] == "weak"
        assert "no vector yet" in found.steps[2].text
        library.embed_missing()
        assert states(lost(library, "押金多少？", Gold("plans.md", lines=(7, 7))))["embedded"] == "ok"


def test_what_shares_no_word_is_not_found(library):
    found = lost(library, "章节说明", Gold("plans.md", lines=(7, 7)))
    assert found.lost == "found"
    assert "none of the question's words" in found.why


def test_a_filter_that_leaves_it_out_is_named(library):
    found = lost(library, "仓库另收押金多少元？", Gold("plans.md", lines=(7, 7)), where={"source": "filler/*"})
    assert found.lost == "found"
    assert found.why == "the filter leaves plans.md out"


def test_a_rank_beyond_the_limit_is_lost_there(library):
    library.options = replace(library.options, limit=1)
    found = lost(library, "章节 年费 说明", Gold("plans.md", lines=(3, 3)))
    assert found.lost == "ranked"
    assert "only the first 1 are used" in found.why


def test_a_refusal_says_evidence_and_threshold(library):
    library.options = replace(library.options, refuse_below=1.0)
    found = lost(library, "仓库另收押金多少元？", Gold("plans.md", lines=(7, 7)))
    assert found.lost == "answered"
    assert "threshold 1.00" in found.why
    assert lost(library, "仓库另收押金多少元？", Gold("plans.md", lines=(7, 7)), answers=False).lost == "answered"


def test_it_speaks_chinese(library):
    set_language("zh")
    assert lost(library, "押金多少？", Gold("none.md")).why == "库里没有 none.md"


def test_the_gold_lost_earliest_counts(library):
    found = diagnose(library, Case("仓库另收押金多少元？", (Gold("plans.md", lines=(7, 7)), Gold("none.md"))))
    assert first_lost(found).source == "none.md"
    assert first_lost(found[:1]) is None


@pytest.mark.parametrize(
    ("text", "first", "second", "line"),
    [
        ("# 家庭方案\n\n家庭方案每年 268 元。", "年费方案每年多少元？", "那家庭方案呢？", 3),
        (
            "# Family plan\n\nThe family plan costs 268 yuan.",
            "What does the annual plan cost?",
            "And the family plan?",
            3,
        ),
    ],
)
@pytest.mark.parametrize("answers", [True, False])
def test_a_follow_up_is_searched_as_it_was_asked(library, text, first, second, line, answers):
    library.add([Document.from_text(text, source="family.md")])
    turns = ({"role": "user", "content": first}, {"role": "assistant", "content": "168"})
    case = Case(second, (Gold("family.md", lines=(line, line)),), history=turns)
    (found,) = diagnose(library, case, answers=answers)
    assert found.question == library.find(second, history=turns).query != second
    assert states(found)["ranked"] == "ok"
