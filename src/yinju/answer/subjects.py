"""Of whom, or of what, is it said? A claim may take what its source says of one thing and say it of another that the passage names elsewhere.

The clause of the passage that holds most of what the claim says is looked up, and whom that clause speaks of: its own subject, what stands
before `which`, or what the sentence began with. Two subjects of which each has a name or word that the other lacks are two things;
a pronoun, `the song` or 该公司 may stand for anything that was named before.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from yinju.answer import likewise
from yinju.answer.aligned import Token, alike, clause, short_for
from yinju.text.normalize import fold, fold_keeping_case

NEAR = 0.6  # share of what a claim says of its subject that a clause must hold
_LONGEST = 600  # characters of a text that is read
_MOST = 5  # words of a subject

_BREAK = re.compile(
    r"[，；;。!?！？\n]|,(?!\d{3})|(?<!\d)\.(?=\s|$)|(?<=.{5})而(?!且)(?=.{4})|—|--|\s(?:but|while)\s"
    r"|\sand\s(?=(?:the|this|these|he|she|it|they|is|are|was|were|has|have|had|then|also|will|can|in|on|at)\s)",
    re.IGNORECASE,
)
_ASIDE = re.compile(r"[（(][^（()）]{0,120}[)）]")
# Where a subject ends: the first of these, or a verb.
_END = re.compile(
    r"(?<![a-z])(?:is|are|was|were|be|been|has|have|had|do|does|did|will|would|can|could|may|might|must|should|shall|also|then|often|only|never)(?![a-z])"
    r"|是|为(?![了])|有(?![限关])|在(?!于)|被|由|将|把|曾|于|从|与|和|并|也|都|则|已|可(?!能)|需|应(?![用对])|须|不|未|没|会(?![议长员])|能(?![力源])"
)
_POINTED = re.compile(
    r"^\s*(?:the|this|that|these|those|he|she|it|they|its|his|her|their|there|such|both|one|some|most|many|all|each|others?)(?![a-z])"
    r"|^\s*(?:该|本|这|那|此|其|他|她|它|牠|两|双方|前者|后者|有些|部分|其中|另)"
)
_RELATIVE = re.compile(r"^\s*(?:which|who|whose|whom|where|that|when)(?![a-z])")
_LEAD = re.compile(
    r"^\s*(?:in|on|at|by|from|since|during|after|before|until|as|if|when|because|for|with|despite|although|while|to|under|of|according)(?![a-z])"
    r"|^\s*(?:在|当|从|自|由于|因|如果|若|根据|按|对|随着|经|据|至|到|于|为了|以|通过|作为|除)"
    r"|[年月日后前时中间上下里内起]$"
)


_JOINT = re.compile(
    r"^\s*(?:但是?|而且?|并且?|且|不过|然而|因此|所以|(?:but|and|so|yet|however|therefore)\s)", re.IGNORECASE
)
_TIME = re.compile(r"[年月日]|^\s*(?:in|on|by|since|until|during)\s+(?:\w+\s+)?\d", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Said:
    """A clause: whom it speaks of, as tokens, what it says besides, and the phrase in front of it (`In winter`, 在夏季)."""

    text: str
    subject: tuple[Token, ...]
    bag: frozenset[str]
    rest: frozenset[str]
    pointed: bool  # a pronoun or `the song`: it may stand for something named before
    relative: bool
    lead: bool  # it is only such a phrase


@lru_cache(maxsize=8192)
def said(text: str) -> Said:
    """Return a clause with its subject; empty where it begins with something else."""
    text = _JOINT.sub("", text)
    whole = clause(text)
    lower = fold(text)
    relative = bool(_RELATIVE.match(lower))
    cut = _END.search(lower)
    head = fold_keeping_case(text)[: cut.start()] if cut else text
    subject: list[Token] = []
    ended = cut is not None  # a verb follows: else it is no subject
    for token in clause(head).tokens:
        if token.kind == "verb" or len(subject) == _MOST:
            ended = True
            break
        if token.kind != "number" and len(token.text) > 1:
            subject.append(token)
    lead = bool(_LEAD.search(fold(head).strip() or lower.strip()))
    if relative or lead or not ended:
        subject = []
    own = frozenset(token.key for token in subject)
    points = pointed(lower) and not any(token.kind == "name" for token in whole.tokens[:3])
    return Said(text, tuple(subject), whole.bag, whole.bag - own, points, relative, lead and len(whole.tokens) <= _MOST)


@lru_cache(maxsize=4096)
def clauses(text: str) -> tuple[Said, ...]:
    """Return the clauses of a text, each with whom it speaks of; what stands in brackets is left out."""
    parts = (part for part in _BREAK.split(_ASIDE.sub(" ", text[:_LONGEST])) if part.strip())
    return tuple(said(part) for part in parts)


def of_another(claim: str, readings: Sequence[str], known: str, above: str) -> bool:
    """True where a clause of the claim says of its subject, or under its condition, what its source says of another one.

    `known`: all that the passages say, folded, without white space; `above`: their titles and headings alone.
    """
    mine = clauses(claim)
    return any(
        _of_another(one, mine[place - 1] if place else None, readings, known, above) for place, one in enumerate(mine)
    )


def _of_another(mine: Said, before: Said | None, readings: Sequence[str], known: str, above: str) -> bool:
    if len(mine.rest) < 2:
        return False
    found: list[tuple[int, Sequence[Said], int]] = []
    for reading in readings:
        parts = clauses(reading)
        found.extend((len(mine.rest & one.bag), parts, place) for place, one in enumerate(parts))
    most = max((fits for fits, *_ in found), default=0)
    if most < 2 or most < NEAR * len(mine.rest):
        return False
    best = [(parts, place) for fits, parts, place in found if fits == most]
    if before is not None and before.lead and all(_another_lead(before, parts, place, known) for parts, place in best):
        return True
    return (
        bool(mine.subject)
        and not mine.pointed
        and all(_another(mine, parts, place, known, above) for parts, place in best)
    )


def _another_lead(before: Said, parts: Sequence[Said], place: int, known: str) -> bool:
    """True where what is said under one condition stands under another one: `In the first system, …`."""
    if not place or not parts[place - 1].lead or _TIME.search(before.text) or _TIME.search(parts[place - 1].text):
        return False
    mine, theirs = clause(before.text), clause(parts[place - 1].text)
    return apart(mine.tokens, theirs.tokens, known)


def pointed(text: str) -> bool:
    """True where a text begins with a pronoun, or with a thing that it only points to: it may stand for what was named before."""
    return bool(_POINTED.match(fold(text)))


def apart(mine: Sequence[Token], theirs: Sequence[Token], known: str) -> bool:
    """True where each of two phrases has a word that the other lacks, and the passages have it."""
    here = [a for a in mine if not any(_one(a, b) for b in theirs) and (a.text or a.key) in known]
    return bool(here) and not all(any(_one(a, b) for a in mine) for b in theirs)


def _another(mine: Said, parts: Sequence[Said], place: int, known: str, above: str) -> bool:
    one, own = parts[place], {token.key for token in mine.subject}
    if own <= one.bag or one.lead:
        return False
    if one.subject and any(token.key not in own for token in one.subject) and not one.pointed:
        return strangers(mine.subject, one.subject, mine.bag, known)
    if any(own <= earlier.bag for earlier in parts[:place]):
        return False
    if _only_later(mine, one, parts, known, above):
        return True
    if one.relative and place and not any(earlier.pointed for earlier in parts[:place]):
        earlier = [token for part in parts[:place] for token in clause(part.text).tokens]
        return strangers(mine.subject, earlier, mine.bag, known)
    if one.pointed or parts[0].pointed:
        return False
    earlier = [
        token for part in parts[:place] if not part.lead for token in clause(part.text).tokens if token.kind == "name"
    ]
    return (
        bool(earlier)
        and any(token.kind == "name" for token in mine.subject)
        and strangers(mine.subject, earlier, mine.bag, known)
    )


def _only_later(mine: Said, one: Said, parts: Sequence[Said], known: str, above: str) -> bool:
    """True where the subject of a claim is named for the first time after the clause: what a pronoun stands for was named before it."""
    at = known.find("".join(fold(one.text).split()))
    names = [token.text for token in mine.subject if token.kind == "name" and token.text]
    whole = "".join(fold("".join(part.text for part in parts)).split())
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
