"""Rank the sentences, rows and items of passages by how well each answers a question alone.

A sentence is worth what it covers of the question's rare words, how near it is in meaning (with an embedder), whether it looks like the
kind of answer that is wanted, what its headings add, and how well its passage was ranked. Across languages words cannot meet, and
meaning alone decides.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from yinju.answer import cues, lists, suits
from yinju.answer.candidates import Candidate, candidates, whole_lists
from yinju.answer.context import arrange
from yinju.answer.parts import parts
from yinju.answer.support import View, chinese, view
from yinju.text import tables
from yinju.text.normalize import fold
from yinju.text.title_pages import is_title_page
from yinju.types import Passage

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from yinju.protocols import Embedder

    Vector = NDArray[np.float32]

CANDIDATES = 20  # sentences that are embedded
VALUE = 1.0  # what the line that states the asked value is worth
DEFINITION = 0.4  # what a sentence is worth that says what the asked thing is
OPENING = 0.25  # what the first sentence below a heading about the question is worth
FACT = 0.6  # what a number or code of the question is worth, against 1 for all of its words
ACROSS = 0.7  # what nearness in meaning is worth in place of words, for a sentence in another language
LIST = 1.5  # what a whole list is worth where several things or a way are asked for, in units of the score
AROUND_BY_WORDS = 0.5  # what words around a sentence are worth where no meaning is measured: nothing tells which sentence goes on about them
ASIDE = 1.2  # what is taken from a sentence that only adds to the rule, in units of the score
_pronoun = re.compile(
    r"^(?:他|她|它|该|此|这|其|同时|此外|另外|然后|之后|后来|而|但|并|(?:it|he|she|they|this|these|those|his|her|its|their|however|also|but)\b)",
    re.IGNORECASE,
)
_two_scripts = re.compile(r"(?<=[\u4e00-\u9fff])\s+(?=[a-z])|(?<=[a-z])\s+(?=[\u4e00-\u9fff])")


def _replies(candidate: Candidate) -> bool:
    return suits.replies(candidate.piece.worded, candidate.question is not None)


def _replies_to_another(asked: View, candidate: Candidate) -> bool:
    """True for the yes or no to another question than the one asked."""
    return _replies(candidate) and not suits.matches(asked, candidate.question or candidate.above)


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
        self.candidates = candidates(passages)
        self._lists = whole_lists(passages, len(self.candidates) + 1)
        self._known: dict[int, Vector] = {}

    def ranked(self, part: str, question: str) -> list[Ranked]:
        """Return the sentences that may answer a part of the question, best first. Raises ModelError (embedder)."""
        asked = view(part)
        among = [
            c
            for c in self.candidates
            if not _replies_to_another(asked, c)
            and not (suits.is_letterhead(c.piece.text) and not suits.asks_letterhead(part))
        ]
        among += [c for c in self._lists if c.listed and lists.answers(part, c.listed)]
        if not among:
            return []
        signs = _signs(part, asked, among, _weights(asked, self.candidates), len(self.passages))
        standing: dict[int, float] = {}
        if self.embedder is not None:
            likely = _likely(part, among, signs)
            vectors = self._embedded(likely, self.embedder)
            query = self.embedder.embed_queries([part if len(part) > 3 else question])[0]
            standing = _with_meaning(part, likely, signs, [float(vector @ query) for vector in vectors])
            _with_what_goes_before(likely, signs, vectors, query)
        else:
            for sign in signs.values():
                sign.before, sign.topic = AROUND_BY_WORDS * sign.before, AROUND_BY_WORDS * sign.topic
        scores = {c.order: signs[c.order].score - ASIDE * (suits.aside(part, c.piece.text) < 1.0) for c in among}
        best = max(scores.values())
        ordered = sorted(among, key=lambda c: (-scores[c.order], c.order))
        return [Ranked(c, math.exp(scores[c.order] - best), standing.get(c.order, -math.inf)) for c in ordered]

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


@dataclass(slots=True)
class Signs:
    """What speaks for a sentence, most of it 0 to 1, and the score that it adds up to.

    The weights are those of a choice among the sentences of one question (the logarithm of a softmax), fitted on sets of
    benchmarks/extraction.py, each checked with a fit on the others and on questions that no fit saw, and drawn to the earlier ones, in which
    words of the question's parts and meaning had been raised, because people word questions less like the page than the makers of those sets.
    Those of `kind`, `states`, `unnamed` and `several` are set by hand: the sets hardly ask for what they tell.
    """

    words: float  # what `_lexical` gives, against the best
    dense: float  # rare words of the question for the sentence's length
    characters: float  # rare Chinese characters and Latin words of the question
    before: float  # rare words of the question that only the sentence before holds
    topic: float  # rare words of the question that stand above it or open its passage: it need not say again what all there is about
    passage: float  # 1/2 for the best passage, 1/3 for the second
    facts: float  # share of the question's numbers, dates and codes
    unit: float  # the thing that is counted stands behind a number, or the unit that tells what is measured
    thing: float  # names the kind of thing behind what or which
    person: float  # a name that the question lacks, where a person is asked for
    kind: float  # looks like the amount, date or code that alone can answer; 1/2 where anything may; -1 where it holds none
    leans: float  # begins with a pronoun or a word that goes on from the sentence before
    states: float  # says the asked value, yes or no below the question asked, or (half) what the asked thing is
    echo: float = 0.0  # says nothing but what the question and its headings say, or what the document is called
    unnamed: float = (
        0.0  # neither the sentence nor what stands above it holds the code that is asked about, and others do
    )
    near: float = 0.0  # nearness in meaning: ten times what is missing to the nearest
    near_before: float = 0.0  # nearness of the sentence before, 0 to 1
    goes_on: float = 0.0  # ten times what the sentence before, taken together with it, adds to its nearness
    several: float = 0.0  # a whole list, where several things or a way are asked for

    @property
    def score(self) -> float:
        """The weighted sum."""
        return (
            2.7 * self.words
            + 1.4 * self.dense
            + 3.35 * self.characters
            + 4.0 * self.before
            + 5.4 * self.topic
            + 3.3 * self.passage
            + 0.45 * self.facts
            + 1.65 * self.unit
            + 1.7 * self.thing
            + 0.85 * self.person
            + 1.0 * self.kind
            + 0.35 * self.leans
            + 2.0 * self.states
            - 3.0 * self.unnamed
            - 3.0 * self.echo
            + 3.55 * self.near
            - 1.1 * self.near_before
            + 2.2 * self.goes_on
            + LIST * self.several
        )


def _signs(
    part: str, asked: View, among: Sequence[Candidate], weights: Mapping[str, float], passages: int
) -> dict[int, Signs]:
    """Return what speaks for each candidate, without its meaning."""
    ranks = dict(enumerate(arrange(passages), start=1))
    whole = sum(weights.values()) or 1.0
    worth = {c.order: _lexical(part, asked, weights, c, ranks[c.passage.marker]) for c in among}
    most = max(worth.values()) or 1.0
    usual = sum(len(c.said.words) + len(c.said.bigrams) for c in among) / len(among) or 1.0
    shared = {c.order: covered(c, asked) for c in among}
    characters = _character_shares(part, among)
    facts = _facts(asked)
    named_in = {c.order for c in among if asked.facts.codes & (c.said.facts.codes | c.above.facts.codes)}
    found, last = {}, None
    opening: dict[int, frozenset[str]] = {}
    titles = _title_pages(part, among)
    for c in among:
        own = sum(weights.get(term, 0.0) for term in shared[c.order]) / whole
        flows = c.piece.kind == "sentence" and not suits.is_letterhead(c.piece.text)
        follows = flows and last is not None and last.passage == c.passage  # a row or an item goes on from no sentence
        before = shared[last.order] - shared[c.order] if last is not None and follows else frozenset[str]()
        above = (asked.words & c.above.words) | (asked.bigrams & c.above.bigrams)
        opens = opening.setdefault(c.passage.marker, shared[c.order] if flows else frozenset())
        topic = ((opens if flows else frozenset[str]()) | above) - before
        size = (len(c.said.words) + len(c.said.bigrams)) / usual
        found[c.order] = Signs(
            words=worth[c.order] / most,
            dense=own * 2.2 / (1 + 1.2 * (0.25 + 0.75 * size)),  # BM25's saturation, k1 1.2, b 0.75
            characters=characters[c.order],
            before=sum(weights.get(term, 0.0) for term in before) / whole,
            topic=sum(weights.get(term, 0.0) for term in topic - shared[c.order]) / whole,
            passage=1 / (1 + ranks[c.passage.marker]),
            facts=len(facts & _facts(c.said)) / len(facts) if facts else 0.0,
            unit=float(cues.counts(part, c.piece.worded) or cues.measures(part, c.said.facts) is True),
            thing=cues.holds_what(part, c.piece.worded),
            person=float(cues.names_somebody(part, c.piece.worded)),
            kind=_kind(part, c),
            leans=float(_pronoun.match(c.piece.worded) is not None),
            unnamed=float(bool(named_in) and c.order not in named_in),
            echo=float(c.piece.kind != "row" and (c.passage.marker in titles or not _besides(part, c))),
            several=float(c.listed is not None),
            states=float(is_value(part, c) or _replies(c)) + 0.5 * suits.defines(part, c.piece.worded),
        )
        last = c
    return found


def _title_pages(part: str, among: Sequence[Candidate]) -> frozenset[int]:
    """Return the markers of passages that only name their document, where that answers nothing: when and by whom may stand there."""
    if suits.asks_title(part):
        return frozenset()
    passages = {c.passage.marker: c.passage.hit for c in among}
    return frozenset(marker for marker, hit in passages.items() if is_title_page(hit.text, hit.title))


def _besides(part: str, candidate: Candidate) -> bool:
    """True where a sentence says more than the question and its headings do, in one sign at least; to a yes-no question it always does."""
    if "polarity" in cues.kinds(part):
        return True
    own = suits.marks(candidate.piece.worded) - suits.marks(part) - suits.marks(candidate.heading)
    return bool(own)


def _kind(part: str, candidate: Candidate) -> float:
    if not cues.countable(part):
        return 0.5
    fit = 1.0 if is_value(part, candidate) else cues.fits(part, candidate.piece.worded, candidate.said.facts)
    return fit or -1.0


def _facts(of: View) -> frozenset[str]:
    dates = of.facts.dates
    return frozenset({q.value for q in of.facts.quantities} | dates | {date[:4] for date in dates} | of.facts.codes)


def _character_shares(part: str, among: Sequence[Candidate]) -> dict[int, float]:
    """Return the share of the question's characters (and Latin words) in each candidate, rare ones counting more."""
    wanted = suits.marks(part)
    held = {c.order: wanted & suits.marks(c.piece.worded) for c in among}
    counts = Counter(mark for marks in held.values() for mark in marks)
    weights = {mark: math.log(1 + (len(among) + 1) / (counts[mark] + 1)) for mark in wanted}
    whole = sum(weights.values()) or 1.0
    return {order: sum(weights[mark] for mark in marks) / whole for order, marks in held.items()}


