"""The best passages lend to those like them: kin rise, strangers do not, the first keeps its place, votes still sum."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from yinju import Document, Library
from yinju.retrieve import neighbours
from yinju.testing import FakeEmbedder


def unit(*values):
    vector = np.array(values, dtype="f4")
    return vector / np.linalg.norm(vector)


def circle(count=12):
    """Vectors spread evenly over a circle: their mean is nought, so nothing is taken off."""
    return {row: unit(np.cos(2 * np.pi * row / count), np.sin(2 * np.pi * row / count)) for row in range(count)}


def test_kin_of_the_best_get_more_than_strangers_and_the_opposite_nothing():
    """Only row 0 has a score: row 1 lies 30 degrees away (cos² = 0.75), row 3 at a right angle, row 6 opposite."""
    lent = neighbours.lent(circle(), {row: float(row == 0) for row in range(12)})
    assert lent[1] == pytest.approx(0.75, abs=1e-3)
    assert lent[11] == pytest.approx(0.75, abs=1e-3)
    assert lent[3] == pytest.approx(0, abs=1e-3)
    assert lent[6] == 0
    assert lent[0] == 0  # nobody lends to itself


def test_few_candidates_lend_nothing():
    few = {row: vector for row, vector in circle().items() if row < neighbours.ENOUGH - 1}
    assert neighbours.lent(few, dict.fromkeys(few, 1.0)) == {}


def test_a_language_as_such_is_no_kinship():
    """Two languages on axes far apart, the same circle in each: row 0 lends to its translation's side nothing for being Chinese."""
    chinese = {row: unit(*vector, 5, 0) for row, vector in circle().items()}
    english = {row + 100: unit(*vector, 0, 5) for row, vector in circle().items()}
    scores = {row: float(row == 0) for row in (*chinese, *english)}
    lent = neighbours.lent({**chinese, **english}, scores, across=set(english))
    for row in range(12):
        assert lent[row + 100] == pytest.approx(lent[row], abs=1e-3) or row == 0


@given(
    st.lists(st.tuples(st.floats(-1, 1), st.floats(-1, 1), st.floats(0, 1)), min_size=10, max_size=30),
    st.randoms(use_true_random=False),
)
def test_between_nought_and_one_whatever_comes(rows, random):
    vectors = {row: unit(x, y, 1) for row, (x, y, _score) in enumerate(rows)}
    scores = {row: score for row, (_x, _y, score) in enumerate(rows)}
    across = {row for row in vectors if random.random() < 0.3}
    lent = neighbours.lent(vectors, scores, across)
    assert set(lent) == set(vectors)
    assert all(0 <= value <= 1 + 1e-6 for value in lent.values())


@pytest.mark.parametrize(
    ("question", "words"), [("令牌失效", "令牌失效的说明"), ("token expiry", "notes on token expiry")]
)
def test_the_vote_is_shown_and_counted(question, words):
    pages = [Document.from_text(f"{words} {number}", source=f"{number}.txt") for number in range(12)]
    with Library.open(embedder=FakeEmbedder()) as library:
        library.add(pages)
        hits = library.search(question, 12)
        assert any(vote.leg == "neighbours" for hit in hits for vote in hit.votes)
        assert all(hit.score == pytest.approx(sum(vote.share for vote in hit.votes)) for hit in hits)
        for mode in ("dense", "lexical", "rank-fusion"):
            assert not any(v.leg == "neighbours" for hit in library.search(question, 12, mode) for v in hit.votes)
