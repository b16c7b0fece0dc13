"""Documents, chunks and files as rows: written whole, read back equal."""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from yinju.failing import reach
from yinju.store import access, sql, words
from yinju.store.database import from_cell, maybe_from_cell, maybe_to_cell, to_cell
from yinju.store.records import Entry, Skipped, SourceSummary, StoredChunk
from yinju.types import Chunk, Document, Mark, Receipt, SourceFile, Span, as_plain, document_id

if TYPE_CHECKING:
    import apsw

    from yinju.store.records import ChunkRecord

_FILE_COLUMNS = "source, path, size, modified_ns, digest"


def to_json(value: Any) -> str:
    """Return compact JSON that any text survives, also text that is no valid Unicode."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(value, separators=(",", ":"), default=str)
    return text


def add_to_tally(connection: apsw.Connection, **changes: int) -> None:
    """Add to the running totals."""
    connection.executemany(
        "update tally set number = number + ? where name = ?", [(change, name) for name, change in changes.items()]
    )


def insert(connection: apsw.Connection, entry: Entry) -> None:
    """Write one document with everything that belongs to it. Its source must be free."""
    document, file = entry.document, entry.file
    connection.execute(
        "insert into document(source, public, title, type, language, metadata, preset, receipt, state, root, path, size,"
        " modified_ns, digest, reader) values(?, ?, ?, ?, ?, ?, ?, ?, 'indexed', ?, ?, ?, ?, ?, ?)",
        (
            to_cell(document.source),
            document.id,
            maybe_to_cell(document.title),
            document.type,
            document.language,
            to_json(dict(document.metadata)),
            document.preset,
            to_json(as_plain(entry.receipt)),
            maybe_to_cell(entry.root),
            *_file_cells(file),
            entry.reader,
        ),
    )
    number = connection.last_insert_rowid()
    reach("write-document")
    marks = [[m.kind, m.span.start, m.span.end, m.level, m.label] for m in document.marks]
    connection.execute(
        "insert into body values(?, ?, ?, ?)",
        (number, to_cell(document.text), to_json(marks), to_json([list(anchor) for anchor in document.anchors])),
    )
    if document.boxes:
        connection.execute("insert into boxes values(?, ?)", (number, zlib.compress(document.boxes)))
    reach("write-body")
    rows = [(_insert_chunk(connection, number, record), record) for record in entry.chunks]
    reach("write-chunk")
    connection.executemany(
        "insert into passage values(?, ?, ?, ?, ?, ?, ?, ?, ?)", (_passage_cells(rowid, r.chunk) for rowid, r in rows)
    )
    reach("write-passage")
    word_total, bigram_total = words.insert(connection, rows)
    add_to_tally(connection, documents=1, passages=len(rows), words=word_total, bigrams=bigram_total)
    reach("write-tally")
    connection.execute("delete from skipped where source = ?", (to_cell(document.source),))
    access.write(connection, "document", [(document.source, access.stated(document.metadata))])


def delete(connection: apsw.Connection, source: str) -> set[str]:
    """Remove the document, if it is there, with everything but its vectors. Return the hashes of its texts."""
    number = sql.cell(connection, "select id from document where source = ?", (to_cell(source),))
    if number is None:
        return set()
    chunks = sql.rows(connection, "select id, text_hash from chunk where document = ?", (number,))
    rowids = [rowid for rowid, _ in chunks]
    word_total, bigram_total = words.delete(connection, rowids)
    reach("delete-words")
    connection.executemany("delete from passage where id = ?", [(rowid,) for rowid in rowids])
    connection.execute("delete from chunk where document = ?", (number,))
    reach("delete")
    connection.execute("delete from body where document = ?", (number,))
    connection.execute("delete from boxes where document = ?", (number,))
    connection.execute("delete from document where id = ?", (number,))
    add_to_tally(connection, documents=-1, passages=-len(rowids), words=-word_total, bigrams=-bigram_total)
    return {text_hash for _, text_hash in chunks}


def read(connection: apsw.Connection, source: str) -> Document | None:
    """Return the document as it was put, or None."""
    row = sql.row(
        connection,
        "select d.title, d.type, d.language, d.metadata, d.preset, b.text, b.marks, b.anchors"
        " from document d join body b on b.document = d.id where d.source = ?",
        (to_cell(source),),
    )
    if row is None:
        return None
    title, type_, language, metadata, preset, text, marks, anchors = row
    return Document(
        text=from_cell(text),
        source=source,
        title=maybe_from_cell(title),
        type=type_,
        language=language,
        metadata=json.loads(metadata),
        marks=tuple(Mark(kind, Span(start, end), level, label) for kind, start, end, level, label in json.loads(marks)),
        anchors=tuple((offset, line) for offset, line in json.loads(anchors)),
        preset=preset,
    )


def receipt(connection: apsw.Connection, source: str) -> Receipt | None:
    """Return the document's receipt, or None."""
    cell = sql.cell(connection, "select receipt from document where source = ?", (to_cell(source),))
    return None if cell is None else Receipt.from_plain(json.loads(cell))


