"""A pool of long-lived children that load files under limits: a file that crashes or hangs its child costs that file and nothing else.

Children are started as a program of their own, not by `multiprocessing`: a user's script needs no `__main__` guard and nothing is pickled.
One thread waits for each child, since that is the one way to wait for a pipe with a time limit on every system.

A file has little memory at first, as many are read at once; one that needs more is read again with more, and only one such at a time.
Pictures are read by one child more, started when a file first needs it: the models take more memory than all else, and are there once
however many workers there are. A file that turns out to need it goes there from the child that began it.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from queue import SimpleQueue
from types import TracebackType
from typing import IO, Any, BinaryIO, Self, cast

from yinju import private
from yinju.errors import DocumentError
from yinju.load import wire
from yinju.load.parsed import DEFAULT_LIMITS, Limits, Loaded
from yinju.load.pipe import ELSEWHERE, LAST, LOADED, MORE, PAGE, read_message, request, write_message
from yinju.messages import language, say
from yinju.types import SourceFile

LOOK_AHEAD = 4  # files in work or finished and not yet taken, per worker
GLANCE_S = 0.2  # between looks at what page is read, and whether to stop
FILES_PER_CHILD = 2_000  # then a fresh one: native libraries keep what they once took
_COMMAND = (
    sys.executable,
    "-P",
    "-X",
    "utf8",
    "-m",
    "yinju.load.worker",
)  # -P: never import from the folder that is read

Result = tuple[SourceFile, Loaded | DocumentError]
OnPage = Callable[[SourceFile, int, int], None]
_Outcome = Loaded | DocumentError | None  # None: the file is for the child that reads pictures
NO_WINDOW = getattr(
    subprocess, "CREATENO_WINDOW", 0
)  # Windows: a program without a console would open one for each child


class Pool:
    """Loads files in `workers` children. A context manager; `close` ends the children at once.

    `on_page` is told, in the caller's thread, which page of how many of a file is about to be read by OCR. Once `stop` says so, no more
    pictures are read: files that wait for it, or are in the middle of it, are not given back.
    """

    def __init__(
        self,
        workers: int = 2,
        limits: Limits = DEFAULT_LIMITS,
        *,
        on_page: OnPage | None = None,
        stop: Callable[[], bool] | None = None,
    ) -> None:
        if workers < 1:
            raise ValueError("a pool needs at least one worker")
        self.workers = workers
        self.limits = limits
        self._on_page = on_page
        self._stop = stop
        self._children = [_Child() for _ in range(workers)]
        self._idle: SimpleQueue[_Child] = SimpleQueue()
        self._large = threading.Lock()  # held while a file may take the whole memory
        for child in self._children:
            self._idle.put(child)
        self._threads = ThreadPoolExecutor(workers, thread_name_prefix="yinju-load")
        self._eyes = _Child(ocr=True)
        self._eyes_thread = ThreadPoolExecutor(1, thread_name_prefix="yinju-ocr")
        self._closed = False

    def load_files(self, files: Iterable[SourceFile]) -> Iterator[Result]:
        """Yield each file with its document or the reason why there is none, in any order; takes files as it goes, a few ahead.

        Leaving the iterator early drops the files that nobody has begun.
        """
        work = _Work(self, language())
        try:
            for file in files:
                work.add(file)
                while work.is_full():
                    yield from work.results()
            while work.is_left():
                yield from work.results()
        finally:
            work.cancel()

    def load_file(self, file: SourceFile) -> Loaded:
        """Return one file's document. Raises DocumentError."""
        speak = language()
        loaded = self._load(file, speak)
        if loaded is None:
            loaded = self._eyes_thread.submit(self._look, file, speak).result()
        if isinstance(loaded, DocumentError):
            raise loaded
        return loaded

    def close(self) -> None:
        """End the children, in the middle of a file if need be."""
        self._closed = True
        for child in (*self._children, self._eyes):
            child.kill()
        for threads in (self._threads, self._eyes_thread):
            threads.shutdown(wait=True, cancel_futures=True)
        for child in (*self._children, self._eyes):
            child.stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _load(self, file: SourceFile, speak: str) -> _Outcome:
        child = self._idle.get()
        try:
            little = min(self.limits.usual_memory_bytes, self.limits.memory_bytes)
            outcome = _crashed("") if self._closed else child.load(file, self.limits, speak, little)
            if little < self.limits.memory_bytes and child.wanted_memory:
                with self._large:
                    outcome = (
                        _crashed("") if self._closed else child.load(file, self.limits, speak, self.limits.memory_bytes)
                    )
            return outcome
        finally:
            self._idle.put(child)

    def _look(
        self, file: SourceFile, speak: str, report: Callable[[int, int], None] | None = None
    ) -> Loaded | DocumentError:
        if self._closed:
            return _crashed("")
        memory = self.limits.ocr_memory_bytes
        return self._eyes.load(file, self.limits, speak, memory, report) or _crashed("")


