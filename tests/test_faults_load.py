"""Faults that users of other systems met when files were read: the id of each (shared/faults) stands in the test's id."""

from __future__ import annotations

import ast
import io
import re
import zipfile

import docx
import openpyxl
import pytest
from openpyxl.styles import Font
from scripts.check_house import guessed_encodings
from tests.pdf_writer import Put, lines, make_pdf

from yinju.errors import DocumentError
from yinju.load import Loaded, load
from yinju.types import Document


def fault(number: int, *values: object, name: str = "") -> object:
    return pytest.param(*values, id=f"fault-{number}{'-' + name if name else ''}")


def document(text: str | bytes, source: str = "a.md") -> Document:
    return load(text.encode() if isinstance(text, str) else text, source).document


def headings(read: Document) -> list[tuple[str, ...]]:
    return [read.headings(mark.span.start) for mark in read.marks if mark.kind == "heading"]


def labels(read: Document) -> list[str]:
    return [mark.label for mark in read.marks if mark.kind == "heading"]


def marked(read: Document, kind: str) -> list[str]:
    return [mark.span.of(read.text) for mark in read.marks if mark.kind == kind]


def refused(data: bytes, source: str) -> DocumentError:
    with pytest.raises(DocumentError) as caught:
        load(data, source)
    assert caught.value.hint
    return caught.value


def outcome(data: bytes, source: str) -> Loaded | DocumentError:
    try:
        return load(data, source)
    except DocumentError as error:
        assert error.hint  # noqa: PT017
        return error


# Markdown: which lines are headings


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        fault(1, "# 部署\n\n```sh\n# 先停服务\nstop\n```\n\n## 回滚\n照做。\n", ["部署", "回滚"], name="fence"),
        fault(1, "# 部署\n\n~~~sh\n# 先停服务\n```\n# 再启\n~~~\n\n## 回滚\n照做。\n", ["部署", "回滚"], name="tildes"),
        fault(1, "# Pump\n\n- step\n\n  ```sh\n  # open the valve\n  go\n  ```\n\n## Stop\nend\n", ["Pump", "Stop"], name="list"),
        fault(4, "---\ntitle: 手册\ntags: [一, 二]\n---\n\n# 正题\n内容\n", ["正题"]),
        fault(4, "---\nkind: note\n---\n# Real\nbody\n", ["Real"], name="no blank line"),
        fault(12, "# 说明\n\n## 甲\n一\n\n## 乙 <!-- 待补 -->\n二\n\n<!--\n# 藏\n不显示\n-->\n\n## 丙\n三\n", ["说明", "甲", "乙", "丙"]),
        fault(12, "# A <!-- one\n\n## B\ntext\n", ["A <!-- one", "B"], name="open comment"),
        fault(13, "#标记 不是\n\n## 结尾 ##\n甲\n\n### 工单 #88\n乙\n\n####### 七\n丙\n\n## 🚀 上线\n丁\n", ["结尾", "工单 #88", "🚀 上线"]),
        fault(13, "##没有空格\n文\n\n# C# 入门\n文\n\n#标签\n\n##123\n\n##tag\n", ["没有空格", "C# 入门"], name="no space"),
        fault(6, "# 标题\r\n\r\n正文\r\n\r\n## 二级\r\n```\r\n# 注\r\n```\r\n", ["标题", "二级"], name="crlf"),
        fault(6, "# 标题\r\r正文\r\r## 二级\r内容\r", ["标题", "二级"], name="cr"),
        fault(6, "# 标题\r\n\n正文\r\r## 二级\n内容\r\n", ["标题", "二级"], name="mixed"),
        fault(55, b"\xef\xbb\xbf# \xe6\xa0\x87\xe9\xa2\x98\n\xe6\x96\x87\n", ["标题"], name="bom"),
    ],
)  # fmt: skip
def test_headings_are_what_a_reader_sees(text, expected):
    assert labels(document(text)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        fault(3, "# 甲\n\n### 乙\n文\n\n### 丙\n文\n\n## 丁\n文\n", [("甲",), ("甲", "乙"), ("甲", "丙"), ("甲", "丁")]),
        fault(3, "## One\n\n#### Two\nt\n\n### Three\nt\n\n# Four\nt\n", [("One",), ("One", "Two"), ("One", "Three"), ("Four",)]),
    ],
)  # fmt: skip
def test_skipped_levels_keep_the_breadcrumb_right(text, expected):
    assert headings(document(text)) == expected


