"""One search: filters first, each leg proposes, every candidate is scored by every leg, votes are summed, same texts collapsed."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from yinju.chunk import indexed_text
from yinju.errors import ModelError, UsageError
from yinju.messages import say
from yinju.retrieve import dense, everyday, evidence, filters, floor, fuse, hops, lexical, neighbours, phrases, shape
from yinju.text.language import is_chinese
from yinju.trace import Trace
from yinju.types import Hit, Query, SearchResult, Vote, Where

if TYPE_CHECKING:
    from yinju.protocols import Embedder, Reranker, Vectors
    from yinju.store import Store
    from yinju.store.records import RowIds, StoredChunk

MODES = ("hybrid", "lexical", "dense", "rank-fusion")
MAXIMUM_QUESTION = 20_000  # characters
MAXIMUM_LIMIT = 1_000
RERANKED = 50
FEW = 10  # candidates, whose scores do not tell how far the first is ahead


@dataclass(frozen=True, slots=True)
class RetrieveOptions:
    """Candidates that each leg proposes, the legs' weights in the convex sum, and how much the best lend to those like them."""

    candidates: int = 50
    word_candidates: int = 200
    dense_weight: float = 0.55
    words_weight: float = 0.225
    bigrams_weight: float = 0.225
    neighbours_weight: float = 0.15
    hops: bool | None = None  # search again inside the documents that the question names; None: where it needs that
    rerank: int | None = None  # of the best, for the reranker; None: as many as it names itself, else RERANKED


@dataclass(frozen=True, slots=True)
class _Legs:
    """What the legs found for one question, in one committed generation."""

    question: lexical.QuestionTerms
    lexical: Mapping[int, lexical.LexicalScore]
    near: dense.Near
    proposed: Mapping[str, tuple[int, ...]]


def search(
    store: Store,
    query: Query,
    embedder: Embedder | None = None,
    *,
    reranker: Reranker | None = None,
    options: RetrieveOptions | None = None,
) -> SearchResult:
    """Return at most `query.limit` hits. A leg that cannot take part (no model, model failed, no vectors yet) is named in `notices`.

    Raises UsageError for an impossible query, StoreError for a damaged library.
    """
    options = options or RetrieveOptions()
    _check(query)
    trace = Trace()
    asked = phrases.understood(store, query)
    given, where, query, notices = query.text, query.where, asked.query, list(asked.notices)
    vector = None
    if query.mode != "lexical":
        with trace.step("embed"):
            vector = _question_vector(query, embedder, notices)
    with trace.step("search"), store.snapshot():
        coverage = _coverage(store, embedder)
        if vector is not None and not coverage["dense"] and store.fingerprints():
            notices.append(
                say(
                    "The vectors are of another model: searched by words. `yinju sync FOLDER` embeds anew.",
                    "已有的向量属于另一个模型：按词检索。运行 `yinju sync 文件夹` 可重新嵌入。",
                )
            )
        legs = _ask_legs(store, query, embedder, vector, options)
        ranked = _in_rounds(store, query, embedder, legs, options)
        hits, unranked = _hits(store, ranked, options, reranker)
        if len(hits) < query.limit and shape.crowded(ranked.votes, options.candidates, query):
            needed = True if ranked.documents else options.hops  # what needed a second round does still
            wider = replace(options, candidates=shape.WIDER, word_candidates=shape.WIDER, hops=needed)
            more = _ask_legs(store, query, embedder, vector, wider)
            ranked = _in_rounds(store, query, embedder, more, wider)
            hits, unranked = _hits(store, ranked, options, reranker)
        query = ranked.query
        features, space = _evidence(store, legs, query, options, embedder)
        if not hits:
            notices += _why_nothing(store, where)
    if reranker is not None and unranked:
        with trace.step("rerank"):
            hits = _rerank(query, unranked, reranker, notices)
            hits = shape.capped(hits, query.limit, shape.wanted_per_document(query))
    if query.min_score is not None:
        hits = [hit for hit in hits if hit.score >= query.min_score]
    return SearchResult(
        query=given,
        mode=query.mode,
        hits=tuple(hits),
        coverage=coverage,
        took_ms=trace.took_ms,
        evidence=round(evidence.probability(features, space), 4)
        if hits and lexical.asks_something(query.text)
        else 0.0,
        features=features,
        unknown=legs.question.unknown,
        notices=tuple(notices),
        phrases=asked.phrases,
        without=asked.without,
    )


