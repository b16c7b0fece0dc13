"""Which sentences answer: the ranking behind an extract, and on public sets how often its first ones hold the answer."""

from __future__ import annotations

import pytest
from benchmarks import extraction, sets

from answer_hits import hit, passages
from yinju.answer import cues
from yinju.answer.rank import rank


@pytest.mark.parametrize(
    ("question", "text", "first"),
    [
        (
            "mem_quota_query 的默认值是多少？",
            "server_limit 的默认值是 80%。mem_quota_query 用来限制一条 SQL 的内存，默认 1 GB。",
            "mem_quota_query 用来限制一条 SQL 的内存，默认 1 GB。",
        ),
        (
            "What is the default of mem_quota_query?",
            "The default of server_limit is 80%. Set mem_quota_query to limit one statement, 1 GB unless changed.",
            "Set mem_quota_query to limit one statement, 1 GB unless changed.",
        ),
        ("他罚进多少个球？", "他踢了 12 场。他罚进 3 个。", "他罚进 3 个。"),
    ],
)
def test_the_first_sentence(question: str, text: str, first: str) -> None:
    ranked = rank(question, passages(hit(text)))
    assert ranked[0].piece.text.strip() == first
    assert all(candidate.piece.text in text for candidate in ranked)  # never a sentence that is not in the source


@pytest.mark.parametrize(
    ("question", "text", "first"),
    [
        ("What does the alpha cost?", "The alpha costs 3 euros. It is sold in blue. It weighs 5 kilograms.", "The alpha costs 3 euros."),
        ("When was the bridge built?", "The bridge was built in 1874. It has five arches. It was widened in 1931.", "The bridge was built in 1874."),
        ("大桥是哪年建成的？", "大桥于1874年建成。它有五个桥拱。1931年拓宽。", "大桥于1874年建成。"),
        ("甲型多少钱？", "甲型售价 3 欧元。它有蓝色款。它重 5 公斤。", "甲型售价 3 欧元。"),
        ("What does the alpha cost?", "The alpha costs 3 euros.\n\n价格是三欧元。", "The alpha costs 3 euros."),
    ],
)  # fmt: skip
def test_by_words_a_sentence_that_says_what_is_asked_comes_before_those_that_go_on(
    question: str, text: str, first: str
) -> None:
    assert rank(question, passages(hit(text)))[0].piece.text.strip() == first


@pytest.mark.parametrize(
    ("question", "text", "first"),
    [
        ("How much does the alpha weigh?", "The alpha costs 3 euros. It is sold in blue. It weighs 5 kilograms.", "It weighs 5 kilograms."),
        ("甲型有多重？", "甲型售价 3 欧元。它有蓝色款。它重 5 公斤。", "它重 5 公斤。"),
        ("How tall is the tower?", "The tower was built in 3 years. It stands on 12 piles. It rises 80 metres.", "It rises 80 metres."),
        ("高塔有多高？", "高塔用了 3 年建成。它有 12 根桩。它耸立 80 米。", "它耸立 80 米。"),
    ],
)  # fmt: skip
def test_what_is_measured_is_told_in_its_unit(question: str, text: str, first: str) -> None:
    assert rank(question, passages(hit(text)))[0].piece.text.strip() == first


def test_a_fee_is_a_word_of_its_own() -> None:
    assert "money" in cues.kinds("What is the fee for a copy?")
    assert "money" in cues.kinds("复印的费用是多少？")
    assert not cues.kinds("Which coffee do they feed on?")


def test_the_parts_of_a_question_take_turns() -> None:
    ranked = rank("年费多少？学生几折？", passages(hit("年费 168 元。年费按年收。学生七折。")))
    assert [candidate.piece.text for candidate in ranked[:2]] == ["年费 168 元。", "学生七折。"]
    assert rank("年费多少？", []) == []


def test_what_is_counted_and_who_is_named() -> None:
    assert cues.counts("他有多少次擒杀？", "曾以 136 次擒杀领先。")
    assert not cues.counts("他有多少次擒杀？", "他打了 15 场。")
    assert cues.counts("How many titles did she win?", "Her titles are nine.")
    assert cues.names_somebody("谁领先全队？", "卡万·肖特领先全队。")
    assert cues.names_somebody("Who led the team?", "In that year Kawann Short led the team.")
    assert not cues.names_somebody("谁领先全队？", "全队领先。")


@pytest.mark.bench
@pytest.mark.model
@pytest.mark.parametrize(
    ("name", "sample", "bounds"),
    [("xquad-zh", 300, (0.78, 0.88, 0.91)), ("cmrc2018-dev", 150, (0.76, 0.84, 0.90))],
)
def test_the_first_sentences_hold_the_answer(name: str, sample: int, bounds: tuple[float, ...]) -> None:
    if not (sets.BENCH / name).exists():
        pytest.skip(f"{name} is not there")
    values = extraction.values_of(name, sets.BENCH, sample)["answer contained"]
    assert all(sum(column) / len(column) >= bound for column, bound in zip(values, bounds, strict=True))


@pytest.mark.parametrize(
    ("question", "text", "said"),
    [
        (
            "山雉的羽毛是什么颜色？",
            "山雉是一种凤冠雉。分布于北岭的森林。以种子和昆虫为食。羽毛呈深褐色。",
            "羽毛呈深褐色。",
        ),
        (
            "What colour are the feathers of the hill guan?",
            "The hill guan is a bird of the forest. It lives in the north. It eats seeds and insects. The feathers are a deep brown colour.",
            "The feathers are a deep brown colour.",
        ),
    ],
)
def test_what_opens_a_passage_need_not_be_said_again(question: str, text: str, said: str) -> None:
    assert rank(question, passages(hit(text)))[0].piece.text == said


@pytest.mark.parametrize(
    ("question", "sentence", "share"),
    [
        ("安放于哪个寺院？", "送至佛教寺院东山大佛殿。", 1.0),
        ("安放于哪个寺院？", "车行驶了九百公里。", 0.0),
        ("Which river is near the school?", "The bridge spans the river Charles.", 1.0),
        ("Which river is near the school?", "The school was founded early.", 0.0),
    ],
)
def test_the_thing_behind_which(question: str, sentence: str, share: float) -> None:
    assert cues.holds_what(question, sentence) == share
