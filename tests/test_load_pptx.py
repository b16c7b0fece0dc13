"""PPTX: slides in their order, titles, lists, tables, charts, diagrams, notes, what is set aside, hostile packages, and the account."""

from __future__ import annotations

import csv
import io
import zipfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from office_writer import graphic, packed, pptx, shape, title
from yinju.errors import DocumentError
from yinju.load import Loaded, load
from yinju.load.office.reading_order import Box, reading_order
from yinju.types import Document

BENCH = Path(__file__).resolve().parent.parent.parent / "shared" / "bench"
CHART = "drawingml.chart+xml"


def loaded(data: bytes, **limits) -> Loaded:
    return load(data, "a.pptx", **limits)


def text_of(*slides: str, **more) -> str:
    return loaded(pptx(*slides, **more)).document.text


def dropped(result: Loaded) -> dict[str, int]:
    return {item.what: item.characters for item in result.receipt.dropped}


def marked(document: Document, kind: str) -> list[str]:
    return [mark.span.of(document.text) for mark in document.marks if mark.kind == kind]


def test_slides_are_pages_in_the_order_of_the_show_and_titles_are_headings():
    result = loaded(pptx(title("Battery") + shape("Six months."), title("安全") + shape("请远离水源。"), order=(2, 1)))
    document = result.document
    assert document.text == "安全\n\n请远离水源。\n\nBattery\n\nSix months."
    assert [(mark.level, mark.label) for mark in document.marks if mark.kind == "heading"] == [
        (1, "安全"),
        (1, "Battery"),
    ]
    assert [mark.level for mark in document.marks if mark.kind == "page"] == [1, 2]
    assert document.page(document.text.index("Six")) == 2
    assert document.title == "安全"
    assert (result.receipt.pages, result.receipt.page_states) == (2, {"text": "1-2"})


def test_hidden_slides_are_read_and_named_and_empty_ones_counted():
    result = loaded(pptx(title("一"), title("Two"), "<p:pic/>", "", hidden=(2,)))
    assert result.document.text == "一\n\nTwo"
    assert result.receipt.warnings == ("hidden-slides: 2",)
    assert result.receipt.page_states == {"text": "1-2", "scanned": "3", "blank": "4"}
    assert result.receipt.images == 1


def test_bullets_and_numbers_with_levels():
    body = shape(
        '<a:p><a:pPr><a:buAutoNum type="arabicPeriod"/></a:pPr><a:r><a:t>第一步</a:t></a:r></a:p>',
        '<a:p><a:pPr lvl="1"><a:buChar char="•"/></a:pPr><a:r><a:t>detail</a:t></a:r></a:p>',
        '<a:p><a:pPr><a:buAutoNum type="arabicPeriod"/></a:pPr><a:r><a:t>第二步</a:t></a:r></a:p>',
        "Between.",
        '<a:p><a:pPr><a:buAutoNum type="ea1ChsPlain" startAt="3"/></a:pPr><a:r><a:t>第三步</a:t></a:r></a:p>',
    )
    document = loaded(pptx(body)).document
    assert document.text == "1. 第一步\n  • detail\n2. 第二步\n\nBetween.\n\n三 第三步"
    assert marked(document, "list") == ["1. 第一步\n  • detail\n2. 第二步", "三 第三步"]


def test_slide_numbers_dates_and_footers_stay_out():
    field = '<a:p><a:fld type="slidenum" id="{1}"><a:t>7</a:t></a:fld></a:p>'
    result = loaded(
        pptx(title("标题") + shape("内部资料", placeholder='type="ftr"') + shape(field, placeholder='type="sldNum"'))
    )
    assert result.document.text == "标题"
    assert dropped(result) == {"slide number, date or footer": 4 + 1}


def test_tables_have_their_header_and_merged_cells_once():
    def cell(text: str, more: str = "") -> str:
        return f"<a:tc {more}><a:txBody><a:p><a:r><a:t>{text}</a:t></a:r></a:p></a:txBody></a:tc>"

    rows = [
        cell("型号") + cell("价格", 'gridSpan="2"') + cell("", 'hMerge="1"'),
        cell("") + cell("零售") + cell("批发"),
        cell("A1", 'rowSpan="2"') + cell("168") + cell("120"),
        cell("", 'vMerge="1"') + cell("170") + cell("121"),
    ]
    table = "<a:tbl><a:tblPr firstRow='1'/>" + "".join(f"<a:tr>{row}</a:tr>" for row in rows) + "</a:tbl>"
    document = loaded(pptx(graphic(table))).document
    assert document.text == "型号\t价格\t价格\n\t零售\t批发\nA1\t168\t120\n\t170\t121"
    assert marked(document, "header") == ["型号\t价格\t价格\n\t零售\t批发"]


