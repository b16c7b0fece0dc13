"""Whether what stands in the cells can be read back: the right kinds, JSON that parses, passages that stand in their document, vectors of their size.

Page checksums prove that a file holds what was written to it. They prove nothing about who wrote it: a file from somebody else may have cells
that make a reader fail later, far from here. So each document is read once as readers will read it.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

from yinju.messages import say
from yinju.store import documents, shape, sql, terms, vectors
from yinju.store.database import from_cell, to_cell
from yinju.types import Receipt

if TYPE_CHECKING:
    import apsw

MOST_UNPACKED = 1 << 30  # bytes: a cell of a few kilobytes could say that it unpacks to terabytes
_MOST_TOLD = 20
_MOST_VECTORS = 4096  # looked at together, and no more than
_AT_ONCE = 8 << 20  # bytes
_UNREADABLE = (ValueError, TypeError, KeyError, IndexError, AttributeError, OverflowError, RecursionError, zlib.error)


def problems(connection: apsw.Connection) -> list[str]:
    """Return what cannot be read back, a line for people each, at most twenty. Reads all of the file."""
    found = [
        say("Values of the wrong kind in {column}", "{column} 中有类型不符的值", column=column)
        for column in shape.wrong_kinds(connection)
    ]
    if not found:
        found += islice(_documents(connection), _MOST_TOLD)
        found += islice(_cells(connection), _MOST_TOLD)
    return found[:_MOST_TOLD]


def broken(connection: apsw.Connection) -> Iterator[str]:
    """Yield the sources of documents that cannot be read back whole."""
    for (cell,) in sql.rows(connection, "select source from document order by id"):
        try:
            source = from_cell(cell)
            if not _is_whole(connection, source):
                yield source
        except _UNREADABLE:
            yield cell


def unpacked(content: bytes) -> bytes:
    """Return what was packed by zlib. Raises ValueError where it is too much or not whole, zlib.error where it is something else."""
    work = zlib.decompressobj()
    made = work.decompress(content, MOST_UNPACKED)
    if not work.eof:
        raise ValueError("too large or cut off")
    return made


def _documents(connection: apsw.Connection) -> Iterator[str]:
    for source in broken(connection):
        yield say(
            "The document {source} is not stored as it should be", "文档 {source} 的存储内容不正确", source=repr(source)
        )


def _is_whole(connection: apsw.Connection, source: str) -> bool:
    document = documents.read(connection, source)
    if document is None:
        return False
    Receipt.from_plain(
        json.loads(sql.cell(connection, "select receipt from document where source = ?", (to_cell(source),)))
    )
    packed = sql.cell(
        connection,
        "select b.words from document d join boxes b on b.document = d.id where d.source = ?",
        (to_cell(source),),
    )
    if packed is not None:
        unpacked(packed)
    return _passages_stand_in(connection, source, document.text)


def _passages_stand_in(connection: apsw.Connection, source: str, text: str) -> bool:
    """Return whether all passages of a document are pieces of its text with headings that can be read. Raises `_UNREADABLE`."""
    readable: set[str] = set()
    for start, end, cell, header, headings, text_hash in connection.execute(
        "select p.start, p.end, p.text, p.header, c.headings, c.text_hash from document d join chunk c on c.document = d.id"
        " join passage p on p.id = c.id where d.source = ?",
        (to_cell(source),),
    ):
        if not (0 <= start <= end <= len(text) and text_hash and text[start:end] == from_cell(cell)):
            return False
        from_cell(header)
        if headings not in readable:
            if not all(isinstance(heading, str) for heading in json.loads(headings)):
                return False
            readable.add(headings)
    return True


def _cells(connection: apsw.Connection) -> Iterator[str]:
    """Yield what is wrong with terms, vectors and texts of former documents."""
    for number, words, bigrams in connection.execute("select id, words, bigrams from kept"):
        if not (terms.is_packed(words) and terms.is_packed(bigrams)):
            yield say("The terms of passage {n} cannot be read", "段落 {n} 的词项无法读取", n=number)
    for number, dimension in sql.rows(connection, "select id, dimension from space"):
        for vector in _unreadable_vectors(connection, number, dimension):
            yield say("The vector {n} cannot be read", "向量 {n} 无法读取", n=vector)
    for table, column in (("access", "names"), ("log", "content")):
        if not _has(connection, table):
            continue
        for (text,) in connection.execute(f"select {column} from {table}"):  # noqa: S608  our own names
            try:
                json.loads(text)
            except _UNREADABLE:
                yield say("A row of the table {table} cannot be read", "表 {table} 中有无法读取的行", table=table)
    if _has(connection, "former"):
        for number, content in connection.execute("select id, content from former where content is not null"):
            try:
                json.loads(unpacked(content))
            except _UNREADABLE:
                yield say("The former document {n} cannot be read", "旧版文档 {n} 无法读取", n=number)


def _has(connection: apsw.Connection, table: str) -> bool:
    return sql.cell(connection, "select 1 from sqlite_schema where name = ?", (table,)) is not None


def _unreadable_vectors(connection: apsw.Connection, space: int, dimension: int) -> Iterator[int]:
    """Yield the ids of the vectors of a space that are none. Many are looked at together: one at a time costs more than reading them."""
    cells = connection.execute("select id, vector from vector where space = ?", (space,))
    while some := list(islice(cells, max(1, min(_MOST_VECTORS, _AT_ONCE // (4 * max(dimension, 1)))))):
        if not vectors.are_whole([packed for _, packed in some], dimension):
            yield from (number for number, packed in some if not vectors.are_whole([packed], dimension))
