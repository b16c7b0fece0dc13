"""The sentence that leads a list in: what it says itself, what of its list may be told with it, and how what is left out is told.

`Fees are borne by the sender, with these exceptions:` is a rule, and its list says where it does not hold. Glued to one item of such a list,
or to the third step of a procedure, the lead would say what stands nowhere: then the whole list is told, or the item in its place with `…`
where others were. Only values that do not depend on each other (`年费方案：` and a price) are read in one breath.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from yinju.answer.entries import GAP, Entry, begins_late, break_below, entries, gap
from yinju.answer.pieces import Piece, is_below
from yinju.text.normalize import fold
from yinju.text.words import FILLERS, terms
from yinju.types import Span

WHOLE = 420  # characters of a list that is told whole with its lead
LONGEST_QUOTE = 1200  # characters from a lead to its item that are quoted as one
USED = 0.3  # share of a lead's words from which a claim says what the lead says
MORE = ("（列表未完……）", "(the list goes on …)")
_colon = (":", "：")
_edges = "。.！!？?；;，,、：: \n"
_depends = re.compile(
    r"例外|除外|不在此限|顺序|順序|次序|依次|依序|步骤|步驟|流程|逻辑|邏輯|之一|任一|分别|分別"
    r"|\b(?:except\w*|unless|orders?|steps?|sequences?|procedures?|logic|priority|one of|any of|either)\b",
    re.IGNORECASE,
)
_announces = re.compile(
    r"下列|下述|以下|如下|例如|比如|包括|包含|\b(?:follow\w*|below|these|this|such as|including|for example|e\.g\.)(?![\w-])",
    re.IGNORECASE,
)
_condition = re.compile(
    r"(?:如果|若|当|當|要想|想要|要|为了?|為了?|在.{1,20}[时時后後前])|(?:if|when|to|for|in order|before|after|once)\b",
    re.IGNORECASE,
)
_zh_says = re.compile(r"[，,\d由应應須须必不将將已均都是为為]|可以")
_en_says = re.compile(
    r"\d|\b(?:is|are|was|were|been|has|have|had|will|shall|must|may|can|cannot|should|does|do|did|lasts?|takes?|needs?|costs?|covers?|requires?|means?|says"
    r"|pays?|bears?|ends?|begins?|starts?|appl(?:y|ies)|[a-z]{2,}ed)\b",
    re.IGNORECASE,
)
_last_clause = re.compile(r"[，,；;]\s*[^，,；;]*$")
_latin = re.compile(r"[A-Za-z]+(?:['’-][A-Za-z]+)*|\d[\d.,]*")
_han = re.compile(r"[\u3400-\u9fff]")


def is_lead(text: str) -> bool:
    """True where a sentence ends with a colon."""
    return text.rstrip().endswith(_colon)


def says(text: str) -> bool:
    """True where a sentence that ends with a colon says something besides what comes: `Currently, a rotation is two weeks:`."""
    head = itself(fold(text))
    if _announces.search(head) and not _last_clause.search(head):
        return False
    if _condition.match(head) and not _last_clause.search(head):
        return False
    if len(_han.findall(head)) >= len(_latin.findall(head)):
        return len(_han.findall(head)) >= 8 and bool(_zh_says.search(head))
    return len(_latin.findall(head)) >= 5 and bool(_en_says.search(head))


def itself(text: str) -> str:
    """Return what a lead says itself, without a last clause that only announces what comes; any other sentence as it is."""
    if not is_lead(text):
        return text
    head = text.rstrip().rstrip(":：").rstrip()
    found = _last_clause.search(head)
    return head[: found.start()] if found and _announces.search(found.group()) else head


def joins(piece: Piece) -> bool:
    """True where an item may be read in one breath with its lead: a value of its own, no step, exception or option, below no other item."""
    return bool(piece.lead) and not piece.numbered and not piece.within and not _depends.search(piece.lead)


def stitched(claim: str, piece: Piece) -> bool:
    """True where a claim (folded, without white space) reads a lead and a later item that depends on others in one breath: so it stands nowhere."""
    if not piece.later or joins(piece):
        return False
    lead, item = ("".join(fold(text).split()).strip(_edges) for text in (piece.lead, piece.worded))
    at = claim.find(lead)
    rest = claim[at + len(lead) :].lstrip(_edges) if at >= 0 and lead and item else ""
    return bool(rest) and rest.startswith(item)


def quoted(words: frozenset[str], text: str, piece: Piece) -> Piece:
    """Return an item as a piece that begins with its lead where a claim of these words says that, too: a quotation has to hold both.

    Too far apart they stay as they are.
    """
    more = set(terms(piece.lead).words) - set(terms(piece.worded).words) - FILLERS if piece.lead else set()
    if not more or len(more & words) < USED * len(more):
        return piece
    if piece.lead_start is None or piece.span.end - piece.lead_start > LONGEST_QUOTE:
        return piece
    span = Span(piece.lead_start, piece.span.end)
    return replace(piece, span=span, text=span.of(text))


def is_omission(text: str) -> bool:
    """True for the line that says that a list goes on: it claims nothing."""
    return text.strip() in MORE


def told(
    text: str, pieces: Sequence[Piece], chosen: Piece, marker: int, marked: Callable[[str], str], chinese: bool
) -> str:
    """Return a lead or an item as lines of a list: the lead, all entries where they are short, else the chosen one (or the first) in its place.

    An entry has its own sign and stands below the ones that it belongs to. `text` is the passage's, `pieces` all of its pieces, `marked`
    words a quotation with its marker.
    """
    lead, items = _list_of(pieces, chosen)
    listed = entries(text, items)
    kept = _kept(listed, chosen)
    lines: list[str] = []
    if head := lead.rstrip():
        said = f"{marked(head[:-1]).removesuffix(f' [{marker}]')} [{marker}]{head[-1]}"
        lines.append(said if is_lead(head) else marked(head))
    last = -1
    for place in kept:
        if last < 0 and place == 0 and begins_late(listed):
            lines.append(GAP)
        lines += gap(listed[last + 1 : place])
        if listed[place].broken and last == place - 1 >= 0:
            lines.append(break_below(listed[last]))
        lines.append(listed[place].line(marked(listed[place].worded)))
        last = place
    behind = next((piece for piece in pieces if piece.span.start > items[-1].span.start), None) if items else None
    if kept and (last < len(listed) - 1 or (behind is not None and is_below(text, behind))):
        lines.append(MORE[0] if chinese else MORE[1])
    return "\n".join(lines)


def _list_of(pieces: Sequence[Piece], chosen: Piece) -> tuple[str, list[Piece]]:
    """Return the lead and the items among which a piece is told: those of its lead, or, where nothing leads them in, its item of the first level."""
    items = [piece for piece in pieces if piece.kind == "item"]
    if _is_below(chosen):
        root = chosen.within[0]
        return "", [piece for piece in items if root in (piece.entry, *piece.within[:1])]
    start = chosen.span.start if chosen.lead_start is None else chosen.lead_start
    lead = next((piece.worded for piece in pieces if piece.span.start == start), chosen.lead)
    return lead, [piece for piece in items if piece.lead_start == start]


def _is_below(piece: Piece) -> bool:
    return piece.lead_start is None and not is_lead(piece.text) and bool(piece.within)


def _kept(listed: Sequence[Entry], chosen: Piece) -> list[int]:
    """Return the places of the entries that are told: all, or the chosen one with what is above and below it, or the first ones."""
    lengths = [len(entry.worded) for entry in listed]
    if sum(lengths) <= WHOLE:
        return list(range(len(listed)))
    place = next((place for place, entry in enumerate(listed) if chosen in entry.pieces), None)
    if place is None:
        return [place for place in range(len(listed)) if sum(lengths[: place + 1]) <= WHOLE]
    below = [at for at, entry in enumerate(listed) if place in entry.above]
    fits = sum(lengths[at] for at in below) <= WHOLE
    return [*listed[place].above, place, *(below if fits else ())]


def holds(teller: Piece, other: Piece) -> bool:
    """True where what is told for one piece (see `told`) holds the other, both of one passage: a lead and its items, or two of these."""
    if _is_below(teller):
        return teller.within[0] in (other.entry, *other.within[:1])
    if teller.lead_start is None and not is_lead(teller.text):
        return False
    start = teller.span.start if teller.lead_start is None else teller.lead_start
    return start in (other.lead_start, other.span.start)
