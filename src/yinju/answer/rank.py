"""Rank the sentences, rows and items of passages by how well each answers a question alone.

A sentence is worth what it covers of the question's rare words, how near it is in meaning (with an embedder), whether it looks like the
kind of answer that is wanted, what its headings add, and how well its passage was ranked. Across languages words cannot meet, and
meaning alone decides.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from yinju.answer import cues, suits
from yinju.answer.context import arrange
from yinju.answer.parts import parts
from yinju.answer.pieces import Piece, pieces
from yinju.answer.plain import plain
from yinju.answer.support import View, chinese, merged, view
from yinju.text import tables
from yinju.text.normalize import fold
from yinju.types import Passage

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from yinju.protocols import Embedder

    Vector = NDArray[np.float32]

CANDIDATES = 20  # sentences that are embedded
LONGEST = 420  # characters of a sentence that can be quoted as an answer
VALUE = 1.0  # what the line that states the asked value is worth
DEFINITION = 0.4  # what a sentence is worth that says what the asked thing is
OPENING = 0.25  # what the first sentence below a heading about the question is worth
FACT = 0.6  # what a number or code of the question is worth, against 1 for all of its words
ACROSS = 0.7  # what nearness in meaning is worth in place of words, for a sentence in another language
MEANING = 1.0  # weight of nearness in meaning, against 1 for words
_two_scripts = re.compile(r"(?<=[\u4e00-\u9fff])\s+(?=[a-z])|(?<=[a-z])\s+(?=[\u4e00-\u9fff])")
_ENDS = ("。", "！", "？", ".", "!", "?")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A piece that may be quoted, with what it says itself and what stands above it."""

    passage: Passage
    piece: Piece
    order: int
    said: View
    above: View
    question: View | None = None  # what a FAQ asks right above it
    heading: str = ""  # the nearest one above
    opening: bool = False  # the first sentence below its heading
    under: str = ""  # what a value is the value of, to be said with it


def _candidates(passages: Sequence[Passage]) -> list[Candidate]:
    found: list[Candidate] = []
    seen: set[str] = set()
    for passage in passages:
        hit = passage.hit
        above = view("\n".join((*hit.headings, hit.title or "", hit.header.replace("\t", " "))))
        contents = suits.is_contents(hit.text)
        asks = hit.headings[-1] if hit.headings and _asks(hit.headings[-1]) else ""
        heading, first = hit.headings[-1] if hit.headings else "", True
        for piece in pieces(hit):
            if piece.kind == "heading" and not piece.text.lstrip().startswith("|") and "\t" not in piece.text:
                heading, first = plain(piece.text.strip().strip("#=- \n")), True
                asks = heading if _asks(heading) else ""
                continue
            if _asks(piece.text):
                asks, first = plain(piece.text), True
                continue
            if piece.worded in seen or not _quotable(piece) or (contents and not piece.text.rstrip().endswith(_ENDS)):
                continue
            seen.add(piece.worded)
            around = merged((above, view(asks))) if asks else above
            said = view(f"{piece.lead} {piece.worded}")
            found.append(
                Candidate(passage, piece, len(found), said, around, view(asks) if asks else None, heading, first)
            )
            first = False
    return found


def _quotable(piece: Piece) -> bool:
    return (
        piece.kind in ("sentence", "row", "item")
        and len(piece.worded) <= LONGEST
        and not piece.text.rstrip().endswith(("：", ":"))
        and not suits.says_nothing(piece)
    )


def _asks(text: str) -> bool:
    return text.rstrip(" *_”\"').").endswith(("?", "？"))


def _replies_to_another(asked: View, candidate: Candidate) -> bool:
    """True for the yes or no to another question than the one asked."""
    if not suits.replies(candidate.piece.worded, candidate.question is not None):
        return False
    return not suits.matches(asked, candidate.question or candidate.above)


def is_value(part: str, candidate: Candidate) -> bool:
    """True where a sentence states the value that a question asks for, of the thing that its heading names."""
    return candidate.piece.kind != "row" and suits.is_value(part, candidate.piece.worded, candidate.heading)


