"""Thresholds: their error rates by hand, the rule of the proposal, and when there is none."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yinju.evaluate import Record
from yinju.evaluate.tune import as_json, best_threshold, tune

evidence = st.lists(st.floats(0, 1), min_size=1, max_size=60)


def records(yes, no, made=False):
    return [Record(f"y{n}", "有答案", evidence=value, made=made) for n, value in enumerate(yes)] + [
        Record(f"n{n}", "没有答案", evidence=value, answerable=False, made=made) for n, value in enumerate(no)
    ]


def test_rates_at_a_threshold():
    found = tune(records([0.9, 0.5, 0.3, 0.2], [0.6, 0.1]), 0.4)
    assert (found.now.wrong_refusals.mean, found.now.wrong_answers.mean) == (2 / 4, 1 / 2)
    at_half = next(rate for rate in found.rates if rate.threshold == 0.5)
    assert at_half.wrong_refusals.mean == 2 / 4  # 0.5 itself is not below
    # pairs: 0.9 beats both, 0.5, 0.3, 0.2 beat 0.1 only
    assert found.area.mean == pytest.approx(5 / 8)


def test_the_rule_refuses_most_with_few_wrong_refusals_and_takes_the_lowest():
    yes = [0.05] + [0.6] * 19  # one in twenty may be refused
    assert best_threshold(yes, [0.1, 0.2, 0.7], 0.05) == 0.21
    assert best_threshold(yes, [0.1, 0.2, 0.7], 0.04) is None  # nothing unanswerable lies below 0.05
    assert best_threshold(yes, [0.01, 0.2], 0.04) == 0.02


@given(evidence, evidence, st.floats(0, 0.5))
def test_a_proposal_keeps_its_word(yes, no, most):
    best = best_threshold(yes, no, most)
    if best is not None:
        assert sum(value < best for value in yes) / len(yes) <= most + 1e-9
        assert any(value < best for value in no)


def test_enough_labelled_questions_propose():
    found = tune(records([0.8] * 38 + [0.1, 0.5], [0.2] * 10 + [0.3] * 6), 0.4)
    assert found.proposal.threshold == 0.31
    assert found.proposal.wrong_refusals.mean == 1 / 40
    assert found.span[0] <= 0.31 <= found.span[1]
    assert found.why_not is None
    assert as_json(found)["proposal"]["threshold"] == 0.31


@pytest.mark.parametrize(("yes", "no", "made"), [(29, 15, False), (30, 14, False), (300, 150, True)])
def test_too_few_or_made_questions_propose_nothing(yes, no, made):
    found = tune(records([0.8] * yes, [0.2] * no, made), 0.4)
    assert found.proposal is None
    assert found.why_not.startswith("No threshold is proposed")


def test_made_questions_do_not_count_among_labelled_ones():
    mixed = records([0.8] * 30, [0.2] * 15) + records([0.1] * 300, [0.9] * 300, made=True)
    found = tune(mixed, 0.4)
    assert (found.answerable, found.left_out, found.made) == (30, 600, False)
    assert found.now.wrong_refusals.mean == found.proposal.wrong_refusals.mean == 0


def test_where_evidence_tells_nothing_none_is_proposed():
    found = tune(records([0.1] * 30, [0.9] * 15), 0.4)
    assert found.proposal is None
    assert "none refuses anything unanswerable" in found.why_not


def test_one_kind_alone_shows_nothing():
    assert tune(records([0.5], []), 0.4) is None
