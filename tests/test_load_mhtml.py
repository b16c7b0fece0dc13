"""Web archives as browsers and Word write them, in both encodings of their parts."""

from __future__ import annotations

import base64
import quopri

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from yinju.errors import DocumentError
from yinju.load import Loaded, load

HEAD = (
    "From: <Saved by Blink>\r\nSnapshot-Content-Location: https://example.com/notice\r\nSubject: =?utf-8?Q?=E9=80=9A=E7=9F=A5?=\r\n"
    'Date: Mon, 3 Mar 2025 09:00:00 -0000\r\nMIME-Version: 1.0\r\nContent-Type: multipart/related;\r\n\ttype="text/html";\r\n'
    '\tboundary="----B----"\r\n\r\n'
)


def part(content: bytes, kind: str = "text/html", encoding: str = "quoted-printable", more: str = "") -> bytes:
    body = quopri.encodestring(content) if encoding == "quoted-printable" else base64.encodebytes(content)
    return (
        f"------B----\r\nContent-Type: {kind}\r\nContent-Transfer-Encoding: {encoding}\r\n{more}\r\n".encode()
        + body
        + b"\r\n"
    )


def archive(*parts: bytes) -> bytes:
    return HEAD.encode() + b"".join(parts) + b"------B------\r\n"


def dropped(result: Loaded) -> dict[str, int]:
    return {item.what: item.characters for item in result.receipt.dropped}


PAGE = "<html><head><title>放假通知</title></head><body><nav>菜单</nav><h1>放假通知</h1><p>五月一日至五日放假。</p></body></html>"


@pytest.mark.parametrize("encoding", ["quoted-printable", "base64"])
@pytest.mark.parametrize("charset", ["utf-8", "gbk"])
@pytest.mark.parametrize("name", ["notice.mht", "notice.mhtml", "notice.doc"])
def test_the_page_of_an_archive(encoding: str, charset: str, name: str) -> None:
    picture = part(b"\x89PNG", "image/png", "base64", "Content-Location: https://example.com/a.png\r\n")
    frame = part(b"<p>Buy now</p>", more="Content-Location: https://ads.example/f\r\n")
    location = "Content-Location: https://example.com/notice\r\n"
    result = load(archive(frame, part(PAGE.encode(charset), encoding=encoding, more=location), picture), name)
    assert result.document.text == "放假通知\n\n五月一日至五日放假。"
    assert result.document.title == "放假通知"
    assert result.document.type == "mhtml"
    assert result.document.metadata["url"] == "https://example.com/notice"
    assert dropped(result) == {"title, kept as metadata": 4, "navigation": 2, "frames": len("Buynow")}


def test_an_english_page_saved_by_word() -> None:
    page = "<html xmlns:o='urn:x'><body><p class=MsoNormal>Rent is due on the 5th.<o:p></o:p></p></body></html>"
    data = archive(part(page.encode(), 'text/html; charset="us-ascii"'), part(b"<xml/>", "text/xml"))
    assert load(data, "lease.mht").document.text == "Rent is due on the 5th."


def test_a_frame_set_is_its_frames() -> None:
    frames = [part(f"<title>t</title><p>{text}</p>".encode()) for text in ("左栏目录", "The text")]
    result = load(
        archive(part(b"<frameset><frame src=a><noframes>old</noframes></frameset>", "text/html"), *frames), "a.mht"
    )
    assert result.document.text == "左栏目录\n\nThe text"
    assert result.document.title == "t"


def test_an_archive_without_a_page_and_one_without_text() -> None:
    with pytest.raises(DocumentError) as caught:
        load(archive(part(b"\x89PNG", "image/png", "base64")), "a.mht")
    assert caught.value.code == "damaged"
    with pytest.raises(DocumentError) as caught:
        load(archive(part(b"<img src=cid:1>")), "a.mht")
    assert caught.value.code == "no-text"


@settings(max_examples=50)
@given(st.integers(0, 2000), st.binary(min_size=1, max_size=20))
def test_a_damaged_archive_ends_as_text_or_refusal(place: int, noise: bytes) -> None:
    data = bytearray(archive(part(PAGE.encode()), part(b"<p>x</p>", encoding="base64")))
    data[place % len(data) : place % len(data) + len(noise)] = noise
    try:
        load(bytes(data), "a.mht")
    except DocumentError as error:
        assert error.code != "unbalanced"  # noqa: PT017


@pytest.mark.slow
def test_parts_in_parts_without_end() -> None:
    deep = b"".join(
        b"--%d\r\nContent-Type: multipart/mixed; boundary=%d\r\n\r\n" % (level, level + 1) for level in range(3_000)
    )
    data = b"MIME-Version: 1.0\r\nContent-Type: multipart/related; boundary=0\r\n\r\n" + deep
    with pytest.raises(DocumentError) as caught:
        load(data, "a.mht")
    assert caught.value.code in ("too-deep", "damaged")
