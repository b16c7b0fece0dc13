"""Files that are their owner's alone: made with mode 0600 from the first byte on, and never through a link that somebody laid in their place.

What a library keeps quotes documents, and settings hold keys, so no such file may be readable for a moment either, as one is that is written first
and given its mode afterwards. Where a system has no such modes or no such links it does what it can.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TextIO, cast

MODE = 0o600
_SECRET = ("_KEY", "_TOKEN", "_URL")  # ends of variables of ours that hold keys, or addresses with a password in them


def environment() -> dict[str, str]:
    """Return the environment for a child that reads files of unknown origin: nothing in it is worth stealing from us."""
    return {
        name: value for name, value in os.environ.items() if not (name.startswith("YINJU_") and name.endswith(_SECRET))
    }


def opened(path: str | Path, mode: str, *, errors: str = "strict", links: bool = False) -> TextIO:
    """Open a text file for writing (`mode`: w, x or a), UTF-8 with plain line ends. `links`: it may be a link, since people named it.

    Raises OSError; FileExistsError or one with ELOOP where a link lies there and may not.
    """

    def opener(name: str, flags: int) -> int:
        return os.open(name, flags | (0 if links else getattr(os, "O_NOFOLLOW", 0)), MODE)

    file = open(path, mode, encoding="utf-8", errors=errors, newline="\n", opener=opener)  # noqa: SIM115  the caller closes it
    return cast("TextIO", file)


def write(path: str | Path, text: str, *, errors: str = "strict", links: bool = False) -> None:
    """Write a file anew. Raises OSError."""
    with opened(path, "w", errors=errors, links=links) as file:
        file.write(text)
