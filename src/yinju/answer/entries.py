"""The items of a list as an answer writes them: each on a line of its own, with its own sign, indented below the item that it belongs to."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from yinju.answer.pieces import Piece, numbered_sign, sign_before

GAP = "…"
_INDENT = "    "
_first = re.compile(r"[（(]?(?:[01]|一|[aAi]|①)[.)、．）]?")


@dataclass(frozen=True, slots=True)
class Entry:
    """An item with all of its sentences. `above` are the numbers of the entries that it stands below, the outermost first.

    `broken`: between it and the entry before it stands something that is no item, a paragraph or code.
    """

    sign: str
    depth: int
    above: tuple[int, ...]
    pieces: tuple[Piece, ...]
    broken: bool

    @property
    def worded(self) -> str:
        """How it reads, without its sign."""
        return " ".join(piece.worded for piece in self.pieces)

    def line(self, said: str) -> str:
        """Return the line of an answer that says this in the entry's place; what is only left out has no sign."""
        if said == GAP:
            return _INDENT * self.depth + GAP
        sign = self.sign if numbered_sign(self.sign) else "-"
        return f"{_INDENT * self.depth}{sign}{'' if sign.endswith(('、', '）')) else ' '}{said}"


def entries(text: str, items: Sequence[Piece]) -> list[Entry]:
    """Return the entries that these pieces are; `text` is the passage's.

    Markdown lets every item of a list be `1.` and counts them itself, and so do we; all other signs are those of the file.
    """
    grouped: dict[int | None, list[Piece]] = {}
    for piece in items:
        grouped.setdefault(piece.entry, []).append(piece)
    least = min((len(piece.within) for piece in items), default=0)
    places = {start: place for place, start in enumerate(grouped)}
    found: list[Entry] = []
    last: dict[
        tuple[int, ...], tuple[str, int]
    ] = {}  # the sign of the item before on a level, and how often it stood there by then
    end = None
    for own in grouped.values():
        first = own[0]
        above = tuple(places[start] for start in first.within if start in places)
        sign = sign_before(text, first)
        between = text[end : first.span.start].strip() if end is not None else sign
        before, times = last.get(above, ("", 0))
        times = times + 1 if before == sign else 0
        last[above] = sign, times
        shown = f"{int(sign[:-1]) + times}{sign[-1]}" if times and sign[:-1].isdecimal() else sign
        found.append(Entry(shown, len(first.within) - least, above, tuple(own), between.strip("> \t\n") != sign))
        end = own[-1].span.end
    return found


def begins_late(listed: Sequence[Entry]) -> bool:
    """True where the first item of a list is not its beginning: its number says so, or it stands below one that is missing."""
    sign = listed[0].sign
    return listed[0].depth > 0 or (numbered_sign(sign) and _first.fullmatch(sign) is None)


def gap(skipped: Sequence[Entry]) -> Iterator[str]:
    """Yield the line that stands for entries that are left out, nothing where there are none."""
    if skipped:
        yield _INDENT * min(entry.depth for entry in skipped) + GAP


def break_below(entry: Entry) -> str:
    """Return the line that stands for what is left out below an entry."""
    return _INDENT * (entry.depth + 1) + GAP
