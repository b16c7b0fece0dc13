"""Cut a text that is too long for a chunk and has no sentence, row or line to cut at: at the best place, in linear time.

Best is after a line, then after a sentence's or clause's punctuation, then at white space, then anywhere but inside a character as
people see it (combining marks, joined emoji, flags) and not right before punctuation that closes.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

from yinju.text.tokens import estimate

_CHARACTERS_PER_TOKEN = 7  # no text but white space has more
_PLACES = ("\n", "。！？!?", "；;，,、：:", " \t\u3000")
CLOSING = frozenset("。！？；，、：）】》」』”’…!?;,:)]}%\"'")
_CONTINUES = frozenset(
    "\u0e33\u0eb3\uff9e\uff9f"
)  # vowels of Thai and Lao, half-width voicing marks; Hangul vowels and tails are a range
_JOINER = "\u200d"
_LONGEST_GAP = 8  # white space before punctuation
_LONGEST_CLUSTER = 40  # characters; longer runs of marks are no writing


def pieces(text: str, start: int, end: int, limit: int) -> Iterator[tuple[int, int]]:
    """Yield consecutive ranges that cover `text[start:end]`, each of at most `limit` tokens (at least one character)."""
    while start < end:
        cut = _furthest(text, start, end, limit)
        if cut < end:
            cut = _best(text, start, cut)
        yield start, cut
        start = cut


def safe(text: str, place: int, lowest: int = 0) -> int:
    """Return the last place up to `place`, and above `lowest`, that does not cut a character; `place` itself where there is none."""
    for candidate in range(place, max(lowest, place - _LONGEST_CLUSTER), -1):
        if not is_inside(text, candidate):
            return candidate
    return place


def safe_start(text: str, place: int, lowest: int) -> int:
    """Return the place nearest to `place` that does not cut a character: the last one up to it and above `lowest`, else the next one."""
    found = safe(text, place, lowest)
    if not is_inside(text, found):
        return found
    return next((n for n in range(place, place + _LONGEST_CLUSTER) if not is_inside(text, n)), place)


def _furthest(text: str, start: int, end: int, limit: int) -> int:
    """Return the furthest end (within a window) whose text is within the limit."""
    high = min(end, start + limit * _CHARACTERS_PER_TOKEN)
    if estimate(text[start:high]) <= limit:
        return high
    low = start + 1  # always taken
    while high - low > 1:
        middle = (low + high) // 2
        if estimate(text[start:middle]) <= limit:
            low = middle
        else:
            high = middle
    return low


def _best(text: str, start: int, furthest: int) -> int:
    middle = start + max(1, (furthest - start) // 2)
    for signs in _PLACES:
        place = max(text.rfind(sign, middle, furthest) for sign in signs) + 1
        if place and not _closes(text, place) and not is_inside(text, place):
            return place
    place = furthest
    while place > middle and _closes(text, place):
        place -= 1
    return safe(text, place if place > middle else furthest, start)


def _closes(text: str, place: int) -> bool:
    """Whether what follows, after white space in the line, closes what stands before."""
    shown = text[place : place + _LONGEST_GAP].lstrip(" \t\u3000")[:1]
    return bool(shown) and shown in CLOSING


def is_inside(text: str, place: int) -> bool:
    """Return whether a cut at `place` would cut a character as people see it."""
    if not 0 < place < len(text):
        return False
    before, after = text[place - 1], text[place]
    if after < "\u0300":
        return before == "\r" and after == "\n"
    if _JOINER in (before, after) or "\U0001f3fb" <= after <= "\U0001f3ff":
        return True
    if "\udc00" <= after <= "\udfff":
        return "\ud800" <= before <= "\udbff"
    if _is_flag(after) and _is_flag(before):  # flags are pairs
        first = place - 1
        while first > 0 and place - first < _LONGEST_CLUSTER and _is_flag(text[first - 1]):
            first -= 1
        return (place - first) % 2 == 1
    return unicodedata.category(after)[0] == "M" or after in _CONTINUES or "\u1160" <= after <= "\u11ff"


def _is_flag(character: str) -> bool:
    return "\U0001f1e6" <= character <= "\U0001f1ff"
