"""What each step did, kept so that it can be undone: for every source that it touched, the document as it was before, whole.

A former document is one packed cell rather than rows: it is written at the moment when a sync is busy, hardly ever read, and in nobody's way when
it is (no search, no count and no view can meet it). What stands on its own is `former_text`, the hashes of its texts, since their vectors are
kept for it. Terms are not kept: whoever restores a document takes its words again, by the rules that questions are read by then.

Only the first state of a source within a step is kept, in the same transaction as the change. So a step that was interrupted can be undone
as far as it came, and an undone step leaves every document as it was before it, whatever happened in between.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from yinju.failing import reach
from yinju.store import access, closed, documents, sql, vectors
from yinju.store.database import from_cell, maybe_from_cell, to_cell
from yinju.store.records import Change, Entry, FileState, Former, Hold, Step
from yinju.types import Chunk, Document, Mark, Receipt, SourceFile, Span

if TYPE_CHECKING:
    import apsw

KEPT_STEPS = 5
FREE_BYTES = 16 << 20  # former documents may take as much as the documents do, and a small library this
_LEVEL = 3  # of zlib: a sync waits for it
_OWN = "select id from former where step = ? and source = ?"
_MOVED_HERE = "select id from former where step = ? and moved = ?"
_FILE = "root, path, size, modified_ns, digest, reader"

Decide = Callable[[Change], tuple[Entry | None, Hold | None]]


def begin(connection: apsw.Connection, kind: str) -> int:
    """Make a new step, forget those that are too old for another one, and return its number."""
    connection.execute(
        "insert into step(kind, time, generation) values(?, strftime('%Y-%m-%dT%H:%M:%SZ', 'now'), ?)",
        (kind, sql.generation(connection) + 1),
    )
    number = connection.last_insert_rowid()
    forget(connection, _numbers(connection)[KEPT_STEPS:])
    return number


def keep(connection: apsw.Connection, step: int, source: str, did: str) -> None:
    """Keep the document with this source as it is now, unless this step did so before. `did` is what is about to happen to it."""
    cell = to_cell(source)
    before = sql.row(connection, "select id, did from former where step = ? and source = ?", (step, cell))
    if before is not None:
        if (before[1], did) == ("removed", "added"):
            connection.execute("update former set did = 'updated' where id = ?", (before[0],))
        return
    content, hashes = _pack(connection, source)
    connection.execute("insert into former(step, source, did, content) values(?, ?, ?, ?)", (step, cell, did, content))
    number = connection.last_insert_rowid()
    connection.executemany("insert into former_text values(?, ?)", [(number, one) for one in sorted(hashes)])


def keep_renames(connection: apsw.Connection, step: int, pairs: Sequence[tuple[str, str]]) -> None:
    """Keep the documents that are about to get other sources (old, new), and those that are in their way."""
    cells = [(to_cell(old), to_cell(new)) for old, new in pairs]
    on_the_way = {old for old, _ in cells if sql.row(connection, _MOVED_HERE, (step, old)) is not None}
    for (old, _), (cell, _) in zip(pairs, cells, strict=True):
        if cell not in on_the_way:
            keep(connection, step, old, "renamed")
    for _, new in pairs:
        keep(connection, step, new, "updated" if is_there(connection, new) else "added")
    # all at once, since names may be swapped: first the documents that this step has moved before, then the others
    moves = [
        (new, number)
        for old, new in cells
        for (number,) in sql.rows(connection, _MOVED_HERE if old in on_the_way else _OWN, (step, old))
    ]
    connection.executemany("update former set moved = ?, did = 'renamed' where id = ?", moves)


def is_there(connection: apsw.Connection, source: str) -> bool:
    """Tell whether there is a document with this source."""
    return sql.cell(connection, "select 1 from document where source = ?", (to_cell(source),)) is not None


def trim(connection: apsw.Connection) -> None:
    """Forget the oldest steps, but not the last, until former documents take no more than the documents do."""
    sizes = dict(sql.rows(connection, "select step, total(octet_length(content)) from former group by step"))
    if sum(sizes.values()) <= FREE_BYTES:
        return
    own = sql.cell(connection, "select total(octet_length(text) + octet_length(marks)) from body")
    left, over = max(float(own), float(FREE_BYTES)), []
    for place, number in enumerate(_numbers(connection)):
        left -= sizes.get(number, 0.0)
        if place and left < 0:
            over.append(number)
    forget(connection, over)


def forget(connection: apsw.Connection, steps: Sequence[int]) -> None:
    """Forget what these steps did, and the vectors that were kept for it."""
    for step in steps:
        for (number,) in sql.rows(connection, "select id from former where step = ?", (step,)):
            drop(connection, number)
        connection.execute("delete from step where number = ?", (step,))


def drop(connection: apsw.Connection, number: int) -> None:
    """Forget one former document. Vectors of texts that nothing else has go with it."""
    hashes = {one for (one,) in sql.rows(connection, "select text_hash from former_text where former = ?", (number,))}
    connection.execute("delete from former_text where former = ?", (number,))
    connection.execute("delete from former where id = ?", (number,))
    vectors.delete_orphans(connection, hashes)


def undo(connection: apsw.Connection, step: int, decide: Decide) -> list[closed.Heir]:
    """Bring every source of a step back to what it was before, one document at a time, and forget the step.

    `decide` is told of each and returns the document to put back (None: there was none) and the hold on its file, if it is to have one.
    Return what is closed as another is, since it says the same.
    """
    rows = sql.rows(connection, "select id, source, did, moved from former where step = ? order by id", (step,))
    targets = {moved for *_, moved in rows}
    back = [(from_cell(moved), from_cell(cell)) for _, cell, _, moved in rows if moved is not None]
    access.move(connection, back)
    heirs = closed.before_rename(connection, back)
    for number, cell, did, moved in rows:
        source = from_cell(cell)
        content = sql.cell(connection, "select content from former where id = ?", (number,))
        now = state(connection, source)
        before = None if content is None else unpack(content)
        arrived = content is None and cell in targets
        entry, hold = decide(Change(source, did, maybe_from_cell(moved), arrived, before, now))
        connection.execute("delete from skipped where source = ?", (cell,))
        connection.execute("delete from held where source = ?", (cell,))
        # of texts that this step's other documents had the vectors stay: they are not forgotten yet
        heirs += [] if entry is None else closed.before_put(connection, entry)
        vectors.delete_orphans(connection, documents.delete(connection, source))
        if entry is not None:
            before_it = access.read(connection, source).get("document")
            documents.insert(connection, entry)
            _close(connection, source, before_it)
        if hold is not None:
            insert_hold(connection, hold)
        drop(connection, number)
    reach("undo")
    connection.execute("delete from step where number = ?", (step,))
    return heirs


def steps(connection: apsw.Connection) -> list[Step]:
    """Return the steps that can be undone, newest first."""
    found = []
    for number, kind, time in sql.rows(connection, "select number, kind, time from step order by number desc"):
        counts = dict(
            sql.rows(
                connection,
                "select did, count(*) from former f where step = ?1 and not (did = 'added' and exists("
                "select 1 from former o where o.step = ?1 and o.moved = f.source)) group by did",
                (number,),
            )
        )
        names = ("added", "updated", "renamed", "removed")
        found.append(Step(number, kind, time, **{name: int(counts.get(name, 0)) for name in names}))
    return found


def state(connection: apsw.Connection, source: str) -> FileState | None:
    """Return how the file of this source was when it was last read, or None where it was not read from a file below a root."""
    for table in ("skipped", "document"):
        statement = f"select {_FILE} from {table} where source = ? and root is not null"  # noqa: S608  our own
        row = sql.row(connection, statement, (to_cell(source),))
        if row is not None and row[1] is not None:
            return FileState(from_cell(row[0]), _file(source, *row[1:5]), row[5])
    return None


def holds(connection: apsw.Connection) -> list[Hold]:
    """Return the files that an undo holds back, by source."""
    rows = sql.rows(connection, "select source, root, path, size, modified_ns, digest from held order by source")
    return [
        Hold(
            from_cell(source),
            from_cell(root),
            None if size is None else _file(from_cell(source), path, size, modified_ns, digest),
        )
        for source, root, path, size, modified_ns, digest in rows
    ]


def insert_hold(connection: apsw.Connection, hold: Hold) -> None:
    """Hold a file back, or remember how it looks now."""
    file = hold.file
    cells = (None, None, None, None) if file is None else (to_cell(file.path), file.size, file.modified_ns, file.digest)
    connection.execute(
        "insert or replace into held values(?, ?, ?, ?, ?, ?)", (to_cell(hold.source), to_cell(hold.root), *cells)
    )


def release(connection: apsw.Connection, sources: Sequence[str]) -> None:
    """Hold these files back no longer."""
    connection.executemany("delete from held where source = ?", [(to_cell(source),) for source in sources])


def adopt(connection: apsw.Connection, root: str, paths: Mapping[str, str]) -> None:
    """Let these files (source to path) belong to this root: as documents, as what was passed over, and as what is held."""
    rows = [(to_cell(root), to_cell(path), to_cell(source)) for source, path in paths.items()]
    for table in ("document", "skipped", "held"):
        change = f"update {table} set root = ?, path = iif(path is null, null, ?) where source = ? and root is not null"  # noqa: S608  our own
        connection.executemany(change, rows)


def unpack(content: bytes) -> Former:
    """Return the document that a cell holds."""
    plain: dict[str, Any] = json.loads(zlib.decompress(content))
    document = plain["document"]
    text, source = plain["text"], plain["source"]
    made = Document(
        text=text,
        source=source,
        title=document[0],
        type=document[1],
        language=document[2],
        metadata=json.loads(document[3]),
        marks=tuple(Mark(kind, Span(start, end), level, label) for kind, start, end, level, label in plain["marks"]),
        anchors=tuple((offset, line) for offset, line in plain["anchors"]),
        preset=document[4],
        boxes=zlib.decompress(base64.b64decode(plain["boxes"])) if plain["boxes"] else b"",
    )
    root, path, size, modified_ns, digest, reader = plain["file"]
    return Former(
        document=made,
        chunks=tuple(_chunk(source, text, row) for row in plain["chunks"]),
        receipt=Receipt.from_plain(plain["receipt"]),
        file=None if path is None else SourceFile(source, path, size, modified_ns, digest),
        root=root,
        reader=reader,
    )


def _pack(connection: apsw.Connection, source: str) -> tuple[bytes | None, set[str]]:
    """Return the document as one cell, None where there is none, and the hashes of its texts."""
    row = sql.row(
        connection,
        "select d.id, d.title, d.type, d.language, d.metadata, d.preset, d.receipt, b.text, b.marks, b.anchors,"
        " d.root, d.path, d.size, d.modified_ns, d.digest, d.reader"
        " from document d join body b on b.document = d.id where d.source = ?",
        (to_cell(source),),
    )
    if row is None:
        return None, set()
    number, title, type_, language, metadata, preset, receipt, text, marks, anchors, root, path, *file = row
    boxes = sql.cell(connection, "select words from boxes where document = ?", (number,))
    chunks = sql.rows(
        connection,
        "select c.public, c.text_hash, c.headings, c.number, p.start, p.end, p.header, p.first_line, p.last_line, p.page, p.tokens"
        " from chunk c join passage p on p.id = c.id where c.document = ? order by c.number",
        (number,),
    )
    plain = {
        "source": source,
        "document": [maybe_from_cell(title), type_, language, metadata, preset],
        "receipt": json.loads(receipt),
        "text": from_cell(text),
        "marks": json.loads(marks),
        "anchors": json.loads(anchors),
        "boxes": base64.b64encode(boxes).decode() if boxes else None,
        "file": [maybe_from_cell(root), maybe_from_cell(path), *file],
        "chunks": [[*chunk[:6], from_cell(chunk[6]), *chunk[7:]] for chunk in chunks],
    }
    packed = zlib.compress(documents.to_json(plain).encode(), _LEVEL)
    return packed, {chunk[1] for chunk in chunks}


def _chunk(source: str, text: str, row: Sequence[Any]) -> tuple[str, Chunk, str]:
    public, text_hash, headings, number, start, end, header, first, last, page, tokens = row
    lines = None if first is None else (first, last)
    span = Span(start, end)
    piece = Chunk(source, number, span, text[start:end], tuple(json.loads(headings)), header, lines, page, tokens)
    return public, piece, text_hash


def _file(source: str, path: str, size: int, modified_ns: int, digest: str | None) -> SourceFile:
    return SourceFile(source, from_cell(path), size, modified_ns, digest)


def _close(connection: apsw.Connection, source: str, names: access.Names | None) -> None:
    """Let the list that a document had before it was restored hold beside the one that it brings: an undo opens nothing."""
    brought = access.read(connection, source).get("document")
    access.write(connection, "document", [(source, access.both(brought, names))])


def _numbers(connection: apsw.Connection) -> list[int]:
    return [number for (number,) in sql.rows(connection, "select number from step order by number desc")]
