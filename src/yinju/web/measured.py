"""The shapes of what is measured and explained, for /openapi.json; see `shapes`."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from yinju.evaluate.compare import Change
from yinju.evaluate.diagnose import Diagnosis, Step
from yinju.types import Lines, Span, Vote


class Measured(BaseModel):
    """A figure with its 95 % interval, and of how many questions."""

    value: float
    n: int
    low: float | None
    high: float | None


class Kinds(BaseModel):
    """Figures of one kind of question."""

    kind: str
    questions: int
    hit_1: Measured | None = Field(alias="hit@1")
    hit_5: Measured | None = Field(alias="hit@5")
    mrr: Measured | None = Field(alias="mrr@10")
    refusal: Measured | None


class Bin(BaseModel):
    """Questions of about the same evidence: its mean, and the share that has an answer."""

    low: float
    high: float
    n: int
    evidence: float | None
    answerable: float | None


class Calibration(BaseModel):
    """How far the evidence can be trusted."""

    bins: list[Bin]
    error: float | None


class Slow(BaseModel):
    """A slow question."""

    id: str
    question: str
    search_ms: float
    answer_ms: float | None


class EvalReport(BaseModel):
    """The report of `eval --json`; more fields than these."""

    model_config = ConfigDict(extra="allow")
    questions: int
    measures: dict[str, Measured]
    failures: list[dict[str, Any]]


class Evaluation(BaseModel):
    """A run: its figures, and what its plots show."""

    id: str | None
    label: str
    made: float
    mode: str
    report: EvalReport
    kinds: list[Kinds]
    calibration: Calibration
    slowest: list[Slow]


class KeptRun(BaseModel):
    """A kept run in short."""

    id: str
    label: str
    made: float
    mode: str
    questions: int
    hit_5: float | None = Field(alias="hit@5")
    mrr: float | None = Field(alias="mrr@10")
    refusal: float | None


class Evaluations(BaseModel):
    """The runs that are kept, newest first."""

    evaluations: list[KeptRun]


class Difference(BaseModel):
    """How a figure changed; `p`: how likely a change as large is by chance."""

    before: float
    after: float
    difference: float
    low: float | None
    high: float | None
    p: float
    better: int
    worse: int
    same: int


class KindsOfBoth(BaseModel):
    """Figures by kind of question, of both runs."""

    before: list[Kinds]
    after: list[Kinds]


class Comparison(BaseModel):
    """Two runs, question by question."""

    questions: int
    only_before: int
    only_after: int
    measures: dict[str, Difference]
    changed: list[Change]
    kinds: KindsOfBoth


class Why(BaseModel):
    """Where each expected place was lost."""

    question: str
    expected: list[Diagnosis]


class Filter(BaseModel):
    """A filter as it was understood."""

    key: str
    pattern: str


class Passages(BaseModel):
    """How many passages there are, and how many the filters leave."""

    all: int
    allowed: int


class Row(BaseModel):
    """A passage in a leg's list or among the hits."""

    rank: int
    id: str
    source: str
    title: str | None
    headings: list[str]
    lines: Lines | None
    page: int | None
    span: Span
    text: str
    value: float
    share: float | None
    score: float
    votes: list[Vote]
    expected: bool


class Leg(BaseModel):
    """What one leg of a search said."""

    leg: str
    proposed: int
    passages: list[Row]


class Located(BaseModel):
    """Where an expected place was lost, with its rank in each leg's list and among the hits."""

    question: str
    source: str
    steps: list[Step]
    lost: str | None
    why: str
    ranks: dict[str, int | None]
    rank: int | None


class Explanation(BaseModel):
    """Everything about one search."""

    query: str
    mode: str
    limit: int
    filters: list[Filter]
    passages: Passages
    evidence: float
    refuse_below: float
    refused: bool
    features: dict[str, float]
    unknown: list[str]
    phrases: list[str]
    without: list[str]
    coverage: dict[str, float]
    took_ms: dict[str, float]
    notices: list[str]
    legs: list[Leg]
    hits: list[Row]
    expected: list[Located]


class Moved(BaseModel):
    """A hit whose rank differs; null: not among the hits."""

    id: str
    source: str
    lines: Lines | None
    page: int | None
    before: int | None
    after: int | None


class Compared(BaseModel):
    """What two settings make of one question."""

    before: Explanation
    after: Explanation
    moved: list[Moved]
