"""Faults of other systems that let somebody in (kind k): each as it was reported, and others of its kind."""

from __future__ import annotations

import io
import os
import re
import socket
import zipfile
from pathlib import Path
from typing import Any

import pytest
from tests.asking_as import doors
from tests.bad_inputs import W

from yinju import Library
from yinju.errors import DocumentError
from yinju.load import load
from yinju.testing import FakeEmbedder
from yinju.types import Document
from yinju.web.guard import HEADERS

UPLOADED = (
    "../../x.md", "..\\..\\x.md", "/abs.md", "C:\\x.md", "a/../../x.md", "..%2fx.md", "x.md\x00.png", "CON.md", ".", "..", "年" * 300 + ".md",
    "\\\\server\\share\\x.md", "x.md:stream", "../../../.ssh/authorized_keys.md", "~/x.md", "....//x.md", "aux", "x.md/", "\u202edm.x.md",
)  # fmt: skip


def _part(name: str, number: int) -> bytes:
    text = f"# {number}\n\ntext of file {number} {name[:20]!a}".encode()
    head = b'--b\r\nContent-Disposition: form-data; name="files"; filename="' + name.encode() + b'"\r\n\r\n'
    return head + text + b"\r\n"


@pytest.mark.slow
def test_fault_120_names_of_uploads_lead_nowhere_and_overwrite_nothing(tmp_path: Path) -> None:
    place = tmp_path / "library"
    with Library.open(place, embedder=FakeEmbedder()) as library:
        with doors(library, tmp_path, {"alice": ()}) as door:
            before = {
                path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file() and path.parent != place
            }
            for names in (UPLOADED, ("",), ("../../x.md",)):
                body = b"".join(_part(name, place) for place, name in enumerate(names)) + b"--b--\r\n"
                head = {"content-type": "multipart/form-data; boundary=b"}
                answer = door.ask(None, "POST", "/api/upload", content=body, headers=head)
                assert answer.status_code == (202 if names != ("",) else 422), answer.text
                if answer.status_code == 202:
                    door.ask(None, "GET", f"/api/jobs/{answer.json()['job']['id']}/events")
            after = {
                path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file() and place not in path.parents
            }
        assert after == before
        kept = list((place / "uploads").iterdir())
        assert all(path.is_file() and not path.is_symlink() and len(path.name.encode()) <= 200 for path in kept)
        assert not any(
            path.name.startswith(".") or re.search(r'[\\/:*?"<>|\x00-\x1f\u202e]', path.name) for path in kept
        )
        assert "CON.md" not in {path.name for path in kept}
        texts = {path.read_bytes() for path in kept}
        assert len(texts) == len(kept) > 8  # each its own: none took the place of another
    assert {path.name for path in tmp_path.iterdir()} == {"library", "tokens.json"}
    assert not (tmp_path.parent / "x.md").exists()


INTERNAL = (
    "http://127.0.0.1:48923/", "http://[::1]:48923/", "http://0.0.0.0:48923/", "http://2130706433:48923/", "http://169.254.169.254/latest",
    "http://localhost.:48923/", "http://[::ffff:127.0.0.1]:48923/", "http://a@127.0.0.1:48923/", "file:///etc/passwd", "gopher://127.0.0.1:48923/",
    "https://example.com/redirects-to-loopback",
)  # fmt: skip


@pytest.mark.slow
def test_fault_123_s6_s9_no_address_is_ever_fetched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """There is no import by URL: an address is a name that no library holds, in a request, on the command line and inside documents of any kind."""
    from yinju.cli import run

    (tmp_path / "docs").mkdir()
    links = "\n".join(f"![x]({url}) <img src='{url}'> [a]: {url} <link rel=prefetch href='{url}'>" for url in INTERNAL)
    for suffix in ("md", "html", "txt"):
        (tmp_path / "docs" / f"a.{suffix}").write_text(f"# 年费\n\n年费 168 元。\n\n{links}\n", encoding="utf-8")
    (tmp_path / "docs" / "a.xml").write_text(f'<!DOCTYPE a SYSTEM "{INTERNAL[0]}"><a>年费</a>', encoding="utf-8")
    monkeypatch.setenv("YINJU_EMBED_MODEL", "none")

    def refuse(*_given: Any, **_more: Any) -> None:
        raise AssertionError("something was to be fetched")

    with Library.open(tmp_path / "library") as library, doors(library, tmp_path, {"alice": ()}) as door:
        monkeypatch.setattr(socket.socket, "connect", refuse)
        monkeypatch.setattr(socket.socket, "connect_ex", refuse)
        monkeypatch.setattr(socket, "getaddrinfo", refuse)
        library.sync(tmp_path / "docs")
        assert library.ask("年费多少元？").citations
        for url in INTERNAL:
            assert door.ask(None, "POST", "/api/sync", json={"paths": [url]}).status_code in (403, 422)
            assert door.ask(None, "GET", "/api/read", params={"source": url}).status_code == 404
            assert "error" in door.tool(None, "read", source=url)
            library.search(url)
            assert run(["sync", url, "--library", str(tmp_path / "other")]) != 0
    capsys.readouterr()


