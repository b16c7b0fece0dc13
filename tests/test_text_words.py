"""Terms: the same words in and out, whatever the width, the case, the script or the separators."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yinju.text.words import FILLERS, terms


def hits(question: str, passage: str) -> bool:
    """Whether every term of the question, in one of the two fields, is among those of the passage."""
    asked, held = terms(question), terms(passage)
    return set(asked.words) <= set(held.words) or set(asked.bigrams) <= set(held.bigrams)


def test_chinese_words_and_bigrams() -> None:
    found = terms("年费方案每年168元")
    assert found.words == ("年费", "方案", "每年", "168", "元")
    assert found.bigrams == ("年费", "费方", "方案", "案每", "每年", "168", "元")


def test_english_words_are_stemmed_and_bigrams_are_whole() -> None:
    found = terms("Resetting the Passwords")
    assert found.words == ("reset", "the", "password")
    assert found.bigrams == ("resetting", "the", "passwords")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("E-4031", ("e4031", "4031")),
        ("--no-embed", ("noemb", "no", "emb")),
        ("getUserName", ("getusernam", "get", "user", "name")),
        ("HTTPServer", ("httpserver", "http", "server")),
        ("user_name", ("usernam", "user", "name")),
        ("v2.3.1", ("v2·3·1", "2·3·1", "v2", "v2·3")),
        ("1,000.", ("1000",)),
        ("3.14", ("3·14",)),
        ("C++ and C#", ("c＋＋", "and", "c♯")),
        ("iPhone15", ("iphone15", "iphon", "15")),
        ("John's", ("john",)),
        ("2024-05-01", ("20240501", "2024", "5", "1")),
    ],
)
def test_codes_identifiers_and_numbers(text: str, words: tuple[str, ...]) -> None:
    assert terms(text).words == words


@pytest.mark.parametrize(
    ("question", "passage"),
    [
        ("job", "第3步 重跑gen-job后50条清零"),
        ("gen-job", "第3步 重跑gen-job后50条清零"),
        ("清零", "第3步 重跑gen-job后50条清零"),
        ("50", "第3步 重跑gen-job后50条清零"),
        ("abc-123", "型号ＡＢＣ－１２３，重量５㎏"),
        ("5kg", "型号ＡＢＣ－１２３，重量５㎏"),
        ("后端", "臺灣後端團隊於週三發佈。"),
        ("E4031", "error E-4031 occurred"),
        ("passwords", "Reset your password."),
        ("麻婆豆腐", "麻婆豆腐的做法：先焯水。"),
    ],
)
def test_question_meets_passage(question: str, passage: str) -> None:
    assert hits(question, passage)


@pytest.mark.parametrize(
    ("question", "passage"), [("羊排", "西红柿炒蛋先炒蛋。"), ("123", "12.3"), ("E-403", "E-4031")]
)
def test_what_differs_does_not_meet(question: str, passage: str) -> None:
    assert not hits(question, passage)


@pytest.mark.parametrize(
    "text", ["什么", "怎么样", "吗", "如何", "是否", "为什么", "the", "how", "does", "please", "What", "why", "any"]
)
def test_fillers_are_terms_as_terms_makes_them(text: str) -> None:
    assert set(terms(text).words) <= FILLERS


@pytest.mark.parametrize("text", ["退款", "refund", "密码", "not", "多长"])
def test_words_that_say_something_are_no_fillers(text: str) -> None:
    assert not set(terms(text).words) & FILLERS


@given(st.text(st.one_of(st.characters(), st.sampled_from("aZ9.-_'’#+ 汉字か한é\u0301١"))))
def test_terms_are_single_tokens_of_the_index(text: str) -> None:
    found = terms(text)
    for term in (*found.words, *found.bigrams):
        assert term
        assert all(ord(character) > 127 or character.isalnum() for character in term)
        assert not any(character.isspace() for character in term)


@pytest.mark.parametrize("text", ["汉" * 200_000, "a" * 300_000, "1,234" * 50_000, "a-" * 100_000, "-" * 300_000])
def test_hostile_runs_end_quickly_and_make_short_terms(text: str) -> None:
    assert max(map(len, terms(text).words), default=0) <= 48
