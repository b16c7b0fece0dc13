"""Who may see a source: lists of names, as many as have an origin that gives one, and an asker has to be on each of them.

Three hands can close a document and none can open what another closed: its own front matter, a rules file of its folder, the owner. A list
that cannot be understood counts as an empty one. Lists are keyed by the source's name and outlive the document, so that one that is removed
and comes back, by an undo or from a backup of its folder, is as closed as it was.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal, get_args

from yinju.principal import EVERYONE, normal_names
from yinju.store import sql
from yinju.store.database import from_cell, to_cell

if TYPE_CHECKING:
    import apsw

Origin = Literal["document", "rules", "owner"]
ORIGINS: tuple[Origin, ...] = get_args(Origin)
Names = tuple[str, ...]  # of principals and groups, sorted; empty: nobody
KEY = "access"  # of a document's metadata
_COMMA = re.compile("[,，、;；\n]")


def stated(metadata: Mapping[str, Any]) -> Names | None:
    """Return the list that a document's metadata give, None where they give none. What is no name and no list of names lets nobody in."""
    found: Names | None = None
    for key, value in metadata.items():
        if key.strip().casefold() == KEY:
            found = both(_understood(value), found)
    return found


def split(text: str) -> Names:
    """Return the names of `hr, legal` (also with Chinese commas)."""
    return normal_names(_COMMA.split(text))


def _understood(value: object) -> Names:
    if isinstance(value, str):
        return split(value)
    if isinstance(value, (list, tuple, set, frozenset)) and all(isinstance(one, str) for one in value):
        return normal_names(value)
    return ()


def admits(cell: object, names: Collection[str]) -> bool:
    """Return whether somebody of these names is on the list in a table's cell. One that is no list of names has nobody on it."""
    return any(name in names for name in _names(cell))


def write(connection: apsw.Connection, origin: Origin, lists: Iterable[tuple[str, Names | None]]) -> None:
    """Store the lists that this origin gives the sources; None: it gives none any more."""
    for source, names in lists:
        if names is None:
            connection.execute("delete from access where source = ? and origin = ?", (to_cell(source), origin))
        else:
            cells = (to_cell(source), origin, json.dumps(normal_names(names)))
            connection.execute("insert or replace into access values(?, ?, ?)", cells)


def move(connection: apsw.Connection, pairs: Collection[tuple[str, str]]) -> None:
    """Let lists follow documents that get other names (old, new), all at once. Where the new name has a list of its own both hold.

    A name that nobody takes keeps its lists as well: what comes back under it, by an undo too, is as closed as before.
    """
    taken = {new for _, new in pairs}
    carried = [(new, read(connection, old)) for old, new in pairs]
    for old, _ in pairs:
        if old in taken:
            connection.execute("delete from access where source = ?", (to_cell(old),))
    for new, lists in carried:
        own = read(connection, new)
        write(connection, "document", [(new, lists.pop("document", None))])  # it is the document's that comes
        for origin, names in lists.items():
            write(connection, origin, [(new, both(names, own.get(origin)))])


def both(one: Names | None, other: Names | None) -> Names | None:
    """Return the names that are on both lists; None is no list, and on one with `*` is everyone."""
    if one is None or (other is not None and EVERYONE in one):
        return other
    if other is None or EVERYONE in other:
        return one
    return tuple(sorted(set(one) & set(other)))


def read(connection: apsw.Connection, source: str) -> dict[Origin, Names]:
    """Return the lists of a source by the origins that give it one."""
    rows = sql.rows(connection, "select origin, names from access where source = ?", (to_cell(source),))
    return _by_origin(rows)


def read_all(connection: apsw.Connection) -> dict[str, dict[Origin, Names]]:
    """Return the lists of all sources that have any."""
    found: dict[str, list[tuple[str, str]]] = {}
    for source, origin, names in connection.execute("select source, origin, names from access"):
        found.setdefault(from_cell(source), []).append((origin, names))
    return {source: _by_origin(rows) for source, rows in found.items()}


def _by_origin(rows: Iterable[tuple[str, str]]) -> dict[Origin, Names]:
    given = dict(rows)
    return {origin: _names(given[origin]) for origin in ORIGINS if origin in given}


def _names(cell: object) -> Names:
    try:
        found = json.loads(cell) if isinstance(cell, str) else None
    except ValueError:
        return ()
    if not isinstance(found, list) or not all(isinstance(name, str) for name in found):
        return ()
    return tuple(found)
