"""Access lists: who writes them, what they close, and that nothing but them decides what a principal sees."""

from __future__ import annotations

import inspect
import threading
from pathlib import Path

import pytest
from benchmarks import permissions

from access_world import QUESTIONS, READS, SHARED, Page, World, told
from pdf_writer import lines, make_pdf
from yinju import Library, library
from yinju.embed.hashing import HashingEmbedder
from yinju.errors import SourceMissing, StoreReadOnly, YinjuError
from yinju.load.plain.frontmatter import read_front_matter
from yinju.principal import Principal
from yinju.store import Store, access
from yinju.sync import access as rules
from yinju.types import Document

ANN, BOB = Principal("ann", ("hr",)), Principal("bob")


def sources(seen: Library) -> list[str]:
    return [record.source for record in seen.sources()]


def write(folder: Path, name: str, text: str) -> None:
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text, encoding="utf-8")


# lists


@pytest.mark.parametrize(
    ("metadata", "names"),
    [
        ({}, None), ({"access": "hr"}, ("hr",)), ({"access": "hr, 法务"}, ("hr", "法务")), ({"access": "人事，法务"}, ("人事", "法务")),
        ({"Access ": ["b", " a "]}, ("a", "b")), ({"access": []}, ()), ({"access": None}, ()), ({"access": 7}, ()), ({"access": ["a", 7]}, ()),
        ({"access": {"a": 1}}, ()), ({"access": "a,b", "ACCESS": "b,c"}, ("b",)), ({"access": ""}, ()),
    ],
)  # fmt: skip
def test_what_a_document_says_of_itself(metadata: dict[str, object], names: tuple[str, ...] | None) -> None:
    assert access.stated(metadata) == names


@pytest.mark.parametrize("cell", ['"hr"', "{}", "not json", '["hr", 3]', "null", None, 3, '[["hr"]]'])
def test_a_list_that_is_none_admits_nobody(cell: object) -> None:
    assert not access.admits(cell, {"hr", "*"})
    assert access.admits('["hr"]', {"hr"})


@pytest.mark.parametrize(
    "text",
    [
        "---\naccess: [hr, b\n---\nText", "---\naccess:\n  - hr\nbad: [\n---\nText", "---\naccess：人事\n---\n正文", '{"access": ["hr"\n\nText',
        "---\naccess: hr\n中文 标题：x\n---\n正文", "---\naccess: hr\n\nno end", "+++\naccess = [\n+++\nText", "---\nACCESS : [a\n---\nText",
    ],
)  # fmt: skip
def test_front_matter_that_seems_to_restrict_and_cannot_be_read_closes(text: str) -> None:
    found = read_front_matter(text)
    assert access.stated(found.metadata) == ()
    assert any("nobody" in warning for warning in found.warnings)


@pytest.mark.parametrize(
    "text",
    [
        "---\ntitle: t\nd: |\n  access: see\n---\nText",
        "---\n\nText: [a\n\n---\naccess: x",
        "Text\naccess: hr",
        "",
        "---\n",
    ],
)
def test_other_texts_are_open(text: str) -> None:
    assert access.stated(read_front_matter(text).metadata) is None


RULES = """# who may read what
人事/*: hr, 法务   # both
*.key: nobody
public/: *
/docs/**/plan.md: ann
人事/公开.md: *
"""


@pytest.mark.parametrize(
    ("path", "names"),
    [
        ("人事/工资.md", ("hr", "法务")), ("人事/2024/工资.md", ("hr", "法务")), ("人事/公开.md", ("*",)), ("a.md", None),
        ("x/server.KEY", ("nobody",)),
        ("public/a.md", ("*",)), ("docs/plan.md", ("ann",)), ("docs/a/b/plan.md", ("ann",)), ("PUBLIC/deep/a.md", ("*",)),
        ("plan.md", None), ("人事/a.zip!/b.md", ("hr", "法务")), ("人事", None),
    ],
)  # fmt: skip
def test_the_last_rule_that_matches_counts(path: str, names: tuple[str, ...] | None) -> None:
    assert rules.parse(RULES).names(path) == names


