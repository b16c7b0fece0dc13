"""OCR with its real models, which come in the wheel of the extra: what is drawn is read, whichever way it lies, without a network."""

from __future__ import annotations

import logging
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from tests.ocr_fakes import GOLDEN_ZH, drawn, encoded
from tests.pdf_writer import lines as written
from tests.pdf_writer import make_pdf

from yinju.boxes import within
from yinju.load import Limits, Loaded, Pool, load
from yinju.load.ocr import availability, page_reader
from yinju.load.ocr import engine as engine_room
from yinju.types import SourceFile, Span

pytestmark = [
    pytest.mark.model,
    pytest.mark.usefixtures("with_ocr"),
    pytest.mark.skipif(availability.models() is None, reason="the extra ocr is not installed"),
]

ENGLISH = ["The boiler is serviced in May,", "before the heating is switched off.", "Call 4417 if it leaks."]
WHOLE = "The boiler is serviced in May, before the heating is switched off."
BENCH = Path(__file__).parents[2] / "shared" / "bench" / "files-mixed" / "files"


@pytest.fixture
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_arguments: object, **_named: object) -> None:
        raise AssertionError("OCR asks for the network")

    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.setattr("yinju.load.ocr.engine.engine", engine_room.Engine)


def scan(*pages: Image.Image) -> bytes:
    """Return a PDF of these pictures, 100 dots to the inch."""
    return encoded(
        pages[0].convert("L"), "PDF", resolution=100, save_all=True, append_images=[p.convert("L") for p in pages[1:]]
    )


def golden() -> Image.Image:
    return Image.open(GOLDEN_ZH).convert("L")


def test_english_is_read_offline_and_in_silence(offline: None, capfd: pytest.CaptureFixture[str], caplog: Any) -> None:
    with caplog.at_level(logging.DEBUG, "RapidOCR"):
        loaded = load(encoded(drawn(ENGLISH)), "boiler.png")
    assert WHOLE in loaded.document.text.replace("\n", " ")
    assert "4417" in loaded.document.text
    assert loaded.receipt.warnings == ()
    assert capfd.readouterr() == ("", "")


def test_chinese_is_read_in_paragraphs() -> None:
    loaded = load(GOLDEN_ZH.read_bytes(), "门禁卡.png")
    paragraphs = loaded.document.text.split("\n\n")
    assert paragraphs[:2] == ["门禁卡办理说明", "员工入职后凭工牌到前台领取门禁卡，押金二十元，离职时退还。"]
    assert "补办费用为每张五十元。" in paragraphs[2]
    assert loaded.document.language == "zh"


@pytest.mark.parametrize("turn", [90, 180, 270])
def test_turned_pictures_are_read_and_shown_where_they_are(turn: int) -> None:
    for image, phrase in ((drawn(ENGLISH), "heating is switched off"), (golden(), "押金二十元，离职时退还")):
        document = load(encoded(image.rotate(turn, expand=True)), "a.png").document
        start = document.text.replace("\n", " ").index(phrase)
        boxes = [box for _, box in within(document.boxes, Span(start, start + len(phrase)))]
        wide = [box.right - box.left > box.bottom - box.top for box in boxes]
        assert wide == [turn == 180] * len(boxes) or len(phrase) < 12


@pytest.mark.parametrize("turn", [0, 90, 180, 270])
def test_pages_of_a_pdf_are_read_whichever_way_they_were_scanned(turn: int) -> None:
    import pypdfium2

    document = pypdfium2.PdfDocument(scan(drawn(ENGLISH).rotate(turn, expand=True)))
    reader = page_reader()
    assert reader is not None
    lines = reader.read(document[0], 1, 1)
    assert [line.text for line in lines] == ENGLISH
    assert {line.turn for line in lines} == {turn}  # Pillow turns against the clock, `turn` back with it
    document.close()


@pytest.mark.parametrize("askew", [-2, 3])
def test_pages_that_were_scanned_askew_keep_their_lines_apart(askew: float) -> None:
    image = golden().rotate(askew, fillcolor=255, resample=Image.Resampling.BICUBIC)
    text = load(encoded(image), "a.png").document.text
    assert "员工入职后凭工牌到前台领取门禁卡，押金二十元，离职时退还。" in text


