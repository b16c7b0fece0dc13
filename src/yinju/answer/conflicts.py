"""Passages that disagree: another number, date, or yes and no for the same thing. Both are shown; which one holds, only people know.

Most passages with the same words and other numbers do not disagree: other plans, years, persons, conditions, ranges that hold each other.
Two statements are of the same thing where they share their words, and neither has words of its own in the place of the other's (年费 and
月费, Anna and Maria), and their documents do not say that they are about different things. Where one passage holds both values, it tells
them apart itself. Deterministic, without a model; at most MOST_PAIRS pairs of statements are looked at.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import combinations
from typing import Literal, NamedTuple

from yinju.answer import units
from yinju.answer.amounts import Amount, agree, comparable
from yinju.answer.facts import facts
from yinju.answer.polarity import negated, opposed
from yinju.answer.statements import AGENTS, Statement, content, denied, statements
from yinju.answer.suits import characters
from yinju.answer.support import chinese
from yinju.text import labels, similar
from yinju.text.normalize import fold
from yinju.types import Hit, Passage, Span

Kind = Literal["number", "date", "yes-no"]
MOST_PASSAGES = 12
MOST_PAIRS = 40_000
MOST_SHOWN = 3
ENOUGH = 0.6  # share of words in common of two statements that both have others, too
EXTRA = 2  # words that only one of the two may have
_dated = re.compile(
    r"计划(?=[于在将])|(?:January|February|March|April|May|June|July|August|September|October|November|December)(?![a-z])"
)
_ending = re.compile("(?:版|型|款|档|套餐|系列|方案|计划|省|市|县|公司)$")  # as `similar.names` tells Chinese names
_numbered = re.compile(
    "第\\s*[0-9一二三四五六七八九十百]{1,4}\\s*[条章节期批款项]|(?<![A-Za-z])[A-Z](?=\\s?[\u4e00-\u9fff])"
)
_shut = re.compile(r"关闭|停业|休息|关门|不开放|(?<![a-z])(?:closed|shut)(?![a-z])")
_forbids = re.compile(r"禁止|严禁|不准|不允许|拒绝|forbid|prohibit|disallow")  # opposite and negation in one word
_month = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")


class _Asked(NamedTuple):
    """What a question is about."""

    words: frozenset[str]
    signs: frozenset[str]
    chinese: bool


@dataclass(frozen=True, slots=True)
class Side:
    """What one passage says: the sentence or row at `span` of its text, and the value in it as it is written there."""

    passage: Passage
    span: Span
    text: str
    value: str

    @property
    def source(self) -> str:
        """The source of the passage."""
        return self.passage.hit.source


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two passages that cannot both be right."""

    kind: Kind
    one: Side
    other: Side

    @property
    def markers(self) -> tuple[int, int]:
        """The markers of both passages."""
        return self.one.passage.marker, self.other.passage.marker


def conflicts(question: str, passages: Sequence[Passage]) -> tuple[Conflict, ...]:
    """Return what the passages disagree about and the question asks for, what touches most of its words first; at most MOST_SHOWN."""
    asked = _Asked(frozenset(content(question)), characters(question), chinese(question))
    shown = passages[:MOST_PASSAGES]
    said = {passage.marker: statements(passage) for passage in shown}
    near = {marker: [each for each in found if _near(asked, each)] for marker, found in said.items()}
    found: list[tuple[float, Conflict]] = []
    looked_at = 0
    for first, second in combinations(shown, 2):
        if _apart(first.hit, second.hit):
            continue
        best: tuple[float, Conflict] | None = None
        for one in near[first.marker]:
            for other in near[second.marker]:
                if not _same_kind(one, other):
                    continue
                looked_at += 1
                if looked_at > MOST_PAIRS:
                    break
                weight = _touches(asked, one, other)
                if weight <= 0 or (best and weight <= best[0]):
                    continue
                conflict = _conflict(one, other, said[first.marker], said[second.marker])
                if conflict is not None:
                    best = weight, conflict
        if best:
            found.append(best)
    found.sort(key=lambda each: -each[0])
    return tuple(conflict for _, conflict in found[:MOST_SHOWN])


