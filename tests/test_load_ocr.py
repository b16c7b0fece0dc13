"""OCR with an engine that is told what it reads: everything but the models. Those are in `test_load_ocr_model.py`."""

from __future__ import annotations

import io
import sys
import zlib
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image
from tests.ocr_fakes import column, drawn, encoded, install, line, picture

from yinju.boxes import Box, within
from yinju.errors import DocumentError
from yinju.load import Limits, Loaded, is_document_name, load
from yinju.load.ocr import availability, page_reader, upright
from yinju.load.ocr import engine as engine_room
from yinju.load.ocr.layout import paragraphs
from yinju.load.ocr.lines import as_shown, reading_order
from yinju.load.ocr.pages import scale_for
from yinju.load.ocr.picture import opened, pixels
from yinju.load.ocr.state import ReadElsewhere, set_state
from yinju.messages import set_language
from yinju.types import Span

ENGLISH = ["The gate is opened at", "seven and closed at nine", "in the evening."]
CHINESE = ["大门早上七点开启，晚上", "九点关闭，节假日另行通", "知。"]


def refused(data: bytes, name: str = "a.png", limits: Limits | None = None) -> DocumentError:
    with pytest.raises(DocumentError) as caught:
        load(data, name, limits=limits or Limits())
    return caught.value


def outcome(data: bytes) -> Loaded | str:
    """Return the document, or the code of the refusal."""
    try:
        return load(data, "a.png")
    except DocumentError as error:
        return error.code


# lines and boxes


def test_a_box_on_a_turned_page() -> None:
    box = Box(0.1, 0.2, 0.4, 0.3)
    assert upright(box, 0) == box
    assert upright(box, 90) == pytest.approx(Box(0.7, 0.1, 0.8, 0.4))  # its upper edge is at the right then
    assert upright(box, 180) == pytest.approx(Box(0.6, 0.7, 0.9, 0.8))
    assert upright(box, 270) == pytest.approx(Box(0.2, 0.6, 0.3, 0.9))


@given(st.tuples(*[st.floats(0, 1)] * 4), st.sampled_from((0, 90, 180, 270)))
def test_turning_a_box_back_gives_the_box(edges: tuple[float, ...], turn: int) -> None:
    assert as_shown(upright(Box(*edges), turn), turn) == pytest.approx(Box(*edges))


def test_lines_are_read_row_by_row_whichever_way_the_page_lies() -> None:
    first, second, third = Box(0.1, 0.1, 0.3, 0.13), Box(0.4, 0.105, 0.6, 0.135), Box(0.1, 0.2, 0.6, 0.23)
    for turn in (0, 90, 180, 270):
        boxes = [as_shown(box, turn) for box in (third, second, first)]
        lines = [line(name, *box, turn=turn) for name, box in zip("cba", boxes, strict=True)]
        assert [one.text for one in reading_order(lines)] == ["a", "b", "c"]


# whether it is there


def test_without_the_extra_there_is_no_reader_and_the_hint_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    install(monkeypatch)
    monkeypatch.setattr(availability, "models", lambda: None)
    assert page_reader() is None
    assert not is_document_name("a.png")
    error = refused(picture())
    assert (error.code, error.hint) == ("no-ocr", 'install OCR: pip install "yinju[ocr]"')
    set_language("zh")
    assert refused(picture()).hint == '请安装文字识别（OCR）：pip install "yinju[ocr]"'


@pytest.mark.parametrize("word", ["off", "0", "No", " false "])
def test_the_environment_switches_it_off(monkeypatch: pytest.MonkeyPatch, word: str) -> None:
    install(monkeypatch)
    assert page_reader() is not None
    monkeypatch.setenv("YINJU_OCR", word)
    assert page_reader() is None
    assert "switched off" in str(refused(picture()).hint)


def test_limits_switch_it_off(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch)
    assert page_reader(Limits(ocr_pages=0)) is None
    assert not is_document_name("a.png", pictures=False)
    assert is_document_name("照片.JPG")


