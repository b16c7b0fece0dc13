"""Spoilt files of every kind of this room end as a document whose receipt balances, or with a reason; never otherwise."""

from __future__ import annotations

import contextlib
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from yinju.errors import DocumentError
from yinju.load import load

NOTEBOOK = {
    "cells": [
        {"cell_type": "markdown", "source": ["# 标题\n", "a"]},
        {"cell_type": "code", "source": "x", "outputs": [{"output_type": "display_data", "data": {"text/html": "<b>1</b>", "image/png": "A"}}]},
    ]
}  # fmt: skip
FILES = {
    "a.py": "# 注释\n@cache\ndef 打开():\n    pass\n".encode(),
    "a.ts": b"/** d */\nexport class A { x = () => 1; }\n",
    "a.cpp": b"namespace a { template <class T> struct S { int f(); }; }\n",
    "a.vue": b'<script lang="ts">\nfunction open() {}\n</script>\n',
    "a.sql": "CREATE TABLE `t` (`a` int, `b` text);\nINSERT INTO `t` VALUES (1,'张\\'三'),(2,0x00);\n".encode(),
    "b.sql": "COPY t (a,b) FROM stdin;\n1\t合同\\ta\n\\.\nINSERT INTO t VALUES (1,N'x',CAST('2' AS int));\n".encode(
        "gbk"
    ),
    "a.srt": "1\n00:00:01,000 --> 00:00:02,500\n<i>今天</i>\n\n2\n00:00:02,600 --> 00:00:04,000\n讲保修。\n".encode(),
    "a.vtt": "WEBVTT\n\n00:01.000 --> 00:02.000\n<v 王>价格 &lt; 1\n\nNOTE x\n".encode("utf-16"),
    "a.ipynb": json.dumps(NOTEBOOK, ensure_ascii=False).encode(),
    "a.json": '{"a":[1,{"b":"值\\n"}],"c":null}'.encode(),
    "a.jsonl": b'{"a":1}\n{"b":"\\ud800"}\n',
    "a.txt": "第一章 总则\n\n正文。合同金额。\n".encode("gbk") + "附件：报价单与清单\n".encode(),
    "b.txt": "检索增强生成合同".encode().decode("latin-1").encode(),
    "c.txt": "保修期".encode("utf-32-le"),
}
SPOILS = [b"\xff", b"\x00", b"\r", b"\xe2\x80\xae", b"\xef\xbb\xbf", b"'", b'"', b"(", b"\n", b"\xe4", b"\xb8\xad", b"\x1b", b"-->", b"\\", b"`",
          b"{", b"}", b"\xed\xa0\x80", b"\xc2\x85", b"\xe2\x80\xa8", b"\x0c", b"\x1c", b""]  # fmt: skip


def load_or_reason(data: bytes, name: str) -> None:
    try:
        document = load(data, name).document
    except DocumentError as error:
        if error.code == "unbalanced":
            raise
        return
    offsets = [offset for offset, _ in document.anchors]
    assert offsets == sorted(offsets)
    assert all(0 <= mark.span.start <= mark.span.end <= len(document.text) for mark in document.marks)


@settings(max_examples=200, deadline=None)
@given(
    st.sampled_from(sorted(FILES)),
    st.lists(st.tuples(st.integers(0, 300), st.sampled_from(SPOILS), st.integers(0, 4)), min_size=1, max_size=8),
)
def test_spoilt_files(name: str, spoils: list[tuple[int, bytes, int]]) -> None:
    data = bytearray(FILES[name])
    for number, inserted, removed in spoils:
        place = number % (len(data) + 1)
        data[place : place + removed] = inserted
    load_or_reason(bytes(data), name)


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(sorted(FILES)), st.binary(max_size=200))
def test_random_bytes(name: str, data: bytes) -> None:
    load_or_reason(data, name)


@pytest.mark.parametrize("name", FILES)
def test_cut_off_anywhere(name: str) -> None:
    data = FILES[name]
    for end in range(1, len(data), 7):
        with contextlib.suppress(DocumentError):
            load(data[:end], name)
        load_or_reason(data[:end], name)


def test_a_mark_before_text_that_is_no_utf8() -> None:
    load_or_reason(b"\xef\xbb\xbf" + "检索".encode() + b"z\xbab\x9f" + "增强生成".encode(), "a.txt")
    load_or_reason(b"\xef\xbb\xbf\xff\xfe" + "价格 100\n".encode("utf-16-le"), "a.txt")
