"""Who says it? `A said that …`, `according to A`, 据甲说 and 甲认为 give a statement to someone; a claim may not give it to another one.

The statement of the source that has most of what the claim reports is looked up, and who made it. A pronoun, or one who shares a name or word with
the one in the claim, may be the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from yinju.answer.clauses import PRONOUN, Token, alike, clause
from yinju.text.normalize import fold_keeping_case

NEAR = 0.6  # share of what is reported that the statement of the source must have
_LONGEST = 1500  # characters of a text that is read
_BREAK = re.compile(r"[；;。!?！？\n]|(?<=[a-z)”\"])\.(?=\s|$)|,?\s(?:but|while|whereas)\s")
_SAYS = (
    r"(?:said|says|argued|argues|claimed|claims|stated|states|noted|notes|believed|believes|wrote|suggested|suggests|concluded|concludes"
    r"|reported|reports)"
)
_FORMS = (
    re.compile(r"(?:^|,\s*)[Aa]ccording to (?P<who>[^,]{2,60}),\s*(?P<what>.{8,})$"),
    re.compile(rf"^(?P<what>.{{8,}}?),?[”\"]?,?\s{_SAYS}\s(?P<who>[A-Z][^,]{{1,40}}?)(?:,|$)"),
    re.compile(rf"^(?:.{{0,40}},\s)?(?P<who>[^,]{{2,60}}?)\s(?:also |later |has |have )?{_SAYS}\s(?:that\s|,\s*)?[“\"]?(?P<what>.{{8,}})$"),
    re.compile(r"^(?:根)?据(?P<who>[^，,]{1,16}?)(?:所?说|称|介绍|透露|报道|记载)[，,:：]?(?P<what>.{4,})$"),
    re.compile(
        r"^(?:[^，,]{0,16}[，,])?(?P<who>[^，,被]{1,16}?)(?:则|也|还|曾|都|却)?(?:认为|指出|表示|声称|宣称|主张|说过?|提出|强调)[，,:：]?[“「]?(?P<what>.{4,})$"
    ),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Said:
    """A statement: who makes it, as tokens, and the words of what is said."""

    who: tuple[Token, ...]
    what: frozenset[str]


def another_says(claim: str, readings: Sequence[str]) -> bool:
    """True where the claim gives a statement to someone, and its source to someone else."""
    theirs = [one for reading in readings for one in statements(reading)]
    for mine in statements(claim):
        near = [one for one in theirs if len(mine.what & one.what) >= NEAR * len(mine.what)]
        if near and not any(_same(mine.who, one.who) for one in near):
            return True
    return False


def _same(mine: Sequence[Token], theirs: Sequence[Token]) -> bool:
    return any(alike(one, other) for one in mine for other in theirs)


@lru_cache(maxsize=4096)
def statements(text: str) -> tuple[Said, ...]:
    """Return the statements that a text gives to someone who is named."""
    parts = _BREAK.split(fold_keeping_case(text[:_LONGEST]))
    return tuple(one for part in parts if part and part.strip() for one in _statements(part.strip()))


def _statements(part: str) -> Iterator[Said]:
    for form in _FORMS:
        if match := form.search(part):
            who = tuple(token for token in clause(match["who"]).tokens if token.kind in ("name", "thing"))
            what = clause(match["what"]).bag
            if len(what) > 1 and not PRONOUN.search(match["who"]) and any(token.kind == "name" for token in who):
                yield Said(who, what)
            return
