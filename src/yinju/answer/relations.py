"""Who does what, and for whom a thing holds: what is lost where a sentence is only a set of words.

Roles: a claim that says the words of its source in another order may say the opposite. One block may change its place (`In 2019, …`),
but nothing may change sides around a third word, unless one of the two is passive. Clauses: what one clause says is not said of the
subject of another. Rates and modals: per second is not per minute, may is not must.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import takewhile

from yinju.answer import units
from yinju.answer.clauses import ASIDE, LISTED, PRONOUN, Clause, clauses, spaced
from yinju.answer.facts import facts
from yinju.answer.polarity import moods, negated
from yinju.text.normalize import fold
from yinju.text.words import FILLERS, stem, terms

SAME = 0.8  # share of a claim's words in one piece of a passage from which on their order is compared
_MOST = 160  # words of a sentence that are compared in order

_ENDED = re.compile(r"[；;。!?！？\n：:]|(?<!\d)\.(?!\d)")
_PREPOSITIONS = frozenset((
    "in", "on", "at", "from", "sinc", "dure", "for", "by", "with", "within", "until", "through", "per",
    "into", "under", "over", "after", "befor", "via", "在", "于", "从", "自", "以", "对", "因", "为",
))  # fmt: skip
# What may turn around.
_SIDES = frozenset(
    (
        "of",
        "from",
        "to",
        "than",
        "after",
        "befor",
        "into",
        "over",
        "under",
        "by",
        "比",
        "给",
        "向",
        "对",
        "从",
        "到",
        "于",
    )
)  # fmt: skip
_ARTICLES = frozenset(("the", "a", "an", "it", "it's", "his", "her", "their", "our", "your", "了", "过"))  # fmt: skip
_NEGATORS = frozenset((
    "no", "not", "never", "none", "without", "neither", "nor", "cannot", "不",
    "没", "无", "未", "没有", "不会", "不能", "并不", "并", "无法",
))  # fmt: skip
_EXCEPT = re.compile(r"except|unless|other than|apart from|excluding|除|不包括|不含|例外|之外")
_PASSIVE = re.compile(
    r"(?<![a-z])(?:is|are|was|were|be|been|being)\s+(?:\w+ly\s+|not\s+|also\s+|then\s+|later\s+)?([a-z]+)(?![a-z])"
)
_AGENT = re.compile(r"被(?![告子褥单窝])|由(?![于此来])(?<![理自缘经]由)")
_CLEFT = re.compile(r"^\s*(?P<does>[^是]{1,12}[他她它其们])的是(?P<who>.+)$")
_RANGE = re.compile(r"(?<![\d.])(\d+(?:\.\d+)?)\s*[-–—~～至到]\s*(\d+(?:\.\d+)?)(?![\d.]*\d)")
_BREAK = re.compile(r"([，,；;。！？!?\n])")
_TIME_END = re.compile(
    r"[后前时起年月日中来间天内]$"
    r"|^(?:later|then|now|also|currently|today|still|spring|summer|autumn|winter|in|at|on|since|after|before)$"
)


def turned(claim: str, readings: Sequence[str]) -> bool:
    """True where a claim says the words of a reading with the roles exchanged."""
    ranges = {match.groups() for reading in readings for match in _RANGE.finditer(reading)}
    if any((b, a) in ranges and (a, b) not in ranges for a, b in (m.groups() for m in _RANGE.finditer(claim))):
        return True
    said = [claim, *(part.text for part in clauses(claim) if len(part.text) > 4)]
    return any(_turned(each, reading) for each in dict.fromkeys(said) for reading in readings)


@dataclass(frozen=True, slots=True)
class _Word:
    stem: str
    before: str  # the word before it
    listed: int  # number of the list item
    sentence: int


@lru_cache(maxsize=4096)
def _in_order(text: str) -> tuple[_Word, ...]:
    found: list[_Word] = []
    item = 0
    for number, sentence in enumerate(_ENDED.split(_active(text))):
        for part in LISTED.split(sentence):
            before = ""
            for word in terms(spaced(part)).words:
                found.append(_Word(word, before, item, number))
                before = word
            item += 1
    return tuple(found[:_MOST])


def _active(text: str) -> str:
    """Chinese: 乙被甲收购 becomes 甲收购乙."""
    parts = _BREAK.split(fold(text))
    for place, part in enumerate(parts):
        if match := _CLEFT.match(part):  # 任命他的是甲: 甲任命他
            parts[place] = f"{match['who']} {match['does']}"
        elif match := _AGENT.search(part):
            parts[place] = f"{part[match.end() :]} {part[: match.start()]}"
    return "".join(parts)


@lru_cache(maxsize=4096)
def _passives(text: str) -> dict[str, str]:
    """Return the English verbs that stand in the passive, each with the last word of what it is said of."""
    folded, found = fold(text), {}
    for match in _PASSIVE.finditer(folded):
        if not match[1].endswith(("ing", "ly")) and stem(match[1]) not in FILLERS:
            before = [w for w in terms(folded[: match.start()]).words if w not in FILLERS]
            found[stem(match[1])] = before[-1] if before else ""
    return found


def _turned(claim: str, reading: str) -> bool:
    mine, theirs = _in_order(claim), _in_order(reading)
    once = {word for word, count in Counter(w.stem for w in mine).items() if count == 1}
    once &= {word for word, count in Counter(w.stem for w in theirs).items() if count == 1}
    content = {w.stem for w in mine if w.stem not in FILLERS}
    if not content or len(content & {w.stem for w in theirs}) < SAME * len(content):
        return False
    there = {word.stem: place for place, word in enumerate(theirs)}
    here = [w for w in mine if w.stem in once and (w.stem not in FILLERS or w.stem in _SIDES)]
    voices = _passives(claim).keys() ^ _passives(reading).keys()
    told = [verb for verb in voices if verb in there and verb in content]
    if told:  # by whom it is done `subjects` knows
        return any(_wrong_voice(verb, claim, reading, mine, theirs) for verb in told)
    for place, pivot in enumerate(here):
        if pivot.stem in voices or _counts(pivot.stem):
            continue
        middle = there[pivot.stem]
        left = [w for w in here[:place] if there[w.stem] > middle and w.stem not in FILLERS]
        right = [w for w in here[place + 1 :] if there[w.stem] < middle and w.stem not in FILLERS]
        for a in left:
            for b in right:
                if _counts(a.stem) == _counts(b.stem) and not _free(a, pivot, b, theirs, there):
                    return True
    return False


def _counts(word: str) -> bool:
    """True for a number or its unit, which may stand anywhere: `bound` knows what it belongs to."""
    return word[0].isdigit() or word[0] == "@" or bool(units.canonical(word))


def _free(a: _Word, pivot: _Word, b: _Word, theirs: Sequence[_Word], there: dict[str, int]) -> bool:
    """True where two words may change sides: items of one list, or a phrase that keeps its preposition."""
    first, middle, last = (theirs[there[w.stem]] for w in (b, pivot, a))
    if len({first.listed, middle.listed, last.listed}) == 3 and first.sentence == last.sentence:
        sizes = Counter(w.listed for w in theirs)
        if all(sizes[item] <= 3 for item in range(first.listed + 1, last.listed)):
            return True
    if first.listed == last.listed:
        return any(w.before == t.before and w.before in _PREPOSITIONS for w, t in ((a, last), (b, first)))
    return False


def _wrong_voice(verb: str, claim: str, reading: str, mine: Sequence[_Word], theirs: Sequence[_Word]) -> bool:
    """True where one text says in the passive what the other says in the active, of the same subject."""
    passive_here = verb in _passives(claim)
    active = theirs if passive_here else mine
    at = next((place for place, w in enumerate(active) if w.stem == verb), -1)
    after = next((w.stem for w in active[at + 1 :] if w.stem not in _ARTICLES), "") if at >= 0 else ""
    if not after or after in FILLERS or after in _PREPOSITIONS or after[0].isdigit():
        return False  # it has no object: `the warranty extends to`
    subject = _passives(claim)[verb] if passive_here else _passives(reading)[verb]
    before = [w.stem for w in active[:at] if w.stem not in FILLERS]
    return bool(subject) and subject in before


def mixed(claim: str, readings: Sequence[str], around: Sequence[str]) -> bool:
    """True where a clause of the claim joins the subject of one clause with what another one says, or denies a part of it."""
    theirs, nearby = _of(readings), _of(around)
    return any(_mixed(mine, theirs, nearby) for mine in clauses(claim))


def _of(readings: Sequence[str]) -> list[Clause]:
    return [one for reading in readings for one in clauses(ASIDE.sub(" ", reading))]


def _content(one: Clause) -> frozenset[str]:
    return frozenset(one.words) - _NEGATORS


def _mixed(mine: Clause, theirs: Sequence[Clause], nearby: Sequence[Clause]) -> bool:
    content = _content(mine)
    if not content or not theirs or _EXCEPT.search(fold(mine.text)):
        return False
    best = max(theirs, key=lambda one: (len(content & _content(one)), not _denies(mine, one)))
    held = content & _content(best)
    for other in theirs:
        shared = content & _content(other)
        alone = shared - held
        if alone and len(shared) > 1 and 5 * len(shared) >= 2 * len(content) and _denies(mine, other):
            return True  # it needs words of a clause that says the opposite
        if alone and held - shared and (_other_subject(mine, other, best) or _other_subject(mine, best, other)):
            return True
    if negated(mine.text)[0]:
        extra = any(not word[0].isdigit() for word in _content(best) - content)
        for other in nearby:
            if other is not best and extra and held <= _content(other) and _denies(mine, other):
                return True  # 试用期员工没有年假, but 员工有年假
    return False


def _denies(mine: Clause, other: Clause) -> bool:
    here, there = moods(mine.text), moods(other.text)
    if here and there and not here & there:
        return True
    under, plain, _ = negated(spaced(mine.text))
    denied, stated, _ = negated(spaced(other.text))
    return bool((denied & plain) - under or (under & stated) - denied)


def _other_subject(mine: Clause, subject: Clause, predicate: Clause) -> bool:
    """True where the claim takes the subject of one clause and the predicate of another one that has a subject of its own."""
    if PRONOUN.match(subject.text.strip()):
        return False
    content = _content(mine)
    shared = content & _content(subject) & _content(predicate)
    if not shared or PRONOUN.search(predicate.text):
        return False
    first, own = subject.words[0], predicate.words[0]
    if first not in content or first in predicate.words or own in content or own in subject.words:
        return False
    lead = list(takewhile(lambda word: word not in shared, predicate.words))
    return bool(lead) and not any(_TIME_END.search(word) or word[0].isdigit() for word in lead)


def another_rate(claim: str, readings: Sequence[str], above: str) -> bool:
    """True where the claim counts per another unit than its source: per minute, where the source says per second."""
    everywhere = units.rates("\n".join((*readings, above)))
    for mine in clauses(claim):
        rates, figures = units.rates(mine.text), facts(mine.text).quantities
        if not rates:
            continue
        if rates - everywhere and (everywhere or not any(units.mentions(u, above, *readings) for u in rates)):
            return True
        items = [item for one in _of(readings) for item in LISTED.split(one.text) if figures & facts(item).quantities]
        holders = [theirs for theirs in map(units.rates, items) if theirs]
        if holders and not any(rates <= theirs for theirs in holders):
            return True
    return False


def another_mood(claim: str, readings: Sequence[str]) -> bool:
    """True where the claim obliges, and its source permits, and the like."""
    theirs = _of(readings)
    for mine in clauses(claim):
        here, content = moods(mine.text), _content(mine)
        best = max((len(content & _content(one)) for one in theirs), default=0) if here else 0
        rivals = [moods(one.text) for one in theirs if best and len(content & _content(one)) == best]
        if rivals and all(there and not here & there for there in rivals):
            return True
    return False