def test_a_wheel_without_its_models_counts_as_not_installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    (tmp_path / "rapidocr" / "models").mkdir(parents=True)
    (tmp_path / "rapidocr" / "__init__.py").write_text("raise SystemExit('never imported')", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "rapidocr", raising=False)
    availability.models.cache_clear()
    try:
        assert availability.models() is None
        for name in (availability.DETECTION, availability.DIRECTION, availability.RECOGNITION):
            (tmp_path / "rapidocr" / "models" / name).write_bytes(b"")
        availability.models.cache_clear()
        assert availability.models() == tmp_path / "rapidocr" / "models"
    finally:
        monkeypatch.undo()
        availability.models.cache_clear()


# pages


class Page:
    """A page of a PDF as far as a reader looks at it."""

    def __init__(self, size: tuple[float, float] = (595, 842)) -> None:
        self.size = size
        self.scales: list[float] = []

    def get_size(self) -> tuple[float, float]:
        return self.size

    def render(self, scale: float) -> Page:
        self.scales.append(scale)
        return self

    def to_numpy(self) -> str:
        return "pixels"

    def close(self) -> None:
        pass


def test_pages_are_told_before_they_are_read_and_no_more_than_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    lines, told = column(ENGLISH), []
    fake = install(monkeypatch, lines)
    set_state(here=True, tell=lambda number, total: told.append((number, total, len(fake.seen))))
    try:
        reader = page_reader(Limits(ocr_pages=2))
        assert reader is not None
        assert reader.read(Page(), 3, 8) == lines  # type: ignore[arg-type]
        assert reader.read(Page(), 5, 8) == lines  # type: ignore[arg-type]
        assert (reader.left, reader.read(Page(), 6, 8)) == (0, [])  # type: ignore[arg-type]
    finally:
        set_state(here=True, tell=None)
    assert told == [(3, 8, 0), (5, 8, 1)]


def test_a_process_that_reads_no_pictures_says_so_before_it_loads_anything(monkeypatch: pytest.MonkeyPatch) -> None:
    fake = install(monkeypatch, column(ENGLISH))
    set_state(here=False, tell=None)
    try:
        with pytest.raises(ReadElsewhere):
            load(picture(), "a.png")
        assert fake.seen == []
    finally:
        set_state(here=True, tell=None)


def test_pages_are_drawn_as_large_as_print_needs_whatever_size_they_claim() -> None:
    assert scale_for(595, 842) == pytest.approx(200 / 72)
    assert 80 * scale_for(40, 80) == pytest.approx(1_600)  # a stamp
    assert min(3000, 5000) * scale_for(3000, 5000) == pytest.approx(2_400)  # a poster
    assert 14_400 * 200 * scale_for(200, 14_400) ** 2 <= 24_000_001  # a ribbon


# documents


def test_lines_become_paragraphs_in_english(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, [*column(ENGLISH), *column(["Dogs are kept on", "a lead."], top=0.3)])
    loaded = load(picture(), "sign.png")
    assert (
        loaded.document.text
        == "The gate is opened at seven and closed at nine in the evening.\n\nDogs are kept on a lead."
    )
    assert (loaded.document.type, loaded.document.language) == ("image", "en")
    receipt = loaded.receipt
    assert (receipt.found, receipt.pages, receipt.page_states) == (0, 1, {"ocr": "1"})
    assert [(item.what, -item.characters) for item in receipt.dropped] == [("read by OCR", receipt.characters)]
    assert loaded.document.page(3) is None, "one picture has no page numbers"


def test_lines_become_paragraphs_in_chinese(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, [*column(CHINESE), *column(["犬只须系绳，并由成年人", "牵领。"], top=0.3)])
    loaded = load(picture(), "告示.jpg")
    assert loaded.document.text == "大门早上七点开启，晚上九点关闭，节假日另行通知。\n\n犬只须系绳，并由成年人牵领。"
    assert loaded.document.language == "zh"