def _floors(store: Store, embedder: Embedder | None, legs: _Legs) -> Mapping[str, floor.Floor]:
    """Return the floors of the cosines, where anyone could make use of them."""
    if embedder is None or not legs.near.heights or not evidence.knows(embedder.fingerprint):
        return {}
    try:
        return floor.kept_or_measured(store, embedder)
    except ModelError:  # the question's own vector came through; without a floor the evidence is weaker, no more
        return {}


def _evidence(
    store: Store, legs: _Legs, query: Query, options: RetrieveOptions, embedder: Embedder | None
) -> tuple[dict[str, float], str]:
    """Return the features of the evidence and the name of the weights, the same in all modes: from the convex sum of all legs, and from
    the words alone where nothing is known of the embedding's cosines."""
    chinese = is_chinese(query.text)
    known = embedder is not None and bool(legs.near.heights) and evidence.knows(embedder.fingerprint)
    heard = legs if known else replace(legs, near=dense.Near(), proposed={**legs.proposed, "dense": ()})
    votes = _fuse(heard, replace(query, mode="hybrid"), options)
    scores = {row: sum(vote.share for vote in given) for row, given in votes.items()}
    order = sorted(scores, key=lambda row: (-scores[row], row)) or list(legs.proposed.get("dense", ()))
    above, across, sentence = 0.0, False, 0.0
    for first in store.chunks(order[:1]):
        sentence = evidence.best_sentence(first.chunk.text, legs.question)
        across = known and dense.is_across(first, query.text)
    if known and order:
        measured = _floors(store, embedder, legs).get("zh" if chinese else "en")
        level = None if measured is None else measured.of(across=across)
        above = legs.near.alike(order[0])[0] - level if level is not None else 0.0
    # scaled to the best and the worst, cosines of a few passages always lie far apart; so do those of a lifted language
    telling = not known or (len(order) >= FEW and not (across and legs.near.shift))
    nearest = legs.proposed.get("dense", ())[:1]
    features = evidence.features(
        [legs.lexical[row] for row in order[:3] if row in legs.lexical],
        [scores[row] for row in order[:2] if row in scores] if telling else [],
        sentence=sentence,
        above_floor=above,
        agree=bool(nearest) and nearest == legs.proposed.get("words", ())[:1],
        chinese=chinese,
    )
    return features, evidence.space(embedder.fingerprint if known and embedder is not None else None, across=across)


def _check(query: Query) -> None:
    if query.mode not in MODES:
        raise UsageError(
            say("There is no search mode {mode!r}.", "没有检索方式 {mode!r}。", mode=query.mode),
            say("Choose one of {modes}.", "可选：{modes}。", modes=", ".join(MODES)),
        )
    if not query.text.strip():
        raise UsageError(
            say("The question is empty.", "问题是空的。"), say("Write what you want to know.", "请写下想问的内容。")
        )
    if len(query.text) > MAXIMUM_QUESTION:
        raise UsageError(
            say("The question has {n} characters.", "问题有 {n} 个字。", n=len(query.text)),
            say("Shorten it to {most}.", "请缩短到 {most} 字以内。", most=MAXIMUM_QUESTION),
        )
    if query.min_score is not None and math.isnan(query.min_score):
        raise UsageError(
            say("The least score is no number.", "最低分不是数字。"),
            say("Write a number, such as 0.5.", "请写数字，例如 0.5。"),
        )
    if not 1 <= query.limit <= MAXIMUM_LIMIT:
        raise UsageError(
            say("The limit {n} is not possible.", "条数 {n} 不可用。", n=query.limit),
            say("Choose 1 to {most}.", "请选 1 到 {most}。", most=MAXIMUM_LIMIT),
        )


