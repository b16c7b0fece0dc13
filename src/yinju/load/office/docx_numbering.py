"""The numbers and bullets of Word's lists and headings. Word does not store them: they are counted from numbering.xml while reading.

Source: ECMA-376 part 1, 17.9. Counters belong to the abstract list, so that two lists over one abstract list go on counting,
unless a `startOverride` restarts them.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

_HAN = "零一二三四五六七八九"
_HAN_FORMAL = "零壹贰叁肆伍陆柒捌玖"
_BULLET = "•"


@dataclass(frozen=True, slots=True)
class Level:
    """One level of a list: its number format, its pattern such as `%1.%2`, and where it starts."""

    form: str
    pattern: str
    start: int
    restart: int = -1  # the level below which it starts anew: -1 the one above, 0 never, as w:lvlRestart counts
    legal: bool = False  # all numbers in it are shown in Arabic figures
    width: int = 0  # of a custom format such as `001, 002, 003`


@dataclass(slots=True)
class Numbering:
    """Counts the paragraphs of all lists of one document, in the order of the text."""

    levels: dict[str, dict[int, Level]] = field(default_factory=dict)  # by abstract list
    changed: dict[str, dict[int, Level]] = field(default_factory=dict)  # by list: levels that it writes otherwise
    lists: dict[str, tuple[str, dict[int, int]]] = field(default_factory=dict)  # list -> abstract list, restarts
    styles: dict[str, tuple[str, int]] = field(default_factory=dict)  # paragraph style -> list, level
    _counts: dict[str, dict[int, int]] = field(default_factory=dict)
    _restarted: set[tuple[str, int]] = field(default_factory=set)

    def is_bullet(self, number: str, level: int) -> bool:
        """Return whether this level shows bullets."""
        found = self._level(number, level)
        return found is not None and found.form == "bullet"

    def marker(self, number: str, level: int) -> str:
        """Count one paragraph of the list and return what stands in front of it: `1.`, `•`, `第三条`; empty for none."""
        current = self._level(number, level)
        if current is None:
            return ""
        abstract, restarts = self.lists[number]
        counts = self._counts.setdefault(abstract, {})
        for deeper in [depth for depth in counts if depth > level and self._starts_anew(number, depth, level)]:
            del counts[deeper]
        if level in restarts and (number, level) not in self._restarted:
            self._restarted.add((number, level))
            counts[level] = restarts[level]
        else:
            counts[level] = counts.get(level, current.start - 1) + 1
        if current.form == "bullet":
            return _BULLET if not current.pattern or _is_symbol(current.pattern) else current.pattern
        return re.sub(
            r"%([1-9])", lambda match: self._shown(number, counts, int(match[1]) - 1, current.legal), current.pattern
        ).strip()

    def _level(self, number: str, level: int) -> Level | None:
        changed = self.changed.get(number, {}).get(level)
        abstract = self.lists.get(number)
        return changed or (self.levels.get(abstract[0], {}).get(level) if abstract else None)

    def _starts_anew(self, number: str, depth: int, level: int) -> bool:
        found = self._level(number, depth)
        return found is None or found.restart < 0 or level < found.restart

    def _shown(self, number: str, counts: dict[int, int], level: int, legal: bool) -> str:
        found = self._level(number, level)
        if found is None or found.form in ("none", "bullet"):
            return ""
        count = counts.get(level, found.start)
        return f"{count:0{found.width}d}" if found.width else number_text(count, "decimal" if legal else found.form)


def read_numbering(root: Any, styles: Any) -> Numbering:
    """Return the lists that numbering.xml and the paragraph styles of styles.xml describe; either may be None."""
    numbering = Numbering()
    borrowed: dict[str, str] = {}
    lending: dict[str, str] = {}
    for item in root.iterfind("{*}abstractNum") if root is not None else ():
        identity = _value(item, "abstractNumId")
        for kind, links in (("numStyleLink", borrowed), ("styleLink", lending)):
            link = item.find("{*}" + kind)
            if link is not None:
                links[identity] = _value(link, "val")
        numbering.levels[identity] = {_depth(level): _read_level(level) for level in item.iterfind("{*}lvl")}
        for level in item.iterfind("{*}lvl"):
            style = level.find("{*}pStyle")
            if style is not None:
                numbering.styles[_value(style, "val")] = ("abstract:" + identity, _depth(level))
    lenders = {style: identity for identity, style in lending.items()}
    for identity, style_name in borrowed.items():
        numbering.levels[identity] = numbering.levels.get(lenders.get(style_name, ""), numbering.levels[identity])
    for item in root.iterfind("{*}num") if root is not None else ():
        target = item.find("{*}abstractNumId")
        restarts = {
            _depth(override): _integer(override.find("{*}startOverride"), 1)
            for override in item.iterfind("{*}lvlOverride")
            if override.find("{*}startOverride") is not None
        }
        changed = {
            _depth(override): _read_level(level)
            for override in item.iterfind("{*}lvlOverride")
            if (level := override.find("{*}lvl")) is not None
        }
        if changed:
            numbering.changed[_value(item, "numId")] = changed
        numbering.lists[_value(item, "numId")] = (_value(target, "val") if target is not None else "", restarts)
    for style in styles.iterfind("{*}style") if styles is not None else ():
        properties = style.find("{*}pPr/{*}numPr")
        if properties is not None:
            _read_style(numbering, _value(style, "styleId"), properties)
    numbering.styles = {key: value for key, value in numbering.styles.items() if not value[0].startswith("abstract:")}
    return numbering


def _read_style(numbering: Numbering, style: str, properties: Any) -> None:
    number = properties.find("{*}numId")
    if number is None or _value(number, "val") == "0":
        return
    linked = numbering.styles.get(style)
    level = linked[1] if linked else _integer(properties.find("{*}ilvl"), 0)
    numbering.styles[style] = (_value(number, "val"), level)


def _read_level(level: Any) -> Level:
    form, pattern, legal = level.find("{*}numFmt"), level.find("{*}lvlText"), level.find("{*}isLgl")
    width = 0
    if (
        form is None and (custom := next(level.iter("{*}numFmt"), None)) is not None
    ):  # a new format beside one for old readers
        form = custom
        width = len(_value(custom, "format").partition(",")[0].strip())
    return Level(
        form=_value(form, "val") if form is not None else "decimal",
        pattern=_value(pattern, "val") if pattern is not None else "",
        start=_integer(level.find("{*}start"), 1),
        restart=_integer(level.find("{*}lvlRestart"), -1),
        legal=legal is not None and _value(legal, "val") not in ("0", "false", "off"),
        width=width if width <= 10 else 0,
    )


def _value(element: Any, name: str) -> str:
    return next((str(value) for key, value in element.attrib.items() if key.rpartition("}")[2] == name), "")


def _depth(element: Any) -> int:
    text = _value(element, "ilvl")
    return int(text) if re.fullmatch(r"\d", text) else 0


def _integer(element: Any, default: int) -> int:
    text = _value(element, "val") if element is not None else ""
    return int(text) if re.fullmatch(r"-?\d{1,9}", text) else default


def _is_symbol(pattern: str) -> bool:
    return all(
        0xE000 <= ord(character) <= 0xF8FF or character.isspace() or character.isalnum() for character in pattern
    )


def number_text(number: int, form: str) -> str:
    """Return the number as Word shows it in this format; unknown formats count in Arabic figures."""
    return _FORMS.get(form, str)(number)


def _letters(number: int) -> str:
    return chr(ord("a") + (number - 1) % 26) * ((number - 1) // 26 + 1) if 0 < number <= 780 else str(number)


def _roman(number: int) -> str:
    if not 0 < number < 4000:
        return str(number)
    figures: tuple[tuple[int, str], ...] = (
        (1000, "m"),
        (900, "cm"),
        (500, "d"),
        (400, "cd"),
        (100, "c"),
        (90, "xc"),
        (50, "l"),
        (40, "xl"),
    )
    figures += ((10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"))
    shown = ""
    for value, letters in figures:
        count, number = divmod(number, value)
        shown += letters * count
    return shown


def _han(number: int, digits: str = _HAN, units: tuple[str, ...] = ("", "十", "百", "千")) -> str:
    if not 0 < number < 10_000:
        return str(number)
    shown, gap = "", False
    for place in range(3, -1, -1):
        digit = number // 10**place % 10
        if digit:
            shown += (digits[0] if gap else "") + digits[digit] + units[place]
        gap = bool(shown) and digit == 0
    return shown[1:] if shown.startswith("一十") else shown


def _ordinal(number: int) -> str:
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def _circled(number: int) -> str:
    if 20 < number <= 35:
        return chr(0x3251 + number - 21)
    return chr(0x2460 + number - 1) if 0 < number <= 20 else str(number)


def _positional(number: int) -> str:
    return "".join("〇一二三四五六七八九"[int(digit)] for digit in str(abs(number)))


_FORMS: dict[str, Callable[[int], str]] = {
    "decimalZero": lambda number: f"{number:02d}",
    "lowerLetter": _letters,
    "upperLetter": lambda number: _letters(number).upper(),
    "lowerRoman": _roman,
    "upperRoman": lambda number: _roman(number).upper(),
    "chineseCounting": _han,
    "chineseCountingThousand": _han,
    "taiwaneseCounting": _han,
    "taiwaneseCountingThousand": _han,
    "japaneseCounting": _han,
    "koreanCounting": _han,
    "ideographDigital": _positional,
    "taiwaneseDigital": _positional,
    "chineseLegalSimplified": lambda number: _han(number, _HAN_FORMAL, ("", "拾", "佰", "仟")),
    "decimalEnclosedCircle": _circled,
    "decimalEnclosedCircleChinese": _circled,
    "decimalFullWidth": lambda number: str(number).translate({48 + digit: 0xFF10 + digit for digit in range(10)}),
    "numberInDash": lambda number: f"- {number} -",
    "ordinal": _ordinal,
    "decimalEnclosedParen": lambda number: chr(0x2474 + number - 1) if 0 < number <= 20 else f"({number})",
    "decimalEnclosedFullstop": lambda number: chr(0x2488 + number - 1) if 0 < number <= 20 else f"{number}.",
    "ideographEnclosedCircle": lambda number: chr(0x3280 + number - 1) if 0 < number <= 10 else str(number),
    "ideographTraditional": lambda number: "甲乙丙丁戊己庚辛壬癸"[number - 1] if 0 < number <= 10 else str(number),
    "ideographZodiac": lambda number: "子丑寅卯辰巳午未申酉戌亥"[number - 1] if 0 < number <= 12 else str(number),
    "ideographLegalTraditional": lambda number: _han(number, "零壹貳參肆伍陸柒捌玖", ("", "拾", "佰", "仟")),
    "japaneseLegal": lambda number: _han(number, "零壱弐参四五六七八九", ("", "拾", "百", "千")),
    "japaneseDigitalTenThousand": _positional,
    "decimalFullWidth2": lambda number: str(number).translate({48 + digit: 0xFF10 + digit for digit in range(10)}),
    "none": lambda number: "",
}
