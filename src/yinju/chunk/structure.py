"""Cut a document into sections by its headings, and each section into atoms: the pieces that packing never breaks.

An atom is a sentence, a heading, a line of code, a row, or a whole table, fence, list or turn of a conversation that fits. What does not fit
is cut here, so that every atom is within the maximum and packing cannot fail.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Literal

from yinju.chunk.cut import CLOSING, is_inside, pieces
from yinju.chunk.presets import SMALLEST, ChunkOptions, Unit
from yinju.text.sentences import split
from yinju.text.tokens import estimate
from yinju.text.turns import Turn, find_turns
from yinju.types import Document, Mark, Span

LONGEST_TOKEN = 60  # characters of a text per token, white space among them; beyond, it need not be estimated
Kind = Literal["sentence", "heading", "block", "line", "row", "piece"]
# How good a place the border before an atom is to cut at.
NEVER, ANYWHERE, SENTENCE, LINE, PARAGRAPH, CLAUSE, CHAPTER, MUST = range(8)
_chapter = re.compile(r"第[0-9零〇一二三四五六七八九十百千]+[编編章节節]|(?i:part|title|chapter)\s+[0-9IVXLC]+\b")
_clause = re.compile(
    r"第[0-9零〇一二三四五六七八九十百千]+[条條款]|(?i:article|section|clause|art\.|sec\.)\s*[0-9IVXLC]+\b|§\s*\d|\d+(?:\.\d+)+[\s.、]"
)
_STOPS = frozenset("。！？!?；;，,、：:")
_INTRODUCES = ("：", ":")  # the sentence before a list, a table or a fence that belongs to it
_line_start = re.compile(r"^[ \t\u3000]*(?=\S)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Atom:
    """A range of the text without white space around it. `table` is the start of the cut table that a row belongs to, else -1."""

    start: int
    end: int
    tokens: int
    border: int
    kind: Kind
    table: int = -1


@dataclass(slots=True)
class Section:
    """The headings that hold for it, outermost first, and its atoms in order."""

    path: tuple[Mark, ...]
    atoms: list[Atom] = field(default_factory=list)

    @property
    def tokens(self) -> int:
        """The sum over its atoms."""
        return sum(atom.tokens for atom in self.atoms)


@dataclass(frozen=True, slots=True)
class Header:
    """The header of a table that was cut, or who speaks in a turn that was: its text, empty where it would take two thirds of a chunk."""

    text: str
    tokens: int


@dataclass(slots=True)
class Structure:
    """Sections in order, and the headers of the tables that were cut, by the table's start."""

    sections: list[Section]
    headers: dict[int, Header]


def cut(document: Document, options: ChunkOptions) -> Structure:
    """Return the document's sections and atoms. Marks that lie outside the text or contradict each other are ignored."""
    return _Cutter(document, options).run()


