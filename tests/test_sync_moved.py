"""Files that belong to another root than before: a single file whose folder is synced, and folders that are moved with their library."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from sync_fakes import Embedder, Reader, contents
from test_sync_run import OLD, run, write
from web_client import over, served
from yinju import Library, sync
from yinju.store import Store, Writer
from yinju.sync.health import findings
from yinju.sync.moving import moved, roots_now
from yinju.types import SourceFile

pytestmark = pytest.mark.slow
NAMES = [("docs", "a.md", "b.md"), ("资料", "甲.md", "乙.md")]
TEXTS = ("# Plans\n\nThe yearly plan costs 168 yuan.\n", "# 方案\n\n年费方案每年 198 元。\n")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "library") as opened:
        yield opened


@pytest.fixture(params=NAMES, ids=("English", "Chinese"))
def files(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, Path]:
    """Return two files of one folder."""
    folder, *names = request.param
    one, other = (write(tmp_path / folder, name, text) for name, text in zip(names, TEXTS, strict=True))
    return one, other


def recorded(store: Store) -> dict[str, str | None]:
    return {summary.source: summary.root for summary in store.sources()}


def quiet(store: Store, *paths: Path) -> None:
    """Hold that nothing is left to do."""
    generation, reader = store.generation, Reader()
    report = run(store, *paths, reader=reader)
    assert (report.added, report.updated, report.removed, report.renamed, report.skipped) == (0, 0, 0, 0, 0)
    assert (reader.seen, store.generation) == ([], generation)


@pytest.mark.parametrize(
    "order", ["file, folder", "folder, file", "file and folder", "file, file, folder", "file, folder and file"]
)
def test_a_file_and_its_folder_are_one_place_in_every_order(store: Store, files: tuple[Path, Path], order: str) -> None:
    one, other = files
    folder, embedder = one.parent, Embedder()
    steps = {
        "file, folder": [(one,), (folder,)],
        "folder, file": [(folder,), (one,)],
        "file and folder": [(one, folder)],
        "file, file, folder": [(one,), (other,), (folder,)],
        "file, folder and file": [(one,), (folder, one)],
    }[order]
    for paths in steps:
        report = run(store, *paths, embedder=embedder)
        assert (report.removed, report.updated, report.skipped) == (0, 0, 0)
        quiet(store, *paths)
    assert len(embedder.texts) == len(set(embedder.texts)), "no vector is computed twice"
    assert recorded(store) == {path.name: str(folder.resolve()) for path in files}
    assert store.roots() == [(str(folder.resolve()), "")]
    for paths in ((folder,), (one,), (other,), (one, folder)):
        quiet(store, *paths)
    write(folder, one.name, "changed 改了", OLD + 10**9)
    other.unlink()
    assert [(r.updated, r.removed) for r in [run(store, folder)]] == [(1, 1)]


def test_a_file_alone_is_a_root_of_its_own(store: Store, files: tuple[Path, Path]) -> None:
    one, other = files
    run(store, one)
    assert recorded(store) == {one.name: str(one.resolve())}
    quiet(store, one)
    write(one.parent, one.name, "changed 改了", OLD + 10**9)
    assert run(store, one).updated == 1
    run(store, other)
    assert recorded(store) == {path.name: str(path.resolve()) for path in files}
    one.unlink()
    assert run(store, one.parent).removed == 1, "its folder is listed, and it is not there"
    assert recorded(store) == {other.name: str(one.parent.resolve())}


def test_what_the_folder_would_not_show_is_left_to_itself(store: Store, files: tuple[Path, Path]) -> None:
    one, other = files
    (one.parent / ".gitignore").write_text(one.name + "\n", encoding="utf-8")
    for paths in ((one,), (one.parent,), (one,), (one.parent,)):
        run(store, *paths)
    assert recorded(store) == {one.name: str(one.resolve()), other.name: str(one.parent.resolve())}
    quiet(store, one.parent, one)


def test_an_undo_of_the_file_holds_when_its_folder_is_synced(store: Store, files: tuple[Path, Path]) -> None:
    one, _ = files
    run(store, one)
    write(one.parent, one.name, "changed 改了", OLD + 10**9)
    run(store, one)
    sync.undo(store)
    before = contents(store)[one.name]
    report = run(store, one.parent)
    assert (report.added, report.updated, report.held) == (1, 0, 1)
    assert contents(store)[one.name] == before
    assert recorded(store)[one.name] == str(one.parent.resolve())
    assert run(store, one.parent, release=True).updated == 1


def test_an_undo_reaches_back_over_the_folder(store: Store, files: tuple[Path, Path]) -> None:
    one, _ = files
    run(store, one)
    before = contents(store)
    write(one.parent, one.name, "changed 改了", OLD + 10**9)
    run(store, one)
    run(store, one.parent)
    sync.undo(store, 2)
    assert contents(store) == before
    assert recorded(store) == {one.name: str(one.parent.resolve())}, "the root of then is none any more"
    assert {hold.root for hold in store.holds()} == {str(one.parent.resolve())}
    report = run(store, one.parent)
    assert (report.held, report.added, report.skipped) == (2, 0, 0)
    assert run(store, one.parent, release=True).added == 1


def as_earlier_versions_wrote(store: Store, file: Path) -> None:
    """Let the document of a single file belong to its folder, while the file is the root."""
    with store.writer() as writer:
        writer.adopt(str(file.parent.resolve()), "", {file.name: str(file)})
        (written,) = (root for root, _ in store.roots() if root != str(file.parent.resolve()))
        writer.adopt(written, "", {}, forget=[str(file.parent.resolve())])


@pytest.mark.parametrize("first", ["file", "folder"])
def test_a_library_with_the_wrong_root_heals(store: Store, files: tuple[Path, Path], first: str) -> None:
    one, _ = files
    run(store, one, embedder=Embedder())
    as_earlier_versions_wrote(store, one)
    assert recorded(store) == {one.name: str(one.parent.resolve())}
    assert store.roots() == [(str(one.resolve()), "")]
    embedder = Embedder()
    if first == "file":
        report = run(store, one, embedder=embedder)
        assert (report.unchanged, report.skipped, report.removed, embedder.texts) == (1, 0, 0, [])
        assert recorded(store) == {one.name: str(one.resolve())}
        quiet(store, one)
    report = run(store, one.parent, embedder=embedder)
    assert (report.added, report.unchanged, report.removed, len(embedder.texts)) == (1, 1, 0, 1)
    assert recorded(store) == {path.name: str(one.parent.resolve()) for path in files}
    assert store.roots() == [(str(one.parent.resolve()), "")]
    quiet(store, one.parent)


def library_with_uploads(folder: Path, names: tuple[str, ...], count: int = 1) -> dict[str, object]:
    """Make a library of this folder, in it, with uploads and a single hidden file as roots of their own."""
    for number in range(count):
        write(folder, f"{number}-{names[0]}", TEXTS[0] + str(number))
        write(folder / ".yinju" / "uploads", f"{number}-{names[1]}", TEXTS[1] + str(number))
    write(folder, f".{names[0]}", "hidden 隐藏")
    with Store.open(folder / ".yinju") as store:
        for path in (folder, folder / ".yinju" / "uploads", folder / f".{names[0]}"):
            run(store, path, embedder=Embedder())
        return dict(contents(store))


@pytest.fixture(params=NAMES, ids=("English", "Chinese"))
def names(request: pytest.FixtureRequest) -> tuple[str, ...]:
    return tuple(request.param[1:])


@pytest.mark.parametrize("first", ["home", "uploads"])
@pytest.mark.parametrize("copied", [False, True])
def test_every_root_inside_moves_with_the_library(
    tmp_path: Path, names: tuple[str, ...], first: str, copied: bool
) -> None:
    old, new = tmp_path / "old", tmp_path / "搬家" / "new"
    before = library_with_uploads(old, names)
    new.parent.mkdir()
    shutil.copytree(old, new) if copied else old.rename(new)
    uploads, hidden = new / ".yinju" / "uploads", new / f".{names[0]}"
    there = {(str(new.resolve()), ""), (str(uploads.resolve()), "uploads/"), (str(hidden.resolve()), "")}
    with Store.open(new / ".yinju") as store:
        assert len(moved(store)) == 3
        assert set(roots_now(store)) == there
        assert not [one for one in findings(store, None) if one.kind == "folder-gone"]
        assert sync.plan_only(store, [new, uploads]).removed == 0
        reader, embedder = Reader(), Embedder()
        for path in {"home": (new, uploads), "uploads": (uploads, new)}[first]:
            report = run(store, path, reader=reader, embedder=embedder)
            assert (report.added, report.updated, report.removed, report.unchanged) == (0, 0, 0, 1)
            assert not moved(store)
        assert (reader.seen, embedder.texts) == ([], []), "the files are the same: nothing is read again"
        assert contents(store) == before
        assert set(store.roots()) == there
        assert all(file.path.startswith(str(new.resolve())) for root, _ in there for file in store.files(root).values())
        quiet(store, new, uploads, hidden)
    if not copied:
        new.rename(old)
        with Store.open(old / ".yinju") as store:
            quiet_after = run(store, old)
            assert (quiet_after.added, quiet_after.updated, quiet_after.removed) == (0, 0, 0)
            assert {root for root, _ in store.roots()} == {
                str(path.resolve()) for path in (old, old / ".yinju" / "uploads", old / f".{names[0]}")
            }


def test_a_library_that_was_moved_before_roots_were_followed_heals(tmp_path: Path, names: tuple[str, ...]) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    before = library_with_uploads(old, names, count=12)
    old.rename(new)
    at = str((new / ".yinju" / "uploads").resolve())
    with Store.open(new / ".yinju") as store:
        run(store, new)
        entries = {source: file for source, file in store.files(at).items() if source.startswith("uploads/")}
        assert len(entries) == 12
        gone = str(old / ".yinju" / "uploads")
        with store.writer() as writer:  # what such a version left: the old root, and every upload under two names
            writer.adopt(gone, "uploads/", {s: file.path.replace(at, gone) for s, file in entries.items()}, forget=[at])
            for kind in ("recipe", "synced"):
                writer.set_value(f"{kind}:{gone}", store.value(f"{kind}:{at}"))
            writer.set_value("folder", None)
        twice = [Path(file.path) for file in entries.values()]
        with store.writer() as writer:
            writer.set_root(at, "uploads-2/")
        _index_again(store, at, twice)
        assert store.counts().documents == len(before) + 12
        write(new / ".yinju" / "uploads", "late.md", "It came later. 后来的。")
        late = new / ".yinju" / "uploads" / "late.md"
        _index_again(store, at, [late])
        report = run(store, new / ".yinju" / "uploads")
        assert (report.added, report.updated, report.removed, report.renamed) == (0, 0, 12, 1)
        found = contents(store)
        assert found.pop("uploads/late.md")
        assert found == before
        assert dict(store.roots())[at] == "uploads/"
        quiet(store, new / ".yinju" / "uploads")


POINTS = [
    (name, call, after)
    for name, call in (("adopt", 1), ("adopt", 3), ("set_value", 2), ("set_value", 5))
    for after in (False, True)
]


@pytest.mark.parametrize(("point", "call", "after"), POINTS)
def test_a_move_that_is_interrupted_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, point: str, call: int, after: bool
) -> None:
    old, new = tmp_path / "旧", tmp_path / "new"
    before = library_with_uploads(old, ("甲.md", "b.md"))
    old.rename(new)
    uploads, hidden = new / ".yinju" / "uploads", new / ".甲.md"
    with Store.open(new / ".yinju") as store:
        real, calls = getattr(Writer, point), [0]

        def stops(*arguments: object, **named: object) -> None:
            calls[0] += 1
            if after or calls[0] != call:
                real(*arguments, **named)
            if calls[0] == call:
                raise KeyboardInterrupt

        monkeypatch.setattr(Writer, point, stops)
        with pytest.raises(KeyboardInterrupt):
            run(store, uploads)
        monkeypatch.undo()
        reader, embedder = Reader(), Embedder()
        for path in (new, uploads, hidden):
            report = run(store, path, reader=reader, embedder=embedder)
            assert (report.added, report.updated, report.removed, report.unchanged) == (0, 0, 0, 1)
        assert (reader.seen, embedder.texts, contents(store)) == ([], [], before)
        assert {root for root, _ in store.roots()} == {str(path.resolve()) for path in (new, uploads, hidden)}
        quiet(store, new, uploads, hidden)


def test_the_server_names_and_syncs_the_places_of_a_moved_library(tmp_path: Path, names: tuple[str, ...]) -> None:
    old, new = tmp_path / "old", tmp_path / "新"
    library_with_uploads(old, names)
    old.rename(new)
    uploads, hidden = new / ".yinju" / "uploads", new / f".{names[0]}"
    there = {str(path.resolve()): 1 for path in (new, uploads, hidden)}
    with Library.open(new / ".yinju") as library, served(library) as client:
        for _ in range(2):
            listed = client.get("/api/roots").json()["roots"]
            assert {root["path"]: root["files"] for root in listed} == there
            assert len(listed) == 3
            report = over(client, client.post("/api/sync", json={}).json()["job"])["report"]
            assert (report["added"], report["updated"], report["removed"], report["unchanged"]) == (0, 0, 0, 3)
        stored = client.post("/api/upload", files={"files": (f"new-{names[1]}", f"new {TEXTS[1]}".encode())})
        report = over(client, stored.json()["job"])["report"]
        assert report["added"] == 1, report
        assert f"uploads/new-{names[1]}" in contents(library.store)


def _index_again(store: Store, root: str, files: list[Path]) -> None:
    from yinju.sync.apply import apply
    from yinju.sync.plan import Plan

    add = tuple(
        SourceFile(f"uploads-2/{path.name}", str(path), path.stat().st_size, path.stat().st_mtime_ns) for path in files
    )
    apply(store, Plan(root, "uploads-2/", add=add), Reader())


def test_a_library_that_leaves_its_folder_behind_takes_no_root_along(tmp_path: Path, names: tuple[str, ...]) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    before = library_with_uploads(old, names)
    new.mkdir()
    (old / ".yinju").rename(new / ".yinju")
    with Store.open(new / ".yinju") as store:
        report = run(store, old, embedder=Embedder())
        assert (report.added, report.updated, report.removed, report.unchanged) == (0, 0, 0, 1)
        run(store, new / ".yinju" / "uploads")
        assert contents(store) == before
        assert {root for root, _ in store.roots()} == {
            str(path.resolve()) for path in (old, old / f".{names[0]}", new / ".yinju" / "uploads")
        }
