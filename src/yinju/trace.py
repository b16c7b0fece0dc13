"""Measure the steps of one request. Always on; holds times and counts, never content."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager


class Trace:
    """Milliseconds by step name, in `took_ms`; a step that runs twice adds up."""

    def __init__(self) -> None:
        self.took_ms: dict[str, float] = {}

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """Measure the block under this name, also when it raises."""
        start = time.perf_counter()
        try:
            yield
        finally:
            spent = (time.perf_counter() - start) * 1000
            self.took_ms[name] = round(self.took_ms.get(name, 0.0) + spent, 2)