def boxes(connection: apsw.Connection, source: str) -> bytes:
    """Return where the words of the document stand on its pages, as `yinju.boxes` packs them; empty where the format has no pages."""
    asked = "select b.words from document d join boxes b on b.document = d.id where d.source = ?"
    cell = sql.cell(connection, asked, (to_cell(source),))
    return b"" if cell is None else zlib.decompress(cell)


def chunks(connection: apsw.Connection, condition: str, values: tuple[Any, ...]) -> list[StoredChunk]:
    """Return the chunks that fulfil a condition in SQL, by document and number."""
    rows = sql.rows(
        connection,
        "select c.id, c.public, d.source, d.public, d.title, d.type, d.language, d.metadata, c.number, p.start, p.end, p.text,"  # noqa: S608  our own
        " c.headings, p.header, p.first_line, p.last_line, p.page, p.tokens, c.text_hash"
        f" from chunk c join passage p on p.id = c.id join document d on d.id = c.document where {condition}"
        " order by c.document, c.number",
        values,
    )
    metadata: dict[str, Any] = {}
    return [_stored_chunk(row, metadata) for row in rows]


def files(connection: apsw.Connection, root: str) -> dict[str, SourceFile]:
    """Return what is known of the files below a root by source; of a file that was skipped last time, how it was then."""
    found: dict[str, SourceFile] = {}
    for table in ("document", "skipped"):
        rows = connection.execute(f"select {_FILE_COLUMNS} from {table} where root = ?", (to_cell(root),))  # noqa: S608  our own
        for row in rows:
            if row[1] is not None:
                file = _file(row)
                found[file.source] = file
    return found


def file(connection: apsw.Connection, source: str) -> SourceFile | None:
    """Return what is known of the file of this source; of one that was skipped last time, how it was then."""
    for table in ("skipped", "document"):
        row = sql.row(connection, f"select {_FILE_COLUMNS} from {table} where source = ?", (to_cell(source),))  # noqa: S608  our own
        if row is not None and row[1] is not None:
            return _file(row)
    return None


def readers(connection: apsw.Connection, root: str) -> dict[str, tuple[str, str | None]]:
    """Return by source the type and the reader of the documents below a root."""
    rows = connection.execute("select source, type, reader from document where root = ?", (to_cell(root),))
    return {from_cell(source): (type_, reader) for source, type_, reader in rows}


def summaries(connection: apsw.Connection, fingerprint: str | None) -> list[SourceSummary]:
    """Return one line for each document and each skipped file, by source."""
    counts = _chunk_counts(connection, fingerprint)
    rows = connection.execute(
        "select id, source, public, title, type, language, receipt, digest, state, root, metadata, modified_ns from document"
    )
    found = []
    for (
        number,
        source,
        public,
        title,
        type_,
        language,
        receipt_cell,
        digest,
        state,
        root,
        metadata,
        modified_ns,
    ) in rows:
        made = Receipt.from_plain(json.loads(receipt_cell))
        total, embedded = counts.get(number, (0, 0))
        found.append(
            SourceSummary(
                from_cell(source),
                public,
                maybe_from_cell(title),
                type_,
                language,
                made.characters,
                total,
                embedded,
                digest,
                state,
                made.warnings,
                maybe_from_cell(root),
                json.loads(metadata),
                made,
                modified_ns,
            )
        )
    known = {summary.source for summary in found}
    for item in skipped(connection):
        if item.source not in known:
            digest = item.file.digest if item.file else None
            found.append(
                SourceSummary(
                    item.source,
                    document_id(item.source),
                    None,
                    "",
                    "und",
                    0,
                    0,
                    0,
                    digest,
                    "skipped",
                    (item.reason,),
                    item.root,
                    {},
                )
            )
    return sorted(found, key=lambda summary: summary.source)


