"""Of the same text in several files the original comes first."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yinju.text.originals import looks_copied, rank


@pytest.mark.parametrize(
    "source",
    [
        "call copy.txt", "call - Copy (2).txt",
        "Copy of call.txt", "backup/call.txt", "a/old/call.txt", "call.txt.bak", "call_bak.txt", "call(1).txt",
        "call[2].txt", "archive/call.txt", "副本 合同.docx", "合同 - 副本.docx", "合同（1）.docx", "备份/合同.docx", "旧/合同.docx", "旧版/合同.docx",
        "合同_備份.docx", "call.txt~", "归档/合同.docx",
    ],
)  # fmt: skip
def test_copies_are_known_by_their_names(source: str) -> None:
    assert looks_copied(source)


@pytest.mark.parametrize(
    "source",
    [
        "call.txt", "合同/设备采购合同.docx", "copyright.md", "golden.txt", "folder/bold.md", "依旧.md", "旧金山.md", "plan(2024).md",
        "报价单 最终版.docx", "f(x).md", "怀旧歌曲.txt",
    ],
)  # fmt: skip
def test_names_of_originals(source: str) -> None:
    assert not looks_copied(source)


@pytest.mark.parametrize(
    ("sources", "first"),
    [
        (["backup/cg.docx", "合同/设备采购合同.docx"], "合同/设备采购合同.docx"),
        (["报价/报价单 最终版(1).docx", "报价/报价单 最终版.docx"], "报价/报价单 最终版.docx"),
        (["a/b/plan.md", "z/plan.md"], "z/plan.md"),
        (["b.md", "a.md"], "a.md"),
        (["backup/b.md", "backup/a.md"], "backup/a.md"),
    ],
)
def test_the_original_comes_first(sources: list[str], first: str) -> None:
    assert min(sources, key=rank) == first


def test_a_link_is_no_original() -> None:
    assert min(rank("a.md", linked=True), rank("z/y/backup.md"))[-1] == "z/y/backup.md"


@given(st.lists(st.text(max_size=20), min_size=1, max_size=6))
def test_the_order_does_not_depend_on_who_comes_first(sources: list[str]) -> None:
    assert min(sources, key=rank) == min(reversed(sources), key=rank)
