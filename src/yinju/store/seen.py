"""A library as one principal may see it: the same file, read through views that shadow its tables.

A filter that each statement has to remember is forgotten in one of them. So here no statement knows of it: on the connections of a
`SeenStore` every table of the file has a temporary view of the same name, and SQLite looks for temporary names first. A table that nobody
thought of is empty. Two things are not reached by that, and they are done by hand: the word index, whose lists of holders are cut to what may
be seen, and the matrix of vectors, which all share and which is given that as a filter. What they propose is looked up through the views again.

What may be seen is worked out anew for every generation, so a permission that is taken away is gone with the next read. Counts, sums and
frequencies are those of the visible documents alone: a library of nothing else would give the same scores.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, NoReturn

from yinju.errors import StoreError
from yinju.store import access, opening, sql
from yinju.store.faults import owner_only, unplaced
from yinju.store.store import Store

if TYPE_CHECKING:
    import apsw
    import numpy as np
    from numpy.typing import NDArray

    from yinju.principal import Principal
    from yinju.store.database import Database
    from yinju.store.records import RowIds
    from yinju.store.writer import Writer

MOST_STORES = 32  # principals whose counts and frequencies are remembered
_MOST_IDLE = 8  # connections
_OF_DOCUMENT = "select * from main.{table} where {column} in (select id from temp.seen_document)"
_OF_CHUNK = "select * from main.{table} where id in (select id from temp.seen_chunk)"
_VIEWS = {
    # without its root: where the owner's folders lie is the owner's to know (`path` is needed to draw a page, and told to nobody)
    "document": "select id, source, public, title, type, language, metadata, preset, receipt, state, null as root, path, size, modified_ns,"
    " digest, reader from main.document where id in (select id from temp.seen_document)",
    "body": _OF_DOCUMENT.format(table="body", column="document"),
    "boxes": _OF_DOCUMENT.format(table="boxes", column="document"),
    "chunk": _OF_CHUNK.format(table="chunk"),
    "passage": _OF_CHUNK.format(table="passage"),
    "kept": _OF_CHUNK.format(table="kept"),
    "tally": "select name, number from main.tally where name = 'generation' union all select name, number from temp.seen_tally",
    # What was made of everyday questions alone; all else that is kept there is about the owner's files.
    "value": "select * from main.value where substr(key, 1, 9) = 'everyday:'",
    "words_frequency": "select term, count(*) as doc from temp.words_holder where doc in (select id from temp.seen_chunk) group by term",
    "bigrams_frequency": "select term, count(*) as doc from temp.bigrams_holder where doc in (select id from temp.seen_chunk) group by term",
}
# Reached by what was seen already, or names of models. The index cannot be asked through a view; its rows are cut to what may be seen.
_AS_THEY_ARE = frozenset({"space", "vector", "words", "bigrams"})
_SHAPE = """
create temp table seen_for(names text, generation integer);
create temp table seen_document(id integer primary key);
create temp table seen_chunk(id integer primary key);
create temp table seen_tally(name text primary key, number integer);
create temp table seen_refused(names text primary key);
drop table temp.words_frequency;
drop table temp.bigrams_frequency;
create virtual table temp.words_holder using fts5vocab('main', 'words', 'instance');
create virtual table temp.bigrams_holder using fts5vocab('main', 'bigrams', 'instance');
"""
_EMPTIED = """
delete from temp.seen_for; delete from temp.seen_document; delete from temp.seen_chunk; delete from temp.seen_tally;
delete from temp.seen_refused;
"""
_FILLED = """
insert into temp.seen_document select id from main.document where source not in
    (select source from main.access where names in (select names from temp.seen_refused));
insert into temp.seen_chunk select id from main.chunk where document in (select id from temp.seen_document);
insert into temp.seen_tally select 'documents', count(*) from temp.seen_document union all select 'passages', count(*) from temp.seen_chunk;
insert into temp.seen_tally select 'words', total(word_length) from main.kept indexed by kept_lengths
    where id in (select id from temp.seen_chunk);
insert into temp.seen_tally select 'bigrams', total(bigram_length) from main.kept indexed by kept_lengths
    where id in (select id from temp.seen_chunk);
