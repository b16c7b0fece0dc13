"""Asking SQLite in three shapes. A cell is whatever the table's column holds, so the answers are untyped here and typed by their readers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import apsw


def rows(connection: apsw.Connection, statement: str, values: tuple[Any, ...] = ()) -> list[Any]:
    """Return all rows, each a tuple."""
    return connection.execute(statement, values).fetchall()


def row(connection: apsw.Connection, statement: str, values: tuple[Any, ...] = ()) -> Any:
    """Return the first row as a tuple, or None."""
    return connection.execute(statement, values).fetchone()


def cell(connection: apsw.Connection, statement: str, values: tuple[Any, ...] = ()) -> Any:
    """Return the first cell of the first row, or None."""
    found = connection.execute(statement, values).fetchone()
    return None if found is None else found[0]


def generation(connection: apsw.Connection) -> int:
    """Return the generation that the connection sees."""
    return int(cell(connection, "select number from tally where name = 'generation'"))


def passages(connection: apsw.Connection) -> int:
    """Return the number of chunks."""
    return int(cell(connection, "select number from tally where name = 'passages'"))
