"""Arrays that score many vectors against one query: rows side by side, or turned into columns where most values are zero.

Inner products are made by `numpy.vecdot`, one row after the other on the calling thread. BLAS shares `matrix @ query` among threads that wait for
each other: 27,000 x 384 took 1.1 ms against 3 to 12, and with an embedding model busy on the same cores up to 200.

Every row is scored as it is, whatever the size of the library: with numpy alone nothing smaller is faster and as good. Two busy cores, 384
numbers, real vectors jittered to 400,000, the best 50 wanted (p50, ms): as here 37; eight-bit codes, turned into float32 block by block, 46 to
81; the same as float16 160 at 100,000 already. Their 192 strongest directions with the best 1,000 scored again: 24, and 0.997 of the best 50
kept (0.98 with 400, 0.94 with 128 directions); embedding the question takes longer than what that saves. With a filter of 0.1 % it takes 0.1.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from yinju.store import vectors

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from yinju.store.records import RowIds, Vector

Kind = Literal["dense", "sparse"]
# What each kind is made of: name and type on disk. `ids` is (n,), rising.
ARRAYS: Mapping[Kind, tuple[tuple[str, str], ...]] = {
    "dense": (("ids", "<i8"), ("values", "<f4")),  # values (n * dimension,)
    "sparse": (
        ("ids", "<i8"),
        ("starts", "<i8"),
        ("rows", "<i4"),
        ("values", "<f4"),
    ),  # column c: rows[starts[c]:starts[c + 1]]
}


@dataclass(frozen=True, slots=True)
class Block:
    """Vectors of chunks, ready to be scored."""

    kind: Kind
    dimension: int
    arrays: Mapping[str, NDArray[Any]]

    @property
    def ids(self) -> RowIds:
        """The chunks' row ids, shape (n,), rising."""
        return self.arrays["ids"]

    def __len__(self) -> int:
        return len(self.ids)

    def best(self, query: Vector, limit: int, allowed: RowIds | None) -> tuple[RowIds, Vector]:
        """Return ids and inner products of the `limit` best allowed rows, in no order."""
        import numpy as np

        places = None if allowed is None else _places(self.ids, allowed)
        scores = self._scores(query, places)
        if len(scores) > limit:
            top = np.argpartition(scores, len(scores) - limit)[-limit:]
            scores, places = scores[top], top if places is None else places[top]
        return (self.ids if places is None else self.ids[places]), scores

    def _scores(self, query: Vector, places: NDArray[np.int64] | None) -> Vector:
        import numpy as np

        if self.kind == "dense":
            matrix: NDArray[np.float32] = self.arrays["values"].reshape(len(self), self.dimension)
            if places is None or len(places) > len(self) // 4:  # gathering rows costs more than multiplying all of them
                scores: Vector = np.vecdot(matrix, query)
                return scores if places is None else scores[places]
            gathered: Vector = np.vecdot(matrix[places], query)
            return gathered
        starts, rows, values = self.arrays["starts"], self.arrays["rows"], self.arrays["values"]
        scores = np.zeros(len(self), dtype=np.float32)
        for column in np.flatnonzero(query).tolist():
            start, end = int(starts[column]), int(starts[column + 1])
            scores[rows[start:end]] += values[start:end] * query[column]  # a row stands once in a column
        return scores if places is None else scores[places]


def build(rows: Iterable[tuple[int, bytes]], dimension: int, *, count: int, size: int) -> Block:
    """Return the block of packed vectors, given with their row ids in rising order, in the kind that is smaller.

    There are `count` rows of `size` bytes in all. They are taken one by one, so that what is whole in memory is the block and nothing else.
    """
    import numpy as np

    if count and size < 2 * dimension * count:
        kept = list(rows)
        ids = np.array([rowid for rowid, _ in kept], dtype="<i8")
        return Block("sparse", dimension, {"ids": ids, **_columns([packed for _, packed in kept], dimension)})
    ids = np.empty(count, dtype="<i8")
    matrix = np.zeros((count, dimension), dtype="<f4")
    for at, (rowid, packed) in enumerate(rows):
        ids[at] = rowid
        matrix[at] = vectors.unpack(packed, dimension)
    return Block("dense", dimension, {"ids": ids, "values": matrix.reshape(-1)})


def of(rows: Sequence[tuple[int, bytes]], dimension: int) -> Block:
    """Return the block of a few packed vectors, see `build`."""
    return build(rows, dimension, count=len(rows), size=sum(len(packed) for _, packed in rows))


def _columns(packed: Sequence[bytes], dimension: int) -> dict[str, NDArray[Any]]:
    import numpy as np

    parts = [vectors.unpack_sparse(one, dimension) for one in packed]
    columns = np.concatenate([places for places, _ in parts])
    owners = np.repeat(np.arange(len(parts), dtype="<i4"), [len(places) for places, _ in parts])
    values = np.concatenate([one for _, one in parts])
    order = np.argsort(columns, kind="stable")
    starts = np.zeros(dimension + 1, dtype="<i8")
    np.cumsum(np.bincount(columns, minlength=dimension), out=starts[1:])
    return {"starts": starts, "rows": owners[order], "values": values[order]}


def _places(ids: RowIds, allowed: RowIds) -> NDArray[np.int64]:
    import numpy as np

    if not len(ids):
        return np.empty(0, dtype=np.int64)
    places = np.minimum(np.searchsorted(ids, allowed), len(ids) - 1)
    kept: NDArray[np.int64] = places[ids[places] == allowed]
    return kept