def test_a_folder_an_archive_and_a_composed_letter_are_meant_by_their_names() -> None:
    found = rules.parse("secret: hr\nbox.zip: hr\nCafe\u0301/*: hr\nwin\\dir\\*: hr\n内部：甲、乙")
    for path in ("secret/a.md", "box.zip!/a.md", "caf\u00e9/a.md", "win/dir/a.md"):
        assert found.names(path) == ("hr",), path
    assert found.names("内部/计划.md") == ("乙", "甲")


@pytest.mark.parametrize("text", ["secret/* hr", ": hr", "a: b\noops", "x" * 600 + ": hr", "a: b\n" * 2_001])
def test_rules_that_cannot_be_understood_close_the_folder(text: str) -> None:
    found = rules.parse(text)
    assert found.fault is not None
    assert found.names("any.md") == ()


def test_of_two_lists_the_names_on_both_count_and_a_star_is_everybody() -> None:
    assert access.both(("a", "b"), ("b", "c")) == ("b",)
    assert access.both(("a",), ("*",)) == access.both(("*",), ("a",)) == access.both(None, ("a",)) == ("a",)
    assert access.both(("*",), ("*", "a")) == ("*", "a")
    assert access.both(None, None) is None


def test_everyone_is_written_as_a_star_and_names_are_compared_composed() -> None:
    assert Principal("Andre\u0301").names == {"Andr\u00e9", "*"}
    assert access.split("Andre\u0301,, hr ") == ("Andr\u00e9", "hr")


# what a principal sees


def test_to_see_a_document_one_has_to_be_on_each_of_its_lists() -> None:
    world = World(None)
    world.put(
        Page(0),
        Page(1, ["hr"]),
        Page(2, ["hr"], None, ("ann",)),
        Page(3, "*", ("hr",), ("bob",)),
        Page(4, []),
        Page(5, 7),
    )
    names = [page.source for page in world.pages.values()]
    assert sources(world.library.seen_by(ANN)) == sorted(names[:3])
    assert sources(world.library.seen_by(BOB)) == names[:1]
    assert sources(world.library) == sorted(names)
    world.library.close()


def test_a_permission_that_is_taken_away_is_gone_with_the_next_call_and_comes_back() -> None:
    world = World(None)
    world.put(Page(0), Page(1, ["hr"]))
    seen, name = world.library.seen_by(ANN), world.pages[1].source
    assert seen.read(name).source == name
    word = world.pages[1].english("text")
    assert {hit.source for hit in seen.search(word, mode="lexical")} == {name}
    world.library.restrict(name, "bob")
    assert seen.search(word, mode="lexical") == []
    with pytest.raises(SourceMissing):
        seen.read(name)
    assert world.library.access(name) == {"document": ("hr",), "owner": ("bob",)}
    world.library.restrict(name, None)
    assert seen.read(name).source == name
    world.library.close()


def test_what_is_hidden_and_what_never_was_are_told_alike() -> None:
    world = World(None)
    world.put(Page(0), Page(1, ["hr"]))
    seen, hidden = world.library.seen_by(BOB), world.pages[1].source
    for name in READS.keys() - {"close"}:
        ours = told(seen, "warranty 保修", hidden, [name])
        never = told(seen, "warranty 保修", hidden.replace("zqc", "zqr"), [name])
        if name not in ("ask", "ask_stream", "context", "explain", "find", "prompt"):  # these tell times
            assert ours == never
        assert "zqc" not in str(ours)
    world.library.close()


