"""A list as one answer: what `the following:`, `下列…：` or a heading announces is told whole, or its items answer one by one.

A question for materials, conditions or steps is answered by all of them; the first item alone would be a wrong answer. A list is
quoted whole only up to a length that is still read, and only for a question that asks for several things or for a way.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from yinju.answer.pieces import Piece
from yinju.answer.plain import plain
from yinju.answer.support import chinese
from yinju.text import sentences
from yinju.text.normalize import fold
from yinju.types import Span

FEWEST, MOST = 2, 12  # items
LONGEST = 900  # characters of a list that is quoted whole

_several = re.compile(
    r"哪些|哪几|列出|列举|分别是|什么(?:材料|资料|条件|东西|内容|情况|步骤|文件|要求|手续|格式|功能)|(?:需要|要|得)(?:准备|提供|带|交)(?:些)?什么|几种"
    r"|\b(?:list|name (?:all|the)|what (?:do|does|must|should) .{1,40}\b(?:need|have|bring|prepare|include))\b"
    r"|\bwhat (?:is|are) (?:not )?(?:needed|required|included|covered)\b"
    r"|\b(?:which|what) (?:\w+ ){0,2}?(?:are|were|materials|documents|conditions|requirements|items|formats|cases|features|ingredients|things)\b"
)
_way = re.compile(
    r"怎么(?!样|回事|了|没|不)|怎样|如何|步骤|流程|做法|方法|\bsteps?\b|\bhow (?:do|can|to|should|does one)\b|\bprocedure\b"
)
_numbered = re.compile(r"(?:[（(]?(?:\d{1,3}|[一二三四五六七八九十]{1,3})[.)、．）])\s*$")
_sign = re.compile(r"^\s*(?:>\s*)*(?:[-*+•·▪◦]|[（(]?(?:\d{1,3}|[一二三四五六七八九十]{1,3})[.)、．）])\s*$")
ENDS = ("。", "！", "？", ".", "!", "?")


@dataclass(frozen=True, slots=True)
class Listed:
    """A list and what announces it: the sentence that ends with a colon, or (None) the heading above it."""

    lead: Piece | None
    items: tuple[Piece, ...]
    heading: str
    numbered: bool

    def whole(self, text: str) -> Piece:
        """Return the list with its lead as one piece of the passage's text."""
        start = self.lead.span.start if self.lead else self.items[0].span.start
        span = Span(start, self.items[-1].span.end)
        lead = self.lead.worded if self.lead else ""
        return Piece("list", span, span.of(text), " ".join((*filter(None, (lead,)), *(i.worded for i in self.items))))


def wants_several(question: str) -> bool:
    """True where a question asks for several things."""
    return _several.search(fold(question)) is not None


def wants_way(question: str) -> bool:
    """True where a question asks how something is done."""
    return _way.search(fold(question)) is not None


def answers(question: str, listed: Listed) -> bool:
    """True where a list may answer as a whole: several things for such a question, numbered steps for a way."""
    return wants_several(question) or (listed.numbered and wants_way(question))


def lists(text: str, pieces: Sequence[Piece], heading: str = "") -> Iterator[Listed]:
    """Yield the lists among the pieces of a passage that are short enough to be quoted whole; `heading` stands above the passage."""
    above: Piece | None = None
    items: list[Piece] = []
    for piece in (*pieces, None):
        if piece is not None and piece.kind == "item" and (not items or piece.lead == items[0].lead):
            items.append(piece)
            continue
        if found := _listed(text, above, items, heading):
            yield found
        items, above = ([piece] if piece is not None and piece.kind == "item" else []), piece
        if piece is not None and piece.kind == "heading":
            heading = plain(piece.text.strip().strip("#=- \n"))


def _listed(text: str, above: Piece | None, items: Sequence[Piece], heading: str) -> Listed | None:
    led = above is not None and above.kind == "sentence" and bool(items) and bool(items[0].lead)
    under_heading = above is None or above.kind == "heading"
    if not FEWEST <= len(items) <= MOST or not (led or (under_heading and heading)):
        return None
    before = [_before(text, item) for item in items]
    if not all(map(_sign.match, before)):  # a long item is cut into its sentences
        return None
    listed = Listed(above if led else None, tuple(items), heading, bool(_numbered.search(before[0])))
    return listed if len(listed.whole(text).text) <= LONGEST else None


def _before(text: str, item: Piece) -> str:
    return text[text.rfind("\n", 0, item.span.start) + 1 : item.span.start]


def marked(text: str, marker: int) -> str:
    """Return a quotation with its marker at the end of each sentence, in front of the full stop."""
    stated = []
    for span in sentences.split(text):
        sentence = span.of(text)
        body = sentence.rstrip("".join(ENDS))
        end = sentence[len(body) :]
        stated.append(f"{body} [{marker}]{end}" if len(end) == 1 else f"{sentence} [{marker}]")
    return stated[0] + "".join(each if chinese(each) else f" {each}" for each in stated[1:])


def stated(listed: Listed, marker: int, clean: Callable[[str], str]) -> str:
    """Return the list as an answer says it: its lead, or the heading above it, and each item on a line of its own, all with the marker.

    `clean` takes out of a quotation what would be misread in an answer.
    """
    signs = [f"{place}." if listed.numbered else "-" for place in range(1, len(listed.items) + 1)]
    lines = [f"{sign} {marked(clean(item.worded), marker)}" for sign, item in zip(signs, listed.items, strict=True)]
    if listed.lead is None:
        return "\n".join((f"### {listed.heading}", *lines))
    lead = clean(listed.lead.worded)
    return "\n".join((f"{lead[:-1]} [{marker}]{lead[-1]}", *lines))
