"""What a scan sees, what it leaves alone, and what it calls a problem."""

from __future__ import annotations

import os
import sys
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yinju.errors import SourceMissing
from yinju.sync.ignore import is_safe
from yinju.sync.scan import Scan, is_below, scan

posix_only = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX files")
not_root = pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="root may read everything")


def is_document(name: str) -> bool:
    return not name.endswith((".png", ".7z"))


def write(root: Path, *names: str, text: str = "x") -> None:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def look(root: Path, **options: object) -> Scan:
    return scan(os.path.realpath(root), is_document=is_document, **options)  # type: ignore[arg-type]


def names(found: Scan) -> list[str]:
    return [file.source for file in found.files]


def problems(found: Scan) -> dict[str, str | None]:
    return {problem.source: problem.reason for problem in found.problems}


def test_files_are_named_from_the_root_with_slashes_and_sorted(tmp_path: Path) -> None:
    write(tmp_path, "b.md", "a/c.md", "a/b/d.txt", "帮助/订阅方案.md")
    found = look(tmp_path)
    assert names(found) == ["a/b/d.txt", "a/c.md", "b.md", "帮助/订阅方案.md"]
    assert found.files[2].size == 1
    assert found.files[2].modified_ns == (tmp_path / "b.md").stat().st_mtime_ns
    assert Path(found.files[0].path) == tmp_path.resolve() / "a" / "b" / "d.txt"


def test_hidden_files_and_libraries_are_left_alone_and_not_counted(tmp_path: Path) -> None:
    write(tmp_path, "a.md", ".hidden.md", ".git/x.md", ".yinju/library.md", "sub/.yinju/y.md", "sub/.隐藏/甲.md")
    found = look(tmp_path)
    assert names(found) == ["a.md"]
    assert (found.ignored, found.problems) == (0, ())


def test_files_that_are_no_documents_are_counted(tmp_path: Path) -> None:
    write(tmp_path, "a.md", "logo.png", "图/标志.png", "pack.7z")
    found = look(tmp_path)
    assert (names(found), found.ignored) == (["a.md"], 3)


def test_ignore_files_hold_below_their_folder_and_the_deepest_decides(tmp_path: Path) -> None:
    write(tmp_path, "a.md", "draft.md", "sub/draft.md", "sub/keep/draft.md", "build/x.md", "sub/草稿.md", "only.tmp.md")
    write(tmp_path, ".gitignore", text="draft.md\nbuild/\n# a comment\n\n*.tmp.md\n")
    write(tmp_path, "sub/.yinjuignore", text="草稿.md\n")
    write(tmp_path, "sub/keep/.gitignore", text="!draft.md\n")
    assert names(look(tmp_path)) == ["a.md", "sub/keep/draft.md"]


def test_yinjuignore_has_the_last_word_in_its_folder(tmp_path: Path) -> None:
    write(tmp_path, "notes/a.md", "笔记/甲.md", "secret.md")
    write(tmp_path, ".gitignore", text="notes/\n笔记/\n")
    write(tmp_path, ".yinjuignore", text="!notes/\n!笔记/\nsecret.md\n")
    assert names(look(tmp_path)) == ["notes/a.md", "笔记/甲.md"]


def test_an_anchored_pattern_holds_in_its_folder_only(tmp_path: Path) -> None:
    write(tmp_path, "a.md", "sub/a.md", "sub/b.md", "sub/sub/b.md")
    write(tmp_path, ".gitignore", text="/a.md\n")
    write(tmp_path, "sub/.gitignore", text="/b.md\n")
    assert names(look(tmp_path)) == ["sub/a.md", "sub/sub/b.md"]


def test_the_repository_around_a_root_has_its_say(tmp_path: Path) -> None:
    write(tmp_path, ".git/HEAD", "package/a.md", "package/node_modules/readme.md", "build/docs/b.md")
    write(tmp_path, ".gitignore", text="node_modules/\nbuild/\n")
    assert names(look(tmp_path / "package")) == ["a.md"]
    assert names(look(tmp_path / "build/docs")) == ["b.md"], "an ignored folder that was named is wanted"


