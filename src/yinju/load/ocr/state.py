"""What the process around a reader decides: whether pictures are read in it at all, and who is told before each page.

A worker process loads one file at a time, so this is one value for the process and not one for each call.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

TellPage = Callable[[int, int], None]


class ReadElsewhere(Exception):
    """This process reads no pictures: the file is for the one that does."""


@dataclass(slots=True)
class _State:
    here: bool = True
    tell: TellPage | None = None


_STATE = _State()


def set_state(*, here: bool, tell: TellPage | None) -> None:
    """Say whether this process reads pictures, and whom to tell the number of a page and how many there are before it is read."""
    _STATE.here, _STATE.tell = here, tell


def begin_page(number: int, total: int) -> None:
    """Tell that a page is about to be read. Raises ReadElsewhere where this process reads no pictures."""
    if not _STATE.here:
        raise ReadElsewhere
    if _STATE.tell is not None:
        _STATE.tell(number, total)
