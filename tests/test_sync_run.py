"""Sync from end to end on small folders, with the real store."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

from sync_fakes import Embedder, Reader, contents
from yinju import sync
from yinju.chunk import ChunkOptions
from yinju.errors import DocumentError, MassDelete, SourceMissing, UsageError
from yinju.store import Store
from yinju.sync import Progress, SyncOptions
from yinju.types import Document, SyncReport

OLD = 1_600_000_000 * 10**9  # long before any sync, so that size and date are evidence


def write(root: Path, name: str, text: str, modified_ns: int = OLD) -> Path:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    os.utime(path, ns=(modified_ns, modified_ns))
    return path


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "帮助"
    write(folder, "plans.md", "# Plans\n\nThe yearly plan costs 168 yuan.\n")
    write(folder, "方案/订阅.md", "# 订阅方案\n\n年费方案每年 168 元。在校生按七折结算。\n")
    write(folder, "faq.txt", "How do I reset the password? Press the button for 5 seconds.\n")
    return folder


@pytest.fixture
def store() -> Iterator[Store]:
    with Store.open(None) as opened:
        yield opened


def run(
    store: Store, *paths: Path, reader: Reader | None = None, embedder: Embedder | None = None, **options: object
) -> SyncReport:
    return sync.run(store, paths, pool=reader or Reader(), embedder=embedder, options=SyncOptions(**options))  # type: ignore[arg-type]


def outcomes(report: SyncReport) -> dict[str, tuple[str, str | None]]:
    return {file.source: (file.outcome, file.reason) for file in report.files}


def test_a_new_folder_is_indexed_and_every_receipt_balances(store: Store, root: Path) -> None:
    report = run(store, root)
    assert (report.added, report.updated, report.removed, report.skipped) == (3, 0, 0, 0)
    assert sorted(contents(store)) == ["faq.txt", "plans.md", "方案/订阅.md"]
    for file in report.files:
        assert file.outcome == "indexed"
        assert file.receipt.balanced
        assert file.receipt.chunks >= 1
        assert file.receipt.covered == file.receipt.characters > 0
    assert report.chunks == store.counts().chunks == sum(file.receipt.chunks for file in report.files)
    assert store.roots() == [(str(root.resolve()), "")]


def test_a_second_sync_does_nothing(store: Store, root: Path) -> None:
    run(store, root)
    before, reader = store.generation, Reader()
    report = run(store, root, reader=reader)
    assert (report.unchanged, report.files, reader.seen) == (3, (), [])
    assert store.generation == before


def test_one_changed_file_is_read_and_nothing_else(store: Store, root: Path) -> None:
    run(store, root)
    reader = Reader()
    write(root, "方案/订阅.md", "# 订阅方案\n\n年费方案每年 198 元。\n", OLD + 10**9)
    report = run(store, root, reader=reader)
    assert reader.seen == ["方案/订阅.md"]
    assert (report.updated, report.added, report.unchanged) == (1, 0, 2)
    document = store.document("方案/订阅.md")
    assert document is not None
    assert "198" in document.text


def test_a_new_date_alone_reads_no_document(store: Store, root: Path) -> None:
    run(store, root)
    reader = Reader()
    os.utime(root / "plans.md", ns=(OLD + 5, OLD + 5))
    assert run(store, root, reader=reader).unchanged == 3
    assert reader.seen == []
    before = store.generation
    run(store, root)
    assert store.generation == before, "the new date was remembered"


def test_a_change_within_the_tick_of_the_last_sync_is_seen(store: Store, root: Path) -> None:
    now = 4_000_000_000 * 10**9  # in the future: younger than any sync
    write(root, "plans.md", "The plan costs 168 yuan.", now)
    run(store, root)
    write(root, "plans.md", "The plan costs 199 yuan.", now)
    assert run(store, root).updated == 1


def test_a_deleted_file_is_gone_and_a_renamed_one_keeps_its_vectors(store: Store, root: Path) -> None:
    run(store, root, embedder=Embedder())
    (root / "faq.txt").unlink()
    (root / "方案/订阅.md").rename(root / "方案/年费.md")
    embedder, reader = Embedder(), Reader()
    report = run(store, root, reader=reader, embedder=embedder)
    assert outcomes(report) == {"faq.txt": ("removed", None), "方案/年费.md": ("renamed", "renamed: 方案/订阅.md")}
    assert (report.removed, report.renamed, report.embedded, reader.seen, embedder.texts) == (1, 1, 0, [], [])
    assert sorted(contents(store)) == ["plans.md", "方案/年费.md"]
    with Store.open(None) as fresh:
        run(fresh, root)
        assert contents(fresh) == contents(store)


def test_bad_files_are_skipped_remembered_and_reported_again(store: Store, root: Path) -> None:
    write(root, "empty.md", "")
    write(root, "空白.md", "\u3000 \n")
    report = run(store, root)
    assert (report.added, report.skipped) == (3, 2)
    skipped = {file.source: file for file in report.files if file.outcome == "skipped"}
    assert sorted(skipped) == ["empty.md", "空白.md"]
    assert all(file.reason and file.hint for file in skipped.values())
    reader = Reader()
    again = run(store, root, reader=reader)
    assert (again.skipped, reader.seen) == (2, [])
    assert {s.source for s in store.skipped()} == {"empty.md", "空白.md"}
    (root / "empty.md").unlink()
    write(root, "空白.md", "有字了。", OLD + 10**9)
    last = run(store, root)
    assert (last.added, last.removed, last.skipped) == (1, 0, 0)
    assert store.skipped() == []


@pytest.mark.parametrize("code", ["permission", "changed-during-read", "crashed", "damaged", "encrypted", "limit"])
def test_a_file_that_cannot_be_read_now_is_kept(store: Store, root: Path, code: str) -> None:
    run(store, root)
    write(root, "plans.md", "new text", OLD + 10**9)
    fault = DocumentError("", "hint", code=code)
    report = run(store, root, reader=Reader({"plans.md": fault}))
    assert outcomes(report) == {"plans.md": ("kept", code)}
    document = store.document("plans.md")
    assert document is not None
    assert "168 yuan" in document.text
    generation = store.generation
    assert outcomes(run(store, root, reader=Reader({"plans.md": fault}))) == {"plans.md": ("kept", code)}
    assert store.generation == generation, "trying again writes nothing"
    write(root, "plans.md", "readable again", OLD + 2 * 10**9)
    assert run(store, root).updated == 1
    assert store.skipped() == []


@pytest.mark.parametrize("text", ["", " \n"])
def test_a_file_without_text_loses_its_old_text(store: Store, root: Path, text: str) -> None:
    run(store, root)
    write(root, "plans.md", text, OLD + 10**9)
    assert run(store, root).skipped == 1
    assert store.document("plans.md") is None


def test_a_missing_root_removes_nothing(store: Store, root: Path) -> None:
    run(store, root)
    shutil.rmtree(root)
    with pytest.raises(SourceMissing):
        run(store, root)
    assert len(contents(store)) == 3


def test_a_mass_deletion_has_to_be_allowed(store: Store, root: Path) -> None:
    for number in range(20):
        write(root, f"many/{number}.md", f"Document number {number}.")
    run(store, root)
    shutil.rmtree(root / "many")
    with pytest.raises(MassDelete):
        run(store, root)
    assert store.counts().documents == 23
    assert any("--allow-mass-delete" in notice for notice in sync.plan_only(store, [root]).notices)
    assert run(store, root, allow_mass_delete=True).removed == 20


def test_syncing_a_part_leaves_the_rest_alone(store: Store, root: Path) -> None:
    run(store, root)
    (root / "faq.txt").unlink()
    (root / "方案/订阅.md").unlink()
    assert run(store, root / "方案").removed == 1
    assert sorted(contents(store)) == ["faq.txt", "plans.md"]
    assert run(store, root / "faq.txt").removed == 1


def test_two_roots_do_not_touch_each_other(store: Store, root: Path, tmp_path: Path) -> None:
    other = tmp_path / "docs"
    write(other, "plans.md", "Other plans.")
    run(store, root)
    run(store, other)
    assert sorted(contents(store)) == ["docs/plans.md", "faq.txt", "plans.md", "方案/订阅.md"]
    (root / "faq.txt").unlink()
    assert run(store, other).removed == 0
    assert run(store, root).removed == 1


def test_what_was_added_is_no_business_of_a_sync(store: Store, root: Path) -> None:
    report = sync.add(
        store, [Document.from_text("Mine.", source="plans.md"), Document.from_text("我的。", source="备忘.md")]
    )
    assert (report.added, report.chunks) == (2, 2)
    report = run(store, root)
    assert outcomes(report)["plans.md"] == ("skipped", "name-taken")
    document = store.document("plans.md")
    assert document is not None
    assert document.text == "Mine."
    assert run(store, root).removed == 0
    assert sync.add(store, [Document.from_text("Changed.", source="备忘.md")]).updated == 1


def test_an_added_document_without_text_is_skipped(store: Store) -> None:
    report = sync.add(store, [Document.from_text(" ", source="a.md"), Document.from_text("字", source="b.md")])
    assert (report.added, report.skipped) == (1, 1)
    assert report.files[0].hint


def test_remove(store: Store, root: Path) -> None:
    run(store, root)
    assert sync.remove(store, ["faq.txt"]).removed == 1
    assert "faq.txt" not in contents(store)
    with pytest.raises(SourceMissing):
        sync.remove(store, ["faq.txt"])


def test_a_plan_writes_nothing(store: Store, root: Path) -> None:
    report = sync.plan_only(store, [root])
    assert (report.planned, report.added, len(report.files), store.generation) == (True, 3, 3, 0)
    assert store.roots() == []


def test_an_interrupted_sync_goes_on(store: Store, root: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        run(store, root, reader=Reader(stop_at="方案/订阅.md"))
    report = run(store, root)
    assert store.counts().documents == 3
    assert report.removed == 0
    with Store.open(None) as fresh:
        run(fresh, root)
        assert contents(fresh) == contents(store)


def test_a_budget_stops_reading_and_the_next_sync_goes_on(store: Store, root: Path) -> None:
    report = run(store, root, read_budget_s=0.0)
    assert (report.added, len(report.notices)) == (0, 1)
    assert run(store, root).added == 3


def test_progress_counts_up_to_the_total(store: Store, root: Path) -> None:
    events: list[Progress] = []
    sync.run(store, [root], pool=Reader(), embedder=Embedder(), progress=events.append)
    assert {event.stage for event in events} == {"scan", "read", "embed"}
    reads = [event for event in events if event.stage == "read"]
    assert [event.done for event in reads] == [1, 2, 3]
    assert (reads[-1].total, reads[-1].seconds_left) == (3, 0.0)
    assert reads[-1].characters > 0


def test_presets_by_glob_and_by_document(store: Store, root: Path) -> None:
    long = "\n\n".join(f"Sentence number {number} of a long text." for number in range(60))
    write(root, "long.md", long)
    write(root, "own.md", "---\nyinju-preset: chat\n---\n" + long)
    write(root, "odd.md", "---\nyinju-preset: nonsense\n---\n" + long)
    report = run(store, root)
    by_default = len(store.chunks_of("long.md"))
    assert len(store.chunks_of("own.md")) > by_default == len(store.chunks_of("odd.md"))
    warnings = {file.source: file.receipt.warnings for file in report.files}
    assert "unknown-preset: nonsense" in warnings["odd.md"]
    again = run(store, root, presets={"long.*": "chat"})
    assert again.updated == 6, "other presets: every file is cut anew"
    assert len(store.chunks_of("long.md")) > by_default
    assert run(store, root, presets={"long.*": "chat"}).unchanged == 6
    with pytest.raises(UsageError):
        run(store, root, presets={"*": "nonsense"})


def test_a_folder_that_is_moved_with_its_library_is_the_same_folder(tmp_path: Path, root: Path) -> None:
    embedder = Embedder()
    with Store.open(root / ".yinju") as store:
        run(store, root, embedder=embedder)
        before = contents(store)
    moved = tmp_path / "moved"
    root.rename(moved)
    with Store.open(moved / ".yinju") as store:
        report = run(store, moved, embedder=embedder)
        assert (report.added, report.removed, report.embedded) == (0, 0, 0)
        assert contents(store) == before
        assert store.roots() == [(str(moved.resolve()), "")]
        (moved / "faq.txt").unlink()
        assert run(store, moved).removed == 1


def test_a_read_only_library_that_is_up_to_date_needs_no_lock(tmp_path: Path, root: Path) -> None:
    with Store.open(tmp_path / "library") as store:
        run(store, root)
        with store.writer():
            assert run(store, root).unchanged == 3


def test_scan_problems_are_on_record_until_they_are_mended(store: Store, root: Path) -> None:
    link = root / "dangling.md"
    link.symlink_to("nowhere.md")
    assert outcomes(run(store, root))["dangling.md"] == ("skipped", "missing")
    assert [(s.source, s.reason) for s in store.skipped()] == [("dangling.md", "missing")]
    generation = store.generation
    assert run(store, root).skipped == 1
    assert store.generation == generation
    link.unlink()
    assert run(store, root).skipped == 0
    assert store.skipped() == []
    link.symlink_to("plans.md")
    assert run(store, root).added == 1


def test_measure(root: Path) -> None:
    found = sync.measure(root)
    size = sum(path.stat().st_size for path in root.rglob("*") if path.is_file())
    assert (found.files, found.text, found.passages) == (3, size, 3.0), (
        "Markdown is text, and each file at least a passage"
    )


@pytest.mark.skipif(os.name == "nt", reason="needs POSIX names")
def test_strange_names_survive_the_whole_way(tmp_path: Path) -> None:
    root = tmp_path / "docs"
    for name in (
        "new\nline.md",
        "back\\slash.md",
        "rtl\u202e.md",
        "e\u0301.md",
        "\u00e9.md",
        os.fsdecode(b"\xb8\xe5.md"),
    ):
        write(root, name, f"A document. 一篇文档。{len(name)}")
    with Store.open(tmp_path / "library") as store:
        report = sync.run(store, [root])
        assert report.added == 6
        assert sorted(contents(store)) == sorted(os.listdir(root))
        assert sync.run(store, [root]).unchanged == 6
        (root / os.fsdecode(b"\xb8\xe5.md")).unlink()
        assert sync.run(store, [root]).removed == 1


@pytest.mark.parametrize("part", ["方案", None])
def test_no_file_stays_cut_by_a_recipe_that_was_tried_for_a_part_or_not_to_the_end(
    store: Store, root: Path, part: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(root, "方案/second.md", "# Second\n\nText of the first section.\n\n## 二\n\n第二节的文字。\n")
    run(store, root)
    first = contents(store)
    other = {"*": ChunkOptions(strategy="window", size=20, overlap=0)}
    if part:
        run(store, root / part, presets=other)
    else:
        monkeypatch.setattr(import_module("yinju.sync.apply"), "TOGETHER_DOCUMENTS", 1)
        with pytest.raises(KeyboardInterrupt):
            run(store, root, reader=Reader(stop_at="方案/订阅.md"), presets=other)
    assert contents(store) != first
    run(store, root)
    assert contents(store) == first