def test_patterns_that_could_match_for_ever_are_left_out_and_named(tmp_path: Path) -> None:
    write(tmp_path, "a" * 200 + ".md", "b.md")
    write(tmp_path, ".gitignore", text="*a*a*a*a*a*a*a*a*a*b\nb.md\n[z-a]\n!\n")
    found = look(tmp_path)
    assert names(found) == ["a" * 200 + ".md"]
    assert len(found.notices) == 3


@pytest.mark.parametrize(
    ("line", "safe"),
    [("*.md", True), ("**/x/**/y", True), ("*a*b*", True), ("*a*b*c*", False), ("**/a/**/b/**/c/**/d/**/e", False), ("x" * 1001, False)],
)  # fmt: skip
def test_safe_patterns(line: str, safe: bool) -> None:
    assert is_safe(line) is safe


@posix_only
def test_links_are_followed_inside_the_root_only(tmp_path: Path) -> None:
    root = tmp_path / "root"
    write(root, "real/a.md", "文档/甲.md")
    write(tmp_path, "outside/secret.md", "outside.md")
    (root / "inside.md").symlink_to("real/a.md")
    (root / "链接.md").symlink_to("文档/甲.md")
    (root / "folder").symlink_to("real")
    (root / "out.md").symlink_to(tmp_path / "outside.md")
    (root / "out").symlink_to(tmp_path / "outside")
    (root / "dangling.md").symlink_to("nowhere")
    found = look(root)
    assert names(found) == ["folder/a.md", "inside.md", "real/a.md", "文档/甲.md", "链接.md"]
    assert problems(found) == {"dangling.md": "missing", "out": "outside root", "out.md": "outside root"}
    assert all(problem.hint for problem in found.problems)


@posix_only
def test_loops_of_links_are_survived(tmp_path: Path) -> None:
    write(tmp_path, "a/x.md", "b/y.md")
    (tmp_path / "self").symlink_to(".")
    (tmp_path / "a/up").symlink_to("..")
    (tmp_path / "a/to_b").symlink_to("../b")
    (tmp_path / "b/to_a").symlink_to("../a")
    (tmp_path / "ring1.md").symlink_to("ring2.md")
    (tmp_path / "ring2.md").symlink_to("ring1.md")
    found = look(tmp_path)
    assert names(found) == ["a/to_b/y.md", "a/x.md", "b/to_a/x.md", "b/y.md"]
    assert problems(found) == {"ring1.md": "missing", "ring2.md": "missing"}


@posix_only
def test_a_link_into_a_library_is_not_followed(tmp_path: Path) -> None:
    write(tmp_path, ".yinju/x.md", "a.md")
    (tmp_path / "library").symlink_to(".yinju")
    assert names(look(tmp_path)) == ["a.md"]


@posix_only
def test_pipes_are_never_opened(tmp_path: Path) -> None:
    write(tmp_path, "a.md")
    os.mkfifo(tmp_path / "pipe.md")
    os.mkfifo(tmp_path / "pipe.png")
    os.mkfifo(tmp_path / ".gitignore")
    found = look(tmp_path)
    assert (names(found), problems(found), found.ignored) == (["a.md"], {"pipe.md": "not-a-file"}, 1)


@posix_only
@not_root
def test_folders_that_cannot_be_listed_are_named(tmp_path: Path) -> None:
    write(tmp_path, "a.md", "locked/b.md")
    (tmp_path / "locked").chmod(0)
    try:
        found = look(tmp_path)
    finally:
        (tmp_path / "locked").chmod(0o700)
    assert (names(found), problems(found), found.unlisted) == (["a.md"], {"locked": "permission"}, ("locked",))
    assert found.covers("a.md")
    assert not found.covers("locked/b.md")


