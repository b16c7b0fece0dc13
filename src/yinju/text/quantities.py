"""Numbers, dates and measures in the forms in which people write them, brought to one form for the index.

A contract says 第三十九条 and its reader asks for 第39条; a data sheet says `5 GB`, a question `5GB`; a page says 10%, another 百分之十. Only
what is certain is changed: a numeral with a scale in it (三十九, 一百五), one read digit by digit (二〇二四), or one digit in front of what it counts
(三个月, 两年). 一些, 统一, 万一, 两三百 and 十分 stay as they are. Both passages and questions go through here, so what is not
recognised still meets itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from yinju.text.normalize import fold

_DIGITS = {digit: value for value, digits in enumerate(("零〇○", "一壹", "二贰两", "三叁", "四肆", "五伍", "六陆", "七柒", "八捌", "九玖"))
           for digit in digits}  # fmt: skip
_SCALES = {"十": 10, "拾": 10, "百": 100, "佰": 100, "千": 1000, "仟": 1000, "万": 10**4, "亿": 10**8}
_D, _S = "".join(_DIGITS), "".join(_SCALES)
_well_formed = re.compile(f"(?:[{_D}]?[{_S}]+[零〇○]?)+[{_D}]?")
_LONGEST_NUMERAL = 24  # characters
_counted_long = "个月|个星期|个小时|个钟头|个工作日|个自然日|个季度|星期|小时|分钟|秒钟|公里|公斤|千克|厘米|毫米|平方米"
_COUNTED = f"{_counted_long}|[年月日号天周岁元块折倍次人名位台张份条款项章节编页级期届楼层层米斤吨克升度秒]"
_COUNTED_ONE = f"{_counted_long}|[年月日天周元]|(?<=第一)[条款项章节编页期届]"  # 一条 and 一位 count nothing
_NOT_BEFORE_ONE = "统唯惟同之万任单划逐归专合独某每另有这那哪"
_numeral = re.compile(
    f"(?P<share>[百千万])分之(?P<of>[{_D}{_S}]+)"
    f"|(?P<long>[{_D}{_S}]{{2,}})"
    f"|(?P<one>[二两三四五六七八九十])(?={_COUNTED})"
    f"|(?<![{_NOT_BEFORE_ONE}])(?P<first>一)(?={_COUNTED_ONE})"
)
_SHARES = {"百": "%", "千": "‰", "万": "‱"}
REWRITTEN = frozenset(_D + _S + "分之")  # characters in whose place a digit or sign may come
_zero = re.compile(r"(?<![\d.])0([1-9])(?=[ \t]?[月日号时分])")

_LATIN_UNITS = (
    "kib|mib|gib|tib|kb|mb|gb|tb|pb|kbps|mbps|gbps|hz|khz|mhz|ghz|ms|kg|mg|km|cm|mm|nm|kw|kwh|mw|mah|ml|dl|kpa|mpa|psi|rpm|dpi|ppm|fps|px|pt"
    "|kv|mv|ma|db|lb|oz|ft|km/h|m2|m3"
)
_number = r"(?<![0-9a-zA-Z_.,])(\d{1,3}(?:,\d{3})+|\d+)((?:\.\d+)?)[ \t\xa0\u202f]{0,2}"
_latin_measure = re.compile(rf"{_number}(?:°[ ]?(?=[cf]\b)|(?=(?:{_LATIN_UNITS})(?![a-z0-9])))", re.IGNORECASE)
_CHINESE_UNITS = {
    "公斤": "kg", "千克": "kg", "毫克": "mg", "公里": "km", "千米": "km", "厘米": "cm", "毫米": "mm", "平方米": "m2", "平米": "m2", "立方米": "m3",
    "毫升": "ml", "摄氏度": "c", "千瓦时": "kwh", "千瓦": "kw", "毫安时": "mah", "赫兹": "hz",
}  # fmt: skip
_measure = re.compile(rf"{_number}(%|per[ ]?cent(?![a-z])|‰|[万亿](?![分])|{'|'.join(_CHINESE_UNITS)})", re.IGNORECASE)
_SIGNS = {"%": "％", "‰": "‰"}
_WAN = {"万": 4, "亿": 8}

_day = r"(3[01]|[12]\d|0?[1-9])(?!\d)"
_chinese_date = re.compile(rf"(?<!\d)((?:1[5-9]|2[01])\d\d)[ ]?年[ ]?(1[0-2]|0?[1-9])[ ]?月(?:[ ]?{_day}[ ]?[日号])?")
_plain_date = re.compile(rf"(?<![\d.])((?:1[5-9]|2[01])\d\d)([/.])(1[0-2]|0?[1-9])\2{_day}(?![\d/]|\.\d)")
_MONTHS = dict(zip(re.findall("...", "janfebmaraprmayjunjulaugsepoctnovdec"), range(1, 13), strict=True))
_month = r"(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.?"
_american_date = re.compile(
    rf"(?<![a-zA-Z]){_month} {_day}(?:st|nd|rd|th)?,? ((?:1[5-9]|2[01])\d\d)(?![0-9a-zA-Z])", re.IGNORECASE
)
_european_date = re.compile(
    rf"(?<![0-9a-zA-Z.,]){_day}(?:st|nd|rd|th)? {_month},? ((?:1[5-9]|2[01])\d\d)(?![0-9a-zA-Z])", re.IGNORECASE
)
_groups = re.compile(r"(?<![0-9.,/-])[0-9]{3,4}(?:[ -][0-9]{3,4}){1,5}(?![0-9]|[.,/-][0-9])")  # of telephones, cards
_HAN = "\u4e00-\u9fff"
_spread = re.compile(
    f"(?<![{_HAN}])(?:[{_HAN}][ \u3000\\n]){{3,}}[{_HAN}](?![{_HAN}])"
)  # letterspaced, or one below the other
_blanks = re.compile(r"\s")
_named = re.compile(r"(?<![0-9a-zA-Z_.])([a-z]{2,12}) (\d{1,5}(?:\.\d{1,3})*)(?![0-9a-zA-Z_%]|[.,]\d)", re.IGNORECASE)


def spelled(text: str) -> str:
    """Return folded text with Chinese numerals as digits where that is certain, and numbers joined with Latin units (`5 GB` as `5GB`)."""
    if not text.isascii():
        text = _spread.sub(lambda match: _blanks.sub("", match.group()), text)
        text = _zero.sub(r"\1", _numeral.sub(_digits, text))
    return _latin_measure.sub(lambda match: match[1].replace(",", "") + match[2], text)


def value(numeral: str) -> int | None:
    """Return the value of `一百零五` (105), `一百五` (150), `二〇二四` (2024), or None where it is no certain number: `两三百`, `万一`, `七八`."""
    if len(numeral) > _LONGEST_NUMERAL:
        return None
    if all(sign in _DIGITS for sign in numeral):
        certain = len(numeral) == 1 or len(numeral) >= 3 or any(sign in "〇○零" for sign in numeral)
        return int("".join(str(_DIGITS[sign]) for sign in numeral)) if certain else None
    if _well_formed.fullmatch(numeral) is None or numeral[0] in "百佰千仟万亿零〇○":
        return None
    total = section = digit = 0
    scale = 1
    for sign in numeral:
        if sign in "零〇○":
            digit, scale = 0, 1
        elif sign in _DIGITS:
            digit = _DIGITS[sign]
        elif (scale := _SCALES[sign]) < 10**4:
            section, digit = section + (digit or 1) * scale, 0
        else:
            total = (total + section + digit) * scale if scale == 10**8 else total + (section + digit or 1) * scale
            section = digit = 0
    return total + section + digit * (scale // 10 if scale >= 100 else 1)


def marks(text: str) -> Iterator[str]:
    """Yield for each date, measure, share and large amount of spelled text one term that stands for all ways to write it.

    `2024年5月1日`, `2024/5/1` and `May 1, 2024` give `20240501` (`2024-05-01` is that as it stands), `7公斤` gives `7kg`, `10 percent` and
    `10%` give `10％`, `10万` gives `100000`, `010-8888 6666` gives `01088886666`.
    """
    for match in _measure.finditer(text):
        number, unit = match[1].replace(",", "") + match[2], match[3]
        if unit in _WAN:
            amount = _shifted(number, _WAN[unit])
            if amount:
                yield amount
        elif unit in _CHINESE_UNITS:
            yield number.replace(".", "·") + _CHINESE_UNITS[unit]
        else:
            yield number.replace(".", "·") + _SIGNS.get(unit, "％")
    for match in _groups.finditer(text):
        yield match.group().replace(" ", "").replace("-", "")
    for match in _chinese_date.finditer(text):
        yield match[1] + match[2].zfill(2) + (match[3].zfill(2) if match[3] else "")
    for match in _plain_date.finditer(text):
        yield match[1] + match[3].zfill(2) + match[4].zfill(2)
    for match in _american_date.finditer(text):
        yield f"{match[3]}{_MONTHS[fold(match[1])]:02d}{match[2].zfill(2)}"
    for match in _european_date.finditer(text):
        yield f"{match[3]}{_MONTHS[fold(match[2])]:02d}{match[1].zfill(2)}"


def named(text: str) -> Iterator[tuple[str, str]]:
    """Yield each word with the number right behind it, which people write in one word or two: `iPhone 15`, `Windows 11`."""
    return ((match[1], match[2]) for match in _named.finditer(text))


def _digits(match: re.Match[str]) -> str:
    numeral = match["of"] or match["long"] or match["one"] or match["first"]
    number = value(numeral)
    if number is None:
        return match.group()
    return f"{number}{_SHARES[match['share']]}" if match["share"] else str(number)


def _shifted(number: str, places: int) -> str | None:
    """Return the number times ten to the power of `places`, where that is a whole one."""
    whole, _, fraction = number.partition(".")
    fraction = fraction.rstrip("0")
    return None if len(fraction) > places else (whole + fraction.ljust(places, "0")).lstrip("0")
