"""The shapes that the routes return, for /openapi.json: what is a dataclass elsewhere is used as it is, the others are written down here.

Nothing is checked against them while the server runs: tests ask every route with what its schema allows, and compare.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any, Literal, cast, get_type_hints

from pydantic import BaseModel, create_model

from yinju.retrieve.reading import Heading, Match
from yinju.store.records import SourceSummary
from yinju.sync import PurgeReport
from yinju.sync.remarks import Remark
from yinju.types import Citation, FileReport, Receipt, Step, SyncReport
from yinju.web.jobs import Kind
from yinju.web.jobs import State as JobState
from yinju.web.measured import Evaluation
from yinju.web.receiving import Refused, Stored


def flat(name: str, kind: type, **more: Any) -> type[BaseModel]:
    """Return the shape of a dataclass as `as_plain` makes it, with its receipt's fields among its own. `more` replaces and adds."""
    found: dict[str, Any] = {}
    for part in (Receipt, kind):
        hints = get_type_hints(part)
        found |= {one.name: hints[one.name] for one in fields(part) if one.name != "receipt"}
    needed: dict[str, Any] = {key: (hint, ...) for key, hint in (found | more).items()}
    return cast("type[BaseModel]", create_model(name, **needed))


class ErrorSaid(BaseModel):
    """What went wrong: a code that stays as it is, a message for people, and what to do."""

    code: str
    message: str
    hint: str | None


class Error(BaseModel):
    """The one shape of every error."""

    error: ErrorSaid


class DroppedTold(BaseModel):
    """Characters that were left out on purpose, and a name for what they are."""

    what: str
    characters: int
    name: str


class RemarkTold(BaseModel):
    """A warning in words."""

    code: str
    detail: str
    meaning: str
    hint: str | None


assert set(RemarkTold.model_fields) == set(Remark._fields)

FileTold = flat("FileTold", FileReport, dropped=list[DroppedTold], why=str | None, remarks=list[RemarkTold])
Source = flat("Source", SourceSummary)


class Sources(BaseModel):
    """What the library holds."""

    sources: list[Source]  # type: ignore[valid-type]
    remarks: list[RemarkTold]


class Asker(BaseModel):
    """Who asks, and what that one may do."""

    name: str | None
    groups: list[str]
    owner: bool
    may_change: bool


class Status(BaseModel):
    """Counts, size and models, and who asks; null for others: what the owner alone may know."""

    library: str | None
    documents: int
    chunks: int
    embedded: int
    skipped: int
    generation: int
    embedder: str | None
    chat_model: str
    size_bytes: int | None
    roots: list[str]
    asker: Asker


class Outline(BaseModel):
    """The headings of a source."""

    source: str
    headings: list[Heading]


class Matches(BaseModel):
    """Lines that matched."""

    pattern: str
    matches: list[Match]


class PlacedBox(BaseModel):
    """A rectangle on a page, in shares of it: left, top, right, bottom."""

    page: int
    box: tuple[float, float, float, float]


class Boxes(BaseModel):
    """Where a span stands on its pages."""

    source: str
    boxes: list[PlacedBox]


class Piece(BaseModel):
    """The next piece of an answer's text."""

    text: str


class Health(BaseModel):
    """The server is there."""

    status: Literal["ok"]
    version: str


class Root(BaseModel):
    """A folder or file that a sync may look at."""

    path: str
    prefix: str
    files: int


class Roots(BaseModel):
    """What a sync may look at, and where uploads go."""

    roots: list[Root]
    uploads: str | None
    read_only: bool


_told: dict[str, Any] = {one.name: (get_type_hints(SyncReport)[one.name], ...) for one in fields(SyncReport)}
SyncTold = create_model("SyncTold", **(_told | {"files": (list[FileTold], ...)}))  # type: ignore[valid-type]


_purged: dict[str, Any] = {name: (kind, ...) for name, kind in get_type_hints(PurgeReport).items()}
PurgeTold = create_model("PurgeTold", **_purged)


class StepTold(BaseModel):
    """What one sync, add or remove did, as numbers of documents."""

    number: int
    kind: str
    time: str
    added: int
    updated: int
    renamed: int
    removed: int


class Steps(BaseModel):
    """What can be undone, newest first, and the sources whose files an undo holds back."""

    steps: list[StepTold]
    held: list[str]


class ProgressTold(BaseModel):
    """How far a job is."""

    stage: str
    done: int
    total: int
    characters: int
    rate: float
    left_s: float | None
    source: str | None


Report = SyncTold | PurgeTold | Evaluation  # of a job


class Job(BaseModel):
    """A job; `report` is that of a sync, a purge or an evaluation."""

    id: str
    kind: Kind
    state: JobState
    asked: dict[str, Any]
    created: float
    started: float | None
    ended: float | None
    progress: ProgressTold | None
    report: Report | None  # type: ignore[valid-type]
    error: ErrorSaid | None


class Started(BaseModel):
    """The job that was started."""

    job: Job


class Uploaded(BaseModel):
    """What became of the files of an upload."""

    job: Job | None
    stored: list[Stored]
    refused: list[Refused]


class Jobs(BaseModel):
    """The jobs that the server remembers, newest first, without their reports."""

    jobs: list[Job]


class CaseFile(BaseModel):
    """A file of cases, and what is wrong with it."""

    name: str
    questions: int
    problem: str | None


class CaseFiles(BaseModel):
    """The files of cases."""

    files: list[CaseFile]


class Kept(BaseModel):
    """Where feedback was kept."""

    added: bool
    file: str
    id: str | None


class OpenFeedback(BaseModel):
    """Feedback that needs somebody to say where the answer stands."""

    question: str
    verdict: str
    note: str
    time: float


class Feedback(BaseModel):
    """What came from feedback."""

    cases: int
    open: list[OpenFeedback]


class Model(BaseModel):
    """A model, as OpenAI's API tells it."""

    id: str
    object: Literal["model"]
    created: int
    owned_by: str


class Models(BaseModel):
    """The models, as OpenAI's API tells them."""

    object: Literal["list"]
    data: list[Model]


class Said(BaseModel):
    """The message of a completion."""

    role: Literal["assistant"]
    content: str


class Choice(BaseModel):
    """The one choice of a completion."""

    index: int
    message: Said
    logprobs: None
    finish_reason: Literal["stop", "length"]


class Usage(BaseModel):
    """Sizes in our own tokens."""

    prompt_tokens: int
    completion_tokens: int
    total_tokens: int


class Completion(BaseModel):
    """A completion of OpenAI's API, with the fields of ours beside it."""

    id: str
    object: Literal["chat.completion"]
    created: int
    model: str
    choices: list[Choice]
    usage: Usage
    citations: list[Citation]
    refused: bool
    evidence: float
    reason: str | None
    failure: str | None
    steps: list[Step]
