"""Pictures and scans over several syncs: OCR comes, goes and comes back, and nothing is lost, read in vain or complained about."""

from __future__ import annotations

import os
import zipfile
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from tests.ocr_fakes import CHILD, column, install, picture
from tests.sync_fakes import Reader

from yinju import sync
from yinju.caring import LibraryOptions
from yinju.library import Library
from yinju.load import Limits, Parsed, Pool, registry, workers
from yinju.load.ocr import availability
from yinju.store import Store
from yinju.sync import Progress, SyncOptions, health
from yinju.types import SyncReport

SIGN = column(["The gate is opened at", "seven in the morning."])


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "资料"
    folder.mkdir()
    (folder / "告示.png").write_bytes(picture())
    (folder / "text.md").write_text("# Text\n\nSome words.\n", encoding="utf-8")
    for path in folder.iterdir():
        os.utime(path, (1_700_000_000, 1_700_000_000))
    return folder


def run(store: Store, root: Path, **options: Any) -> tuple[SyncReport, list[str]]:
    reader = Reader()
    report = sync.run(store, [root], pool=reader, options=SyncOptions(**options))
    return report, reader.seen


def test_without_ocr_pictures_are_ignored_in_silence(root: Path) -> None:
    with Store.open(None) as store:
        report, seen = run(store, root)
        assert (report.added, report.ignored, report.skipped, seen) == (1, 1, 0, ["text.md"])


