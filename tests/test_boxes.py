"""Word boxes: packed, found again around a citation, cut where the citation ends inside a word."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from yinju import Library
from yinju.boxes import Box, pack, rectangles, within
from yinju.types import Document, Mark, Span

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


def test_words_of_one_line_are_one_rectangle_and_columns_are_not():
    """Lines 0.02 high: words 0.01 apart go on, the other column begins 0.1 away, the next line below."""
    words = [Box(0.1, 0.1, 0.2, 0.12), Box(0.21, 0.1, 0.3, 0.12), Box(0.4, 0.1, 0.5, 0.12), Box(0.1, 0.13, 0.2, 0.15)]
    assert rectangles(words) == [Box(0.1, 0.1, 0.3, 0.12), Box(0.4, 0.1, 0.5, 0.12), Box(0.1, 0.13, 0.2, 0.15)]
    assert rectangles([]) == []


def test_a_small_sign_belongs_to_its_line():
    """A full stop of a fifth of the height stands within the line's height."""
    assert rectangles([Box(0.1, 0.1, 0.2, 0.12), Box(0.2, 0.116, 0.205, 0.12)]) == [Box(0.1, 0.1, 0.205, 0.12)]


@given(st.lists(st.tuples(*[st.floats(0, 1)] * 4), max_size=20))
def test_rectangles_hold_all_their_words(numbers):
    words = [Box(min(a, c), min(b, d), max(a, c), max(b, d)) for a, b, c, d in numbers]
    made = rectangles(words)
    assert len(made) <= len(words)
    assert all(
        any(r.left <= w.left and r.top <= w.top and r.right >= w.right and r.bottom >= w.bottom for r in made)
        for w in words
    )


def test_the_library_says_where_a_hit_and_a_citation_stand():
    """Two pages of one line each; in Chinese a whole line may be one word, of which a citation takes its part."""
    text = "Pay 168 yuan\n年费方案每年一百元"
    words = [
        (Span(0, 3), Box(0.1, 0.1, 0.2, 0.12)),
        (Span(4, 7), Box(0.21, 0.1, 0.3, 0.12)),
        (Span(8, 12), Box(0.31, 0.1, 0.4, 0.12)),
        (Span(13, 22), Box(0.1, 0.5, 0.55, 0.52)),
    ]
    marks = (Mark("page", Span(0, 13), 1), Mark("page", Span(13, 22), 2))
    document = Document(text, "card.pdf", type="pdf", language="zh", marks=marks, boxes=pack(words))
    plain = Document("年费方案每年 100 元", "plans.md", type="markdown")
    with Library.open() as library:
        library.add([document, plain], embed=False)
        proof = library.verify("Pay 168 yuan", source="card.pdf")
        [(page, box)] = library.boxes(proof)
        assert page == 1
        assert all(abs(found - given) <= STEP for found, given in zip(box, (0.1, 0.1, 0.4, 0.12), strict=True))
        [(page, box)] = library.boxes(library.verify("每年一百元", source="card.pdf"))
        assert page == 2, "characters 4 to 9 of nine of a twentieth each"
        assert all(abs(found - given) <= 2 * STEP for found, given in zip(box, (0.3, 0.5, 0.55, 0.52), strict=True))
        hit = library.search("Pay yuan", mode="lexical", where={"source": "card.pdf"})[0]
        assert {page for page, _ in library.boxes(hit)} >= {1}
        assert library.boxes(library.verify("年费方案每年 100 元", source="plans.md")) == []
