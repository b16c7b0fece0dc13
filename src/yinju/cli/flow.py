"""Text on its way to a terminal, broken at its width between words, also where it comes bit by bit; wide characters count two.

A terminal breaks where its last column is, in the middle of words. A pipe gets the text as it is.
"""

from __future__ import annotations

import re

from yinju.cli import render

_PAINT = re.compile("\x1b\\[[0-9;]*m")
_CLOSING = "，。；：！？、）】》」』”’,.;:!?)]}✗"
_LEAD = re.compile(r"\s*(?:[-*•] |\d{1,3}[.)] )?")


class Flow:
    """Takes text and gives it back with line ends put in. A row of a table stays as it is."""

    def __init__(self, columns: int) -> None:
        self._columns = columns
        self._line = ""  # what was given of the line, without paint
        self._word = ""
        self._used = 0

    def feed(self, text: str) -> str:
        """Return as much as can be told of what came; the last word waits for its end."""
        out = []
        for character in text:
            if character == "\n":
                out.append(self.rest() + "\n")
                self._line, self._used = "", 0
            elif self._word and self._may_break(character):
                out.append(self._put())
                self._word = character
            else:
                self._word += character
        return "".join(out)

    def rest(self) -> str:
        """Return what still waits."""
        return self._put()

    def _may_break(self, character: str) -> bool:
        last = self._word[-1]
        if character in _CLOSING or character == "\x1b" or (self._word.startswith("\x1b") and "m" not in self._word):
            return False
        return (last == " " and character != " ") or render.width(character) == 2 or render.width(last) == 2

    def _put(self) -> str:
        word, self._word = self._word, ""
        plain = _PAINT.sub("", word)
        room = self._columns - self._used
        broken = ""
        if self._line.strip() and render.width(plain.rstrip()) > room and not self._line.lstrip().startswith("|"):
            found = _LEAD.match(self._line)
            indent = min(found.end() if found else 0, self._columns // 3)
            broken = "\n" + " " * indent
            self._line, self._used = " " * indent, indent
            word, plain = word.lstrip(" "), plain.lstrip(" ")
        self._line += plain
        self._used += render.width(plain)
        return broken + word


def flowing(text: str) -> str:
    """Return the whole text as it suits the terminal."""
    flow = Flow(render.columns())
    return flow.feed(text) + flow.rest()
