"""Routes that measure: cases asked as a job, the runs that were kept, and what people thought of an answer, kept as cases.

What is kept lies in the library's own folder, as lines of JSON that `yinju eval` reads: people own it, and may edit it. It quotes documents of
every access list, so all of it is the owner's.
"""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from fastapi import APIRouter, Query
from fastapi import Path as InPath
from pydantic import BaseModel, ConfigDict, Field

from yinju import private
from yinju.errors import SourceMissing, StoreReadOnly, UsageError
from yinju.messages import say
from yinju.types import Lines
from yinju.web.finding import NUMBER, Mode, Text, Yes
from yinju.web.inspecting import Expected, golds
from yinju.web.jobs import Job
from yinju.web.state import Changing, Owner, State

if TYPE_CHECKING:
    from yinju.evaluate import Case

router = APIRouter(prefix="/api", tags=["measure"])
FEEDBACK, OPEN, CASES, RUNS = "feedback.jsonl", "feedback-open.jsonl", "cases", "evaluations"
MOST_FEEDBACK_BYTES = 4 * 1024 * 1024
SHOWN = 200  # newest of what is open
_Line = Annotated[int, Field(ge=1, le=100_000_000), NUMBER]
RunId = Annotated[str, Field(min_length=1, max_length=255)]


class EvalRequest(BaseModel):
    """Questions as in a file of `yinju eval`, or the name of such a file in the library's folder."""

    model_config = ConfigDict(extra="forbid")
    cases: list[dict[str, Any]] | None = Field(default=None, min_length=1, max_length=10_000)
    file: str | None = Field(default=None, min_length=1, max_length=255, description="a name of /api/cases")
    mode: Mode = "hybrid"
    where: dict[str, str] = Field(default_factory=dict, max_length=20)
    answers: Yes = True
    label: str = Field(default="", max_length=200)


class FeedbackRequest(BaseModel):
    """What somebody thought of an answer. `source` is where it stands: what was cited (up), or what should have been (down)."""

    model_config = ConfigDict(extra="forbid")
    question: Text
    verdict: Literal["up", "down"]
    source: str | None = Field(default=None, min_length=1, max_length=4_096)
    lines: tuple[_Line, _Line] | None = None
    quote: str | None = Field(default=None, max_length=4_000)
    note: str = Field(default="", max_length=4_000)
    answerable: Yes | None = Field(default=None, description="false: the documents do not say")


@router.post("/eval", status_code=202)
async def evaluate(asked: EvalRequest, served: Owner) -> dict[str, Any]:
    """Ask cases as a job; its report is what /api/evaluations/{id} tells."""
    cases = await served.work.run(lambda: _cases(served, asked))
    about = {
        "questions": len(cases),
        "file": asked.file,
        "mode": asked.mode,
        "answers": asked.answers,
        "label": asked.label,
    }
    return {"job": served.jobs.start("eval", about, lambda job: _ask(served, job, cases, asked)).plain()}


@router.get("/cases")
async def cases(served: Owner) -> dict[str, Any]:
    """List the files of cases in the library's folder."""
    return {"files": await served.work.run(lambda: [_described(path) for path in _files(served)])}


@router.get("/evaluations")
async def evaluations(served: Owner) -> dict[str, Any]:
    """List the runs that are kept, newest first."""
    from yinju.evaluate import kept

    folder = _folder(served)
    found = [] if folder is None else await served.work.run(lambda: kept.runs(folder / RUNS))
    return {"evaluations": [run.as_json() for run in found]}


@router.get("/evaluations/{id}")
async def evaluation(id: Annotated[RunId, InPath()], served: Owner) -> dict[str, Any]:
    """Return a kept run: its figures, and what its plots show."""
    return await served.work.run(lambda: _evaluation(served, id))


@router.get("/comparison")
async def comparison(
    before: Annotated[RunId, Query()], after: Annotated[RunId, Query()], served: Owner
) -> dict[str, Any]:
    """Compare two kept runs question by question."""
    return await served.work.run(lambda: _comparison(served, before, after))