def test_the_owner_alone_changes_looks_after_and_restores() -> None:
    world = World(None)
    world.put(Page(0))
    seen = world.library.seen_by(ANN)
    public = {name for name in dir(Library) if not name.startswith("_")}
    for name in sorted(public - library.READS):
        with pytest.raises(StoreReadOnly) as error:
            getattr(seen, name)
        assert error.value.code == "owner-only"
    for name in ("writer", "check", "access_lists"):
        with pytest.raises(StoreReadOnly):
            getattr(seen.store, name)()
    assert seen.status()["library"] is None
    assert seen.status()["size_bytes"] is None
    with pytest.raises(SourceMissing):
        world.library.restrict("nothing.md", ["hr"])
    world.library.close()


def test_every_method_that_a_principal_may_call_is_tried_in_these_tests() -> None:
    assert set(READS) == library.READS
    assert all(callable(getattr(Library, name)) for name in READS)


# beside the facade: the store itself

# What is asked of the store for a principal. A method that is not here fails the test below until somebody has thought about it.
OF_THE_OWNER = {"access", "access_lists", "check", "seen_by", "size_bytes", "writer"}
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
        "sources": [record.source for record in store.sources(space)],
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
        writer.put([entry("zqcfile.md", "zqc line", access="hr")])
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


# files, names, threads


@pytest.mark.slow
def test_rules_apply_at_the_next_sync_and_no_file_is_read_for_them(tmp_path: Path) -> None:
    write(tmp_path, "人事/工资.md", "# 工资\n\n每月十五日发放。")
    write(tmp_path, "a.md", "# A\n\nOpen to all.")
    with Library.open(tmp_path / ".yinju", embedder=HashingEmbedder()) as made:
        made.sync(tmp_path)
        seen = made.seen_by(BOB)
        assert sources(seen) == ["a.md", "人事/工资.md"]
        for text, expected in (
            ("人事/*: hr\n", ["a.md"]), ("人事/*: hr, bob\n", ["a.md", "人事/工资.md"]), ("*: ann\na.md: bob", ["a.md"]), ("oops", []),
        ):  # fmt: skip
            write(tmp_path, ".yinjuaccess", text)
            report = made.sync(tmp_path)
            assert (report.added, report.updated, report.embedded, report.unchanged) == (0, 0, 0, 2)
            assert sources(seen) == expected, text
            assert bool(report.notices) == (text == "oops")
            generation = made.status()["generation"]
            made.sync(tmp_path)
            assert made.status()["generation"] == generation  # nothing left to do
        (tmp_path / ".yinjuaccess").unlink()
        (tmp_path / ".yinjuaccess").mkdir()
        made.sync(tmp_path)
        assert sources(seen) == []
        (tmp_path / ".yinjuaccess").rmdir()
        made.sync(tmp_path / "a.md")  # a part of the root: the rules hold for all of it
        assert sources(seen) == ["a.md", "人事/工资.md"]


@pytest.mark.slow
def test_a_new_file_is_never_seen_before_its_rules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, "open.md", "# Open\n\nText.")
    write(tmp_path, ".yinjuaccess", "secret/*: hr")
    with Library.open(tmp_path / ".yinju", embedder=HashingEmbedder()) as made:
        made.sync(tmp_path)
        seen, met = made.seen_by(BOB), []
        write(tmp_path, "secret/plan.md", "# Plan\n\nNobody knows.")
        made.sync(
            tmp_path,
            progress=lambda _progress: met.append(sources(seen)),
            on_file=lambda _report: met.append(sources(seen)),
        )
        assert met
        assert all(found == ["open.md"] for found in met)
        write(tmp_path, "secret/plan.md", "# Plan\n\nEverybody may know this, what was secret is gone.")
        write(tmp_path, ".yinjuaccess", "")
        made.sync(tmp_path, on_file=lambda report: met.append([record.source for record in seen.sources()]))
        assert sources(seen) == ["open.md", "secret/plan.md"]
        assert "Nobody" not in seen.read("secret/plan.md").text


