"""Archives in a library: found, changed, lost and damaged as other files are."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from yinju import Library
from yinju.types import SyncReport


def pack(path: Path, **members: str) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in members.items():
            archive.writestr(f"{name}.md", text)


def outcomes(report: SyncReport) -> dict[str, str]:
    return {file.source: file.outcome for file in report.files}


@pytest.fixture
def library():
    with Library.open() as opened:
        yield opened


def test_an_archive_is_synced_like_a_folder(library, tmp_path):
    folder = tmp_path / "docs"
    folder.mkdir()
    pack(folder / "资料.zip", 保修="# 保修\n\n电池保修六个月。", shipping="# Shipping\n\nParcels take three days.")
    report = library.sync(folder, embed=False)
    assert outcomes(report) == {"资料.zip!/保修.md": "indexed", "资料.zip!/shipping.md": "indexed"}
    assert library.search("电池保修", mode="lexical")[0].source == "资料.zip!/保修.md"
    assert library.search("parcels", mode="lexical")[0].source == "资料.zip!/shipping.md"
    assert outcomes(library.sync(folder, embed=False)) == {}

    pack(folder / "资料.zip", 保修="# 保修\n\n电池保修十二个月。", shipping="# Shipping\n\nParcels take three days.")
    report = library.sync(folder, embed=False)
    assert report.updated == 1
    assert "十二个月" in library.search("电池保修", mode="lexical")[0].text

    pack(folder / "资料.zip", 保修="# 保修\n\n电池保修十二个月。")
    assert outcomes(library.sync(folder, embed=False)) == {"资料.zip!/shipping.md": "removed"}


def test_a_damaged_archive_loses_nothing(library, tmp_path):
    folder = tmp_path / "docs"
    folder.mkdir()
    pack(folder / "a.zip", one="电池保修六个月。", two="Parcels take three days.")
    library.sync(folder, embed=False)
    (folder / "a.zip").write_bytes((folder / "a.zip").read_bytes()[:60])
    report = library.sync(folder, embed=False)
    assert outcomes(report) == {"a.zip": "skipped", "a.zip!/one.md": "kept", "a.zip!/two.md": "kept"}
    assert library.search("电池保修", mode="lexical")[0].source == "a.zip!/one.md"
    (folder / "a.zip").unlink()
    assert set(outcomes(library.sync(folder, embed=False)).values()) == {"removed"}


def test_an_archive_can_be_named(library, tmp_path):
    pack(tmp_path / "a.zip", one="电池保修六个月。")
    assert outcomes(library.sync(tmp_path / "a.zip", embed=False)) == {"a.zip!/one.md": "indexed"}
