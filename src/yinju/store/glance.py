"""A glance at the file of a library: do the pages that can be read in a moment have their checksums?

A sync with nothing to do reads little of the library, so damage elsewhere would go unsaid until a question meets it. The pages are read by the file
system layer that checks them, in leaps that are spread evenly over the file wherever the time runs out. It is not read past SQLite: closing a file
that the process has open elsewhere, too, would drop the locks of both.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from pathlib import Path

from yinju.store import opening

BUDGET_S = 0.03  # about 60 MB in memory already; all of a library that is smaller
PAGE = 4096
_CHECKSUMS = "cksmvfs"
_GOLDEN = 0.6180339887
_BETWEEN_CLOCKS = 64  # pages


def seems_damaged(path: Path, budget_s: float = BUDGET_S) -> bool:
    """Return whether a page without its checksum was met. Raises errors of SQLite.

    It may be one that another process was just writing: then a check tells.
    """
    import apsw

    opening.load_extension()
    file = apsw.VFSFile(_CHECKSUMS, str(path.absolute()), [apsw.SQLITE_OPEN_MAIN_DB | apsw.SQLITE_OPEN_READONLY, 0])
    try:
        pages = file.xFileSize() // PAGE
        if pages < 2 or file.xRead(100, 0)[20:21] != b"\x08":  # the layer learns from it that pages have checksums
            return False
        until = time.monotonic() + budget_s
        for count, page in enumerate(leaps(pages)):
            if count % _BETWEEN_CLOCKS == 0 and time.monotonic() > until:
                return False
            try:
                file.xRead(PAGE, page * PAGE)
            except apsw.IOError:
                return True
    finally:
        file.xClose()
    return False


def leaps(pages: int) -> Iterator[int]:
    """Yield all page numbers, each once, so that every beginning of them is spread over the whole file."""
    step = max(1, round(pages * _GOLDEN))
    while math.gcd(step, pages) != 1:
        step += 1
    return (index * step % pages for index in range(pages))
