"""A passage as statements that can be set against those of another one: clauses, and the cells of a table row, each with what it is about.

What a statement is about are its words without numbers, units and words that stand with everything (期限, 可以, costs, takes); what else names
it are its headings and the clauses beside it that state no amount of their own.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache

from yinju.answer import numerals, units
from yinju.answer.amounts import Amount, amounts
from yinju.answer.facts import take_dates
from yinju.answer.pieces import Piece, pieces
from yinju.answer.plain import plain
from yinju.answer.suits import characters, replies
from yinju.text.normalize import fold
from yinju.text.quantities import spelled
from yinju.text.words import FILLERS, stem, terms
from yinju.types import Passage, Span

MOST = 80  # statements of a passage
SHORT = 80  # characters of a clause that says yes or no
LONGEST = 300  # characters of a clause that states one thing

_clauses = re.compile(
    r"[，；;。！!？?\n]+|(?<!\d)[,](?=\s)|(?<=\d),(?=\s+(?!(?:19|20)\d\d))|\.(?=\s|$)"
    r"|(?<!\d)\s+and\s+(?!\d)|(?<=\d)\s+and\s+(?!\d)|(?<=[元天日月年人个次份克米])[和及](?!\d)"
)
_conditional = re.compile(
    r"如果|若|如(?!何|下|此|今|同)|除非|除了|除外|例外|仅(?!仅)|只有|只限|当.{1,12}时|的情况下|满(?=\s*[\d一二三四五六七八九十])|超过(?=\s*[\d一二三四五六七八九十])"
    r"|(?<![a-z])(?:if|unless|except\w*|only|when|whenever|provided|otherwise|in case)(?![a-z])"
)
_generic = """
方案 期限 时限 期间 时间 时长 天数 日期 日子 金额 价格 价钱 售价 费用 数量 总数 总量 总额 数目 限额 上限 下限 最多 最少
至多 至少 最大 最小 最高 最低 最长 最短 超过 不超 不得 以内 之内 以上 以下 大约 左右 约 规定 标准 要求 按 按照 根据
每 每年 每月 每日 每天 每周 每人 每次 共 共有 总共 一共 合计 享有 享受 提供 支付 付 收取 收 花费 获得 达 达到 可
可以 可容纳 需 需要 须 必须 内 后 前 起 之日 日起 之日起 为期 将 将于 于 已 已经 即 均 都 各 由 该 本 其中 包括
目前 现在 现 公司 我们 我司 用户 客户 员工 顾客 您 设置 规格 支持 用户数 户数 人数 员工数 名额 每位 每名 每个 单次
一次 单个 现有 拥有 有 正常 通常 一般 usual normal 年 月 日 天 周 元 块 个 人 名 位 台 次 份 吨 公斤
千克 克 米 厘米 毫米 小时 分钟 秒 工作日 自然日 个月 号 点 开 长 容纳 the a an one each every per total number amount maximum minimum max
min least most up limit period time date deadline within about around approximately exactly cost price fee
charg pay paid receiv get take last valid keep kept process complet cover includ contain hold allow be becom
provid offer give new current now also onli just year month week day hour minut second busi work calendar yuan
dollar rmb usd percent people person item piec januari februari march april june juli august septemb octob
novemb decemb jan feb mar apr jun jul aug sep sept oct nov dec our your their his her its customer user
employe compani we you they it there mani much size measur
"""
GENERIC = frozenset(_generic.split()) | FILLERS
# How much of what is measured, in one word: `3.6 km long` and `a length of 4.2 km`.
_alike = "depth deep|length long|width wide|height high tall|weight heavy heavi|speed fast|distanc far|annual yearli|member membership"
_ALIKE = {word: words.split()[0] for words in _alike.split("|") for word in words.split()}
_agents = """
公司 我司 用户 客户 员工 顾客 标准 customer user employe compani people person
"""
AGENTS = frozenset(_agents.split())  # stand with everything, but beside another one they tell who is meant
_negations = """
不 没 没有 无 非 未 勿 别 禁止 严禁 拒绝 不支持 不能 不可 不可以 不允许 无法 允许 准许 支持
开放 营业 开门 关闭 停业 休息 关门 免费 收费 open close clos free
not no never cannot can't allow permit forbidden prohibit without
"""
_negating = frozenset(_negations.split())
_rule = re.compile(
    "(?:收费|计费|付费)?标准(?=\\s*[:为是])"
)  # 收费标准为 says no more than 收费; 标准快递 is one of several
_counts = re.compile(  # a clause that may state an amount or a date
    rf"\d|[{numerals.CHINESE}半]|{numerals.ENGLISH.pattern}", re.IGNORECASE
)
_han = re.compile("[\u3400-\u9fff]")


@dataclass(frozen=True)
class Statement:
    """One clause. `about` are its content words in order of their first mention, `beside` those of headings and of clauses around it."""

    passage: Passage
    piece: Piece
    text: str
    about: tuple[str, ...]
    generic: frozenset[str]
    beside: frozenset[str]
    amounts: tuple[Amount, ...]
    dates: frozenset[str]
    rates: frozenset[str]
    conditional: bool
    subject: str = ""  # what its sentence begins with, where it is not the first clause

    @cached_property
    def known(self) -> frozenset[str]:
        """What it is about, with what stands beside it."""
        return frozenset(self.about) | self.beside

    @cached_property
    def signs(self) -> frozenset[str]:
        """The Chinese characters of all that, which carry a meaning alone."""
        return characters("".join(self.known))

    @property
    def is_short(self) -> bool:
        """True where it may say yes or no to one thing."""
        return len(self.text) <= SHORT

    @property
    def span(self) -> Span:
        """Where the sentence or row stands in the passage's text."""
        return self.piece.span


