"""A passage as the pieces that can be quoted: sentences, table rows, list items; headings and code are told apart.

A hit carries text and no marks, so structure is read from the text once more, by lines. Each piece knows where it stands in the
passage, and how it reads alone: a row with its column names, an item with the sentence that leads the list in.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from yinju.answer import nesting
from yinju.answer.plain import plain
from yinju.text import sentences, tables
from yinju.text.normalize import fold
from yinju.types import Hit, Span

Kind = Literal["sentence", "row", "item", "heading", "code", "list"]  # a list: several pieces taken together, see lists

_SHORT_ITEM = 200  # characters: such a list item is understood as a whole

_FENCE = re.compile(r"^\s{0,3}(`{3,}|~{3,})")
_HEADING = re.compile(r"^\s{0,3}#{1,6}\s+(?P<label>.*?)\s*#*\s*$")
_UNDERLINE = re.compile(r"^\s{0,3}(=+|-{2,})\s*$")
_ITEM = re.compile(r"^\s*(?:[-*+](?=\s)|[•·▪◦]|\d{1,3}[.)、．](?!\d)|[（(]\d{1,3}[)）])\s*(?=\S)")
_HAN_ITEM = re.compile(r"^\s*(?:[一二三四五六七八九十]{1,3}、|[（(][一二三四五六七八九十]{1,3}[)）])\s*(?=\S)")
_LETTER_ITEM = re.compile(rf"^\s*{nesting.LETTERED}\s*(?=\S)")
_SIGN = re.compile(
    r"^\s*(?:>\s*)*(?P<sign>[-*+•·▪◦]|[（(]?(?:\d{1,3}|[一二三四五六七八九十]{1,3}|[A-Za-z]|[ivx]{2,4})[.)、．）]|[①-⑳])\s*$"
)
_ENTRY = re.compile(
    r"^\s*[\[(<]?\d{1,4}[-:/]\d{1,2}[-:/]\d{1,2}(?!\d)"
)  # of a log or a transcript: the time comes first
_RULE = re.compile(r"^\s*\|?[\s:|+-]*-{2,}[\s:|+-]*$")
_QUOTE = re.compile(r"^\s{0,3}(?:>[ \t]?)+(?:[ \t]*[-*+][ \t]+)?", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a passage. `text == hit.text[span]`; `worded` is how it reads outside its table or list; `lead` leads a list in.

    `lead_start` is where the lead stands in the passage, `numbered` whether the items have numbers, `later` whether others stand before it.
    Of an item `entry` is where its first sentence starts, `within` where those start that it stands below, the outermost first (a negative
    number where the passage lacks it), and `hangs` is true where the nearest of these ends with a colon.
    """

    kind: Kind
    span: Span
    text: str
    worded: str
    lead: str = ""
    lead_start: int | None = None
    numbered: bool = False
    later: bool = False
    entry: int | None = None
    within: tuple[int, ...] = ()
    hangs: bool = False


def sign_before(text: str, piece: Piece) -> str:
    """Return the sign in front of an item (`-`, `3.`, `二、`), nothing where it does not begin its line's entry."""
    return _sign_of(text, piece.span.start)


def _sign_of(text: str, start: int) -> str:
    found = _SIGN.match(text[text.rfind("\n", 0, start) + 1 : start])
    return found["sign"] if found else ""


def numbered_sign(sign: str) -> bool:
    """True where the sign of an item is a number."""
    return bool(sign) and sign not in "-*+•·▪◦"


def pieces(hit: Hit) -> tuple[Piece, ...]:
    """Return the pieces of the hit's text in order; every visible character of sentences, rows and items is in one."""
    return _pieces(hit.text, hit.header, hit.headings)


