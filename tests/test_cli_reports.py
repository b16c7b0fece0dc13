"""What a sync tells: meanings instead of codes, one line for each kind, notices apart from warnings, in the user's language."""

from __future__ import annotations

import pytest

from yinju import messages
from yinju.cli import reports
from yinju.sync import remarks
from yinju.types import FileReport, Receipt, SyncReport


@pytest.fixture(autouse=True)
def _speaking():
    messages.set_language("en")
    yield
    messages.set_language(None)


def read(source: str, *warnings: str) -> FileReport:
    return FileReport(source, "indexed", receipt=Receipt(warnings=warnings))


SCANS = [
    read(f"{name}.pdf", f"ocr-pages: {pages}") for name, pages in (("a", "1-8"), ("b", "1"), ("c", "2"), ("d", "3"))
]
HIDDEN = read("prices.xlsx", "hidden-sheets: 成本")


def test_the_same_of_many_files_is_one_line_and_what_asks_for_a_hand_comes_first():
    assert reports.odd([*SCANS, HIDDEN]) == [
        "  warning: prices.xlsx: hidden sheets were not read: 成本",
        "      → Unhide them if they should answer.",
        "  notice: 4 files: pages were read by character recognition; single letters can be wrong",
        "      a.pdf (1-8), b.pdf (1), c.pdf (2) …",
    ]


def test_it_speaks_chinese():
    messages.set_language("zh")
    assert reports.odd([*SCANS[:2], HIDDEN]) == [
        "  注意: prices.xlsx: 隐藏的工作表没有读取: 成本",
        "      → 若需要其内容，请取消隐藏。",
        "  提示: 2 个文件: 这些页由文字识别读取，个别字可能有误",
        "      a.pdf (1-8), b.pdf (1)",
    ]
    counts = reports.summary(SyncReport(added=1200, skipped=1, chunks=3000, took_s=2.0)).split("\n")[0]
    assert counts == "新增 1,200，跳过 1；3,000 个段落，0 个已嵌入（2.0 秒）"


def test_a_file_that_could_not_be_read_is_told_in_words_once():
    skipped = FileReport("x.pdf", "skipped", "encrypted: a password is needed", "save a copy without a password")
    assert reports.unread([skipped]) == [
        "  skipped: x.pdf: protected by a password (a password is needed)",
        "      → save a copy without a password",
    ]
    assert reports.unread([skipped], {("x.pdf", "encrypted: a password is needed")}) == [
        "  1 file skipped as before; see `yinju doctor`."
    ]


@pytest.mark.parametrize(
    ("lang", "hint", "told"),
    [
        ("zh", "save a copy without a password", "请另存一份不带密码的副本。"),
        ("zh", "请另存一份无密码的副本", "请另存一份无密码的副本"),
        ("en", "请另存一份无密码的副本", "Save a copy without a password."),
        ("en", None, "Save a copy without a password."),
    ],
)
def test_a_hint_noted_in_another_language_is_told_in_the_users(lang, hint, told):
    messages.set_language(lang)
    assert remarks.skipped("encrypted", hint)[1] == told


def test_an_unknown_reason_speaks_for_itself():
    assert remarks.skipped("renamed: a.md", None) == ("renamed: a.md", None)


def test_names_of_files_cannot_write_to_the_terminal():
    lines = reports.odd([read("a\x1b[31m\n.pdf", "ocr-pages: 1")])
    assert len(lines) == 1
    assert "\x1b" not in lines[0]
