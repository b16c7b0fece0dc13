"""Reading one file by many threads: a pool of connections, and for each read one committed generation, however long it takes."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from yinju.store import opening, sql
from yinju.store.faults import translated

if TYPE_CHECKING:
    import apsw

    from yinju.store.database import Database
    from yinju.store.records import RowIds


class Connections:
    """The connections of an open library, and how they are lent out."""

    def __init__(self, database: Database, gate: Any = None) -> None:
        self._database = database
        self._idle: list[apsw.Connection] = []
        self._pinned = threading.local()
        self._pool = threading.Lock()
        # In memory nobody sees an old generation while another is being written, so reading and writing take turns.
        self._gate = gate or (threading.RLock() if database.path is None else nullcontext())
        self._closed = False

    @property
    def path(self) -> Path | None:
        """The file of the truth, None in memory."""
        return self._database.path

    @property
    def generation(self) -> int:
        """Number of changes so far: raised by each writing transaction."""
        with self._reading() as connection:
            return sql.generation(connection)

    @contextmanager
    def snapshot(self) -> Iterator[int]:
        """Within this block all reads of this thread see one generation, which it yields. Snapshots nest."""
        with self._reading() as connection:
            yield sql.generation(connection)

    @contextmanager
    def _reading(self) -> Iterator[apsw.Connection]:
        pinned: apsw.Connection | None = getattr(self._pinned, "connection", None)
        if pinned is not None:
            with translated(self.path):
                yield pinned
            return
        with self._gate, translated(self.path):
            connection = self._take()
            self._pinned.connection = connection
            try:
                if self.path is None:
                    self._settle(connection)
                    yield connection
                else:
                    connection.execute("begin")
                    try:
                        self._settle(connection)
                        yield connection
                    finally:
                        if connection.in_transaction:
                            connection.execute("commit")
            finally:
                self._pinned.connection = None
                self._give(connection)

    def _take(self) -> apsw.Connection:
        with self._pool:
            if self._closed:
                raise RuntimeError("this store is closed")
            while self._idle:
                connection = self._idle.pop()
                if not opening.has_moved(connection):
                    return connection
                connection.close()  # a backup was restored: the name means another file now
        return self._database.connect()

    def _give(self, connection: apsw.Connection) -> None:
        with self._pool:
            if not self._closed:
                self._idle.append(connection)
                return
        connection.close()

    def _close_idle(self) -> None:
        """Close the connections that nobody uses; the others are closed when they come back."""
        with self._pool:
            self._closed = True
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def _settle(self, connection: apsw.Connection) -> None:
        """Make the connection ready for what is read next: for the owner there is nothing to do."""

    def _within(self, connection: apsw.Connection, allowed: RowIds | None) -> RowIds | None:
        """Return which of the allowed rows may be seen: for the owner all."""
        return allowed
