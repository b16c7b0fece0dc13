"""The view for nearest neighbours: exact inner products over a memory-mapped block, caught up with the truth before each search.

A view is a block built at one generation (mapped from a file, see viewfile.py) and a small tail of what came since. Rows that died stay in
it until it is built anew: candidates are looked up in the truth, which also gives their exact scores, and where too many have died more are
proposed. So a missing, damaged or old view costs time and never a hit.

All who ask share the views, whatever they may see, so the tables are named with their schema here: an asker's connection has others of the
same names before them (`store/seen.py`). What somebody may see comes in as `allowed`, and exact scores are looked up in that.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from yinju.errors import UsageError
from yinju.messages import say
from yinju.store import blocks, sql, vectors, viewfile
from yinju.store.blocks import Block
from yinju.store.viewfile import Stamp

if TYPE_CHECKING:
    import apsw

    from yinju.store.records import RowIds, Vector

MINIMUM_TAIL = 512  # rows that are read from the truth at each start rather than writing a file for them
SPARE = 8  # proposed beyond the limit
# cross join: SQLite keeps this order, which is that of the ids; of itself it would sort all vectors in memory
_ALL = "select c.id, v.vector from main.chunk c cross join vector v on v.space = ?1 and v.text_hash = c.text_hash"
_SIZE = "select count(*), total(length(v.vector)) from main.chunk c join vector v on v.space = ?1 and v.text_hash = c.text_hash"
_NEW_CHUNKS = _ALL + " where c.id > ?2"
_NEW_VECTORS = "select c.id, v.vector from vector v join main.chunk c on c.text_hash = v.text_hash where v.space = ?1 and v.changed > ?2"


@dataclass(frozen=True, slots=True)
class View:
    """A block of the library `identity` built at `built` with what came until `generation`. `last` is the highest row id of the truth then."""

    identity: str
    built: int
    generation: int
    last: int
    base: Block
    tail: Block
    tail_rows: Mapping[int, bytes]

    def __len__(self) -> int:
        return len(self.base) + len(self.tail)

    def propose(self, query: Vector, limit: int, allowed: RowIds | None) -> list[int]:
        """Return the ids of the best rows of base and tail together, the best first, each once."""
        import numpy as np

        found = [block.best(query, limit, allowed) for block in (self.base, self.tail) if len(block)]
        if not found:
            return []
        ids = np.concatenate([one for one, _ in found])
        scores = np.concatenate([one for _, one in found])
        return list(dict.fromkeys(ids[np.lexsort((ids, -scores))][:limit].tolist()))


class Views:
    """The views of one open library, shared by its threads."""

    def __init__(self, folder: Path | None, *, writable: bool) -> None:
        """Keep views in `folder`; None, or not writable: in memory only."""
        self._folder = folder
        self._writable = writable and folder is not None
        self._views: dict[str, View] = {}
        self._lock = threading.Lock()

    def nearest(
        self,
        connection: apsw.Connection,
        generation: int,
        fingerprint: str,
        query: Vector,
        limit: int,
        allowed: RowIds | None,
    ) -> list[tuple[int, float]]:
        """Return the `limit` chunks with the highest inner product, exact, the best first, as the connection's snapshot has them."""
        space = vectors.find_space(connection, fingerprint)
        if space is None or limit <= 0 or (allowed is not None and not len(allowed)):
            return []
        query = checked(query, space[1])
        view = self._view(connection, generation, fingerprint, space)
        wanted = limit + SPARE
        while True:
            proposed = view.propose(query, wanted, allowed)
            scores = vectors.exact(connection, space, query, proposed)
            if len(scores) >= limit or wanted >= len(view):
                return sorted(scores.items(), key=lambda item: (-item[1], item[0]))[:limit]
            wanted *= 4

    def forget(self, fingerprint: str) -> None:
        """Drop the view of an embedding, its files too."""
        with self._lock:
            self._views.pop(fingerprint, None)
        if self._folder is not None and self._writable:
            viewfile.remove(self._folder, fingerprint)

    def close(self) -> None:
        """Let go of mapped files."""
        with self._lock:
            self._views.clear()

    def _view(self, connection: apsw.Connection, generation: int, fingerprint: str, space: tuple[int, int]) -> View:
        stamp = Stamp(_identity(connection), fingerprint, space[1], generation)
        with self._lock:
            view = self._views.get(fingerprint)
            if view is not None and (view.base.dimension, view.identity) != (space[1], stamp.identity):
                view = None  # the embedding was forgotten, or the library came from a backup since
            if view is not None and view.built > generation:  # an older snapshot than the view can serve
                return self._load(stamp) or _build(connection, stamp, space)[0]
            view = view or self._load(stamp)
            if view is not None and view.generation < generation:
                view = _caught_up(connection, view, stamp, space)
            if view is None or _worn(connection, view):
                view, block = _build(connection, stamp, space)
                if len(block) > MINIMUM_TAIL and self._writable and self._folder is not None:
                    viewfile.save(self._folder, stamp, block)
                    view = self._load(stamp) or view  # mapped: shared with other processes
            self._views[fingerprint] = view
            return view

    def _load(self, stamp: Stamp) -> View | None:
        if self._folder is None:
            return None
        found = viewfile.newest(self._folder, stamp)
        if found is None:
            return None
        built, block = found[0].generation, found[1]
        last = int(block.ids[-1]) if len(block) else 0
        return View(stamp.identity, built, built, last, block, blocks.of([], stamp.dimension), {})


