"""E-books written by hand, entry by entry: reading order, titles, notes, locks, and packages that mean harm."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from yinju.errors import DocumentError
from yinju.load import Loaded, load

SHARED = Path(__file__).resolve().parent.parent.parent / "shared" / "bench" / "files-mixed" / "files"
CONTAINER = (
    '<?xml version="1.0"?><container xmlns="urn:oasis:names:tc:opendocument:xmlns:container" version="1.0"><rootfiles>'
    '<rootfile full-path="OEBPS/content.opf" media-type="application/oebps-package+xml"/></rootfiles></container>'
)
METADATA = (
    "<dc:title>滑雪指南</dc:title><dc:creator>周禾</dc:creator><dc:creator>李安</dc:creator><dc:language>zh-CN</dc:language>"
    "<dc:date>2024-05-06</dc:date><dc:publisher>雪山社</dc:publisher>"
)


def page(body: str, title: str = "x") -> str:
    return (
        '<?xml version="1.0" encoding="utf-8"?><!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.1//EN" "http://127.0.0.1:9/xhtml11.dtd">'
        f'<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"><head><title>{title}</title></head>'
        f"<body>{body}</body></html>"
    )


def opf(names: list[str], spine: list[str], more: str = "", toc: str = "") -> str:
    items = "".join(f'<item id="{name}" href="{name}" media-type="application/xhtml+xml"/>' for name in names)
    order = "".join(f'<itemref idref="{name}"/>' for name in spine)
    return (
        '<?xml version="1.0"?><package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/" version="2.0">'
        f"<metadata>{METADATA}</metadata><manifest>{items}{more}</manifest><spine{toc}>{order}</spine></package>"
    )


def ncx(points: str) -> str:
    return (
        '<?xml version="1.0"?><!DOCTYPE ncx PUBLIC "-//NISO//DTD ncx 2005-1//EN" "http://127.0.0.1:9/ncx.dtd">'
        f'<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/"><navMap>{points}</navMap></ncx>'
    )


def point(label: str, source: str, inside: str = "") -> str:
    return f'<navPoint><navLabel><text>{label}</text></navLabel><content src="{source}"/>{inside}</navPoint>'


def book(parts: dict[str, str | bytes]) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as package:
        package.writestr("mimetype", "application/epub+zip", zipfile.ZIP_STORED)
        for name, content in {"META-INF/container.xml": CONTAINER, **parts}.items():
            package.writestr(name, content)
    return data.getvalue()


def loaded(parts: dict[str, str | bytes]) -> Loaded:
    return load(book(parts), "book.epub")


def headings(result: Loaded) -> list[tuple[int, str]]:
    return [(mark.level, mark.label) for mark in result.document.marks if mark.kind == "heading"]


def dropped(result: Loaded) -> dict[str, int]:
    return {item.what: item.characters for item in result.receipt.dropped}


NCX_ITEM = '<item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/>'


def test_chapters_come_in_reading_order_with_titles_from_the_contents() -> None:
    section = point("第一节", "c.xhtml#s")
    points = (
        point("第一章 起步", "a.xhtml") + point("第二章 转弯", "b.xhtml") + point("第三章 终点", "c.xhtml", section)
    )
    result = loaded(
        {
            "OEBPS/content.opf": opf(["b.xhtml", "a.xhtml", "c.xhtml", "extra.xhtml"], ["a.xhtml", "b.xhtml", "c.xhtml"], NCX_ITEM, ' toc="ncx"'),
            "OEBPS/b.xhtml": page("<p>第二章的正文&nbsp;在此。</p>"),
            "OEBPS/a.xhtml": page("<h2>第一章 起步</h2><p>雪板<a id='x'/>与雪杖。</p>"),
            "OEBPS/c.xhtml": page("<p class='t'>第三章　终点</p><p>到山脚。</p><p id='s'>第一节</p><p>完。</p>"),
            "OEBPS/extra.xhtml": page("<p>not in order</p>", ""),
            "OEBPS/toc.ncx": ncx(points),
        }
    )  # fmt: skip
    assert result.document.text == (
        "第一章 起步\n\n雪板与雪杖。\n\n第二章 转弯\n\n第二章的正文 在此。\n\n第三章　终点\n\n到山脚。\n\n第一节\n\n完。"
    )
    assert headings(result) == [(2, "第一章 起步"), (1, "第二章 转弯"), (1, "第三章 终点"), (2, "第一节")]
    assert result.document.title == "滑雪指南"
    assert result.document.type == "epub"
    assert {key: result.document.metadata[key] for key in ("author", "created", "lang", "publisher")} == {
        "author": "周禾, 李安", "created": "2024-05-06", "lang": "zh-CN", "publisher": "雪山社"
    }  # fmt: skip
    assert dropped(result) == {
        "title, kept as metadata": 3, "chapter title": -len("第二章转弯"), "outside the reading order": len("notinorder"),
    }  # fmt: skip
    assert result.receipt.pages is None


def test_contents_of_epub_3_give_titles_and_are_no_chapter() -> None:
    nav = page("<nav epub:type='toc'><h1>Contents</h1><ol><li><a href='a.xhtml'>One</a></li></ol></nav>", "")
    result = loaded(
        {
            "OEBPS/content.opf": opf(["a.xhtml"], ["nav", "a.xhtml"], '<item id="nav" href="nav.xhtml" properties="nav"/>'),
            "OEBPS/nav.xhtml": nav,
            "OEBPS/a.xhtml": page("<p>It begins<a epub:type='noteref' href='#n'>1</a>.<span epub:type='pagebreak'>12</span></p>"
                                  "<aside epub:type='footnote' id='n' hidden='hidden'><p>A note.</p></aside>", ""),
        }
    )  # fmt: skip
    assert result.document.text == "One\n\nIt begins[1].\n\nA note."
    assert dropped(result) == {
        "table of contents": len("ContentsOne"),
        "chapter title": -3,
        "note mark": -2,
        "page numbers": 2,
    }


def test_notes_in_the_description_of_a_picture() -> None:
    result = loaded({"OEBPS/content.opf": opf(["a.xhtml"], ["a.xhtml"]), "OEBPS/a.xhtml": page(
        "<h1>一</h1><p>崇祯<img class='qqreader-footnote' alt='明思宗的年号，一六二八年起。' src='n.png'/>年间</p>", "")})  # fmt: skip
    assert result.document.text == "一\n\n崇祯[明思宗的年号，一六二八年起。]年间"
    assert result.receipt.images == 1


ENCRYPTION = (
    '<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container" xmlns:e="http://www.w3.org/2001/04/xmlenc#"><e:EncryptedData>'
    '<e:EncryptionMethod Algorithm="{}"/><e:CipherData><e:CipherReference URI="{}"/></e:CipherData></e:EncryptedData></encryption>'
)


@pytest.mark.parametrize(
    ("method", "target", "locked"),
    [
        ("http://www.w3.org/2001/04/xmlenc#aes128-cbc", "OEBPS/a.xhtml", True),
        ("http://www.idpf.org/2008/embedding", "OEBPS/fonts/song.ttf", False),
        ("http://ns.adobe.com/pdf/enc#RC", "OEBPS/fonts/x", False),
    ],
)
def test_a_locked_book_is_refused_scrambled_fonts_are_not(method: str, target: str, locked: bool) -> None:
    parts: dict[str, str | bytes] = {
        "META-INF/encryption.xml": ENCRYPTION.format(method, target),
        "OEBPS/content.opf": opf(["a.xhtml"], ["a.xhtml"]),
        "OEBPS/a.xhtml": page("<p>正文 text</p>"),
    }
    if not locked:
        assert loaded(parts).document.text == "正文 text"
        return
    with pytest.raises(DocumentError) as caught:
        loaded(parts)
    assert caught.value.code == "encrypted"


BOMB = '<!DOCTYPE package [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>'


@pytest.mark.parametrize(
    ("parts", "code"),
    [
        ({"OEBPS/a.xhtml": page("<p>x</p>")}, "damaged"),
        ({"OEBPS/content.opf": BOMB + opf([], []).split("?>", 1)[1]}, "unsafe-xml"),
        ({"OEBPS/content.opf": "no xml at all"}, "damaged"),
        ({"OEBPS/content.opf": opf(["a.xhtml"], ["a.xhtml"]), "OEBPS/a.xhtml": page("<img src='cover.jpg'/>", "")}, "no-text"),
        ({"OEBPS/content.opf": opf(["a.xhtml"], ["a.xhtml"]), "../evil.xhtml": page("<p>x</p>")}, "damaged"),
        ({"OEBPS/content.opf": opf(["a.xhtml"], ["a.xhtml"]), "OEBPS/a.xhtml": b" " * 50_000_000}, "limit"),
    ],
)  # fmt: skip
def test_packages_that_cannot_be_read(parts: dict[str, str | bytes], code: str) -> None:
    with pytest.raises(DocumentError) as caught:
        loaded(parts)
    assert caught.value.code == code


def test_a_book_under_another_name_and_one_that_is_cut_off() -> None:
    data = book({"OEBPS/content.opf": opf(["a.xhtml"], ["a.xhtml"]), "OEBPS/a.xhtml": page("<p>正文</p>")})
    assert load(data, "book.zip").document.type == "epub"
    with pytest.raises(DocumentError) as caught:
        load(data[: len(data) // 2], "book.epub")
    assert caught.value.code == "damaged"


def test_links_out_of_the_package_are_not_followed() -> None:
    more = '<item id="o" href="http://127.0.0.1:9/x.xhtml" media-type="application/xhtml+xml"/><item id="f" href="../../../etc/passwd"/>'
    result = loaded({"OEBPS/content.opf": opf(["a.xhtml"], ["o", "f", "a.xhtml", "missing"], more),
                     "OEBPS/a.xhtml": page("<p>正文</p><iframe src='file:///etc/passwd'>frame</iframe>")})  # fmt: skip
    assert result.document.text == "正文"


@settings(max_examples=30)
@given(st.integers(0, 1500), st.binary(min_size=1, max_size=8))
def test_a_damaged_book_ends_as_text_or_refusal(place: int, noise: bytes) -> None:
    data = bytearray(book({"OEBPS/content.opf": opf(["a.xhtml"], ["a.xhtml"]), "OEBPS/a.xhtml": page("<p>正文</p>")}))
    data[place % len(data) : place % len(data) + len(noise)] = noise
    try:
        load(bytes(data), "book.epub")
    except DocumentError as error:
        assert error.code != "unbalanced"  # noqa: PT017


@pytest.mark.bench
def test_a_whole_book() -> None:
    if not (SHARED / "en-book.epub").exists():
        pytest.skip(f"{SHARED / 'en-book.epub'} is absent")
    result = load((SHARED / "en-book.epub").read_bytes(), "en-book.epub")
    assert "should the ice be fast the swing is shortened" in result.document.text
    assert "CHAPTER II RINKS AND SKATERS" in [label for _, label in headings(result)]
