"""Answer without a model: the fewest sentences of the passages that answer the question, quoted exactly, each with its marker.

Which sentences those are is ranked in `rank`. A question in two parts gets a sentence for each. What cannot be proved word for word is
not quoted, and nothing is quoted that shares no word with the question, unless it is clearly near in meaning or a model that reads takes it
for the answer.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from yinju.answer import cues, leads, lists, rank, suits, verify
from yinju.answer.candidates import LONGEST, Candidate, holds, repeats, tells_list
from yinju.answer.lists import ENDS
from yinju.answer.parts import parts
from yinju.answer.pieces import Piece, pieces
from yinju.answer.rank import Ranked
from yinju.answer.support import View, chinese, merged, view
from yinju.types import Context, Passage

if TYPE_CHECKING:
    from yinju.protocols import Embedder

MOST = 4  # sentences in an answer
CLEAR = 2.0  # deviations above the mean nearness from which a sentence without any word of the question may answer it
READ_AS_ANSWER = 1.0  # log odds from which a sentence without any word of the question may answer it
SECOND = 0.6  # share of the best sentence's worth from which a second one is quoted too
SECOND_BY_WORDS = 0.75  # the same without an embedder, which is less sure
# characters that our own markers or sentence rules would misread inside a quotation
_bracketed = re.compile(r"[\[【［]\s*\^?\d[\d\s,，、\-–^]*[\]】］]")


def extract(question: str, context: Context, *, embedder: Embedder | None = None, language: str = "und") -> str:
    """Return the answer's text with markers, one sentence a line; empty where no sentence can be quoted. Raises ModelError (embedder)."""
    among = rank.Sentences(context.passages, embedder)
    if not among.candidates or not re.search(r"\w", question):
        return ""
    chosen: list[Candidate] = []
    asked = parts(question)
    for part in asked:
        for candidate in _best(part, question, among)[: 1 if len(asked) > 1 else 2]:
            if all(candidate.order != other.order for other in chosen) and len(chosen) < MOST:
                chosen.append(candidate)
    chosen = [c for c in chosen if not any(other is not c and holds(other, c) for other in chosen)]
    chosen = [c for place, c in enumerate(chosen) if not any(repeats(other, c) for other in chosen[:place])]
    if not chosen:
        return ""
    if len(chosen) == 1 and suits.is_bare_reply(chosen[0].piece.worded):  # 不会。 needs what comes after it
        chosen += [c for c in among.candidates if c.order == chosen[0].order + 1 and c.passage == chosen[0].passage]
    text = _joined(chosen)
    return text if len(chosen) == 1 or _is_proved(text, context.passages) else _joined(chosen[:1])


def _joined(chosen: Sequence[Candidate]) -> str:
    stated = [_stated(candidate) for candidate in chosen]
    if any(c.piece.kind != "sentence" or c.under for c in chosen) or not all(text.endswith(ENDS) for text in stated):
        return "\n".join(stated)
    return "".join(text if place == 0 or chinese(text) else f" {text}" for place, text in enumerate(stated))


def _is_proved(text: str, passages: Sequence[Passage]) -> bool:
    """True where every marker of a text has its citation and every citation holds: what cannot be proved word for word is no extract."""
    found = verify.verify_answer(text, passages)
    cited = {citation.marker for citation in found.citations if citation.status in ("verified", "moved")}
    return bool(cited) and all(
        sentence.status in ("verified", "moved") and cited.issuperset(sentence.markers) for sentence in found.sentences
    )


def _stated(candidate: Candidate) -> str:
    """Return the quotation with its marker in front of each full stop."""
    marker = candidate.passage.marker
    if candidate.listed:
        return lists.stated(candidate.listed, marker, _clean)
    if tells_list(candidate.piece):
        hit = candidate.passage.hit

        def marked(text: str) -> str:
            return lists.marked(_clean(text), marker)

        return leads.told(hit.text, pieces(hit), candidate.piece, marker, marked, chinese(candidate.piece.worded))
    over = f"### {candidate.under}\n" if candidate.under else ""  # a heading claims nothing of its own
    return over + lists.marked(quotation(candidate.piece), marker)


def quotation(piece: Piece) -> str:
    """Return the piece as an answer says it: a row with its column names, lines joined, nothing that looks like a marker."""
    text, lead = piece.worded, piece.lead
    if lead and len(lead) + len(text) < LONGEST:
        text = f"{lead} {text}" if not lead.endswith("：") else lead + text
    return _clean(text)


def _clean(text: str) -> str:
    return " ".join(_bracketed.sub("", text).split())


def _best(part: str, question: str, among: rank.Sentences) -> list[Candidate]:
    """Return the sentence that answers a part of the question best, and a second one where it is nearly as good."""
    proved = (each for each in among.ranked(part, question) if _is_proved(_stated(each.candidate), among.passages))
    first = next(proved, None)
    if first is None:
        return []
    language = chinese(first.candidate.piece.worded)
    others = (each for each in proved if chinese(each.candidate.piece.worded) == language)  # a translation adds nothing
    enough = SECOND_BY_WORDS if among.embedder is None else SECOND
    second = [
        each for each in islice(others, 1) if each.worth >= enough * first.worth and _fits(part, each.candidate) > 0.5
    ]
    whole = merged((view(part), view(question)))
    return [_with_its_thing(part, each.candidate) for each in (first, *second) if _answers(part, whole, each)]


def _answers(part: str, asked: View, ranked: Ranked) -> bool:
    if cues.countable(part) and not (_fits(part, ranked.candidate) or rank.is_value(part, ranked.candidate)):
        return False  # how much, when and which code have no answer in a sentence without a number, a date or a code
    return (
        _about(part, asked, ranked.candidate)
        or ranked.nearness > _clear(part, ranked.candidate)
        or ranked.reads > READ_AS_ANSWER
    )


def _fits(part: str, candidate: Candidate) -> float:
    return cues.fits(part, candidate.piece.worded, candidate.said.facts)


def _about(part: str, asked: View, candidate: Candidate) -> bool:
    """True where a sentence, or what stands above it, shares a word or a fact with the question."""
    above = (asked.words & candidate.above.words) | (asked.bigrams & candidate.above.bigrams)
    words = {word for word in rank.covered(candidate, asked) | above if len(word) > 1 or word.isascii()}
    if words or rank.named(part, asked, candidate) > 0 or rank.is_value(part, candidate):
        return True
    text = candidate.piece.worded  # 年费每年 168 元 answers 一年要付多少: one character, and the amount
    shared = suits.characters(part) & suits.characters(text)
    return len(shared) >= (1 if _fits(part, candidate) == 1.0 else 2)


def _clear(part: str, candidate: Candidate) -> float:
    """Return how near in meaning a sentence must be that shares no word with the question. Across languages none can."""
    return -math.inf if chinese(part) != chinese(candidate.piece.worded) else CLEAR


def _with_its_thing(part: str, candidate: Candidate) -> Candidate:
    if not rank.is_value(part, candidate):
        return candidate
    return replace(candidate, under=suits.thing(part, candidate.heading))