class _Work:
    """The files of one call that are in work: by the workers, and by the child that reads pictures."""

    def __init__(self, pool: Pool, speak: str) -> None:
        self._pool = pool
        self._speak = speak
        self._first: dict[Future[_Outcome], SourceFile] = {}
        self._looking: dict[Future[Loaded | DocumentError], SourceFile] = {}
        self._page: tuple[SourceFile, int, int] | None = None
        self._told: tuple[SourceFile, int, int] | None = None

    def add(self, file: SourceFile) -> None:
        self._first[self._pool._threads.submit(self._pool._load, file, self._speak)] = file

    def is_full(self) -> bool:
        return len(self._first) >= self._pool.workers * LOOK_AHEAD

    def is_left(self) -> bool:
        return bool(self._first or self._looking)

    def results(self) -> Iterator[Result]:
        """Wait until something is done, or for a moment where pictures are read, and yield what is."""
        futures: set[Future[Any]] = {*self._first, *self._looking}
        done, _ = wait(futures, GLANCE_S if self._looking else None, FIRST_COMPLETED)
        for future in [future for future in self._first if future in done]:
            file, result = self._first.pop(future), future.result()
            if result is None:
                self._looking[self._pool._eyes_thread.submit(self._look, file)] = file
            else:
                yield file, result
        self._tell()
        for looked in [future for future in self._looking if future in done]:
            yield self._looking.pop(looked), looked.result()
        if self._looking and self._pool._stop is not None and self._pool._stop():
            self._give_up_pictures()

    def cancel(self) -> None:
        """Drop what nobody has begun."""
        for future in self._first:
            future.cancel()
        for looked in self._looking:
            looked.cancel()

    def _look(self, file: SourceFile) -> Loaded | DocumentError:
        def report(number: int, total: int) -> None:
            self._page = file, number, total

        return self._pool._look(file, self._speak, report)

    def _tell(self) -> None:
        page = self._page
        if self._pool._on_page is not None and page is not None and page != self._told:
            self._told = page
            self._pool._on_page(*page)

    def _give_up_pictures(self) -> None:
        begun = [future for future in self._looking if not future.cancel()]
        self._looking.clear()
        if begun:
            self._pool._eyes.kill_file()


