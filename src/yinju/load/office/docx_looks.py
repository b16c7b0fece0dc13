"""Headings of Word documents that only look like headings: short lines alone in their paragraph, bold or in larger letters.

Many people write without styles. A wrong heading stands above every passage below it, so only what is clear counts: the document has no
headings of its own, most of its text looks otherwise, what looks so comes again, and text follows each. What counts on as a clause
(第一条) is left to the recognition of laws, which knows more about it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from yinju.load.office.docx_tables import WRAPPERS
from yinju.load.office.elements import attribute, is_on, split_tag, value
from yinju.load.parsed import visible

_LONGEST = 60  # columns; a Chinese character takes two
_DEEPEST = 3  # levels below a title
_LARGER = 1.15  # times the letters of the text
_TITLE = 1.3
_MOST_SHARE = 0.3  # of the text that may stand in headings
_USUAL = 20  # half points
_SENTENCE = tuple("。；;，,、：:！!？?….")
_CLAUSE = re.compile(
    r"第\s*[0-9０-９零〇一二三四五六七八九十百千]+\s*(?:条|分编)|(?:article|clause)\s+[\dIVX]", re.IGNORECASE
)
_LABEL = re.compile(r"[：:\t]|_{3,}|\.{4,}|…")  # 甲方：某某, a line to fill in, a line of a table of contents
_DATE = re.compile(
    r"[\d〇零一二三四五六七八九十]{1,4}\s*[年月./-].{0,12}[日号月\d]|\w+ \d{1,2}, \d{4}|\d{1,2} \w+ \d{4}"
)
_PICTURES = frozenset(("drawing", "pict", "object", "txbxContent", "br", "cr", "AlternateContent"))


@dataclass(frozen=True, slots=True)
class Look:
    """How letters look: their size in half points, and whether they are bold."""

    size: int
    bold: bool


@dataclass(frozen=True, slots=True)
class _Own:
    """What a style says itself; None: not said."""

    size: int | None
    bold: bool | None
    parent: str


@dataclass(frozen=True, slots=True)
class _Line:
    """A paragraph with text. `look` is None where its letters differ."""

    element: Any
    text: str
    look: Look | None


class _Styles:
    def __init__(self, root: Any) -> None:
        self.own: dict[str, _Own] = {}
        usual = root.find("{*}docDefaults/{*}rPrDefault/{*}rPr") if root is not None else None
        self.usual = Look(_size(usual) or _USUAL, bool(_bold(usual)))
        self.default = ""
        for style in root.iterfind("{*}style") if root is not None else ():
            identity, based, letters = attribute(style, "styleId"), style.find("{*}basedOn"), style.find("{*}rPr")
            parent = attribute(based, "val") if based is not None else ""
            self.own[identity] = _Own(_size(letters), _bold(letters), parent)
            if attribute(style, "type") == "paragraph" and attribute(style, "default") in ("1", "true"):
                self.default = identity

    def look(self, paragraph: str, letters: Any) -> Look:
        """Return how a run with these properties (w:rPr or None) looks in a paragraph of this style."""
        named = letters.find("{*}rStyle") if letters is not None else None
        size, bold = _size(letters), _bold(letters)
        for start in (attribute(named, "val") if named is not None else "", paragraph or self.default):
            for style in self._upwards(start):
                size = style.size if size is None else size
                bold = style.bold if bold is None else bold
        return Look(size or self.usual.size, self.usual.bold if bold is None else bold)

    def _upwards(self, identity: str) -> Iterator[_Own]:
        seen: set[str] = set()
        while identity in self.own and identity not in seen:
            seen.add(identity)
            yield self.own[identity]
            identity = self.own[identity].parent


def headings_by_look(body: Any, styles: Any, *, below_title: bool) -> dict[Any, int]:
    """Return the paragraphs of the body that are headings by their look alone, each with its level.

    `below_title`: the document has a title of its own, so that these begin at level 2.
    """
    read = _Styles(styles)
    lines = list(_lines(body, read))
    counted: Counter[Look] = Counter()
    for line in lines:
        if line is not None:
            counted[line.look or read.usual] += visible(line.text)
    if not counted:
        return {}
    usual, total = counted.most_common(1)[0][0], counted.total()
    stands_out = [line is not None and _stands_out(line, usual) for line in lines]
    found = [
        line
        for place, line in enumerate(lines)
        if line is not None and stands_out[place] and _leads(place, lines, stands_out)
    ]
    if sum(visible(line.text) for line in found) > _MOST_SHARE * total:
        return {}
    title = _title(lines, found, usual) if not below_title else None
    again = Counter(line.look for line in found if line is not title)
    found = [line for line in found if line is not title and again[line.look] > 1]
    levels = _levels([line.look for line in found if line.look is not None], 1 + (below_title or title is not None))
    headings = {line.element: levels[line.look] for line in found if line.look is not None}
    return headings if title is None else {title.element: 1, **headings}


def _lines(container: Any, styles: _Styles) -> Iterator[_Line | None]:
    """Yield the paragraphs with text; None for a table, which is text, too."""
    for child in container:
        name = split_tag(child)[1]
        if name == "tbl":
            yield None
        elif name in WRAPPERS:
            yield from _lines(child, styles)
        elif name == "p":
            line = _line(child, styles)
            if line.text.strip():
                yield line


def _line(paragraph: Any, styles: _Styles) -> _Line:
    properties = paragraph.find("{*}pPr")
    style = properties.find("{*}pStyle") if properties is not None else None
    name = attribute(style, "val") if style is not None else ""
    pieces, looks = [], set()
    for run in paragraph.iter("{*}r"):
        text = "".join(piece.text or "" for piece in run.iterfind("{*}t"))
        pieces.append(text + "\t" * len(run.findall("{*}tab")))
        if text.strip():
            looks.add(styles.look(name, run.find("{*}rPr")))
    more_than_text = any(split_tag(element)[1] in _PICTURES for element in paragraph.iter())
    return _Line(paragraph, "".join(pieces), looks.pop() if len(looks) == 1 and not more_than_text else None)


def _stands_out(line: _Line, usual: Look) -> bool:
    """Tell whether the line looks like a heading and reads like one."""
    look, text = line.look, " ".join(line.text.split(" ")).strip()
    if look is None or look.size < usual.size:
        return False
    if look.size < usual.size * _LARGER and not (look.bold and not usual.bold):
        return False
    columns = sum(2 if character > "\u2e7f" else 1 for character in text)
    if columns > _LONGEST or text.endswith(_SENTENCE) or not any(character.isalpha() for character in text):
        return False
    return not (_CLAUSE.match(text) or _LABEL.search(text) or _DATE.fullmatch(text))


def _leads(place: int, lines: Sequence[_Line | None], stands_out: Sequence[bool]) -> bool:
    """Tell whether text follows, or a lesser heading: of the lines of a title page only the last could be one."""
    if place + 1 >= len(lines):
        return False
    one, following = lines[place], lines[place + 1]
    if not stands_out[place + 1] or one is None or following is None or one.look is None or following.look is None:
        return True
    return _rank(following.look) > _rank(one.look)


def _title(lines: Sequence[_Line | None], found: Sequence[_Line], usual: Look) -> _Line | None:
    """Return the first paragraph where it is larger than all that follows."""
    first = found[0] if found and found[0] is lines[0] else None
    if first is None or first.look is None or first.look.size < usual.size * _TITLE:
        return None
    return first if all(line.look is not None and line.look.size < first.look.size for line in found[1:]) else None


def _levels(looks: Sequence[Look], first: int) -> dict[Look | None, int]:
    ranked = sorted(set(looks), key=_rank)
    return {look: first + min(number, _DEEPEST - 1) for number, look in enumerate(ranked)}


def _rank(look: Look) -> tuple[int, bool]:
    return -look.size, not look.bold


def _size(letters: Any) -> int | None:
    size = letters.find("{*}sz") if letters is not None else None
    found = value(size, 0)
    return found if found > 0 else None


def _bold(letters: Any) -> bool | None:
    bold = letters.find("{*}b") if letters is not None else None
    return None if bold is None else is_on(bold)
