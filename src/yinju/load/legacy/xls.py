"""Excel 97-2003 and older (.xls, also what WPS writes as .et), and the XML that Excel 2003 wrote: cells as they are displayed.

Rows, headers and number formats are those of XLSX, by the same code. Formulas give the values that the file keeps; macros are never looked at.
"""

from __future__ import annotations

import io
import re
import struct
from collections.abc import Callable
from functools import partial
from typing import Any

from yinju.errors import DocumentError
from yinju.load.builder import TextBuilder
from yinju.load.legacy.ole import SIGNATURE, Compound
from yinju.load.office.package import beyond_limit, damaged, encrypted
from yinju.load.office.rows import Row, write_rows
from yinju.load.office.sheet_format import builtin_format, display
from yinju.load.parsed import Limits, Parsed, visible
from yinju.messages import say

_DEFAULT_NAME = re.compile(r"(sheet|工作表|表)\s*\d*", re.IGNORECASE)
_LOCAL_FORMATS = frozenset((14, 22, *range(27, 37), *range(50, 59)))  # shown by the reader's own locale
_BROKEN = (
    *(OSError, ValueError, TypeError, LookupError, AttributeError, AssertionError, struct.error),
    *(RecursionError, OverflowError, EOFError, ZeroDivisionError, NotImplementedError),
)
_TEXT, _NUMBER, _DATE, _BOOLEAN, _ERROR = 1, 2, 3, 4, 5  # kinds of cells in xlrd


def load_xls(data: bytes, source: str, limits: Limits) -> Parsed:
    """Return the cells of a workbook. Raises DocumentError: damaged, encrypted, limit, no-text, unsafe-xml."""
    if _is_xml(data):
        from yinju.load.legacy.xls_xml import load_xls_xml

        return load_xls_xml(data, limits)
    book = guarded(lambda: open_book(data, formats=True))
    builder, hidden = TextBuilder(), list[str]()
    sheets: list[Any] = guarded(book.sheets)
    shown = [sheet for sheet in sheets if not sheet.visibility]
    cells = 0
    for sheet in sheets:
        rows = guarded(partial(_rows, book, sheet, builder))
        cells += sum(len(row.filled) for row in rows)
        if cells > limits.cells:
            raise beyond_limit("more than 2 million cells", "单元格超过 200 万个")
        if sheet.visibility:
            builder.drop("hidden sheet", sum(visible(cell) for row in rows for cell in row.cells))
            if rows:
                hidden.append(sheet.name)
        else:
            write_sheet(builder, sheet.name, rows, len(shown))
    return finished(builder, hidden, *(Compound(data).properties() if data.startswith(SIGNATURE) else (None, {})))


def finished(builder: TextBuilder, hidden: list[str], title: str | None, metadata: dict[str, str]) -> Parsed:
    """Return the workbook. Raises DocumentError with code `no-text` where no cell is shown."""
    if not builder.position:
        raise DocumentError(
            say("all sheets with text are hidden", "有内容的工作表都被隐藏")
            if hidden
            else say("no cell holds anything", "没有任何单元格有内容"),
            say("show the sheets and save the file again", "请取消隐藏后重新保存"),
            code="no-text",
        )
    return Parsed(
        text=builder.text(),
        marks=builder.sorted_marks(),
        anchors=tuple(builder.anchors),
        title=title,
        metadata=metadata,
        dropped=builder.dropped(),
        warnings=((f"hidden-sheets: {', '.join(hidden)}",) if hidden else ()) + builder.warnings(),
        preset="table",
    )


def write_sheet(builder: TextBuilder, name: str, rows: list[Row], shown: int) -> None:
    """Write the sheet's name as a heading (not the only sheet's name that Excel gave), then its rows; an empty sheet leaves nothing."""
    if not rows:
        return
    if shown > 1 or not _DEFAULT_NAME.fullmatch(name):
        label = " ".join(builder.clean(builder.added("sheet name", name)).split())
        builder.separate("\n\n")
        builder.anchor(rows[0].line)
        if label:
            builder.mark("heading", builder.write(label), 1, label)
    write_rows(builder, rows)


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


def open_book(data: bytes, *, formats: bool) -> Any:
    """Return the workbook. Old files in a code page other than they say are taken for Chinese ones. Raises what xlrd raises."""
    import xlrd

    silent = io.StringIO()
    try:
        return xlrd.open_workbook(file_contents=data, formatting_info=formats, ragged_rows=True, logfile=silent)
    except (UnicodeDecodeError, LookupError):
        return xlrd.open_workbook(
            file_contents=data, formatting_info=formats, ragged_rows=True, logfile=silent, encoding_override="gb18030"
        )


def _is_xml(data: bytes) -> bool:
    return not data.startswith(SIGNATURE) and data[:4000].lstrip(b"\xef\xbb\xbf\xff\xfe \t\r\n").startswith(b"<")


def _rows(book: Any, sheet: Any, builder: TextBuilder) -> list[Row]:
    joined = {row for first, last, left, right in sheet.merged_cells if right - left > 1 for row in range(first, last)}
    rows: list[Row] = []
    for number in range(sheet.nrows):
        cells: list[str] = []
        style = 0
        kinds, values = sheet.row_types(number), sheet.row_values(number)
        for column, (kind, value) in enumerate(zip(kinds, values, strict=True)):
            shown = _shown(book, sheet, number, column, kind, value, builder)
            if shown and not any(cells):
                style = sheet.cell_xf_index(number, column)
            cells.append(shown)
        if any(cells):
            rows.append(Row(number + 1, tuple(cells), style, number in joined))
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
