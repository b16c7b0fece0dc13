"""A stored number as the sheet shows it: dates, percentages, thousands, currencies, leading zeros.

Formats are those of ECMA-376 part 1, 18.8.31. Where a format is beyond this (fractions, conditions), the plain number is shown:
a value that can be found beats one that looks right.
"""

from __future__ import annotations

import datetime
import re
from decimal import Decimal, InvalidOperation
from functools import lru_cache

_QUOTED = re.compile(r'"([^"]*)"|\\(.)|\[\$([^\]-]*)(?:-[^\]]*)?\]|\[[^\]]*\]|_.|\*.')
_DIGITS = re.compile(r"[#0?,]*[#0?](?:[#0?,]*)(?:\.[#0?]*)?,*")
_DATE_TOKEN = re.compile(
    r'"([^"]*)"|\\(.)|\[\$[^\]]*\]|\[(h+|m+|s+)\]|\[[^\]]*\]|(AM/PM|A/P|上午/下午)|([yY]+|[mM]+|[dD]+|[hH]+|[sS]+|[aA]{3,4}|[eE]+)|\.(0+)|_.|\*.|(.)',
    re.DOTALL,
)
_PLAIN = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d*[1-9])?")
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
# Shown by the reader's own locale in Excel; here by ISO 8601, which every reader understands.
_BY_LOCALE = {
    14: "yyyy-mm-dd",
    22: "yyyy-mm-dd hh:mm",
    27: "yyyy-mm-dd",
    30: "yyyy-mm-dd",
    36: "yyyy-mm-dd",
    50: "yyyy-mm-dd",
}
_BY_LOCALE |= {
    31: 'yyyy"年"m"月"d"日"',
    57: "yyyy-mm-dd",
    58: 'm"月"d"日"',
    28: 'm"月"d"日"',
    32: "hh:mm",
    33: "hh:mm:ss",
}
_EPOCH = {False: datetime.datetime(1899, 12, 30), True: datetime.datetime(1904, 1, 1)}
_LAST_SERIAL = 2_958_466  # 31 December 9999


def builtin_format(number: int) -> str:
    """Return the code of a built-in number format; those of a locale as ISO dates."""
    from openpyxl.styles.numbers import BUILTIN_FORMATS

    return _BY_LOCALE.get(number) or str(BUILTIN_FORMATS.get(number, "General"))


def display(stored: str, code: str, *, since_1904: bool = False) -> str:
    """Return the stored number in this format; what is no number comes back as it is."""
    if code == "General" and len(stored) <= 15 and _PLAIN.fullmatch(stored):  # what most cells hold is shown as it is
        return stored
    try:
        number = Decimal(stored.strip())
    except InvalidOperation:
        return stored
    if not number.is_finite() or abs(number.adjusted()) > 400:
        return stored
    sections = _sections(code)
    section, negative_shown = _choose(sections, number)
    if section.strip().lower() in ("general", "@", ""):
        return plain(number)
    if is_date(section):
        return _date(number, section, since_1904) or plain(number)
    return _formatted(number, section, negative_shown) or plain(number)


def plain(number: Decimal) -> str:
    """Return the number with at most 15 significant digits (as a sheet holds it), all digits written out: `0.1`, `123456789012345000`."""
    if number == number.to_integral_value() and number.adjusted() < 40:
        return str(int(number))
    shown = f"{number:.15g}" if abs(number.adjusted()) > 20 else format(Decimal(f"{number:.15g}"), "f")
    return shown.rstrip("0").rstrip(".") if "." in shown and "e" not in shown.lower() else shown


@lru_cache(maxsize=1024)
def is_date(section: str) -> bool:
    """Return whether a format shows dates or times: y, m, d, h or s outside of quotes and brackets."""
    bare = re.sub(r'"[^"]*"|\\.|_.|\*.|\[(?!h+\]|m+\]|s+\])[^\]]*\]', "", section, flags=re.IGNORECASE)
    return bool(re.search(r"[ymdhs]|a{3,4}|e(?![+-])", bare, re.IGNORECASE)) and "general" not in bare.lower()


@lru_cache(maxsize=1024)
def _sections(code: str) -> tuple[str, ...]:
    return tuple("".join(part) for part in re.findall(r'((?:"[^"]*"|\\.|\[[^\]]*\]|[^;])*)(?:;|$)', code)) or (
        "General",
    )


def _choose(sections: tuple[str, ...], number: Decimal) -> tuple[str, bool]:
    """Return the section for the sign, and whether the section itself shows that the number is negative."""
    used = list(sections[:3])
    if number < 0 and len(used) > 1 and used[1]:
        return used[1], True
    if number == 0 and len(used) > 2 and used[2]:
        return used[2], False
    return used[0], False


