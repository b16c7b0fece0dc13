"""Questions from documents: the kinds and their words in both languages, places that hold, seeds, questions without their source."""

import json

import pytest

from yinju import Document, Library
from yinju.errors import ModelError, UsageError
from yinju.evaluate import Case
from yinju.evaluate.cases import as_line, parse
from yinju.evaluate.make import make
from yinju.evaluate.places import Places
from yinju.evaluate.questions import suggestions
from yinju.evaluate.wording import Wording
from yinju.settings import Settings
from yinju.testing import ScriptedChatModel

ZH = """# 线下服务点

离线是指没有网络时也能使用。

年费方案每年 168 元，付款后立即生效。

新政策自 2026 年 5 月 1 日起对所有经销商施行。

请在“我的 › 安全”里打开两步验证，以免被人冒用。

## 门店信息

门店如下表所列，到店之前请先预约，未预约的当天不一定受理，也不接受电话登记。

| 城市 | 地址 | 能否当场换屏 | 开业时间 |
| --- | --- | --- | --- |
| 北京 | 知鹤路 18 号 | 只换内屏 | 2024 年 9 月 |
| 上海 | 柏叶街 306 号 | 能 | 2025 年 3 月 |

## 年费方案

- 价格：168 元
- 注意：价格会变
"""
EN = """# Developer API

A webhook is a call that we make to your address.

A token is valid for 90 days, and nobody can extend it.

The old versions were supported until 31 October 2025 for everybody.

Send the token in the header `X-Roost-Signature` of each of your calls.

## Rate limits

Each call is counted once, whether it fails or not, and the counter starts anew each day.

| Plan | Requests | Burst |
| --- | --- | --- |
| Basic plan | 60 a minute | no |

## Price list

- Price: 12 dollars
- Note: no tax
"""


@pytest.fixture
def library():
    with Library.open(settings=Settings(embed_model="none")) as opened:
        opened.add([Document.from_text(ZH, source="zh.md"), Document.from_text(EN, source="en.md")])
        yield opened


def asked(library, source):
    return {(one.kind, one.question, one.answer) for one in suggestions(library.document(source))}


def test_chinese_questions_of_every_kind(library):
    assert asked(library, "zh.md") == {
        ("definition", "“离线”指什么？", ""),
        ("number", "年费方案每年多少元？", "168 元"),
        ("date", "新政策自什么时候起对所有经销商施行？", "2026 年 5 月 1 日"),
        ("name", "请在什么里打开两步验证？", "我的 › 安全"),
        ("row", "北京的地址是什么？", "知鹤路 18 号"),
        ("row", "北京能否当场换屏？", "只换内屏"),
        ("row", "北京的开业时间是什么时候？", "2024 年 9 月"),
        ("row", "上海的地址是什么？", "柏叶街 306 号"),
        ("row", "上海的开业时间是什么时候？", "2025 年 3 月"),
        ("pair", "年费方案的价格是多少？", "168 元"),
        ("heading", "《线下服务点》里，关于“门店信息”是怎么说的？", ""),
    }


def test_english_questions_of_every_kind(library):
    assert asked(library, "en.md") == {
        ("definition", "What is a webhook?", ""),
        ("number", "A token is valid for how many days?", "90 days"),
        ("date", "The old versions were supported until what date for everybody?", "31 October 2025"),
        ("name", "Send the token in the header what of each of your calls?", "X-Roost-Signature"),
        ("row", "What is the requests for Basic plan?", "60 a minute"),
        ("pair", "What is the price of Price list?", "12 dollars"),
        ("heading", "What does “Developer API” say about Rate limits?", ""),
    }


