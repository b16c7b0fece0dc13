"""A list as one answer: what `the following:`, `下列…：` or a heading announces is told whole, or its items answer one by one.

A question for materials, conditions or steps is answered by all of them; the first item alone would be a wrong answer. A list is
quoted whole only up to a length that is still read, and only for a question that asks for several things or for a way.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from yinju.answer.entries import GAP, Entry, begins_late, entries
from yinju.answer.leads import MORE
from yinju.answer.pieces import Piece, is_below, numbered_sign, sign_before
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
ENDS = ("。", "！", "？", ".", "!", "?")


@dataclass(frozen=True, slots=True)
class Listed:
    """A list and what announces it: the sentence that ends with a colon, or (None) the heading above it.

    `broken`: behind the last item a paragraph or code of its own follows, and the list may go on.
    """

    lead: Piece | None
    items: tuple[Piece, ...]
    entries: tuple[Entry, ...]
    heading: str
    numbered: bool
    broken: bool = False

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
        if piece is not None and piece.kind == "item" and (not items or _together(items[0], piece)):
            items.append(piece)
            continue
        if found := _listed(text, above, items, heading, broken=piece is not None and is_below(text, piece)):
            yield found
        items, above = ([piece] if piece is not None and piece.kind == "item" else []), piece
        if piece is not None and piece.kind == "heading":
            heading = plain(piece.text.strip().strip("#=- \n"))


def _together(first: Piece, piece: Piece) -> bool:
    return (piece.lead, piece.lead_start) == (first.lead, first.lead_start)


def _listed(text: str, above: Piece | None, items: Sequence[Piece], heading: str, *, broken: bool) -> Listed | None:
    led = above is not None and above.kind == "sentence" and bool(items) and above.span.start == items[0].lead_start
    under_heading = above is None or above.kind == "heading"
    if not FEWEST <= len(items) <= MOST or not (led or (under_heading and heading)):
        return None
    if not all(sign_before(text, item) for item in items):  # a long item is cut into its sentences
        return None
    found = tuple(entries(text, items))
    listed = Listed(above if led else None, tuple(items), found, heading, numbered_sign(found[0].sign), broken)
    return listed if len(listed.whole(text).text) <= LONGEST else None


def marked(text: str, marker: int) -> str:
    """Return a quotation with its marker at the end of each sentence, in front of the full stop, or of the colon at its end."""
    if not text.strip(" :："):
        return GAP  # an item that is nothing but a picture
    if text.endswith((":", "：")):
        return f"{marked(text[:-1], marker)}{text[-1]}"
    stated = []
    for span in sentences.split(text):
        sentence = span.of(text)
        body = sentence.rstrip("".join(ENDS))
        end = sentence[len(body) :]
        stated.append(f"{body} [{marker}]{end}" if len(end) == 1 else f"{sentence} [{marker}]")
    return stated[0] + "".join(each if chinese(each) else f" {each}" for each in stated[1:])


def stated(listed: Listed, marker: int, clean: Callable[[str], str]) -> str:
    """Return the list as an answer says it: its lead, or the heading above it, and each item on a line of its own, all with the marker.

    An item has its own sign and stands below the one that it belongs to. `clean` takes out of a quotation what would be misread in an answer.
    """
    said = clean(listed.lead.worded) if listed.lead else f"### {listed.heading}"
    lines = [f"{said[:-1]} [{marker}]{said[-1]}" if listed.lead else said]
    if begins_late(listed.entries):
        lines.append(GAP)
    lines += [entry.line(marked(clean(entry.worded), marker)) for entry in listed.entries]
    if listed.broken:
        lines.append(MORE[0] if chinese(listed.entries[-1].worded) else MORE[1])
    return "\n".join(lines)