@lru_cache(maxsize=512)
def _pieces(text: str, header: str, headings: tuple[str, ...]) -> tuple[Piece, ...]:
    found: list[Piece] = []
    lead, lead_start, later, listing = "", 0, False, False
    lead_column: int | None = None
    labels = {fold(label) for label in headings}
    for kind, start, end, above in _blocks(text, header, labels):
        block = text[start:end]
        if kind in ("sentence", "item"):
            whole = kind == "item" and 0 < len(block.strip()) <= _SHORT_ITEM
            cuts = [(0, len(block.rstrip()))] if whole else sentences.split(block)
            within = [Span(start + a, start + b) for a, b in cuts]
            column = nesting.column(text, start)
            listing = kind == "item" or (listing and column >= nesting.STEP)
            if kind == "item" and lead_column is not None and column + nesting.STEP <= lead_column:
                lead = ""  # it belonged to the item above
            if kind == "item" and lead and not later:  # the first one: what stands farther left is no part of its list
                lead_column = max(column, lead_column or 0)
            led = lead if kind == "item" else ""
            numbered = numbered_sign(_sign_of(text, start)) if led else False
            for span in within:
                found.append(
                    Piece(
                        kind,
                        span,
                        span.of(text),
                        _one_line(span.of(text)),
                        led,
                        lead_start if led else None,
                        numbered,
                        later if led else False,
                    )
                )
            later = kind == "item"
            last = within[-1].of(text).rstrip() if within else ""
            if kind == "sentence":
                lead = _one_line(last) if last.endswith((":", "：")) else ""
                lead_start = within[-1].start if within else 0
                lead_column = column if listing else None
        else:
            lead, listing = (lead, listing) if kind == "code" else ("", False)
            found.append(
                Piece(
                    kind,
                    Span(start, end),
                    block,
                    plain(tables.as_record(above, block)) if kind == "row" else block.strip(),
                    "",
                )
            )
    return tuple(_nested(text, found))


def _nested(text: str, found: list[Piece]) -> list[Piece]:
    """Return the pieces, those of items with what they stand below. Code and indented paragraphs between items end no list."""
    nested, run = list(found), list[int]()
    for place, piece in enumerate((*found, None)):
        if piece is not None and piece.kind == "item":
            run.append(place)
        elif piece is None or not is_below(text, piece):
            for at, more in _places(text, found, run):
                nested[at] = more
            run = []
    return nested


def is_below(text: str, piece: Piece) -> bool:
    """True for code and for an indented paragraph: behind an item they belong to it."""
    return piece.kind == "code" or (piece.kind == "sentence" and nesting.column(text, piece.span.start) >= nesting.STEP)


def _places(text: str, found: list[Piece], run: list[int]) -> Iterator[tuple[int, Piece]]:
    firsts = [at for at in run if sign_before(text, found[at])]
    columns = [nesting.column(text, found[at].span.start) for at in firsts]
    opens = bool(run) and "\n" not in text[: found[run[0]].span.start]
    if opens and len(firsts) > 1 and _same_list(text, *(found[at] for at in firsts[:2])):
        columns[0] = columns[1]  # white space in front of a passage is not kept
    above = nesting.parents(columns)
    withins: list[tuple[int, ...]] = []
    for at in run:
        piece = found[at]
        if at in firsts:
            place = firsts.index(at)
            parent = above[place]
            hangs = parent is not None and parent >= 0 and _ends_with_colon(found, run, firsts, parent)
            if parent is None:
                withins.append(())
            elif parent < 0:
                withins.append((~found[run[0]].span.start,))
            else:
                withins.append((*withins[parent], found[firsts[parent]].span.start))
            entry = piece.span.start
        if withins:
            yield at, replace(piece, entry=entry, within=withins[-1], hangs=hangs)


def _same_list(text: str, first: Piece, second: Piece) -> bool:
    one, other = sign_before(text, first), sign_before(text, second)
    if one[:-1].isdigit() and other[:-1].isdigit():
        return int(other[:-1]) == int(one[:-1]) + 1
    return one == other


def _ends_with_colon(found: list[Piece], run: list[int], firsts: list[int], place: int) -> bool:
    following = firsts[place + 1] if place + 1 < len(firsts) else run[-1] + 1
    return found[max(at for at in run if at < following)].text.rstrip().endswith((":", "："))


