"""PDF: what is read, in which order, what is set aside, and that every character is accounted for."""

from __future__ import annotations

import csv
from contextlib import suppress
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pdf_writer import Picture, Put, Rules, lines, make_pdf
from yinju.boxes import within
from yinju.errors import DocumentError
from yinju.load.count.binary import count_pdf
from yinju.load.parsed import Limits, Parsed, visible
from yinju.load.pdf.document import iso_date, load_pdf
from yinju.load.pdf.states import page_list
from yinju.types import Span

BENCH = Path(__file__).resolve().parent.parent.parent / "shared" / "bench"


@pytest.fixture(autouse=True)
def without_ocr(monkeypatch):
    monkeypatch.setattr("yinju.load.ocr.page_reader", lambda limits: None)


def load(data: bytes, **limits) -> Parsed:
    """Load, and hold the receipt to the independent count."""
    parsed = load_pdf(data, "a.pdf", Limits(**limits))
    assert count_pdf(data) == visible(parsed.text) + sum(entry.characters for entry in parsed.dropped)
    assert all(0 <= mark.span.start <= mark.span.end <= len(parsed.text) for mark in parsed.marks)
    return parsed


def headings(parsed: Parsed) -> list[tuple[int, str]]:
    return [(mark.level, mark.label) for mark in parsed.marks if mark.kind == "heading"]


def dropped(parsed: Parsed) -> dict[str, int]:
    return {entry.what: entry.characters for entry in parsed.dropped}


def refused(data: bytes, **limits) -> DocumentError:
    with pytest.raises(DocumentError) as caught:
        load_pdf(data, "a.pdf", Limits(**limits))
    assert caught.value.hint
    return caught.value


def test_lines_of_a_paragraph_are_joined_with_spaces_in_english_and_without_in_chinese():
    english = load(
        make_pdf([lines(["The battery of the lamp lasts", "for twelve hours of reading", "before it needs power."])])
    )
    assert english.text == "The battery of the lamp lasts for twelve hours of reading before it needs power."
    chinese = load(
        make_pdf([lines(["电池充满一次以后可以连续使用", "十二个小时然后需要重新充电直", "到指示灯变成绿色为止。"])])
    )
    assert chinese.text == "电池充满一次以后可以连续使用十二个小时然后需要重新充电直到指示灯变成绿色为止。"


def test_a_divided_word_is_made_whole_and_the_hyphen_accounted_for():
    parsed = load(make_pdf([lines(["The pump was re-", "placed in March."])]))
    assert parsed.text == "The pump was replaced in March."
    assert dropped(parsed) == {"hyphen at a line's end": 1}


def test_a_hyphen_that_the_text_uses_elsewhere_stays():
    parsed = load(make_pdf([lines(["A well-known pump is a good pump and a well-", "known one is bought by all."])]))
    assert "a well-known one" in parsed.text
    assert dropped(parsed) == {}


def test_two_columns_of_prose_are_read_one_after_the_other():
    pairs = [
        ("The north pump was replaced", "The south pump still runs"),
        ("in March after repeated", "on the original motor and"),
        ("bearing failures on site.", "has no recorded faults."),
    ]
    parsed = load(
        make_pdf([[Put(x, 700 - 14 * n, pair[s]) for n, pair in enumerate(pairs) for s, x in ((0, 60), (1, 330))]])
    )
    assert "replaced in March after repeated bearing failures on site." in parsed.text
    assert "runs on the original motor and has no recorded faults." in parsed.text


def test_two_columns_of_chinese_prose_are_read_one_after_the_other():
    pairs = [
        ("北边的水泵在三月份因为轴承", "南边的水泵仍然使用原来的电"),
        ("多次损坏而被更换成了新的型", "机运行到现在没有任何故障记"),
        ("号现在运行正常。", "录在案可查。"),
    ]
    parsed = load(
        make_pdf([[Put(x, 700 - 14 * n, pair[s]) for n, pair in enumerate(pairs) for s, x in ((0, 60), (1, 330))]])
    )
    assert "因为轴承多次损坏而被更换成了新的型号现在运行正常。" in parsed.text