"""


class SeenStores:
    """The stores of those who ask, with one pool of connections for all, kept by the store that sees everything."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._stores: OrderedDict[tuple[str, ...], SeenStore] = OrderedDict()
        self._idle: list[tuple[tuple[str, ...], apsw.Connection]] = []
        self._lock = threading.Lock()
        self._closed = False

    def of(self, base: Store, principal: Principal) -> SeenStore:
        """Return the store that this principal sees; the same one for the same names, as long as it is remembered."""
        names = tuple(sorted(principal.names))
        with self._lock:
            store = self._stores.pop(names, None) or SeenStore(base, self, names)
            self._stores[names] = store
            while len(self._stores) > MOST_STORES:
                self._stores.popitem(last=False)
            return store

    def take(self, names: tuple[str, ...]) -> apsw.Connection:
        """Return a connection with the views, if possible one that these names had last."""
        with self._lock:
            if self._closed:
                raise RuntimeError("this store is closed")
            moved = [one for one in self._idle if opening.has_moved(one[1])]
            for one in moved:  # a backup was restored: the name means another file now
                self._idle.remove(one)
                one[1].close()
            for at, (before, connection) in enumerate(self._idle):
                if before == names:
                    del self._idle[at]
                    return connection
            if len(self._idle) >= _MOST_IDLE:
                return self._idle.pop(0)[1]
        return _shadowed(self._database.connect_beside())

    def give(self, names: tuple[str, ...], connection: apsw.Connection) -> None:
        """Take a connection back."""
        with self._lock:
            if not self._closed and len(self._idle) < _MOST_IDLE:
                self._idle.append((names, connection))
                return
        connection.close()

    def close(self) -> None:
        """Close all connections that nobody uses; the others are closed when they come back."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
            self._stores.clear()
        for _, connection in idle:
            connection.close()


class SeenStore(Store):
    """What somebody with these names may see, for reading only. It lives as long as the store it was made by."""

    sees_all = False

    def __init__(self, base: Store, stores: SeenStores, names: tuple[str, ...]) -> None:
        super().__init__(base._database, base._views, base._gate)
        self._stores = stores
        self._names = names
        self._visible: tuple[int, RowIds | None] | None = None

    @property
    def writable(self) -> bool:
        """Never: who is let in reads."""
        return False

    @property
    def size_bytes(self) -> int:
        """Not told: the size of the file shows what lies in it unseen. Raises StoreReadOnly."""
        raise owner_only()

    def writer(self, *, wait: float = 0.0) -> Writer:
        """Raises StoreReadOnly."""
        raise owner_only()

    def check(self, *, thorough: bool = False) -> list[str]:
        """Raises StoreReadOnly: what is wrong with the file names what is in it."""
        raise owner_only()

    def glance(self) -> NoReturn:
        """Raises StoreReadOnly: damage names where it lies."""
        raise owner_only()

    def own_files(self) -> NoReturn:
        """Raises StoreReadOnly: paths are the owner's."""
        raise owner_only()

    def seen_by(self, principal: Principal) -> NoReturn:
        """Raises StoreReadOnly: nobody speaks for another."""
        raise owner_only()

    def access(self, source: str) -> NoReturn:
        """Raises StoreReadOnly: the lists name others."""
        raise owner_only()

    def access_lists(self) -> NoReturn:
        """Raises StoreReadOnly: the lists name others."""
        raise owner_only()

    def fingerprints(self) -> dict[str, int]:
        """Return the embeddings of which there are vectors of something that may be seen, with their dimensions."""
        counts = self.counts()
        return {name: dimension for name, dimension in super().fingerprints().items() if counts.embedded(name)}

    def close(self) -> None:
        """Does nothing: others may be reading through the same one. It is closed with the store that made it."""

    @contextmanager
    def _reading(self) -> Iterator[apsw.Connection]:
        """Like the owner's, but a fault of the file does not say where on the owner's disk it lies."""
        try:
            with super()._reading() as connection:
                yield connection
        except StoreError as error:
            raise error if error.code == owner_only().code else unplaced(error) from error

    def _take(self) -> apsw.Connection:
        return self._stores.take(self._names)

    def _give(self, connection: apsw.Connection) -> None:
        self._stores.give(self._names, connection)

    def _settle(self, connection: apsw.Connection) -> None:
        settle(connection, self._names)

    def _within(self, connection: apsw.Connection, allowed: RowIds | None) -> RowIds | None:
        """Return those of the allowed rows that may be seen; None only where every passage of the library may be."""
        import numpy as np

        generation = sql.generation(connection)
        known = self._visible  # taken once: other threads may look at other generations
        if known is None or known[0] != generation:
            known = self._visible = (generation, _visible_rows(connection))
        visible = known[1]
        if visible is None or allowed is None:
            return visible if allowed is None else allowed
        if not len(visible) or not len(allowed):
            return visible[:0]
        places: NDArray[np.intp] = np.minimum(np.searchsorted(visible, allowed), len(visible) - 1)
        inside: RowIds = allowed[visible[places] == allowed]
        return inside


def settle(connection: apsw.Connection, names: Sequence[str]) -> None:
    """Make the views show what these names may see of the generation that the connection reads, unless they do so already."""
    generation = sql.cell(connection, "select number from main.tally where name = 'generation'")
    wanted = ("\n".join(names), generation)
    if sql.row(connection, "select names, generation from temp.seen_for") == wanted:
        return
    connection.execute(_EMPTIED)  # first, so that what fails half-way shows less, not more
    cells = sql.rows(connection, "select distinct names from main.access")
    refused = [(cell,) for (cell,) in cells if not access.admits(cell, names)]
    connection.executemany("insert into temp.seen_refused values(?)", refused)
    connection.execute(_FILLED)
    connection.execute("insert into temp.seen_for values(?, ?)", wanted)


def _shadowed(connection: apsw.Connection) -> apsw.Connection:
    """Give the connection a view for each table of the file, an empty one for those that are the owner's."""
    connection.execute(_SHAPE)
    for name, statement in _VIEWS.items():
        connection.execute(f"create temp view {name} as {statement}")
    tables = sql.rows(
        connection, "select name from main.sqlite_schema where type = 'table' and name not like 'sqlite!_%' escape '!'"
    )
    for (table,) in tables:
        if table not in _VIEWS and table not in _AS_THEY_ARE:
            quoted = '"' + table.replace('"', '""') + '"'
            connection.execute(f"create temp view {quoted} as select * from main.{quoted} where 0")  # noqa: S608  a table of the file
    return connection


def _visible_rows(connection: apsw.Connection) -> RowIds | None:
    """Return the rows that may be seen, rising; None where that is all of them."""
    import numpy as np

    every = sql.cell(connection, "select count(*) from main.chunk")
    if sql.cell(connection, "select count(*) from temp.seen_chunk") == every:
        return None
    joined = sql.cell(connection, "select group_concat(id, ' ') from (select id from temp.seen_chunk order by id)")
    return np.fromstring(joined, dtype=np.int64, sep=" ") if joined else np.empty(0, dtype=np.int64)
