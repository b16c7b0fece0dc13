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
    for stored in documents.chunks(connection, "d.source = ?", (to_cell(source),)):
        span = stored.chunk.span
        if not (0 <= span.start <= span.end <= len(document.text)):
            return False
        if document.text[span.start : span.end] != stored.chunk.text or not stored.text_hash:
            return False
        if not all(isinstance(heading, str) for heading in stored.chunk.headings):
            return False
    return True


def _cells(connection: apsw.Connection) -> Iterator[str]:
    """Yield what is wrong with terms, vectors and texts of former documents."""
    for number, words, bigrams in connection.execute("select id, words, bigrams from kept"):
        if not (_has_terms(words) and _has_terms(bigrams)):
            yield say("The terms of passage {n} cannot be read", "段落 {n} 的词项无法读取", n=number)
    for number, dimension in sql.rows(connection, "select id, dimension from space"):
        for vector, packed in connection.execute("select id, vector from vector where space = ?", (number,)):
            if not is_vector(packed, dimension):
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


def _has_terms(packed: bytes) -> bool:
    import struct

    try:
        terms.unpack(packed)
    except (*_UNREADABLE, struct.error):
        return False
    return True


def is_vector(packed: bytes, dimension: int) -> bool:
    """Return whether this is a packed vector of so many finite numbers."""
    import numpy as np

    if len(packed) != 4 * dimension and (len(packed) > 4 * dimension or len(packed) % 8):
        return False
    places, values = vectors.unpack_sparse(packed, dimension)
    return bool(np.isfinite(values).all() and (not len(places) or int(places.max()) < dimension))
