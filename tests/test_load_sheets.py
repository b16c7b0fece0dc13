"""XLSX and CSV: rows with their numbers, headers, values as displayed, hostile files, and the account of every character."""

from __future__ import annotations

import csv
import datetime
import io
import zipfile
from pathlib import Path

import openpyxl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openpyxl.styles import Font

from yinju.errors import DocumentError
from yinju.load.count.office import count_csv, count_xlsx
from yinju.load.office.sheet_format import display
from yinju.load.office.sheets import load_csv, load_xlsx, sniff_delimiter
from yinju.load.parsed import Limits, Parsed, visible
from yinju.types import Document

BENCH = Path(__file__).resolve().parent.parent.parent / "shared" / "bench"


def load(data: bytes, loader=load_xlsx, counter=count_xlsx, **limits) -> Parsed:
    """Load, and hold the receipt to the independent count."""
    parsed = loader(data, "a", Limits(**limits))
    assert counter(data) == visible(parsed.text) + sum(entry.characters for entry in parsed.dropped)
    assert parsed.preset == "table"
    assert all(0 <= mark.span.start <= mark.span.end <= len(parsed.text) for mark in parsed.marks)
    return parsed


def comma(text: str | bytes, **limits) -> Parsed:
    return load(text.encode() if isinstance(text, str) else text, load_csv, count_csv, **limits)


def workbook(sheets: dict[str, list[list[object]]]) -> openpyxl.Workbook:
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    return book


def saved(book: openpyxl.Workbook) -> bytes:
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def dropped(parsed: Parsed) -> dict[str, int]:
    return {entry.what: entry.characters for entry in parsed.dropped}


def marked(parsed: Parsed, kind: str) -> list[str]:
    return [mark.span.of(parsed.text) for mark in parsed.marks if mark.kind == kind]


def line_of(parsed: Parsed, words: str) -> int | None:
    return Document(text=parsed.text, source="a", anchors=parsed.anchors).line_at(parsed.text.index(words))


def refused(data: bytes, loader=load_xlsx, **limits) -> DocumentError:
    with pytest.raises(DocumentError) as caught:
        loader(data, "a", Limits(**limits))
    assert caught.value.hint
    return caught.value


@pytest.mark.parametrize(
    ("name", "rows", "text"),
    [
        ("Sheet1", [["Product", "Price"], ["Lamp", 168]], "Product\tPrice\nLamp\t168"),
        ("工作表1", [["产品", "价格"], ["灯", 168]], "产品\t价格\n灯\t168"),
    ],
)
def test_one_sheet_of_no_name_is_rows_with_a_header(name, rows, text):
    parsed = load(saved(workbook({name: rows})))
    assert parsed.text == text
    assert marked(parsed, "header") == [text.split("\n")[0]]
    assert marked(parsed, "row") == [text.split("\n")[1]]
    assert dropped(parsed) == {}


def test_sheets_stand_under_their_names():
    parsed = load(saved(workbook({"价格": [["产品", "价格"], ["灯", 168]], "Sheet2": [["a", "b"], [1, 2]]})))
    assert parsed.text == "价格\n\n产品\t价格\n灯\t168\n\nSheet2\n\na\tb\n1\t2"
    assert [(m.level, m.label) for m in parsed.marks if m.kind == "heading"] == [(1, "价格"), (1, "Sheet2")]
    assert dropped(parsed) == {"sheet name": -(2 + 6)}


def test_title_rows_and_empty_columns_do_not_hide_the_header():
    book = openpyxl.Workbook()
    sheet = book.active
    sheet["A1"], sheet["A3"], sheet["C3"], sheet["A4"], sheet["C4"] = "进度表", "任务", "负责人", "设计", "李工"
    parsed = load(saved(book))
    assert parsed.text == "进度表\n\n任务\t负责人\n设计\t李工"
    assert marked(parsed, "header") == ["任务\t负责人"]
    assert [line_of(parsed, words) for words in ("进度表", "任务", "设计")] == [1, 3, 4]


def test_a_title_directly_above_the_header():
    parsed = load(saved(workbook({"S": [["2024 price list"], ["Product", "Price"], ["Lamp", 168]]})))
    assert parsed.text.endswith("2024 price list\n\nProduct\tPrice\nLamp\t168")
    assert marked(parsed, "header") == ["Product\tPrice"]


def test_a_table_goes_on_behind_an_empty_row_and_line_numbers_are_the_sheets():
    parsed = load(saved(workbook({"S": [["名称", "数量"], ["甲", 1], [], ["乙", 2], ["丙", 3]]})))
    assert marked(parsed, "table") == ["名称\t数量\n甲\t1\n乙\t2\n丙\t3"]
    assert [line_of(parsed, words) for words in ("甲", "乙", "丙")] == [2, 4, 5]


