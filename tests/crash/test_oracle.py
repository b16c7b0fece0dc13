"""What judges every crash has to notice what a crash could do: each fault that is planted here is one that it names."""

from __future__ import annotations

import random

import apsw
import apsw.sqlite_extra
import pytest
from benchmarks.resilience import oracle
from benchmarks.resilience.child import FINGERPRINTS, Embedder, Reader
from benchmarks.resilience.world import World, marker, text

from yinju import sync
from yinju.store import Store

pytestmark = pytest.mark.slow

FAULTS = {  # what is done to the tables -> part of what has to be said
    "delete from document where id = 2": "is absent, may be",
    "update body set text = replace(text, 'd2v1', 'd9v1')": "is d9v1, may be",
    "insert into chunk(public, document, number, text_hash, headings) select public, document, 9, text_hash, headings from chunk;"
    " insert into passage select c.id, p.start, p.end, p.text, p.header, p.first_line, p.last_line, p.page, p.tokens"
    " from chunk c join chunk o on o.public = c.public and o.id < c.id join passage p on p.id = o.id": "stands twice",
    "delete from chunk where id = (select max(id) from chunk)": "receipt does not balance",
    "update passage set text = text || 'x' where id = 1": "is not the text at its place",
    "update passage set end = end - 3 where id = 1": "characters",
    "update chunk set text_hash = 'sha256:0' where id = 1": "another hash than its text",
    "update kept set words = (select words from kept where id = 2) where id = 1": "other terms than its text",
    "delete from words where rowid = 1": "the words lead from",
    "insert into words(rowid, terms) values(999, 'd1v2')": "the words lead from d1v2",
    "delete from vector where id = 1; update tally set number = number + 1 where name = 'passages'": "totals say",
    "update vector set vector = (select vector from vector where id = 2) where id = 1": "is of another text",
    "update tally set number = number + 1 where name = 'documents'": "totals say",
}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Return a library of three documents and what it may hold."""
    place = tmp_path_factory.mktemp("oracle")
    world = World(place / "docs", random.Random(1))
    world.start(3)
    with Store.open(place / "library") as store:
        sync.run(store, [world.root], pool=Reader, embedder=Embedder(FINGERPRINTS[0]))
    return place / "library", {source: {text} for source, text in world.wanted().items()}


def test_a_sound_library_has_no_problems(made):
    folder, allowed = made
    with Store.open(folder) as store:
        assert oracle.problems(store, allowed, living={marker(1, 1)}, dead={marker(1, 2)}) == []
        source = next(iter(allowed))
        found = oracle.problems(store, {**allowed, source: {text(99, 1), None}})
        assert len(found) == 1
        assert "may be" in found[0]
        assert "is d" in oracle.problems(store, {})[0], "nothing was allowed"


@pytest.mark.parametrize(("fault", "named"), FAULTS.items())
def test_each_planted_fault_is_named(made, tmp_path, fault, named):
    folder, allowed = made
    holder = apsw.Connection(":memory:")
    apsw.sqlite_extra.load(holder, "cksumvfs")
    for path in folder.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    connection = apsw.Connection(str(tmp_path / "library.db"))
    connection.execute(fault)
    connection.close()
    holder.close()
    with Store.open(tmp_path) as store:
        found = oracle.problems(store, allowed, dead={marker(1, 2)}, whole=False)
    assert any(named in one for one in found), found
