"""Sources as resources: a client can list them, show them, and put one into a conversation by its address.

A source's name may hold slashes, Chinese, spaces, `%` and `!` (inside archives). Its address keeps the slashes, for people, and percent-encodes
what an address cannot hold; a name never becomes a path: it is looked up in the library.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

if TYPE_CHECKING:
    from yinju.library import Library

SCHEME = "yinju://source/"
TEMPLATE = SCHEME + "{+name}"
PAGE = 200  # sources in one page of the list
LONGEST = 1_000_000  # characters of a source that are handed out at once


def address(source: str) -> str:
    """Return the address of a source."""
    return SCHEME + quote(source, safe="/!")


def names(address: str) -> list[str]:
    """Return the names that this address may mean, the likeliest first: clients encode more or less of it."""
    if not address.startswith(SCHEME):
        return []
    rest = address[len(SCHEME) :]
    return list(dict.fromkeys(name for name in (unquote(rest), rest) if name))


def page(library: Library, cursor: str | None) -> tuple[list[tuple[str, str | None]], str | None] | None:
    """Return name and title of the sources of one page and the next cursor; None for a cursor that is none."""
    if cursor is not None and not (cursor.isascii() and cursor.isdecimal() and len(cursor) < 10):
        return None
    start = int(cursor or 0)
    every = sorted((one for one in library.sources() if one.document is not None), key=lambda one: one.source)
    chosen = [(one.source, one.title) for one in every[start : start + PAGE]]
    return chosen, str(start + PAGE) if start + PAGE < len(every) else None
