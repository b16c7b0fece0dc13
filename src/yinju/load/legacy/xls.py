"""Excel 97-2003 and older (.xls, also what WPS writes as .et), and the XML that Excel 2003 wrote: cells as they are displayed.

Rows, headers and number formats are those of XLSX, by the same code. Formulas give the values that the file keeps; macros are never looked at.
"""

from __future__ import annotations

import io
import struct
from collections.abc import Callable
from functools import partial
from typing import Any

from yinju.load.builder import TextBuilder
from yinju.load.legacy.ole import SIGNATURE, Compound
from yinju.load.office.merged import Merges
from yinju.load.office.package import beyond_limit, damaged, encrypted
from yinju.load.office.rows import Row
from yinju.load.office.sheet_blocks import SheetWriter, column_letters
from yinju.load.office.sheet_format import builtin_format, display
from yinju.load.parsed import Limits, Parsed, visible
from yinju.messages import say

_LOCAL_FORMATS = frozenset((14, 22, *range(27, 37), *range(50, 59)))  # shown by the reader's own locale
_BROKEN = (
    *(OSError, ValueError, TypeError, LookupError, AttributeError, AssertionError, struct.error),
    *(RecursionError, OverflowError, EOFError, ZeroDivisionError, NotImplementedError),
)
_LAST_COLUMN = 16_384
_TEXT, _NUMBER, _DATE, _BOOLEAN, _ERROR = 1, 2, 3, 4, 5  # kinds of cells in xlrd


def load_xls(data: bytes, source: str, limits: Limits) -> Parsed:
    """Return the cells of a workbook. Raises DocumentError: damaged, encrypted, limit, no-text, unsafe-xml."""
    if _is_xml(data):
        from yinju.load.legacy.xls_xml import load_xls_xml

        return load_xls_xml(data, limits)
    book = guarded(partial(open_book, data))
    sheets: list[Any] = guarded(book.sheets)
    builder = TextBuilder()
    writer = SheetWriter(builder, sum(not sheet.visibility for sheet in sheets))
    cells = 0
    for sheet in sheets:
        rows = guarded(partial(_rows, book, sheet, writer))
        cells += sum(len(row.filled) for row in rows)
        if cells > limits.cells:
            raise beyond_limit("more than 2 million cells", "单元格超过 200 万个")
        write_sheet(writer, sheet.name, rows, hidden=bool(sheet.visibility))
    return finished(writer, *(Compound(data).properties() if data.startswith(SIGNATURE) else (None, {})))


def write_sheet(writer: SheetWriter, name: str, rows: list[Row], *, hidden: bool) -> None:
    """Write a sheet, or account for a hidden one."""
    if not hidden:
        writer.write(name, iter(rows))
    elif rows:
        writer.builder.drop("hidden sheet", sum(visible(cell) for row in rows for cell in row.cells))
        writer.hidden.append(name)


def finished(writer: SheetWriter, title: str | None, metadata: dict[str, str]) -> Parsed:
    """Return the workbook. Raises DocumentError with code `no-text` where no cell is shown."""
    builder = writer.builder
    if not builder.position:
        raise writer.nothing()
    return Parsed(
        text=builder.text(),
        marks=builder.sorted_marks(),
        anchors=tuple(builder.anchors),
        title=title,
        metadata=metadata,
        dropped=builder.dropped(),
        warnings=writer.warnings() + builder.warnings(),
        preset="table",
    )


def guarded(read: Callable[[], Any]) -> Any:
    """Return what `read` returns; what the library raises for a broken file is damage. Raises DocumentError: damaged, encrypted."""
    from xlrd.biffh import XLRDError
    from xlrd.compdoc import CompDocError

    try:
        return read()
    except XLRDError as error:
        if "encrypted" in str(error).lower():
            raise encrypted() from error
        raise damaged(say("the workbook cannot be read", "无法读取工作簿")) from error
    except (CompDocError, *_BROKEN) as error:
        raise damaged(say("the workbook cannot be read", "无法读取工作簿")) from error


def open_book(data: bytes) -> Any:
    """Return the workbook. Old files in a code page other than they say are taken for Chinese ones. Raises what xlrd raises."""
    import xlrd

    silent = io.StringIO()
    try:
        return xlrd.open_workbook(file_contents=data, formatting_info=True, ragged_rows=True, logfile=silent)
    except (UnicodeDecodeError, LookupError):
        return xlrd.open_workbook(
            file_contents=data, formatting_info=True, ragged_rows=True, logfile=silent, encoding_override="gb18030"
        )


def _is_xml(data: bytes) -> bool:
    return not data.startswith(SIGNATURE) and data[:4000].lstrip(b"\xef\xbb\xbf\xff\xfe \t\r\n").startswith(b"<")


def _rows(book: Any, sheet: Any, writer: SheetWriter) -> list[Row]:
    merged: dict[int, list[tuple[int, int, int]]] = {}  # line -> first and last column, last line
    for first, last, left, right in sheet.merged_cells:
        merged.setdefault(first + 1, []).append((left, min(right, _LAST_COLUMN) - 1, last))
    merges, rows, used = Merges(writer.builder), list[Row](), set[int]()
    concealed = {column for column, info in sheet.colinfo_map.items() if info.hidden}
    for number in range(sheet.nrows):
        style, cells = 0, list[str]()
        kinds, values = sheet.row_types(number), sheet.row_values(number)
        for column, (kind, value) in enumerate(zip(kinds, values, strict=True)):
            shown = _shown(book, sheet, number, column, kind, value, writer.builder)
            if shown and not any(cells):
                style = sheet.cell_xf_index(number, column)
            cells.append(shown)
        if not any(cells):
            continue
        while not cells[-1]:
            cells.pop()
        covered: list[int] = []
        for left, right, last in merged.get(number + 1, ()):
            if not sheet.visibility and left < len(cells) and cells[left]:
                merges.begin(number + 1, left, last, cells[left])
                covered += range(left + 1, right + 1)
        merges.fill(number + 1, cells)
        if not sheet.visibility:
            used.update(column for column, text in enumerate(cells) if text and column in concealed)
            writer.hidden_rows += bool(number in sheet.rowinfo_map and sheet.rowinfo_map[number].hidden)
        rows.append(Row(number + 1, tuple(cells), style, "" in cells or bool(covered), tuple(covered)))
    writer.hidden_columns += [column_letters(column) for column in sorted(used)]
    return rows


def _shown(book: Any, sheet: Any, row: int, column: int, kind: int, value: Any, builder: TextBuilder) -> str:
    if kind == _TEXT:
        return " ".join(builder.clean(value).split())
    if kind not in (_NUMBER, _DATE, _BOOLEAN, _ERROR):
        return ""
    stored = f"{value:.15g}" if kind in (_NUMBER, _DATE) else str(value)
    if kind == _BOOLEAN:
        shown = "TRUE" if value else "FALSE"
    elif kind == _ERROR:
        shown = _errors().get(value, "#ERROR!")
    else:
        shown = display(stored, _format(book, sheet, row, column), since_1904=bool(book.datemode))
    shown = builder.clean(shown)
    builder.drop("value as displayed", visible(stored) - visible(shown))
    return " ".join(shown.split())


def _format(book: Any, sheet: Any, row: int, column: int) -> str:
    number = book.xf_list[sheet.cell_xf_index(row, column)].format_key
    if number in _LOCAL_FORMATS:
        return builtin_format(number)
    known = book.format_map.get(number)
    return str(known.format_str) if known is not None else builtin_format(number)


def _errors() -> dict[int, str]:
    from xlrd.biffh import error_text_from_code

    return dict(error_text_from_code)
