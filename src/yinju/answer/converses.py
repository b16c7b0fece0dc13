"""Who beat whom, who is whose father, what is larger than what: two sides of one relation, which can be said from either.

`A beat B`, `B lost to A` and `B was defeated by A` are one; so are 甲击败乙 and 乙败给甲. A claim that has the sides the other way round than its
source says the opposite with the same words; one that says the same with the converse word is no contradiction, though its word is the
opposite one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from yinju.answer.clauses import clause, parts
from yinju.text.normalize import fold_keeping_case

_LONGEST, _CLAUSE = 1000, 240  # characters of a text, and of one clause, that are read
# A relation, the words with which the one who comes first stands before them, and those with which it stands behind.
_TABLE: tuple[tuple[str, str, str], ...] = (
    ("beat", "打败|击败|战胜|击溃|大败|完胜|力克", "败给|输给|负于|不敌|败于"),
    ("beat", "beat|beats|defeated|defeats|overcame|won against|prevailed over",
     "lost to|loses to|(?:was|were|is|been) (?:beaten|defeated|overcome) by"),
    ("teach", "taught", "studied under|was taught by|were taught by"),
    ("succeed", "接替|取代", ""),
    ("succeed", "succeeded|replaced|succeeds|replaces", "(?:was|were|been) (?:succeeded|replaced) by"),
    ("higher", "高于", "低于"), ("larger", "大于", "小于"), ("more", "多于", "少于"), ("earlier", "早于", "晚于"),
)  # fmt: skip
# Between the words of these stands what is sold or lent.
_THREE = (
    ("sell", re.compile(r"^(?P<left>.+?)(?:卖给|出售给|售予|转让给)(?P<right>.+)$"), False),
    ("sell", re.compile(r"^(?P<left>.+?)(?:卖|出售)[了出]?.+?给(?P<right>.+)$"), False),
    (
        "sell",
        re.compile(r"^(?P<left>.+?)[从向](?P<right>.+?)(?:处|那里|手中|手里)?(?:购买|收购|买下|买来|购得|买入|买)"),
        True,
    ),
    ("sell", re.compile(r"^(?P<left>.+?)\ssold\s.+?\sto\s(?P<right>.+)$"), False),
    ("sell", re.compile(r"^(?P<left>.+?)\s(?:bought|purchased|acquired)\s.+?\sfrom\s(?P<right>.+)$"), True),
    ("lend", re.compile(r"^(?P<left>.+?)(?:借给|贷给)(?P<right>.+)$"), False),
    ("lend", re.compile(r"^(?P<left>.+?)[从向](?P<right>.+?)(?:处|那里)?(?:借[了来入到]|借款|贷款)"), True),
    ("lend", re.compile(r"^(?P<left>.+?)\slent\s.+?\sto\s(?P<right>.+)$"), False),
    ("lend", re.compile(r"^(?P<left>.+?)\sborrowed\s.+?\sfrom\s(?P<right>.+)$"), True),
)
_BEAT_BY = re.compile(r"^(?P<left>.+?)被(?P<right>.+?)(?:打败|击败|战胜|击溃|取代|接替)")
_KIN = (
    ("parent", "父亲|母亲|之父|之母|生父|生母", "儿子|女儿|之子|之女|长子|次子|长女|次女|三子|独子"),
    ("in-law", "岳父|岳母|公公|婆婆", "女婿|儿媳"),
    ("teacher", "老师|导师|师父|恩师", "学生|弟子|门生|徒弟"),
    ("grandparent", "祖父|祖母|外祖父|外祖母|爷爷|奶奶", "孙子|孙女|外孙"),
    ("uncle", "叔父|伯父|舅舅|姑姑|叔叔|舅父", "侄子|侄女|外甥"),
    ("elder", "哥哥|姐姐|兄长|胞兄|胞姐", "弟弟|妹妹|胞弟|胞妹"),
    ("parent", "father|mother|parent", "son|daughter|child"),
    ("in-law", "father-in-law|mother-in-law", "son-in-law|daughter-in-law"),
    ("teacher", "teacher|mentor|tutor", "student|pupil|disciple"),
    ("grandparent", "grandfather|grandmother", "grandson|granddaughter"),
    ("uncle", "uncle|aunt", "nephew|niece"),
)
_HAN_MORE, _HAN_LESS = "高大长多重快早强宽深厚远贵老热", "低小短少轻慢晚弱窄浅薄近廉幼冷"
_HAN_THAN = re.compile(
    r"^(?P<left>.*?)(?:要|都|也)?比(?![赛例如较重率分特利方喻基亚])(?P<right>[^的]{1,24}?)(?:更|还|要|稍|略)*(?:加|为)?"
    rf"(?P<how>[{_HAN_MORE}{_HAN_LESS}])"
)
_POLES = (
    ("more", "fewer", "less"), ("higher", "lower"), ("larger", "smaller"), ("bigger", "smaller"), ("greater", "smaller"), ("longer", "shorter"),
    ("taller", "shorter"), ("older", "younger"), ("earlier", "later"), ("faster", "slower"), ("heavier", "lighter"), ("stronger", "weaker"),
    ("warmer", "cooler", "colder"), ("wider", "narrower"), ("deeper", "shallower"), ("richer", "poorer"),
)  # fmt: skip
_POLE = {
    word: (f"than {poles[1]}", place > 0)
    for poles in reversed(_POLES)
    for place, word in reversed(list(enumerate(poles)))
}
_THAN = re.compile(
    rf"^(?P<left>.+?)\s(?P<how>{'|'.join(_POLE)})(?P<what>(?:\s\w+){{0,3}})\sthan\s(?P<right>.+)$", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Relation:
    """Two sides of a relation, as the words that name them: `first` beats, fathers, or has more than `second`."""

    name: str
    first: frozenset[str]
    second: frozenset[str]
    turned: bool  # said from the side of the second


def _infix(words: str) -> re.Pattern[str]:
    space = r"\s" if words[0].isascii() else ""
    return re.compile(rf"^(?P<left>.+?){space}(?:{words})(?![a-z]|\sby\s)(?P<right>.+)$", re.I)


_INFIXES = [(name, _infix(words), turned) for name, *sides in _TABLE for turned, words in enumerate(sides) if words]


def _kin(words: str) -> list[re.Pattern[str]]:
    if words[0].isascii():
        role = rf"(?:the |a |an )?(?:\w+ )?(?:{words})(?![a-z-])"
        return [
            re.compile(rf"^(?P<left>.+?)\s(?:is|was|became) {role} (?:of|to) (?P<right>.+)$", re.I),
            re.compile(
                rf"^(?P<left>.+?)\s(?:is|was|became) (?P<right>\S.{{0,60}}?)['’]s? (?:\w+ )?(?:{words})(?![a-z-])", re.I
            ),
        ]
    return [re.compile(rf"^(?P<left>.+?)(?:是|为|乃|即)(?P<right>.+?)的?(?:第.)?(?:{words})(?!的)")]


_KINS = [
    (name, pattern, turned) for name, *sides in _KIN for turned, words in enumerate(sides) for pattern in _kin(words)
]


def disagree(claim: str, readings: Sequence[str]) -> bool:
    """True where the claim has the two sides of a relation the other way round than its source."""
    return any(_turned(mine, theirs) for mine, theirs in _pairs(claim, readings))


def agree(claim: str, readings: Sequence[str]) -> bool:
    """True where the claim says a relation of one reading from the other side, has the sides right, and names nothing else."""
    mine = relations(claim)
    if not mine:
        return False
    named = frozenset(token.key for token in clause(claim).tokens if token.kind == "name")
    for reading in readings:
        theirs, bag = relations(reading), clause(reading).bag
        pairs = [(one, other) for one in mine for other in theirs if one.name == other.name]
        if (
            any(
                one.turned != other.turned and one.first & other.first and one.second & other.second
                for one, other in pairs
            )
            and not any(_turned(one, other) for one, other in pairs)
            and named.union(*(one.first | one.second for one in mine)) <= bag
        ):
            return True
    return False


def _pairs(claim: str, readings: Sequence[str]) -> Iterator[tuple[Relation, Relation]]:
    for mine in relations(claim):
        for reading in readings:
            yield from ((mine, theirs) for theirs in relations(reading) if theirs.name == mine.name)


def _turned(mine: Relation, theirs: Relation) -> bool:
    """What both say of the same side (人口, the league) is no side of its own."""
    return bool(
        (mine.first & theirs.second) - mine.second - theirs.first
        and (mine.second & theirs.first) - mine.first - theirs.second
    )


@lru_cache(maxsize=4096)
def relations(text: str) -> tuple[Relation, ...]:
    """Return the relations that a text states, each of one clause."""
    said = (part.text.strip() for part in parts(fold_keeping_case(text[:_LONGEST])))
    return tuple(one for part in said for one in _relations(part[:_CLAUSE]))


def _relations(part: str) -> Iterator[Relation]:
    for name, pattern, turned in (*_INFIXES, *_KINS, *_THREE):
        if match := pattern.match(part):
            yield from _relation(name, match["left"], match["right"], bool(turned))
    if match := _BEAT_BY.match(part):
        name = "succeed" if part[: match.end()].endswith(("取代", "接替")) else "beat"
        yield from _relation(name, match["left"], match["right"], True)
    if match := _HAN_THAN.match(part):
        how = match["how"]
        pole = max(_HAN_MORE.find(how), _HAN_LESS.find(how))
        yield from _relation(f"than {pole}", match["left"], match["right"], how in _HAN_LESS)
    if match := _THAN.match(part):
        name, turned = _POLE[match["how"].lower()]
        yield from _relation(f"{name}{match['what'].lower()}", match["left"], match["right"], turned)


def _relation(name: str, left: str, right: str, turned: bool) -> Iterator[Relation]:
    sides = [
        frozenset(token.key for token in clause(side).tokens if token.kind in ("name", "thing"))
        for side in (left, right)
    ]
    if all(sides):
        first, second = reversed(sides) if turned else sides
        yield Relation(name, first, second, turned)
