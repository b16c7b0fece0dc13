"""One search: filters first, each leg proposes, every candidate is scored by every leg, votes are summed, same texts collapsed."""

from __future__ import annotations

import contextlib
import math
from dataclasses import replace
from typing import TYPE_CHECKING

from yinju.chunk import indexed_text
from yinju.errors import ModelError, UsageError
from yinju.messages import say
from yinju.retrieve import evidence, filters, heart, hops, legs, lexical, phrases, shape, signs
from yinju.retrieve.legs import RetrieveOptions
from yinju.trace import Trace
from yinju.types import Hit, Query, SearchResult, Vote, Where

if TYPE_CHECKING:
    from yinju.protocols import Embedder, Reranker, Vectors
    from yinju.store import Store
    from yinju.store.records import StoredChunk

MODES = ("hybrid", "lexical", "dense", "rank-fusion")
MAXIMUM_QUESTION = 20_000  # characters
MAXIMUM_LIMIT = 1_000
RERANKED = 50


def search(
    store: Store,
    query: Query,
    embedder: Embedder | None = None,
    *,
    reranker: Reranker | None = None,
    options: RetrieveOptions | None = None,
    judged: bool = True,
) -> SearchResult:
    """Return at most `query.limit` hits. `judged=False` leaves the evidence out (0), for which `lexical` mode asks the model, too.

    A leg that cannot take part (no model, model failed, no vectors yet) is named in `notices`.

    Raises UsageError for an impossible query, StoreError for a damaged library.
    """
    options = options or RetrieveOptions()
    options = options if query.hops is None else replace(options, hops=query.hops)
    _check(query)
    trace = Trace()
    asked = phrases.understood(store, query)
    given, where, query, notices = query.text, query.where, asked.query, list(asked.notices)
    with trace.step("embed"):
        vector = question_vector(query, embedder, notices) if judged or query.mode != "lexical" else None
    with trace.step("search"), store.snapshot():
        coverage = _coverage(store, embedder)
        if vector is not None and query.mode != "lexical" and not coverage["dense"] and store.fingerprints():
            notices.append(
                say(
                    "The vectors are of another model: searched by words. `yinju sync FOLDER` embeds anew.",
                    "已有的向量属于另一个模型：按词检索。运行 `yinju sync 文件夹` 可重新嵌入。",
                )
            )
        found = legs.ask(store, query, embedder, vector, options)
        ranked = _in_rounds(store, query, embedder, found, options)
        hits, unranked = _hits(store, ranked, options, reranker)
        if len(hits) < query.limit and shape.crowded(ranked.votes, options.candidates, query):
            needed = True if ranked.documents else options.hops  # what needed a second round does still
            wider = replace(options, candidates=shape.WIDER, word_candidates=shape.WIDER, hops=needed)
            more = legs.ask(store, query, embedder, vector, wider)
            ranked = _in_rounds(store, query, embedder, more, wider)
            hits, unranked = _hits(store, ranked, options, reranker)
        query = ranked.query
        features: dict[str, float] = {}
        if judged:
            if query.limit > options.candidates:  # how many hits are shown makes no evidence
                found = legs.ask(store, replace(query, limit=1), embedder, vector, options)
            features, space = signs.of(store, found, query, options, embedder)
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
        if features and hits and lexical.asks_something(query.text)
        else 0.0,
        features=features,
        unknown=found.question.unknown if store.counts().chunks else (),  # of an empty library that says nothing
        notices=tuple(notices),
        phrases=asked.phrases,
        without=asked.without,
    )


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


def question_vector(query: Query, embedder: Embedder | None, notices: list[str]) -> Vectors | None:
    """Return the question's vector, to rank by and to judge the evidence by (in `lexical` mode only that). None: no model, or it failed."""
    if query.mode == "lexical":
        if embedder is None or not evidence.knows(embedder.fingerprint):
            return None
        with contextlib.suppress(
            ModelError
        ):  # asked for words, nobody misses the vector: the evidence is weaker, no more
            judging: Vectors = embedder.embed_queries([heart.of(query.text)])[0]
            return judging
        return None
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
    asked = heart.of(query.text)
    if asked != query.text:
        notices.append(
            say(
                "The question is long: its meaning is taken from what it asks, its start and its end; its words are all searched.",
                "问题很长：按含义检索只用其中的问句、开头和结尾；按词检索用全部文字。",
            )
        )
    try:
        vector: Vectors = embedder.embed_queries([asked])[0]
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


def _in_rounds(
    store: Store, query: Query, embedder: Embedder | None, found: legs.Legs, options: RetrieveOptions
) -> hops.Round:
    """Return the votes of the first round and of the second one, where the question needs that."""
    if query.mode == "lexical":  # the vectors were asked for the evidence only
        found = found.by_words()
    votes = legs.voted(store, embedder, found, query, options)
    return hops.search(store, query, votes, found.question, embedder, wanted=options.hops)


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
        return [
            say(
                "The library holds no text yet: `yinju sync FOLDER` reads documents into it, `yinju status` tells what could not be read.",
                "库里还没有任何文本：用 `yinju sync 文件夹` 读入文档；`yinju status` 会列出未能读取的文件。",
            )
        ]
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
