"""Answer without a model: the fewest sentences of the passages that answer the question, quoted exactly, each with its marker.

A sentence is worth what it covers of the question's rare words, how near it is in meaning (with an embedder), whether it looks like the
kind of answer that is wanted, what its headings add, and how well its passage was ranked. A question in two parts gets a sentence for
each. Across languages words cannot meet, and meaning alone decides.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING

from yinju.answer import cues, suits, verify
from yinju.answer.context import arrange
from yinju.answer.pieces import Piece, pieces
from yinju.answer.plain import plain
from yinju.answer.support import View, chinese, letters, merged, view
from yinju.text import sentences, tables
from yinju.text.normalize import fold
from yinju.types import Context, Passage

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from yinju.protocols import Embedder

    Vector = NDArray[np.float32]

CANDIDATES = 20  # sentences that are embedded
MOST = 4  # sentences in an answer
LONGEST = 420  # characters of a sentence that can be quoted as an answer
VALUE = 1.0  # what the line that states the asked value is worth
DEFINITION = 0.4  # what a sentence is worth that says what the asked thing is
OPENING = 0.25  # what the first sentence below a heading about the question is worth
CLEAR = 2.0  # deviations above the mean nearness from which a sentence without any word of the question may answer it
SECOND = 0.85  # share of the best sentence's worth from which a second one is quoted too
SECOND_BY_WORDS = 0.95  # the same without an embedder, which is less sure
FACT = 0.6  # what a number or code of the question is worth, against 1 for all of its words
ACROSS = 0.7  # what nearness in meaning is worth in place of words, for a sentence in another language
MEANING = 1.0  # weight of nearness in meaning, against 1 for words
_parts = re.compile(
    r"[?？]+|[;；\n]|[，,。.!！]\s*(?=(?:还有|另外|以及|并且|而且|and|also)\b|还有|另外)", re.IGNORECASE
)
_joint = re.compile(
    r"\s+and\s+(?=(?:how|what|when|where|who|which|why|can|do|does|is|are|will)\b)"
    r"|(?:以及|和|与|还有|，)(?=[^，。]{0,12}(?:吗|多少|几|怎|如何|什么|谁|哪|能不能|是否))",
    re.IGNORECASE,
)
_asking = re.compile("吗|多少|几|怎|如何|什么|谁|哪|能不能|是否|多久|为何")
_both = re.compile(
    r"^(?P<first>[^，。？?和与]{1,16})(?:和|与|跟)(?P<second>[^，。？?和与]{1,16}?)(?:分别|各(?:自|是)?)(?P<rest>[^，。？?]{1,20}[？?]?)$"
)
_leading = re.compile(r"^(?:and|also|以及|还有|另外|并且|而且)\s*", re.IGNORECASE)
_two_scripts = re.compile(r"(?<=[\u4e00-\u9fff])\s+(?=[a-z])|(?<=[a-z])\s+(?=[\u4e00-\u9fff])")
_ENDS = ("。", "！", "？", ".", "!", "?")
# characters that our own markers or sentence rules would misread inside a quotation
_bracketed = re.compile(r"[\[【［]\s*\^?\d[\d\s,，、\-–^]*[\]】］]")


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


def extract(question: str, context: Context, *, embedder: Embedder | None = None, language: str = "und") -> str:
    """Return the answer's text with markers, one sentence a line; empty where no sentence can be quoted. Raises ModelError (embedder)."""
    candidates = _candidates(context.passages)
    if not candidates or not re.search(r"\w", question):
        return ""
    chosen: list[Candidate] = []
    known: dict[int, Vector] = {}
    asked = parts(question)
    for part in asked:
        for candidate in _best(part, question, candidates, context.passages, embedder, known)[
            : 1 if len(asked) > 1 else 2
        ]:
            if all(candidate.order != other.order for other in chosen) and len(chosen) < MOST:
                chosen.append(candidate)
    if not chosen:
        return ""
    if len(chosen) == 1 and suits.is_bare_reply(chosen[0].piece.worded):  # 不会。 needs what comes after it
        chosen += [c for c in candidates if c.order == chosen[0].order + 1 and c.passage == chosen[0].passage]
    text = _joined(chosen)
    return text if len(chosen) == 1 or _is_proved(text, context.passages) else _joined(chosen[:1])