def _apart(one: Hit, other: Hit) -> bool:
    """True where two hits cannot disagree: the same passage, other languages, or documents that say they are about different things.

    A date in a name tells versions of one document from each other, unless the name is one of a series (月报, minutes).
    """
    if one.id == other.id or chinese(one.text) != chinese(other.text):
        return True
    series = all(
        any(labels.is_series(name) for name in (hit.source, hit.title or "", *hit.headings[:1])) for hit in (one, other)
    )
    pairs = [(_stem(one.source), _stem(other.source)), (one.title or "", other.title or "")]
    mine, theirs = one.headings, other.headings
    if mine[:1] != theirs[:1] or one.source != other.source:
        pairs.append((mine[0] if mine else "", theirs[0] if theirs else ""))
    if series and any(here != there for here, there in pairs if here and there):
        return True
    if any(here and there and _distinct(here, there) for here, there in pairs):
        return True
    return any(
        _distinct(here, there, dated=True) for here, there in zip(mine[1:], theirs[1:], strict=False) if here != there
    )


def _distinct(one: str, other: str, *, dated: bool = False) -> bool:
    """True where two labels name different things. Without `dated` another year is another version of the same."""
    if not dated:
        one, other = _month.sub(" ", one), _month.sub(" ", other)
    if labels.distinct([one], [other]):
        return True
    digits = [re.findall(r"\d+", fold(label)) for label in (one, other)]
    bare = [re.sub(r"[\d\W_]+", "", fold(label)) for label in (one, other)]
    return bool(digits[0] and digits[1]) and digits[0] != digits[1] and bare[0] == bare[1] and not _is_version(one)


def _is_version(label: str) -> bool:
    return bool(labels.parse(label).version)


def _stem(source: str) -> str:
    file = source.rpartition("/")[2]
    return file.rpartition(".")[0] or file


def _near(asked: _Asked, said: Statement) -> bool:
    """True where a statement may have to do with the question at all."""
    if not asked.words or asked.chinese is not chinese(said.text) or not said.about:
        return True
    return bool(asked.words & said.known) or (asked.chinese and bool(asked.signs & said.signs))


def _same_kind(one: Statement, other: Statement) -> bool:
    """True where both state an amount, both a date, or both are short enough to say yes or no."""
    return bool((one.amounts and other.amounts) or (one.dates and other.dates) or (one.is_short and other.is_short))


def _touches(asked: _Asked, one: Statement, other: Statement) -> float:
    """Return how much of the question both statements are about, and a little for what they share.

    A half where the question has no words, or is in another language.
    """
    if not asked.words or asked.chinese is not chinese(one.text):
        return 0.5
    shared = one.known & other.known
    if not shared and not (one.generic & other.generic and not one.about and not other.about):
        return 0.0
    signs = asked.signs & one.signs & other.signs  # 水池 and 泳池, 会员费 and 会费
    touched = len(asked.words & shared) + 0.3 * len(signs)
    return touched and touched + 0.1 * len(shared) / (len(one.known | other.known) or 1)


def _conflict(
    one: Statement, other: Statement, mine: Sequence[Statement], theirs: Sequence[Statement]
) -> Conflict | None:
    """Return in what two statements of the same thing disagree, None where they do not."""
    if _yes_no(one, other):
        return _made("yes-no", one, other, "", "")
    if not same_thing(one, other):
        return None
    amounts = _other_amounts(one, other)
    if amounts is None or (one.dates and other.dates and not _dates_agree(one.dates, other.dates)):
        dates = _other_dates(one, other)
        if dates is None or _holds_date(dates[1], mine) or _holds_date(dates[0], theirs):
            return None
        return _made("date", one, other, *dates)
    here, there = amounts
    if _holds(there, mine) or _holds(here, theirs):
        return None
    return _made("number", one, other, here.shown, there.shown)