@pytest.mark.parametrize(
    "text",
    [
        "He wrote it in his 1942 essay on pacifism and war.",  # a year is no count
        "Version 2.3 of v1.2.3 and RFC 8259 say so to everyone.",
        "A heading without an end that has 90 days in it",
        "We allow (30 days, as you know) and no more of them.",  # cut inside of brackets
        "参见第 12 条和第 3 章的有关规定执行。",
    ],
)
def test_what_suggests_no_question(library, text):
    library.add([Document.from_text(text, source="one.txt")])
    assert list(suggestions(library.document("one.txt"))) == []


def test_made_cases_have_places_that_hold_and_are_marked(library):
    places = Places(library)
    cases = make(library, 30)
    assert all(case.made and case.kind for case in cases)
    assert all(places.of(gold).problem is None for case in cases for gold in case.golds)
    assert [parse(as_line(case))[0].question for case in cases] == [case.question for case in cases]


def test_the_same_seed_makes_the_same_questions(library):
    assert make(library, 8, seed=3) == make(library, 8, seed=3)
    assert make(library, 8, seed=3) != make(library, 8, seed=4)


def test_questions_are_spread_over_kinds_and_documents(library):
    cases = make(library, 7, unanswerable=0)
    assert len({case.kind for case in cases}) == 7
    assert len({case.golds[0].source for case in cases}) == 2


def test_unanswerable_ones_do_without_every_source_that_holds_the_number(library):
    library.add([Document.from_text("# 说明\n\n去年也是 168 元，今年没有变化。", source="more.md")])
    cases = [case for case in make(library, 20, unanswerable=0.5) if not case.answerable]
    assert cases
    for case in cases:
        assert set(case.without) >= {case.golds[0].source}
        assert not case.answers
    yearly = [case for case in cases if "168" in (case.golds[0].quote or "")]
    assert all(set(case.without) == {"zh.md", "more.md"} for case in yearly)


def test_one_document_alone_has_no_unanswerable_questions():
    with Library.open(settings=Settings(embed_model="none")) as library:
        library.add([Document.from_text(ZH, source="zh.md")])
        assert all(case.answerable for case in make(library, 20))


def test_what_is_asked_of_two_places_is_left_out(library):
    library.add([Document.from_text(ZH, source="copy.md")])
    assert {case.golds[0].source for case in make(library, 40)} == {"en.md"}


def test_a_library_that_suggests_nothing_says_so():
    with (
        Library.open(settings=Settings(embed_model="none")) as library,
        pytest.raises(UsageError, match="suggest no questions"),
    ):
        make(library)
    with Library.open(settings=Settings(embed_model="none")) as library, pytest.raises(UsageError, match="0 questions"):
        make(library, 0)


@pytest.mark.parametrize(
    ("reply", "used"),
    [
        (json.dumps({"question": "一年得花多少钱？"}), True),
        ("```json\n{}\n```", False),
        (json.dumps({"question": "一年要 168 元吗？"}), False),  # gives the answer away
        (json.dumps({"question": 3}), False),
        (json.dumps(["一年得花多少钱？"]), False),
        (json.dumps({"question": "x" * 500}), False),
        (ModelError("gone", "later"), False),
    ],
)
def test_a_model_words_the_question_or_the_rule_stays(library, reply, used):
    document = library.document("zh.md")
    suggestion = next(one for one in suggestions(document) if one.kind == "number")
    wording = Wording(ScriptedChatModel(reply))
    assert (wording(document, suggestion) == "一年得花多少钱？") is used
    assert wording.failed == (0 if used else 1)


@pytest.mark.slow
def test_hostile_text_is_asked_about_in_short_time(library):
    hostile = (
        "# "
        + "a" * 5_000
        + "\n\n"
        + "- "
        + "键" * 40_000
        + "：\n\n"
        + "“" * 20_000
        + "`" * 20_000
        + "\n\n"
        + "1,111" * 10_000
    )
    library.add([Document.from_text(hostile, source="hostile.md")])
    assert all(len(one.question) < 400 for one in suggestions(library.document("hostile.md")))
    assert isinstance(make(library, 10)[0], Case)
