"""Decide by our own rules whether passages support a claim. Deterministic; no model is asked.

A claim is supported when a few pieces of the passages together hold all of its checkable facts, cover enough of its words, bind its
numbers to the same words, and do not say the opposite. What cannot be compared (another language) is said to be so.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from yinju.answer import leads, rounded
from yinju.answer.facts import Facts, Quantity, holds_date, holds_quantity
from yinju.answer.otherwise import known_in, says_otherwise
from yinju.answer.polarity import flipped
from yinju.answer.views import Part, View, any_chinese, chinese, letters, merged, parts_of, surroundings, view
from yinju.text.normalize import fold
from yinju.text.words import terms
from yinju.types import Passage, Span

__all__ = (
    "Part", "Proof", "View", "carries", "chinese", "letters", "merged", "parts_of", "prove", "prove_literally", "surroundings", "translate",
    "view",
)  # fmt: skip

ENOUGH = 0.55  # share of a claim's words that its passages must hold
SOMETHING = 0.4  # share that a further marker must hold to stay
ALONE = 0.2  # share that the quoted pieces must hold without title and headings
MOST_PIECES = 3
LONGEST_CLAIM = 1200  # characters: what is longer is no sentence, and only its very words prove it
GAP = 300  # characters between two pieces that are still quoted as one

MANY = 8  # Chinese characters with content from which on they are compared one by one, too
SIGNS = 0.8  # what one of them counts, beside a word
_COMMON = frozenset("的了是在有为于以和与及也都而则就着过地得这那其该本一个不")

_CLOSERS = "。.！!？?；;，,、：:”’」』》)）]】…\"'"
_EDGES = "。.！!？?；;，,、：:“‘「『《(（[【—-\"'\n"
_spaces = re.compile(r"[^\S\n]+")


@dataclass(frozen=True, slots=True)
class Proof:
    """The pieces that come nearest to a claim, and whether they prove it."""

    parts: tuple[Part, ...]
    proved: bool
    translated: bool = False
    coverage: float = 0.0
    literal: bool = False  # the very words of the claim stand there

    @property
    def markers(self) -> tuple[int, ...]:
        """The markers of the passages that contribute, each once."""
        return tuple(dict.fromkeys(part.passage.marker for part in self.parts))

    def span(self, marker: int) -> Span | None:
        """Return where the contributing pieces of a passage stand in it: one span, the best piece alone if they lie far apart."""
        spans = [part.piece.span for part in self.parts if part.passage.marker == marker]
        if not spans:
            return None
        hull = Span(min(s.start for s in spans), max(s.end for s in spans))
        return hull if hull.end - hull.start <= sum(s.end - s.start for s in spans) + GAP else spans[0]


def prove(claim: str, passages: Sequence[Passage]) -> Proof:
    """Return the best proof of the claim from these passages together. Whatever language they are in, its very words prove it."""
    said = view(claim)
    parts = [part for part in parts_of(passages) if _comparable(claim, part) or _stands_there(said, part)]
    if not parts:
        return Proof((), False)
    claim = rounded.as_in_source(claim, [part.reading for part in parts])
    said = view(claim)
    chosen = _verbatim(said, parts) or _choose(said, parts)
    if not chosen:
        return Proof((), False)
    covered = merged([part.view for part in chosen]).coverage(said)
    around = surroundings([part.passage for part in chosen])
    everything = merged([*(part.view for part in chosen), around])
    coverage = everything.coverage(said)
    if coverage < ENOUGH:
        coverage = max(coverage, _by_signs(said, everything))
    apart = any(leads.stitched(said.compact, part.piece) for part in chosen)
    if coverage < ENOUGH or covered < ALONE or apart or _missing(said.facts, everything):
        return Proof(tuple(chosen), False, False, coverage)
    literal = _stands_there(said, chosen[0])
    proved = literal or (len(claim) <= LONGEST_CLAIM and not says_otherwise(claim, chosen, parts))
    return Proof(_with_leads(said, chosen), proved, False, coverage, literal)


def _by_signs(said: View, known: View) -> float:
    """Return the share of a Chinese claim's characters that stand there: another wording is made of the same ones."""
    signs = frozenset(sign for sign in said.compact if "\u3400" <= sign <= "\u9fff") - _COMMON
    return SIGNS * len(signs & frozenset(known.compact)) / len(signs) if len(signs) >= MANY else 0.0


def _with_leads(said: View, chosen: Sequence[Part]) -> tuple[Part, ...]:
    return tuple(replace(one, piece=leads.quoted(said.words, one.passage.hit.text, one.piece)) for one in chosen)


def _comparable(claim: str, part: Part) -> bool:
    """True where both are in one language. A row has few words of its own: its codes and numbers stand in any language."""
    if not letters(part.reading) or chinese(part.reading) == chinese(claim):
        return True
    return part.piece.kind == "row" and (not chinese(claim) or any_chinese(part.reading))


def prove_literally(claim: str, passages: Sequence[Passage]) -> Proof | None:
    """Return the proof by a piece that holds the very words of the claim, None without one."""
    said = view(claim)
    wanted = said.compact.rstrip(_CLOSERS)
    near = [p for p in passages if wanted and wanted in known_in(p.hit.text, p.hit.title, p.hit.headings, p.hit.header)]
    found = _verbatim(said, parts_of(near))
    apart = not found or leads.stitched(said.compact, found[0].piece)
    return None if apart else Proof(_with_leads(said, found), True, False, 1.0, True)


