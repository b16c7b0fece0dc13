"""Walking tables of which pages may be gone: what can be read is read, from both ends and around the gap, and without any index."""

from __future__ import annotations

import json
import struct
import zlib
from typing import TYPE_CHECKING, Any

from yinju.store import sql

if TYPE_CHECKING:
    import apsw

    Row = dict[str, Any]

# what reading a cell raises that holds something else than it should
BAD = (
    ValueError,
    TypeError,
    KeyError,
    IndexError,
    AttributeError,
    OverflowError,
    RecursionError,
    zlib.error,
    struct.error,
)
MOST_LOST_IDS = 1_000_000  # looked up one by one where a walk breaks off


def rows(connection: apsw.Connection, table: str) -> tuple[list[dict[str, Any]], bool]:
    """Return the rows that can be read, by their order in the table, and whether these are all."""
    import apsw

    if not columns(connection, table):
        return [], True
    key = "rowid" if _has_rowid(connection, table) else ", ".join(_primary(connection, table))
    forwards, whole = _walk(connection, table, f"{key}")
    if whole:
        return forwards, True
    backwards, _ = _walk(connection, table, ", ".join(f"{one} desc" for one in key.split(", ")))
    seen = {json.dumps(row, default=repr) for row in forwards}
    later = [row for row in reversed(backwards) if json.dumps(row, default=repr) not in seen]
    between: list[dict[str, Any]] = []
    if key == "rowid":
        first = int(forwards[-1]["rowid"]) + 1 if forwards else 1
        last = int(later[0]["rowid"]) if later else _highest(connection, table, first)
        for number in range(first, min(last, first + MOST_LOST_IDS)):
            try:
                between += _walk_one(connection, table, number)
            except apsw.Error:
                continue
    return forwards + between + later, False


def _walk(connection: apsw.Connection, table: str, order: str) -> tuple[list[dict[str, Any]], bool]:
    import apsw

    has_rowid = order.startswith("rowid")
    names = ["rowid", *columns(connection, table)] if has_rowid else columns(connection, table)
    listed = ", ".join(f'"{name}"' if name != "rowid" else "rowid" for name in names)
    found: list[dict[str, Any]] = []
    try:
        for row in connection.execute(f'select {listed} from "{table}" not indexed order by {order}'):  # noqa: S608  our own names
            found.append(dict(zip(names, row, strict=True)))
    except apsw.Error:
        return found, False
    return found, True


def _walk_one(connection: apsw.Connection, table: str, number: int) -> list[dict[str, Any]]:
    names = ["rowid", *columns(connection, table)]
    listed = ", ".join(f'"{name}"' if name != "rowid" else "rowid" for name in names)
    found = sql.rows(connection, f'select {listed} from "{table}" not indexed where rowid = ?', (number,))  # noqa: S608
    return [dict(zip(names, row, strict=True)) for row in found]


def _highest(connection: apsw.Connection, table: str, first: int) -> int:
    import apsw

    try:
        known = sql.cell(connection, "select seq from sqlite_sequence where name = ?", (table,))
        return max(first, int(known or 0) + 1)
    except (apsw.Error, *BAD):
        return first


def columns(connection: apsw.Connection, table: str) -> list[str]:
    """Return the names of the table's columns, none where there is no such table."""
    return [name for (name,) in sql.rows(connection, "select name from pragma_table_info(?)", (table,))]


def _primary(connection: apsw.Connection, table: str) -> list[str]:
    return [
        name for (name,) in sql.rows(connection, "select name from pragma_table_info(?) where pk order by pk", (table,))
    ]


def _has_rowid(connection: apsw.Connection, table: str) -> bool:
    return not sql.cell(connection, "select wr from pragma_table_list where schema = 'main' and name = ?", (table,))
