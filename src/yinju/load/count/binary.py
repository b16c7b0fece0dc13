"""How many visible characters a PDF, DOCX, XLSX or CSV holds, counted by other code than the loaders'.

A receipt balances against these counts. So they share nothing with the loaders: the PDF library's own character count, the standard
library's streaming XML parser, a plain walk over the cells. They are called after the loader, which has refused unsafe files.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator
from typing import Any
from xml.etree.ElementTree import Element, iterparse

from yinju.load.parsed import visible

_WORD_TEXT = re.compile(r"\{[^}]*wordprocessingml[^}]*\}(?:t|delText)|\{[^}]*officeDocument[^}]*math\}t")
_WORD_PARTS = re.compile(
    r"wordprocessingml\.(?:document\.main|template\.main|header|footer|footnotes|endnotes|comments)\+xml"
    r"|ms-word\.(?:document|template)\.macroEnabled\.main\+xml"
)
_SHEET_PARTS = re.compile(r"spreadsheetml\.worksheet\+xml")


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


def count_docx(data: bytes) -> int:
    """Return the visible characters of all w:t, w:delText and m:t in the text, notes, headers, footers and comments."""
    with zipfile.ZipFile(io.BytesIO(data)) as package:
        return sum(_word_text(package, name) for name in _parts(package, _WORD_PARTS))


def _word_text(package: zipfile.ZipFile, name: str) -> int:
    with package.open(name) as stream:
        found = 0
        for _, element in iterparse(stream):  # noqa: S314  the loader has refused DTDs
            if _WORD_TEXT.fullmatch(element.tag):
                found += visible(element.text or "")
            element.clear()
        return found


def count_xlsx(data: bytes) -> int:
    """Return the visible characters of all cells of all worksheets as they are stored, formulas only where no value is cached."""
    with zipfile.ZipFile(io.BytesIO(data)) as package:
        strings = [
            length for name in _parts(package, re.compile(r"sharedStrings\+xml")) for length in _shared(package, name)
        ]
        return sum(_sheet_text(package, name, strings) for name in _parts(package, _SHEET_PARTS))


def _shared(package: zipfile.ZipFile, name: str) -> Iterator[int]:
    with package.open(name) as stream:
        for _, element in iterparse(stream):  # noqa: S314  the loader has refused DTDs
            if _local(element) == "si":
                yield visible(_string(element))
                element.clear()


def _sheet_text(package: zipfile.ZipFile, name: str, strings: list[int]) -> int:
    found = 0
    with package.open(name) as stream:
        for _, element in iterparse(stream):  # noqa: S314  the loader has refused DTDs
            local = _local(element)
            if local == "c":
                found += _cell_text(element, strings)
            if local in ("c", "row"):
                element.clear()
    return found


def _cell_text(cell: Element, strings: list[int]) -> int:
    kind = cell.get("t", "n")
    parts = {_local(part): part for part in cell}
    value, formula = parts.get("v"), parts.get("f")
    if kind == "inlineStr" and "is" in parts:
        return visible(_string(parts["is"]))
    if value is not None and (value.text or kind == "str"):
        text = (value.text or "").strip()
        if kind == "s":
            return strings[int(text)] if text.isdecimal() and int(text) < len(strings) else 0
        return visible(text)
    return visible(formula.text or "") if formula is not None else 0


def _string(element: Element) -> str:
    """The text of a string: its own t, or those of its runs; the reading aids (rPh) are no part of it."""
    texts = []
    for child in element:
        if _local(child) == "t":
            texts.append(child.text or "")
        elif _local(child) == "r":
            texts += [part.text or "" for part in child if _local(part) == "t"]
    return "".join(texts)


def count_csv(data: bytes) -> int:
    """Return the visible characters of the decoded file, its delimiters and quotes included."""
    from yinju.load.encoding import decode

    return visible(decode(data).text)


def _parts(package: zipfile.ZipFile, kind: re.Pattern[str]) -> list[str]:
    with package.open("[Content_Types].xml") as stream:
        found = [
            str(element.get("PartName", "")).lstrip("/")
            for _, element in iterparse(stream)  # noqa: S314  the loader has refused DTDs
            if _local(element) == "Override" and kind.search(str(element.get("ContentType", "")))
        ]
    present = set(package.namelist())
    return [name for name in found if name in present]


def _local(element: Element) -> str:
    return element.tag.rpartition("}")[2]
