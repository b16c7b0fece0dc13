"""OpenDocument texts, sheets and slides: structure, what is set aside, repeated rows and cells, hostile files, and the account."""

# ruff: noqa: E501  elements written in one line each are read more easily

from __future__ import annotations

import csv
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from office_writer import ODF_NAMES, flat_odf, odf, packed
from yinju.errors import DocumentError
from yinju.load import Limits, Loaded, load
from yinju.types import Document

BENCH = Path(__file__).resolve().parent.parent.parent / "shared" / "bench"


def text(body: str, **more) -> Loaded:
    return load(odf("text", body, **more), "a.odt")


def sheets(body: str, limits: Limits | None = None, **more) -> Loaded:
    return load(odf("spreadsheet", body, **more), "a.ods", **({"limits": limits} if limits else {}))


def dropped(result: Loaded) -> dict[str, int]:
    return {item.what: item.characters for item in result.receipt.dropped}


def marked(document: Document, kind: str) -> list[str]:
    return [mark.span.of(document.text) for mark in document.marks if mark.kind == kind]


def headings(document: Document) -> list[tuple[int, str]]:
    return [(mark.level, mark.label) for mark in document.marks if mark.kind == "heading"]


def refused(data: bytes, name: str) -> str:
    with pytest.raises(DocumentError) as caught:
        load(data, name)
    assert caught.value.hint
    return caught.value.code


def test_headings_by_outline_level_and_by_style():
    styles = '<style:style style:name="P1" style:family="paragraph" style:parent-style-name="Heading_20_2"/>'
    body = '<text:h text:outline-level="1">总则</text:h><text:p>The lamp.</text:p><text:p text:style-name="P1">Scope</text:p>'
    document = text(body, styles=styles, meta="<dc:title>Manual</dc:title><dc:creator>李工</dc:creator>").document
    assert document.text == "总则\n\nThe lamp.\n\nScope"
    assert headings(document) == [(1, "总则"), (2, "Scope")]
    assert (document.title, document.metadata["author"]) == ("总则", "李工")


def test_white_space_is_written_as_elements():
    body = '<text:p>a<text:s text:c="3"/>b<text:tab/>c<text:line-break/>第二行\n  same line</text:p>'
    assert text(body).document.text == "a   b c\n第二行 same line"


def test_raised_and_lowered_figures_stay_so():
    styles = '<style:style style:name="T1" style:family="text"><style:text-properties style:text-position="super 58%"/></style:style>'
    styles += '<style:style style:name="T2" style:family="text"><style:text-properties style:text-position="sub 58%"/></style:style>'
    body = '<text:p>100 m<text:span text:style-name="T1">2</text:span> 的 CO<text:span text:style-name="T2">2</text:span></text:p>'
    assert text(body, styles=styles).document.text == "100 m² 的 CO₂"


def test_lists_count_and_nest():
    styles = (
        '<text:list-style style:name="L"><text:list-level-style-number text:level="1" style:num-format="一, 二, 三, ..." style:num-suffix="、"/>'
        '<text:list-level-style-bullet text:level="2" text:bullet-char="-"/></text:list-style>'
    )
    inner = "<text:list><text:list-item><text:p>细节</text:p></text:list-item></text:list>"
    body = f'<text:list text:style-name="L"><text:list-item><text:p>One</text:p>{inner}</text:list-item>'
    body += "<text:list-item><text:p>第二</text:p></text:list-item></text:list><text:p>Between.</text:p>"
    body += '<text:list text:style-name="L" text:continue-numbering="true"><text:list-item><text:p>Three</text:p></text:list-item></text:list>'
    document = text(body, styles=styles).document
    assert document.text == "一、 One\n  - 细节\n二、 第二\n\nBetween.\n\n三、 Three"
    assert marked(document, "list") == ["一、 One\n  - 细节\n二、 第二", "三、 Three"]


