"""What of the passages may be quoted as an answer: sentences, rows and items, each with what stands above it, and lists as wholes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from yinju.answer import leads, lists, suits
from yinju.answer.pieces import Piece, pieces
from yinju.answer.plain import plain
from yinju.answer.support import View, merged, view
from yinju.types import Passage

LONGEST = 420  # characters of a sentence that can be quoted as an answer


@dataclass(frozen=True, slots=True)
class Candidate:
    """A piece that may be quoted, with what it says itself and what stands above it."""

    passage: Passage
    piece: Piece
    order: int
    said: View
    above: View
    question: View | None = None  # what a FAQ asks right above it
    heading: str = ""  # the nearest one above
    opening: bool = False  # the first sentence below its heading
    under: str = ""  # what a value is the value of, to be said with it
    listed: lists.Listed | None = None  # a list that is quoted whole


def candidates(passages: Sequence[Passage]) -> list[Candidate]:
    """Return what can be quoted alone, in the order of the passages."""
    found: list[Candidate] = []
    seen: set[str] = set()
    for passage in passages:
        hit = passage.hit
        above = view("\n".join((*hit.headings, hit.title or "", hit.header.replace("\t", " "))))
        contents = suits.is_contents(hit.text)
        asks = hit.headings[-1] if hit.headings and _asks(hit.headings[-1]) else ""
        heading, first = hit.headings[-1] if hit.headings else "", True
        for piece in pieces(hit):
            if piece.kind == "heading" and not piece.text.lstrip().startswith("|") and "\t" not in piece.text:
                heading, first = plain(piece.text.strip().strip("#=- \n")), True
                asks = heading if _asks(heading) else ""
                continue
            if _asks(piece.text):
                asks, first = plain(piece.text), True
                continue
            if (
                piece.worded in seen
                or not _quotable(piece)
                or (contents and not piece.text.rstrip().endswith(lists.ENDS))
            ):
                continue
            seen.add(piece.worded)
            around = merged((above, view(asks))) if asks else above
            said = view(f"{piece.lead} {piece.worded}")
            found.append(
                Candidate(passage, piece, len(found), said, around, view(asks) if asks else None, heading, first)
            )
            first = False
    return found


def whole_lists(passages: Sequence[Passage], first: int) -> list[Candidate]:
    """Return the lists that can be quoted whole. They stand beside the sentences, as no sentence's neighbours."""
    found: list[Candidate] = []
    for passage in passages:
        hit = passage.hit
        headings = hit.headings[-1] if hit.headings else hit.title or ""
        above = view("\n".join((*hit.headings, hit.title or "")))
        for listed in lists.lists(hit.text, pieces(hit), headings):
            piece = listed.whole(hit.text)
            around = merged((above, view(listed.heading)))
            order = first + 2 * len(found)
            found.append(
                Candidate(passage, piece, order, view(piece.worded), around, None, listed.heading, listed=listed)
            )
    return found


def holds(whole: Candidate, part: Candidate) -> bool:
    """True where a list holds a sentence that is quoted, too."""
    return (
        whole.listed is not None and whole.passage == part.passage and part.piece.span.start in range(*whole.piece.span)
    )


def repeats(told: Candidate, part: Candidate) -> bool:
    """True where what is told for a candidate, because it is a lead or hangs on one, holds another one of the same list."""
    return told.passage == part.passage and tells_list(told.piece) and leads.holds(told.piece, part.piece)


def tells_list(piece: Piece) -> bool:
    """True where a piece is told with its list: it leads one in, is an item that depends on the others, or what an item above it announces."""
    return leads.is_lead(piece.text) or piece.hangs or (bool(piece.lead) and not leads.joins(piece))


def _quotable(piece: Piece) -> bool:
    if piece.kind not in ("sentence", "row", "item") or len(piece.worded) > LONGEST:
        return False
    if leads.is_lead(piece.text):
        return piece.kind == "sentence" and leads.says(piece.worded)
    return not suits.says_nothing(piece)


def _asks(text: str) -> bool:
    return text.rstrip(" *_”\"').").endswith(("?", "？"))
