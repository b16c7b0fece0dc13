# ruff: noqa: E501 (samples stand in one line each)
from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from yinju.errors import DocumentError
from yinju.load import Loaded, load


def read(text: str, name: str = "a.srt") -> Loaded:
    return load(text.encode(), name)


def srt(*cues: tuple[float, float, str]) -> str:
    def clock(seconds: float) -> str:
        return f"00:{int(seconds) // 60:02d}:{int(seconds) % 60:02d},{round(seconds % 1 * 1000):03d}"

    return "".join(f"{n}\n{clock(start)} --> {clock(end)}\n{text}\n\n" for n, (start, end, text) in enumerate(cues, 1))


def test_a_sentence_over_two_cues_is_whole_and_has_its_lines() -> None:
    for first, second, joined in (("电池保修", "六个月。", "电池保修六个月。"), ("The battery has", "six months.", "The battery has six months.")):  # fmt: skip
        document = read(srt((1, 2, first), (2.2, 4, second), (9, 10, "好 ok"))).document
        assert document.text == f"{joined}\n\n好 ok\n"
        assert [document.line_at(document.text.index(part)) for part in (first, second, "好")] == [3, 7, 11]
        assert (document.type, document.preset) == ("subtitles", "chat")


def test_times_and_numbers_are_left_out_and_named() -> None:
    loaded = read(srt((1, 2, "1984 年")))
    assert loaded.document.text == "1984 年\n"
    assert [(item.what, item.characters) for item in loaded.receipt.dropped] == [("times and numbers of subtitles", 28)]


def test_turns_begin_on_their_own_line() -> None:
    document = read(srt((1, 2, "- 你好。\n- 你也好。"), (2, 3, "王芳：请坐。"), (3, 4, "ANNA: Thanks."))).document
    assert document.text == "- 你好。\n- 你也好。\n王芳：请坐。\nANNA: Thanks.\n"


def test_web_vtt() -> None:
    text = (
        "\ufeffWEBVTT - 产品介绍\nKind: captions\n\nNOTE 内部\n备注\n\nSTYLE\n::cue { color: red }\n\nintro\n"
        "00:01.000 --> 00:02.000 align:start\n<v 王芳>价格 &lt; 100 元，\n\n00:02.000 --> 00:03.000\n<v 王芳>很<b>便宜</b>。\n\n"
        "00:03.000 --> 00:04.000\n<v.loud Tom>Great!</v>\n"
    )
    loaded = read(text, "a.vtt")
    assert loaded.document.text == "王芳: 价格 < 100 元，很便宜。\nTom: Great!\n"
    assert loaded.document.title == "产品介绍"
    assert loaded.document.line_at(0) == 12


def test_captions_that_roll_up_are_said_once() -> None:
    text, before = "WEBVTT\n\n", " "
    for number, line in enumerate(("hello my", "friends and", "welcome back", "to this show")):
        first, second = line.split(" ", 1)
        text += f"00:00:0{number}.000 --> 00:00:0{number}.990 align:start\n{before}\n{first}<00:00:0{number}.500><c> {second}</c>\n\n"
        text += f"00:00:0{number}.990 --> 00:00:0{number + 1}.000\n{line}\n \n\n"
        before = line
    loaded = read(text, "a.vtt")
    assert loaded.document.text == "hello my friends and welcome back to this show\n"
    assert "captions shown again" in {item.what for item in loaded.receipt.dropped}
    growing = srt(*((n, n + 0.9, "一二三四五六"[: n + 1]) for n in range(6)))
    assert read(growing).document.text == "一二三四五六\n"


def test_what_is_really_said_twice_stays() -> None:
    text = srt((1, 2, "对。"), (2, 3, "对。"), (3, 4, "走吧。"), (4, 5, "No."), (5, 6, "No."), *((n, n + 1, f"句{n}。") for n in range(6, 20)))  # fmt: skip
    assert read(text).document.text.startswith("对。对。走吧。 No. No. 句6。")


def test_two_languages_stay_line_by_line() -> None:
    assert (
        read(srt((1, 2, "我们走吧。\nLet's go."), (2, 3, "好的。\nOK."))).document.text
        == "我们走吧。\nLet's go.\n好的。\nOK.\n"
    )


def test_windows_line_ends_and_missing_blank_lines() -> None:
    text = "1\r\n00:00:01,000 --> 00:00:02,000\r\n甲\r\n2\r\n00:00:02,000 --> 00:00:03,000\r\n{\\an8}<i>乙</i>\r\n"
    assert read(text).document.text == "甲乙\n"
    assert read(text).document.line_at(1) == 6


def test_without_times_it_is_text() -> None:
    loaded = read("只是文字\n")
    assert loaded.document.text == "只是文字\n"
    assert loaded.receipt.warnings == ("no-subtitles: no line of times",)


@settings(max_examples=100, deadline=None)
@given(
    st.lists(
        st.sampled_from(["WEBVTT", "1", "", " ", "00:01.000 --> 00:02.000", "00:00:01,0 --> 00:00:02,9", "甲", "hello", "<v A>x", "<i>", "&amp;&#0;", "NOTE", "-", "\ufeff", "{\\b}"]),
        max_size=25,
    )
)  # fmt: skip
def test_any_lines_balance(lines: list[str]) -> None:
    for name in ("a.srt", "a.vtt"):
        try:
            document = read("\n".join(lines), name).document
        except DocumentError as error:
            if error.code not in ("empty", "no-text"):
                raise
        else:
            assert [offset for offset, _ in document.anchors] == sorted({offset for offset, _ in document.anchors})


@pytest.mark.parametrize("name", ["a.srt", "a.vtt"])
def test_long_turns_end_at_a_sentence(name: str) -> None:
    text = "WEBVTT\n\n" * (name == "a.vtt") + srt(*((n, n + 1, "这是一句话，说的是保修。") for n in range(100)))
    parts = read(text.replace(",", ".") if name == "a.vtt" else text, name).document.text.split("\n\n")
    assert max(map(len, parts)) < 450
    assert all(part.strip().endswith("。") for part in parts)
