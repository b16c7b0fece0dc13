"""Amounts in a clause as spans of values, so that two of them can be told to agree or not: 两周 is 14 days, 3-5 days hold 4, 1.5 m are 150 cm.

An amount has a unit or counts something. What is at most, at least or about so much says less than an exact number and disagrees with less.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache
from typing import Literal

from yinju.answer import numerals, units
from yinju.answer.facts import take_dates
from yinju.text.normalize import fold
from yinju.text.words import FILLERS, stem

Bound = Literal["", "upper", "lower", "about"]
ABOUT = 0.1  # share by which about so much may be off

_DAY = 86_400.0
# unit -> (dimension, least, most) of one in the dimension's own measure; months and years are no fixed number of days
_MEASURES: dict[str, tuple[str, float, float]] = {
    "second": ("time", 1, 1), "minute": ("time", 60, 60), "hour": ("time", 3_600, 3_600), "day": ("time", _DAY, _DAY),
    "workday": ("time", _DAY, 1.8 * _DAY), "week": ("time", 7 * _DAY, 7 * _DAY), "month": ("time", 28 * _DAY, 31 * _DAY),
    "year": ("time", 365 * _DAY, 366 * _DAY),
    "g": ("mass", 1, 1), "kg": ("mass", 1e3, 1e3), "t": ("mass", 1e6, 1e6),
    "mm": ("length", 1, 1), "cm": ("length", 10, 10), "m": ("length", 1e3, 1e3), "km": ("length", 1e6, 1e6),
    "kb": ("data", 1e3, 2.0**10), "mb": ("data", 1e6, 2.0**20), "gb": ("data", 1e9, 2.0**30), "tb": ("data", 1e12, 2.0**40),
    "ml": ("volume", 1, 1), "l": ("volume", 1e3, 1e3), "w": ("power", 1, 1), "kw": ("power", 1e3, 1e3),
}  # fmt: skip
_SCALES = {
    "万亿": 10**12, "亿": 10**8, "万": 10**4, "千": 10**3, "百": 100, "k": 10**3, "thousand": 10**3, "million": 10**6, "billion": 10**9,
}  # fmt: skip
_SAME_COUNTERS = {"名": "人", "位": "人", "项": "个", "种": "个"}
_COUNTERS = units.COUNTERS + "位岁次"
_arabic = r"(?<![a-z0-9_.])(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)(?![a-z]*\d)"
_chinese = rf"[{numerals.CHINESE}半]+(?:点[{numerals.CHINESE}]+)?"
_number = rf"(?:{_arabic}|{numerals.ENGLISH.pattern}|(?<!第)(?<!星期){_chinese})"
_scale = r"(?:万亿|亿|万|千|百(?!分)|(?:thousand|million|billion|k)(?![a-z]))"
_amount = re.compile(
    rf"(?:(?P<before>{units.BEFORE})\s*)?(?P<share>百分之)?(?P<low>{_number})\s*(?P<lowscale>{_scale})?\s*(?P<lowunit>{units.AFTER})?"
    rf"(?:\s*(?:-|–|—|~|至|到|(?<![a-z])to(?![a-z]))\s*(?:{units.BEFORE})?\s*(?P<high>{_number})\s*(?P<highscale>{_scale})?)?"
    rf"(?:[\s-]*(?P<unit>{units.AFTER}))?(?P<counter>[{_COUNTERS}])?"
)
_clock = re.compile(
    r"(?<![\d:.])(?P<hour>[01]?\d|2[0-4]):(?P<minute>[0-5]\d)(?![\d:])\s*(?P<half>[ap]\.?m)?"
    r"|(?<![\d:.])(?P<hour2>1[0-2]|[1-9])\s*(?P<half2>[ap]\.?m)(?![a-z])"
    rf"|(?:(?P<part>上午|早上|下午|晚上|晚)\s*)?(?P<hour3>\d{{1,2}}|[{numerals.CHINESE}]{{1,3}})\s*点(?!\d)(?:(?P<past>半)|(?P<minute3>[0-5]?\d)\s*分)?(?![{numerals.CHINESE}个])"
)
_not_numbers = "十分 万一 千万不 千万别 千万要 一一 百度 百科 万能 一般 统一 一旦 一律 一样 一起 一直 一致"
_no_number = tuple(_not_numbers.split())
_JOINTS = ("至", "到", "-", "–", "—", "~", "to", "until", "till")
_reach = r"[^\d。.]{0,40}$"  # a word for a bound reaches to the next number
_upper = re.compile(
    r"(?:最多|至多|不超过|不得超过|不多于|不能超过|不可超过|不应超过|不大于|不高于|上限|最大|最高|最长|期限|时限|限额|限为"
    r"|(?<![a-z])(?:up to|at most|not? more than|within|maximum|max|under|less than|fewer than|below|limit|period)(?![a-z]))"
    + _reach
)
_upper_behind = re.compile(r"\s*(?:以内|之内|内|以下|及以下|or (?:less|fewer)|at (?:the )?most|maximum)")
_lower = re.compile(
    r"(?:最少|至少|不少于|不低于|最低|最短|最小"
    r"|(?<![a-z])(?:at least|not? (?:less|fewer) than|minimum|more than|over|exceed\w*)(?![a-z]))" + _reach
)
_lower_behind = re.compile(r"\s*(?:以上|及以上|起|or more|at least|minimum)")
_about = re.compile(
    r"(?:约|大约|大概|近|将近|(?<![a-z])(?:about|around|approximately|roughly|nearly|almost|some|circa|ca\.))\s*[有为是]?\s*$"
)
_about_behind = re.compile(r"\s*(?:左右|上下|多[个名位人]?|余)")
_next_words = re.compile(r"[\s-]*([a-z]+)(?:[\s-]+([a-z]+))?")


@dataclass(frozen=True, slots=True)
class Amount:
    """From `low` to `high` of a unit (`#` and a noun for what is counted), as it was `shown`. Times of day are minutes, their unit `clock`."""

    low: float
    high: float
    unit: str
    shown: str
    bound: Bound = ""

    @property
    def dimension(self) -> str:
        """What it can be compared with: time, length, a currency, a count."""
        return (
            _MEASURES[self.unit][0] if self.unit in _MEASURES else "count" if self.unit.startswith("#") else self.unit
        )


@lru_cache(maxsize=8192)
def amounts(clause: str) -> tuple[Amount, ...]:
    """Return the amounts in a clause, without dates and codes."""
    _, text = take_dates(fold(clause))
    found: list[Amount] = []

    def clock(match: re.Match[str]) -> str:
        minutes = _minutes(match)
        if minutes is None:
            return match.group()
        found.append(Amount(minutes, minutes, "clock", match.group().strip()))
        return " " * len(match.group())

    text = _clock.sub(clock, text)
    found = _spans_of_time(found, fold(clause))
    for match in _amount.finditer(text):
        amount = _read(match, text)
        if amount is not None:
            found.append(amount)
    return tuple(found)


def _spans_of_time(clocks: list[Amount], folded: str) -> list[Amount]:
    """Return times of day with each two that are joined (`9:00 至 18:00`, `from 9 am to 5 pm`) as one span."""
    found: list[Amount] = []
    place = 0
    for each in clocks:
        start = folded.find(each.shown, place)
        between = folded[place:start].strip() if found and start >= 0 else ""
        if between in _JOINTS and found[-1].low == found[-1].high:
            found[-1] = replace(found[-1], high=each.high, shown=f"{found[-1].shown} {between} {each.shown}")
        else:
            found.append(each)
        place = max(start, place) + len(each.shown)
    return found


def comparable(one: Amount, other: Amount) -> bool:
    """True where both are measured in the same dimension, or count the same thing as far as they say."""
    if one.dimension != other.dimension:
        return {one.dimension, other.dimension} == {"%", "fold"}
    return one.dimension != "count" or one.unit == other.unit or "#" in (one.unit, other.unit)


def agree(one: Amount, other: Amount) -> bool:
    """True where both can be true of the same thing. Ranges agree where one holds the other."""
    if one.unit == other.unit == "clock":  # who opens from 9 to 6 is not open from 9 to 5
        return (one.low, one.high) == (other.low, other.high)
    if {one.unit, other.unit} == {"%", "fold"}:
        share, fold_ = (one, other) if one.unit == "%" else (other, one)
        tenths = fold_.low if fold_.low < 10 else fold_.low / 10
        return share.low in (tenths * 10, 100 - tenths * 10)
    if {one.bound, other.bound} == {"upper", "lower"}:
        return True  # of two things: a least and a most
    (a, b), (c, d) = _span(one, other), _span(other, one)
    slack = ABOUT if "about" in (one.bound, other.bound) else 1e-6
    if one.bound == other.bound or "about" in (one.bound, other.bound):
        inside = a * (1 + slack) >= c and b <= d * (1 + slack)
        around = c * (1 + slack) >= a and d <= b * (1 + slack)
        return inside or around or (one.unit != other.unit and a <= d and c <= b)
    limit, exact = ((c, d), (a, b)) if other.bound else ((a, b), (c, d))
    kind = other.bound or one.bound
    return exact[0] <= limit[1] * (1 + slack) if kind == "upper" else exact[1] * (1 + slack) >= limit[0]


def _span(amount: Amount, beside: Amount) -> tuple[float, float]:
    if amount.unit == beside.unit or amount.unit not in _MEASURES:
        return amount.low, amount.high
    _, least, most = _MEASURES[amount.unit]
    low, high = amount.low * least, amount.high * most
    if amount.unit == "month" and beside.unit in ("year", "month"):
        low, high = amount.low * 365 / 12 * _DAY, amount.high * 366 / 12 * _DAY
    elif amount.unit == "month" and amount.low >= 2:  # several months are not all short, or all long
        low, high = amount.low * 29.5 * _DAY, amount.high * 31 * _DAY
    return low, high


def _minutes(match: re.Match[str]) -> float | None:
    hour_text = match["hour"] or match["hour2"] or match["hour3"]
    value = Decimal(hour_text) if hour_text.isdigit() else numerals.chinese(hour_text)
    if value is None or value > 24 or (match["hour3"] and value == 1 and not match["part"]):
        return None
    hour, half = int(value), (match["half"] or match["half2"] or "")[:1]
    late = half == "p" or match["part"] in ("下午", "晚上", "晚")
    hour = hour + 12 if late and hour < 12 else 0 if half == "a" and hour == 12 else hour
    return float(hour * 60 + int(match["minute"] or match["minute3"] or 0) + (30 if match["past"] else 0))


def _value(number: str, scale: str | None) -> float | None:
    read = numerals.arabic if number[0].isdigit() else numerals.english if number[0].isascii() else numerals.chinese
    value = read(number)
    return None if value is None or not math.isfinite(value) else float(value) * _SCALES.get(scale or "", 1)


def _read(match: re.Match[str], text: str) -> Amount | None:
    low_text, high_text = match["low"], match["high"]
    behind = text[match.end() :]
    spelling = match["unit"] or match["lowunit"] or ""
    unit = "%" if match["share"] else units.canonical(spelling) or units.canonical(match["before"] or "")
    if not low_text[0].isdigit():
        around = text[match.start() : match.end() + 2]
        if around.startswith(_no_number) and not around.startswith("十分钟"):
            return None
        certain = unit or match["counter"] or len(low_text) > 1
        if not certain or (low_text[0].isascii() and low_text == "one" and not unit):
            return None
    low = _value(low_text, match["lowscale"] or (match["highscale"] if high_text else None))
    high = _value(high_text, match["highscale"]) if high_text else low
    if low is None or high is None or high < low or low < 0:
        return None
    if not unit:
        unit = _counted(match["counter"] or "", behind, low)
        if not unit:
            return None
    unit = "#人" if unit == "people" else unit
    return Amount(
        low, high, unit, match.group().strip(), _bound(text[max(0, match.start() - 48) : match.start()], behind)
    )


def _counted(counter: str, behind: str, value: float) -> str:
    """Return what is counted: by its Chinese counter, or the English noun behind the number, or behind the adjective in between."""
    if counter:
        return "#" + _SAME_COUNTERS.get(counter, counter)
    words = _next_words.match(behind)
    for word in words.groups() if words else ():
        if word and (unit := units.canonical(word)):
            return unit
        if word in FILLERS:  # 5,000 a day
            break
    if words and words[1]:
        last = words[2] if words[2] and words[2].endswith("s") and not words[1].endswith("s") else words[1]
        return "#" if last in FILLERS or last in ("in", "per", "by") else "#" + stem(last)
    return "#"


def _bound(before: str, behind: str) -> Bound:
    if _about.search(before) or _about_behind.match(behind):
        return "about"
    if _lower.search(before) or _lower_behind.match(behind):
        return "lower"
    return "upper" if _upper.search(before) or _upper_behind.match(behind) else ""
