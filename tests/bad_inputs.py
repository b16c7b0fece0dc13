"""Writes files that mean harm, lie, or are merely broken: each a case with what a sync must say of it.

Nothing here is larger than some megabytes on disk; what is larger when read says so by `slow`.
"""

from __future__ import annotations

import io
import json
import random
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from tests.office_writer import ODF_NAMES, A, odf, packed, pptx, relations

INDEXED = "indexed"
ANY = ""  # indexed or skipped, as long as it ends, with a reason that is known
W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_MAIN = "application/vnd.openxmlformats-officedocument."


@dataclass(frozen=True)
class Case:
    """`expected`: `indexed`, or codes of reasons separated by `|`; `words` have to be found in the text, `warns` in the warnings."""

    name: str
    make: Callable[[], bytes | str]
    expected: str = ANY
    words: str = ""
    warns: str = ""
    slow: bool = False

    def data(self) -> bytes:
        made = self.make()
        return made.encode("utf-8", "surrogatepass") if isinstance(made, str) else made


CASES: list[Case] = []


def case(name: str, expected: str = ANY, words: str = "", warns: str = "", *, slow: bool = False) -> Callable:
    def add(make: Callable[[], bytes | str]) -> Callable[[], bytes | str]:
        CASES.append(Case(name, make, expected, words, warns, slow))
        return make

    return add


def cases(table: Mapping[str, tuple[bytes | str, str]]) -> None:
    """Add small files: name -> (content, expected)."""
    for name, (content, expected) in table.items():
        CASES.append(Case(name, lambda content=content: content, expected))


# Any format ------------------------------------------------------------------------------------------------


def gif() -> bytes:
    return b"GIF89a" + struct.pack("<HHBBB", 1, 1, 0x80, 0, 0) + bytes(6) + b",\0\0\0\0\1\0\1\0\0\2\2D\1\0;" + bytes(40)