def _question_vector(query: Query, embedder: Embedder | None, notices: list[str]) -> Vectors | None:
    if embedder is None:
        if query.mode == "dense":
            raise UsageError(
                say(
                    "There is no embedding model, so there are no vectors to search.", "没有嵌入模型，无法按向量检索。"
                ),
                say(
                    "Run `yinju model list`, or search with --mode lexical.",
                    "请运行 `yinju model list`，或用 --mode lexical 检索。",
                ),
            )
        notices.append(say("No embedding model: searched by words only.", "没有嵌入模型：只按词检索。"))
        return None
    try:
        vector: Vectors = embedder.embed_queries([query.text])[0]
        return vector
    except ModelError as error:
        if query.mode == "dense":
            raise
        notices.append(
            say(
                "The embedding model failed ({why}): searched by words only.",
                "嵌入模型出错（{why}）：只按词检索。",
                why=error.message,
            )
        )
        return None


def _coverage(store: Store, embedder: Embedder | None) -> dict[str, float]:
    counts = store.counts()
    dense = counts.embedded(embedder.fingerprint) / counts.chunks if embedder is not None and counts.chunks else 0.0
    return {"lexical": 1.0, "dense": round(dense, 4)}


def _ask_legs(
    store: Store, query: Query, embedder: Embedder | None, vector: Vectors | None, options: RetrieveOptions
) -> _Legs:
    allowed: RowIds | None = filters.allowed(store, query.where)
    depth = max(options.candidates, query.limit)
    question = lexical.question_terms(store, query.text)
    proposed: dict[str, tuple[int, ...]] = {}
    rows = lexical.candidates(store, question, max(options.word_candidates, depth), allowed)
    by_words = lexical.scores(store, question, rows)
    for leg in ("words", "bigrams"):  # where only vectors rank, the evidence still asks the words
        values = {row: getattr(score, leg) for row, score in by_words.items()}
        proposed[leg] = tuple(lexical.best_first(rows, values)[:depth])
    near = dense.Near()
    if vector is not None and embedder is not None:
        vector = everyday.without(vector, everyday.centre(store, embedder, query.text))
        near = dense.nearest(store, embedder.fingerprint, (query.text, vector), depth, query.where, allowed)
        proposed["dense"] = near.proposed
    union = list(dict.fromkeys(row for rows in proposed.values() for row in rows))
    by_words |= lexical.scores(store, question, [row for row in union if row not in by_words])
    if vector is not None and embedder is not None:
        unseen = [row for row in union if row not in near.heights]
        near.heights.update(store.similarities(embedder.fingerprint, vector, unseen))
    return _Legs(question, {row: by_words[row] for row in union if row in by_words}, near, proposed)


def _fuse(legs: _Legs, query: Query, options: RetrieveOptions) -> dict[int, tuple[Vote, ...]]:
    # Where even the best passage has few of the question's words (another language, other wording), the words know little.
    known = max((score.coverage for score in legs.lexical.values()), default=0.0)
    say_of_words = math.sqrt(known) if legs.near.heights and query.mode == "hybrid" else 1.0
    opinions = []
    if query.mode != "dense":
        for name, weight in (("words", options.words_weight), ("bigrams", options.bigrams_weight)):
            values = {row: getattr(score, name) for row, score in legs.lexical.items()}
            opinions.append(fuse.Leg(name, values, legs.proposed.get(name, ()), weight * say_of_words))
    if legs.near.proposed:
        values = legs.near.values()
        opinions.append(fuse.Leg("dense", values, legs.proposed["dense"], options.dense_weight, floor=None))
    names = ("dense",) if query.mode == "dense" else tuple(legs.proposed)
    rows = list(dict.fromkeys(row for name in names for row in legs.proposed.get(name, ())))
    if query.mode == "rank-fusion":
        voted = fuse.reciprocal_ranks(opinions, rows)
    else:
        voted = fuse.convex(opinions, rows)
        if legs.near.proposed:
            voted = {row: _with_stand_in(votes, row, legs, options) for row, votes in voted.items()}
    return {row: votes for row, votes in voted.items() if votes}


def _voted(
    store: Store, embedder: Embedder | None, legs: _Legs, query: Query, options: RetrieveOptions
) -> dict[int, tuple[Vote, ...]]:
    """Return all votes of each row; the best lend to those like them where legs are weighed against each other."""
    votes = _fuse(legs, query, options)
    if query.mode != "hybrid" or embedder is None:
        return votes
    return _with_neighbours(store, embedder, legs, votes, options)


