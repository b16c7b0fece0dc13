"""One HTTP request on a thread of its own, so that deadlines hold whatever the server or the name service does.

A socket's own timeout starts anew with each byte, and looking up a name has none: only someone else with a clock can end a wait at the
right moment, or at once when the asker has gone. The thread does nothing but read; everything is decided on the caller's.
"""

from __future__ import annotations

import contextlib
import queue
import socket
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

_TICK = 0.1  # seconds between looks at the clock and at `cancel`
_here = threading.local()  # which Fetch a thread works for


@dataclass(frozen=True, slots=True)
class Head:
    """The response began: its media type."""

    media_type: str


class Late(Exception):
    """The deadline passed."""


class Broken(Exception):
    """The HTTP library failed in the middle (its errors are not part of the client's interface)."""


class Cancelled(Exception):
    """The asker has gone."""


class Fetch:
    """Starts at once; `next()` gives the Head, then bytes, then None at the end; close it in any case."""

    def __init__(self, request: Callable[[], AbstractContextManager[Any]], cancel: Callable[[], bool] | None) -> None:
        self._queue: queue.Queue[Head | bytes | BaseException | None] = queue.Queue(maxsize=64)
        self._stop = threading.Event()
        self._cancel = cancel
        self._stream: Any = None  # the connection
        self._thread = threading.Thread(target=self._read, args=(request,), name="yinju-llm", daemon=True)
        self._thread.start()

    def next(self, deadline: float) -> Head | bytes | None:
        """Return the next item by this time (of time.monotonic). Raises Late, Cancelled, Broken, and what the client raised."""
        while True:
            if self._cancel is not None and self._cancel():
                raise Cancelled
            left = deadline - time.monotonic()
            if left <= 0:
                raise Late
            with contextlib.suppress(queue.Empty):
                item = self._queue.get(timeout=min(left, _TICK))
                if isinstance(item, BaseException):
                    raise item
                return item

    def close(self) -> None:
        """End the request, also one whose answer has not begun: wake its thread if it waits for the server."""
        self._stop.set()
        stream = self._stream
        if stream is not None:
            sock = stream.get_extra_info("socket")
            if sock is not None:
                with contextlib.suppress(OSError):
                    sock.shutdown(socket.SHUT_RDWR)
            self._thread.join(timeout=1.0)

    def connected(self, event: str, info: dict[str, Any]) -> None:
        """Take note of the connection that the HTTP library reports, plain or encrypted.

        One that is there only after everybody has gone is closed here: the HTTP library is still within its report, knows no connection yet,
        and would leave it open, and the server's thread waiting for a request on it, until the garbage is collected.
        """
        if event in ("connection.connect_tcp.complete", "connection.start_tls.complete"):
            self._stream = info["return_value"]
            if self._stop.is_set():
                self._stream.close()
                raise Cancelled

    def _read(self, request: Callable[[], AbstractContextManager[Any]]) -> None:
        _here.fetch = self
        try:
            with request() as response:
                self._put(Head(response.headers.get("content-type", "").partition(";")[0].strip().lower()))
                for piece in response.iter_bytes():
                    if not self._put(piece):
                        return
            self._put(None)
        except Exception as error:  # noqa: BLE001  not handled here: it is raised on the caller's thread
            library = type(error).__module__.startswith(("httpx", "httpcore"))
            self._put(Broken(type(error).__name__) if library else error)

    def _put(self, item: Head | bytes | BaseException | None) -> bool:
        while not self._stop.is_set():
            with contextlib.suppress(queue.Full):
                self._queue.put(item, timeout=_TICK)
                return True
        return False


def watch(request: Any) -> None:
    """A hook of the HTTP client: have the Fetch of this thread told about the connection of its request."""
    fetch: Fetch | None = getattr(_here, "fetch", None)
    if fetch is not None:
        request.extensions["trace"] = fetch.connected