@router.post("/feedback")
async def feedback(asked: FeedbackRequest, served: Changing) -> dict[str, Any]:
    """Keep what somebody thought of an answer as a case."""
    return await served.work.run(lambda: _keep(served, asked))


@router.get("/feedback")
async def feedback_kept(served: Owner) -> dict[str, Any]:
    """Count the cases that came from feedback, and list what needs somebody to say where the answer stands."""
    return await served.work.run(lambda: _feedback(served))


def _folder(served: State) -> Path | None:
    folder = served.library.store.folder
    return None if folder is None else Path(folder)


def _files(served: State) -> list[Path]:
    """Return the files of cases that there are."""
    folder = _folder(served)
    if folder is None:
        return []
    found = [folder / FEEDBACK, *sorted((folder / CASES).glob("*.jsonl"))]
    return [path for path in found if path.is_file()]


def _described(path: Path) -> dict[str, Any]:
    from yinju import evaluate

    try:
        return {"name": path.name, "questions": len(evaluate.read(path)), "problem": None}
    except UsageError as error:
        return {"name": path.name, "questions": 0, "problem": error.message}


def _cases(served: State, asked: EvalRequest) -> list[Case]:
    """Return the cases of a request. Raises UsageError naming the first that is wrong, SourceMissing for a file that is not there."""
    from yinju.evaluate import cases

    if (asked.cases is None) is (asked.file is None):
        raise UsageError(
            say("Give cases, or a file of them.", "请给出问题，或问题文件。"),
            say("One of `cases` and `file`.", "`cases` 与 `file` 二选一。"),
        )
    if not served.library.store.counts().chunks:
        raise SourceMissing(
            say("The library is empty.", "库是空的。"),
            say("Add documents first.", "请先添加文档。"),
            code="no-documents",
        )
    if asked.cases is not None:
        return cases.parse("\n".join(json.dumps(one) for one in asked.cases))
    path = next((path for path in _files(served) if path.name == asked.file), None)
    if path is None:
        raise SourceMissing(
            say("There is no such file of cases.", "没有这个问题文件。"),
            say("/api/cases lists those that there are.", "/api/cases 列出已有的文件。"),
            code="no-cases",
        )
    return cases.read(path)


def _ask(served: State, job: Job, cases: list[Case], asked: EvalRequest) -> dict[str, Any]:
    """Ask the cases, keep the run where the server may, and return it. Raises JobCancelled between two questions."""
    from yinju.evaluate import figures, kept, run

    began = time.monotonic()

    def show(done: int, total: int) -> None:
        job.check_cancelled()
        left = (time.monotonic() - began) / done * (total - done) if done else None
        job.tell(
            {"stage": "ask", "done": done, "total": total, "characters": 0, "rate": 0.0, "source": None,
             "left_s": None if left is None else round(left, 1)}
        )  # fmt: skip

    records = run(served.library, cases, mode=asked.mode, where=asked.where, answers=asked.answers, progress=show)
    folder = _folder(served)
    about: dict[str, Any] = {"id": None, "label": asked.label, "made": time.time(), "mode": asked.mode}
    if folder is not None and served.may_change:
        saved = kept.save(folder / RUNS, records, asked.label)
        about |= {"id": saved.id, "made": saved.made}
    return {**about, **figures.as_json(records)}


def _evaluation(served: State, id: str) -> dict[str, Any]:
    from yinju.evaluate import figures, kept

    run, records = kept.read((_folder(served) or Path()) / RUNS, id)
    about = {"id": run.id, "label": run.label, "made": run.made, "mode": run.mode}
    return {**about, **figures.as_json(records)}


def _comparison(served: State, before: str, after: str) -> dict[str, Any]:
    from yinju.evaluate import compare, figures, kept
    from yinju.evaluate.compare import as_json

    folder = (_folder(served) or Path()) / RUNS
    (_, old), (_, new) = kept.read(folder, before), kept.read(folder, after)
    kinds = {"before": figures.kinds(old), "after": figures.kinds(new)}
    return {**as_json(compare(old, new)), "kinds": kinds}


