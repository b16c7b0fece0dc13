"""Word, Excel, PowerPoint 97-2003 and RTF: what golden files do not show, and files that lie."""

from __future__ import annotations

import random
import struct
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.doc_writer import CHINESE, ENGLISH, word, word_6
from tests.ole_writer import compound

from yinju.errors import DocumentError
from yinju.load import Loaded, load

GOLDEN = Path(__file__).parent / "golden"
BENCH = Path(__file__).parents[2] / "shared" / "bench" / "files-mixed" / "files"


def text(data: bytes, source: str) -> str:
    return load(data, source).document.text


def refused(data: bytes, source: str) -> DocumentError:
    with pytest.raises(DocumentError) as caught:
        load(data, source)
    return caught.value


def dropped(loaded: Loaded) -> dict[str, int]:
    return {item.what: item.characters for item in loaded.receipt.dropped}


# --- Word


@pytest.mark.parametrize(
    ("pieces", "language", "expected"),
    [
        (("第一条 ", "本合同自签字之日起生效。\r"), CHINESE, "第一条 本合同自签字之日起生效。"),
        (("甲方：".encode("gbk"), "乙方：李娜\r"), CHINESE, "甲方：乙方：李娜"),
        ((b"It\x92s \x93due\x94 on Monday \x96 ", "or later\r"), ENGLISH, "It’s “due” on Monday – or later"),
        ((b"caf\xe9 cr\xe8me\r",), CHINESE, "café crème"),
        ((b"It\x92s Tom\x92s\r",), CHINESE, "It’s Tom’s"),  # pairs of GBK, too
        (("𠮷野家 ", "Yoshinoya\r"), CHINESE, "𠮷野家 Yoshinoya"),
    ],
)
def test_pieces_of_either_kind(pieces, language, expected):
    loaded = load(word(*pieces, language=language), "a.doc")
    assert loaded.document.text == expected
    assert loaded.receipt.found == len("".join(expected.split()))


@pytest.mark.parametrize(
    ("raw", "language", "expected"),
    [
        ("办公用品清单\r每季度盘点一次。\r".encode("gbk"), CHINESE, "办公用品清单\n\n每季度盘点一次。"),
        (b"Office supplies\rCounted once a quarter.\r", ENGLISH, "Office supplies\n\nCounted once a quarter."),
    ],
)
def test_word_6(raw, language, expected):
    assert text(word_6(raw, language), "a.doc") == expected


@pytest.mark.parametrize(
    ("body", "expected", "code"),
    [
        ("见\x13 HYPERLINK \"http://x\" \x14官网\x15。\r", "见官网。", 9 + 10),
        ("See \x13 REF a \x14the \x13 SEQ b \x147\x15th\x15 row\r", "See the 7th row", 8),
        ("页\x13 PAGE \x15码\r", "页码", 4),
        ("甲\x13 QUOTE 乙\r下一段还在\r", "甲\n\n下一段还在", 6),
    ],
)  # fmt: skip
def test_fields_show_their_result(body, expected, code):
    loaded = load(word(body), "a.doc")
    assert loaded.document.text == expected
    assert dropped(loaded)["field code"] == code


def test_notes_without_a_place_are_kept():
    loaded = load(word("正文。\r", notes="脚注甲\r"), "a.doc")
    assert loaded.document.text == "正文。"
    assert dropped(loaded) == {"text between notes": 3}


def test_a_protected_document_says_so():
    assert refused(word("秘密\r", flags=0x0100), "a.doc").code == "encrypted"


def test_pieces_that_lie_are_damage():
    far = struct.pack("<2I", 0, 50) + struct.pack("<HIH", 0, 1_000_000, 0)
    back = struct.pack("<3I", 0, 50, 10) + struct.pack("<HIH", 0, 2048, 0) * 2
    many = struct.pack("<I", 0xFFFFFFFF)
    for plex in (far, back):
        assert refused(word("a\r", clx=b"\x02" + struct.pack("<I", len(plex)) + plex), "a.doc").code == "damaged"
    assert refused(word("a\r", clx=b"\x02" + many), "a.doc").code == "damaged"
    overlapping = b"".join(struct.pack("<I", 900 * n) for n in range(40)) + struct.pack("<HIH", 0, 2048, 0) * 39
    overlapping = struct.pack("<I", len(overlapping)) + overlapping
    assert (
        refused(word("a\r" * 900, clx=b"\x02" + struct.pack("<I", len(overlapping)) + overlapping), "a.doc").code
        == "damaged"
    )