def test_a_table_with_the_same_geometry_is_read_by_rows():
    rows = [("Part", "Torque"), ("P001", "10 Nm"), ("P002", "12 Nm")]
    parsed = load(
        make_pdf([[Put(x, 700 - 14 * n, row[s]) for n, row in enumerate(rows) for s, x in ((0, 60), (1, 330))]])
    )
    assert parsed.text == "Part\tTorque\nP001\t10 Nm\nP002\t12 Nm"
    kinds = [mark.kind for mark in parsed.marks]
    assert kinds == ["page", "table", "header", "row", "row"]


@pytest.mark.parametrize("text", ["Total 1100 book", "合计看看一一二二"])
def test_bold_by_printing_twice_is_read_once_and_true_doubles_stay(text):
    whole = [Put(60, 700, text), Put(60.4, 700, text, size=12.1)]
    parsed = load(make_pdf([whole]))
    assert parsed.text == text
    assert dropped(parsed) in ({"text printed twice": visible(text)}, {})  # PDFium leaves out some itself


def test_cells_of_several_lines_stay_whole_in_their_row():
    cells = [
        *lines(["清偿债务减少预计负债，计入营", "业外收入的金额。"], x=300, y=700),
        Put(72, 693, "营业外收入"),
        Put(500, 693, "3,340"),
        Put(72, 660, "Interest"),
        *lines(["No new loans were taken in", "this quarter."], x=300, y=667),
        Put(500, 660, "7,667"),
    ]
    parsed = load(make_pdf([cells]))
    assert parsed.text == (
        "营业外收入\t清偿债务减少预计负债，计入营业外收入的金额。\t3,340\nInterest\tNo new loans were taken in this quarter.\t7,667"
    )


def test_bold_by_printing_each_character_twice():
    glyphs = [Put(60 + 7 * n + shift, 700, character) for n, character in enumerate("aabb") for shift in (0, 0.4)]
    assert load(make_pdf([glyphs])).text == "aabb"


def test_pages_are_marked_and_a_sentence_goes_on_over_the_page_break():
    first = lines(["The warranty of this lamp begins on the", "day of purchase and it covers the battery,"])
    second = lines(["the charger and the shade for two years."])
    parsed = load(make_pdf([first, second]))
    assert "covers the battery, the charger" in parsed.text
    pages = [mark for mark in parsed.marks if mark.kind == "page"]
    assert [mark.level for mark in pages] == [1, 2]
    assert parsed.pages == 2
    assert parsed.text[pages[1].span.start :].startswith("the charger")
    assert pages[0].span.end == pages[1].span.start


@pytest.mark.parametrize(
    ("header", "footer", "body"),
    [
        ("Harbour Lamp Company manual", "Page {n} of 4", "Chapter text number {n} tells about {what}."),
        ("海港灯具公司使用手册", "第 {n} 页", "第 {n} 部分正文说明{what}的用法。"),
    ],
)
def test_running_headers_and_page_numbers_are_set_aside(header, footer, body):
    things = ["batteries", "chargers", "shades", "cables"]
    pages = [
        [Put(72, 750, header), *lines([body.format(n=n, what=what)], y=600), Put(300, 40, footer.format(n=n))]
        for n, what in enumerate(things, 1)
    ]
    parsed = load(make_pdf(pages))
    assert parsed.text.count(header) == 1  # kept once: it names the product
    assert footer.format(n=3) not in parsed.text
    assert all(body.format(n=n, what=what) in parsed.text for n, what in enumerate(things, 1))
    assert dropped(parsed)["running header"] == 3 * visible(header)
    assert dropped(parsed)["page number"] == sum(visible(footer.format(n=n)) for n in range(1, 5))


def test_the_running_header_is_the_title_where_nothing_else_is():
    pages = [
        [Put(72, 750, "海港灯具保修条款"), *lines([f"第{n}条 保修{n}", f"第 {n} 项内容说明如下文字。"], y=600)]
        for n in "一二三四"
    ]
    assert load(make_pdf(pages)).title == "海港灯具保修条款"


