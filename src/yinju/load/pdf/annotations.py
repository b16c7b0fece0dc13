"""What people have filled in and noted on a PDF page: values of form fields in their place, notes at the end of the page.

PDFium's text of a page has neither. A checkbox or radio button is written as a ticked or empty box.
"""

from __future__ import annotations

import ctypes
from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from yinju.load.builder import TextBuilder
from yinju.load.office.package import beyond_limit
from yinju.load.parsed import visible
from yinju.load.pdf.segment import Segment, turned

_MOST = 50_000  # annotations of a page
_LINE = 14.0  # points: a field that is not higher has one line
_HIDDEN = 0x02 | 0x20  # flags: hidden, not shown on the screen
TICKS = {True: "☑", False: "☐"}
TICKED = "ticked boxes of forms"


@dataclass(slots=True)
class Added:
    """The filled-in fields of a page as segments, and its notes."""

    fields: list[Segment] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def read_annotations(page: Any, builder: TextBuilder, turn: int) -> Added:
    """Return what was filled in and noted on the page; `turn` is the direction of its level text. Raises DocumentError with code `limit`."""
    import pypdfium2

    raw: Any = pypdfium2.raw
    added = Added()
    form = page.formenv.raw if page.formenv else None
    count = raw.FPDFPage_GetAnnotCount(page.raw)
    if count > _MOST:
        raise beyond_limit("more than 50,000 notes and fields on a page", "一页上的批注和表单域超过 5 万个")
    for place in range(count):
        handle = raw.FPDFPage_GetAnnot(page.raw, place)
        if not handle:
            continue
        try:
            kind = raw.FPDFAnnot_GetSubtype(handle)
            if raw.FPDFAnnot_GetFlags(handle) & _HIDDEN:
                continue
            if kind == raw.FPDF_ANNOT_WIDGET and form is not None:
                added.fields += _field(raw, form, handle, builder, turn)
            elif kind in (raw.FPDF_ANNOT_TEXT, raw.FPDF_ANNOT_FREETEXT):
                note = builder.clean(string_of(raw, raw.FPDFAnnot_GetStringValue, handle, b"Contents")).strip()
                added.notes += [" ".join(note.split())] if note else []
        finally:
            raw.FPDFPage_CloseAnnot(handle)
    return added


def _field(raw: Any, form: Any, handle: Any, builder: TextBuilder, turn: int) -> Iterator[Segment]:
    kind = raw.FPDFAnnot_GetFormFieldType(form, handle)
    box = raw.FS_RECTF()
    if not raw.FPDFAnnot_GetRect(handle, box):
        return
    if kind in (raw.FPDF_FORMFIELD_CHECKBOX, raw.FPDF_FORMFIELD_RADIOBUTTON):
        lines = [builder.added(TICKED, TICKS[bool(raw.FPDFAnnot_IsChecked(form, handle))])]
    elif kind in (raw.FPDF_FORMFIELD_TEXTFIELD, raw.FPDF_FORMFIELD_COMBOBOX, raw.FPDF_FORMFIELD_LISTBOX):
        value = builder.clean(string_of(raw, raw.FPDFAnnot_GetFormFieldValue, form, handle))
        lines = [line.strip() for line in value.replace("\r", "\n").split("\n") if visible(line)]
    else:
        return
    left, right, bottom, top = turned(box.left, box.right, box.bottom, box.top, turn)
    height = (top - bottom) / max(len(lines), 1)
    size = min(height, _LINE)
    for number, text in enumerate(lines):
        middle = top - (number + 0.5) * height if len(lines) > 1 or height <= _LINE else top - 0.6 * _LINE
        low, high = middle - size / 2, middle + size / 2
        words = array("f", (0, len(text), left, right, low, high))
        yield Segment(text, left, right, low, high, low + 0.22 * size, turn, False, size, words=words)


def string_of(raw: Any, function: Any, *arguments: Any) -> str:
    """Return the text that one of PDFium's functions writes as UTF-16 into a buffer."""
    kind = raw.FPDF_WCHAR
    needed = function(*arguments, None, 0)
    if needed <= 2:
        return ""
    buffer = ctypes.create_string_buffer(needed)
    function(*arguments, ctypes.cast(buffer, ctypes.POINTER(kind)), needed)
    return buffer.raw[:needed].decode("utf-16-le", errors="replace").rstrip("\0")
