"""More bad files for `bad_inputs`: PDF, pictures, mails, the old Office, archives, and things of the file system that are no documents."""

from __future__ import annotations

import io
import os
import socket
import struct
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path

from tests.bad_inputs import ANY, INDEXED, case, cases, gif, lying, png
from tests.office_writer import packed
from tests.ole_writer import compound
from tests.pdf_writer import lines, make_pdf

# PDF -------------------------------------------------------------------------------------------------------


def pdf(objects: Mapping[int, bytes | tuple[bytes, bytes]], trailer: bytes = b"") -> bytes:
    """A PDF of these objects: a dictionary, or one with a stream. Object 1 is the catalog."""
    out, offsets = b"%PDF-1.7\n", {}
    for number, given in objects.items():
        offsets[number] = len(out)
        body = (
            given
            if isinstance(given, bytes)
            else b"<<%s/Length %d>>stream\n%s\nendstream" % (given[0], len(given[1]), given[1])
        )
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    size = max(objects) + 1
    table = b"".join(
        b"%010d %05d %c \n" % ((offsets[n], 0, 110) if n in offsets else (0, 65535, 102)) for n in range(size)
    )
    return out + b"xref\n0 %d\n%strailer<</Size %d/Root 1 0 R%s>>\nstartxref\n%d\n%%%%EOF\n" % (
        size,
        table,
        size,
        trailer,
        len(out),
    )


def page(
    content: bytes | tuple[bytes, bytes], more: Mapping[int, bytes | tuple[bytes, bytes]] | None = None, **keys: bytes
) -> bytes:
    """A PDF of one page. `keys` are more entries of the page, `catalog` of the catalog, `resources` of its resources."""
    catalog, resources = keys.pop("catalog", b""), keys.pop("resources", b"")
    own = b"".join(b"/%s %s" % (key.encode(), value) for key, value in keys.items())
    return pdf({
        1: b"<</Type/Catalog/Pages 2 0 R%s>>" % catalog,
        2: b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        3: b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>%s>>%s>>" % (resources, own),
        4: content if isinstance(content, tuple) else (b"", content),
        5: b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
        **(more or {}),
    })  # fmt: skip


_WORDS = b"BT /F1 12 Tf 72 700 Td (Readable words stand here) Tj ET "
_LETTER = b"BT /F1 12 Tf 72 700 Td (x) Tj ET "
_REFUSED = "damaged|limit|no-text|too-deep"
_EITHER = f"{INDEXED}|{_REFUSED}"

