"""What of a long question is embedded."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from yinju import Library
from yinju.retrieve import heart
from yinju.testing import FakeEmbedder
from yinju.text import tokens
from yinju.types import Document

MAIL = {
    "zh": ("您好，我是二月份买的水泵。", "师傅来看过一次，说轴承有异响。", "请问保修期是多久？", "谢谢，盼复。"),
    "en": ("Hello, I bought the pump in February.", "Somebody came and heard the bearing.", "How long is the warranty?", "Thanks."),
}  # fmt: skip


@pytest.mark.parametrize("language", MAIL)
def test_of_a_long_mail_the_question_its_end_and_its_start_are_left_in_their_order(language: str) -> None:
    first, filler, asks, last = MAIL[language]
    space = "" if language == "zh" else " "
    question = space.join([first, *[filler] * 100, asks, *[filler] * 100, last])
    left = heart.of(question)
    assert (left.startswith(first), left.endswith(last)) == (True, True)
    assert left.count(asks) == 1
    assert heart.MOST * 0.75 < tokens.estimate(left) <= heart.MOST
    assert left.count(filler) < 200


@pytest.mark.parametrize("question", ["保修期是多久？", "How long is the warranty?", "保修期" * 300])
def test_what_a_model_reads_at_once_stays_as_it_is(question: str) -> None:
    assert heart.of(question) == question


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.sampled_from(["退款要几天？", "见附件 ", "a", "\n", "x9f_", "Error 500. ", "。", "𠮷"]), max_size=60),
    st.integers(1, 60),
)
def test_never_more_than_the_model_is_given_and_never_nothing(parts: list[str], times: int) -> None:
    question = "".join(parts) * times
    left = heart.of(question)
    assert left == question or tokens.estimate(left) <= heart.MOST
    assert bool(left.strip()) == bool(question.strip())


@pytest.mark.slow
def test_the_search_says_so_and_embeds_no_more() -> None:
    asked: list[str] = []

    class Listening(FakeEmbedder):
        def embed_queries(self, texts):  # type: ignore[no-untyped-def]
            asked.extend(texts)
            return super().embed_queries(texts)

    with Library.open(embedder=Listening()) as library:
        library.add([Document.from_text("保修期是六个月。", source="a.md")])
        result = library.find("见附件。" * 2_000 + "保修期是多久？")
    assert result.hits[0].source == "a.md"
    assert any("The question is long" in notice for notice in result.notices)
    assert max(map(tokens.estimate, asked)) <= heart.MOST
