"""Read an answer as it comes: release what is decided, hold back what may become a marker, hand over whole sentences to be checked.

Everything is decided character by character, so that the visible text does not depend on how a stream was cut. From its first marker
on a sentence waits until it ends: only then can its markers be checked and, if they belong to another passage, be put right.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from yinju.answer import markers
from yinju.text import sentences

_WIDE = "。！？…"
_NARROW = ".!?"
_CLOSERS = "”’」』》】）)]\"'*_"
_GOES_ON = "，、；：,;:的"  # “好。”，他说
_PAIRS = (("“", "”"), ("「", "」"), ("『", "』"), ("（", "）"))
_LONGEST_QUOTATION = 120


@dataclass(frozen=True, slots=True)
class Group:
    """A part of a sentence and the markers behind it."""

    text: str
    markers: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence of an answer, cut behind each group of markers."""

    groups: tuple[Group, ...]

    @property
    def text(self) -> str:
        """The sentence without its markers."""
        joined = "".join(group.text.rstrip() if group.markers else group.text for group in self.groups)
        return " ".join(joined.split())


def _quotation_open(text: str) -> bool:
    """True inside a quotation or a bracket of ordinary length: its sentences belong to the one around it."""
    tail = text[-_LONGEST_QUOTATION:]
    return any(tail.rfind(opening) > tail.rfind(closing) for opening, closing in _PAIRS)