def checked(query: Vector, dimension: int) -> Vector:
    """Return the query as float32. Raises UsageError where it does not belong to the space."""
    import numpy as np

    query = np.ascontiguousarray(query, dtype=np.float32)
    if query.shape != (dimension,) or not np.isfinite(query).all():
        raise UsageError(
            say(
                "the question's vector must have {dimension} finite numbers",
                "问题的向量应为 {dimension} 个有限数值",
                dimension=dimension,
            ),
            say("Ask with the embedding model that the library was built with.", "请使用建立资料库时的嵌入模型。"),
        )
    return query


def _build(connection: apsw.Connection, stamp: Stamp, space: tuple[int, int]) -> tuple[View, Block]:
    count, size = sql.row(connection, _SIZE, (space[0],))
    rows = connection.execute(_ALL + " order by c.id", (space[0],))
    block = blocks.build(rows, space[1], count=count, size=int(size))
    view = View(
        stamp.identity, stamp.generation, stamp.generation, _last(connection), block, blocks.of([], space[1]), {}
    )
    return view, block


def _caught_up(connection: apsw.Connection, view: View, stamp: Stamp, space: tuple[int, int]) -> View:
    new = dict(sql.rows(connection, _NEW_CHUNKS, (space[0], view.last)))
    new.update(sql.rows(connection, _NEW_VECTORS, (space[0], view.generation)))
    rows = {**view.tail_rows, **new}
    tail = blocks.of(sorted(rows.items()), space[1]) if new else view.tail
    return View(view.identity, view.built, stamp.generation, max(view.last, _last(connection)), view.base, tail, rows)


def _worn(connection: apsw.Connection, view: View) -> bool:
    """Return whether the view should be built anew: its tail is long, or many of its rows must be dead."""
    passages = int(sql.cell(connection, "select number from main.tally where name = 'passages'"))
    return len(view.tail) > max(MINIMUM_TAIL, len(view.base) // 8) or len(view) - passages > max(
        MINIMUM_TAIL, passages // 4
    )


def _last(connection: apsw.Connection) -> int:
    return int(sql.cell(connection, "select max(id) from main.chunk") or 0)


def _identity(connection: apsw.Connection) -> str:
    return str(sql.cell(connection, "select value from main.value where key = 'identity'"))
