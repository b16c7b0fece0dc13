"""The second round of a search: questions that one passage cannot answer, because what they name and what they ask stand apart.

`Who is older, the patient of hospital A or the one of hospital B?` needs two documents; `How high was the pressure of patient X?` needs two
passages of one: the name stands at the head of the record, the pressure, without the name, three sections below. So the first round's best
passages tell which documents the question names: a passage names one if it holds words of the question that hardly any other document among
the candidates holds (rarity is counted in documents here, not in passages: what stands at the head of every record is rare in passages and
tells nothing). The next document is the one that holds most of what the first did not (greedy set cover, the submodular coverage of Lin and
Bilmes, "A class of submodular functions for document summarization", ACL 2011). Inside each named document all passages are then ranked by the
rest of the question, without the names; each document's best gets the same share of the score, so none crowds out the other.

A question goes into the second round only if the named documents hold more of its words than any one passage does: a little more where it is
worded as one that asks about several things, clearly more otherwise; and if no passage elsewhere is far ahead of all of theirs, since then the
first round has found what was asked, and a longer document only happens to hold its words. All others keep their votes as they are.
Measured: see "Several passages" in benchmarks/README.md.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from yinju.errors import ModelError
from yinju.retrieve import everyday, filters, fuse, heart, lexical
from yinju.text.normalize import fold_with_offsets
from yinju.text.words import terms
from yinju.types import Query, Vote

if TYPE_CHECKING:
    from yinju.protocols import Embedder
    from yinju.store import Store
    from yinju.store.records import StoredChunk, TermCounts

LEG = "second round"
MODES = ("hybrid", "lexical")
SHARE = 0.6  # of the score that the second round gives
NAMED = 0.5  # of that share: standing in a document that the question names; the rest: how well the passage fits the rest of the question
LOOKED_AT = 30  # candidates, best first, among whose documents rarity is counted
NAMING = 3  # best candidates that may name the first document; twice as many the second, and so on
MOST_DOCUMENTS = 3
PLACES = 0.6  # of the hits for one document
LONGEST = 300  # passages of a document that are ranked; those around the naming one where it has more
ENOUGH = 0.2  # share of the weight of the question's telling words by which a document is named
ELSEWHERE = 0.7  # of that weight may be held by another document: more, and the words name neither
SPREAD, SPREAD_OF_SEVERAL = (
    0.1,
    0.02,
)  # share of the question's word weight that no single passage holds but the named documents do
AHEAD = 0.35  # of the best score: by so much a passage elsewhere is far ahead of the named documents' best
WEIGHTS = {"words": 0.225, "bigrams": 0.225, "dense": 0.55}

# Wordings that put two things side by side, so that two documents may be named.
_BESIDE = re.compile(
    r"和|与|及|跟|、|或|还是|分别|各自|比较|对比|相比|区别|不同|差异|差别|哪[^，。？?]{0,12}更|谁更"
    r"|\b(?:and|or|vs|versus|both|either|neither|compar\w+|between|than|differ\w*|respectively|each|while|whereas)\b",
    re.IGNORECASE,
)
# Wordings that ask for all of something, which may stand in several passages.
_SEVERAL = re.compile(
    r"几[项次份种个条点起处类名位家]|多少[项次份种个条点起处类名位家]|一共|总共|共有|共计|合计|总和|总结|概括|归纳|概述|所有|全部|哪些|列出|列举"
    r"|\b(?:how many|all|total|lists?|summar\w+|overall|every|in sum|what are)\b",
    re.IGNORECASE,
)
_latin_word = re.compile(r"[a-z0-9](?:[a-z0-9]|[-_.'’](?=[a-z0-9]))*")

_Term = tuple[str, str]  # field (words, bigrams) and term


@dataclass(frozen=True, slots=True)
class Round:
    """What the second round leaves: votes, and the query, which takes more passages of a document than usual unless it said how many."""

    votes: dict[int, tuple[Vote, ...]]
    query: Query
    documents: tuple[str, ...] = ()  # sources that the question names, if there was a second round


@dataclass(frozen=True, slots=True)
class _Named:
    """The documents that a question names, all their passages with the question's terms in each, and the terms that name them."""

    passages: Mapping[str, Mapping[int, TermCounts]]
    names: frozenset[_Term]


def search(
    store: Store,
    query: Query,
    votes: Mapping[int, tuple[Vote, ...]],
    question: lexical.QuestionTerms,
    embedder: Embedder | None = None,
    *,
    wanted: bool | None = None,
) -> Round:
    """Search a second time inside the documents that the question names, if it needs that (`wanted`: None) or in any case (True).

    Shares of the votes still sum to the score, 0 to 1. Where the question needs no second round the votes come back as they were.
    """
    unchanged = Round(dict(votes), query)
    if wanted is False or query.mode not in MODES or not votes:
        return unchanged
    several = bool(_BESIDE.search(query.text) or _SEVERAL.search(query.text))
    counts = store.counts()
    if not wanted and not several and counts.chunks == counts.documents:
        return unchanged  # every document is one passage: nothing of it stands elsewhere
    scores = {row: sum(vote.share for vote in given) for row, given in votes.items()}
    named = _named(store, query, question, sorted(scores, key=lambda row: (-scores[row], row)))
    if named is None:
        return unchanged
    too_little = _spread(named, question) < (SPREAD_OF_SEVERAL if several else SPREAD)
    if not wanted and (too_little or _is_outdone(named, scores)):
        return unchanged
    return Round(
        _with_second(votes, _ranked(store, query, question, named, embedder)),
        query if query.per_document is not None else replace(query, per_document=_places(query)),
        tuple(named.passages),
    )


