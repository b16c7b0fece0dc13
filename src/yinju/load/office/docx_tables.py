"""Rows and cells of Word tables in their final view: deleted rows and cells are gone, merged cells stand once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from yinju.load.builder import TextBuilder
from yinju.load.office.drawing import chosen
from yinju.load.office.elements import is_on, split_tag, text_within, value

WRAPPERS = frozenset(("sdt", "sdtContent", "ins", "moveTo", "customXml", "smartTag"))
DELETED = frozenset(("del", "moveFrom"))
_WIDEST = 64  # columns that one cell may reach over


def rows_of(table: Any, builder: TextBuilder) -> Iterator[Any]:
    """Yield the rows of a table that are there in the end."""
    for child in _members(table, builder, "tr"):
        properties = child.find("{*}trPr")
        if properties is not None and properties.find("{*}del") is not None:
            builder.drop("deleted text", text_within(child))
        else:
            yield child


def cells_of(row: Any, builder: TextBuilder) -> Iterator[tuple[Any, int]]:
    """Yield the cells of a row with their width in columns; None for places that nothing or a merged cell above or to the left fills."""
    before = row.find("{*}trPr/{*}gridBefore")
    if before is not None:
        yield None, min(value(before, 0), _WIDEST)
    for cell in _members(row, builder, "tc"):
        properties = cell.find("{*}tcPr")
        if properties is None:
            yield cell, 1
        elif properties.find("{*}cellDel") is not None:
            builder.drop("deleted text", text_within(cell))
        elif _goes_on(properties.find("{*}vMerge")) or _goes_on(properties.find("{*}hMerge")):
            builder.drop("text under a merged cell", text_within(cell))
            yield None, _width(properties)
        else:
            yield cell, _width(properties)


def is_header(row: Any) -> bool:
    """Return whether Word repeats the row on each page."""
    return is_on(row.find("{*}trPr/{*}tblHeader"))


def _width(properties: Any) -> int:
    return max(1, min(value(properties.find("{*}gridSpan"), 1), _WIDEST))


def _goes_on(merge: Any) -> bool:
    return merge is not None and "restart" not in merge.attrib.values()


def _members(container: Any, builder: TextBuilder, wanted: str) -> Iterator[Any]:
    for child in container:
        name = split_tag(child)[1]
        if name == wanted:
            yield child
        elif name in DELETED:
            builder.drop("deleted text", text_within(child))
        elif name == "AlternateContent":
            yield from _members(chosen(child, builder), builder, wanted)
        elif name in WRAPPERS:
            yield from _members(child, builder, wanted)
        elif name not in ("tblPr", "tblGrid", "trPr", "tblPrEx", "sdtPr", "sdtEndPr"):
            builder.drop("text outside of cells", text_within(child))
