"""What a follow-up takes from the turns before it, and what it must not: its own subject, the right thing for `it`, steps, reasons."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from yinju import Document, Library
from yinju.answer.rewrite import Reading, read, standalone
from yinju.answer.steps import step_asked, step_told
from yinju.cli import run
from yinju.protocols import Message
from yinju.testing import FakeEmbedder


def turns(*questions: str, answer: str = "见文档 [1]。") -> list[Message]:
    return [turn for question in questions for turn in (Message("user", question), Message("assistant", answer))]


@pytest.mark.parametrize(
    ("before", "asked"),
    [
        ("What is the unit cost of SKU-6678?", "TiKV 的 Region 默认多大？"),  # another language, a new name
        ("TiKV 的 Region 默认多大？", "What is the hotel limit per night?"),
        ("怎么部署 TiDB？", "TiFlash 需要多少内存？"),
        ("How do I deploy TiDB?", "Does TiFlash need a disk?"),
        ("年假多少天？", "病假工资怎么计算？"),  # a full clause of its own
        ("How much is the annual plan?", "Who pays the carriage for returned goods?"),
        ("怎么退货？", "如何配置告警规则的通知渠道？"),
        ("How do I return it?", "Describe the alarm rules of a cluster in Tokyo"),
    ],
)
def test_a_question_that_names_its_own_subject_stands_alone(before: str, asked: str) -> None:
    assert read(asked, turns(before)) == Reading(asked)


@pytest.mark.parametrize(
    ("before", "asked"),
    [
        ("怎么部署 TiDB？", "支持 MariaDB 吗？"),  # says something of a subject, and names none
        ("怎么部署 TiDB？", "需要 Java 8 吗？"),
        ("轮胎更换多少钱？", "要多久？"),
        ("What does it cost in Tokyo?", "多少钱？"),
        ("How do I deploy TiDB?", "Is labour included?"),
        ("How do I deploy TiDB?", "Does Windows work?"),
        ("What is the plan?", "Can the other plan be used in Germany?"),
        ("怎么退货？", "how much?"),
    ],
)
def test_a_question_that_may_lean_is_searched_behind_the_last_one(before: str, asked: str) -> None:
    assert read(asked, turns(before)) == Reading(asked, f"{before} {asked}", behind=True)


@pytest.mark.parametrize(
    ("before", "asked", "searched"),
    [
        ("What is the hotel limit per night?", "And for meals per day?", "What is the limit for meals per day?"),
        ("What is the limit for hotels per night?", "What about meals?", "What is the limit for meals per night?"),
        ("What is the maximum size of uploads?", "And images?", "What is the maximum size of images?"),
        ("How long is the warranty for a tablet?", "And for a phone?", "How long is the warranty for a phone?"),
        ("What is the notice period?", "For managers?", "What is the notice period for managers?"),
        ("What is the number of nodes?", "And for tests?", "What is the number of nodes for tests?"),
        ("How much is the plan per month?", "And per year?", "How much is the plan per year?"),
        ("How much is the plan?", "per year?", "How much is the plan per year?"),
        ("房租每月多少？", "每年呢？", "房租每年多少？"),
        ("How much is the annual plan?", "And for students?", "How much is the annual plan for students?"),
        ("How much is the annual plan?", "And for the family plan?", "How much is the family plan?"),
        ("酒店每晚的限额是多少？", "那每天的餐费呢？", "每天的餐费限额是多少？"),
        ("酒店限额每晚多少？", "餐费每天呢？", "餐费每天限额多少？"),
    ],
)
def test_only_what_the_topic_stands_for_is_exchanged(before: str, asked: str, searched: str) -> None:
    assert standalone(asked, turns(before)) == searched


@pytest.mark.parametrize(
    ("before", "asked", "searched"),
    [
        (["Who is the CEO of GitLab?"], "How long does it take?", "How long does it take?"),
        (["What hours does the CEO work?"], "How long does it take?", "How long does it take?"),
        (["How do I return a phone?"], "How long does it take?", "How long does it take to return a phone?"),
        (["Who is the CEO of GitLab?"], "Does it sell shoes?", "Does GitLab sell shoes?"),
        (["What is TiDB?", "Who is the manager?"], "Does it support JSON?", "Does TiDB support JSON?"),
        (["What is the family plan?"], "Is it possible to pay monthly?", "Is it possible to pay monthly?"),
        (["Who is the CEO of GitLab?"], "Where does he live?", "Where does CEO live?"),
        (["TiDB 是什么？", "首席执行官是谁？"], "它支持 JSON 吗？", "TiDB支持 JSON 吗？"),
        (["如何从 MySQL 迁移数据到 TiDB？", "第二步做什么？"], "它支持 MariaDB 吗？", "TiDB支持 MariaDB 吗？"),
        (["谁是首席执行官？"], "它支持 JSON 吗？", "它支持 JSON 吗？"),
        (["GitLab 的 CEO 是谁？"], "他住在哪里？", "GitLab 的 CEO住在哪里？"),
    ],
)
def test_it_is_the_last_thing_named(before: list[str], asked: str, searched: str) -> None:
    assert standalone(asked, turns(*before)) == searched


STEPS_ZH = "步骤如下 [1]：\n1. 安装 TiUP [1]\n2. 编辑拓扑文件 [1]\n第三步：执行部署命令 [2]。"
STEPS_EN = "Do this [1]:\n1. Open the app. [1]\n2) Press Reset for 10 seconds. [1]\nStep 3: wait [2]"


@pytest.mark.parametrize(
    ("asked", "answer", "searched"),
    [
        ("第二步做什么？", STEPS_ZH, "编辑拓扑文件"), ("那第3步呢？", STEPS_ZH, "执行部署命令 。"), ("第一步具体怎么操作", STEPS_ZH, "安装 TiUP"),
        ("What is the second step?", STEPS_EN, "Press Reset for 10 seconds."), ("And step 3?", STEPS_EN, "wait"),
        ("What do I do in step one?", STEPS_EN, "Open the app."), ("第二步呢？", "- a.md：1. 甲 [1]\n- a.md：2. 乙 [2]", "乙"),
        ("step 2?", "- a b.md p.3: 1. one [1]\n- a b.md p.3: 2. two [2]", "two"),
    ],
)  # fmt: skip
def test_a_step_of_the_last_answer_is_searched_by_its_own_words(asked: str, answer: str, searched: str) -> None:
    assert read(asked, turns("How do I reset it?", answer=answer)) == Reading(searched, "How do I reset it?")


def test_a_step_that_was_not_told_is_looked_for_where_the_steps_are() -> None:
    assert read("第九步做什么？", turns("怎么部署？", answer=STEPS_ZH)).text == "怎么部署？"
    assert read("What is step 9?", turns("How do I reset it?", answer=STEPS_EN)).text == "How do I reset it?"
    assert [step_asked(asked) for asked in ("第二步可以跳过吗？", "Is step 2 dangerous?", "步行去", "12")] == [None] * 4
    assert step_told(2, "10.5 is no step\n1. one") is None


@pytest.mark.parametrize(
    ("before", "asked", "searched"),
    [
        ("怎么退货？", "为什么？", "怎么退货？ 原因是什么？"), ("退货要钱是什么原因？", "为什么呢", "退货要钱是什么原因？"),
        ("怎么退货？", "再说详细点", "怎么退货？"), ("Is it free?", "why?", "Is it free? What is the reason?"),
        ("Why is it free?", "Why is that?", "Why is it free?"), ("Is it free?", "Say that again", "Is it free?"),
    ],
)  # fmt: skip
def test_why_alone_asks_for_the_reason(before: str, asked: str, searched: str) -> None:
    assert read(asked, turns(before)) == Reading(searched)


@pytest.mark.parametrize(
    "unit", ["for ", "the limit ", "per ", "第二步", "step 2 ", "it take ", "是谁", "how long does ", "the a "]
)
def test_hostile_turns_take_no_time(unit: str) -> None:
    began = time.perf_counter()
    text = (unit * 200)[:499]
    for asked in (
        text,
        text[:60],
        "And for meals per day?",
        "第二步做什么？",
        "How long does it take?",
        "它呢？他住在哪里？",
    ):
        read(asked, turns(text, answer=text * 4))
    assert time.perf_counter() - began < 1.0


@pytest.fixture(scope="module")
def prices() -> Iterator[Library]:
    with Library.open(embedder=FakeEmbedder()) as library:
        library.add(
            [
                Document.from_text(
                    "# 轮胎\n\n轮胎更换 400 元，两天完成。\n\n# Tyres\n\nTyres cost 400 yuan.", source="tyres.md"
                )
            ]
        )
        yield library


@pytest.mark.slow
def test_what_was_searched_beside_is_told(prices: Library, folder, capsys, monkeypatch) -> None:
    history = turns("轮胎更换多少钱？")
    assert prices.ask("要多久？", history).searched_beside == "轮胎更换多少钱？ 要多久？"
    assert prices.ask("轮胎更换多少钱？").searched_beside is None
    assert prices.ask("What do new tyres cost in Tokyo?", history).searched_beside is None
    for first, second, told in (
        ("年费方案每年多少元？", "能退吗？", "Searched for: 能退吗？ (beside it: 年费方案每年多少元？ 能退吗？)"),
        ("How do I return it?", "Is labour included?", "(beside it: How do I return it? Is labour included?)"),
    ):
        lines = iter([first, second, ""])
        monkeypatch.setattr("builtins.input", lambda _prompt="", lines=lines: next(lines))
        assert run(["chat"]) == 0
        assert told in capsys.readouterr().err