def test_a_sentence_that_returns_on_each_page_of_a_short_document_is_text():
    pages = [
        lines([f"Clause {n} has its own wording.", "Payment is due within thirty days of the invoice."]) for n in "abc"
    ]
    assert load(make_pdf(pages)).text.count("thirty days") == 3


def test_headings_by_size_and_weight():
    page = [
        Put(72, 720, "User Manual", size=24),
        Put(72, 680, "Charging", size=16),
        *lines(["Put the lamp on its base.", "The light turns green."], y=650),
        Put(72, 600, "Safety", bold=True),
        *lines(["Keep the lamp away from water at all times."], y=580),
    ]
    parsed = load(make_pdf([page]))
    assert headings(parsed) == [(1, "User Manual"), (2, "Charging"), (3, "Safety")]
    assert parsed.title == "User Manual"


def test_chinese_chapters_and_clauses_are_headings_without_any_larger_type():
    texts = [
        "第一章 总则",
        "第一条 合同的构成",
        "本合同由条款、附件和其他书面约定共同构成，缺一不可。",
        "第二条 定义",
        "本合同所称灯具是指产品。",
    ]
    assert headings(load(make_pdf([lines(texts)]))) == [
        (1, "第一章 总则"),
        (2, "第一条 合同的构成"),
        (2, "第二条 定义"),
    ]


def test_the_outline_decides_where_the_text_bears_it_out():
    texts = ["Alpha", "some words about the first thing.", "Beta", "some words about the second thing."]
    parsed = load(
        make_pdf(
            [lines(texts), lines(["Gamma", "and about the third one."])],
            outline=[("Alpha", 0), ("Beta", 0), ("Gamma", 1)],
        )
    )
    assert headings(parsed) == [(1, "Alpha"), (1, "Beta"), (1, "Gamma")]


def test_turned_text_is_read_along_its_own_direction():
    page = [
        Put(72, 700, "Level text on the page."),
        Put(40, 300, "Sideways up", turn=90),
        Put(580, 500, "Sideways down", turn=270),
    ]
    parts = load(make_pdf([page])).text.split("\n\n")
    assert sorted(parts) == ["Level text on the page.", "Sideways down", "Sideways up"]


def test_properties_become_title_author_and_dates():
    info = {"Title": "灯具手册", "Author": "李工", "CreationDate": "D:20240301120000+08'00'"}
    parsed = load(make_pdf([lines(["正文。"])], info=info))
    assert (parsed.title, parsed.metadata["author"], parsed.metadata["created"]) == (
        "灯具手册",
        "李工",
        "2024-03-01T12:00:00+08:00",
    )


def test_a_title_that_a_program_made_up_is_none():
    assert load(make_pdf([lines(["Body text."])], info={"Title": "Microsoft Word - final2.doc"})).title is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("D:20240301", "2024-03-01"),
        ("D:20240301120000Z", "2024-03-01T12:00:00Z"),
        ("20240301120000+08'00'", "2024-03-01T12:00:00+08:00"),
        ("soon", ""),
    ],
)
def test_dates_by_iso_8601(text, expected):
    assert iso_date(text) == expected


def test_page_lists_are_short():
    assert page_list([1, 2, 3, 7, 9, 10]) == "1-3, 7, 9-10"


def test_an_empty_password_opens_another_is_asked_for():
    assert load(make_pdf([lines(["Open to all."])], password="")).text == "Open to all."
    assert refused(make_pdf([lines(["Closed."])], password="secret")).code == "encrypted"


def test_a_scan_says_so_and_a_part_scan_is_a_warning():
    picture = Picture(0, 0, 612, 792)
    error = refused(make_pdf([[picture], [picture], [picture]]))
    assert error.code == "no-text"
    assert "3 pages look scanned" in error.message
    parsed = load(make_pdf([lines(["Text."]), [picture], [picture], lines(["More text."]), []]))
    assert parsed.warnings == ("pages-without-text: 2-3",)
    assert parsed.page_states == {"text": "1, 4", "blank": "5", "scanned": "2-3"}
    assert parsed.images == 2


