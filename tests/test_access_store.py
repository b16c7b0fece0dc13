"""The store as a principal sees it: each method keeps to what may be seen, and a filter that is left out anywhere is noticed."""

from __future__ import annotations

import inspect
import threading
from pathlib import Path

import pytest
from benchmarks import permissions

from access_world import QUESTIONS, SHARED, Page, World, told
from yinju import Library
from yinju.embed.hashing import HashingEmbedder
from yinju.errors import YinjuError
from yinju.principal import Principal
from yinju.store import Store, access
from yinju.types import Document

ANN, BOB = Principal("ann", ("hr",)), Principal("bob")


def sources(seen: Library) -> list[str]:
    return [record.source for record in seen.sources()]


def write(folder: Path, name: str, text: str) -> None:
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text, encoding="utf-8")


# beside the facade: the store itself

# What is asked of the store for a principal. A method that is not here fails the test below until somebody has thought about it.
OF_THE_OWNER = {"access", "access_lists", "check", "glance", "own_files", "seen_by", "size_bytes", "writer"}
TELLS_NOTHING = {"close", "folder", "generation", "open", "path", "sees_all", "snapshot", "writable"}


def all_that_a_store_tells(store: Store, hidden: str, rows: list[int], owner: Store) -> dict[str, object]:
    import numpy as np

    every, space = np.array(rows, dtype=np.int64), HashingEmbedder().fingerprint
    vector = HashingEmbedder().embed_queries(["warranty"])[0]
    words, pairs = [f"zqc{place}vx" for place in ("text", "title", "head")], ["齾麤", "靐齾", "保修"]
    public = owner.chunks_of(hidden)[0].id
    return {
        "backups_with": store.backups_with([hidden]),
        "former_sources": store.former_sources(),
        "former_texts": store.former_texts([hidden, "zqcfile.md"]),
        "holders": store.holders([SHARED, "zqc line"], [hidden]) | store.holders([SHARED, "zqc line"], []),
        "allowed": [int(row) for row in store.allowed({"source": "*"})],
        "bigrams_beginning": store.bigrams_beginning("龗") | store.bigrams_beginning("齾") | store.bigrams_beginning("靐"),
        "boxes": store.boxes(hidden),
        "chunk_by_id": store.chunk_by_id(public),
        "chunks": [chunk.rowid for chunk in store.chunks(rows)],
        "chunks_of": store.chunks_of(hidden),
        "counts": store.counts(),
        "document": store.document(hidden),
        "file": store.file(hidden),
        "files": store.files("/root"),
        "fingerprints": store.fingerprints(),
        "holds": store.holds(),
        "ignored": store.ignored(),
        "languages": store.languages(),
        "log": store.log(),
        "missing_vectors": store.missing_vectors("none", 99, rows),
        "nearest": [row for row, _ in store.nearest(space, vector, 99, every)] + [row for row, _ in store.nearest(space, vector, 99)],
        "readers": store.readers("/root"),
        "receipt": store.receipt(hidden),
        "roots": store.roots(),
        "similarities": sorted(store.similarities(space, vector, rows)),
        "skipped": store.skipped(),
        "sources": [(record.source, record.root) for record in store.sources(space)],
        "sources_of": sorted(store.sources_of(every)),
        "statistics": store.statistics(words, pairs),
        "steps": store.steps(),
        "term_counts": sorted(store.term_counts(rows)),
        "value": [store.value(key) for key in ("identity", "home", "synced:/root", "floor:2:x")],
        "vectors": sorted(store.vectors(space, rows)),
        "word_candidates": sorted(store.word_candidates(["warranti", *words], pairs, 99, every) + store.word_candidates(words, pairs, 99)),
    }  # fmt: skip


def a_store_with_secrets() -> tuple[World, list[str]]:
    """One open document, one hidden with everything that a store can keep of it."""
    from store_samples import entry
    from yinju.store import Skipped

    world = World(HashingEmbedder())
    world.put(Page(0, copies=True), Page(1, ["hr"], copies=True))
    with world.library.store.writer() as writer:
        writer.set_root("/zqcroot", "")
        writer.set_value("home", "/root")
        writer.set_value("synced:/root", "zqc")
        writer.set_value("floor:2:x", "zqc")
        writer.skip([Skipped("zqcskipped.md", "/root", None, "skipped", "zqcreason")])
        writer.log("sync", {"source": "zqcnamevx"})
        writer.put([entry("zqcfile.md", "zqc line", root="/zqcroot", access="hr")])
        writer.set_access("owner", {"zqcfile.md": ("hr",)})
    return world, ["zqc", "靐齾", "齾麤"]