def _places(query: Query) -> int:
    """Return how many passages of a document may be hits: three of five, since what the question asks besides may stand in another one.

    0, which is all, where copies are not collapsed: there documents have no share.
    """
    return math.ceil(PLACES * query.limit) if query.collapse else 0


def _named(store: Store, query: Query, question: lexical.QuestionTerms, order: Sequence[int]) -> _Named | None:
    """Return the documents that the question names, None if there are none. `order`: rows of the first round, best first."""
    first = _distinct(store, order)
    counted = _counts(store, question, [stored.rowid for stored in first])
    held = {row: _held(counts) for row, counts in counted.items()}
    by_document: dict[str, set[_Term]] = {}
    for stored in first:
        by_document.setdefault(stored.source, set()).update(held.get(stored.rowid, ()))
    frequency = Counter(term for found in by_document.values() for term in found)
    rarity = {term: math.log(len(by_document) / count) for term, count in frequency.items()}
    chosen = _cover(first, held, by_document, rarity, MOST_DOCUMENTS if _BESIDE.search(query.text) else 1)
    if not chosen:
        return None
    allowed = filters.allowed(store, query.where)
    inside = None if allowed is None else frozenset(allowed.tolist())
    sources = [stored.source for stored in chosen]
    names = frozenset(
        term
        for term, count in frequency.items()
        if count == sum(term in by_document[source] for source in sources)  # no other document has it
    )
    return _Named(
        {stored.source: _counts(store, question, _rows_around(store, stored, inside)) for stored in chosen}, names
    )


def _distinct(store: Store, order: Sequence[int]) -> list[StoredChunk]:
    """Return the best passages, each text once: a document that lies there twice is named by its words as if it lay there once."""
    found: dict[str, StoredChunk] = {}
    for start in range(0, len(order), LOOKED_AT):
        for stored in store.chunks(order[start : start + LOOKED_AT]):
            found.setdefault(" ".join(stored.chunk.text.split()), stored)
        if len(found) >= LOOKED_AT:
            break
    return list(found.values())[:LOOKED_AT]


def _cover(
    first: Sequence[StoredChunk],
    held: Mapping[int, Collection[_Term]],
    by_document: Mapping[str, Collection[_Term]],
    rarity: Mapping[_Term, float],
    most: int,
) -> list[StoredChunk]:
    """Return for each named document the passage that names it."""
    total = sum(rarity.values())
    chosen: list[StoredChunk] = []
    covered: set[_Term] = set()
    while total and len(chosen) < most:
        taken = {stored.source for stored in chosen}
        near = [stored for stored in first[: NAMING * (1 + len(chosen))] if stored.source not in taken]
        gains = [_weight(set(held.get(stored.rowid, ())) - covered, rarity) for stored in near]
        if not gains or max(gains) < ENOUGH * total:
            break
        best = near[gains.index(max(gains))]
        telling = set(held[best.rowid]) - covered
        others = (telling.intersection(found) for source, found in by_document.items() if source != best.source)
        if max((_weight(found, rarity) for found in others), default=0.0) > ELSEWHERE * max(gains):
            break
        chosen.append(best)
        covered.update(by_document[best.source])
    return chosen


