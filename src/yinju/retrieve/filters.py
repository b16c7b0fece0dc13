"""Filters with several patterns for one key, and keys that exclude: `source!=faq/old/*`, a range of dates.

The store knows one pattern for each key; the sets of rows that it returns are put together here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from yinju.retrieve import holding
from yinju.text.normalize import fold
from yinju.types import Where

if TYPE_CHECKING:
    from yinju.store import Store
    from yinju.store.records import RowIds

NOT = "!"  # at the end of a key: what matches is left out
HOLDS = "\0holds"  # a key of our own, which no front matter can have: the value is a text that stands in the passage, see `holding`


def allowed(store: Store, where: Where) -> RowIds | None:
    """Return the sorted rows that match all patterns, None where there is no pattern. Raises UsageError."""
    wanted: list[dict[str, str]] = []  # the first pattern of each key, the second of each ...
    unwanted: list[tuple[str, str]] = []
    held: list[RowIds] = []
    for key, pattern in patterns(where):
        if key == HOLDS:
            held.append(holding.holding(store, pattern))
            continue
        if key.endswith(NOT) and key != NOT:
            unwanted.append((key[: -len(NOT)], pattern))
            continue
        place = next((group for group in wanted if key not in group), None)
        if place is None:
            wanted.append(place := {})
        place[key] = pattern
    if not wanted and not unwanted and not held:
        return None
    import numpy as np

    kept: RowIds | None = None
    for group in wanted or ([] if held else [{"source": "*"}]):
        rows = store.allowed(group)
        kept = rows if kept is None or rows is None else np.intersect1d(kept, rows, assume_unique=True)
    for rows in held:
        kept = rows if kept is None else np.intersect1d(kept, rows, assume_unique=True)
    for key, pattern in unwanted:
        rows = holding.holding(store, pattern, forms=True) if key == HOLDS else store.allowed({key: pattern})
        kept = kept if kept is None or rows is None else np.setdiff1d(kept, rows, assume_unique=True)
    return kept


def patterns(where: Where) -> Iterator[tuple[str, str]]:
    """Yield each key with each of its patterns."""
    for key, given in where.items():
        for pattern in (given,) if isinstance(given, str) else given:
            yield key, pattern


def joined(*filters: Where) -> Where:
    """Return one filter that lets through only what all of these do."""
    found: dict[str, tuple[str, ...]] = {}
    for where in filters:
        for key, pattern in patterns(where):
            found[key] = (*found.get(key, ()), pattern)
    return {key: given[0] if len(given) == 1 else given for key, given in found.items()}


def below(source: str) -> str:
    """Return the glob of all names that begin with this text."""
    return literal(source) + "*"


def literal(name: str) -> str:
    """Return the glob that matches this name; folded first, because a full-width bracket becomes a bracket."""
    return "".join(f"[{c}]" if c in "*?[" else c for c in fold(name))