@pytest.mark.slow
def test_rules_of_a_folder_hold_for_a_folder_inside_it_that_is_synced_alone(tmp_path: Path) -> None:
    write(tmp_path, "docs/a.md", "# A\n\nText.")
    write(tmp_path, "docs/inner/b.md", "# B\n\nText.")
    write(tmp_path, "docs/inner/c.md", "# C\n\nText.")
    write(tmp_path, "docs/.yinjuaccess", "inner/b.md: hr")
    write(tmp_path, "docs/inner/.yinjuaccess", "b.md: *\nc.md: ann")
    with Library.open(tmp_path / "library", embedder=HashingEmbedder()) as made:
        made.sync([tmp_path / "docs", tmp_path / "docs/inner"])
        assert len(sources(made)) == 3
        assert sources(made.seen_by(BOB)) == ["a.md"]
        assert len(sources(made.seen_by(ANN))) == 3
        write(tmp_path, "docs/.yinjuaccess", "")
        made.sync(tmp_path / "docs/a.md")
        assert sources(made.seen_by(BOB)) == ["a.md", "inner/b.md"]
    with Library.open(tmp_path / "other", embedder=HashingEmbedder()) as made:
        write(tmp_path, "docs/.yinjuaccess", "inner/b.md: hr")
        made.sync(tmp_path / "docs/inner")  # a root of its own: the rules around it are not known yet
        assert sources(made.seen_by(BOB)) == ["b.md"]
        made.sync(tmp_path / "docs")
        assert [name.rsplit("/")[-1] for name in sources(made.seen_by(BOB))] == ["a.md"]


@pytest.mark.slow
def test_a_folder_that_is_gone_takes_no_list_with_it(tmp_path: Path) -> None:
    write(tmp_path, "a.md", "# A\n\nText.")
    write(tmp_path, "secret/b.md", "# B\n\nText.")
    write(tmp_path, "secret/.yinjuaccess", "*: hr")
    with Library.open(tmp_path / "library", embedder=HashingEmbedder()) as made:
        made.sync(tmp_path)
        (tmp_path / "secret").rename(tmp_path.parent / "elsewhere")
        made.sync(tmp_path / "a.md")
        assert sources(made) == ["a.md", "secret/b.md"]
        assert sources(made.seen_by(BOB)) == ["a.md"]


@pytest.mark.slow
def test_lists_follow_a_rename_and_outlive_removal_and_reading_anew(tmp_path: Path) -> None:
    write(tmp_path, "计划.md", "---\naccess: bob, hr\n---\n# 计划\n\n明年的计划。")
    write(tmp_path, "b.md", "# B\n\nText.")
    with Library.open(tmp_path / ".yinju", embedder=HashingEmbedder()) as made:
        made.sync(tmp_path)
        made.restrict("计划.md", ["hr"])
        (tmp_path / "计划.md").rename(tmp_path / "新计划.md")
        assert made.sync(tmp_path).renamed == 1
        assert made.access("新计划.md") == {"document": ("bob", "hr"), "owner": ("hr",)}
        assert sources(made.seen_by(BOB)) == ["b.md"]
        write(tmp_path, "新计划.md", "# 计划\n\n后年的计划。")
        made.sync(tmp_path)
        assert made.access("新计划.md") == {"owner": ("hr",)}
        made.remove("新计划.md")
        made.sync(tmp_path, allow_mass_delete=True)
        assert sources(made.seen_by(ANN)) == ["b.md", "新计划.md"]
        assert sources(made.seen_by(BOB)) == ["b.md"]


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
def test_pages_are_drawn_of_documents_that_may_be_seen(tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(make_pdf([lines(["Six months of warranty for every apple that we sell."])]))
    with Library.open(tmp_path / ".yinju", embedder=HashingEmbedder()) as made:
        made.sync(tmp_path)
        seen = made.seen_by(BOB)
        assert seen.page_picture("a.pdf", 1).startswith(b"\x89PNG")
        made.restrict("a.pdf", "hr")
        with pytest.raises(SourceMissing):
            seen.page_picture("a.pdf", 1)


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