def _verbatim(said: View, parts: Sequence[Part]) -> list[Part]:
    """Return the piece that holds the very words of a claim."""
    return next(([part] for part in parts if _stands_there(said, part)), [])


def _stands_there(said: View, part: Part) -> bool:
    """True where the claim stands in a text from one mark of punctuation to another; what is left out around it could turn it around."""
    wanted = said.compact.rstrip(_CLOSERS)
    if not wanted or wanted not in part.view.compact:
        return False
    lines = _spaces.sub("", fold(part.piece.text))  # a new line is an edge, too
    return any(_between_edges(wanted, text) for text in (part.view.compact, lines))


def _between_edges(wanted: str, text: str) -> bool:
    at = text.find(wanted)
    if at < 0:
        return False
    before, after = text[:at][-1:], text[at + len(wanted) :][:1]
    return (not before or before in _EDGES) and (not after or after in _CLOSERS + _EDGES)


def _choose(said: View, parts: Sequence[Part]) -> list[Part]:
    """Return up to three pieces that together hold most of the claim, the best first: each must add words or facts."""
    held = [(part, part.view.words & said.words, part.view.bigrams & said.bigrams) for part in parts]
    held = [each for each in held if each[1] or each[2]]
    lacking = _lacking(said.facts, view(""))
    facts_of = {id(part): lacking - _lacking(said.facts, part.view) for part, _, _ in held} if lacking else {}
    chosen: list[Part] = []
    words: frozenset[str] = frozenset()
    bigrams: frozenset[str] = frozenset()
    known: frozenset[str] = frozenset()
    covered = 0.0

    def share(more_words: frozenset[str], more_bigrams: frozenset[str]) -> float:
        shares = [len(a) / len(b) for a, b in ((more_words, said.words), (more_bigrams, said.bigrams)) if b]
        return max(shares, default=1.0)

    while len(chosen) < MOST_PIECES:
        best, gain = None, 0.0
        for each in held:
            part, own_words, own_bigrams = each
            worth = share(words | own_words, bigrams | own_bigrams) - covered
            worth += 0.15 * len(facts_of.get(id(part), known) - known)
            if worth > gain + 1e-9 and part not in chosen:
                best, gain = each, worth
        if best is None or (chosen and gain < 0.1):
            break
        chosen.append(best[0])
        words, bigrams = words | best[1], bigrams | best[2]
        known |= facts_of.get(id(best[0]), known)
        covered = share(words, bigrams)
    return chosen


def translate(claim: str, passages: Sequence[Passage]) -> Proof:
    """Return a proof across languages: the claim's numbers, codes and names stand in the passage; its words cannot be compared."""
    said = view(claim)
    wanted = said.facts
    if not chinese(claim):  # a name in Latin letters may be in Chinese ones there
        wanted = Facts(wanted.quantities, wanted.dates, wanted.codes)
    wanted = Facts(wanted.quantities, wanted.dates, wanted.codes, wanted.names)  # quoted words are words
    parts = [part for part in parts_of(passages) if letters(part.reading) and chinese(part.reading) != chinese(claim)]
    if not parts:
        return Proof((), False)
    around = surroundings(passages)
    if _missing(wanted, merged([*(part.view for part in parts), around])):
        return Proof((), False)
    ranked = sorted(parts, key=lambda part: (_missing(wanted, part.view), -part.view.coverage(said)))
    chosen = ranked[:1]
    for part in ranked[1:]:
        together = merged([p.view for p in chosen])
        if len(chosen) < MOST_PIECES and _missing(wanted, together) > _missing(wanted, merged([together, part.view])):
            chosen.append(part)
    return Proof(tuple(chosen), proved=not wanted.empty, translated=True)


def carries(claim: str, passage: Passage) -> bool:
    """True where a passage holds something of the claim: enough of its words, or one of its facts, and not the opposite."""
    said = view(claim)
    for part in parts_of([passage]):
        if part.view.coverage(said) >= SOMETHING and not flipped(claim, [part.reading]):
            return True
        if not said.facts.empty and _missing(said.facts, part.view) < _missing(said.facts, view("")):
            return True
    return False


def _missing(wanted: Facts, known: View) -> int:
    """Return how many of the wanted facts the view does not hold."""
    return len(_lacking(wanted, known))


def _lacking(wanted: Facts, known: View) -> frozenset[str]:
    have = known.facts
    lacking = {
        f"{q.value} {q.unit}"
        for q in wanted.quantities
        if not (holds_quantity(q, have.quantities) or _as_year(q.value, q.unit, known) or _first(q, known))
    }
    lacking |= {date for date in wanted.dates if not holds_date(date, have)}
    lacking |= {word for word in (*wanted.codes, *wanted.names) if not _holds_word(word, known)}
    return frozenset(lacking | {f"“{quoted}" for quoted in wanted.quoted if quoted not in known.compact})


def _first(quantity: Quantity, known: View) -> bool:
    """第一次 is 首次, and the first."""
    return quantity == Quantity("1") and bool(re.search("首|最初|最早|第一|first", known.compact))


def _as_year(value: str, unit: str, known: View) -> bool:
    return not unit and any(date == value or date.startswith(value + "-") for date in known.facts.dates)


def _holds_word(word: str, known: View) -> bool:
    if word in known.facts.codes or word in known.facts.names:
        return True
    whole = terms(word).words
    return bool(whole) and (whole[0] in known.words or set(whole) <= known.words)
