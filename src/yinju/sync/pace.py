"""Which files are read before the time is up, and how fast."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field

from yinju.errors import DocumentError
from yinju.load import Loaded
from yinju.sync.values import Cancel, Progress, ProgressCallback
from yinju.types import SourceFile


@dataclass(slots=True)
class Queue:
    """The files for the pool, ending early when the budget is spent or the caller says so."""

    files: tuple[SourceFile, ...]
    budget_s: float | None
    cancel: Cancel | None
    stopped: bool = False

    def __iter__(self) -> Iterator[SourceFile]:
        began = time.monotonic()
        for file in self.files:
            spent = self.budget_s is not None and time.monotonic() - began >= self.budget_s
            if spent or (self.cancel is not None and self.cancel()):
                self.stopped = True
                return
            yield file


@dataclass(slots=True)
class Pace:
    """How fast files are read, told after each one."""

    files: tuple[SourceFile, ...]
    progress: ProgressCallback | None
    began: float = field(default_factory=time.monotonic)
    done: int = 0
    characters: int = 0
    size: int = 0
    total_size: int = -1

    def advance(self, file: SourceFile, result: Loaded | DocumentError) -> None:
        """Count one file."""
        self.done += 1
        if self.progress is None:
            return
        if self.total_size < 0:
            self.total_size = sum(one.size for one in self.files)
        self.size += file.size
        self.characters += len(result.document.text) if isinstance(result, Loaded) else 0
        spent = max(time.monotonic() - self.began, 1e-9)
        left = spent / self.size * max(self.total_size - self.size, 0) if self.size else None
        self.progress(
            Progress("read", self.done, len(self.files), self.characters, self.characters / spent, left, file.source)
        )