def test_a_folder_that_cannot_be_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, "a.md", "locked/b.md", "网络/甲.md")
    listing = os.scandir
    errors = {"locked": PermissionError(13, "no"), "网络": OSError(5, "Input/output error")}

    def scandir(path: str) -> object:
        if error := errors.get(os.path.basename(path)):
            raise error
        return listing(path)

    monkeypatch.setattr(os, "scandir", scandir)
    found = look(tmp_path)
    assert names(found) == ["a.md"]
    assert problems(found) == {"locked": "permission", "网络": "unreadable: Input/output error"}
    assert not found.covers("网络/甲.md")


@posix_only
def test_names_survive_as_they_are_on_disk(tmp_path: Path) -> None:
    nfc, nfd = unicodedata.normalize("NFC", "é.md"), unicodedata.normalize("NFD", "é.md")
    strange = ["new\nline.md", "back\\slash.md", "rtl\u202e.md", " space .md", "CASE.md", "case.md", nfc, nfd]
    write(tmp_path, *strange)
    raw = os.fsencode(tmp_path.resolve()) + b"/\xb8\xe5.md"  # a name in GBK
    try:
        Path(os.fsdecode(raw)).write_text("x")
    except OSError:
        raw = b""
    on_disk = sorted(os.listdir(tmp_path.resolve()))
    found = look(tmp_path)
    assert names(found) == on_disk
    assert set(on_disk) >= {"new\nline.md", "back\\slash.md"}
    assert not raw or "\udcb8\udce5.md" in on_disk


def test_a_part_is_looked_at_with_the_rules_above_it(tmp_path: Path) -> None:
    write(tmp_path, "a.md", "sub/b.md", "sub/draft.md", "sub/deep/draft.md")
    write(tmp_path, ".gitignore", text="draft.md\n")
    found = look(tmp_path, part="sub")
    assert (names(found), found.part) == (["sub/b.md"], "sub")
    assert found.covers("sub/gone.md")
    assert not found.covers("a.md")
    assert not found.covers("subway.md")
    assert names(look(tmp_path, part="sub/b.md")) == ["sub/b.md"]
    assert names(look(tmp_path, part="sub/gone.md")) == []


def test_a_named_file_is_taken_whatever_it_is_called(tmp_path: Path) -> None:
    write(tmp_path, "logo.png", ".hidden.md", "甲.md")
    assert names(look(tmp_path / "logo.png")) == ["logo.png"]
    assert names(look(tmp_path / ".hidden.md")) == [".hidden.md"]
    found = look(tmp_path / "甲.md", prefix="笔记/")
    assert (names(found), found.root) == (["笔记/甲.md"], str(tmp_path.resolve()))


def test_prefix_and_other_roots(tmp_path: Path) -> None:
    write(tmp_path, "a.md", "inner/b.md")
    found = look(tmp_path, prefix="docs/", leave_out=frozenset({str(tmp_path.resolve() / "inner")}))
    assert names(found) == ["docs/a.md"]
    assert found.covers("docs/gone.md")
    assert not found.covers("other/a.md")


def test_a_missing_root_stops_everything(tmp_path: Path) -> None:
    with pytest.raises(SourceMissing) as caught:
        look(tmp_path / "nowhere")
    assert caught.value.hint


def test_progress_is_told_by_folder(tmp_path: Path) -> None:
    write(tmp_path, "a.md", "sub/b.md")
    met: list[int] = []
    look(tmp_path, met=met.append)
    assert met == [1, 2]


name = st.text(st.sampled_from("ab/."), max_size=6)


@given(name, name)
def test_below_means_equal_or_behind_a_slash(source: str, folder: str) -> None:
    expected = source == folder or source.startswith(folder + "/") if folder else True
    if not folder.endswith("/"):
        assert is_below(source, folder) is expected