def test_changes_comments_notes_contents_and_hidden_text():
    body = "<text:tracked-changes><text:changed-region><text:deletion><text:p>五百</text:p></text:deletion></text:changed-region></text:tracked-changes>"
    body += "<text:table-of-content><text:index-body><text:p>总则 3</text:p></text:index-body></text:table-of-content>"
    body += "<text:p>费用<office:annotation><dc:creator>Li</dc:creator><text:p>why?</text:p></office:annotation>八百"
    body += '<text:note text:id="n"><text:note-citation>1</text:note-citation><text:note-body><text:p>含税。</text:p></text:note-body></text:note>。'
    body += "<text:ruby><text:ruby-base>电</text:ruby-base><text:ruby-text>dian</text:ruby-text></text:ruby></text:p>"
    result = text(body)
    assert result.document.text == "费用八百[^1]。电\n\n[^1]: 含税。"
    assert dropped(result) == {
        "deleted text": 2, "table of contents": 3, "comment": 2 + 4, "number of a note": 1, "reading aid": 4, "note mark": -4 - 5,
    }  # fmt: skip
    assert result.receipt.warnings == ("tracked-changes: 2", "comments-left-out: 6")


def test_tables_with_header_rows_joined_and_repeated_cells():
    def row(*cells: str) -> str:
        return "<table:table-row>" + "".join(cells) + "</table:table-row>"

    def cell(text: str, more: str = "") -> str:
        return f"<table:table-cell {more}><text:p>{text}</text:p></table:table-cell>"

    covered = "<table:covered-table-cell/>"
    table = (
        "<table:table><table:table-header-rows>"
        + row(cell("型号"), cell("Price"), cell("库存"))
        + "</table:table-header-rows>"
    )
    table += row(cell("A1"), cell("0", 'table:number-columns-repeated="2"'))
    table += row(cell("All rows", 'table:number-columns-spanned="3"'), covered, covered) + "</table:table>"
    document = text(table).document
    assert document.text == "型号\tPrice\t库存\nA1\t0\t0\nAll rows"
    assert marked(document, "header") == ["型号\tPrice\t库存"]


def test_frames_and_formulas_and_pictures():
    body = "<text:p>Beside<draw:frame><draw:text-box><text:p>框内</text:p></draw:text-box></draw:frame></text:p>"
    body += '<text:p>E=<draw:frame><draw:object xlink:href="./Object 1"/></draw:frame></text:p>'
    body += "<text:p><draw:frame><draw:image/><svg:desc>a lamp</svg:desc></draw:frame></text:p>"
    formula = '<math:math xmlns:math="http://www.w3.org/1998/Math/MathML"><math:annotation encoding="StarMath 5.0">m c^2</math:annotation></math:math>'
    result = text(body, parts={"Object 1/content.xml": formula})
    assert result.document.text == "Beside\n\n框内\n\nE=m c^2"
    assert result.receipt.images == 1
    assert dropped(result)["alternative text of pictures and objects"] == 5


def test_flat_files_are_read_too():
    document = load(flat_odf("text", "<text:p>平面文件 flat</text:p>"), "a.fodt").document
    assert (document.text, document.title, document.type) == ("平面文件 flat", "平面", "odt")
    table = '<table:table table:name="表"><table:table-row><table:table-cell><text:p>x</text:p></table:table-cell></table:table-row></table:table>'
    assert load(flat_odf("spreadsheet", table), "a.fods").document.text == "x"
    assert refused(b"no xml at all", "a.fodt") == "damaged"


def cells(*texts: str) -> str:
    return (
        "<table:table-row>"
        + "".join(f"<table:table-cell><text:p>{one}</text:p></table:table-cell>" for one in texts)
        + "</table:table-row>"
    )


def test_sheets_have_names_headers_and_line_numbers():
    body = f'<table:table table:name="价格">{cells("型号", "价格")}{cells("A1", "¥168.00")}</table:table>'
    body += f'<table:table table:name="Stock"><table:table-row table:number-rows-repeated="3"/>{cells("Item", "Count")}{cells("A1", "7")}</table:table>'
    document = sheets(body).document
    assert document.text == "价格\n\n型号\t价格\nA1\t¥168.00\n\nStock\n\nItem\tCount\nA1\t7"
    assert headings(document) == [(1, "价格"), (1, "Stock")]
    assert marked(document, "header") == ["型号\t价格", "Item\tCount"]
    assert document.line_at(document.text.index("A1\t7")) == 5


