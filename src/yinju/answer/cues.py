"""What kind of answer a question wants, and which sentences look like one: a code, an amount, a date, a person, a place, yes or no, a way."""

from __future__ import annotations

import re
from dataclasses import replace
from decimal import Decimal
from functools import lru_cache

from yinju.answer import numerals
from yinju.answer.facts import Facts, Quantity, facts
from yinju.answer.units import TIME
from yinju.text.normalize import fold

_MONEY = frozenset(("cny", "usd", "eur", "gbp", "jpy", "hkd", "twd", "fold", "%"))
_CODED = "单号|编号|代码|型号|序列号|号码|分机号?|电话|手机号?|工号|账号|邮编|税号|批号|ip(?:地址)?"
# kind -> how a question of this kind is worded (folded text)
_KINDS: dict[str, re.Pattern[str]] = {
    "code": re.compile(rf"(?:{_CODED})\s*(?:是|为)?\s*(?:多少|什么|几|哪)|(?:什么|哪个|多少)(?:{_CODED})"
        r"|(?:what|which)(?: is| was| are| were|'s)?(?: the| its| his| her| their)?(?: \w+){0,2}? (?:codes?|extension|ip(?: address)?|sku"
        r"|(?:tracking|serial|part|order|model|phone|telephone|invoice|batch|account|ticket|case|registration) numbers?)\b"),
    "money": re.compile(r"多少钱|价格|费用|收费|几块|价钱|付多少|花多少|便宜|打折|折扣|优惠"
        r"|how much (?:does|is|do|will|are|for)(?!.*\b(?:weigh|hold|measure))|\bprice|\bcosts?\b|\bfees?\b|\bdiscount|\bcharge|\bpay\b|\bcheap"),
    "duration": re.compile(r"多久|多长时间|几天|几个月|几年|几小时|多少天|多少年|多少小时"
        r"|how long|how many (?:days|weeks|months|years|hours|minutes)|how often"),
    "time": re.compile(r"何时|什么时候|几时|几点|哪年|哪一年|哪天|哪月|几月|几号|日期|when\b|what (?:time|date|year|day)|which (?:year|day)"),
    "number": re.compile(r"多少|几[个台位名人次条种项份页位岁]|多大|多高|多远|多重"
        r"|how (?:many|much|big|large|far|tall|old|fast)|number of|percentage|百分之几"),
    "amount": re.compile(r"(?:上限|下限|限额|额度|金额|总额|最大值|最小值|阈值|期限|比例|利率|税率)\s*(?:是|为)?\s*(?:什么|怎样|[?？]?$)"
        r"|what(?: is| was| are| were|'s) the (?:[\w-]+ ){0,3}(?:limit|maximum|minimum|amount|rate|size|total|allowance|threshold|ratio|percentage"
        r"|strength|weight|length|height|width|capacity|duration|deadline)\b"),
    "person": re.compile(r"谁|哪位|who\b|whom\b|whose\b"),
    "place": re.compile(r"哪里|哪儿|何处|在哪|什么地方|where\b"),
    "polarity": re.compile(r"吗\s*[?？]?\s*$|是否|能否|可否|能不能|可不可以|会不会|有没有|是不是"
        r"|^(?:is|are|was|were|do|does|did|can|could|will|would|should|may|has|have)\b"),
    "way": re.compile(r"怎么|怎样|如何|怎么办|how (?:do|can|to|should|does|is|are)\b"),
    "reason": re.compile(r"为什么|为何|为啥|原因|why\b"),
}  # fmt: skip
_PERSON = re.compile(
    r"[\u4e00-\u9fff]{2,3}(?:先生|女士|经理|主任|博士|教授|老师|负责)|由[\u4e00-\u9fff]{2,6}|\b(?:mr|ms|mrs|dr)\b\.?|\bby [A-Z]"
)
_PLACE = re.compile(
    r"位于|地址|设置|页面|菜单|路径|点击|在[\u4e00-\u9fff]{1,12}(?:里|中|上|下|处|内)|[省市区县路号楼层]|\b(?:in|at|under|on|from)\b|>|›|→"
)
_CLOCK = re.compile(r"\d{1,2}[:：]\d{2}|\d{1,2}\s*(?:点|a\.?m\b|p\.?m\b)")
_YES = re.compile(
    r"不|没|无|可以|支持|能|会|允许|禁止|\b(?:not|no|yes|can|cannot|may|must|only|supports?|allow\w*|available|includes?)\b"
)
_WAY = re.compile(
    r"点击|打开|选择|进入|输入|按|先|然后|再|步骤|\b(?:click|open|choose|select|enter|press|then|go to|tap|use|run|set|first)\b"
)
_REASON = re.compile(
    r"因为|由于|因此|所以|原因|以便|为了|\b(?:because|since|due to|so that|therefore|reason|caused?)\b"
)

