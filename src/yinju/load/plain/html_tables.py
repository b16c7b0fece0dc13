"""Tables in HTML inside Markdown: their rows and their header, as marks over the mark-up itself."""

from __future__ import annotations

import re
from collections.abc import Iterator

from yinju.types import Mark, Span

_TAG = re.compile(r"<(/?)(table|thead|tr|th|td)\b", re.IGNORECASE)


def html_table(text: str, span: Span) -> Iterator[Mark]:
    """Yield the marks of the table in the span. Its header are the rows of its `thead`, else the first ones whose cells are all `th`."""
    rows = list(_rows(text, span))
    if not rows:
        return
    start, end = rows[0][0].start, rows[-1][0].end
    yield Mark("table", span)
    heads = 0
    while heads < len(rows) - 1 and rows[heads][1]:
        heads += 1
    if heads:
        yield Mark("header", Span(start, rows[heads - 1][0].end))
    for row, _ in rows[heads:]:
        yield Mark("row", Span(row.start, min(row.end, end)))


def _rows(text: str, span: Span) -> Iterator[tuple[Span, bool]]:
    """Yield the rows of the outermost table, and whether each is part of the header."""
    depth = 0
    start = -1
    in_head = False
    names: set[str] = set()
    for tag in _TAG.finditer(text, span.start, span.end):
        closes, name = bool(tag[1]), tag[2].lower()
        inner = depth > 1
        if name == "table":
            depth += -1 if closes else 1
        if inner or depth > 1:
            continue
        if start >= 0 and (name == "tr" or (closes and name in ("table", "thead"))):  # also where </tr> is left out
            end = text.find(">", tag.start(), span.end) + 1 if name == "tr" and closes else tag.start()
            row = Span(start, start + len(text[start : end or span.end].rstrip()))
            yield row, in_head or names == {"th"}
            start = -1
        if name == "thead":
            in_head = not closes
        elif name == "tr" and not closes:
            start, names = tag.start(), set()
        elif not closes:
            names.add(name)
