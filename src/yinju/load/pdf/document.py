"""PDF with a text layer to a document: pages, reading order, paragraphs, headings, properties.

Pages without text (scans) and pages whose characters mean nothing (fonts without a code table) are named, never passed over in silence.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from yinju.errors import DocumentError
from yinju.load.builder import TextBuilder
from yinju.load.office.package import beyond_limit, damaged, encrypted
from yinju.load.parsed import Limits, Parsed
from yinju.load.pdf.headings import Entry, is_numbered_part
from yinju.load.pdf.layout import PageText, read_page
from yinju.load.pdf.structure import write_pages
from yinju.messages import say

_TAIL = 4096  # bytes at the end in which a complete file names its last table
_DATE = re.compile(
    r"(?:D:)?(\d{4})(\d{2})?(\d{2})?(\d{2})?(\d{2})?(\d{2})?\s*(?:(Z)|([+-])(\d{2})'?(\d{2})?)?.*", re.DOTALL
)
_JUNK_TITLE = re.compile(
    r"(microsoft (word|powerpoint|excel)\b.*|\(?(untitled|anonymous|unspecified)\)?|无标题|未命名|.*\.(docx?|pptx?|xlsx?|pdf|tex|dvi|indd|qxd|wps))",
    re.IGNORECASE,
)
_UNREADABLE = 0.3  # share of a page's characters from which it counts as garbled
_VOWELS = frozenset("aeiouyAEIOUY")
_FEW = 20  # letters, of which nothing can be said
_COMMONEST = frozenset(
    ("the", "and", "for", "der", "die", "und", "les", "des", "que", "los", "una", "het", "een", "che")
)
_MOST_ENTRIES = 5_000  # of an outline


def load_pdf(data: bytes, source: str, limits: Limits) -> Parsed:
    """Return the text layer of a PDF. Raises DocumentError: damaged, encrypted, limit, no-text."""
    import pypdfium2

    tail = data.rstrip(b"\0\r\n\t ")[-_TAIL:]
    if b"startxref" not in tail and b"%%EOF" not in tail:
        raise damaged(say("the end is missing", "文件不完整，缺少结尾"))
    document = _open(data)
    try:
        count = len(document)
        if count > limits.pages:
            raise beyond_limit("too many pages", "页数过多")
        if not count:
            raise damaged(say("no pages", "没有任何页面"))
        builder, warnings = TextBuilder(), []
        pages, unreadable = _read(document, builder)
        if len(unreadable) == count:
            raise damaged(say("no page can be read", "没有一页可以读取"))
        outline = _outline(document)
        properties = document.get_metadata_dict()
    except pypdfium2.PdfiumError as error:
        raise damaged(str(error)) from error
    finally:
        document.close()
    warnings += _judge(pages, count)
    if unreadable:
        warnings.append(f"unreadable-pages: {page_list(unreadable)}")
    running = write_pages(builder, pages, outline)
    marks = builder.sorted_marks()
    first = next((mark.label for mark in marks if mark.kind == "heading" and mark.level == 1), None)
    heading = None if first and is_numbered_part(first) else first
    return Parsed(
        text=builder.text(),
        marks=marks,
        title=_title(properties) or heading or running or first,
        metadata=_metadata(properties),
        dropped=builder.dropped(),
        pages=count,
        warnings=tuple(warnings) + builder.warnings(),
    )


def _open(data: bytes) -> Any:
    import pypdfium2

    try:
        return pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        if "password" in str(error).lower() or "security" in str(error).lower():
            raise encrypted() from error
        raise damaged(str(error)) from error


def _read(document: Any, builder: TextBuilder) -> tuple[list[PageText], list[int]]:
    """Return the pages and the numbers of those that cannot be loaded."""
    import pypdfium2

    pages: list[PageText] = []
    unreadable: list[int] = []
    for place in range(len(document)):
        try:
            page = document[place]
        except pypdfium2.PdfiumError:
            unreadable.append(place + 1)
            continue
        textpage = page.get_textpage()
        pages.append(read_page(textpage, place + 1, builder))
        textpage.close()
        page.close()
    return pages, unreadable


def _judge(pages: list[PageText], count: int) -> list[str]:
    """Return warnings about pages without text or with garbled text. Raises DocumentError where no page has any worth."""
    empty = [page.number for page in pages if not page.lines]
    garbled = [page.number for page in pages if page.lines and is_garbled(page)]
    if len(empty) == len(pages):
        raise DocumentError(
            say("{count} page{s} scanned", "{count} 页疑似扫描件", count=count, s=" looks" if count == 1 else "s look"),
            say(
                "run OCR on it first (for example ocrmypdf) and index the result",
                "请先做文字识别（OCR，例如 ocrmypdf），再索引结果",
            ),
            code="no-text",
        )
    if len(empty) + len(garbled) == len(pages):
        raise DocumentError(
            say("the characters have no readable codes", "字符编码缺失，文字无法读取"),
            say("print it to a new PDF or run OCR on it", "请重新打印成 PDF，或做文字识别（OCR）"),
            code="no-text",
        )
    warnings = [f"pages-without-text: {page_list(empty)}"] if empty else []
    warnings += [f"garbled-pages: {page_list(garbled)}"] if garbled else []
    shifted = [page.number for page in pages if page.number not in garbled and is_shifted(page)]
    return warnings + ([f"implausible-text: {page_list(shifted)}"] if shifted else [])


def is_garbled(page: PageText) -> bool:
    """Return whether a good part of the page's characters has no meaning outside of its font."""
    numbered = sum(line.text.count("(cid:") * 7 for line in page.lines)
    return page.unreadable + numbered > _UNREADABLE * max(page.characters, 1) or is_offset(page)


def is_offset(page: PageText) -> bool:
    """Return whether all letters are off by one number, as where a font's code table is missing or wrong: `WKH` for `the`, by 29."""
    words = [word for line in page.lines for word in line.text.split()]
    letters = [letter for word in words for letter in word if letter.isascii() and letter.isalpha()]
    if len(letters) < _FEW or 10 * sum(letter in _VOWELS for letter in letters) >= 3 * len(letters):
        return False
    seen = Counter(word for word in words if len(word) == 3 and word.isascii())
    return any(_offset_words(seen, number) * 16 > len(words) for number in range(-60, 61) if abs(number) not in (0, 32))


def _offset_words(words: Counter[str], number: int) -> int:
    """Return how many of the words are among the commonest when each code is raised by this number."""
    shifted = (("".join(chr(max(ord(letter) + number, 0)) for letter in word), count) for word, count in words.items())
    return sum(count for word, count in shifted if word in _COMMONEST)


def is_shifted(page: PageText) -> bool:
    """Return whether Latin text has so few vowels that its font's code table must be wrong: every language has more than a fifth."""
    letters = [
        character for line in page.lines for character in line.text if character.isascii() and character.isalpha()
    ]
    return len(letters) >= max(40, page.characters // 2) and 5 * sum(letter in _VOWELS for letter in letters) < len(
        letters
    )


def page_list(numbers: list[int]) -> str:
    """Return page numbers as people write them: `1-3, 7`."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][1] == number - 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    shown = [str(first) if first == last else f"{first}-{last}" for first, last in runs[:20]]
    return ", ".join(shown) + (" ..." if len(runs) > 20 else "")


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
