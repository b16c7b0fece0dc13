"""Cut a document into passages. Pure: the same document and options always give the same chunks.

`structure` cuts a document into sections and atoms, `pack` puts atoms together, `window` counts characters only; this module adds what
a passage must know of its place: headings, lines, page, number.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator

from yinju.chunk.cut import is_inside, safe, safe_start
from yinju.chunk.pack import Piece, pack
from yinju.chunk.presets import PRESETS, ChunkOptions, preset_for
from yinju.chunk.structure import cut
from yinju.text.tokens import estimate
from yinju.types import Chunk, Document, Hit, Lines, Mark, Span

__all__ = ["PRESETS", "ChunkOptions", "chunk", "indexed_text", "preset_for"]

_newline = re.compile("\n")


def chunk(document: Document, options: ChunkOptions | None = None) -> list[Chunk]:
    """Return the document's chunks in order, by the options or by its preset. They cover its text; only white space is left out."""
    options = options or PRESETS[preset_for(document)]
    places = _Places(document)
    return [places.chunk(number, piece) for number, piece in enumerate(_pieces(document, places, options))]


def _pieces(document: Document, places: _Places, options: ChunkOptions) -> Iterator[Piece]:
    if options.strategy == "window":
        return _windows(document, places, options.limit, options.overlap)
    return pack(cut(document, options), options)


def indexed_text(document_title: str | None, chunk: Chunk | Hit) -> str:
    """Return what is embedded and indexed for a chunk: its breadcrumb, the header of its table, its text, each on its own line."""
    trail = [label for label in chunk.headings if label.strip()]
    if document_title and document_title.strip() and trail[:1] != [document_title]:
        trail.insert(0, document_title)
    return "\n".join(part for part in (" > ".join(trail), chunk.header, chunk.text) if part)


def _windows(document: Document, places: _Places, size: int, overlap: int) -> Iterator[Piece]:
    """Yield windows of `size` characters, each starting `size - overlap` after the one before; borders move off the inside of a character."""
    text, step = document.text, size - overlap
    start = first = reached = 0
    while start < len(text):
        end = min(start + size, len(text))
        last = safe(text, end, reached)
        if is_inside(text, last) and start + step <= reached:  # half a character came in: the next window has it whole
            start += step
            continue
        if text[first:last].strip():
            yield Piece(first, last, places.path(first, last), exact=True)
        if end == len(text):
            return
        reached = last
        start += step
        first = min(safe_start(text, max(start, first + 1), first), reached)


class _Places:
    """Where things are in one document, looked up by bisection: documents with thousands of pages and headings stay linear."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.newlines = [match.start() for match in _newline.finditer(document.text)]
        pages = sorted((m.span.start, m.span.end, m.level) for m in document.marks if m.kind == "page")
        self.pages = pages
        self.headings = sorted((m for m in document.marks if m.kind == "heading"), key=lambda mark: mark.span.start)
        self.heading_starts = [mark.span.start for mark in self.headings]
        self.definitions = sorted(
            (m for m in document.marks if m.kind == "definition"), key=lambda mark: (mark.span.start, -mark.span.end)
        )
        self.definition_starts = [mark.span.start for mark in self.definitions]
        self.stacks: list[tuple[Mark, ...]] = [()]  # number n: after the first n headings
        for heading in self.headings:
            self.stacks.append((*(above for above in self.stacks[-1] if above.level < heading.level), heading))

    def chunk(self, number: int, piece: Piece) -> Chunk:
        """Return the chunk of a piece, with the indentation of its first line."""
        text = self.document.text
        start = piece.start
        while not piece.exact and start > 0 and text[start - 1] in " \t":
            start -= 1
        if start > 0 and not piece.exact and text[start - 1] != "\n":
            start = piece.start
        span = Span(start, piece.end)
        content = span.of(text)
        labels = tuple(mark.label for mark in piece.path) + self.definition(span)
        return Chunk(
            source=self.document.source,
            index=number,
            span=span,
            text=content,
            headings=labels,
            header=piece.header,
            lines=self.lines(span),
            page=self.page(piece.start),
            tokens=piece.tokens if piece.tokens >= 0 else estimate(content),
        )

    def path(self, start: int, end: int) -> tuple[Mark, ...]:
        """Return the headings that hold for the whole range."""
        first, last = bisect_right(self.heading_starts, start), bisect_left(self.heading_starts, end)
        path = self.stacks[first]
        for stack in self.stacks[first + 1 : last + 1]:
            path = tuple(mark for mark in path if mark in stack)
        return path

    def definition(self, span: Span) -> tuple[str, ...]:
        """Return the label of the innermost definition that holds the whole range."""
        place = bisect_right(self.definition_starts, span.start) - 1
        for mark in reversed(self.definitions[max(0, place - 50) : place + 1]):
            if mark.span.end >= span.end:
                return (mark.label,)
        return ()

    def lines(self, span: Span) -> Lines | None:
        """Return first and last line in the file, as `Document.lines` does."""
        first, last = self._line(span.start), self._line(max(span.start, span.end - 1))
        return None if first is None or last is None else (first, last)

    def _line(self, offset: int) -> int | None:
        place = bisect_right(self.document.anchors, offset, key=lambda anchor: anchor[0]) - 1
        if place < 0:
            return None
        start, line = self.document.anchors[place]
        return line + bisect_left(self.newlines, offset) - bisect_left(self.newlines, start)

    def page(self, offset: int) -> int | None:
        """Return the page of a character."""
        place = bisect_right(self.pages, offset, key=lambda page: page[0]) - 1
        if place < 0:
            return None
        _start, end, number = self.pages[place]
        return number if offset < end else None
