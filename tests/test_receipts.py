"""Receipts for people: they add up before one's eyes, say what every code means, and a file is found by whatever it is called."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path

import pytest

from yinju import Library
from yinju.cli import receipts, render, run
from yinju.messages import set_language
from yinju.settings import Settings
from yinju.store.records import SourceSummary
from yinju.sync import remarks
from yinju.types import Dropped, FileReport, Receipt

ROOM = Path(__file__).parent.parent / "src" / "yinju"
# what looks like the code of a warning and is none: reasons of skipping, a key of front matter, the end of `charts-not-read`
OTHERS = frozenset({"no-text", "unsafe-xml", "encrypted", "unreadable", "yinju-preset", "s-not-read"})


def codes_in(source: str) -> set[str]:
    """Return what looks like the code of a warning in functions that speak of warnings."""
    found, lines = set(), source.split("\n")
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef) and "warn" in "\n".join(lines[node.lineno - 1 : node.end_lineno]):
            for part in ast.walk(node):
                if isinstance(part, ast.JoinedStr) and part.values and isinstance(part.values[0], ast.Constant):
                    match = re.fullmatch(r"([a-z]+(?:-[a-z]+)*): .*", str(part.values[0].value), re.DOTALL)
                elif isinstance(part, ast.Constant) and isinstance(part.value, str):
                    match = re.fullmatch(r"([a-z]+(?:-[a-z]+)+)(?:: .*)?", part.value)
                else:
                    match = None
                found |= {match[1]} if match else set()
    return found | set(re.findall(r"""f["']([a-z]+(?:-[a-z]+)+): \{""", source))


def loaders() -> list[Path]:
    return [*sorted((ROOM / "load").rglob("*.py")), ROOM / "sync" / "documents.py"]


def test_each_warning_of_the_loaders_has_a_meaning():
    found = {code: path.name for path in loaders() for code in codes_in(path.read_text(encoding="utf-8"))}
    assert {"hidden-characters", "pages-without-text", "garbled-pages", "type-mismatch", "tracked-changes"} <= set(
        found
    )
    unknown = {code: name for code, name in found.items() if not remarks.is_known(code) and code not in OTHERS}
    assert not unknown, "give them a meaning in sync/remarks.py"


def test_each_reason_of_the_loaders_has_a_meaning():
    sources = "\n".join(path.read_text(encoding="utf-8") for path in loaders())
    codes = set(re.findall(r"""code=["']([a-z -]+)["']""", sources))
    assert {"no-text", "damaged", "encrypted"} <= codes
    assert not [code for code in codes if remarks.reason(code) == code], "give them a meaning in sync/remarks.py"


def test_each_name_of_what_is_left_out_has_a_chinese_name():
    sources = "\n".join(path.read_text(encoding="utf-8") for path in sorted((ROOM / "load").rglob("*.py")))
    names = set(re.findall(r"""(?:drop|added|Dropped)\(\s*"([^"{}]+)\"""", sources)) | set(
        re.findall(r"""account\["([^"]+)"\]""", sources)
    )
    set_language("zh")
    try:
        unknown = [name for name in sorted(names) if remarks.dropped(name) == name]
    finally:
        set_language(None)
    assert not unknown, "give them a Chinese name in sync/remarks.py"
    assert remarks.dropped("running header") == "running header"


@pytest.mark.parametrize(
    ("lang", "meaning", "hint"), [("en", "cannot be decoded", "yinju[ocr]"), ("zh", "无法解码", "yinju[ocr]")]
)
def test_a_warning_says_what_it_means_and_what_to_do(lang, meaning, hint):
    set_language(lang)
    try:
        told = remarks.remark("garbled-pages: 3-7")
        assert (told.code, told.detail) == ("garbled-pages", "3-7")
        assert meaning in told.meaning
        assert hint in (told.hint or "")
        assert remarks.remark("something-new: 5").meaning == "something new"
    finally:
        set_language(None)


RECEIPT = Receipt(
    characters=8_132, covered=8_132, found=8_155, dropped=(Dropped("running header", 35), Dropped("list number", -12)), pages=9, chunks=12,
    warnings=("pages-without-text: 4, 9", "hidden-characters: 3"), page_states={"text": "1-3, 5-8", "scanned": "4, 9"}, tables=3,
    tables_without_header=1, images=2, parser="pdf (pypdfium2 5.1.0)",
)  # fmt: skip
ABOUT = SourceSummary(
    "a/report.pdf",
    "d_1",
    "年度报告",
    "pdf",
    "zh",
    8_132,
    12,
    7,
    None,
    "indexed",
    (),
    None,
    {"encoding": "gb18030"},
    RECEIPT,
)


