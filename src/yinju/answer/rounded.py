"""A figure that a claim says in another way than its source is read as the source has it, so that all rules compare the same figures.

A rounded number that is said to be one (`about 17.8 million`, 约1779万) is 17,786,419: only digits that rounding gives are exchanged, and only
behind a word that says so; 17.9 million stays what it is, and is found nowhere. Of a measure that the source gives twice, `20 mi (32 km)`,
either is the first.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_UP, Decimal
from functools import lru_cache

from yinju.answer import numerals, units
from yinju.text.normalize import fold_keeping_case

_SCALES = {"万亿": 10**12, "亿": 10**8, "万": 10**4, "million": 10**6, "billion": 10**9, "thousand": 1000}
_NUMBER = (
    r"(?<![\d.])(?<!\d,)(?P<number>\d{1,3}(?:,\d{3}){1,4}(?:\.\d{1,9})?|\d{1,15}(?:\.\d{1,9})?)(?![\d.]*\d)(?!,\d{3})"
    r"(?:\s?(?P<scale>万亿|亿|万|(?:thousand|million|billion)(?![a-z])))?"
)
_ABOUT = {
    ROUND_HALF_UP: r"大约|大概|约为?|(?<![a-z])(?:about|around|roughly|approximately|some|circa)",
    ROUND_FLOOR: r"超过|超|逾|多于|(?<![a-z])(?:more than|over|exceed(?:s|ed)?|upwards of)",
    ROUND_CEILING: r"将近|接近|近|(?<![a-z])(?:nearly|almost|close to|just under)",
}
_SAID = {way: re.compile(rf"(?P<word>{words})\s*{_NUMBER}", re.I) for way, words in _ABOUT.items()}
_EXACT = re.compile(_NUMBER, re.I)
_ANY = re.compile("|".join(_ABOUT.values()), re.I)
_TWICE = re.compile(
    rf"(?<![\d.,])(?P<first>\d[\d,.]{{0,14}}[\s-]{{0,2}}(?:{units.AFTER}))\s{{0,3}}[(（]\s?(?:about |约)?"
    rf"(?P<second>\d[\d,.]{{0,14}})[\s-]{{0,2}}(?P<unit>{units.AFTER})\s?[)）]",
    re.I,
)
_FEWEST = 2  # digits that a rounded number must have: `about 5 million` may be any of many
_LONGEST = 4000  # characters of a source that is looked through


def as_in_source(claim: str, readings: Sequence[str]) -> str:
    """Return the claim with the figures of its sources for those that it says rounded, or in the other one of two units."""
    return exact(measured(claim, readings), readings)


def measured(claim: str, readings: Sequence[str]) -> str:
    """Return the claim with 20 mi for 32 km where a source says `20 mi (32 km)`; unchanged where 32 km is said of several."""
    if not any(character.isdigit() for character in claim):
        return claim
    found = [match for reading in readings for match in _twice(reading)]
    text = fold_keeping_case(claim)
    for match in found:
        unit = units.canonical(match["unit"].lower())
        same = [other for other in found if other["second"] == match["second"] and other["first"] != match["first"]]
        if same or units.canonical(re.sub(r"^[\d,.\s-]+", "", match["first"]).lower()) == unit:
            continue
        said = re.compile(rf"(?<![\d.,]){re.escape(match['second'])}[\s-]{{0,2}}({units.AFTER})", re.I)
        for at in reversed(list(said.finditer(text))):
            if units.canonical(at[1].lower()) == unit and match["first"] not in text:
                text = claim = f"{text[: at.start()]}{match['first']}{text[at.end() :]}"
    return claim


def exact(claim: str, readings: Sequence[str]) -> str:
    """Return the claim with the exact numbers of its sources for those that it says rounded; unchanged where there is no such number, or two."""
    if not _ANY.search(claim):
        return claim
    known = {value for reading in readings for value in _values(reading)}
    text = fold_keeping_case(claim)
    for way, pattern in _SAID.items():
        for match in reversed(list(pattern.finditer(text))):
            found = _rounded_to(match, way, known)
            if found is not None:
                text = f"{text[: match.end('word')]} {found}{text[match.end() :]}"
                claim = text
    return claim


@lru_cache(maxsize=4096)
def _twice(reading: str) -> tuple[re.Match[str], ...]:
    return tuple(_TWICE.finditer(fold_keeping_case(reading[:_LONGEST])))


@lru_cache(maxsize=4096)
def _values(reading: str) -> tuple[Decimal, ...]:
    return tuple(_value(match) for match in _EXACT.finditer(fold_keeping_case(reading[:_LONGEST])))


def _value(match: re.Match[str]) -> Decimal:
    return (numerals.arabic(match["number"]) or Decimal(0)) * _SCALES.get((match["scale"] or "").lower(), 1)


def _rounded_to(match: re.Match[str], way: str, known: set[Decimal]) -> str | None:
    """Return the one known number that rounds to this one, None where it is known itself, or where none or several do."""
    value = _value(match)
    digits = value.normalize().as_tuple()
    if not value or value in known or len(digits.digits) < _FEWEST or not isinstance(digits.exponent, int):
        return None
    step = Decimal(1).scaleb(digits.exponent)
    near = [one for one in known if value < 2 * one < 4 * value]
    found = [one for one in near if (one / step).quantize(Decimal(1), way) * step == value]
    return numerals.plain(found[0]) if len(found) == 1 else None
