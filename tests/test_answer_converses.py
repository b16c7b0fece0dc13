"""One relation said from either side is the same one; with its sides exchanged it is another, though all words are those of the source."""

from __future__ import annotations

import pytest

from answer_hits import hit, passages
from yinju.answer.converses import agree, disagree
from yinju.answer.verify import verify_answer

# source, the same from the other side, its sides exchanged
SAID = [
    ("The Reds defeated the Blues in 1999.", "The Blues lost to the Reds in 1999.", "The Reds lost to the Blues in 1999."),
    ("The Blues were defeated by the Reds in the final.", "The Reds beat the Blues in the final.", "The Blues beat the Reds in the final."),
    ("1288年，陈王朝在白藤江之战中击败了蒙古人。", "1288年，蒙古人在白藤江之战中败给了陈王朝", "1288年，陈王朝在白藤江之战中败给了蒙古人"),
    ("红队在决赛中被蓝队击败。", "蓝队在决赛中击败了红队", "红队在决赛中击败了蓝队"),
    ("Anna Stein was the mother of Paul Berg.", "Paul Berg was the son of Anna Stein.", "Paul Berg was the mother of Anna Stein."),
    ("林德是伯格的父亲。", "伯格是林德的儿子", "林德是伯格的儿子"),
    ("Paul Berg was the pupil of Anna Stein.", "Anna Stein was the teacher of Paul Berg.", "Paul Berg was the teacher of Anna Stein."),
    ("施泰因是霍尔姆的学生。", "霍尔姆是施泰因的老师", "施泰因是霍尔姆的老师"),
    ("Oslo has more public parks than Bergen.", "Bergen has fewer public parks than Oslo.", "Bergen has more public parks than Oslo."),
    ("北城的常住居民比南城多。", "南城的常住居民比北城少", "南城的常住居民比北城多"),
    ("The Blue Studio sold the old mill to the museum.", "The museum bought the old mill from the Blue Studio.",
     "The museum sold the old mill to the Blue Studio."),
    ("蓝岸公司把旧磨坊卖给了博物馆。", "博物馆从蓝岸公司购买了旧磨坊", "博物馆把旧磨坊卖给了蓝岸公司"),
    ("东区的房价高于西区。", "西区的房价低于东区", "西区的房价高于东区"),
]  # fmt: skip
# what tells nothing of the sides
OPEN = [
    ("The Reds beat the Blues.", "The Reds beat the Greens."),
    ("红队击败了蓝队。", "红队击败了绿队"),
    ("He lost to the champion.", "The champion lost to him."),
    ("Oslo has more parks than Bergen.", "Bergen has more bridges than Oslo."),
    ("甲城比乙城大。", "乙城比甲城热"),
]


def _status(source: str, claim: str) -> str:
    return verify_answer(f"{claim} [1]", passages(hit(source))).sentences[0].status


@pytest.mark.parametrize(("source", "same", "exchanged"), SAID)
def test_either_side_may_say_it(source: str, same: str, exchanged: str) -> None:
    assert agree(same, [source])
    assert not disagree(same, [source])
    assert disagree(exchanged, [source])
    assert not agree(exchanged, [source])
    assert _status(source, exchanged) == "unsupported"


@pytest.mark.parametrize(("source", "same"), [(source, same) for source, same, _ in SAID])
def test_said_from_the_other_side_it_is_verified(source: str, same: str) -> None:
    assert _status(source, same) == "verified"


@pytest.mark.parametrize(("source", "claim"), OPEN)
def test_other_sides_or_another_measure_are_not_compared(source: str, claim: str) -> None:
    assert not agree(claim, [source])
    assert not disagree(claim, [source])
