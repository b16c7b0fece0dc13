"""Numbers at the beginning of lines: 第十二条, 一、, （三）, 4., 4.2, Article IV, and which of them count on from one to the next.

A number alone proves nothing: a wrapped line may begin with one, a sentence may quote 第八条. Only numbers that rise one by one make a sequence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from yinju.types import Mark

NUMERAL = "[零〇一二三四五六七八九十百千两0-9０-９]{1,8}"
_MOST_CHAINS = 20  # a contract has so many annexes at most
_ROMAN = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100}
_ones = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
_ONES = _ones.split()
_STYLES = (
    ("unit", re.compile(rf"第[ \t]?({NUMERAL})[ \t]?(分编|编|章|节|条)(?:之({NUMERAL}))?")),
    (
        "english",
        re.compile(
            r"(?i:(part|chapter|article|section|clause|sec\.|art\.)|(§))\s*(\d{1,4}(?:\.\d{1,3})*|[IVXLC]{1,7}|[A-Za-z]{3,8})(?!\w)"
        ),
    ),
    ("一、", re.compile(r"([零〇一二三四五六七八九十百]{1,5})[、．.]")),
    ("（一）", re.compile(r"[（(]([零〇一二三四五六七八九十百]{1,5})[）)]")),
    ("1.1", re.compile(r"(\d{1,3}(?:[.．]\d{1,3}){1,4})[.、．]?(?![\d%.．]|[/:×xX*-]\d)")),
    ("1.", re.compile(r"(\d{1,3})(?:[.、．](?![\d])|[)）])")),
)  # fmt: skip
_DIGITS = {
    sign: value
    for value, signs in enumerate(("零〇", "一", "二两", "三", "四", "五", "六", "七", "八", "九"))
    for sign in signs
}
_SCALES = {"十": 10, "百": 100, "千": 1000}


class Number(NamedTuple):
    """A number at the start of a line: its style (条, 章, article, 一、, 1.1 ...), its value with parts, and how many characters it takes."""

    style: str
    value: tuple[int, ...]
    length: int


def read(text: str) -> Number | None:
    """Return the number with which the text begins, or None."""
    for style, pattern in _STYLES:
        if match := pattern.match(text):
            return _number(style, match)
    return None


def _number(style: str, match: re.Match[str]) -> Number | None:
    if style == "unit":
        value = (numeral(match[1]), *((numeral(match[3]),) if match[3] else ()))
        return Number(match[2], value, match.end())
    if style == "english":
        parts = _english(match[3])
        name = "section" if match[2] else {"sec.": "section", "art.": "article"}.get(match[1].lower(), match[1].lower())
        return Number(name, parts, match.end()) if parts else None
    if style == "1.1":
        return Number(style, tuple(int(part) for part in re.split("[.．]", match[1])), match.end())
    return Number(style, (numeral(match[1]),), match.end())


def numeral(text: str) -> int:
    """Return the value of a numeral in Chinese or Arabic digits: `一百零二`, `二〇`, `12`, `１２`."""
    if text.isdecimal():
        return int(text)
    if all(sign in _DIGITS or sign.isdecimal() for sign in text):
        return int("".join(str(_DIGITS[sign]) if sign in _DIGITS else str(int(sign)) for sign in text))
    total = digit = 0
    for sign in text:
        if sign in _SCALES:
            total, digit = total + (digit or 1) * _SCALES[sign], 0
        else:
            digit = _DIGITS[sign] if sign in _DIGITS else int(sign)
    return total + digit


def _english(text: str) -> tuple[int, ...]:
    """Return the value of `4.2`, `IV` or `four`; empty where it is an ordinary word."""
    if text[0].isdigit():
        return tuple(int(part) for part in text.split("."))
    if text.lower() in _ONES:
        return (_ONES.index(text.lower()) + 1,)
    if text.upper() != text or any(sign not in _ROMAN for sign in text):
        return ()
    values = [_ROMAN[sign] for sign in text]
    return (sum(-one if one < following else one for one, following in zip(values, [*values[1:], 0], strict=True)),)


def follows(before: tuple[int, ...], value: tuple[int, ...]) -> bool:
    """Whether a number is the next one: 3 after 2, 2.1 after 1.4 or 2, 十二之一 after 十二, 13 after 十二之一."""
    for place, (old, new) in enumerate(zip(before, value, strict=False)):
        if new != old:
            return new == old + 1 and all(rest == 1 for rest in value[place + 1 :])
    return len(value) == len(before) + 1 and value[-1] == 1


def chains(values: Sequence[tuple[int, ...]]) -> list[list[int]]:
    """Return the places of numbers that count on, the longest sequence first found, then those before and after it (annexes); one alone is none."""
    found: list[list[int]] = []
    open_parts = [(0, len(values))]
    while open_parts and len(found) < _MOST_CHAINS:
        first, end = max(open_parts, key=lambda part: part[1] - part[0])
        open_parts.remove((first, end))
        chain = _longest(values, first, end)
        if len(chain) < 2:
            continue
        found.append(chain)
        open_parts += [(first, chain[0]), (chain[-1] + 1, end)]
    return sorted(found)


def _longest(values: Sequence[tuple[int, ...]], first: int, end: int) -> list[int]:
    """Return the longest sequence that counts on, the last one where several are (a table of contents comes before the text)."""
    lengths: dict[int, int] = {}
    before: dict[int, int] = {}
    reached: dict[tuple[int, ...], int] = {}  # the best place at which a number ends that begins so
    best = -1
    for place in range(first, end):
        value = values[place]
        known = [reached[key] for key in _keys_before(value) if key in reached]
        previous = max(known, key=lambda one: (lengths[one], one), default=-1)
        lengths[place] = lengths[previous] + 1 if previous >= 0 else 1
        before[place] = previous
        for size in range(1, len(value) + 1):
            if (key := value[:size]) not in reached or lengths[place] >= lengths[reached[key]]:
                reached[key] = place
        if best < 0 or lengths[place] >= lengths[best]:
            best = place
    chain: list[int] = []
    while best >= 0:
        chain.append(best)
        best = before[best]
    return chain[::-1]


def _keys_before(value: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Yield how numbers begin after which this one may come; one whole number may be missing (a line that was not read)."""
    for place in range(len(value) - 1, -1, -1):
        yield (*value[:place], value[place] - 1)
        if value[place] != 1:
            break
        if place:
            yield value[:place]
    if len(value) == 1:
        yield (value[0] - 2,)


def pseudo_headings(bold: Sequence[Mark], headings: Sequence[Mark]) -> Iterator[Mark]:
    """Yield the lines in bold that are headings in all but mark-up: numbered, and counting on (`**一、总则**`, `**二、范围**`).

    They stand one level below the heading above them; a second style among them (（一） under 一、) stands one lower.
    """
    numbered = [(mark, number) for mark in bold if (number := read(mark.label)) and number.style != "1.1"]
    styles = list(dict.fromkeys(number.style for _, number in numbered))
    chosen: dict[Mark, int] = {}
    for depth, style in enumerate(styles):
        run: list[tuple[Mark, Number]] = []
        for mark, number in (one for one in numbered if one[1].style == style):
            if run and not follows(run[-1][1].value, number.value):
                run = []
            run.append((mark, number))
            if len(run) > 1:
                chosen.update({run[-2][0]: depth, mark: depth})
    above = sorted(headings, key=lambda mark: mark.span.start)
    place, level = 0, 0
    for mark in sorted(chosen, key=lambda one: one.span.start):
        while place < len(above) and above[place].span.start < mark.span.start:
            level = above[place].level
            place += 1
        yield Mark("heading", mark.span, level + 1 + chosen[mark], mark.label)