def skipped(connection: apsw.Connection, *, ignored: bool = False) -> list[Skipped]:
    """Return the files that could not be indexed, by source; or those that turned out to be no documents and that nobody has to see to."""
    columns = f"{_FILE_COLUMNS}, root, outcome, reason, hint, reader"
    which = "=" if ignored else "<>"
    rows = connection.execute(f"select {columns} from skipped where outcome {which} 'ignored' order by source")  # noqa: S608  our own
    return [
        Skipped(
            from_cell(row[0]),
            maybe_from_cell(row[5]),
            None if row[1] is None else _file(row[:5]),
            row[6],
            from_cell(row[7]),
            maybe_from_cell(row[8]),
            row[9],
        )
        for row in rows
    ]


def insert_skipped(connection: apsw.Connection, item: Skipped) -> None:
    """Remember a file that could not be indexed. A document that its outcome keeps is marked so."""
    connection.execute(
        f"insert or replace into skipped({_FILE_COLUMNS}, root, outcome, reason, hint, reader)"
        " values(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            to_cell(item.source),
            *_file_cells(item.file),
            maybe_to_cell(item.root),
            item.outcome,
            to_cell(item.reason),
            maybe_to_cell(item.hint),
            item.reader,
        ),
    )
    connection.execute("update document set state = 'kept' where source = ?", (to_cell(item.source),))


def touch(connection: apsw.Connection, file: SourceFile) -> None:
    """Remember how an unchanged file looks now. A document that was kept and is readable again is indexed."""
    source, cells = to_cell(file.source), _file_cells(file)
    changes = "path = ?, size = ?, modified_ns = ?, digest = coalesce(?, digest)"
    passed_over = sql.row(connection, "select digest, outcome from skipped where source = ?", (source,))
    own = sql.row(connection, "select digest from document where source = ?", (source,))
    if passed_over is not None and (own is None or file.digest is None or file.digest != own[0]):
        connection.execute(f"update skipped set {changes} where source = ?", (*cells, source))  # noqa: S608  our own
        return
    connection.execute(f"update document set {changes}, state = 'indexed' where source = ?", (*cells, source))  # noqa: S608  our own
    connection.execute("delete from skipped where source = ?", (source,))


def _insert_chunk(connection: apsw.Connection, document: int, record: ChunkRecord) -> int:
    connection.execute(
        "insert into chunk(public, document, number, text_hash, headings) values(?, ?, ?, ?, ?)",
        (record.id, document, record.chunk.index, record.text_hash, to_json(list(record.chunk.headings))),
    )
    return connection.last_insert_rowid()


def _passage_cells(rowid: int, chunk: Chunk) -> tuple[Any, ...]:
    first, last = chunk.lines or (None, None)
    return (
        rowid, chunk.span.start, chunk.span.end, to_cell(chunk.text), to_cell(chunk.header), first, last, chunk.page, chunk.tokens,
    )  # fmt: skip


def _stored_chunk(row: Sequence[Any], metadata: dict[str, Any]) -> StoredChunk:
    (rowid, public, source, document, title, type_, language, metadata_cell, number, start, end, text, headings, header,
     first, last, page, tokens, text_hash) = row  # fmt: skip
    if document not in metadata:
        metadata[document] = json.loads(metadata_cell)
    source = from_cell(source)
    return StoredChunk(
        rowid=rowid,
        id=public,
        source=source,
        document=document,
        title=maybe_from_cell(title),
        type=type_,
        language=language,
        metadata=metadata[document],
        chunk=Chunk(
            source=source,
            index=number,
            span=Span(start, end),
            text=from_cell(text),
            headings=tuple(json.loads(headings)),
            header=from_cell(header),
            lines=None if first is None else (first, last),
            page=page,
            tokens=tokens,
        ),
        text_hash=text_hash,
    )


def _chunk_counts(connection: apsw.Connection, fingerprint: str | None) -> dict[int, tuple[int, int]]:
    spaces = sql.rows(connection, "select id from space where ?1 is null or fingerprint = ?1", (fingerprint,))
    one = "exists(select 1 from vector v where v.space = {:d} and v.text_hash = c.text_hash)"
    has_vector = " or ".join(one.format(number) for (number,) in spaces) or "0"
    rows = connection.execute(f"select document, count(*), sum({has_vector}) from chunk c group by document")  # noqa: S608  our own
    return {number: (total, embedded) for number, total, embedded in rows}


def _file(row: Sequence[Any]) -> SourceFile:
    source, path, size, modified_ns, digest = row
    return SourceFile(from_cell(source), from_cell(path), size, modified_ns, digest)


def _file_cells(file: SourceFile | None) -> tuple[str | None, int | None, int | None, str | None]:
    return (None, None, None, None) if file is None else (to_cell(file.path), file.size, file.modified_ns, file.digest)