UNNUMBERED = 0.3  # what a sentence fits that answers a question for a number without one
_UNNUMBERED = re.compile(
    r"没有|無|无(?![线论])|不限|免费|免費|[数几多][十百千万]|许多|大量|若干"
    r"|\b(?:no|none|not|never|without|unlimited|free|several|many|few|dozens?|hundreds|thousands|once|twice|half|daily|weekly|monthly|yearly)\b"
    r"|\ban? (?:second|minute|hour|day|night|week|month|year|dozen|hundred|thousand|million)\b"
)
_WHEN = re.compile(
    r"何时|什么时候|几时|(?<!until )(?<!since )(?<!by )\bwhen\b(?! (?:did|was|were|had|will))"
)  # a condition may answer, too
_ORDINAL = re.compile(rf"第\s?(\d+|[{numerals.CHINESE}]+)")
_ASKS_PLACE = re.compile(r"第[几多]|哪一?[届次代任]|名次|排名|\brank")  # of a row of things: 第三次 answers
_COUNTED = re.compile(r"(?:多少|几)\s*([\u4e00-\u9fff])|how (?:many|much|far|long|old)\s+([a-z]+)")
OTHER_MEASURE = 0.3  # what a sentence fits that tells a number, but not in a unit of what is measured
# What is measured, by the words of a question -> the units that tell it.
_MEASURED = (
    (re.compile(r"多重|重量|how heavy|\bweight?\b|how much .*\bweigh"), frozenset(("kg", "g", "t", "lb"))),
    (re.compile(r"多高|多远|多深|多宽|多长(?!时间|久)|how (?:tall|high|far|deep|wide)"),
     frozenset(("km", "m", "cm", "mm", "mile", "ft", "inch", "lightyear", "au"))),
    (re.compile(r"面积|占地|\barea\b"), frozenset(("km2", "m2", "mile2", "ha", "acre"))),
    (re.compile(r"多少度|温度|沸点|熔点|how (?:hot|cold|warm)|temperature"), frozenset(("degree",))),
)  # fmt: skip
_NAME = re.compile(r"[\u4e00-\u9fff]{1,7}·[\u4e00-\u9fff]{1,8}|(?<![.!?] )(?<!^)\b[A-Z][a-z]+(?: [A-Z][a-z.]+)+")
_WHAT = re.compile(
    r"(?:什么|哪一?[个种些位条座部家支名类项次届]?|何种|哪些)(?:样的|类型的|种类的)?([\u4e00-\u9fff]{1,4})"
    r"|\b(?:what|which)\s+(?:(?:kind|type|sort)s?\s+of\s+)?((?:[a-z]+\s+)?[a-z]+)"
)
_NO_THING = re.compile(
    r"(?:[的了是在有和与为被]|is|are|was|were|do|does|did|has|had|have|can|could|will|would|the|of|an?|to|in|on|for|be|been|being|its?|by|at|as|and|or"
    r"|that|this|with|from|happened|name)$"
)
_NUMERALS = "一二两三四五六七八九十百千万亿"


@lru_cache(maxsize=512)
def kinds(question: str) -> tuple[str, ...]:
    """Return the kinds of answer that a question wants, the most special first."""
    folded = fold(question).strip()
    return tuple(kind for kind, pattern in _KINDS.items() if pattern.search(folded))


def fits(question: str, sentence: str, said: Facts) -> float:
    """Return how well a sentence looks like an answer to the question, 0 to 1, by the best kind that it wants; 0.5 if none is known.

    What the question says itself (the year that it asks about) answers nothing. Where a number is wanted, `no limit` and `several` may answer.
    """
    wanted = kinds(question)
    if not wanted:
        return 0.5
    said = _beyond(said, facts(question), frozenset() if _ASKS_PLACE.search(fold(question)) else _ordinals(sentence))
    best = max(_fit(kind, sentence, said) for kind in (wanted[:1] if countable(question) else wanted[:2]))
    if countable(question) and (_WHEN.search(fold(question)) or _UNNUMBERED.search(fold(sentence))):
        best = max(best, UNNUMBERED)
    return min(best, OTHER_MEASURE) if wanted[0] == "number" and measures(question, said) is False else best


