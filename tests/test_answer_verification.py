"""The measure of verification keeps its bounds on the public sets, its changes are what they say, and no text takes long."""

from __future__ import annotations

import random
import time

import pytest
from benchmarks import changes, sets, verification
from hypothesis import given, settings
from hypothesis import strategies as st

from answer_hits import hit, passages
from yinju.answer.verify import verify_answer


def test_changes_say_what_they_are() -> None:
    rng = random.Random(1)
    assert changes.deny("它是一座城市。", rng) == "它不是一座城市。"
    assert changes.affirm("It is not a city.", rng) == "It is a city."
    assert changes.reordered("In 2019, the firm moved to Berlin.", rng) == "The firm moved to Berlin in 2019."
    assert changes.numerals("共有12个部门。", rng) == "共有十二个部门。"
    assert changes.number("没有数字。", rng) is None


@pytest.mark.parametrize(
    ("source", "claim", "status"),
    [
        ("高阳山是该地区的最高峰，旁边有葫芦山。", "葫芦山是该地区的最高峰", "unsupported"),
        ("The Rhine brings most of the water.", "The Scheldt brings most of the water.", "unsupported"),
        ("The lamp is red.", "The lamp is blue.", "unsupported"),
        ("该镇位于县境南部。", "该镇位于县境北部", "unsupported"),
        ("协会一直支持这项计划。", "协会一直反对这项计划", "unsupported"),
        ("It can be shown in one place of the country.", "It can be shown in every place of the country.", "unsupported"),
        ("截至2006年，失业率是9.75%。以2005年计，出口增长。", "截至2005年，失业率是9.75%", "unsupported"),
        ("The network hired the Troika Group.", "The Troika Group hired the network.", "unsupported"),
        ("All changed files are opened automatically.", "All changed files are opened manually.", "unsupported"),
        ("转移过程中的文件由系统自动打开。", "转移过程中的文件由系统手动打开", "unsupported"),
        ("在1620-21年间，该市失去了3到5万居民。", "1620至1621年间，该市失去三万到五万居民", "verified"),
        ("ABC started the campaign in 2000.", "ABC launched the campaign in 2000.", "verified"),
        ("该组织首次获得影响力。", "该组织第一次获得影响力", "verified"),
    ],
)  # fmt: skip
def test_one_word_in_the_place_of_another(source: str, claim: str, status: str) -> None:
    (sentence,) = verify_answer(f"{claim} [1]", passages(hit(source))).sentences
    assert sentence.status == status


_bits = st.sampled_from(
    ["\x00", "年费", "168", "元", "不", "没有", "，", "。", " and ", "not ", "3到5万",
     "2020-21年", "一二三", "(", "）", "A-1", "\n", "\t", "|", "：", "百", "b "]
)  # fmt: skip
_texts = st.lists(_bits, max_size=60).map("".join) | st.text(max_size=300)


@pytest.mark.slow
@settings(deadline=None, max_examples=150)
@given(_texts, _texts, st.integers(1, 60))
def test_any_sentence_against_any_passage_takes_bounded_time(claim: str, source: str, times: int) -> None:
    started = time.process_time()
    verify_answer(f"{claim} [1]", passages(hit(source * times + "完")))
    verify_answer(f"{claim * times} [1]", passages(hit(source + "完")))
    assert time.process_time() - started < 5.0


@pytest.mark.bench
@pytest.mark.slow
def test_the_bounds_hold_on_the_public_sets() -> None:
    try:
        made = verification.measure(("xquad-zh", "xquad-en", "cmrc2018-dev", "clapnq-dev"), sets.BENCH, 60)
        written = verification.measure_written(sets.BENCH, verification.ANSWERS["answers"])
    except sets.SetMissing as missing:
        pytest.skip(str(missing))
    floors = {
        "markers put right": 0.985,
        "changed number, date, unit caught": 0.97,
        "changed name, negation caught": 0.95,
        "verbatim verified": 0.985,
        "light paraphrases verified": 0.95,
    }
    for title, floor in floors.items():
        share, total = made.share(*verification.GROUPS[title])
        assert total > 50, title
        assert share >= floor, title
    for label, floor in (("right", 0.85), ("wrong", 0.89)):
        kinds = [kind for kind, _ in written.tallies if kind.startswith(label)]
        assert written.share(*kinds)[0] >= floor, label
