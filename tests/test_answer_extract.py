"""Answers without a model: the fewest sentences that answer, quoted exactly, each proved."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from answer_hits import STUDENT, WARRANTY, YEAR, hit
from yinju.answer.context import build
from yinju.answer.cues import fits, kinds
from yinju.answer.extract import extract
from yinju.answer.facts import facts
from yinju.answer.parts import parts
from yinju.answer.verify import verify_answer

CODES = hit(
    "| 代码 | 原因 |\n| --- | --- |\n| E-4013 | 设备已绑定到其他账号 |\n| E-4031 | 固件版本太旧 |\n\nE-4031 和 E-4013 看起来很像，请看清楚。",
    source="codes.md", headings=("配对", "错误代码"),
)  # fmt: skip
APP = hit(
    "App 连不上时会显示代码：\n\n- 401 表示登录已经过期，重新登录即可。\n- 403 表示没有权限。重新登录不会有帮助。",
    source="app.md",
    headings=("代码",),
)
HOW = hit(
    "## 如何退款\n\n如何退款？\n\n在购买后 7 天内发邮件即可退款。超过 7 天不退。",
    source="refund.md",
    headings=("如何退款",),
)
CONTEXT = build("", [YEAR, STUDENT, WARRANTY, CODES, APP, HOW], tokens=4000)
MARKER = {passage.hit.source: passage.marker for passage in CONTEXT.passages}


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("一年要付多少？", "年费方案每年 168 元 [{plans.md}]。"),
        (
            "一年要付多少？在校生能便宜吗？",
            "年费方案每年 168 元 [{plans.md}]。在校生上传学生证后按七折结算 [{students.md}]。",
        ),
        ("How long is the battery covered?", "The battery is covered for six months [{warranty.md}]."),
        ("Is water damage covered?", "Water damage is not covered [{warranty.md}]."),
        ("E-4031 是什么意思？", "代码: E-4031; 原因: 固件版本太旧 [{codes.md}]"),
        ("出现 403 怎么办？", "App 连不上时会显示代码：403 表示没有权限 [{app.md}]。重新登录不会有帮助 [{app.md}]。"),
        (
            "如何退款？",
            "在购买后 7 天内发邮件即可退款 [{refund.md}]。",
        ),  # the heading and the question itself are no answers
    ],
)
def test_answers(question: str, answer: str) -> None:
    for name, number in MARKER.items():
        answer = answer.replace(f"{{{name}}}", str(number))
    text = extract(question, CONTEXT)
    assert text == answer
    verified = verify_answer(text, CONTEXT.passages)
    assert verified.text == text
    assert {sentence.status for sentence in verified.sentences} == {"verified"}


def test_nothing_to_quote() -> None:
    assert extract("为什么？", build("", [hit("# 只有标题\n\n```\ncode\n```", headings=("只有标题",))])) == ""
    assert extract("为什么？", build("", [])) == ""


def test_parts_of_a_question() -> None:
    assert parts("一年要付多少？在校生能便宜吗？") == ["一年要付多少", "在校生能便宜吗"]
    assert parts("What does a year cost, and is it cheaper for students?") == [
        "What does a year cost",
        "is it cheaper for students",
    ]
    assert parts("月费多少，能退吗？") == ["月费多少", "能退吗"]
    assert parts("月费和年费分别多少？") == ["月费多少？", "年费多少？"]
    assert parts("还在念大学，能便宜点吗？") == ["还在念大学，能便宜点吗？"]
    assert parts("苹果和梨的区别是什么？") == ["苹果和梨的区别是什么？"]
    assert parts("How do salt and pepper differ?") == ["How do salt and pepper differ?"]


def test_kinds_of_answer() -> None:
    assert kinds("一年要付多少钱？")[0] == kinds("How much does it cost?")[0] == "money"
    assert kinds("保修多久？")[0] == kinds("How long is the warranty?")[0] == "duration"
    assert kinds("支持退款吗？") == ("polarity",)
    assert fits("多少钱？", "年费 168 元。", facts("年费 168 元。")) == 1.0
    assert fits("多少钱？", "付款后生效。", facts("付款后生效。")) == 0.0


class Meaning:
    """An embedder for two languages that knows three words."""

    fingerprint, dimension = "test:3", 3
    _words = (("电池", "battery"), ("进水", "water"), ("年费", "year"))

    def _rows(self, texts: list[str]) -> np.ndarray:
        rows = np.array(
            [[float(any(word in text.lower() for word in pair)) for pair in self._words] for text in texts],
            dtype=np.float32,
        )
        return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)

    def embed_passages(self, texts: list[str]) -> np.ndarray:
        return self._rows(list(texts))

    embed_queries = embed_passages


def test_across_languages_meaning_decides() -> None:
    context = build(
        "",
        [
            hit(
                "The display has 5 colours. The battery is covered for six months. Water damage is not covered.",
                source="en.md",
            )
        ],
    )
    assert extract("电池保修多久？", context, embedder=Meaning()) == "The battery is covered for six months [1]."
    assert extract("进水能保修吗？", context, embedder=Meaning()) == "Water damage is not covered [1]."


def test_a_second_sentence_is_not_the_first_in_another_language() -> None:
    """In a library of twins the translation is as near as can be, and says nothing new."""

    class Meaning:
        fingerprint, dimension = "meaning/2", 2

        def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
            return np.array([[1, 0] if "168" in text else [0, 1] for text in texts], dtype="f4")

        def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
            return np.array([[1, 0]] * len(texts), dtype="f4")

    hits = [hit("年费方案每年 168 元。", source="zh.md"), hit("The annual plan costs 168 yuan a year.", source="en.md")]
    context = build("年费多少钱？", hits)
    assert extract("年费多少钱？", context, embedder=Meaning()) == "年费方案每年 168 元 [1]。"
