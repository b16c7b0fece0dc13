"""DOCX as people have it: deleted rows, forms, fields, symbols, formulas, charts, Chinese lists, strict documents, damaged files."""

# ruff: noqa: E501  elements written in one line each are read more easily

from __future__ import annotations

import io
import zipfile

import docx
import pytest
from docx.oxml import parse_xml
from hypothesis import given, settings
from hypothesis import strategies as st

from test_load_docx import W, changed, dropped, load, marked, paragraph, run, saved, with_body
from yinju.errors import DocumentError


def with_parts(data: bytes, parts: dict[str, tuple[str, str, str]]) -> bytes:
    """The document with further parts: name below word/ -> (relationship, its type, content type), and the XML as the value's last."""
    with zipfile.ZipFile(io.BytesIO(data)) as package:
        types, related = package.read("[Content_Types].xml"), package.read("word/_rels/document.xml.rels")
    for name, (identity, kind, content) in parts.items():
        base = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
        related = related.replace(
            b"</Relationships>",
            f'<Relationship Id="{identity}" Type="{base}{kind}" Target="{name}"/></Relationships>'.encode(),
        )
        full = (
            "application/vnd.openxmlformats-officedocument."
            + {"chart": "drawingml.chart+xml", "numbering": "wordprocessingml.numbering+xml"}[kind]
        )
        types = types.replace(b"</Types>", f'<Override PartName="/word/{name}" ContentType="{full}"/></Types>'.encode())
        data = changed(data, f"word/{name}", content.encode())
    return changed(changed(data, "[Content_Types].xml", types), "word/_rels/document.xml.rels", related)


def test_deleted_rows_and_cells_are_gone_and_covered_ones_empty():
    def cell(text: str, properties: str = "") -> str:
        return f"<w:tc><w:tcPr>{properties}</w:tcPr>{paragraph(run(text))}</w:tc>"

    change = 'w:id="1" w:author="a"'
    first = cell("甲", '<w:vMerge w:val="restart"/>') + cell("168") + cell("gone", f"<w:cellDel {change}/>")
    xml = f"<w:tbl><w:tr>{cell('型号')}{cell('Price')}</w:tr>"
    xml += f"<w:tr><w:trPr><w:del {change}/></w:trPr>{cell('旧')}{cell('1')}</w:tr>"
    xml += f"<w:tr>{first}</w:tr><w:tr>{cell('', '<w:vMerge/>')}{cell('170')}</w:tr></w:tbl>"
    parsed = load(with_body(xml))
    assert parsed.text == "型号\tPrice\n甲\t168\n\t170"
    assert dropped(parsed) == {"deleted text": 2 + 4}


def test_a_table_of_one_cell_is_a_frame_and_a_title_row_stands_above():
    def row(*cells: tuple[str, int]) -> str:
        inner = "".join(
            f'<w:tc><w:tcPr><w:gridSpan w:val="{width}"/></w:tcPr>{paragraph(run(text))}</w:tc>'
            for text, width in cells
        )
        return f"<w:tr>{inner}</w:tr>"

    frame = f"<w:tbl><w:tr><w:tc>{paragraph(run('框中的话。'))}{paragraph(run('Second.'))}</w:tc></w:tr></w:tbl>"
    table = (
        "<w:tbl>"
        + row(("2024 收费标准", 3))
        + row(("项目", 1), ("单位", 1), ("Price", 1))
        + row(("维修", 1), ("次", 1), ("80", 1))
        + "</w:tbl>"
    )
    parsed = load(with_body(frame + table))
    assert parsed.text == "框中的话。\n\nSecond.\n\n2024 收费标准\n\n项目\t单位\tPrice\n维修\t次\t80"
    assert marked(parsed, "header") == ["项目\t单位\tPrice"]


def test_a_form_has_no_empty_cells_for_its_joined_ones():
    def row(*cells: tuple[str, int]) -> str:
        inner = "".join(
            f'<w:tc><w:tcPr><w:gridSpan w:val="{width}"/></w:tcPr>{paragraph(run(text))}</w:tc>'
            for text, width in cells
        )
        return f"<w:tr>{inner}</w:tr>"

    parsed = load(
        with_body(
            "<w:tbl>"
            + row(("姓名", 1), ("13900000000", 2), ("性别", 1))
            + row(("地址", 2), ("Paris", 1), ("无", 1))
            + "</w:tbl>"
        )
    )
    assert parsed.text == "姓名\t13900000000\t性别\n地址\tParis\t无"