def png(width: int, height: int, rows: int = 1) -> bytes:
    def piece(kind: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    pixels = zlib.compress(b"\0" * ((width + 7) // 8 + 1) * rows, 9)
    return (
        b"\x89PNG\r\n\x1a\n"
        + piece(b"IHDR", struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0))
        + piece(b"IDAT", pixels)
        + piece(b"IEND", b"")
    )


cases({
    "empty.docx": (b"", "empty"),
    "empty.csv": (b"", "empty"),
    "mark-only.txt": (b"\xef\xbb\xbf", "no-text|empty"),
    "nothing-to-see.txt": ("\u200b\u2060\ufeff\u00ad \u3164\n" * 90, "no-text"),
    "zeros.txt": (bytes(20_000), "no-text|binary"),
    "ones.md": (b"\xff" * 20_000, "binary"),
    "picture.md": (gif(), "binary|picture|no-ocr"),
    "picture.docx": (gif(), "binary|damaged|picture|no-ocr"),
    "words.docx": ("这只是一段文字。\nOnly words.\n", INDEXED),
    "words.pdf": ("这只是一段文字。\nOnly words.\n", INDEXED),
    "program.txt": (b"\x7fELF" + bytes(range(256)) * 20, "binary"),
    "database.csv": (b"SQLite format 3\0" + bytes(4_000), "binary"),
    "unknown.qqq": (random.Random(3).randbytes(4_000), "unknown-type"),
    "page.pdf": ("<!DOCTYPE html><title>404</title><p>Not found 未找到</p>", INDEXED),
    "$(touch evil).md": ("# 名字里的命令\n正文", INDEXED),
    "-rf.md": ("# 像选项的名字\n正文", INDEXED),
    "'; DROP TABLE documents; --.md": ("# 名字里的查询\n正文", INDEXED),
    "测" * 80 + ".md": ("# 长名字\n正文", INDEXED),
    "🧑‍🚒👋🏻.md": ("# 表情名字\n正文", INDEXED),
    "\x1b[31mred\x07.md": ("# 终端控制符\n正文", INDEXED),
    "COM1.md": ("# 设备名\n正文", INDEXED),
    "no suffix": ("没有后缀的文字。", INDEXED),
})  # fmt: skip

# Encodings -------------------------------------------------------------------------------------------------

_PROSE = "检索增强生成把文档切成片段，再按问题查找。第一章讲方法，第二章讲评测。\n"
cases({
    "utf16be.txt": ((_PROSE * 20).encode("utf-16-be"), INDEXED),
    "utf32.txt": (b"\xff\xfe\0\0" + _PROSE.encode("utf-32-le"), INDEXED),
    "big5.txt": (("檢索增強生成把文件切成片段，再按問題查找。\n" * 20).encode("big5"), INDEXED),
    "mixed.txt": (_PROSE.encode() * 10 + _PROSE.encode("gb18030") * 10, INDEXED),
    "cut-in-a-character.txt": ((_PROSE * 20).encode()[:-5], INDEXED),
    "cesu.txt": (b"\xed\xa0\xbd\xed\xb8\x80 " + _PROSE.encode(), INDEXED),
    "overlong.txt": (_PROSE.encode() + b"\xc0\xaf\xc0\xae", ANY),
    "odd-utf16.txt": (b"\xff\xfe" + _PROSE.encode("utf-16-le") + b"\x41", ANY),
    "noncharacters.txt": ("\ufffe\uffff\U0001ffff " + _PROSE, INDEXED),
    "controls.txt": ("".join(map(chr, range(32))) + _PROSE + "\x7f\x85\u2028\u2029", ANY),
    "private.txt": ("\ue000\uf8ff" * 500, ANY),
    "lying-charset.html": (b'<meta charset="utf-16"><p>' + _PROSE.encode(), INDEXED),
    "unknown-charset.html": (b'<meta charset="zlib"><p>' + _PROSE.encode(), INDEXED),
    "combining.txt": ("a" + "\u0301" * 50_000 + " 结束", INDEXED),
})  # fmt: skip

# Long and deep text ----------------------------------------------------------------------------------------


case("a-million-lines.txt", INDEXED, slow=True)(lambda: "a\n" * 1_000_000)
case("blank-lines.md", INDEXED, "末尾")(lambda: "\n" * 1_000_000 + "末尾")
case("one-word.txt", INDEXED, slow=True)(lambda: "x" * 3_000_000)
case("marks.md", INDEXED)(lambda: "#" * 300_000 + "\n" + "。" * 100_000)
case("quotes.md", ANY)(lambda: ">" * 20_000 + " 深")
case("lists.md", ANY)(lambda: "".join(" " * (2 * n) + f"- {n}\n" for n in range(400)))
case("brackets.md", INDEXED)(lambda: "[" * 50_000 + "a" + "](b)" * 50_000)
case("stars.md", INDEXED)(lambda: "*a **b " * 30_000)
case("ticks.md", INDEXED)(lambda: "".join("`" * n + " " for n in range(1, 600)))
case("angles.md", INDEXED)(lambda: "<" * 60_000 + "!--" * 20_000)
case("references.md", INDEXED)(lambda: "".join(f"[r{n}]: http://127.0.0.1:48923/{n}\n" for n in range(20_000)) + "\n字")
case("wide-table.md", INDEXED)(lambda: "|".join("abc" for _ in range(5_000)) + "\n" + "|".join(["---"] * 5_000) + "\n")
case("fences.md", INDEXED)(lambda: "```\n" * 30_001 + "字")
case("div.html", ANY)(lambda: "<div>" * 100_000 + "深")
case("bold.html", ANY)(lambda: "<b><i>" * 3_000 + "深" + "<p>x" * 3_000)
case("tables.html", ANY)(lambda: "<table><tr><td>" * 3_000 + "深")
case("attributes.html", INDEXED)(lambda: "<p " + " ".join(f"a{n}=1" for n in range(10_000)) + ">文字</p>")
case("spans.html", ANY)(lambda: "<table>" + '<tr><td colspan="999999999" rowspan="99999999">格' * 50 + "</table>")
case("entities.html", INDEXED)(lambda: "<p>" + "&amp;" * 200_000 + "&#x110000;&#xD800;&#0;&bogus;字</p>")
case("comments.html", ANY)(lambda: "<p>字" + "<!--" * 100_000)
case("data-uri.html", INDEXED, "图")(lambda: '<p>图<img src="data:image/png;base64,' + "A" * 4_000_000 + '"></p>')
case("plaintext.html", ANY)(lambda: "<p>前<plaintext></p><script>x</script>" * 1_000)

# Data ------------------------------------------------------------------------------------------------------

cases({
    "numbers.json": ('{"a": 1e999, "b": -1e999, "c": ' + "9" * 9_000 + ', "d": 0.' + "1" * 9_000 + "}", INDEXED),
    "surrogate.json": ('{"a": "\\ud800 字", "\\udfff": "\\ud83d"}', INDEXED),
    "cut.json": ('{"a": [1, 2, {"b": "字', ANY),
    "two.json": ('{"a": 1} {"b": 2} 字', ANY),
    "keys.json": ("{" + ",".join('"a":1' for _ in range(50_000)) + "}", INDEXED),
    "objects.json": ('{"a":' * 100_000 + "1" + "}" * 100_000, "too-deep"),
    "deep-line.jsonl": ('{"a": "好"}\n' + "[" * 100_000 + "]" * 100_000 + "\n", ANY),
    "scalar.json": ("17", INDEXED),
    "wide.csv": (",".join("abc" for _ in range(300_000)), ANY),
    "unclosed.csv": ('甲,乙\n"一,二\n' + "三,四\n" * 20_000, INDEXED),
    "commas.csv": ("," * 400_000 + "\n字", ANY),
    "long-cell.csv": ("甲,乙\n" + "字" * 300_000 + ",二\n", INDEXED),
    "ragged.csv": ("\n".join("x," * (n % 300) for n in range(4_000)), INDEXED),
    "quotes.csv": ('"' * 200_001 + ",字", ANY),
    "deep.yaml": ("- " * 20_000 + "x", INDEXED),
    "laughs.yaml": ("a: &a [x]\n" + "".join(f"b{n}: &b{n} [{'*a,' * 9}]\n" for n in range(9)), INDEXED),
    "dates.md": ("---\ntitle: 2024-01-01\ndate: 2024-01-01 10:00:00\ntags: {a: {b: [1, null]}}\n1: x\n? [1]\n: y\n---\n# 正文\n", INDEXED),
    "itself.md": ("---\na: &a [*a]\nb: &b {c: *b}\n---\n# 正文\n", INDEXED),
    "object.md": ("---\nx: !!python/object/apply:os.system ['touch evil']\ny: !!binary '//8='\n---\n# 正文\n", INDEXED),
    "infinite.md": ("---\na: .inf\nb: .nan\nc: 1e999\nd: 0x" + "F" * 9_000 + "\n---\n# 正文\n", INDEXED),
    "open.md": ("---\n" + "a: [" * 5_000 + "\n---\n# 正文\n", INDEXED),
    "only-front.md": ("---\ntitle: 只有元数据\n---\n", "empty|no-text"),
    "bad-cells.ipynb": ('{"cells": {"a": 1}, "nbformat": 4}', ANY),
    "bad-source.ipynb": (json.dumps({"nbformat": 4, "cells": [
        {"cell_type": "markdown", "source": 17}, None, {"cell_type": "code", "source": ["x = 1", 5], "outputs": {"a": 1}},
        {"cell_type": "markdown", "source": "# 好的格"},
    ]}), ANY),
    "cut.ipynb": ('{"cells": [{"cell_type": "markdown", "source": "# 题', ANY),
    "times.srt": ("1\n-1:00:00,000 --> 99:99:99,999\n字幕\n\n99999999999999999999\n00:00 --> x\n又一行\n", INDEXED),
    "cues.vtt": ("WEBVTT\n\n" + "00:00.000 --> 00:00.001\n<v <b><i>甲>字\n\n" * 5_000, INDEXED),
    "string.sql": ("INSERT INTO t VALUES ('" + "字" * 100_000, INDEXED),
    "comments.sql": ("/*" * 50_000 + "字", INDEXED),
    "brackets.sql": ("INSERT INTO t VALUES " + "(" * 100_000 + "1", INDEXED),
    "rows.sql": ("INSERT INTO t VALUES " + ",".join("(1,'a''b\\'')" for _ in range(30_000)) + ";", INDEXED),
    "external.xml": ('<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/hostname">]><a>&x;</a>', "unsafe-xml"),
    "parameter.xml": ('<!DOCTYPE a [<!ENTITY % p SYSTEM "http://127.0.0.1:48923/p"> %p;]><a>字</a>', "unsafe-xml"),
    "quadratic.xml": (f'<!DOCTYPE a [<!ENTITY b "{"x" * 50_000}">]><a>' + "&b;" * 10_000 + "</a>", "unsafe-xml"),
    "include.xml": ('<a xmlns:i="http://www.w3.org/2001/XInclude"><i:include href="/etc/passwd" parse="text"/>字</a>', INDEXED),
    "style.xml": ('<?xml-stylesheet href="http://127.0.0.1:48923/x.xsl" type="text/xsl"?><a>字</a>', INDEXED),
})  # fmt: skip

case("deep.xml", ANY)(lambda: "<a>" * 100_000 + "字" + "</a>" * 100_000)
case("brackets.py", INDEXED)(lambda: "x = " + "(" * 50_000 + "1" + ")" * 50_000 + "\n")
case("nested.py", INDEXED)(lambda: "".join(" " * n + f"def f{n}():\n" for n in range(600)) + " " * 600 + "pass\n")
case("braces.js", INDEXED)(lambda: "function f(){" * 10_000)
case("braces.c", INDEXED)(lambda: "int f(){" + "{" * 100_000)
case("template.ts", INDEXED)(lambda: "`${" * 30_000)
case("operators.java", INDEXED)(lambda: "class A { int x = " + "-" * 100_000 + "1; }")
case("shell.sh", INDEXED)(lambda: "$(" * 50_000 + "字")

# Office packages -------------------------------------------------------------------------------------------


def docx(
    body: str, parts: Mapping[str, str | bytes] | None = None, related: Mapping[str, tuple[str, str]] | None = None
) -> bytes:
    return packed({
        "[Content_Types].xml": f'<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Override'
        f' PartName="/word/document.xml" ContentType="{_MAIN}wordprocessingml.document.main+xml"/></Types>',
        "_rels/.rels": relations({"a": ("officeDocument", "word/document.xml")}),
        "word/document.xml": f'<w:document {W} xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
        f' xmlns:o="urn:schemas-microsoft-com:office:office"><w:body>{body}</w:body></w:document>',
        "word/_rels/document.xml.rels": relations(related or {}),
        **(parts or {}),
    })  # fmt: skip


def paragraph(text: str) -> str:
    return f'<w:p><w:r><w:t xml:space="preserve">{text}</w:t></w:r></w:p>'


def repacked(
    data: bytes, change: Callable[[str, bytes], bytes | None], more: Iterable[tuple[str, bytes]] = ()
) -> bytes:
    """Return the package with each part changed, left out where the change is None, and some more parts."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as given, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as written:
        for name in given.namelist():
            content = change(name, given.read(name))
            if content is not None:
                written.writestr(name, content)
        for name, content in more:
            written.writestr(name, content)
    return out.getvalue()


def lying(data: bytes, name: str, size: int) -> bytes:
    """Return the package whose directory says that this part has `size` bytes."""
    place = data.rindex(b"PK\x01\x02", 0, data.rindex(name.encode()))
    return data[: place + 24] + struct.pack("<I", size) + data[place + 28 :]


def wrong_checksum(data: bytes, name: str) -> bytes:
    """Return the package whose directory has another checksum of this part."""
    place = data.rindex(b"PK\x01\x02", 0, data.rindex(name.encode()))
    return data[: place + 16] + b"\1\2\3\4" + data[place + 20 :]


def overlapping(count: int) -> bytes:
    """A package whose entries all are the same compressed bytes: small on disk, large together."""
    data = packed({"word/document.xml": "<w>" + " " * 3_000_000 + "</w>"})
    place = data.index(b"PK\x01\x02")
    entry, end = data[place : data.index(b"PK\x05\x06")], data[data.index(b"PK\x05\x06") :]
    directory = b"".join(entry.replace(b"document.xml", b"d%010d" % n) if n else entry for n in range(count))
    size = struct.pack("<HHII", count, count, len(directory), place)
    return data[:place] + directory + end[:8] + size + end[20:]


_HELLO = paragraph("你好 hello")
case("half.xlsx", "damaged")(lambda: xlsx("<row r='1'><c r='A1'><v>1</v></c></row>")[:500])
case("ole.docx", INDEXED, "你好")(
    lambda: docx(
        _HELLO + '<w:p><w:r><w:object><o:OLEObject Type="Link" r:id="x"/></w:object></w:r></w:p>',
        {"word/embeddings/oleObject1.bin": b"MZ\x90" * 100, "word/vbaProject.bin": b"\xd0\xcf\x11\xe0" * 100},
        {"x": ("oleObject", "file:///etc/passwd"), "y": ("vbaProject", "vbaProject.bin")},
    )
)
case("alternative.docx", INDEXED, "你好")(
    lambda: docx(
        _HELLO + '<w:altChunk r:id="h"/>', {"word/part.htm": "<p>另一部分</p>"}, {"h": ("aFChunk", "part.htm")}
    )
)
case("outside.docx", INDEXED, "你好")(
    lambda: docx(_HELLO, None, {"a": ("footnotes", "../../../../etc/passwd"), "b": ("styles", "/../../etc/shadow")})
)
case("deep.docx", "too-deep|damaged")(
    lambda: docx("<w:tbl><w:tr><w:tc>" * 3_000 + _HELLO + "</w:tc></w:tr></w:tbl>" * 3_000)
)
case("runs.docx", ANY)(
    lambda: docx("<w:p>" + "<w:smartTag>" * 5_000 + "<w:r><w:t>深</w:t></w:r>" + "</w:smartTag>" * 5_000 + "</w:p>")
)
case("open.docx", "damaged")(lambda: docx("<w:p><w:r><w:t>没有结尾"))
case("styles.docx", INDEXED, "你好")(
    lambda: docx(
        '<w:p><w:pPr><w:pStyle w:val="a"/></w:pPr><w:r><w:t>你好</w:t></w:r></w:p>',
        {
            "word/styles.xml": f'<w:styles {W}><w:style w:type="paragraph" w:styleId="a"><w:basedOn w:val="b"/></w:style>'
            '<w:style w:type="paragraph" w:styleId="b"><w:basedOn w:val="a"/></w:style></w:styles>'
        },
        {"s": ("styles", "styles.xml")},
    )
)
case("numbers.docx", ANY)(
    lambda: docx(
        '<w:p><w:pPr><w:numPr><w:ilvl w:val="-7"/><w:numId w:val="99999999999"/></w:numPr></w:pPr><w:r><w:t>项</w:t></w:r></w:p>'
        '<w:p><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr></w:pPr><w:r><w:t>项</w:t></w:r></w:p>'
        '<w:tbl><w:tr><w:tc><w:tcPr><w:gridSpan w:val="2000000000"/></w:tcPr>' + _HELLO + "</w:tc></w:tr></w:tbl>",
        {
            "word/numbering.xml": f'<w:numbering {W}><w:abstractNum w:abstractNumId="1"><w:lvl w:ilvl="0"><w:start w:val="2000000000"/>'
            '<w:numFmt w:val="upperRoman"/><w:lvlText w:val="%1%1%1%9."/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="1"/>'
            "</w:num></w:numbering>"
        },
        {"n": ("numbering", "numbering.xml")},
    )
)
case("footnote.docx", ANY)(
    lambda: docx(
        '<w:p><w:r><w:t>你好</w:t><w:footnoteReference w:id="1"/></w:r></w:p>',
        {
            "word/footnotes.xml": f'<w:footnotes {W}><w:footnote w:id="1"><w:p><w:r><w:t>注</w:t><w:footnoteReference w:id="1"/></w:r></w:p>'
            "</w:footnote></w:footnotes>"
        },
        {"f": ("footnotes", "footnotes.xml")},
    )
)
case("utf16-laughs.docx", "unsafe-xml")(
    lambda: repacked(
        docx(_HELLO),
        lambda name, content: (
            b"\xff\xfe" + ('<!DOCTYPE w [<!ENTITY a "x">]>' + content.decode()).encode("utf-16-le")
            if name == "word/document.xml"
            else content
        ),
    )
)
case("no-types.docx", ANY)(lambda: repacked(docx(_HELLO), lambda name, content: None if "Types" in name else content))
case("parts.docx", "limit")(
    lambda: repacked(docx(_HELLO), lambda name, content: content, ((f"x/{n}", b"") for n in range(10_100)))
)
case("twice.docx", "damaged")(
    lambda: docx(_HELLO).replace(b"word/_rels/document.xml.rels", b"word/document.xml" + b"\0" * 11)
)
case("checksum.docx", "damaged")(lambda: wrong_checksum(docx(_HELLO * 50), "word/document.xml"))
case("understated.docx", "damaged|limit")(lambda: lying(docx(_HELLO * 50), "word/document.xml", 20))
case("overstated.docx", "damaged|limit")(lambda: lying(docx(_HELLO), "word/document.xml", 0xFFFFFFF0))
case("overlapping.docx", "damaged|limit")(lambda: overlapping(2_000))
case("out.docx", "damaged")(lambda: repacked(docx(_HELLO), lambda name, content: content, [("../../evil.xml", b"x")]))
case("tabs.docx", INDEXED)(
    lambda: docx("<w:p><w:r><w:t>甲</w:t>" + "<w:tab/><w:br/>" * 50_000 + "<w:t>乙</w:t></w:r></w:p>")
)


def xlsx(rows: str, *, shared: str = "", after: str = "", styles: str = "", names: Iterable[str] = ("表",)) -> bytes:
    space = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    names = list(names)
    sheets = "".join(f'<sheet name="{name}" sheetId="{n}" r:id="r{n}"/>' for n, name in enumerate(names, 1))
    kinds = "".join(
        f'<Override PartName="/xl/worksheets/sheet{n}.xml" ContentType="{_MAIN}spreadsheetml.worksheet+xml"/>'
        for n in range(1, len(names) + 1)
    )
    return packed({
        "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
        f'<Override PartName="/xl/workbook.xml" ContentType="{_MAIN}spreadsheetml.sheet.main+xml"/>'
        f'<Override PartName="/xl/sharedStrings.xml" ContentType="{_MAIN}spreadsheetml.sharedStrings+xml"/>{kinds}</Types>',
        "_rels/.rels": relations({"a": ("officeDocument", "xl/workbook.xml")}),
        "xl/workbook.xml": f'<workbook {space} xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships">'
        f"<sheets>{sheets}</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": relations(
            {f"r{n}": ("worksheet", f"worksheets/sheet{n}.xml") for n in range(1, len(names) + 1)}
            | {"s": ("sharedStrings", "sharedStrings.xml"), "t": ("styles", "styles.xml")}
        ),
        "xl/sharedStrings.xml": f"<sst {space}>{shared}</sst>",
        "xl/styles.xml": f"<styleSheet {space}>{styles}</styleSheet>",
        **{
            f"xl/worksheets/sheet{n}.xml": f"<worksheet {space}><sheetData>{rows}</sheetData>{after}</worksheet>"
            for n in range(1, len(names) + 1)
        },
    })  # fmt: skip


def row(number: object, *cells: str) -> str:
    return f'<row r="{number}">{"".join(cells)}</row>'


def cell(place: str, text: object, kind: str = "n", style: object = 0) -> str:
    return f'<c r="{place}" t="{kind}" s="{style}"><v>{text}</v></c>'


case("strings.xlsx", "limit", slow=True)(
    lambda: xlsx(
        "".join(row(n, cell(f"A{n}", 0, "s")) for n in range(1, 20_001)), shared=f"<si><t>{'字' * 1_000_000}</t></si>"
    )
)
case("places.xlsx", ANY)(
    lambda: xlsx(
        row(1, cell("A1", "好", "str"))
        + row(-5, cell("B-5", 1))
        + row("x", cell("ZZZZZZZ9999999999", 2), cell("A0", 3), cell("", 4), cell("字1", 5))
        + row(0, cell("XFE1048577", 6))
    )
)
case("indices.xlsx", ANY)(
    lambda: xlsx(
        row(
            1,
            cell("A1", 99_999, "s"),
            cell("B1", -1, "s"),
            cell("C1", "x", "s"),
            cell("D1", "好", "str", -9),
            cell("E1", 5, "n", 10**9),
        )
    )
)
case("values.xlsx", ANY)(
    lambda: xlsx(
        row(
            1,
            cell("A1", "1e999"),
            cell("B1", "-1e308", style=1),
            cell("C1", "nan"),
            cell("D1", "9" * 5_000),
            cell("E1", "好", "str"),
        ),
        styles='<cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs>',
    )
)
case("format.xlsx", ANY)(
    lambda: xlsx(
        row(1, cell("A1", 17, style=1), cell("B1", "好", "str")),
        styles=f'<numFmts><numFmt numFmtId="200" formatCode="{"0#?[" * 20_000}"/></numFmts><cellXfs><xf/><xf numFmtId="200"/></cellXfs>',
    )
)
case("merged.xlsx", INDEXED, "好")(
    lambda: xlsx(
        row(1, cell("A1", "好", "str")) + row(2, cell("A2", "一", "str")),
        after='<mergeCells><mergeCell ref="A1:XFD1048576"/><mergeCell ref="A2:A99999999999"/><mergeCell ref="B"/></mergeCells>',
    )
)
case("merges.xlsx", ANY)(
    lambda: xlsx(
        row(1, cell("A1", "好", "str")),
        after="<mergeCells>" + '<mergeCell ref="A1:XFD1048576"/>' * 20_000 + "</mergeCells>",
    )
)
case("sheets.xlsx", ANY, slow=True)(
    lambda: xlsx(row(1, cell("A1", "好", "str")), names=(f"表{n}" for n in range(3_000)))
)
case("cells.xlsx", "limit", slow=True)(lambda: xlsx("<row>" + "<c><v>1</v></c>" * 2_100_000 + "</row>"))
case("no-sheet.xlsx", "damaged|no-text")(
    lambda: repacked(xlsx(""), lambda name, content: None if "sheet1" in name else content)
)
case("sheet-outside.xlsx", "damaged|no-text")(
    lambda: repacked(xlsx(""), lambda name, content: content.replace(b"worksheets/sheet1.xml", b"../../../etc/passwd"))
)

case("spaces.odt", "limit|" + INDEXED)(lambda: odf("text", '<text:p>甲<text:s text:c="2000000000"/>乙</text:p>'))
case("many-spaces.odt", "limit|" + INDEXED)(
    lambda: odf("text", '<text:p>甲<text:s text:c="100000"/>乙</text:p>' * 20_000)
)
case("deep.odt", ANY)(
    lambda: odf(
        "text", "<text:list><text:list-item>" * 2_000 + "<text:p>深</text:p>" + "</text:list-item></text:list>" * 2_000
    )
)
case("spans.odt", ANY)(
    lambda: odf("text", "<text:p>" + "<text:span>" * 10_000 + "深" + "</text:span>" * 10_000 + "</text:p>")
)
case("entity.odt", "unsafe-xml")(
    lambda: repacked(
        odf("text", "<text:p>&x;</text:p>"),
        lambda name, content: (
            b'<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]>' + content if name == "content.xml" else content
        ),
    )
)
case("include.odt", INDEXED, "好")(
    lambda: odf(
        "text", '<text:p>好</text:p><text:section><text:section-source xlink:href="file:///etc/passwd"/></text:section>'
    )
)


def ods(row: str = "", cell: str = "") -> bytes:
    """A sheet of one cell; the attributes of its row and of itself."""
    return odf(
        "spreadsheet",
        f'<table:table table:name="表"><table:table-row {row}><table:table-cell {cell}><text:p>格</text:p></table:table-cell>'
        "</table:table-row></table:table>",
    )


_REPEATED = "limit|damaged|" + INDEXED
case("columns.ods", _REPEATED)(lambda: ods(cell='table:number-columns-repeated="2000000000"'))
case("rows.ods", _REPEATED)(lambda: ods('table:number-rows-repeated="2000000000"'))
case("spans.ods", _REPEATED)(lambda: ods(cell='table:number-columns-spanned="99999" table:number-rows-spanned="99999"'))
case("negative.ods", _REPEATED)(lambda: ods('table:number-rows-repeated="-3"', 'table:number-columns-repeated="x"'))
case("flat.fodt", "unsafe-xml")(
    lambda: (
        f'<?xml version="1.0"?><!DOCTYPE o [<!ENTITY x SYSTEM "file:///etc/passwd">]><office:document {ODF_NAMES}>&x;</office:document>'
    )
)
case("groups.pptx", "too-deep|damaged|" + INDEXED)(
    lambda: pptx(
        "<p:grpSp>" * 3_000
        + f'<p:sp xmlns:a="{A}"><p:txBody><a:p><a:r><a:t>深</a:t></a:r></a:p></p:txBody></p:sp>'
        + "</p:grpSp>" * 3_000
    )
)
case("slide-lost.pptx", ANY)(
    lambda: repacked(pptx("<p:sp/>", "<p:sp/>"), lambda name, content: None if "slide2" in name else content)
)
case("bomb.pptx", "limit")(
    lambda: repacked(pptx("<p:sp/>"), lambda name, content: content, [("ppt/media/x.bin", bytes(60_000_000))])
)


# Books -----------------------------------------------------------------------------------------------------


def epub(spine: Iterable[str], pages: Mapping[str, str | bytes], root: str = "OPS/book.opf") -> bytes:
    items = "".join(
        f'<item id="i{n}" href="{name}" media-type="application/xhtml+xml"/>' for n, name in enumerate(pages)
    )
    refs = "".join(f'<itemref idref="{one}"/>' for one in spine)
    return packed({
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
        f'<rootfile full-path="{root}"/></rootfiles></container>',
        "OPS/book.opf": f'<package xmlns="http://www.idpf.org/2007/opf"><manifest>{items}</manifest><spine>{refs}</spine></package>',
        **{f"OPS/{name}": content for name, content in pages.items()},
    })  # fmt: skip


_PAGE = "<html xmlns='http://www.w3.org/1999/xhtml'><body><p>第一页</p></body></html>"
case("spine.epub", ANY)(lambda: epub(["i0"] * 20_000, {"a.xhtml": _PAGE}))
case("outside.epub", ANY)(lambda: epub(["i0", "i1"], {"a.xhtml": _PAGE, "../../../etc/passwd": ""}))
case("no-package.epub", "damaged|no-text|" + INDEXED)(lambda: epub(["i0"], {"a.xhtml": _PAGE}, root="../../etc/passwd"))
case("entity.epub", "unsafe-xml|no-text|" + INDEXED)(
    lambda: epub(
        ["i0"],
        {"a.xhtml": '<!DOCTYPE html [<!ENTITY x SYSTEM "file:///etc/hostname">]>' + _PAGE.replace("第", "&x;第")},
    )
)
case("locked.epub", ANY)(
    lambda: repacked(
        epub(["i0"], {"a.xhtml": random.Random(5).randbytes(4_000)}),
        lambda name, content: content,
        [("META-INF/encryption.xml", b"<encryption/>")],
    )
)