EVIL = '# <img src=x onerror=alert(1)>\n[click](javascript:alert(1)) <iframe srcdoc="<script>alert(1)</script>">'
NAME = '"><svg onload=alert(1)>.md'


@pytest.mark.slow
def test_fault_124_documents_are_told_as_data_and_never_served_as_pages(tmp_path: Path) -> None:
    """What the page makes of them is tried in Chromium (test_web_hostile)."""
    policy = dict(HEADERS)["content-security-policy"]
    assert "unsafe" not in policy
    assert "default-src 'none'" in policy
    with Library.open(embedder=FakeEmbedder()) as library:
        library.add([Document.from_text(EVIL, source=NAME)])
        with doors(library, tmp_path, {"alice": ()}) as door:
            for path in ("read", "view", "outline", "receipt", "page", "boxes"):
                answer = door.ask(
                    None,
                    "GET",
                    f"/api/{path}",
                    params={"source": NAME, "start": 0, "end": 5},
                    headers={"accept": "text/html"},
                )
                assert answer.headers["content-type"].startswith("application/json"), path
                assert answer.headers["x-content-type-options"] == "nosniff"
                assert answer.headers["content-security-policy"] == policy
            for path in (f"/{NAME}", f"/page/{NAME}", f"/api/read/{NAME}", f"/uploads/{NAME}"):
                answer = door.ask(None, "GET", path, headers={"accept": "text/html"})
                assert answer.status_code == 404
                assert "text/html" not in answer.headers["content-type"]


BOMB = '<!DOCTYPE w [<!ENTITY a "AAAAAAAAAA">' + "".join(
    f'<!ENTITY {name} "{f"&{before};" * 8}">' for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)
OUTSIDE = '<!DOCTYPE w [<!ENTITY i SYSTEM "file:///etc/hostname">'
PARAMETER = '<!DOCTYPE w [<!ENTITY % i SYSTEM "file:///etc/hostname"> %i;'


def _office(kind: str, head: str) -> bytes:
    """Return a document whose main part begins with this."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as package:
        if kind == "docx":
            package.writestr(
                "[Content_Types].xml", "<Types xmlns='http://schemas.openxmlformats.org/package/2006/content-types'/>"
            )
            part = f"<w:document {W}><w:body><w:p><w:r><w:t>&i;</w:t></w:r></w:p></w:body></w:document>"
            package.writestr("word/document.xml", f"<?xml version='1.0'?>{head}]>{part}")
        else:
            package.writestr(
                "[Content_Types].xml", "<Types xmlns='http://schemas.openxmlformats.org/package/2006/content-types'/>"
            )
            package.writestr("xl/workbook.xml", f"<?xml version='1.0'?>{head}]><workbook>&i;</workbook>")
    return out.getvalue()


@pytest.mark.slow
@pytest.mark.parametrize("head", [BOMB, OUTSIDE, PARAMETER], ids=["bomb", "file", "parameter"])
@pytest.mark.parametrize("kind", ["docx", "xlsx", "svg", "xml", "html"])
def test_fault_127_entities_are_neither_expanded_nor_read(kind: str, head: str) -> None:
    data = _office(kind, head) if kind in ("docx", "xlsx") else f"<?xml version='1.0'?>{head}]><w>&i; text</w>".encode()
    began = os.times().user
    try:
        text = load(data, f"a.{kind}").document.text
    except DocumentError:
        text = ""
    assert os.times().user - began < 2
    host = (
        Path("/etc/hostname").read_text(encoding="utf-8").strip() if os.path.exists("/etc/hostname") else "no such host"
    )
    assert host not in text
    assert "A" * 100 not in text
    if kind in ("docx", "xlsx"):
        assert text == ""  # refused
