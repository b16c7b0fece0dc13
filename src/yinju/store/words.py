"""The word index inside the truth: which chunks hold a term, in how many chunks it stands, how often it occurs in a chunk.

Two contentless FTS5 tables hold each term of a chunk once. With `detail=none` and without content FTS5 keeps no counts, and its own bm25()
gives every row 0 (measured with SQLite 3.54.1: rows come back in the order of their ids). Candidates are therefore chosen by the sum of
the inverse document frequencies of the question's terms that they hold; the exact score is made by others from the kept terms.
"""

from __future__ import annotations

import heapq
import json
import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Literal

from yinju.failing import reach
from yinju.store import sql, terms
from yinju.store.records import Statistics, TermCounts

if TYPE_CHECKING:
    import apsw
    import numpy as np
    from numpy.typing import NDArray

    from yinju.store.records import ChunkRecord, RowIds

Field = Literal["words", "bigrams"]
MAXIMUM_LOOKUPS = 2_000  # different terms of a question that are looked up
MAXIMUM_TERMS = 200  # of these, how many choose candidates, the rarest first
COMMON_SHARE = 0.1  # terms in more passages than this are left out where rarer ones find something
_UNPURGED = "unpurged"  # key of a value
_FEW_ALLOWED = 300  # chunks
_REMEMBERED = 20_000  # frequencies
FEW = 20  # with fewer candidates than this the common terms are asked too
_ASCII_LOWER = {code: code + 32 for code in range(ord("A"), ord("Z") + 1)}  # FTS5's ascii tokenizer folds these


def insert(connection: apsw.Connection, rows: Sequence[tuple[int, ChunkRecord]]) -> tuple[int, int]:
    """Index the chunks and keep their terms. Return the numbers of words and bigrams."""
    words_rows, bigrams_rows, kept_rows = [], [], []
    word_total = bigram_total = 0
    for rowid, record in rows:
        words, bigrams = terms.counted(record.words), terms.counted(record.bigrams)
        word_length, bigram_length = words.total(), bigrams.total()
        word_total, bigram_total = word_total + word_length, bigram_total + bigram_length
        words_rows.append((rowid, " ".join(words)))
        bigrams_rows.append((rowid, " ".join(bigrams)))
        kept_rows.append((rowid, terms.pack(words), terms.pack(bigrams), word_length, bigram_length))
    connection.executemany("insert into words(rowid, terms) values(?, ?)", words_rows)
    reach("write-words")
    connection.executemany("insert into bigrams(rowid, terms) values(?, ?)", bigrams_rows)
    reach("write-bigrams")
    connection.executemany("insert into kept values(?, ?, ?, ?, ?)", kept_rows)
    reach("write-kept")
    return word_total, bigram_total


def delete(connection: apsw.Connection, rowids: Sequence[int]) -> tuple[int, int]:
    """Remove the chunks from the index. Return the numbers of words and bigrams that went with them."""
    totals = sql.rows(
        connection,
        "select total(word_length), total(bigram_length) from kept where id in (select value from json_each(?))",
        (json.dumps(list(rowids)),),
    )[0]
    keys = [(rowid,) for rowid in rowids]
    for table in ("words", "bigrams"):
        connection.executemany(f"delete from {table} where rowid = ?", keys)  # noqa: S608  names of our own
    connection.executemany("delete from kept where id = ?", keys)
    if keys:
        mark_unpurged(connection)
    return int(totals[0]), int(totals[1])


def mark_unpurged(connection: apsw.Connection, *, rewrite: bool = False) -> None:
    """Note that something of what was deleted still lies in the library's files; `rewrite`: such that the file has to be written anew."""
    connection.execute(
        "insert into value values(?, ?) on conflict do update set value = max(value, excluded.value)",
        (_UNPURGED, "2" if rewrite else "1"),
    )


def purge(connection: apsw.Connection) -> None:
    """Take the terms of deleted chunks out of the index's pages: until then they are only marked as deleted, `secure-delete` or not."""
    for table in ("words", "bigrams"):
        connection.execute(f"insert into {table}({table}) values('optimize')")
        reach("purge-words")
    connection.execute("delete from value where key = ?", (_UNPURGED,))