def _formatted(number: Decimal, section: str, negative_shown: bool) -> str | None:
    bare = _QUOTED.sub(lambda match: "\0" * bool(match[1] or match[2] or match[3]), section)
    if "/" in bare:
        return None
    place = _DIGITS.search(bare)
    literals = iter(
        [match[1] or match[2] or match[3] for match in _QUOTED.finditer(section) if match[1] or match[2] or match[3]]
    )
    if place is None:
        return "".join(next(literals, "") if character == "\0" else character for character in bare).strip() or None
    pattern = place.group()
    percent = bare.count("%")
    value = number * 100**percent / 1000 ** len(re.search(r",*$", pattern)[0])  # type: ignore[index]  # always matches
    exponent = re.match(r"E[+-](0+)", bare[place.end() :])
    whole, _, decimals = pattern.rstrip(",").partition(".")
    shown = _digits(abs(value), whole, decimals, bool(exponent))
    tail = bare[place.end() + (exponent.end() if exponent else 0) :]
    text = "".join(next(literals, "") if character == "\0" else character for character in bare[: place.start()])
    text += shown + "".join(next(literals, "") if character == "\0" else character for character in tail)
    sign = "-" if value < 0 and not negative_shown and any(digit in "123456789" for digit in shown) else ""
    return sign + text.strip()


def _digits(value: Decimal, whole: str, decimals: str, scientific: bool) -> str:
    if scientific:
        return f"{value:.{len(decimals)}E}"
    shown = f"{value:,.{len(decimals)}f}" if "," in whole else f"{value:.{len(decimals)}f}"
    optional = len(decimals) - len(decimals.rstrip("#?"))
    for _ in range(optional):
        if not shown.endswith("0"):
            break
        shown = shown[:-1]
    shown = shown.removesuffix(".")
    return shown.zfill(whole.count("0")) if "," not in whole else shown


def _date(number: Decimal, section: str, since_1904: bool) -> str | None:
    if not 0 <= number < _LAST_SERIAL:
        return None
    serial = number
    if not since_1904 and serial < 60:
        serial += 1  # the sheet believes in 29 February 1900
    moment = _EPOCH[since_1904] + datetime.timedelta(seconds=round(float(serial) * 86_400, 3))
    tokens = _DATE_TOKEN.findall(section)
    twelve = any(token[3] for token in tokens)
    if not re.search(r"0", "".join(token[5] for token in tokens)):
        moment = (moment + datetime.timedelta(milliseconds=500)).replace(microsecond=0)
    out: list[str] = []
    for place, (quoted, escaped, elapsed, half, letters, fraction, other) in enumerate(tokens):
        if quoted or escaped:
            out.append(quoted or escaped)
        elif elapsed:
            out.append(str(int(float(number) * {"h": 24, "m": 1440, "s": 86_400}[elapsed[0].lower()] + 1e-6)))
        elif half:
            out.append(
                ("PM" if moment.hour >= 12 else "AM") if "上" not in half else ("下午" if moment.hour >= 12 else "上午")
            )
        elif letters:
            minutes = letters[0] in "mM" and _beside_time(tokens, place)
            out.append(_date_part(moment, letters.lower(), minutes, twelve))
        elif fraction:
            out.append("." + f"{moment.microsecond:06d}"[: len(fraction)])
        elif other and other != "@":
            out.append(other)
    return "".join(out).strip()


def _beside_time(tokens: list[tuple[str, ...]], place: int) -> bool:
    """An `m` behind hours or before seconds is minutes."""
    before = next((t[4] or t[2] for t in reversed(tokens[:place]) if t[4] or t[2]), "")
    after = next((t[4] or t[2] for t in tokens[place + 1 :] if t[4] or t[2]), "")
    return before[:1] in ("h", "H") or after[:1] in ("s", "S")


def _date_part(moment: datetime.datetime, letters: str, minutes: bool, twelve: bool) -> str:
    kind, width = letters[0], len(letters)
    if kind in "ye":
        return f"{moment.year:04d}" if width > 2 or kind == "e" else f"{moment.year % 100:02d}"
    if kind == "a":
        return ("星期" if width == 4 else "周") + "一二三四五六日"[moment.weekday()]
    if kind == "m" and not minutes and width > 2:
        name = _MONTHS[moment.month - 1]
        return name[:1] if width == 5 else name[:3] if width == 3 else name
    if kind == "d" and width > 2:
        return _WEEKDAYS[moment.weekday()][:3] if width == 3 else _WEEKDAYS[moment.weekday()]
    hour = (moment.hour - 1) % 12 + 1 if twelve else moment.hour
    value = {"m": moment.minute if minutes else moment.month, "d": moment.day, "h": hour, "s": moment.second}[kind]
    return f"{value:02d}" if width > 1 else str(value)
