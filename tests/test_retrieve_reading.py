"""A closer look: lines are found whatever their length, and every format has an outline."""

from __future__ import annotations

import time

import pytest

from yinju.retrieve.reading import LONGEST_SHOWN, grep, outline
from yinju.types import Document, Mark, Span


def looked(text: str, pattern: str, *, regex: bool = False) -> str:
    """Return the text of the only match, with what matched between ‹ and ›."""
    (match,) = grep([Document(text, source="a.txt", anchors=((0, 1),))], pattern, regex=regex, limit=5)
    return match.text[: match.at.start] + "‹" + match.text[slice(*match.at)] + "›" + match.text[match.at.end :]


@pytest.mark.parametrize(
    ("before", "wanted", "after"),
    [
        ("all day long ", "quetzal", ""),
        ("今天天气很好，", "绿咬鹃", ""),
        ("all day long ", "Quetzal", " and more" * 9_000),
    ],
)
@pytest.mark.parametrize("regex", [False, True])
def test_a_word_at_the_end_of_an_endless_line_is_found(before: str, wanted: str, after: str, regex: bool) -> None:
    found = looked(before * 4_000 + wanted + after + "\nnext line", wanted.lower(), regex=regex)
    assert f"{before}‹{wanted}›{after[:9]}" in found
    assert found.startswith("…")
    assert found.endswith("…") == bool(after)
    assert len(found) <= LONGEST_SHOWN + 4


def test_a_short_line_is_shown_whole() -> None:
    assert looked("one\nThe ＡＬＰＨＡ costs 3.\n", "alpha") == "The ‹ＡＬＰＨＡ› costs 3."
    assert looked("一\n價格是三歐元。\n", "价格") == "‹價格›是三歐元。"
    assert looked("a1\nb22\n", "[0-9]{2}", regex=True) == "b‹22›"
    assert looked("編號：甲12\n", "甲[0-9]+$", regex=True) == "編號：‹甲12›"


def test_the_time_is_linear_in_the_line() -> None:
    line = "ab" * 500_000 + "c"
    start = time.perf_counter()
    assert looked(line, "abc").endswith("‹abc›")
    assert "‹abab" in looked(line, "(a|b|ab)*c$", regex=True)
    assert time.perf_counter() - start < 4


def test_an_expression_that_matches_a_whole_endless_line_is_cut() -> None:
    (match,) = grep([Document("字" * 50_000, source="a.txt")], "字+", regex=True, limit=1)
    assert len(match.text) == LONGEST_SHOWN + 1
    assert match.at == (0, LONGEST_SHOWN)


def entries(document: Document) -> list[tuple[str, int, str, int | None, int | None]]:
    return [(entry.kind, entry.level, entry.text, entry.line, entry.page) for entry in outline(document)]


def test_the_outline_of_source_code_is_its_definitions() -> None:
    text = (
        "class Store:\n    def open(self):\n        pass\n    def 关闭(self):\n        pass\ndef helper():\n    pass\n"
    )

    def defined(label: str, start: str, end: str) -> Mark:
        return Mark("definition", Span(text.index(start), text.index(end) if end else len(text)), label=label)

    marks = (
        defined("Store", "class", "def helper"),
        defined("Store.open", "    def open", "    def 关闭"),
        defined("Store.关闭", "    def 关闭", "def helper"),
        defined("helper", "def helper", ""),
    )
    assert entries(Document(text, source="a.py", marks=marks, anchors=((0, 1),))) == [
        ("definition", 1, "Store", 1, None),
        ("definition", 2, "open", 2, None),
        ("definition", 2, "关闭", 4, None),
        ("definition", 1, "helper", 6, None),
    ]


def test_pages_without_headings_go_by_their_first_line() -> None:
    text = "Invoice 7\nTotal 3\n发票\n合计 3\n"
    pages = (Mark("page", Span(0, 18), 1), Mark("page", Span(18, len(text)), 2))
    assert entries(Document(text, source="a.pdf", marks=pages)) == [
        ("page", 1, "Invoice 7", None, 1),
        ("page", 1, "发票", None, 2),
    ]
    heading = Mark("heading", Span(18, 20), 2, "发票")
    assert entries(Document(text, source="a.pdf", marks=(pages[0], pages[1], heading))) == [
        ("heading", 2, "发票", None, 2)
    ]


def test_a_table_goes_by_its_header_and_plain_text_by_its_paragraphs() -> None:
    text = "姓名\t分机\n许雅婷\t5588\n"
    table = Document(text, source="a.csv", marks=(Mark("table", Span(0, len(text))),), anchors=((0, 1),))
    assert entries(table) == [("table", 1, "姓名 | 分机", 1, None)]
    plain = Document("First.\nmore\n\n第二段。\n", source="a.txt", anchors=((0, 1),))
    assert entries(plain) == [("part", 1, "First.", 1, None), ("part", 1, "第二段。", 4, None)]
    chat = Document("[00:04] Maria: Hi.\n[00:31] 张伟：你好。\n", source="a.txt", anchors=((0, 1),))
    assert [entry.text for entry in outline(chat)] == ["[00:04] Maria: Hi.", "[00:31] 张伟：你好。"]
    assert entries(Document("", source="a.txt")) == []
    many = outline(Document("x\n\n" * 1_000, source="a.txt", anchors=((0, 1),)))
    assert (len(many), many[1].line) == (50, 41)
