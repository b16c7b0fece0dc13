"""Clients that ask as fast as they are answered, and a tally of what they met. One thread and one address of its own for each.

The server limits how much one address may ask, so on Linux each client calls from another address of the loopback network.
"""

from __future__ import annotations

import http.client
import json
import random
import sys
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.load.corpus import Words, text

TIMEOUT_S = 60
Address = tuple[str, int]


@dataclass
class Tally:
    """Seconds of each answer by route, answers by route and status, and connections that broke."""

    seconds: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    statuses: Counter[tuple[str, int]] = field(default_factory=Counter)
    broken: Counter[str] = field(default_factory=Counter)
    refused_s: list[float] = field(default_factory=list)  # of 429 and 503
    without_retry_after: int = 0
    first_byte_s: list[float] = field(default_factory=list)  # of streams
    lock: threading.Lock = field(default_factory=threading.Lock)

    def took(self, route: str, status: int, seconds: float, headers: http.client.HTTPMessage | None = None) -> None:
        """Count one answer."""
        with self.lock:
            self.statuses[route, status] += 1
            if status in (429, 503):
                self.refused_s.append(seconds)
                self.without_retry_after += headers is None or not headers.get("retry-after")
            else:
                self.seconds[route].append(seconds)

    def faults(self) -> int:
        """Return how many answers were a fault of the server: 500 and above but 503, which says that it is busy."""
        return sum(count for (_, status), count in self.statuses.items() if status >= 500 and status != 503)


class Client:
    """One connection that is kept, from an address of its own."""

    def __init__(self, address: Address, number: int) -> None:
        own = (f"127.0.{1 + number // 200}.{1 + number % 200}", 0) if sys.platform == "linux" else None
        self._connection = http.client.HTTPConnection(*address, timeout=TIMEOUT_S, source_address=own)

    def ask(self, method: str, path: str, body: Any = None) -> tuple[int, bytes, http.client.HTTPMessage, float]:
        """Return status, body, headers, and after how many seconds the first bytes came. Raises OSError, HTTPException."""
        began = time.monotonic()
        data = None if body is None else json.dumps(body).encode()
        headers = {} if body is None else {"content-type": "application/json"}
        self._connection.request(method, path, data, headers)
        response = self._connection.getresponse()
        first = response.read1(1)
        first_s = time.monotonic() - began
        return response.status, first + response.read(), response.headers, first_s

    def close(self) -> None:
        """Close the connection; the next request opens another."""
        self._connection.close()


def looping(
    client: Client,
    tally: Tally,
    stop: threading.Event,
    route: str,
    call: Callable[[Client], tuple[int, bytes, Any, float]],
    pause_s: float = 0.0,
) -> None:
    """Call until it is time to stop, and count what comes."""
    while not stop.is_set():
        began = time.monotonic()
        try:
            status, _body, headers, first_s = call(client)
        except (OSError, http.client.HTTPException) as error:
            with tally.lock:
                tally.broken[f"{route}: {type(error).__name__}"] += 1
            client.close()
            stop.wait(0.2)
            continue
        tally.took(route, status, time.monotonic() - began, headers)
        if route == "ask stream" and status == 200:
            tally.first_byte_s.append(first_s)
        if pause_s or status in (429, 503):
            stop.wait(max(pause_s, 1.0 if status in (429, 503) else 0.0))
    client.close()


def search(words: Words) -> Callable[[Client], tuple[int, bytes, Any, float]]:
    """Return a call that searches for something else each time."""
    return lambda client: client.ask("POST", "/api/search", {"query": words.question()})


def ask(words: Words, *, stream: bool) -> Callable[[Client], tuple[int, bytes, Any, float]]:
    """Return a call that asks; refusals for want of evidence are switched off, so that the model is asked each time."""
    return lambda client: client.ask(
        "POST", "/api/ask", {"question": words.question(), "stream": stream, "refuse_below": 0}
    )


def health(client: Client) -> tuple[int, bytes, Any, float]:
    """Ask whether the server is there."""
    return client.ask("GET", "/health")


class Editing:
    """Edits files of a folder and has the server sync it: a few are new, changed, renamed and gone each time."""

    def __init__(self, folder: Path, seed: int) -> None:
        self._folder = folder
        self._words = Words(seed)
        self._chance = random.Random(seed)
        self._number = 0
        self.rounds = 0
        self.failed: list[str] = []

    def write(self, count: int) -> None:
        """Write new files."""
        for _ in range(count):
            self._number += 1
            made = text(self._words, f"File {self._number}", self._chance.randint(1, 6))
            (self._folder / f"file-{self._number:06d}.md").write_text(made, encoding="utf-8")

    def edit(self) -> None:
        """Do a round of edits; the folder keeps its size."""
        files = sorted(self._folder.glob("*.md"))
        some = self._chance.sample(files, min(6, len(files)))
        for path in some[:2]:
            path.write_text(text(self._words, "Changed", 3), encoding="utf-8")
        for path in some[2:4]:
            path.unlink()
        for path in some[4:]:
            path.rename(path.with_name(f"renamed-{self._chance.randrange(10**6):06d}.md"))
        self.write(2)

    def round(self, client: Client, stop: threading.Event) -> tuple[int, bytes, Any, float]:
        """Edit, sync, and wait for the job's end."""
        self.edit()
        status, body, headers, first_s = client.ask("POST", "/api/sync", {})
        if status != 202:
            return status, body, headers, first_s
        place = f"/api/jobs/{json.loads(body)['job']['id']}"
        while not stop.wait(0.1):
            state = json.loads(client.ask("GET", place)[1])
            if state["state"] in ("done", "failed", "cancelled"):
                self.rounds += state["state"] == "done"
                self.failed += [] if state["state"] == "done" else [json.dumps(state.get("error"))]
                break
        return status, body, headers, first_s