@lru_cache(maxsize=4096)
def _ordinals(sentence: str) -> frozenset[Quantity]:
    """Return the numbers that only count on: 第一季度 tells no amount."""
    written = (number for number in _ORDINAL.findall(fold(sentence)))
    return frozenset(
        Quantity(number if number.isdigit() else numerals.plain(numerals.chinese(number) or Decimal(0)))
        for number in written
    )


def _beyond(said: Facts, asked: Facts, ordinals: frozenset[Quantity]) -> Facts:
    return replace(
        said,
        quantities=said.quantities - asked.quantities - ordinals,
        dates=said.dates - asked.dates,
        codes=said.codes - asked.codes,
        names=said.names - asked.names,
    )


def _fit(kind: str, sentence: str, said: Facts) -> float:
    folded = fold(sentence)
    if kind == "money":
        held = any(q.unit in _MONEY for q in said.quantities) or bool(
            re.search("免费(?!版)|free of charge|for free", folded)
        )
        return 1.0 if held else 0.3 if said.quantities else 0.0
    if kind == "duration":
        return 1.0 if any(q.unit in TIME for q in said.quantities) else 0.2 if said.quantities else 0.0
    if kind == "time":
        return (
            1.0
            if said.dates
            else 0.6
            if any(q.unit in TIME for q in said.quantities)
            else 0.2
            if said.quantities
            else 0.0
        )
    if kind == "code":
        return 1.0 if said.codes or any(len(q.value) > 2 for q in said.quantities) else 0.2 if said.quantities else 0.0
    if kind == "amount":
        return 1.0 if said.quantities or said.dates else 0.3
    if kind == "number":
        return 1.0 if said.quantities else 0.0
    if kind == "person":
        return 1.0 if said.names or _PERSON.search(sentence) else 0.3
    pattern = {"place": _PLACE, "polarity": _YES, "way": _WAY, "reason": _REASON}[kind]
    return 1.0 if pattern.search(folded) else 0.3


def countable(question: str) -> bool:
    """True where only a number, a code or a date can answer. 怎样知道它是什么时候建的 asks for a way, who bears the fees for somebody."""
    wanted = kinds(question)
    if not wanted or wanted[0] not in ("code", "money", "duration", "time", "number"):
        return False
    folded = fold(question)
    asked = _KINDS[wanted[0]].search(folded)
    others = (_KINDS[kind].search(folded) for kind in wanted if kind in ("way", "person", "place", "reason"))
    return asked is None or all(other is None or asked.start() <= other.start() for other in others)


def measures(question: str, said: Facts) -> bool | None:
    """Return whether a sentence holds a measure of the kind that is asked for: 多重 finds 5 公斤, how tall 30 metres; None: none is asked for."""
    folded = fold(question)
    told = frozenset[str]().union(*(units for asked, units in _MEASURED if asked.search(folded)))
    return not told.isdisjoint(quantity.unit for quantity in said.quantities) if told else None


def counts(question: str, sentence: str) -> bool:
    """True where a sentence counts what the question does: 多少次 finds 136 次; how many titles finds any that speaks of titles."""
    found = _COUNTED.search(fold(question))
    if not found:
        return False
    if found[2]:
        return found[2][:5] in fold(sentence)
    return bool(re.search(rf"[\d{_NUMERALS}.]+\s*[多余]?{found[1]}", fold(sentence)))


def names_somebody(question: str, sentence: str) -> bool:
    """True where a person is asked for and a sentence holds a name, by its form, that the question does not."""
    wanted = kinds(question)
    if not wanted or wanted[0] != "person":
        return False
    asked = "".join(fold(question).split())
    return any("".join(fold(name).split()) not in asked for name in _NAME.findall(sentence))


@lru_cache(maxsize=512)
def _what(question: str) -> frozenset[str]:
    """Return what stands behind what or which: the characters of 寺院 in 哪个寺院, the stems of `which Buddhist temple`."""
    found = _WHAT.search(fold(question))
    if not found:
        return frozenset()
    named = found[1] or found[2].split()
    return frozenset(word[:5] for word in named if not _NO_THING.match(word))


def holds_what(question: str, sentence: str) -> float:
    """Return the share of the kind of thing that is asked for, 0 to 1, that a sentence names: 哪个寺院 finds 佛教寺院东山大佛殿."""
    wanted, said = _what(question), fold(sentence)
    return sum(part in said for part in wanted) / len(wanted) if wanted else 0.0
