"""Is a clause of an answer its source's clause with one word exchanged? Two clauses are laid beside each other word by word.

Where the words around a gap are the same, and in the gap one name, number, thing or quality stands in the place of another, the clause says
something else, however many of its words are right. Words that mean the same, and ways to say the same, are no exchange; verbs have so many
that only opposites count. Which words are names and things the dictionary of the segmentation says; in English, capitals and endings.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import takewhile
from typing import Literal

from yinju.answer import likewise, numerals
from yinju.answer.facts import canonical
from yinju.text.normalize import fold_keeping_case
from yinju.text.words import FILLERS, is_word, stem, tagged

Kind = Literal["name", "thing", "verb", "number", "little"]

NEAR = 0.5  # share of a clause's words that one of the source must have to be laid beside it
_LONGEST_TEXT = 2000  # characters of it
_LONGEST = 80  # words of a clause that are compared
_MOST = 4  # words in a gap: a longer one is another wording, not an exchange

_token = re.compile(
    r"(?P<date>@[\d-]+)|(?P<han>[\u3400-\u9fff\uf900-\ufaff]+)|(?P<number>(?<![a-zA-Z_])\d+(?:,\d{3})*(?:\.\d+)?(?![a-zA-Z_])\s?(?P<scale>[万亿千])?)"
    r"|(?P<word>[a-zA-Z\u00c0-\u024f0-9_]+(?:[’'][a-z]{1,2}(?![a-z]))?)"
)
_BREAK = re.compile(
    r"[，；;。!?！？\n]|,(?!\d{3})|(?<!\d)\.(?!\d)|\s(?:and|but|while)\s(?=\S+\s\S+\s\S)|(?<=.{5})而(?=.{4})|—|--"
)
ASIDE = re.compile(r"[（(][^（()）]{2,120}[)）]")
_DECADE = re.compile(r"1\d(\d0) \1|(\d0) 1\d\2")  # 1980年代 and 80年代; that other things are as many, `facts` knows
_SCALE = {"千": 1000, "万": 10**4, "亿": 10**8}
_ORDINALS = {
    stem(word): f"第{n}"
    for n, word in enumerate(
        ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"], start=1
    )
}
_LEAD = re.compile(
    r"^\s*(?:当|在|于|从|自|至|截至|到)?[^，]{0,16}(?:[年月日间后前时起来中天内]|世纪|期间|以来|时期|之后|之前)\s*$"
    r"|^\s*(?:in|on|at|by|from|since|during|after|before|until|as of|between)\s[^,]{1,40}$",
    re.IGNORECASE,
)  # fmt: skip
PRONOUN = re.compile(
    r"(?<![a-zA-Z])(?:[Hh]e|[Ss]he|[Ii]t|[Tt]hey|[Tt]his|[Tt]hese|[Ii]ts|[Hh]is|[Hh]er|[Tt]heir|who|which)(?![a-zA-Z])|[其它他她该此这]"
)
_ITEMS = re.compile(r"、|[,，]|(?<![a-z])(?:and|or)(?![a-z])|[和与及或]")
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


@dataclass(frozen=True, slots=True)
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


@lru_cache(maxsize=8192)
def clause(text: str) -> Clause:
    """Return the words of a clause."""
    found = tuple(
        token for token in _tokens(canonical(fold_keeping_case(text[:_LONGEST_TEXT]))) if token.kind != "little"
    )[:_LONGEST]
    keys = tuple(token.key for token in found)
    return Clause(text, found, keys, frozenset(keys))


@lru_cache(maxsize=8192)
def clauses(text: str) -> tuple[Clause, ...]:
    """Return the clauses of a text; a phrase of time or place in front belongs to what follows."""
    found: list[str] = []
    lead = ""
    text = text[:_LONGEST_TEXT]
    aside = ASIDE.findall(text)
    for part in (*_BREAK.split(ASIDE.sub(" ", text)), *aside):
        if not part or not part.strip():
            continue
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


def exchanged(claim: str, readings: Sequence[str], known: str) -> bool:
    """True where a clause of the claim is one of the readings with a word exchanged. `known`: all the passages say, folded, without white space."""
    theirs, wholes = laid_out(readings)
    said = clause(claim)
    best = nearest(said, wholes)
    if best is not None and _of_another(said, best):
        return True
    if best is not None and said.bag == best.bag and _ITEMS.search(claim):
        return False  # a list in another order; `relations` knows what of it may change its place
    return any(_exchanged(mine, theirs, wholes, known) for mine in clauses(claim))


def laid_out(readings: Sequence[str]) -> tuple[list[Clause], list[Clause]]:
    """Return the clauses of the readings, and each reading as one clause."""
    return [one for reading in readings for one in clauses(reading)], [clause(reading) for reading in readings]


def nearest(mine: Clause, theirs: Sequence[Clause], near: float = NEAR) -> Clause | None:
    """Return the clause that has most of the words, None where none has enough of them."""
    best = max(theirs, key=mine.share, default=None)
    return best if best is not None and mine.bag and mine.share(best) >= near else None


def _exchanged(mine: Clause, theirs: Sequence[Clause], wholes: Sequence[Clause], known: str) -> bool:
    best = nearest(mine, theirs) or nearest(mine, wholes)
    if best is None or mine.keys == best.keys:
        return False
    rivals = [one for one in theirs if mine.share(one) == mine.share(best)] or [best]
    own = nearest(mine, wholes, 0.0)
    if own is not None:  # of equals those in the sentence that has most of it
        rivals = [one for one in rivals if one.text in own.text] or rivals
    doing = [len({t.key for t in mine.tokens if t.kind == "verb"} & one.bag) for one in rivals]
    rivals = [one for one, verbs in zip(rivals, doing, strict=True) if verbs == max(doing)]
    return all(_differs(mine, one, known, _short(one, theirs, own)) for one in rivals)


def _short(best: Clause, theirs: Sequence[Clause], own: Clause | None) -> frozenset[str]:
    """Return the numbers of the other clauses of a sentence that have next to no words of their own: `and 10 days in 2020`."""
    others = [one for one in theirs if one is not best and own is not None and one.text in own.text]
    return frozenset(
        t.key for one in others if len(one.tokens) - one.numbers <= 2 for t in one.tokens if t.key[0].isdigit()
    )


def _differs(mine: Clause, best: Clause, known: str, short: frozenset[str]) -> bool:
    """`short`: numbers of clauses with next to no words of their own (`and 10 in 2020`); whether they belong here `bound` knows."""
    matcher = SequenceMatcher(None, mine.keys, best.keys, autojunk=False)
    for what, a, b, c, d in matcher.get_opcodes():
        if what != "replace":
            continue
        here, there = tuple(t for t in mine.tokens[a:b] if t.kind != "number" or t.key not in short), best.tokens[c:d]
        if not here:
            continue
        inside = a > 0 and b < len(mine.keys)
        if len(here) <= _MOST and len(there) <= _MOST:
            if _another(here, there, mine, best, "" if inside else known):
                return True
        elif a == 0 and here[-1].kind == there[-1].kind == "name" and mine.tokens[b].kind != "number":
            if _another(here[-1:], there[-1:], mine, best, known):  # whoever does what is the same is another one
                return True
        elif b == len(mine.keys) and len(here) <= _MOST and _another(here, there[:_MOST], mine, best, known):
            return True
    return False


def _another(here: Sequence[Token], there: Sequence[Token], mine: Clause, best: Clause, known: str) -> bool:
    """True where the words of a gap are another name, number, thing or quality than those in their place.

    A word that only stands elsewhere in the source's clause has moved, unless the one in its place has moved, too: they are exchanged.
    Words that are `known` may be said of the same matter elsewhere; what must be different for them are names and numbers.
    """
    rivals = [t for t in there if not any(alike(t, own) for own in here)]
    small = len(here) <= 3 and len(there) <= 4
    tight = len(here) <= 2 and len(there) <= 2  # longer runs of things are other wordings
    does = any(t.kind == "verb" for t in there) and not any(t.kind == "verb" for t in here)  # so does a word here, then
    initials = "".join(t.key[0] for t in there)  # ENR for Engineering News-Record
    for token in here:
        if any(alike(token, other) for other in there) or (len(initials) > 1 and token.key == initials):
            continue
        others = [
            t for t in rivals if (token.key in best.bag) == (t.key in mine.bag) or (token.kind == t.kind == "number")
        ]
        if any(likewise.opposite(token.key, other.key) for other in others):
            return True
        if token.kind == "verb":
            continue
        if token.kind in ("name", "number") and any(_rank(other) == _rank(token) for other in others):
            return True
        if (token.text or token.key) in known or not small:
            continue
        if token.kind == "name" and any(other.sort == "n" for other in others):
            return True
        if token.kind == "thing" and tight and not does and any(_same_sort(token, other) for other in others):
            return True
    return False


def _rank(token: Token) -> str:
    return "place" if token.key.startswith("第") else token.kind


def _of_another(said: Clause, whole: Clause) -> bool:
    """True where a sentence says of one name what its source says of another: neither stands in both, and no pronoun speaks for one."""
    mine = {t.key for t in takewhile(lambda t: t.kind != "verb", said.tokens[:6]) if t.kind == "name"}
    theirs = {t.key for t in takewhile(lambda t: t.kind != "verb", whole.tokens[:8]) if t.kind == "name"}
    strange = [name for name in mine if not any(name in key or key in name for key in whole.bag)]
    others = [name for name in theirs if not any(name in key or key in name for key in said.bag)]
    return bool(strange and others) and not PRONOUN.search(whole.text)


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


def _same_sort(one: Token, other: Token) -> bool:
    return other.kind in ("thing", "name") and (not one.sort or not other.sort or one.sort == other.sort)


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


def short_for(short: str, whole: str) -> bool:
    """True for 国税局 and 国家税务局: the same beginning, and the other characters in their order."""
    if not 2 <= len(short) < len(whole) <= 12 or short[0] != whole[0] or short.isascii():
        return False
    rest = iter(whole)
    return all(character in rest for character in short)


def turned_over(claim: str, readings: Sequence[str]) -> bool:
    """True where a word of the claim stands nowhere in the readings, but its opposite does."""
    _, wholes = laid_out(readings)
    known = frozenset().union(*(whole.bag for whole in wholes))
    mine = clause(claim)
    best = nearest(mine, wholes)
    if best is None or any(likewise.opposite(a, b) for a in mine.bag for b in mine.bag):
        return False  # what rises and then falls: both are in it
    return any(likewise.opposite(a, b) for a in mine.bag - known for b in best.bag - mine.bag)


def strange_names(claim: str, known: str) -> list[str]:
    """Return the names in a claim that stand nowhere in a text (folded, without white space)."""
    tokens = clause(claim).tokens
    first = re.match(r"\W*([a-zA-Z]+)\s+[a-z]", claim)
    opening = stem(first[1].lower()) if first else ""  # a capital because it comes first
    return [t.text for t in tokens if t.kind == "name" and t.key != opening and not _known(t.text, known)]


def _known(name: str, known: str) -> bool:
    """True where a name stands in a text, or half of its pairs of characters do, because the words were cut in another place."""
    if name in known or (name.isascii() and stem(name) in known):
        return True
    if name.isascii():
        return False
    pairs = [name[i : i + 2] for i in range(len(name) - 1)]
    return 2 * sum(pair in known for pair in pairs) >= len(pairs) > 1 or any(
        word in known for word in likewise.group(name)
    )
