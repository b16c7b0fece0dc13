"""Word boxes: packed, found again around a citation, cut where the citation ends inside a word."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from yinju.boxes import Box, pack, within
from yinju.types import Span

STEP = 1 / 65_535  # how finely a page is measured


def test_words_inside_a_span_are_found_with_their_boxes():
    words = [
        (Span(0, 4), Box(0.1, 0.1, 0.2, 0.12)),
        (Span(5, 9), Box(0.3, 0.1, 0.4, 0.12)),
        (Span(10, 14), Box(0.1, 0.2, 0.2, 0.22)),
    ]
    found = list(within(pack(words), Span(5, 14)))
    assert [span for span, _ in found] == [Span(5, 9), Span(10, 14)]
    assert all(
        abs(a - b) <= STEP
        for (_, box), (_, given) in zip(found, words[1:], strict=True)
        for a, b in zip(box, given, strict=True)
    )


def test_a_citation_inside_a_line_of_chinese_takes_its_part_of_the_line():
    """The line has ten characters of a tenth of its width each; characters 3 and 4 stand from 30 to 50 percent."""
    [(span, box)] = within(pack([(Span(0, 10), Box(0.0, 0.5, 1.0, 0.6))]), Span(3, 5))
    assert span == Span(3, 5)
    assert abs(box.left - 0.3) <= STEP
    assert abs(box.right - 0.5) <= STEP


def test_what_lies_off_the_page_is_cut_off():
    [(_, box)] = within(pack([(Span(0, 2), Box(-0.5, 0.0, 1.5, 2.0))]), Span(0, 2))
    assert box == Box(0.0, 0.0, 1.0, 1.0)


def test_a_document_without_pages_has_no_boxes():
    assert list(within(b"", Span(0, 100))) == []


@given(st.lists(st.tuples(st.integers(1, 9), st.integers(0, 3)), max_size=30), st.integers(0, 200), st.integers(0, 50))
def test_the_same_words_are_found_as_by_looking_at_all(sizes, start, length):
    place, words = 0, []
    for size, gap in sizes:
        words.append((Span(place, place + size), Box(0.1, 0.1, 0.9, 0.2)))
        place += size + gap
    span = Span(start, start + length)
    expected = [
        Span(max(w.start, span.start), min(w.end, span.end))
        for w, _ in words
        if w.start < span.end and w.end > span.start
    ]
    assert [found for found, _ in within(pack(words), span)] == expected
