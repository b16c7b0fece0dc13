"""The section around a passage, worked out by hand, and that every chunk has one."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from test_chunk_properties import documents, options
from yinju.chunk import ChunkOptions, chunk
from yinju.load import load
from yinju.sections import Sections, section
from yinju.types import Document, Span

TEXTS = [
    "前言。\n\n# 订阅\n\n简介。\n\n## 年费\n\n每年 168 元。\n\n### 学生\n\n七折。\n\n## 月费\n\n20 元。\n\n# 其他\n\n无。\n",
    "Preface.\n\n# Plans\n\nIntro.\n\n## Yearly\n\n168 a year.\n\n### Students\n\n30 % off.\n\n## Monthly\n\n20.\n\n# Other\n\nNone.\n",
]


@pytest.mark.parametrize("text", TEXTS)
def test_sections_by_hand(text: str) -> None:
    document = load(text.encode(), "a.md").document
    parts = document.text.split("\n\n")
    place = {part: Span(document.text.index(part), document.text.index(part) + len(part)) for part in parts}

    def found(first: int, last: int) -> str:
        return section(document, Span(place[parts[first]].start, place[parts[last]].end)).of(document.text)

    assert found(0, 0) == document.text  # no heading stands above it
    assert found(2, 2) == "\n\n".join(parts[1:9])
    assert found(4, 4) == "\n\n".join(parts[3:7])
    assert found(6, 6) == "\n\n".join(parts[5:7])
    assert found(4, 6) == "\n\n".join(parts[3:7])
    assert found(6, 8) == "\n\n".join(parts[1:9])  # what holds both: the chapter
    assert found(8, 10) == document.text
    around = Sections(document.text, document.marks).around(place[parts[6]])
    assert [span.start for span in around] == [place[parts[n]].start for n in (5, 3, 1)] + [0]


def test_a_method_stands_in_its_class() -> None:
    text = "class A:\n    def one(self):\n        return 1\n\n    def two(self):\n        return 2\n\n\nx = 1\n"
    document = load(text.encode(), "a.py").document
    place = text.index("return 2")
    assert section(document, Span(place, place + 8)).of(text).strip() == "def two(self):\n        return 2"
    assert section(document, Span(text.index("def one"), place)).of(text).strip().startswith("class A:")
    assert section(document, Span(text.index("x = 1"), text.index("x = 1") + 5)) == Span(0, len(text))


@pytest.mark.slow
@given(documents(), options)
@settings(max_examples=150, deadline=None)
def test_every_chunk_has_the_smallest_section_that_holds_it(document: Document, chosen: ChunkOptions) -> None:
    sections = Sections(document.text, document.marks)
    for one in chunk(document, chosen):
        smallest, *_, whole = *sections.around(one.span), Span(0, len(document.text))
        assert sections.of(one.span) == smallest
        assert smallest.start <= one.span.start
        assert one.span.end <= smallest.end
        assert whole == Span(0, len(document.text))
