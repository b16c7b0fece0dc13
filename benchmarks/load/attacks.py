"""Those who do no good: connections that send a byte a second, connections that say nothing, listeners by the hundred, and a model that fails."""

from __future__ import annotations

import random
import socket
import time
from collections.abc import Callable
from contextlib import suppress

from benchmarks.load.clients import Address
from yinju.testing.chat_server import Handler, Script, event, raw, reply, said, silent, streaming

ANSWER = "The documents name it in the first passage [1]. 文档在第一段中写明了这一点 [1]。"


def model(share: float, seed: int) -> Script:
    """Return a script of a model that answers after 200 ms with 50 tokens a second, and fails in some way in this share of requests."""
    chance = random.Random(seed)
    good = said_slowly()
    bad: list[Script] = [
        silent(3.0), raw(), raw(b"\x00\x01"), reply(401, "{}"), reply(429, "{}", retry_after="1"), reply(503, "later", "text/plain"),
        reply(200, "<html>", "text/html"), reply(200, '{"choices": []}'), streaming(event("Half of an")), streaming(event("Half"), 0.1, reset=True),
        streaming(event("Half"), 'data: {"error": {"message": "out of memory"}}\n\n'), said("Wrong [99]."),
    ]  # fmt: skip

    def script(handler: Handler) -> None:
        (chance.choice(bad) if chance.random() < share else good)(handler)

    return script


def said_slowly() -> Script:
    """Return the script of the answer: the first token after 200 ms, then one each 20 ms."""
    pieces: list[str | bytes | float] = [0.2]
    for start in range(0, len(ANSWER), 4):
        pieces += [event(ANSWER[start : start + 4]), 0.02]
    return streaming(*pieces, event(finish="stop"), "data: [DONE]\n\n")


class Lingering:
    """Connections that stay open and do as good as nothing."""

    def __init__(self, address: Address, count: int, begin: bytes) -> None:
        self.opened = time.monotonic()
        self._sockets = []
        for _ in range(count):
            with suppress(OSError):
                made = socket.create_connection(address, timeout=5)
                made.sendall(begin)
                self._sockets.append(made)

    def drip(self, piece: bytes) -> None:
        """Send this on each of them."""
        for one in self._sockets:
            with suppress(OSError):
                one.sendall(piece)

    def closed(self) -> int:
        """Return how many the server has closed by now."""
        return sum(_is_closed(one) for one in self._sockets)

    def wait_closed(self, seconds: float, each: Callable[[], None] = lambda: None) -> float:
        """Wait until the server has closed all; return after how many seconds since they were opened, infinity where it has not."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self.closed() == len(self._sockets):
                return time.monotonic() - self.opened
            each()
            time.sleep(1.0)
        return float("inf")

    def close(self) -> None:
        """Close them."""
        for one in self._sockets:
            one.close()


def slow_loris(address: Address, count: int) -> Lingering:
    """Open connections whose request never ends."""
    return Lingering(address, count, b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ")


def idle(address: Address, count: int) -> Lingering:
    """Open connections that have asked once and say nothing more."""
    return Lingering(address, count, b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")


def listeners(address: Address, count: int, job: str) -> Lingering:
    """Open connections that read the events of a job."""
    asked = f"GET /api/jobs/{job}/events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    return Lingering(address, count, asked.encode())


def _is_closed(one: socket.socket) -> bool:
    one.setblocking(False)
    try:
        while one.recv(65_536):
            pass
    except BlockingIOError:
        return False
    except OSError:
        return True
    return True