def shown(lang: str, report: FileReport, about: SourceSummary | None = ABOUT) -> list[str]:
    set_language(lang)
    try:
        return list(receipts.lines(report, about))
    finally:
        set_language(None)


def test_the_account_adds_up_in_print():
    """8,155 found, 35 left out, 12 added: 8,132 kept, all in passages."""
    lines = shown("en", FileReport("a/report.pdf", "indexed", receipt=RECEIPT))
    text = "\n".join(lines)
    numbers = {line.rsplit("  ", 1)[0].strip() if line.endswith("all") else line: line for line in lines}
    account = [int(re.search(r"([−+]?)([\d,]+)(?:  all)?$", line)[2].replace(",", "")) for line in lines[3:8]]
    assert account == [8_155, 35, 12, 8_132, 8_132]
    assert account[0] - account[1] + account[2] == account[3] == account[4]
    assert numbers
    for piece in ("running header", "−35", "+12", "9: with text 1-3, 5-8; only pictures 4, 9", "3, 1 without a header", "2 passed over",
                  "pdf (pypdfium2 5.1.0)", "Chinese", "gb18030", "12, 7 with vectors", "pages hold pictures", "→ Install"):  # fmt: skip
        assert piece in text


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_receipt_fits_eighty_columns(lang):
    name = "很长的文件夹名称" * 8 + "/" + "report" * 20 + ".pdf"
    report = FileReport(name, "kept", "damaged: " + "糟" * 100, "get the file again " * 9, RECEIPT)
    lines = shown(lang, report)
    assert max(render.width(line) for line in lines) <= 80
    assert "".join(lines).replace(" ", "").count("糟") == 100


def test_a_receipt_in_chinese_names_what_was_left_out():
    text = "\n".join(shown("zh", FileReport("a/report.pdf", "indexed", receipt=RECEIPT)))
    for piece in (
        "文件中的字符",
        "略去: 页眉",
        "添加: 列表编号",
        "保留为正文",
        "全部",
        "只有图像 4, 9",
        "3，其中 1 个没有表头",
        "略过 2 张",
        "7 个已有向量",
    ):
        assert piece in text


def test_what_is_not_covered_is_said_loudly():
    report = FileReport("a.md", "indexed", receipt=Receipt(characters=10, covered=9, found=10))
    assert "NOT all" in "\n".join(shown("en", report, None))


@pytest.mark.parametrize(
    "text", ["", "word", "a b " * 60, "没有空格的中文" * 30, "x" * 300, "中文，English mixed，标点。" * 12]
)
def test_wrapping_loses_nothing(text):
    lines = list(receipts.wrapped(text, "  ", 40))
    assert all(render.width(line) <= 40 for line in lines)
    assert "".join("".join(lines).split()) == "".join(text.split())
    assert not any(line.strip().startswith(("，", "。")) for line in lines)


# from the command line


@pytest.fixture(scope="module")
def synced(tmp_path_factory):
    """A folder with a library, made once: it takes a reading process."""
    docs = tmp_path_factory.mktemp("receipts") / "docs"
    (docs / "sub").mkdir(parents=True)
    (docs / "other").mkdir()
    (docs / "a.md").write_text("---\ntitle: A\n---\n# Alpha\n\nThe alpha costs 3 euros.\n", encoding="utf-8")
    (docs / "sub" / "b.txt").write_bytes("贝塔每年一百六十八元，付款后立即生效。\n".encode("gb18030"))
    (docs / "sub" / "same.md").write_text("# One\n\nThe one.\n", encoding="utf-8")
    (docs / "other" / "same.md").write_text("# Two\n\nThe two.\n", encoding="utf-8")
    (docs / "订阅方案.md").write_text("# 订阅方案\n\n## 年费\n\n年费方案每年 168 元。\n", encoding="utf-8")
    (docs / "价格.md").write_text("# 价格\n\n## 年费\n\n年费方案每年 198 元。\n", encoding="utf-8")
    for number in range(8):
        (docs / f"scan{number}.pdf").write_bytes(b"%PDF-1.4 broken")
    (docs / "broken.pdf").write_bytes(b"%PDF-1.4 broken")
    (docs / "tool.exe").write_bytes(b"MZ\x90")
    (docs / ".hidden.md").write_text("hidden\n", encoding="utf-8")
    (docs / "draft.md").write_text("# Draft\n", encoding="utf-8")
    (docs / ".yinjuignore").write_text("draft.md\n", encoding="utf-8")
    with Library.open(docs / ".yinju", settings=Settings(embed_model="none")) as library:
        library.sync(docs)
    (docs / "new.md").write_text("# New\n", encoding="utf-8")
    return docs


@pytest.fixture
def place(synced, monkeypatch, without_model):
    monkeypatch.chdir(synced.parent)
    return synced


