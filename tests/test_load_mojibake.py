from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yinju.load import load
from yinju.load.encoding import decode

TEXT = "检索增强生成：第一章。\n合同金额为一百万元整，含税。\n"
TRADITIONAL = "檢索增強生成：第一章。\n合約金額為一百萬元整，含稅。\n"


@pytest.mark.parametrize(
    ("text", "right", "wrong", "said"),
    [
        (TEXT, "utf-8", "latin-1", "utf-8 that was read as cp1252"),
        (TRADITIONAL, "utf-8", "latin-1", "utf-8 that was read as cp1252"),
        (TEXT, "gbk", "latin-1", "gb18030 that was read as cp1252"),
        (TRADITIONAL, "big5", "latin-1", "big5 that was read as cp1252"),
        ("合同条款说明书\n" * 3, "utf-8", "cp1252", "utf-8 that was read as cp1252"),
    ],
)
def test_repaired_where_the_round_trip_proves_it(text: str, right: str, wrong: str, said: str) -> None:
    spoilt = text.encode(right).decode(wrong, "ignore")
    if spoilt.encode(wrong) != text.encode(right):
        text = ""  # the wrong encoding has no such bytes: they were lost
    decoded = decode(spoilt.encode())
    if text:
        assert (decoded.text, decoded.warnings) == (text, (f"mojibake-repaired: {said}",))
    else:
        assert decoded.text == spoilt


def test_a_repaired_file_balances_and_says_so() -> None:
    loaded = load(TEXT.encode().decode("latin-1").encode(), "a.md")
    assert loaded.document.text == TEXT
    assert loaded.receipt.warnings == ("mojibake-repaired: utf-8 that was read as cp1252",)
    assert loaded.receipt.found == 25


def test_utf8_read_as_gbk() -> None:
    whole = "人人人人人人人人"  # its bytes are whole characters of GBK
    spoilt = whole.encode().decode("gb18030")
    assert decode((spoilt + "\n").encode()).text in (whole + "\n", spoilt + "\n")
    spoilt = "\n".join(line.encode().decode("gbk", "replace") for line in TEXT.split("\n"))
    decoded = decode(spoilt.encode())
    assert decoded.text == spoilt
    assert decoded.warnings[0].startswith("mojibake: ")


def test_what_merely_quotes_it_stays() -> None:
    text = "乱码有两种：文字变成 æ–‡å­— 的，和变成 浣犲ソ 的。\n" * 3
    decoded = decode(text.encode())
    assert decoded.text == text
    assert decoded.notes == ()
    english = "What you see then is æ–‡ instead of the character.\n"
    assert decode(english.encode()).text == english


def test_lost_characters_are_flagged() -> None:
    assert decode("产品锟斤拷名称".encode()).warnings == (
        "mojibake: 1 times 锟斤拷, characters that were lost before the file was saved",
    )
    assert decode("产\ufffd品\ufffd名\ufffd称".encode()).warnings == (
        "mojibake: 3 characters were lost before the file was saved",
    )
    assert decode("一个 \ufffd 不算".encode()).warnings == ()


@given(st.text(st.characters(codec="latin-1", exclude_categories=("Cc",)), max_size=30))
def test_latin_text_stays(text: str) -> None:
    decoded = decode(text.encode())
    if decoded.notes and decoded.notes[0].startswith(
        "mojibake-repaired"
    ):  # four Chinese characters by chance: the round trip holds
        assert not decoded.plain
    elif decoded.encoding == "utf-8":
        assert decoded.text == text.removeprefix("\ufeff")
