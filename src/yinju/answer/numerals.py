"""Numbers as people write them, Chinese and English, brought to one form, so that `七十`, `70` and `seventy` are the same fact."""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation

_DIGITS = {digit: value for value, digits in enumerate(("零〇○", "一壹", "二贰两", "三叁", "四肆", "五伍", "六陆", "七柒", "八捌", "九玖"))
           for digit in digits}  # fmt: skip
_SMALL = {"十": 10, "拾": 10, "百": 100, "佰": 100, "千": 1000, "仟": 1000}
_LARGE = {"万": 10**4, "亿": 10**8}
CHINESE = "".join((*_DIGITS, *_SMALL, *_LARGE))

_ones = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
_ONES = _ones.split()
_tens = "twenty thirty forty fifty sixty seventy eighty ninety"
_TENS = _tens.split()
_WORDS = {word: value for value, word in enumerate(_ONES)} | {word: 20 + 10 * place for place, word in enumerate(_TENS)}
_SCALES = {"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9}
_any = "|".join(sorted((*_WORDS, *_SCALES), key=len, reverse=True))
ENGLISH = re.compile(rf"(?<![a-z])(?:{_any})(?:(?:-|\s+and\s+|\s+)(?:{_any}))*(?![a-z])")


def plain(number: Decimal) -> str:
    """Return the number without superfluous zeros or an exponent: `168`, `0.5`."""
    text = format(number, "f")
    return (text.rstrip("0").rstrip(".") if "." in text else text) or "0"


def arabic(text: str) -> Decimal | None:
    """Return the value of `1,234.50`, or None."""
    try:
        return Decimal(text.replace(",", ""))
    except InvalidOperation:
        return None


def chinese(text: str) -> Decimal | None:
    """Return the value of a Chinese numeral such as `一百六十八`, `三点五`, `二〇二四`, `两万`, `半`, or None where it is none."""
    if text == "半":
        return Decimal("0.5")
    whole, point, fraction = text.partition("点")
    if point:
        digits = [str(_DIGITS[c]) for c in fraction if c in _DIGITS]
        base = chinese(whole)
        complete = len(digits) == len(fraction) > 0
        return base + Decimal("0." + "".join(digits)) if base is not None and complete else None
    if not whole or any(c not in CHINESE for c in whole):
        return None
    if all(c in _DIGITS for c in whole):
        return Decimal("".join(str(_DIGITS[c]) for c in whole))
    return Decimal(_positional(whole))


def _positional(text: str) -> int:
    total, section, digit, unit = 0, 0, 0, 1
    for c in text:
        if c in _DIGITS:
            digit, unit = _DIGITS[c], (10 if _DIGITS[c] == 0 else unit)
        elif c in _SMALL:
            section += (digit or 1) * _SMALL[c]
            digit, unit = 0, _SMALL[c]
        else:
            total = (total + section + digit) * _LARGE[c] if c == "亿" else total + ((section + digit) or 1) * _LARGE[c]
            section, digit, unit = 0, 0, _LARGE[c]
    # 一百五 is 150, 三万二 is 32,000, but 一百零五 is 105
    tail = digit * (unit // 10) if unit >= 100 and digit else digit
    return total + section + tail


def english(text: str) -> Decimal | None:
    """Return the value of English number words such as `one hundred and sixty-eight`, or None."""
    total, current, seen = 0, 0, False
    for word in re.split(r"[\s-]+", text):
        if word in _WORDS:
            current += _WORDS[word]
        elif word == "hundred":
            current = (current or 1) * 100
        elif word in _SCALES:
            total, current = total + (current or 1) * _SCALES[word], 0
        elif word != "and":
            return None
        seen = True
    return Decimal(total + current) if seen else None
