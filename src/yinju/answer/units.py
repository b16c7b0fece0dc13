"""The units that make a number a fact, in both languages: `168 元` is not `168 美元`, but `30 天` is `30 days`."""

from __future__ import annotations

import re

# canonical name -> spellings as the folded text has them; Latin ones stand as whole words
UNITS: dict[str, str] = {
    "%": "% percent pct 个百分点 百分点",
    "permille": "‰ 个千分点 千分点 permille",
    "cny": "元人民币 块钱 元 块 人民币 rmb cny yuan ¥ ￥",
    "usd": "美元 美金 dollar dollars usd us$ $",
    "eur": "欧元 euro euros eur €",
    "gbp": "英镑 pound pounds gbp £",
    "jpy": "日元 日圆 yen jpy",
    "hkd": "港元 港币 hkd hk$",
    "twd": "台币 新台币 twd nt$",
    "second": "秒钟 秒 second seconds sec secs",
    "minute": "分钟 minute minutes min mins",
    "hour": "小时 个小时 个钟头 钟头 hour hours hr hrs",
    "workday": "个工作日 工作日 business_day business_days working_day working_days workday workdays",
    "day": "个自然日 自然日 天 日 day days calendar_day calendar_days",
    "week": "个星期 星期 周 week weeks",
    "month": "个月 month months",
    "year": "周年 年 year years",
    "decade": "年代 decade decades",
    "century": "世纪 century centuries",
    "age": "周岁 岁",
    "kb": "kb kib",
    "mb": "mb mib",
    "gb": "gb gib",
    "tb": "tb tib",
    "kg": "公斤 千克 kg kilogram kilograms",
    "g": "克 g gram grams",
    "t": "吨 ton tons tonne tonnes",
    "km": "公里 千米 km kilometre kilometres kilometer kilometers",
    "m": "米 m metre metres meter meters",
    "cm": "厘米 cm centimetre centimetres centimeter centimeters",
    "mm": "毫米 mm millimetre millimetres millimeter millimeters",
    "l": "升 l litre litres liter liters",
    "ml": "毫升 ml",
    "degree": "摄氏度 °c ℃ 度 degree degrees",
    "w": "瓦 w watt watts",
    "kw": "千瓦 kw",
    "kwh": "千瓦时 度电 kwh",
    "mah": "毫安时 mah",
    "v": "伏 v volt volts",
    "hz": "赫兹 hz",
    "lb": "lb lbs",
    "mile": "英里 mi mile miles mph",
    "ft": "英尺 ft foot feet",
    "inch": "英寸 inch inches",
    "ha": "公顷 ha hectare hectares",
    "acre": "英亩 acre acres",
    "km2": "平方公里 平方千米 km2 km² sq_km square_kilometres square_kilometers square_kilometre square_kilometer",
    "m2": "平方米 m2 m² sq_m square_metres square_meters square_metre square_meter",
    "mile2": "平方英里 sq_mi square_miles square_mile",
    "m3": "立方米 m3 m³ cubic_metres cubic_meters",
    "lightyear": "光年 light-year light-years light_year light_years",
    "au": "天文单位 astronomical_unit astronomical_units",
    "gbps": "gbit/s gbps",
    "mbps": "mbit/s mbps",
    "mmhg": "mmhg 毫米汞柱",
    "people": "人 people persons person",
    "times": "倍 times x",
    "fold": "折",
}
TIME = frozenset(("second", "minute", "hour", "workday", "day", "week", "month", "year"))
# A Chinese numeral in front of these counts things: 三台, but not 一般.
COUNTERS = "集场首枚架艘幅卷册支匹颗个名位台次条张份页项种款件部家所座套组辆只本级层楼步章节号"

_canonical = {spelling.replace("_", " "): name for name, spellings in UNITS.items() for spelling in spellings.split()}


def _pattern(spelling: str) -> str:
    return (
        (re.escape(spelling) + "(?![a-z])")
        if spelling[-1].isascii() and spelling[-1].isalpha()
        else re.escape(spelling)
    )


_longest_first = sorted(_canonical, key=len, reverse=True)
AFTER = "|".join(_pattern(spelling) for spelling in _longest_first)
CHINESE_AFTER = "|".join(
    re.escape(spelling) for spelling in _longest_first if not spelling[0].isascii() and spelling != "￥"
)
BEFORE = r"us\$|hk\$|nt\$|rmb|cny|usd|eur|[¥$€£]"


def canonical(spelling: str) -> str:
    """Return the one name of a unit, or an empty string for what is none."""
    return _canonical.get(" ".join(spelling.split()), "")


# What a number is counted by: 5 per second, 30 元/月, 年费. Spellings after each other, as the folded text has them.
_RATES = {
    "second": ("second|sec|秒钟|秒", ""),
    "minute": ("minute|min|分钟", ""),
    "hour": ("hour|hr|个小时|小时|钟头", "hourly"),
    "day": ("day|天|日", "daily|日均|日薪"),
    "night": ("night|晚", "nightly"),
    "week": ("week|周|个星期|星期|礼拜", "weekly|周薪"),
    "month": ("month|个月|月", "monthly|月费|月薪|月租|月付|包月|按月|逐月"),
    "quarter": ("quarter|个季度|季度|季", "quarterly|按季"),
    "year": ("year|annum|年", "yearly|annual|annually|年费|年薪|年租|年付|包年|按年|逐年"),
    "person": ("person|head|capita|人|名", ""),
    "device": ("device|台", ""),
}
_by = r"(?<![a-z])(?:per|each|every|a|an|for each|for every)\s+(?:single\s+)?"
_rates = {
    name: re.compile(
        rf"(?:{_by}|(?<=[\w%\u4e00-\u9fff])\s*/\s*|每\s*一?)(?:{after})(?![a-z])"
        + (rf"|(?<![a-z])(?:{alone})(?![a-z])" if alone else "")
    )
    for name, (after, alone) in _RATES.items()
}
_mentions = {name: re.compile("|".join(filter(None, spellings))) for name, spellings in _RATES.items()}


def rates(folded: str) -> set[str]:
    """Return the units that something is counted by in a text."""
    return {name for name, pattern in _rates.items() if pattern.search(folded.lower())}


def mentions(unit: str, *texts: str) -> bool:
    """True where a unit that is counted by is named in any way."""
    return any(_mentions[unit].search(text.lower()) for text in texts)