def test_a_short_line_ends_and_an_indent_begins_something_new(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [
        line("Opening hours", 0.1, 0.10, 0.3, 0.13),
        line("Monday to Friday from seven to nine", 0.1, 0.14, 0.9, 0.17),
        line("    Visitors have to sign the book that", 0.2, 0.18, 0.9, 0.21),
        line("lies at the gate", 0.1, 0.22, 0.4, 0.25),
    ]
    install(monkeypatch, lines)
    text = load(picture(), "a.png").document.text
    assert text.startswith("Opening hours\nMonday to Friday")
    assert "nine\n\n    Visitors have to sign the book that lies at the gate" in text


def test_cells_beside_each_other_are_parted_and_words_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [
        line("苹果", 0.1, 0.1, 0.2, 0.13), line("5.00", 0.6, 0.1, 0.7, 0.13),
        line("梨和", 0.1, 0.14, 0.2, 0.17), line("香蕉", 0.22, 0.14, 0.32, 0.17), line("7.50", 0.6, 0.14, 0.7, 0.17),
    ]  # fmt: skip
    install(monkeypatch, lines)
    assert load(picture(), "价目.png").document.text == "苹果\t5.00\n梨和 香蕉\t7.50"


def test_two_columns_are_read_one_after_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    left = column([f"left {number} of the first column" for number in range(6)], 0.05, 0.43, top=0.2)
    left[2] = line("left 2 is a little longer than the others", 0.05, 0.28, 0.46, 0.31)
    right = column([f"right {number} of the other column" for number in range(6)], 0.55, 0.95, top=0.2)
    install(monkeypatch, [line("A headline across the columns", 0.1, 0.05, 0.9, 0.1), *left, *right])
    text = load(picture(), "a.png").document.text
    places = [text.index(word) for word in ("headline", "left 0", "left 2", "left 5", "right 0", "right 5")]
    assert places == sorted(places)


def test_every_line_can_be_shown_where_it_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, column(CHINESE))
    document = load(picture(), "a.png").document
    start = document.text.index("九点")
    [(_, box)] = within(document.boxes, Span(start, start + 11))
    assert box == pytest.approx(Box(0.1, 0.14, 0.9, 0.17), abs=1e-4)


def test_the_pages_of_a_tiff_have_numbers_and_states(monkeypatch: pytest.MonkeyPatch) -> None:
    fake = install(monkeypatch, column(ENGLISH), [], column(CHINESE))
    pages = [Image.new("L", (300, 200), grey) for grey in (255, 250, 245, 240)]
    data = encoded(pages[0], "TIFF", save_all=True, append_images=pages[1:])
    loaded = load(data, "fax.tif", limits=Limits(ocr_pages=3))
    assert [int(seen[0, 0, 0]) for seen in fake.seen] == [255, 250, 245]
    assert loaded.receipt.pages == 4
    assert loaded.receipt.page_states == {"ocr": "1, 3", "blank": "2", "scanned": "4"}
    assert loaded.receipt.warnings == ("pages-without-ocr: 4",)
    assert [(mark.kind, mark.level) for mark in loaded.document.marks] == [("page", 1), ("page", 3)]
    assert loaded.document.page(loaded.document.text.index("大门")) == 3


def test_text_that_was_hard_to_read_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, [line("Perhaps this says something", 0.1, 0.1, 0.9, 0.2, confidence=0.7)])
    assert load(picture(), "a.png").receipt.warnings == ("low-confidence: 1",)


@pytest.mark.parametrize("found", [[], ["12:30"], ["停车"], ["★ ☆ ○ ● ■ □ ▲"]])
def test_a_picture_without_text_is_no_document(monkeypatch: pytest.MonkeyPatch, found: list[str]) -> None:
    install(monkeypatch, column(found))
    assert refused(picture()).code == "picture"


