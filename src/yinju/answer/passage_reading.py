"""What a reading model says of the sentences of passages: how likely each answers the question."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from yinju.answer.candidates import Candidate
from yinju.answer.pieces import Piece, pieces
from yinju.answer.support import view
from yinju.errors import ModelError
from yinju.messages import say
from yinju.protocols import Embedder, PassageReader
from yinju.trace import Trace
from yinju.types import Hit, SearchResult

SURE = 12.0  # log odds beyond which a reading is no surer
PIECES = 120  # of one passage that are read
READ = 5  # passages that are read to judge the evidence
RANKED = 10  # passages of which sentences are ranked by what was read
LEAST = 1e-4  # evidence that log odds are taken of
EVIDENCE = {"searched": 0.75, "read": 0.5, "intercept": -0.6}  # weights of log odds


@dataclass(frozen=True, slots=True)
class Reading:
    """One passage, read: the log odds that each of its pieces answers, by where it starts. What was not read counts as its usual piece."""

    pieces: Mapping[int, float] = field(default_factory=dict)

    @property
    def usual(self) -> float:
        """The log odds of the piece in the middle."""
        return statistics.median(self.pieces.values()) if self.pieces else -SURE

    @property
    def best(self) -> float:
        """The log odds of the likeliest piece."""
        return max(self.pieces.values(), default=-SURE)

    def of(self, candidate: Candidate) -> float:
        """Return the log odds that a candidate answers; of a list those of its likeliest part."""
        span = candidate.piece.span
        if candidate.listed is None:
            return self.pieces.get(span.start, self.usual)
        return max((worth for start, worth in self.pieces.items() if start in range(*span)), default=self.usual)


def read(question: str, hits: Sequence[Hit], embedder: Embedder | None) -> list[Reading]:
    """Return how likely the pieces of each passage answer; nothing where the embedder is not one that reads. Raises ModelError."""
    model = getattr(embedder, "unguarded", embedder)
    if not isinstance(model, PassageReader):
        return []
    parts = [_readable(hit) for hit in hits]
    passages = [(_above(hit), [piece.worded for piece in each]) for hit, each in zip(hits, parts, strict=True)]
    found = model.read_passages(question, passages)
    if list(map(len, found)) != list(map(len, parts)) or not all(
        math.isfinite(worth) for each in found for worth in each
    ):
        raise ModelError(
            say("The model that reads passages gave no usable numbers", "阅读段落的模型没有给出可用的数值"),
            say("Run `yinju doctor`.", "请运行 `yinju doctor`。"),
            code="bad-reading",
        )
    return [_reading(each, worths) for each, worths in zip(parts, found, strict=True)]


def with_reading(result: SearchResult, embedder: Embedder | None) -> SearchResult:
    """Return the result with its evidence after the first passages were read; as it was where no model reads or nothing was found.

    Both opinions are joined by their log odds. Weights: a logistic regression on clapnq-dev, rgb-zh-refine and the examples, each as heavy as the
    others, gave 0.63, 0.53 and -0.22; with a little more weight on the search, and an intercept at which the default threshold answers and refuses
    about as many of the examples' questions wrongly (benchmarks/README.md has the figures of fits without the set that is tested).
    """
    if not result.hits or not result.evidence:
        return result
    trace = Trace()
    try:
        with trace.step("read"):
            found = read(result.query, result.hits[:READ], embedder)
    except ModelError as error:
        told = say("The passages were not read: {reason}", "未能阅读段落：{reason}", reason=error.message)
        return replace(result, notices=(*result.notices, told))
    if not found:
        return result
    searched = min(max(result.evidence, LEAST), 1 - LEAST)
    odds = (
        EVIDENCE["searched"] * math.log(searched / (1 - searched))
        + EVIDENCE["read"] * max(reading.best for reading in found)
        + EVIDENCE["intercept"]
    )
    evidence = round(1 / (1 + math.exp(-odds)), 4)
    if _holds_codes(result):
        evidence = max(evidence, result.evidence)
    return replace(result, evidence=evidence, took_ms={**result.took_ms, **trace.took_ms})


def _holds_codes(result: SearchResult) -> bool:
    """True where the question names a code (SKU-6678) and one of the passages has it: words know that better than a model that reads it in pieces."""
    codes = view(result.query).facts.codes
    return bool(codes) and any(codes <= view(_whole(hit)).facts.codes for hit in result.hits[:READ])


def _whole(hit: Hit) -> str:
    return "\n".join((*hit.headings, hit.title or "", hit.header, hit.text))


def _above(hit: Hit) -> str:
    return " > ".join(hit.headings) or hit.title or ""


def _readable(hit: Hit) -> list[Piece]:
    return [piece for piece in pieces(hit) if piece.worded.strip()][:PIECES]


def _reading(parts: Sequence[Piece], worths: Sequence[float]) -> Reading:
    return Reading({part.span.start: max(-SURE, min(SURE, worth)) for part, worth in zip(parts, worths, strict=True)})
