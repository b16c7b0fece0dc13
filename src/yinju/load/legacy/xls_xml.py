"""XML Spreadsheet 2003, which many programs export under the name .xls: cells as displayed, one row at a time.

Source: [MS-XML Spreadsheet] of Office 2003. The file is decoded by evidence first, since its declaration of an encoding may lie.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from yinju.errors import DocumentError
from yinju.load.builder import TextBuilder
from yinju.load.encoding import decode
from yinju.load.office.merged import Merges
from yinju.load.office.package import beyond_limit, damaged
from yinju.load.office.rows import Row
from yinju.load.office.sheet_blocks import SheetWriter
from yinju.load.office.sheet_format import display
from yinju.load.parsed import Limits, Parsed, visible
from yinju.messages import say

_UNSAFE = re.compile(r"<!\s*(DOCTYPE|ENTITY)", re.IGNORECASE)
_DECLARATION = re.compile(r"\s*<\?xml[^>]*\?>")
_LAST_COLUMN, _LAST_ROW = 16_384, 1_048_576
_NAMED = {"Percent": "0.00%", "Fixed": "0.00", "Standard": "#,##0.00", "Scientific": "0.00E+00"}


@dataclass(slots=True)
class _Sheet:
    name: str
    merges: Merges
    hidden: bool = False
    line: int = 0
    rows: list[Row] = field(default_factory=list)


def load_xls_xml(data: bytes, limits: Limits) -> Parsed:
    """Return the cells of the workbook. Raises DocumentError: damaged, limit, no-text, unsafe-xml."""
    from lxml import etree

    from yinju.load.legacy.xls import finished, write_sheet

    text = _DECLARATION.sub("", decode(data).text.replace("\0", ""), count=1)
    if _UNSAFE.search(text):
        raise DocumentError(
            say("XML with a document type or entities", "XML 含有文档类型声明或实体"),
            say(
                "such a file may attack its reader; save it again in Excel",
                "这类文件可能攻击读取程序，请在 Excel 中另存",
            ),
            code="unsafe-xml",
        )
    builder = TextBuilder()
    try:
        sheets = _read(text.encode("utf-8", "replace"), builder, limits)
    except etree.XMLSyntaxError as error:
        raise damaged(say("its XML is broken", "XML 有误")) from error
    writer = SheetWriter(builder, sum(not sheet.hidden for sheet in sheets))
    for sheet in sheets:
        write_sheet(writer, sheet.name, sheet.rows, hidden=sheet.hidden)
    return finished(writer, None, {})


def _read(data: bytes, builder: TextBuilder, limits: Limits) -> list[_Sheet]:
    from lxml import etree

    sheets: list[_Sheet] = []
    formats: dict[str, str] = {}
    cells = 0
    events = etree.iterparse(
        io.BytesIO(data),
        events=("start", "end"),
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        remove_comments=True,
    )
    for event, element in events:
        name = etree.QName(element).localname
        if event == "start":
            if name == "Worksheet":
                sheets.append(_Sheet(_attribute(element, "Name"), Merges(builder)))
        elif name == "NumberFormat":
            formats[_attribute(element.getparent(), "ID")] = _attribute(element, "Format")
        elif name == "Visible" and sheets:
            sheets[-1].hidden = (element.text or "").strip() in ("SheetHidden", "SheetVeryHidden")
        elif name == "Row":
            if not sheets:
                sheets.append(_Sheet("", Merges(builder)))
            sheet = sheets[-1]
            sheet.line = _number(element, "Index", sheet.line + 1, _LAST_ROW)
            row = _row(element, sheet, formats, builder)
            cells += len(row.filled)
            if cells > limits.cells:
                raise beyond_limit("more than 2 million cells", "单元格超过 200 万个")
            if row.filled:
                sheet.rows.append(row)
            element.clear()
    return sheets


def _row(element: Any, sheet: _Sheet, formats: dict[str, str], builder: TextBuilder) -> Row:
    cells: list[str] = []
    covered: list[int] = []
    column = -1
    for cell in element.iterfind("{*}Cell"):
        column = max(_number(cell, "Index", column + 2, _LAST_COLUMN) - 1, 0)
        text = " ".join(_values(cell, formats.get(_attribute(cell, "StyleID"), ""), builder))
        across, down = (_number(cell, name, 0, most) for name, most in (("MergeAcross", 255), ("MergeDown", _LAST_ROW)))
        if text:
            cells += [""] * (column + 1 - len(cells))
            cells[column] = f"{cells[column]} {text}".strip()
            covered += range(column + 1, column + across + 1)
            sheet.merges.begin(sheet.line, column, sheet.line + down, text)
        column = min(column + across, _LAST_COLUMN - 1)
    sheet.merges.fill(sheet.line, cells)
    return Row(sheet.line, tuple(cells), 0, "" in cells or bool(covered), tuple(covered))


def _values(cell: Any, code: str, builder: TextBuilder) -> Iterator[str]:
    for data in cell.iterfind("{*}Data"):
        stored, kind = "".join(data.itertext()), _attribute(data, "Type")
        shown = stored
        if kind == "Number":
            shown = display(stored, _NAMED.get(code, code if "#" in code or "0" in code else "General"))
        elif kind == "DateTime":
            shown = re.sub(r"\.000$", "", stored.strip()).removesuffix("T00:00:00").replace("T", " ")
        elif kind == "Boolean":
            shown = {"1": "TRUE", "0": "FALSE"}.get(stored.strip(), stored)
        builder.drop("value as displayed", visible(stored) - visible(shown))
        yield " ".join(builder.clean(shown).split())


def _attribute(element: Any, name: str) -> str:
    return next((str(value) for key, value in element.attrib.items() if key.rpartition("}")[2] == name), "")


def _number(element: Any, name: str, default: int, most: int) -> int:
    text = _attribute(element, name)
    return min(int(text), most) if re.fullmatch(r"[0-9]{1,9}", text) else default
