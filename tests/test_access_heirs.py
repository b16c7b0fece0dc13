"""The owner's list follows a text and a name: what was closed under one name is not open under another, however it got there."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sync_fakes import Reader
from yinju.errors import DocumentError
from yinju.load import Limits, Loaded, archive, load
from yinju.principal import Principal
from yinju.store import Store
from yinju.sync import add, run, undo
from yinju.sync.heirs import _by_name, notices
from yinju.sync.values import SyncOptions
from yinju.types import Document, SourceFile, SyncReport

BOB = Principal("bob")
TEXTS = ("# Pay\n\nThe pay of Ann is 4711 yuan.", "# 工资\n\n安娜的工资为 4711 元。")
OTHER = "# Menu\n\nSoup and rice. 汤和饭。"


class ArchiveReader(Reader):
    """Reads members of archives too."""

    def _load(self, file: SourceFile) -> Loaded | DocumentError:
        if (place := archive.split(file.path)) is None:
            return super()._load(file)
        return load(archive.read_member(*place, Limits())[0], file.source)


class World:
    """A folder, its library, and what Bob sees of it."""

    def __init__(self, home: Path) -> None:
        self.root = home / "docs"
        self.root.mkdir()
        self.store = Store.open(home / "library")

    def write(self, name: str, text: str, folder: Path | None = None) -> None:
        path = (folder or self.root) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def sync(self, *roots: Path, **options: object) -> SyncReport:
        return run(self.store, roots or [self.root], pool=ArchiveReader(), options=SyncOptions(embed=False, **options))  # type: ignore[arg-type]

    def restrict(self, source: str, names: tuple[str, ...] | None = ("hr",)) -> None:
        with self.store.writer() as writer:
            writer.set_access("owner", {source: names})

    @property
    def seen(self) -> list[str]:
        return [one.source for one in self.store.seen_by(BOB).sources()]

    @property
    def there(self) -> list[str]:
        return [one.source for one in self.store.sources()]


@pytest.fixture(params=TEXTS)
def world(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[World]:
    made = World(tmp_path)
    made.write("b.md", request.param)
    made.write("open.md", OTHER)
    made.sync()
    made.restrict("b.md")
    assert made.seen == ["open.md"]
    yield made
    made.store.close()


def _other_suffix(world: World) -> list[str]:
    (world.root / "b.md").rename(world.root / "d.txt")
    world.sync()
    return ["d.txt"]


def _other_recipe(world: World) -> list[str]:
    (world.root / "b.md").rename(world.root / "d.md")
    world.sync(presets={"*": "window"})
    return ["d.md"]


def _other_letters(world: World) -> list[str]:
    (world.root / "b.md").rename(world.root / "between")
    (world.root / "between").rename(world.root / "B.MD")
    world.sync(presets={"*": "window"})
    return ["B.MD"]


def _swap(world: World) -> list[str]:
    (world.root / "b.md").rename(world.root / "between")
    (world.root / "open.md").rename(world.root / "b.md")
    (world.root / "between").rename(world.root / "open.md")
    world.sync()
    return ["open.md"]


def _copy(world: World) -> list[str]:
    world.write("sub/copy.md", (world.root / "b.md").read_text("utf-8"))
    world.sync()
    return ["sub/copy.md"]


def _over_another(world: World) -> list[str]:
    (world.root / "b.md").replace(world.root / "open.md")
    world.sync()
    return ["open.md"]


def _what_it_said_before(world: World) -> list[str]:
    before = (world.root / "b.md").read_text("utf-8")
    world.write("b.md", "# Pay\n\nNothing is said here any more.")
    world.sync()
    world.write("old.txt", before)
    world.sync()
    return ["old.txt"]


def _in_two_syncs(world: World) -> list[str]:
    aside = world.root.parent / "aside"
    (world.root / "b.md").rename(aside)
    world.sync()
    aside.rename(world.root / "d.txt")
    world.sync()
    return ["d.txt"]


def _into_an_archive(world: World) -> list[str]:
    with zipfile.ZipFile(world.root / "all.zip", "w") as made:
        made.write(world.root / "b.md", "inner/d.md")
    (world.root / "b.md").unlink()
    world.sync()
    return ["all.zip!/inner/d.md"]


def _out_of_an_archive(world: World) -> list[str]:
    _into_an_archive(world)
    world.restrict("b.md", None)
    with zipfile.ZipFile(world.root / "all.zip") as made:
        text = made.read("inner/d.md").decode()
    (world.root / "all.zip").unlink()
    world.write("e.txt", text)
    world.sync()
    return ["e.txt"]


def _to_another_root(world: World) -> list[str]:
    elsewhere = world.root.parent / "elsewhere"
    world.write("menu.md", OTHER, elsewhere)
    world.sync(world.root, elsewhere)
    (world.root / "b.md").rename(elsewhere / "d.txt")
    world.sync(world.root, elsewhere)
    return [next(source for source in world.there if source.endswith("d.txt"))]


def _edited_and_moved(world: World) -> list[str]:
    text = (world.root / "b.md").read_text("utf-8")
    (world.root / "b.md").unlink()
    world.write("sub/B.txt", text + "\n\nMore. 更多。")
    world.sync()
    return ["sub/B.txt"]


def _edited_and_moved_to_another_root(world: World) -> list[str]:
    elsewhere = world.root.parent / "elsewhere"
    world.write("menu.md", OTHER, elsewhere)
    world.sync(world.root, elsewhere)
    text = (world.root / "b.md").read_text("utf-8")
    (world.root / "b.md").unlink()
    world.write("b.md", text + "\n\nMore. 更多。", elsewhere)
    world.sync(elsewhere, world.root)
    return [next(source for source in world.there if source.endswith("b.md"))]


def _added_by_hand(world: World) -> list[str]:
    text = (world.root / "b.md").read_text("utf-8")
    add(world.store, [Document.from_text(text, source="memo")], options=SyncOptions(embed=False))
    return ["memo"]


def _renamed_in_an_order_that_suits_an_open_copy(world: World) -> list[str]:
    world.write("c.md", (world.root / "b.md").read_text("utf-8"))
    world.sync()
    world.restrict("c.md", None)
    (world.root / "b.md").unlink()
    (world.root / "c.md").rename(world.root / "c2.md")
    world.sync()
    return ["c2.md"]


WAYS = (
    _other_suffix, _other_recipe, _other_letters, _swap, _copy, _over_another, _what_it_said_before, _in_two_syncs, _into_an_archive,
    _out_of_an_archive, _to_another_root, _edited_and_moved, _edited_and_moved_to_another_root, _added_by_hand,
    _renamed_in_an_order_that_suits_an_open_copy,
)  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__.strip("_"))
def test_what_is_closed_under_one_name_is_not_open_under_another(
    world: World, way: Callable[[World], list[str]]
) -> None:
    expected = way(world)
    assert set(expected) <= set(world.there)
    assert not set(expected) & set(world.seen)
    assert all(world.store.access(source)["owner"] == ("hr",) for source in expected)
    told = world.sync(check=True).notices
    assert not told  # once is enough
    world.restrict(expected[0], None)
    world.sync(presets={"*": "headings"})  # all is read again, and says what it said
    assert expected[0] in world.seen


@pytest.mark.slow
def test_the_sync_says_whose_list_holds_for_what(world: World) -> None:
    (world.root / "b.md").rename(world.root / "d.txt")
    (told,) = world.sync().notices
    assert "b.md" in told
    assert "`yinju access d.txt --open`" in told


@pytest.mark.slow
def test_both_lists_hold_where_the_other_name_has_one(world: World) -> None:
    world.restrict("d.txt", ("hr", "bob"))
    world.restrict("b.md", ("bob", "ann"))
    (world.root / "b.md").rename(world.root / "d.txt")
    world.sync()
    assert world.store.access("d.txt")["owner"] == ("bob",)


@pytest.mark.slow
def test_a_list_for_all_and_other_texts_close_nothing(world: World) -> None:
    world.restrict("b.md", ("*",))
    world.write("copy.txt", (world.root / "b.md").read_text("utf-8"))
    world.write("sub/new.md", "# New\n\nSomething else. 别的。")
    assert not world.sync().notices
    assert {"copy.txt", "sub/new.md"} <= set(world.seen)


@pytest.mark.slow
def test_an_undo_brings_no_open_copy_back(world: World) -> None:
    world.restrict("b.md", None)
    world.write("copy.md", (world.root / "b.md").read_text("utf-8"))
    world.sync()
    (world.root / "copy.md").unlink()
    world.sync()
    world.restrict("b.md")
    report = undo(world.store)
    assert "copy.md" in world.there
    assert world.seen == ["open.md"]
    assert any("copy.md" in notice for notice in report.notices)


def test_names_that_may_be_the_same_and_those_that_are_not() -> None:
    lists = {"a/费用.md": ("hr",), "b/plan.md": ("*",), "b/费用.pdf": ("ann", "hr")}
    wanted, heirs = _by_name(
        lists, ["a/费用.md", "b/plan.md", "open.md"], ["c/费用.docx", "plan.md", "open.txt", "费用2.md"]
    )
    assert wanted == {"c/费用.docx": ("hr",)}
    assert heirs == [("c/费用.docx", "a/费用.md")]
    assert _by_name({"x/Cafe\u0301.md": ()}, ["x/Cafe\u0301.md"], ["y/caf\xe9.txt"])[0] == {"y/caf\xe9.txt": ()}
    assert len(notices([(f"{n}.md", "a.md") for n in range(9)])) == 6
