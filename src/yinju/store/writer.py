"""The one who may change the library. Each method is one durable transaction and raises the generation by one."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from yinju.errors import StoreError
from yinju.failing import reach
from yinju.store import access, closed, documents, former, purging, sql, vectors
from yinju.store import words as word_index
from yinju.store.database import to_cell
from yinju.store.documents import to_json
from yinju.store.faults import translated
from yinju.store.records import Entry, Hold, Skipped, chunk_id
from yinju.types import SourceFile, document_id

if TYPE_CHECKING:
    from pathlib import Path

    import apsw

    from yinju.store.access import Names, Origin
    from yinju.store.lock import WriterLock
    from yinju.store.matrix import Views
    from yinju.store.records import Vector


_PAUSE_S = 0.05  # between two tries to empty the log


class Writer:
    """Made by `Store.writer()`; holds the writer's lock until it is closed. What a method has returned from is on disk."""

    def __init__(
        self,
        connection: apsw.Connection,
        *,
        path: Path | None,
        lock: WriterLock | None,
        views: Views,
        gate: Any,
        owned: bool,
    ) -> None:
        self._connection = connection
        self._path = path
        self._lock = lock
        self._views = views
        self._gate = gate
        self._owned = owned
        self._open = True
        self._kind: str | None = None
        self._step: int | None = None
        self.inherited: list[closed.Heir] = []  # whose list holds for which other source now, through this writer

    def begin(self, kind: str) -> None:
        """What this writer does to documents from here on is one step of this kind (sync, add, remove), which can be undone."""
        self._kind, self._step = kind, None

    def put(self, entries: Sequence[Entry]) -> None:
        """Store whole documents, replacing those with the same source wholly. Vectors of texts that stay are kept."""
        latest = {entry.document.source: entry for entry in entries}
        with self._transaction() as connection:
            gone: set[str] = set()
            for source, entry in latest.items():
                self._keep(connection, source, "added")
                self.inherited += closed.before_put(connection, entry)
                gone |= documents.delete(connection, source)
                reach("replace")
                documents.insert(connection, entry)
            vectors.delete_orphans(connection, gone)

    def skip(self, items: Sequence[Skipped]) -> None:
        """Remember files that could not be indexed. Outcome `kept`: the old version still serves; else it is removed."""
        with self._transaction() as connection:
            gone: set[str] = set()
            for item in items:
                if item.outcome != "kept":
                    self._keep(connection, item.source, "removed")
                    gone |= documents.delete(connection, item.source)
                documents.insert_skipped(connection, item)
            reach("write-skipped")
            vectors.delete_orphans(connection, gone)

    def rename(self, pairs: Sequence[tuple[str, str, SourceFile]]) -> None:
        """Give documents new sources (old, new, file), all at once, so that names may be swapped. Text and vectors stay, ids follow the name."""
        with self._transaction() as connection:
            self._rename(connection, pairs)

    def _rename(self, connection: apsw.Connection, pairs: Sequence[tuple[str, str, SourceFile]]) -> None:
        moving = [
            (number, new, file)
            for old, new, file in pairs
            if (number := sql.cell(connection, "select id from document where source = ?", (to_cell(old),))) is not None
        ]
        self._keep_renames(connection, pairs)
        taken = {new for _, new, _ in moving}
        names = [(old, new) for old, new, _ in pairs if new in taken]
        access.move(connection, names)
        self.inherited += closed.before_rename(connection, names)
        connection.executemany(
            "update document set source = char(2) || id where id = ?", [(number,) for number, _, _ in moving]
        )
        reach("rename")
        gone: set[str] = set()
        for number, new, file in moving:
            gone |= documents.delete(connection, new)
            _move(connection, number, new, file)
        vectors.delete_orphans(connection, gone)

    def remove(self, sources: Sequence[str]) -> None:
        """Remove documents and remembered files with everything that belongs to them. Unknown sources are passed over."""
        with self._transaction() as connection:
            gone: set[str] = set()
            for source in sources:
                self._keep(connection, source, "removed")
                gone |= documents.delete(connection, source)
            vectors.delete_orphans(connection, gone)
            reach("delete-vectors")
            connection.executemany("delete from skipped where source = ?", [(to_cell(source),) for source in sources])
            former.release(connection, sources)

    def undo(self, step: int, decide: former.Decide) -> None:
        """Bring everything that a step did back to what it was before it, in one transaction; see `former.undo`."""
        with self._transaction() as connection:
            self.inherited += former.undo(connection, step, decide)

    def hold(
        self,
        holds: Sequence[Hold] = (),
        *,
        release: Sequence[str] = (),
        moved: Sequence[tuple[str, str, SourceFile]] = (),
    ) -> None:
        """Change what undo holds back: files no longer held, documents whose held files have other names now (old, new, file), files held."""
        with self._transaction() as connection:
            former.release(connection, [*release, *(old for old, _, _ in moved)])
            self._rename(connection, moved)
            for one in holds:
                former.insert_hold(connection, one)

    def purge(self, sources: Sequence[str], *, wait_s: float = 10.0) -> list[Path]:
        """Remove these sources so that no byte of their texts stays in the library's files; see `purging`. It cannot be undone.

        Return the files that could not be cleared, though tried for `wait_s` seconds, since another process is reading: the write-ahead log
        (the next change clears it) and views.
        """
        with self._transaction() as connection:
            purging.purge(connection, sources)
            word_index.mark_unpurged(connection, rewrite=True)
        reach("purge")
        left = self._rewritten(wait_s)
        if self._path is None:
            return []
        self._views.close()
        return [*left, *purging.remove_views(self._path.parent)]

    def set_access(self, origin: Origin, lists: Mapping[str, Names | None]) -> None:
        """Store the access lists that this origin gives these sources, in the library or not; None: it gives none any more."""
        with self._transaction() as connection:
            access.write(connection, origin, lists.items())
            for source, names in lists.items() if origin == "owner" else ():
                (closed.forget if names is None else closed.remember)(connection, source)

    def touch(self, files: Sequence[SourceFile]) -> None:
        """Remember size, time and path of files whose content did not change."""
        with self._transaction() as connection:
            for file in files:
                documents.touch(connection, file)

    def put_vectors(self, fingerprint: str, dimension: int, items: Sequence[tuple[str, Vector]]) -> int:
        """Store vectors by text hash; those of texts that were removed meanwhile are dropped. Return how many were stored.

        Raises UsageError where a vector has not `dimension` finite numbers or the fingerprint is known with another dimension.
        """
        with self._transaction() as connection:
            return vectors.put(connection, fingerprint, dimension, items, sql.generation(connection) + 1)

    def forget_vectors(self, fingerprint: str) -> tuple[int, int]:
        """Remove all vectors of a fingerprint. Return how many they were, and their bytes, which the library's file uses again."""
        with self._transaction() as connection:
            freed = vectors.forget(connection, fingerprint)
        self._views.forget(fingerprint)
        return freed

    def set_value(self, key: str, value: str | None) -> None:
        """Store a setting of the library itself; None removes it."""
        with self._transaction() as connection:
            if value is None:
                connection.execute("delete from value where key = ?", (to_cell(key),))
            else:
                connection.execute("insert or replace into value values(?, ?)", (to_cell(key), to_cell(value)))

    def set_root(self, root: str, prefix: str) -> None:
        """Remember a synced folder and the prefix of its sources."""
        self.adopt(root, prefix, {})

    def forget_root(self, root: str) -> None:
        """Remember this folder or file no more; what was read of it stays."""
        with self._transaction() as connection:
            connection.execute("delete from root where root = ?", (to_cell(root),))

    def adopt(self, root: str, prefix: str, paths: Mapping[str, str], *, forget: Sequence[str] = ()) -> None:
        """Remember a synced folder with files (source to path) that belonged to others, of which those in `forget` are none any more."""
        with self._transaction() as connection:
            former.adopt(connection, root, paths)
            connection.executemany("delete from root where root = ?", [(to_cell(old),) for old in forget])
            connection.execute("insert or replace into root values(?, ?)", (to_cell(root), to_cell(prefix)))
            reach("write-root")

    def log(self, kind: str, content: Any) -> int:
        """Add a line to the library's log; `content` is a JSON value. Return its number."""
        with self._transaction() as connection:
            connection.execute(
                "insert into log(kind, time, generation, content) values(?, strftime('%Y-%m-%dT%H:%M:%SZ', 'now'), ?, ?)",
                (kind, sql.generation(connection) + 1, to_json(content)),
            )
            return connection.last_insert_rowid()

    def close(self) -> None:
        """Give the lock back; a second call does nothing."""
        if not self._open:
            return
        try:
            self._trim()
            self._purge()
        finally:
            self._open = False
            self._release()

    def _keep(self, connection: apsw.Connection, source: str, did: str) -> None:
        """Keep the document as it is now for the step that this belongs to, if it belongs to one."""
        if self._kind is None:
            return
        there = former.is_there(connection, source)
        if not there and did != "added":
            return
        former.keep(
            connection, self._in_step(connection, self._kind), source, "updated" if there and did == "added" else did
        )

    def _keep_renames(self, connection: apsw.Connection, pairs: Sequence[tuple[str, str, SourceFile]]) -> None:
        moving = [(old, new) for old, new, _ in pairs if former.is_there(connection, old)]
        if self._kind is not None and moving:
            former.keep_renames(connection, self._in_step(connection, self._kind), moving)

    def _in_step(self, connection: apsw.Connection, kind: str) -> int:
        if self._step is None:
            self._step = former.begin(connection, kind)
        return self._step

    def _trim(self) -> None:
        """Keep what former documents take within bounds. Where the disk is full the next writer does it."""
        if self._step is not None:
            with contextlib.suppress(StoreError), self._transaction() as connection:
                former.trim(connection)

    def _purge(self) -> None:
        """Let nothing of what was removed stay in the file. Where the disk is full the next writer does it."""
        with contextlib.suppress(StoreError), self._gate, translated(self._path):
            if word_index.needs_rewrite(self._connection):
                self._rewritten()
            elif word_index.needs_purge(self._connection):
                with self._transaction() as connection:
                    word_index.purge(connection)
                reach("checkpoint")
                self._cleared_log()
            else:  # so that the file alone is the library: logs get lost when people copy, and damage in a log is not noticed
                self._empty_log_of_pages()

    def _release(self) -> None:
        try:
            if self._owned:
                with translated(self._path):
                    self._connection.close()
        finally:
            if self._lock is not None:
                self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @contextmanager
    def _transaction(self) -> Iterator[apsw.Connection]:
        if not self._open:
            raise RuntimeError("this writer is closed")
        connection, step = self._connection, self._step
        with self._gate, translated(self._path):
            connection.execute("begin immediate")
            try:
                reach("begin")
                yield connection
                connection.execute("update tally set number = number + 1 where name = 'generation'")
                reach("before-commit")
                connection.execute("commit")
                reach("after-commit")
            except BaseException:
                self._step = step
                if connection.in_transaction:
                    connection.execute("rollback")
                raise

    def _rewritten(self, wait_s: float = 0.0) -> list[Path]:
        """Write the file anew without what was purged. Return the files that still hold it; the next writer tries again."""
        with self._transaction() as connection:
            word_index.purge(connection)
            if self._path is not None:
                word_index.mark_unpurged(connection, rewrite=True)
        if self._path is None:
            return []
        try:
            purging.rewrite(self._path)
        except StoreError as error:
            if error.code != "disk-full":
                raise
            return [self._path]
        with self._transaction() as connection:
            word_index.purge(connection)
        return [] if self._cleared_log(wait_s) else [self._path.with_name(self._path.name + "-wal")]

    def _cleared_log(self, wait_s: float = 0.0) -> bool:
        """Return whether nothing that was removed is in the write-ahead log any more. Where a reader needs it the next writer tries again."""
        if self._path is None:
            return True
        log = self._path.with_name(self._path.name + "-wal")
        deadline = time.monotonic() + wait_s
        while True:
            self._empty_log_of_pages()
            if not log.exists() or not log.stat().st_size:
                return True
            if time.monotonic() >= deadline:
                break
            time.sleep(_PAUSE_S)
        with self._transaction() as connection:
            word_index.mark_unpurged(connection)
        return False

    def _empty_log_of_pages(self) -> None:
        """After a removal the write-ahead log must not keep what was removed, unless a reader still needs it."""
        import apsw

        if self._path is not None:
            with contextlib.suppress(apsw.BusyError, apsw.LockedError):
                self._connection.set_busy_timeout(0)
                sql.rows(self._connection, "pragma wal_checkpoint(truncate)")
            self._connection.set_busy_timeout(5000)


def _move(connection: apsw.Connection, number: int, new: str, file: SourceFile) -> None:
    connection.execute(
        "update document set source = ?, public = ?, path = ?, size = ?, modified_ns = ?, digest = coalesce(?, digest),"
        " state = 'indexed' where id = ?",
        (to_cell(new), document_id(new), to_cell(file.path), file.size, file.modified_ns, file.digest, number),
    )
    connection.execute("delete from skipped where source = ?", (to_cell(new),))
    seen: dict[str, int] = {}
    changes = []
    for rowid, text_hash in sql.rows(
        connection, "select id, text_hash from chunk where document = ? order by number", (number,)
    ):
        changes.append((chunk_id(document_id(new), text_hash, seen.get(text_hash, 0)), rowid))
        seen[text_hash] = seen.get(text_hash, 0) + 1
    connection.executemany("update chunk set public = ? where id = ?", changes)
