"""Which root a path belongs to, and what its files are called."""

from __future__ import annotations

from pathlib import Path

import pytest

from yinju.errors import SourceMissing, UsageError, YinjuError
from yinju.messages import set_language
from yinju.store import Store
from yinju.sync import SyncOptions, run
from yinju.sync.roots import Root, Target, owner, targets


def folder(path: Path, *files: str) -> Path:
    path = path.resolve()
    for name in files:
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_text("x")
    path.mkdir(parents=True, exist_ok=True)
    return path


def one(path: Path, known: list[Root], sources: list[str] | None = None) -> Target:
    (target,) = targets([path], known, sources or [])
    return target


def test_the_first_root_has_no_prefix_the_second_its_name(tmp_path: Path) -> None:
    first, second = folder(tmp_path / "帮助"), folder(tmp_path / "docs")
    assert one(first, []) == Target(str(first), "", is_new=True)
    assert one(second, [(str(first), "")]) == Target(str(second), "docs/", is_new=True)
    assert [t.prefix for t in targets([second, first], [])] == ["", "帮助/"], "in the order in which they were named"


def test_a_prefix_is_never_used_twice_nor_that_of_other_sources(tmp_path: Path) -> None:
    first, second, third = (folder(tmp_path / name) for name in ("a", "x/docs", "y/docs"))
    known = [(str(first), ""), (str(second), "docs/")]
    assert one(third, known).prefix == "docs-2/"
    assert one(third, known, ["docs-2/a.md"]).prefix == "docs-3/"


def test_a_path_inside_a_root_is_a_part_of_it(tmp_path: Path) -> None:
    root = folder(tmp_path / "docs", "a.md", "sub/b.md", "文档/甲.md")
    known = [(str(root), "docs/")]
    assert one(root, known) == Target(str(root), "docs/")
    assert one(root / "sub", known) == Target(str(root), "docs/", "sub")
    assert one(root / "文档" / "甲.md", known) == Target(str(root), "docs/", "文档/甲.md")


def test_a_hidden_or_ignored_part_is_a_root_of_its_own(tmp_path: Path) -> None:
    root = folder(tmp_path / "docs", ".notes/a.md", "drafts/b.md")
    (root / ".gitignore").write_text("drafts/\n")
    known = [(str(root), "")]
    assert one(root / ".notes", known) == Target(str(root / ".notes"), ".notes/", is_new=True)
    assert one(root / "drafts", known) == Target(str(root / "drafts"), "drafts/", is_new=True)


def test_a_part_that_is_gone_can_still_be_named(tmp_path: Path) -> None:
    root = folder(tmp_path / "docs", "a.md")
    known = [(str(root), "")]
    assert one(root / "gone.md", known, ["gone.md"]).part == "gone.md"
    assert one(root / "sub", known, ["sub/gone.md"]).part == "sub"
    for path in (root / "never.md", tmp_path / "nowhere"):
        with pytest.raises(SourceMissing):
            one(path, known, ["gone.md"])


def test_a_root_that_is_gone_stops_everything(tmp_path: Path) -> None:
    known = [(str(tmp_path.resolve() / "docs"), "")]
    with pytest.raises(SourceMissing):
        one(tmp_path / "docs", known, ["a.md"])
    with pytest.raises(SourceMissing):
        one(tmp_path / "docs" / "a.md", known, ["a.md"])


def test_files_of_one_folder_share_its_names(tmp_path: Path) -> None:
    root = folder(tmp_path / "docs", "a.md", "b.md")
    first = one(root / "a.md", [])
    assert first == Target(str(root / "a.md"), "", is_new=True)
    known = [(first.root, first.prefix)]
    assert one(root / "b.md", known).prefix == ""
    assert one(root, known) == Target(str(root), "", "", True, absorbs=frozenset({str(root / "a.md")}))
    assert targets([root / "a.md", root], known) == [one(root, known)], "a file of the folder is no place of its own"


