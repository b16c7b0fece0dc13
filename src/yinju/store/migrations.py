"""The shape of the truth, as numbered steps. All steps that a file lacks are one transaction, with the record that they were taken.

A released step is never edited: what must change comes as a new one. docs of the tables stand beside them, for strangers who open the
file with another program (they need SQLite's `cksumvfs` only to write, not to read).
"""

from __future__ import annotations

import string
from dataclasses import dataclass
from typing import TYPE_CHECKING

from yinju.failing import reach

if TYPE_CHECKING:
    import apsw

# Our terms hold punctuation (`e-4031`, `--no-embed`); to the tokenizer everything but white space and controls is part of a term.
_PUNCTUATION = string.punctuation.replace("'", "''''")
_WORD_TABLE = (
    "using fts5(terms, content='', contentless_delete=1, detail=none, tokenize='ascii tokenchars ''"
    + _PUNCTUATION
    + "''')"
)

_FIRST = f"""
-- what was done to this file's shape
create table migration(number integer primary key, name text not null, time text not null);
-- settings of the library itself, such as its identity
create table value(key text primary key, value text not null) without rowid;
-- running totals: generation (raised by each writing transaction), documents, passages, words, bigrams
create table tally(name text primary key, number integer not null) without rowid;
insert into tally values('generation', 0), ('documents', 0), ('passages', 0), ('words', 0), ('bigrams', 0);
insert into value values('identity', lower(hex(randomblob(8))));
-- folders that are synced, and the prefix of their sources
create table root(root text primary key, prefix text not null) without rowid;
-- a text beginning with U+0001 is JSON for one that is no valid Unicode (a file name in another encoding)
create table document(
    id integer primary key autoincrement, source text not null unique, public text not null, title text, type text not null,
    language text not null, metadata text not null, preset text, receipt text not null, state text not null,
    root text, path text, size integer, modified_ns integer, digest text);
create index document_public on document(public);
create index document_digest on document(digest);
create table body(document integer primary key, text text not null, marks text not null, anchors text not null);
-- files that could not be indexed, so that an unchanged one is not read again
create table skipped(
    source text primary key, root text, path text, size integer, modified_ns integer, digest text,
    outcome text not null, reason text not null, hint text);
-- small rows that are scanned (chunk) and large ones that are fetched (passage), same id; an id is never used twice
create table chunk(
    id integer primary key autoincrement, public text not null, document integer not null, number integer not null,
    text_hash text not null, headings text not null);
create index chunk_public on chunk(public);
create index chunk_document on chunk(document, number);
create index chunk_hash on chunk(text_hash);
create table passage(
    id integer primary key, start integer not null, end integer not null, text text not null, header text not null,
    first_line integer, last_line integer, page integer, tokens integer not null);
-- the terms of each chunk with their counts, packed as store/terms.py says, for exact scores
create table kept(
    id integer primary key, words blob not null, bigrams blob not null, word_length integer not null, bigram_length integer not null);
-- the word index: which chunks hold a term
create virtual table words {_WORD_TABLE};
create virtual table bigrams {_WORD_TABLE};
insert into words(words, rank) values('secure-delete', 1);
-- FTS5's own 4,050 bytes a block do not fit a page of 4,096 with a checksum: each would spill a few bytes into a page of its own
insert into words(words, rank) values('pgsz', 4000);
insert into bigrams(bigrams, rank) values('pgsz', 4000);
insert into bigrams(bigrams, rank) values('secure-delete', 1);
-- vectors belong to (embedding fingerprint, indexed text), packed as store/vectors.py says; changed is a generation
create table space(id integer primary key autoincrement, fingerprint text not null unique, dimension integer not null);
create table vector(
    id integer primary key, space integer not null, text_hash text not null, changed integer not null, vector blob not null,
    unique(space, text_hash));
create index vector_changed on vector(space, changed);
create table log(number integer primary key autoincrement, kind text not null, time text not null, generation integer not null,
    content text not null);
"""


