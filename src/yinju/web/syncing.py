"""Routes that bring the library up to date, and those that watch and cancel such work.

Nobody can have a folder read that the library does not know already: a page that reached this server, or a person with its token, sees what its owner
put there and no more.
"""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Annotated, Any

from fastapi import APIRouter, Path
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, ConfigDict, Field

from yinju.errors import UsageError
from yinju.messages import say
from yinju.sync import Progress
from yinju.sync.moving import moved, roots_now
from yinju.sync.roots import outside
from yinju.sync.undo import check_undo
from yinju.types import as_plain
from yinju.web import telling
from yinju.web.events import with_pings
from yinju.web.finding import Yes
from yinju.web.jobs import Job, Kind, Work
from yinju.web.state import Changing, Owner, State

router = APIRouter(prefix="/api", tags=["documents"])
JobId = Annotated[str, Path(min_length=1, max_length=64, pattern="^[0-9a-f]+$")]
UPLOADS = "uploads"


class SyncRequest(BaseModel):
    """What to look at: absolute paths inside what the library knows; without them all of that."""

    model_config = ConfigDict(extra="forbid")
    paths: list[Annotated[str, Field(min_length=1, max_length=4_096)]] | None = Field(default=None, max_length=100)
    plan: Yes = Field(default=False, description="only tell what would be done")
    check: Yes = Field(default=False, description="read every file again, whatever its size and date say")
    allow_mass_delete: Yes = False
    release: Yes = Field(default=False, description="take what an undo holds back")


class UndoRequest(BaseModel):
    """How many of the last steps to take back."""

    model_config = ConfigDict(extra="forbid")
    steps: int = Field(default=1, ge=1, le=5, strict=True)


class Nothing(BaseModel):
    """An empty body."""

    model_config = ConfigDict(extra="forbid")


@router.get("/roots")
async def roots(served: Owner) -> dict[str, Any]:
    """Folders and files that a sync may look at, and where uploads go."""
    return await served.work.run(lambda: _roots(served))


@router.post("/sync", status_code=202)
async def sync(asked: SyncRequest, served: Owner) -> dict[str, Any]:
    """Bring the library up to date as a job; with `plan` only tell what would be done."""
    if not asked.plan:
        served.check_changing()
    paths = await served.work.run(lambda: wanted(served, asked.paths))
    choices = {
        "plan": asked.plan, "check": asked.check, "allow_mass_delete": asked.allow_mass_delete, "release": asked.release,
    }  # fmt: skip
    kind: Kind = "plan" if asked.plan else "sync"
    return {"job": start(served, paths, kind, spare=asked.paths is None, **choices).plain()}


@router.get("/steps")
async def steps(served: Owner) -> dict[str, Any]:
    """List what can be undone, newest first, and the sources whose files an undo holds back."""

    def found() -> dict[str, Any]:
        library = served.library
        return {"steps": as_plain(library.steps()), "held": [hold.source for hold in library.store.holds()]}

    return await served.work.run(found)


@router.post("/undo", status_code=202)
async def undo(asked: UndoRequest, served: Changing) -> dict[str, Any]:
    """Take back the last syncs, adds or removals as a job; its report is that of a sync."""
    await served.work.run(lambda: check_undo(served.library.steps(), asked.steps))

    def work(_job: Job) -> dict[str, Any]:
        return telling.sync_report(served.library.undo(asked.steps))

    return {"job": served.jobs.start("undo", {"steps": asked.steps}, work).plain()}


@router.get("/jobs")
async def jobs(served: Owner) -> dict[str, Any]:
    """List the jobs that the server remembers, newest first."""
    return {"jobs": [job.plain(report=False) for job in served.jobs.all()]}


@router.get("/jobs/{id}")
async def job(id: JobId, served: Owner) -> dict[str, Any]:
    """Tell how far a job is, and what came of it."""
    return served.jobs.get(id).plain()


@router.get("/jobs/{id}/events", response_class=StreamingResponse)
async def events(id: JobId, served: Owner) -> StreamingResponse:
    """Stream what becomes of a job: job, progress, then report or error. A reader who leaves changes nothing."""
    return StreamingResponse(with_pings(served.jobs.get(id).events()), media_type="text/event-stream")


@router.post("/jobs/{id}/cancel")
async def cancel(id: JobId, _nothing: Nothing, served: Owner) -> dict[str, Any]:
    """Let a job end after the file that it is at; what is done stays done."""
    found = served.jobs.get(id)
    served.jobs.cancel(found)
    return found.plain()


