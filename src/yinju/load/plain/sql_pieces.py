"""A SQL file as a row of pieces that lie one behind another: statements as they are, heads of INSERT and COPY, rows, punctuation.

A scanner goes from statement to statement by regular expressions. Only rows of plain values are rows: what inserts a program's variables stays code.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from yinju.load.plain.sql_values import NAME, WORD, Dialect, bare, columns_of, copied, names_of

Kind = Literal["text", "definition", "head", "row", "punctuation"]
_INSERT = re.compile(
    rf"(?:INSERT|REPLACE)\b(?:[ \t]+(?:IGNORE|LOW_PRIORITY|DELAYED|OR[ \t]+\w+)\b)?(?:\s+INTO\b)?\s*(?P<table>{NAME})"
    rf"\s*(?P<columns>\((?:\s*{WORD}\s*,?)++\))?\s*(?:OVERRIDING\s+\w+\s+VALUE\s*)?VALUES?\s*(?=\()",
    re.IGNORECASE,
)
_COPY = re.compile(
    rf"COPY\s+(?P<table>{NAME})\s*(?P<columns>\([^()]*+\))?\s*FROM\s+stdin\b[^;\n]*;[ \t]*\n", re.IGNORECASE
)
_CREATE = re.compile(
    r"CREATE\s+(?:(?:OR\s+REPLACE|OR\s+ALTER|GLOBAL|LOCAL|TEMP|TEMPORARY|UNLOGGED|VIRTUAL|MATERIALIZED|ALGORITHM\s*=\s*\w+"
    r"|DEFINER\s*=\s*\S+|SQL\s+SECURITY\s+\w+)\s+){0,6}"
    rf"(?P<kind>TABLE|VIEW|FUNCTION|PROCEDURE|TRIGGER|TYPE)\s+(?:IF\s+NOT\s+EXISTS\s+)?(?P<name>{NAME})",
    re.IGNORECASE,
)
_BETWEEN = re.compile(
    r"(?:\s++|--[^\n]*+|#[^\n]*+|/\*(?!!)(?:[^*]|\*(?!/))*+\*/|;|GO[ \t]*+(?=\n|\Z))++", re.IGNORECASE
)
_COMMA = re.compile(r"\s*,\s*")
_SEMICOLON = re.compile(r"\s*;?")
_END_OF_COPY = re.compile(r"^\\\.[ \t]*$", re.MULTILINE)
_MYSQL = re.compile(r"`|MySQL dump|MariaDB dump|ENGINE\s*=", re.IGNORECASE)
_SAMPLE = 200_000  # characters that tell the dialect


@dataclass(frozen=True, slots=True)
class Piece:
    """What stands from `start` to `end` of the text. A value of None is binary data."""

    kind: Kind
    start: int
    end: int
    name: str = ""  # of the table or of what is defined
    columns: tuple[str, ...] = ()
    values: tuple[str | None, ...] = ()


def _end_of_statement(string: str) -> re.Pattern[str]:
    """Return an expression that matches up to the semicolon of a statement, or to a line `GO`."""
    return re.compile(
        rf"""(?:[^'"`;\-/$\#\[\n]++|{string}|"[^"]*+"|`[^`]*+`|\[[^\]\n]{{0,200}}\]|--[^\n]*+|/\*(?:[^*]|\*(?!/))*+\*/
        |\$(?P<tag>\w*)\$.*?\$(?P=tag)\$|\n(?![ \t]*GO[ \t]*(?:\n|\Z))|[^;\n])*+""",
        re.VERBOSE | re.DOTALL | re.IGNORECASE,
    )


def pieces(text: str) -> Iterator[Piece]:
    """Yield the pieces of the text; each begins where the one before ends."""
    return _Scanner(text).run()


class _Scanner:
    def __init__(self, text: str) -> None:
        self.text = text
        self.dialect = Dialect(backslashes=bool(_MYSQL.search(text, 0, _SAMPLE)))
        self.end_of_statement = _end_of_statement(self.dialect.string)
        self.columns: dict[str, tuple[str, ...]] = {}  # by table, from CREATE TABLE

    def run(self) -> Iterator[Piece]:
        place = 0
        while place < len(self.text):
            between = _BETWEEN.match(self.text, place)
            if between is not None:
                yield Piece("text", place, between.end())
                place = between.end()
                continue
            statement = self._insert(place) or self._copy(place) or iter((self._other(place),))
            for piece in statement:
                yield piece
                place = piece.end

    def _other(self, start: int) -> Piece:
        match = self.end_of_statement.match(self.text, start)
        end = min((match.end() if match else start) + 1, len(self.text))
        created = _CREATE.match(self.text, start)
        if created is None or created.end() > end:
            return Piece("text", start, end)
        name = bare(created.group("name"))
        if created.group("kind").upper() == "TABLE":
            self.columns[name] = columns_of(self.text[created.end() : end])
        return Piece("definition", start, end, name)

    def _insert(self, start: int) -> Iterator[Piece] | None:
        head = _INSERT.match(self.text, start)
        if head is None or self.dialect.row.match(self.text, head.end()) is None:
            return None
        return self._rows_of_insert(head)

    def _rows_of_insert(self, head: re.Match[str]) -> Iterator[Piece]:
        name = bare(head.group("table"))
        columns = names_of(head.group("columns") or "") or self.columns.get(name, ())
        yield Piece("head", head.start(), head.end(), name, columns)
        place = head.end()
        while (row := self.dialect.row.match(self.text, place)) is not None:
            yield Piece("row", place, row.end(), name, values=tuple(self.dialect.values(row.group(1))))
            place = row.end()
            comma = _COMMA.match(self.text, place)
            if comma is None or not self.text.startswith("(", comma.end()):
                break
            yield Piece("punctuation", place, comma.end())
            place = comma.end()
        end = _SEMICOLON.match(self.text, place)
        if end is not None and end.end() > place:
            yield Piece("punctuation", place, end.end())

    def _copy(self, start: int) -> Iterator[Piece] | None:
        head = _COPY.match(self.text, start)
        return None if head is None else self._rows_of_copy(head)

    def _rows_of_copy(self, head: re.Match[str]) -> Iterator[Piece]:
        name = bare(head.group("table"))
        columns = names_of(head.group("columns") or "") or self.columns.get(name, ())
        yield Piece("head", head.start(), head.end(), name, columns)
        place = head.end()
        last = _END_OF_COPY.search(self.text, place)
        end = last.start() if last else len(self.text)
        while place < end:
            stop = self.text.find("\n", place, end)
            stop = end if stop < 0 else stop
            if stop > place:
                yield Piece("row", place, stop, name, values=tuple(copied(self.text[place:stop])))
            yield Piece("punctuation", stop, min(stop + 1, end))
            place = stop + 1
        if last is not None:
            yield Piece("punctuation", end, last.end())
