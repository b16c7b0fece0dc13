"""What stands nowhere is told in the words of the question."""

import pytest

from yinju.retrieve.wording import as_written, but_asking
from yinju.text.words import terms


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What are the duties of Mercury's boiling?", ("duties", "Mercury", "boiling")),
        ("Where is the WiFi-Router E-4031?", ("WiFi-Router", "E-4031")),
        ("火星基地的食堂", ("火星", "基地", "食堂")),
        ("航天飞机多少钱", ("航天飞机",)),
        ("電梯維修", ("電梯", "維修")),
        ("iPhone价格", ("iPhone", "价格")),
        ("Can C++ run?", ("C++", "run")),
    ],
)
def test_words_are_shown_as_they_were_written(question, expected):
    shown = as_written(question, terms(question).words)
    assert set(expected) <= set(shown)
    assert all(word in question for word in shown)
    assert len(shown) == len(set(shown))


def test_fragments_of_a_longer_word_are_left_out_even_where_that_is_known():
    assert as_written("航天飞机", ["航天"]) == ()


def test_a_term_that_cannot_be_found_stands_for_itself():
    assert as_written("hello", ["boil"]) == ("boil",)
    assert as_written("", ["蓝鲸"]) == ("蓝鲸",)


@pytest.mark.parametrize(
    ("question", "words", "left"),
    [
        ("保修期多久，几点开门", ("保修期", "多久", "几点", "开门"), ("保修期", "开门")),
        ("这把伞多少钱", ("伞", "钱"), ("伞",)),
        ("钱放在哪里，几何题怎么做", ("钱", "几何"), ("钱", "几何")),
        ("How many umbrellas, and how often?", ("many", "umbrellas", "often"), ("umbrellas",)),
        ("What is long covid?", ("long", "covid"), ("long", "covid")),
    ],
)
def test_words_that_ask_how_much_are_no_words_that_a_document_must_hold(question, words, left):
    assert but_asking(question, words) == left