def call(capsys, *arguments):
    capsys.readouterr()
    code = run([str(argument) for argument in arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_status_shows_encoding_language_and_parser(place, capsys):
    code, out, _err = call(capsys, "status", "sub/b.txt", "--library", "docs")
    assert code == 0
    assert out.startswith("sub/b.txt: indexed")
    for piece in ("gb18030", "Chinese", "read by", "kept as text"):
        assert piece in out
    assert "front matter" in call(capsys, "status", "a.md", "--library", "docs")[1]


def test_a_skipped_file_says_why_and_what_to_do(place, capsys, monkeypatch):
    code, out, _err = call(capsys, "status", "broken.pdf", "--library", "docs")
    assert (code, out.startswith("broken.pdf: skipped")) == (0, True)
    assert "why: damaged" in out
    assert "→" in out
    monkeypatch.setenv("YINJU_LANG", "zh")
    assert "原因: 已损坏" in call(capsys, "status", "broken.pdf", "--library", "docs")[1]


def test_the_end_of_a_source_is_enough_where_it_is_the_only_one(place, capsys):
    assert call(capsys, "status", "b.txt", "--library", "docs")[1].startswith("sub/b.txt: indexed")
    assert call(capsys, "status", "other/same.md", "--library", "docs")[1].startswith("other/same.md")
    code, out, err = call(capsys, "status", "same.md", "--library", "docs")
    assert (code, out) == (2, "")
    assert "other/same.md, sub/same.md" in err
    assert call(capsys, "status", "ame.md", "--library", "docs")[0] == 74, "half a name is no end"
    assert "The one." not in call(capsys, "read", "b.txt", "--library", "docs")[1]


@pytest.mark.parametrize(
    ("name", "why"),
    [("tool.exe", "no documents"), (".hidden.md", "hidden"), ("draft.md", ".yinjuignore"), ("new.md", "not read yet")],
)
@pytest.mark.parametrize("absolute", [True, False])
def test_a_file_in_the_folder_that_is_not_in_the_library_says_why(place, capsys, name, why, absolute):
    file = place / name if absolute else f"docs/{name}"
    code, out, err = call(capsys, "status", file)
    assert (code, out) == (74, "")
    assert why in err
    assert "→" in err
    error = json.loads(call(capsys, "status", file, "--json")[1])["error"]
    assert error["code"] == ("not-read" if name == "new.md" else "ignored")


def test_in_json_a_receipt_has_the_shape_of_a_file_of_sync(place, capsys):
    file = json.loads(call(capsys, "status", "a.md", "--library", "docs", "--json")[1])
    assert set(file) >= {
        "source", "outcome", "reason", "hint", "characters", "covered", "found", "dropped", "pages", "chunks", "warnings", "page_states",
        "tables", "tables_without_header", "images", "parser", "language", "type", "encoding", "embedded", "remarks",
    }  # fmt: skip
    assert file["found"] == file["characters"] + sum(piece["characters"] for piece in file["dropped"])
    report = json.loads(call(capsys, "sync", "docs/broken.pdf", "--library", "docs", "--json")[1])
    assert {"page_states", "tables", "images", "parser"} <= set(report["files"][0])
    [record] = [
        one
        for one in json.loads(call(capsys, "sources", "--library", "docs", "--json")[1])["sources"]
        if one["source"] == "a.md"
    ]
    assert {
        key: record[key] for key in ("found", "covered", "dropped", "tables", "images", "parser", "page_states")
    } == {key: file[key] for key in ("found", "covered", "dropped", "tables", "images", "parser", "page_states")}
    assert record["state"] == "indexed"


def test_doctor_counts_what_is_many_and_lists_it_where_asked(place, capsys):
    code, out, _err = call(capsys, "doctor", "--library", "docs")
    assert code == 3
    assert "skipped: 9 files: damaged" in out
    assert out.count(".pdf") == 3
    assert "--all" in out
    code, out, _err = call(capsys, "doctor", "--library", "docs", "--all")
    assert out.count(".pdf: damaged") == 9
    found = json.loads(call(capsys, "doctor", "--library", "docs", "--json")[1])["findings"]
    assert len([one for one in found if one["level"] == "skipped" and one["kind"] == "damaged"]) == 9
    assert set(found[0]) >= {"level", "subject", "message", "hint", "kind", "sources", "details"}


def test_doctor_shows_both_lines_of_a_contradiction(place, capsys):
    out = call(capsys, "doctor", "--library", "docs")[1]
    assert "      价格.md:5: 年费方案每年 198 元\n      订阅方案.md:5: 年费方案每年 168 元\n" in out
    assert "198 against 168" in out