cases({
    "attached.pdf": (page(_WORDS, {6: b"<</Type/Filespec/F(evil.exe)/EF<</F 7 0 R>>>>", 7: (b"/Type/EmbeddedFile", b"MZ\x90" * 99)},
        catalog=b"/Names<</EmbeddedFiles<</Names[(a)6 0 R]>>>>/OpenAction<</S/Launch/F(/bin/sh)>>"), INDEXED),
    "links.pdf": (page(_WORDS, Annots=b"[<</Subtype/Link/Rect[0 0 9 9]/A<</S/URI/URI(http://127.0.0.1:48923/)>>>>]"), INDEXED),
    "many-pages.pdf": (make_pdf([[]]).replace(b"/Count 1", b"/Count 2000000000"), _REFUSED),
    "negative-pages.pdf": (make_pdf([lines(["Words on a page"])]).replace(b"/Count 1", b"/Count -1"), _EITHER),
    "himself.pdf": (page(_WORDS, {6: (b"/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</X 6 0 R>>>>", b"/X Do")},
        resources=b"/XObject<</X 6 0 R>>").replace(b"ET \n", b"ET\n/X Do"), _EITHER),
    "grandparent.pdf": (page(_WORDS, Parent=b"3 0 R"), _EITHER),
    "outline.pdf": (page(_WORDS, {6: b"<</Type/Outlines/First 7 0 R/Last 7 0 R/Count 9>>",
        7: b"<</Title(T)/Parent 6 0 R/Next 7 0 R/Prev 7 0 R/First 6 0 R/Dest[3 0 R/Fit]>>"}, catalog=b"/Outlines 6 0 R"), _EITHER),
    "tables.pdf": (page(_WORDS).replace(b"/Root 1 0 R>>", b"/Root 1 0 R/Prev 9/XRefStm 9>>"), _EITHER),
    "stack.pdf": (page(b"q " * 200_000 + _WORDS), _EITHER),
    "arrays.pdf": (page(_WORDS, {6: b"[" * 100_000 + b"]" * 100_000}, catalog=b"/X 6 0 R"), _EITHER),
    "dictionaries.pdf": (page(b"/A " + b"<</A " * 100_000 + b" BDC " + _WORDS), _EITHER),
    "huge-page.pdf": (page(_WORDS).replace(b"[0 0 612 792]", b"[-1e30 -1e30 1e30 1e30]"), _EITHER),
    "no-size.pdf": (page(_WORDS).replace(b"[0 0 612 792]", b"[0 0 0 0]"), _EITHER),
    "not-a-number.pdf": (page(_WORDS.replace(b"72 700", b"99999999999999999999 -99999999999999999999")), _EITHER),
    "filters.pdf": (page((b"/Filter[" + b"/FlateDecode" * 500 + b"]", b"x")), _EITHER),
    "jbig.pdf": (page(_WORDS + b"/I Do", {6: (b"/Type/XObject/Subtype/Image/Width 90000/Height 90000/BitsPerComponent 1/ColorSpace/DeviceGray"
        b"/Filter/JBIG2Decode", bytes(range(256)) * 9)}, resources=b"/XObject<</I 6 0 R>>"), _EITHER),
    "unicode.pdf": (page(_WORDS, {6: (b"", b"begincmap 1 begincodespacerange <0000> <FFFF> endcodespacerange 1 beginbfrange <0000> <FFFFFFFF> <0041>"
        b" endbfrange endcmap")}).replace(b"/BaseFont/Helvetica", b"/BaseFont/Helvetica/ToUnicode 6 0 R"), _EITHER),
    "glyphs.pdf": (page(_WORDS, {6: (b"/Resources<</Font<</F1 5 0 R>>>>", b"0 0 d0 BT /F1 9 Tf (x) Tj ET")}).replace(
        b"/Subtype/Type1/BaseFont/Helvetica", b"/Subtype/Type3/FontBBox[0 0 9 9]/FontMatrix[.1 0 0 .1 0 0]/FirstChar 65/LastChar 122/Widths["
        + b"9 " * 58 + b"]/CharProcs<</a 6 0 R>>/Encoding<</Differences[65" + b"/a" * 58 + b"]>>"), _EITHER),
    "length.pdf": (page(_WORDS).replace(b"/Length %d" % len(_WORDS), b"/Length 999999999"), _EITHER),
    "self-length.pdf": (page(_WORDS).replace(b"/Length %d" % len(_WORDS), b"/Length 4 0 R"), _EITHER),
    "no-trailer.pdf": (page(_WORDS).partition(b"xref")[0], _EITHER),
    "only-head.pdf": (b"%PDF-1.7\n", "damaged"),
    "garbage.pdf": (b"%PDF-1.7\n" + bytes(range(256)) * 200, "damaged"),
    "same-letter.pdf": (page(_LETTER * 20_000), _EITHER),
    "everywhere.pdf": (page(b"".join(b"BT /F1 1 Tf %d %d Td (ab) Tj ET " % (n * 37 % 600, n * 53 % 780) for n in range(6_000))), _EITHER),
    "ruled.pdf": (page(_WORDS + b"".join(b"0 %d m 600 %d l S %d 0 m %d 780 l S " % ((n,) * 4) for n in range(0, 600))), _EITHER),
    "notes.pdf": (page(_WORDS, {6: b"<</Subtype/Text/Rect[0 0 9 9]/Contents(note)/Popup 6 0 R/Parent 6 0 R/IRT 6 0 R>>"},
        Annots=b"[" + b"6 0 R " * 20_000 + b"]"), _EITHER),
})  # fmt: skip