def test_a_list_of_properties_without_end_costs_nothing():
    summary = bytes(44) + struct.pack("<3I", 48, 100, 0xFFFFFFFF) + bytes(5000)
    streams = {"\x05SummaryInformation": summary, "WordDocument": b"", "1Table": b""}
    assert refused(compound(streams), "a.doc").code == "damaged"


def test_the_names_of_wps_are_no_mismatch():
    assert load(word("会议纪要\r"), "a.wps").receipt.warnings == ()


@pytest.mark.parametrize(("source", "kind"), [("a.docx", "doc"), ("a.txt", "doc"), ("a.xls", "doc")])
def test_streams_decide_and_not_names(source, kind):
    loaded = load(word("会议纪要\r"), source)
    assert loaded.document.type == kind
    assert loaded.receipt.warnings[0] == f"type-mismatch: doc named {source[1:]}"


def test_a_workbook_inside_of_a_letter_makes_no_workbook():
    data = compound({"ObjectPool/_1/Workbook": b"x" * 5000, "WordDocument": b"", "1Table": b""})
    assert refused(data, "a.doc").code == "damaged"  # as a letter, not as a workbook


# --- Excel


@pytest.mark.parametrize(
    ("name", "page"),
    [
        ("编号\t名称\t价格\nA1\t螺丝\t3.5\n", "csv"),
        ("<html><head><meta charset=gb2312></head><body><table><tr><td>编号</td><td>名称</td></tr></table>", "html"),
        ("Code\tName\nA1\tScrew\n", "csv"),
        ("<table border=1><tr><td>Code</td><td>Name</td></tr></table>", "html"),
    ],
)
def test_exports_named_xls_are_read_as_what_they_are(name, page):
    loaded = load(name.encode("gbk"), "导出.xls")
    assert loaded.document.type == page
    assert loaded.receipt.warnings[0] == f"type-mismatch: {page} named .xls"
    assert [mark.kind for mark in loaded.document.marks].count("table") == 1


XML = """<?xml version="1.0" encoding="{declared}"?><?mso-application progid="Excel.Sheet"?>
<Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet" xmlns:ss="urn:schemas-microsoft-com:office:spreadsheet">
<Styles><Style ss:ID="s1"><NumberFormat ss:Format="#,##0.00"/></Style></Styles>
<Worksheet ss:Name="订单"><Table><Row><Cell><Data ss:Type="String">编号</Data></Cell>
<Cell ss:Index="3"><Data ss:Type="String">金额</Data></Cell></Row>
<Row><Cell><Data ss:Type="String">甲</Data></Cell><Cell ss:Index="3" ss:StyleID="s1"><Data ss:Type="Number">12345.6</Data></Cell></Row>
<Row ss:Index="9"><Cell><Data ss:Type="DateTime">2024-01-05T00:00:00.000</Data></Cell></Row></Table></Worksheet>
<Worksheet ss:Name="底稿"><Table><Row><Cell><Data ss:Type="String">内部</Data></Cell></Row></Table>
<WorksheetOptions xmlns="urn:schemas-microsoft-com:office:excel"><Visible>SheetHidden</Visible></WorksheetOptions></Worksheet></Workbook>"""


@pytest.mark.parametrize(("declared", "encoding"), [("GB2312", "gbk"), ("UTF-8", "utf-8"), ("UTF-8", "gbk")])
def test_xml_of_excel_2003(declared, encoding):
    loaded = load(XML.format(declared=declared).encode(encoding), "a.xls")
    assert loaded.document.text == "订单\n\n编号\t金额\n甲\t12,345.60\n\n2024-01-05"
    assert loaded.receipt.warnings == ("type-mismatch: xml named .xls", "hidden-sheets: 底稿")
    assert dropped(loaded)["hidden sheet"] == 2


def test_xml_of_excel_with_a_document_type_is_refused():
    assert (
        refused(XML.format(declared="UTF-8").replace("<Workbook", "<!DOCTYPE x><Workbook").encode(), "a.xls").code
        == "unsafe-xml"
    )


# --- RTF

