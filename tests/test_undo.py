"""Undo: every document as it was before a step, without computing its vectors again, and what the folder says instead is held back."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from sync_fakes import Embedder, Reader, contents
from yinju import sync
from yinju.errors import DocumentError, StoreBusy, StoreReadOnly, UsageError
from yinju.store import Store
from yinju.sync import SyncOptions
from yinju.types import Document, SyncReport

OLD = 1_600_000_000 * 10**9
TEXTS = {
    "plans.md": "# Plans\n\nThe yearly plan costs 168 yuan.\n",
    "方案/订阅.md": "# 订阅方案\n\n年费方案每年 168 元。在校生按七折结算。\n",
    "faq.txt": "How do I reset the password? Press the button for 5 seconds.\n",
}


def write(root: Path, name: str, text: str, modified_ns: int = OLD) -> None:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    os.utime(path, ns=(modified_ns, modified_ns))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "帮助"
    for name, text in TEXTS.items():
        write(folder, name, text)
    return folder


@pytest.fixture
def store() -> Iterator[Store]:
    with Store.open(None) as opened:
        yield opened
        assert opened.check() == []


@pytest.fixture
def embedder() -> Embedder:
    return Embedder()


def run(
    store: Store, *paths: Path, embedder: Embedder | None = None, reader: Reader | None = None, **options: object
) -> SyncReport:
    return sync.run(store, paths, pool=reader or Reader(), embedder=embedder, options=SyncOptions(**options))  # type: ignore[arg-type]


def changed(report: SyncReport) -> tuple[int, int, int, int]:
    return report.added, report.updated, report.renamed, report.removed


def test_a_sync_of_every_kind_is_undone_as_if_it_had_not_been(store: Store, root: Path, embedder: Embedder) -> None:
    write(root, "note.md", "# Note\n\nKept for its name.\n")
    write(root, "empty-soon.md", "# 将空\n\n这里还有文字。\n")
    run(store, root, embedder=embedder)
    before, rows = contents(store), vectors_of(store)
    write(root, "new.md", "# New\n\nFresh words.\n")
    write(root, "plans.md", "# Plans\n\nThe yearly plan costs 200 yuan now.\n", OLD + 10**9)
    write(root, "empty-soon.md", "", OLD + 10**9)
    (root / "faq.txt").unlink()
    (root / "note.md").rename(root / "方案" / "笔记.md")
    assert changed(run(store, root, embedder=embedder)) == (1, 1, 1, 1)
    assert contents(store) != before
    texts = len(embedder.texts)

    report = sync.undo(store)
    assert contents(store) == before
    assert vectors_of(store) == rows
    assert changed(report) == (2, 1, 1, 1)
    again = run(store, root, embedder=embedder, check=True)
    assert (changed(again), again.held, again.unchanged) == ((0, 0, 0, 0), 6, 7)
    assert "6 files are held back by undo" in " ".join(again.notices)
    assert contents(store) == before
    assert len(embedder.texts) == texts, "nothing was embedded again"


def vectors_of(store: Store) -> dict[str, list[float]]:
    chunks = {chunk.rowid: chunk.id for source in contents(store) for chunk in store.chunks_of(source)}
    return {chunks[row]: vector.tolist() for row, vector in store.vectors(Embedder.fingerprint, list(chunks)).items()}


def test_an_undone_file_comes_back_when_it_changes_or_is_released(store: Store, root: Path, embedder: Embedder) -> None:
    run(store, root)
    write(root, "plans.md", "# Plans\n\nSecond version.\n", OLD + 10**9)
    write(root, "新.md", "# 新\n\n新文件。\n")
    (root / "faq.txt").unlink()
    run(store, root)
    sync.undo(store)
    assert {hold.source: hold.file is None for hold in store.holds()} == {
        "plans.md": False, "新.md": False, "faq.txt": True
    }  # fmt: skip

    write(root, "plans.md", "# Plans\n\nThird version.\n", OLD + 2 * 10**9)
    assert changed(run(store, root)) == (0, 1, 0, 0)
    assert "Third" in contents(store)["plans.md"][0]
    write(root, "faq.txt", TEXTS["faq.txt"], OLD + 3 * 10**9)
    report = run(store, root)
    assert (changed(report), report.held) == ((0, 0, 0, 0), 1)

    planned = sync.plan_only(store, [root])
    assert (planned.held, [(file.source, file.reason) for file in planned.files]) == (1, [("新.md", "held")])
    assert changed(sync.plan_only(store, [root], options=SyncOptions(release=True))) == (1, 0, 0, 0)
    assert changed(run(store, root, release=True)) == (1, 0, 0, 0)
    assert store.holds() == []


def test_a_new_date_alone_lets_nothing_go(store: Store, root: Path) -> None:
    run(store, root)
    sync.undo(store)
    assert contents(store) == {}
    for name in TEXTS:
        os.utime(root / name, ns=(OLD + 5 * 10**9, OLD + 5 * 10**9))
    assert run(store, root).held == 3
    assert {hold.file.modified_ns for hold in store.holds() if hold.file} == {OLD + 5 * 10**9}
    write(root, "faq.txt", TEXTS["faq.txt"].replace("5", "6"), OLD + 5 * 10**9)  # same size, same date
    assert changed(run(store, root, check=True)) == (1, 0, 0, 0)


def test_a_hold_follows_its_file_to_another_name(store: Store, root: Path) -> None:
    run(store, root)
    write(root, "plans.md", "# Plans\n\nSecond version.\n", OLD + 10**9)
    write(root, "新.md", "# 新\n\n新文件。\n")
    run(store, root)
    sync.undo(store)
    (root / "新.md").rename(root / "更新.md")
    (root / "plans.md").rename(root / "prices.md")
    report = run(store, root)
    assert (report.added, report.held) == (0, 2)
    found = contents(store)
    assert sorted(found) == ["faq.txt", "prices.md", "方案/订阅.md"]
    assert "168" in found["prices.md"][0]
    assert sorted(hold.source for hold in store.holds()) == ["prices.md", "更新.md"]
    assert run(store, root).held == 2
    (root / "更新.md").unlink()
    assert (run(store, root).held, [hold.source for hold in store.holds()]) == (1, ["prices.md"])


def test_another_recipe_does_not_end_a_hold(store: Store, root: Path) -> None:
    run(store, root)
    write(root, "plans.md", "# Plans\n\nSecond version.\n", OLD + 10**9)
    run(store, root)
    sync.undo(store)
    report = run(store, root, presets={"*": "window"})
    assert (report.updated, report.held) == (2, 1)
    assert "168" in contents(store)["plans.md"][0]


def test_several_steps_are_undone_in_order_and_none_twice(store: Store, root: Path, embedder: Embedder) -> None:
    run(store, root, embedder=embedder)
    states = [contents(store)]
    for number in range(2, 5):
        write(root, "plans.md", f"# Plans\n\nVersion {number} 第{number}版。\n", OLD + number * 10**9)
        write(root, f"n{number}.md", f"# N\n\nnumber {number}\n")
        run(store, root, embedder=embedder)
        states.append(contents(store))
    assert [(step.kind, step.added, step.updated) for step in store.steps()] == [("sync", 1, 1)] * 3 + [("sync", 3, 0)]
    sync.undo(store)
    assert contents(store) == states[2]
    sync.undo(store, 2)
    assert contents(store) == states[0]
    assert run(store, root).held == 4
    with pytest.raises(UsageError) as error:
        sync.undo(store, 2)
    assert error.value.code == "nothing-to-undo"
    assert contents(store) == states[0]
    sync.undo(store)
    assert contents(store) == {}
    with pytest.raises(UsageError):
        sync.undo(store)
    assert changed(run(store, root, release=True)) == (6, 0, 0, 0)


def test_only_the_last_five_steps_are_kept_and_no_vector_for_others(
    store: Store, root: Path, embedder: Embedder
) -> None:
    for number in range(8):
        write(root, "plans.md", f"# Plans\n\nVersion {number}\n", OLD + number * 10**9)
        run(store, root, embedder=embedder)
    assert len(store.steps()) == 5
    assert store.check() == []
    sync.undo(store, 5)
    assert "Version 2" in contents(store)["plans.md"][0]


def test_former_documents_do_not_outgrow_the_library(store: Store, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("yinju.store.former.FREE_BYTES", 0)
    run(store, root)
    for number in range(4):
        text = "\n\n".join(f"{os.urandom(16).hex()} {number}" for _ in range(40))  # nothing that packs well
        write(root, "plans.md", f"# Plans\n\n{text}\n", OLD + number * 10**9)
        run(store, root)
    assert len(store.steps()) < 5
    (root / "plans.md").unlink()
    run(store, root)
    assert [step.removed for step in store.steps()] == [1], "the last step stays, however large"
    sync.undo(store)
    assert "plans.md" in contents(store)


def test_added_and_removed_documents_come_and_go(store: Store, root: Path) -> None:
    run(store, root)
    sync.add(store, [Document.from_text("第一版。", source="备忘.md")])
    sync.add(store, [Document.from_text("第二版。", source="备忘.md"), Document.from_text("Else.", source="else.md")])
    sync.remove(store, ["备忘.md", "plans.md"])
    assert [step.kind for step in store.steps()] == ["remove", "add", "add", "sync"]
    sync.undo(store)
    assert contents(store)["备忘.md"][0] == "第二版。"
    assert (changed(run(store, root)), store.holds()) == ((0, 0, 0, 0), [])
    sync.undo(store)
    assert contents(store)["备忘.md"][0] == "第一版。"
    assert "else.md" not in contents(store)
    sync.undo(store)
    assert "备忘.md" not in contents(store)


def test_names_that_were_swapped_are_swapped_back(store: Store, root: Path) -> None:
    run(store, root)
    before = contents(store)
    files = store.files(str(root))
    with store.writer() as writer:
        writer.begin("sync")
        writer.rename([("plans.md", "faq.txt", files["faq.txt"]), ("faq.txt", "plans.md", files["plans.md"])])
        writer.rename([("faq.txt", "third.txt", files["faq.txt"])])
    assert contents(store)["third.txt"][0] == before["plans.md"][0]
    report = sync.undo(store)
    assert contents(store) == before
    assert (report.renamed, report.removed) == (2, 0)


def test_an_interrupted_sync_is_undone_as_far_as_it_came(
    store: Store, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.modules["yinju.sync.apply"], "TOGETHER_DOCUMENTS", 1)
    run(store, root)
    before = contents(store)
    for name in TEXTS:
        write(root, name, f"# 新\n\nchanged {name}\n", OLD + 10**9)
    with pytest.raises(KeyboardInterrupt):
        run(store, root, reader=Reader(stop_at="plans.md"))
    assert [step.updated for step in store.steps()] == [1, 0]
    sync.undo(store)
    assert contents(store) == before
    report = run(store, root)  # what the interrupted sync had not come to was never undone
    assert (report.updated, report.held) == (2, 1)


def test_a_document_that_was_kept_is_no_change_and_one_that_went_comes_back(store: Store, root: Path) -> None:
    run(store, root)
    before = contents(store)
    write(root, "plans.md", "x", OLD + 10**9)
    run(store, root, reader=Reader({"plans.md": DocumentError("no", "wait", code="permission")}))
    assert [step.added for step in store.steps()] == [3]
    write(root, "faq.txt", "", OLD + 10**9)
    report = run(store, root, reader=Reader({"plans.md": DocumentError("no", "wait", code="permission")}))
    assert (report.skipped, report.kept) == (1, 1)
    sync.undo(store)
    assert contents(store) == before
    assert run(store, root, reader=Reader({"plans.md": DocumentError("no", "wait", code="permission")})).held == 1
    assert contents(store) == before


def test_access_lists_follow_a_rename_back_and_nothing_is_opened(store: Store, root: Path) -> None:
    run(store, root)
    with store.writer() as writer:
        writer.set_access("owner", {"plans.md": ("alice",)})
    (root / "plans.md").rename(root / "prices.md")
    run(store, root)
    with store.writer() as writer:
        writer.set_access("owner", {"prices.md": ("bob",)})
    sync.undo(store)
    from yinju.store import access

    with store._reading() as connection:
        assert access.read(connection, "plans.md")["owner"] == (), "both lists hold, and nobody is on both"


def test_an_edit_that_closed_a_document_is_undone_without_opening_it(store: Store, root: Path) -> None:
    run(store, root)
    write(root, "plans.md", "---\naccess: alice\n---\n# Plans\n\nSecond.\n", OLD + 10**9)
    run(store, root)
    sync.undo(store)
    from yinju.store import access

    with store._reading() as connection:
        assert access.read(connection, "plans.md")["document"] == ("alice",)


def test_a_folder_that_is_not_there_is_held_by_what_was_known(store: Store, root: Path) -> None:
    run(store, root)
    before = contents(store)
    write(root, "plans.md", "# Plans\n\nSecond version.\n", OLD + 10**9)
    run(store, root)
    root.rename(root.with_name("away"))
    sync.undo(store)
    root.with_name("away").rename(root)
    assert run(store, root).held == 1
    assert contents(store) == before


def test_who_may_not_write_may_not_undo(tmp_path: Path, root: Path) -> None:
    folder = tmp_path / "library"
    with Store.open(folder) as store:
        run(store, root)
        with store.writer(), pytest.raises(StoreBusy):
            sync.undo(store)
    with Store.open(folder, read_only=True) as store:
        with pytest.raises(StoreReadOnly):
            sync.undo(store)
        assert len(contents(store)) == 3
    with Store.open(None) as store, pytest.raises(UsageError):
        sync.undo(store)
