"""Does a number belong to what is said of it? 年费 39, where 月费 is 39 and 年费 is 168, has a right number in a wrong place.

A number or date is looked for in the clause of the source that says the same. In a list of figures in running Chinese (职能部门18个，全资子公司16个)
what a figure is the figure of stands right behind it, or else right before it; what a part leaves out, it has from the one before it
(背鳍硬棘8枚，软条9枚). Of `A, B and C grew by 1 %, 2 % and 3 % respectively` and 甲、乙、丙分别为 a name takes the value in its own place; a
value keeps its minus sign. Of 9 officers and 17 wives nobody may make 17 officers, nor of 五条动脉 and 三部分 three arteries.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from yinju.answer import numerals
from yinju.answer.clauses import LISTED, NEAR, Clause, alike, clause, clauses, laid_out
from yinju.answer.facts import Quantity, canonical, facts, holds_date, holds_quantity
from yinju.answer.views import View, view
from yinju.text import sentences
from yinju.text.normalize import fold, fold_keeping_case
from yinju.text.words import stem

# A date that something is only compared with: 比2019年, 恢复至2019年同期, than in 2019.
_COMPARED = re.compile(
    r"(?:比|较|相当于|恢复[至到])[^，,。；;]{0,8}?(?:1\d|20)\d\d\s*年(?:同期)?|(?:1\d|20)\d\d\s*年同期"
    r"|(?<![a-z])(?:than|compared (?:to|with)|level of)(?: in)?\s+(?:1\d|20)\d\d(?!\d)"
)
_LONGEST_LIST = 1500  # characters of a text that is read as a list of figures
_LABEL = 2  # words of a label
_DATE = re.compile(r"@[\d-]+")
_HAN = re.compile(r"[\u3400-\u9fff]")
_PART = re.compile(r"([、，；;。!?！？\n（）()：:]|,(?!\d{3})|[和与及](?=[^，。；,;]{0,16}\d))")
_SHORT = re.compile(r"(?<![\u3400-\u9fff])[\u3400-\u9fff]{1,2}$")  # a label that is no word: 赋1104篇
_ENDS = frozenset("；;。!?！？\n")
_NUMBER = re.compile(r"\d[\d,.]*(?:\s?[万亿千]+)?")
_LONGEST = 600  # characters of a sentence that is looked at
_VALUE = r"[-−–]?\d+(?:,\d{3})*(?:\.\d+)?\s*%?"
_ZH = re.compile(
    rf"(?P<names>[^。；;：:\n]{{2,80}}?)分别(?P<between>[^。；;\d\n−-]{{0,12}})(?P<values>{_VALUE}[^、，,和与及。；\d]{{0,6}}(?:[、，,和与及]\s*{_VALUE}[^、，,和与及。；\d]{{0,6}})+)"
)
_EN = re.compile(
    rf"(?P<names>[^.;:\n]{{2,80}})\s(?P<between>[a-z]+\s)(?P<values>[$€£]?{_VALUE}[^,.;\d]{{0,12}}(?:,\s*(?:and\s)?[$€£]?{_VALUE}[^,.;\d]{{0,12}})*\s?(?:and\s)[$€£]?{_VALUE}[^,.;\d]{{0,12}}),?\s*respectively"
)
_VALUES = re.compile(_VALUE)
_FEW_WORDS, _MOST_WORDS = (
    0.25,
    0.5,
)  # share of a claim's words: of a sentence that tells of another matter, of one that tells of this one
# Chinese words that count things of one sort, unlike 个; and English ones that name none.
_COUNTERS = frozenset("集条场名家座位本部首篇届枚架艘辆栋幅章卷册支项匹颗幢")
_COUNTED_ZH = re.compile(r"(?<![\d.,第])(\d[\d,]*)\s?[多余]?([\u3400-\u9fff]?)")
_COUNTED_EN = re.compile(
    rf"(?<![\w.,$€£-])(\d[\d,]*|{numerals.ENGLISH.pattern})(?![\d.,]*\d)(?![\w%])\s+([a-z][a-z-]+)(?:['’]s?)?(?:\s+([a-z][a-z-]+))?"
)
_no_thing = (
    "of the in on at to for and or by from with a an as per is was were are more other new first last million billion thousand percent who which"
    " that year years day days month months hour hours minutes times"
)
_NO_THING = frozenset(_no_thing.split())
_FALLS = re.compile(
    r"降|减|跌|负|缩|亏|minus|negative|fell|fall|drop|declin|decreas|lost|loss|lower|below|shr[aiu]nk|零下|[-−–]\s?\d",
    re.IGNORECASE,
)
_MINUS = re.compile(r"(?<![\w.)\]年月日号%-])[-−–](\d[\d,]*(?:\.\d+)?)(?![\d年月日号])")


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


def recounted(claim: str, readings: Sequence[str]) -> bool:
    """True where the claim counts what its source counts otherwise: 17 officers, of 9 officers and 17 wives; 三条, of 五条 and 三部分."""
    theirs = [each for reading in readings for each in _counted(reading)]
    return any(
        counted
        and (counted <= _COUNTERS or not _HAN.search(claim))
        and any(number == other for other, _ in theirs)
        and not any(number == other and (not things or counted & things) for other, things in theirs)
        and any(counted & things for _, things in theirs)
        for number, counted in _counted(claim)
    )


@lru_cache(maxsize=4096)
def _counted(text: str) -> tuple[tuple[str, frozenset[str]], ...]:
    """Return each number with what it counts: a Chinese counter, or the stems of the English words behind it; nothing where that is not said."""
    folded = canonical(fold(text))
    if _HAN.search(folded):
        return tuple((number.replace(",", ""), frozenset(sign)) for number, sign in _COUNTED_ZH.findall(folded))
    found = []
    for number, first, second in _COUNTED_EN.findall(folded):
        words = () if first in _NO_THING else (first,) if second in _NO_THING else (first, second)
        value = number if number[0].isdigit() else str(numerals.english(number))
        found.append((value.replace(",", ""), frozenset(stem(word) for word in words if word)))
    return tuple(found)


def stranded(claim: str, readings: Sequence[str]) -> bool:
    """True where a date of the claim stands only in sentences of another matter, and the sentence of this one has another date."""
    dates = facts(claim).dates
    said = view(claim)
    told = [sentence for reading in readings for sentence in _dated(reading)] if dates else []
    for date in dates:
        shares = [each.coverage(said) for each in told if holds_date(date, each.facts)]
        if shares and max(shares) <= _FEW_WORDS and any(each.coverage(said) >= _MOST_WORDS for each in told):
            return True
    return False


@lru_cache(maxsize=1024)
def _dated(text: str) -> tuple[View, ...]:
    """Return the sentences of a text that have a date."""
    views = (view(span.of(text)) for span in sentences.split(text))
    return tuple(each for each in views if each.facts.dates)


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


@dataclass(frozen=True, slots=True)
class Labelled:
    """A part of a list with one figure: its text, and the words in it, or in the part before it, that label the figure."""

    text: str  # without white space
    label: frozenset[str]
    figures: frozenset[Quantity]

    def within(self, text: str) -> bool:
        """True where a text has all words of the label. Words are not asked for: the dictionary cuts them differently beside others."""
        return all(word in text for word in self.label)


def mislabelled(claim: str, readings: Sequence[str]) -> bool:
    """True where a figure of the claim stands in its source for something else, and what the claim says it of has another figure there.

    Shares are left out: what they are shares of seldom stands beside them.
    """
    if not _HAN.search(claim):
        return False
    theirs = [part for reading in readings for part in labelled(reading)]
    return any(
        _mislabelled(figure, mine.text, theirs)
        for mine in labelled(claim)
        for figure in mine.figures
        if figure.unit != "%"
    )


def _mislabelled(figure: Quantity, text: str, theirs: Sequence[Labelled]) -> bool:
    holders = [part for part in theirs if holds_quantity(figure, part.figures)]
    rivals = [
        part
        for part in theirs
        if part not in holders and part.within(text) and any(each.unit == figure.unit for each in part.figures)
    ]
    return bool(holders and rivals) and not any(one.within(text) for one in holders)


@lru_cache(maxsize=4096)
def labelled(text: str) -> tuple[Labelled, ...]:
    """Return the parts of a text that have one figure and a label."""
    found: list[Labelled] = []
    head: tuple[str, ...] = ()
    for piece in _PART.split(_DATE.sub(" ", canonical(fold_keeping_case(text[:_LONGEST_LIST])))):
        if not piece.strip():
            continue
        if _PART.fullmatch(piece):
            head = () if piece in _ENDS else head
            continue
        numbers = list(_NUMBER.finditer(piece))
        if len(numbers) == 1:
            behind, before = _words(piece[numbers[0].end() :]), _words(piece[: numbers[0].start()])
            short = _SHORT.search(piece[: numbers[0].start()])
            label = behind[:_LABEL] or before[-_LABEL:] or ((short[0],) if short else ())
            if label:
                inherited = head[: _LABEL - len(label)] if not behind else ()
                found.append(
                    Labelled(
                        "".join(piece.casefold().split()), frozenset((*label, *inherited)), facts(piece).quantities
                    )
                )
            head = label if len(label) == _LABEL else head
    return tuple(found)


def _words(text: str) -> tuple[str, ...]:
    return tuple(token.text.casefold() for token in clause(text).tokens if token.kind in ("name", "thing"))


def exchanged(claim: str, readings: Sequence[str]) -> bool:
    """True where a claim gives one name of a list the value of another one, or leaves out that a value is below zero."""
    said = "".join(fold(claim).split())
    values = {_unsigned(match.group()) for match in _VALUES.finditer(fold(claim))}
    for reading in readings:
        for names, amounts in _pairs(fold(reading)[:_LONGEST]):
            here = [place for place, name in enumerate(names) if name in said]
            there = [place for place, amount in enumerate(amounts) if _unsigned(amount) in values]
            if len(here) == 1 and there and here[0] not in there and amounts.count(amounts[there[0]]) == 1:
                return True
    return _without_sign(fold(claim), fold("\n".join(readings)))


@lru_cache(maxsize=512)
def _pairs(text: str) -> list[tuple[list[str], list[str]]]:
    return list(_found(text))


def _found(text: str) -> Iterator[tuple[list[str], list[str]]]:
    if "分别" not in text and "respectively" not in text:
        return
    for match in (*_ZH.finditer(text), *_EN.finditer(text)):
        amounts = _VALUES.findall(match["values"])
        names = ["".join(name.split()) for name in LISTED.split(match["names"]) if name.strip()][-len(amounts) :]
        if len(names) == len(amounts) > 1:
            shortest = max(2, min(map(len, names)))
            yield (
                [*names[:-1], names[-1][: max(shortest, 2)]],
                amounts,
            )  # more may stand behind the last name: 丙2023年同比


def _unsigned(value: str) -> str:
    return value.strip().lstrip("-−–").rstrip("% ").replace(",", "")


def _without_sign(claim: str, source: str) -> bool:
    """True where each mention of a number in the source has a minus sign, and the claim neither has one nor says that anything falls."""
    if _FALLS.search(claim):
        return False
    for match in _MINUS.finditer(source):
        value = match[1]
        plain = re.compile(rf"(?<![\d.,])(?<![-−–]){re.escape(value)}(?![\d.,]*\d)")
        if plain.search(claim) and not plain.search(source):
            return True
    return False
