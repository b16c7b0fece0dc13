"""Does a sentence turn its source around? Negations and opposites, compared where they touch the same words."""

from __future__ import annotations

import re
from functools import lru_cache

from yinju.text.normalize import fold
from yinju.text.words import FILLERS, terms

# Words with 不, 无, 非, 没 that negate nothing.
_HARMLESS = re.compile(
    "不仅|不但|不同|不过|不断|不管|不论|不少|不久|不足|不锈|不止|不只|差不多|对不起|不动产|不时|不惜|不妨|不得了|要不|是不是|能不能|可不可以|会不会|要不要|有没有|"
    "无论|无线|无人机|无数|非常|非洲|除非|未来|没收|别人|别的|别墅|特别|分别|级别|类别|区别|个别|识别|辨别|别名|性别|不可或缺|毫无疑问|无疑|"
    r"not only|no longer than|no more than|no less than|no later than|no doubt|not more than|not less than|nothing but"
)
_NEGATOR = re.compile(
    r"(?:(?<![a-z])(?:not|no|never|none|cannot|without|neither|nor|unable to|fails? to|[a-z]+n['’]t)(?![a-z]))"
    "|不会|不能|不可|不得|不应|不必|不需|不支持|不再|不予|不含|无法|无须|无需|没有|没|无|不|未|非|勿|禁止|严禁|拒绝|切勿|请勿|别"
)
_STRONG = re.compile("禁止|严禁|拒绝|不支持")
OPPOSITES: tuple[tuple[str, str], ...] = (
    ("增加|增长|上升|提高|上涨|升高", "减少|下降|降低|下跌|缩减"),
    (r"increas\w*|rose|rises?|grew|grows?|higher", r"decreas\w*|fell|falls?|declin\w*|drop\w*|lower|shrank"),
    ("之前|以前", "之后|以后"),
    ("before", "after"),
    ("最多|至多|不超过|以下|以内|不足|少于|低于", "最少|至少|不少于|以上|超过|多于|高于|不低于"),
    (r"at most|no more than|up to|less than|fewer than|within|below|under|maximum", r"at least|no less than|more than|above|over|exceed\w*|minimum"),
    ("允许|准许", "禁止|不准|不允许|严禁"),
    (r"allow\w*|permit\w*", r"forbid\w*|forbidden|prohibit\w*"),
    ("免费", "收费|付费"),
    ("开启|打开|启用", "关闭|停用|禁用"),
    (r"enabl\w*|turns? on", r"disabl\w*|turns? off"),
    ("买入|购买", "卖出|出售"),
    ("成功", "失败"),
    (r"succe\w*", r"fail\w*"),
)  # fmt: skip
_opposites = tuple(
    (re.compile(rf"(?<![a-z])(?:{a})(?![a-z])"), re.compile(rf"(?<![a-z])(?:{b})(?![a-z])")) for a, b in OPPOSITES
)
_clause = re.compile(r"[，,；;。.!！?？\n]")


@lru_cache(maxsize=4096)
def negated(text: str) -> tuple[frozenset[str], frozenset[str], bool]:
    """Return (terms that are negated, terms that stand without a negation, whether anything is negated)."""
    folded = _HARMLESS.sub(lambda match: " " * len(match.group()), fold(text))
    under: set[str] = set()
    any_negation = False
    rest = list(folded)
    for match in _NEGATOR.finditer(folded):
        any_negation = True
        reach = _clause.split(folded[match.end() : match.end() + 40])[0]
        first = [term for term in terms(reach).words if term not in FILLERS][:2]
        if match.group()[0].isascii() is False and first:
            first = first[:2] if len(first[0]) > 1 else first[:1]
        under.update(first)
        for at in range(match.end(), match.end() + len(reach)):
            rest[at] = " "
    plain = frozenset(term for term in terms("".join(rest)).words if term not in FILLERS)
    return frozenset(under), plain, any_negation


def contradicts(sentence: str, support: str) -> bool:
    """True where one of the two negates what the other says, or where they hold opposite words such as before and after."""
    said_not, said, denies = negated(sentence)
    known_not, known, denied = negated(support)
    if (known_not & said) - known - said_not:
        return True
    if (said_not & known) - known_not - said and not denied:
        return True
    if denies and not denied:
        return True
    folded, source = fold(sentence), fold(support)
    for first, second in _opposites:
        for here, there in ((first, second), (second, first)):
            if here.search(folded) and not there.search(folded) and there.search(source) and not here.search(source):
                return True
    return False