def _keep(served: State, asked: FeedbackRequest) -> dict[str, Any]:
    """Append what was said to the file that it belongs to. Raises UsageError, SourceMissing, StoreReadOnly."""
    from yinju.evaluate import Case, Gold
    from yinju.evaluate.cases import append

    folder = _folder(served)
    if folder is None:
        raise UsageError(
            say("A library in memory keeps nothing.", "内存中的资料库不能保存。"),
            say("Serve one that has a folder.", "请使用有文件夹的资料库。"),
            code="no-folder",
        )
    if asked.source is None and (asked.lines or asked.quote):
        raise UsageError(
            say("A place without its source.", "出处缺少来源。"), say("Say `source`.", "请给出 `source`。")
        )
    if asked.source is not None and asked.answerable is False:
        raise UsageError(
            say("What has a source is answerable.", "有来源的问题就是有答案的。"),
            say("Leave out `source` or `answerable`.", "请去掉 `source` 或 `answerable`。"),
        )
    expected: list[Gold] = []
    if asked.source is not None:
        served.library.receipt(asked.source)
        expected = golds(_expected(asked.source, asked.lines, asked.quote))
    with served.feedback:
        if not expected and asked.answerable is not False:
            _append_open(_with_room(folder / OPEN), asked)
            return {"added": True, "file": OPEN, "id": None}
        case = Case(asked.question, tuple(expected), answerable=asked.answerable is not False, kind="feedback")
        try:
            added = append(_with_room(folder / FEEDBACK), case, _noted(asked), links=False)
        except UsageError as error:
            if error.code != "known-case":
                raise
            return {"added": False, "file": FEEDBACK, "id": None}
    return {"added": True, "file": FEEDBACK, "id": added.id}


def _expected(source: str, lines: Lines | None, quote: str | None) -> Expected:
    return Expected(source=source, lines=lines, quote=quote if quote and quote.strip() else None)


def _noted(asked: FeedbackRequest) -> str:
    return f"{asked.verdict}: {asked.note}" if asked.note.strip() else asked.verdict


def _append_open(path: Path, asked: FeedbackRequest) -> None:
    line = {"question": asked.question, "verdict": asked.verdict, "note": asked.note, "time": round(time.time())}
    try:
        with private.opened(path, "a") as file:
            file.write(json.dumps(line, ensure_ascii=False) + "\n")
    except OSError as error:
        raise StoreReadOnly(
            say(
                "The feedback cannot be kept: {why}", "无法保存反馈：{why}", why=error.strerror or type(error).__name__
            ),
            say("Look at the disk of the server.", "请检查服务器的磁盘。"),
            code="not-written",
        ) from error


def _with_room(path: Path) -> Path:
    """Return the path. Raises UsageError where the file is as large as it may be."""
    if path.exists() and os.path.getsize(path) > MOST_FEEDBACK_BYTES:
        raise UsageError(
            say("There is as much feedback as is kept.", "反馈已达上限。"),
            say("Move {name} away, or empty it.", "请移走或清空 {name}。", name=path.name),
            code="feedback-full",
        )
    return path


def _feedback(served: State) -> dict[str, Any]:
    folder = _folder(served)
    if folder is None:
        return {"cases": 0, "open": []}
    kept = folder / FEEDBACK
    return {
        "cases": _described(kept)["questions"] if kept.exists() and kept.stat().st_size else 0,
        "open": _open_ones(folder / OPEN),
    }


def _open_ones(path: Path) -> list[dict[str, Any]]:
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError):
        return []
    found = []
    for line in reversed(lines[-SHOWN - 1 :]):
        try:
            row = json.loads(line)
            found.append({name: row[name] for name in ("question", "verdict", "note", "time")})
        except (ValueError, KeyError, TypeError, RecursionError):
            continue  # somebody edited the file
    return found
