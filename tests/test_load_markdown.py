from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from yinju.errors import DocumentError
from yinju.load import Loaded, load
from yinju.load.clean import clean
from yinju.load.plain.markdown import PIECE, pieces, structure_of
from yinju.types import Document, Mark


def read(text: str, source: str = "a.md") -> Document:
    return load(text.encode(), source).document


def loaded(text: str) -> Loaded:
    return load(text.encode(), "a.md")


def marks(document: Document, kind: str) -> list[Mark]:
    return [mark for mark in document.marks if mark.kind == kind]


def headings(document: Document) -> list[tuple[int, str]]:
    return [(mark.level, mark.label) for mark in marks(document, "heading")]


def texts(document: Document, kind: str) -> list[str]:
    return [mark.span.of(document.text) for mark in marks(document, kind)]


def test_front_matter_becomes_metadata_and_lines_still_count_from_the_file() -> None:
    document = read("---\ntitle: Demo\ntags: [a, b]\n---\n\n# Real\nbody\n")
    assert (document.title, document.metadata["tags"]) == ("Demo", ["a", "b"])
    assert headings(document) == [(1, "Real")]
    assert document.lines(marks(document, "heading")[0].span) == (6, 6)
    assert document.line_at(document.text.index("body")) == 7


def test_front_matter_in_chinese() -> None:
    document = read("---\n标题: 保修说明\n作者: 周禾\n更新时间: 2025-03-01\n---\n正文\n")
    assert document.title == "保修说明"
    assert (document.metadata["author"], document.metadata["modified"]) == ("周禾", "2025-03-01")
    assert document.line_at(0) == 6


def test_front_matter_in_toml() -> None:
    document = read('+++\ntitle = "Demo"\ndate = 2025-03-01\n[extra]\nn = 1\n+++\nbody\n')
    assert (document.title, document.metadata["created"], document.metadata["extra"]) == (
        "Demo",
        "2025-03-01",
        {"n": 1},
    )


def test_front_matter_in_json() -> None:
    document = read('{\n  "title": "示例",\n  "date": "2025-03-01",\n  "n": [1, null]\n}\n\n# 正文\n')
    assert (document.title, document.metadata["created"], document.metadata["n"]) == ("示例", "2025-03-01", [1, None])
    assert (document.text, document.line_at(1)) == ("\n# 正文\n", 7)


def test_front_matter_after_blank_lines() -> None:
    document = read("\n \n---\ntitle: 示例\n---\n正文\n")
    assert (document.title, document.text, document.line_at(0)) == ("示例", "正文\n", 6)


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1}\n\nan object, then text\n',
        '{"title": "x"} and text\n',
        '{"title": "x"\n',
        '{"title": "nothing behind"}\n',
        "{" * 5000 + "\n",
        "---\nonly a break\n",
        "---\n\nProse: with a colon\n\nand more prose.\n\n---\n",
        "---\n# a\n",
        "--- \n- item\n---\n",
        "----\na: b\n----\n",
    ],
)
def test_a_text_that_merely_begins_with_a_break_keeps_all(text: str) -> None:
    assert read(text).text == text


@pytest.mark.parametrize(
    ("front", "title"),
    [
        ("title: Guide: part 2\nauthor: Lee", "Guide: part 2"),
        ("title: 指南: 第二部\nauthor: 李", "指南: 第二部"),
        ("title: x\n\tbad: tab", "x"),
        ("title: x\na: \x0b", "x"),
        ('title: x\np: !!python/object/apply:os.system ["id"]', "x"),
    ],
)
def test_bad_front_matter_is_a_warning(front: str, title: str) -> None:
    result = loaded(f"---\n{front}\n---\n正文 body\n")
    assert result.document.title == title
    assert result.document.text == "正文 body\n"
    assert [warning.split(":")[0] for warning in result.receipt.warnings] == ["front-matter"]


def test_yaml_bombs_are_not_followed() -> None:
    levels = ["a: &a [x,x,x,x,x,x,x,x,x]"] + [
        f"{b}: &{b} [{','.join([f'*{a}'] * 9)}]" for a, b in zip("abcd", "bcde", strict=True)
    ]
    result = loaded("---\n" + "\n".join(levels) + "\n---\n# x\n")
    assert result.receipt.warnings == ("front-matter: too many aliases",)
    deep = loaded("---\na: " + "[" * 5000 + "]" * 5000 + "\n---\n# x\n")
    assert deep.receipt.warnings[0].startswith("front-matter: ")
    few = loaded("---\na: &a [1]\nb: *a\nc: .nan\nd: !!binary aGk=\n1: {2025-01-01: x}\n---\n# x\n")
    assert few.document.metadata | {"encoding": ""} == {
        "encoding": "", "a": [1], "b": [1], "c": "nan", "d": "b'hi'", "1": {"2025-01-01": "x"}
    }  # fmt: skip


def test_nothing_but_front_matter_is_empty() -> None:
    with pytest.raises(DocumentError) as caught:
        read("---\ntitle: 空\n---\n\n")
    assert caught.value.code == "empty"