def test_empty_pages_are_no_scan():
    assert "2" in refused(make_pdf([[], []])).message


def test_half_a_file_is_damaged():
    data = make_pdf([lines(["Text."])])
    assert refused(data[: len(data) // 2]).code == "damaged"
    assert refused(b"%PDF-1.4\nnothing here\n%%EOF").code == "damaged"


def test_too_many_pages_are_refused():
    assert refused(make_pdf([lines(["a"]), lines(["b"])]), pages=1).code == "limit"


def test_private_characters_are_no_text():
    assert refused(make_pdf([lines(["\ue123\ue124\ue125\ue126"])])).code == "no-text"
    parsed = load(make_pdf([lines(["Good text here."]), lines(["\ue123\ue124\ue125"])]))
    assert parsed.warnings == ("garbled-pages: 2",)


def test_a_shifted_code_table_is_noticed():
    shifted = "".join(
        chr(ord(c) - 29) if c != " " else c for c in "please close the green door at night and lock it well"
    )
    page = lines([shifted.upper()])
    assert refused(make_pdf([page])).code == "no-text"
    assert "garbled-pages: 2" in load(make_pdf([lines(["This page is well."]), page])).warnings
    unreadable = lines(["XQZT PLMK WRTB GHJK QWRT ZXCV BNMK LPTR", "QQRT WWZX KKLM"])
    assert "implausible-text: 1" in load(make_pdf([unreadable])).warnings


@settings(max_examples=25, deadline=None)
@given(
    st.lists(
        st.lists(
            st.one_of(
                st.builds(
                    Put,
                    st.integers(-20, 660),
                    st.integers(-20, 800),
                    st.text("abcXYZ 019.,-()$%电池灯充", min_size=1, max_size=30),
                    st.sampled_from([0.5, 6, 10, 12, 24]),
                    st.booleans(),
                    st.sampled_from([0, 0, 0, 90, 180, 270]),
                    st.sampled_from([None, None, (1, 1, 1)]),
                    st.sampled_from([0, 0, 3]),
                ),
                st.builds(Picture, st.integers(0, 300), st.integers(0, 300), st.integers(1, 600), st.integers(1, 700)),
                st.builds(
                    Rules,
                    st.lists(st.integers(20, 560), min_size=1, max_size=5),
                    st.lists(st.integers(20, 770), min_size=1, max_size=8),
                ),
            ),
            max_size=20,
        ),
        min_size=1,
        max_size=4,
    )
)
def test_whatever_stands_where_the_account_balances(pages):
    with suppress(DocumentError):
        parsed = load(make_pdf(pages))
        found = list(within(parsed.boxes, Span(0, len(parsed.text))))
        assert all(span.of(parsed.text).strip() for span, _ in found)
        assert all(before.end <= after.start for (before, _), (after, _) in pairwise(found))


@settings(max_examples=30, deadline=None)
@given(st.data())
def test_broken_bytes_end_as_a_document_or_an_error(data):
    whole = bytearray(make_pdf([lines(["Some text here.", "中文。"])]))
    for _ in range(data.draw(st.integers(1, 8))):
        whole[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    with suppress(DocumentError):
        load(bytes(whole))


def mixed_rows(*suffixes: str) -> list[dict[str, str]]:
    manifest = BENCH / "files-mixed" / "manifest.tsv"
    if not manifest.exists():
        return []
    with manifest.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE))
    return [row for row in rows if row["file"].endswith(suffixes)]


@pytest.mark.bench
@pytest.mark.skipif(not BENCH.exists(), reason="no public sets beside the checkout")
@pytest.mark.parametrize("row", mixed_rows(".pdf"), ids=lambda row: row["file"])
def test_mixed_files(row):
    data = (BENCH / "files-mixed" / row["file"]).read_bytes()
    if "scan" in row["file"]:
        assert refused(data).code == "no-text"
        return
    if "password" in row["file"]:
        assert refused(data).code == "encrypted"
        return
    squeezed = "".join(load(data).text.split())
    for phrase in filter(None, row["must_contain"].split(" || ")):
        assert "".join(phrase.split()) in squeezed
