"""Vectors in the truth: one for each (embedding fingerprint, indexed text), however many chunks have that text.

Packed as float32, little-endian. A vector with few values that are not zero (hashing has 16,384 buckets) is packed as its places (uint32) followed
by its values, if that is smaller; the length of the blob tells which.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING

from yinju.errors import UsageError
from yinju.failing import reach
from yinju.messages import say
from yinju.store import sql

if TYPE_CHECKING:
    import apsw
    import numpy as np
    from numpy.typing import NDArray

    from yinju.store.records import Vector


def pack(vector: NDArray[np.float32], dimension: int) -> bytes:
    """Return the vector as bytes. Raises UsageError where its shape is wrong or a value is not finite."""
    import numpy as np

    array = np.asarray(vector, dtype="<f4")
    if array.shape != (dimension,) or not np.isfinite(array).all():
        raise UsageError(
            say(
                "a vector of {dimension} finite numbers was expected",
                "向量应为 {dimension} 个有限数值",
                dimension=dimension,
            ),
            say("The embedding model gave something else.", "嵌入模型返回了其他内容。"),
        )
    places = np.flatnonzero(array)
    if 8 * len(places) < 4 * dimension:
        return places.astype("<u4").tobytes() + array[places].tobytes()
    return array.tobytes()


def unpack_sparse(packed: bytes, dimension: int) -> tuple[NDArray[np.uint32], Vector]:
    """Return places and values of a vector."""
    import numpy as np

    if len(packed) < 4 * dimension:
        half = len(packed) // 8
        return np.frombuffer(packed, "<u4", half), np.frombuffer(packed, "<f4", half, offset=4 * half)
    return np.arange(dimension, dtype=np.uint32), np.frombuffer(packed, "<f4")


def unpack(packed: bytes, dimension: int) -> Vector:
    """Return the whole vector, shape (dimension,)."""
    import numpy as np

    if len(packed) == 4 * dimension:
        return np.frombuffer(packed, "<f4")
    vector = np.zeros(dimension, dtype=np.float32)
    places, values = unpack_sparse(packed, dimension)
    vector[places] = values
    return vector


def are_whole(cells: Sequence[bytes], dimension: int) -> bool:
    """Return whether each of these is a packed vector of so many finite numbers."""
    import numpy as np

    sparse = [cell for cell in cells if len(cell) < 4 * dimension]
    dense = [cell for cell in cells if len(cell) >= 4 * dimension]
    if any(len(cell) % 8 for cell in sparse) or any(len(cell) > 4 * dimension for cell in dense):
        return False
    values = b"".join([*dense, *(cell[len(cell) // 2 :] for cell in sparse)])
    places = np.frombuffer(b"".join(cell[: len(cell) // 2] for cell in sparse), "<u4")
    return bool(np.isfinite(np.frombuffer(values, "<f4")).all() and int(places.max(initial=0)) < max(dimension, 1))


def find_space(connection: apsw.Connection, fingerprint: str) -> tuple[int, int] | None:
    """Return number and dimension of the space with this fingerprint, or None."""
    row = sql.row(connection, "select id, dimension from space where fingerprint = ?", (fingerprint,))
    return None if row is None else (row[0], row[1])


def put(
    connection: apsw.Connection, fingerprint: str, dimension: int, items: Iterable[tuple[str, Vector]], generation: int
) -> int:
    """Store vectors of texts that the library still holds. Return how many those were."""
    space = find_space(connection, fingerprint)
    if space is None:
        connection.execute("insert into space(fingerprint, dimension) values(?, ?)", (fingerprint, dimension))
        space = (connection.last_insert_rowid(), dimension)
    if space[1] != dimension:
        raise UsageError(
            say(
                "vectors of {fingerprint} have {known} numbers, not {dimension}",
                "{fingerprint} 的向量为 {known} 维，而不是 {dimension} 维",
                fingerprint=fingerprint,
                known=space[1],
                dimension=dimension,
            ),
            say("A different model needs a different fingerprint.", "不同的模型需要不同的指纹。"),
        )
    before = connection.total_changes()
    connection.executemany(
        "insert into vector(space, text_hash, changed, vector) select ?1, ?2, ?3, ?4"
        " where exists(select 1 from chunk where text_hash = ?2)"
        " on conflict(space, text_hash) do update set vector = excluded.vector, changed = excluded.changed",
        [(space[0], text_hash, generation, pack(vector, dimension)) for text_hash, vector in items],
    )
    reach("write-vector")
    return connection.total_changes() - before


def delete_orphans(connection: apsw.Connection, hashes: Collection[str]) -> None:
    """Remove the vectors of those texts that no chunk has any more, and no document that an undo would bring back."""
    connection.execute(
        "delete from vector where id in (select v.id from json_each(?) j, space s join vector v on v.space = s.id and v.text_hash = j.value"
        " where not exists(select 1 from chunk c where c.text_hash = j.value)"
        " and not exists(select 1 from former_text f where f.text_hash = j.value))",
        (json.dumps(sorted(hashes)),),
    )


def forget(connection: apsw.Connection, fingerprint: str) -> tuple[int, int]:
    """Remove all vectors of a fingerprint. Return how many they were and their bytes."""
    space = find_space(connection, fingerprint)
    count = size = 0
    if space is not None:
        count, size = sql.row(
            connection, "select count(*), total(length(vector)) from vector where space = ?", (space[0],)
        )
        connection.execute("delete from vector where space = ?", (space[0],))
        connection.execute("delete from space where id = ?", (space[0],))
    return count, int(size)


def counts(connection: apsw.Connection) -> dict[str, int]:
    """Return for each fingerprint the number of chunks that have a vector."""
    rows = sql.rows(
        connection,
        "select s.fingerprint, (select count(*) from chunk c where exists(select 1 from vector v"
        " where v.space = s.id and v.text_hash = c.text_hash)) from space s",
    )
    return dict(rows)


def missing(connection: apsw.Connection, fingerprint: str, limit: int, first: Sequence[int]) -> list[tuple[str, int]]:
    """Return texts without a vector, each with one chunk that has it: those of the chunks `first` in their order, then the others."""
    space = find_space(connection, fingerprint)
    number = 0 if space is None else space[0]
    without = "not exists(select 1 from vector v where v.space = ?1 and v.text_hash = c.text_hash)"
    found: dict[str, int] = {}
    if first:
        rows = connection.execute(
            f"select c.text_hash, c.id from json_each(?2) j join chunk c on c.id = j.value where {without} order by j.key",  # noqa: S608  our own
            (number, json.dumps([int(rowid) for rowid in first])),
        )
        for text_hash, rowid in rows:
            found.setdefault(text_hash, rowid)
    if len(found) < limit:
        rows = connection.execute(f"select c.text_hash, c.id from chunk c where {without} order by c.id", (number,))  # noqa: S608  our own
        for text_hash, rowid in rows:
            found.setdefault(text_hash, rowid)
            if len(found) >= limit:
                break
    return list(found.items())[: max(limit, 0)]


def exact(
    connection: apsw.Connection, space: tuple[int, int], query: Vector, rowids: Sequence[int]
) -> dict[int, float]:
    """Return the inner products of the query with the vectors of those chunks that the truth holds, from the truth itself."""
    import numpy as np

    dimension = space[1]
    rows = _packed(connection, space[0], rowids)
    if not rows:
        return {}
    if all(len(packed) == 4 * dimension for _, packed in rows):
        matrix = np.frombuffer(b"".join(packed for _, packed in rows), "<f4").reshape(len(rows), dimension)
        return dict(zip((rowid for rowid, _ in rows), np.vecdot(matrix, query).tolist(), strict=True))
    found = {}
    for rowid, packed in rows:
        places, values = unpack_sparse(packed, dimension)
        found[rowid] = float(values @ query[places])
    return found


def whole(connection: apsw.Connection, space: tuple[int, int], rowids: Sequence[int]) -> dict[int, Vector]:
    """Return the vectors of those chunks that have one, each of shape (dimension,)."""
    return {rowid: unpack(packed, space[1]) for rowid, packed in _packed(connection, space[0], rowids)}


def _packed(connection: apsw.Connection, space: int, rowids: Sequence[int]) -> list[tuple[int, bytes]]:
    return sql.rows(
        connection,
        # cross join: SQLite keeps this order; of itself it would scan all vectors
        "select c.id, v.vector from json_each(?2) j cross join chunk c on c.id = j.value"
        " cross join vector v on v.space = ?1 and v.text_hash = c.text_hash",
        (space, json.dumps([int(rowid) for rowid in rowids])),
    )
