"""What always holds of chunks, for documents shaped as each format makes them, and for files that the loaders themselves have read."""

# ruff: noqa: E501 -- documents in one line

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from test_chunk_properties import check
from yinju.chunk import PRESETS, ChunkOptions, chunk
from yinju.chunk.cut import CLOSING, is_inside
from yinju.errors import DocumentError
from yinju.load import load
from yinju.sections import Sections
from yinju.text.tokens import estimate
from yinju.text.turns import find_turns
from yinju.types import Chunk, Document, Mark, Span

NAMES = ["general", "technical", "code", "law", "chat", "table"]
SMALL = ChunkOptions(minimum=20, maximum=40, overlap=10)


def small(name: str) -> ChunkOptions:
    """A preset's way to cut, with sizes that short documents reach."""
    return replace(PRESETS[name], minimum=20, maximum=60, overlap=min(PRESETS[name].overlap, 12))


sentence = st.lists(
    st.sampled_from(
        ["今天", "下雨了", "，", "。", "！”", "（见图）", "“他说", "：", "；", "👩\u200d🚒", "e\u0301", "❤\ufe0f", "🇨🇳", "葛\U000e0100", "が", "각",
         "The price ", "is 3.14", ". ", "! ", ") ", " ，", "…", "\n", "、"]
    ),
    min_size=1,
    max_size=40,
).map("".join)  # fmt: skip


@st.composite
def shaped(draw: st.DrawFn) -> Document:
    """A document of blocks with the marks that loaders set: some of plain text formats, some of formats without a text of their own."""
    text = ""
    marks: list[Mark] = []
    pages = [0]

    def write(part: str, kind: str = "", level: int = 0, label: str = "") -> Span:
        nonlocal text
        start = len(text)
        text += part
        if kind:
            marks.append(Mark(kind, Span(start, len(text)), level, label))  # type: ignore[arg-type]
        return Span(start, len(text))

    for block in draw(
        st.lists(
            st.sampled_from(["heading", "text", "list", "code", "table", "page", "definition", "law", "pipes"]),
            max_size=9,
        )
    ):
        size = draw(st.integers(1, 12))
        if block == "heading":
            level = draw(st.integers(1, 4))
            write(f"标题 {level}", "heading", level, f"标题 {level}")
        elif block == "text":
            write(draw(sentence))
        elif block == "list":
            write("\n".join(f"{n + 1}. 第{n}项，说一件事。" for n in range(size)), "list")
        elif block == "code":
            write("```\n" + "x = (1)\n})\n" * size + "```", "code")
        elif block in ("table", "pipes"):
            start, cell = len(text), ("{}\t{}" if block == "table" else "| {} | {} |")
            if draw(st.booleans()):
                write(cell.format("名称", "数值") + ("\n|---|---|" if block == "pipes" else ""), "header")
                write("\n")
            for n in range(size):
                write(cell.format(f"行{n}", "，值" * n), "row")
                write("\n" if n + 1 < size else "")
            marks.append(Mark("table", Span(start, len(text))))
        elif block == "page":
            pages.append(len(text))
        elif block == "definition":
            write("def f():\n" + "    call(1)\n" * size, "definition", 0, "f")
        else:
            for n in range(size):
                write(f"第{n + 1}条", "heading", 5, f"第{n + 1}条")
                write(f" 应当如此。不得那样{n}。\n")
        write(draw(st.sampled_from(["\n\n", "\n", "\n\n\n"])))
    for number, (start, end) in enumerate(zip(pages, [*pages[1:], len(text)], strict=True)):
        if start < end:
            marks.append(Mark("page", Span(start, end), number + 1))
    marks.sort(key=lambda mark: (mark.span.start, -mark.span.end))
    return Document(
        text,
        "a.x",
        type=draw(st.sampled_from(["markdown", "docx", "pdf", "xlsx", "python", "html"])),
        marks=tuple(marks),
    )


def sound(document: Document, chunks: list[Chunk], options: ChunkOptions) -> None:
    check(document, chunks)
    text = document.text
    sections = Sections(text, document.marks)
    for one in chunks:
        assert one.tokens <= options.maximum
        assert not is_inside(text, one.span.start)
        assert not is_inside(text, one.span.end)
        if one.text[0] in CLOSING:  # then its line does
            assert not text[text.rfind("\n", 0, one.span.start) + 1 : one.span.start].strip()
        assert sections.of(one.span).start <= one.span.start
    for mark in document.marks:
        if mark.kind in ("row", "header") or (
            mark.kind in ("code", "list") and options.unit in ("sentences", "clauses")
        ):
            fits = estimate(mark.span.of(text)) <= (
                options.maximum if mark.kind in ("code", "list") else options.maximum // 3
            )
            split = any(
                other.kind == "heading" and mark.span.start < other.span.start < mark.span.end
                for other in document.marks
            )
            if fits and not split:
                assert whole(mark.span, text, chunks), mark
    for table in (mark for mark in document.marks if mark.kind == "table"):
        header = next((m for m in document.marks if m.kind == "header" and table.span.start == m.span.start), None)
        for one in chunks:
            if (
                header
                and estimate(header.span.of(text)) * 3 <= options.maximum * 2
                and header.span.end < one.span.start < table.span.end
            ):
                assert one.header == header.span.of(text)


