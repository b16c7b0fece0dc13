"""ZIP archives: their documents are read in place, what is dangerous in them is named, and nothing is written anywhere."""

from __future__ import annotations

import io
import os
import struct
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yinju.errors import DocumentError
from yinju.load import Limits, load_file
from yinju.load.archive import Listing, forget, listing, split
from yinju.sync.scan import is_below, scan


@pytest.fixture(autouse=True)
def _closed():
    yield
    forget()


def pack(path: Path, members: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return path


def look(path: Path, **limits: int) -> Listing:
    return listing(str(path), Limits(**limits))


def names(found: Listing) -> list[str]:
    return [member.name for member in found.members]


def test_members_are_documents_with_the_archive_in_their_name(tmp_path):
    pack(
        tmp_path / "a.zip",
        {"b.md": b"# One\n\ntext", "目录/说明.md": "# 说明\n\n电池保修六个月。".encode(), "logo.mp4": b"x"},
    )
    found = scan(str(tmp_path))
    assert [file.source for file in found.files] == ["a.zip!/b.md", "a.zip!/目录/说明.md"]
    assert found.ignored == 1
    assert found.files[0].modified_ns == (tmp_path / "a.zip").stat().st_mtime_ns
    loaded = load_file(found.files[1].path, found.files[1].source)
    assert loaded.document.text == "# 说明\n\n电池保修六个月。"
    assert loaded.document.title == "说明"
    assert loaded.digest.startswith("sha256:")


def test_names_in_gbk_without_a_mark_are_read(tmp_path):
    """A Chinese Windows writes names in GBK and does not say so."""
    raw = io.BytesIO()
    name = "合同.md".encode("gbk")
    with zipfile.ZipFile(raw, "w") as archive:
        archive.writestr("x" * len(name) + "", "第一条")
    (tmp_path / "a.zip").write_bytes(raw.getvalue().replace(b"x" * len(name), name))
    assert names(look(tmp_path / "a.zip")) == ["合同.md"]


@pytest.mark.parametrize("name", ["../../evil.md", "/etc/evil.md", "C:\\evil.md", "ok/../../evil.md", "..\\邪恶.md"])
def test_a_name_that_leads_out_is_refused_and_the_others_are_read(tmp_path, name):
    found = look(pack(tmp_path / "a.zip", {"b.md": b"good", name: b"bad"}))
    assert names(found) == ["b.md"]
    assert found.problem is not None
    assert found.problem.reason.startswith("unsafe name: ")


def test_archives_in_an_archive_are_named_and_not_opened(tmp_path):
    inner = pack(tmp_path / "inner.zip", {"c.md": b"x"}).read_bytes()
    found = look(pack(tmp_path / "a.zip", {"b.md": b"good", "inner.zip": inner, "内.7z": b"x"}))
    assert names(found) == ["b.md"]
    assert found.problem is not None
    assert found.problem.reason == "nested archive: inner.zip, 内.7z"


def test_locked_members_are_named(tmp_path):
    data = bytearray(pack(tmp_path / "a.zip", {"a.md": b"x" * 100}).read_bytes())
    data[6] |= 1
    data[data.index(b"PK\x01\x02") + 8] |= 1
    (tmp_path / "a.zip").write_bytes(bytes(data))
    found = look(tmp_path / "a.zip")
    assert found.members == ()
    assert found.problem is not None
    assert found.problem.reason == "encrypted: a.md"


def test_bombs_are_refused_before_anything_is_expanded(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        archive.writestr("a.txt", b" " * 30_000_000)
    found = look(tmp_path / "a.zip")
    assert not found.complete
    assert found.problem is not None
    assert found.problem.reason.startswith("limit: ")
    assert look(pack(tmp_path / "b.zip", {f"{n}.md": b"x" for n in range(11)}), entries=10).problem is not None
    assert look(pack(tmp_path / "c.zip", {"a.md": os.urandom(2000)}), expanded_bytes=1000).problem is not None


def test_a_directory_that_claims_to_be_huge_is_not_read(tmp_path):
    end = struct.pack("<4s4H2IH", b"PK\x05\x06", 0, 0, 1, 1, 2_000_000_000, 0, 0)
    (tmp_path / "a.zip").write_bytes(b"PK\x03\x04" + end)
    found = look(tmp_path / "a.zip")
    assert found.problem is not None
    assert found.problem.reason.startswith("limit")


@pytest.mark.parametrize("data", [b"", b"PK\x03\x04 cut off", b"no archive at all"])
def test_what_is_no_archive_is_damaged_and_says_nothing_about_its_members(tmp_path, data):
    (tmp_path / "a.zip").write_bytes(data)
    found = scan(str(tmp_path))
    assert [problem.reason.split(":")[0] for problem in found.problems] == ["damaged"]
    assert not found.covers("a.zip!/b.md")
    assert found.covers("c.md")


def test_a_member_that_is_damaged_costs_itself(tmp_path):
    data = pack(tmp_path / "a.zip", {"a.md": b"hello " * 50, "b.md": b"# fine"}).read_bytes()
    place = data.index(b"a.md") + 6
    (tmp_path / "a.zip").write_bytes(data[:place] + b"\xff\xff\xff" + data[place + 3 :])
    first, second = scan(str(tmp_path)).files
    with pytest.raises(DocumentError) as caught:
        load_file(first.path, first.source)
    assert caught.value.code == "damaged"
    assert load_file(second.path, second.source).document.text == "# fine"


def test_hidden_members_and_what_macos_leaves_are_passed_over(tmp_path):
    found = look(
        pack(tmp_path / "a.zip", {"a.md": b"x", "__MACOSX/._a.md": b"x", ".git/b.md": b"x", "c/.DS_Store": b"x"})
    )
    assert names(found) == ["a.md"]


def test_ignore_rules_hold_inside(tmp_path):
    pack(tmp_path / "a.zip", {"a.md": b"x", "draft.md": b"x"})
    (tmp_path / ".yinjuignore").write_text("draft.md\n", encoding="utf-8")
    assert [file.source for file in scan(str(tmp_path)).files] == ["a.zip!/a.md"]


def test_a_folder_with_such_a_name_is_a_folder(tmp_path):
    (tmp_path / "a.zip!").mkdir()
    (tmp_path / "a.zip!" / "b.md").write_text("x", encoding="utf-8")
    [file] = scan(str(tmp_path)).files
    assert split(file.path) is None
    assert load_file(file.path, file.source).document.text == "x"


def test_members_lie_below_their_archive():
    assert is_below("x/a.zip!/b.md", "x/a.zip")
    assert is_below("x/a.zip!/b.md", "x")
    assert not is_below("x/a.zipper/b.md", "x/a.zip")


@given(st.binary(max_size=300), st.integers(0, 200))
def test_whatever_the_bytes_are_a_listing_comes(tmp_path_factory, noise, place):
    path = tmp_path_factory.mktemp("z") / "a.zip"
    data = pack(path, {"a.md": b"hello", "乙.md": b"x"}).read_bytes()
    path.write_bytes(data[:place] + noise + data[place + len(noise) :])
    found = listing(str(path), Limits())
    assert found.complete or found.problem is not None
