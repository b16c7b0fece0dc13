"""A text under construction with its marks, anchors and account, for formats that have no text of their own.

PDF, DOCX, sheets and CSV are written piece by piece. What is left out or added must be told to `drop`, or the receipt does not balance.
"""

from __future__ import annotations

import unicodedata
from collections import Counter

from yinju.load.parsed import visible
from yinju.types import Dropped, Mark, MarkKind, Span

ZERO_WIDTH = frozenset("\u00ad\u061c\u180e\u200b\u200c\u200d\u200e\u200f\u2060\u2061\u2062\u2063\u2064\ufeff")


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
        """Append the text and return its span."""
        start = self.position
        self.parts.append(text)
        self.position += len(text)
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
        """Return the text without control, zero-width and unassigned surrogate characters, which are accounted for."""
        if text.isascii() and text.isprintable():
            return text
        kept = "".join(character for character in text if not is_invisible(character))
        if len(kept) != len(text):
            self.drop("invisible character", visible(text) - visible(kept))
        return kept

    def text(self) -> str:
        """Return the whole text."""
        return "".join(self.parts)

    def sorted_marks(self) -> tuple[Mark, ...]:
        """Return the marks by start, then by falling end; the wider kind first where both are equal."""
        return tuple(sorted(self.marks, key=lambda mark: (mark.span.start, -mark.span.end)))

    def dropped(self) -> tuple[Dropped, ...]:
        """Return the account without empty entries."""
        return tuple(Dropped(what, count) for what, count in self.account.items() if count)


def is_invisible(character: str) -> bool:
    """Return whether the character shows nothing and is no white space: controls, zero-width, tags, lone surrogates."""
    if character in ZERO_WIDTH:
        return True
    if character.isspace():
        return False
    code = ord(character)
    return unicodedata.category(character) in ("Cc", "Cs") or 0xE0000 <= code <= 0xE007F or code in (0xFFFE, 0xFFFF)
