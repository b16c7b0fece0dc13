"""A statement belongs to who makes it: what one says, another one does not say, though the words are those of the source."""

from __future__ import annotations

import pytest

from answer_hits import hit, passages
from yinju.answer.subjects import another_says, statements
from yinju.answer.verify import verify_answer

TOWER = "Lind argued that the tower was used to observe the stars. Berg noted that its base is older."
TOWER_ZH = "据林德说，石塔建于1200年；伯格则认为基座更古老。"
QUOTED = "“The tower is far too old,” said Lind, while Berg praised its base."

# source, claim, whether another one says it
SAID = [
    (TOWER, "Berg argued that the tower was used to observe the stars.", True),
    (TOWER, "According to Lind, the tower was used to observe the stars.", False),
    (TOWER, "He argued that the tower was used to observe the stars.", False),
    (TOWER, "The tower was used to observe the stars.", False),
    (TOWER_ZH, "伯格说石塔建于1200年", True),
    (TOWER_ZH, "林德认为石塔建于1200年", False),
    (TOWER_ZH, "他认为石塔建于1200年", False),
    (TOWER_ZH, "石塔建于1200年", False),
    (QUOTED, "Berg said that the tower is far too old.", True),
    (QUOTED, "Lind said that the tower is far too old.", False),
]


@pytest.mark.parametrize(("source", "claim", "other"), SAID)
def test_who_says_it(source: str, claim: str, other: bool) -> None:
    assert another_says(claim, [source]) == other


@pytest.mark.parametrize(
    ("source", "claim", "status"),
    [
        (TOWER, "According to Lind, the tower was used to observe the stars.", "verified"),
        (TOWER_ZH, "林德认为石塔建于1200年", "verified"),
        (TOWER_ZH, "伯格说石塔建于1200年", "unsupported"),
        (QUOTED, "Berg said that the tower is far too old.", "unsupported"),
    ],
)
def test_a_statement_of_another_one_is_not_verified(source: str, claim: str, status: str) -> None:
    assert verify_answer(f"{claim} [1]", passages(hit(source))).sentences[0].status == status


def test_statements_in_both_languages() -> None:
    assert [tuple(token.key for token in one.who) for one in statements(TOWER)] == [("lind",), ("berg",)]
    assert [tuple(token.key for token in one.who) for one in statements(TOWER_ZH)] == [("林德",), ("伯格",)]
