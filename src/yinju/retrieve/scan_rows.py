"""Rows of tables and items of lists that a question asks for by name: which tables are meant, and which of their rows.

A table is meant where the noun of the question is the name of its first column or the heading above it. Every word of the condition must
be understood (see `scan_conditions`); a table in which it is not is no answer, and a question that no table answers is answered
in the usual way. A question for one thing is about a table only where its condition names a column, and a row fulfils it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from yinju.retrieve.scan_conditions import Condition, names_of, plain_yes, understood
from yinju.tally import Wanted
from yinju.text import tables
from yinju.text.normalize import fold
from yinju.text.words import FILLERS, terms
from yinju.types import Document, Span

_ITEM = re.compile(
    r"^(?P<indent>[ \t]*)(?:[-*+](?=\s)|[•·▪◦]|\d{1,3}[.)、．](?!\d)|[（(]\d{1,3}[)）])\s*(?=\S)", re.MULTILINE
)
_COLUMN, _HEADING, _LOOSE, _NONE = 4, 3, 2, 0  # how well a noun names a table


@dataclass(frozen=True, slots=True)
class Table:
    """A table or a list of a document: its names, and the places of its rows with their cells."""

    source: str
    label: str  # the heading above it
    title: str  # of the document, where it has one table only
    columns: tuple[str, ...]
    spans: tuple[Span, ...]
    cells: tuple[tuple[str, ...], ...]
    texts: tuple[str, ...]  # how each row reads
    listed: bool = False


@dataclass(frozen=True, slots=True)
class Decided:
    """The rows that were found, in which tables, and how many rows these tables have."""

    rows: tuple[tuple[str, Span, str], ...]
    among: int
    names: tuple[str, ...]
    told: dict[str, str]


@dataclass(slots=True)
class Found:
    """What the tables of the documents so far have to say, by how well they are named."""

    levels: dict[int, list[tuple[Table, list[int], Condition]]] = field(default_factory=dict)

    def joined(self, other: Found) -> Found:
        """Return this with what another document has."""
        for level, tables_found in other.levels.items():
            self.levels.setdefault(level, []).extend(tables_found)
        return self

    def decided(self) -> Decided | None:
        """Return the rows of the tables that are named best; None where none is named, or no row shows that a bare value is meant."""
        for level in sorted(self.levels, reverse=True):
            said = self.levels[level]
            if not any(places for _table, places, _condition in said) and all(c.guessed for _t, _p, c in said):
                continue
            if any(not condition.guessed for _t, _p, condition in said):
                said = [one for one in said if not one[2].guessed]
            else:
                said = [one for one in said if one[1]]
            rows = tuple(
                (table.source, table.spans[place], table.texts[place])
                for table, places, _condition in said
                for place in places
            )
            names = tuple(dict.fromkeys(_name(table) for table, _places, _condition in said))
            among = sum(len(table.spans) for table, _places, _condition in said)
            told = {"condition": said[0][2].told} if said[0][2].told else {}
            if all(table.listed for table, _places, _condition in said):
                told["listed"] = "1"
            return Decided(rows, among, names, told)
        return None


def rows(document: Document, wanted: Wanted) -> Found:
    """Return the tables and lists of a document that the question names, each with the rows that fulfil its condition."""
    found = Found()
    for table in (*_tables(document), *_lists(document)):
        for level, rest in _readings(table, wanted):
            condition = understood(rest, table.columns, table.cells)
            if condition is None or (table.listed and not condition.everything):
                continue
            places = [place for place, cells in enumerate(table.cells) if condition.holds(cells)]
            if wanted.one and (condition.guessed or condition.everything or not places or level < _HEADING):
                continue
            found.levels.setdefault(level * 2 - table.listed, []).append((table, places, condition))
            break
    return found


def _readings(table: Table, wanted: Wanted) -> Iterator[tuple[int, str]]:
    """Yield how well the question names the table, and what of it is left as the condition."""
    noun, condition = wanted.noun, wanted.condition
    if not noun:
        if table.listed:
            return
        if wanted.names or condition:
            yield _LOOSE, condition
        return
    for whole in (f"{noun} {condition}", f"{condition}的{noun}", f"{condition}{noun}") if condition else ():
        if level := _level(table, whole, strict=wanted.strict):
            yield level, ""
    if level := _level(table, noun, strict=wanted.strict):
        yield level, condition
    for name, rest in _cut(noun):  # 服务点能当场换屏, languages work offline: where does the noun end?
        if level := _level(table, name, strict=True):
            yield level, f"{rest} {condition}".strip()
            break


def _cut(noun: str) -> Iterator[tuple[str, str]]:
    """Yield the noun cut in two, the longest names first: at a blank, in Chinese at each character."""
    if noun.isascii():
        words = noun.split()
        yield from ((" ".join(words[:end]), " ".join(words[end:])) for end in range(len(words) - 1, 0, -1))
    else:
        yield from ((noun[:end], noun[end:]) for end in range(len(noun) - 1, 1, -1))


def _level(table: Table, noun: str, *, strict: bool) -> int:
    if table.columns and _same(noun, table.columns[0]):
        return _COLUMN
    for label in (table.label, table.title):
        if label and (fit := _names(noun, label)):
            return _HEADING if fit >= 0.5 else _NONE if strict else _LOOSE
    return _NONE


def _said(text: str) -> set[str]:
    return {word for word in terms(text).words if word not in FILLERS}


def _bare(text: str) -> str:
    return re.sub(r"[\W_]+", "", fold(text))


def _same(noun: str, name: str) -> bool:
    return any(
        _bare(noun) == _bare(one)
        or (noun.isascii() and one.isascii() and bool(_said(noun)) and _said(noun) == _said(one))
        for one in (name, *names_of(name)[:5])
    ) and bool(name)


def _names(noun: str, label: str) -> float:
    """Return the share of a heading that the noun is, 0 where it is no part of it."""
    if noun.isascii() and label.isascii():
        wanted, said = _said(noun), _said(label)
        return len(wanted) / len(said) if wanted and wanted <= said else 0.0
    short, long = _bare(noun), _bare(re.sub(r"^\s*(?:[\d.]+|[一二三四五六七八九十]+、)\s*", "", label))
    return len(short) / len(long) if short and short in long else 0.0


def _name(table: Table) -> str:
    return f"{table.source} › {table.label}" if table.label else table.source


def _tables(document: Document) -> Iterator[Table]:
    whole = [mark for mark in document.marks if mark.kind == "table"]
    parts = [mark for mark in document.marks if mark.kind in ("header", "row")]
    place = 0
    for mark in whole:
        while place < len(parts) and parts[place].span.start < mark.span.start:
            place += 1
        header, spans = "", []
        while place < len(parts) and parts[place].span.start < mark.span.end:
            part = parts[place]
            if part.kind == "header":
                header = part.span.of(document.text)
            else:
                spans.append(part.span)
            place += 1
        cells = tuple(tuple(tables.cells(span.of(document.text))) for span in spans)
        texts = tuple(tables.as_record(header, span.of(document.text)) for span in spans)
        label = (document.headings(mark.span.start) or ("",))[-1]
        title = document.title or "" if len(whole) == 1 else ""
        columns = tuple(tables.column_names(header)) if header else ()
        yield Table(document.source, label, title, columns, tuple(spans), cells, texts)


def _lists(document: Document) -> Iterator[Table]:
    marks = [mark for mark in document.marks if mark.kind == "list"]
    for mark in marks:
        text = mark.span.of(document.text)
        items = list(_ITEM.finditer(text))
        if not items:
            continue
        least = min(len(found["indent"].expandtabs(4)) for found in items)
        starts = [found.start("indent") for found in items if len(found["indent"].expandtabs(4)) == least]
        ends = [*starts[1:], len(text)]
        spans = tuple(
            _item(document.text, mark.span.start + a, mark.span.start + b) for a, b in zip(starts, ends, strict=True)
        )
        cells = tuple((plain_yes(span.of(document.text)),) for span in spans)
        label = (document.headings(mark.span.start) or ("",))[-1]
        yield Table(
            document.source,
            _lead(document.text, mark.span.start) or label,
            label,
            (),
            spans,
            cells,
            tuple(cell for (cell,) in cells),
            listed=True,
        )


def _item(text: str, start: int, end: int) -> Span:
    said = text[start:end]
    return Span(start + len(said) - len(said.lstrip()), start + len(said.rstrip()))


def _lead(text: str, start: int) -> str:
    """Return the line that leads a list in, without its colon; nothing where the line above is none."""
    line = text[:start].rstrip().rpartition("\n")[2].strip()
    return line.rstrip(":：") if line.endswith((":", "：")) else ""
