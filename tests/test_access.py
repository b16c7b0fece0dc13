"""Access lists: who writes them, what they close, and that nothing but them decides what a principal sees."""

from __future__ import annotations

from pathlib import Path

import pytest

from access_world import READS, Page, World, told
from yinju import Library, library
from yinju.embed.hashing import HashingEmbedder
from yinju.errors import SourceMissing, StoreReadOnly
from yinju.load.plain.frontmatter import read_front_matter
from yinju.principal import Principal
from yinju.store import access
from yinju.sync import access as rules
from yinju.sync.watch import _is_visible_in

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
    assert any("access is not understood" in warning for warning in found.warnings)


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


def test_a_watched_folder_notices_a_change_of_its_rules() -> None:
    assert _is_visible_in("/docs", "/docs/人事/.yinjuaccess")
    assert not _is_visible_in("/docs", "/docs/.hidden/.yinjuaccess")


def test_everyone_is_written_as_a_star_and_names_are_compared_composed() -> None:
    assert Principal("Andre\u0301").names == {"Andr\u00e9", "*"}
    assert access.split("Andre\u0301,, hr ") == ("Andr\u00e9", "hr")


# what a principal sees


def test_to_see_a_document_one_has_to_be_on_each_of_its_lists() -> None:
    world = World(HashingEmbedder())
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
    world = World(HashingEmbedder())
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


@pytest.mark.slow
def test_what_is_hidden_and_what_never_was_are_told_alike() -> None:
    world = World(HashingEmbedder())
    world.put(Page(0), Page(1, ["hr"]))
    seen, hidden = world.library.seen_by(BOB), world.pages[1].source
    for name in READS.keys() - {"close"}:
        ours = told(seen, "warranty 保修", hidden, [name])
        never = told(seen, "warranty 保修", hidden.replace("zqc", "zqr"), [name])
        if name not in ("ask", "ask_stream", "context", "explain", "find", "prompt"):  # these tell times
            assert ours == never
        assert "zqc" not in str(ours)
    world.library.close()


@pytest.mark.slow
def test_the_owner_alone_changes_looks_after_and_restores() -> None:
    world = World(HashingEmbedder())
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
