"""Rank the sentences, rows and items of passages by how well each answers a question alone.

A sentence is worth what it covers of the question's rare words, how near it is in meaning (with an embedder), what a model that reads
says of it, whether it looks like the kind of answer that is wanted, what its headings add, and how well its passage was ranked. Across
languages words cannot meet, and meaning and reading decide.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from yinju.answer import cues, lists, passage_reading, suits
from yinju.answer.candidates import Candidate, candidates, whole_lists
from yinju.answer.context import arrange
from yinju.answer.meaning import likely, with_meaning, with_what_goes_before
from yinju.answer.parts import parts
from yinju.answer.signs import Signs
from yinju.answer.support import View, view
from yinju.errors import ModelError
from yinju.text import tables
from yinju.text.normalize import fold
from yinju.text.title_pages import is_title_page
from yinju.types import Passage

if TYPE_CHECKING:
    from yinju.answer.meaning import Vector
    from yinju.protocols import Embedder

VALUE = 1.0  # what the line that states the asked value is worth
DEFINITION = 0.4  # what a sentence is worth that says what the asked thing is
OPENING = 0.25  # what the first sentence below a heading about the question is worth
FACT = 0.6  # what a number or code of the question is worth, against 1 for all of its words
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
    """A candidate and its worth for a question. `nearness`: deviations above the mean nearness in meaning; -inf where not measured.

    `reads`: the log odds that it answers, 0 where no model reads.
    """

    candidate: Candidate
    worth: float
    nearness: float = -math.inf
    reads: float = 0.0


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
        self._read(part if len(part) > 3 else question, among, signs)
        standing: dict[int, float] = {}
        if self.embedder is not None:
            compared = likely(part, among, signs)
            vectors = self._embedded(compared, self.embedder)
            query = self.embedder.embed_queries([part if len(part) > 3 else question])[0]
            standing = with_meaning(part, compared, signs, [float(vector @ query) for vector in vectors])
            with_what_goes_before(compared, signs, vectors, query)
        else:
            for sign in signs.values():
                sign.before, sign.topic = AROUND_BY_WORDS * sign.before, AROUND_BY_WORDS * sign.topic
        scores = {c.order: signs[c.order].score - ASIDE * (suits.aside(part, c.piece.text) < 1.0) for c in among}
        best = max(scores.values())
        ordered = sorted(among, key=lambda c: (-scores[c.order], c.order))
        return [
            Ranked(c, math.exp(scores[c.order] - best), standing.get(c.order, -math.inf), signs[c.order].reads)
            for c in ordered
        ]

    def _read(self, question: str, among: Sequence[Candidate], signs: Mapping[int, Signs]) -> None:
        """Add what a model that reads says of the sentences in the best passages; one that fails says nothing."""
        ranks = zip(arrange(len(self.passages)), self.passages, strict=True)
        best = [passage for rank, passage in ranks if rank < passage_reading.RANKED]
        try:
            found = passage_reading.read(question, [passage.hit for passage in best], self.embedder)
        except ModelError:
            return
        read = {passage.marker: reading for passage, reading in zip(best, found, strict=bool(found))}
        unread = min((reading.usual for reading in read.values()), default=0.0)
        for c in among:
            reading = read.get(c.passage.marker)
            signs[c.order].reads = unread if reading is None else reading.of(c)

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
