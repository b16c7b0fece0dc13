"""What stands between two lines of a paragraph: nothing in Chinese, a space in English, and what becomes of a hyphen at a line's end.

Whether a hyphen divides a word or belongs to it is told by the other words of the document, and where they say nothing by simple rules.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise

from yinju.load.pdf.segment import is_han

_TAIL = re.compile(r"([^\W\d_]+(?:[-‐][^\W\d_]+)*)[-‐]$")
_HEAD = re.compile(r"[^\W\d_]+")
_WORD = re.compile(r"[A-Za-z]+(?:-[A-Za-z]+)+|[A-Za-z]{3,}")
_HYPHENS = ("-", "‐")
_DASHES = ("-", "‐", "–", "—")
_KEPT = (  # prefixes and words that keep their hyphen
    "self well long short high low cross half full part third first second state end year two three four five six seven eight nine ten"
    " mid post pre semi quasi all ex vice co non anti multi large small medium real left right open closed top data time cost user"
)
_CLOSED = (  # words that begin compounds written as one
    "under over out with up down in on off every some any where there here never how back fore inter sub be for what who when which not"
    " un re dis mis per pro con com de en em ad ac im"
)
_KEEP, _BEGIN = frozenset(_KEPT.split()), frozenset(_CLOSED.split())


def count_words(words: Counter[str], text: str, *, goes_on: bool) -> None:
    """Count the words of a line; those that are cut at its ends (`goes_on`: the line before ended in a hyphen) do not count."""
    found = [match.group().lower() for match in _WORD.finditer(text)]
    if found and text.endswith(_HYPHENS):
        found.pop()
    if found and goes_on:
        del found[0]
    for word in found:
        words[word] += 1
        parts = word.split("-")
        words.update("-".join(pair) for pair in pairwise(parts) if len(parts) > 2)


def seam(before: str, after: str, words: Counter[str] | None = None) -> tuple[bool, str]:
    """Return whether the hyphen at the end of the first line is to be taken back, and what stands between the two lines."""
    last, first = before[-1], after[0]
    if last in _DASHES and len(before) > 1 and not before[-2].isspace():
        divided = last in _HYPHENS and first.isalpha() and _divides(before, after, words or Counter())
        return divided, ""
    if last == "/" and not before[-2:-1].isspace():
        return False, ""
    return False, "" if is_han(last) or is_han(first) else " "


def _divides(before: str, after: str, words: Counter[str]) -> bool:
    tail, head = _TAIL.search(before), _HEAD.match(after)
    if not tail or not head or not head.group()[0].islower():
        return False
    parts = re.split("[-‐]", tail.group(1).lower())
    stem, rest = parts[-1], head.group().lower()
    joined, hyphenated = words[stem + rest], words[f"{stem}-{rest}"]
    if joined or hyphenated:
        return joined >= hyphenated
    compound = after[head.end() : head.end() + 1] in _HYPHENS
    if compound or len(parts) > 1 or len(stem) < 2 or stem in _KEEP:
        return False
    both_known = words[stem] > 1 and words[rest] > 1 and stem not in _BEGIN
    return not both_known