RTF = rb"{\rtf1\ansi\ansicpg936\deff0{\fonttbl{\f0\fcharset134 \'cb\'ce\'cc\'e5;}{\f1\fcharset0 Arial;}}"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (rb"\'d6\'d0\'ce\'c4\f1 ABC\par", "中文ABC"),
        (rb"\f1\'d6\'d0\'ce\'c4\par", "中文"),  # the font says Western
        (rb"\f1 It\'92s Tom\'92s\par", "It’s Tom’s"),
        (rb"\uc2\u20013\'d6\'d0\u25991\'ce\'c4\uc0\u33\par", "中文!"),
        (rb"\uc1\u-10178?\u-8384?\par", "\U0001fb40"),
        (rb"\'d5A\'81A\par", "誂丄"),
        (rb"a\tab b\line c\emdash d\~e\_f\{g\}\par", "a b\nc—d\xa0e-f{g}"),
        (rb"{\*\unknown secret}{\pict 00ff}{\field{\*\fldinst HYPERLINK x}{\fldrslt \'b5\'e3}}\par", "点"),
        (rb"{\v \'d2\'fe}\'cf\'d4{\deleted \'c9\'be}\par", "显"),
        (rb"{\pard\plain\outlinelevel1 \'b1\'ea\'cc\'e2\par}", "标题"),
        (rb"{\footnote \'d7\'a2\par}\'ce\'c4\par", "[^1]文\n\n[^1]: 注"),
        (rb"{\shp{\*\shpinst{\sp{\sn pib}{\sv 1}}{\shptxt \'bf\'f2\par}}{\shprslt twice}}\'ce\'c4\par", "文\n\n框"),
        (rb"x{\footnote n\*\shpinst y}\par", "x[^1]\n\n[^1]: n"),  # a note without its end
        (rb"\bin5 }}}}}\'ce\'c4\par", "文"),
    ],
)
def test_rtf(body, expected):
    assert text(RTF + body + b"}", "a.rtf") == expected


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        ((rb"\'c3\'fb", rb"\'bc\'db", rb"\'bc\'d7", b"3"), "名\t价\n甲\t3"),
        ((b"Name", b"Price", b"Bolt", b"3"), "Name\tPrice\nBolt\t3"),
    ],
)
def test_tables_of_rtf(cells, expected):
    row = rb"\trowd\cellx1\cellx2\pard\intbl %s\cell %s\cell\row"
    document = load(RTF + row % cells[:2] + row % cells[2:] + rb"\pard after\par}", "a.rtf").document
    assert document.text == expected + "\n\nafter"
    assert [mark.kind for mark in document.marks] == ["table", "header", "row"]


def test_deep_groups_of_rtf():
    assert refused(b"{\\rtf1" + b"{" * 20_000 + b"a", "a.rtf").code == "too-deep"
    assert load(b"{\\rtf1 {{\xb8\xbd", "a.rtf").receipt.warnings == ("cut-off: 3",)


# --- all of them


@pytest.mark.parametrize("name", ["a.doc", "a.xls", "a.ppt", "a.msg"])
def test_containers_that_hold_nothing_are_damage(name):
    assert refused(bytes.fromhex("d0cf11e0a1b11ae1") + bytes(2000), name).code == "damaged"


def test_a_package_behind_a_password():
    assert refused(compound({"EncryptedPackage": b"x" * 5000, "EncryptionInfo": b"y"}), "a.xlsx").code == "encrypted"


def outcome(data: bytes, source: str) -> str:
    """Any file ends as a document that balances, or with a reason; `unbalanced` would be a fault of ours."""
    try:
        return load(data, source).document.type
    except DocumentError as error:
        return error.code


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(["doc", "xls", "ppt", "rtf"]), st.integers(0, 2**32))
def test_mutated_files_end_as_something(kind, seed):
    name = {"xls": "prices", "ppt": "slides"}.get(kind, "handbook") + ".zh." + kind
    data, chance = bytearray((GOLDEN / name).read_bytes()), random.Random(seed)
    for _ in range(chance.choice((1, 2, 8))):
        at = chance.randrange(len(data))
        if chance.random() < 0.7:
            data[at : at + 4] = chance.choice((b"\xff\xff\xff\xff", bytes(4), bytes([chance.randrange(256)])))[
                : len(data) - at
            ]
        else:
            del data[at : at + chance.randrange(1, 600)]
    assert "unbalanced" not in outcome(bytes(data), name)


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=300), st.sampled_from(["doc", "xls", "ppt", "msg", "rtf"]))
def test_random_bytes_end_as_something(data, kind):
    assert "unbalanced" not in outcome(data, "a." + kind)
    assert "unbalanced" not in outcome(b"{\\rtf1" + data, "a.rtf")


@pytest.mark.bench
@pytest.mark.parametrize(
    ("name", "phrase"),
    [
        ("en-legacy.doc", "Here are some interesting things a respectful duck could eat:"),
        ("zh-legacy-import-template.xls", "填写规则和示例内容不得删除"),
        ("zh-legacy-import-template.xls", "\t加大平垫圈\t"),
    ],
)
def test_files_as_people_have_them(name, phrase):
    if not BENCH.is_dir():
        pytest.skip(f"{BENCH} is absent")
    assert phrase in text((BENCH / name).read_bytes(), name)
