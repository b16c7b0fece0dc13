"""`status` and `doctor` take a folder first, as `ask` does; archives and locks of Office are told apart from documents that are lost."""

from __future__ import annotations

import json
import zipfile

import pytest

from pdf_writer import lines, make_pdf
from yinju.cli import run

pytestmark = pytest.mark.slow  # each needs a library of its own


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("YINJU_EMBED_MODEL", "none")
    monkeypatch.setenv("YINJU_LANG", "en")
    docs = tmp_path / "docs"
    (docs / "sub").mkdir(parents=True)
    (docs / "a.md").write_text("# 甲\n\n一个字。\n", encoding="utf-8")
    (docs / "sub" / "empty.md").write_bytes(b"")
    (docs / "empty.md").write_bytes(b"")
    (docs / "~$offer.docx").write_bytes(b"\0" * 162)
    with zipfile.ZipFile(docs / "old.zip", "w") as archive:
        archive.writestr("b.md", "# Pump\n")
        archive.writestr("c.md", "")
    run(["sync", "docs", "-q"])
    return tmp_path


def call(capsys, *arguments: str) -> tuple[int, str, str]:
    capsys.readouterr()
    code = run([str(argument) for argument in arguments])
    out, err = capsys.readouterr()
    return code, out, err


def test_status_takes_a_folder_and_a_file_of_it(place, capsys):
    assert call(capsys, "status", "docs", "a.md")[1].startswith("a.md: indexed")
    assert call(capsys, "status", "docs", "sub/empty.md")[1].startswith("sub/empty.md: skipped")
    assert "documents" in call(capsys, "status", "docs")[1]
    code, _out, err = call(capsys, "status", "nowhere", "a.md")
    assert (code, "nowhere is no folder" in err) == (2, True)
    assert call(capsys, "status", "docs", "a.md", "b.md")[0] == 2
    assert call(capsys, "status", "docs", "nothing.md")[0] == 74


def test_doctor_takes_a_folder_and_keeps_to_it(place, capsys):
    code, out, _err = call(capsys, "doctor", "docs")
    assert code == 3
    assert "sub/empty.md" in out
    assert "skipped: empty.md: nothing in it" in out
    inner = call(capsys, "doctor", "docs/sub")[1]
    assert "sub/empty.md" in inner
    assert "skipped: empty.md" not in inner
    assert call(capsys, "doctor", "docs/a.md")[0] == 0
    assert "no folder or file nowhere" in call(capsys, "doctor", "nowhere")[2]


def test_an_archive_that_is_read_lists_its_files(place, capsys):
    code, out, _err = call(capsys, "status", "docs/old.zip")
    assert (code, out.splitlines()) == (
        0,
        [
            "old.zip: archive, 2 files",
            "  indexed: old.zip!/b.md (5 characters)",
            "  skipped: old.zip!/c.md (nothing in it)",
        ],
    )
    found = json.loads(call(capsys, "status", "docs/old.zip", "--json")[1])
    assert [member["outcome"] for member in found["members"]] == ["indexed", "skipped"]
    code, _out, err = call(capsys, "read", "docs/old.zip")
    assert code == 74
    assert "old.zip is an archive" in err
    assert "old.zip!/b.md" in err


def test_what_office_keeps_while_a_document_is_open_is_no_damaged_document(place, capsys):
    assert "~$" not in call(capsys, "doctor", "docs")[1]
    assert "~$" not in call(capsys, "sources", "--library", "docs")[1]


@pytest.fixture
def paged(place):
    pages = [lines(["电池充满一次以后可以连续使用。"]), lines(["The pump was replaced in March."])]
    (place / "docs" / "show.pdf").write_bytes(make_pdf(pages))
    run(["sync", "docs", "-q"])
    return place


@pytest.mark.parametrize("name", ["docs/show.pdf:p.2", "docs/show.pdf p.2", "docs/show.pdf:p2"])
def test_a_page_is_read_as_citations_name_it(paged, capsys, name):
    assert call(capsys, "read", name)[:2] == (0, "The pump was replaced in March.\n")
    assert json.loads(call(capsys, "read", name, "--json")[1])["page"] == 2


def test_a_page_that_is_not_there_is_told(paged, capsys):
    code, out, err = call(capsys, "read", "docs/show.pdf:p.9")
    assert (code, out, "no page 9; its last is 2" in err) == (4, "", True)
    assert "a.md has no pages" in call(capsys, "read", "docs/a.md:p.1")[2]
    (paged / "docs" / "notes p.2").write_text("a name of its own\n", encoding="utf-8")
    run(["sync", "docs", "-q"])
    assert "a name of its own" in call(capsys, "read", "docs/notes p.2")[1]


def test_verify_takes_the_end_of_a_source_and_a_file_on_disk(paged, capsys):
    for name in ("docs/sub/../a.md", "docs/a.md"):
        assert call(capsys, "verify", "一个字。", "--source", name)[0] == 0
    assert call(capsys, "verify", "两个字。", "--source", "docs/a.md")[0] == 4
    assert call(capsys, "verify", "Pump", "--source", "b.md", "--library", "docs")[0] == 0


@pytest.mark.parametrize(("lang", "told"), [("en", "1 file could not be read"), ("zh", "有 1 个文件未能读取")])
def test_an_interrupted_sync_says_what_the_next_one_will_only_count(place, capsys, monkeypatch, lang, told):
    from yinju.library import Library

    sync = Library.sync

    def stopped(self, *arguments, **more):
        sync(self, *arguments, **more)
        raise KeyboardInterrupt

    monkeypatch.setattr(Library, "sync", stopped)
    monkeypatch.setenv("YINJU_LANG", lang)
    code, _out, err = call(capsys, "sync", "docs/sub", "--library", "other")
    assert (code, told in err) == (130, True)
    assert told not in call(capsys, "sync", "docs/sub", "--library", "other")[2], "it is known by now"


@pytest.mark.parametrize(("lang", "name"), [("en", "size"), ("zh", "大小")])
def test_status_gives_sizes_for_people_and_bytes_for_programs(place, capsys, monkeypatch, lang, name):
    monkeypatch.setenv("YINJU_LANG", lang)
    line = next(line for line in call(capsys, "status", "docs")[1].splitlines() if line.startswith(name + " "))
    assert line.endswith(" MB")
    assert json.loads(call(capsys, "status", "docs", "--json")[1])["size_bytes"] > 1_000


def test_each_tells_of_every_file_that_is_on_disk(place, capsys):
    (place / "docs" / "乙 b.md").write_text("# 乙\n\n两个字。\n", encoding="utf-8")
    (place / "docs" / "a.md").unlink()
    code, out, err = call(capsys, "sync", "docs", "--each", "--json")
    assert (code, json.loads(out)["added"]) == (3, 1)
    told = [json.loads(line) for line in err.splitlines()]
    assert told == [{"source": "乙 b.md", "outcome": "indexed"}, {"source": "a.md", "outcome": "removed"}]
    assert call(capsys, "sync", "docs", "--each", "--json")[2] == "", "what did not change is not told"