def _joined(chosen: Sequence[Candidate]) -> str:
    stated = [_stated(candidate) for candidate in chosen]
    if any(c.piece.kind != "sentence" or c.under for c in chosen) or not all(text.endswith(_ENDS) for text in stated):
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
    text, marker = quotation(candidate.piece), f" [{candidate.passage.marker}]"
    stated = []
    for span in sentences.split(text):
        sentence = span.of(text)
        body = sentence.rstrip("".join(_ENDS))
        end = sentence[len(body) :]
        stated.append(f"{body}{marker}{end}" if len(end) == 1 else f"{sentence}{marker}")
    over = f"### {candidate.under}\n" if candidate.under else ""  # a heading claims nothing of its own
    return over + stated[0] + "".join(each if chinese(each) else f" {each}" for each in stated[1:])


def parts(question: str) -> list[str]:
    """Return the questions in a question: `一年要付多少？在校生能便宜吗？` asks two."""
    if len(question) > LONGEST:
        return [question]
    if both := _both.match(question.strip()):
        return [both["first"] + both["rest"], both["second"] + both["rest"]]
    found = [piece for whole in _parts.split(question) for piece in _halves(whole) if piece.strip()]
    if len(found) < 2:
        return [question]
    stripped = [_leading.sub("", piece.strip()) for piece in found]
    kept = [piece for piece in stripped if letters(piece) and len(piece) > 1]
    return kept[:3] or [question]


def _halves(question: str) -> list[str]:
    """Cut at a joint if both sides ask something: 月费多少，能退吗; but not 苹果和梨的区别是什么, nor 还在念大学，能便宜吗."""
    for joint in _joint.finditer(question):
        left = question[: joint.start()]
        if not chinese(question) or _asking.search(left):
            return [left, *_halves(question[joint.end() :])]
    return [question]


def quotation(piece: Piece) -> str:
    """Return the piece as an answer says it: a row with its column names, lines joined, nothing that looks like a marker."""
    text, lead = piece.worded, piece.lead
    if lead and len(lead) + len(text) < LONGEST:
        text = f"{lead} {text}" if not lead.endswith("：") else lead + text
    return " ".join(_bracketed.sub("", text).split())


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


def _best(
    part: str,
    question: str,
    candidates: Sequence[Candidate],
    passages: Sequence[Passage],
    embedder: Embedder | None,
    known: dict[int, Vector],
) -> list[Candidate]:
    """Return the sentence that answers a part of the question best, and a second one where it is nearly as good."""
    asked = view(part)
    weights = _weights(asked, candidates)
    ranks = dict(enumerate(arrange(max(c.passage.marker for c in candidates)), start=1))
    candidates = [
        c
        for c in candidates
        if not _replies_to_another(asked, c)
        and not (suits.is_letterhead(c.piece.text) and not suits.asks_letterhead(part))
    ]
    if not candidates:
        return []
    worth = {c.order: _lexical(part, asked, weights, c, ranks[c.passage.marker]) for c in candidates}
    near: dict[int, float] = {}
    if embedder is not None:
        worth, near = _with_meaning(part if len(part) > 3 else question, candidates, worth, embedder, known)
    worth = {c.order: worth[c.order] * suits.aside(part, c.piece.text) for c in candidates}
    ranked = sorted(candidates, key=lambda c: (-worth[c.order], c.order))
    proved = (c for c in ranked if _is_proved(_stated(c), passages))
    first = next(proved, None)
    if first is None:
        return []
    others = (c for c in proved if chinese(c.piece.worded) == chinese(first.piece.worded))  # a translation adds nothing
    enough = SECOND_BY_WORDS if embedder is None else SECOND
    second = [
        c
        for c in islice(others, 1)
        if worth[c.order] >= enough * worth[first.order] and cues.fits(part, c.piece.worded, c.said.facts) > 0.5
    ]
    whole = merged((asked, view(question)))
    return [
        _with_its_thing(part, c)
        for c in (first, *second)
        if _about(part, whole, c) or near.get(c.order, -math.inf) > _clear(part, c)
    ]


def _about(part: str, asked: View, candidate: Candidate) -> bool:
    """True where a sentence, or what stands above it, shares a word or a fact with the question."""
    above = (asked.words & candidate.above.words) | (asked.bigrams & candidate.above.bigrams)
    words = {word for word in _covered(candidate, asked) | above if len(word) > 1 or word.isascii()}
    if words or _named(part, asked, candidate) > 0 or _is_value(part, candidate):
        return True
    text = candidate.piece.worded  # 年费每年 168 元 answers 一年要付多少: one character, and the amount
    shared = suits.characters(part) & suits.characters(text)
    return len(shared) >= (1 if cues.fits(part, text, candidate.said.facts) == 1.0 else 2)


