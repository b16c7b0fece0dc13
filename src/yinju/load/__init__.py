"""Bytes to documents: one file per format behind a table of types, in worker processes with limits.

Whatever a file holds, it ends as a `Document` whose receipt balances or as a `DocumentError` with a reason and a hint.
"""

from __future__ import annotations

from yinju.load.detect import is_document_name, type_by_name
from yinju.load.loading import load, load_document, structure
from yinju.load.ocr.availability import hint as without_ocr
from yinju.load.ocr.availability import is_available as reads_pictures
from yinju.load.parsed import Limits, Loaded, Parsed
from yinju.load.picture import page_picture
from yinju.load.reading import load_file
from yinju.load.registry import revision_of
from yinju.load.workers import Pool

__all__ = [
    "Limits", "Loaded", "Parsed", "Pool", "is_document_name", "load", "load_document", "load_file", "page_picture", "reads_pictures", "revision_of",
    "structure", "type_by_name", "without_ocr",
]  # fmt: skip
