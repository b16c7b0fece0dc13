"""`A, B and C grew by 1 %, 2 % and 3 % respectively`, 甲、乙、丙分别为: which value belongs to which name. And the minus sign of a value.

A claim about one of the names must take the value in the same place of the list; a bag of words cannot know that.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from yinju.text.normalize import fold

_LONGEST = 600  # characters of a sentence that is looked at
_VALUE = r"[-−–]?\d+(?:,\d{3})*(?:\.\d+)?\s*%?"
_ZH = re.compile(
    rf"(?P<names>[^。；;：:\n]{{2,80}}?)分别(?P<between>[^。；;\d\n−-]{{0,12}})(?P<values>{_VALUE}[^、，,和与及。；\d]{{0,6}}(?:[、，,和与及]\s*{_VALUE}[^、，,和与及。；\d]{{0,6}})+)"
)
_EN = re.compile(
    rf"(?P<names>[^.;:\n]{{2,80}})\s(?P<between>[a-z]+\s)(?P<values>[$€£]?{_VALUE}[^,.;\d]{{0,12}}(?:,\s*(?:and\s)?[$€£]?{_VALUE}[^,.;\d]{{0,12}})*\s?(?:and\s)[$€£]?{_VALUE}[^,.;\d]{{0,12}}),?\s*respectively"
)
_LIST = re.compile(r"\s*(?:、|，|,|(?<![a-z])and(?![a-z])|[和与及])\s*")
_number = re.compile(_VALUE)
_FALLS = re.compile(
    r"降|减|跌|负|缩|亏|minus|negative|fell|fall|drop|declin|decreas|lost|loss|lower|below|shr[aiu]nk|零下|[-−–]\s?\d",
    re.IGNORECASE,
)
_MINUS = re.compile(r"(?<![\w.)\]年月日号%-])[-−–](\d[\d,]*(?:\.\d+)?)(?![\d年月日号])")


def exchanged(claim: str, readings: Sequence[str]) -> bool:
    """True where a claim gives one name of a list the value of another one, or leaves out that a value is below zero."""
    said = "".join(fold(claim).split())
    values = {_bare(match.group()) for match in _number.finditer(fold(claim))}
    for reading in readings:
        for names, amounts in _pairs(fold(reading)[:_LONGEST]):
            here = [place for place, name in enumerate(names) if name in said]
            there = [place for place, amount in enumerate(amounts) if _bare(amount) in values]
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
        amounts = _number.findall(match["values"])
        names = ["".join(name.split()) for name in _LIST.split(match["names"]) if name.strip()][-len(amounts) :]
        if len(names) == len(amounts) > 1:
            shortest = max(2, min(map(len, names)))
            yield (
                [*names[:-1], names[-1][: max(shortest, 2)]],
                amounts,
            )  # more may stand behind the last name: 丙2023年同比


def _bare(value: str) -> str:
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