@dataclass(frozen=True, slots=True)
class Migration:
    """One step of the file's shape."""

    number: int
    name: str
    sql: str


_BOXES = """
-- where the words of a document stand on its pages, as yinju/boxes.py packs them, compressed by zlib
create table boxes(document integer primary key, words blob not null);
"""

_READERS = """
-- by which loaders, in which revisions, a file was read (null: by some before there were revisions)
alter table document add column reader text;
alter table skipped add column reader text;
"""

_ACCESS = """
-- who may see a source: a JSON array of names for each origin that gives one (document, rules, owner). An asker has to be on every list
-- of a source; a source without a list is open to all who may ask. Keyed by source: a list outlives the document that it protects
create table access(source text not null, origin text not null, names text not null, primary key(source, origin)) without rowid;
create index access_names on access(names);
-- what documents that are there say of themselves: a name, names between commas, a list of names; nobody where it is none of these
insert or ignore into access select d.source, 'document',
    case j.type when 'array' then j.value
        when 'text' then '[' || replace(replace(json_quote(j.value), ', ', ','), ',', '","') || ']' else '[]' end
    from document d, json_each(d.metadata) j where lower(trim(j.key)) = 'access';
-- so that the mean length of the passages that somebody may see is found without reading their terms
create index kept_lengths on kept(id, word_length, bigram_length);
"""

_STEPS = """
-- what changed documents (sync, add, remove), newest last; kept only as long as it can be undone
create table step(number integer primary key autoincrement, kind text not null, time text not null, generation integer not null);
-- what a step did to a source (added, updated, renamed to `moved`, removed), and how the document was before, as yinju/store/former.py
-- packs it (null: there was none)
create table former(
    id integer primary key autoincrement, step integer not null, source text not null, did text not null, moved text, content blob,
    unique(step, source));
-- texts of former documents, whose vectors are kept for them
create table former_text(former integer not null, text_hash text not null, primary key(former, text_hash)) without rowid;
create index former_text_hash on former_text(text_hash);
-- files that an undo holds back: a sync passes them over until their content is another (size null: until there is a file)
create table held(source text primary key, root text not null, path text, size integer, modified_ns integer, digest text) without rowid;
"""

_CLOSED = """
-- what each source with a list of the owner says, and said before: digests of files and texts, so that none is open under another name
create table closed(digest text not null, source text not null, primary key(digest, source)) without rowid;
create index closed_source on closed(source);
insert into closed select d.digest, d.source from document d join access a on a.source = d.source and a.origin = 'owner'
    where d.digest is not null;
"""

MIGRATIONS = (
    Migration(1, "the first shape", _FIRST),
    Migration(2, "word boxes", _BOXES),
    Migration(3, "readers", _READERS),
    Migration(4, "access lists", _ACCESS),
    Migration(5, "steps that can be undone", _STEPS),
    Migration(6, "texts that the owner closed", _CLOSED),
)
CURRENT = MIGRATIONS[-1].number


def migrate(connection: apsw.Connection, until: int = CURRENT) -> None:
    """Take all steps up to this one that the file has not taken yet, in one transaction. The caller holds the writer's lock."""
    connection.execute("begin immediate")
    try:
        for step in MIGRATIONS:
            if version(connection) < step.number <= until:
                _take(connection, step)
                reach("migrate-step")
        connection.execute("commit")
        reach("migrate-done")
    except BaseException:
        if connection.in_transaction:
            connection.execute("rollback")
        raise


def version(connection: apsw.Connection) -> int:
    """Return the number of the last step that the file has taken, 0 for an empty file."""
    return int(connection.pragma("user_version") or 0)


def _take(connection: apsw.Connection, step: Migration) -> None:
    connection.execute(step.sql)
    connection.execute(
        "insert into migration values(?, ?, strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))", (step.number, step.name)
    )
    connection.execute(f"pragma user_version = {step.number:d}")
