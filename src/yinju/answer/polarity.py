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
# What a sentence obliges to, allows, forbids or leaves free; the first that matches takes the words.
_MOODS = (
    ("", re.compile(
        "只能|可能|可靠|可见|可爱|可是|可观|可行|可选|可用|可口|可持续|可再生|可乐|认可|许可证|尽可|宁可|功能|性能|智能|职能|技能|节能|才能|机能|产能|效能|能力|能源|能量|能耗|"
        "供应|反应|适应|相应|响应|对应|效应|应用|应对|应急|应聘|应届|应收|应付|应战|需求|所需|供需|急需|必需品|军需|内需|"
        r"(?<![a-z])(?:in|of|since|until|by|from|late|early|mid)[\s-]may(?![a-z])|(?<![a-z])may\s+\d|\d\s+may(?![a-z])"
        r"|(?<![a-z])cans?(?=\s+of(?![a-z]))"
    )),
    ("free", re.compile(
        "无需|无须|不必|不需要|不须|毋须|毋需|无必要|没有必要|不用|不要求|"
        r"(?<![a-z])(?:need not|needn['’]t|(?:do|does|did)(?: not|n['’]t) (?:have|need) to)(?![a-z])"
        r"|(?<![a-z])(?:(?:is|are|was|were|be)(?: not|n['’]t) (?:required|obliged|obligated|necessary)|no need)(?![a-z])"
        r"|(?<![a-z])(?:not mandatory|optional(?:ly)?)(?![a-z])"
    )),
    ("forbidden", re.compile(
        "不得|不可以|不可|不能够|不能|不准|不允许|不许|不应当|不应该|不应|不该|禁止|严禁|切勿|请勿|勿|"
        r"(?<![a-z])(?:(?:must|may|can|shall|should|could)(?: not|n['’]t)|cannot|can['’]t)(?![a-z])"
        r"|(?<![a-z])(?:(?:is|are|was|were|be)(?: not|n['’]t) (?:allowed|permitted))(?![a-z])"
        r"|(?<![a-z])(?:prohibit\w*|forbid\w*|banned)(?![a-z])"
    )),
    ("must", re.compile(
        "必须|必需|务必|应当|应该|须|需要|需|应|有义务|要求|"
        r"(?<![a-z])(?:must|shall|should|ought to|(?:have|has|had|need|needs|needed) to)(?![a-z])"
        r"|(?<![a-z])(?:required|requires?|obliged|obligated|mandatory|obligatory)(?![a-z])"
    )),
    ("may", re.compile(
        "可以|可|能够|能|允许|准许|有权|许可|"
        r"(?<![a-z])(?:may|can|could|might|allow\w*|permit\w*|(?:is|are|was|were) able to|(?:is|are) free to|(?:is|are) entitled)(?![a-z])"
    )),
)  # fmt: skip
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


@lru_cache(maxsize=4096)
def moods(text: str) -> frozenset[str]:
    """Return what a sentence says of its matter: that it must be, may be, is forbidden, or is left free."""
    rest, found = fold(text), set()
    for name, pattern in _MOODS:
        rest, hits = pattern.subn(" ", rest)
        if hits and name:
            found.add(name)
    return frozenset(found)