def test_a_second_table_has_its_own_header():
    book = workbook({"S": [["名称", "数量"], ["甲", 1], [], ["城市", "人口"], ["丽水", 2]]})
    for cell in ("A1", "B1", "A4", "B4"):
        book["S"][cell].font = Font(bold=True)
    assert marked(load(saved(book)), "header") == ["名称\t数量", "城市\t人口"]


@pytest.mark.parametrize(
    ("names", "row", "other", "amounts"),
    [
        (["类别", "品名", "价"], ["水果", "苹果", 3], ["部门", "人数"], ["研发", 12]),
        (["Kind", "Name", "Price"], ["Fruit", "Apple", 3], ["Unit", "Staff"], ["Research", 12]),
    ],
)
def test_a_second_table_without_any_dress_is_told_by_its_words(names, row, other, amounts):
    parsed = load(saved(workbook({"Sheet": [names, row, [], [], other, amounts]})))
    assert marked(parsed, "header") == ["\t".join(names), "\t".join(other)]


def test_numbers_alone_have_no_header():
    assert marked(load(saved(workbook({"S": [[1, 2], [3, 4]]}))), "header") == []


def test_values_as_displayed():
    book = workbook({"S": [["when", "share", "price", "number", "flag", "text"]]})
    sheet = book["S"]
    sheet.append([datetime.datetime(2024, 3, 1), 0.255, 1234.5, 123456789012345, True, "NA"])
    for cell, code in (("A2", 'yyyy"年"m"月"d"日"'), ("B2", "0.0%"), ("C2", '"¥"#,##0.00'), ("D2", "0")):
        sheet[cell].number_format = code
    parsed = load(saved(book))
    assert parsed.text.splitlines()[-1] == "2024年3月1日\t25.5%\t¥1,234.50\t123456789012345\tTRUE\tNA"


@pytest.mark.parametrize(
    ("stored", "code", "shown"),
    [
        ("0.1", "General", "0.1"),
        ("0.30000000000000004", "General", "0.3"),
        ("1.2345678901234568E+17", "General", "123456789012345680"),
        ("45352", "yyyy-mm-dd", "2024-03-01"),  # 45352 days after 30 December 1899
        ("45352.5", "yyyy/m/d h:mm", "2024/3/1 12:00"),
        ("45352.75", "h:mm AM/PM", "6:00 PM"),
        ("45352", 'yyyy"年"m"月"d"日" aaaa', "2024年3月1日 星期五"),
        ("59", "yyyy-mm-dd", "1900-02-28"),
        ("1.5", "[h]:mm", "36:00"),
        ("0.5", "mm:ss.0", "00:00.0"),
        ("7", "0000", "0007"),
        ("-1234.5", "#,##0.00_);(#,##0.00)", "(1,234.50)"),
        ("-0.5", "0%", "-50%"),
        ("1234567", "#,##0,", "1,235"),
        ("12", '0"件"', "12件"),
        ("3.5", "[$¥-804]#,##0.00", "¥3.50"),
        ("1234", "0.00E+00", "1.23E+3"),
        ("0.5", "# ?/?", "0.5"),
        ("0", '0;-0;"-"', "-"),
        ("2.50", "0.##", "2.5"),
        ("text", "0.00", "text"),
    ],
)
def test_number_formats(stored, code, shown):
    assert display(stored, code) == shown


def test_the_other_epoch():
    assert display("43890", "yyyy-mm-dd", since_1904=True) == "2024-03-01"  # 45352 - 1462


def test_formulas_without_a_cached_value_are_shown():
    parsed = load(saved(workbook({"S": [["a", "b"], [1, "=A2*2"]]})))
    assert parsed.text.endswith("1\t=A2*2")


def test_merged_cells_once_and_breaks_inside_a_cell():
    book = workbook({"S": [["部门", "人数"], ["研发\n中心", 3], [None, 4]]})
    book["S"].merge_cells("A2:A3")
    assert load(saved(book)).text.endswith("部门\t人数\n研发 中心\t3\n研发 中心\t4")


def test_hidden_sheets_are_skipped_and_named():
    book = workbook({"公开": [["a", "b"], ["c", "d"]], "内部": [["秘密", "数据"]]})
    book["内部"].sheet_state = "hidden"
    parsed = load(saved(book))
    assert "秘密" not in parsed.text
    assert dropped(parsed)["hidden sheet"] == 4
    assert parsed.warnings == ("hidden-sheets: 内部",)
    book["内部"].sheet_state = "visible"
    book["公开"].sheet_state = "veryHidden"
    assert "公开" in load(saved(book)).warnings[0]


def test_an_inflated_range_costs_nothing():
    book = workbook({"S": [["a", "b"], [1, 2]]})
    data = saved(book)
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w") as new:
        for item in old.infolist():
            content = old.read(item)
            if item.filename.endswith("sheet1.xml"):
                content = content.replace(b'ref="A1:B2"', b'ref="A1:XFD1048576"')
                assert b"XFD" in content
            new.writestr(item, content)
    assert load(out.getvalue()).text.endswith("a\tb\n1\t2")


