"""PDF to a document: pages, reading order, paragraphs, headings, tables, properties.

Pages without text (scans) and pages whose characters mean nothing (fonts without a code table) are read by OCR where that is installed,
else named, never passed over in silence. A file whose end is missing gives the pages that can still be read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from yinju.load.builder import TextBuilder
from yinju.load.office.package import beyond_limit, damaged, encrypted
from yinju.load.parsed import Limits, Parsed
from yinju.load.pdf.bombs import refuse_bomb
from yinju.load.pdf.characters import HIDDEN
from yinju.load.pdf.headings import Entry, is_numbered_part
from yinju.load.pdf.opening import is_whole, open_pdf
from yinju.load.pdf.page import PageText
from yinju.load.pdf.pages import Pages
from yinju.load.pdf.states import judge, page_warnings, states
from yinju.load.pdf.structure import write_pages
from yinju.messages import say

_DATE = re.compile(
    r"(?:D:)?(\d{4})(\d{2})?(\d{2})?(\d{2})?(\d{2})?(\d{2})?\s*(?:(Z)|([+-])(\d{2})'?(\d{2})?)?.*", re.DOTALL
)
_JUNK_TITLE = re.compile(
    r"(microsoft (word|powerpoint|excel)\b.*|\(?(untitled|anonymous|unspecified)\)?|无标题|未命名|.*\.(docx?|pptx?|xlsx?|pdf|tex|dvi|indd|qxd|wps))",
    re.IGNORECASE,
)
_MOST_ENTRIES = 5_000  # of an outline


def load_pdf(data: bytes, source: str, limits: Limits) -> Parsed:
    """Return the text of a PDF. Raises DocumentError: damaged, encrypted, limit, no-text."""
    import pypdfium2

    whole = is_whole(data)
    document = _open(data, whole)
    try:
        count = len(document)
        if count > limits.pages:
            raise beyond_limit("too many pages", "页数过多")
        if not count:
            raise damaged(say("no pages", "没有任何页面"))
        builder = TextBuilder()
        reader = Pages(builder, count, limits)
        pages = _read(document, reader)
        outline = _outline(document)
        properties = document.get_metadata_dict()
    except pypdfium2.PdfiumError as error:
        raise damaged(str(error)) from error
    finally:
        document.close()
    if not whole:
        _doubt_empty(pages)
    refuse_bomb(data, pages)
    judge(pages, reader)
    running, boxes = write_pages(builder, pages, outline)
    marks = builder.sorted_marks()
    first = builder.first_heading(1)
    heading = None if first and is_numbered_part(first) else first
    return Parsed(
        text=builder.text(),
        marks=marks,
        title=_title(properties) or heading or running or first,
        metadata=_metadata(properties),
        dropped=builder.dropped(),
        pages=count,
        page_states=states(pages),
        images=sum(page.pictures for page in pages if page.state != "ocr"),
        boxes=boxes,
        warnings=page_warnings(pages, whole) + _hidden(builder) + builder.warnings(),
    )


def _open(data: bytes, whole: bool) -> Any:
    import pypdfium2

    try:
        return open_pdf(data)
    except pypdfium2.PdfiumError as error:
        if "password" in str(error).lower() or "security" in str(error).lower():
            raise encrypted() from error
        raise damaged(str(error) if whole else say("the end is missing", "文件不完整，缺少结尾")) from error


def _read(document: Any, reader: Pages) -> list[PageText]:
    """Return the pages; those that cannot be loaded say so by their state."""
    import pypdfium2

    pages: list[PageText] = []
    for place in range(len(document)):
        try:
            page = document[place]
        except pypdfium2.PdfiumError:
            pages.append(PageText(place + 1, state="unreadable"))
            continue
        try:
            pages.append(reader.read(page, place + 1))
        finally:
            page.close()
    return pages


def _doubt_empty(pages: list[PageText]) -> None:
    """In a file whose end is missing a page with nothing on it is one whose content is missing."""
    for page in pages:
        if page.state == "blank":
            page.state = "unreadable"


def _hidden(builder: TextBuilder) -> tuple[str, ...]:
    count = builder.account[HIDDEN]
    return (f"hidden-text: {count}",) if count else ()


def _outline(document: Any) -> list[Entry]:
    import pypdfium2

    try:
        return list(_entries(document))
    except (pypdfium2.PdfiumError, ValueError, UnicodeDecodeError):
        return []


def _entries(document: Any) -> Iterator[Entry]:
    for number, bookmark in enumerate(document.get_toc(max_depth=9)):
        if number >= _MOST_ENTRIES:
            return
        destination = bookmark.get_dest()
        page = destination.get_index() if destination is not None else None
        title = " ".join(bookmark.get_title().split())
        if page is not None and title:
            yield Entry(title, page + 1, bookmark.level + 1)


def _title(properties: dict[str, str]) -> str | None:
    title = " ".join(properties.get("Title", "").split())
    named = any(character.isalpha() for character in title) and "\ufffd" not in title
    return title if named and not _JUNK_TITLE.fullmatch(title) else None


def _metadata(properties: dict[str, str]) -> dict[str, str]:
    names = {"Author": "author", "Subject": "subject", "Keywords": "keywords"}
    metadata = {ours: " ".join(properties.get(theirs, "").split()) for theirs, ours in names.items()}
    metadata = {key: value for key, value in metadata.items() if not _JUNK_TITLE.fullmatch(value)}
    metadata |= {
        "created": iso_date(properties.get("CreationDate", "")),
        "modified": iso_date(properties.get("ModDate", "")),
    }
    return {key: value for key, value in metadata.items() if value}


def iso_date(text: str) -> str:
    """Return a PDF date (ISO 32000-1, 7.9.4: `D:20240301120000+08'00'`) by ISO 8601; empty where it is none."""
    match = _DATE.fullmatch(text.strip())
    if not match:
        return ""
    year, month, day, hour, minute, second, zulu, sign, offset, minutes = match.groups()
    date = f"{year}-{month or '01'}-{day or '01'}"
    if hour is None:
        return date
    zone = "Z" if zulu or (sign and offset == "00") else f"{sign}{offset}:{minutes or '00'}" if sign else ""
    return f"{date}T{hour}:{minute or '00'}:{second or '00'}{zone}"