@pytest.mark.parametrize(("text", "label"), [("Say hello first.", "Notes:"), ("先打招呼。", "备注：")])
def test_notes_stand_behind_their_slide(text, label):
    notes = shape(text, placeholder='type="body"') + shape("3", placeholder='type="sldNum"')
    result = loaded(pptx(title("A"), title("B"), notes={1: notes}))
    assert result.document.text == f"A\n\n{label}\n{text}\n\nB"
    assert dropped(result) == {"label of notes": -len(label), "slide number, date or footer": 1}


def test_a_chart_is_a_table_of_its_values():
    def values(name: str, kind: str, *found: str) -> str:
        points = "".join(f'<c:pt idx="{n}"><c:v>{value}</c:v></c:pt>' for n, value in enumerate(found))
        return f"<c:{name}><c:{kind}>{points}</c:{kind}></c:{name}>"

    def series(name: str, *found: str) -> str:
        return f"<c:ser>{values('tx', 'strCache', name)}{values('cat', 'strCache', '一月', '二月')}{values('val', 'numCache', *found)}</c:ser>"

    chart = "<root><c:title><a:p><a:r><a:t>销量</a:t></a:r></a:p></c:title>" + series("灯", "4.2999999999999998", "2")
    chart += series("Cable", "1", "5") + "</root>"
    result = loaded(pptx(graphic('<c:chart r:id="x"/>'), parts={"x": ("chart", CHART, chart)}))
    assert result.document.text == "销量\n\n\t灯\tCable\n一月\t4.3\t1\n二月\t2\t5"
    assert dropped(result) == {
        "repeated or unrounded values of charts": 4 + 18 - 3
    }  # the months once more, and 4.2999999999999998 as 4.3


def test_a_diagram_is_a_list():
    points = "".join(
        f'<dgm:pt modelId="{n}" {kind}><dgm:t><a:p><a:r><a:t>{text}</a:t></a:r></a:p></dgm:t></dgm:pt>'
        for n, kind, text in ((0, 'type="doc"', ""), (1, "", "申请"), (2, "", "Review"), (3, "", "打印"))
    )
    links = "".join(
        f'<dgm:cxn modelId="9{n}" srcId="{a}" destId="{b}" srcOrd="{n}"/>'
        for n, (a, b) in enumerate(((0, 1), (0, 2), (1, 3)))
    )
    diagram = f"<root><dgm:ptLst>{points}</dgm:ptLst><dgm:cxnLst>{links}</dgm:cxnLst></root>"
    parts = {"d": ("diagramData", "drawingml.diagramData+xml", diagram)}
    assert text_of(graphic('<dgm:relIds r:dm="d"/>'), parts=parts) == "• 申请\n  • 打印\n• Review"


def test_formulas_in_their_new_form_once():
    formula = (
        "<m:oMath><m:sSup><m:e><m:r><m:t>x</m:t></m:r></m:e><m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup></m:oMath>"
    )
    both = (
        f"<mc:AlternateContent><mc:Choice Requires='a14'><a14:m>{formula}</a14:m></mc:Choice>"
        "<mc:Fallback><a:r><a:t>x2</a:t></a:r></mc:Fallback></mc:AlternateContent>"
    )
    result = loaded(pptx(shape(f"<a:p><a:r><a:t>面积 </a:t></a:r>{both}</a:p>")))
    assert result.document.text == "面积 x^2"
    assert dropped(result) == {"the same for older programs": 2, "signs of formulas": -1}


def test_raised_figures_stay_so():
    run = "<a:r><a:t>面积 10 m</a:t></a:r><a:r><a:rPr baseline='30000'/><a:t>2</a:t></a:r>"
    assert text_of(shape(f"<a:p>{run}</a:p>")) == "面积 10 m²"


def test_groups_are_read_and_shapes_come_in_the_order_of_reading():
    second, first = shape("second", box=(0, 500, 900, 100)), shape("第一", box=(0, 100, 900, 100))
    assert text_of(f"<p:grpSp>{second}{first}</p:grpSp>") == "第一\n\nsecond"


def test_the_order_of_the_file_is_believed_until_it_contradicts_the_page():
    left, right, below = Box(0, 0, 40, 50), Box(50, 0, 90, 50), Box(0, 60, 90, 80)
    assert reading_order([left, right, below]) == [0, 1, 2]
    assert reading_order([below, right, left]) == [2, 1, 0]
    assert reading_order([below, None, left]) == [0, 1, 2]  # unknown places: as they came
    columns = [Box(0, 0, 40, 20), Box(0, 30, 40, 90), Box(50, 0, 90, 20), Box(50, 30, 90, 90)]
    assert reading_order(columns) == [0, 1, 2, 3]  # a column at a time is sensible too