def _made(kind: Kind, one: Statement, other: Statement, here: str, there: str) -> Conflict:
    sides = [
        Side(each.passage, each.span, each.piece.worded, value or each.text)
        for each, value in ((one, here), (other, there))
    ]
    return Conflict(kind, sides[0], sides[1])


def same_thing(one: Statement, other: Statement) -> bool:
    """True where two statements are about the same thing, as far as their words tell."""
    if one.conditional != other.conditional or (one.rates and other.rates and one.rates != other.rates):
        return False
    if _named_apart(one, other) or not _of_one_subject(one, other):
        return False
    mine, theirs = frozenset(one.about), frozenset(other.about)
    shared = mine & theirs
    own = _unlike(mine - theirs, theirs | other.beside)
    their_own = _unlike(theirs - mine, mine | one.beside)
    if not shared:
        return not one.about and not other.about and bool(one.generic & other.generic & AGENTS)
    if own and their_own:
        close = len(shared) / (len(shared) + max(len(own), len(their_own))) >= ENOUGH
        return close and not _in_place_of(one, other, own, their_own)
    extra = own or their_own
    plain = other if own else one
    if any(word.endswith(each) for word in extra for each in shared if not word.isascii()):
        return False  # 半决赛 and 决赛
    if extra and plain.generic & AGENTS - (one if own else other).generic:
        return False  # students pay so much, companies so much
    return len(extra) <= EXTRA and (not extra or len(shared) > 1)


def _of_one_subject(one: Statement, other: Statement) -> bool:
    """True unless a later clause of a sentence that begins with something else: `金庸…，1948 年移居香港` says nothing of 黄霑."""
    return (not one.subject or one.subject in other.known) and (not other.subject or other.subject in one.known)


def _unlike(words: frozenset[str], others: frozenset[str]) -> frozenset[str]:
    """Return the words that the others do not say: 借阅 is said by 借. What stands in front tells things apart: 半决赛 is no 决赛."""
    known = tuple(word for word in others if not word.isascii())
    return frozenset(
        word
        for word in words - others
        if word.isascii() or not (word.startswith(known) or any(each.startswith(word) for each in known))
    )


def _in_place_of(one: Statement, other: Statement, own: frozenset[str], their_own: frozenset[str]) -> bool:
    """True where a word of the one stands where another stands in the other: between the same words, or at the beginning."""
    matcher = SequenceMatcher(None, one.about, other.about, autojunk=False)
    return any(
        own & set(one.about[a:b]) and their_own & set(other.about[c:d])
        for tag, a, b, c, d in matcher.get_opcodes()
        if tag == "replace"
    )


def _named_apart(first: Statement, second: Statement) -> bool:
    """True where both name a plan, a model, a place or a code, and not the same; or only one does, and the other says nothing of it."""
    one, other = _dated.sub(" ", first.text), _dated.sub(" ", second.text)
    sentences = [
        _parts_of_things(each.text if each.piece.kind == "row" else each.piece.worded) for each in (first, second)
    ]
    if sentences[0] and sentences[1] and not sentences[0] & sentences[1]:
        return True
    for find in (_codes, _names):
        here, there = find(one), find(other)
        if here and there and here != there:
            return True
    here, there = _names(one), _names(other)
    return any(_ending.sub("", name) not in fold(other) for name in here - there) or any(
        _ending.sub("", name) not in fold(one) for name in there - here
    )


def _names(text: str) -> frozenset[str]:
    return frozenset(name for name in similar.names(text) if not units.canonical(name))


def _codes(text: str) -> frozenset[str]:
    return facts(text).codes


def _parts_of_things(text: str) -> frozenset[str]:
    """Return numbered parts and letters that name something: 第三条, A 会议室."""
    return frozenset(_numbered.findall(text))