class Reader:
    """Takes text in pieces, gives visible text in pieces.

    `rule` returns the markers to show for each group of a statement, or None for one that is not to be shown; such a reader has to
    `hold` each sentence until it is whole.
    """

    def __init__(
        self, count: int, rule: Callable[[Statement], list[tuple[int, ...]] | None], *, hold: bool = False
    ) -> None:
        self.invalid = 0
        self.removed = 0
        self._hold, self._begun = hold, False
        self._count, self._rule = count, rule
        self._raw = ""  # the sentence that is being read
        self._shown = 0  # characters of it that were released
        self._found: list[tuple[int, int, tuple[int, ...]]] = []  # its markers: start, end, numbers
        self._bracket: int | None = None  # where an undecided bracket opens
        self._ticks, self._code = 0, 0  # backticks just read; length of the run that opened code
        self._out: list[str] = []

    def feed(self, text: str) -> list[str]:
        """Take more text; return what became visible."""
        for character in text:
            self._take(character)
        return self._released()

    def finish(self) -> list[str]:
        """The text is complete; return the rest."""
        self._decide(None)
        self._close(len(self._raw))
        return self._released()

    def _released(self) -> list[str]:
        out, self._out = [piece for piece in self._out if piece], []
        return out

    def _take(self, character: str) -> None:
        self._decide(character)
        if self._bracket is None and not self._code and self._ends(len(self._raw), character):
            self._close(len(self._raw))
        self._raw += character
        self._follow_code(character)
        if self._bracket is None and not self._code and character in markers.OPENERS:
            self._bracket = len(self._raw) - 1
        self._release()

    def _follow_code(self, character: str) -> None:
        if character == "`":
            self._ticks += 1
            return
        if self._ticks:
            if not self._code:
                self._code = self._ticks
            elif self._ticks >= self._code:
                self._code = 0
            self._ticks = 0
        if character == "\n" and 0 < self._code < 3:
            self._code = 0  # code in a line ends with the line

    def _decide(self, following: str | None) -> None:
        """Is the open bracket a marker? Known at the character behind it, or as soon as it cannot become one."""
        if self._bracket is None:
            return
        text = self._raw[self._bracket :]
        if text.startswith("[[") and markers.CLOSED.search(text) and following == "]" and not text.endswith("]]"):
            return  # [[1] becomes [[1]]
        if markers.CLOSED.search(text):
            found = self._numbers(text) if following != "(" or text[0] in "(（" else None  # `[1](` is a link
            if found is not None:
                self.invalid += not found
                self._found.append((self._bracket, len(self._raw), found))
                self._bracket = None
                return
        elif following is not None and markers.could_grow(text + following):
            return
        at, self._bracket = self._bracket, None
        if text.startswith("[[") and len(text) > 2:  # the inner bracket may be one
            self._bracket = at + 1
            self._decide(following)
            return
        if self._ends(at, self._raw[at]):
            self._close(at)

    def _numbers(self, text: str) -> tuple[int, ...] | None:
        if not markers.MARKER.fullmatch(text):
            return None
        behind_marker = bool(self._found) and self._found[-1][1] == self._bracket
        if not behind_marker and markers.is_index(self._raw[: self._bracket], text):
            return None
        return markers.numbers(text, self._count)

    def _ends(self, at: int, character: str) -> bool:
        """True where the sentence ends in front of this character."""
        if (
            character.isspace()
            or character in _CLOSERS
            or character in _GOES_ON
            or (character in markers.OPENERS and at == len(self._raw))
        ):
            return False
        head = self._raw[:at]
        core = head.rstrip()
        for start, stop, _ in reversed(self._found):
            if stop != len(core):
                break
            core = head[:start].rstrip()
        if not core:
            return False
        gap = head[len(core) :]
        if "\n" in gap:
            return True
        end = core.rstrip(_CLOSERS)
        if not end:
            return False
        if end[-1] in _WIDE:
            return character not in _WIDE and not _quotation_open(core)
        if end[-1] not in _NARROW or not gap or character in _NARROW:
            return False
        if core != head.rstrip() and character.isupper():
            return True  # behind a marker it is no abbreviation: `sold to Acme Inc. [1] Sales`
        spans = sentences.split(f"{core} {character}")
        return len(spans) > 1 and spans[-1].start == len(core) + 1

    def _release(self) -> None:
        if self._found or self._hold:
            return
        end = len(self._raw) if self._bracket is None else self._bracket
        end = len(self._raw[:end].rstrip())
        if end > self._shown:
            self._out.append(self._raw[self._shown : end])
            self._shown = end

    def _close(self, at: int) -> None:
        """The sentence ends at this place (white space behind it goes to the next one): rule on it and show the rest of it."""
        end = len(self._raw[:at].rstrip())
        if end == 0:
            return
        marks = self._marks()
        cuts = [(start, stop) for start, stop, _ in marks] + [(end, end)]
        places = [0, *(stop for _, stop in cuts[:-1])]
        numbers = [*(found for _, _, found in marks), ()]
        groups = tuple(
            Group(self._raw[place:cut], found) for place, (cut, _), found in zip(places, cuts, numbers, strict=True)
        )
        visible, ruled = "", self._rule(Statement(groups))
        if ruled is None:
            self.removed += 1
            self._raw = self._raw[end:]
            self._shown, self._found = 0, []
            return
        for group, numbers_shown, (_, stop) in zip(groups[:-1], ruled, cuts, strict=False):
            gone = not numbers_shown and not self._raw[stop : stop + 1].isalnum()  # no space stays where a marker was
            visible += (group.text.rstrip() if gone else group.text) + markers.written(numbers_shown)
        visible += groups[-1].text + (f" {added}" if (added := markers.written(ruled[-1])) else "")
        if self._hold and not self._begun:
            visible = visible.lstrip()  # what stood before it was removed
        self._begun = self._begun or bool(visible)
        self._out.append(visible[self._shown :])
        self._raw = self._raw[end:]
        self._shown, self._found = 0, []

    def _marks(self) -> list[tuple[int, int, tuple[int, ...]]]:
        """Return the markers of the sentence, neighbours such as `[1] [2]` as one."""
        marks: list[tuple[int, int, tuple[int, ...]]] = []
        for start, stop, found in self._found:
            if marks and not self._raw[marks[-1][1] : start].strip():
                first, _, before = marks[-1]
                marks[-1] = (first, stop, tuple(dict.fromkeys((*before, *found))))
            else:
                marks.append((start, stop, found))
        return marks