def start(served: State, paths: list[str], kind: Kind, *, spare: bool = False, **choices: bool) -> Job:
    """Start a sync of these paths. Raises JobsFull."""
    return served.jobs.start(kind, {"paths": paths, **choices}, sync_work(served, paths, spare=spare, **choices))


def sync_work(served: State, paths: list[str], *, spare: bool = False, **choices: Any) -> Work:
    """Return the work of a sync: its report is that of `sync --json`. `spare`: where one path is not there the others are looked at.

    The sync itself refuses what the library does not know by then: what `wanted` saw may have been replaced by a link to somewhere else.
    """

    def work(job: Job) -> dict[str, Any]:
        def show(progress: Progress) -> None:
            if progress.stage == "scan":  # nothing is written yet, so it may end here at once
                job.check_cancelled()
            job.tell(plain_progress(progress))

        there = [path for path in paths if not spare or os.path.lexists(path)]
        uploads = uploads_folder(served)
        new_roots = served.folders if uploads is None else (*served.folders, uploads)
        report = served.library.sync(
            there or paths, progress=show, cancel=job.is_cancelled, new_roots=new_roots, **choices
        )
        gone = [_not_there(path) for path in paths if there and path not in there]
        return telling.sync_report(replace(report, notices=(*report.notices, *gone)))

    return work


def plain_progress(progress: Progress) -> dict[str, Any]:
    """Return the progress of a sync as the API tells it."""
    left = progress.seconds_left
    return {
        "stage": progress.stage, "done": progress.done, "total": progress.total, "characters": progress.characters,
        "rate": round(progress.characters_per_s, 1), "left_s": None if left is None else round(left, 1), "source": progress.source,
    }  # fmt: skip


def wanted(served: State, paths: list[str] | None) -> list[str]:
    """Return what a sync looks at, checked so that who asks hears at once; what counts is what the sync finds, see `sync_work`.

    Raises UsageError for a path that is relative, YinjuError (`outside`) for one that the library does not know.
    """
    known = known_paths(served)
    if paths is None:
        if not known:
            raise UsageError(
                say("The library knows no folder.", "资料库还没有文件夹。"),
                say(
                    "Start with `yinju serve FOLDER`, or upload files.",
                    "请用 `yinju serve 文件夹` 启动，或上传文件。",
                ),
            )
        return known
    return [_inside(path, known) for path in paths]


def known_paths(served: State) -> list[str]:
    """Return the roots of the library, and what the server was started with."""
    roots = [root for root, _ in roots_now(served.library.store)]
    real = set(map(os.path.realpath, roots))
    return [*(folder for folder in served.folders if os.path.realpath(folder) not in real), *roots]


def _not_there(path: str) -> str:
    return say(
        "{path} is not there: what the library holds of it was left as it is.", "找不到 {path}：资料库中的相应内容保持不变。", path=path
    )  # fmt: skip


def _inside(path: str, known: list[str]) -> str:
    if "\0" in path or not os.path.isabs(path):
        raise UsageError(
            say("{path!r} is no absolute path.", "{path!r} 不是绝对路径。", path=path[:200]),
            say("/api/roots names what may be synced.", "/api/roots 列出可同步的位置。"),
        )
    real = os.path.realpath(path)
    if any(real == root or real.startswith(root.rstrip(os.sep) + os.sep) for root in map(os.path.realpath, known)):
        return path
    raise outside()


def uploads_folder(served: State) -> str | None:
    """Return where uploads of this library lie, None for one in memory."""
    folder = served.library.store.folder
    return None if folder is None else os.path.join(os.path.realpath(folder), UPLOADS)


def _roots(served: State) -> dict[str, Any]:
    moves = {old: move.root for move in moved(served.library.store) for old in move.forget}
    prefixes = dict(roots_now(served.library.store))
    counts = dict.fromkeys(prefixes, 0)
    for summary in served.library.sources():
        root = moves.get(summary.root or "", summary.root)
        if root in counts:
            counts[root] += 1
    return {
        "roots": [
            {"path": path, "prefix": prefixes.get(path, ""), "files": counts.get(path, 0)}
            for path in known_paths(served)
        ],
        "uploads": uploads_folder(served),
        "read_only": not served.may_change,
    }
