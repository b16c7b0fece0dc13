"""Whether a file has the shape that our own steps give it, and nothing more.

A file that somebody else made can hold triggers and views that do something when we write or read. Our libraries have neither; so nothing has
to be judged: what is not word for word what the steps make is refused.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from yinju.store import attachments, migrations, sql

if TYPE_CHECKING:
    import apsw

Part = tuple[str, str, str, str]  # type, name, table, statement
_KINDS = frozenset({"text", "integer", "blob"})


def strangers(connection: apsw.Connection) -> list[str]:
    """Return the names of what the file has and should not, or lacks; nothing where its shape is that of its format."""
    wanted = _shape(migrations.version(connection))
    found = _parts(connection)
    allowed = wanted | {_ATTACHMENTS}
    return sorted({name for _, name, _, _ in (found - allowed) | (wanted - found)})


def wrong_kinds(connection: apsw.Connection) -> list[str]:
    """Return the columns with values of another kind than the column has, such as bytes for a text."""
    found = []
    for (table,) in sql.rows(connection, "select name from pragma_table_list where schema = 'main' and type = 'table'"):
        if table.startswith("sqlite_"):
            continue
        columns = sql.rows(connection, "select name, lower(type) from pragma_table_info(?)", (table,))
        wrong = {name: f"typeof(\"{name}\") not in ('{kind}', 'null')" for name, kind in columns if kind in _KINDS}
        if wrong and _is_there(
            connection, table, " or ".join(wrong.values())
        ):  # one look at the table, not one for each column
            found += [f"{table}.{name}" for name, condition in wrong.items() if _is_there(connection, table, condition)]
    return found


def _is_there(connection: apsw.Connection, table: str, condition: str) -> bool:
    return bool(sql.cell(connection, f'select exists(select 1 from "{table}" where {condition})'))  # noqa: S608  our own names


def _parts(connection: apsw.Connection) -> frozenset[Part]:
    rows = sql.rows(connection, "select type, name, tbl_name, coalesce(sql, '') from sqlite_schema")
    return frozenset((str(type_), str(name), str(table), _plain(str(text))) for type_, name, table, text in rows)


def _plain(statement: str) -> str:
    return " ".join(statement.split())


@cache
def _shape(number: int) -> frozenset[Part]:
    import apsw

    connection = apsw.Connection(":memory:")
    migrations.migrate(connection, number)
    return _parts(connection)


_ATTACHMENTS: Part = (
    "table",
    attachments.TABLE,
    attachments.TABLE,
    _plain(attachments.SHAPE).replace("create table", "CREATE TABLE", 1),
)
