"""The records of a PowerPoint 97-2003 file: which slides are live, in which order, and their shapes with text.

Source: [MS-PPT] 2.1 (streams, persist objects), 2.3-2.5 (document, slides, notes), [MS-ODRAW] (shapes). A file that was saved quickly still holds
older versions of its slides: only what the newest directory of persist objects names is read. Records are walked in one line, with a stack of
where containers end, so that no length that lies can make a loop.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from yinju.load.legacy.ole import Compound
from yinju.load.office.package import beyond_limit, damaged, encrypted
from yinju.load.parsed import Limits
from yinju.messages import say

DOCUMENT, SLIDE, NOTES, LIST, PERSIST = 0x03E8, 0x03EE, 0x03F0, 0x0FF0, 0x03F3
_SLIDE_INFO, _NOTES_ATOM, _PLACEHOLDER = 0x03F9, 0x03F1, 0x0BC3
_HEADER, _WIDE, _NARROW, _OUTLINE = 0x0F9F, 0x0FA0, 0x0FA8, 0x0F9E
_GROUP, _SHAPE, _SHAPE_ATOM, _CHILD = 0xF003, 0xF004, 0xF00A, 0xF00F
_PROPERTIES = (0xF00B, 0xF122)
_TABLE_PROPERTY, _PICTURE_FRAME = 0x039F, 75
_SCRAMBLED = 0xF3D1C4DF
_FILLED_IN = (0x0FD8, 0x0FF7, 0x0FF8, 0x0FF9, 0x0FFA)  # number, dates, header, footer: the text beside it is a `*`
_MOST_EDITS, _MOST_OBJECTS = 10_000, 2_000_000
TITLES, BODIES = (0, 6), (1, 7, 8)  # kinds of text
FURNITURE = (7, 8, 9, 10)  # kinds of placeholders: date, slide number, footer, header


class Record(NamedTuple):
    """A record, or (`closes`) the end of a container."""

    kind: int
    instance: int
    content: bytes
    closes: bool = False


@dataclass(slots=True)
class Shape:
    """A shape with its texts as (kind of text, characters); `outline` are numbers of texts that stand in the document's outline."""

    texts: list[tuple[int, str]] = field(default_factory=list)
    outline: list[int] = field(default_factory=list)
    placeholder: int = 0
    place: tuple[int, int] | None = None  # top and left in the group
    table: int = 0  # number of the table that it is a cell of
    picture: bool = False


@dataclass(slots=True)
class Slide:
    """A slide as the show has it. `texts` are those of the outline; `identity` is what notes name."""

    persist: int
    identity: int
    texts: list[tuple[int, str]] = field(default_factory=list)
    shapes: list[Shape] = field(default_factory=list)
    hidden: bool = False
    about: int = 0  # of notes: the slide's identity


@dataclass(slots=True)
class Show:
    """The slides in order, and the notes that stand in the list of notes."""

    slides: list[Slide] = field(default_factory=list)
    notes: list[Slide] = field(default_factory=list)


def open_show(compound: Compound, limits: Limits) -> Show:
    """Return the show. Raises DocumentError: damaged, encrypted, limit."""
    stream, user = compound.stream("PowerPoint Document"), compound.stream("Current User")
    if compound.has("EncryptedSummary"):
        raise encrypted()
    try:
        token, edit = struct.unpack_from("<II", user, 12)
        if token == _SCRAMBLED:
            raise encrypted()
        document, places = _directory(stream, edit)
        start = places[document]
        if struct.unpack_from("<2xH", stream, start)[0] != DOCUMENT:
            raise KeyError(document)
    except (struct.error, KeyError) as error:
        raise damaged(say("the directory of slides is broken", "幻灯片目录已损坏")) from error
    show = _lists(stream, start)
    if len(show.slides) > limits.pages:
        raise beyond_limit("too many slides", "幻灯片过多")
    for kind, pages in ((SLIDE, show.slides), (NOTES, show.notes)):
        seen: set[int] = set()
        for page in pages:
            place = places.get(page.persist)
            if place is not None and place not in seen and _kind(stream, place) == kind:
                seen.add(place)
                _read_page(stream, place, page)
    return show


