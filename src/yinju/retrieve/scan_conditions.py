"""What a question asks of a table's rows: column = value, a number above or below, a value that stands in a row, yes or no. Pure.

The condition must be used up: a word that is neither a column, an operator, a value nor a filler means that it was not understood.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from yinju.text.mentions import Mention
from yinju.text.normalize import fold

_YES = frozenset(
    [
        "yes",
        "y",
        "true",
        "ok",
        "✓",
        "√",
        "✔",
        "●",
        "是",
        "能",
        "有",
        "可以",
        "支持",
        "可",
        "已支持",
        "available",
        "supported",
        "included",
    ]
)
_NO = frozenset(
    [
        "no",
        "n",
        "false",
        "✗",
        "×",
        "✘",
        "○",
        "-",
        "–",
        "—",
        "否",
        "不能",
        "无",
        "没有",
        "不可以",
        "不支持",
        "不可",
        "未支持",
        "unavailable",
        "unsupported",
        "none",
    ]
) | {"not available", "not supported"}
_FILLERS_EN = (
    r"are|is|were|was|be|do|does|there|in|of|on|at|for|to|the|a|an|this|that|which|who|whose|where|with|having|have|has|had|all|any"
    r"|each|every|table|sheet|list|listed"
    r"|document|documents|documentation|docs|files?|library|help|cent(?:er|re)|handbook|manual|supported|support|available|given|shown"
    r"|named|total|altogether|currently"
    r"|now|today|overall|exist|we|you|and|column|value|row|rows|entries|entry|their|its|it|by|as|roostnote"
)
_FILLERS_ZH = (
    "一共|总共|合计|目前|现在|今天|支持|提供|可以|其中|表格里|表格中|表格|表里|表中|这个|这张|里面|列出|文档里"
    "|文档中|文档|资料里|资料|帮助中心|我们|你们|那些|那|列|里|中|内|的|是|有|都|在|共|和|且|并"
)
_FILLER = re.compile(rf"(?<![a-z0-9_])(?:{_FILLERS_EN})(?![a-z0-9_])|{_FILLERS_ZH}|[\s,，、;；:：]+")
_VERBS = re.compile(
    r"(?<![a-z])(?:works?|can|be|used|usable|offers?|allows?|includes?|comes?|get|possible|for|ones?)(?![a-z])|能够?|可以?|允许|具有|具备|有|带|附带"
)
_NEGATION = re.compile(
    r"(?<![a-z])(?:not|no|without|cannot|can['’]?t|don['’]?t|doesn['’]?t|isn['’]?t|aren['’]?t|never)(?![a-z])|不能?|没有?|无法?|未"
)
_NUMBER = (
    r"(?P<number>\d[\d,]*(?:\.\d+)?)\s*(?P<scale>万|亿|千|百|k|m|thousand|million)?\s*(?P<unit>[^\s\d,，。;；]{0,8})"
)
_COMPARED = tuple(
    (sign, re.compile(rf"(?:{words})\s*(?:than |to )?\s*[¥$€￥]?\s*{_NUMBER}(?P<tail>以[上下]|及以[上下])?"))
    for sign, words in (
        (">=", r">=|≥|at least|no less than|not less than|from|minimum of|不少于|不低于|不小于|至少|大于等于|大于或等于"),
        ("<=", r"<=|≤|at most|no more than|not more than|up to|maximum of|不超过|不高于|不大于|至多|最多|小于等于|小于或等于"),
        (">", r">|more than|greater than|larger than|higher than|over|above|exceed(?:s|ing)?|longer than|bigger than|大于|超过|高于|多于|超出|长于"),
        ("<", r"<|less than|fewer than|smaller than|lower than|under|below|cheaper than|shorter than|小于|低于|少于|不足|不到|短于"),
    )
)  # fmt: skip
_BEHIND = re.compile(
    rf"[¥$€￥]?\s*{_NUMBER}?(?P<tail>及以上|以上|或以上|及以下|以下|或以下|or more|or less|and above|and below)"
)
_EQUALS = re.compile(
    r"^\s*(?P<not>(?:is|are|was|were)\s+not|isn['’]t|aren['’]t|!=|≠|不是|不为|不等于)?\s*(?:(?:is|are|was|were|equals?|equal to|set to|=|==|＝"
    r"|:|：|是|为|等于|于|到|of|in)\s*)*"
)
_CONTAINS = re.compile(
    r"^\s*(?P<not>does not|do not|doesn['’]t|don['’]t|不|没有|未)?\s*(?:contain(?:s|ing)?|includ(?:es?|ing)|mention(?:s|ing)?|with|包含|包括|含有"
    r"|含|提到|里有|中有)\s*"
)
_SCALES = {"万": 1e4, "亿": 1e8, "千": 1e3, "百": 1e2, "k": 1e3, "m": 1e6, "thousand": 1e3, "million": 1e6}
_MONEY = ("元", "块", "yuan", "cny", "usd", "dollar", "dollars")
_CELL_NUMBER = re.compile(r"-?\d[\d,]*(?:\.\d+)?")


@dataclass(frozen=True, slots=True)
class Condition:
    """A test of a row's cells. `told` says it in words; `guessed`: only a row that fulfils it shows that it was meant."""

    holds: Callable[[Sequence[str]], bool]
    told: str = ""
    guessed: bool = False
    everything: bool = False