def field(instruction: str, result: str) -> str:
    mark = '<w:r><w:fldChar w:fldCharType="{}"/></w:r>'
    return f"{mark.format('begin')}<w:r><w:instrText>{instruction}</w:instrText></w:r>{mark.format('separate')}{run(result)}{mark.format('end')}"


def test_fields_show_their_result_but_no_page_numbers_and_no_table_of_contents():
    xml = paragraph(run("见第"), field("REF _a", "3.1"), run("节，共"), field("NUMPAGES", "12"), run("页。"))
    xml += paragraph(field("TOC \\o", "总则 1 Scope 2"))
    xml += paragraph('<w:fldSimple w:instr=" PAGE ">' + run("7") + "</w:fldSimple>", run("end"))
    parsed = load(with_body(xml))
    assert parsed.text == "见第3.1节，共页。\n\nend"
    assert dropped(parsed) == {"page number": 3, "table of contents": 9}


def test_a_field_without_an_end_swallows_nothing():
    xml = paragraph(
        '<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>TOC</w:instrText></w:r>', run("正文。")
    )
    assert load(with_body(xml)).text == "正文。"


def test_symbols_check_boxes_scripts_and_ruby():
    xml = paragraph(
        '<w:r><w:sym w:font="Wingdings" w:char="F0FE"/></w:r>', run("同意 "), '<w:r><w:sym w:font="Symbol" w:char="F061"/></w:r>',
        '<w:r><w:sym w:font="Webdings" w:char="F021"/></w:r>', run(" 100 m"), run("2", '<w:vertAlign w:val="superscript"/>'), run(" CO"),
        run("2", '<w:vertAlign w:val="subscript"/>'), "<w:r><w:softHyphen/></w:r>", run(" A"), "<w:r><w:noBreakHyphen/></w:r>", run("4"),
        f"<w:r><w:ruby><w:rt>{run('diàn')}</w:rt><w:rubyBase>{run('电')}</w:rubyBase></w:ruby></w:r>",
    )  # fmt: skip
    parsed = load(with_body(xml))
    assert parsed.text == "☑同意 α 100 m² CO₂ A-4电"
    assert dropped(parsed) == {"symbol without a letter": 1, "hyphen": -1, "reading aid": 4}


def test_formulas_are_one_line():
    def part(name: str, inner: str) -> str:
        return f"<m:{name}>{inner}</m:{name}>"

    def letters(text: str) -> str:
        return f"<m:r><m:t>{text}</m:t></m:r>"

    root = part("rad", part("deg", "") + part("e", letters("b") + letters("-4ac")))
    fraction = part("f", part("num", letters("-b±") + root) + part("den", letters("2a")))
    power = part("sSup", part("e", letters("y")) + part("sup", letters("n+1")))
    total = part(
        "nary",
        '<m:naryPr><m:chr m:val="∑"/></m:naryPr>'
        + part("sub", letters("i=1"))
        + part("sup", letters("n"))
        + part("e", letters("i")),
    )
    matrix = part(
        "m",
        part("mr", part("e", letters("1")) + part("e", letters("0")))
        + part("mr", part("e", letters("0")) + part("e", letters("1"))),
    )
    xml = (
        "<w:p>"
        + part("oMath", letters("x=") + fraction)
        + "</w:p><w:p>"
        + run("其中 ")
        + part("oMath", power + letters("z"))
        + "</w:p>"
    )
    xml += "<w:p>" + part("oMathPara", part("oMath", total + letters("+") + matrix)) + "</w:p>"
    assert load(with_body(xml)).text == "x=(-b±√(b-4ac))/(2a)\n\n其中 y^(n+1)z\n\n∑_(i=1)^n i+[1, 0; 0, 1]"


def test_charts_are_tables_where_they_stand():
    chart = "http://schemas.openxmlformats.org/drawingml/2006/chart"
    points = '<c:pt idx="0"><c:v>{}</c:v></c:pt><c:pt idx="1"><c:v>{}</c:v></c:pt>'
    series = (
        f'<c:chartSpace xmlns:c="{chart}"><c:ser><c:tx><c:v>收入</c:v></c:tx><c:cat>{points.format("一月", "二月")}</c:cat>'
        f"<c:val><c:formatCode>0%</c:formatCode>{points.format('0.5', '0.25')}</c:val></c:ser></c:chartSpace>"
    )
    drawing = f'<w:r><w:drawing><a:graphicData xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><c:chart xmlns:c="{chart}" r:id="c1" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"/></a:graphicData></w:drawing></w:r>'
    data = with_parts(
        with_body(paragraph(run("前"), drawing) + paragraph(run("after"))), {"chart1.xml": ("c1", "chart", series)}
    )
    assert load(data).text == "前\n\n\t收入\n一月\t50%\n二月\t25%\n\nafter"