def test_a_million_empty_rows_and_columns_cost_nothing():
    empty = '<table:table-row table:number-rows-repeated="1048573"><table:table-cell table:number-columns-repeated="16384"/></table:table-row>'
    wide = '<table:table-row><table:table-cell table:number-columns-repeated="16384"/></table:table-row>'
    started = time.perf_counter()
    result = sheets(f'<table:table table:name="Sheet1">{cells("a", "b")}{cells("c", "2")}{wide}{empty}</table:table>')
    assert result.document.text == "a\tb\nc\t2"
    assert time.perf_counter() - started < 1


def test_repeated_values_are_written_and_bounded():
    row = '<table:table-row table:number-rows-repeated="{}"><table:table-cell table:number-columns-repeated="2"><text:p>0</text:p></table:table-cell></table:table-row>'
    result = sheets(f'<table:table table:name="S1">{row.format(2)}</table:table>')
    assert result.document.text == "S1\n\n0\t0\n0\t0"
    assert dropped(result) == {"sheet name": -2, "repeated cell": -1, "repeated row": -2}
    with pytest.raises(DocumentError) as caught:
        sheets(f'<table:table table:name="S">{row.format(1_048_576)}</table:table>', Limits(cells=1000))
    assert caught.value.code == "limit"


def test_merged_categories_reach_each_row_and_notes_stand_behind():
    merged = '<table:table-cell table:number-rows-spanned="2"><text:p>研发</text:p></table:table-cell>'
    note = "<office:annotation><dc:creator>Li</dc:creator><text:p>含外包</text:p></office:annotation>"
    body = '<table:table table:name="表1">' + cells("部门", "人数")
    body += f"<table:table-row>{merged}<table:table-cell>{note}<text:p>3</text:p></table:table-cell></table:table-row>"
    body += "<table:table-row><table:covered-table-cell/><table:table-cell><text:p>4</text:p></table:table-cell></table:table-row></table:table>"
    result = sheets(body)
    assert result.document.text == "部门\t人数\n研发\t3\n研发\t4\n\n[B2] 含外包"
    assert dropped(result) == {"merged cell": -2, "author and date of a note": 2, "place of a note": -4}


def test_hidden_sheets_are_left_out_and_hidden_rows_named():
    styles = (
        '<style:style style:name="H" style:family="table"><style:table-properties table:display="false"/></style:style>'
    )
    body = f'<table:table table:name="Open">{cells("a", "b")}' + cells("c", "d").replace(
        "-row>", '-row table:visibility="filter">', 1
    )
    body += f'</table:table><table:table table:name="内部" table:style-name="H">{cells("秘密")}</table:table>'
    result = sheets(body, styles=styles)
    assert "秘密" not in result.document.text
    assert result.document.text.endswith("a\tb\nc\td")
    assert dropped(result)["hidden sheet"] == 2
    assert result.receipt.warnings == ("hidden-sheets: 内部", "hidden-rows: 1")


def test_slides_are_pages_with_titles_and_notes():
    body = "<presentation:footer-decl>内部资料</presentation:footer-decl>"
    body += '<draw:page draw:name="p1"><draw:frame presentation:class="title"><draw:text-box><text:p>安全</text:p></draw:text-box></draw:frame>'
    body += '<draw:custom-shape svg:x="1cm" svg:y="9cm" svg:width="5cm" svg:height="1cm"><text:p>below</text:p></draw:custom-shape>'
    body += '<draw:custom-shape svg:x="1cm" svg:y="3cm" svg:width="5cm" svg:height="1cm"><text:p>上面</text:p></draw:custom-shape>'
    body += "<presentation:notes><draw:frame><draw:text-box><text:p>Speak up.</text:p></draw:text-box></draw:frame></presentation:notes></draw:page>"
    body += '<draw:page draw:style-name="H"><draw:frame><draw:text-box><text:p>End</text:p></draw:text-box></draw:frame></draw:page>'
    styles = '<style:style style:name="H" style:family="drawing-page"><style:drawing-page-properties presentation:visibility="hidden"/></style:style>'
    result = load(odf("presentation", body, styles=styles), "a.odp")
    document = result.document
    assert document.text == "安全\n\n上面\n\nbelow\n\nNotes:\nSpeak up.\n\nEnd"
    assert headings(document) == [(1, "安全")]
    assert [document.page(document.text.index(words)) for words in ("安全", "Speak", "End")] == [1, 1, 2]
    assert (result.receipt.pages, result.receipt.page_states) == (2, {"text": "1-2"})
    assert result.receipt.warnings == ("hidden-slides: 2",)
    assert dropped(result) == {"slide number, date or footer": 4, "label of notes": -6}


