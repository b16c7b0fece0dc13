"""Does a number belong to what is said of it? 年费 39, where 月费 is 39 and 年费 is 168, has a right number in a wrong place."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from yinju.answer.clauses import NEAR, Clause, alike, clause, clauses, laid_out
from yinju.answer.facts import Quantity, facts, holds_quantity

# A date that something is only compared with: 比2019年, 恢复至2019年同期, than in 2019.
_COMPARED = re.compile(
    r"(?:比|较|相当于|恢复[至到])[^，,。；;]{0,8}?(?:1\d|20)\d\d\s*年(?:同期)?|(?:1\d|20)\d\d\s*年同期"
    r"|(?<![a-z])(?:than|compared (?:to|with)|level of)(?: in)?\s+(?:1\d|20)\d\d(?!\d)"
)


def misbound(claim: str, readings: Sequence[str]) -> bool:
    """True where a number or date of the claim stands in the readings, but what is said of it there is said of another one.

    Each number is looked for in the clauses that have it and in those that have another of its kind: these must not fit better.
    """
    theirs, _ = laid_out(readings)
    for mine in clauses(claim):
        about = frozenset(t.key for t in mine.tokens if t.kind != "number" and not t.key[0].isdigit())
        if not about or any("".join(mine.text.split()) in "".join(one.text.split()) for one in theirs):
            continue
        known = facts(mine.text)
        subjects = _with_subject(theirs)
        bags = dict(zip(map(id, theirs), subjects, strict=True))
        wider = {id(one): one.bag | subjects[max(0, place - 1)] for place, one in enumerate(theirs)}
        for one in theirs:
            other = facts(_COMPARED.sub(" ", one.text))
            fits = len(about & bags[id(one)])
            if fits < NEAR * len(about):
                continue
            holders = (
                wider if fits > len(about & one.bag) else bags
            )  # what a rival borrows of the clause before it, others may, too
            if (
                known.dates
                and other.dates
                and not _any_date(known.dates, other.dates)
                and _rival(known.dates, about, theirs, holders, fits)
            ):
                return True
            for quantity in known.quantities:
                rivals = [q for q in other.quantities if q.unit == quantity.unit]
                if (
                    rivals
                    and not holds_quantity(quantity, other.quantities)
                    and _rival_of(quantity, about, theirs, holders, fits if quantity.unit else fits - 1)
                ):
                    return True
    return False


def crossed(claim: str, readings: Sequence[str]) -> bool:
    """True where a clause of the claim says at one date a number that its source says at another one: 1751年 37, of 1701年 37 and 1751年 31."""
    theirs = [facts(one.text) for one in laid_out(readings)[0]]
    wholes = [facts(reading) for reading in readings]
    for mine in map(facts, (one.text for one in clauses(claim))):
        if not mine.dates:
            continue
        then = [one for one in theirs if _any_date(mine.dates, one.dates)]
        for quantity in mine.quantities:
            holders = [one for one in theirs if holds_quantity(quantity, one.quantities)]
            told = [one for one in wholes if holds_quantity(quantity, one.quantities)]
            if told and all(one.dates and not _any_date(mine.dates, one.dates) for one in told):
                return True
            if (
                then
                and holders
                and all(one.dates and not _any_date(mine.dates, one.dates) for one in holders)
                and any(q.unit == quantity.unit for one in then for q in one.quantities)
            ):
                return True
    return False


def renumbered(claim: str, readings: Sequence[str]) -> bool:
    """True where the claim repeats a reading word for word, but with another number in one place, be it one that the reading has elsewhere."""
    mine = clause(claim)
    for theirs in map(clause, readings):
        apart = [(a, b) for a, b in zip(mine.tokens, theirs.tokens, strict=False) if not alike(a, b)]
        if len(mine.tokens) == len(theirs.tokens) and apart and all(a.kind == b.kind == "number" for a, b in apart):
            return True
    return False


def _with_subject(theirs: Sequence[Clause]) -> list[frozenset[str]]:
    """Return the words of each clause, with those of the clause before it where it has next to none of its own."""
    found: list[frozenset[str]] = []
    for one in theirs:
        own = [t for t in one.tokens if t.kind != "number"]
        aside = one.text[:1] in "（("
        found.append(one.bag | found[-1] if found and len(own) <= 2 and not aside else one.bag)
    return found


def _any_date(mine: frozenset[str], theirs: frozenset[str]) -> bool:
    return any(
        a.startswith(b) or b.startswith(a) or (a[-6:] == b[-6:] and len(a) > 6 < len(b) and "-" in (a[0], b[0]))
        for a in mine
        for b in theirs
    )


def _rival(
    dates: frozenset[str],
    about: frozenset[str],
    theirs: Sequence[Clause],
    bags: Mapping[int, frozenset[str]],
    fits: int,
) -> bool:
    holders = [len(about & bags[id(one)]) for one in theirs if _any_date(dates, facts(one.text).dates)]
    return max(holders, default=0) < fits


def _rival_of(
    quantity: Quantity, about: frozenset[str], theirs: Sequence[Clause], bags: Mapping[int, frozenset[str]], fits: int
) -> bool:
    holders = [len(about & bags[id(one)]) for one in theirs if holds_quantity(quantity, facts(one.text).quantities)]
    return max(holders, default=0) < fits