@pytest.mark.parametrize("end", [fault(6, "\r\n"), fault(6, "\r")])
def test_line_ends_change_nothing(end):
    unix = "---\ntitle: 甲\n---\n\n# 标题\n\n正文\n\n```\n码\n```\n\n|a|b|\n|---|---|\n|1|2|\n"
    other = document(unix.replace("\n", end))
    same = document(unix)
    assert (other.text, other.marks, other.anchors, other.title) == (same.text, same.marks, same.anchors, same.title)
    assert same.line_at(same.text.index("正文")) == 7


@pytest.mark.parametrize(
    "text", [fault(4, "---\n不是元数据，只有一条线。\n\n# 题\n文\n"), fault(4, "---\na: 1\nrest of it\n")]
)
def test_a_rule_at_the_top_is_no_front_matter(text):
    assert document(text).text == text


# HTML


def test_html_gives_each_text_once_and_apart_without_scripts():  # fault 9
    read = document(
        "<main><style>.k{margin:0}</style><p>Begin</p>loose<div><h4>Second part</h4><p>Words</p></div>"
        "<script>let z=9</script><noscript>Turn it on</noscript><table><tr><td>左</td><td>右</td></tr></table></main>",
        "a.html",
    )
    assert "margin" not in read.text
    assert "let z" not in read.text
    assert read.text.count("Begin") == 1
    assert [line for line in read.text.split("\n") if line] == ["Begin", "loose", "Second part", "Words", "左\t右"]


# Encodings


@pytest.mark.parametrize(
    ("text", "encoding", "recorded"),
    [
        fault(21, "钢筋间距不得大于设计值。\r\n温度25℃", "gbk", "gb18030"),
        fault(21, "鋼筋間距不得大於設計值，養護溫度二十五度。", "big5", "big5"),
        fault(21, "钢筋间距不得大于设计值。", "utf-16", "utf-16"),
        fault(21, "阀门", "gbk", "gb18030", name="two characters"),
        fault(21, "名称: 阀门", "gbk", "gb18030", name="label"),
        fault(21, "이 문서는 한국어로 작성되었습니다.", "euc_kr", "euc_kr", name="korean"),
    ],
)
def test_encodings_are_found_and_recorded(text, encoding, recorded):
    read = document(text.encode(encoding), "a.txt")
    assert read.text == text.replace("\r\n", "\n")
    assert recorded in str(read.metadata["encoding"]).lower()


@pytest.mark.parametrize(
    ("source", "text"),
    [
        fault(21, "a.csv", "名称,数值\n阀门,三\n", name="csv"),
        fault(21, "a.json", '{"名称": "阀门"}', name="json"),
        fault(21, "a.html", "<p>阀门压力的数值</p>", name="html"),
        fault(21, "a.py", "# 阀门压力的数值\nx = 1\n", name="code"),
        fault(21, "a.md", "阀门压力的数值\n", name="markdown"),
    ],
)
def test_every_kind_of_text_records_its_encoding(source, text):
    read = document(text.encode("gbk"), source)
    assert "阀门" in read.text
    assert read.metadata["encoding"] == "gb18030"


@pytest.mark.parametrize(
    ("code", "guesses"),
    [
        fault(27, "open(p)", True),
        fault(27, "open(p, 'rb')", False),
        fault(27, "open(p, 'w', encoding='utf-8')", False),
        fault(27, "p.read_text()", True),
        fault(27, "p.write_text(t)", True),
        fault(27, "p.read_text(encoding='utf-8')", False),
        fault(27, "subprocess.run(c, text=True)", True),
        fault(27, "subprocess.run(c, encoding='utf-8')", False),
    ],
)
def test_text_is_never_opened_by_a_guess(code, guesses):
    assert bool(guessed_encodings(ast.parse(code))) is guesses


def test_a_text_that_cannot_be_decoded_is_never_indexed_silently():  # fault 21
    data = "阀门压力".encode() * 20 + b"\xff\xfe\x81" * 40
    found = outcome(data, "a.txt")
    assert isinstance(found, DocumentError) or found.receipt.warnings


# PDF


def test_columns_are_read_one_after_the_other():  # fault 29
    left = ["The east gate was repainted", "in June after heavy storms", "had worn the old coating."]
    right = ["The west gate keeps its", "first paint and shows", "no damage so far."]
    read = document(make_pdf([lines(left, x=60) + lines(right, x=330)]), "a.pdf")
    flat = " ".join(read.text.split())
    assert "repainted in June after heavy storms had worn" in flat
    assert "its first paint and shows no damage" in flat


