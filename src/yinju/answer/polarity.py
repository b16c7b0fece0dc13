"""Does a sentence turn its source around? Negations and opposites, compared where they touch the same words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from yinju.answer.clauses import Clause, clause, clauses, laid_out, nearest
from yinju.answer.likewise import opposite
from yinju.text.normalize import fold
from yinju.text.words import FILLERS, tagged, terms

# Words with 不, 无, 非, 没 that negate nothing.
_HARMLESS = re.compile(
    "不仅|不但|不同(?![意构])|不过|不断|不管|不论|不少|不久|不足(?![以])|不锈|不止|不只|差不多|对不起|不动产|不时|不惜|不妨|不得了|要不|是不是|能不能|可不可以|会不会|要不要|有没有|"
    "无论|无线|无人机|无数|非常|非洲|除非|未来|没收|别人|别的|别墅|特别|分别|级别|类别|区别|个别|识别|辨别|别名|性别|不可或缺|毫无疑问|无疑|"
    r"not only|no longer than|no more than|no less than|no later than|no doubt|not more than|not less than|nothing but"
)
_SELDOM = "seldom|rarely|scarcely|hardly|barely"
_NEGATOR = re.compile(
    rf"(?:(?<![a-z])(?:not|no|never|none|cannot|without|neither|nor|unable to|fails? to|{_SELDOM}|[a-z]*n['’]t)(?![a-z]))"
    "|很少|极少|甚少|鲜少|罕有|不会|不能|不可|不得|不应|不必|不需|不支持|不再|不予|不含|无法|无须|无需|没有|没|无|不|未|非|勿|禁止|严禁|拒绝|切勿|请勿|别"
)
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
    (r"died|dies|dying|perish\w*", r"surviv\w*"),
    ("死亡|死去|身亡|丧生|遇难|不治", "幸存|生还|存活|痊愈"),
    ("成功", "失败"),
    (r"succe\w*", r"fail\w*"),
)  # fmt: skip
_opposites = tuple(
    (re.compile(rf"(?<![a-z])(?:{a})(?![a-z])"), re.compile(rf"(?<![a-z])(?:{b})(?![a-z])")) for a, b in OPPOSITES
)
_FOR = re.compile(
    r"(?:支持|赞成|拥护|亲)(?=([\u3400-\u9fff]{2}))|(?<![a-z])(?:pro-|(?:support|favou?r)(?:s|ed|ing)? (?:the )?)(?=([a-z]{4,}))"
)
_AGAINST = re.compile(
    r"(?:反对|反|抵制)(?=([\u3400-\u9fff]{2}))|(?<![a-z])(?:anti-|oppos(?:e|es|ed|ing) (?:to )?(?:the )?)(?=([a-z]{4,}))"
)
# What a sentence obliges to, allows, forbids or leaves free; the first that matches takes the words.
_MOODS = (
    ("must", re.compile("不得不|不能不")),
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
        "不得不|必须|必需|务必|应当|应该|须|需要|需|应|有义务|要求|"
        r"(?<![a-z])(?:must|shall|should|ought to|(?:have|has|had|need|needs|needed) to)(?![a-z])"
        r"|(?<![a-z])(?:required|requires?|obliged|obligated|mandatory|obligatory)(?![a-z])"
    )),
    ("may", re.compile(
        "可以|可|能够|能|允许|准许|有权|许可|"
        r"(?<![a-z])(?:may|can|could|might|allow\w*|permit\w*|(?:is|are|was|were) able to|(?:is|are) free to|(?:is|are) entitled)(?![a-z])"
    )),
)  # fmt: skip
_degree = re.compile(r"^(?:太|很|大|怎么|完全|一定|必然|直接|always |very |really |so )+")
_ORDER = re.compile(r"之后|之前|以后|以前|先于|后于|(?<![a-z])(?:after|before|until|prior to|following)(?![a-z])")
_ORDERED = re.compile(
    r"[前后先自从]|以来|时|当|[死逝]|(?<![a-z])(?:after|before|since|until|prior|then|later|next|when|once|follow\w*|as soon|"
    r"from|by|subsequent\w*)(?![a-z])"
)
_sentence = re.compile(r"[。！？!?\n]|\.(?=\s)")
_clause = re.compile(r"[，,；;。.!！?？\n()（）]")


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
        reach = _degree.sub(lambda found: " " * len(found.group()), reach)
        first = [term for term in terms(reach).words if term not in FILLERS][:2]
        if match.group()[0].isascii() is False and first:
            first = first[:2] if len(first[0]) > 1 else first[:1]
        under.update(first)
        for at in range(match.end(), match.end() + len(reach)):
            rest[at] = " "
    plain = frozenset(term for term in terms("".join(rest)).words if term not in FILLERS)
    return frozenset(under), plain, any_negation


def _on_the_other_side(claim: str, source: str) -> bool:
    """True where a claim is for what its source is only against, or the reverse: 支持教皇 and 反教皇, pro-royal and anti-royal."""
    for here, there in ((_FOR, _AGAINST), (_AGAINST, _FOR)):
        theirs = frozenset(there.findall(source)) - frozenset(here.findall(source))
        if theirs.intersection(here.findall(claim)):
            return True
    return False


def opposed(sentence: str, support: str) -> bool:
    """True where the two hold opposite words such as before and after, at least and at most, or one is for what the other is against."""
    folded, source = fold(sentence), fold(support)
    if _on_the_other_side(folded, source):
        return True
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


_NOT = re.compile(
    rf"(?<![a-z])(?:not|no|never|none|cannot|neither|nor|without|nobody|nothing|{_SELDOM})(?![a-z])|n['’]t(?![a-z])"
)
_HAN_NOT = frozenset(
    re.findall(
        r"\S+",
        "不 没 没有 无 未 非 勿 别 不是 不会 不能 不可 不可以 不得 不再 不必 不用 不需 不需要 不应 不应该 "
        "不许 不准 不予 不含 并不 并非 并未 并没有 从未 从不 尚未 "
        "未曾 未能 无法 无需 无须 毫无 绝不 决不 没能 没法 不曾 不属于 不存在 不该 不要 而非 不想 不愿 不太 很少 极少 鲜少 罕有",
    )
)
_HAN_SIGN = re.compile("[不没无未非勿别]")
_MAY_DENY = re.compile("[不没无未非勿别]|[很极鲜]少|罕有")
_JOINT = re.compile("[是的了]")  # stand or are left out beside a negation: 是同构的, 不同构
_ALL_OR_BOTH = re.compile("both|all|each|every|any|either|only")
_word = re.compile(r"[a-z]{4,}")
_run = re.compile(r"[\u3400-\u9fff]+")
_DOUBT = re.compile(
    r"是否|能否|会否|尚待|有待|据说|据传|传闻|误以为|误解|并非事实|(?<![a-z])(?:whether|"
    r"misconception|myth|allegedly|supposedly|misinterpreted|interpreted as|not true|falsely)(?![a-z])"
)
_COLUMN = re.compile(
    r"(?:能否|是否|会否|whether)[^:：;；，,。]{0,30}[:：]\s*(?=\S)"
)  # the name of a column, with what the row says
_CONDITION = re.compile(
    r"如果|假如|倘若|若(?![干非])|除非|只有|一旦|(?<![a-z])(?:if|unless|provided that|only when|in case)(?![a-z])"
)
_CONDITIONAL = re.compile(
    r"如果|假如|倘若|若|除非|只有|只要|一旦|时|的话|后|(?<![a-z])(?:if|unless|provided|when|in case|for|where|while|with|without|who|that)(?![a-z])"
)
_ALL = re.compile(
    r"所有|全部|一切|每个|每一|任何|全体|从来|始终|(?<![a-z])(?:all|every|each|always|everyone|everything|any|entire|whole)(?![a-z])"
)
_SOLE = re.compile(r"只有|仅有|唯一|只(?![是要好])|仅(?!仅)|(?<![a-z])(?:only|solely|exclusively|sole)(?![a-z])")


_FIRM = re.compile(
    r"必须|一定(?![的程])|总是|都(?![市城])|所有|全部|(?<![a-z])(?:must(?! not)|always|all|every|each|never)(?![a-z])"
)  # fmt: skip
_HEDGE = re.compile(
    r"常常|通常|往往|可能|有时|大多|多数|一般情况|不一定|或许"
    r"|(?<![a-z])(?:often|usually|typically|sometimes|may(?! not)|might|generally|most(?=\s\w+\s)|possibly|probably|perhaps)(?![a-z])"
)
# What is only possible is no fact. And what is denied without a `not`: `kept from the top`, `instead of editing`, 而不是.
_POSSIBLE = re.compile(
    r"(?<!不)可能(?!性)|也许|或许|大概是|似乎|疑似|据说|相传|传说"
    r"|(?<![a-z])(?:possibly|perhaps|probably|presumably|might|may have|it is possible that|is said to|are said to|allegedly)(?![a-z])"
)
_SUPPOSED = re.compile(
    _POSSIBLE.pattern
    + r"|猜测|推测|推断|估计|认为|相信|怀疑|大约|可|(?<![a-z])(?:may|could|can|likely|possible|believed?|thought|think|suggests?|suppos\w+)(?![a-z])"
)
_INSTEAD = re.compile(
    r"而不是|而非|以免|免于|避免|未能|代替|取代"
    r"|(?<![a-z])(?:instead of|rather than|(?:kept|keeps|keep|prevented|prevents|prevent|barred|stopped|excluded) from|failed to|fails to"
    r"|refused to|declined to|(?:does|do|did|is|are|was|were)(?: not|n['’]t) necessarily)(?![a-z])"
)
_SUPERLATIVE = re.compile(r"最[\u3400-\u9fff]|(?<![a-z])(?:most\s[a-z]+|[a-z]{3,}est)(?![a-z])")
_RANKED = re.compile(
    r"第[二三四五六七八九2-9][最]?|(?<![a-z])(?:second|third|fourth|fifth|2nd|3rd|4th)[\s-]+(?=most|[a-z]+est(?![a-z]))"
)

_NEXT_TO = re.compile(r"第[二三四五六七八九十2-9]([大高长多早深老强])(?![学桥道街])")


def _unranked(claim: str, source: str) -> bool:
    """True where a claim calls first what its source calls the second: `the lowest`, of `the second lowest`."""
    for match in _SUPERLATIVE.finditer(claim):
        found = [source[: at.start()] for at in re.finditer(re.escape(match.group()), source)]
        ranked = [
            re.search(r"(?:第[二三四五六七八九2-9]|(?:second|third|fourth|fifth|2nd|3rd|4th)[\s-]+)$", before)
            for before in found
        ]
        if found and all(ranked):
            return True
        if (
            not found
            and match.group()[0] == "最"
            and _NEXT_TO.search(source)
            and match.group()[1] in _NEXT_TO.findall(source)
        ):
            return True  # 规模最大, of 第二大
    return False


@lru_cache(maxsize=8192)
def denials(text: str) -> int:
    """Return how often a text negates something. A Chinese sign inside a word (无线, 走投无路) negates nothing."""
    folded = _HARMLESS.sub(" ", fold(text))
    words = (word for run in _run.findall(folded) for word, _ in tagged(run)) if _MAY_DENY.search(folded) else ()
    return len(_NOT.findall(folded)) + sum(word in _HAN_NOT for word in words)


def flipped(claim: str, readings: Sequence[str]) -> bool:
    """True where a clause of the claim denies what the nearest clause of its source says, or the reverse."""
    said = clause(claim)
    under = frozenset().union(*(negated(reading)[0] for reading in readings))
    ordered = sorted(readings, key=lambda reading: -said.share(clause(reading)))
    for mine in clauses(claim):
        every = [one for reading in readings for one in clauses(reading)]
        if any(_only_denied(mine.text, one.text) or _all_but_denied(mine, one) for one in every):
            return True
        for reading in ordered:
            theirs = clauses(reading)
            best = nearest(mine, theirs, 0.6)
            if best is not None:
                rivals = [one for one in theirs if mine.share(one) >= mine.share(best) - 0.01]
                if all(_denied(mine, one, under) for one in rivals):
                    return True
                break
    return False


def _only_denied(mine: str, best: str) -> bool:
    """True where two clauses differ in nothing but a Chinese sign of negation: 适用于月费, 不适用于月费."""
    first, second = (_JOINT.sub("", "".join(fold(text).split())) for text in (mine, best))
    longer, shorter = (
        (first, second) if len(_HAN_SIGN.sub("", first)) > len(_HAN_SIGN.sub("", second)) else (second, first)
    )
    bare = _HAN_SIGN.sub("", shorter)
    start = _HAN_SIGN.sub("", longer).find(bare)
    if start < 0 or len(bare) < 4:
        return False
    place, inside = 0, 0
    for character in longer:
        if not _HAN_SIGN.match(character):
            place += 1
        elif start <= place < start + len(bare):
            inside += 1
    return (len(shorter) - len(bare) - inside) % 2 == 1


def _all_but_denied(mine: Clause, best: Clause) -> bool:
    """True where a claim says all that a clause says, with more words (去过医院就诊), but for its one denial (未就诊)."""
    size = len(best.bag)
    if denials(mine.text) or denials(best.text) != 1 or size < 2 or best.share(mine) < (1.0 if size < 4 else 0.75):
        return False
    under, _, _ = negated(best.text)
    return bool(under & frozenset(terms(mine.text).words)) and not _CONDITION.search(fold(mine.text))


def _denied(mine: Clause, best: Clause, denied: frozenset[str]) -> bool:
    here, there = denials(mine.text), denials(best.text)
    apart = [a for a in mine.bag - best.bag for b in best.bag - mine.bag if opposite(a, b)]
    if here % 2 == there % 2:
        return bool(apart) and not here
    if apart:
        return False
    if there > here:
        under, _, _ = negated(best.text)
        return bool(under & frozenset(terms(mine.text).words))
    under, _, _ = negated(mine.text)
    return not under or not under <= denied


def never_affirmed(claim: str, readings: Sequence[str]) -> bool:
    """True where the claim affirms what its passages only ever deny: 很习惯 where 不习惯 stands alone, a fixed period of an unfixed one."""
    if denials(claim) or _NEGATOR.search(_HARMLESS.sub(" ", fold(claim))) or _INSTEAD.search(fold(claim)):
        return False
    said = frozenset(
        word
        for word in terms(claim).words
        if len(word) > 1 and word not in FILLERS and not _ALL_OR_BOTH.fullmatch(word)
    )
    read = [negated(reading) for reading in readings]
    denied = frozenset[str]().union(*(under for under, _, _ in read))
    affirmed = frozenset[str]().union(*(plain for _, plain, _ in read))
    whole = frozenset(_word.findall(fold("\n".join(readings))))
    fresh = (word for word in _word.findall(fold(claim)) if word not in whole)
    return bool(said & denied - affirmed) or any(
        f"{prefix}{word}" in whole for word in fresh for prefix in ("un", "non", "in", "im", "dis")
    )


def supposed(claim: str, readings: Sequence[str]) -> bool:
    """True where the claim says for certain what each clause of its source that holds it calls possible only."""
    if _SUPPOSED.search(fold(claim)):
        return False
    theirs, _ = laid_out(readings)
    for mine in clauses(claim):
        best = nearest(mine, theirs, 0.6)
        if best is None:
            continue
        rivals = [one for one in theirs if mine.share(one) == mine.share(best)]
        if all(_supposes(mine, fold(one.text)) for one in rivals):
            return True
    return False


def _supposes(mine: Clause, text: str) -> bool:
    match = _POSSIBLE.search(text)
    return match is not None and bool(mine.bag & clause(text[match.end() :]).bag)


def avoided(claim: str, readings: Sequence[str]) -> bool:
    """True where the claim says that something is so of which its source says that it is not, without a `not`: `kept from`, 而不是."""
    folded = fold(claim)
    if _INSTEAD.search(folded) or denials(claim):
        return False
    said = clause(claim)
    for reading in readings:
        text = fold(reading)
        for match in _INSTEAD.finditer(text):
            behind = clause(_clause.split(text[match.end() : match.end() + 60])[0])
            words = behind.keys[:2]
            if (
                len(words) > 1
                and set(words) <= said.bag
                and sum(key in said.bag for key in clause(text).keys) > len(words)
            ):
                return True
    return False


def widened(claim: str, readings: Sequence[str]) -> bool:
    """True where the claim leaves out that its source doubts or only supposes, or says all and only where the source does not."""
    theirs, _ = laid_out(readings)
    folded, source = fold(claim), fold("\n".join(readings))
    if any(sign.search(folded) and not sign.search(source) for sign in (_ALL, _SOLE)):
        return True
    if _FIRM.search(folded) and not _HEDGE.search(folded) and _HEDGE.search(source) and not _FIRM.search(source):
        return True
    if _SUPERLATIVE.search(folded) and not _RANKED.search(folded) and _unranked(folded, source):
        return True
    if _ORDER.search(folded) and not _ORDERED.search(source):
        return True
    for mine in clauses(claim):
        best = nearest(mine, theirs, 0.6)
        if best is not None and _DOUBT.search(_COLUMN.sub(" ", fold(best.text))) and not _DOUBT.search(folded):
            return True
        if best is not None and not _CONDITIONAL.search(folded):
            sentence = next(
                (s for reading in readings for s in _sentence.split(fold(reading)) if fold(best.text).strip() in s), ""
            )
            said = [one for one in clauses(sentence) if _CONDITION.search(one.text)]
            if said and all(one.share(mine) < 0.4 for one in said):
                return True
    return False