@pytest.mark.parametrize(
    ("levels", "order", "shown"),
    [
        (["<w:numFmt w:val='chineseCounting'/><w:lvlText w:val='%1、'/>", "<w:numFmt w:val='chineseCounting'/><w:lvlText w:val='（%2）'/>"],
         "0 1 1 0 1", "一、 （一） （二） 二、 （一）"),
        (["<w:numFmt w:val='chineseCounting'/><w:lvlText w:val='第%1章'/>", "<w:numFmt w:val='decimal'/><w:lvlText w:val='第%2条'/><w:lvlRestart w:val='0'/>"],
         "0 1 1 0 1", "第一章 第1条 第2条 第二章 第3条"),
        (["<w:numFmt w:val='upperRoman'/><w:lvlText w:val='%1.'/>", "<w:numFmt w:val='decimal'/><w:isLgl/><w:lvlText w:val='%1.%2'/>"], "0 1 0 1", "I. 1.1 II. 2.1"),
        (["<w:numFmt w:val='ideographTraditional'/><w:lvlText w:val='%1'/>"], "0 0 0", "甲 乙 丙"),
    ],
)  # fmt: skip
def test_chinese_lists_and_restarts(levels, order, shown):
    items = "".join(f'<w:lvl w:ilvl="{n}"><w:start w:val="1"/>{level}</w:lvl>' for n, level in enumerate(levels))
    numbering = f'<w:numbering xmlns:w="{W}"><w:abstractNum w:abstractNumId="0">{items}</w:abstractNum><w:num w:numId="5"><w:abstractNumId w:val="0"/></w:num></w:numbering>'
    body = "".join(
        paragraph(run("x"), properties=f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="5"/></w:numPr>')
        for level in order.split()
    )
    data = changed(with_body(body), "word/numbering.xml", numbering.encode())
    markers = [line.split()[0] for line in load(data).text.splitlines()]
    assert markers == shown.split()


def test_styles_hand_down_headings_and_take_them_back():
    document = docx.Document()
    based = document.styles.add_style("S1", 1)
    based.base_style = document.styles["Heading 2"]
    plain = document.styles.add_style("S2", 1)
    plain.base_style = document.styles["Heading 2"]
    plain.element.get_or_add_pPr().append(parse_xml(f'<w:outlineLvl xmlns:w="{W}" w:val="9"/>'))
    document.add_paragraph("标题", style=based)
    document.add_paragraph("Text", style=plain)
    assert [(m.level, m.label) for m in load(saved(document)).marks if m.kind == "heading"] == [(2, "标题")]


def test_strict_documents_are_read():
    data = with_body(paragraph(run("严格 strict"), properties='<w:outlineLvl w:val="0"/>'))
    with zipfile.ZipFile(io.BytesIO(data)) as package:
        parts = {name: package.read(name) for name in package.namelist()}
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as package:
        for name, content in parts.items():
            strict = content.replace(W.encode(), b"http://purl.oclc.org/ooxml/wordprocessingml/main")
            package.writestr(
                name,
                strict.replace(
                    b"http://schemas.openxmlformats.org/officeDocument/2006/relationships",
                    b"http://purl.oclc.org/ooxml/officeDocument/relationships",
                ),
            )
    parsed = load(out.getvalue())
    assert parsed.text == "严格 strict"
    assert marked(parsed, "heading") == ["严格 strict"]


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 40_000), st.binary(min_size=1, max_size=8))
def test_a_changed_file_is_read_or_refused(place, noise):
    data = bytearray(_SMALL)
    data[place % len(data) : place % len(data) + len(noise)] = noise
    try:
        load(bytes(data))
    except DocumentError as error:
        assert error.hint  # noqa: PT017  most changes hit what the zip's own sums guard


_SMALL = with_body(paragraph(run("正文"), '<w:r><w:footnoteReference w:id="2"/></w:r>'))
