"""Texts that an owner closed, so that they are not open under another name: what turns up with such a text takes its list.

A list is keyed by a name, and files get new names in ways that no sync can follow: another suffix, another folder, into an archive, a swap, a
copy. What they say is the same. So for each source with a list of the owner it is kept, as digests, what it says and what it said before: of the
file's bytes, and of the text that was read from them, which stays when only the encoding or the archive is another. A document that comes to say
one of these things, in the transaction in which it does, is put on that list as well. One that said so before and is open was opened, or left
open, by the owner, and stays so.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

from yinju.principal import EVERYONE
from yinju.store import access, sql
from yinju.store.database import from_cell, to_cell

if TYPE_CHECKING:
    import apsw

    from yinju.store.records import Entry
    from yinju.types import SourceFile

Heir = tuple[str, str]  # a source, and another one whose list now also holds for it


def before_put(connection: apsw.Connection, entry: Entry) -> list[Heir]:
    """Close the document that is about to be stored, if it says what is closed elsewhere and did not say so before."""
    source = entry.document.source
    if not _matters(connection, source):
        return []
    return _close(connection, source, _says(entry.document.text, entry.file))


def before_rename(connection: apsw.Connection, pairs: Collection[tuple[str, str]]) -> list[Heir]:
    """Let what is known of documents follow them to other names (old, new), where their lists are already, and close what it must."""
    if not _matters(connection):
        return []
    said = [(new, _said(connection, old), _known(connection, old)) for old, new in pairs]
    for old in {old for old, _ in pairs} & {new for _, new in pairs}:
        forget(connection, old)
    found: list[Heir] = []
    for new, says, known in said:
        if _own(connection, new) is not None:
            _remember(connection, new, known)
        found += _close(connection, new, says)
    return found


def remember(connection: apsw.Connection, source: str) -> None:
    """Note what a source says that has got a list."""
    _remember(connection, source, _said(connection, source))


def forget(connection: apsw.Connection, source: str) -> None:
    """A source has no list any more, or must leave no trace."""
    connection.execute("delete from closed where source = ?", (to_cell(source),))


def _matters(connection: apsw.Connection, source: str | None = None) -> bool:
    """Tell whether the owner closed anything, or this source, which may have had no text to remember."""
    if sql.cell(connection, "select exists(select 1 from closed)"):
        return True
    return source is not None and _own(connection, source) is not None


def _close(connection: apsw.Connection, source: str, says: Collection[str]) -> list[Heir]:
    names = before = _own(connection, source)
    found = []
    for giver in sorted(_givers(connection, source, set(says) - _said(connection, source))):
        given = _own(connection, giver)
        if given is None or EVERYONE in given:
            continue
        both = access.both(names, given)
        if both != names:
            names = both
            found.append((source, giver))
    if names != before:
        access.write(connection, "owner", [(source, names)])
    if names is not None:
        _remember(connection, source, says)
    return found


def _givers(connection: apsw.Connection, source: str, says: Iterable[str]) -> set[str]:
    asked = "select source from closed where digest = ? and source <> ?"
    return {from_cell(cell) for one in says for (cell,) in sql.rows(connection, asked, (one, to_cell(source)))}


def _own(connection: apsw.Connection, source: str) -> access.Names | None:
    return access.read(connection, source).get("owner")


def _remember(connection: apsw.Connection, source: str, says: Iterable[str]) -> None:
    rows = [(digest, to_cell(source)) for digest in sorted(says)]
    connection.executemany("insert or ignore into closed values(?, ?)", rows)


def _known(connection: apsw.Connection, source: str) -> set[str]:
    return {
        digest for (digest,) in sql.rows(connection, "select digest from closed where source = ?", (to_cell(source),))
    }


def _said(connection: apsw.Connection, source: str) -> set[str]:
    """Return the digests of what the document of this name says now."""
    asked = "select d.digest, b.text from document d join body b on b.document = d.id where d.source = ?"
    row = sql.row(connection, asked, (to_cell(source),))
    return set() if row is None else _digests(from_cell(row[1]), row[0])


def _says(text: str, file: SourceFile | None) -> set[str]:
    return _digests(text, None if file is None else file.digest)


def _digests(text: str, of_file: str | None) -> set[str]:
    """Return the names of what is said: of a text that ends in other blanks too, which a loader may leave out."""
    of_text = "sha256:" + hashlib.sha256(text.strip().encode("utf-8", "surrogatepass")).hexdigest()
    return {of_text} if of_file is None else {of_text, of_file}
