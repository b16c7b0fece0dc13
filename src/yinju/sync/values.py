"""The plain data of this room: what a sync is asked for, and how it says how far it is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Literal, Protocol

from yinju.chunk import ChunkOptions
from yinju.errors import DocumentError
from yinju.load import Limits, Loaded
from yinju.types import FileReport, SourceFile

Stage = Literal["scan", "read", "ocr", "embed"]


@dataclass(frozen=True, slots=True)
class SyncOptions:
    """How to sync.

    `presets` maps globs of sources (`law/*`, `*.py`; `*` crosses `/`) to a chunker preset or its options; the first that matches holds.
    `check` compares contents, whatever size and date say. `release` takes what an undo holds back. `new_roots` (real paths): besides the
    roots that the library knows only these may be named; None: any. `read_budget_s` stops reading new files after so many seconds, and
    `embed_budget_s` computing vectors: the next sync goes on there.
    """

    presets: Mapping[str, str | ChunkOptions] = field(default_factory=dict)
    allow_mass_delete: bool = False
    embed: bool = True
    workers: int = 2
    check: bool = False
    release: bool = False
    new_roots: tuple[str, ...] | None = None
    limits: Limits = field(default_factory=Limits)
    read_budget_s: float | None = None
    embed_budget_s: float | None = None


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a stage is. `done` and `total` count files (scan, read), passages (embed), or pages of the one file `source` (ocr).

    `total` is 0 where nobody knows yet. `ocr` comes while a page is read; its end is told by the file's own `read`.
    """

    stage: Stage
    done: int
    total: int
    characters: int = 0
    characters_per_s: float = 0.0
    seconds_left: float | None = None
    source: str | None = None


ProgressCallback = Callable[[Progress], None]
Cancel = Callable[[], bool]
FileCallback = Callable[[FileReport], None]  # told of each file once what happened to it is on disk


class Reader(Protocol):
    """What a sync needs of `load.Pool`: files to documents, in any order."""

    def load_files(self, files: Iterable[SourceFile]) -> Iterator[tuple[SourceFile, Loaded | DocumentError]]:
        """Yield each file with what was read, or why it could not be."""
        ...


ReaderFactory = Callable[[], AbstractContextManager[Reader]]
