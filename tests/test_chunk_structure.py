"""Chunks by structure: sizes, borders, breadcrumbs, tables, code, law, chat. Expectations worked out by hand."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest

from yinju.chunk import PRESETS, ChunkOptions, chunk, indexed_text, preset_for
from yinju.errors import UsageError
from yinju.types import Chunk, Document, Mark, Span

HEADING = re.compile(r"(#{1,6}) (.*)")


def markdown(text: str, *, preset: str | None = None) -> Document:
    """A document with the marks that a Markdown loader would set for headings, fences and pipe tables."""
    marks: list[Mark] = []
    lines: list[tuple[int, str]] = []
    place = 0
    for line in text.split("\n"):
        lines.append((place, line))
        place += len(line) + 1
    fence: int | None = None
    table: list[tuple[int, str]] = []
    for start, line in [*lines, (len(text), "")]:
        if line.startswith("```"):
            if fence is None:
                fence = start
            else:
                marks.append(Mark("code", Span(fence, start + len(line))))
                fence = None
        elif fence is None and (match := HEADING.fullmatch(line)):
            marks.append(Mark("heading", Span(start, start + len(line)), len(match[1]), match[2]))
        if line.startswith("|"):
            table.append((start, line))
        elif len(table) < 2:
            table = []
        else:
            marks.append(Mark("table", Span(table[0][0], table[-1][0] + len(table[-1][1]))))
            marks.append(Mark("header", Span(table[0][0], table[1][0] + len(table[1][1]))))
            marks += [Mark("row", Span(first, first + len(row))) for first, row in table[2:]]
            table = []
    marks.sort(key=lambda mark: (mark.span.start, -mark.span.end))
    return Document(text, "a.md", marks=tuple(marks), anchors=((0, 1),), preset=preset)


def trails(chunks: list[Chunk]) -> list[tuple[str, ...]]:
    return [one.headings for one in chunks]


def test_breadcrumbs_follow_levels_and_a_lone_heading_goes_with_the_text_under_it() -> None:
    chunks = chunk(markdown("# A\n\n### B\nb text\n\n### C\nc text\n\n## D\nd text\n"))
    assert trails(chunks) == [("A", "B"), ("A", "C"), ("A", "D")]
    assert [one.text for one in chunks] == ["# A\n\n### B\nb text", "### C\nc text", "## D\nd text"]
    assert [one.lines for one in chunks] == [(1, 4), (6, 7), (9, 10)]
    assert [one.index for one in chunks] == [0, 1, 2]


def test_breadcrumb_stands_in_the_indexed_text_and_not_in_the_shown_text() -> None:
    document = markdown("# 订阅方案\n\n## 在校生\n\n上传学生证后按七折结算。\n\n## 年费\n\n每年 168 元。")
    student, year = chunk(document)
    assert year.text == "## 年费\n\n每年 168 元。"
    assert indexed_text("订阅方案", year) == "订阅方案 > 年费\n## 年费\n\n每年 168 元。"
    assert indexed_text("帮助", student).startswith("帮助 > 订阅方案 > 在校生\n")
    assert indexed_text(None, year).startswith("订阅方案 > 年费\n")


def test_english_breadcrumb() -> None:
    _intro, refunds = chunk(markdown("# Help\n\nWelcome.\n\n## Refunds\n\nWithin 14 days."))
    assert indexed_text("Help", refunds) == "Help > Refunds\n## Refunds\n\nWithin 14 days."


def test_header_stands_between_breadcrumb_and_text() -> None:
    one = Chunk("a.csv", 0, Span(0, 3), "1\t2", headings=("价格",), header="名称\t元")
    assert indexed_text("表", one) == "表 > 价格\n名称\t元\n1\t2"


# Each sentence "第n句……" has 13 Chinese characters and signs and counts 11 tokens or so.
def numbered(count: int) -> str:
    return "".join(f"第{number}句话说的是一件小事情。" for number in range(count))


@pytest.mark.parametrize("name", ["general", "technical", "law", "chat"])
def test_sizes_keep_to_the_preset_and_overlap_is_whole_sentences(name: str) -> None:
    options = PRESETS[name]
    document = markdown(numbered(400).replace("。", "。\n") if name == "chat" else numbered(400))
    chunks = chunk(document, options)
    assert all(one.tokens <= options.maximum for one in chunks)
    assert all(one.tokens >= options.minimum * 0.9 for one in chunks[:-1])  # estimates of atoms are rounded up
    for before, after in pairwise(chunks):
        shared = document.text[after.span.start : before.span.end]
        assert shared.startswith("第")
        assert shared.endswith("。")
        assert options.overlap / 2 < 11 * shared.count("。") <= options.overlap * 1.2


def test_english_sentences_overlap_too() -> None:
    text = " ".join(f"Sentence number {number} says a small thing." for number in range(120))
    chunks = chunk(markdown(text), ChunkOptions(minimum=100, maximum=150, overlap=30))
    assert len(chunks) > 5
    for before, after in pairwise(chunks):
        shared = text[after.span.start : before.span.end]
        assert shared.startswith("Sentence number ")
        assert shared.endswith("thing.")


@pytest.mark.parametrize("word", ["无标点的长段落", "no stop here "])
def test_a_sentence_beyond_the_maximum_is_cut_and_overlaps_too(word: str) -> None:
    chunks = chunk(markdown(word * 1000), ChunkOptions(minimum=100, maximum=200, overlap=40))
    assert len(chunks) > 10
    for before, after in pairwise(chunks):
        assert 0 < before.span.end - after.span.start < 250


def test_the_last_chunk_is_no_crumb() -> None:
    chunks = chunk(markdown(numbered(56)))  # a little over one maximum
    assert len(chunks) == 2
    assert min(one.tokens for one in chunks) > 150


def test_no_overlap_across_a_heading() -> None:
    chunks = chunk(markdown(f"## 甲\n{numbered(30)}\n\n## 乙\n{numbered(30)}"))
    assert trails(chunks) == [("甲",), ("乙",)]
    assert chunks[0].span.end <= chunks[1].span.start


def test_a_hash_in_a_fence_is_no_border_and_a_fence_that_fits_is_not_cut() -> None:
    text = "# Guide\n\n```bash\n# fetch the tool\npip install demo\n```\n\n## Usage\nRun demo.\n"
    assert [(one.headings, one.text) for one in chunk(markdown(text))] == [
        (("Guide",), "# Guide\n\n```bash\n# fetch the tool\npip install demo\n```"),
        (("Guide", "Usage"), "## Usage\nRun demo."),
    ]
    fence = "```\n" + "x = compute(1)\n" * 30 + "```"  # some 250 tokens
    long = markdown(numbered(30) + "\n\n" + fence + "\n\n" + numbered(30))
    assert any(fence in one.text for one in chunk(long))


def test_a_big_table_is_cut_between_rows_and_its_header_comes_again() -> None:
    text = (
        "# 参数\n\n|名称|类型|默认值|\n|---|---|---|\n" + "".join(f"|p{n}|int|{n}|\n" for n in range(300)) + "\n尾巴。"
    )
    chunks = chunk(markdown(text))
    header = "|名称|类型|默认值|\n|---|---|---|"
    assert chunks[0].header == ""
    assert chunks[0].text.startswith("# 参数\n\n" + header)
    assert all(one.header == header for one in chunks[1:-1])
    assert (chunks[-1].header, chunks[-1].text) == ("", "尾巴。")
    rows = [row for one in chunks[:-1] for row in one.text.split("\n") if row.startswith("|p")]
    assert rows == [f"|p{n}|int|{n}|" for n in range(300)]
    for one in chunks[1:-1]:
        assert one.lines is not None
        assert one.lines[1] - one.lines[0] + 1 == one.text.count("\n") + 1
        assert indexed_text(None, one).startswith(f"参数\n{header}\n|p")
        assert one.tokens + 30 <= 500


def test_a_small_table_stays_whole() -> None:
    table = "|a|b|\n|---|---|\n|1|2|"
    assert [one.text for one in chunk(markdown(f"前文。\n\n{table}\n\n后文。"))] == [f"前文。\n\n{table}\n\n后文。"]


def test_code_is_cut_between_definitions() -> None:
    body = "".join(f"    total = total + value_{n} * {n}\n" for n in range(26))
    functions = [f"def work_{n}(total):\n{body}    return total\n" for n in range(6)]
    text = "import math\n\n\n" + "\n\n".join(functions)
    marks = tuple(
        Mark("definition", Span(text.index(one), text.index(one) + len(one)), label=f"work_{n}")
        for n, one in enumerate(functions)
    )
    document = Document(text, "work.py", type="python", marks=marks, anchors=((0, 1),))
    assert preset_for(document) == "code"
    chunks = chunk(document)
    assert [one.text.count("def work_") for one in chunks] == [1] * 6
    assert [one.headings for one in chunks[1:]] == [(f"work_{n}",) for n in range(1, 6)]
    assert all(one.text.startswith("def ") for one in chunks[1:])
    assert all(before.span.end <= after.span.start for before, after in pairwise(chunks))


def test_a_long_definition_is_cut_at_lines_with_its_indentation() -> None:
    text = "class Store:\n" + "".join(f"    name_{n} = make({n})\n" for n in range(100))
    document = Document(text, "s.py", type="python", marks=(Mark("definition", Span(0, len(text)), label="Store"),))
    chunks = chunk(document)
    assert len(chunks) > 2
    assert all(one.text.startswith("    name_") for one in chunks[1:])
    assert all(one.headings == ("Store",) for one in chunks)
    assert all(before.span.end > after.span.start for before, after in pairwise(chunks))


@pytest.mark.parametrize("word", ["第{n}条 ", "Article {n} "])
def test_law_is_cut_at_clauses(word: str) -> None:
    clause = (
        "当事人应当遵守约定。违反约定的承担责任。" * 6
        if word.startswith("第")
        else "The parties keep their word. " * 20
    )
    text = "\n".join(word.format(n=n) + clause for n in range(1, 31))
    chunks = chunk(markdown(text, preset="law"))
    assert len(chunks) > 3
    first = word.split("{", maxsplit=1)[0]
    new = [max(one.span.start, before.span.end) for before, one in pairwise(chunks)]
    assert all(text[place:].lstrip().startswith(first) for place in new)


def test_each_clause_of_a_law_is_its_own_chunk_so_that_a_citation_names_it() -> None:
    text = "# 合同\n\n" + "\n\n".join(f"## 第{n}条\n\n双方应当遵守约定。" for n in range(1, 6))
    assert trails(chunk(markdown(text, preset="law"))) == [("合同", f"第{n}条") for n in range(1, 6)]


def test_small_neighbours_under_one_heading_share_a_chunk_where_the_options_say_so() -> None:
    text = "# 合同\n\n" + "\n\n".join(f"## 第{n}条\n\n双方应当遵守约定。" for n in range(1, 6))
    assert trails(chunk(markdown(text), ChunkOptions(minimum=300, maximum=500, merge_below=300))) == [("合同",)]


def test_chat_is_cut_between_messages() -> None:
    text = "\n".join(f"张三：今天说第{n}件事。好不好？我看可以。" for n in range(80))
    chunks = chunk(markdown(text, preset="chat"))
    assert len(chunks) > 3
    assert all(one.text.startswith("张三：") and one.text.endswith("可以。") for one in chunks)


def test_pages_are_those_of_the_first_character() -> None:
    text = numbered(100)
    half = len(text) // 2
    document = Document(
        text, "a.pdf", type="pdf", marks=(Mark("page", Span(0, half), 1), Mark("page", Span(half, len(text)), 2))
    )
    for one in chunk(document):
        assert one.page == document.page(one.span.start) == (1 if one.span.start < half else 2)
        assert one.lines is None


def test_lines_agree_with_the_document() -> None:
    text = "\n".join(f"第{n}行。\n" for n in range(300))
    document = Document(text, "a.txt", anchors=((0, 5), (400, 1000)))
    chunks = chunk(document)
    assert len(chunks) > 2
    assert all(one.lines == document.lines(one.span) for one in chunks)


@pytest.mark.parametrize(
    "figures",
    [
        {"maximum": 100, "minimum": 50, "overlap": 100},
        {"maximum": 100, "minimum": 50, "overlap": 150},
        {"maximum": 0, "minimum": 0, "overlap": 0},
        {"overlap": -1},
        {"minimum": 600},
        {"strategy": "window", "size": 100, "overlap": 100},
        {"strategy": "headings", "level": 0},
        {"strategy": "guess"},
    ],
)
def test_contradictions_are_refused_with_a_hint(figures: dict[str, object]) -> None:
    with pytest.raises(UsageError) as refused:
        ChunkOptions(**figures)  # type: ignore[arg-type]
    assert refused.value.hint


def test_presets_by_document_then_type() -> None:
    assert preset_for(Document("", "a.md")) == "general"
    assert preset_for(Document("", "a.md", preset="law")) == "law"
    assert preset_for(Document("", "a.csv", type="csv")) == "table"
    assert (PRESETS["general"].minimum, PRESETS["general"].maximum, PRESETS["general"].overlap) == (300, 500, 80)
    with pytest.raises(UsageError):
        preset_for(Document("", "a.md", preset="none"))
