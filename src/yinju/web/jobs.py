"""Work that outlives the request which asked for it: started, watched by whoever wants to, cancelled, and ended when the server stops.

A lane does one thing at a time: all that changes the library shares one, measuring has another. Each job runs in a thread of its own, which ends
with it; readers are plain tasks of the event loop that look at the job's newest state, so that a slow one holds nothing up and one that leaves
leaves nothing behind. The threads are daemons: a job writes whole documents, each in a transaction, so a process that will not wait loses none.
"""

from __future__ import annotations

import asyncio
import contextvars
import secrets
import threading
import time
from collections import OrderedDict, deque
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from yinju.errors import SourceMissing, YinjuError
from yinju.messages import say
from yinju.web import errors
from yinju.web.events import event

Kind = Literal["sync", "plan", "upload", "remove", "undo", "eval"]
State = Literal["waiting", "running", "done", "failed", "cancelled"]
OVER = ("done", "failed", "cancelled")
WAITING = 4
REMEMBERED = 50
LEAST_PAUSE_S = 0.1  # between two events of one reader


class JobsFull(YinjuError):
    """As many jobs wait as may."""

    code = "jobs-full"


class JobCancelled(YinjuError):
    """Raised inside a job that was cancelled, where there is nothing to report."""

    code = "cancelled"


@dataclass(slots=True, eq=False)
class Job:
    """One piece of work: changed by its own thread, read by anyone. What came of it is there before the state says that it is over."""

    kind: Kind
    asked: Mapping[str, Any]
    id: str = field(default_factory=lambda: secrets.token_hex(8))
    state: State = "waiting"
    created: float = field(default_factory=time.time)
    started: float | None = None
    ended: float | None = None
    progress: dict[str, Any] | None = None
    report: dict[str, Any] | None = None
    error: dict[str, str | None] | None = None
    _cancel: threading.Event = field(default_factory=threading.Event)
    _over: threading.Event = field(default_factory=threading.Event)
    _readers: set[_Reader] = field(default_factory=set)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def is_over(self) -> bool:
        """Whether nothing more will happen."""
        return self.state in OVER

    @property
    def readers(self) -> int:
        """How many read the events now."""
        return len(self._readers)

    def is_cancelled(self) -> bool:
        """Whether somebody wants it to end; its work asks between two files."""
        return self._cancel.is_set()

    def check_cancelled(self) -> None:
        """Raise JobCancelled where somebody wants it to end."""
        if self.is_cancelled():
            raise JobCancelled(say("Cancelled.", "已取消。"), say("Start it again.", "可重新开始。"))

    def tell(self, progress: dict[str, Any]) -> None:
        """Say how far it is."""
        self.progress = progress
        self._wake()

    def wait(self, seconds: float) -> bool:
        """Wait for its end and return whether it came."""
        return self._over.wait(seconds)

    def plain(self, *, report: bool = True) -> dict[str, Any]:
        """Return it as JSON data."""
        return {
            "id": self.id, "kind": self.kind, "state": self.state, "asked": dict(self.asked), "created": self.created, "started": self.started,
            "ended": self.ended, "progress": self.progress, "report": self.report if report else None, "error": self.error,
        }  # fmt: skip

    async def events(self) -> AsyncIterator[str]:
        """Yield what is so now, and what changes, until it is over; see docs/http-api.md."""
        reader = _Reader(asyncio.get_running_loop())
        with self._lock:
            self._readers.add(reader)
        state, progress = None, None
        try:
            while True:
                reader.rest()
                now, latest = self.state, self.progress
                if now != state:
                    yield event("job", self.plain(report=False) | {"state": now})
                if latest is not None and latest is not progress:
                    yield event("progress", latest)
                if now in OVER:
                    yield event("error", {"error": self.error}) if self.report is None else event("report", self.report)
                    return
                state, progress = now, latest
                await asyncio.sleep(LEAST_PAUSE_S)
                await reader.woken()
        finally:
            with self._lock:
                self._readers.discard(reader)

    def begin(self) -> None:
        """Note that its work starts."""
        self.started = time.time()
        self._become("running")

    def end(self, report: dict[str, Any]) -> None:
        """Note what came of it."""
        self.report = report
        self._become("cancelled" if self.is_cancelled() else "done")

    def fail(self, error: YinjuError) -> None:
        """Note why nothing came of it."""
        self.error = errors.shape(error)["error"]
        self._become("cancelled" if isinstance(error, JobCancelled) else "failed")

    def cancel(self) -> None:
        """Want it to end."""
        self._cancel.set()

    def _become(self, state: State) -> None:
        if state in OVER:
            self.ended = time.time()
        self.state = state
        if state in OVER:
            self._over.set()
        self._wake()

    def _wake(self) -> None:
        with self._lock:
            for reader in self._readers:
                reader.wake()