def needs_rewrite(connection: apsw.Connection) -> bool:
    """Return whether the file has to be written anew for what was deleted to be gone."""
    return bool(sql.cell(connection, "select value = '2' from value where key = ?", (_UNPURGED,)))


def needs_purge(connection: apsw.Connection) -> bool:
    """Return whether deleted terms still lie in the file."""
    return sql.cell(connection, "select 1 from value where key = ?", (_UNPURGED,)) is not None


class Frequencies:
    """Document frequencies that were looked up at one generation, so that candidates and scores of a question ask once."""

    def __init__(self) -> None:
        self._known: tuple[int, dict[tuple[Field, str], int]] = (-1, {})

    def of(self, connection: apsw.Connection, field: Field, asked: Iterable[str]) -> dict[str, int]:
        """Return for each term that stands somewhere the number of chunks that hold it."""
        generation = sql.generation(connection)
        known_at, known = self._known  # taken once: other threads may look at other generations
        if known_at != generation or len(known) > _REMEMBERED:
            known = {}
            self._known = (generation, known)
        statement = f"select doc from temp.{field}_frequency where term = ?"  # noqa: S608  names of our own
        found: dict[str, int] = {}
        for term in dict.fromkeys(asked):
            count = known.get((field, term))
            if count is None:
                count = sql.cell(connection, statement, (term.translate(_ASCII_LOWER),)) if terms.is_term(term) else 0
                known[field, term] = count = count or 0
            if count:
                found[term] = count
        return found


def beginning(connection: apsw.Connection, field: Field, prefix: str, limit: int) -> dict[str, int]:
    """Return up to `limit` terms that begin with this, with the number of chunks that hold each, those in most chunks first."""
    if not terms.is_term(prefix):
        return {}
    statement = (
        f"select term, doc from temp.{field}_frequency where term >= ? and term < ? order by doc desc, term limit ?"  # noqa: S608
    )
    after = prefix[:-1] + chr(min(ord(prefix[-1]) + 1, 0x10FFFF))
    return dict(sql.rows(connection, statement, (prefix, after, limit)))


def statistics(
    connection: apsw.Connection, frequencies: Frequencies, words: Iterable[str], bigrams: Iterable[str]
) -> Statistics:
    """Return what BM25 needs to know of the library for these terms. Terms that stand nowhere have frequency 0."""
    tally = dict(sql.rows(connection, "select name, number from tally"))
    passages = tally["passages"]
    words, bigrams = tuple(words), tuple(bigrams)
    return Statistics(
        passages=passages,
        average_words=tally["words"] / passages if passages else 0.0,
        average_bigrams=tally["bigrams"] / passages if passages else 0.0,
        word_frequency=dict.fromkeys(words, 0) | frequencies.of(connection, "words", words),
        bigram_frequency=dict.fromkeys(bigrams, 0) | frequencies.of(connection, "bigrams", bigrams),
    )


def candidates(
    connection: apsw.Connection,
    frequencies: Frequencies,
    words: Sequence[str],
    bigrams: Sequence[str],
    limit: int,
    allowed: RowIds | None,
) -> list[int]:
    """Return up to `limit` row ids, those first whose terms weigh most: sum of ln(1 + (N - n + 0.5) / (n + 0.5)) over both fields.

    The weight is the idf of BM25 as Lucene has it. Terms in more than a tenth of N chunks are left out as long as rarer ones find enough.
    """
    passages = sql.passages(connection)
    if not passages or limit <= 0 or (allowed is not None and not len(allowed)):
        return []
    known: list[tuple[int, Field, str]] = []
    fields: tuple[tuple[Field, Sequence[str]], ...] = (("words", words), ("bigrams", bigrams))
    for field, asked in fields:
        some = list(dict.fromkeys(asked))[:MAXIMUM_LOOKUPS]
        known += [(count, field, term) for term, count in frequencies.of(connection, field, some).items()]
    known = heapq.nsmallest(MAXIMUM_TERMS, known)
    if allowed is not None and len(allowed) <= _FEW_ALLOWED:
        return _heaviest_of_few(connection, known, passages, limit, allowed)
    common = max(passages * COMMON_SHARE, limit)  # a term whose chunks all fit among the candidates costs nothing
    rare = [entry for entry in known if entry[0] <= common]
    best = _heaviest(connection, rare, passages, limit, allowed)
    if len(best) < min(limit, FEW) and len(rare) < len(known):
        best = _heaviest(connection, known, passages, limit, allowed)
    return best