def findings() -> list[str]:
    """Return all that a principal learns of hidden documents, by method: nothing where all is well."""
    world, secrets = a_store_with_secrets()
    owner, hidden = world.library.store, world.pages[1].source
    seen = world.library.seen_by(BOB)
    rows = [chunk.rowid for name in (hidden, "zqcfile.md", world.pages[0].source) for chunk in owner.chunks_of(name)]
    mine = {chunk.rowid for chunk in owner.chunks_of(world.pages[0].source)}
    found = []
    for name, value in all_that_a_store_tells(seen.store, hidden, rows, owner).items():
        said = repr(value).replace(hidden, "")
        if isinstance(value, list) and value and all(isinstance(row, int) for row in value) and not set(value) <= mine:
            found.append(f"{name}: rows {value}")
        elif name == "statistics":
            total = seen.store.statistics(["warranti"], ["保修"])
            found += [f"{name}: {value}"] if any(value.word_frequency.values()) or value.passages != len(mine) else []
            found += [f"{name}: {total}"] if max(total.word_frequency.values()) > len(mine) else []
        else:
            found += [f"{name}: {secret}" for secret in secrets if secret in said]
    only = World(HashingEmbedder())
    only.put(Page(0, copies=True))
    theirs = all_that_a_store_tells(only.library.store, only.pages[0].source, [], only.library.store)
    ours = all_that_a_store_tells(seen.store, only.pages[0].source, [], owner)
    for name in ("counts", "languages", "statistics", "bigrams_beginning", "fingerprints"):
        found += [f"{name}: {ours[name]}"] if ours[name] != theirs[name] else []
    for question in QUESTIONS[:4]:
        for name, said in told(seen, question, hidden).items():
            found += [f"{name}: {secret}" for secret in secrets if secret in said]
    world.library.restrict(world.pages[0].source, "hr")  # from now on nothing may be seen
    found += [f"{name} after a change" for name, said in told(seen, QUESTIONS[0], hidden).items() if "zqb" in said]
    for one in (world, only):
        one.library.close()
    return found


@pytest.mark.slow
def test_every_method_of_the_store_keeps_to_what_may_be_seen() -> None:
    assert findings() == []
    public = {name for name, _ in inspect.getmembers(Store) if not name.startswith("_")}
    world, _ = a_store_with_secrets()
    tried = set(all_that_a_store_tells(world.library.store, world.pages[1].source, [], world.library.store))
    assert public == tried | OF_THE_OWNER | TELLS_NOTHING


def _open_view(name: str):
    def break_it(patch: pytest.MonkeyPatch) -> None:
        from yinju.store import seen

        patch.setitem(seen._VIEWS, name, f"select * from main.{name}")

    return break_it


def _open_frequencies(name: str):
    def break_it(patch: pytest.MonkeyPatch) -> None:
        from yinju.store import seen

        statement = f"select term, count(*) as doc from temp.{name.split('_', maxsplit=1)[0]}_holder group by term"
        patch.setitem(seen._VIEWS, name, statement)

    return break_it


def _open_table(name: str):
    def break_it(patch: pytest.MonkeyPatch) -> None:
        from yinju.store import seen

        patch.setattr(seen, "_AS_THEY_ARE", seen._AS_THEY_ARE | {name})

    return break_it


def _no_filter_in_legs(patch: pytest.MonkeyPatch) -> None:
    from yinju.store.seen import SeenStore

    patch.setattr(SeenStore, "_within", lambda _self, _connection, allowed: allowed)


def _vector_leg_open(patch: pytest.MonkeyPatch) -> None:
    _no_filter_in_legs(patch)
    _open_view("chunk")(patch)


