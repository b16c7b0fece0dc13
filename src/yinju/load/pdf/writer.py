"""A text under construction that also remembers where each word stands on its page."""

from __future__ import annotations

from yinju.boxes import Box, pack
from yinju.load.builder import TextBuilder
from yinju.load.pdf.page import Frame, Line
from yinju.types import Span

_NUMBERS = 6  # of a word in a segment
_MANY = 4_000  # words that are kept before they are packed


class PageWriter:
    """Writes lines of pages and collects the boxes of their words."""

    def __init__(self, builder: TextBuilder, frames: dict[int, Frame]) -> None:
        self.builder, self.frames = builder, frames
        self._words: list[tuple[Span, Box]] = []
        self._packed: list[bytes] = []

    def line(self, line: Line) -> Span:
        """Write the text of a line and return its span."""
        if len(self._words) > _MANY:
            self._pack(1)
        span = self.builder.write(line.text)
        box_of, words = self.frames[line.page].box, self._words
        for place, cell in line.parts:
            start, numbers, turn = span.start + place, cell.words, cell.turn
            for at in range(0, len(numbers), _NUMBERS):
                first, last, left, right, bottom, top = numbers[at : at + _NUMBERS]
                words.append((Span(start + int(first), start + int(last)), box_of(left, right, bottom, top, turn)))
        return span

    def take_back(self, ending: str, what: str) -> None:
        """Remove the ending of the text again and account for it; the last word becomes shorter."""
        self.builder.take_back(ending, what)
        if self._words and self._words[-1][0].end > self.builder.position:
            span, box = self._words.pop()
            if span.start < self.builder.position:
                self._words.append((Span(span.start, self.builder.position), box))

    def boxes(self) -> bytes:
        """Return the boxes of all words, see `yinju.boxes`."""
        self._pack(0)
        return b"".join(self._packed)

    def _pack(self, keep: int) -> None:
        end = len(self._words) - keep
        self._packed.append(pack(self._words[:end]))
        self._words = self._words[end:]
