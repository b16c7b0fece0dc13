"""A pool of long-lived children that load files under limits: a file that crashes or hangs its child costs that file and nothing else.

Children are started as a program of their own, not by `multiprocessing`: a user's script needs no `__main__` guard and nothing is pickled.
One thread waits for each child, since that is the one way to wait for a pipe with a time limit on every system.
"""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from queue import SimpleQueue
from types import TracebackType
from typing import IO, BinaryIO, Self, cast

from yinju.errors import DocumentError
from yinju.load import wire
from yinju.load.parsed import DEFAULT_LIMITS, Limits, Loaded
from yinju.load.pipe import LOADED, read_message, request, write_message
from yinju.messages import language, say
from yinju.types import SourceFile

LOOK_AHEAD = 4  # files in work or finished and not yet taken, per worker
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


class Pool:
    """Loads files in `workers` children. A context manager; `close` ends the children at once."""

    def __init__(self, workers: int = 2, limits: Limits = DEFAULT_LIMITS) -> None:
        if workers < 1:
            raise ValueError("a pool needs at least one worker")
        self.workers = workers
        self.limits = limits
        self._children = [_Child() for _ in range(workers)]
        self._idle: SimpleQueue[_Child] = SimpleQueue()
        for child in self._children:
            self._idle.put(child)
        self._threads = ThreadPoolExecutor(workers, thread_name_prefix="yinju-load")
        self._closed = False

    def load_files(self, files: Iterable[SourceFile]) -> Iterator[Result]:
        """Yield each file with its document or the reason why there is none, in any order; takes files as it goes, a few ahead.

        Leaving the iterator early drops the files that nobody has begun.
        """
        pending: set[Future[Result]] = set()
        speak = language()
        try:
            for file in files:
                pending.add(self._threads.submit(self._load, file, speak))
                if len(pending) >= self.workers * LOOK_AHEAD:
                    done, pending = wait(pending, return_when=FIRST_COMPLETED)
                    for future in done:
                        yield future.result()
            while pending:
                done, pending = wait(pending, return_when=FIRST_COMPLETED)
                for future in done:
                    yield future.result()
        finally:
            for future in pending:
                future.cancel()

    def load_file(self, file: SourceFile) -> Loaded:
        """Return one file's document. Raises DocumentError."""
        loaded = self._load(file, language())[1]
        if isinstance(loaded, DocumentError):
            raise loaded
        return loaded

    def close(self) -> None:
        """End the children, in the middle of a file if need be."""
        self._closed = True
        for child in self._children:
            child.kill()
        self._threads.shutdown(wait=True, cancel_futures=True)
        for child in self._children:
            child.stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _load(self, file: SourceFile, speak: str) -> Result:
        child = self._idle.get()
        try:
            if self._closed:
                return file, _crashed("")
            return file, child.load(file, self.limits, speak)
        finally:
            self._idle.put(child)


class _Child:
    """One child process, started when its first file comes and again after it died."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._errors: IO[bytes] | None = None
        self._files = 0

    def load(self, file: SourceFile, limits: Limits, speak: str) -> Loaded | DocumentError:
        """Return the file's document, or the error that it led to. Never raises one."""
        try:
            process = self._running()
        except OSError as error:
            return _crashed(f"{type(error).__name__}: {error}")
        late = threading.Event()
        watch = threading.Timer(limits.seconds, _end, (process, late))
        watch.daemon = True
        watch.start()
        try:
            write_message(cast(BinaryIO, process.stdin), request(file.path, file.source, limits, speak))
            answer = read_message(cast(BinaryIO, process.stdout))
        except OSError:
            answer = None
        finally:
            watch.cancel()
        self._files += 1
        if answer is None:
            said = self._last_words()
            self.stop()
            return _too_slow(limits) if late.is_set() else _crashed(said)
        result, last = _unpack(answer)
        if last:
            self.stop()
        return result

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is not None and (self._process.poll() is not None or self._files >= FILES_PER_CHILD):
            self.stop()
        if self._process is None:
            self._files = 0
            self._errors = tempfile.TemporaryFile()  # noqa: SIM115  closed by stop()
            self._process = subprocess.Popen(
                _COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors
            )
        return self._process

    def kill(self) -> None:
        """End the process now; safe from any thread."""
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

    def _last_words(self) -> str:
        if self._errors is None or self._process is None:
            return ""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(1)
        self._errors.seek(0)
        lines = self._errors.read()[-2000:].decode("utf-8", "replace").strip().split("\n")
        return lines[-1][:200]


def _end(process: subprocess.Popen[bytes], late: threading.Event) -> None:
    late.set()
    process.kill()


def _unpack(answer: str) -> tuple[Loaded | DocumentError, bool]:
    """Return what the child made of the file, and whether the child ends after it."""
    try:
        if answer.startswith(LOADED):
            return wire.from_json(answer[1:]), False
        plain = json.loads(answer[1:])
        code, message, hint = plain["error"]
    except (ValueError, KeyError, TypeError) as error:
        return _crashed(f"{type(error).__name__}: {error}"), True
    return _crashed(message) if code == "crashed" else DocumentError(message, hint, code=code), bool(plain.get("last"))


def _crashed(said: str) -> DocumentError:
    return DocumentError(
        said or say("the reader of this file crashed", "读取该文件的程序崩溃"),
        say("the file may be damaged; please report it", "文件可能已损坏；请报告"),
        code="crashed",
    )


def _too_slow(limits: Limits) -> DocumentError:
    return DocumentError(
        say("it took longer than {limit:g} seconds", "超过 {limit:g} 秒", limit=limits.seconds),
        say("split it, or leave it out by .yinjuignore", "请拆分文件，或写入 .yinjuignore"),
        code="limit",
    )
