"""How many visible characters a PDF holds, by the PDF library's own count: it shares no code with the loader's reading order.

Called after the loader, which has refused damaged files.
"""

from __future__ import annotations

from typing import Any


def count_pdf(data: bytes) -> int:
    """Return the PDF library's own count of characters over all pages, white space left out."""
    import pypdfium2

    raw: Any = pypdfium2.raw
    found = 0
    document = pypdfium2.PdfDocument(data)
    try:
        for number in range(len(document)):
            try:
                page = document[number]
            except pypdfium2.PdfiumError:
                continue  # the loader names the page in a warning
            textpage = page.get_textpage()
            code_at, handle = raw.FPDFText_GetUnicode, textpage.raw
            codes = [code_at(handle, place) for place in range(textpage.count_chars())]
            # A low surrogate is the second half of one character.
            found += sum(1 for code in codes if not 0xDC00 <= code < 0xE000 and not chr(code).isspace())
            textpage.close()
            page.close()
    finally:
        document.close()
    return found
