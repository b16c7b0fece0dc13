"""XLSX and CSV to documents: each row one line of cells separated by tabs, its number that of the sheet or file."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from yinju.errors import DocumentError
from yinju.load.builder import TextBuilder
from yinju.load.office.package import beyond_limit, core_properties, open_package, parts_of_type
from yinju.load.office.rows import Row, write_rows
from yinju.load.office.sheet_asides import account_for_asides, read_asides
from yinju.load.office.sheet_blocks import SheetWriter
from yinju.load.office.sheet_reader import count_cells, open_workbook, read_rows
from yinju.load.parsed import Limits, Parsed, visible
from yinju.messages import say

_DELIMITERS = ",;\t|"
_SAMPLE = 65_536  # characters from which the delimiter is guessed
_LONGEST_FIELD = 10_000_000  # characters
_MOST_LINES = 200  # lines in one quoted field; beyond it a quote was never closed


def load_xlsx(data: bytes, source: str, limits: Limits) -> Parsed:
    """Return the cells of a workbook. Raises DocumentError: damaged, encrypted, limit, no-text, unknown-type, unsafe-xml."""
    builder = TextBuilder()
    with open_package(data, limits) as package:
        workbook = open_workbook(package, parts_of_type(package, "spreadsheetml.worksheet+xml"))
        writer = SheetWriter(builder, sum(1 for sheet in workbook.sheets if not sheet.hidden))
        for sheet in workbook.sheets:
            if sheet.hidden:
                builder.drop("hidden sheet", count_cells(workbook, sheet.part))
                writer.hidden.append(sheet.name)
            else:
                writer.write(sheet.name, read_rows(workbook, sheet.part, builder, limits, writer))
            asides = read_asides(workbook, sheet.part, builder)
            if sheet.hidden:
                builder.drop("hidden sheet", sum(visible(aside.text) for aside in asides))
            else:
                writer.asides(asides)
        for part in workbook.unlisted:
            builder.drop("sheet outside of the workbook", count_cells(workbook, part))
        account_for_asides(workbook, builder)
        title, metadata = core_properties(package)
    if not builder.position:
        raise writer.nothing()
    return Parsed(
        text=builder.text(),
        marks=builder.sorted_marks(),
        anchors=tuple(builder.anchors),
        title=title,
        metadata=metadata,
        dropped=builder.dropped(),
        images=workbook.images,
        warnings=writer.warnings() + workbook.warnings(builder) + builder.warnings(),
        preset="table",
    )


def load_csv(data: bytes, source: str, limits: Limits) -> Parsed:
    """Return the records of a CSV or TSV file. Raises DocumentError: binary, empty, limit, no-text."""
    from yinju.load.encoding import decode

    decoded = decode(data)
    warnings = list(decoded.warnings)
    delimiter = sniff_delimiter(decoded.text[:_SAMPLE])
    builder = TextBuilder()
    try:
        rows = list(_records(decoded.text, delimiter, csv.QUOTE_MINIMAL, limits, builder))
    except _Unclosed:
        warnings.append("unclosed-quote")
        builder = TextBuilder()
        rows = list(_records(decoded.text, delimiter, csv.QUOTE_NONE, limits, builder))
    builder.drop("quote", decoded.text.count('"'))
    write_rows(builder, rows, split=False)
    if not builder.position:
        raise SheetWriter(builder, 1).nothing()
    return Parsed(
        text=builder.text(),
        marks=builder.sorted_marks(),
        anchors=tuple(builder.anchors),
        metadata={"encoding": decoded.encoding},
        dropped=builder.dropped(),
        warnings=tuple(warnings) + builder.warnings(),
        preset="table",
    )


class _Unclosed(Exception):
    """A quote swallowed a good part of the file."""


def _records(text: str, delimiter: str, quoting: int, limits: Limits, builder: TextBuilder) -> Iterator[Row]:
    """Yield the records that hold something, with the line of their start. Raises _Unclosed, and DocumentError beyond the limit of cells.

    Delimiters, and quotes that belong to a field's text (against those that the caller counts), go to the account.
    """
    csv.field_size_limit(_LONGEST_FIELD)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, quoting=quoting)  # type: ignore[arg-type]  # an int of csv
    cells, line = 0, 1
    try:
        for record in reader:
            if quoting != csv.QUOTE_NONE and reader.line_num - line >= _MOST_LINES:
                raise _Unclosed
            cells += len(record)
            if cells > limits.cells:
                raise beyond_limit("too many cells", "单元格过多")
            builder.drop("quote", -sum(field.count('"') for field in record))
            builder.drop("delimiter", 0 if delimiter.isspace() else max(0, len(record) - 1))
            filled = tuple(" ".join(builder.clean(field).split()) for field in record)
            if any(filled):
                yield Row(line, filled)
            line = reader.line_num + 1
    except csv.Error as error:
        if quoting != csv.QUOTE_NONE:
            raise _Unclosed from error
        raise DocumentError(
            say("a field is too long: {error}", "字段过长：{error}", error=error),
            say("is this really a table? rename it to .txt", "这真的是表格吗？可改名为 .txt"),
            code="limit",
        ) from error


def sniff_delimiter(sample: str) -> str:
    """Return the delimiter that cuts most of the sample's lines into the same number of fields, more than one; a comma where none does."""
    lines = [line for line in sample.splitlines()[:100] if line.strip()]
    best, best_score = ",", 0.0
    for delimiter in _DELIMITERS:
        widths = [len(record) for record in csv.reader(lines, delimiter=delimiter) if record]
        common = max(set(widths), key=widths.count, default=1)
        agreeing = sum(1 for width in widths if width == common) / max(1, len(widths))
        score = agreeing * (1 + min(common, 50) / 100) if common > 1 else 0.0
        if score > best_score:
            best, best_score = delimiter, score
    return best
