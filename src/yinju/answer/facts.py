"""What can be checked in a sentence without understanding it: quantities with units, dates, codes, names and quoted words.

Everything is read from the folded text (width, case, traditional forms), so that a fact is the same value however it was written.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from decimal import Decimal
from functools import lru_cache

from yinju.answer import numerals, units
from yinju.text.normalize import fold


@dataclass(frozen=True, slots=True, order=True)
class Quantity:
    """A number and the canonical name of its unit, empty where it has none that we know."""

    value: str
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Facts:
    """The facts of one text. Dates are ISO, `--05-03` without a year, `2024` or `2024-05` where less is said."""

    quantities: frozenset[Quantity] = field(default_factory=frozenset)
    dates: frozenset[str] = field(default_factory=frozenset)
    codes: frozenset[str] = field(default_factory=frozenset)
    names: frozenset[str] = field(default_factory=frozenset)
    quoted: frozenset[str] = field(default_factory=frozenset)

    @property
    def empty(self) -> bool:
        """True where there is nothing to check."""
        return not (self.quantities or self.dates or self.codes or self.names or self.quoted)


_MONTHS = {name: number for number, names in enumerate(
    ("january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul", "august aug", "september sept sep",
     "october oct", "november nov", "december dec"), start=1) for name in names.split()}  # fmt: skip
_month = "|".join(sorted(_MONTHS, key=len, reverse=True))
_DATES = (
    re.compile(r"(?<!\d)(?P<y>(?:1\d|20)\d\d)\s*[-/.年]\s*(?P<m>1[0-2]|0?[1-9])\s*[-/.月]\s*(?P<d>3[01]|[12]\d|0?[1-9])(?!\d)\s*[日号]?"),
    re.compile(r"(?<!\d)(?P<y>(?:1\d|20)\d\d)\s*(?:年|-(?=\d\d(?!\d)))\s*(?P<m>1[0-2]|0?[1-9])(?!\d)\s*月?(?!\d)"),
    re.compile(r"(?<!\d)(?P<m>1[0-2]|0?[1-9])\s*月\s*(?P<d>3[01]|[12]\d|0?[1-9])\s*[日号]"),
    re.compile(rf"(?<![a-z])(?P<n>{_month})\.?\s+(?P<d>3[01]|[12]\d|0?[1-9])(?:st|nd|rd|th)?(?:\s*,?\s+(?P<y>(?:19|20)\d\d))?(?!\d)"),
    re.compile(rf"(?<!\d)(?P<d>3[01]|[12]\d|0?[1-9])(?:st|nd|rd|th)?\s+(?:of\s+)?(?P<n>{_month})(?![a-z])\.?(?:\s*,?\s+(?P<y>(?:19|20)\d\d))?"),
    re.compile(rf"(?<![a-z])(?P<n>{_month})\.?,?\s+(?P<y>(?:19|20)\d\d)(?!\d)"),
    re.compile(r"(?<![\d.])(?P<m>1[0-2]|0?[1-9])\s*月(?![\d份]*\d)"),
    re.compile(r"(?<![\d.a-z_])(?<!\d,)(?P<y>(?:1\d|20)\d\d)\s*年(?![期制级代])"),
)  # fmt: skip
_CODE = re.compile(
    r"(?<![a-z0-9])--?[a-z][a-z0-9]*(?:[-=][a-z0-9]+)+|--[a-z][a-z0-9]+"  # --no-embed
    r"|[a-z0-9]+(?:_[a-z0-9]+)+"  # snake_case
    r"|v?\d+(?:\.\d+){2,}(?:[-+][a-z0-9.]+)?|(?<![a-z0-9])v\d+(?:\.\d+)*"  # versions, addresses
    r"|[a-z][a-z0-9]*(?:[-./:@][a-z0-9]+)*[-./:@][a-z]*\d[a-z0-9]*(?:[-./:@][a-z0-9]+)*"  # e-4031, iso/9001
    r"|[a-z]+\d+[a-z0-9]*|\d+[a-z]+\d+[a-z0-9]*"  # mp3
    r"|[a-z0-9]+(?:[./@-][a-z0-9]+)*\.(?:com|cn|org|net|io|md|pdf|docx?|xlsx?|csv|html?|json|txt|py|js|ts|ya?ml|toml|zip|exe|sh)(?![a-z0-9])",
)
# No fact is that long; base64 and the like would only cost time, which for some patterns grows with the square.
_ENDLESS = re.compile(rf"[a-z0-9_./:@,+=-]{{80,}}|[{numerals.CHINESE}半点]{{24,}}")
_WIDE_COLON = re.compile(r"(?<!\d)：")  # stands behind a label, never inside a code: AUC：0.87
_ARABIC = re.compile(
    rf"(?:(?P<before>{units.BEFORE})\s*)?(?<![a-z0-9_.])(?P<number>\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?|\d+(?:\.\d+)?)(?:st|nd|rd|th)?"
    rf"(?:\s*(?P<scale>万亿|亿|万|千|百(?!分)|(?:thousand|million|billion)(?![a-z])|k(?![a-z])))?"
    rf"(?:[\s-]*(?P<after>{units.AFTER}))?"
)
_WRITTEN = re.compile(
    rf"(?:(?P<sign>百分之|第)(?P<signed>[{numerals.CHINESE}]+(?:点[{numerals.CHINESE}]+)?))"
    rf"|(?P<number>[{numerals.CHINESE}半]+(?:点[{numerals.CHINESE}]+)?)\s*(?:(?P<unit>{units.CHINESE_AFTER})|(?P<counter>[{units.COUNTERS}]))"
    rf"|(?P<large>[{numerals.CHINESE}]*[十百千万亿][{numerals.CHINESE}]*)"
)
_PERCENT = re.compile(r"百分之\s*(\d+(?:\.\d+)?)")
_NO_NUMBER = ("十分", "万一", "千万不", "千万别", "千万要", "一一", "百度", "万能", "百科", "一万个为什么")
_ENGLISH = re.compile(rf"(?P<number>{numerals.ENGLISH.pattern})(?:[\s-]*(?P<after>{units.AFTER}))?")
_SCALES = {
    "万亿": 10**12,
    "亿": 10**8,
    "万": 10**4,
    "千": 1000,
    "百": 100,
    "k": 1000,
    "thousand": 1000,
    "million": 10**6,
    "billion": 10**9,
}
_NAME = re.compile(r"(?<![A-Za-z0-9_])(?:[A-Z]{2,}[a-z]?|[A-Z]?[a-z]+[A-Z]\w*|[A-Z][a-z]+)(?![A-Za-z0-9_])")
_QUOTED = re.compile(r"[“「『《]([^”」』》]{2,40})[”」』》]|(?<!\w)\"([^\"\n]{2,40})\"|`([^`\n]{2,60})`")
_OPENERS = re.compile(r"(?:^|[.!?。！？:：;；\n“\"(（]|^\s*[-*•]|\d[.)])\s*$")
_starters = "i the a an it this that these those if when you we they he she in on at for to of and or but no yes"
_LATIN_STARTERS = frozenset(_starters.split())


_SHORT_YEAR = re.compile(r"(?<![\d.])(?<!\d,)((?:1\d|20)(\d\d))(\s?[-–—~～]\s?)(\d\d)(?![\d/-])(?=\s*年|(?![.,]\d))")
_HAN_MONTH = re.compile(
    r"(?<![一二三四五六七八九十百个])(十[一二]?|[一二三四五六七八九])(月)(?!票|饼|薪|费|租|经|球|光|亮)|(?<=月)([一二三四五六七八九十]{1,3})([日号])"
)
_SHARED_YEAR = re.compile(r"(?<![\d.])(?<!\d,)((?:1\d|20)\d\d)(\s?[-–—~～至到]\s?(?:1\d|20)\d\d\s?(年代?))")
_SHARED_SCALE = re.compile(
    r"(?<![\d.])(?<!\d,)(\d+(?:\.\d+)?)(\s*(?:[-–—~～至到]|to)\s*)(\d+(?:\.\d+)?)(\s*(?:万|亿|千|million|billion|thousand))"
)

_DECADE = re.compile(
    rf"(?<!\d)(?:(1\d|2[01])|([{numerals.CHINESE}]{{2,3}}))\s*世纪\s*(?:(\d)0|([一二三四五六七八九])十)\s*年代"
)
_ENGLISH_DECADE = re.compile(r"(?<![\d.,a-z])((?:1\d|20)\d0)['’]?s(?![a-z\d])")
_MULTIPLES = (
    (re.compile(r"(?<![a-z])(?:twice|doubl(?:ed|ing)|two-?fold)(?![a-z])|翻了?(?:一番|一倍|番|倍)"), " 2 times "),
    (re.compile(r"(?<![a-z])(?:thrice|tripl(?:ed|ing)|three-?fold)(?![a-z])"), " 3 times "),
    (
        re.compile(
            r"(?<![a-z])(?<!first )(?<!second )(?<!other )(?<!last )(?:(?:one )?half(?= of(?![a-z]))|halved)(?![a-z])|一半|半数"
        ),
        " 50% ",
    ),
)
_SQUARE = re.compile(r"(?<=\d)\s?(?:km2|(m[23]))(?![a-z0-9])")


def spread(folded: str) -> str:
    """Write out what the two ends of a range share: 1620-21 is 1620-1621, 3到5万 is 3万到5万.

    And say in one way what has several: 20世纪80年代 is 1980年代, 5 km2 5 square km, twice 2 times.
    """

    def year(match: re.Match[str]) -> str:
        whole, last, between, short = match.groups()
        return (
            f"{whole}{_year_sign(folded[match.end() :])}{between}{whole[:2]}{short}" if short > last else match.group()
        )

    folded = _DECADE.sub(_arabic_decade, _ENGLISH_DECADE.sub(r"\1 decade", folded))
    folded = _SQUARE.sub(lambda match: _AREAS[match[1]], _HAN_MONTH.sub(_arabic_month, folded))
    for pattern, figure in _MULTIPLES:
        folded = pattern.sub(figure, folded)
    folded = _SHARED_YEAR.sub(r"\1\3\2", folded)
    return _SHARED_SCALE.sub(r"\1\4\2\3\4", _SHORT_YEAR.sub(year, folded))


def _year_sign(after: str) -> str:
    return next((sign for sign in ("年代", "年") if after.lstrip().startswith(sign)), "")


_PRIVATE, _DATES_AT_MOST = 0xE000, 6000  # a date that was found is one character of the private area until all are


_AREAS = {None: " square kilometres", "m2": " square metres", "m3": " cubic metres"}


def _arabic_decade(match: re.Match[str]) -> str:
    century = int(match[1]) if match[1] else int(numerals.chinese(match[2]) or 0)
    tenth = match[3] or numerals.chinese(match[4])
    return f"{century - 1}{tenth}0年代" if 11 <= century <= 21 else match.group()


def _arabic_month(match: re.Match[str]) -> str:
    value = numerals.chinese(match[1] or match[3])
    return f"{value}{match[2] or match[4]}"


def canonical(folded: str) -> str:
    """Return a text with its dates as `@2024-05-03` and its numerals in words as digits: the same however they were written."""
    folded = spread(_ENDLESS.sub(" ", folded.replace("\x00", " ")))
    dates: list[str] = []

    def keep(match: re.Match[str]) -> str:
        dates.append(f" @{_iso(match)} ")
        return f" \x00{chr(_PRIVATE + min(len(dates) - 1, _DATES_AT_MOST))} "

    for pattern in _DATES:
        folded = pattern.sub(keep, folded)

    def written(match: re.Match[str]) -> str:
        quantity = _written(match, folded)
        if quantity is None or match["sign"] == "第":
            return match.group()
        if match["sign"]:
            return f"{quantity.value}%"
        return quantity.value + (match["unit"] or match["counter"] or "")

    folded = _PERCENT.sub(r"\1%", _WRITTEN.sub(written, folded))
    return re.sub("\x00(.)", lambda match: dates[ord(match[1]) - _PRIVATE], folded)


@lru_cache(maxsize=4096)
def facts(text: str) -> Facts:
    """Return the facts of a text."""
    folded = spread(_ENDLESS.sub(" ", fold(_WIDE_COLON.sub(": ", text))))
    quoted = frozenset("".join(fold(next(g for g in match.groups() if g)).split()) for match in _QUOTED.finditer(text))
    names = frozenset(_names(text))
    dates, rest = take_dates(folded)
    codes: set[str] = set()

    def keep(match: re.Match[str]) -> str:
        codes.add(match.group().strip("-") if match.group().startswith("-") else match.group())
        return " \x00 "

    rest = _CODE.sub(keep, rest)
    quantities = frozenset(_quantities(rest))
    return Facts(quantities, frozenset(dates), frozenset(codes), names - codes, quoted)


def _opens(text: str, place: int) -> bool:
    """True where a sentence, a clause or an item begins at this place."""
    before = text[max(0, place - 12) : place]
    return bool(_OPENERS.search(before if place <= 12 else "x" + before))


def _names(text: str) -> list[str]:
    found = []
    for match in _NAME.finditer(text):
        word = match.group()
        inner_capital = any(c.isupper() for c in word[1:])
        if not inner_capital and (
            _opens(text, match.start()) or word.lower() in _LATIN_STARTERS or word.lower() in _MONTHS
        ):
            continue  # the first word of a sentence is capital anyway
        found.append(fold(word))
    return found


def _iso(match: re.Match[str]) -> str:
    got = match.groupdict()
    month = _MONTHS[got["n"]] if got.get("n") else int(got["m"]) if got.get("m") else None
    year, day = got.get("y") or "-", got.get("d")
    return "-".join([year, *([f"{month:02d}"] if month else []), *([f"{int(day):02d}"] if day else [])])


def take_dates(folded: str) -> tuple[set[str], str]:
    """Return the dates of a folded text in one form each (`-` where a part is not said), and the text without them."""
    dates: set[str] = set()

    def keep(match: re.Match[str]) -> str:
        dates.add(_iso(match))
        return " \x00 "

    for pattern in _DATES:
        folded = pattern.sub(keep, folded)
    return dates, folded


def _quantities(rest: str) -> list[Quantity]:
    found: list[Quantity] = []

    def percent(match: re.Match[str]) -> str:
        found.append(Quantity(_normal(Decimal(match.group(1))), "%"))
        return " \x00 "

    def digits(match: re.Match[str]) -> str:
        value = numerals.arabic(match["number"])
        if value is not None:
            value *= _SCALES.get(match["scale"] or "", 1)
            unit = units.canonical(match["after"] or "") or units.canonical(match["before"] or "")
            found.append(Quantity(_normal(value), unit))
        return " \x00 "

    def written(match: re.Match[str]) -> str:
        quantity = _written(match, rest)
        if quantity:
            found.append(quantity)
        return " \x00 " if quantity else match.group()

    def words(match: re.Match[str]) -> str:
        value = numerals.english(match["number"])
        unit = units.canonical(match["after"] or "")
        if value is not None and (unit or value > 1):
            found.append(Quantity(_normal(value), unit))
        return " \x00 "

    rest = _PERCENT.sub(percent, rest)
    rest = _ARABIC.sub(digits, rest)
    rest = _WRITTEN.sub(written, rest)
    _ENGLISH.sub(words, rest)
    return found


def _written(match: re.Match[str], text: str) -> Quantity | None:
    """A Chinese numeral is a fact where a unit follows or it is clearly one: 三天, 第三, 百分之三, 一百六十; not 一般, 十分."""
    around = match.string[match.start() : match.end() + 2]
    if around.startswith(_NO_NUMBER) and not around.startswith("十分钟"):
        return None
    if match["sign"]:
        value = numerals.chinese(match["signed"])
        return Quantity(_normal(value), "%" if match["sign"] == "百分之" else "") if value is not None else None
    if match["number"]:
        value = numerals.chinese(match["number"])
        if value is None or (match["counter"] and value <= 1):
            return None
        unit = units.canonical(match["unit"] or "")
        return Quantity(_normal(value), unit)
    value = numerals.chinese(match["large"])
    return Quantity(_normal(value)) if value is not None and len(match["large"]) > 1 else None


def _normal(value: Decimal) -> str:
    return numerals.plain(value)


def equivalents(quantity: Quantity) -> frozenset[Quantity]:
    """Return other ways to say the same: 七折 is 70 % of the price and 30 % off; half a year is six months."""
    value = Decimal(quantity.value)
    if quantity.unit == "fold":
        tenths = value if value < 10 else value / 10
        return frozenset((Quantity(_normal(tenths * 10), "%"), Quantity(_normal(100 - tenths * 10), "%")))
    if quantity.unit == "year" and value * 12 == int(value * 12):
        return frozenset((Quantity(_normal(value * 12), "month"),))
    if quantity.unit == "week":
        return frozenset((Quantity(_normal(value * 7), "day"),))
    if quantity.unit == "day" and value == 1:
        return frozenset((Quantity("24", "hour"),))
    return frozenset()


def holds_quantity(quantity: Quantity, known: frozenset[Quantity]) -> bool:
    """True where the known quantities say this one. A number without a unit agrees with any unit, a unit never with another one.

    One of a time unit (a year, 每天) may be said in other words, as long as no other number of that unit is there.
    """
    if quantity.unit == "decade":  # 80年代 is 1980年代 where no other century's is meant
        return any(each.unit == "decade" and _same_decade(each.value, quantity.value) for each in known)
    ways = {quantity, *equivalents(quantity)}
    wider = known | {other for each in known for other in equivalents(each)}
    if ways & wider:
        return True
    if any(each.value == quantity.value and not (each.unit and quantity.unit) for each in wider):
        return True
    if quantity.value != "1" or quantity.unit not in units.TIME:
        return False
    return all(each.unit != quantity.unit and (each.value != "1" or each.unit not in units.TIME) for each in known)


def _same_decade(one: str, other: str) -> bool:
    return one == other or (len(one) != len(other) and one[-2:] == other[-2:] and min(len(one), len(other)) == 2)


def holds_date(date: str, known: Facts) -> bool:
    """True where a known date says this one or more exactly, or leaves out only the year."""
    if any(each == date or each.startswith(date + "-") for each in known.dates):
        return True
    if Quantity(date) in known.quantities:
        return True
    if date.startswith("--"):
        return any(each[4:] == date[1:] for each in known.dates)
    return len(date) > 4 and "-" + date[4:] in known.dates
