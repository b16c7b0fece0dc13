"""Faults that users of other systems met in cutting and in Chinese text: the id of each (shared/faults) stands in the test's id."""

from __future__ import annotations

import random
import time
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from yinju.chunk import ChunkOptions, chunk, indexed_text
from yinju.errors import UsageError
from yinju.load import load
from yinju.text.normalize import fold
from yinju.text.sentences import split
from yinju.text.tokens import estimate
from yinju.types import Chunk, Document, Span


def fault(number: int, *values: object, name: str = "") -> object:
    return pytest.param(*values, id=f"fault-{number}{'-' + name if name else ''}")


def document(text: str, source: str = "a.md") -> Document:
    return load(text.encode(), source).document


def whole(read: Document, chunks: list[Chunk]) -> None:
    """Every chunk is its span's text, none is inside another, and all that is visible is in one."""
    covered: set[int] = set()
    for one in chunks:
        assert one.span.of(read.text) == one.text
        assert one.text.strip()
        covered.update(range(*one.span))
    assert all(place in covered or sign.isspace() for place, sign in enumerate(read.text))
    assert [one.span for one in chunks] == sorted(one.span for one in chunks)
    assert all(first.span.end < second.span.end for first, second in pairwise(chunks))
    assert all(first.span.start < second.span.start for first, second in pairwise(chunks))


# Structure


def test_a_fence_stays_in_one_chunk_under_its_heading():  # fault 1
    read = document("# 部署\n\n先看。\n\n```sh\n# 停服务\nstop\n```\n\n## 回滚\n照做。\n")
    holders = [one for one in chunk(read) if "# 停服务" in one.text]
    assert len(holders) == 1
    assert "```sh\n# 停服务\nstop\n```" in holders[0].text
    assert holders[0].headings == ("部署",)


@pytest.mark.parametrize("preset", [fault(7, "general"), fault(7, "table"), fault(7, "technical")])
def test_a_cut_table_keeps_its_rows_and_its_header(preset):
    rows = [f"|k{number}|text|{number}|" for number in range(250)]
    read = replace(document("# 配置\n\n|键|类|值|\n|---|---|---|\n" + "\n".join(rows) + "\n"), preset=preset)
    chunks = chunk(read)
    whole(read, chunks)
    seen = [line for one in chunks for line in one.text.split("\n") if line.startswith("|k")]
    assert seen == rows
    assert len(chunks) > 2
    for one in chunks[1:]:
        assert indexed_text(None, one) == f"配置\n|键|类|值|\n|---|---|---|\n{one.text}"
        assert one.text.split("\n")[0].startswith("|k")
        number = int(one.text.split("|")[1][1:])
        assert one.lines == (5 + number, 4 + number + len(one.text.split("\n")))
        assert estimate(one.header) + one.tokens <= 600


@pytest.mark.parametrize(
    ("text", "held"),
    [
        fault(1, "# 甲\n\n~~~\n# 注\nx\n~~~\n\n## 乙\n文\n", "~~~\n# 注\nx\n~~~", name="tildes"),
        fault(1, "# 甲\n\n- 步骤\n\n  ```sh\n  # 注\n  x\n  ```\n\n## 乙\n文\n", "  ```sh\n  # 注\n  x\n  ```", name="list"),
        fault(1, "# 甲\n\n!!! note\n\n    ```sh\n    # 注\n    x\n    ```\n\n## 乙\n文\n", "    ```sh\n    # 注\n    x\n    ```", name="admonition"),
        fault(1, "# A\n\n<Tabs>\n\n  ```sh\n  # note\n  x\n  ```\n\n</Tabs>\n\n## B\nt\n", "  ```sh\n  # note\n  x\n  ```", name="mdx"),
        fault(1, "# 甲\n\n$$\na\n=\nb\n$$\n\n## 乙\n文\n", "$$\na\n=\nb\n$$", name="formula"),
        fault(1, "# 甲\n\n1. 一\n2. 二\n   - 内\n3. 三\n\n## 乙\n文\n", "1. 一\n2. 二\n   - 内\n3. 三", name="a list"),
    ],
)  # fmt: skip
def test_what_fits_stays_whole_under_its_heading(text, held):
    first, *rest = chunk(document(text), ChunkOptions(minimum=20, maximum=60, overlap=10))
    assert held in first.text
    assert len(first.headings) == 1
    assert [len(one.headings) for one in rest] == [2]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        fault(3, "# 甲\n\n### 乙\n文\n\n### 丙\n文\n\n## 丁\n文\n", [("甲", "乙"), ("甲", "丙"), ("甲", "丁")]),
        fault(3, "## A\n\n#### B\nt\n\n### C\nt\n\n# D\nt\n", [("A", "B"), ("A", "C"), ("D",)]),
        fault(4, "---\ntitle: 例\ntags: [甲]\n---\n\n# 正\n文\n", [("正",)]),
        fault(6, "# 题\r\n\r\n文\r\n\r\n## 二\r\n容\r\n", [("题",), ("题", "二")]),
        fault(6, "# 题\r\r文\r\r## 二\r容\r", [("题",), ("题", "二")]),
        fault(12, "# 题\n文 <!-- 注\n# 藏\n-->\n\n## 二 <!-- 待办 -->\n文\n", [("题",), ("题", "二")]),
        fault(13, "#标签\n\n##标题\n甲\n\n### 工单 #5 ###\n乙\n", [(), ("标题",), ("标题", "工单 #5")]),
    ],
)
def test_breadcrumbs_of_chunks_are_what_a_reader_sees(text, expected):
    chunks = chunk(document(text))
    assert [one.headings for one in chunks] == expected
    assert not any("\r" in one.text for one in chunks)


