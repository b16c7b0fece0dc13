"""SQL files: what a dump inserts becomes tables with the names of their columns; every other statement stays as it is written.

Consecutive INSERTs into the same columns of one table are one table, headed by its name and its columns. The line of a row is its line in
the file. Binary values are left out and counted.
"""

from __future__ import annotations

import re

from yinju.errors import DocumentError
from yinju.load.builder import TextBuilder
from yinju.load.clean import clean
from yinju.load.encoding import decode
from yinju.load.parsed import Limits, Parsed, visible
from yinju.load.plain.sql_pieces import Piece, pieces
from yinju.messages import say
from yinju.types import Span

PUNCTUATION = "punctuation of SQL"
REPEATED = "INSERT INTO, said again"
BINARY = "binary values"
_SEPARATORS = re.compile(r"(?:\s|;|\bGO\b)*", re.IGNORECASE)


def load_sql(data: bytes, source: str, limits: Limits) -> Parsed:
    """Return the statements of a file, what they insert as tables. Raises DocumentError with code `limit` for too many values."""
    decoded = decode(data)
    cleaned = clean(decoded.text)
    writer = _Writer(cleaned.text, limits)
    for piece in pieces(cleaned.text):
        writer.piece(piece)
    writer.end()
    builder = writer.builder
    return Parsed(
        text=builder.text(),
        marks=builder.sorted_marks(),
        anchors=tuple(builder.anchors),
        metadata={"encoding": decoded.encoding},
        dropped=builder.dropped() + cleaned.dropped,
        warnings=decoded.warnings + cleaned.warnings + ((f"binary-values: {writer.binary}",) if writer.binary else ()),
        preset="table" if writer.values else "code",
    )


class _Writer:
    """Writes pieces in their order. A table stays open until something else than separators comes."""

    def __init__(self, text: str, limits: Limits) -> None:
        self.text, self.limits = text, limits
        self.builder = TextBuilder()
        self.values = self.binary = 0
        self.table: tuple[str, tuple[str, ...]] | None = None
        self.start = 0
        self.waiting: list[Piece] = []  # separators behind a table that may go on
        self._line, self._counted = 1, 0

    def piece(self, piece: Piece) -> None:
        """Write one piece."""
        match piece.kind:
            case "head":
                self._head(piece)
            case "row":
                self._row(piece)
            case "punctuation":
                self.builder.drop(PUNCTUATION, self.text[piece.start : piece.end])
            case _ if self.table is not None and _SEPARATORS.fullmatch(self.text, piece.start, piece.end):
                self.waiting.append(piece)
            case _:
                self._close()
                self._statement(piece)

    def end(self) -> None:
        """Close what is open."""
        self._close()

    def _statement(self, piece: Piece) -> None:
        self._anchor(piece.start)
        span = self.builder.write(self.text[piece.start : piece.end])
        if piece.kind == "definition":
            self.builder.mark("definition", span, 1, piece.name)

    def _head(self, piece: Piece) -> None:
        head = self.text[piece.start : piece.end]
        if self.table == (piece.name, piece.columns):
            for separator in self.waiting:
                self.builder.drop(PUNCTUATION, self.text[separator.start : separator.end])
            self.waiting.clear()
            self.builder.drop(REPEATED, head)
            return
        self._close()
        self._new_line()
        self._anchor(piece.start)
        self.table, self.start = (piece.name, piece.columns), self.builder.position
        shown = piece.name + ("\n" + "\t".join(piece.columns) if piece.columns else "")
        self.builder.mark("header", self.builder.write(shown))
        if "(" not in head:
            self.builder.added("columns as CREATE TABLE names them", "".join(piece.columns))
            shown = piece.name
        self.builder.drop(PUNCTUATION, visible(head) - visible(shown))

    def _row(self, piece: Piece) -> None:
        self.values += len(piece.values)
        if self.values > self.limits.cells:
            raise DocumentError(
                say("more than {limit} values", "超过 {limit} 个值", limit=self.limits.cells),
                say("export fewer tables, or only what is needed", "请只导出需要的表或数据"),
                code="limit",
            )
        raw = visible(self.text[piece.start : piece.end])
        missing = piece.values.count(None)
        line = "\t".join([value or "" for value in piece.values])
        what = PUNCTUATION
        if missing:
            self.binary += missing
            what = BINARY  # with the punctuation of their rows
        self.builder.write("\n")
        self._anchor(piece.start)
        self.builder.mark("row", self.builder.write(self.builder.clean(line)))
        self.builder.drop(what, raw - visible(line))

    def _close(self) -> None:
        if self.table is not None:
            self.builder.mark("table", Span(self.start, self.builder.position))
            self.table = None
            self.builder.write("\n")
        for separator in self.waiting:
            self._statement(separator)
        self.waiting.clear()

    def _new_line(self) -> None:
        """Begin a paragraph."""
        if self.builder.position and not self.builder.parts[-1].endswith("\n"):
            self.builder.write("\n")

    def _anchor(self, place: int) -> None:
        self._line += self.text.count("\n", self._counted, place)
        self._counted = place
        self.builder.anchor(self._line)
