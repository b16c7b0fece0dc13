"""Pictures of text as documents: scans, photographs of paper, screenshots, faxes of several pages.

A picture has no characters of its own: all that is recognised is accounted for as added. A picture without any text (a photograph, a logo) is
no document: it is refused by the code `picture`, which a sync counts as ignored.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from yinju.boxes import Box, pack
from yinju.errors import DocumentError
from yinju.load.builder import TextBuilder
from yinju.load.ocr.availability import hint
from yinju.load.ocr.layout import continues, paragraphs, right_edge
from yinju.load.ocr.lines import OcrLine
from yinju.load.ocr.pages import PageReader, page_reader
from yinju.load.ocr.picture import NO_TEXT, opened, pages, pixels
from yinju.load.parsed import Limits, Parsed
from yinju.messages import say
from yinju.text.language import is_chinese
from yinju.types import Span

ADDED = "read by OCR"
LEAST_TEXT = 8  # Latin letters, a Chinese one counts as two: less is a logo or a street sign
DOUBTFUL = 0.85  # mean confidence of a page below which its text should be read with care
NOT_HERE = "no-ocr"


def load_image(data: bytes, source: str, limits: Limits) -> Parsed:
    """Return the text of a picture. Raises DocumentError: damaged, limit, picture (there is no text in it), no-ocr (not installed, or off)."""
    reader = page_reader(limits)
    if reader is None:
        raise DocumentError(say("text in pictures is not read here", "此处不识别图片中的文字"), hint(), code=NOT_HERE)
    writer = _Writer()
    with opened(data) as picture:
        total = pages(picture)
        if total > limits.pages:
            raise DocumentError(say("too many pages", "页数过多"), say("split it", "请拆分文件"), code="limit")
        for number in range(1, total + 1):
            if not reader.left:
                break
            writer.write(number, _read(reader, picture, number, total), several=total > 1)
    if sum(_weight(text) for text in writer.builder.parts) < LEAST_TEXT:
        raise DocumentError(
            say("no text in the picture", "图片中没有文字"), say("nothing to do", "无需处理"), code=NO_TEXT
        )
    return writer.parsed(total)


def count_image(data: bytes) -> int:
    """Return 0: a picture holds no characters, and everything that is read in it counts as added."""
    return 0


def _read(reader: PageReader, picture: object, number: int, total: int) -> list[OcrLine]:
    from PIL.Image import Image

    assert isinstance(picture, Image)
    return reader.read_picture(lambda: pixels(picture, number - 1), number, total)


def _weight(text: str) -> int:
    return sum(2 if is_chinese(letter) else 1 for letter in text if letter.isalnum())


@dataclass(slots=True)
class _Writer:
    """The document under construction."""

    builder: TextBuilder = field(default_factory=TextBuilder)
    words: list[tuple[Span, Box]] = field(default_factory=list)
    read: list[int] = field(default_factory=list)
    empty: list[int] = field(default_factory=list)
    doubtful: list[int] = field(default_factory=list)

    def write(self, number: int, lines: Sequence[OcrLine], *, several: bool) -> None:
        """Write one page."""
        if not lines:
            self.empty.append(number)
            return
        self.read.append(number)
        letters = sum(len(line.text) for line in lines)
        if sum(line.confidence * len(line.text) for line in lines) < DOUBTFUL * letters:
            self.doubtful.append(number)
        self.builder.separate("\n\n")
        start = self.builder.position
        for place, paragraph in enumerate(paragraphs(lines)):
            if place:
                self.builder.write("\n\n")
            self._paragraph(paragraph)
        if several:
            self.builder.mark("page", Span(start, self.builder.position), level=number)

    def _paragraph(self, rows: Sequence[Sequence[OcrLine]]) -> None:
        edge, last = right_edge([list(row) for row in rows]), ""
        for place, row in enumerate(rows):
            if place:
                runs_on = continues(list(rows[place - 1]), list(row), edge)
                self.builder.write(_joint(last, row[0].text) if runs_on else "\n")
            for number, line in enumerate(row):
                if number:
                    self.builder.write("\t" if _are_apart(row[number - 1], line) else " ")
                span = self.builder.write(self.builder.added(ADDED, line.text))
                self.words.append((span, line.box))
                last = line.text

    def parsed(self, total: int) -> Parsed:
        """Return the document, of so many pages."""
        unread = list(range(1, total + 1))[len(self.read) + len(self.empty) :]
        states = {"ocr": self.read, "blank": self.empty, "scanned": unread}
        warnings = [f"low-confidence: {page_list(self.doubtful)}"] if self.doubtful else []
        warnings += [f"pages-without-ocr: {page_list(unread)}"] if unread else []
        return Parsed(
            text=self.builder.text(),
            marks=self.builder.sorted_marks(),
            dropped=self.builder.dropped(),
            pages=total,
            page_states={state: page_list(numbers) for state, numbers in states.items() if numbers},
            boxes=pack(self.words),
            warnings=tuple(warnings),
        )


def page_list(numbers: Sequence[int]) -> str:
    """Return page numbers as people write them: `1-3, 7`."""
    runs = list(_runs(numbers))
    return ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in runs)


def _runs(numbers: Sequence[int]) -> Iterator[tuple[int, int]]:
    first = last = numbers[0]
    for number in numbers[1:]:
        if number != last + 1:
            yield first, last
            first = number
        last = number
    yield first, last


def _joint(before: str, after: str) -> str:
    """Return what stands between two lines of one sentence: nothing in Chinese, else a space; words that were parted stay parted."""
    wide = before[-1:] > "\u2e7f" or after[:1] > "\u2e7f"
    return "" if wide else " "


def _are_apart(line: OcrLine, other: OcrLine) -> bool:
    """Tell whether two pieces of one row are cells of a table rather than words of a sentence."""
    from yinju.load.ocr.lines import upright

    left, right = upright(line.box, line.turn), upright(other.box, other.turn)
    letter = (left.right - left.left) / max(len(line.text), 1)
    return right.left - left.right > 2.5 * letter