def test_a_small_table_is_not_read_as_columns():  # fault 29
    rows = [("Part", "Torque"), ("P001", "10"), ("P002", "12"), ("P003", "15")]
    puts = [Put(x, 700 - 14 * n, text) for n, row in enumerate(rows) for x, text in zip((60, 330), row, strict=True)]
    read = document(make_pdf([puts]), "a.pdf")
    assert [line.split() for line in read.text.split("\n") if line.strip()] == [list(row) for row in rows]


def test_a_page_without_text_is_skipped_with_a_hint():  # fault 31
    assert refused(make_pdf([[]]), "a.pdf").code == "no-text"


@pytest.mark.parametrize(
    "text",
    [
        fault(33, "(cid:12)(cid:77)(cid:9)" * 40, name="cid"),
        fault(33, "3OHDVH FORVH WKH JUHHQ GRRU DW QLJKW DQG ORFN LW ZLWK WKH NHB " * 2, name="shifted"),
        fault(33, "3OHDVH FORVH WKH JUHHQ GRRU DW QLJKW", name="shifted short"),
    ],
)  # fmt: skip
def test_a_garbled_text_layer_is_refused_and_a_garbled_page_is_named(text):
    page = lines([text[place : place + 60] for place in range(0, len(text), 60)])
    assert refused(make_pdf([page]), "a.pdf").code == "no-text"
    assert "garbled-pages: 2" in load(make_pdf([lines(["A page that is well."]), page]), "a.pdf").receipt.warnings


def test_an_ordinary_text_layer_is_not_called_garbled():  # fault 33, the other side
    for text in (
        ["Please close the green door at night", "and lock it with the key."],
        ["型号 A-100，转速 1450。", "请按说明书安装。"],
        ["GET /v1/users 200", "SKU-88 QX-17 ZZ-3", "0x3F 0x7A 0xFF"],
        ["Bitte die Tür nachts schließen", "und zweimal abschließen."],
    ):
        assert not [w for w in load(make_pdf([lines(text)]), "a.pdf").receipt.warnings if "garbled" in w]


def test_an_empty_password_opens_and_a_real_one_is_asked_for():  # fault 34
    page = [lines(["Open to all readers"])]
    assert "Open to all readers" in document(make_pdf(page, password=""), "a.pdf").text
    assert refused(make_pdf(page, password="secret"), "a.pdf").code == "encrypted"


def test_letters_drawn_twice_are_read_once_and_true_doubles_stay():  # fault 40
    puts = [Put(60 + shift, 700, text) for text in ("Total 1100 book",) for shift in (0, 0.3)]
    puts += [Put(60 + shift, 660, "看看 谢谢") for shift in (0, 0.3)]
    assert document(make_pdf([puts]), "a.pdf").text.split() == ["Total", "1100", "book", "看看", "谢谢"]


def test_a_pdf_table_comes_once_and_in_its_place():  # fault 41
    rows = [("Part", "Torque"), ("P001", "10"), ("P002", "12")]
    puts = [Put(72, 720, "Read this before the table.")]
    puts += [Put(x, 690 - 16 * n, text) for n, row in enumerate(rows) for x, text in zip((72, 200), row, strict=True)]
    puts += [Put(72, 620, "And this after the table.")]
    text = document(make_pdf([puts]), "a.pdf").text
    assert text.count("P001") == text.count("Torque") == 1
    assert text.index("before") < text.index("P001") < text.index("after")


# Sheets


def saved(book: openpyxl.Workbook | docx.document.Document) -> bytes:
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def sheet(cells: dict[str, object]) -> bytes:
    book = openpyxl.Workbook()
    for place, value in cells.items():
        book.active[place] = value
    return saved(book)


def replaced(data: bytes, part: str, old: str, new: str) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as given, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as written:
        for name in given.namelist():
            content = given.read(name)
            if name == part:
                assert re.search(old, content.decode())
                content = re.sub(old, new, content.decode()).encode()
            written.writestr(name, content)
    return out.getvalue()


def test_a_title_above_a_table_is_not_its_header():  # fault 42
    read = document(sheet({"A1": "值班表", "A3": "日期", "C3": "值班人", "A4": "周一", "C4": "王工"}), "a.xlsx")
    assert "Unnamed" not in read.text
    assert "nan" not in read.text.lower()
    assert marked(read, "header") == ["日期\t值班人"]
    assert "周一\t王工" in marked(read, "row")
    assert "值班表" in read.text
    assert read.line_at(read.text.index("周一")) == 4