@pytest.mark.parametrize(
    "rows",
    [
        fault(7, "".join(f"<tr><td>k{n}</td><td>值 {n}</td></tr>\n" for n in range(200)), name="html"),
    ],
)
def test_a_cut_html_table_keeps_its_rows_and_its_header(rows):
    header = "<tr><th>名</th><th>值</th></tr>"
    read = document(f"# 配置\n\n<table>\n{header}\n{rows}</table>\n")
    chunks = chunk(read)
    whole(read, chunks)
    assert len(chunks) > 2
    assert all(one.header == header for one in chunks[1:])
    assert [
        line for one in chunks for line in one.text.split("\n") if line.startswith("<tr><td>")
    ] == rows.strip().split("\n")


def test_a_table_of_a_page_keeps_its_header():  # faults 7 and 9
    rows = "".join(f"<tr><td>行{n}</td><td>{n}</td></tr>" for n in range(300))
    read = document(f"<main><p>前</p><table><tr><th>名</th><th>值</th></tr>{rows}</table><p>后</p></main>", "a.html")
    chunks = chunk(read)
    whole(read, chunks)
    inside = [one for one in chunks if one.text.startswith("行")]
    assert len(inside) >= 2
    assert all(one.header == "名\t值" for one in inside)


# Sentences


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        fault(
            18,
            "单价为88.05元。版本v3.4.1于2025.06.07发布。主机10.0.0.12。系数是２．７１。See Fig. 3. Done.",
            [
                "单价为88.05元。",
                "版本v3.4.1于2025.06.07发布。",
                "主机10.0.0.12。",
                "系数是２．７１。",
                "See Fig. 3.",
                "Done.",
            ],
        ),
        fault(
            18,
            "步骤：1. 打开阀门。2. 关闭水泵。",
            ["步骤：1. 打开阀门。", "2. 关闭水泵。"],
            name="numbers of a list in one line",
        ),
        fault(
            23,
            "雨下了一夜，他还在等。后来停了！他来了吗？也许；没人知道。",
            ["雨下了一夜，他还在等。", "后来停了！", "他来了吗？", "也许；没人知道。"],
        ),
    ],
)
def test_sentences_end_where_a_reader_says(text, expected):
    assert [span.of(text).strip() for span in split(text)] == expected


