"""Pages as pictures: drawn by a child, told why not."""

from __future__ import annotations

import zlib
from pathlib import Path

import pytest
from tests.pdf_writer import lines, make_pdf

from yinju import Library
from yinju.errors import DocumentError, SourceMissing

pytestmark = pytest.mark.slow


def size(png: bytes) -> tuple[int, int]:
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    return int.from_bytes(png[16:20]), int.from_bytes(png[20:24])


def pixels(png: bytes) -> bytes:
    length = int.from_bytes(png[33:37])
    assert png[37:41] == b"IDAT"
    return zlib.decompress(png[41 : 41 + length])


def test_a_page_is_drawn_and_reasons_are_told(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    path = tmp_path / "docs" / "show.pdf"
    path.write_bytes(make_pdf([lines("The pump is red."), lines("Page two.")]))
    (tmp_path / "docs" / "a.md").write_text("# 甲\n\n正文。\n", encoding="utf-8")
    with Library.open(tmp_path / "library") as library:
        library.sync(tmp_path / "docs", embed=False)
        first = library.page_picture("show.pdf", 1, 400)
        width, height = size(first)
        assert width in (399, 400, 401)
        raw = pixels(first)
        assert len(raw) == height * (1 + width * 3)
        ink = sum(value < 160 for value in raw) - height  # but for the byte that begins each row
        assert 0 < ink < len(raw) / 20
        assert library.page_picture("show.pdf", 2, 400) != first
        for source, page, code in (("show.pdf", 3, "no-page"), ("a.md", 1, "no-picture")):
            with pytest.raises(DocumentError) as caught:
                library.page_picture(source, page)
            assert caught.value.code == code
            assert caught.value.hint
        with pytest.raises(SourceMissing):
            library.page_picture("nothing.pdf", 1)
        path.write_bytes(make_pdf([lines("Another text.")]))
        with pytest.raises(DocumentError) as caught:
            library.page_picture("show.pdf", 1)
        assert caught.value.code == "changed"
        path.unlink()
        with pytest.raises(DocumentError) as caught:
            library.page_picture("show.pdf", 1)
        assert caught.value.code == "missing"
