"""The reading half of the local model: windows and sums with a false network, and what the real one finds in passages that it never saw."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from yinju.embed import e5_available, e5_reader, open_e5
from yinju.protocols import PassageReader


@given(st.lists(st.integers(0, 200), max_size=40), st.integers(50, 400))
def test_windows_hold_every_sentence_once_and_no_more_than_fits(lengths: list[int], room: int) -> None:
    runs = list(e5_reader.windows(lengths, room))
    assert [place for run in runs for place in run] == list(range(len(lengths)))
    assert all(len(run) == 1 or sum(lengths[place] for place in run) <= room for run in runs)


def test_the_worth_of_a_sentence() -> None:
    """mean(first column) + log(sum(exp(second))) - nothing, over the tokens of the sentence alone."""
    asked: list[list[int]] = []

    def run(tokens: list[int]) -> tuple[np.ndarray, float]:
        asked.append(tokens)
        return np.array([[token, 2.0 * token] for token in tokens], np.float32), 0.5

    def encode(text: str) -> list[int]:
        return [int(digit) for digit in text if digit.isdigit()]

    worths = e5_reader.read([7], "12", ["345", "", "6"], encode, (0, 9), run)
    assert asked == [[0, 7, 9, 1, 2, 9, 3, 4, 5, 6, 9]]  # begin, question, end, heading, end, sentences, end
    first = (3 + 4 + 5) / 3 + math.log(math.exp(6) + math.exp(8) + math.exp(10)) - 0.5
    assert worths == pytest.approx([first, e5_reader.UNREAD, 6 + 12 - 0.5])


def test_a_long_passage_is_read_in_windows() -> None:
    def run(tokens: list[int]) -> tuple[np.ndarray, float]:
        assert len(tokens) <= e5_reader.WINDOW
        return np.zeros((len(tokens), 2), np.float32), 0.0

    assert len(e5_reader.read([1], "", ["x" * 300] * 20, lambda text: [3] * len(text), (0, 2), run)) == 20


PASSAGES = {
    "en": ("Clinic", [
        "The clinic opens at eight.", "Dr Okafor founded it in 1988.", "Visitors may leave their car in the yard free of charge.",
        "Animals are not permitted on the premises.", "It has employed forty people since the merger.",
    ]),
    "zh": ("诊所", [
        "诊所八点开门。", "欧阳医生于1988年创办了它。", "来访者可以把车免费停在院子里。", "动物不得进入本场所。", "合并以来它有四十名员工。",
    ]),
}  # fmt: skip
ASKED = [
    ("en", "Can I bring my dog?", 3), ("en", "Where do I park?", 2), ("en", "Who set up the clinic?", 1), ("en", "狗可以进去吗？", 3),
    ("en", "谁创办了诊所？", 1),
    ("zh", "能带狗吗？", 3), ("zh", "车停哪儿？", 2), ("zh", "诊所是谁开的？", 1), ("zh", "Can I bring my dog?", 3), ("zh", "Where do I park?", 2),
]  # fmt: skip
ABSENT = [
    ("en", "What does a consultation cost?"),
    ("en", "Who founded the hospital in Kenwood?"),
    ("zh", "看一次病多少钱？"),
    ("zh", "诊所的电话号码是多少？"),
]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory):
    folder: Path = tmp_path_factory.mktemp("models")
    if not e5_available(folder):
        pytest.skip("the weights of the local model are not installed")
    opened = open_e5(folder, threads=2)
    yield opened
    opened.close()


@pytest.mark.model
def test_what_answers_is_found_in_other_words_and_across_languages(model) -> None:
    assert isinstance(model, PassageReader)
    right = [
        int(np.argmax(model.read_passages(question, [PASSAGES[language]])[0])) == place
        for language, question, place in ASKED
    ]
    assert sum(right) >= 9


@pytest.mark.model
def test_what_is_not_there_is_less_likely_than_what_is(model) -> None:
    there = [max(model.read_passages(question, [PASSAGES[language]])[0]) for language, question, _ in ASKED]
    absent = [max(model.read_passages(question, [PASSAGES[language]])[0]) for language, question in ABSENT]
    assert np.mean([one > other for one in there for other in absent]) > 0.85


@pytest.mark.model
def test_the_same_reading_again_and_beside_others(model) -> None:
    question, passage = "能带狗吗？", PASSAGES["zh"]
    alone = model.read_passages(question, [passage])
    model._opened()._last_read.clear()  # or the reading that is kept would be compared with itself
    assert model.read_passages(question, [passage, PASSAGES["en"]])[0] == pytest.approx(alone[0], abs=1e-4)
    assert model.read_passages("", [("", []), ("", [""])]) == [[], [e5_reader.UNREAD]]
