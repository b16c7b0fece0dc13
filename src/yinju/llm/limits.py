"""How long we wait for a server, how often we try again, and when we leave it in peace."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from yinju.errors import ModelError
from yinju.messages import say


@dataclass(frozen=True, slots=True)
class Limits:
    """Seconds, but for `retries` (further attempts, only before the first token) and `spare` (share of max_tokens that is let pass)."""

    connect: float = 5.0
    first_token: float = 30.0
    between_tokens: float = 15.0
    whole: float = 120.0
    retries: int = 2
    backoff: float = 0.5  # before the first retry; doubles, with jitter
    retry_after: float = 20.0  # the longest wait that a server may ask for
    spare: float = 0.2


class Circuit:
    """After five failures in half a minute a server is left in peace for 15 s: callers get their passages at once, not after a timeout."""

    def __init__(
        self, failures: int = 5, within: float = 30.0, pause: float = 15.0, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._times: deque[float] = deque(maxlen=failures)
        self._within, self._pause, self._clock = within, pause, clock
        self._open_until = 0.0
        self._lock = threading.Lock()

    def check(self) -> None:
        """Raise ModelError (`llm-paused`) while the circuit is open."""
        with self._lock:
            left = self._open_until - self._clock()
        if left > 0:
            raise ModelError(
                say(
                    "the server failed repeatedly and is not asked for {left:.0f} s more.",
                    "服务器多次失败，{left:.0f} 秒内不再请求。",
                    left=left,
                ),
                say("Check the server, then ask again.", "请检查服务器，然后重试。"),
                code="llm-paused",
                retryable=True,
            )

    def succeeded(self) -> None:
        """The server answered."""
        with self._lock:
            self._times.clear()

    def failed(self) -> None:
        """The server did not answer, or with a fault of its own."""
        with self._lock:
            now = self._clock()
            self._times.append(now)
            if len(self._times) == self._times.maxlen and now - self._times[0] <= self._within:
                self._open_until = now + self._pause
                self._times.clear()
