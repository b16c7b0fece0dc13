"""Which rows of a table name its columns. One judgement for sheets, CSV, Word, slides and OpenDocument.

A header is short, different texts over most columns. Years and months may name columns (`项目 | 2022 | 2023`) where what stands below is
something else. Under cells that reach over several columns the next row names the parts, and each part is given the name above it,
so that every column carries its whole name.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_NUMERIC = re.compile(
    r"[-+(]?[$¥€£￥]?\s?[-+]?[\d,.]*\d[\d,.]*\s?%?\)?([eE][-+]?\d+)?(\s?[a-zA-Z元万亿个天年月日号次人]{1,2})?"
)
_DATE = re.compile(r"\d{2,4}[-/.年]\d{1,2}[-/.月]\d{1,4}日?([ T]\d{1,2}:\d{2}(:\d{2})?)?|\d{1,2}:\d{2}(:\d{2})?")
_PERIOD = re.compile(
    r"(?:fy\s?)?(?:19|20)\d\d\s?(?:年度?|[aefh])?(?:[-/年]?(?:0?[1-9]|1[0-2])月?)?|(?:0?[1-9]|1[0-2])\s?月份?|q[1-4]|[1-4]q",
    re.IGNORECASE,
)
_LABELLED = re.compile(r"[^:：]{1,20}(?:：|:\s)\s*\S.*")  # `单位：元`, `Date: May`
_LONGEST_NAME = 60  # characters of a column's name
_LONGEST_NAME_OF_VALUES = 150  # where figures stand below, a whole clause may name a column
_MOST_ROWS = 4
_NOTHING = frozenset(("-", "–", "—", "―", "/", "n/a", "N/A", "无"))  # how a table writes that there is no value

Cells = Sequence[str]


def looks_like_value(cell: str) -> bool:
    """Return whether the cell is a number, an amount or a date rather than a name."""
    return bool(_NUMERIC.fullmatch(cell) or _DATE.fullmatch(cell))


def is_period(cell: str) -> bool:
    """Return whether the cell is a year, a month or a quarter: values and names of columns alike."""
    return bool(_PERIOD.fullmatch(cell))


def is_labelled(cell: str) -> bool:
    """Return whether the cell brings its own name: `单位：元`."""
    return bool(_LABELLED.fullmatch(cell))


def names_columns(row: Cells, below: Sequence[Cells], joined: Sequence[int] = (), columns: int = 0) -> bool:
    """Return whether the row names the columns of the rows below it. `joined`: columns that a cell to their left reaches over.

    `columns` is how many columns the table has (0: as many as the row).
    """
    cells = [cell for cell in row if cell]
    if len(cells) < 2 or not below or 2 * (len(cells) + len(joined)) < (columns or len(row)):
        return False
    return (len(set(cells)) == len(cells) or bool(joined)) and _are_names(row, below, joined)


def _are_names(row: Cells, below: Sequence[Cells], joined: Sequence[int]) -> bool:
    periods = [place for place, cell in enumerate(row) if cell and is_period(cell)]
    others = [cell for place, cell in enumerate(row) if cell and place not in periods]
    following = next((cells for cells in below if any(cells)), ())
    values = sum(1 for cell in following if looks_like_value(cell) or cell in _NOTHING)
    longest = _LONGEST_NAME_OF_VALUES if 2 * values > len([cell for cell in following if cell]) else _LONGEST_NAME
    if any(looks_like_value(cell) or len(cell) > longest or "=" in cell or is_labelled(cell) for cell in others):
        return False
    if not periods or joined:
        return True
    repeats = sum(1 for place in periods if place < len(following) and is_period(following[place]))
    return len(periods) > 1 and not repeats


def header_height(rows: Sequence[Cells], joined: Sequence[Sequence[int]], columns: int = 0) -> int:
    """Return how many of the first rows are the header: 0, 1, or more where cells reach over columns whose parts are named below.

    A row counts as joined too where it leaves most columns empty that the next row names.
    """
    if not names_columns(rows[0], rows[1 : _MOST_ROWS + 1], joined[0], columns):
        return 0
    height = 1
    while height < min(_MOST_ROWS, len(rows) - 1) and joined[height - 1] and _names_parts(rows, height, joined[height]):
        height += 1
    return height


def _names_parts(rows: Sequence[Cells], height: int, joined: Sequence[int]) -> bool:
    """The row names the columns under the joined cells above it: no values, and values below."""
    cells = [cell for cell in rows[height] if cell]
    return (
        len(cells) > 1
        and len(cells) >= sum(map(bool, rows[height - 1]))
        and _are_names(rows[height], rows[height + 1 : height + 2], joined or (0,))
        and any(looks_like_value(cell) for row in rows[height + 1 : height + 6] for cell in row if cell)
    )


def whole_names(rows: Sequence[Cells], joined: Sequence[Sequence[int]]) -> list[list[str]]:
    """Return the rows of a header with the names of joined cells written over each of their parts."""
    filled = [list(row) for row in rows]
    for row, below, columns in zip(filled, rows[1:], joined, strict=False):
        row.extend([""] * (max(columns, default=0) + 1 - len(row)))  # it may end before its last joined cell does
        for column in sorted(columns):
            if column and not row[column] and column < len(below) and below[column]:
                row[column] = row[column - 1]
    return filled