def _heaviest(
    connection: apsw.Connection,
    asked: Sequence[tuple[int, Field, str]],
    passages: int,
    limit: int,
    allowed: RowIds | None,
) -> list[int]:
    import numpy as np

    if not asked:
        return []
    lists = [_holders(connection, field, term) for _, field, term in asked]
    weights = [_weight(count, passages) for count, _, _ in asked]
    rowids = np.concatenate(lists)
    each = np.repeat(np.array(weights), [len(one) for one in lists])
    if allowed is not None:
        places = np.minimum(np.searchsorted(allowed, rowids), len(allowed) - 1)
        inside = allowed[places] == rowids
        rowids, each = rowids[inside], each[inside]
    unique, owners = np.unique(rowids, return_inverse=True)
    scores = np.bincount(owners, weights=each, minlength=len(unique))
    order = np.lexsort((unique, -scores))[:limit]
    return [int(rowid) for rowid in unique[order]]


def _heaviest_of_few(
    connection: apsw.Connection, asked: Sequence[tuple[int, Field, str]], passages: int, limit: int, allowed: RowIds
) -> list[int]:
    """The same choice where few chunks are allowed: their kept terms are read sooner than the lists of all that hold a term."""
    weights = {(field, term): _weight(count, passages) for count, field, term in asked}
    words = [term for field, term in weights if field == "words"]
    bigrams = [term for field, term in weights if field == "bigrams"]
    scores = {}
    for rowid, counts in term_counts(connection, [int(rowid) for rowid in allowed], words, bigrams).items():
        held = [weights["words", term] for term in counts.words] + [weights["bigrams", term] for term in counts.bigrams]
        if held:
            scores[rowid] = math.fsum(held)
    return sorted(scores, key=lambda rowid: (-scores[rowid], rowid))[:limit]


def _weight(count: int, passages: int) -> float:
    return math.log1p((passages - min(count, passages) + 0.5) / (count + 0.5))


def _holders(connection: apsw.Connection, field: Field, term: str) -> NDArray[np.int64]:
    """Return the row ids of the chunks that hold the term, rising."""
    import numpy as np

    query = '"' + term.replace('"', '""') + '"'
    # One string for all ids: a row of its own for each would take several times as long.
    statement = f"select group_concat(rowid, ' ') from {field} where {field} match ?"  # noqa: S608  names of our own
    joined = sql.cell(connection, statement, (query,))
    return np.fromstring(joined, dtype=np.int64, sep=" ") if joined else np.empty(0, dtype=np.int64)


def term_counts(
    connection: apsw.Connection, rowids: Sequence[int], words: Iterable[str] | None, bigrams: Iterable[str] | None
) -> dict[int, TermCounts]:
    """Return the kept counts of the chunks that exist; of the given terms only, or of all where None is given."""
    rows = sql.rows(
        connection,
        "select id, words, bigrams, word_length, bigram_length from kept where id in (select value from json_each(?))",
        (json.dumps(list(rowids)),),
    )
    word_counts = _counts([row[1] for row in rows], words)
    bigram_counts = _counts([row[2] for row in rows], bigrams)
    return {row[0]: TermCounts(word_counts[at], bigram_counts[at], row[3], row[4]) for at, row in enumerate(rows)}


def _counts(packed: list[bytes], given: Iterable[str] | None) -> list[dict[str, int]]:
    if given is None:
        return [terms.unpack(one) for one in packed]
    return terms.count_given(packed, [term for term in given if terms.is_term(term)])