def _clear(part: str, candidate: Candidate) -> float:
    """Return how near in meaning a sentence must be that shares no word with the question. Across languages none can."""
    return -math.inf if chinese(part) != chinese(candidate.piece.worded) else CLEAR


def _replies_to_another(asked: View, candidate: Candidate) -> bool:
    """True for the yes or no to another question than the one asked."""
    if not suits.replies(candidate.piece.worded, candidate.question is not None):
        return False
    return not suits.matches(asked, candidate.question or candidate.above)


def _with_its_thing(part: str, candidate: Candidate) -> Candidate:
    if not _is_value(part, candidate):
        return candidate
    return replace(candidate, under=suits.thing(part, candidate.heading))


def _is_value(part: str, candidate: Candidate) -> bool:
    return candidate.piece.kind != "row" and suits.is_value(part, candidate.piece.worded, candidate.heading)


def _with_meaning(
    asked: str,
    candidates: Sequence[Candidate],
    worth: dict[int, float],
    embedder: Embedder,
    known: dict[int, Vector],
) -> tuple[dict[int, float], dict[int, float]]:
    """Return the worth of the likeliest candidates with their nearness in meaning, and that alone in deviations from their mean.

    Both parts of the worth are brought to 0..1, because neither has a scale.
    """
    near_words = sorted(candidates, key=lambda c: -worth[c.order])
    across = [c for c in near_words if chinese(c.piece.worded) != chinese(asked)]
    order = dict.fromkeys(c.order for c in (*near_words[: CANDIDATES // 2], *across[: CANDIDATES // 2], *near_words))
    by_order = {c.order: c for c in candidates}
    likely = [by_order[number] for number in list(order)[:CANDIDATES]]
    new = [c for c in likely if c.order not in known]
    texts = ["\n".join((" > ".join(c.passage.hit.headings), c.piece.worded)) for c in new]
    known.update(zip((c.order for c in new), embedder.embed_passages(texts) if new else (), strict=True))
    question = embedder.embed_queries([asked])[0]
    near = _on_one_scale([float(known[c.order] @ question) for c in likely], [c in across for c in likely])
    lowest, spread = min(near), (max(near) - min(near)) or 1.0
    scaled = [(value - lowest) / spread for value in near]
    most = max(worth[c.order] for c in likely) or 1.0
    # across languages words cannot meet, so there meaning speaks for them, too
    words = [
        ACROSS * value if c in across and worth[c.order] < VALUE else worth[c.order] / most
        for c, value in zip(likely, scaled, strict=True)
    ]
    mean = sum(near) / len(near)
    deviation = math.sqrt(sum((value - mean) ** 2 for value in near) / len(near)) or 1.0
    standing = {c.order: (value - mean) / deviation for c, value in zip(likely, near, strict=True)}
    summed = {c.order: 0.0 for c in candidates} | {
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


def _covered(candidate: Candidate, asked: View) -> frozenset[str]:
    return (asked.words & candidate.said.words) | (asked.bigrams & candidate.said.bigrams)


def _lexical(part: str, asked: View, weights: dict[str, float], candidate: Candidate, rank: int) -> float:
    worth = sum(weights.values()) or 1.0
    own = sum(weights.get(term, 0.0) for term in _covered(candidate, asked)) / worth
    above = (asked.words & candidate.above.words) | (asked.bigrams & candidate.above.bigrams)
    inherited = sum(weights.get(term, 0.0) for term in above - _covered(candidate, asked)) / worth
    is_value = _is_value(part, candidate)
    fit = 1.0 if is_value else cues.fits(part, candidate.piece.worded, candidate.said.facts)
    length = min(len(candidate.piece.worded) / 12, 1.0)  # fragments say little
    sure = 0.6 + 0.4 * fit if cues.countable(part) else 1.0  # an amount was asked for: no amount, no answer
    own += (
        FACT * _named(part, asked, candidate)
        + VALUE * is_value
        + DEFINITION * suits.defines(part, candidate.piece.worded)
    )
    if candidate.opening and fit > 0.5 and candidate.heading:
        own += OPENING * view(candidate.heading).coverage(asked)
    return (own + 0.5 * inherited + 0.35 * fit + 0.15 / (1 + rank)) * (0.6 + 0.4 * length) * sure


def _named(part: str, asked: View, candidate: Candidate) -> float:
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
