"""Of whom, or of what, is it said? A claim may take what its source says of one thing and say it of another that the passage names elsewhere.

The clause of the passage that holds most of what the claim says is looked up, and whom that clause speaks of: its own subject, what stands
before `which`, or what the sentence began with. Two subjects of which each has a name or word that the other lacks are two things;
a pronoun, `the song` or 该公司 may stand for anything that was named before.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from yinju.answer import likewise
from yinju.answer.clauses import Clause, Token, alike, parts, short_for
from yinju.text.normalize import fold

NEAR = 0.6  # share of what a claim says of its subject that a clause must hold
_TIME = re.compile(r"[年月日]|^\s*(?:in|on|by|since|until|during)\s+(?:\w+\s+)?\d", re.IGNORECASE)


def of_another(claim: str, readings: Sequence[str], known: str, above: str) -> bool:
    """True where a clause of the claim says of its subject, or under its condition, what its source says of another one.

    `known`: all that the passages say, folded, without white space; `above`: their titles and headings alone.
    """
    mine = parts(claim)
    return any(
        _of_another(one, mine[place - 1] if place else None, readings, known, above) for place, one in enumerate(mine)
    )


def _of_another(mine: Clause, before: Clause | None, readings: Sequence[str], known: str, above: str) -> bool:
    if len(mine.rest) < 2:
        return False
    found: list[tuple[int, Sequence[Clause], int]] = []
    for reading in readings:
        theirs = parts(reading)
        found.extend((len(mine.rest & one.bag), theirs, place) for place, one in enumerate(theirs))
    most = max((fits for fits, *_ in found), default=0)
    if most < 2 or most < NEAR * len(mine.rest):
        return False
    best = [(theirs, place) for fits, theirs, place in found if fits == most]
    if before is not None and before.lead and all(_another_lead(before, *each, known) for each in best):
        return True
    return bool(mine.subject) and not mine.pointed and all(_another(mine, *each, known, above) for each in best)


def _another_lead(before: Clause, theirs: Sequence[Clause], place: int, known: str) -> bool:
    """True where what is said under one condition stands under another one: `In the first system, …`."""
    lead = theirs[place - 1] if place else None
    if lead is None or not lead.lead or _TIME.search(before.text) or _TIME.search(lead.text):
        return False
    return apart(before.tokens, lead.tokens, known)


def apart(mine: Sequence[Token], theirs: Sequence[Token], known: str) -> bool:
    """True where each of two phrases has a word that the other lacks, and the passages have it."""
    here = [a for a in mine if not any(_one(a, b) for b in theirs) and (a.text or a.key) in known]
    return bool(here) and not all(any(_one(a, b) for a in mine) for b in theirs)


def _another(mine: Clause, theirs: Sequence[Clause], place: int, known: str, above: str) -> bool:
    one, own = theirs[place], {token.key for token in mine.subject}
    if own <= one.bag or one.lead:
        return False
    if one.subject and any(token.key not in own for token in one.subject) and not one.pointed:
        return strangers(mine.subject, one.subject, mine.bag, known)
    if any(own <= earlier.bag for earlier in theirs[:place]):
        return False
    if _only_later(mine, one, theirs, known, above):
        return True
    if one.relative and place and not any(earlier.pointed for earlier in theirs[:place]):
        earlier = [token for part in theirs[:place] for token in part.tokens]
        return strangers(mine.subject, earlier, mine.bag, known)
    if one.pointed or theirs[0].pointed:
        return False
    earlier = [token for part in theirs[:place] if not part.lead for token in part.tokens if token.kind == "name"]
    return (
        bool(earlier)
        and any(token.kind == "name" for token in mine.subject)
        and strangers(mine.subject, earlier, mine.bag, known)
    )


def _only_later(mine: Clause, one: Clause, theirs: Sequence[Clause], known: str, above: str) -> bool:
    """True where the subject of a claim is named for the first time after the clause: what a pronoun stands for was named before it."""
    at = known.find("".join(fold(one.text).split()))
    names = [token.text for token in mine.subject if token.kind == "name" and token.text]
    whole = "".join(fold("".join(part.text for part in theirs)).split())
    return at >= 0 and bool(names) and all(name not in above + whole and known.find(name) > at for name in names)


def strangers(mine: Sequence[Token], theirs: Sequence[Token], said_here: frozenset[str], known: str) -> bool:
    """True where each has a name, or both a thing, that nothing of the other may stand for."""
    here = [a for a in mine if not any(_one(a, b) for b in theirs) and (a.text or a.key) in known]
    there = [b for b in theirs if b.key not in said_here and not any(_one(a, b) for a in mine)]
    if any(b.kind == "name" and b.key in said_here - {a.key for a in mine} for b in theirs):
        return False
    initials = "".join(b.key[0] for b in theirs)
    return any(a.kind == b.kind and a.kind in ("name", "thing") for a in here if a.key not in initials for b in there)


def _one(a: Token, b: Token) -> bool:
    """True where two words may name one thing. Two that the passage has are not one because they share a character (国税, 地税)."""
    if a.key in b.key or b.key in a.key:
        return not likewise.opposite(a.key, b.key)
    if not a.key.isascii() and not b.key.isascii():
        return likewise.grouped(a.key, b.key) or short_for(a.key, b.key) or short_for(b.key, a.key)
    return alike(a, b) or likewise.same(a.key, b.key)
