"""Faults that are planted, each a mistake that somebody could make: the machine has to notice every one of them.

Each is a patch of the product. `caught` runs the machine with it and tells how.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, ExitStack
from importlib import import_module
from typing import Any
from unittest import mock

from hypothesis import seed
from hypothesis.stateful import run_state_machine_as_test

from benchmarks.stateful.machine import LibraryOfAFolder, limits
from yinju.store import access, closed, documents, matrix, sql, vectors, words
from yinju.store.seen import SeenStore
from yinju.store.store import Store
from yinju.store.writer import Writer
from yinju.sync import access as rules
from yinju.sync import heirs, holding
from yinju.sync.scan import Scan
from yinju.types import Receipt

Planted = Callable[[], AbstractContextManager[Any]]
EXAMPLES, STEPS = 60, 40
# with which a fault that needs a rare history is met early
SEEDS: Mapping[str, int] = {
    "a list stays behind when its document is renamed": 3,
    "the list of what is gone stays behind": 2,
}

_delete, _put, _nearest, _words_delete = documents.delete, Writer.put, Store.nearest, words.delete


def _old_chunks_stay() -> AbstractContextManager[Any]:
    def delete(connection: Any, source: str) -> set[str]:
        connection.execute("create temp table if not exists stays as select * from chunk where 0")
        number = sql.cell(connection, "select id from document where source = ?", (source,))
        connection.execute("insert into stays select * from chunk where document = ?", (number,))
        gone = _delete(connection, source)
        connection.execute("insert or ignore into chunk select * from stays")
        connection.execute("delete from stays")
        return gone

    return mock.patch.object(documents, "delete", delete)


def _word_entries_stay() -> AbstractContextManager[Any]:
    def delete(connection: Any, rowids: Any) -> tuple[int, int]:
        asked = "select rowid from words where rowid in (select value from json_each(?))"
        kept = sql.rows(connection, asked, (str(list(rowids)),))
        totals = _words_delete(connection, rowids)
        connection.executemany("insert into words(rowid, terms) values(?, 'left')", kept)
        return totals

    return mock.patch.object(words, "delete", delete)


def _done_before_it_is_written() -> AbstractContextManager[Any]:
    def put(self: Writer, entries: Any) -> None:
        self.touch([entry.file for entry in entries if entry.file is not None])
        _put(self, entries)

    return mock.patch.object(Writer, "put", put)


def _filter_is_dropped_in_one_leg() -> AbstractContextManager[Any]:
    def nearest(self: Store, fingerprint: str, query: Any, limit: int, allowed: Any = None) -> Any:
        return _nearest(self, fingerprint, query, limit, None)

    return mock.patch.object(Store, "nearest", nearest)


def _vectors_of_removed_text_stay() -> AbstractContextManager[Any]:
    return mock.patch.object(vectors, "delete_orphans", return_value=None)


def _changed_text_keeps_its_hash() -> AbstractContextManager[Any]:
    from yinju.sync import documents as entries
    from yinju.sync import vectors as embedding

    real = entries.hash_of

    def hash_of(text: str) -> str:
        return real(text[:12])

    stack = ExitStack()
    stack.enter_context(mock.patch.object(entries, "hash_of", hash_of))
    stack.enter_context(mock.patch.object(embedding, "hash_of", hash_of))
    return stack


def _a_view_is_never_caught_up() -> AbstractContextManager[Any]:
    return mock.patch.object(matrix, "_caught_up", lambda connection, view, stamp, space: view)


def _a_view_is_believed() -> AbstractContextManager[Any]:
    def exact(connection: Any, space: Any, query: Any, rowids: Any) -> dict[int, float]:
        return {int(rowid): 1.0 - at / 1e6 for at, rowid in enumerate(rowids)}

    return mock.patch.object(vectors, "exact", exact)


def _a_renamed_document_keeps_its_ids() -> AbstractContextManager[Any]:
    from yinju.store import writer

    return mock.patch.object(writer, "chunk_id", lambda document, text_hash, number: f"c_old{number}")


def _a_part_prunes_the_rest() -> AbstractContextManager[Any]:
    return mock.patch.object(Scan, "covers", return_value=True)


def _mass_deletion_is_not_asked_about() -> AbstractContextManager[Any]:
    room = import_module("yinju.sync.run")  # the package has a function of this name
    return mock.patch.object(room, "guard_against_mass_delete", return_value=None)


def _receipts_need_not_balance() -> AbstractContextManager[Any]:
    return mock.patch.object(Receipt, "balanced", property(lambda self: True))


def _vectors_are_computed_anew() -> AbstractContextManager[Any]:
    def put(self: Writer, entries: Any) -> None:
        with self._transaction() as connection:
            connection.execute("delete from vector")
        _put(self, entries)

    return mock.patch.object(Writer, "put", put)


def _what_cannot_be_read_is_removed() -> AbstractContextManager[Any]:
    room = import_module("yinju.sync.apply")
    return mock.patch.object(room, "HOLDS_NO_TEXT", room.HOLDS_NO_TEXT | {"permission", "unbalanced"})


def _lists_are_dropped_in_the_legs() -> AbstractContextManager[Any]:
    return mock.patch.object(SeenStore, "_within", lambda self, connection, allowed: allowed)


def _what_is_no_list_lets_everybody_in() -> AbstractContextManager[Any]:
    real = access._understood
    return mock.patch.object(access, "_understood", lambda value: ("*",) if isinstance(value, dict) else real(value))


def _a_list_stays_behind_its_document() -> AbstractContextManager[Any]:
    stack = ExitStack()
    stack.enter_context(mock.patch.object(access, "move"))
    stack.enter_context(
        mock.patch.object(closed, "before_rename", return_value=[])
    )  # it would see that the text is closed
    return stack


def _a_copy_of_what_is_closed_is_open() -> AbstractContextManager[Any]:
    return mock.patch.object(closed, "_givers", return_value=set())


def _what_is_gone_leaves_its_list() -> AbstractContextManager[Any]:
    return mock.patch.object(heirs, "close_by_name", return_value=[])


def _changed_rules_are_not_applied() -> AbstractContextManager[Any]:
    return mock.patch.multiple(rules.Lists, narrow=mock.DEFAULT, widen=mock.DEFAULT)


def _what_is_held_is_read_again() -> AbstractContextManager[Any]:
    def sift(known: Any, scan: Any, *_: Any, **__: Any) -> Any:
        return dict(known), scan, holding.Holding()

    return mock.patch.object(holding, "sift", sift)


def _vectors_of_former_texts_go() -> AbstractContextManager[Any]:
    real = vectors.delete_orphans

    def delete_orphans(connection: Any, hashes: Any) -> None:
        connection.execute("delete from former_text")
        real(connection, hashes)

    return mock.patch.object(vectors, "delete_orphans", delete_orphans)


MUTATIONS: Mapping[str, Planted] = {
    "old chunks stay when a document is replaced": _old_chunks_stay,
    "entries of the word index stay": _word_entries_stay,
    "a file counts as done before it is written": _done_before_it_is_written,
    "the filter is dropped in one leg": _filter_is_dropped_in_one_leg,
    "vectors of removed text stay": _vectors_of_removed_text_stay,
    "changed text keeps its hash": _changed_text_keeps_its_hash,
    "a view is never caught up": _a_view_is_never_caught_up,
    "a view is believed": _a_view_is_believed,
    "a renamed document keeps its ids": _a_renamed_document_keeps_its_ids,
    "a sync of a part prunes the rest": _a_part_prunes_the_rest,
    "mass deletion is not asked about": _mass_deletion_is_not_asked_about,
    "receipts need not balance": _receipts_need_not_balance,
    "vectors are computed anew": _vectors_are_computed_anew,
    "what cannot be read is removed": _what_cannot_be_read_is_removed,
    "access lists are dropped in the legs": _lists_are_dropped_in_the_legs,
    "an access list that is none lets everybody in": _what_is_no_list_lets_everybody_in,
    "a list stays behind when its document is renamed": _a_list_stays_behind_its_document,
    "a copy of what is closed is open": _a_copy_of_what_is_closed_is_open,
    "the list of what is gone stays behind": _what_is_gone_leaves_its_list,
    "changed rules are not applied": _changed_rules_are_not_applied,
    "what an undo holds back is read again": _what_is_held_is_read_again,
    "vectors of former texts go": _vectors_of_former_texts_go,
}


def caught(name: str, number: int | None = None) -> str | None:
    """Run the machine with this fault; return the first line of what it found, None where it found nothing."""
    chosen = SEEDS.get(name, 1) if number is None else number
    with MUTATIONS[name]():
        try:
            run_state_machine_as_test(seed(chosen)(LibraryOfAFolder), settings=limits(EXAMPLES, STEPS, shrink=False))
        except Exception as error:  # noqa: BLE001  whatever it is, it was noticed
            return f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"
    return None
