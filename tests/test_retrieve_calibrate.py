"""The fit of the evidence: it finds weights that are known, none falls below nought, and what it is told to leave out it leaves out."""

from dataclasses import replace

import numpy as np
import pytest
from benchmarks import calibrate, refusal, sets
from benchmarks.retrieval import filled

from yinju import Document, Library
from yinju.evaluate import metrics
from yinju.testing import FakeEmbedder
from yinju.types import REFUSE_BELOW


def drawn(count=4_000, seed=1):
    generator = np.random.default_rng(seed)
    features = generator.normal(size=(count, 2))
    chance = 1 / (1 + np.exp(-(0.5 + features @ [2.0, 1.0])))
    return features, (generator.random(count) < chance).astype(float)


def test_one_opinion_finds_the_weights_that_made_the_answers():
    """Both classes weigh the same, which moves the intercept only."""
    features, answered = drawn()
    found = calibrate.fit(features, np.empty((len(features), 0)), answered, ["a"] * len(features))
    assert found.second is None
    assert found.first[1:] == pytest.approx([2.0, 1.0], abs=0.25)


def test_no_sign_counts_against_the_evidence():
    features, answered = drawn()
    found = calibrate.fit(-features, features, answered, ["a"] * len(features))
    assert (found.first[1:] >= 0).all()
    assert (found.second[1:] >= 0).all()


def test_two_opinions_are_joined_as_the_package_joins_them():
    weights = calibrate.Weights(np.array([0.0, 0.0]), np.array([0.0, 0.0]))
    nothing = np.zeros((1, 1))
    assert weights.probability(nothing, nothing) == pytest.approx(1 - 0.5 * 0.75)


def test_groups_and_classes_weigh_the_same():
    answered = np.array([1.0, 1, 1, 0, 1, 0])
    balance = calibrate.balanced(answered, ["a", "a", "a", "a", "b", "b"], 1.0)
    assert balance == pytest.approx([1 / 12, 1 / 12, 1 / 12, 1 / 4, 1 / 4, 1 / 4])


def test_the_calibration_error_of_a_coin_that_is_called_a_coin():
    answered = np.array([1.0, 0, 1, 0])
    assert calibrate.calibration_error(answered, np.full(4, 0.5)) == pytest.approx(0)
    assert calibrate.calibration_error(answered, np.full(4, 0.9)) == pytest.approx(0.4)


@pytest.mark.parametrize(
    ("group", "family"),
    [("xquad-zh", "xquad"), ("clapnq-dev, whole", "clapnq"), ("xquad-cross:zh2en", "xquad-cross:zh2en")],
)
def test_sets_of_one_origin_are_left_out_together(group, family):
    assert calibrate.family(group) == family


def outcome(evidence, answerable, unquotable=False):
    return refusal.Outcome("q", "?", answerable, evidence, unquotable, "")


def test_what_an_extract_refuses_itself_stays_refused_at_every_threshold():
    found = [outcome(0.9, True), outcome(0.4, True), outcome(0.6, False), outcome(0.95, False, unquotable=True)]
    assert refusal.rates(found, 0.5) == (1 / 2, 1 / 2)
    assert refusal.rates(found, 0.0) == (0, 1 / 2)


def test_the_strictest_threshold_refuses_no_more_than_is_allowed():
    found = [outcome(step / 100, True) for step in range(100)] + [outcome(0.05, False)]
    assert refusal.strictest(found, 0.08) == pytest.approx(0.08)
    assert refusal.strictest([outcome(0.5, True, unquotable=True), outcome(0.5, False)]) is None


@pytest.mark.parametrize(
    ("text", "question", "parts"),
    [
        ("The dam is 35 m high.", "how high is the dam", (("35 m", "thirty-five metres"),)),
        ("这座坝高 35 米。", "坝有多高", (("35米",),)),
    ],
)
def test_a_passage_that_nobody_judged_may_tell_the_answer_all_the_same(text, question, parts):
    with Library.open(embedder=FakeEmbedder()) as library:
        library.add([Document.from_text(text, source="dam.md")])
        case = refusal.Case("q", question, False, {}, parts)
        assert refusal.still_answered(library, case)
        assert not refusal.still_answered(library, replace(case, answers=(*parts, ("no such part",))))
        assert not refusal.still_answered(library, replace(case, answerable=True))


@pytest.mark.bench
@pytest.mark.model
@pytest.mark.slow
@pytest.mark.skipif(not sets.BENCH.is_dir(), reason="the public sets are not beside the checkout")
def test_questions_beside_the_topic_are_told_from_those_that_are_answered(tmp_path, monkeypatch):
    """Bounds below what was measured on all questions (benchmarks/README.md): a guard, no figure."""
    monkeypatch.setattr(sets, "RUNS", tmp_path)
    asked = refusal.cases("clapnq-dev", sets.BENCH, 60)
    with filled("clapnq-dev", sets.BENCH) as library:
        found = {
            kind: [library.find(one.text).evidence for one in asked if one.answerable is kind] for kind in (True, False)
        }
    assert metrics.area_under_curve(found[True], found[False]) >= 0.82
    assert sum(evidence < REFUSE_BELOW for evidence in found[True]) <= 0.1 * len(found[True])
    assert sum(evidence >= REFUSE_BELOW for evidence in found[False]) <= 0.75 * len(found[False])