def _likely(part: str, among: Sequence[Candidate], signs: Mapping[int, Signs]) -> list[Candidate]:
    """Return the candidates whose meaning is compared: the best by words, half of them in another language where there are such."""
    by_words = sorted(among, key=lambda c: -signs[c.order].score)
    across = [c for c in by_words if chinese(c.piece.worded) != chinese(part)]
    chosen = {c.order: c for c in (*by_words[: CANDIDATES // 2], *across[: CANDIDATES // 2], *by_words)}
    return list(chosen.values())[:CANDIDATES]


def _with_meaning(
    asked: str, likely: Sequence[Candidate], signs: Mapping[int, Signs], near: list[float]
) -> dict[int, float]:
    """Add nearness in meaning to the signs of all; return it for the likely ones in deviations from their mean."""
    across = [chinese(c.piece.worded) != chinese(asked) for c in likely]
    near = _on_one_scale(near, across)
    lowest, highest = min(near), max(near)
    spread = (highest - lowest) or 1.0
    scaled = {c.order: (value - lowest) / spread for c, value in zip(likely, near, strict=True)}
    own = [c for c, other in zip(likely, across, strict=True) if not other] or list(likely)
    most = max(signs[c.order].characters for c in own)
    for sign in signs.values():
        sign.near = 10 * (lowest - highest)
    for c, other, value in zip(likely, across, near, strict=True):
        sign = signs[c.order]
        sign.near = 10 * (value - highest)
        before = _said_before(c, likely)
        sign.near_before = scaled[before.order] if before else 0.0
        if other and not sign.states:  # across languages words cannot meet, so there meaning speaks for them, too
            sign.words = max(sign.words, ACROSS * scaled[c.order])
            sign.characters = max(sign.characters, ACROSS * scaled[c.order] * most)
    mean = sum(near) / len(near)
    deviation = math.sqrt(sum((value - mean) ** 2 for value in near) / len(near)) or 1.0
    return {c.order: (value - mean) / deviation for c, value in zip(likely, near, strict=True)}


def _said_before(candidate: Candidate, among: Sequence[Candidate]) -> Candidate | None:
    """Return the sentence before, if it is among these; a row goes on from nothing, and nothing from a row."""
    before = next((b for b in among if b.order == candidate.order - 1 and b.passage == candidate.passage), None)
    return before if before is not None and "row" not in (before.piece.kind, candidate.piece.kind) else None


def _with_what_goes_before(
    likely: Sequence[Candidate], signs: Mapping[int, Signs], vectors: Sequence[Vector], query: Vector
) -> None:
    """Add to the signs what the sentence before adds to the nearness of each: `it` in the one may mean what the other names."""
    place = {c.order: at for at, c in enumerate(likely)}
    for at, c in enumerate(likely):
        before = _said_before(c, likely)
        if before is not None:
            both = vectors[at] + vectors[place[before.order]]
            length = math.sqrt(float(both @ both)) or 1.0
            signs[c.order].goes_on = 10 * (float(both @ query) / length - float(vectors[at] @ query))


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


def _lexical(part: str, asked: View, weights: Mapping[str, float], candidate: Candidate, rank: int) -> float:
    worth = sum(weights.values()) or 1.0
    own = sum(weights.get(term, 0.0) for term in covered(candidate, asked)) / worth
    above = (asked.words & candidate.above.words) | (asked.bigrams & candidate.above.bigrams)
    inherited = sum(weights.get(term, 0.0) for term in above - covered(candidate, asked)) / worth
    states = is_value(part, candidate)
    fit = 1.0 if states else cues.fits(part, candidate.piece.worded, candidate.said.facts)
    length = min(len(candidate.piece.worded) / 12, 1.0)  # fragments say little
    sure = 0.6 + 0.4 * fit if cues.countable(part) else 1.0  # an amount was asked for: no amount, no answer
    own += (
        FACT * named(part, asked, candidate) + VALUE * states + DEFINITION * suits.defines(part, candidate.piece.worded)
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
