"""The values of this room: what a loader is given, what it gives back, and what `load` makes of it.

A loader knows its format and nothing else; everything that is the same for all formats (language, digest, balance) is added by `load`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from yinju.types import Document, Dropped, Mark, Receipt


@dataclass(frozen=True, slots=True)
class Limits:
    """What one file may cost. Beyond it the file is refused with reason `limit` or `too-deep`, and the others go on."""

    file_bytes: int = 200 * 1024 * 1024
    seconds: float = 60.0  # wall clock, held by the pool
    memory_bytes: int = (
        1024 * 1024 * 1024
    )  # address space of a worker, where the system can hold it; one worker at a time
    usual_memory_bytes: int = (
        512 * 1024 * 1024
    )  # of the others meanwhile: a file that needs more is read again when it can have more
    depth: int = 200  # nesting of JSON
    xml_depth: int = 256
    pages: int = 10_000
    cells: int = 2_000_000
    expanded_bytes: int = 500 * 1024 * 1024  # of a ZIP container, all entries together
    entries: int = 10_000  # of a ZIP container
    ratio: int = 100  # expanded to packed, of one entry
    ocr_pages: int = 500  # read by OCR; 0: none. `seconds` then hold for each page
    ocr_memory_bytes: int = 2 * 1024 * 1024 * 1024  # address space of the worker that reads pictures


DEFAULT_LIMITS = Limits()


@dataclass(frozen=True, slots=True)
class Parsed:
    """What a loader made of one file. `marks` need not be sorted; `dropped` balances `found` (see `types.Receipt`).

    `title` is the loader's choice by the rule: front matter, else first heading of level 1, else properties, else None.
    `warnings` are `code` or `code: detail`, such as `hidden-characters: 12`.
    """

    text: str
    marks: tuple[Mark, ...] = ()
    anchors: tuple[tuple[int, int], ...] = ()
    title: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    dropped: tuple[Dropped, ...] = ()
    pages: int | None = None
    page_states: Mapping[str, str] = field(default_factory=dict)  # see `types.Receipt`
    images: int = 0  # pictures that were passed over
    boxes: bytes = b""  # see `boxes.pack`
    parser: str = ""  # only where it is not what the table of formats says
    warnings: tuple[str, ...] = ()
    preset: str | None = None


@dataclass(frozen=True, slots=True)
class Loaded:
    """One file as a document with its receipt (`covered` and `chunks` are still 0). `digest` is `sha256:` + hex of the bytes."""

    document: Document
    receipt: Receipt
    digest: str
    size: int  # bytes
    modified_ns: int = 0  # 0: unknown, the bytes came from no file


Loader = Callable[[bytes, str, Limits], Parsed]
Counter = Callable[[bytes], int]


def visible(text: str) -> int:
    """Return the number of code points that are not white space (`str.isspace`): the measure of every receipt."""
    return len("".join(text.split()))