def _rows_around(store: Store, naming: StoredChunk, inside: Collection[int] | None) -> list[int]:
    """Return the rows of the document inside the filter; where they are too many, those around the naming passage."""
    rows = [stored.rowid for stored in store.chunks_of(naming.source)]
    start = max(0, min(rows.index(naming.rowid) - LONGEST // 2, len(rows) - LONGEST))
    return [row for row in rows[start : start + LONGEST] if inside is None or row in inside]


def _spread(named: _Named, question: lexical.QuestionTerms) -> float:
    """Return the share of the question's word weight (idf) that the named documents hold and no passage of them does alone."""
    weights = {("words", term): weight for term, weight in question.words.items()}
    weights |= {("bigrams", term): weight for term, weight in question.bigrams.items()}
    passages = [_held(counts) for counted in named.passages.values() for counts in counted.values()]
    together = _weight(frozenset().union(*passages), weights)
    alone = max((_weight(held, weights) for held in passages), default=0.0)
    return (together - alone) / (sum(weights.values()) or 1.0)


def _is_outdone(named: _Named, scores: Mapping[int, float]) -> bool:
    """Whether a passage of another document was far ahead of the best of the named ones in the first round."""
    best = max(scores.values())
    theirs = max((scores[row] for counted in named.passages.values() for row in counted if row in scores), default=0.0)
    return best - theirs > AHEAD * best


def _ranked(
    store: Store, query: Query, question: lexical.QuestionTerms, named: _Named, embedder: Embedder | None
) -> dict[int, tuple[int, float]]:
    """Return for each passage of the named documents its rank in its document and how well it fits, 0 to 1."""
    rest = {
        "words": [term for term in question.words if ("words", term) not in named.names],
        "bigrams": [term for term in question.bigrams if ("bigrams", term) not in named.names],
    }
    rows = [row for counted in named.passages.values() for row in counted]
    cosines = _cosines(store, query.text, without(query.text, named.names), rows, embedder)
    found: dict[int, tuple[int, float]] = {}
    for counted in named.passages.values():
        legs = [
            fuse.Leg("words", _bm25(counted, "words", rest["words"], question.average_words), (), WEIGHTS["words"]),
            fuse.Leg(
                "bigrams", _bm25(counted, "bigrams", rest["bigrams"], question.average_bigrams), (), WEIGHTS["bigrams"]
            ),
        ]
        near = {row: cosines[row] for row in counted if row in cosines}
        legs = [leg for leg in legs if any(leg.values.values())]  # a leg that knows nothing has no say
        legs += [fuse.Leg("dense", near, (), WEIGHTS["dense"], floor=None)] if near else []
        voted = fuse.convex(legs, counted)
        fits = {row: sum(vote.share for vote in given) for row, given in voted.items()}
        ordered = sorted(fits, key=lambda row: (-fits[row], row))
        found |= {row: (rank, NAMED + (1 - NAMED) * fits[row]) for rank, row in enumerate(ordered, 1)}
    return found


def _cosines(store: Store, text: str, rest: str, rows: Sequence[int], embedder: Embedder | None) -> dict[int, float]:
    """Return the cosines to the rest of the question, as far as there are vectors."""
    if embedder is None or not store.counts().embedded(embedder.fingerprint):
        return {}
    try:
        vector = embedder.embed_queries([heart.of(rest)])[0]
    except ModelError:  # the whole question's vector came through, or its failure was told; the words rank alone
        return {}
    vector = everyday.without(vector, everyday.centre(store, embedder, text))
    return store.similarities(embedder.fingerprint, vector, rows)


def _bm25(counted: Mapping[int, TermCounts], field: str, wanted: Sequence[str], average: float) -> dict[int, float]:
    """Return BM25 of these terms with their rarity inside the document, for each of its passages."""
    counts: dict[int, Mapping[str, int]] = {row: getattr(one, field) for row, one in counted.items()}
    lengths = {row: one.word_length if field == "words" else one.bigram_length for row, one in counted.items()}
    containing = Counter(term for one in counts.values() for term, count in one.items() if count)
    weights = {term: lexical.inverse_frequency(containing[term], len(counted)) for term in wanted if containing[term]}
    return {row: lexical.bm25(weights, one, lengths[row], average) for row, one in counts.items()}


def _with_second(
    votes: Mapping[int, tuple[Vote, ...]], ranked: Mapping[int, tuple[int, float]]
) -> dict[int, tuple[Vote, ...]]:
    """Return the votes of the first round, their shares made smaller, with those of the second."""
    found = {
        row: tuple(replace(vote, share=(1 - SHARE) * vote.share) for vote in given) for row, given in votes.items()
    }
    for row, (rank, value) in ranked.items():
        found[row] = (*found.get(row, ()), Vote(LEG, rank, value, SHARE * value))
    return found


def without(question: str, names: Collection[_Term]) -> str:
    """Return the question without the words that are names; whole if nothing would be left to ask."""
    folded, offsets = fold_with_offsets(question)
    bare = {term for _field, term in names}
    out = [False] * len(question)
    spans = [match.span() for match in _latin_word.finditer(folded) if set(terms(match.group()).words).issubset(bare)]
    for term in bare:
        if not term.isascii():
            spans += [match.span() for match in re.finditer(re.escape(term), folded)]
    for start, end in spans:
        for place in range(offsets[start], offsets[end]):
            out[place] = True
    rest = "".join(" " if gone else sign for sign, gone in zip(question, out, strict=True))
    rest = " ".join(rest.split())
    return rest if lexical.asks_something(rest) else question


def _counts(store: Store, question: lexical.QuestionTerms, rows: Sequence[int]) -> dict[int, TermCounts]:
    return store.term_counts(rows, words=list(question.words), bigrams=list(question.bigrams))


def _held(counts: TermCounts) -> frozenset[_Term]:
    return frozenset(("words", term) for term, count in counts.words.items() if count) | frozenset(
        ("bigrams", term) for term, count in counts.bigrams.items() if count
    )


def _weight(held: Collection[_Term], weights: Mapping[_Term, float]) -> float:
    return math.fsum(weights.get(term, 0.0) for term in held)