def understood(said: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> Condition | None:
    """Return what the words mean for a table with these columns; None where they cannot be used up."""
    text = fold(said).strip(" \t,，。?？.")
    if not _left(text):
        return Condition(lambda _cells: True, everything=True)
    whole = _single(text, columns, rows)
    if whole is not None:
        return whole
    parts = [part for part in re.split(r"\s+and\s+|\s*(?:并且|而且|且|，|,)\s*", text) if part.strip()]
    if len(parts) < 2:
        return None
    each = [_single(part, columns, rows) for part in parts]
    if any(one is None for one in each):
        return None
    known = [one for one in each if one is not None]
    return Condition(
        lambda cells: all(one.holds(cells) for one in known), "; ".join(one.told for one in known if one.told),
        guessed=any(one.guessed for one in known),
    )  # fmt: skip


def _single(text: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> Condition | None:
    for place, start, end in _columns_in(text, columns):
        before, behind = text[:start], text[end:]
        if (found := _about(place, columns[place], before, behind, rows)) is not None:
            return found
    if (found := _number_alone(text, columns, rows)) is not None:
        return found
    return _value_alone(text)


def names_of(column: str) -> tuple[str, ...]:
    """Return the names by which people call a column: `价格（元） Price (CNY)` is 价格 and price, `能否换屏` is 换屏, `Retail price` is price."""
    bare = " ".join(re.sub(r"[（(][^()（）]*[)）]", " ", fold(column)).split())
    han = "".join(re.findall(r"[\u3400-\u9fff]+", bare))
    latin = " ".join(re.findall(r"[a-z0-9][a-z0-9'’/&.-]*", bare))
    asked = re.sub(r"^(?:能否|是否|可否|能不能|是不是|有无|有没有)", "", han)
    short = re.sub(r"(?:时间|日期|型号|数量|情况|方式)$", "", han)
    names = (fold(column).strip(), bare, han, asked, latin, short, latin.rpartition(" ")[2])
    return tuple(name for name in dict.fromkeys(names) if len(name) > 1 or re.fullmatch(r"[\u4e00-\u9fff]", name))


def _columns_in(text: str, columns: Sequence[str]) -> list[tuple[int, int, int]]:
    """Return the columns that the text names, those with the longest names first: number, start and end of the name."""
    found: list[tuple[int, int, int]] = []
    for place, column in enumerate(columns):
        at = next((at for name in names_of(column) if (at := next(Mention(name).places(text), None)) is not None), None)
        if at is not None:
            found.append((place, at.start, at.end))
    return sorted(found, key=lambda one: (one[1] - one[2], one[1]))


def _about(
    place: int, column: str, before: str, behind: str, rows: Sequence[Sequence[str]]
) -> Condition | None:  # fmt: skip
    values = [fold(cells[place]).strip() if place < len(cells) else "" for cells in rows]
    filled = [value for value in values if value]
    if (
        filled
        and all(_means(value) is not None for value in filled)
        and (answer := _yes_or_no(f"{before} {behind}")) is not None
    ):
        shown = next((value for value in filled if _means(value) == answer), "yes" if answer else "no")
        return Condition(lambda cells: _means(_cell(cells, place)) == answer, f"{column} = {shown}")
    if (number := _comparison(f"{before} {behind}")) is not None:
        sign, bound, unit, rest = number
        if _left(rest):
            return None
        return Condition(
            lambda cells: _compared(_cell(cells, place), sign, bound, unit),
            f"{column} {sign} {_plain(bound)}{unit and ' ' + unit}",
        )
    if _left(before) and not _left(behind):  # 2025年8月加入的, in stock since May
        before, behind = "", before
    if _left(before):
        return None
    if found := _CONTAINS.match(behind):
        value = _value(behind[found.end() :])
        return _containing(place, column, value, negated=bool(found["not"])) if value else None
    found = _EQUALS.match(behind)
    assert found is not None
    value = _value(behind[found.end() :])
    if not value:
        return None
    negated = bool(found["not"])
    if any(value in _parts(own) for own in values):
        sign = "≠" if negated else "="
        return Condition(lambda cells: (value in _parts(_cell(cells, place))) != negated, f"{column} {sign} {value}")
    return _containing(place, column, value, negated=negated)


def _parts(cell: str) -> tuple[str, ...]:
    """Return a cell and, where it lists several values, each of them: `Q1 / Q1 Mini`."""
    return (cell, *(part.strip() for part in re.split(r"\s+/\s+|[、,，;；]\s*", cell))) if cell else ()


def _containing(place: int, column: str, value: str, *, negated: bool) -> Condition:
    mention = Mention(value, exact=True)
    return Condition(
        lambda cells: mention.stands_in(_cell(cells, place)) != negated, f"{column} {'∌' if negated else '∋'} {value}", guessed=False
    )  # fmt: skip


def _means(cell: str) -> bool | None:
    """Return whether a cell says yes or no, in one language or both (`是 yes`); None where it says something else."""
    words = (cell,) if cell in _YES or cell in _NO else tuple(cell.split())
    if words and all(word in _YES for word in words):
        return True
    return False if words and all(word in _NO for word in words) else None


def _yes_or_no(rest: str) -> bool | None:
    """Return what a question wants of a column of yes and no; None where there are words that do not belong."""
    said = _CONTAINS.sub("", re.sub(r"[=＝:：]", " ", rest)).strip()
    bare = _left(said)
    if bare in _YES:
        return True
    if bare in _NO or said in _NO:
        return False
    negated = _NEGATION.search(said) is not None
    left = _left(_VERBS.sub(" ", _NEGATION.sub(" ", said)))
    return None if left and left not in _YES else not negated


def _number_alone(text: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> Condition | None:
    """A bound without a column is meant for the only column of numbers."""
    number = _comparison(text)
    if number is None:
        return None
    sign, bound, unit, rest = number
    rest = re.sub(r"(?<![a-z])(?:cost(?:s|ing)?|priced?)(?![a-z])|价格|价钱|售价|花费", "", rest)
    if _left(rest):
        return None
    numeric = [
        p
        for p in range(len(columns))
        if rows and all(_number(fold(cells[p])) is not None for cells in rows if p < len(cells) and cells[p])
    ]
    numeric = [p for p in numeric if not re.search(r"^(?:no\.?|nr\.?|#|序号|编号|id|code)$", fold(columns[p]))]
    if len(numeric) > 1 and (unit in _MONEY or rest != number[3]):
        numeric = [p for p in numeric if re.search("价|费|金额|price|cost|amount|fee", fold(columns[p]))]
    if len(numeric) != 1:
        return None
    place = numeric[0]
    return Condition(
        lambda cells: _compared(_cell(cells, place), sign, bound, unit),
        f"{columns[place]} {sign} {_plain(bound)}",
        guessed=True,
    )


def _value_alone(text: str) -> Condition | None:
    value = _value(_CONTAINS.sub("", _trimmed(text)))
    mention = Mention(value)
    if not value or not mention or _comparison(text) is not None:
        return None
    return Condition(lambda cells: any(mention.stands_in(fold(cell)) for cell in cells), f"∋ {value}", guessed=True)


def _comparison(text: str) -> tuple[str, float, str, str] | None:
    """Return sign, bound, unit, and what is left of the text."""
    if (found := _BEHIND.search(text)) and found["number"]:
        sign = ">=" if re.search("上|more|above", found["tail"]) else "<="
        unit = re.sub(r"(?:及|或)?以[上下]$|or$|and$", "", found["unit"]).strip()
        return sign, _scaled(found), unit, text[: found.start()] + " " + text[found.end() :]
    for sign, pattern in _COMPARED:
        if found := pattern.search(text):
            unit, rest = _split_unit(found["unit"])
            return sign, _scaled(found), unit, f"{text[: found.start()]} {rest} {text[found.end() :]}"
    return None


def _split_unit(text: str) -> tuple[str, str]:
    unit = re.match(
        r"(?:元|块|分钟|小时|天|个月|年|%|人|台|个|gb|mb|kb|tb|yuan|usd|cny|dollars?|minutes?|hours?|days?|months?|years?|kg|g|m|cm|mm|w|v|°c)?",
        text,
    )
    end = unit.end() if unit else 0
    return text[:end], text[end:]


def _scaled(found: re.Match[str]) -> float:
    return float(found["number"].replace(",", "")) * _SCALES.get(found["scale"] or "", 1.0)


def _number(cell: str) -> float | None:
    """Return the only number of a cell, None where it has none or several."""
    numbers = _CELL_NUMBER.findall(cell)
    if len(numbers) != 1:
        return None
    behind = cell.partition(numbers[0])[2].strip()[:1]
    return float(numbers[0].replace(",", "")) * (_SCALES[behind] if behind in ("万", "亿") else 1.0)


def _compared(cell: str, sign: str, bound: float, unit: str) -> bool:
    number = _number(cell)
    if number is None:
        return False
    own = re.sub(r"[\d.,\s¥$€￥-]|万|亿", "", cell)
    if unit and own and not own.startswith(unit) and unit not in (*_MONEY, "个"):
        return False
    return {">": number > bound, "<": number < bound, ">=": number >= bound, "<=": number <= bound}[sign]


def _cell(cells: Sequence[str], place: int) -> str:
    return fold(cells[place]).strip() if place < len(cells) else ""


def _value(text: str) -> str:
    return _trimmed(text.strip(" \"'“”「」‘’`?？。.,，"))


def _trimmed(text: str) -> str:
    """Return the text without fillers at its ends."""
    text = text.strip()
    while (
        (found := _FILLER.match(text)) and found.end() < len(text) and re.match(r"[a-z]|[\s,，、;；:：]", found.group())
    ):
        text = text[found.end() :]
    return re.sub(r"(?:\s+(?:in|at) (?:the )?(?:table|list|total|all))$|的$", "", text.strip())


def _left(text: str) -> str:
    return _FILLER.sub("", text).strip(" ?？。.\"'“”")


def _plain(number: float) -> str:
    return str(int(number)) if number == int(number) else str(number)


def plain_yes(text: str) -> str:
    """Return an item of a list as its only cell."""
    return " ".join(text.split())
