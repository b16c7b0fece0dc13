"""A list that is announced is quoted whole, with a marker on every item, and only where several things or a way are asked for."""

from __future__ import annotations

import pytest

from answer_hits import hit
from yinju.answer.context import build
from yinju.answer.extract import extract
from yinju.answer.lists import MOST, wants_several, wants_way
from yinju.answer.verify import verify_answer

PASTE = hit(
    "青麦酱流行于北岭一带。\n\n制作青麦酱需要下列材料：\n\n- 青麦粒五公斤\n- 粗盐六百克\n- 山泉水三升\n\n六十天后便可食用。",
    source="paste.md",
    headings=("青麦酱",),
)
GLASS = hit(
    "A terrarium is a glass box.\n\nFor a terrarium have the following ready:\n\n1. a box with a lid\n2. rainwater\n3. a piece of slate",
    source="glass.md",
    headings=("Terraria",),
)
PAIRING = hit(
    "## Pairing the recorder\n\n1. Hold the side key.\n2. Open the app. Choose Add device.\n\nIt takes a minute.",
    source="pairing.md",
    headings=("Pairing the recorder",),
)
UPDATE = hit(
    "## 升级固件\n\n1. 确认电量不低于 30%。\n2. 打开设置，点“升级”。\n\n升级大约 6 分钟。",
    source="update.md",
    headings=("升级固件",),
)


@pytest.mark.parametrize(
    ("question", "page", "answer"),
    [
        (
            "制作青麦酱需要哪些材料？",
            PASTE,
            "制作青麦酱需要下列材料 [1]：\n- 青麦粒五公斤 [1]\n- 粗盐六百克 [1]\n- 山泉水三升 [1]",
        ),
        (
            "What do I need for a terrarium?",
            GLASS,
            "For a terrarium have the following ready [1]:\n1. a box with a lid [1]\n2. rainwater [1]\n3. a piece of slate [1]",
        ),
        (
            "How do I pair the recorder?",
            PAIRING,
            "### Pairing the recorder\n1. Hold the side key [1].\n2. Open the app [1]. Choose Add device [1].",
        ),
        ("怎么升级固件？", UPDATE, "### 升级固件\n1. 确认电量不低于 30% [1]。\n2. 打开设置，点“升级” [1]。"),
    ],
)
def test_a_list_is_told_whole(question: str, page: object, answer: str) -> None:
    context = build(question, [page])
    text = extract(question, context)
    assert text == answer
    verified = verify_answer(text, context.passages)
    assert verified.text == text
    assert {sentence.status for sentence in verified.sentences} == {"verified"}


@pytest.mark.parametrize(
    ("question", "page", "answer"),
    [
        ("青麦酱要放多少粗盐？", PASTE, "制作青麦酱需要下列材料：粗盐六百克 [1]"),
        ("How long does pairing the recorder take?", PAIRING, "It takes a minute [1]."),
    ],
)
def test_one_thing_is_answered_by_one_item(question: str, page: object, answer: str) -> None:
    assert extract(question, build(question, [page])) == answer


@pytest.mark.parametrize(
    ("lead", "question", "names"),
    [
        ("需要下列材料：", "需要哪些材料？", "甲乙丙丁戊己庚辛壬癸子丑寅"),
        ("You need the following:", "What do you need to have?", "abcdefghijklm"),
    ],
)
def test_a_list_that_is_too_long_is_not_told_whole(lead: str, question: str, names: str) -> None:
    def told(count: int) -> str:
        items = "\n".join(f"- {name * 3}" for name in names[:count])
        return extract(question, build(question, [hit(f"{lead}\n\n{items}", source="long.md")], tokens=4000))

    assert told(MOST).count("\n- ") == MOST
    assert "\n- " not in told(MOST + 1)


@pytest.mark.parametrize("question", ["需要哪些材料？", "What is not covered?", "Which documents do I need?"])
def test_several_things_are_wanted(question: str) -> None:
    assert wants_several(question)


@pytest.mark.parametrize("question", ["要多少盐？", "What is the price?", "Who wrote it?"])
def test_one_thing_is_wanted(question: str) -> None:
    assert not wants_several(question)


@pytest.mark.parametrize(
    ("question", "way"),
    [("怎么配对？", True), ("How do I pair it?", True), ("怎么了？", False), ("How long does it take?", False)],
)
def test_a_way_is_wanted(question: str, way: bool) -> None:
    assert wants_way(question) is way
