"""What always holds of chunks, for any text and any marks."""

from __future__ import annotations

import time
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from test_chunk_structure import markdown
from yinju.chunk import PRESETS, ChunkOptions, chunk
from yinju.text.tokens import estimate
from yinju.types import Chunk, Document, Mark, Span

TREE = Path(__file__).resolve().parent.parent.parent / "shared" / "bench" / "docs-tidb-zh"

words = st.text(st.sampled_from("ab1 汉字。，.！\n\t|é\u0301👩\u200d🇨"), max_size=60)
kinds = st.sampled_from(["heading", "page", "table", "header", "row", "code", "list", "definition"])
options = st.builds(
    lambda strategy, unit, minimum, more, share, level, merge: ChunkOptions(
        strategy=strategy,
        unit=unit,
        minimum=minimum,
        maximum=minimum + more,
        overlap=int((minimum + more - 1) * share),
        level=level,
        merge_below=merge,
    ),
    st.sampled_from(["structure", "window", "headings"]),
    st.sampled_from(["sentences", "lines", "clauses", "definitions"]),
    st.integers(0, 20),
    st.integers(4, 30),
    st.floats(0, 1),
    st.integers(1, 6),
    st.sampled_from([0, 20]),
)


@st.composite
def documents(draw: st.DrawFn) -> Document:
    """Any text with any marks, also ones that contradict each other or lie outside."""
    text = "".join(draw(st.lists(words, max_size=8)))
    place = st.integers(-1, len(text) + 3)
    marks = draw(
        st.lists(
            st.builds(lambda k, a, b, n: Mark(k, Span(a, b), n, f"l{n}"), kinds, place, place, st.integers(1, 6)),
            max_size=12,
        )
    )
    return Document(text, "a.md", marks=tuple(marks), anchors=((0, 1),))


def check(document: Document, chunks: list[Chunk]) -> None:
    place = 0
    for number, one in enumerate(chunks):
        assert one.index == number
        assert one.text == one.span.of(document.text)
        assert one.text.strip()
        assert one.tokens == estimate(one.text)
        assert one.lines == document.lines(one.span)
        assert not document.text[place : one.span.start].strip()
        assert one.span.end > place  # no chunk lies inside those before
        place = one.span.end
    assert not document.text[place:].strip()
    starts = [one.span.start for one in chunks]
    assert starts == sorted(set(starts))


@given(documents(), options)
@settings(max_examples=300, deadline=None)
def test_any_document(document: Document, chosen: ChunkOptions) -> None:
    chunks = chunk(document, chosen)
    check(document, chunks)
    assert chunks == chunk(document, chosen)
    if chosen.strategy == "window":
        assert all(len(one.text) <= chosen.limit + 40 for one in chunks)
        return
    assert all(one.tokens <= chosen.maximum for one in chunks)
    for before, after in pairwise(chunks):
        shared = document.text[after.span.start : before.span.end]
        assert estimate(shared) <= chosen.overlap


paragraph = st.lists(
    st.sampled_from(["短句。", "这是一个比较长的句子，说了一些事情。", "A short one. ", "It costs 3.14 today! "]),
    min_size=1,
    max_size=30,
).map("".join)
heading = st.integers(1, 4).map(lambda level: "#" * level + f" 标题 {level}")
fence = st.integers(1, 40).map(lambda count: "```\n" + "x = 1\n" * count + "```")
table = st.integers(1, 60).map(lambda count: "|名|值|\n|---|---|\n" + "\n".join(f"|行{n}|{n}|" for n in range(count)))


@given(st.lists(st.one_of(paragraph, heading, fence, table), max_size=10), options)
@settings(max_examples=150, deadline=None)
def test_well_formed_documents(parts: list[str], chosen: ChunkOptions) -> None:
    document = markdown("\n\n".join(parts))
    chunks = chunk(document, chosen)
    check(document, chunks)
    if chosen.strategy == "window":
        return
    for mark in document.marks:
        whole = estimate(mark.span.of(document.text)) <= chosen.maximum // 2 and chosen.unit != "definitions"
        if whole and mark.kind in ("row", "code"):
            assert any(one.span.start <= mark.span.start and mark.span.end <= one.span.end for one in chunks)
    for one in chunks:
        for offset in (one.span.start, one.span.end - 1):
            above = document.headings(offset)
            shorter = min(len(above), len(one.headings))
            assert one.headings[:shorter] == above[:shorter]


@pytest.mark.parametrize("name", sorted(PRESETS))
@pytest.mark.parametrize(
    "text",
    [
        "汉" * 70_000,
        "a" * 100_000,
        "see " + "A" * 20_000 + " end",
        '{"a":1,' * 10_000,
        "😀" * 20_000,
        "\n" * 50_000 + "x",
    ],
)
def test_hostile_text_holds_the_maximum(name: str, text: str) -> None:
    document = Document(text, "a.md", anchors=((0, 1),))
    chunks = chunk(document, PRESETS[name])
    check(document, chunks)
    if PRESETS[name].strategy != "window":
        assert all(one.tokens <= PRESETS[name].maximum for one in chunks)


@pytest.mark.slow
@pytest.mark.parametrize("text", ["汉" * 700_000, "a" * 1_000_000, "第一条 甲。\n" * 100_000])
def test_long_text_takes_linear_time(text: str) -> None:
    def seconds(part: str) -> float:
        start = time.perf_counter()
        chunk(Document(part, "a.md", anchors=((0, 1),)))
        return time.perf_counter() - start

    short, long = seconds(text[: len(text) // 8]), seconds(text)
    assert long < 8 * short * 3 + 1


@pytest.mark.bench
@pytest.mark.slow
def test_a_real_tree() -> None:
    if not TREE.is_dir():
        pytest.skip(f"{TREE} is not there")
    for path in sorted(TREE.rglob("*.md"))[::10]:
        document = markdown(path.read_text(encoding="utf-8"))
        for name in ("general", "technical"):
            chunks = chunk(document, PRESETS[name])
            check(document, chunks)
            assert all(one.tokens <= PRESETS[name].maximum for one in chunks)
