"""The tables beside the documents, from a damaged file and from backups: what is copied, what is made, and what is better left closed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from yinju.store import closed, sql, vectors
from yinju.store.database import from_cell, to_cell
from yinju.store.walking import BAD, columns, rows

if TYPE_CHECKING:
    import apsw

    from yinju.store.salvage import Salvaged

_OWN_VALUES = ("identity", "restoring", "unpurged")


def take(
    old: apsw.Connection | None,
    others: Sequence[apsw.Connection],
    new: apsw.Connection,
    missing: set[str] | None,
    found: Salvaged,
) -> None:
    """Take roots, settings, vectors, lists and steps from the old file, and vectors and lists that it lost from the backups."""
    every = [one for one in (old, *others) if one is not None]
    if old is not None:
        _copy(old, new, "root")
        _copy(old, new, "value", key="key", unless=_OWN_VALUES.__contains__)
        _copy(old, new, "log")
        kept = {row["source"] for row in rows(old, "skipped")[0] if row["outcome"] == "kept"}
        _copy(old, new, "skipped", key="source", unless=lambda cell: found.has(from_cell(cell)) and cell not in kept)
        for cell in kept:
            new.execute("update document set state = 'kept' where source = ?", (cell,))
        _take_steps(old, new)
    for other in others:  # what the old file has lost of these, the backups may have
        _copy(other, new, "root")
        _copy(other, new, "value", key="key", unless=_OWN_VALUES.__contains__)
    if old is None and every:
        _copy(every[0], new, "log")
    for one in every:
        _take_vectors(one, new)
    _take_lists(old, others, new, missing, found)
    generation = max([_generation(one) for one in every], default=0) + 1
    new.execute("update tally set number = ? where name = 'generation'", (generation,))


def _copy(
    old: apsw.Connection,
    new: apsw.Connection,
    table: str,
    *,
    key: str = "",
    unless: Callable[[Any], bool] | None = None,
) -> bool:
    """Copy the rows of a table that can be read and are no others' already, but those whose `key` is left out. Return whether these are all."""
    import apsw

    found, complete = rows(old, table)
    names = [name for name in columns(new, table) if not found or name in found[0]]
    marks = ", ".join("?" for _ in names)
    statement = f'insert or ignore into "{table}"({", ".join(names)}) values({marks})'
    for row in found:
        try:
            if unless is None or not unless(row[key]):
                new.execute(statement, tuple(row[name] for name in names))
        except (apsw.ConstraintError, *BAD):
            complete = False
    return complete


def _is_whole(packed: bytes, dimension: int) -> bool:
    """Return whether a vector has unit length and its places rise: pages that are gone read as zeros, and half a vector would lie silently."""
    import numpy as np

    places, values = vectors.unpack_sparse(packed, dimension)
    rising = bool((places[1:] > places[:-1]).all())
    return rising and abs(float(np.linalg.norm(values)) - 1.0) < 1e-3


def _take_vectors(old: apsw.Connection, new: apsw.Connection) -> None:
    spaces = {row["id"]: (row["fingerprint"], row["dimension"]) for row in rows(old, "space")[0]}
    for fingerprint, dimension in spaces.values():
        new.execute("insert or ignore into space(fingerprint, dimension) values(?, ?)", (fingerprint, dimension))
    numbers = {row["fingerprint"]: row["id"] for row in rows(new, "space")[0] if row["dimension"]}
    for row in rows(old, "vector")[0]:
        space = spaces.get(row["space"])
        if space is not None and vectors.are_whole([row["vector"]], space[1]) and _is_whole(row["vector"], space[1]):
            new.execute(
                "insert or ignore into vector(space, text_hash, changed, vector) select ?1, ?2, 1, ?3"
                " where exists(select 1 from chunk where text_hash = ?2) or exists(select 1 from former_text where text_hash = ?2)",
                (numbers[space[0]], row["text_hash"], row["vector"]),
            )


def _take_steps(old: apsw.Connection, new: apsw.Connection) -> None:
    """Take what can be undone, if all of it is there; half an undo would be worse than none."""
    tables = ("step", "former", "former_text", "held")
    if not all(_copy(old, new, table) for table in tables):
        for table in tables[:3]:
            new.execute(f"delete from {table}")  # noqa: S608  our own names
    new.execute("delete from former where step not in (select number from step)")
    new.execute("delete from former_text where former not in (select id from former)")


def _take_lists(
    old: apsw.Connection | None,
    others: Iterable[apsw.Connection],
    new: apsw.Connection,
    missing: set[str] | None,
    found: Salvaged,
) -> None:
    """Take the access lists. A source whose lists may be lost, and that no backup knows, is seen by its owner alone."""
    unsure = {to_cell(source) for source in found.unproven}
    if old is not None:
        _copy(old, new, "closed")
    found.lists_lost = old is None or not _copy(old, new, "access")
    if found.lists_lost:
        known: set[str] = set()
        for other in others:
            _copy(other, new, "closed")
            _copy(other, new, "access", unless=known.__contains__, key="source")
            known |= {row["source"] for row in rows(other, "document")[0]}
        here = {cell for (cell,) in sql.rows(new, "select source from document")} | {
            to_cell(one) for one in missing or ()
        }
        unsure |= here - known
    for cell in unsure:
        new.execute("insert or ignore into access(source, origin, names) values(?, 'owner', '[]')", (cell,))
    for (cell,) in sql.rows(new, "select source from access where origin = 'owner'"):
        closed.remember(new, from_cell(cell))


def _generation(connection: apsw.Connection) -> int:
    import apsw

    try:
        return sql.generation(connection)
    except (apsw.Error, *BAD):
        return 0
