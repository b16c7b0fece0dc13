"""Where a text is mentioned: forms of its words, line ends between Chinese characters, never a part of another word."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from yinju.text.mentions import Mention
from yinju.text.normalize import fold


@pytest.mark.parametrize(
    ("sought", "text", "found"),
    [
        ("refund", "Refunds, a refund; unrefunded", ["Refunds", "refund"]),
        ("学生证", "上传学生\n证；學生證", ["学生\n证", "學生證"]),
        ("USB-C", "支持USB-C线，不是 XUSB-C", ["USB-C"]),
        ("12", "12 112 12.5 1,12 12.", ["12", "12"]),
        ("plan", "planet plan Plans", ["plan", "Plans"]),
        ("C++", "C++, C", ["C++"]),
        ("batteries", "Ｂａｔｔｅｒｙ", ["Ｂａｔｔｅｒｙ"]),
        ("...", "...", []),
    ],
)
def test_places(sought, text, found):
    mention = Mention(sought)
    assert [place.of(text) for place in mention.places(text)] == found
    assert mention.times_in(fold(text)) == len(found)


def test_a_quotation_is_exact():
    assert not Mention("refund", exact=True).stands_in("refunds")
    assert Mention("refund", exact=True).stands_in("a refund.")


@settings(max_examples=40)
@given(st.text(max_size=30), st.text(max_size=80))
def test_places_lie_in_the_text_and_their_number_is_the_count(sought, text):
    mention = Mention(sought)
    places = list(mention.places(text))
    assert len(places) == mention.times_in(fold(text))
    assert all(0 <= place.start < place.end <= len(text) for place in places)


def test_hostile_text_takes_linear_time():
    start = time.perf_counter()
    Mention("a b c d e f 学生证").times_in("a " * 100_000 + "学" + " " * 100_000)
    assert time.perf_counter() - start < 2