class _Cutter:
    def __init__(self, document: Document, options: ChunkOptions) -> None:
        self.text = document.text
        self.maximum = options.maximum
        # A sentence that does not fit falls into small pieces, so that its end can come again as overlap.
        self.part = max(options.overlap // 2, SMALLEST) if options.overlap >= SMALLEST else options.maximum
        self.unit: Unit = options.unit
        self.level = options.level if options.strategy == "headings" else 99
        marks = [mark for mark in document.marks if 0 <= mark.span.start < mark.span.end <= len(self.text)]
        marks.sort(key=lambda mark: (mark.span.start, -mark.span.end))
        self.turns: list[Turn] = find_turns(self.text) if self.unit == "turns" else []
        self.turn_starts = [turn.span.start for turn in self.turns]
        self.blocks = (
            [] if self.turns else _outermost([mark for mark in marks if mark.kind in ("table", "code", "row")])
        )
        self.block_starts = [mark.span.start for mark in self.blocks]
        lists = [mark for mark in marks if mark.kind == "list"] if self.unit in ("sentences", "clauses") else []
        self.lists = [mark for mark in _outermost(lists) if not self._inside_block(mark.span.start)]
        self.list_starts = [mark.span.start for mark in self.lists]
        self.rows = [mark for mark in marks if mark.kind in ("header", "row")]
        self.row_starts = [mark.span.start for mark in self.rows]
        self.headings = [m for m in marks if m.kind == "heading" and not self._inside_block(m.span.start)]
        self.borders = _definition_borders(self.text, marks) if self.unit == "definitions" else {}
        self.headers: dict[int, Header] = {}

    def run(self) -> Structure:
        sections = [Section(())]
        place = 0
        stack: list[Mark] = []
        for number, heading in enumerate(self.headings):
            self._fill(sections[-1], place, heading.span.start)
            stack = [above for above in stack if above.level < heading.level] + [heading]
            if heading.level <= self.level:
                sections.append(Section(tuple(stack)))
            following = self.headings[number + 1].span.start if number + 1 < len(self.headings) else len(self.text)
            place = min(heading.span.end, following)
            self._add(sections[-1], heading.span.start, place, "heading")
        self._fill(sections[-1], place, len(self.text))
        return Structure([section for section in sections if section.atoms], self.headers)

    def _inside_block(self, place: int) -> bool:
        number = bisect_right(self.block_starts, place) - 1
        return number >= 0 and self.blocks[number].span.start < place < self.blocks[number].span.end

    def _fill(self, section: Section, start: int, end: int) -> None:
        """Add the atoms of the text between two headings: lists that fit, and what lies between them."""
        number = bisect_right(self.list_starts, start - 1)
        while number < len(self.lists) and self.lists[number].span.start < end:
            span = self.lists[number].span
            number += 1
            if start <= span.start and span.end <= end and (tokens := self._tokens(span)) <= self.maximum:
                self._between(section, start, span.start)
                self._add(section, *span, "block", self._block_border(section, span.start), tokens=tokens)
                start = span.end
        self._between(section, start, end)

    def _tokens(self, span: Span) -> int:
        """Return the estimate of a span, or one that is too large where it is longer than any text that fits."""
        longest = self.maximum * LONGEST_TOKEN
        return estimate(span.of(self.text)) if span.end - span.start <= longest else self.maximum + 1

    def _between(self, section: Section, start: int, end: int) -> None:
        """Add the atoms of text that holds no list that fits."""
        number = bisect_right(self.block_starts, start - 1)
        while number < len(self.blocks) and self.blocks[number].span.start < end:
            block = self.blocks[number]
            number += 1
            if block.span.start < start:
                continue
            self._text(section, start, block.span.start)
            start = min(block.span.end, end)
            self._block(section, block, start)
        self._text(section, start, end)

    def _block_border(self, section: Section, start: int) -> int:
        """Return how good a place the start of a block is: a bad one below the sentence that introduces it."""
        if section.atoms and self.text[section.atoms[-1].end - 1] in _INTRODUCES:
            return ANYWHERE
        return (
            PARAGRAPH if self.text.count("\n", section.atoms[-1].end if section.atoms else start, start) > 1 else LINE
        )

    def _block(self, section: Section, block: Mark, end: int) -> None:
        start = block.span.start
        tokens = self._tokens(Span(start, end))
        if tokens <= self.maximum and (self.unit != "definitions" or block.kind != "code"):
            self._add(section, start, end, "block", self._block_border(section, start), tokens=tokens)
        elif block.kind == "table":
            self._table(section, start, end)
        elif block.kind == "row":
            self._add(section, start, end, "row", LINE)
        else:
            self._lines(section, start, end, "line")

    def _table(self, section: Section, start: int, end: int) -> None:
        """Add the rows of a table that does not fit: cuts fall between them, and text after the table begins a new chunk."""
        first = bisect_right(self.row_starts, start - 1)
        last = bisect_right(self.row_starts, end - 1)
        inside = _outermost([mark for mark in self.rows[first:last] if mark.span.end <= end])
        header = "\n".join(mark.span.of(self.text).strip("\n") for mark in inside if mark.kind == "header")
        tokens = estimate(header)
        tokens = self._remember(start, header, tokens)
        place = start
        border = PARAGRAPH
        for mark in inside:
            self._lines(section, place, mark.span.start, "row", table=start, room=tokens)
            self._add(section, mark.span.start, mark.span.end, "row", border, table=start, room=tokens)
            border = NEVER if mark.kind == "header" else LINE
            place = mark.span.end
        self._lines(section, place, end, "row", table=start, room=tokens)

    def _text(self, section: Section, start: int, end: int) -> None:
        if self.turns:
            self._turns(section, start, end)
            return
        if self.unit in ("lines", "turns", "definitions"):
            self._lines(section, start, end, "line" if self.unit == "definitions" else "sentence")
            return
        for first, last in self._clauses(start, end) if self.unit == "clauses" else ((start, end),):
            for span in split(self.text[first:last]):
                self._add(section, first + span.start, first + span.end, "sentence")

    def _turns(self, section: Section, start: int, end: int) -> None:
        """Add the turns: whole where they fit, else in sentences, before each piece of which who spoke is told again."""
        number = max(bisect_right(self.turn_starts, start) - 1, 0)
        for turn in self.turns[number:]:
            first, last = max(turn.span.start, start), min(turn.span.end, end)
            if first >= end:
                break
            if first >= last:
                continue
            self._lines(section, start, first, "sentence")
            start = last
            if estimate(self.text[first:last]) <= self.maximum:
                self._add(section, first, last, "sentence", PARAGRAPH)
                continue
            opening = turn.opening.of(self.text).strip()
            room = self._remember(first, opening, estimate(opening))
            for span in split(self.text[first:last]):
                self._add(section, first + span.start, first + span.end, "sentence", table=first, room=room)
        self._lines(section, start, end, "sentence")

    def _remember(self, place: int, header: str, tokens: int) -> int:
        """Remember what is put before each part of what begins at `place`; return the room that it takes."""
        if tokens * 3 > self.maximum * 2:
            header, tokens = "", 0
        self.headers[place] = Header(header, tokens)
        return tokens

    def _clauses(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        """Yield the ranges that begin with a line that begins with the number of a clause, and what stands before the first."""
        place = start
        for match in _line_start.finditer(self.text, start, end):
            if match.end() > place and (
                _clause.match(self.text, match.end()) or _chapter.match(self.text, match.end())
            ):
                yield place, match.end()
                place = match.end()
        yield place, end

    def _lines(self, section: Section, start: int, end: int, kind: Kind, *, table: int = -1, room: int = 0) -> None:
        while start < end:
            stop = self.text.find("\n", start, end)
            stop = end if stop < 0 else stop + 1
            self._add(section, start, stop, kind, table=table, room=room)
            start = stop

    def _add(
        self,
        section: Section,
        start: int,
        end: int,
        kind: Kind,
        border: int | None = None,
        *,
        table: int = -1,
        room: int = 0,
        tokens: int = -1,
    ) -> None:
        """Add one atom (its `tokens` may be known), or several where it is larger than a chunk (less `room` for the header before it)."""
        raw = self.text[start:end]
        inner = raw.lstrip()
        if not inner:
            return
        start, end = end - len(inner), start + len(raw.rstrip())
        if self._hangs(section, start, kind, table):
            before = section.atoms.pop()
            self._add(section, before.start, end, "sentence", before.border, table=table, room=room)
            return
        border = self._border(section, start) if border is None else border
        if section.atoms:
            before = section.atoms[-1]
            if before.table >= 0 and before.table != table:
                border = MUST
            elif before.kind == "heading":
                border = NEVER
        else:
            border = PARAGRAPH
        limit = self.maximum - room
        tokens = tokens if tokens >= 0 else estimate(self.text[start:end])
        if tokens <= limit:
            section.atoms.append(Atom(start, end, tokens, border, kind, table))
            return
        part = min(limit, self.part) if kind == "sentence" else limit
        kind = "heading" if kind == "heading" else "piece"
        for first, last in pieces(self.text, start, end, part):
            piece = self.text[first:last]
            if piece.strip():
                left, right = last - len(piece.lstrip()), first + len(piece.rstrip())
                self._add_piece(section, Atom(left, right, min(estimate(piece), part), border, kind, table), limit)
            border = LINE if piece.endswith("\n") else SENTENCE if piece[-1] in _STOPS else ANYWHERE

    def _add_piece(self, section: Section, piece: Atom, limit: int) -> None:
        """Add a piece, or put it to the one before where it would begin with what closes that and both fit."""
        if self._hangs(section, piece.start, piece.kind, piece.table):
            before = section.atoms[-1]
            tokens = estimate(self.text[before.start : piece.end])
            if tokens <= limit:
                section.atoms[-1] = replace(before, end=piece.end, tokens=tokens)
                return
        section.atoms.append(piece)

    def _hangs(self, section: Section, start: int, kind: Kind, table: int) -> bool:
        """Whether an atom would begin with what closes the one before on its line, or inside a character: then the two are one."""
        if kind not in ("sentence", "piece") or not section.atoms:
            return False
        before = section.atoms[-1]
        if before.kind not in ("sentence", "piece") or before.table != table:
            return False
        if before.end == start:
            return self.text[start] in CLOSING or is_inside(self.text, start)
        return self.text[start] in CLOSING and "\n" not in self.text[before.end : start]

    def _border(self, section: Section, start: int) -> int:
        """Return how good a place to cut the start of an atom is."""
        if not section.atoms:
            return PARAGRAPH
        if self.unit == "clauses":
            if _chapter.match(self.text, start):
                return CHAPTER
            if _clause.match(self.text, start):
                return CLAUSE
        gap = self.text.count("\n", section.atoms[-1].end, start)
        if self.borders:
            line = self.text.rfind("\n", section.atoms[-1].end, start) + 1 or start
            found = max((self.borders.get(place, 0) for place in range(line, start + 1)), default=0)
            if found:
                return found
        return PARAGRAPH if gap > 1 else LINE if gap else SENTENCE


def _outermost(marks: list[Mark]) -> list[Mark]:
    """Return the marks that do not begin inside one before."""
    kept: list[Mark] = []
    for mark in marks:
        if not kept or mark.span.start >= kept[-1].span.end:
            kept.append(mark)
    return kept


def _definition_borders(text: str, marks: list[Mark]) -> dict[int, int]:
    """Return where definitions begin and end, and how good a place to cut that is: outer ones are better than inner ones."""
    borders: dict[int, int] = {}
    open_ends: list[int] = []
    for mark in marks:
        if mark.kind != "definition":
            continue
        while open_ends and open_ends[-1] <= mark.span.start:
            open_ends.pop()
        strength = CHAPTER if not open_ends else CLAUSE
        open_ends.append(mark.span.end)
        behind = mark.span.end
        while behind < len(text) and text[behind].isspace():
            behind += 1
        for place in (mark.span.start, behind):
            borders[place] = max(strength, borders.get(place, 0))
    return borders
