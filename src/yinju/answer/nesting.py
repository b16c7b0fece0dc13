"""Which item of a list stands below which. Pure: it knows the columns of the signs and nothing else.

An item is below the nearest one before it whose sign stands at least two columns farther left. A list whose levels are told by their
signs alone (`1.`, then `（1）` in the same column) is as flat here as it is in its file: each item keeps its own sign.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

STEP = 2  # columns
_small = r"(?:[a-z]|i{2,3}|iv|vi{1,3}|ix)"
# Letters count items within a list only: `A. Smith` begins a sentence elsewhere.
LETTERED = (
    rf"(?:{_small}[.)](?=\s)|[A-Z]\)(?=\s)|[A-Za-z][、）．]|[A-Z]\.(?=\s*[\u3400-\u9fff])"
    rf"|[（(](?:[A-Z]|{_small})[)）]|[①-⑳])"
)
_indented = re.compile(r"(?:[ \t]{0,3}>[ \t]?)*(?P<blanks>[ \t]*)")


def column(text: str, place: int) -> int:
    """Return the column in which the line at this place begins to say something, not counting signs of a quotation."""
    found = _indented.match(text, text.rfind("\n", 0, place) + 1)
    return len(found["blanks"].expandtabs(4)) if found else 0


def parents(columns: Sequence[int]) -> list[int | None]:
    """Return for each item the number of the one that it stands below, None on the first level, -1 where that one is missing.

    It is missing where a passage begins within a list: what comes later stands farther left.
    """
    found: list[int | None] = []
    above: list[int] = []
    for place, own in enumerate(columns):
        while above and own < columns[above[-1]] + STEP:
            above.pop()
        missing = not above and own >= min(columns[place:]) + STEP
        found.append(above[-1] if above else -1 if missing else None)
        above.append(place)
    return found