class _Child:
    """One child process, started when its first file comes and again after it died. `ocr`: it reads pictures."""

    def __init__(self, *, ocr: bool = False) -> None:
        self._ocr = ocr
        self.wanted_memory = False  # the last file did, or killed the process in a way that may have been that
        self._ended = False
        self._process: subprocess.Popen[bytes] | None = None
        self._errors: IO[bytes] | None = None
        self._files = 0

    def load(
        self,
        file: SourceFile,
        limits: Limits,
        speak: str,
        memory: int,
        report: Callable[[int, int], None] | None = None,
    ) -> _Outcome:
        """Return the file's document, the error that it led to, or None where another child has to read it. Never raises one.

        `report` is told of each page before it is read by OCR; from then on the limit of time holds for that page.
        """
        try:
            process = self._running()
        except OSError as error:
            return _crashed(f"{type(error).__name__}: {error}")
        said_before = os.fstat(self._errors.fileno()).st_size if self._errors is not None else 0
        watch, last = _Watch(process, limits.seconds), False
        try:
            message = request(file.path, file.source, limits, speak, memory=memory, ocr=self._ocr, folder=file.folder)
            write_message(cast(BinaryIO, process.stdin), message)
            answer = read_message(cast(BinaryIO, process.stdout))
            while answer is not None and answer.startswith((PAGE, LAST)):
                watch.again()
                last = last or answer == LAST
                if report is not None and answer.startswith(PAGE):
                    report(*json.loads(answer[1:]))
                answer = read_message(cast(BinaryIO, process.stdout))
        except (OSError, ValueError):
            answer = None
        finally:
            watch.end()
        self._files += 1
        self.wanted_memory = answer == MORE or (answer is None and not watch.late)
        if answer is None:
            said = self._last_words(said_before)
            self.stop()
            return _too_slow(limits) if watch.late else _crashed(said)
        if last:
            self.stop()
        if answer == MORE:
            return _too_large(memory)
        return None if answer == ELSEWHERE else _unpack(answer)

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is not None and (self._process.poll() is not None or self._files >= FILES_PER_CHILD):
            self.stop()
        if self._process is None:
            self._files = 0
            self._errors = tempfile.TemporaryFile()  # noqa: SIM115  closed by stop()
            self._process = subprocess.Popen(
                _COMMAND,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                creationflags=NO_WINDOW,
                env=private.environment(),
            )
            if self._ended:  # the pool was closed while it started
                self._process.kill()
        return self._process

    def kill(self) -> None:
        """End the process now and for good; safe from any thread."""
        self._ended = True
        self.kill_file()

    def kill_file(self) -> None:
        """End the process now; the next file gets a new one. Safe from any thread."""
        process = self._process
        if process is not None:
            process.kill()

    def stop(self) -> None:
        """End the process and let go of everything that belongs to it."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()
            for stream in (process.stdin, process.stdout):
                if stream is not None:
                    with contextlib.suppress(OSError):
                        stream.close()
        if self._errors is not None:
            self._errors.close()
            self._errors = None

    def _last_words(self, begin: int) -> str:
        """Return the last line that the child said of this file: its errors from `begin` on."""
        if self._errors is None or self._process is None:
            return ""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(1)
        self._errors.seek(begin)
        lines = self._errors.read()[-2000:].decode("utf-8", "replace").strip().split("\n")
        return lines[-1][:200]


class _Watch:
    """Ends a process that takes too long; `again` gives it the whole time anew."""

    def __init__(self, process: subprocess.Popen[bytes], seconds: float) -> None:
        self.late = False
        self._process = process
        self._seconds = seconds
        self._timer = self._start()

    def again(self) -> None:
        self.end()
        if not self.late:
            self._timer = self._start()

    def end(self) -> None:
        self._timer.cancel()

    def _start(self) -> threading.Timer:
        timer = threading.Timer(self._seconds, self._kill)
        timer.daemon = True
        timer.start()
        return timer

    def _kill(self) -> None:
        self.late = True
        self._process.kill()


def _unpack(answer: str) -> Loaded | DocumentError:
    """Return what the child made of the file."""
    try:
        if answer.startswith(LOADED):
            return wire.from_json(answer[1:])
        code, message, hint = json.loads(answer[1:])["error"]
    except (ValueError, KeyError, TypeError) as error:
        return _crashed(f"{type(error).__name__}: {error}")
    return _crashed(message) if code == "crashed" else DocumentError(message, hint, code=code)


def _crashed(said: str) -> DocumentError:
    return DocumentError(
        said or say("the reader of this file crashed", "读取该文件的程序崩溃"),
        say("the file may be damaged; please report it", "文件可能已损坏；请报告"),
        code="crashed",
    )


def _too_large(memory: int) -> DocumentError:
    return DocumentError(
        say("it needs more than {limit} MB of memory", "需要超过 {limit} MB 内存", limit=memory >> 20),
        say("split it", "请拆分文件"),
        code="limit",
    )


def _too_slow(limits: Limits) -> DocumentError:
    return DocumentError(
        say("it took longer than {limit:g} seconds", "超过 {limit:g} 秒", limit=limits.seconds),
        say("split it, or leave it out by .yinjuignore", "请拆分文件，或写入 .yinjuignore"),
        code="limit",
    )
