"""The facade: one library on disk or in memory. Reading never waits for writing; each read sees one committed generation."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from yinju.store import access, check, contents, documents, filters, former, glance, opening, purging, sql, vectors
from yinju.store import words as word_index
from yinju.store.connections import Connections
from yinju.store.database import Database, from_cell, to_cell
from yinju.store.faults import damaged, translated
from yinju.store.faults import read_only as read_only_error
from yinju.store.lock import MemoryLock, WriterLock
from yinju.store.matrix import Views, checked
from yinju.store.records import (
    Counts,
    Hold,
    LogEntry,
    Skipped,
    SourceSummary,
    Statistics,
    Step,
    StoredChunk,
    TermCounts,
)
from yinju.store.writer import Writer
from yinju.types import Document, Receipt, SourceFile

if TYPE_CHECKING:
    from yinju.principal import Principal
    from yinju.store.access import Names, Origin
    from yinju.store.records import RowIds, Vector
    from yinju.store.seen import SeenStores


class Store(Connections):
    """An open library. Threads may share it; connections are taken from a pool. Open it with `Store.open`."""

    sees_all = True  # whose store this is: the owner's; see `seen_by`

    def __init__(self, database: Database, views: Views | None = None, gate: Any = None) -> None:
        super().__init__(database, gate)
        self._views = views or Views(database.folder, writable=database.writable)
        self._memory_lock = threading.Lock()
        self._frequencies = word_index.Frequencies()
        self._counts: tuple[int, Counts] | None = None
        self._languages: tuple[int, dict[str, int]] | None = None
        self._askers: SeenStores | None = None

    @classmethod
    def open(cls, folder: Path | None, *, read_only: bool = False, create: bool = True) -> Self:
        """Open the library in `folder` (None: a new one in memory), making it if it is not there and `create` is set.

        A library that cannot be written to is opened for reading. Raises StoreError (missing, damaged, not a library, newer format) and
        StoreReadOnly (cannot be made there).
        """
        return cls(Database(None if folder is None else Path(folder), read_only=read_only, create=create))

    @property
    def folder(self) -> Path | None:
        """The library's folder, None in memory."""
        return self._database.folder

    @property
    def writable(self) -> bool:
        """Whether `writer()` can succeed."""
        return self._database.writable

    @property
    def size_bytes(self) -> int:
        """What the library takes on disk, views and logs included (in memory: what its pages take)."""
        if self.folder is None:
            with self._reading() as connection:
                return int(connection.pragma("page_count")) * int(connection.pragma("page_size"))
        return sum(path.stat().st_size for path in self.folder.iterdir() if path.is_file())

    def own_files(self) -> frozenset[str]:
        """Return the paths of what the library writes into its folder, for whoever keeps documents there, too."""
        if self.folder is None:
            return frozenset()
        folder = os.path.realpath(self.folder)
        return frozenset(os.path.join(folder, name) for name in os.listdir(folder) if opening.is_own(name))

    def close(self) -> None:
        """Close all connections; a second call does nothing."""
        askers, self._askers = self._askers, None
        self._close_idle()
        if askers is not None:
            askers.close()
        self._views.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def writer(self, *, wait: float = 0.0) -> Writer:
        """Return the writer, trying for `wait` seconds. Raises StoreBusy, which names the owner, or StoreReadOnly."""
        if not self.writable:
            raise read_only_error(self.path)
        if self.folder is None:
            lock: Any = MemoryLock(self._memory_lock, wait)
            return Writer(
                self._database.connect(writing=True),
                path=None,
                lock=lock,
                views=self._views,
                gate=self._gate,
                owned=False,
            )
        file_lock = WriterLock(self.folder, wait)
        try:
            with translated(self.path):
                connection = self._database.connect(writing=True)
        except BaseException:
            file_lock.release()
            raise
        return Writer(connection, path=self.path, lock=file_lock, views=self._views, gate=self._gate, owned=True)

    def seen_by(self, principal: Principal) -> Store:
        """Return a store that shows what this principal may see and nothing else. It is for reading, and closed with this one."""
        from yinju.store.seen import SeenStores

        with self._pool:
            if self._closed:
                raise RuntimeError("this store is closed")
            self._askers = self._askers or SeenStores(self._database)
            return self._askers.of(self, principal)

    def access(self, source: str) -> dict[Origin, Names]:
        """Return the access lists of a source, by who gives it one."""
        with self._reading() as connection:
            return access.read(connection, source)

    def access_lists(self) -> dict[str, dict[Origin, Names]]:
        """Return the access lists of all sources that have any, also of those that are gone."""
        with self._reading() as connection:
            return access.read_all(connection)

    def file(self, source: str) -> SourceFile | None:
        """Return the file that a source was last read from, None where there is none."""
        with self._reading() as connection:
            return documents.file(connection, source)

    def files(self, root: str) -> dict[str, SourceFile]:
        """Return by source how each file below a synced root looked when it was last read, skipped ones included."""
        with self._reading() as connection:
            return documents.files(connection, root)

    def readers(self, root: str) -> dict[str, tuple[str, str | None]]:
        """Return by source the type of each document below a synced root, and by which loaders it was read."""
        with self._reading() as connection:
            return documents.readers(connection, root)

    def roots(self) -> list[tuple[str, str]]:
        """Return the synced roots, each with the prefix of its sources."""
        with self._reading() as connection:
            rows = sql.rows(connection, "select root, prefix from root order by root")
        return [(from_cell(root), from_cell(prefix)) for root, prefix in rows]

    def sources(self, fingerprint: str | None = None) -> list[SourceSummary]:
        """Return all documents and skipped files by source; `embedded` counts vectors of this fingerprint (None: of any)."""
        with self._reading() as connection:
            return documents.summaries(connection, fingerprint)

    def skipped(self) -> list[Skipped]:
        """Return the files that could not be indexed, by source."""
        with self._reading() as connection:
            return documents.skipped(connection)

    def ignored(self) -> list[Skipped]:
        """Return the files that are no documents, as only reading them could tell (pictures without text), by source."""
        with self._reading() as connection:
            return documents.skipped(connection, ignored=True)

    def document(self, source: str) -> Document | None:
        """Return the document, equal to the one that was put but for its boxes (see `boxes`), or None."""
        with self._reading() as connection:
            return documents.read(connection, source)

    def receipt(self, source: str) -> Receipt | None:
        """Return the document's receipt, or None."""
        with self._reading() as connection:
            return documents.receipt(connection, source)

    def boxes(self, source: str) -> bytes:
        """Return where the words of the document stand on its pages, see `yinju.boxes`; empty where the format has no pages."""
        with self._reading() as connection:
            return documents.boxes(connection, source)

    def chunks(self, rowids: Sequence[int]) -> list[StoredChunk]:
        """Return the chunks in the order of `rowids`, those that do not exist left out."""
        with self._reading() as connection:
            asked = json.dumps([int(rowid) for rowid in rowids])
            found = documents.chunks(connection, "c.id in (select value from json_each(?))", (asked,))
        by_rowid = {chunk.rowid: chunk for chunk in found}
        return [by_rowid[int(rowid)] for rowid in rowids if int(rowid) in by_rowid]

    def chunks_of(self, source: str) -> list[StoredChunk]:
        """Return the chunks of a document in their order."""
        with self._reading() as connection:
            return documents.chunks(connection, "d.source = ?", (to_cell(source),))

    def chunk_by_id(self, id: str) -> StoredChunk | None:
        """Return the chunk with this public id, or None."""
        with self._reading() as connection:
            return next(iter(documents.chunks(connection, "c.public = ?", (to_cell(id),))), None)

    def counts(self) -> Counts:
        """Return how much the library holds."""
        with self._reading() as connection:
            generation = sql.generation(connection)
            known = self._counts
            if known is not None and known[0] == generation:
                return known[1]
            tally = dict(sql.rows(connection, "select name, number from tally"))
            skipped = int(sql.cell(connection, "select count(*) from skipped") or 0)
            counts = Counts(tally["documents"], tally["passages"], skipped, vectors.counts(connection))
            self._counts = (generation, counts)
            return counts

    def languages(self) -> dict[str, int]:
        """Return the number of chunks in each language, most first."""
        with self._reading() as connection:
            generation = sql.generation(connection)
            if self._languages is None or self._languages[0] != generation:
                found = sql.rows(
                    connection,
                    "select d.language, count(*) from document d join chunk c on c.document = d.id group by 1 order by 2 desc, 1",
                )
                self._languages = (generation, dict(found))
            return dict(self._languages[1])

    def value(self, key: str) -> str | None:
        """Return a setting of the library itself, or None."""
        with self._reading() as connection:
            found = sql.cell(connection, "select value from value where key = ?", (to_cell(key),))
            return None if found is None else from_cell(found)

    def log(self, limit: int = 20) -> list[LogEntry]:
        """Return the last lines of the log, newest first."""
        with self._reading() as connection:
            rows = sql.rows(
                connection,
                "select number, kind, time, generation, content from log order by number desc limit ?",
                (max(limit, 0),),
            )
        return [
            LogEntry(number, kind, time, generation, json.loads(text)) for number, kind, time, generation, text in rows
        ]

    def steps(self) -> list[Step]:
        """Return what can be undone, newest first."""
        with self._reading() as connection:
            return former.steps(connection)

    def holds(self) -> list[Hold]:
        """Return the files that an undo holds back, by source."""
        with self._reading() as connection:
            return former.holds(connection)

    def former_sources(self) -> set[str]:
        """Return the sources of which an earlier version is kept for an undo."""
        with self._reading() as connection:
            return {from_cell(source) for (source,) in sql.rows(connection, "select distinct source from former")}

    def former_texts(self, sources: Sequence[str]) -> list[str]:
        """Return the texts of the earlier versions of these sources that are kept for an undo."""
        with self._reading() as connection:
            return list(purging.former_texts(connection, sources))

    def holders(self, lines: Collection[str], without: Collection[str]) -> set[str]:
        """Return the other sources that have one of these lines (without white space around them)."""
        with self._reading() as connection:
            return purging.holders(connection, lines, without)

    def backups_with(self, sources: Sequence[str]) -> list[str]:
        """Return the paths of known backups that are still there and hold these sources, or texts of theirs, or cannot be read."""
        with self._reading() as connection:
            texts = purging.hashes(connection, sources)
            known = [path for path in purging.backups(connection, self.folder) if Path(path).is_file()]
        return [path for path in known if purging.is_held_by(Path(path), sources, texts)]

    def check(self, *, thorough: bool = False) -> list[str]:
        """Return what is wrong with the library's file, for people; nothing where all is well. Reads all of it.

        `thorough`: also reads every document back as a reader would. On a connection of its own: one that checked before remembers how the
        word index looked, and takes later changes for damage.
        """
        if self.path is None:
            with self._reading() as connection:
                return check.problems(connection)
        with translated(self.path):
            connection = self._database.connect()
            try:
                return check.problems(connection) or (contents.problems(connection) if thorough else [])
            finally:
                connection.close()

    def glance(self) -> None:
        """Look for damage as long as costs nothing: some 30 ms, which a small library needs not. Raises StoreError (damaged)."""
        if self.path is None:
            return
        with translated(self.path):
            if not glance.seems_damaged(self.path):
                return
            connection = self._database.connect()
            try:
                found = check.problems(connection, agreements=False)
            finally:
                connection.close()
        if found:
            raise damaged(self.path, found[0])

    def allowed(self, where: Mapping[str, str]) -> RowIds | None:
        """Return the sorted row ids (int64) of the chunks that match all conditions, None for no condition. Raises UsageError.

        Keys: source, type, language, headings, modified, any metadata key; values: globs, for dates also `>=2024-01-31` and the like.
        """
        if not where:
            return None
        with self._reading() as connection:
            return filters.allowed(connection, where)

    def sources_of(self, rowids: RowIds) -> set[str]:
        """Return the sources of the documents that these chunks belong to."""
        statement = "select source from document where id in (select document from chunk where id in (select value from json_each(?)))"
        with self._reading() as connection:
            rows = sql.rows(connection, statement, (json.dumps(rowids.tolist()),))
            return {from_cell(source) for (source,) in rows}

    def word_candidates(
        self, words: Sequence[str], bigrams: Sequence[str], limit: int, allowed: RowIds | None = None
    ) -> list[int]:
        """Return up to `limit` row ids of chunks that hold the heaviest of these terms, the best first. The filter comes before the cut."""
        with self._reading() as connection:
            inside = self._within(connection, allowed)
            return word_index.candidates(connection, self._frequencies, words, bigrams, limit, inside)

    def statistics(self, words: Iterable[str], bigrams: Iterable[str]) -> Statistics:
        """Return document frequencies of these terms, number of chunks and their mean lengths."""
        with self._reading() as connection:
            return word_index.statistics(connection, self._frequencies, words, bigrams)

    def bigrams_beginning(self, character: str, limit: int = 200) -> dict[str, int]:
        """Return the bigrams that begin with this character, with the number of chunks that hold each, the commonest first."""
        with self._reading() as connection:
            return word_index.beginning(connection, "bigrams", character, limit)

    def term_counts(
        self, rowids: Sequence[int], words: Iterable[str] | None = None, bigrams: Iterable[str] | None = None
    ) -> dict[int, TermCounts]:
        """Return for each chunk that exists how often terms occur in it: the given ones, or with None all."""
        with self._reading() as connection:
            return word_index.term_counts(connection, [int(rowid) for rowid in rowids], words, bigrams)

    def nearest(
        self, fingerprint: str, query: Vector, limit: int, allowed: RowIds | None = None
    ) -> list[tuple[int, float]]:
        """Return row ids and inner products of the nearest chunks, exact, the best first. The filter comes before the cut.

        `query` is float32 of shape (dimension,). Nothing is returned for a fingerprint without vectors. Raises UsageError.
        """
        with self._reading() as connection:
            inside = self._within(connection, allowed)
            return self._views.nearest(connection, sql.generation(connection), fingerprint, query, limit, inside)

    def similarities(self, fingerprint: str, query: Vector, rowids: Sequence[int]) -> dict[int, float]:
        """Return the inner products with the vectors of these chunks, as far as they have one."""
        with self._reading() as connection:
            space = vectors.find_space(connection, fingerprint)
            return {} if space is None else vectors.exact(connection, space, checked(query, space[1]), rowids)

    def vectors(self, fingerprint: str, rowids: Sequence[int]) -> dict[int, Vector]:
        """Return the vectors of these chunks, each of shape (dimension,), for those that have one."""
        with self._reading() as connection:
            space = vectors.find_space(connection, fingerprint)
            return {} if space is None else vectors.whole(connection, space, rowids)

    def missing_vectors(self, fingerprint: str, limit: int, first: Sequence[int] = ()) -> list[tuple[str, int]]:
        """Return up to `limit` text hashes without a vector, each with one chunk that has this text; those of `first` come first."""
        with self._reading() as connection:
            return vectors.missing(connection, fingerprint, limit, first)

    def fingerprints(self) -> dict[str, int]:
        """Return the embeddings that the library has vectors of, with their dimensions."""
        with self._reading() as connection:
            return dict(sql.rows(connection, "select fingerprint, dimension from space order by id"))
