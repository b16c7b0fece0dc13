"""Where a library lies."""

import os
import sys
from pathlib import Path

import pytest

from yinju import assemble
from yinju.errors import SourceMissing


@pytest.fixture(autouse=True)
def own_data(tmp_path, monkeypatch):
    monkeypatch.setenv("YINJU_DATA", str(tmp_path / "data"))
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    tmp_path.chmod(0o755)
    return tmp_path / "data"


def make(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def test_a_folder_keeps_its_own_library(tmp_path):
    folder = make(tmp_path / "文档")
    assert assemble.library_folder(folder) == folder / ".yinju"


def test_the_library_of_a_folder_above_is_found(tmp_path):
    below = make(tmp_path / "docs" / "a" / "b")
    library = make(tmp_path / "docs" / ".yinju")
    assert assemble.library_folder(below) == library


def test_never_beyond_a_repository_root(tmp_path):
    make(tmp_path / "docs" / ".yinju")
    repository = make(tmp_path / "docs" / "repository")
    make(repository / ".git")
    below = make(repository / "manual")
    assert assemble.library_folder(below) == below / ".yinju"


def test_never_beyond_the_home_folder(tmp_path, monkeypatch):
    make(tmp_path / ".yinju")
    monkeypatch.setattr(Path, "home", lambda: tmp_path / "home")
    folder = make(tmp_path / "home")
    assert assemble.library_folder(folder) == folder / ".yinju"


@pytest.mark.skipif(sys.platform == "win32", reason="modes say nothing on Windows")
def test_a_library_in_a_world_writable_folder_is_not_trusted(tmp_path, own_data):
    folder = make(tmp_path / "shared")
    make(folder / ".yinju")
    folder.chmod(0o777)
    found = assemble.library_folder(folder)
    assert found is not None
    assert own_data in found.parents


def test_a_single_file_and_a_cloud_folder_keep_theirs_in_the_data_directory(tmp_path, own_data):
    folder = make(tmp_path / "OneDrive - 公司")
    page = folder / "说明.md"
    page.write_text("你好", encoding="utf-8")
    for path in (page, folder):
        found = assemble.library_folder(path)
        assert found is not None
        assert own_data in found.parents
    assert assemble.library_folder(page) != assemble.library_folder(folder)


def test_a_missing_path_changes_nothing(tmp_path):
    with pytest.raises(SourceMissing) as caught:
        assemble.library_folder(tmp_path / "absent")
    assert caught.value.hint
    assert os.listdir(tmp_path) == []


def test_a_library_in_the_data_directory_serves_the_folders_below_but_not_beyond_a_repository(
    tmp_path, own_data, monkeypatch
):
    folder = make(tmp_path / "坚果云" / "手册")
    library = assemble.library_folder(folder)
    assert library is not None
    make(library)
    below = make(folder / "旧" / "2024")
    assert assemble.library_folder(below) == library
    monkeypatch.chdir(below)
    assert assemble.library_folder(None) == library
    make(folder / "旧" / ".git")
    assert assemble.library_folder(None) is None
    assert assemble.library_folder(tmp_path / "坚果云") != library
