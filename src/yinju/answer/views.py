"""What a text says, ready to be compared: its words, pairs of characters and facts; and the pieces of passages with theirs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from yinju.answer import numerals
from yinju.answer.facts import Facts, facts
from yinju.answer.pieces import Piece, pieces
from yinju.text.normalize import fold
from yinju.text.words import FILLERS, terms
from yinju.types import Passage

_han = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
_latin = re.compile(r"[A-Za-zÀ-ɏ]+")
_number = re.compile(rf"[\d.·{numerals.CHINESE}]+")  # numbers are facts; how they are written is no matter of words
_part_of_number = re.compile(
    rf"[\d{numerals.CHINESE}是的了吗呢]"
)  # and particles, which join what does not belong together


@dataclass(frozen=True, slots=True)
class View:
    """What a text says, ready to be compared."""

    texts: tuple[str, ...]
    words: frozenset[str]
    bigrams: frozenset[str]
    compact: str  # folded, without white space

    @property
    def facts(self) -> Facts:
        """The facts of the texts."""
        return _facts_of(self.texts)

    def coverage(self, of: View) -> float:
        """Return the share of the other's words (or bigrams, the better) that stand here; 1 for a text without words."""
        shares = [len(a & b) / len(a) for a, b in ((of.words, self.words), (of.bigrams, self.bigrams)) if a]
        return max(shares, default=1.0)


@lru_cache(maxsize=8192)
def view(text: str) -> View:
    """Return the view of a text."""
    both = terms(text)
    words = frozenset(word for word in both.words if word not in FILLERS and not _number.fullmatch(word))
    bigrams = frozenset(pair for pair in both.bigrams if pair not in FILLERS and not _part_of_number.search(pair))
    return View((text,), words or frozenset(both.words), bigrams, "".join(fold(text).split()))


@lru_cache(maxsize=2048)
def _facts_of(texts: tuple[str, ...]) -> Facts:
    known = [facts(text) for text in texts]
    if len(known) == 1:
        return known[0]
    return Facts(
        frozenset().union(*(f.quantities for f in known)),
        frozenset().union(*(f.dates for f in known)),
        frozenset().union(*(f.codes for f in known)),
        frozenset().union(*(f.names for f in known)),
        frozenset().union(*(f.quoted for f in known)),
    )


def merged(views: Iterable[View]) -> View:
    """Return the view of several texts taken together."""
    every = list(views)
    return View(
        tuple(text for v in every for text in v.texts),
        frozenset().union(*(v.words for v in every)),
        frozenset().union(*(v.bigrams for v in every)),
        "\n".join(v.compact for v in every),
    )


def chinese(text: str) -> bool:
    """True where a text is more Chinese than Latin (a Han character counts as a word)."""
    han = len(_han.findall(text))
    return han > 0 and han >= len(_latin.findall(text))


def any_chinese(text: str) -> bool:
    """True where a text has a Han character."""
    return bool(_han.search(text))


def letters(text: str) -> bool:
    """True where a text says anything in words."""
    return bool(_han.search(text) or _latin.search(text))


@dataclass(frozen=True, slots=True)
class Part:
    """One piece of one passage, with how it reads and what it says."""

    passage: Passage
    piece: Piece
    reading: str
    view: View


def parts_of(passages: Sequence[Passage]) -> list[Part]:
    """Return all pieces of the passages that can prove something; headings cannot."""
    found = []
    for passage in passages:
        for piece in pieces(passage.hit):
            if piece.kind != "heading" and piece.text.strip():
                reading = f"{piece.lead} {piece.worded}" if piece.lead else piece.worded
                found.append(Part(passage, piece, reading, view(reading)))
    return found


def surroundings(passages: Sequence[Passage]) -> View:
    """Return what stands above and around the passages: titles, headings, table headers."""
    return merged(
        view("\n".join((*(hit.headings), hit.title or "", hit.header.replace("\t", " "))))
        for hit in (passage.hit for passage in passages)
    ) if passages else view("")  # fmt: skip
