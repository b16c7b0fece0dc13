"""What came first? A claim that says so (之后, 先 … 再, after, first … then) is held against the order that its passage tells.

The passage may say it with such words, too; else events are told in the order in which they happened, unless their years say otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from yinju.answer.clauses import Clause, clause
from yinju.answer.facts import facts
from yinju.text.normalize import fold

CLEARLY = 0.3  # by how much more the words must fit the other order
_LONGEST = 600  # characters of a text that is read

_SENTENCE = re.compile(r"[。；;!?！？\n]|\.(?=\s|$)")
_ONE_WORD = r"(?:之后|以后|然后|随后|后来|接着|继而|再|才)"
# Each with the groups `first`, what came first, and `then`.
_ORDERS = tuple(
    re.compile(pattern)
    for pattern in (
        rf"先(?![生锋进驱行天])(?P<first>.{{2,60}}?)[，,]?\s*{_ONE_WORD}(?P<then>.{{2,80}})$",
        r"(?P<then>.{2,60})(?:发生|出现)在(?P<first>.{2,60})(?:之后|以后|后)$",
        r"(?P<first>.{2,60})(?:发生|出现)在(?P<then>.{2,60})(?:之前|以前|前)$",
        r"(?P<first>.{2,60}?)(?:(?:之后|以后)[，,]?|(?<![最今然随先落])后[，,])\s*(?:才|再|又)?(?P<then>.{2,80})$",
        r"(?P<then>.{2,60}?)(?:之前|以前|(?<![目当此提])前)[，,]\s*(?P<first>.{2,80})$",
        r"(?P<first>.{2,60})[，,]\s*(?:之后|然后|随后|后来|接着|继而)(?P<then>.{2,80})$",
        r"(?<![a-z])first\s+(?P<first>.{3,80}?)(?:,| and)?\s+(?:and\s+)?then\s+(?P<then>.{3,90})$",
        r"^\W*(?:after|once|as soon as)\s+(?P<first>[^,]{3,80}),\s+(?P<then>.{3,90})$",
        r"^\W*before\s+(?P<then>[^,]{3,80}),\s+(?P<first>.{3,90})$",
        r"^(?P<then>.{3,90}?),?\s+(?:only\s+)?(?:after|following)\s+(?P<first>.{3,90})$",
        r"^(?P<first>.{3,90}?)\s+before\s+(?P<then>.{3,90})$",
        r"^(?P<first>.{3,90}?)(?:,| and)\s+(?:and\s+)?(?:then|later|afterwards?|subsequently)\s+(?P<then>.{3,90})$",
    )
)
_JOINED = re.compile(
    r"[前后]|(?<![a-z])(?:after|before|following|until|when|once|since)(?![a-z])"
)  # its order is told, but not by its words' order


@dataclass(frozen=True, slots=True)
class Order:
    """The words of what came first, and of what came then."""

    first: Clause
    then: Clause


@lru_cache(maxsize=4096)
def orders(text: str) -> tuple[Order, ...]:
    """Return what a text says about the order of two things."""
    return tuple(_orders(text[:_LONGEST]))


def _orders(text: str) -> Iterator[Order]:
    for sentence in _SENTENCE.split(fold(text)):
        for pattern in _ORDERS:
            match = pattern.search(sentence.strip())
            if match:
                yield Order(clause(match["first"]), clause(match["then"]))
                break


def exchanged(claim: str, readings: Sequence[str], known: str) -> bool:
    """True where the claim says that one thing came before another one, and its source the other way round.

    `known`: all that the passages say, folded, without white space.
    """
    told = [each for reading in readings for each in orders(reading)]
    return any(_reversed(mine, told, readings, known) for mine in orders(claim))


def _reversed(mine: Order, told: Sequence[Order], readings: Sequence[str], known: str) -> bool:
    said = False
    for each in told:
        as_told = _share(mine.first, each.first) + _share(mine.then, each.then)
        turned = _share(mine.first, each.then) + _share(mine.then, each.first)
        if min(_share(mine.first, each.then), _share(mine.then, each.first)) > 0 and turned > as_told + CLEARLY:
            return True
        said = said or (as_told >= turned and min(_share(mine.first, each.first), _share(mine.then, each.then)) > 0)
    return not said and _told_later(mine, readings, known)


def _words(one: Clause) -> frozenset[str]:
    return frozenset(token.key for token in one.tokens if token.kind != "number")


def _share(mine: Clause, theirs: Clause) -> float:
    own = _words(mine)
    return len(own & theirs.bag) / len(own) if own else 0.0


def _told_later(mine: Order, readings: Sequence[str], known: str) -> bool:
    """True where all that came first, as the claim has it, is told after what came then."""
    first, then = _words(mine.first) - _words(mine.then), _words(mine.then) - _words(mine.first)
    one, other = _place(first, readings, known), _place(then, readings, known)
    if one is None or other is None:
        return False
    (at_first, reading, lowest, _), (at_then, sentence, _, highest) = one, other
    if reading == sentence:
        return lowest > highest and not _JOINED.search(fold(reading))
    years = [sorted(date[:4] for date in facts(text).dates if date[0] != "-") for text in (reading, sentence)]
    if years[0] and years[1]:
        return years[0][0] > years[1][-1]
    return at_first > at_then >= 0


def _place(words: frozenset[str], readings: Sequence[str], known: str) -> tuple[int, str, int, int] | None:
    """Return where a sentence stands that holds most of the words, the sentence, and where in it their first and last mention is."""
    best = max(readings, key=lambda reading: len(words & clause(reading).bag), default="")
    whole = clause(best)
    found = [place for place, key in enumerate(whole.keys) if key in words]
    if not found or len({whole.keys[place] for place in found}) < max(1, len(words) / 2):
        return None
    return known.find("".join(fold(best).split())), best, found[0], found[-1]
