"""Rows of tables as text: Markdown pipe rows, and rows whose cells are separated by tabs (all other formats)."""

from __future__ import annotations

import re

_is_rule = re.compile(r"[\s|:+=-]*-[\s|:+=-]*").fullmatch
_figure = re.compile(r"[-+(]?\s*[$€£¥￥]?\s*\d[\d.,\s]*(?:%|[元万亿])?\s*\)?").fullmatch
_LONGEST_PAIR = 60  # characters of a label and of a figure
_year = re.compile(r"(?:19|20)\d\d年?").fullmatch
_pipe = re.compile(r"(?<!\\)((?:\\\\)*)\|")


def cells(row: str) -> list[str]:
    """Return the cells of one row, stripped; `\\|` in a Markdown row is a pipe inside a cell."""
    row = row.strip("\n")
    if "\t" in row and not row.lstrip(" ").startswith("|"):
        return [cell.strip() for cell in row.split("\t")]
    row = row.strip()
    if "|" not in row:
        return [row]
    row = row.removeprefix("|")
    pieces = _pipe.split(row)
    found = [text + backslashes for text, backslashes in zip(pieces[::2], [*pieces[1::2], ""], strict=True)]
    if len(found) > 1 and not found[-1].strip():  # the closing pipe
        found.pop()
    return [cell.strip().replace("\\|", "|") for cell in found]


def column_names(header: str) -> list[str]:
    """Return the names of the columns: a Markdown rule (`|---|`) is left out, several header rows are joined per column."""
    rows = [cells(line) for line in header.split("\n") if line.strip() and not _is_rule(line)]
    width = max(map(len, rows), default=0)
    columns = [[row[place] for row in rows if place < len(row) and row[place]] for place in range(width)]
    return [" ".join(dict.fromkeys(names)) for names in columns]


def is_pair(row: str) -> bool:
    """True for a label and its figure (`For | 901,248,622`): such a row names no columns, wherever it stands. A year may name one."""
    both = cells(row)
    if len(both) != 2 or max(map(len, both)) > _LONGEST_PAIR:
        return False
    return bool(both[0]) and not _figure(both[0]) and bool(_figure(both[1])) and not _year(both[1])


def as_record(header: str, row: str) -> str:
    """Return the row as `column: value; column: value`; empty cells are left out, a cell without a name stands alone.

    Below a label and its figure, which name no columns, a row reads as it stands: `label: figure`.
    """
    rows = [line for line in header.split("\n") if line.strip() and not _is_rule(line)]
    if is_pair(row) and (not rows or (len(rows) == 1 and is_pair(rows[0]))):
        return ": ".join(cells(row))
    names = column_names(header)
    named = [(names[place] if place < len(names) else "", value) for place, value in enumerate(cells(row)) if value]
    return "; ".join(f"{name}: {value}" if name else value for name, value in named)
