"""Answer a question about the whole collection by a scan of it, for the facade. Between the rooms: `answer` reads and words, `retrieve` scans."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from yinju.types import Answer, Citation, SearchResult, Where

if TYPE_CHECKING:
    from yinju.store import Store


def counted(store: Store, question: str, searched_as: str, where: Where) -> Iterator[str | Citation | Answer] | None:
    """Return the parts of the answer where the question is about the whole collection and the scan understood it, else None.

    `searched_as` is the question as it stands alone. Raises UsageError for filters that cannot be used.
    """
    from yinju.answer import collecting, collection
    from yinju.retrieve import scan

    wanted = collecting.recognise(searched_as)
    if wanted is None:
        return None
    start = time.perf_counter()
    tally = scan.scan(store, wanted, where)
    if tally is None:
        return None
    return collection.stream(question, tally, searched_as, (time.perf_counter() - start) * 1000)


def told(result: SearchResult, searched_as: str) -> SearchResult:
    """Return the result with a notice where a question asked for all of something, and no scan could count it."""
    from yinju.answer import collecting, collection

    wanted = collecting.recognise(searched_as)
    if wanted is None or (wanted.kind == "rows" and wanted.strict):
        return result
    return replace(result, notices=(*result.notices, collection.not_scanned(searched_as)))
