"""A model that reads passages: what it says decides with the words, raises or lowers the evidence, and can fail without harm."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from answer_hits import hit, passages, result
from yinju import Library
from yinju.answer import AnswerOptions, answer, with_reading
from yinju.answer.passage_reading import PIECES, SURE, read
from yinju.answer.rank import Sentences
from yinju.errors import ModelError
from yinju.protocols import PassageReader
from yinju.testing import FakeEmbedder
from yinju.types import Document


class Reads(FakeEmbedder):
    """An embedder that reads: `worth` tells the log odds of a sentence."""

    def __init__(self, worth: Callable[[str], float]) -> None:
        super().__init__()
        self.worth = worth
        self.asked: list[str] = []

    def read_passages(self, question: str, passages: Sequence[tuple[str, Sequence[str]]]) -> list[list[float]]:
        self.asked.append(question)
        return [[self.worth(sentence) for sentence in sentences] for _, sentences in passages]


class Fails(Reads):
    def read_passages(self, question: str, passages: Sequence[tuple[str, Sequence[str]]]) -> list[list[float]]:
        raise ModelError("The model is gone", code="no-model")


CASES = [
    ("Can I bring my dog?", "Dogs are loyal. Animals are not permitted on the premises.", "Animals are not permitted on the premises."),
    ("能带狗吗？", "狗很忠诚。动物不得进入本场所。", "动物不得进入本场所。"),
]  # fmt: skip


@pytest.mark.parametrize(("question", "text", "right"), CASES)
def test_a_sentence_in_other_words_comes_first_where_the_reader_is_sure(question: str, text: str, right: str) -> None:
    model = Reads(lambda sentence: 12.0 if sentence == right else -12.0)
    assert isinstance(model, PassageReader)
    ranked = Sentences(passages(hit(text)), model).ranked(question, question)
    assert ranked[0].candidate.piece.text.strip() == right
    assert ranked[0].reads == 12.0
    said = answer(question, result(question, [hit(text)]), embedder=model).text
    assert said.startswith(right.rstrip(".。"))


@pytest.mark.parametrize(("question", "text", "right"), CASES)
def test_the_evidence_follows_what_was_read(question: str, text: str, right: str) -> None:
    found = result(question, [hit(text)], evidence=0.3)
    sure = with_reading(found, Reads(lambda sentence: 12.0 if sentence == right else -12.0))
    doubts = with_reading(found, Reads(lambda sentence: -8.0))
    assert doubts.evidence < 0.2 < 0.6 < sure.evidence < 1.0
    assert "read" in sure.took_ms
    assert with_reading(found, FakeEmbedder()) is found
    assert with_reading(found, None) is found
    assert with_reading(result(question, []), Reads(lambda _: 0.0)).evidence == result(question, []).evidence


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("SKU-6678 的单价是多少？", "SKU-6678；单价 200 元"),
        ("What does SKU-6678 cost?", "Product: SKU-6678; Cost: $200"),
    ],
)
def test_a_code_that_stands_there_is_no_matter_of_reading(question: str, text: str) -> None:
    doubts = Reads(lambda _: -8.0)
    assert with_reading(result(question, [hit(text)], evidence=0.4), doubts).evidence == 0.4
    for other in ("SKU-6679", "SKU-66781"):
        assert (
            with_reading(result(question, [hit(text.replace("SKU-6678", other))], evidence=0.4), doubts).evidence < 0.2
        )


@pytest.mark.parametrize("worth", [math.nan, math.inf, -math.inf])
def test_numbers_that_are_none_are_an_error(worth: float) -> None:
    with pytest.raises(ModelError) as caught:
        read("多少？", [hit("年费 168 元。")], Reads(lambda _: worth))
    assert caught.value.code == "bad-reading"


def test_a_reader_that_leaves_sentences_out_is_an_error() -> None:
    class Short(Reads):
        def read_passages(self, question: str, passages: Sequence[tuple[str, Sequence[str]]]) -> list[list[float]]:
            return [[] for _ in passages]

    with pytest.raises(ModelError):
        read("多少？", [hit("年费 168 元。")], Short(lambda _: 0.0))


@pytest.mark.parametrize(
    ("question", "text"), [("年费多少？", "年费 168 元。"), ("What is the yearly fee?", "The yearly fee is 168 yuan.")]
)
def test_a_reader_that_fails_leaves_the_evidence_is_told_and_meaning_still_ranks(question: str, text: str) -> None:
    found = result(question, [hit(text)], evidence=0.9)
    model = Fails(lambda _: 0.0)
    told = with_reading(found, model)
    assert told.evidence == 0.9
    assert any("The model is gone" in notice for notice in told.notices)
    said = answer(question, found, embedder=model, options=AnswerOptions())
    assert "168" in said.text
    assert not any("words only" in notice or "只按词" in notice for notice in said.notices)


def test_no_evidence_and_no_passage_are_not_read() -> None:
    model = Reads(lambda _: 9.0)
    assert with_reading(result("？", [hit("年费 168 元。")], evidence=0.0), model).evidence == 0.0
    assert with_reading(result("年费多少？", [], evidence=0.3), model).evidence == 0.3
    assert not model.asked


@pytest.mark.parametrize(
    ("row", "last"),
    [("第{n}行的价格是{n}元。", "年费 168 元。"), ("Row {n} costs {n} euros. ", "The yearly fee is 168. ")],
)
def test_what_was_not_read_counts_as_its_usual_sentence(row: str, last: str) -> None:
    text = "".join(row.format(n=number) for number in range(200)) + last
    [reading] = read("多少？", [hit(text)], Reads(lambda _: -3.0))
    assert len(reading.pieces) == PIECES
    ranked = Sentences(passages(hit(text)), Reads(lambda _: -3.0)).ranked("年费多少？", "年费多少？")
    assert {each.reads for each in ranked} == {-3.0}


@pytest.mark.parametrize(
    ("question", "history"), [("那学生呢？", "年费多少？"), ("And for students?", "What is the yearly fee?")]
)
def test_a_follow_up_is_read_as_it_is_searched(question: str, history: str, tmp_path: Path) -> None:
    model = Reads(lambda _: 2.0)
    with Library.open(tmp_path / "own", embedder=model) as library:
        library.add(
            [
                Document.from_text(
                    "年费 168 元。学生七折。\n\nThe yearly fee is 168. Students pay 70 %.", source="plans.md"
                )
            ]
        )
        earlier = [{"role": "user", "content": history}, {"role": "assistant", "content": "168"}]
        library.ask(question, earlier)
        plain = library.find(question, history=earlier)
        told = library.find(question, history=earlier, read=True)
    assert model.asked  # though a guard stands before the model
    assert plain.query == told.query
    assert plain.evidence != told.evidence


def test_odds_are_bounded() -> None:
    [one] = read("？", [hit("甲。乙。")], Reads(lambda sentence: 400.0 if sentence == "甲。" else 0.0))
    assert sorted(one.pieces.values()) == [0.0, SURE]
    assert one.best == SURE
    [none] = read("？", [hit(" ")], Reads(lambda _: 1.0))
    assert none.best == -SURE
