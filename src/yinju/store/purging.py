"""Removing a text for good: the document, what was kept of it for an undo, and whatever else in the file repeats it.

Whoever purges wants no byte left, and a copy that nobody remembers is the rule: former versions under this name and under those that the document
had before, the log, the views beside the file, the write-ahead log. Vectors count as text, since much of a text can be told from its vector.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from yinju.errors import StoreError
from yinju.store import backup, closed, documents, former, opening, sql, vectors
from yinju.store.database import from_cell, to_cell
from yinju.store.faults import translated

if TYPE_CHECKING:
    import apsw

_ASKED = "select 1 from {table} where {column} in (select value from json_each(?)) limit 1"
KEPT_KINDS = ("backup", "purge")  # lines of the log that tell where something is, and quote nothing


def purge(connection: apsw.Connection, sources: Sequence[str]) -> None:
    """Remove the documents with these sources, all their former versions, and what else of the file's rows tells of them."""
    earlier = history(connection, sources)
    for number, _ in earlier:
        former.drop(connection, number)
    connection.execute("delete from step where number not in (select step from former)")
    gone: set[str] = set()
    for source in sources:
        gone |= documents.delete(connection, source)
    vectors.delete_orphans(connection, gone)
    for source in {*sources, *(name for _, name in earlier)}:
        cell = to_cell(source)
        if sql.cell(connection, "select 1 from document where source = ?", (cell,)) is None:
            connection.execute("delete from access where source = ? and origin <> 'owner'", (cell,))
            connection.execute("delete from skipped where source = ?", (cell,))
            closed.forget(connection, source)
            connection.execute("delete from held where source = ?", (cell,))
    _forget_in_log(connection, sources)


def history(connection: apsw.Connection, sources: Sequence[str]) -> list[tuple[int, str]]:
    """Return the former versions of these sources as (number, source), those under the names included that a document had before.

    From the newest step to the oldest: what a step moved to a wanted name has to be looked for under its old name from there on. What
    it moved away from a wanted name is another document, which lives on.
    """
    wanted = {to_cell(source) for source in sources}
    found = []
    for (step,) in sql.rows(connection, "select number from step order by number desc"):
        rows = sql.rows(connection, "select id, source, moved from former where step = ?", (step,))
        moved_here = {source for _, source, moved in rows if moved in wanted}
        found += [
            (number, from_cell(source))
            for number, source, moved in rows
            if moved in wanted or (source in wanted and moved is None)
        ]
        wanted |= moved_here
    return found


def former_texts(connection: apsw.Connection, sources: Sequence[str]) -> Iterator[str]:
    """Yield the texts of the former versions that `purge` would remove."""
    for number, _ in history(connection, sources):
        content = sql.cell(connection, "select content from former where id = ?", (number,))
        if content is not None:
            yield former.unpack(content).document.text


def hashes(connection: apsw.Connection, sources: Sequence[str]) -> set[str]:
    """Return the hashes of all texts that these sources have, or had before."""
    found: set[str] = set()
    for source in sources:
        asked = "select c.text_hash from document d join chunk c on c.document = d.id where d.source = ?"
        found |= {one for (one,) in sql.rows(connection, asked, (to_cell(source),))}
    for number, _ in history(connection, sources):
        found |= {
            one for (one,) in sql.rows(connection, "select text_hash from former_text where former = ?", (number,))
        }
    return found


def holders(connection: apsw.Connection, lines: Collection[str], without: Collection[str]) -> set[str]:
    """Return the other sources that have one of these lines (without white space around them)."""
    rows = connection.execute(
        "select d.source, p.text from chunk c join passage p on p.id = c.id join document d on d.id = c.document"
    )
    found = {cell for cell, text in rows if any(line.strip() in lines for line in from_cell(text).splitlines())}
    return {from_cell(cell) for cell in found} - set(without)


def is_held_by(path: Path, sources: Sequence[str], texts: Collection[str]) -> bool:
    """Tell whether a backup holds one of these sources or texts. One that cannot be read may well hold them."""
    try:
        with translated(path), contextlib.closing(opening.connect(path, immutable=True, bare=True)) as connection:
            names = json.dumps([to_cell(source) for source in sources])
            known = json.dumps(sorted(texts))
            tables = {name for (name,) in sql.rows(connection, "select name from sqlite_schema where type = 'table'")}
            return any(
                table in tables and sql.cell(connection, _ASKED.format(table=table, column=column), (values,))
                for table, column, values in (
                    ("document", "source", names),
                    ("former", "source", names),
                    ("chunk", "text_hash", known),
                    ("former_text", "text_hash", known),
                )
            )
    except (StoreError, OSError):
        return True


def backups(connection: apsw.Connection, folder: Path | None) -> list[str]:
    """Return the paths of the backups that the log knows of, or the list beside the file, which outlives it."""
    lines = [one for (one,) in sql.rows(connection, "select content from log where kind = 'backup' order by number")]
    if folder is not None:
        with contextlib.suppress(OSError, UnicodeDecodeError):
            lines += (folder / backup.KNOWN).read_text(encoding="utf-8").splitlines()
    found: dict[str, None] = {}
    for line in lines:
        with contextlib.suppress(ValueError, TypeError, KeyError):
            found[str(json.loads(line)["path"])] = None
    return list(found)


def rewrite(path: Path) -> None:
    """Write the file anew, page by page, by SQLite's `vacuum`. Raises StoreError (`disk-full`).

    `secure_delete` clears what is deleted, but not what a row leaves behind in a page when the rows of a table are spread anew over its pages
    (terms of two among 900 texts were left so, in trials with 150 documents that were changed, renamed and removed before). On a connection
    of its own, since ours keep temporary data in memory, and this would be all of the library.
    """
    with translated(path), contextlib.closing(opening.connect(path, writing=True, bare=True)) as connection:
        connection.pragma("synchronous", "full")
        connection.pragma("secure_delete", 1)
        connection.execute("vacuum")


def remove_views(folder: Path) -> list[Path]:
    """Remove all views, which are made anew when somebody asks, and return those that the system would not let go."""
    left = []
    for path in (*folder.glob("vectors-*.view"), *folder.glob("vectors-*.new")):
        try:
            path.unlink(missing_ok=True)
        except OSError:  # mapped by another process, where that keeps a file
            left.append(path)
    return left


def _forget_in_log(connection: apsw.Connection, sources: Sequence[str]) -> None:
    """Remove the lines that name one of the sources, but for those that say where a backup lies."""
    for number, kind, content in sql.rows(connection, "select number, kind, content from log"):
        if kind not in KEPT_KINDS and any(source in _strings(content) for source in sources):
            connection.execute("delete from log where number = ?", (number,))


def _strings(content: str) -> set[str]:
    found: set[str] = set()
    waiting = [json.loads(content)]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            found.add(one)
        elif isinstance(one, dict):
            waiting += [*one, *one.values()]
        elif isinstance(one, list):
            waiting += one
    return found
