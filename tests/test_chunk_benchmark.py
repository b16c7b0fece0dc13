"""The reader that counts the faults of splitters: by hand, on a file that is cut badly on purpose."""

from __future__ import annotations

from benchmarks.chunking import Faults, Piece, judge, located, plain, see

TEXT = "# 题\n\n第一句。第二句。\n\n```sh\n# 注\nx\n```\n\n| 名 | 值 |\n|---|---|\n| 甲 | 1 |\n\n尾。\n"


def test_a_reader_of_lines() -> None:
    seen = see(TEXT)
    assert [TEXT[start:end] for start, end in seen.fences] == ["```sh\n# 注\nx\n```"]
    assert [TEXT[start:end] for start, end in seen.tables] == ["| 名 | 值 |\n|---|---|\n| 甲 | 1 |"]
    assert seen.headings == {"题"}
    assert plain("## [Title](http://x) {#id}") == "Title"


def test_faults_are_counted() -> None:
    cuts = ["# 题\n\n第一句。第", "二句。\n\n```sh\n# 注", "x\n```\n\n| 名 | 值 |", "|---|---|\n| 甲 | 1 |"]
    pieces = [Piece(text, None, ("题", "注") if number == 2 else ("题",)) for number, text in enumerate(cuts)]
    faults = Faults()
    judge(TEXT, pieces, 100, faults)
    assert faults == Faults(
        pieces=4, sentences=1, fences=1, tables=1, lost=2, headings=1
    )  # "尾。" is lost, "注" is a comment


def test_a_good_cut_has_none() -> None:
    faults = Faults()
    judge(TEXT, [Piece(TEXT, 0, ("题",))], 100, faults)
    assert faults == Faults(pieces=1)
    assert list(located(TEXT, [Piece("第一句。\n尾。")])) == [(5, 9), (len(TEXT) - 3, len(TEXT) - 1)]
