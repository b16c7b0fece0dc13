"""Fold text for the index and for comparisons, so that what a reader takes for the same is the same.

Width and compatibility forms (Unicode NFKC), Kangxi and simplified radicals (PDF fonts write 页 as ⻚), case, and traditional
characters become one form. What is shown and cited is never folded: `fold_with_offsets` leads back to the original.

Folding goes character by character through one lazily filled table, which makes it fast and keeps offsets exact; only where a
character joins the one before it (accents, voicing marks, Hangul vowels) are such clusters composed together.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from pathlib import Path

# Radicals that Unicode does not decompose although fonts use them for whole characters.
_RADICALS = dict(
    zip(
        "⺠⺴⻁⻄⻅⻆⻉⻋⻐⻑⻓⻔⻘⻙⻚⻛⻜⻝⻟⻢⻣⻤⻥⻦⻧⻨⻩⻪⻬⻮⻰⺟⻳⺼⺎⻫⻭⻯⻲⺶⺷⻊⻗⺝⺮⺻⻈",
        "民罒虎西见角贝车钅长长门青韦页风飞食飠马骨鬼鱼鸟卤麦黄黾齐齿龙母龟月兀齐齿龙龟羊羊足雨月竹聿讠",
        strict=True,
    )
)
# Shown as nothing, or as a variant of what stands before: zero-width characters, soft hyphen, variation selectors.
_INVISIBLE = (
    "\u00ad\u034f\u061c\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\U000e0000-\U000e01ef"
)
_is_invisible = re.compile(f"[{_INVISIBLE}]").match
# The second characters of all canonical compositions, Hangul vowels and tails, half-width voicing marks.
_JOINING = (
    "\u0300-\u036f\u0653-\u0655\u093c\u09be\u09d7\u0b3e\u0b56\u0b57\u0bbe\u0bd7\u0c56\u0cc2\u0cd5\u0cd6\u0d3e\u0d57"
    "\u0dca\u0dcf\u0ddf\u102e\u1160-\u11ff\u1b35\u3099\u309a\uff9e\uff9f\uffa0-\uffdc"
    "\U000110ba\U00011127\U0001133e\U00011357\U000114b0\U000114ba\U000114bd\U000115af\U00011930"
)
_joins = re.compile(f"[{_JOINING}]")
_cluster = re.compile(f"(?s:.)[{_INVISIBLE}]*[{_JOINING}][{_JOINING}{_INVISIBLE}]*")
_LARGEST_TABLE = 200_000  # entries; hostile text must not grow it without end


@cache
def simplified() -> dict[str, str]:
    """Return the table from traditional to simplified characters (see the notice in `simplified.txt`)."""
    text = Path(__file__).with_name("simplified.txt").read_text(encoding="utf-8")
    pairs = "".join(line for line in text.split("\n") if not line.startswith("#"))
    return dict(zip(pairs[::2], pairs[1::2], strict=True))


class _Table(dict[int, str]):
    """A table for `str.translate` that works out each character when it is first met."""

    def __init__(self, *, case: bool) -> None:
        super().__init__()
        self._case = case

    def __missing__(self, code: int) -> str:
        folded = _fold_character(chr(code), case=self._case)
        if len(self) < _LARGEST_TABLE:
            self[code] = folded
        return folded


_folding = _Table(case=True)
_cased = _Table(case=False)


def fold(text: str) -> str:
    """Return the text in the form in which it is indexed and compared. `fold(fold(text)) == fold(text)`."""
    return text.lower() if text.isascii() else _apply(text, _folding)


def fold_keeping_case(text: str) -> str:
    """Return the text folded in all but case: words are split where case changes before case goes."""
    return text if text.isascii() else _apply(text, _cased)


def fold_with_offsets(text: str) -> tuple[str, list[int]]:
    """Return `fold(text)` and for each of its characters the index in `text` that it comes from, and at the end `len(text)`."""
    if text.isascii():
        return text.lower(), list(range(len(text) + 1))
    parts: list[str] = []
    offsets: list[int] = []
    place = 0
    for cluster in _cluster.finditer(text) if _joins.search(text) else ():
        _fold_each(text, place, cluster.start(), parts, offsets)
        parts.append(_fold_cluster(cluster.group(), _folding))
        offsets += [cluster.start()] * len(parts[-1])
        place = cluster.end()
    _fold_each(text, place, len(text), parts, offsets)
    return "".join(parts), [*offsets, len(text)]


def _fold_each(text: str, start: int, end: int, parts: list[str], offsets: list[int]) -> None:
    for index in range(start, end):
        folded = _folding[ord(text[index])]
        parts.append(folded)
        offsets += [index] * len(folded)


def _apply(text: str, table: _Table) -> str:
    if not _joins.search(text):
        return text.translate(table)
    parts: list[str] = []
    place = 0
    for cluster in _cluster.finditer(text):
        parts += (text[place : cluster.start()].translate(table), _fold_cluster(cluster.group(), table))
        place = cluster.end()
    return "".join((*parts, text[place:].translate(table)))


def _fold_cluster(cluster: str, table: _Table) -> str:
    for _ in range(4):  # composing can make a character that folds again; three rounds are the most that were seen
        folded = unicodedata.normalize("NFC", cluster.translate(table))
        if folded == cluster:
            break
        cluster = folded
    return cluster


def _fold_character(character: str, *, case: bool) -> str:
    if "\ud800" <= character <= "\udfff":  # half of a pair: no character at all
        return "\ufffd"
    if _is_invisible(character):
        return ""
    table = simplified()
    folded = unicodedata.normalize("NFKC", character)
    if "\u2044" in folded:  # ½ is 1/2, and 6½ is not 61/2
        folded = " " + folded.replace("\u2044", "/")
    if case:
        folded = unicodedata.normalize("NFKC", folded.casefold())
    return "".join(table.get(part, part) for part in (_RADICALS.get(part, part) for part in folded))