class _Reader:
    """Who reads a job's events on one event loop; woken once however much has happened."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop, self._event, self._called = loop, asyncio.Event(), False

    def rest(self) -> None:
        self._event.clear()
        self._called = False

    async def woken(self) -> None:
        await self._event.wait()

    def wake(self) -> None:
        """Called by the thread of the job."""
        if self._called:
            return
        self._called = True
        try:
            self._loop.call_soon_threadsafe(self._event.set)
        except RuntimeError:
            return  # the loop is closed: the server has stopped


Work = Callable[[Job], dict[str, Any]]


class Jobs:
    """The jobs of one server, in lanes."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, Job] = OrderedDict()
        self._lanes = {"changing": _Lane(), "measuring": _Lane()}
        self._lock = threading.Lock()

    def start(self, kind: Kind, asked: Mapping[str, Any], work: Work) -> Job:
        """Start this work, or let it wait for what is before it in its lane. Raises JobsFull."""
        job = Job(kind, asked)
        with self._lock:
            self._lane(kind).add(job, work)
            self._known[job.id] = job
            for old in [one for one in self._known.values() if one.is_over][: max(0, len(self._known) - REMEMBERED)]:
                del self._known[old.id]
        return job

    def is_full(self, kind: Kind) -> bool:
        """Whether another such job would be refused."""
        return self._lane(kind).is_full

    def _lane(self, kind: Kind) -> _Lane:
        return self._lanes["measuring" if kind == "eval" else "changing"]

    def get(self, id: str) -> Job:
        """Return this job. Raises SourceMissing."""
        job = self._known.get(id)
        if job is None:
            raise SourceMissing(
                say("There is no such job.", "没有这个任务。"),
                say("The server remembers the last {n}.", "服务器只记住最近 {n} 个。", n=REMEMBERED),
                code="no-job",
            )
        return job

    def all(self) -> list[Job]:
        """Return those that are remembered, newest first."""
        with self._lock:
            return list(reversed(self._known.values()))

    def cancel(self, job: Job) -> None:
        """Let it end after what it is at, or not begin."""
        job.cancel()
        for lane in self._lanes.values():
            lane.drop(job)

    def stop(self) -> None:
        """Begin nothing more, and want all that runs to end."""
        for lane in self._lanes.values():
            lane.close()
        for job in self.all():
            if not job.is_over:
                self.cancel(job)

    def close(self, wait_s: float) -> bool:
        """Stop, wait so many seconds for what runs, and return whether all has ended."""
        self.stop()
        until = time.monotonic() + wait_s
        return all(job.wait(max(0.0, until - time.monotonic())) for job in self.all())


class _Lane:
    """One job at a time, and those that wait for it."""

    def __init__(self) -> None:
        self._waiting: deque[tuple[Job, Work, contextvars.Context]] = deque()
        self._running = False
        self._closed = False
        self._lock = threading.Lock()

    @property
    def is_full(self) -> bool:
        return self._closed or len(self._waiting) >= WAITING

    def add(self, job: Job, work: Work) -> None:
        context = contextvars.copy_context()  # the language of the request goes with it
        with self._lock:
            if self.is_full:
                raise JobsFull(
                    say("{n} jobs wait already.", "已有 {n} 个任务在等待。", n=len(self._waiting)),
                    say("Wait until one has ended, or cancel one.", "请等其中一个完成，或取消一个。"),
                )
            self._waiting.append((job, work, context))
        self._next()

    def drop(self, job: Job) -> None:
        with self._lock:
            waits = [one for one in self._waiting if one[0] is job]
            for one in waits:
                self._waiting.remove(one)
        if waits:
            job.fail(JobCancelled(say("Cancelled.", "已取消。"), say("It had not begun.", "任务尚未开始。")))

    def close(self) -> None:
        self._closed = True

    def _next(self) -> None:
        with self._lock:
            if self._running or not self._waiting:
                return
            job, work, context = self._waiting.popleft()
            self._running = True
        job.begin()
        thread = threading.Thread(target=context.run, args=(self._run, job, work), name="yinju-job", daemon=True)
        thread.start()

    def _run(self, job: Job, work: Work) -> None:
        """Do the work. A fault of ours is told as such; Python prints it, with the thread's name, where the log goes."""
        try:
            job.end(work(job))
        except YinjuError as error:
            job.fail(error)
        finally:
            if not job.is_over:
                job.fail(errors.fault())
            with self._lock:
                self._running = False
            self._next()