def _everyone_admitted(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(access, "admits", lambda _cell, _names: True)


def _seen_once(patch: pytest.MonkeyPatch) -> None:
    from yinju.store import seen

    settle, done = seen.settle, set()

    def once(connection, names):
        if id(connection) not in done:
            done.add(id(connection))
            settle(connection, names)

    patch.setattr(seen, "settle", once)


def _any_fingerprint(patch: pytest.MonkeyPatch) -> None:
    from yinju.store.seen import SeenStore

    patch.setattr(SeenStore, "fingerprints", Store.fingerprints)


BROKEN = {
    "words leg": _no_filter_in_legs, "vector leg": _vector_leg_open, "words' frequencies": _open_frequencies("words_frequency"),
    "bigrams' frequencies": _open_frequencies("bigrams_frequency"), "documents": _open_view("document"), "chunks": _open_view("chunk"),
    "kept terms": _open_view("kept"), "totals": _open_view("tally"), "values": _open_view("value"), "skipped files": _open_table("skipped"),
    "roots": _open_table("root"), "log": _open_table("log"), "lists": _everyone_admitted, "generations": _seen_once,
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", BROKEN)
def test_a_filter_that_is_left_out_is_noticed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    BROKEN[name](monkeypatch)
    assert findings() != []


@pytest.mark.slow
def test_where_a_visible_file_lies_is_not_told(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# A\n\nText.", encoding="utf-8")
    with Library.open(tmp_path / "library", embedder=HashingEmbedder()) as made:
        made.sync(tmp_path)
        assert made.sources()[0].root == str(tmp_path)
    with Library.open(tmp_path / "library", embedder=HashingEmbedder(), read_only=True) as made:
        seen = made.seen_by(BOB)
        assert [record.source for record in seen.sources()] == ["a.md"]
        for question in QUESTIONS:
            assert str(tmp_path) not in str(told(seen, question, "a.md") | told(seen, question, "b.md"))


@pytest.mark.slow
def test_a_fingerprint_of_hidden_vectors_alone_is_not_told(monkeypatch: pytest.MonkeyPatch) -> None:
    world = World(HashingEmbedder())
    world.put(Page(1, ["hr"]))
    seen = world.library.seen_by(BOB)
    assert seen.store.fingerprints() == {}
    _any_fingerprint(monkeypatch)
    assert seen.store.fingerprints() != {}
    world.library.close()


# how good and how fast


@pytest.mark.slow
def test_legs_find_what_a_look_at_every_visible_passage_finds() -> None:
    with Library.open(embedder=HashingEmbedder()) as made:
        made.add(permissions.documents(2_000))
        asked = permissions.questions(10)
        for group in permissions.SHARES:
            for leg, recall in permissions.recalls(made, group, asked).items():
                assert recall >= 0.99, (group, leg)
            assert permissions.alike(made, group, asked) == 1.0


@pytest.mark.slow
def test_names_that_are_swapped_swap_their_lists() -> None:
    from store_samples import entry, file_of

    with Store.open(None) as store:
        with store.writer() as writer:
            writer.put([entry("a.md", "甲 文"), entry("b.md", "乙 文", access="bob")])
            writer.set_access("owner", {"a.md": ("ann",)})
            writer.rename([("a.md", "b.md", file_of("b.md")), ("b.md", "a.md", file_of("a.md"))])
        assert store.access("b.md") == {"owner": ("ann",)}
        assert store.access("a.md") == {"document": ("bob",)}


@pytest.mark.slow
def test_many_principals_share_connections_and_none_sees_for_another(tmp_path: Path) -> None:
    made = Library.open(tmp_path / "library", embedder=HashingEmbedder())
    made.add(
        Document.from_text(f"# {n}\n\nText of number {n}.", source=f"{n}.md", metadata={"access": f"p{n}"})
        for n in range(8)
    )
    wrong: list[object] = []

    def ask(number: int) -> None:
        seen = made.seen_by(Principal(f"p{number}"))
        for _ in range(15):
            try:
                found = {hit.source for hit in seen.search("text number", limit=10)} | set(sources(seen))
            except YinjuError as error:
                found = {repr(error)}
            if found != {f"{number}.md"}:
                wrong.append((number, found))

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for number in range(10):
        made.restrict("0.md", ["p0", f"x{number}"])
    for thread in threads:
        thread.join()
    assert wrong == []
    made.close()
    with pytest.raises(RuntimeError):
        made.seen_by(BOB)
