"""Folding: what a reader takes for the same is the same; offsets lead back to the original."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yinju.text.language import detect
from yinju.text.normalize import fold, fold_with_offsets


@pytest.mark.parametrize(
    ("shown", "folded"),
    [
        ("ＡＢＣ－１２３", "abc-123"),
        ("5㎏", "5kg"),
        ("⻚⾯", "页面"),  # a radical of the supplement, and a Kangxi radical
        ("\uf900", "岂"),  # a compatibility ideograph of 豈, made simplified
        ("臺灣後端團隊於週三發佈", "台湾后端团队于周三发布"),
        ("ｶﾞｲﾄﾞ", "ガイド"),
        ("Cafe\u0301", "café"),
        ("STRASSE", "strasse"),
        ("Straße", "strasse"),
        ("6½", "6 1/2"),
        ("密\u200b码\ufeff", "密码"),
        ("葛\U000e0100", "葛"),
    ],
)
def test_fold(shown: str, folded: str) -> None:
    assert fold(shown) == folded


def test_offsets_lead_back_to_full_width_and_compatibility_forms() -> None:
    text = "重量５㎏…备注"
    folded, offsets = fold_with_offsets(text)
    assert folded == "重量5kg...备注"
    start = folded.index("5kg")
    assert text[offsets[start] : offsets[start + 3]] == "５㎏"
    assert offsets == [0, 1, 2, 3, 3, 4, 4, 4, 5, 6, 7]


mixed = st.text(
    st.one_of(
        st.characters(),
        st.sampled_from("aA１Ａé\u0301\u0308ｶﾞ가\u1161\u11a8\u1100㎏½臺後乾\u200b\ufe0f⻚"),
    )
)


@given(mixed)
def test_folding_twice_changes_nothing(text: str) -> None:
    assert fold(fold(text)) == fold(text)


@given(mixed)
def test_offsets_agree_with_fold_and_rise(text: str) -> None:
    folded, offsets = fold_with_offsets(text)
    assert folded == fold(text)
    assert len(offsets) == len(folded) + 1
    assert offsets == sorted(offsets)
    assert offsets[-1] == len(text)


def test_lone_surrogates_do_no_harm() -> None:
    assert fold("a\ud800b") == "a\ufffdb"


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("一年要付多少？", "zh"),
        ("How do I reset it?", "en"),
        ("Reset password", "en"),
        ("iPhone 怎么重置", "zh"),
        ("臺灣的天氣", "zh"),
        ("これはペンです", "ja"),
        ("이것은 책입니다", "ko"),
        ("Wie ist das?", "de"),
        ("Привет", "ru"),
        ("E-4031", "und"),
        ("", "und"),
    ],
)
def test_detect(text: str, language: str) -> None:
    assert detect(text) == language
