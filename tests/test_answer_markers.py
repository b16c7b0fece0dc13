"""Every form of marker, and every way to cut a stream of them: characters, bytes of UTF-8, events of a server."""

from __future__ import annotations

import json
import random
from itertools import pairwise

import pytest

from answer_hits import STUDENT, WARRANTY, YEAR, result
from yinju.answer import answer_stream, markers
from yinju.answer.reader import Reader
from yinju.llm.events import EventReader, part_of
from yinju.testing import ScriptedChatModel
from yinju.types import Answer, Citation


def shown(text: str, count: int = 4) -> str:
    reader = Reader(count, lambda statement: [group.markers for group in statement.groups])
    return "".join((*reader.feed(text), *reader.finish()))


@pytest.mark.parametrize(
    ("text", "visible"),
    [
        ("甲[1][2]。", "甲[1][2]。"),
        ("甲[1,3]。", "甲[1][3]。"),
        ("甲[1，3]。", "甲[1][3]。"),
        ("甲[1-3]。", "甲[1][2][3]。"),
        ("甲【2】。", "甲[2]。"),
        ("甲［2］。", "甲[2]。"),
        ("甲〔2〕。", "甲[2]。"),
        ("甲[^2]。", "甲[2]。"),
        ("甲[#2]。", "甲[2]。"),
        ("甲[[1]]。", "甲[1]。"),
        ("甲[ID:2]。", "甲[2]。"),
        ("甲[ID: 1, 2]。", "甲[1][2]。"),
        ("甲[来源1]。", "甲[1]。"),
        ("甲[来源 1、来源 3]。", "甲[1][3]。"),
        ("甲【来源：2】。", "甲[2]。"),
        ("甲（见资料 2）。", "甲[2]。"),
        ("甲（资料2）。", "甲[2]。"),
        ("A [citation:1].", "A [1]."),
        ("A [cite: 1, 2].", "A [1][2]."),
        ("A [Source 3].", "A [3]."),
        ("A [1 and 2].", "A [1][2]."),
        ("A (source 1).", "A [1]."),
        ("A (see document 2).", "A [2]."),
        ("A 【1†plans.md】.", "A [1]."),
        ("A [1†L3-L5].", "A [1]."),
        ("B[9].", "B."),
    ],
)
def test_forms(text: str, visible: str) -> None:
    assert shown(text) == visible


@pytest.mark.parametrize(
    "text",
    [
        "见 `a[1]`，以及：\n```\nx[1]\n【2】\n```\n完。",
        "用 args[1] 与 row[0]，再看 m[1][2]。",
        "The value of x[1] and sys.argv[2] is set.",
        "取值范围为 [0, 1] 或 [-1, 1] 或 [0-100]。",
        "成立于 [1998] 年，[1998-2003] 年迁址，[2024-05-01] 上线。",
        "(1) 第一条 (2) 第二条；（3）第三条。",
        "[链接](http://a) 与 [1](http://b) 与 [x] 与 [ ] 与 [[笔记]]。",
        "[Note 1: see below] and [Figure 2] and (source: http://a)",
        "A list: [a, b, 3]",
    ],
)
def test_what_is_no_marker(text: str) -> None:
    assert shown(text) == text


@pytest.mark.parametrize(
    ("text", "released"),
    [
        ("甲 [note", "甲 [note"),
        ("甲 [1", "甲"),
        ("甲 [1 n", "甲 [1 n"),
        ("甲 [sour", "甲"),
        ("甲 [sourd", "甲 [sourd"),
        ("甲 （资", "甲"),
        ("甲 （资金", "甲 （资金"),
        ("甲 (", "甲"),
        ("甲 (a", "甲 (a"),
        ("甲 [1,2 and", "甲"),
        ("甲 [1 andy", "甲 [1 andy"),
    ],
)
def test_text_that_can_be_no_marker_is_released_at_once(text: str, released: str) -> None:
    reader = Reader(4, lambda statement: [group.markers for group in statement.groups])
    assert "".join(reader.feed(text)) == released


def test_no_text_makes_the_look_ahead_slow() -> None:
    for text in (
        "[" + "来源" * 200,
        "[来源" + " " * 200,
        "[" + "1," * 200,
        "[" + "1 and " * 99,
        "[" * 300,
        "(" * 300,
        "[1†" + "a" * 300,
    ):
        shown(text)  # each within the time limit of the tier: they took less than 0.1 s together
        assert not markers.could_grow(text)


