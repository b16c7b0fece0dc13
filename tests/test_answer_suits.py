"""What may be quoted as an answer, what is preferred, and how a follow-up leans on the question before it."""

from __future__ import annotations

import pytest

from answer_hits import hit, result
from yinju.answer import answer, standalone
from yinju.answer.context import build
from yinju.answer.extract import extract
from yinju.answer.plain import plain
from yinju.answer.rewrite import content_words
from yinju.answer.verify import verify_answer
from yinju.protocols import Message
from yinju.types import Hit


def said(question: str, *hits: Hit) -> str:
    """Return the extract, which must be proved whole."""
    context = build("", hits, tokens=4000)
    text = extract(question, context)
    assert all(sentence.status == "verified" for sentence in verify_answer(text, context.passages).sentences)
    return text


@pytest.mark.parametrize(
    ("question", "text", "expected"),
    [
        (
            "What are the values?",
            "1. [The Values](/values/)\n2. See [the values page](https://example.org/values) for more.\n\nOur values are care and speed.",
            "Our values are care and speed",
        ),
        ("如何升级数据库？", "- [升级数据库版本](/a.md)\n- [升级数据库组件](/b.md)\n- 升级数据库\n    - [升级前检查](/c.md)\n", ""),
        ("Where is the map?", "![The map](map.png)\n\n<iframe src='https://example.org/map'></iframe>\n\n**The map**", ""),
        ("如何升级数据库？", "> 建议[使用 Up 升级](/up.md)数据库，并先做**备份**。", "建议使用 Up 升级数据库，并先做备份"),
    ],
)  # fmt: skip
def test_what_only_leads_to_an_answer_is_none(question: str, text: str, expected: str) -> None:
    found = said(question, hit(text))
    assert found.startswith(expected) if expected else not found


def test_markdown_is_worded_and_quoted() -> None:
    assert plain("按 **168 元**，见[说明](a.md)。`a**b**c` <b>好</b> arr[0](1) <name> 2**3**4") == (
        "按 168 元，见说明。`a**b**c` 好 arr[0](1) <name> 2**3**4"
    )
    page = hit("年费按 **168 元** 收取，从[付款](pay.md)那天起算。")
    given = answer("年费按多少收取？", result("年费按多少收取？", [page]))
    assert given.text.startswith("年费按 168 元 收取，从付款那天起算")
    assert given.citations[0].quote == page.text


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("加列会锁表吗？", "不会。加列在线进行"),
        ("删库会锁表吗？", "删库时锁表"),
        ("Is the lamp waterproof?", "The lamp is waterproof to 2 m"),
        ("Is the radio waterproof?", "No, the radio is not"),
    ],
)
def test_a_reply_belongs_to_its_question(question: str, expected: str) -> None:
    faq = hit("### 加列会锁表吗？\n\n不会。加列在线进行。\n\n### 其他\n\n删库时锁表。", source="faq.md")
    english = hit(
        "Is the radio waterproof?\n\nNo, the radio is not.\n\n## Lamp\n\nThe lamp is waterproof to 2 m.", source="en.md"
    )
    text = said(question, faq if "？" in question else english)
    assert "".join(text.split(" [1]")).startswith(expected)


@pytest.mark.parametrize("question", ["gc_life_time 的默认值是多少", "What is the default value of gc_life_time?"])
def test_a_value_is_said_with_its_heading(question: str) -> None:
    text = (
        "### `gc_life_time`\n\n- 类型：Duration\n- 默认值：`10m0s`\n\n"
        "例如，如果 `gc_life_time` 的默认值改为 15 分钟，就保留 15 分钟的数据。\n\n### `gc_wait`\n\n- 默认值：`7`"
    )
    assert said(question, hit(text, headings=("变量", "gc_life_time"))) == "### gc_life_time\n默认值：`10m0s` [1]"


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("保修多久？", "主机自签收之日起保修 24 个月"),
        ("翻新机保修多久？", "翻新机的主机保修 12 个月"),
        ("How long is the warranty?", "The warranty of the recorder is 24 months"),
        ("什么是云盘？", "云盘是放录音的地方"),
        ("What is a pack?", "A pack is a set of 300 minutes"),
    ],
)
def test_the_rule_comes_before_exceptions_and_examples(question: str, expected: str) -> None:
    chinese = hit(
        "## 保修期\n\n主机自签收之日起保修 24 个月。翻新机的主机保修 12 个月。\n\n## 延长保修\n\n花 99 元，保修延长 12 个月。",
        source="zh.md",
    )
    english = hit(
        "## Warranty\n\nThe warranty of the recorder is 24 months.\n\n## Longer warranty\n\nFor 99 yuan the warranty is extended by 12 months.",
        source="en.md",
    )
    terms = hit("例如，云盘里可以放录音。云盘是放录音的地方。", source="terms.md")
    pack = hit("For example, a pack can be shared. A pack is a set of 300 minutes.", source="pack.md")
    page = {"保修": chinese, "warranty": english, "云盘": terms, "pack": pack}
    assert said(question, next(hit for word, hit in page.items() if word in question)).startswith(expected)


@pytest.mark.parametrize("question", ["???", "价格表里企业版多少钱？", "Who won the cup?"])
def test_no_word_in_common_is_no_answer(question: str) -> None:
    rows = hit(
        "| 项目 | 免费版 | 付费版 |\n| --- | --- | --- |\n| 每月转写时长 | 120 分钟 | 1,800 分钟 |", headings=("用量",)
    )
    assert said(question, rows, hit("Press the key to start.", source="en.md")) == ""
    given = answer(question, result(question, [rows]))
    assert given.refused
    assert given.reason


LEAVE, REFUNDS = "What is the parental leave policy?", "How long do refunds take?"


@pytest.mark.parametrize(
    ("before", "asked", "searched"),
    [
        (LEAVE, "And how long before must I tell my manager?", "parental leave policy: how long before must I tell my manager?"),
        (LEAVE, "how long is it?", "how long is parental leave policy?"),
        (LEAVE, "那父亲呢？", "What is the parental leave policy? 父亲"),
        (LEAVE, "What about fathers?", "What is the parental leave policy? fathers"),
        (REFUNDS, "那礼品卡呢？", "How long do refunds take? 礼品卡"),
        (REFUNDS, "does it include shipping?", "refunds: does it include shipping?"),
        ("退款要多久？", "What about gift cards?", "退款要多久？ gift cards"),
        (LEAVE, "How long do refunds take?", "How long do refunds take?"),
        (LEAVE, "And where is the office?", "And where is the office?"),
        (LEAVE, "退款要多久？", "退款要多久？"),
    ],
)  # fmt: skip
def test_a_follow_up_keeps_its_own_words(before: str, asked: str, searched: str) -> None:
    found = standalone(asked, [Message("user", before)])
    assert found == searched
    assert all(word in found for word in content_words(asked) if not word.startswith("那"))
    assert "What is how" not in found


def test_follow_ups_lean_on_each_other() -> None:
    turns = [Message("user", REFUNDS), Message("assistant", "5 days [1]."), Message("user", "那礼品卡呢？")]
    assert standalone("does it cost anything?", turns) == "refunds 礼品卡: does it cost anything?"
