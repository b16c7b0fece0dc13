"""Two runs side by side."""

import pytest

from yinju.errors import UsageError
from yinju.evaluate import Record, compare
from yinju.evaluate.compare import as_json


def found_at(id, rank, **names):
    grades = tuple(int(place == rank) for place in range(1, 11))
    return Record(id, f"question {id}", ranks=(rank,), quoted=(False,), grades=grades, **names)


def test_differences_count_better_worse_and_same():
    before = [found_at("a", 1), found_at("b", None), found_at("c", 4), found_at("x", 1)]
    after = [found_at("a", 1), found_at("b", 2), found_at("c", 7), found_at("y", 1)]
    found = compare(before, after)
    assert (found.questions, found.only_before, found.only_after) == (3, 1, 1)
    hit = next(one for one in found.differences if one.name == "hit@5")
    assert (hit.before, hit.after) == (2 / 3, 2 / 3)
    assert (hit.better, hit.worse, hit.comparison.same) == (1, 1, 1)
    rank = next(one for one in found.differences if one.name == "mrr@10")
    assert rank.comparison.difference.mean == pytest.approx((0 + 1 / 2 + (1 / 7 - 1 / 4)) / 3)
    assert [(change.id, change.ranks, change.better) for change in found.changes] == [
        ("c", (4, 7), False),
        ("b", (None, 2), True),
    ]


def test_fewer_wrong_answers_are_better():
    before = [Record("a", "q", answerable=False), Record("b", "r", answerable=False, refused=True)]
    after = [Record("a", "q", answerable=False, refused=True), Record("b", "r", answerable=False, refused=True)]
    found = compare(before, after)
    wrong = next(one for one in found.differences if one.name == "wrong-answers")
    assert (wrong.before, wrong.after, wrong.better, wrong.worse) == (0.5, 0.0, 1, 0)
    assert [change.better for change in found.changes] == [True]
    assert as_json(found)["measures"]["wrong-answers"]["better"] == 1


@pytest.mark.slow
def test_a_few_changed_questions_are_no_proof():
    before, after = [found_at(name, 1) for name in "abc"], [found_at(name, None) for name in "abc"]
    for count, p in ((1, 1.0), (2, 2 / 4), (3, 2 / 8)):  # of all signs of the changes, these are as far from nought
        hit = next(one for one in compare(before[:count], after[:count]).differences if one.name == "hit@5")
        assert (hit.comparison.difference.mean, hit.worse) == (-1, count)
        assert hit.comparison.p == pytest.approx(p)
        plain = as_json(compare(before[:count], after[:count]))["measures"]["hit@5"]
        assert (plain["low"], plain["high"]) == (None, None)


def test_many_questions_that_all_get_worse_are_proof():
    before, after = [found_at(f"{n}", 1) for n in range(40)], [found_at(f"{n}", 2 + n % 3) for n in range(40)]
    rank = next(one for one in compare(before, after).differences if one.name == "mrr@10")
    assert rank.comparison.p < 0.01
    assert rank.comparison.difference.high < 0


def test_a_run_does_not_differ_from_itself():
    records = [found_at("a", 1), found_at("b", 3), Record("c", "没有答案", answerable=False)]
    found = compare(records, records)
    assert found.changes == ()
    assert all(one.comparison.p == 1.0 for one in found.differences)


def test_runs_of_other_questions_cannot_be_compared():
    with pytest.raises(UsageError, match="share no question"):
        compare([found_at("a", 1)], [found_at("b", 1)])
    with pytest.raises(UsageError, match="share no question"):  # the same id, another question
        compare([Record("a", "q", refused=True)], [Record("a", "other", refused=True)])
