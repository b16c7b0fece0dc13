"""Library calls off the event loop: a bounded number at once, a bounded number waiting, and streams that end when their reader goes.

Everything inside a library is synchronous, and threads are the doors' affair (DESIGN, part 5). `/health` never comes here, so it answers
while all threads are busy.
"""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Generic, TypeVar

from yinju.errors import YinjuError
from yinju.messages import say

Value = TypeVar("Value")
AT_ONCE = 8
WAITING = 32
BUFFERED = 256  # parts of a stream that nobody has read yet; then its thread waits


class Overloaded(YinjuError):
    """More is asked than this server can do now."""

    code = "overloaded"


class Work:
    """The threads of one server. `close` waits for what is under way."""

    def __init__(self, at_once: int = AT_ONCE, waiting: int = WAITING) -> None:
        self._threads = ThreadPoolExecutor(at_once, thread_name_prefix="yinju-door")
        self._most = at_once + waiting
        self._taken = 0  # calls that run or wait; changed on the event loop only

    async def run(self, call: Callable[[], Value]) -> Value:
        """Return what the call returns, from another thread. Raises what it raises, and Overloaded where too many wait already."""
        self._take()
        try:
            context = contextvars.copy_context()  # the language of the request goes with it
            return await asyncio.get_running_loop().run_in_executor(self._threads, context.run, call)
        finally:
            self._taken -= 1

    async def stream(self, start: Callable[[Callable[[], bool]], Iterator[Value]]) -> AsyncIterator[Value]:
        """Yield the parts of the iterator that `start(cancelled)` makes, in another thread; `cancelled()` is true once nobody reads.

        Raises what it raises, and Overloaded.
        """
        self._take()
        handed: _Handed[Value] = _Handed(asyncio.get_running_loop())
        context = contextvars.copy_context()
        running = asyncio.get_running_loop().run_in_executor(self._threads, context.run, handed.produce, start)
        try:
            async for part in handed.parts():
                yield part
            await running
        finally:
            handed.leave()
            self._taken -= 1

    def close(self) -> None:
        """Take no more calls, drop those that nobody has begun, and wait for the others."""
        self._threads.shutdown(wait=True, cancel_futures=True)

    def _take(self) -> None:
        if self._taken >= self._most:
            raise Overloaded(
                say("The server has too much to do.", "服务器正忙。"), say("Try again in a second.", "请稍后再试。")
            )
        self._taken += 1


class _Handed(Generic[Value]):
    """What one thread makes and the event loop reads, at most so many parts ahead."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._queue: asyncio.Queue[Value | None] = asyncio.Queue()
        self._room = threading.Semaphore(BUFFERED)
        self._gone = threading.Event()

    def produce(self, start: Callable[[Callable[[], bool]], Iterator[Value]]) -> None:
        """Make the parts; runs in the thread."""
        try:
            for part in start(self._gone.is_set):
                self._room.acquire()
                if self._gone.is_set():
                    return
                self._put(part)
        finally:
            self._put(None)

    async def parts(self) -> AsyncIterator[Value]:
        """Yield them; runs on the event loop."""
        while (part := await self._queue.get()) is not None:
            self._room.release()
            yield part

    def leave(self) -> None:
        """Nobody reads any more."""
        self._gone.set()
        self._room.release()

    def _put(self, part: Value | None) -> None:
        try:
            self._loop.call_soon_threadsafe(self._queue.put_nowait, part)
        except RuntimeError:
            self._gone.set()  # the loop is closed: the server has stopped