def mixed() -> bytes:
    """Return a PDF: a page of text, a scanned page in Chinese, one in English upside down."""
    import io

    import pypdfium2

    text = pypdfium2.PdfDocument(make_pdf([written([f"Rule {n}: the door stays shut at night." for n in range(12)])]))
    scanned = pypdfium2.PdfDocument(scan(golden(), drawn(ENGLISH).rotate(180)))
    text.import_pages(scanned)
    stream = io.BytesIO()
    text.save(stream)
    return stream.getvalue()


def test_only_the_pages_that_need_it_are_read_by_ocr() -> None:
    loaded = load(mixed(), "mixed.pdf")
    assert loaded.receipt.page_states == {"text": "1", "ocr": "2-3"}
    text = loaded.document.text
    for page, phrase in (
        (1, "Rule 7: the door stays shut"),
        (2, "押金二十元，离职时退还"),
        (3, "The boiler is serviced"),
    ):
        assert loaded.document.page(text.index(phrase)) == page


def test_the_pool_reads_pictures_within_its_memory(tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(mixed())
    (tmp_path / "b.png").write_bytes(GOLDEN_ZH.read_bytes())
    told = []
    files = [SourceFile(name, str(tmp_path / name), 0, 0) for name in ("a.pdf", "b.png")]
    with Pool(2, on_page=lambda file, number, total: told.append((file.source, number, total))) as pool:
        results = {file.source: result for file, result in pool.load_files(files)}
    assert all(isinstance(result, Loaded) for result in results.values())
    assert ("b.png", 1, 1) in told


def test_little_memory_is_a_limit_and_no_crash(tmp_path: Path) -> None:
    if sys.platform != "linux":
        pytest.skip("elsewhere the address space cannot be limited")
    (tmp_path / "b.png").write_bytes(GOLDEN_ZH.read_bytes())
    from yinju.errors import DocumentError

    for megabytes in (500, 800):  # too little to load the libraries, and to read the picture
        with Pool(1, Limits(ocr_memory_bytes=megabytes << 20)) as pool, pytest.raises(DocumentError) as caught:
            pool.load_file(SourceFile("b.png", str(tmp_path / "b.png"), 0, 0))
        assert caught.value.code in {"limit", "crashed"}


def test_the_command_line_reads_scans_and_can_be_told_not_to(tmp_path: Path) -> None:
    (tmp_path / "说明.png").write_bytes(GOLDEN_ZH.read_bytes())
    command = [sys.executable, "-m", "yinju"]
    off = subprocess.run(
        [*command, "sync", str(tmp_path), "--no-ocr", "--model", "none"],
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert (off.returncode, "skipped" in off.stdout) == (0, False)
    on = subprocess.run(
        [*command, "sync", str(tmp_path), "--model", "none"], capture_output=True, encoding="utf-8", check=False
    )
    assert "1 added" in on.stdout, on
    assert on.stderr == ""
    found = subprocess.run(
        [*command, "grep", "补办费用", "--library", str(tmp_path / ".yinju")],
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert "五十元" in found.stdout


PHRASES = {
    "zh-scanned-2p.pdf": ("物的有用性使物成为使用价值", "商品的使用价值为商品学和商业成规"),
    "zh-scanned-8p.pdf": ("物的有用性使物成为使用价值", "交换价值首先表现为量的关系"),
    "en-scan-one-line.pdf": ("Docling bundles PDF document conversion to",),
    "en-scan-upside-down.pdf": ("Docling bundles PDF document conversion to",),
    "zh-image-text.jpeg": ("是扫除肌肤代谢物的最佳", "适合任何肌肤"),
}


@pytest.fixture(scope="module")
def reader() -> Iterator[Pool]:
    with Pool(1) as pool:
        yield pool


@pytest.mark.bench
@pytest.mark.skipif(not BENCH.exists(), reason="the public set files-mixed is not beside the checkout")
@pytest.mark.parametrize("name", PHRASES)
def test_scans_of_the_public_set(reader: Pool, name: str) -> None:
    text = reader.load_file(SourceFile(name, str(BENCH / name), 0, 0)).document.text
    assert [phrase for phrase in PHRASES[name] if phrase not in text] == []
