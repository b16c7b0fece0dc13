"""A result list, and the lines of each passage that it shows: those with the most of the question's words, for its answer may stand far below.

Words are looked for as they are indexed (stems, simplified characters), anywhere in a line: what is shown is a hint and no proof.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from yinju.cli.links import NONE, Links
from yinju.cli.render import breadcrumb, columns, cut, cut_around, one_line, paint, place, safe, width
from yinju.messages import say
from yinju.text.normalize import fold, fold_with_offsets
from yinju.text.words import FILLERS, terms
from yinju.types import Hit, Span, Vote

MOST = 4  # lines
_MARGIN = 3


def hits(found: Sequence[Hit], question: str, *, explain: bool, links: Links = NONE) -> Iterable[str]:
    """Yield the lines of a result list: of each passage those with the most of the question's words."""
    for number, hit in enumerate(found, 1):
        where = f"{number}. {place(hit.source, hit.lines, hit.page)}"
        head = cut(f"{where}  {breadcrumb(hit.headings)}", columns() - 7)
        first, rest = (where, head[len(where) :]) if head.startswith(where) else (head, "")
        yield f"{links.on(paint(first, 'bold'), hit.source, hit.lines)}{paint(rest, 'bold')}  {hit.score:.3f}"
        if explain:
            yield from _votes(hit.votes)
        if hit.also:
            yield "   " + say(
                "also in: {names}", "同文另见：{names}", names=", ".join(one_line(name) for name in hit.also)
            )
        if hit.header and not hit.text.startswith(hit.header):
            yield "   " + cut(one_line(hit.header.replace("\t", " | ")), columns() - 3)
        for line in excerpt(hit.text, question):
            yield "   " + line
        yield ""


def _votes(votes: Sequence[Vote]) -> Iterator[str]:
    """Yield the votes on lines that fit, none of them broken in two."""
    line = "  "
    for number, vote in enumerate(votes, 1):
        rank = f"#{vote.rank}" if vote.rank else "–"
        text = f"{vote.leg} {rank} {vote.value:.3f} → {vote.share:.3f}" + ";" * (number < len(votes))
        if line.strip() and width(line) + 1 + width(text) > columns():
            yield line
            line = "  "
        line += " " + text
    if votes:
        yield line


def excerpt(text: str, question: str, *, most: int = MOST, indent: int = _MARGIN) -> list[str]:
    """Return up to `most` lines of a passage, safe and as wide as the terminal behind an indent, with … where lines were left out."""
    lines = [line.replace("\t", " | ").strip() for line in text.split("\n") if line.strip()]
    wanted = _wanted(question)
    start = _best_window([_held(line, wanted) for line in lines], most)
    room = columns() - indent
    shown = [_fitted(line, wanted, room) for line in lines[start : start + most]]
    return ["…"] * (start > 0) + shown + ["…"] * (start + most < len(lines))


def _wanted(question: str) -> frozenset[str]:
    found = terms(question)
    return frozenset(word for word in (*found.words, *found.bigrams) if len(word) > 1 and word not in FILLERS)


def _held(line: str, wanted: frozenset[str]) -> frozenset[str]:
    folded = fold(line)
    return frozenset(word for word in wanted if word in folded)


def _best_window(held: Sequence[frozenset[str]], most: int) -> int:
    """Return the first line of the window that holds most words; of several that hold as many one with lines around what matches."""
    counts = [len(frozenset().union(*held[start : start + most])) for start in range(max(1, len(held) - most + 1))]
    best = counts.index(max(counts))
    if best == 0:  # the passage's beginning tells what it is about
        return 0
    equal = 1
    while best + equal < len(counts) and counts[best + equal] == counts[best]:
        equal += 1
    return best + min(equal, most) // 2


def _fitted(line: str, wanted: frozenset[str], room: int) -> str:
    if width(line) <= room:
        return cut(safe(line), room)
    folded, offsets = fold_with_offsets(line)
    places = sorted((at, word) for word in wanted for at in _places(folded, word))
    best, most = 0, 0
    for number, (first, _word) in enumerate(places):
        together = len({word for at, word in places[number : number + 2 * len(wanted)] if at - first < room // 2})
        if together > most:
            best, most = first, together
    return cut_around(line, Span(offsets[best], offsets[best]), room) if most else cut(safe(line), room)


def _places(folded: str, word: str, most: int = 50) -> list[int]:
    found: list[int] = []
    at = folded.find(word)
    while at >= 0 and len(found) < most:
        found.append(at)
        at = folded.find(word, at + len(word))
    return found