@pytest.mark.parametrize("size", [fault(23, 8), fault(23, 12), fault(23, 40)])
def test_no_chunk_begins_with_the_end_of_a_sentence(size):
    text = "雨下了一夜，他（一个人）还在等。后来停了！“他来了吗？”也许；没人知道，《书》里没写。" * 6
    read = Document(text, "a.txt", type="text")
    chunks = chunk(read, ChunkOptions(minimum=size // 2, maximum=size, overlap=size // 4))
    whole(read, chunks)
    assert [one.text for one in chunks if one.text[0] in "。！？!?；，、）】》”’」"] == []


@pytest.mark.parametrize(
    "gap", [fault(23, "", name="no gap"), fault(23, " ", name="space"), fault(23, "\u3000", name="wide space")]
)
def test_punctuation_behind_a_gap_stays_with_its_sentence(gap):
    read = Document(f"雨下了一夜！{gap}，他还在等。{gap}）后来停了？{gap}”没人知道" * 9, "a.txt", type="text")
    chunks = chunk(read, ChunkOptions(minimum=10, maximum=24, overlap=6))
    whole(read, chunks)
    assert [one.text for one in chunks if one.text[0] in "。！？!?；，、）】》”’」"] == []


@pytest.mark.parametrize("cluster", ["👩\u200d🚒", "e\u0301", "❤\ufe0f", "🇨🇳", "葛\U000e0100", "각", "กำ"])
def test_sentences_never_end_inside_a_character(cluster):  # fault 28
    read = Document((cluster * 7 + "。") * 30, "a.txt", type="text")
    chunks = chunk(read, ChunkOptions(minimum=12, maximum=24, overlap=6))
    whole(read, chunks)
    assert all(one.text.replace(cluster, "").strip("。") == "" for one in chunks)


# Sizes


@pytest.mark.parametrize("strategy", ["structure", "window", "headings"])
@pytest.mark.parametrize(
    ("size", "overlap"),
    [fault(56, 100, 100), fault(56, 100, 150), fault(56, 0, 0), fault(56, 100, -1), fault(56, -5, -9)],
)
def test_sizes_that_cannot_work_are_refused(strategy, size, overlap):
    if strategy == "window" and size == 0:  # 0 means `maximum` there
        return
    with pytest.raises(UsageError) as caught:
        ChunkOptions(strategy=strategy, minimum=0, maximum=size, size=size, overlap=overlap)
    assert caught.value.hint


def test_no_window_lies_inside_another():  # fault 58
    read = Document("".join(random.Random(1).choices("abcdefgh", k=1100)), "a.txt", type="text")
    chunks = chunk(read, ChunkOptions(strategy="window", size=1000, overlap=200))
    assert [one.span for one in chunks] == [Span(0, 1000), Span(800, 1100)]
    chunks = chunk(replace(read, text=read.text[:1000]), ChunkOptions(strategy="window", size=1000, overlap=200))
    assert [one.span for one in chunks] == [Span(0, 1000)]


LONG = {
    "run": "see " + "A" * 20_000 + " end",
    "base64": "".join(random.Random(2).choices("ABCDEFGHIJKLabcdefghij0123456789+/", k=20_000)),
    "han": "汉" * 20_000,
    "json": '{"k":[' + ",".join(f'{{"a":{n},"b":"v{n}"}}' for n in range(30_000)) + "]}",
    "list": "\n".join(f"- 第{n}条，请按说明逐项检查设备并记录结果" for n in range(500)),
    "spaces": "x" + " " * 50_000 + "y",
    "marks": "。" * 20_000,
    "quotes": "“" * 20_000,
    "brackets": "(" * 20_000 + "a.",
    "dots": "a." * 10_000,
}


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [fault(59, name, name=name) for name in LONG if name not in ("han", "list")]
    + [fault(61, name, name=name) for name in ("han", "list")],
)
def test_what_has_no_borders_is_cut_in_time_and_within_the_limit(name):
    read = Document(LONG[name], "a.txt", type="text")
    started = time.process_time()
    chunks = chunk(read, ChunkOptions(minimum=150, maximum=200, overlap=20))
    assert time.process_time() - started < 8  # a megabyte takes about one second; what is not linear takes minutes
    assert all(one.tokens <= 200 and estimate(one.text) <= 220 for one in chunks)
    reached = 0
    for one in chunks:
        assert one.span.of(read.text) == one.text
        assert not read.text[reached : one.span.start].strip()
        reached = max(reached, one.span.end)
    assert not read.text[reached:].strip()


@pytest.mark.parametrize("preset", [fault(63, "general"), fault(63, "law"), fault(63, "chat"), fault(63, "headings")])
def test_a_sentence_longer_than_a_chunk_is_cut(preset):
    read = replace(document("这一长段没有任何标点" * 900), preset=preset)
    chunks = chunk(read)
    whole(read, chunks)
    assert len(chunks) > 1


def test_overlap_is_whole_sentences_and_never_crosses_a_heading():  # fault 65
    parts = [
        "# " + name + "\n\n" + " ".join(f"The {name} number {n} is here." for n in range(60))
        for name in ("pump", "valve")
    ]
    read = document("\n\n".join(parts))
    chunks = chunk(read, ChunkOptions(minimum=60, maximum=100, overlap=20))
    whole(read, chunks)
    shared = 0
    for first, second in pairwise(chunks):
        common = read.text[second.span.start : first.span.end]
        if first.headings != second.headings:
            assert not common
            continue
        assert common.startswith("The ")
        assert common.endswith(".")
        assert estimate(common) <= 20
        shared += 1
    assert shared > 5


CLUSTERS = st.lists(
    st.sampled_from(["👋🏻", "藏", "🚀", "鸡", "龘", "🧑‍🚒", "e\u0301", "🇨🇳", "க்ஷ", "\r\n", "a"]),
    min_size=1,
    max_size=80,
)


@settings(max_examples=60, deadline=None)
@given(CLUSTERS, st.integers(6, 14), st.integers(0, 5))
def test_no_cut_inside_a_character_where_one_fits(parts, size, overlap):  # fault 28
    text = "".join(parts)
    read = Document(text, "a.txt", type="text")
    chunks = chunk(read, ChunkOptions(strategy="window", size=size, overlap=overlap))
    assert all(one.span.of(text) == one.text and one.text.strip() for one in chunks)
    joiners = "\u200d\u0301🏻"
    assert all(one.text[0] not in joiners and one.text[-1] != "\u200d" for one in chunks)
    reached = 0
    rebuilt = ""
    for one in chunks:
        rebuilt += text[reached : one.span.start] + text[max(reached, one.span.start) : one.span.end]
        reached = max(reached, one.span.end)
    assert rebuilt.rstrip() == text.rstrip()


@pytest.mark.parametrize(
    ("shown", "asked"),
    [
        fault(19, "ＡＢＣ－１２３", "abc-123"),
        fault(19, "５㎏", "5kg"),
        fault(25, "臺灣後端", "台湾后端"),
        fault(37, "scienti\ufb01c \ufb02oor", "scientific floor"),
    ],
)
def test_folding_meets(shown, asked):
    assert fold(shown) == fold(asked)