def test_formulas_give_their_value_or_themselves():  # fault 44
    data = sheet({"A1": "件", "B1": "数", "C1": "价", "D1": "计", "A2": "nut", "B2": 5, "C2": 6, "D2": "=B2*C2"})
    assert marked(document(data, "a.xlsx"), "row") == ["nut\t5\t6\t=B2*C2"]
    cached = replaced(data, "xl/worksheets/sheet1.xml", r"<v\s*/>|<v></v>", "<v>30</v>")
    assert marked(document(cached, "a.xlsx"), "row") == ["nut\t5\t6\t30"]


def test_a_million_empty_rows_cost_nothing():  # fault 48
    book = openpyxl.Workbook()
    book.active["A1"] = "唯一一行"
    book.active.cell(1_048_576, 1).font = Font(bold=True)
    assert document(saved(book), "a.xlsx").text.split("\n").count("唯一一行") == 1


def test_a_row_number_that_no_sheet_has_is_refused_or_ignored():  # fault 48
    data = replaced(sheet({"A1": "a", "A2": "b"}), "xl/worksheets/sheet1.xml", r'r="2"', 'r="2147483647"')
    found = outcome(data, "a.xlsx")
    assert isinstance(found, DocumentError) or len(found.document.text) < 1_000


@pytest.mark.parametrize("source", [fault(49, "a.doc"), fault(49, "a.docx"), fault(49, "a.xls")])
def test_the_old_office_is_named_with_a_way_out(source):
    error = refused(bytes.fromhex("d0cf11e0a1b11ae1") + bytes(2_000), source)
    assert "97-2003" in error.message
    assert ("XLSX" if source == "a.xls" else "DOCX") in error.hint


def test_words_that_look_like_nothing_stay():  # fault 50
    rows = [["区", "态", "注"], ["NA", "NULL", None], ["EU", "None", "n/a"]]
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    csv = "\n".join(",".join(cell or "" for cell in row) for row in rows)
    for read in (document(saved(book), "a.xlsx"), document(csv, "a.csv")):
        assert [row.rstrip("\t").split("\t") for row in marked(read, "row")] == [["NA", "NULL"], ["EU", "None", "n/a"]]


@pytest.mark.parametrize("encoding", [fault(55, "utf-8-sig"), fault(55, "utf-16")])
def test_a_byte_order_mark_is_no_part_of_the_first_column(encoding):
    read = document('姓名,年龄\r\n李四,31\r\n"两行\n备注","2,000"\r\n末,1\r\n'.encode(encoding), "a.csv")
    assert marked(read, "header") == ["姓名\t年龄"]
    assert [row.split("\t")[-1] for row in marked(read, "row")] == ["31", "2,000", "1"]
    assert all("\n" not in row for row in marked(read, "row"))
    assert read.line_at(read.text.index("末")) == 5


def test_a_byte_order_mark_does_not_spoil_json():  # fault 55
    assert "张三" in document(b"\xef\xbb\xbf" + '{"名": "张三"}'.encode(), "a.json").text


# DOCX

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


def body(xml: str) -> bytes:
    from docx.oxml import parse_xml

    written = docx.Document()
    for child in reversed(list(parse_xml(f"<w:body {W}>{xml}</w:body>"))):
        written.element.body.insert(0, child)
    return saved(written)


def run(text: str, tag: str = "t") -> str:
    return f'<w:r><w:{tag} xml:space="preserve">{text}</w:{tag}></w:r>'


def test_tracked_changes_are_read_in_their_final_view():  # fault 46
    by = 'w:id="1" w:author="a"'
    xml = (
        f"<w:p>{run('租金为 ')}<w:del {by}>{run('500', 'delText')}</w:del><w:ins {by}>{run('800')}</w:ins>{run(' 元。')}</w:p>"
        f"<w:p><w:moveFrom {by}>{run('搬走的话')}</w:moveFrom></w:p>"
        f"<w:p><w:pPr><w:rPr><w:ins {by}/></w:rPr></w:pPr><w:ins {by}>{run('整段新增')}</w:ins></w:p>"
        f"<w:p><w:moveTo {by}>{run('搬走的话')}</w:moveTo></w:p>"
    )
    read = document(body(xml), "a.docx")
    assert [line for line in read.text.split("\n") if line] == ["租金为 800 元。", "整段新增", "搬走的话"]


def test_a_merged_cell_comes_once():  # fault 51
    written = docx.Document()
    table = written.add_table(2, 3)
    table.cell(0, 0).merge(table.cell(0, 2)).text = "结果汇总"
    for column in range(3):
        table.cell(1, column).text = str(column)
    read: Loaded = load(saved(written), "a.docx")
    assert read.document.text.count("结果汇总") == 1
    assert "0\t1\t2" in read.document.text