case("flate.pdf", "limit|no-text|" + INDEXED, slow=True)(
    lambda: page((b"/Filter/FlateDecode", zlib.compress(b"0" * 300_000_000, 9)))
)
case("words-and-spaces.pdf", _EITHER + "|crashed", slow=True)(
    lambda: page((b"/Filter/FlateDecode", zlib.compress(_WORDS + b" " * 400_000_000, 9)))
)
case("letters.pdf", _EITHER + "|crashed", slow=True)(
    lambda: page((b"/Filter/FlateDecode", zlib.compress(_LETTER * 1_500_000, 9)))
)
case("runs.pdf", _EITHER, slow=True)(
    lambda: page((b"/Filter[/FlateDecode/RunLengthDecode]", zlib.compress(b"\x81 " * 3_000_000, 9)))
)
case("objects.pdf", _REFUSED, slow=True)(
    lambda: pdf(
        {
            1: b"<</Type/Catalog/Pages 2 0 R>>",
            3: (
                b"/Type/ObjStm/N 1000000/First 9/Filter/FlateDecode",
                zlib.compress(b"2 0 <<>> " + b"1 " * 90_000_000, 9),
            ),
        }
    )
)
case("page-tree.pdf", _REFUSED, slow=True)(
    lambda: pdf(
        {1: b"<</Type/Catalog/Pages 2 0 R>>"}
        | {n: b"<</Type/Pages/Count 1/Kids[%d 0 R]>>" % (n + 1) for n in range(2, 30_000)}
    )
)
case("pages.pdf", "limit", slow=True)(
    lambda: pdf({1: b"<</Type/Catalog/Pages 2 0 R>>", 2: b"<</Type/Pages/Count 20000/Kids[" + b"3 0 R " * 20_000 + b"]>>",
        3: b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>"})
)  # fmt: skip

# Large files ------------------------------------------------------------------------------------------------

case("line-of-100-MB.txt", "limit", slow=True)(lambda: b"x" * 100_000_000)
case("line-of-100-MB-中文.txt", "limit", slow=True)(lambda: "字" * 33_000_000)
case("long-line-中文.txt", INDEXED, slow=True)(lambda: "字" * 2_000_000)
_OUTPUT = '{"nbformat": 4, "cells": [{"cell_type": "code", "source": "x", "outputs": [{"output_type": "stream", "text": "%s"}]}]}'
case("output.ipynb", ANY, slow=True)(lambda: _OUTPUT % ("y" * 100_000_000))
case("line-of-50-MB.sql", "limit", slow=True)(lambda: "INSERT INTO t VALUES ('" + "x" * 50_000_000 + "');")
case("rows-in-a-line.sql", INDEXED, slow=True)(
    lambda: "INSERT INTO t VALUES " + ",".join(["(1,'甲乙丙')"] * 100_000) + ";"
)
case("rows.csv", INDEXED, slow=True)(lambda: "甲,乙\n" + "一,二\n" * 100_000)

# Pictures --------------------------------------------------------------------------------------------------

_NO_PICTURE = "limit|damaged|picture|no-ocr"
cases({
    "square.png": (png(60_000, 60_000), _NO_PICTURE),
    "line.png": (png(100_000, 1), _NO_PICTURE),
    "dot.png": (png(1, 1), _NO_PICTURE),
    "cut.jpg": (b"\xff\xd8\xff\xe0\0\x10JFIF\0" + bytes(40), _NO_PICTURE),
    "circle.tif": (b"II*\0\x08\0\0\0\0\0\x08\0\0\0", _NO_PICTURE),
    "lie.png": (gif(), _NO_PICTURE),
})  # fmt: skip

# Mails -----------------------------------------------------------------------------------------------------

_HEAD = "From: a@example.com\nSubject: 测试\nMIME-Version: 1.0\n"


def nested_mail(depth: int) -> str:
    opened = "".join(f'Content-Type: multipart/mixed; boundary="b{n}"\n\n--b{n}\n' for n in range(depth))
    return _HEAD + opened + "Content-Type: text/plain\n\n正文\n"


cases({
    "nested.eml": (nested_mail(2_000), ANY),
    "forwarded.eml": (_HEAD + "Content-Type: message/rfc822\n\nSubject: x\n" * 2_000 + "\n正文\n", ANY),
    "parts.eml": (_HEAD + 'Content-Type: multipart/mixed; boundary="b"\n\n' + "--b\nContent-Type: text/plain\n\n字\n" * 5_000 + "--b--\n", ANY),
    "no-boundary.eml": (_HEAD + "Content-Type: multipart/mixed\n\n正文在这里\n", INDEXED),
    "same-boundary.eml": (_HEAD + 'Content-Type: multipart/mixed; boundary=""\n\n--\n正文在这里\n', ANY),
    "charset.eml": (_HEAD + "Content-Type: text/plain; charset=rot13\n\n正文在这里\n", ANY),
    "charset-null.eml": (_HEAD + 'Content-Type: text/plain; charset="\0x"\n\n正文在这里\n', ANY),
    "base64.eml": (_HEAD + "Content-Type: text/plain\nContent-Transfer-Encoding: base64\n\n!!!not=base64\n", ANY),
    "encoding.eml": (_HEAD + "Content-Type: text/plain\nContent-Transfer-Encoding: x-evil\n\n正文在这里\n", INDEXED),
    "words.eml": ("Subject: " + "=?utf-8?B?5rWL?= " * 20_000 + "\nFrom: x\n\n正文在这里\n", ANY),
    "header.eml": ("Subject: x\nX-A: " + "a" * 2_000_000 + "\nTo: " + "a@b," * 50_000 + "\n\n正文在这里\n", ANY),
    "addresses.eml": ("From: " + "(" * 20_000 + "\nTo: " + '"' * 9_999 + "\nDate: 99 Foo 99999\n\n正文在这里\n", ANY),
    "name.eml": (_HEAD + 'Content-Type: multipart/mixed; boundary="b"\n\n--b\nContent-Type: text/plain; name="../../evil.md"\n'
        'Content-Disposition: attachment; filename="../../evil.md"\n\n附件\n--b--\n', ANY),
    "only-head.eml": (_HEAD, ANY),
    "mails.mbox": ("From x\nSubject: a\n\nb\n\n" * 5_000, ANY),
    "loop.mht": (_HEAD + 'Content-Type: multipart/related; boundary="b"; start="<a>"\n\n--b\nContent-ID: <a>\nContent-Type: text/html\n\n'
        '<iframe src="cid:a"></iframe><p>正文</p>\n--b--\n', ANY),
})  # fmt: skip

# The old Office --------------------------------------------------------------------------------------------


def circle(data: bytes) -> bytes:
    """Return the compound file with every chain of sectors pointing to its own beginning."""
    count = len(data) // 512 - 1
    return b"".join(
        struct.pack("<128I", *([0] * 128)) if n == count - 1 else data[512 + 512 * n : 1024 + 512 * n]
        for n in range(count)
    ).join([data[:512], b""])


_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_NO_WORDS = "damaged|no-text|limit|encrypted"
_DOC = b"\xec\xa5\xc1\0" + bytes(4_200)
cases({
    "zeros.doc": (_OLE + bytes(3_000), "damaged|unknown-type"),
    "ones.xls": (_OLE + b"\xff" * 3_000, "damaged|unknown-type"),
    "circle.doc": (circle(compound({"WordDocument": _DOC, "1Table": b"\xff" * 5_000})), ANY),
    "ones.doc": (compound({"WordDocument": b"\xec\xa5\xc1\0" + b"\xff" * 4_200, "1Table": b"\xff" * 5_000}), _NO_WORDS),
    "pieces.doc": (compound({"WordDocument": b"\xec\xa5\xc1\0" + b"\x7f" * 4_200, "0Table": b"\x02\xff\xff\xff\x7f" * 2_000}), _NO_WORDS),
    "records.xls": (compound({"Workbook": b"\x09\x08\x10\0\0\6\5\0" + b"\xfc\0\xff\xff" * 4_000}), "damaged|no-text|limit"),
    "records.ppt": (compound({"PowerPoint Document": b"\x0f\0\xe8\x03\xff\xff\xff\x7f" * 4_000, "Current User": bytes(40)}), "damaged|no-text|limit"),
    "deep.ppt": (compound({"Current User": bytes(40),
        "PowerPoint Document": b"".join(b"\x0f\0\xe8\x03" + struct.pack("<I", 8 * (9_000 - n)) for n in range(9_000))}), ANY),
    "letter.msg": (compound({"__properties_version1.0": b"\xff" * 5_000, "__substg1.0_1000001F": b"\xff" * 5_001}), ANY),
    "compressed.msg": (compound({"__properties_version1.0": bytes(32),
        "__substg1.0_10090102": struct.pack("<IIII", 40, 2**31 - 1, 0x75465A4C, 0) + b"\xff" * 5_000}), ANY),
    "in-itself.msg": (compound({"__properties_version1.0": bytes(32)} | {
        "/".join(["__attach_version1.0_#00000000/__substg1.0_3701000D"] * n) + "/__properties_version1.0": bytes(24) for n in range(1, 120)}), ANY),
    "locked.docx": (compound({"EncryptedPackage": bytes(5_000), "EncryptionInfo": bytes(40)}), "encrypted"),
    "groups.rtf": ("{\\rtf1 " + "{" * 100_000 + "deep", ANY),
    "closed.rtf": ("{\\rtf1 words" + "}" * 100_000 + "more", ANY),
    "binary.rtf": ("{\\rtf1 words \\bin2000000000 more}", ANY),
    "signs.rtf": ("{\\rtf1\\uc999999999 \\u-99999999999? \\u1114112? words\\'zz \\'8 }", ANY),
    "controls.rtf": ("{\\rtf1 " + "\\fs99999999999999999999" * 20_000 + " words}", ANY),
    "object.rtf": ("{\\rtf1 words{\\object\\objocx{\\*\\objdata " + "41" * 100_000 + "}}}", INDEXED),
    "fields.rtf": ("{\\rtf1 " + "{\\field{\\*\\fldinst DDEAUTO cmd}{\\fldrslt x}}" * 2_000 + "}", INDEXED),
    "tables.rtf": ("{\\rtf1 " + "\\trowd\\cellx1\\intbl\\itap999999 x\\cell\\row" * 2_000 + "}", ANY),
})  # fmt: skip

# Archives: a scan looks into them -------------------------------------------------------------------------


def link_in_zip() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        info = zipfile.ZipInfo("link.md")
        info.external_attr = 0o120777 << 16
        archive.writestr(info, "/etc/passwd")
    return out.getvalue()


def flagged(data: bytes) -> bytes:
    changed = bytearray(data)
    changed[6] |= 1
    changed[data.index(b"PK\1\2") + 8] |= 1
    return bytes(changed)


_LEADING_OUT = ("../../evil.md", "/etc/evil.md", "C:\\evil.md", "d/../../evil.md", "ok.md")
ARCHIVES: dict[str, tuple[bytes, str, tuple[str, ...]]] = {
    # name -> (content, code of the archive's own problem, members that are documents)
    "good.zip": (packed({"a.md": "# 一", "b/c.txt": "二"}), "", ("a.md", "b/c.txt")),
    "slip.zip": (packed(dict.fromkeys(_LEADING_OUT, "好")), "unsafe name", ("ok.md",)),
    "nested.zip": (packed({"in.zip": packed({"a.md": "x"}), "ok.md": "好"}), "nested archive", ("ok.md",)),
    "locked.zip": (flagged(packed({"a.md": "x" * 100})), "encrypted", ()),
    "bomb.zip": (packed({"a.md": bytes(60_000_000)}), "limit", ()),
    "entries.zip": (packed({f"{n}.md": "" for n in range(10_100)}), "limit", ()),
    "lie.zip": (lying(packed({"a.md": "好" * 500}), "a.md", 20), "", ("a.md",)),
    "half.zip": (packed({"a.md": "好" * 500})[:90], "damaged", ()),
    "nothing.zip": (b"", "damaged", ()),
    "link.zip": (link_in_zip(), "", ("link.md",)),
    "comment.zip": (packed({"a.md": "好"})[:-2] + b"\xff\xff" + b"PK\5\6" * 16_383 + b"abc", "damaged", ()),
}


# The file system -------------------------------------------------------------------------------------------


def write_special(folder: Path) -> dict[str, str]:
    """Write what is no plain file into the folder; return source -> expected code, "" for what is left alone."""
    expected: dict[str, str] = {}
    (folder / "folder.md").mkdir()
    (folder / "folder.md" / "in.md").write_text("# 在文件夹里\n", encoding="utf-8")
    expected["folder.md/in.md"] = INDEXED
    deep = folder
    for _ in range(60):
        deep = deep / "层"
    deep.mkdir(parents=True)
    (deep / "底.md").write_text("# 底\n", encoding="utf-8")
    expected["层/" * 60 + "底.md"] = INDEXED
    os.link(folder / "folder.md" / "in.md", folder / "hard.md")
    expected["hard.md"] = INDEXED
    links = {
        "out.md": "/etc/passwd",
        "nowhere.md": "not there",
        "loop": ".",
        "circle.md": "circle.md",
        "up": "..",
        "in-link.md": "folder.md/in.md",
    }
    for name, target in links.items():
        os.symlink(target, folder / name)
    expected |= {
        "out.md": "outside root",
        "nowhere.md": "missing",
        "circle.md": "missing",
        "up": "outside root",
        "in-link.md": INDEXED,
    }
    if hasattr(os, "mkfifo"):
        os.mkfifo(folder / "pipe.md")
        expected["pipe.md"] = "not-a-file"
    if hasattr(socket, "AF_UNIX") and len(str(folder)) < 80:
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(str(folder / "socket.md"))
        expected["socket.md"] = "not-a-file"
    with open(folder / "sparse.txt", "wb") as sparse:
        sparse.truncate(10 * 2**30)
    expected["sparse.txt"] = "limit"
    for form in ("caf\u00e9.md", "cafe\u0301.md"):
        (folder / form).write_text("# 同名\n", encoding="utf-8")
    for form in ("Same.md", "sAME.md", "trailing. . ", "trailing.md "):
        (folder / form).write_text("# 同名\n正文", encoding="utf-8")
    return expected
