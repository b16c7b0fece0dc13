"""Votes sum, order does not matter, expectations as arithmetic."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yinju.retrieve.fuse import Leg, convex, reciprocal_ranks, scale
from yinju.retrieve.lexical import bm25, inverse_frequency

VALUES = st.dictionaries(st.integers(0, 20), st.floats(0, 50, allow_nan=False), max_size=12)


def leg(name, values, weight=0.5, floor=0.0):
    return Leg(name, values, tuple(sorted(values, key=lambda row: (-values[row], row))), weight, floor)


def score(votes):
    return sum(vote.share for vote in votes)


def test_convex_is_the_weighted_sum_of_scaled_values():
    voted = convex(
        [leg("words", {1: 4.0, 2: 2.0}, 0.25), leg("dense", {1: 0.8, 2: 0.9, 3: 0.7}, 0.75, None)], [1, 2, 3]
    )
    assert score(voted[1]) == pytest.approx(0.25 * 4 / 4 + 0.75 * (0.8 - 0.7) / (0.9 - 0.7))
    assert score(voted[2]) == pytest.approx(0.25 * 2 / 4 + 0.75 * 1)
    assert score(voted[3]) == 0


def test_rank_fusion_is_the_sum_of_reciprocal_ranks():
    voted = reciprocal_ranks([leg("words", {1: 9, 2: 8, 3: 7}), leg("dense", {3: 9})], [1, 2, 3])
    assert score(voted[3]) == pytest.approx(1 / (60 + 3) + 1 / (60 + 1))
    assert score(voted[1]) == pytest.approx(1 / 61)


def test_a_leg_without_values_has_no_weight():
    voted = convex([leg("words", {1: 4.0}, 0.25), leg("dense", {}, 0.75, None)], [1])
    assert score(voted[1]) == pytest.approx(1.0)


def test_equal_values_are_all_best_unless_they_mean_nothing_in_common():
    assert scale({1: 0.8, 2: 0.8}, None) == {1: 1.0, 2: 1.0}
    assert scale({1: 0.0, 2: 0.0}, 0.0) == {1: 0.0, 2: 0.0}
    assert scale({1: 3.0, 2: 3.0}, 0.0) == {1: 1.0, 2: 1.0}
    assert scale({}, None) == {}


@given(
    st.lists(st.tuples(VALUES, st.floats(0.1, 1), st.sampled_from([0.0, None])), min_size=1, max_size=3), st.randoms()
)
def test_scores_are_within_one_and_the_order_of_legs_and_rows_does_not_matter(given_legs, random):
    legs = [leg(str(number), values, weight, floor) for number, (values, weight, floor) in enumerate(given_legs)]
    rows = list({row for one in legs for row in one.values})
    voted = convex(legs, rows)
    shuffled_legs, shuffled_rows = list(legs), list(rows)
    random.shuffle(shuffled_legs)
    random.shuffle(shuffled_rows)
    again = convex(shuffled_legs, shuffled_rows)
    for row in rows:
        assert -1e-9 <= score(voted[row]) <= 1 + 1e-9
        assert score(again[row]) == pytest.approx(score(voted[row]))


def test_bm25_by_hand():
    # one term, idf 2, tf 3, length 10, average 20: 2 * 3 * 2.2 / (3 + 1.2 * (1 - 0.75 + 0.75 * 10 / 20))
    assert bm25({"退款": 2.0}, {"退款": 3}, 10, 20.0) == pytest.approx(2 * 3 * 2.2 / (3 + 1.2 * (0.25 + 0.375)))
    assert bm25({"refund": 2.0}, {"other": 3}, 10, 20.0) == 0


def test_inverse_frequency_is_never_negative():
    assert inverse_frequency(10, 10) == pytest.approx(math.log(0.5 / 10.5 + 1))
    assert inverse_frequency(0, 10) == pytest.approx(math.log(10.5 / 0.5 + 1))
