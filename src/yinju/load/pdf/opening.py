"""Opens a PDF, also one whose end is missing: what names the first object stands at the end of the file and is written anew.

Loader and counter open a file in the same way, or they would not speak of the same pages.
"""

from __future__ import annotations

import re
from typing import Any

_TAIL = 4096  # bytes at the end in which a complete file names its last table
_CATALOG = re.compile(rb"(\d{1,9})\s+(\d{1,5})\s+obj\b(?:(?!endobj).){0,4000}?/Type\s*/Catalog\b", re.DOTALL)


def is_whole(data: bytes) -> bool:
    """Return whether the end of the file is there."""
    tail = data.rstrip(b"\0\r\n\t ")[-_TAIL:]
    return b"startxref" in tail or b"%%EOF" in tail


def open_pdf(data: bytes) -> Any:
    """Return the file as pypdfium2's document, ready for its form fields. Raises PdfiumError."""
    import pypdfium2

    try:
        document = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError:
        catalog = None if is_whole(data) else _CATALOG.search(data)
        if catalog is None:
            raise
        trailer = b"\nendstream\nendobj\ntrailer\n<</Root %s %s R>>\nstartxref\n0\n%%%%EOF\n" % catalog.groups()
        document = pypdfium2.PdfDocument(data + trailer)
    if document.get_formtype() != pypdfium2.raw.FORMTYPE_NONE:
        document.init_forms()
    return document
