"""XLSX as people have it: headers of several rows, titles, merged categories, tables side by side, notes, hidden parts, inflated sheets."""

from __future__ import annotations

import io
import re
import time
import zipfile

import openpyxl

from test_load_sheets import dropped, line_of, load, marked, refused, saved, workbook


def sheet_part(data: bytes, change) -> bytes:
    """The workbook with the XML of its first sheet changed."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for item in old.infolist():
            content = old.read(item)
            new.writestr(item, change(content) if item.filename.endswith("sheet1.xml") else content)
    return out.getvalue()


def test_a_header_of_two_rows_gives_each_column_its_whole_name():
    rows = [
        ["部门", "2023", None, "2024", None],
        [None, "收入", "利润", "收入", "利润"],
        ["研发", 10, 1, 20, 2],
        ["Sales", 30, 3, 40, 4],
    ]
    book = workbook({"S": rows})
    for area in ("A1:A2", "B1:C1", "D1:E1"):
        book["S"].merge_cells(area)
    parsed = load(saved(book))
    assert marked(parsed, "header") == ["部门\t2023\t2023\t2024\t2024\n部门\t收入\t利润\t收入\t利润"]
    assert marked(parsed, "row") == ["研发\t10\t1\t20\t2", "Sales\t30\t3\t40\t4"]
    assert dropped(parsed)["merged cell"] == -(2 + 4 + 4)


def test_years_may_name_columns_but_not_where_years_stand_below():
    assert marked(load(saved(workbook({"S": [["项目", "2022", "2023"], ["收入", 5, 6]]}))), "header") == [
        "项目\t2022\t2023"
    ]
    assert marked(load(saved(workbook({"S": [["Lamp", "2022", "2023"], ["Desk", "2021", "2024"]]}))), "header") == []


def test_titles_may_have_several_cells():
    rows = [
        ["2024 年价目表", None, None, None],
        ["单位：元", None, None, "Date: May"],
        ["名称", "型号", "Price", "备注"],
        ["灯", "L1", 168, "含税"],
    ]
    book = workbook({"S": rows})
    book["S"].merge_cells("A1:D1")
    parsed = load(saved(book))
    assert marked(parsed, "header") == ["名称\t型号\tPrice\t备注"]
    assert marked(parsed, "table") == ["名称\t型号\tPrice\t备注\n灯\tL1\t168\t含税"]
    assert parsed.text.startswith("S\n\n2024 年价目表\n\n单位：元")


def test_a_value_merged_over_a_block_stands_once_and_a_category_in_each_row():
    book = workbook({"S": [["合并"]]})
    book["S"].merge_cells("A1:Z50")
    assert load(saved(book)).text == "S\n\n合并"
    book = workbook(
        {
            "S": [
                ["类别", "品名", "单价"],
                ["灯具", "Desk lamp", 168],
                [None, "吊灯", 299],
                [None, None, None],
                ["Cable", "USB", 9],
            ]
        }
    )
    book["S"].merge_cells("A2:A4")
    assert marked(load(saved(book)), "row") == ["灯具\tDesk lamp\t168", "灯具\t吊灯\t299", "Cable\tUSB\t9"]


def test_a_long_remark_beside_a_table_stands_once():
    remark = "说明" * 60
    book = workbook({"S": [["名称", "数量", "Remark"], ["甲", 1, remark], ["乙", 2, None]]})
    book["S"].merge_cells("C2:C3")
    assert load(saved(book)).text.count(remark) == 1


def test_tables_side_by_side_are_two_and_a_gap_in_one_is_none():
    book = workbook(
        {"S": [["姓名", "年龄", None, "姓名", "年龄"], ["甲", 30, None, "Ann", 31], ["乙", 40, None, "Bob", 41]]}
    )
    assert marked(load(saved(book)), "table") == ["姓名\t年龄\n甲\t30\n乙\t40", "姓名\t年龄\nAnn\t31\nBob\t41"]
    book = workbook({"S": [["名称", "数量", None, "价格", "Total"], ["甲", 1, None, 5, 5], ["乙", 2, None, 6, 12]]})
    assert marked(load(saved(book)), "header") == ["名称\t数量\t价格\tTotal"]


def test_tables_corner_to_corner_are_two():
    book = workbook({"S": [["名称", "数量"], ["甲", 1], [None, None, "Item", "Count"], [None, None, "A", 2]]})
    assert marked(load(saved(book)), "header") == ["名称\t数量", "Item\tCount"]


def test_notes_of_cells_stand_behind_the_rows():
    book = workbook({"S": [["名称", "价格"], ["灯", 168]]})
    book["S"]["B2"].comment = openpyxl.comments.Comment("Li:\n含税 price", "Li")
    parsed = load(saved(book))
    assert parsed.text.endswith("灯\t168\n\n[B2] 含税 price")
    assert line_of(parsed, "含税") == 2
    assert dropped(parsed) == {"sheet name": -1, "author of a note": 3, "place of a note": -4}


def test_hidden_rows_and_columns_are_kept_and_named():
    book = workbook({"S": [["名称", "成本", "Price"], ["甲", 1, 2], ["乙", 3, 4]]})
    book["S"].column_dimensions["B"].hidden = True
    book["S"].row_dimensions[3].hidden = True
    parsed = load(saved(book))
    assert parsed.text.endswith("名称\t成本\tPrice\n甲\t1\t2\n乙\t3\t4")
    assert parsed.warnings == ("hidden-rows: 1", "hidden-columns: B")


def test_errors_long_numbers_and_reading_aids():
    data = sheet_part(
        saved(workbook({"S": [["错误", "编号"], [1, 2]]})),
        lambda content: content.replace(b"<v>1</v>", b"<v>#REF!</v>").replace(b'r="A2" t="n"', b'r="A2" t="e"')
        .replace(b"<v>2</v>", b"<v>330106199001011234</v>"),
    )  # fmt: skip
    assert load(data).text.endswith("#REF!\t330106199001011234")
    aid = "<is><r><t>電</t></r><rPh><t>でん</t></rPh><r><t>池</t></r></is>".encode()
    data = sheet_part(data, lambda content: content.replace(b"<v>#REF!</v>", aid).replace(b't="e"', b't="inlineStr"'))
    assert "電池\t" in load(data).text


def test_a_million_dressed_rows_cost_little_and_rows_beyond_the_last_are_refused():
    data = saved(workbook({"S": [["a", "b"], [1, 2]]}))
    dressed = "".join(
        f'<row r="{n}" s="1"><c r="A{n}" s="1"/><c r="B{n}" s="1"/></row>' for n in range(3, 50_000)
    ).encode()
    started = time.process_time()
    big = sheet_part(data, lambda content: content.replace(b"</sheetData>", dressed + b"</sheetData>"))
    assert load(big, ratio=10_000).text.endswith("a\tb\n1\t2")
    assert time.process_time() - started < 2
    assert (
        refused(sheet_part(data, lambda content: content.replace(b'<row r="2"', b'<row r="2147483647"'))).code
        == "damaged"
    )


def test_empty_cells_without_a_place_still_count():
    row = b'<row><c/><c t="inlineStr"><is><t>second</t></is></c></row><row r="9"><c r="A9" s="1"/><c r="C9"><v>5</v></c></row>'
    data = sheet_part(
        saved(workbook({"S": [["a"]]})),
        lambda content: re.sub(b"<sheetData>.*</sheetData>", b"<sheetData>" + row + b"</sheetData>", content),
    )
    parsed = load(data)
    assert line_of(parsed, "5") == 9
    assert line_of(parsed, "second") == 1