def test_a_picture_comes_with_ocr_and_stays_when_it_is_switched_off(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Store.open(None) as store:
        run(store, root)
        install(monkeypatch, SIGN)
        report, seen = run(store, root)
        assert (report.added, seen) == (1, ["告示.png"])
        assert store.document("告示.png").text == "The gate is opened at seven in the morning."  # type: ignore[union-attr]
        for off in (Limits(ocr_pages=0), Limits()):
            report, seen = run(store, root, limits=off)
            assert (report.removed, report.unchanged, report.skipped, seen) == (0, 2, 0, [])
            monkeypatch.setenv("YINJU_OCR", "off")
        os.utime(root / "告示.png", (1_700_000_100, 1_700_000_100))
        (root / "告示.png").write_bytes(picture(colour="yellow"))
        report, seen = run(store, root)
        assert (report.kept, seen) == (1, ["告示.png"])
        assert report.files[0].reason.startswith("no-ocr")  # type: ignore[union-attr]
        monkeypatch.delenv("YINJU_OCR")
        report, seen = run(store, root)
        assert (report.updated, seen) == (1, ["告示.png"])
        (root / "告示.png").unlink()
        monkeypatch.setenv("YINJU_OCR", "off")
        assert run(store, root)[0].removed == 1


def test_a_picture_in_an_archive_stays_while_ocr_is_off(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = root / "图.zip"

    def zipped(*names: str) -> None:
        with zipfile.ZipFile(path, "w") as archive:
            for name in names:
                archive.writestr(name, picture())
        os.utime(path, (1_700_000_000, 1_700_000_000))

    zipped("a.png", "b.png")
    install(monkeypatch, SIGN)
    with Store.open(None) as store:
        pool = Pool(1)
        monkeypatch.setattr(workers, "_COMMAND", CHILD)
        with pool:
            report = sync.run(store, [root], pool=lambda: nullcontext(pool))
        assert report.added == 4, report.files
        monkeypatch.setenv("YINJU_OCR", "off")
        assert run(store, root)[0].removed == 0
        zipped("b.png")
        assert run(store, root)[0].removed == 1


def test_a_picture_weighs_as_much_as_a_page(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, SIGN)
    (root / "告示.png").write_bytes(picture() + b"\0" * 5_000_000)
    found = sync.measure(root)
    assert (found.files, found.text < 5_000) == (2, True)


def test_a_picture_without_text_is_read_once_and_counts_as_ignored(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, [])
    with Store.open(None) as store:
        report, seen = run(store, root)
        assert (report.added, report.ignored, report.skipped, seen) == (1, 1, 0, ["text.md", "告示.png"])
        assert [file.source for file in report.files] == ["text.md"]
        report, seen = run(store, root)
        assert (report.ignored, report.skipped, report.files, seen) == (1, 0, (), [])
        assert [summary.source for summary in store.sources()] == ["text.md"]
        assert [found.subject for found in health.findings(store, None)] == []
        told = Library(store).receipt("告示.png")
        assert (told.outcome, told.reason) == ("ignored", "picture: no text in the picture")
        install(monkeypatch, SIGN)
        (root / "告示.png").write_bytes(picture(colour="yellow"))
        assert run(store, root)[0].added == 1
        install(monkeypatch, [])
        (root / "告示.png").write_bytes(picture(colour="green"))
        report, _ = run(store, root)
        assert (report.removed, report.ignored) == (1, 1)
        (root / "告示.png").unlink()
        report, _ = run(store, root)
        assert (report.removed, report.ignored) == (0, 0)


def a_scan(monkeypatch: pytest.MonkeyPatch, states: dict[str, str], text: str = "A page of text.") -> None:
    """Let every PDF be one with these page states."""
    from yinju.load import builder

    def load_pdf(data: bytes, source: str, limits: Limits) -> Parsed:
        made = builder.TextBuilder()
        made.write(made.added("test", text))
        return Parsed(made.text(), dropped=made.dropped(), pages=2, page_states=states)

    monkeypatch.setattr(registry, "loader_of", lambda kind: load_pdf)
    monkeypatch.setattr("yinju.load.loading.loader_of", lambda kind: load_pdf)
    monkeypatch.setattr("yinju.load.loading.counter_of", lambda kind: lambda data: 0)


@pytest.mark.parametrize(("states", "text"), [({"text": "1", "scanned": "2"}, "A page."), ({"scanned": "1-2"}, "")])
def test_a_scan_is_read_again_once_ocr_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, states: dict[str, str], text: str
) -> None:
    (tmp_path / "scan.pdf").write_bytes(b"%PDF-1.7 whatever")
    os.utime(tmp_path / "scan.pdf", (1_700_000_000, 1_700_000_000))
    a_scan(monkeypatch, states, text)
    with Store.open(None) as store:
        assert run(store, tmp_path)[1] == ["scan.pdf"]
        assert run(store, tmp_path)[1] == []
        install(monkeypatch)
        assert run(store, tmp_path, limits=Limits(ocr_pages=0))[1] == [], "it is installed, but not wanted"
        a_scan(monkeypatch, {"ocr": "1-2"})
        assert run(store, tmp_path)[1] == ["scan.pdf"]
        assert run(store, tmp_path)[1] == []
        monkeypatch.setattr(availability, "models", lambda: None)
        assert run(store, tmp_path)[1] == [], "what was read stays as it is"


def test_a_scan_that_ocr_could_not_read_is_not_tried_at_each_sync(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "scan.pdf").write_bytes(b"%PDF-1.7 whatever")
    os.utime(tmp_path / "scan.pdf", (1_700_000_000, 1_700_000_000))
    install(monkeypatch)
    a_scan(monkeypatch, {"scanned": "1-2"}, "")
    with Store.open(None) as store:
        assert run(store, tmp_path)[0].skipped == 1
        assert run(store, tmp_path)[1] == []


def test_whole_text_is_not_read_again_for_ocr(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (root / "告示.png").unlink()
    with Store.open(None) as store:
        run(store, root)
        install(monkeypatch)
        assert run(store, root)[1] == []


def test_a_library_hands_its_setting_on(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, SIGN)
    with Store.open(None) as store:
        assert Library(store, options=LibraryOptions(ocr=False)).sync(root).ignored == 1
        assert Library(store, options=LibraryOptions(ocr=False))._keeper()._options().limits.ocr_pages == 0
        assert Library(store)._keeper()._options().limits.ocr_pages > 0


def test_the_page_that_is_read_is_told(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch)
    monkeypatch.setattr(workers, "_COMMAND", CHILD)
    told: list[Progress] = []
    with Store.open(None) as store:
        report = sync.run(store, [root], progress=told.append)
    assert report.added == 2
    [page] = [event for event in told if event.stage == "ocr"]
    assert (page.source, page.done, page.total) == ("告示.png", 0, 1)


@pytest.mark.slow
def test_pictures_that_take_longer_than_the_budget_are_left_for_the_next_sync(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(monkeypatch)
    monkeypatch.setattr(workers, "_COMMAND", CHILD)
    (root / "告示.png").write_bytes(picture(colour="black"))
    with Store.open(None) as store:
        report = sync.run(store, [root], options=SyncOptions(read_budget_s=2))
        assert (report.added, report.skipped) == (1, 0)
        assert report.notices == ("Not all files were read yet; the next sync goes on.",)
        (root / "告示.png").write_bytes(picture())
        assert sync.run(store, [root]).added == 1
