from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yinju.errors import DocumentError
from yinju.load import Loaded, load


def read(text: str, source: str = "a.json") -> Loaded:
    return load(text.encode("utf-8", "replace"), source)


def test_values_stand_under_their_paths() -> None:
    result = read('{"a": {"b": [1, {"c": "丙"}]}, "两 字": 2.50, "": null, "空": [], "x": [[true]]}')
    assert result.document.text == 'a.b[0]: 1\na.b[1].c: 丙\n两 字: 2.50\n"": null\nx[0][0]: true\n'
    assert result.document.type == "json"


def test_records_are_paragraphs_with_their_lines() -> None:
    document = read('[\n{"名": "甲",\n "n": 1},\n\n{"名": "乙"}]').document
    assert document.text == "[0].名: 甲\n[0].n: 1\n\n[1].名: 乙\n"
    assert [document.line_at(document.text.index(part)) for part in ("甲", "1\n", "乙")] == [2, 3, 5]


def test_json_lines_have_the_line_of_each_record() -> None:
    document = read('{"id": 1, "t": "x\\ny"}\r\n\r\n{"id": 2}\n', "a.jsonl").document
    assert document.text == "id: 1\nt: x\ny\n\nid: 2\n"
    assert [document.line_at(document.text.index(part)) for part in ("id: 1", "x", "y", "id: 2")] == [1, 1, 1, 3]


def test_keys_that_look_like_paths() -> None:
    assert read('{"[x": 1, "a.b": 2, "[0]": 3, "\\n": 4}').document.text.split() == [
        "[x:",
        "1",
        "a.b:",
        "2",
        "[0]:",
        "3",
        '"":',
        "4",
    ]


def test_title_of_a_single_record() -> None:
    assert read('{"title": "订单  一"}').document.title == "订单 一"
    assert read('{"title": "a"}\n{"title": "b"}', "a.jsonl").document.title is None


def test_not_a_number_and_equal_keys_are_kept_with_a_warning() -> None:
    result = read('{"a":NaN,"a":Infinity,"a":-Infinity,"__proto__":{"x":1}}')
    assert result.document.text == "a: NaN\na: Infinity\na: -Infinity\n__proto__.x: 1\n"
    assert result.receipt.warnings == ("repeated-keys: 2", "not-a-number: 3")


def test_depth_is_a_limit_and_no_crash() -> None:
    for text in ("[" * 100_000 + "]" * 100_000, "[" * 300, '{"a":' * 300):
        with pytest.raises(DocumentError) as caught:
            read(text)
        assert caught.value.code == "too-deep"
    assert read("[" * 200 + "1" + "]" * 200).document.text == "[0]" * 200 + ": 1\n"


def test_escapes() -> None:
    assert read(r'{"a": "\u4f60\ud83d\ude00\"\\\/\n\ud800\u0041"}').document.text == 'a: 你😀"\\/\n\ufffdA\n'


def test_large_numbers_stay_as_written() -> None:
    digits = "9" * 6000
    assert read(f"[{digits}, 1e999, -0.10]").document.text.split() == ["[0]:", digits, "[1]:", "1e999", "[2]:", "-0.10"]


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1',
        '{"a": 1,}',
        "[1 2]",
        '{a: "无引号"}',
        "// 注释\n{}x",
        '["\\x"]',
        "[01]",
        '["a\tb"]',
        '["a\nb"]',
        '{"a" 1}',
        "[1]]",
        "nulll",
        "]",
        '{"a":]',
    ],
)
def test_what_is_no_json_is_text_with_a_warning(text: str) -> None:
    result = read(text)
    assert result.document.text == text
    assert result.receipt.warnings[0].startswith("not-json: ")


def test_one_bad_record_makes_lines_text_and_is_named() -> None:
    result = read('{"a": 1}\n{"a": \n{"a": 3}', "a.jsonl")
    assert result.document.line_at(result.document.text.index("3")) == 3
    assert "2" in result.receipt.warnings[0]


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)


@given(JSON, st.sampled_from([None, 1]), st.booleans())
def test_receipts_balance(value: object, indent: int | None, ascii_only: bool) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    try:
        receipt = read(text).receipt
    except DocumentError as error:
        assert error.code in ("no-text", "binary")  # noqa: PT017
        return
    assert receipt.found == receipt.characters + sum(item.characters for item in receipt.dropped)
    assert not any(warning.startswith("not-json") for warning in receipt.warnings)


@given(JSON, st.integers(0, 200), st.sampled_from(list('{}[],:"\\ 0a\n')), st.sampled_from(["a.json", "a.jsonl"]))
def test_damaged_json_balances_too(value: object, place: int, what: str, source: str) -> None:
    text = json.dumps(value, ensure_ascii=False)
    try:
        receipt = read(text[:place] + what + text[place:], source).receipt
    except DocumentError as error:
        assert error.code in ("no-text", "binary")  # noqa: PT017
        return
    assert receipt.found == receipt.characters + sum(item.characters for item in receipt.dropped)
