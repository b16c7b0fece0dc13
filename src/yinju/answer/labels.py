"""Lists of figures in running Chinese: 职能部门18个，全资子公司16个, and 100亿吨的岩浆和2千万吨的二氧化硫. Each figure has a label beside it.

A claim that gives one label the figure of another one has all words and numbers of its source. Compared are the parts of a list, of one figure
each: what a figure is the figure of stands right behind it, or else right before it; what a part leaves out, it has from the one before it
(背鳍硬棘8枚，软条9枚).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from yinju.answer.clauses import clause
from yinju.answer.facts import Quantity, canonical, facts, holds_quantity
from yinju.text.normalize import fold_keeping_case

_LONGEST = 1500  # characters of a text that is read
_WORDS = 2  # of a label
_DATE = re.compile(r"@[\d-]+")
_HAN = re.compile(r"[\u3400-\u9fff]")
_PART = re.compile(r"([、，；;。!?！？\n（）()：:]|,(?!\d{3})|[和与及](?=[^，。；,;]{0,16}\d))")
_SHORT = re.compile(r"(?<![\u3400-\u9fff])[\u3400-\u9fff]{1,2}$")  # a label that is no word: 赋1104篇
_ENDS = frozenset("；;。!?！？\n")
_NUMBER = re.compile(r"\d[\d,.]*(?:\s?[万亿千]+)?")


@dataclass(frozen=True, slots=True)
class Part:
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
    theirs = [part for reading in readings for part in parts(reading)]
    return any(
        _mislabelled(figure, mine.text, theirs)
        for mine in parts(claim)
        for figure in mine.figures
        if figure.unit != "%"
    )


def _mislabelled(figure: Quantity, text: str, theirs: Sequence[Part]) -> bool:
    holders = [part for part in theirs if holds_quantity(figure, part.figures)]
    rivals = [
        part
        for part in theirs
        if part not in holders and part.within(text) and any(each.unit == figure.unit for each in part.figures)
    ]
    return bool(holders and rivals) and not any(one.within(text) for one in holders)


@lru_cache(maxsize=4096)
def parts(text: str) -> tuple[Part, ...]:
    """Return the parts of a text that have one figure and a label."""
    found: list[Part] = []
    head: tuple[str, ...] = ()
    for piece in _PART.split(_DATE.sub(" ", canonical(fold_keeping_case(text[:_LONGEST])))):
        if not piece.strip():
            continue
        if _PART.fullmatch(piece):
            head = () if piece in _ENDS else head
            continue
        numbers = list(_NUMBER.finditer(piece))
        if len(numbers) == 1:
            behind, before = _words(piece[numbers[0].end() :]), _words(piece[: numbers[0].start()])
            short = _SHORT.search(piece[: numbers[0].start()])
            label = behind[:_WORDS] or before[-_WORDS:] or ((short[0],) if short else ())
            if label:
                inherited = head[: _WORDS - len(label)] if not behind else ()
                found.append(
                    Part("".join(piece.casefold().split()), frozenset((*label, *inherited)), facts(piece).quantities)
                )
            head = label if len(label) == _WORDS else head
    return tuple(found)


def _words(text: str) -> tuple[str, ...]:
    return tuple(token.text.casefold() for token in clause(text).tokens if token.kind in ("name", "thing"))
