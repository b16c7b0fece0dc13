"""E-books (EPUB 2 and 3): chapters in reading order, each read as a page of its own, titles from the table of contents where a chapter shows none.

Nothing outside the package is opened. A book that only its seller's reader can open is refused as `encrypted`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from yinju.errors import DocumentError
from yinju.load.builder import TextBuilder
from yinju.load.office.package import open_package
from yinju.load.parsed import Limits, Parsed, visible
from yinju.load.web.epub_package import Entry, read_book, read_part
from yinju.load.web.html import html_blocks
from yinju.load.web.tree import inner_text, parse_html
from yinju.messages import say
from yinju.types import Mark, Span

_TITLE_LINES = 4  # lines at the top of a chapter in which its title may stand as a plain paragraph
_CONTENTS, _OUTSIDE = "table of contents", "outside the reading order"


def load_epub(data: bytes, source: str, limits: Limits) -> Parsed:
    """Return the text of a book. Raises DocumentError: damaged, encrypted, limit, no-text, unsafe-xml."""
    builder, images = TextBuilder(), 0
    warnings: list[str] = []
    with open_package(data, limits) as package:
        book = read_book(package)
        for name in book.pages:
            page = read_part(package, name)
            if name == book.contents_page:
                builder.drop(_CONTENTS, _all_text(page))
                continue
            chapter = TextBuilder()
            facts = html_blocks(chapter, page, limits=limits, xml=True)
            images += facts.images
            warnings += facts.warnings
            _append(builder, chapter, book.contents.get(name, []), facts.places)
        for name in book.outside:
            builder.drop(_CONTENTS if name == book.contents_page else _OUTSIDE, _all_text(read_part(package, name)))
    text = builder.text()
    if not text.strip():
        raise DocumentError(
            say("no text, perhaps only pictures", "没有文字，可能只有图片"),
            say(
                "if it holds scanned pages, save them as PDF and run OCR",
                "如果是扫描页，请另存为 PDF 并做文字识别（OCR）",
            ),
            code="no-text",
        )
    return Parsed(
        text=text,
        marks=builder.sorted_marks(),
        title=book.title or next((mark.label for mark in builder.marks if mark.kind == "heading"), None),
        metadata=book.metadata,
        dropped=builder.dropped(),
        images=images,
        warnings=tuple(dict.fromkeys(warnings)) + builder.warnings(),
    )


def _all_text(page: bytes) -> int:
    root = parse_html(page, xml=True).tree.root
    return visible(inner_text(root)) if root is not None else 0


def _append(builder: TextBuilder, chapter: TextBuilder, entries: list[Entry], places: Mapping[str, int]) -> None:
    """Write the chapter behind the book so far; its marks move along."""
    builder.account.update(chapter.account)
    text = chapter.text()
    if not text.strip():
        return
    marks = list(chapter.marks)
    if not any(mark.kind == "heading" for mark in marks):
        found = [mark for entry in entries if (mark := _as_paragraph(text, entry, places)) is not None]
        marks += found
        if entries and not found:
            label = entries[0].label
            builder.separate("\n\n")
            span = builder.write(builder.added("chapter title", label))
            builder.mark("heading", span, entries[0].level, label)
    builder.separate("\n\n")
    shift = builder.position
    builder.write(text)
    builder.marks += [replace(mark, span=Span(mark.span.start + shift, mark.span.end + shift)) for mark in marks]


def _as_paragraph(text: str, entry: Entry, places: Mapping[str, int]) -> Mark | None:
    """Return a heading where the chapter shows the label as a plain line, at its place or at the chapter's top."""
    start = places.get(entry.fragment, 0) if entry.fragment else 0
    wanted = "".join(entry.label.split()).casefold()
    for _ in range(_TITLE_LINES):
        while start < len(text) and text[start].isspace():
            start += 1
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        if start >= end:
            return None
        if "".join(text[start:end].split()).casefold() == wanted:
            return Mark("heading", Span(start, end), entry.level, entry.label)
        start = end
    return None
