"""A text under construction with its marks, anchors and account, for formats that have no text of their own.

PDF, DOCX, sheets and CSV are written piece by piece. What is left out or added must be told to `drop`, or the receipt does not balance.
"""

from __future__ import annotations

from collections import Counter

from yinju.errors import DocumentError
from yinju.load.clean import WHAT, clean
from yinju.load.parsed import visible
from yinju.messages import say
from yinju.types import Dropped, Mark, MarkKind, Span

MOST_TEXT = 30_000_000  # characters of one document, some 20,000 pages: whoever indexes it holds all its words at once


def too_much_text() -> DocumentError:
    """Return the error for a document with more than `MOST_TEXT` characters."""
    return DocumentError(
        say("more than {count} million characters", "超过 {count} 百万个字符", count=MOST_TEXT // 1_000_000),
        say("split the file into smaller ones", "请把文件拆成几个较小的文件"),
        code="limit",
    )


class TextBuilder:
    """Collects text, marks, anchors and the count of what was dropped (negative: added)."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.position = 0
        self.marks: list[Mark] = []
        self.anchors: list[tuple[int, int]] = []
        self.account: Counter[str] = Counter()
        self._newlines = 0
        self._newlines_at_anchor = 0

    def write(self, text: str) -> Span:
        """Append the text and return its span. Raises DocumentError with code `limit` where the whole becomes too long."""
        start = self.position
        self.parts.append(text)
        self.position += len(text)
        if self.position > MOST_TEXT:
            raise too_much_text()
        self._newlines += text.count("\n")
        return Span(start, self.position)

    def separate(self, separator: str) -> None:
        """Append a separator of white space, but not at the start of the text."""
        if self.position:
            self.write(separator)

    def mark(self, kind: MarkKind, span: Span, level: int = 0, label: str = "") -> None:
        """Remember structure for a span."""
        self.marks.append(Mark(kind, span, level, label))

    def anchor(self, line: int) -> None:
        """Say that the next character stands in this line of the file; nothing is kept where counting line ends says the same."""
        if self.anchors and self.anchors[-1][1] + self._newlines - self._newlines_at_anchor == line:
            return
        self.anchors.append((self.position, line))
        self._newlines_at_anchor = self._newlines

    def drop(self, what: str, text: str | int) -> None:
        """Account for text (or a number of characters) of the file that is left out; a negative number for what was added."""
        self.account[what] += text if isinstance(text, int) else visible(text)

    def added(self, what: str, text: str) -> str:
        """Account for text that the file does not hold and return it."""
        self.account[what] -= visible(text)
        return text

    def clean(self, text: str) -> str:
        """Return the text without hidden characters, which are accounted for."""
        if text.isascii() and text.isprintable():
            return text
        cleaned = clean(text)
        self.drop(WHAT, cleaned.removed)
        return cleaned.text

    def warnings(self) -> tuple[str, ...]:
        """Return what a reader of the receipt should know of hidden characters."""
        hidden = self.account[WHAT]
        return (f"hidden-characters: {hidden}",) if hidden else ()

    def take_back(self, ending: str, what: str) -> None:
        """Remove the ending of the text again and account for it; the text must end so."""
        last = self.parts[-1]
        assert last.endswith(ending)
        self.parts[-1] = last[: len(last) - len(ending)]
        self.position -= len(ending)
        self.drop(what, ending)

    def text_from(self, start: int) -> str:
        """Return what was written from the offset on."""
        length, parts = self.position - start, []
        for part in reversed(self.parts):
            if length <= 0:
                break
            parts.append(part)
            length -= len(part)
        return "".join(reversed(parts))

    def text(self) -> str:
        """Return the whole text."""
        return "".join(self.parts)

    def sorted_marks(self) -> tuple[Mark, ...]:
        """Return the marks by start, then by falling end; a page before what fills it."""
        return tuple(sorted(self.marks, key=lambda mark: (mark.span.start, -mark.span.end, mark.kind != "page")))

    def first_heading(self, level: int | None = None) -> str | None:
        """Return the label of the first heading of this level (None: of any), or None."""
        headings = (mark for mark in self.sorted_marks() if mark.kind == "heading")
        return next((mark.label for mark in headings if level in (None, mark.level)), None)

    def dropped(self) -> tuple[Dropped, ...]:
        """Return the account without empty entries."""
        return tuple(Dropped(what, count) for what, count in self.account.items() if count)
