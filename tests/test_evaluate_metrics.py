"""Metrics that the benchmarks do not need, with arithmetic by hand; those of rankings are tested with the benchmarks."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yinju.evaluate import metrics

chances = st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=40)


def test_calibration_error_of_two_bins():
    # bin 0.2: chances 0.2, 0.2, outcomes 1, 0: gap |0.5 - 0.2| = 0.3, weight 2/3; bin 0.9: chance 0.9, outcome 1: gap 0.1, weight 1/3
    assert metrics.calibration_error([0.2, 0.2, 0.9], [True, False, True]) == pytest.approx(2 / 3 * 0.3 + 1 / 3 * 0.1)


def test_certainty_belongs_to_the_last_bin():
    assert metrics.calibration_error([1.0, 0.95], [True, True]) == pytest.approx((0.0 + 0.05) / 2)


@given(chances)
def test_calibration_error_lies_between_nought_and_one(pairs):
    error = metrics.calibration_error([chance for chance, _ in pairs], [right for _, right in pairs])
    assert -1e-9 <= error <= 1 + 1e-9


def test_calibration_error_wants_as_many_outcomes():
    with pytest.raises(ValueError, match="2 chances against 1"):
        metrics.calibration_error([0.1, 0.2], [True])


def test_wilson_interval_of_none_of_ten():
    # p = 0, n = 10, z = 1.96: centre z²/2n / (1 + z²/n) = 0.19208 / 1.38416, half width z / 1.38416 · z / 2n = the same
    found = metrics.share_interval(0, 10)
    assert (found.mean, found.low) == (0.0, 0.0)
    assert found.high == pytest.approx(2 * 0.19208 / 1.38416)


def test_wilson_interval_of_half():
    found = metrics.share_interval(5, 10)
    half = 1.96 / 1.38416 * math.sqrt(0.25 / 10 + 1.96**2 / 400)
    assert (found.low, found.high) == pytest.approx((0.5 - half, 0.5 + half))


@given(st.integers(1, 200).flatmap(lambda of: st.tuples(st.integers(0, of), st.just(of))))
def test_a_share_lies_in_its_interval(counted):
    found = metrics.share_interval(*counted)
    assert 0 <= found.low <= found.mean + 1e-12
    assert found.mean - 1e-12 <= found.high <= 1


def test_a_share_of_nothing_is_none():
    with pytest.raises(ValueError, match="no share"):
        metrics.share_interval(0, 0)


def test_share_within():
    assert metrics.share_within([1, 4, None], 3) == 1 / 3
    assert metrics.share_within([1, 4, None], 5) == 2 / 3


def test_percentile_lies_on_the_line_between_two_values():
    assert metrics.percentile([10, 20, 30], 50) == 20
    assert metrics.percentile([10, 20], 95) == pytest.approx(10 + 0.95 * 10)


def test_the_interval_of_an_area_holds_it():
    found = metrics.area_interval([0.9, 0.5, 0.3], [0.5, 0.4])
    assert found.mean == pytest.approx(3.5 / 6)
    assert 0 <= found.low <= found.mean <= found.high <= 1
    assert found == metrics.area_interval([0.9, 0.5, 0.3], [0.5, 0.4])