def _other_amounts(one: Statement, other: Statement) -> tuple[Amount, Amount] | None:
    """Return the one amount in which two statements differ, None where there is none, or several."""
    mine = [amount for amount in one.amounts if not _agrees(amount, other.amounts)]
    theirs = [amount for amount in other.amounts if not _agrees(amount, one.amounts)]
    pairs = [(here, there) for here in mine for there in theirs if comparable(here, there)]
    if len(pairs) != 1 or (one.dates and other.dates and not _dates_agree(one.dates, other.dates)):
        return None
    here, there = pairs[0]
    rest = [amount for amount in (*mine, *theirs) if amount not in pairs[0]]
    if any(amount.dimension == here.dimension for amount in rest) or "times" in (here.unit, there.unit):
        return None
    return here, there


def _agrees(amount: Amount, among: Sequence[Amount]) -> bool:
    return any(comparable(amount, each) and agree(amount, each) for each in among)


def _holds(amount: Amount, said: Sequence[Statement]) -> bool:
    """True where a passage states this amount anywhere: then it tells the two apart itself."""
    return any(
        comparable(amount, each) and each.bound == amount.bound and agree(amount, each)
        for one in said
        for each in one.amounts
    )


def _other_dates(one: Statement, other: Statement) -> tuple[str, str] | None:
    mine = [date for date in one.dates if not any(_same_date(date, each) for each in other.dates)]
    theirs = [date for date in other.dates if not any(_same_date(date, each) for each in one.dates)]
    if (
        len(mine) != 1
        or len(theirs) != 1
        or len(one.dates) != 1
        or len(other.dates) != 1
        or _other_amounts_any(one, other)
    ):
        return None
    return mine[0], theirs[0]


def _other_amounts_any(one: Statement, other: Statement) -> bool:
    return any(not _agrees(amount, other.amounts) for amount in one.amounts) and any(
        not _agrees(amount, one.amounts) for amount in other.amounts
    )


def _holds_date(date: str, said: Sequence[Statement]) -> bool:
    return any(_same_date(date, each) for one in said for each in one.dates)


def _dates_agree(one: frozenset[str], other: frozenset[str]) -> bool:
    return any(_same_date(mine, theirs) for mine in one for theirs in other)


def _same_date(one: str, other: str) -> bool:
    """True where two dates may be the same day: `2010` and `2010-05-03`, `--05-03` and `2010-05-03`."""
    mine, theirs = _parts(one), _parts(other)
    return all(here == there for here, there in zip(mine, theirs, strict=True) if here and there)


def _parts(date: str) -> tuple[str, str, str]:
    year, month, day = (
        ("", *date[2:].split("-"), "", "")[:3] if date.startswith("--") else (*date.split("-"), "", "")[:3]
    )
    return year, month, day


def _yes_no(one: Statement, other: Statement) -> bool:
    """True where one denies what the other says, in the same words but for that, without a condition."""
    if one.conditional or other.conditional or not one.is_short or not other.is_short:
        return False
    mine, theirs = denied(frozenset(one.about)), denied(frozenset(other.about))
    if not mine or mine != theirs or not _of_one_subject(one, other) or one.subject or other.subject:
        return False
    if one.dates != other.dates or frozenset(one.amounts) != frozenset(other.amounts) or _named_apart(one, other):
        return False
    return _contrary(one.text, other.text)


def _closed(text: str) -> bool:
    return _shut.search(fold(text)) is not None


def _contrary(one: str, other: str) -> bool:
    """True where of two texts with the same words one negates, or has the opposite word (`免费`, `收费`), but not both at once."""
    denied_once = negated(one)[2] is not negated(other)[2]
    turned = opposed(one, other) or opposed(other, one) or _closed(one) is not _closed(other)
    return denied_once or turned if _forbids.search(fold(one + other)) else denied_once is not turned
