from __future__ import annotations

import io
import zipfile

import pytest

from yinju.errors import DocumentError
from yinju.load import is_document_name, load
from yinju.load.detect import detect, suffix_of

OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)


def package(*names: str) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name in names:
            archive.writestr(name, "x")
    return stream.getvalue()


@pytest.mark.parametrize(
    ("source", "data", "kind"),
    [
        ("a.md", b"# a", "markdown"),
        ("指南.MD", "# 指南".encode(), "markdown"),
        ("README", b"text", "text"),
        ("a.txt", b"text", "text"),
        ("a.unknown", b"text", "text"),
        ("a.htm", b"<p>", "html"),
        ("a.json", b"{}", "json"),
        ("a.jsonl", b"{}", "jsonl"),
        ("a.csv", b"a,b", "csv"),
        ("a.py", b"x=1", "python"),
        ("a.mjs", b"x=1", "javascript"),
        ("a.go", b"x", "go"),
        ("a.pdf", b"%PDF-1.4", "pdf"),
        ("a.docx", package("word/document.xml"), "docx"),
        ("a.xlsx", package("xl/workbook.xml"), "xlsx"),
        ("a.docx", b"PK\x03\x04 cut off", "docx"),
    ],
)
def test_name_and_bytes_agree(source: str, data: bytes, kind: str) -> None:
    found = detect(data, source)
    assert (found.kind, found.warnings) == (kind, ())


@pytest.mark.parametrize(
    ("source", "data", "kind"),
    [
        ("合同.pdf", package("word/document.xml"), "docx"),
        ("a.docx", b"%PDF-1.4\n", "pdf"),
        ("a.md", b"%PDF-1.4\n", "pdf"),
        ("a.docx", package("xl/workbook.xml"), "xlsx"),
        ("a.pdf", b"<!DOCTYPE html><p>Not found", "html"),
        ("a.pdf", "只是一段文字。".encode(), "text"),
    ],
)
def test_bytes_win_over_a_wrong_name(source: str, data: bytes, kind: str) -> None:
    found = detect(data, source)
    assert found.kind == kind
    assert found.warnings[0].startswith("type-mismatch: ")


@pytest.mark.parametrize(
    ("source", "data", "code"),
    [
        ("a.pdf", b"", "empty"),
        ("a.doc", OLE, "damaged"),
        ("a.docx", OLE + "EncryptedPackage".encode("utf-16-le"), "encrypted"),
        ("a.xlsb", package("xl/workbook.bin"), "unknown-type"),
        ("a.zip", package("a.md"), "unknown-type"),
        ("a.md", b"\x89PNG\r\n\x1a\n", "binary"),
        ("a.pdf", bytes(range(256)) * 20, "damaged"),
        ("a.mobi", b"BOOKMOBI", "unknown-type"),
    ],
)
def test_refusals(source: str, data: bytes, code: str) -> None:
    with pytest.raises(DocumentError) as caught:
        detect(data, source)
    assert caught.value.code == code
    assert caught.value.hint


def test_pictures_are_known_by_their_name_and_their_bytes() -> None:
    assert detect(b"\x89PNG\r\n\x1a\n", "图.png").kind == "image"
    assert detect(b"RIFF\x10\0\0\0WEBP", "a.webp").kind == "image"


def test_text_about_pdf_is_no_pdf() -> None:
    assert detect(b"# The header\n\nA file starts with %PDF-1.7.", "a.md").kind == "markdown"


@pytest.mark.parametrize("source", ["a.md", "目录/说明.txt", "README", "a.doc", "a.pptx", "x/.env", "a.tar.md"])
def test_documents_by_name(source: str) -> None:
    assert is_document_name(source)


@pytest.mark.parametrize("source", ["a.PNG", "照片.jpg", "x/y.zip", "lib.so", "a.pyc", ".DS_Store", "model.onnx"])
def test_no_documents_by_name(source: str) -> None:
    assert not is_document_name(source)


def test_suffix() -> None:
    assert [suffix_of(name) for name in ("a.TXT", "a/b.c/d", ".env", "a.tar.gz", "a\\b.md")] == [
        "txt",
        "",
        "env",
        "gz",
        "md",
    ]


def test_a_name_that_promises_nothing_is_an_unknown_type() -> None:
    for source, code in (("a.xyz", "unknown-type"), ("a.md", "binary")):
        with pytest.raises(DocumentError) as caught:
            load(bytes(range(1, 256)) * 40, source)
        assert caught.value.code == code
