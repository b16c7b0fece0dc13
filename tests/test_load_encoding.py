from __future__ import annotations

import contextlib
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yinju.errors import DocumentError
from yinju.load.clean import clean
from yinju.load.encoding import decode

SIMPLIFIED = "混凝土强度等级不应低于规范要求。\r\n温度30℃，请按第一章的规定检查。"
TRADITIONAL = "維基百科是一個自由的百科全書，大家都可以編輯。"


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "gbk", "gb18030", "utf-16", "utf-16-le", "utf-16-be", "utf-32"]
)
def test_simplified_chinese_in_every_encoding(encoding: str) -> None:
    assert decode(SIMPLIFIED.encode(encoding)).text == SIMPLIFIED


@pytest.mark.parametrize("encoding", ["utf-8", "big5", "big5hkscs", "gb18030", "utf-16-le"])
def test_traditional_chinese_in_every_encoding(encoding: str) -> None:
    assert decode(TRADITIONAL.encode(encoding)).text == TRADITIONAL


@pytest.mark.parametrize(
    ("text", "encoding", "named"),
    [
        ("これはテストです。日本語の文章。", "shift_jis", "shift_jis"),
        ("これはテストです。日本語の文章。", "euc_jp", "euc_jp"),
        ("한국어 문장입니다. 시험을 봅니다.", "euc_kr", "euc_kr"),
        ("Füße und Übermut – naïve café", "cp1252", "cp1252"),
        ("Привет, как дела? Это текст на русском языке.", "cp1251", "cp1251"),
        ("Hello world", "utf-16-le", "utf-16-le"),
        ("Hello world", "utf-16-be", "utf-16-be"),
        ("合同金额", "gbk", "gb18030"),
        ("合約金額", "big5", "big5"),
        ("检索增强生成：第一章。㐀𠮷", "gb18030", "gb18030"),
    ],
)
def test_other_encodings(text: str, encoding: str, named: str) -> None:
    decoded = decode(text.encode(encoding))
    assert (decoded.text, decoded.encoding, decoded.replaced) == (text, named, 0)


def test_byte_order_mark_is_no_part_of_the_text() -> None:
    assert decode(b"\xef\xbb\xbf# \xe6\xa0\x87\xe9\xa2\x98").text == "# 标题"
    assert decode("标题".encode("utf-16")).text == "标题"


def test_a_lying_declaration_does_not_win() -> None:
    assert decode("<meta charset=utf-8>合同金额与期限".encode("gbk"), "utf-8").text.endswith("合同金额与期限")
    assert decode("合同金额".encode(), "gbk").text == "合同金额"
    assert decode(TRADITIONAL.encode("big5"), "gb2312").text == TRADITIONAL
    assert decode("é".encode(), "iso-8859-1").text == "é"
    assert decode("текст по-русски".encode("koi8-r"), "koi8-r").text == "текст по-русски"
    assert decode(b"plain", "no-such-codec").text == "plain"
    assert decode(b"plain", "rot13").text == "plain"


def test_utf8_that_is_cut_off_stays_utf8() -> None:
    decoded = decode("中文测试文档".encode() * 20 + b"\xe4\xb8")
    assert decoded.text == "中文测试文档" * 20 + "\ufffd"
    assert decoded.warnings == ("replaced-characters: 1",)
    assert decode("你好".encode()[:-1]).text == "你\ufffd"


@pytest.mark.parametrize("encoding", ["gb18030", "big5"])
def test_other_encodings_that_are_cut_off_are_still_seen(encoding: str) -> None:
    text = "大家都可以自由地使用這個工具。" if encoding == "big5" else "大家都可以自由地使用这个工具。"
    decoded = decode((text * 20).encode(encoding)[:-1])
    assert (decoded.text[:-1], decoded.replaced) == ((text * 20)[:-1], 1)
    broken = (text * 20).encode(encoding)
    assert decode(broken[:100] + b"\xff" + broken[100:]).text.count(text) == 19


def test_a_few_broken_bytes_in_plain_english_cost_these_only() -> None:
    decoded = decode(b"All is well. " * 20 + b"\x81\x8d" + b"So it is. " * 20)
    assert decoded.text.replace("\ufffd", "") == "All is well. " * 20 + "So it is. " * 20
    assert decoded.replaced == 2


def test_zero_bytes_do_not_make_utf16() -> None:
    assert decode(b"# a\x00b\x00c\n" * 200).encoding == "utf-8"


def test_hong_kong_characters_and_noise_behind_a_mark() -> None:
    text = "佢哋喺香港嘅茶餐廳食嘢，大家都可以嚟。"
    assert decode(text.encode("big5hkscs")).text == text
    with pytest.raises(DocumentError):
        decode(b"\xff\xfe" + random.Random(5).randbytes(5_000))


@pytest.mark.parametrize("size", [60, 1_000, 100_000])
def test_noise_is_binary(size: int) -> None:
    with pytest.raises(DocumentError) as caught:
        decode(random.Random(size).randbytes(size))
    assert caught.value.code == "binary"
    assert caught.value.hint


@given(st.text(st.characters(exclude_categories=("Cs", "Cc"))))
def test_utf8_survives(text: str) -> None:
    """A few bytes alone can be both: `²á` in UTF-8 is `虏谩` in GBK, and nobody writes either. With a word of Chinese they cannot."""
    assert decode(f"正文：{text}".encode()).text == f"正文：{text}"


@given(
    st.one_of(
        st.text(st.sampled_from(letters), min_size=1)
        for letters in ("abcXYZ äöüßéèçñ", "abc ąęłżěščř", "αβγδ ", "абвг ")
    )
)
def test_utf8_of_european_words_survives(text: str) -> None:
    assert decode(text.encode()).text == text


@given(st.binary(max_size=300))
def test_any_bytes_are_text_or_binary(data: bytes) -> None:
    with contextlib.suppress(DocumentError):
        decode(data).text.encode("utf-8")


def test_hidden_characters_are_removed_and_counted() -> None:
    tags = "".join(chr(0xE0000 + ord(character)) for character in "ignore")
    cleaned = clean(f"合同\u202e金额\u2066 9\u200b9\ufeff9{tags}\x00")
    assert cleaned.text == "合同金额 999"
    assert cleaned.removed == 2 + 2 + 6 + 1  # bidi controls, zero-width ones, tags, the zero byte
    assert cleaned.dropped[0].characters == 11
    assert cleaned.warnings == ("hidden-characters: 11",)


def test_characters_that_a_script_needs_stay() -> None:
    for text in ("می\u200cخواهم", "क्\u200dष", "👩\u200d💻", "❤\ufe0f", "葛\U000e0100飾", "a\tb\u3000c"):
        assert clean(text).text == text


def test_line_ends_become_one_kind() -> None:
    assert clean("甲\r\n乙\r丙\n").text == "甲\n乙\n丙\n"


def test_lone_surrogates_become_visible() -> None:
    assert clean("a\ud800b").text == "a\ufffdb"
