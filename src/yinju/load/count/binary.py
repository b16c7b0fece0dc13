"""How many visible characters a PDF holds, by the PDF library's own count: it shares no code with the loader's reading order.

Called after the loader, which has refused damaged files.
"""

from __future__ import annotations

from typing import Any

from yinju.load.parsed import visible
from yinju.load.pdf.opening import open_pdf


def count_pdf(data: bytes) -> int:
    """Return the PDF library's own count of characters over all pages, form fields and notes, white space left out."""
    import pypdfium2

    raw: Any = pypdfium2.raw
    found = 0
    document = open_pdf(data)
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
            found += sum(_annotation(raw, page, place) for place in range(raw.FPDFPage_GetAnnotCount(page.raw)))
            textpage.close()
            page.close()
    finally:
        document.close()
    return found


def _annotation(raw: Any, page: Any, place: int) -> int:
    """The visible characters of one form field's value or note of a page; hidden ones have none."""
    handle = raw.FPDFPage_GetAnnot(page.raw, place)
    kind = raw.FPDFAnnot_GetSubtype(handle)
    arguments: tuple[Any, ...] = (raw.FPDFAnnot_GetStringValue, handle, b"Contents")
    if kind == raw.FPDF_ANNOT_WIDGET and page.formenv:
        arguments = (raw.FPDFAnnot_GetFormFieldValue, page.formenv.raw, handle)
        written = (raw.FPDF_FORMFIELD_TEXTFIELD, raw.FPDF_FORMFIELD_COMBOBOX, raw.FPDF_FORMFIELD_LISTBOX)
        read = raw.FPDFAnnot_GetFormFieldType(page.formenv.raw, handle) in written
    else:
        read = kind in (raw.FPDF_ANNOT_TEXT, raw.FPDF_ANNOT_FREETEXT)
    shown = read and not raw.FPDFAnnot_GetFlags(handle) & (0x02 | 0x20)
    size = arguments[0](*arguments[1:], None, 0) if shown else 0
    buffer = (raw.FPDF_WCHAR * (size // 2 + 1))()
    if size:
        arguments[0](*arguments[1:], buffer, size)
    raw.FPDFPage_CloseAnnot(handle)
    return visible(bytes(buffer)[:size].decode("utf-16-le", errors="replace").rstrip("\0"))