def test_limits_and_broken_workbooks():
    data = saved(workbook({"S": [["a", "b"], [1, 2]]}))
    assert refused(data, cells=3).code == "limit"
    assert refused(data[:-100]).code == "damaged"
    assert refused(saved(workbook({"S": []}))).code == "no-text"


def test_comma_separated_values():
    parsed = comma(
        b'\xef\xbb\xbf\xe5\xa7\x93\xe5\x90\x8d,\xe5\xb9\xb4\xe9\xbe\x84\r\nAnn,30\r\n"two\nlines","1,000"\r\nBob,NA\r\n'
    )
    assert parsed.text == "姓名\t年龄\nAnn\t30\ntwo lines\t1,000\nBob\tNA"
    assert marked(parsed, "header") == ["姓名\t年龄"]
    assert [line_of(parsed, words) for words in ("姓名", "Ann", "two", "Bob")] == [1, 2, 3, 5]
    assert dropped(parsed) == {"delimiter": 4, "quote": 4}


def test_chinese_encodings():
    text = "产品名称,说明,价格\n阅读灯,适合在床头使用的灯具,168\n台灯,放在书桌上的普通灯具,99\n"
    for encoding in ("gb18030", "utf-16"):
        assert comma(text.encode(encoding)).text == text.strip().replace(",", "\t")


@pytest.mark.parametrize(
    ("sample", "delimiter"),
    [("a;b\n1,5;2\n", ";"), ("a\tb\n1\t2\n", "\t"), ("a|b\n1|2\n", "|"), ("a,b\n1,2\n", ","), ("one\ntwo\n", ",")],
)
def test_the_delimiter_is_found(sample, delimiter):
    assert sniff_delimiter(sample) == delimiter
    comma(sample)


def test_a_quote_that_is_never_closed_does_not_swallow_the_file():
    rows = "".join(f"{n},value {n}\n" for n in range(400))
    parsed = comma('id,text\n0,"oops\n' + rows)
    assert "unclosed-quote" in parsed.warnings
    assert "value 399" in parsed.text
    assert line_of(parsed, "value 399") == 402


def test_limit_of_cells_in_csv():
    assert refused(b"a,b\n1,2\n", load_csv, cells=3).code == "limit"


_CELL = st.one_of(
    st.none(), st.text("ab 9,;\"'电池\n\t_x000D_=|", max_size=12), st.integers(-(10**18), 10**18),
    st.floats(allow_nan=False, allow_infinity=False), st.booleans(),
    st.datetimes(datetime.datetime(1900, 3, 1), datetime.datetime(2200, 1, 1)),
)  # fmt: skip


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(_CELL, max_size=5), min_size=1, max_size=8))
def test_whatever_the_cells_hold_the_account_balances(rows):
    book = workbook({"数据": [["开头"]]})
    for row in rows:
        book["数据"].append(row)
    parsed = load(saved(book))
    for number, row in enumerate(rows, 2):
        words = next((cell for cell in row if isinstance(cell, str) and cell.isalpha()), None)
        assert words is None or words in parsed.text, number


@settings(max_examples=100, deadline=None)
@given(st.lists(st.lists(st.text('ab 9,"电池\n', max_size=8), min_size=2, max_size=4), min_size=1, max_size=6))
def test_whatever_a_csv_writer_writes_is_read_back(rows):
    stream = io.StringIO()
    csv.writer(stream).writerows([["名称", "说明", "第三"], *rows])
    parsed = comma(stream.getvalue())
    squeezed = "".join(parsed.text.split())
    assert squeezed == "名称说明第三" + "".join("".join(cell.split()) for row in rows for cell in row)


@settings(max_examples=100, deadline=None)
@given(st.text(min_size=1, max_size=60))
def test_any_text_as_csv_balances(text):
    try:
        parsed = comma("头,尾\n" + text.replace("\0", "") + "\n")
    except DocumentError:
        return
    assert parsed.text


def mixed_rows() -> list[dict[str, str]]:
    manifest = BENCH / "files-mixed" / "manifest.tsv"
    if not manifest.exists():
        return []
    with manifest.open(encoding="utf-8", newline="") as stream:
        return [
            row
            for row in csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE)
            if row["file"].endswith(".xlsx")
        ]


@pytest.mark.bench
@pytest.mark.skipif(not BENCH.exists(), reason="no public sets beside the checkout")
@pytest.mark.parametrize("row", mixed_rows(), ids=lambda row: row["file"])
def test_mixed_files(row):
    text = load((BENCH / "files-mixed" / row["file"]).read_bytes()).text
    assert all(phrase in text for phrase in row["must_contain"].split(" || "))