def _directory(stream: bytes, edit: int) -> tuple[int, dict[int, int]]:
    """Return the number of the document and where persist objects lie, following edits from the newest back."""
    places: dict[int, int] = {}
    document, before, steps = 0, len(stream), 0
    for _ in range(_MOST_EDITS):
        if not edit < before:  # edits lead back: each lies before the one that names it
            break
        size, last, directory, identity = struct.unpack_from("<4xI8xIII", stream, edit)
        if size == 32:
            raise encrypted()
        document = document or identity
        length = struct.unpack_from("<4xI", stream, directory)[0]
        at, end = directory + 8, min(directory + 8 + length, len(stream))
        while at + 4 <= end:
            head = struct.unpack_from("<I", stream, at)[0]
            first, count = head & 0xFFFFF, min(head >> 20, (end - at - 4) // 4)
            for number, place in enumerate(struct.unpack_from(f"<{count}I", stream, at + 4)):
                places.setdefault(first + number, place)
            at += 4 + 4 * count
            steps += 1 + count
            if steps > _MOST_OBJECTS:
                raise KeyError(steps)
        if not last:
            break
        before, edit = edit, last
    return document, places


def _kind(stream: bytes, place: int) -> int:
    return int(struct.unpack_from("<2xH", stream, place)[0]) if place + 8 <= len(stream) else 0


def records(stream: bytes, start: int) -> Iterator[Record]:
    """Yield the records of the container at `start`, itself left aside, depth first; containers are closed where their stated end is passed."""
    end = min(start + 8 + struct.unpack_from("<4xI", stream, start)[0], len(stream))
    at, open_ = (
        start + 8,
        list[tuple[int, int, int]](),
    )  # end, kind, instance; no end beyond that of the container around
    while at + 8 <= end:
        while open_ and at >= open_[-1][0]:
            _, kind, instance = open_.pop()
            yield Record(kind, instance, b"", closes=True)
        head, kind, length = struct.unpack_from("<HHI", stream, at)
        at += 8
        if head & 0xF == 0xF:
            yield Record(kind, head >> 4, b"")
            open_.append((min(at + length, open_[-1][0] if open_ else end), kind, head >> 4))
        else:
            if at + length > end:
                break
            yield Record(kind, head >> 4, stream[at : at + length])
            at += length
    for _, kind, instance in reversed(open_):
        yield Record(kind, instance, b"", closes=True)


def _lists(stream: bytes, start: int) -> Show:
    """Return slides and notes as the document lists them, slides with the texts of their outline."""
    show = Show()
    current: list[Slide] | None = None
    kind = 4
    for record in records(stream, start):
        if record.kind == LIST:
            current = {0: show.slides, 2: show.notes}.get(record.instance) if not record.closes else None
        elif current is not None and record.kind == PERSIST and len(record.content) >= 16:
            persist, identity = struct.unpack_from("<I8xI", record.content)
            current.append(Slide(persist, identity))
        elif current is show.slides and current:
            kind = _header(record, kind)
            if (text := _text(record)) is not None:
                current[-1].texts.append((kind, text))
    return show


def _header(record: Record, before: int) -> int:
    if record.kind == _HEADER and len(record.content) >= 4:
        return int.from_bytes(record.content[:4], "little")
    return before


def _text(record: Record) -> str | None:
    if record.kind == _WIDE:
        return record.content[: len(record.content) // 2 * 2].decode("utf-16-le", "replace")
    return record.content.decode("latin-1") if record.kind == _NARROW else None


def _read_page(stream: bytes, place: int, page: Slide) -> None:  # noqa: PLR0912  one branch a kind of record
    """Read the shapes of a slide or of its notes; text outside of any shape is a shape of its own."""
    loose = Shape()
    shapes, kind = [loose], 4
    tables: list[int] = []  # open groups: number of the table, 0 for other groups
    count = 0
    for record in records(stream, place):
        shape = shapes[-1]
        if record.kind == _GROUP:
            if record.closes:
                tables = tables[:-1]
            else:
                tables.append(0)
        elif record.kind == _SHAPE:
            shapes.append(Shape(table=tables[-1] if tables else 0) if not record.closes else loose)
            kind = 4
        elif record.kind in _PROPERTIES and tables and not tables[-1] and _is_table(record.content):
            count += 1
            tables[-1] = count
        elif record.kind == _SHAPE_ATOM:
            shape.picture = record.instance == _PICTURE_FRAME
        elif record.kind == _CHILD and len(record.content) >= 8:
            left, top = struct.unpack_from("<ii", record.content)
            shape.place = (top, left)
        elif record.kind == _PLACEHOLDER and len(record.content) >= 5:
            shape.placeholder = record.content[4]
        elif record.kind in _FILLED_IN and shape.texts and shape.texts[-1][1].strip() == "*":
            shape.placeholder = FURNITURE[0]
        elif record.kind == _OUTLINE and len(record.content) >= 4:
            shape.outline.append(int.from_bytes(record.content[:4], "little"))
        elif record.kind == _SLIDE_INFO and len(record.content) >= 12:
            page.hidden = bool(record.content[10] & 4)
        elif record.kind == _NOTES_ATOM and len(record.content) >= 4:
            page.about = int.from_bytes(record.content[:4], "little")
        else:
            kind = _header(record, kind)
            if (text := _text(record)) is not None:
                shape.texts.append((kind, text))
    page.shapes = [shape for number, shape in enumerate(shapes) if shape is not loose or number == 0]


def _is_table(content: bytes) -> bool:
    """Say whether a list of properties, six bytes each, calls its group a table."""
    return any(
        struct.unpack_from("<HI", content, at)[0] & 0x3FFF == _TABLE_PROPERTY and content[at + 2] & 1
        for at in range(0, len(content) - 5, 6)
    )