def _blocks(text: str, header: str, labels: set[str]) -> Iterator[tuple[Kind, int, int, str]]:
    """Yield kind, start, end and the table header above. Neighbouring lines of prose are one block."""
    lines = _lines(text)
    place, table = 0, header
    listing = False  # a colon was read, or an item below it: 一、 begins an item here, elsewhere it may be a heading
    within = False  # an item was read: letters may count what is below it
    while place < len(lines):
        start, end = lines[place]
        line = text[start:end]
        if fence := _FENCE.match(line):
            close = _closing(text, lines, place + 1, fence[1])
            if line.strip().strip(fence[1][0]) == "output":  # what a notebook's code printed is said, line by line
                yield from (
                    ("sentence", *printed, "") for printed in lines[place + 1 : close] if text[slice(*printed)].strip()
                )
            else:
                yield "code", start, lines[close][1], ""
            place = close + 1
            continue
        if not line.strip():
            place += 1
            table = header
            continue
        if _is_row(line):
            yield from ()
            if not table and _heads_a_table(text, lines, place):
                while place + 1 < len(lines) and _heads_it_too(text, lines, place):
                    place += 1
                table = text[start : lines[place][1]]
                yield "heading", start, lines[place][1], ""
            elif not _RULE.match(line):
                yield "row", start, end, table
            place += 1
            continue
        underlined = place + 1 < len(lines) and bool(_UNDERLINE.match(text[slice(*lines[place + 1])]))
        label = _HEADING.match(line)
        if label or underlined or fold(line.strip()) in labels:
            yield "heading", start, lines[place + underlined][1], ""
            place += 1 + underlined
            continue
        item = _item(line, listing, within)
        within = item is not None or (within and line[:1] in " \t")
        first = place
        place += 1
        listing = _announces(line) or (listing and item is not None)
        while place < len(lines) and _goes_on(text[slice(*lines[place])]):
            if _item(text[slice(*lines[place])], listing, within):
                break
            listing = _announces(text[slice(*lines[place])]) or (listing and item is not None)
            place += 1
        prefix = item or _QUOTE.match(line)
        yield ("item" if item else "sentence"), start + (prefix.end() if prefix else 0), lines[place - 1][1], ""
        assert place > first


def _item(line: str, listing: bool, within: bool) -> re.Match[str] | None:
    """Return the sign of an item: below a colon 一、 is one, too, there and within a list a letter."""
    found = _ITEM.match(line) or (_HAN_ITEM.match(line) if listing else None)
    return found or (_LETTER_ITEM.match(line) if listing or within else None)


def _lines(text: str) -> list[tuple[int, int]]:
    found, start = [], 0
    for line in text.split("\n"):
        found.append((start, start + len(line)))
        start += len(line) + 1
    return found


def _closing(text: str, lines: list[tuple[int, int]], place: int, fence: str) -> int:
    for at in range(place, len(lines)):
        if text[slice(*lines[at])].strip().startswith(fence) and not text[slice(*lines[at])].strip().strip(fence[0]):
            return at
    return len(lines) - 1


def _is_row(line: str) -> bool:
    return "\t" in line.strip() or (line.lstrip().startswith("|") and line.count("|") > 1)


def _heads_a_table(text: str, lines: list[tuple[int, int]], place: int) -> bool:
    following = text[slice(*lines[place + 1])] if place + 1 < len(lines) else ""
    if tables.is_pair(text[slice(*lines[place])]):
        return False
    return bool(_RULE.match(following)) or ("\t" in text[slice(*lines[place])] and "\t" in following)


def _heads_it_too(text: str, lines: list[tuple[int, int]], place: int) -> bool:
    """True where the row below a header row is one, too: the first has merged cells (`2023 | 2023`), only what comes after has numbers."""
    upper, lower, below = (text[slice(*lines[at])] if at < len(lines) else "" for at in (place, place + 1, place + 2))
    if "\t" not in upper or "\t" not in lower or "\t" not in below:
        return False
    names = tables.cells(upper)
    merged = "" in names or len(set(names)) < len(names)
    return merged and not re.search(r"\d", lower) and re.search(r"\d", below) is not None


def _announces(line: str) -> bool:
    return line.rstrip().endswith((":", "："))


def _goes_on(line: str) -> bool:
    """True where a line belongs to the paragraph or item above it."""
    begins = _is_row(line) or any(sign.match(line) for sign in (_HEADING, _ITEM, _FENCE, _ENTRY))
    return bool(line.strip()) and not begins


_han = r"[\u2e80-\u9fff\uff00-\uffef\u3000-\u303f]"
_between_han = re.compile(rf"(?<={_han})\s*\n\s*(?={_han})")


def _one_line(text: str) -> str:
    """Join the lines of a sentence, without Markdown's signs: with a space, but with nothing between Chinese characters."""
    return plain(_between_han.sub("", _QUOTE.sub("", text)))
