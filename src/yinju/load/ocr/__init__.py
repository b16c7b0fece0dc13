"""Text in pictures, with the extra `yinju[ocr]`: scanned pages of a PDF, and pictures that are documents themselves.

A loader asks `page_reader` for a reader, gets None where OCR is not installed or switched off, and gives it only the pages that need it:
a page costs a second or more. Lines come with their boxes on the page as it is shown, in the order in which they are read, and with
`turn`, by how many degrees clockwise the page has to be turned to be upright: boxes of a page that lies on its head order its lines from the
last to the first, so whoever lays out lines by position does it with `upright(line.box, line.turn)`.
"""

from __future__ import annotations

from yinju.load.ocr.availability import is_available
from yinju.load.ocr.lines import OcrLine, upright
from yinju.load.ocr.pages import PageReader, page_reader

__all__ = ["OcrLine", "PageReader", "is_available", "page_reader", "upright"]