TEXTS = [
    "年费方案每年 168 元[1]。在校生上传学生证后按七折结算[3]。",
    "年费方案每年 168 元【1】，在校生按七折结算【3】。电池保修[2]。",
    "The battery is covered for six months [2]. Water damage is not covered [2].",
    "The battery is covered [1, 2]. 在校生上传学生证后按七折结算 [ID:3]。",
    "<think>先看 [1] 和 [9]。</think>年费方案每年 168 元 [1]。",
    "草稿 [2]</think>\n\n年费方案每年 168 元 [1]。",
    "<THINK>a</THINK >年费 [来源 1]。<think>b [2]</think>付款后立即生效 [1]。",
    "| 方案 | 价格 |\n| --- | --- |\n| 年费 | 168 元 [1] |\n| 学生 | 七折 [3] |",
    "1. 年费方案每年 168 元 [1]\n2. 在校生按七折结算 [3]\n\n来源：\n[1] plans.md\n[3] students.md",
    "用 `prices[1]` 计算：\n```python\nx = a[1]\n```\n年费方案每年 168 元 [1]。",
    "年费方案每年 186 元 [1]。年费方案每年 168 元 [99]。甲 [2024] 年。",
    "“年费方案每年 168 元。付款后立即生效。”，文档这样写 [1]。",
    "He said “The battery is covered for six months. Water damage is not covered.” [2] Really [1-3]!",
    "年费方案每年 168 元[[1]]。在校生（见资料 3）。取值 [0, 1]。x[1] 与 [链接](http://a)。",
    "年费 168 元 [1]……在校生七折 [3]！？好 [note 1] ［2］〔3〕 [^1]",
    "文档中没有说明。",
    "𠮷野家 😀 年费方案每年 168 元 😀[1]。é́ [2]",
    "**年费方案每年 168 元** [1]。\n\n- 在校生：_七折_ [3]\n- 电池：six months [2]\n",
    "A [1] B [2] C [3] D [1][2][3] E [1,2-3]. F [",
    "[1] 年费方案每年 168 元。[3] 在校生上传学生证后按七折结算。[2] 完 【1†plans.md†L5】 </thin",
]  # fmt: skip
QUESTION = "一年要付多少？在校生能便宜吗？"
HITS = [YEAR, STUDENT, WARRANTY]  # shown as 1 plans, 2 warranty, 3 students
Outcome = tuple[str, tuple[Citation, ...], Answer]


def streamed(pieces: list[str]) -> Outcome:
    """Return the visible text, the citations in their order and the answer, of a model that sends these pieces."""
    *parts, last = answer_stream(QUESTION, result(QUESTION, HITS), chat_model=ScriptedChatModel(pieces))
    assert isinstance(last, Answer)
    citations = tuple(part for part in parts if isinstance(part, Citation))
    text = "".join(part for part in parts if isinstance(part, str))
    # Reasoning whose opening tag was left out is shown before it can be known; the answer then holds what came after it.
    assert text.endswith(last.text)
    return last.text, citations, last


def as_events(text: str, rng: random.Random) -> list[str]:
    """Return the pieces that a client reads from server-sent events of the text, whose bytes come in any pieces."""
    pieces = cut(text, rng)
    data = "".join(
        f"data: {json.dumps({'choices': [{'delta': {'content': piece}}]}, ensure_ascii=rng.random() < 0.5)}\r\n\r\n"
        for piece in pieces
    ).encode()
    reader, found = EventReader(), []
    for part in cut_bytes(data, rng):
        found += reader.feed(part)
    return [part.text for each in [*found, *reader.finish()] if (part := part_of(each)) is not None]


def cut(text: str, rng: random.Random) -> list[str]:
    if rng.random() < 0.1:
        return list(text)
    places = sorted({0, len(text), *(rng.randrange(len(text) + 1) for _ in range(rng.randrange(12)))})
    return [text[a:b] for a, b in pairwise(places)] or [text]


def cut_bytes(data: bytes, rng: random.Random) -> list[bytes]:
    places = sorted({0, len(data), *(rng.randrange(len(data) + 1) for _ in range(rng.randrange(40)))})
    return [data[a:b] for a, b in pairwise(places)]


def same(one: Answer, other: Answer) -> bool:
    return (one.text, one.citations, one.sentences, one.complete, one.refused) == (
        other.text, other.citations, other.sentences, other.complete, other.refused,
    )  # fmt: skip


@pytest.mark.slow
def test_five_hundred_random_splits_of_twenty_texts() -> None:
    rng = random.Random(5)
    for number, text in enumerate(TEXTS):
        _, citations, whole = streamed([text])
        for turn in range(25):
            pieces = as_events(text, rng) if turn % 2 else cut(text, rng)
            assert "".join(pieces) == text
            _, these, other = streamed(pieces)
            assert these == citations, (number, pieces)
            assert same(other, whole), (number, pieces)
    assert len(TEXTS) * 25 == 500
