"""Fixed windows and splitting at headings, against expectations worked out by hand."""

from __future__ import annotations

import pytest

from test_chunk_structure import markdown
from yinju.chunk import PRESETS, ChunkOptions, chunk
from yinju.types import Document


@pytest.mark.parametrize("letter", ["a", "汉"])
def test_window_150_30(letter: str) -> None:
    """Starts are 0, 120, 240, 360 (each + 150 - 30); the window from 360 would end at 510 and ends with the text at 400."""
    chunks = chunk(Document(letter * 400, "a.txt"), ChunkOptions(strategy="window", size=150, overlap=30))
    assert [one.span for one in chunks] == [(0, 150), (120, 270), (240, 390), (360, 400)]
    assert [one.index for one in chunks] == [0, 1, 2, 3]


def test_window_does_not_come_again_after_the_end() -> None:
    """1,100 characters in windows of 1,000 with 200 again: 1,000 and 300, no third one inside the second."""
    chunks = chunk(Document("a" * 1100, "a.txt"), ChunkOptions(strategy="window", size=1000, overlap=200))
    assert [one.span for one in chunks] == [(0, 1000), (800, 1100)]


def test_window_exactly_one() -> None:
    assert [one.span for one in chunk(Document("a" * 150, "a"), PRESETS["window"])] == [(0, 150)]


def test_windows_do_not_cut_a_joined_emoji() -> None:
    family = "👨\u200d👩\u200d👧"  # five code points
    chunks = chunk(Document(family * 10, "a.txt"), ChunkOptions(strategy="window", size=12, overlap=2))
    assert all(one.text.replace(family, "") == "" for one in chunks)
    assert chunks[-1].span.end == 50


TWINS = [
    ("# 手册\n\n简介。\n\n## 安装\n甲。\n\n### 小节\n乙。\n\n## 使用\n丙。", ("手册", "安装", "使用")),
    ("# Manual\n\nIntro.\n\n## Install\nOne.\n\n### Part\nTwo.\n\n## Use\nThree.", ("Manual", "Install", "Use")),
]


@pytest.mark.parametrize(("text", "names"), TWINS)
def test_headings_2(text: str, names: tuple[str, str, str]) -> None:
    """Three pieces: the introduction, the first section with its subsection, the last section."""
    top, first, last = names
    chunks = chunk(markdown(text), ChunkOptions(strategy="headings", level=2, minimum=0, maximum=4000, overlap=0))
    assert [one.headings for one in chunks] == [(top,), (top, first), (top, last)]
    assert [one.lines for one in chunks] == [(1, 3), (5, 9), (11, 12)]
    assert "\n\n".join(one.text for one in chunks) == text


def test_text_before_the_first_heading_is_its_own_chunk() -> None:
    chunks = chunk(markdown("前言。\n\n## 一\n甲。"), PRESETS["headings"])
    assert [(one.headings, one.text) for one in chunks] == [((), "前言。"), (("一",), "## 一\n甲。")]


def test_nothing_to_cut() -> None:
    for name in PRESETS:
        assert chunk(Document(" \n\t　", "a.md"), PRESETS[name]) == []
        assert chunk(Document("", "a.md"), PRESETS[name]) == []