def statements(passage: Passage) -> list[Statement]:
    """Return the statements of a passage, at most MOST."""
    hit = passage.hit
    above = frozenset(content(" ".join((*hit.headings[-2:], hit.title or ""))))
    found: list[Statement] = []
    asked = ""
    for piece in pieces(hit):
        if piece.kind in ("heading", "code"):
            asked = plain(piece.text.strip("#=- \n")) if piece.text.rstrip(" #*").endswith(("?", "？")) else ""
            continue
        for text, others, subject in _parts(piece, asked or (hit.headings[-1] if hit.headings else "")):
            if len(text) <= LONGEST and not text.rstrip().endswith(("?", "？")):
                found.append(_statement(passage, piece, text, above | frozenset(others), subject))
        if len(found) >= MOST:
            break
    return found[:MOST]


def _parts(piece: Piece, asked: str) -> list[tuple[str, tuple[str, ...], str]]:
    """Return the clauses of a piece, each with the words of the clauses beside it that state no amount, and what its sentence begins with."""
    if piece.kind == "row":
        return [(text, (), "") for text in _cells(piece.worded)]
    worded = f"{piece.lead} {piece.worded}" if piece.lead and len(piece.lead) < 60 else piece.worded
    clauses = [clause.strip() for clause in _clauses.split(worded) if clause.strip()]
    if (
        clauses
        and asked
        and asked.rstrip().endswith(("?", "？"))
        and replies(clauses[0], True)
        and len(clauses[0]) <= 6
    ):
        clauses[0] = f"{asked.rstrip('?？').rstrip('吗么')} {clauses[0]}"
    if not any(len(clause) <= SHORT or _counts.search(clause) for clause in clauses):
        return []  # nothing that could be disputed
    silent = [content(clause) if not amounts(clause) else () for clause in clauses]
    subject = next(iter(content(clauses[0])), "")
    return [
        (
            clause,
            tuple(word for at, words in enumerate(silent) if at != place for word in words),
            subject if place else "",
        )
        for place, clause in enumerate(clauses)
        if len(clause) <= SHORT or _counts.search(clause)
    ]


def _cells(record: str) -> list[str]:
    """Return `key column value` for each cell of a row, worded as `column: value; …`, that has a key and names of columns."""
    pairs = [cell.partition(": ")[::2] for cell in record.split("; ")]
    named = [(name, value.strip()) for name, value in pairs if value.strip()]
    if len(named) < 2 or len(named) < len(pairs) or re.fullmatch(r"[\d.,%\s]+", named[0][1]):
        return []
    return [f"{named[0][1]} {name.lower()} {value}" for name, value in named[1:]]


@lru_cache(maxsize=8192)
def content(text: str) -> tuple[str, ...]:
    """Return what a text is about: its words without numbers, units and words that stand with everything, each once, in their order."""
    found = []
    for term in terms(text).words:
        word = term[1:] if len(term) == 2 and term[0] == "可" else term  # 可借 is 借
        bare = _ALIKE.get(stem(word), stem(word))
        if (
            bare in GENERIC
            or word in GENERIC
            or units.canonical(word)
            or word[0].isdigit()
            or _numeral(word)
            or numerals.ENGLISH.fullmatch(word)
        ):
            continue
        if len(word) == 1 and (word.isascii() or not _han.match(word)):
            continue
        found.append(_ALIKE.get(bare, bare if word.isascii() else word))
    return tuple(dict.fromkeys(found))


@lru_cache(maxsize=8192)
def generic(text: str) -> frozenset[str]:
    """Return the words of a text that stand with everything, but for units and the smallest ones: all there is in 公司现有员工 1200 人."""
    return frozenset(
        word for word in terms(text).words
        if (word in GENERIC or stem(word) in GENERIC) and word not in FILLERS and len(word) > 1 and not units.canonical(word)
    )  # fmt: skip


def _numeral(word: str) -> bool:
    return all(sign in "零〇一二两三四五六七八九十百千万亿半第几多" for sign in word)


def denied(words: frozenset[str]) -> frozenset[str]:
    """Return the words without those that say yes or no."""
    return words - _negating


def _statement(passage: Passage, piece: Piece, text: str, beside: frozenset[str], subject: str) -> Statement:
    folded = fold(text)
    sentence = folded if piece.kind == "row" else fold(piece.worded)
    written_dates, rest = take_dates(_rule.sub("", spelled(folded)))
    usual = written_dates == take_dates(folded)[0]  # else a date in Chinese numerals must not be read as an amount
    every = [amount for amount in amounts(text if usual else rest) if not _is_once(amount)]
    single = [amount for amount in every if _is_single_time(amount)]
    other = [amount for amount in every if amount not in single]
    rates = frozenset(units.rates(folded)) | frozenset(amount.unit for amount in single if other)
    years = frozenset(amount.shown for amount in every if _is_year(amount))
    stated = tuple(amount for amount in (other or single) if not _is_year(amount))
    dates = frozenset(written_dates) | years
    return Statement(
        passage, piece, text, content(rest), generic(rest), beside, stated, dates, rates, _conditional.search(sentence) is not None, subject,
    )  # fmt: skip


def _is_once(amount: Amount) -> bool:
    return amount.low == amount.high == 1 and amount.unit in ("#次", "#个", "#人")


def _is_single_time(amount: Amount) -> bool:
    """True for a year, 一个月: beside another amount that is what it is counted by."""
    return amount.low == amount.high == 1 and amount.unit in units.TIME


def _is_year(amount: Amount) -> bool:
    return amount.unit == "#" and len(amount.shown) == 4 and amount.shown.isdigit() and 1000 <= amount.low <= 2100