def test_a_file_that_its_folder_would_not_show_stays_a_root_of_its_own(tmp_path: Path) -> None:
    root = folder(tmp_path / "资料", ".隐藏.md", "program.exe", "a.md")
    outside = folder(tmp_path / "elsewhere", "甲.md") / "甲.md"
    (root / "link.md").symlink_to(outside)
    known = [(str(root), "")]
    assert one(root / "a.md", known).part == "a.md"
    assert one(root / "program.exe", known).part == "program.exe", "its name alone puts no file out of its folder"
    for name in (".隐藏.md", "link.md"):
        assert one(root / name, known) == Target(str(root / name), "", is_new=True)
        both = [*known, (str(root / name), "")]
        assert one(root, both).leave_out == {str(root / name)}


def test_a_name_belongs_to_the_root_that_gives_such_names(tmp_path: Path) -> None:
    first, second = folder(tmp_path / "a", "x.md"), folder(tmp_path / "文档", "乙.md")
    known = [(str(first), ""), (str(second), "文档/"), (str(first / "x.md"), "")]
    assert owner("文档/乙.md", known) == str(second)
    assert owner("x.md", known) == str(first / "x.md")
    assert owner("y.md", known) == str(first)
    assert owner("y.md", known[1:]) is None


def test_nested_roots_do_not_share_files(tmp_path: Path) -> None:
    outer = folder(tmp_path / "docs", "inner/a.md")
    inner = outer / "inner"
    known = [(str(inner), "")]
    assert one(outer, known) == Target(str(outer), "docs/", "", True, frozenset({str(inner)}))
    both = targets([inner, outer], [])
    assert [(t.root, t.part) for t in both] == [(str(outer), "")], "the outer one holds the inner one already"


def test_a_place_that_is_named_twice_is_looked_at_once(tmp_path: Path) -> None:
    root = folder(tmp_path / "docs", "sub/a.md")
    assert len(targets([root, root / ".", str(root), root / "sub"], [])) == 1


def test_nothing_named_is_wrong_usage() -> None:
    with pytest.raises(UsageError):
        targets([], [])


def test_where_only_known_places_may_be_named_no_other_becomes_a_root(tmp_path: Path) -> None:
    root, other = folder(tmp_path / "a", "x.md"), folder(tmp_path / "b", "y.md")
    known = [(str(root), "")]
    assert [t.part for t in targets([root / "x.md"], known, new_roots=())] == ["x.md"]
    assert [t.root for t in targets([root, other], known, new_roots=(str(other),))] == [str(root), str(other)]
    for path in (other, other / "y.md", tmp_path):
        with pytest.raises(YinjuError, match="does not know") as caught:
            targets([path], known, new_roots=())
        assert caught.value.code == "outside"
    set_language("zh")
    with pytest.raises(YinjuError, match="没有这个位置"):
        targets([other], known, new_roots=(str(root),))


@pytest.mark.slow
def test_what_was_named_and_cannot_be_read_leaves_nothing_behind(tmp_path: Path) -> None:
    root = folder(tmp_path / "资料", "a.md", "图/program.exe", "图/甲.bak")
    outside = folder(tmp_path / "elsewhere", "broken.pdf", "乙.md")
    (root / "图" / "program.exe").write_bytes(b"\x7fELF\0\0\1")
    (outside / "broken.pdf").write_bytes(b"%PDF-1.4 broken")
    with Store.open(None) as store:
        run(store, [root])
        before = store.roots(), store.sources(), store.skipped()
        for path in (root / "图" / "program.exe", outside / "broken.pdf"):
            report = run(store, [path], options=SyncOptions(workers=1))
            assert report.skipped == 1
            assert report.files[0].reason
            assert (store.roots(), store.sources(), store.skipped()) == before
        assert run(store, [root / "图" / "甲.bak"]).files[0].source == "图/甲.bak", "of its folder, by its own name"
        assert store.roots() == before[0]
        assert run(store, [root]).removed == 0, "named once, it stays as long as it is there"
        (root / "图" / "甲.bak").unlink()
        assert run(store, [root]).removed == 1
        assert run(store, [outside / "乙.md"]).added == 1
        assert len(store.roots()) == 2
