"""A text under construction that also remembers where each word stands on its page."""

from __future__ import annotations

from array import array
from collections.abc import Iterator

from yinju.boxes import Box, pack
from yinju.load.builder import TextBuilder
from yinju.load.pdf.page import Frame, Line
from yinju.types import Span

_NUMBERS = 6  # a word: start, end, and the four edges in shares of the page


class PageWriter:
    """Writes lines of pages and collects the boxes of their words."""

    def __init__(self, builder: TextBuilder, frames: dict[int, Frame]) -> None:
        self.builder, self.frames = builder, frames
        self.words = array("d")

    def line(self, line: Line) -> Span:
        """Write the text of a line and return its span."""
        span = self.builder.write(line.text)
        frame = self.frames[line.page]
        for place, cell in line.parts:
            start, numbers = span.start + place, cell.words
            for at in range(0, len(numbers), _NUMBERS):
                first, last, left, right, bottom, top = numbers[at : at + _NUMBERS]
                self.words.extend((start + first, start + last, *frame.box(left, right, bottom, top, cell.turn)))
        return span

    def take_back(self, ending: str, what: str) -> None:
        """Remove the ending of the text again and account for it; the last word becomes shorter."""
        self.builder.take_back(ending, what)
        if self.words and self.words[-5] > self.builder.position:
            self.words[-5] = self.builder.position
            if self.words[-6] >= self.words[-5]:
                del self.words[-_NUMBERS:]

    def boxes(self) -> bytes:
        """Return the boxes of all words, see `yinju.boxes`."""
        return pack(self._words())

    def _words(self) -> Iterator[tuple[Span, Box]]:
        words = self.words
        for place in range(0, len(words), _NUMBERS):
            start, end, left, top, right, bottom = words[place : place + _NUMBERS]
            yield Span(int(start), int(end)), Box(left, top, right, bottom)
