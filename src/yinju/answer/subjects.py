"""Of whom is it said, who does it, who says it? A claim may take what its source says of one and say it of another one that the passage names.

Subjects: the clause of the passage that holds most of what the claim says is looked up, and whom that clause speaks of: its own subject, what
stands before `which`, or what the sentence began with. Two subjects of which each has a name or word that the other lacks are two things; a
pronoun, `the song` or 该公司 may stand for anything that was named before. Doers: the one who does (its subject, or what follows `by`, 被, 由)
is compared verb by verb; forms that have little of their verb left (wrote, written) are brought to one. Speakers: `A said that …`,
`according to A`, 据甲说 and 甲认为 give a statement to someone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from yinju.answer import likewise
from yinju.answer.clauses import PRONOUN, Clause, Token, alike, clause, parts, pointed, short_for
from yinju.text.normalize import fold, fold_keeping_case

NEAR = 0.6  # share of what a claim says, of someone or in someone's name, that its source must hold
_MOST, _DOER = 6, 90  # words of a doer, and characters in which they stand
_LONGEST = 1500  # characters of a text whose statements are read
_TIME = re.compile(r"[年月日]|^\s*(?:in|on|by|since|until|during)\s+(?:\w+\s+)?\d", re.IGNORECASE)
_BY = re.compile(r"(?<![a-z])([a-z]{3,})\s+(?:\w+ly\s+)?by\s+(?!\d)(?=[a-z\"'`“(])")
_HAN_BY = re.compile(r"(?:被|受到?|(?<![理自缘经])由(?![于此来]))(?=[\u3400-\u9fffa-z\d])")
_BE = re.compile(r"(?<![a-z])(?:is|are|was|were|be|been|being|get|got|gets)\s+(?:\w+ly\s+|not\s+|also\s+|first\s+)?$")
_irregular = """
write wrote written | give gave given | take took taken | make made | build built | find found | win won | lose lost | beat beaten | lead led |
draw drew drawn | know knew known | see saw seen | choose chose chosen | hold held | buy bought | sell sold | teach taught | bring brought |
catch caught | sing sang sung | begin began begun | drive drove driven | break broke broken | speak spoke spoken | steal stole stolen |
throw threw thrown | grow grew grown | fly flew flown | wear wore worn | shoot shot | strike struck | pay paid | say said | tell told | send sent |
spend spent | keep kept | leave left | meet met | feel felt | hear heard | think thought | fight fought | seek sought | run ran | eat ate eaten
"""
_ROOTS = {form: group.split()[0] for group in _irregular.replace("\n", " ").split("|") for form in group.split()}
_ENDINGS = re.compile(r"(?:ing|ed|es|s|e)$")
_STATED = re.compile(r"[；;。!?！？\n]|(?<=[a-z)”\"])\.(?=\s|$)|,?\s(?:but|while|whereas)\s")
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


@dataclass(frozen=True, slots=True)
class Deed:
    """A verb, who does it, and the words after it where these are no doer."""

    verb: str
    doer: tuple[Token, ...]
    after: frozenset[str]
    passive: bool
    pointed: bool  # `by the company`: it may be any one that was named before
    bag: frozenset[str]


def root(word: str) -> str:
    """Return one form for the forms of an English verb; Chinese words stay."""
    lower = word.lower()
    return _ROOTS.get(lower) or _ENDINGS.sub("", lower)


@lru_cache(maxsize=4096)
def deeds(text: str) -> tuple[Deed, ...]:
    """Return the deeds in a text of which it says who does them."""
    return tuple(deed for one in parts(text) for deed in _deeds(one))


def _deeds(mine: Clause) -> Iterator[Deed]:
    text, bag = mine.text, mine.bag
    folded = fold(text)
    for match in _BY.finditer(folded):
        if match[1].endswith(("ed", "en", "wn")) or match[1] in _ROOTS:
            behind = text[match.end() : match.end() + _DOER]
            yield Deed(root(match[1]), _leading(behind), frozenset(), True, pointed(behind), bag)
    for match in _HAN_BY.finditer(folded):
        behind = text[match.end() : match.end() + _DOER]
        tokens = clause(behind).tokens[: _MOST + 1]
        for place, token in enumerate(tokens):
            if token.kind == "verb" and place:
                yield Deed(token.key, tokens[:place], frozenset(), True, pointed(behind), bag)
    if _BY.search(folded) or _HAN_BY.search(folded):
        return
    whole = mine.tokens
    size = next((place for place, token in enumerate(whole) if token.kind == "verb"), 0)
    if not size or whole[size].key.isascii():  # English verbs are not always known: the word behind the subject
        size = next((at for at, token in enumerate(whole) if token not in mine.subject and token.kind != "number"), 0)
    if mine.pointed or not size < len(whole) or bool(mine.subject) != bool(size):
        return
    verb = whole[size]
    written = verb.text or verb.key
    at = folded.find(fold(written))
    if (verb.kind == "verb" or written.isascii()) and not _BE.search(folded[: max(at, 0)]):
        key = root(_word_at(folded, at)) if written.isascii() else verb.key
        yield Deed(key, mine.subject, frozenset(mine.keys[size + 1 :]), False, False, bag)


def _word_at(folded: str, at: int) -> str:
    found = re.match(r"[a-z]+", folded[max(at, 0) :])
    return found[0] if found else ""


def _leading(text: str) -> tuple[Token, ...]:
    """Return the names and things that a text begins with."""
    found: list[Token] = []
    for token in clause(text).tokens[:_MOST]:
        if token.kind not in ("name", "thing"):
            break
        found.append(token)
    return tuple(found)


def another_does(claim: str, readings: Sequence[str], known: str) -> bool:
    """True where the claim says that one does what another one does in its source, or that it is done to who does it."""
    theirs = [deed for reading in readings for deed in deeds(reading)]
    for mine in deeds(claim):
        same = [one for one in theirs if one.verb == mine.verb and one.doer and len(one.bag & mine.bag) > 1]
        if same and all(_another_doer(mine, one, known) for one in same):
            return True
    return False


def _another_doer(mine: Deed, one: Deed, known: str) -> bool:
    if mine.passive or one.passive:
        return bool(mine.doer) and not one.pointed and apart(mine.doer, one.doer, known)
    own, other = ({token.key for token in deed.doer} for deed in (mine, one))
    return not own & other and (other <= mine.after or (bool(own) and own <= one.after))


@dataclass(frozen=True, slots=True)
class Statement:
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
def statements(text: str) -> tuple[Statement, ...]:
    """Return the statements that a text gives to someone who is named."""
    parts = _STATED.split(fold_keeping_case(text[:_LONGEST]))
    return tuple(one for part in parts if part and part.strip() for one in _statements(part.strip()))


def _statements(part: str) -> Iterator[Statement]:
    for form in _FORMS:
        if match := form.search(part):
            who = tuple(token for token in clause(match["who"]).tokens if token.kind in ("name", "thing"))
            what = clause(match["what"]).bag
            if len(what) > 1 and not PRONOUN.search(match["who"]) and any(token.kind == "name" for token in who):
                yield Statement(who, what)
            return
