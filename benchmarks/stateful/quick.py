"""What makes a history quick: a folder in memory, files read in this process, and limits so small that a few documents meet them."""

from __future__ import annotations

import os
from collections.abc import Mapping

from benchmarks.stateful.oracle import Reader

GUARDED = 6  # documents from which mass deletion is refused, here; 20 in the product
EMBEDDED_AT_ONCE = 4


def memory() -> str | None:
    """Return a folder in memory, where the system has one: fsync costs nothing there, and what is lost with the power is another test's affair."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


def quick(reader: Reader) -> Mapping[str, object]:
    """Return what is smaller here than in the product, so that a few documents meet what many do, and the reader without processes."""
    return {
        "yinju.load.Pool": reader,
        "yinju.sync.plan.LIBRARY_OF_SOME_SIZE": GUARDED,
        "yinju.store.matrix.MINIMUM_TAIL": 2,
        "yinju.sync.vectors.BATCH_FIRST": EMBEDDED_AT_ONCE,
        "yinju.sync.vectors.BATCH": EMBEDDED_AT_ONCE,
        "yinju.sync.apply.TOGETHER_DOCUMENTS": 3,
        "yinju.sync.apply.TOGETHER_SECONDS": 1e9,
    }