@dataclass(frozen=True, slots=True)
class Ranked:
    """A candidate and its worth for a question. `nearness`: deviations above the mean nearness in meaning; -inf where not measured."""

    candidate: Candidate
    worth: float
    nearness: float = -math.inf


class Sentences:
    """The sentences of passages, ready to be ranked for one question after the other; each is embedded once at most."""

    def __init__(self, passages: Sequence[Passage], embedder: Embedder | None = None) -> None:
        self.passages, self.embedder = passages, embedder
        self.candidates = _candidates(passages)
        self._known: dict[int, Vector] = {}

    def ranked(self, part: str, question: str) -> list[Ranked]:
        """Return the sentences that may answer a part of the question, best first. Raises ModelError (embedder)."""
        asked = view(part)
        weights = _weights(asked, self.candidates)
        ranks = dict(enumerate(arrange(len(self.passages)), start=1))
        among = [
            c
            for c in self.candidates
            if not _replies_to_another(asked, c)
            and not (suits.is_letterhead(c.piece.text) and not suits.asks_letterhead(part))
        ]
        if not among:
            return []
        worth = {c.order: _lexical(part, asked, weights, c, ranks[c.passage.marker]) for c in among}
        standing: dict[int, float] = {}
        if self.embedder is not None:
            likely = _likely(part, among, worth)
            vectors = self._embedded(likely, self.embedder)
            query = self.embedder.embed_queries([part if len(part) > 3 else question])[0]
            near = [float(vector @ query) for vector in vectors]
            worth, standing = _with_meaning(part, among, likely, worth, near)
        worth = {c.order: worth[c.order] * suits.aside(part, c.piece.text) for c in among}
        ordered = sorted(among, key=lambda c: (-worth[c.order], c.order))
        return [Ranked(c, worth[c.order], standing.get(c.order, -math.inf)) for c in ordered]

    def _embedded(self, wanted: Sequence[Candidate], embedder: Embedder) -> list[Vector]:
        new = [c for c in wanted if c.order not in self._known]
        texts = ["\n".join((" > ".join(c.passage.hit.headings), c.piece.worded)) for c in new]
        if texts:
            self._known.update(zip((c.order for c in new), embedder.embed_passages(texts), strict=True))
        return [self._known[c.order] for c in wanted]


def rank(question: str, passages: Sequence[Passage], *, embedder: Embedder | None = None) -> list[Candidate]:
    """Return the sentences of the passages, the likeliest answer first; those for the parts of a question take turns.

    The first ones are what `extract` quotes, if it quotes that many. Raises ModelError (embedder).
    """
    among = Sentences(passages, embedder)
    if not among.candidates:
        return []
    lists = [among.ranked(part, question) for part in parts(question)]
    turns = (each[place].candidate for place in range(max(map(len, lists))) for each in lists if place < len(each))
    return list({candidate.order: candidate for candidate in turns}.values())


