"""One page of a PDF after the other: its text, what state it is in, and OCR where its text is worth nothing."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Any

from yinju.boxes import Box
from yinju.load.builder import TextBuilder
from yinju.load.clean import clean
from yinju.load.parsed import Limits, visible
from yinju.load.pdf.annotations import read_annotations
from yinju.load.pdf.characters import Characters, read_characters
from yinju.load.pdf.drawing import Drawing, Rectangle, read_drawing
from yinju.load.pdf.layout import lay_out
from yinju.load.pdf.page import Frame, PageText
from yinju.load.pdf.quality import GARBLED, is_shifted, worthlessness
from yinju.load.pdf.segment import Segment, turned
from yinju.load.pdf.upright import join_upright

if TYPE_CHECKING:
    from yinju.load.ocr import OcrLine, PageReader

BY_OCR = "read by OCR"
GARBLED_TEXT = "garbled page"
_MANY_PATHS = 20  # drawn outlines that may be letters
_PICTURE = 0.01  # share of the page from which a picture may hold text
_LEVEL_TURN = (0, 3, 2, 1)  # the turn that text has to have to be level on a page shown turned by so many quarters
_STAMP = 100  # characters that a scanner may have stamped on a page


class Pages:
    """Reads pages; looks for OCR only when a page needs it."""

    def __init__(self, builder: TextBuilder, total: int, limits: Limits) -> None:
        self.builder, self.total, self.limits = builder, total, limits
        self._reader: PageReader | None = None
        self._asked = False

    def read(self, page: Any, number: int) -> PageText:
        """Return the text of a page; what is left out goes to the builder's account. Raises PdfiumError for one that cannot be read."""
        edges, rotation = page.get_bbox(), page.get_rotation() // 90
        drawing = read_drawing(page)
        textpage = page.get_textpage()
        try:
            found = read_characters(textpage, self.builder, drawing, edges)
        finally:
            textpage.close()
        added = read_annotations(page, self.builder, _LEVEL_TURN[rotation])
        segments = join_upright(found.segments) + added.fields
        text = PageText(number, characters=found.count, unreadable=found.unreadable, notes=added.notes)
        text.frame = frame_of(edges, rotation)
        text.upright = (edges[3] - edges[1] >= edges[2] - edges[0]) != bool(rotation % 2)
        text.state = _state(found, segments, drawing, edges)
        text.pictures = sum(
            1 for picture in drawing.pictures if min(picture[2] - picture[0], picture[3] - picture[1]) > 18
        )
        if text.state in ("scanned", "garbled"):
            segments = self._read_again(page, text, segments, rotation)
        text.doubtful = text.state == "text" and is_shifted([s.text for s in segments], found.count)
        text.lines = lay_out(segments, drawing if text.state != "ocr" else Drawing(), number, self.builder)
        return text

    def _read_again(self, page: Any, text: PageText, segments: list[Segment], rotation: int) -> list[Segment]:
        """Return the segments of a page that is scanned or garbled: those that OCR reads, and those that are worth keeping."""
        if text.state == "garbled":
            self.builder.drop(GARBLED_TEXT, sum(visible(segment.text) for segment in segments))
            segments = []
        kept = [text.frame.box(s.left, s.right, s.bottom, s.top, s.turn) for s in segments]
        fresh = [line for line in self._ocr(page, text) if not any(_overlaps(line.box, box) for box in kept)]
        read = []
        for line in fresh:
            turn = _LEVEL_TURN[(rotation + line.turn // 90) % 4]
            read.append(_segment(" ".join(clean(line.text).text.split()), line.box, text.frame, turn))
            self.builder.added(BY_OCR, read[-1].text)
        if read:
            text.state = "ocr"
            weight = sum(len(line.text) for line in fresh)
            text.confidence = sum(line.confidence * len(line.text) for line in fresh) / weight
        return segments + read

    def _ocr(self, page: Any, text: PageText) -> list[OcrLine]:
        import pypdfium2

        reader = self._page_reader()
        if reader is None:
            return []
        try:
            lines = reader.read(page, text.number, self.total)
        except pypdfium2.PdfiumError:  # it cannot be drawn
            return []
        return [line for line in lines if visible(clean(line.text).text)]

    def _page_reader(self) -> PageReader | None:
        if not self._asked:
            self._asked = True
            from yinju.load.ocr import page_reader

            self._reader = page_reader(self.limits)
        return self._reader

    @property
    def has_reader(self) -> bool:
        """Whether OCR can be used here."""
        return self._page_reader() is not None


def frame_of(edges: Rectangle, rotation: int) -> Frame:
    """Return how places on a page with these edges, shown turned clockwise by so many quarters, become shares of it."""
    left, bottom, right, top = edges
    x, y = 1 / max(right - left, 1e-6), 1 / max(top - bottom, 1e-6)
    if rotation == 1:
        return Frame((-bottom * y, -left * x), (0.0, x), (y, 0.0))
    if rotation == 2:
        return Frame((right * x, -bottom * y), (-x, 0.0), (0.0, y))
    if rotation == 3:
        return Frame((top * y, right * x), (0.0, -x), (-y, 0.0))
    return Frame((-left * x, top * y), (x, 0.0), (0.0, -y))


def _state(found: Characters, segments: list[Segment], drawing: Drawing, edges: Rectangle) -> str:
    share = drawing.picture_share(edges)
    characters = sum(len(segment.text) for segment in segments)
    if not characters:
        return "scanned" if share > _PICTURE or drawing.paths > _MANY_PATHS or found.unreadable else "blank"
    if worthlessness([segment.text for segment in segments], found.count, found.unreadable) > GARBLED:
        return "garbled"
    few = (share > 0.5 and characters < 30) or (share > 0.85 and characters < _STAMP and _is_stamp(segments, edges))
    return "scanned" if few else "text"


def _is_stamp(segments: list[Segment], edges: Rectangle) -> bool:
    """Return whether all text of the page stands at its upper or lower edge."""
    reach = 0.08 * (edges[3] - edges[1])
    return all(s.turn or s.bottom > edges[3] - reach or s.top < edges[1] + reach for s in segments)


def _overlaps(one: Box, other: Box) -> bool:
    width = min(one.right, other.right) - max(one.left, other.left)
    height = min(one.bottom, other.bottom) - max(one.top, other.top)
    return width > 0 and height > 0.4 * min(one.bottom - one.top, other.bottom - other.top)


def _segment(text: str, box: Box, frame: Frame, turn: int) -> Segment:
    """Return a line that OCR has read as a segment; its words are as wide as their characters."""
    x0, y0 = frame.place(box.left, box.bottom)
    x1, y1 = frame.place(box.right, box.top)
    left, right, bottom, top = turned(min(x0, x1), max(x0, x1), min(y0, y1), max(y0, y1), turn)
    width = (right - left) / len(text)
    words = array("f")
    place = 0
    for word in text.split(" "):
        for start in range(place, place + len(word), 12):
            end = min(start + 12, place + len(word))
            words.extend((start, end, left + start * width, left + end * width, bottom, top))
        place += len(word) + 1
    return Segment(
        text, left, right, bottom, top, bottom + 0.2 * (top - bottom), turn, False, top - bottom, words=words
    )
