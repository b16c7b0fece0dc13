"""From a damaged file to a sound one: a new file is made of what can still be read, document by document, and proves itself like any other.

There is one way for all damage, from a total that is wrong to pages that are gone: tables are walked by their row ids, around what cannot be
read, and without the indexes, since those may be what is damaged. A document is taken over if all of it is there: its text, every passage where
its span says, as many as its receipt counts; if only passages are missing it is cut anew from its text. Word index, totals and references
between tables are made by the code that a sync uses, so what disagreed cannot disagree again.

What the file has lost comes from backups, as far as the file still names it; what no backup has is read once more without the page checksums, and
then only hashes of the texts count. Where access lists were lost nobody but the owner sees the documents until they are given again.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from yinju.store import contents, documents, migrations, opening, salvage_tables, sql, terms
from yinju.store.database import from_cell, maybe_from_cell
from yinju.store.records import ChunkRecord, Entry
from yinju.store.walking import BAD, columns, rows
from yinju.types import Chunk, Document, Mark, Receipt, SourceFile, Span

if TYPE_CHECKING:
    import apsw


@dataclass(frozen=True, slots=True)
class Maker:
    """What this room cannot make: of a title and a chunk the hash of what is indexed and its words and bigrams; a document cut anew."""

    text_hash: Callable[[str | None, Chunk], str]
    terms: Callable[[str | None, Chunk], tuple[tuple[str, ...], tuple[str, ...]]]
    cut: Callable[[Document, Receipt, SourceFile | None, str | None], Entry]


@dataclass(slots=True)
class Salvaged:
    """What came of it, by source. `lost`: the file names them, and nobody has them; only reading their files again brings them back."""

    whole: list[str] = field(default_factory=list)
    cut_anew: list[str] = field(default_factory=list)
    from_backup: list[str] = field(default_factory=list)
    unproven: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    names_complete: bool = True
    lists_lost: bool = False  # access lists could not all be read; who may be concerned is seen by the owner alone

    def has(self, source: str) -> bool:
        """Return whether the new file holds the source."""
        return any(source in found for found in (self.whole, self.cut_anew, self.from_backup, self.unproven))


def rebuild(path: Path, draft: Path, backups: Sequence[Path], maker: Maker) -> Salvaged:
    """Make `draft` a sound library of what `path` and then the backups (newest first) still hold. Raises errors of SQLite about the draft."""
    found = Salvaged()
    new = opening.new_file(draft)
    try:
        migrations.migrate(new)
        new.pragma("synchronous", "off")  # a draft that fails is thrown away; it is put on disk at the end
        new.execute("begin")
        old = _reader(path)
        named = _take_documents(old, new, maker, found) if old is not None else None
        found.names_complete = named is not None and named.complete
        others = [one for one in map(_reader, backups) if one is not None]
        missing = _missing(named, found)
        for other in others:
            _take_from_backup(other, new, maker, missing, found)
        if old is not None:
            _take_unproven(old, new, maker, missing, found)
        found.lost = sorted(source for source in missing or () if not found.has(source))
        salvage_tables.take(old, others, new, missing, found)
        new.execute("commit")
        for connection in [*others, old]:
            if connection is not None:
                connection.close()
        opening.close_new(new)
    finally:
        new.close()
    return found


@dataclass(slots=True)
class _Named:
    """The sources that a file names, and whether these are all that it held."""

    sources: set[str]
    complete: bool


def _reader(path: Path) -> apsw.Connection | None:
    """Open a file that may be damaged, None where SQLite sees nothing of ours in it."""
    import apsw

    try:
        connection = opening.connect(path, bare=True)
        connection.pragma("cell_size_check", 1)
        if connection.pragma("application_id") == opening.APPLICATION_ID and migrations.version(connection):
            sql.rows(connection, "select 1 from document limit 1")
            return connection
        connection.close()
    except apsw.Error:
        pass
    return None


def _missing(named: _Named | None, found: Salvaged) -> set[str] | None:
    """Return the sources to look for in backups; None where nobody knows, so that all of them are welcome."""
    if named is None or not named.complete:
        return None
    return {source for source in named.sources if not found.has(source)}


def _take_documents(old: apsw.Connection, new: apsw.Connection, maker: Maker, found: Salvaged) -> _Named:
    found_rows, complete = rows(old, "document")
    sources: set[str] = set()
    chunks = _chunks_by_document(old)
    for row in found_rows:
        source = _name(row)
        if source is None:
            complete = False
            continue
        sources.add(source)
        taken = _entry(old, row, chunks.get(row["id"], []), maker, proven=True)
        if taken is not None:
            entry, was_whole = taken
            documents.insert(new, entry)
            (found.whole if was_whole else found.cut_anew).append(source)
    if not complete:
        named = _named_by_index(old)
        sources |= named.sources
        complete = named.complete
    return _Named(sources, complete)


def _named_by_index(old: apsw.Connection) -> _Named:
    """Return the sources that the index of the sources has, which lies on other pages than the documents."""
    import apsw

    named: set[str] = set()
    try:
        for (cell,) in old.execute("select source from document order by source"):
            named.add(from_cell(cell))
    except (apsw.Error, *BAD):
        return _Named(named, complete=False)
    return _Named(named, complete=True)


def _chunks_by_document(old: apsw.Connection) -> dict[int, list[dict[str, Any]]]:
    by_document: dict[int, list[dict[str, Any]]] = {}
    for row in rows(old, "chunk")[0]:
        by_document.setdefault(row["document"], []).append(row)
    return by_document


def _name(row: dict[str, Any]) -> str | None:
    try:
        return from_cell(row["source"])
    except BAD:
        return None


def _entry(
    old: apsw.Connection, row: dict[str, Any], chunks: list[dict[str, Any]], maker: Maker, *, proven: bool
) -> tuple[Entry, bool] | None:
    """Return the document of this row, and whether its passages were all there; None where it cannot be had. `proven`: its pages are sound."""
    import apsw

    try:
        document, receipt = _document(old, row), Receipt.from_plain(json.loads(row["receipt"]))
    except (apsw.Error, *BAD):
        return None
    root = maybe_from_cell(row["root"])
    file = None
    if row["path"] is not None:
        digest = row["digest"] if proven else None  # not proven: its file is read again
        file = SourceFile(document.source, from_cell(row["path"]), row["size"], row["modified_ns"], digest)
    try:
        records = [_record(old, one, document, maker) for one in sorted(chunks, key=lambda one: int(one["number"]))]
        whole = _fits(document, receipt, records)
        if whole and not proven:
            whole = all(maker.text_hash(document.title, one.chunk) == one.text_hash for one in records)
        if whole:
            return Entry(document, tuple(records), receipt, file, root, row.get("reader") if proven else None), True
    except (apsw.Error, *BAD):
        pass
    return (maker.cut(document, receipt, file, root), False) if proven else None


def _document(old: apsw.Connection, row: dict[str, Any]) -> Document:
    text, marks, anchors = sql.row(old, "select text, marks, anchors from body where document = ?", (row["id"],))
    packed = None
    if columns(old, "boxes"):
        packed = sql.cell(old, "select words from boxes where document = ?", (row["id"],))
    return Document(
        text=from_cell(text),
        source=from_cell(row["source"]),
        title=maybe_from_cell(row["title"]),
        type=row["type"],
        language=row["language"],
        metadata=json.loads(row["metadata"]),
        marks=tuple(Mark(kind, Span(start, end), level, label) for kind, start, end, level, label in json.loads(marks)),
        anchors=tuple((offset, line) for offset, line in json.loads(anchors)),
        preset=row["preset"],
        boxes=b"" if packed is None else contents.unpacked(packed),
    )


def _record(old: apsw.Connection, row: dict[str, Any], document: Document, maker: Maker) -> ChunkRecord:
    start, end, text, header, first, last, page, tokens = sql.row(
        old,
        "select start, end, text, header, first_line, last_line, page, tokens from passage where id = ?",
        (row["id"],),
    )
    chunk = Chunk(
        source=document.source,
        index=row["number"],
        span=Span(start, end),
        text=from_cell(text),
        headings=tuple(json.loads(row["headings"])),
        header=from_cell(header),
        lines=None if first is None else (first, last),
        page=page,
        tokens=tokens,
    )
    words, bigrams = _terms(old, row["id"]) or maker.terms(document.title, chunk)
    return ChunkRecord(row["public"], chunk, row["text_hash"], words, bigrams)


def _terms(old: apsw.Connection, number: int) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    import apsw

    try:
        words, bigrams = sql.row(old, "select words, bigrams from kept not indexed where id = ?", (number,))
        return _expanded(words), _expanded(bigrams)
    except (apsw.Error, *BAD):
        return None


def _expanded(packed: bytes) -> tuple[str, ...]:
    return tuple(Counter(terms.unpack(packed)).elements())


def _fits(document: Document, receipt: Receipt, records: Sequence[ChunkRecord]) -> bool:
    """Return whether these are all passages of the document, each where its span says."""
    return (
        len(records) == receipt.chunks
        and [one.chunk.index for one in records] == list(range(len(records)))
        and all(document.text[one.chunk.span.start : one.chunk.span.end] == one.chunk.text for one in records)
    )


def _take_from_backup(
    other: apsw.Connection, new: apsw.Connection, maker: Maker, missing: set[str] | None, found: Salvaged
) -> None:
    chunks: dict[int, list[dict[str, Any]]] | None = None
    for row in rows(other, "document")[0]:
        source = _name(row)
        if source is None or found.has(source) or (missing is not None and source not in missing):
            continue
        chunks = _chunks_by_document(other) if chunks is None else chunks
        taken = _entry(other, row, chunks.get(row["id"], []), maker, proven=True)
        if taken is not None:
            documents.insert(new, taken[0])
            found.from_backup.append(source)


def _take_unproven(
    old: apsw.Connection, new: apsw.Connection, maker: Maker, missing: set[str] | None, found: Salvaged
) -> None:
    """Take documents that nobody else has from pages whose checksums are wrong, if the hashes of all their texts are right."""
    import apsw

    old.execute("pragma checksum_verification = off")
    try:
        chunks = _chunks_by_document(old)
        for row in rows(old, "document")[0]:
            source = _name(row)
            if source is None or found.has(source) or (missing is not None and source not in missing):
                continue
            taken = _entry(old, row, chunks.get(row["id"], []), maker, proven=False)
            if taken is not None:
                documents.insert(new, taken[0])
                found.unproven.append(source)
    except (apsw.Error, *BAD):
        return
    finally:
        old.execute("pragma checksum_verification = on")