def _likely(part: str, among: Sequence[Candidate], worth: dict[int, float]) -> list[Candidate]:
    """Return the candidates whose meaning is compared: the best by words, half of them in another language where there are such."""
    by_words = sorted(among, key=lambda c: -worth[c.order])
    across = [c for c in by_words if chinese(c.piece.worded) != chinese(part)]
    chosen = {c.order: c for c in (*by_words[: CANDIDATES // 2], *across[: CANDIDATES // 2], *by_words)}
    return list(chosen.values())[:CANDIDATES]


def _with_meaning(
    asked: str,
    among: Sequence[Candidate],
    likely: Sequence[Candidate],
    worth: dict[int, float],
    near: list[float],
) -> tuple[dict[int, float], dict[int, float]]:
    """Return the worth of the likeliest candidates with their nearness in meaning, and that alone in deviations from their mean.

    Both parts of the worth are brought to 0..1, because neither has a scale.
    """
    across = [chinese(c.piece.worded) != chinese(asked) for c in likely]
    near = _on_one_scale(near, across)
    lowest, spread = min(near), (max(near) - min(near)) or 1.0
    scaled = [(value - lowest) / spread for value in near]
    most = max(worth[c.order] for c in likely) or 1.0
    # across languages words cannot meet, so there meaning speaks for them, too
    words = [
        ACROSS * value if other and worth[c.order] < VALUE else worth[c.order] / most
        for c, other, value in zip(likely, across, scaled, strict=True)
    ]
    mean = sum(near) / len(near)
    deviation = math.sqrt(sum((value - mean) ** 2 for value in near) / len(near)) or 1.0
    standing = {c.order: (value - mean) / deviation for c, value in zip(likely, near, strict=True)}
    summed = {c.order: 0.0 for c in among} | {
        c.order: word + MEANING * value for c, word, value in zip(likely, words, scaled, strict=True)
    }
    return summed, standing


def _on_one_scale(near: list[float], across: Sequence[bool]) -> list[float]:
    """Take out most of what sentences in another language than the question's are farther away on average (see retrieve/dense.py)."""
    own = [value for value, other in zip(near, across, strict=True) if not other]
    others = [value for value, other in zip(near, across, strict=True) if other]
    if len(own) < 3 or len(others) < 3:
        return near
    shift = 0.8 * max(0.0, sum(own) / len(own) - sum(others) / len(others))
    return [value + shift * other for value, other in zip(near, across, strict=True)]


def _weights(asked: View, candidates: Sequence[Candidate]) -> dict[str, float]:
    """Return what each term of the question is worth: rare ones more (smoothed inverse frequency over the sentences)."""
    counts = Counter(term for c in candidates for term in (c.said.words | c.said.bigrams))
    total = len(candidates)
    return {
        term: math.log(1 + (total + 1) / (counts[term] + 1))
        for term in asked.words | asked.bigrams
        if counts[term] or len(term) > 1
    }


def covered(candidate: Candidate, asked: View) -> frozenset[str]:
    """Return the terms of the question that the sentence itself holds."""
    return (asked.words & candidate.said.words) | (asked.bigrams & candidate.said.bigrams)


def _lexical(part: str, asked: View, weights: dict[str, float], candidate: Candidate, rank: int) -> float:
    worth = sum(weights.values()) or 1.0
    own = sum(weights.get(term, 0.0) for term in covered(candidate, asked)) / worth
    above = (asked.words & candidate.above.words) | (asked.bigrams & candidate.above.bigrams)
    inherited = sum(weights.get(term, 0.0) for term in above - covered(candidate, asked)) / worth
    states = is_value(part, candidate)
    fit = 1.0 if states else cues.fits(part, candidate.piece.worded, candidate.said.facts)
    length = min(len(candidate.piece.worded) / 12, 1.0)  # fragments say little
    sure = 0.6 + 0.4 * fit if cues.countable(part) else 1.0  # an amount was asked for: no amount, no answer
    own += (
        FACT * named(part, asked, candidate)
        + VALUE * states
        + DEFINITION * suits.defines(part, candidate.piece.worded)
    )
    if candidate.opening and fit > 0.5 and candidate.heading:
        own += OPENING * view(candidate.heading).coverage(asked)
    return (own + 0.5 * inherited + 0.35 * fit + 0.15 / (1 + rank)) * (0.6 + 0.4 * length) * sure


def named(part: str, asked: View, candidate: Candidate) -> float:
    """Return the share of the question's numbers and codes that the sentence is about, and of a row's cells that the question names.

    A sentence that sets several codes side by side is about none of them.
    """
    said = candidate.said.facts
    wanted = {q.value for q in asked.facts.quantities if not q.unit} | asked.facts.codes
    share = 0.0
    if wanted:
        rivals = said.codes - asked.facts.codes if asked.facts.codes else frozenset()
        share = len(wanted & ({q.value for q in said.quantities} | said.codes)) / len(wanted) / (1 + len(rivals))
    if candidate.piece.kind == "row":
        folded = fold(part)
        named = [
            cell for cell in tables.cells(candidate.piece.text) if len(cell) > 1 and _names_cell(fold(cell), folded)
        ]
        share += min(len(named), 2) / 2
    return share


def _names_cell(cell: str, question: str) -> bool:
    """True where a cell, or each of its names in two languages, stands in the question: `日本 Japan` is asked for by 日本."""
    return any(part in question for part in (cell, *_two_scripts.split(cell)) if len(part) > 1)