def test_headings_of_every_kind() -> None:
    document = read(
        "# One *two* `three` [four](x) ![five](y) {#anchor}\n\nSetext\n===\n\n二级\n---\n\n####### no\n#no\n\n"
        "```\n# no\n```\n\n> # quoted\n\n- # in a list\n\n<h3 align=center>Four <b>five</b></h3>\n\n<!-- <h2>no</h2> -->\n\n#\n"
    )
    assert headings(document) == [(1, "One two three four five"), (1, "Setext"), (2, "二级"), (3, "Four five")]
    assert texts(document, "heading")[1:] == ["Setext\n===", "二级\n---", "<h3 align=center>Four <b>five</b></h3>"]
    assert document.title == "One two three four five"


def test_reference_links_in_headings_are_resolved() -> None:
    assert headings(read("# See [the guide][g] &amp; 指南\n\n[g]: http://x\n")) == [(1, "See the guide & 指南")]


def test_tables_have_header_and_rows() -> None:
    document = read("前文\n\n| 名 | 价 |\n|---|:-:|\n| a \\| b | 1 |\n| 丙 | 2 |\n\n后文\n")
    assert texts(document, "table") == ["| 名 | 价 |\n|---|:-:|\n| a \\| b | 1 |\n| 丙 | 2 |"]
    assert texts(document, "header") == ["| 名 | 价 |\n|---|:-:|"]
    assert texts(document, "row") == ["| a \\| b | 1 |", "| 丙 | 2 |"]


def test_code_and_lists() -> None:
    document = read("- 甲\n  - 乙\n\n  ```py title=x\n  f()\n  ```\n\n\n1. c\n\n~~~\nx\n\n~~~\n\n    indented\n")
    assert texts(document, "list") == ["- 甲\n  - 乙\n\n  ```py title=x\n  f()\n  ```", "1. c"]
    assert [(m.label, m.span.of(document.text)) for m in marks(document, "code")] == [
        ("py", "  ```py title=x\n  f()\n  ```"),
        ("", "~~~\nx\n\n~~~"),
        ("", "    indented"),
    ]


def test_an_open_fence_goes_on_to_the_end() -> None:
    assert texts(read("a\n\n```\n# x"), "code") == ["```\n# x"]


def test_windows_line_ends_and_mark() -> None:
    document = load("\ufeff# 标题\r\n\r\n正文\r\n".encode(), "a.md").document
    assert document.text == "# 标题\n\n正文\n"
    assert (document.title, document.line_at(document.text.index("正"))) == ("标题", 3)


def test_marks_are_sorted_by_start_then_falling_end() -> None:
    document = read("| a |\n|---|\n| b |\n\n- x\n  ```\n  y\n  ```\n")
    assert [mark.kind for mark in document.marks] == ["table", "header", "row", "list", "code"]


def test_deep_quotes_and_brackets_end_soon() -> None:
    for text in (">" * 20_000 + " x", "[" * 20_000, "- " * 5_000 + "x", "`" * 50_000 + "x", "*a " * 20_000):
        assert read("# t\n\n" + text).title == "t"


BLOCKS = st.sampled_from(
    ["# 标题", "Title\n===", "- a\n  - 乙", "1. x", "```\nf()\n```", "| a | b |\n|---|---|\n| 1 | 二 |", "text **b**", "正文。", "<b>x</b>",
     "> q", "    code", "---", "", "\u200b", "\ttab", "[r]: x", "<h2>h</h2>", "---\na: b\n---", "\r\n"]
)  # fmt: skip


@given(st.lists(BLOCKS, max_size=12).map("\n\n".join) | st.lists(BLOCKS, max_size=12).map("\n".join) | st.text())
def test_receipts_balance_and_marks_lie_in_the_text(text: str) -> None:
    data = text.encode("utf-8", "replace")
    try:
        result = load(data, "a.md")
    except DocumentError as error:
        assert error.code in ("empty", "no-text", "binary")  # noqa: PT017
        return
    document, receipt = result.document, result.receipt
    assert receipt.found == receipt.characters + sum(item.characters for item in receipt.dropped)
    assert sorted(document.marks, key=lambda m: (m.span.start, -m.span.end)) == list(document.marks)
    for mark in document.marks:
        assert 0 <= mark.span.start < mark.span.end <= len(document.text)
        assert mark.span.of(document.text).strip()


@given(
    st.lists(BLOCKS | st.sampled_from(["~~~", "```", "````", "<!--", "-->", "<pre>", "</pre>"]), max_size=30).map(
        "\n\n".join
    ),
    st.integers(1, 60),
)
@example("-->\n\n<!--\n\n# 标题", 1)
@example("<!--\n\n~~~\n\n-->\n\n~~~\n\n# 标题", 1)
@example("~~~\n\n<!--\n\n~~~\n\n-->\n\n~~~\n\n# heading", 1)
@example("<pre>\n\n-->\n\n```\n\n</pre>\n\n```\n\n# heading", 1)
@example("<pre>\n\n```\n\n</pre>\n\n```\n\n# 标题", 1)
def test_pieces_of_a_long_text_have_the_marks_of_the_whole(text: str, size: int) -> None:
    text = clean(text).text
    assert "".join(pieces(text, size)) == text
    assert list(structure_of(text, size)) == list(structure_of(text))


def test_a_long_text_is_read_in_pieces() -> None:
    text = "# 标题\n\n段落。\n\n- a\n- b\n\n" * 20_000  # 6 + 5 + 9 characters each
    assert [len(part) for part in pieces(text, 100_000)] == [100_000] * 4
    assert list(pieces(text, PIECE)) == [text]