def whole(span: Span, text: str, chunks: list[Chunk]) -> bool:
    left = span.start + len(span.of(text)) - len(span.of(text).lstrip())
    right = span.start + len(span.of(text).rstrip())
    return any(one.span.start <= left and right <= one.span.end for one in chunks)


@pytest.mark.slow
@given(shaped(), st.sampled_from(NAMES))
@settings(max_examples=300, deadline=None)
def test_documents_of_every_shape(document: Document, name: str) -> None:
    options = small(name)
    sound(document, chunk(document, options), options)


@given(sentence, st.integers(12, 40))
@settings(max_examples=300, deadline=None)
def test_no_chunk_begins_with_what_closes_the_one_before(text: str, size: int) -> None:
    document = Document(text, "a.txt", type="text")
    for one in chunk(document, ChunkOptions(minimum=size // 2, maximum=size, overlap=size // 3)):
        before = text[: one.span.start].rstrip(" \t\u3000")
        # nothing but punctuation fills a chunk: it must be cut somewhere
        run = len(before) - len(before.rstrip("".join(CLOSING) + " "))
        assert one.text[0] not in CLOSING or not before or before[-1] == "\n" or run > size // 4


row = st.lists(st.sampled_from(["甲", "1,000", "，", "x y", '"', "a\nb", ""]), min_size=2, max_size=4)
parts = st.lists(
    st.sampled_from(
        ["# 题", "## Two", "正文一句。又一句！", "- 甲\n- 乙\n  - 丙", "1. a\n2. b", "```py\nx = {\n}\n```", "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |",
         "> [!NOTE]\n> 文", ":::tip\n- 甲\n:::", "$$\na\n=\nb\n$$", "<table><tr><th>a</th></tr>\n<tr><td>1</td></tr></table>", "第一条 甲。", "第二条 乙。",
         "张三 10:00\n好。", "李四 10:01\n行，", "（括号）", "Text. More text) and so on!", "👩\u200d🚒 灭火。", "！"]
    ),
    min_size=1,
    max_size=25,
)  # fmt: skip


def as_file(kind: str, blocks: list[str], rows: list[list[str]]) -> bytes:
    text = "\n\n".join(blocks)
    match kind:
        case "html":
            return ("<html><body>" + "".join(f"<p>{block}</p>" for block in blocks) + "</body></html>").encode()
        case "json":
            return json.dumps({"a": blocks, "b": rows}, ensure_ascii=False).encode()
        case "jsonl":
            return "\n".join(json.dumps({"a": block}, ensure_ascii=False) for block in blocks).encode()
        case "csv":
            return "\n".join(
                ",".join(f'"{cell.replace(chr(34), chr(34) * 2)}"' for cell in one) for one in rows
            ).encode()
        case "py":
            return "".join(
                f"class A{n}:\n    def f(self):\n        '''{block}'''\n\n\n" for n, block in enumerate(blocks)
            ).encode()
        case _:
            return text.encode()


@pytest.mark.parametrize("kind", ["md", "mdx", "txt", "html", "json", "jsonl", "csv", "py", "js"])
@given(parts, st.lists(row, min_size=1, max_size=30))
@settings(max_examples=25, deadline=None)
def test_files_of_every_text_format(kind: str, blocks: list[str], rows: list[list[str]]) -> None:
    try:
        document = load(as_file(kind, blocks, rows), f"a.{kind}").document
    except DocumentError as error:
        assert error.code in ("no-text", "empty")  # noqa: PT017
        return
    for name in NAMES:
        options = small(name)
        sound(document, chunk(document, options), options)
    headings = [mark.span for mark in document.marks if mark.kind == "heading"]
    for turn in find_turns(document.text):
        if any(turn.span.start < heading.start < turn.span.end for heading in headings):  # a heading begins a section
            continue
        if estimate(turn.span.of(document.text)) <= SMALL.maximum:
            assert whole(turn.span, document.text, chunk(document, replace(SMALL, unit="turns")))