def test_sections_stand_above_their_slides():
    extension = (
        '<p:extLst><p:ext><p14:sectionLst><p14:section name="第一部分"><p14:sldIdLst><p14:sldId id="256"/></p14:sldIdLst></p14:section>'
        '<p14:section name="Part two"><p14:sldIdLst><p14:sldId id="257"/></p14:sldIdLst></p14:section></p14:sectionLst></p:ext></p:extLst>'
    )
    document = loaded(pptx(title("A"), title("B"), extension=extension)).document
    assert [(mark.level, mark.label) for mark in document.marks if mark.kind == "heading"] == [
        (1, "第一部分"), (2, "A"), (1, "Part two"), (2, "B"),
    ]  # fmt: skip
    assert document.title == "A"


def test_comments_and_slides_outside_of_the_show_are_counted():
    result = loaded(pptx(title("In"), title("Out"), order=(1,), comments="改一下"))
    assert result.document.text == "In"
    assert dropped(result) == {"comment": 3, "slide outside of the show": 3}
    assert result.receipt.warnings == ("comments-left-out: 3",)


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (pptx(""), "no-text"),
        (pptx(), "no-text"),
        (pptx(title("A"))[:-300], "damaged"),
        (packed({"ppt/presentation.xml": "<a/>", "[Content_Types].xml": "<Types/>"}), "damaged"),
        (pptx("<p:grpSp>" * 240 + "</p:grpSp>" * 240 + title("A")), None),
        (pptx("<p:grpSp>" * 300 + title("A") + "</p:grpSp>" * 300), "too-deep"),
    ],
)
def test_broken_packages_end_with_a_reason(data, code):
    if code is None:
        assert loaded(data).document.text == "A"
        return
    with pytest.raises(DocumentError) as caught:
        loaded(data)
    assert (caught.value.code, bool(caught.value.hint)) == (code, True)


def test_entities_and_external_parts_are_refused_or_left_alone():
    data = pptx(title("A"))
    with zipfile.ZipFile(io.BytesIO(data)) as package:
        parts = {name: package.read(name) for name in package.namelist()}
    slide = parts["ppt/slides/slide1.xml"]
    parts["ppt/slides/slide1.xml"] = b'<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/hostname">]>' + slide.replace(
        b">A<", b">&e;<"
    )
    with pytest.raises(DocumentError) as caught:
        loaded(packed(parts))
    assert caught.value.code == "unsafe-xml"


_TEXT = st.text("ab 9,•电池\n\u200b\u00ad", max_size=12)
_SLIDE = st.lists(
    st.one_of(
        _TEXT.map(title),
        _TEXT.map(lambda text: shape(text, box=(len(text), 5 * len(text), 9, 9))),
        _TEXT.map(lambda text: f"<p:grpSp>{shape(text)}</p:grpSp>"),
        _TEXT.map(lambda text: shape(text, placeholder='type="ftr"')),
    ),
    max_size=4,
).map("".join)


@settings(max_examples=40, deadline=None)
@given(st.lists(_SLIDE, min_size=1, max_size=4), st.dictionaries(st.integers(1, 4), _SLIDE))
def test_whatever_the_slides_hold_the_account_balances(slides, notes):
    loaded(pptx(title("开头"), *slides, notes=notes))


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2000), st.binary(min_size=1, max_size=8))
def test_a_changed_file_is_read_or_refused(place, noise):
    data = bytearray(pptx(title("标题") + shape("text"), notes={1: shape("备注")}))
    data[place % len(data) : place % len(data) + len(noise)] = noise
    try:
        assert loaded(bytes(data)).document.text
    except DocumentError as error:
        if error.code == "unbalanced":
            raise


@pytest.mark.bench
@pytest.mark.skipif(not BENCH.exists(), reason="no public sets beside the checkout")
def test_mixed_files():
    with (BENCH / "files-mixed" / "manifest.tsv").open(encoding="utf-8", newline="") as stream:
        rows = [
            row
            for row in csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE)
            if row["file"].endswith(".pptx")
        ]
    assert rows
    for row in rows:
        text = loaded((BENCH / "files-mixed" / row["file"]).read_bytes()).document.text
        assert all(phrase in text for phrase in row["must_contain"].split(" || "))
        assert not any(phrase in text for phrase in filter(None, row["must_not_contain"].split(" || ")))