def test_what_is_no_picture_but_called_one_is_no_document(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, column(ENGLISH))
    assert refused(b"version https://git-lfs.github.com/spec/v1\n").code == "picture"
    assert refused(picture()[:60]).code == "damaged"
    assert refused(picture(size=(900, 900), colour="red")[:700], "a.jpg").code == "damaged"


def test_a_picture_under_another_name_is_read_with_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, column(ENGLISH))
    loaded = load(picture(), "scan.pdf")
    assert (loaded.document.type, loaded.receipt.warnings) == ("image", ("type-mismatch: image named .pdf",))


def test_bombs_are_refused_before_they_are_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    fake = install(monkeypatch, column(ENGLISH))
    for side in (9_000, 50_000, 2_000_000_000):
        assert refused(claiming(side)).code == "limit"
    assert fake.seen == []


def claiming(side: int) -> bytes:
    """Return a small picture that says it is a large one."""
    data = picture()
    head = b"IHDR" + side.to_bytes(4, "big") * 2 + data[24:29]
    return data[:12] + head + zlib.crc32(head).to_bytes(4, "big") + data[33:]


# pixels


def seen(image: Image.Image, kind: str = "PNG", **saved: Any) -> Any:
    with opened(encoded(image, kind, **saved)) as found:
        return pixels(found, 0)


def test_pictures_are_seen_as_a_viewer_shows_them() -> None:
    corner = Image.new("RGB", (800, 1000), "white")
    corner.paste((255, 0, 0), (0, 0, 400, 300))
    exif = Image.Exif()
    exif[0x0112] = 6  # to be turned clockwise
    shown = seen(corner, exif=exif)
    assert shown.shape == (800, 1000, 3)
    assert shown[50, -50].tolist() == [0, 0, 255]  # blue, green, red
    assert seen(corner)[50, 50].tolist() == [0, 0, 255]


@pytest.mark.parametrize(("ink", "ground"), [((0, 0, 0), 255), ((255, 255, 255), 0)])
def test_what_is_transparent_is_put_on_the_ground_that_shows_the_ink(ink: tuple[int, ...], ground: int) -> None:
    image = Image.new("RGBA", (800, 800), (128, 128, 128, 0))
    image.paste((*ink, 255), (100, 100, 200, 200))
    pixels = seen(image)
    assert (pixels[0, 0].tolist(), pixels[150, 150].tolist()) == ([ground] * 3, list(ink))


@pytest.mark.parametrize("mode", ["1", "L", "P", "LA", "PA", "RGBA", "CMYK", "I", "F", "YCbCr", "LAB"])
def test_every_kind_of_pixel_is_read(mode: str) -> None:
    image = drawn(["Some words"], (800, 800))
    grey = image.convert("L").convert(mode) if mode in ("I", "F") else None
    made = grey or (image.convert("RGB").convert(mode) if mode != "PA" else image.convert("P").convert("PA"))
    pixels = seen(made, "TIFF" if mode not in ("P", "PA") else "PNG") if mode != "PA" else seen(image.convert("P"))
    assert pixels.shape == (800, 800, 3)
    assert pixels.min() < 60
    assert pixels.max() > 200


def test_deep_greys_are_stretched() -> None:
    import numpy

    deep = Image.fromarray(numpy.linspace(1_000, 5_000, 800 * 800, dtype="uint16").reshape(800, 800))
    pixels = seen(deep)
    assert (pixels.min(), pixels.max()) == (0, 255)


def test_small_pictures_are_enlarged_and_large_ones_reduced() -> None:
    assert min(seen(Image.new("L", (300, 400))).shape[:2]) == 736
    assert seen(Image.new("L", (100, 100))).shape == (300, 300, 3)
    assert min(seen(Image.new("L", (5_000, 5_000))).shape[:2]) == 2_400
    large = seen(Image.new("L", (6_000, 5_000)), "JPEG")
    assert min(large.shape[:2]) == 2_400


# parts of large pictures


