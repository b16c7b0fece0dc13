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
from yinju.load.office.package import beyond_limit, damaged
from yinju.load.office.rows import Row
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
    hidden: bool = False
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
    builder, hidden = TextBuilder(), list[str]()
    try:
        sheets = _read(text.encode("utf-8", "replace"), builder, limits)
    except etree.XMLSyntaxError as error:
        raise damaged(say("its XML is broken", "XML 有误")) from error
    shown = sum(not sheet.hidden for sheet in sheets)
    for sheet in sheets:
        if sheet.hidden:
            builder.drop("hidden sheet", sum(visible(cell) for row in sheet.rows for cell in row.cells))
            hidden.append(sheet.name)
        else:
            write_sheet(builder, sheet.name, sheet.rows, shown)
    return finished(builder, hidden, None, {})


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
                sheets.append(_Sheet(_attribute(element, "Name")))
        elif name == "NumberFormat":
            formats[_attribute(element.getparent(), "ID")] = _attribute(element, "Format")
        elif name == "Visible" and sheets:
            sheets[-1].hidden = (element.text or "").strip() in ("SheetHidden", "SheetVeryHidden")
        elif name == "Row":
            row = _row(element, sheets[-1].rows[-1].line if sheets and sheets[-1].rows else 0, formats, builder)
            cells += len(row.filled)
            if cells > limits.cells:
                raise beyond_limit("more than 2 million cells", "单元格超过 200 万个")
            if sheets and row.filled:
                sheets[-1].rows.append(row)
            element.clear()
    return sheets


def _row(element: Any, before: int, formats: dict[str, str], builder: TextBuilder) -> Row:
    line = _number(element, "Index", before + 1, _LAST_ROW)
    shown: dict[int, str] = {}
    column, joined = 0, False
    for cell in element.iterfind("{*}Cell"):
        column = _number(cell, "Index", column + 1, _LAST_COLUMN)
        text = " ".join(_values(cell, formats.get(_attribute(cell, "StyleID"), ""), builder))
        if text:
            shown[column] = f"{shown[column]} {text}" if column in shown else text
        across = _number(cell, "MergeAcross", 0, _LAST_COLUMN)
        joined = joined or across > 0
        column = min(column + across, _LAST_COLUMN)
    return Row(line, tuple(shown.get(place, "") for place in range(1, max(shown, default=0) + 1)), 0, joined)


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