def test_hostile_and_broken_files_are_refused():
    encrypted = '<manifest:manifest xmlns:manifest="urn:m"><manifest:encryption-data/></manifest:manifest>'
    assert (
        refused(odf("text", "<text:p>x</text:p>", parts={"META-INF/manifest.xml": encrypted}), "a.odt") == "encrypted"
    )
    entity = f'<!DOCTYPE a [<!ENTITY e "x">]><office:document-content {ODF_NAMES}><office:body><office:text><text:p>&e;</text:p></office:text></office:body></office:document-content>'
    for kind, name in (("text", "a.odt"), ("spreadsheet", "a.ods"), ("presentation", "a.odp")):
        assert (
            refused(packed({"mimetype": f"application/vnd.oasis.opendocument.{kind}", "content.xml": entity}), name)
            == "unsafe-xml"
        )
        assert refused(packed({"mimetype": f"application/vnd.oasis.opendocument.{kind}"}), name) == "damaged"
        assert refused(odf(kind, ""), name) == "no-text"
        assert refused(odf(kind, "<text:p>x</text:p>")[:-200], name) == "damaged"
    deep = "<text:section>" * 250 + "<text:p>x</text:p>" + "</text:section>" * 250
    try:
        assert text(deep).document.text == "x"
    except DocumentError as error:
        assert error.code in ("too-deep", "damaged")  # noqa: PT017  as deep as the interpreter happens to go


_WORDS = st.text("ab 9,电池\n\u200b\u00ad", max_size=10)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(("p", "h", "list", "note", "frame", "row")), _WORDS, _WORDS), max_size=6))
def test_whatever_a_text_holds_the_account_balances(blocks):
    forms = {
        "p": "<text:p>{}<text:span>{}</text:span></text:p>",
        "h": '<text:h text:outline-level="2">{}{}</text:h>',
        "list": "<text:list>{}<text:list-item><text:p>{}</text:p></text:list-item></text:list>",
        "note": "<text:p>{}<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>{}</text:p></text:note-body></text:note></text:p>",
        "frame": "<draw:frame>{}<draw:text-box><text:p>{}</text:p></draw:text-box></draw:frame>",
        "row": "<table:table><table:table-row>{}<table:table-cell><text:p>{}</text:p></table:table-cell></table:table-row></table:table>",
    }
    text("<text:p>开头</text:p>" + "".join(forms[kind].format(one, two) for kind, one, two in blocks))


@settings(max_examples=40, deadline=None)
@given(st.lists(st.lists(st.tuples(_WORDS, st.integers(1, 3)), max_size=4), min_size=1, max_size=5), st.integers(1, 3))
def test_whatever_a_sheet_holds_the_account_balances(rows, times):
    body = cells("开头")
    for row in rows:
        inner = "".join(
            f'<table:table-cell table:number-columns-repeated="{count}" table:number-rows-spanned="{count}">{one[:1]}<text:p>{one}</text:p></table:table-cell>'
            for one, count in row
        )
        body += f'<table:table-row table:number-rows-repeated="{times}">{inner}</table:table-row>'
    sheets(f'<table:table table:name="数据">{body}</table:table>')


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(("text", "spreadsheet", "presentation")), st.integers(0, 3000), st.binary(min_size=1, max_size=8)
)
def test_a_changed_file_is_read_or_refused(kind, place, noise):
    body = f'<draw:page><draw:frame><draw:text-box><text:p>文字</text:p></draw:text-box></draw:frame></draw:page><table:table table:name="S">{cells("a", "b")}</table:table>'
    data = bytearray(odf(kind, body))
    data[place % len(data) : place % len(data) + len(noise)] = noise
    try:
        assert load(bytes(data), {"text": "a.odt", "spreadsheet": "a.ods", "presentation": "a.odp"}[kind]).document.text
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
            if row["file"].endswith((".odt", ".ods", ".odp"))
        ]
    assert rows
    for row in rows:
        found = load((BENCH / "files-mixed" / row["file"]).read_bytes(), Path(row["file"]).name).document.text
        assert all(phrase in found for phrase in row["must_contain"].split(" || "))
        assert not any(phrase in found for phrase in filter(None, row["must_not_contain"].split(" || ")))
