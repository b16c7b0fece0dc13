"""A sentence as its clauses, and a clause as its words: the one reading that all rules of the verification compare.

A word is a name, a thing, a verb or a number; which Chinese words are names and things the dictionary of the segmentation says, in English
capitals and endings do. A clause knows its words in order, and whom it speaks of: what stands before its verb, if that is named there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Literal

from yinju.answer import likewise, numerals
from yinju.answer.facts import canonical
from yinju.text.normalize import fold, fold_keeping_case
from yinju.text.words import FILLERS, is_word, stem, tagged, terms

Kind = Literal["name", "thing", "verb", "number", "little"]

NEAR = 0.5  # share of a clause's words that one of the source must have to be laid beside it
_LONGEST_TEXT = 2000  # characters of it
_LONGEST = 80  # words of a clause that are compared
_SUBJECT = 5  # words of a subject

_token = re.compile(
    r"(?P<date>@[\d-]+)|(?P<han>[\u3400-\u9fff\uf900-\ufaff]+)|(?P<number>(?<![a-zA-Z_])\d+(?:,\d{3})*(?:\.\d+)?(?![a-zA-Z_])\s?(?P<scale>[万亿千])?)"
    r"|(?P<word>[a-zA-Z\u00c0-\u024f0-9_]+(?:[’'][a-z]{1,2}(?![a-z]))?)"
)
_BREAK = re.compile(
    r"[，；;。!?！？\n]|,(?!\d{3})|(?<!\d)\.(?=\s|$)|(?<=.{5})而(?!且)(?=.{4})|—|--|\s(?:but|while)\s"
    r"|\sand\s(?=(?:the|this|these|he|she|it|they|is|are|was|were|has|have|had|then|also|will|can|in|on|at)\s)",
    re.IGNORECASE,
)
# What stands between the items of a list.
LISTED = re.compile(r"\s*(?:、|,(?!\d{3})|，|(?<![a-z])(?:and|or)(?![a-z])|和|及|或|与)\s*")
ASIDE = re.compile(r"[（(][^（()）]{2,120}[)）]")
_JOINT = re.compile(
    r"^\s*(?:但是?|而且?|并且?|且|不过|然而|因此|所以|(?:but|and|so|yet|however|therefore)\s)", re.IGNORECASE
)
_DECADE = re.compile(r"1\d(\d0) \1|(\d0) 1\d\2")  # 1980年代 and 80年代; that other things are as many, `facts` knows
_SCALE = {"千": 1000, "万": 10**4, "亿": 10**8}
_ORDINALS = {
    stem(word): f"第{n}"
    for n, word in enumerate(
        ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"], start=1
    )
}
# A phrase of time or place that stands before a clause of its own.
_LEAD = re.compile(
    r"^\s*(?:当|在|于|从|自|至|截至|到)?[^，]{0,16}(?:[年月日间后前时起来中天内]|世纪|期间|以来|时期|之后|之前)\s*$"
    r"|^\s*(?:in|on|at|by|from|since|during|after|before|until|as of|between)\s[^,]{1,40}$",
    re.IGNORECASE,
)  # fmt: skip
PRONOUN = re.compile(
    r"(?<![a-zA-Z])(?:[Hh]e|[Ss]he|[Ii]t|[Tt]hey|[Tt]his|[Tt]hese|[Ii]ts|[Hh]is|[Hh]er|[Tt]heir|who|which)(?![a-zA-Z])|[其它他她该此这]"
)
# Where a subject ends: the first of these, or a verb.
_END = re.compile(
    r"(?<![a-z])(?:is|are|was|were|be|been|has|have|had|do|does|did|will|would|can|could|may|might|must|should|shall|also|then|often|only|never)(?![a-z])"
    r"|是|为(?![了])|有(?![限关])|在(?!于)|被|由|将|把|曾|于|从|与|和|并|也|都|则|已|可(?!能)|需|应(?![用对])|须|不|未|没|会(?![议长员])|能(?![力源])"
)
_POINTED = re.compile(
    r"^\s*(?:the|this|that|these|those|he|she|it|they|its|his|her|their|there|such|both|one|some|most|many|all|each|others?)(?![a-z])"
    r"|^\s*(?:该|本|这|那|此|其|他|她|它|牠|两|双方|前者|后者|有些|部分|其中|另)"
)
_RELATIVE = re.compile(r"^\s*(?:which|who|whose|whom|where|that|when)(?![a-z])")
_BEFORE = re.compile(
    r"^\s*(?:in|on|at|by|from|since|during|after|before|until|as|if|when|because|for|with|despite|although|while|to|under|of|according)(?![a-z])"
    r"|^\s*(?:在|当|从|自|由于|因|如果|若|根据|按|对|随着|经|据|至|到|于|为了|以|通过|作为|除)"
    r"|[年月日后前时中间上下里内起]$"
)
_COUNTED = re.compile(r"\d\s*(?:个工作日|个月|小时|分钟|天|年|月|日|元|周|人|次|%)")
_PARTED = re.compile(r"没有|不得|无需|无须|比(?![赛例如较重率分特利方喻基亚])|每[年月天日周秒人]")
_MODAL = frozenset(
    ("peopl", "someon", "may", "might", "must", "shall", "no", "onli", "just", "veri", "also", "most", "more")
)
_VERB_END = re.compile(r"(?:..ed|..ing|ly|..wn|aken|iven|itten)$")
_NO_THING = frozenset(
    re.findall(
        r"\S+",
        "时候 情况 方面 问题 地方 部分 原因 方式 进行 期间 之间 左右 大约 同时 其中 当时 目前 今天 现在 过程 一种 一个"
        " 这个 那个 多种 有人 时 一共 总共 个体 人们 大家 后来 随后 然后 此后 其后 先后 接着",
    )
)


@dataclass(frozen=True, slots=True)
class Token:
    """A word with content, or a number, as it is compared."""

    key: str
    kind: Kind
    text: str = ""  # as it stands there, folded
    sort: str = ""  # n or a: of what sort the dictionary says that a Chinese thing is


@dataclass(frozen=True)
class Clause:
    """A part of a sentence with its words in order; little words are left out."""

    text: str
    tokens: tuple[Token, ...]
    keys: tuple[str, ...]
    bag: frozenset[str]

    @property
    def numbers(self) -> int:
        """How many of the words are numbers."""
        return sum(token.kind == "number" for token in self.tokens)

    def share(self, other: Clause) -> float:
        """Return the share of the words here that stand in the other."""
        return len(self.bag & other.bag) / len(self.bag) if self.bag else 0.0

    @cached_property
    def words(self) -> tuple[str, ...]:
        """All words with content in order, verbs and single characters too, as they are searched for."""
        return tuple(word for word in terms(spaced(self.text)).words if word not in FILLERS)

    @cached_property
    def subject(self) -> tuple[Token, ...]:
        """Whom it speaks of; empty where it begins with something else."""
        if self.relative or self._begins_before:
            return ()
        found: list[Token] = []
        for token in clause(self._head).tokens:
            if token.kind == "verb" or len(found) == _SUBJECT:
                return tuple(found)
            if token.kind != "number" and len(token.text) > 1:
                found.append(token)
        return tuple(found) if self._verb else ()  # without a verb behind it, it is no subject

    @property
    def rest(self) -> frozenset[str]:
        """What it says besides its subject."""
        return self.bag - {token.key for token in self.subject}

    @property
    def pointed(self) -> bool:
        """A pronoun or `the song` comes first: it may stand for something named before."""
        return pointed(self.text) and not any(token.kind == "name" for token in self.tokens[:3])

    @property
    def relative(self) -> bool:
        """It begins with `which` or the like."""
        return bool(_RELATIVE.match(fold(self.text)))

    @property
    def lead(self) -> bool:
        """It is only a phrase in front of another clause (`In winter`, 在夏季)."""
        return self._begins_before and len(self.tokens) <= _SUBJECT

    @cached_property
    def _verb(self) -> re.Match[str] | None:
        return _END.search(fold(self.text))

    @property
    def _head(self) -> str:
        return fold_keeping_case(self.text)[: self._verb.start()] if self._verb else self.text

    @cached_property
    def _begins_before(self) -> bool:
        return bool(_BEFORE.search(fold(self._head).strip() or fold(self.text).strip()))


@lru_cache(maxsize=8192)
def clause(text: str) -> Clause:
    """Return the words of a clause."""
    found = tuple(
        token for token in _tokens(canonical(fold_keeping_case(text[:_LONGEST_TEXT]))) if token.kind != "little"
    )[:_LONGEST]
    keys = tuple(token.key for token in found)
    return Clause(text, found, keys, frozenset(keys))


@lru_cache(maxsize=8192)
def parts(text: str) -> tuple[Clause, ...]:
    """Return a text cut into its clauses, phrases in front apart; what stands in brackets is left out."""
    return tuple(clause(_JOINT.sub("", part)) for part in _cut(ASIDE.sub(" ", text[:_LONGEST_TEXT])))


def spaced(text: str) -> str:
    """Part Chinese words that would be cut in another way beside others: 10 天|年假, 没有|年假, 小明|比|小红."""
    return _PARTED.sub(r" \g<0> ", _COUNTED.sub(r"\g<0> ", text))


def _cut(text: str) -> Iterator[str]:
    return (part for part in _BREAK.split(text) if part and part.strip())


@lru_cache(maxsize=8192)
def clauses(text: str) -> tuple[Clause, ...]:
    """Return the clauses of a text that say anything; a phrase of time or place in front belongs to what follows, brackets come last."""
    found: list[str] = []
    lead = ""
    text = text[:_LONGEST_TEXT]
    for part in (*_cut(ASIDE.sub(" ", text)), *ASIDE.findall(text)):
        whole = f"{lead} {part}" if lead else part
        if (_LEAD.match(part) and len(part) < 44) or (lead and part.strip().isdecimal()):
            lead = whole
            continue
        found.append(whole)
        lead = ""
    if lead:
        found.append(lead)
    return tuple(one for one in map(clause, found) if one.tokens)


def _tokens(text: str) -> Iterator[Token]:
    for match in _token.finditer(text):
        word = match.group()
        if match["date"]:
            yield Token(word, "number")
        elif match["han"]:
            for part, tag in tagged(word):
                yield _han_token(part, tag)
        elif match["number"]:
            value = numerals.arabic(match["number"].rstrip("万亿千 "))
            yield Token(
                numerals.plain(value * _SCALE.get(match["scale"] or "", 1)) if value is not None else word,
                "number",
            )
        else:
            yield _latin_token(word)


def _han_token(word: str, tag: str) -> Token:
    if word[0] == "第" and len(word) > 1:
        value = numerals.chinese(word[1:])
        return Token(f"第{numerals.plain(value)}" if value is not None else word, "number")
    if tag[0] == "m" or all(c in numerals.CHINESE for c in word):
        value = numerals.chinese(word)
        return Token(numerals.plain(value), "number") if value is not None and value > 1 else Token(word, "little")
    if len(word) < 2 and tag[0] not in "na":
        return Token(word, "little")
    if word in _NO_THING or word in FILLERS:
        return Token(word, "little")
    if tag.startswith(("nr", "ns", "nt")) and not (len(word) == 4 and is_word(word[:2]) and is_word(word[2:])):
        return Token(word, "name", word, "n")
    if tag[0] == "v":
        return Token(word, "verb")
    if tag[0] in "nabstilfjx":
        return Token(word, "thing", word, "a" if tag[0] in "ab" else "n")
    return Token(word, "verb" if likewise.listed(word) else "little")


def _latin_token(word: str) -> Token:
    bare = re.sub(r"[’']s?$", "", word)
    key = stem(bare.lower())
    if key in FILLERS or key in _MODAL or len(key) < 2:
        return Token(key, "little")
    if key in _ORDINALS:
        return Token(_ORDINALS[key], "number")
    value = numerals.english(key)
    if value is not None:
        return Token(numerals.plain(value), "number")
    if bare[0].isupper() or any(c.isdigit() for c in bare):
        return Token(key, "name", bare.casefold())
    return Token(key, "verb" if _VERB_END.search(bare) or key in likewise.VERBS else "thing", bare)


def laid_out(readings: Sequence[str]) -> tuple[list[Clause], list[Clause]]:
    """Return the clauses of the readings, and each reading as one clause."""
    return [one for reading in readings for one in clauses(reading)], [clause(reading) for reading in readings]


def nearest(mine: Clause, theirs: Sequence[Clause], near: float = NEAR) -> Clause | None:
    """Return the clause that has most of the words, None where none has enough of them."""
    best = max(theirs, key=mine.share, default=None)
    return best if best is not None and mine.bag and mine.share(best) >= near else None


def pointed(text: str) -> bool:
    """True where a text begins with a pronoun, or with a thing that it only points to: it may stand for what was named before."""
    return bool(_POINTED.match(fold(text)))


def alike(one: Token, other: Token) -> bool:
    """True where two words may be forms of one: equal numbers, a short form, the same beginning."""
    if "number" in (one.kind, other.kind):
        return _same_number(one.key, other.key)
    if one.key in other.key or other.key in one.key:
        return not likewise.opposite(one.key, other.key)
    if short_for(one.key, other.key) or short_for(other.key, one.key):
        return True
    if "name" in (one.kind, other.kind):
        return False
    if "thing" in (one.kind, other.kind) and "n" in (one.sort, other.sort):
        return likewise.grouped(one.key, other.key) or (
            one.key[0] == other.key[0] and not likewise.opposite(one.key, other.key)
        )
    return likewise.same(one.key, other.key)


def _same_number(one: str, other: str) -> bool:
    """True for equal numbers, and for dates of which one says more than the other."""
    first, second = one.lstrip("@"), other.lstrip("@")
    if first == second or one[0] != "@" != other[0]:
        return first == second or _DECADE.fullmatch(f"{first} {second}") is not None
    return (
        first.startswith(second + "-")
        or second.startswith(first + "-")
        or first[-6:] == second[-6:]
        or f"-{first}"[-6:] == f"-{second}"[-6:]
    )


def short_for(short: str, whole: str) -> bool:
    """True for 国税局 and 国家税务局: the same beginning, and the other characters in their order."""
    if not 2 <= len(short) < len(whole) <= 12 or short[0] != whole[0] or short.isascii():
        return False
    rest = iter(whole)
    return all(character in rest for character in short)