@given(st.integers(1, 30_000), st.integers(1, 6_000))
def test_each_row_belongs_to_one_part(height: int, width: int) -> None:
    cuts = list(engine_room._cuts(height, width))
    for row in {0, height // 3, height // 2, height - 1}:
        [owner] = [cut for cut in cuts if cut[2][0] <= row < cut[2][1]]
        assert owner[0] <= row < owner[1]
    assert all(begin < end for begin, end, _ in cuts)


def test_a_page_is_one_part_and_a_long_picture_many() -> None:
    assert len(list(engine_room._cuts(2339, 1654))) == 1
    assert len(list(engine_room._cuts(1654, 2339))) == 1
    assert len(list(engine_room._cuts(20_000, 1_000))) == 5


def test_a_very_long_line_is_cut_where_nothing_stands_and_nothing_is_lost() -> None:
    import numpy

    picture = numpy.full((20, 6_000, 3), 255, numpy.uint8)
    picture[:, ::7] = 0
    picture[:, 2_380:2_390] = 255  # a space
    pieces = list(engine_room._pieces(picture))
    assert sum(piece.shape[1] for piece in pieces) == 6_000
    assert len(pieces) == 3
    assert 2_374 <= pieces[0].shape[1] <= 2_394


# whatever comes


@st.composite
def pages_of_lines(draw: st.DrawFn) -> list[Any]:
    share = st.floats(0, 1)
    boxes = draw(st.lists(st.tuples(share, share, share, share), max_size=25))
    turn = draw(st.sampled_from((0, 90, 180, 270)))
    return [
        line(f"line {number}", min(a, c), min(b, d), max(a, c), max(b, d), turn=turn)
        for number, (a, b, c, d) in enumerate(boxes)
    ]


@given(pages_of_lines())
def test_no_line_is_lost_or_doubled_wherever_they_stand(lines: list[Any]) -> None:
    found = [one.text for paragraph in paragraphs(lines) for row in paragraph for one in row]
    assert sorted(found) == sorted(one.text for one in lines)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None)
@given(pages_of_lines())
def test_receipts_balance_wherever_lines_stand(monkeypatch: pytest.MonkeyPatch, lines: list[Any]) -> None:
    install(monkeypatch, lines)
    loaded = outcome(SMALL)
    if isinstance(loaded, str):
        assert loaded == "picture"
    else:
        assert (
            loaded.receipt.found == 0 == loaded.receipt.characters + sum(d.characters for d in loaded.receipt.dropped)
        )


SMALL = picture((40, 40))
SEEDS = [
    SMALL,
    encoded(Image.new("1", (60, 40)), "TIFF", compression="group4"),
    encoded(Image.new("RGB", (60, 40)), "TIFF", save_all=True, append_images=[Image.new("L", (30, 30))]),
    encoded(Image.new("RGB", (60, 40), "navy"), "JPEG"),
    encoded(Image.new("P", (60, 40)), "GIF"),
    encoded(Image.new("RGBA", (60, 40)), "WEBP"),
    encoded(Image.new("RGB", (20, 20)), "BMP"),
]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=150, deadline=None)
@given(st.sampled_from(SEEDS), st.lists(st.tuples(st.floats(0, 1), st.integers(0, 255)), max_size=6), st.floats(0.1, 1))
def test_broken_pictures_end_as_a_document_or_an_error(
    monkeypatch: pytest.MonkeyPatch, seed: bytes, changes: list[tuple[float, int]], kept: float
) -> None:
    install(monkeypatch, column(ENGLISH))
    data = bytearray(seed)
    for place, value in changes:
        data[min(int(place * len(data)), len(data) - 1)] = value
    loaded = outcome(bytes(data[: max(1, int(kept * len(data)))]))
    assert not isinstance(loaded, str) or loaded in {"damaged", "limit", "picture", "binary", "unknown-type"}


def test_the_tiff_of_the_seeds_has_two_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    with opened(SEEDS[2]) as found:
        assert pixels(found, 1).shape == (90, 90, 3)
    assert io.BytesIO(SEEDS[2]).read(2) in (b"II", b"MM")
