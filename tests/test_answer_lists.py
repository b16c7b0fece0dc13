"""A list that is announced is quoted whole, with a marker on every item, and only where several things or a way are asked for."""

from __future__ import annotations

import re

import pytest

from answer_hits import hit
from yinju.answer.context import build
from yinju.answer.extract import extract
from yinju.answer.leads import MORE
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


@pytest.mark.parametrize(
    ("question", "listed"),
    [
        (  # bullets in numbers: two ways of one step are no two steps
            "如何重置任务？",
            "需要重置任务，重新迁移：\n\n1. 停止任务。\n\n2. 从下面两种方式中选择其中一种重启任务：\n\n"
            "    - 修改文件，然后重启任务。\n    - 直接使用参数重启任务。\n\n3. 检查状态。",
        ),
        (
            "How do I reset the task?",
            "To reset the task, do this:\n\n1. Stop it.\n\n2. Restart it in one of two ways:\n\n"
            "    - with a new name\n    - with the old name\n\n3. Check it.",
        ),
        (  # numbers in bullets, letters, three levels
            "What do I need to reset the task?",
            "To reset the task you need:\n\n- the console:\n    1. Open it.\n    2. Press stop.\n- a way to restart:\n"
            "    a) a new name\n    b) the old name:\n        - without the data\n        - with the data\n- a check",
        ),
        (
            "重置任务需要哪些步骤？",
            "重置任务需要下列步骤：\n\n- 控制台：\n    1. 打开。\n    2. 按停止。\n- 重启任务：\n"
            "    A. 用新的名字\n    B. 用旧的名字：\n        - 不带数据\n        - 带数据\n- 检查",
        ),
        ("怎么重置任务？", "重置任务按以下步骤：\n\n一、停止任务：\n    （一）打开控制台。\n    （二）按停止。\n二、重启任务。"),
        ("How do I reset the task?", "Reset the task in this order:\n\n1. Stop it:\n    (i) Open it.\n    (ii) Press stop.\n2. Start it."),
    ],
)  # fmt: skip
def test_a_list_keeps_its_levels_and_its_own_signs(question: str, listed: str) -> None:
    page = hit(listed, source="reset.md")
    context = build(question, [page])
    text = extract(question, context)
    bare = re.sub(r" ?\[1\]", "", text)
    assert bare.split("\n") == [line for line in listed.split("\n") if line]
    verified = verify_answer(text, context.passages)
    assert verified.text == text
    assert all(sentence.status == "verified" and sentence.exact for sentence in verified.sentences)
    assert all(citation.quote in page.text for citation in verified.citations)


@pytest.mark.parametrize(
    ("question", "page", "answer"),
    [
        ("How do I reset it?", "## Reset it\n\n1. Stop.\n   1. Press.\n   1. Wait.\n1. Start.", "1. Stop.\n    1. Press.\n    2. Wait.\n2. Start."),
        ("如何重置？", "## 重置\n\n1. 停止。\n   1. 按下。\n   1. 等待。\n1. 启动。", "1. 停止。\n    1. 按下。\n    2. 等待。\n2. 启动。"),
    ],
)  # fmt: skip
def test_items_that_are_all_number_one_are_counted_on_their_level(question, page, answer):
    text = extract(question, build(question, [hit(page, source="reset.md")]))
    assert re.sub(r" ?\[1\]", "", text).partition("\n")[2] == answer


@pytest.mark.parametrize(
    ("question", "above", "lines", "more"),
    [
        ("如何重置任务？", "## 重置任务", ("3. 停止任务。", "4. 清理数据："), MORE[0]),
        ("How do I reset the task?", "## Reset the task", ("3. Stop it.", "4. Remove the data:"), MORE[1]),
    ],
)
def test_a_list_that_does_not_begin_or_end_here_says_so(question, above, lines, more):
    steps = "\n".join(lines)
    page = hit(f"{above}\n\n{steps}\n\n```\nrm x\n```\n\n5. x", source="reset.md")
    text = extract(question, build(question, [page]))
    told = re.sub(r" ?\[1\]", "", text).split("\n")
    assert told == [above.replace("##", "###"), "…", *lines, more]


@pytest.mark.parametrize(
    ("question", "page", "answer"),
    [
        (
            "How do I reset it?",
            "## Reset it\n\n1. Stop it.\n2. ![](stop.png)\n3. Start it.",
            "1. Stop it.\n…\n3. Start it.",
        ),
        (
            "如何重置？",
            "## 重置\n\n1. 停止任务。\n2. ![](stop.png)\n3. 启动任务。",
            "1. 停止任务。\n…\n3. 启动任务。",
        ),
    ],
)
def test_an_item_that_is_a_picture_is_told_as_left_out(question, page, answer):
    text = extract(question, build(question, [hit(page, source="reset.md")]))
    assert re.sub(r" ?\[1\]", "", text).partition("\n")[2] == answer


@pytest.mark.parametrize(
    ("question", "page"),
    [
        ("配置需要哪些步骤？", "配置需要下列步骤：\n\n- models-dir：\n    - 指定模型的目录\n- 启动任务"),
        (
            "What do I need to configure it?",
            "To configure it you need:\n\n- 目录:\n    - the folder of the models\n- a start",
        ),
    ],
)
def test_an_item_in_other_letters_than_its_page_is_proved_by_its_very_words(question, page):
    context = build(question, [hit(page, source="config.md")])
    verified = verify_answer(extract(question, context), context.passages)
    assert len(verified.sentences) == 4
    assert all(sentence.status == "verified" and sentence.exact for sentence in verified.sentences)