def _with_neighbours(
    store: Store, embedder: Embedder, legs: _Legs, votes: Mapping[int, tuple[Vote, ...]], options: RetrieveOptions
) -> dict[int, tuple[Vote, ...]]:
    """Add to each row's votes what the best rows lend to it."""
    scores = {row: sum(vote.share for vote in given) for row, given in votes.items()}
    vectors = store.vectors(embedder.fingerprint, list(scores)) if legs.near.heights else {}
    lent = neighbours.lent(vectors, scores, legs.near.across)
    return {
        row: (*given, Vote("neighbours", None, lent[row], options.neighbours_weight * lent[row]))
        if lent.get(row)
        else given
        for row, given in votes.items()
    }


def _with_stand_in(votes: tuple[Vote, ...], row: int, legs: _Legs, options: RetrieveOptions) -> tuple[Vote, ...]:
    """Let the words stand in for a vector that is not there yet: new text is found at once, in its place."""
    if row in legs.near.heights or not votes:
        return votes
    by_words = sum(vote.share for vote in votes)
    weight = options.dense_weight / (options.words_weight + options.bigrams_weight)
    return (*votes, Vote("no vector yet", None, by_words, weight * by_words))


def _in_rounds(
    store: Store, query: Query, embedder: Embedder | None, legs: _Legs, options: RetrieveOptions
) -> hops.Round:
    """Return the votes of the first round and of the second one, where the question needs that."""
    votes = _voted(store, embedder, legs, query, options)
    return hops.search(store, query, votes, legs.question, embedder, wanted=options.hops)


def _hits(
    store: Store, ranked: hops.Round, options: RetrieveOptions, reranker: Reranker | None
) -> tuple[list[Hit], list[Hit]]:
    """Return the hits to show and, with a reranker, the longer list that it is to order."""
    query, votes, wanted = ranked.query, ranked.votes, ranked.query.limit
    order = sorted(votes, key=lambda row: (-sum(vote.share for vote in votes[row]), row))
    if reranker is not None:
        wanted = max(wanted, options.rerank or getattr(reranker, "candidates", None) or RERANKED)
    most = None if reranker is not None else shape.wanted_per_document(query)
    hits = shape.gathered(
        store, order, query, lambda stored: as_hit(stored, votes[stored.rowid]), wanted=wanted, most=most
    )
    return hits[: query.limit], hits if reranker is not None else []


def _why_nothing(store: Store, where: Where) -> list[str]:
    """Return a notice for an empty list that is not the question's fault."""
    if not store.counts().chunks:
        return [say("The library holds no text.", "库里没有任何文本。")]
    rows = filters.allowed(store, where)
    if rows is None or len(rows):
        return []
    written = " ".join(f"{key}={pattern}" for key, pattern in filters.patterns(where))
    return [say("No passage fits the filter {filter}.", "没有段落符合筛选条件 {filter}。", filter=written)]


def _rerank(query: Query, hits: list[Hit], reranker: Reranker, notices: list[str]) -> list[Hit]:
    """Return the hits in the reranker's order; it reads each with its title and headings, without which a section may say little."""
    try:
        given = reranker.score(query.text, [indexed_text(hit.title, hit) for hit in hits])
    except ModelError as error:
        notices.append(
            say(
                "The reranker failed ({why}): order of the search kept.",
                "重排失败（{why}）：保留检索的次序。",
                why=error.message,
            )
        )
        return hits
    scored = [
        replace(hit, score=float(score), votes=(Vote("rerank", None, float(score), float(score)),))
        for hit, score in zip(hits, given, strict=True)
    ]
    return sorted(scored, key=lambda hit: -hit.score)


def as_hit(stored: StoredChunk, votes: tuple[Vote, ...] = ()) -> Hit:
    """Return the stored passage as a hit with these votes."""
    chunk = stored.chunk
    return Hit(
        id=stored.id, source=stored.source, document=stored.document, title=stored.title, headings=chunk.headings,
        lines=chunk.lines, page=chunk.page, index=chunk.index, tokens=chunk.tokens, span=chunk.span, text=chunk.text,
        header=chunk.header, type=stored.type, language=stored.language, metadata=stored.metadata,
        score=sum(vote.share for vote in votes), votes=votes,
    )  # fmt: skip
