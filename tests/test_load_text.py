from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yinju.errors import DocumentError
from yinju.load import load, load_document, structure
from yinju.load.plain.text import find_headings
from yinju.types import Document, Mark, Span


def headings(text: str) -> list[tuple[int, str]]:
    return [(mark.level, mark.label) for mark in find_headings(text)]


def test_chapters_by_name() -> None:
    assert headings("总则\n\n第一编 通则\n第一章 总则\n\n正文。\n\n第二章　存放\n第一节：干燥\n") == [
        (1, "第一编 通则"), (2, "第一章 总则"), (2, "第二章 存放"), (3, "第一节：干燥")
    ]  # fmt: skip
    assert headings("Part I\nChapter 1: Care\n\nText.\n\nCHAPTER 2\n\nSection 2.1 Drying\n") == [
        (1, "Part I"), (2, "Chapter 1: Care"), (2, "CHAPTER 2"), (3, "Section 2.1 Drying")
    ]  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "他读完\n第一章 以后就睡了。",
        "第一章讲的是清洁，第二章讲的是存放。",
        "第一部分内容如下所示：",
        "第一章讲的是清洁，第二章讲的是存放",
        "第一章 清洁 ........ 3\n第二章 存放 ........ 9",
        "Chapter 1 ........ 3",
        "see\nChapter 1 for more",
        "Chapter 1 explains how to clean it.",
        "1. item\n\n2. item",
        "v1.2.3 is out.\n\nnext",
        "----\n----",
    ],
)
def test_no_heading_where_in_doubt(text: str) -> None:
    assert headings(text) == []


def test_numbered_and_underlined_titles() -> None:
    assert headings("Title\n=====\n\n1.1 Scope\n\ntext\n\n1.1.2 范围\n\nSub\n~~~~\n") == [
        (1, "Title"), (3, "1.1 Scope"), (4, "1.1.2 范围"), (2, "Sub")
    ]  # fmt: skip


def test_title_is_the_line_above_the_first_chapter() -> None:
    assert load("水壶手册\n\n第一章 清洁\n\n正文。".encode(), "a.txt").document.title == "水壶手册"
    assert load(b"Kettle manual\n\nChapter 1\n\nText.", "a.txt").document.title == "Kettle manual"
    assert load("一段没有章节的话\n\n正文。".encode(), "a.txt").document.title is None


def test_xml_with_entities_is_refused_and_other_xml_is_text() -> None:
    with pytest.raises(DocumentError) as caught:
        load(b'<!DOCTYPE d SYSTEM "http://127.0.0.1:9/x.dtd"><d>&x;</d>', "a.xml")
    assert caught.value.code == "unsafe-xml"
    assert load("<d>正文</d>".encode(), "a.xml").document.text == "<d>正文</d>"


@pytest.mark.parametrize(
    ("data", "code"), [(b"", "empty"), (" \n\u3000\u200b\n".encode() * 9, "no-text"), (b"\x00\x00\x00", "no-text")]
)
def test_nothing_to_read(data: bytes, code: str) -> None:
    with pytest.raises(DocumentError) as caught:
        load(data, "a.txt")
    assert caught.value.code == code


def test_structure_reads_by_suffix_and_keeps_what_was_given() -> None:
    made = structure(
        Document.from_text("---\nauthor: Lee\n---\n# 标题\n\n正文。", source="memo.md", metadata={"team": "x"})
    )
    assert (made.title, made.type, made.language) == ("标题", "markdown", "zh")
    assert made.metadata == {"author": "Lee", "team": "x"}
    assert structure(Document.from_text("# a", source="memo", title="Mine")).title == "Mine"
    assert structure(Document.from_text("# a", source="memo.pdf")).type == "markdown"
    assert structure(Document.from_text("# a", source="memo.txt")).marks == ()
    assert structure(Document.from_text("<h1>甲</h1><p>乙", source="memo.html")).text == "甲\n\n乙"
    assert structure(Document.from_text("def f():\n    pass", source="memo.py")).marks[0].label == "memo.f"
    assert structure(Document.from_text("a\x00b\ud800", source="memo.md")).text == "ab\ufffd"


def test_structure_leaves_a_document_with_marks_alone() -> None:
    given = Document("甲\n乙", "a.x", type="custom", marks=(Mark("heading", Span(0, 1), 1, "甲"),))
    made = load_document(given)
    assert made.document.marks == given.marks
    assert (made.document.language, made.receipt.characters, made.receipt.found) == ("zh", 2, 2)


@pytest.mark.parametrize("kind", ["", "custom"])
def test_structure_of_nothing(kind: str) -> None:
    with pytest.raises(DocumentError) as caught:
        structure(Document(" \n", "a.md", type=kind))
    assert caught.value.code == "no-text"


@given(
    st.text(),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-16-be", "gb18030", "big5", "shift_jis", "cp1252"]),
    st.sampled_from(["txt", "go"]),
)
def test_receipts_balance_in_any_encoding(text: str, encoding: str, suffix: str) -> None:
    data = text.encode(encoding, "replace")
    try:
        receipt = load(data, f"a.{suffix}").receipt
    except DocumentError as error:
        assert error.code in ("empty", "no-text", "binary")  # noqa: PT017
        return
    assert receipt.found == receipt.characters + sum(item.characters for item in receipt.dropped)
