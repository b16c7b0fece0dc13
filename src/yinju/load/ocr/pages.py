"""Pages of a PDF to lines of text, each drawn just large enough to be read."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from yinju.load.ocr.availability import is_available
from yinju.load.ocr.lines import OcrLine
from yinju.load.ocr.state import begin_page
from yinju.load.parsed import DEFAULT_LIMITS, Limits

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from pypdfium2 import PdfPage

POINTS = 72  # to the inch
DOTS = 200  # to the inch: print of 6 points is 17 pixels high
# Pixels of the sides: pages may be said to be as small as a stamp or as large as a poster.
LEAST_LONG, MOST_SHORT = 1_600, 2_400
MOST_PIXELS = 24_000_000  # of one page, however long it is


def page_reader(limits: Limits = DEFAULT_LIMITS) -> PageReader | None:
    """Return a reader for the pages of one file, or None where OCR is not installed or switched off."""
    return PageReader(limits.ocr_pages) if limits.ocr_pages and is_available() else None


class PageReader:
    """Reads the pages of one file, at most `most` of them. Nothing is loaded before the first page."""

    def __init__(self, most: int) -> None:
        self.left = most  # pages that may still be read; a loader names in a warning those that it has to leave out

    def read(self, page: PdfPage, number: int, total: int) -> list[OcrLine]:
        """Return the lines of the page as it is shown; `number` of `total` pages that are read by OCR is for progress.

        No lines: none was found, or no more pages may be read (`left` was 0). Raises pypdfium2.PdfiumError where the page cannot be drawn.
        """
        width, height = page.get_size()
        if not self._begin(number, total) or width <= 0 or height <= 0:
            return []
        from yinju.load.ocr.engine import engine

        bitmap = page.render(scale=scale_for(width, height))
        try:
            return engine().read(bitmap.to_numpy())
        finally:
            bitmap.close()

    def read_picture(self, pixels: Callable[[], NDArray[Any]], number: int, total: int) -> list[OcrLine]:
        """Return the lines of a picture, `height x width x 3` in blue, green, red, made only if it will be read; the rest as `read`."""
        if not self._begin(number, total):
            return []
        from yinju.load.ocr.engine import engine

        return engine().read(pixels())

    def _begin(self, number: int, total: int) -> bool:
        if self.left <= 0:
            return False
        begin_page(number, total)
        self.left -= 1
        return True


def scale_for(width: float, height: float) -> float:
    """Return by how much to enlarge a page of so many points for a picture that can be read, but is no larger than need be."""
    wanted = min(max(DOTS / POINTS, LEAST_LONG / max(width, height)), MOST_SHORT / min(width, height))
    return min(wanted, math.sqrt(MOST_PIXELS / (width * height)))
