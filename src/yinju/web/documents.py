"""Routes that put files into the library and take them out. Uploads become files in a folder of their own, so that a sync treats them as any others:
read in workers with limits, each with its receipt, and there again after a restart."""

from __future__ import annotations

import errno
import os
from contextlib import suppress
from dataclasses import asdict, replace
from typing import Annotated, Any

from fastapi import APIRouter, Request
from pydantic import BaseModel, ConfigDict, Field
from starlette.requests import ClientDisconnect

from yinju.errors import StoreReadOnly, UsageError
from yinju.messages import say
from yinju.sync.purge import check_known
from yinju.types import as_plain
from yinju.web import telling
from yinju.web.finding import Yes
from yinju.web.jobs import Job, JobsFull
from yinju.web.receiving import FIELD, MOST_FILES, Receiver, Refused, Stored, store
from yinju.web.state import Changing, State
from yinju.web.syncing import sync_work, uploads_folder

router = APIRouter(prefix="/api", tags=["documents"])
TOGETHER = 1024 * 1024  # bytes that go to the disk at once
_FORM = {
    "required": True,
    "content": {
        "multipart/form-data": {
            "schema": {
                "type": "object",
                "required": [FIELD],
                "additionalProperties": False,
                "properties": {
                    FIELD: {
                        "type": "array",
                        "minItems": 1,
                        "maxItems": MOST_FILES,
                        "items": {"type": "string", "format": "binary"},
                    }
                },
            }
        }
    },
}


class RemoveRequest(BaseModel):
    """Sources as `sources` names them."""

    model_config = ConfigDict(extra="forbid")
    sources: list[Annotated[str, Field(min_length=1, max_length=4_096)]] = Field(min_length=1, max_length=1_000)
    purge: Yes = Field(default=False, description="leave no byte of the text; cannot be undone")


@router.post("/upload", status_code=202, openapi_extra={"requestBody": _FORM})
async def upload(request: Request, served: Changing) -> dict[str, Any]:
    """Keep files in the library's own folder and read them, as a job whose report holds their receipts."""
    folder = uploads_folder(served)
    if folder is None:
        raise UsageError(
            say("A library in memory takes no files.", "内存中的资料库不能接收文件。"),
            say("Serve one that has a folder.", "请使用有文件夹的资料库。"),
            code="no-folder",
        )
    stored, refused = await _receive(request, served, folder)
    job = None
    if stored:
        asked = {"files": [one.stored_as for one in stored]}
        job = served.jobs.start("upload", asked, sync_work(served, [folder])).plain()
    return {"job": job, "stored": [asdict(one) for one in stored], "refused": [asdict(one) for one in refused]}


@router.post("/remove", status_code=202)
async def remove(asked: RemoveRequest, served: Changing) -> dict[str, Any]:
    """Take sources out of the library as a job; an uploaded file goes with its source. With `purge` nothing of their texts stays in the library."""
    check, work = (_check_known_ever, _purge) if asked.purge else (_check_known, _remove)
    await served.work.run(lambda: check(served, asked.sources))
    return {"job": served.jobs.start("remove", asked.model_dump(), lambda job: work(served, job)).plain()}


async def _receive(request: Request, served: State, folder: str) -> tuple[list[Stored], list[Refused]]:
    """Take the files of a request. Raises UsageError, YinjuError (`too-large`, `jobs-full`), StoreReadOnly where the disk takes nothing."""
    if served.jobs.is_full("upload"):
        raise JobsFull(
            say("Too many jobs wait already.", "等待的任务过多。"),
            say("Wait until one has ended.", "请等其中一个完成。"),
        )
    work = served.work
    try:
        await work.run(lambda: _make(folder))
        with Receiver(folder, request.headers.get("content-type", "")) as receiver:
            waiting = bytearray()
            async for piece in request.stream():
                waiting += piece
                if len(waiting) >= TOGETHER:
                    whole, waiting = bytes(waiting), bytearray()
                    await work.run(lambda whole=whole: receiver.feed(whole))  # type: ignore[misc]
            await work.run(lambda: receiver.feed(bytes(waiting)))
            await work.run(receiver.finish)
            found = await work.run(lambda: [store(file, folder) for file in receiver.files])
    except OSError as error:
        raise StoreReadOnly(
            say("The file cannot be kept: {why}", "无法保存文件：{why}", why=error.strerror or type(error).__name__),
            say("Look at the disk of the server.", "请检查服务器的磁盘。"),
            code="not-written",
        ) from error
    except ClientDisconnect as error:
        raise UsageError(
            say("The upload ended early, or is larger than allowed.", "上传中断，或超过允许的大小。"),
            say("Send it again, or less at once.", "请重新发送，或减少一次发送的内容。"),
        ) from error
    return [one for one in found if isinstance(one, Stored)], [one for one in found if isinstance(one, Refused)]


def _make(folder: str) -> None:
    """Make the folder of uploads. Raises OSError where it cannot be, or a link leads elsewhere (a library may have come with a cloned folder)."""
    os.makedirs(folder, mode=0o700, exist_ok=True)
    if os.path.realpath(folder) != folder:
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))


def _check_known(served: State, sources: list[str]) -> None:
    known = {summary.source for summary in served.library.sources()}
    for source in sources:
        if source not in known:
            served.library.receipt(source)  # raises, with the nearest names


def _check_known_ever(served: State, sources: list[str]) -> None:
    check_known(served.library.store, sources)


def _purge(served: State, job: Job) -> dict[str, Any]:
    """Remove the sources for good. The report is that of `remove --purge --json`."""
    found: dict[str, Any] = as_plain(served.library.purge(list(job.asked["sources"])))
    return found


def _remove(served: State, job: Job) -> dict[str, Any]:
    """Remove the sources, then the files of those that were uploaded; say which of the others will come back."""
    library = served.library
    sources: list[str] = list(job.asked["sources"])
    uploads = uploads_folder(served)
    files = {}
    for root, _ in library.store.roots():
        known = library.store.files(root)
        files.update({source: (root, known[source].path) for source in sources if source in known})
    report = library.remove(sources)
    back = []
    for source, (root, path) in files.items():
        if root == uploads and os.path.dirname(path) == uploads:
            with suppress(FileNotFoundError):
                os.unlink(path)
        elif os.path.exists(path):
            back.append(source)
    if back:
        text = say(
            "{names} will be there again after the next sync: the file still is.", "{names} 的文件仍在，下次同步后会再次出现。",
            names=", ".join(back[:5]) + (" …" if len(back) > 5 else ""),
        )  # fmt: skip
        report = replace(report, notices=(*report.notices, text))
    return telling.sync_report(report)
