"""What a person calls a file is found: its path from anywhere, its source in the library, the folder that was synced."""

import json

import pytest

from yinju.cli import run

pytestmark = pytest.mark.slow  # each makes libraries in several places


@pytest.fixture
def place(tmp_path, monkeypatch, without_model, capsys):
    tmp_path.chmod(0o755)
    (tmp_path / "docs" / "sub").mkdir(parents=True)
    (tmp_path / "docs" / "a.md").write_text("# Alpha\n\nThe alpha costs 3 euros.\n", encoding="utf-8")
    (tmp_path / "docs" / "sub" / "b.md").write_text("# Beta\n\nThe beta costs 4 euros.\n", encoding="utf-8")
    (tmp_path / "docs" / "broken.pdf").write_bytes(b"%PDF-1.4 broken")
    (tmp_path / "single.md").write_text("# Single\n\nThe single costs 5 euros.\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    run(["sync", "docs", "-q"])
    capsys.readouterr()
    return tmp_path


def call(capsys, *arguments):
    capsys.readouterr()
    code = run([str(argument) for argument in arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


@pytest.mark.parametrize("absolute", [True, False])
def test_a_file_on_disk_is_found_from_outside_its_library(place, capsys, absolute):
    file = str(place / "docs" / "sub" / "b.md") if absolute else "docs/sub/b.md"
    assert "sub/b.md: indexed" in call(capsys, "status", file)[1]
    assert "4 euros" in call(capsys, "read", file)[1]
    assert call(capsys, "read", f"{file}:3")[1] == "The beta costs 4 euros.\n"
    assert "Beta" in call(capsys, "outline", file)[1]
    assert call(capsys, "status", place / "docs" / "broken.pdf")[1].startswith("broken.pdf: skipped")


def test_plain_sources_and_files_of_the_working_folder_are_found(place, capsys, monkeypatch):
    monkeypatch.chdir(place / "docs" / "sub")
    assert "3 euros" in call(capsys, "read", "a.md")[1], "a source of the library"
    assert "4 euros" in call(capsys, "read", "b.md")[1], "a file here"
    assert "sub/b.md" in call(capsys, "status", "b.md")[1]
    code, out, err = call(capsys, "read", "absent.md")
    assert (code, out) == (74, "")
    assert "absent.md" in err


def test_the_folder_that_was_synced_names_its_library(place, capsys):
    assert json.loads(call(capsys, "sources", "--library", "docs", "--json")[1])["sources"]
    assert call(capsys, "read", "a.md", "--library", "docs")[0] == 0
    assert "docs" in call(capsys, "status", "docs")[1]
    assert not (place / "docs" / "library.db").exists()


def test_a_file_with_a_library_of_its_own_is_found(place, capsys):
    assert call(capsys, "sync", "single.md")[0] == 0
    assert not (place / ".yinju").exists()
    assert "single.md: indexed" in call(capsys, "status", "single.md")[1]
    assert "5 euros" in call(capsys, "read", place / "single.md")[1]


def test_a_file_in_no_library_says_so(place, capsys):
    code, out, err = call(capsys, "status", "single.md")
    assert (code, out) == (74, "")
    assert "yinju sync" in err
    code, _out, err = call(capsys, "read", "single.md", "--library", "docs")
    assert code == 74
    assert "single.md" in err


@pytest.mark.parametrize(("lang", "word"), [("en", "was skipped: damaged"), ("zh", "已被跳过：damaged")])
def test_a_skipped_source_says_why_it_has_no_text(place, capsys, monkeypatch, lang, word):
    monkeypatch.setenv("YINJU_LANG", lang)
    for command in ("read", "outline"):
        code, out, err = call(capsys, command, "broken.pdf", "--library", "docs")
        assert (code, out) == (74, "")
        assert word in err
        assert "→" in err
        assert "Did you mean" not in err
    code, out, _err = call(capsys, "read", "broken.pdf", "--library", "docs", "--json")
    assert json.loads(out)["error"]["code"] == "skipped"
