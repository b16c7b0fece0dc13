"""What kind of text a document is, where its format does not say: a law or contract, whose clauses become headings, or a conversation.

A wrong heading stands above every passage below it. So a clause is one only where its number belongs to a sequence that counts on through the
document; a law that is quoted (依照第八条规定) has none. What is found is standoff: the text is not touched.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from yinju.load.numbering import NUMERAL, Number, chains, follows, read
from yinju.text.turns import find_turns
from yinju.types import Document, Mark, Span

_types = "text markdown html docx doc odt rtf pdf eml msg"
_TYPES = frozenset(_types.split())
_MOST_HEADINGS_OF_A_CHAT = 2
_FEWEST = 3  # clauses that count on from 1
_FEWEST_OF_A_PART = 5  # clauses of a file that begins in the middle of a law
_LATEST_START = 0.5  # share of the text
_LONGEST_TITLE = 30  # characters of a clause's title
_RANKS = {name: rank for rank, name in enumerate(("编", "分编", "章", "节", "条"))} | {
    name: rank for rank, name in enumerate(("part", "chapter", "article", "section", "clause"))
}
_LEAD = r"^[ \t\u3000]*(?P<start>[*_>#-]{0,4}[ \t]?[*_]{0,3})"
_UNIT_LINE = re.compile(rf"{_LEAD}(?=第[ \t]?{NUMERAL}[ \t]?(?:分编|编|章|节|条))", re.MULTILINE)
_ENGLISH_LINE = re.compile(
    rf"{_LEAD}(?=(?:PART|Part|CHAPTER|Chapter|ARTICLE|Article|SECTION|Section|CLAUSE|Clause|Sec\.|Art\.|§)[ \t]*[\dA-Z§])",
    re.MULTILINE,
)
_PLAIN_LINE = re.compile(rf"{_LEAD}(?=[零〇一二三四五六七八九十百]{{1,5}}[、．.]|\d{{1,2}}[.、．])", re.MULTILINE)
# How a sentence goes on that speaks of a clause, and is none.
_SPOKEN_OF = re.compile(
    r"[*_]{0,3}[ \t]?(?:的|之(?!一)|所|和|与|及|或|至|到|款|项|中|、|，|,|。|；|;|规定|约定|第|以[上下]"
    r"|(?:of|and|or|to|above|below|hereof|shall|is|are|was|does)\b)"
)
_PLAIN_STOPS = re.compile(r"[：:，,。；;（(]")
_BRACKETED = re.compile(r"[ \t\u3000]*[【\[〔（(]([^】\]〕）)\n]{1,30})[】\]〕）)]")
_TITLED = re.compile(r"[.:]?[ \t]+([A-Z][^.\n]{1,60})\.(?=[ \t])")
_SENTENCE_END = tuple("。；;，,！？!?：:")
_ANNEX = re.compile(
    r"^[ \t\u3000]*(?:附件|附录|附表|ANNEX|Annex|APPENDIX|Appendix|SCHEDULE|Schedule|EXHIBIT|Exhibit)[^\n。；]{0,40}$",
    re.MULTILINE,
)
_LEGAL_ENGLISH = re.compile(
    r"\b(?:shall|hereby|herein|hereof|hereinafter|hereto|pursuant|whereas|parties|liable|liability|agreement|enacted)\b",
    re.IGNORECASE,
)
_CONTRACT = re.compile(r"甲方|乙方|丙方|出租人|承租人|买方|卖方|委托人|受托人|投保人|保险人|双方|本合同|本协议")
_CONTRACT_TITLE = re.compile(
    r"(?:合同|协议|协议书|契约|章程|条款|公约|保证书|承诺书)(?:[（(][^）)\n]{1,12}[）)])?$|\b(?:agreement|contract|terms)\b",
    re.IGNORECASE,
)
_SAMPLE = 20_000  # characters in which these are looked for
_FEWEST_WORDS = 3  # of a law's or a contract's language


@dataclass(frozen=True, slots=True)
class _Item:
    """A numbered line: where it starts, where its number and where the line ends."""

    start: int
    end: int
    line_end: int
    number: Number


def recognise(document: Document) -> Document:
    """Return the document with the preset `law` or `chat` and its clauses as headings, or as it is where it is neither or has a preset."""
    if document.preset or document.type not in _TYPES:
        return document
    marks = _law(document)
    if marks is not None:
        together = sorted((*_without_contents(document), *marks), key=lambda mark: (mark.span.start, -mark.span.end))
        return replace(
            document, preset="law", marks=tuple(together), title=document.title or _title(document.text, together)
        )
    return replace(document, preset="chat") if _is_chat(document) else document


def _is_chat(document: Document) -> bool:
    if sum(mark.kind == "heading" for mark in document.marks) > _MOST_HEADINGS_OF_A_CHAT:
        return False
    blocks = _blocks(document)
    turns = find_turns(document.text)
    return bool(turns) and not any(_is_inside(blocks, turn.span.start) for turn in turns)


def _blocks(document: Document) -> list[tuple[int, int]]:
    """Return where the document holds tables and code: numbers and names in them are none of its structure."""
    return sorted((mark.span.start, mark.span.end) for mark in document.marks if mark.kind in ("table", "code", "row"))


def _is_inside(blocks: Sequence[tuple[int, int]], place: int) -> bool:
    number = bisect_right(blocks, place, key=lambda block: block[0]) - 1
    return number >= 0 and place < blocks[number][1]


def _without_contents(document: Document) -> Iterator[Mark]:
    """Yield the marks without the headings of a table of contents: right below each stands the next, and its label comes again."""
    headings = [mark for mark in document.marks if mark.kind == "heading"]
    again = {mark.label: mark.span.start for mark in headings}
    listed = {
        one
        for one, following in pairwise(headings)
        if again[one.label] > one.span.start and not document.text[one.span.end : following.span.start].strip()
    }
    yield from (mark for mark in document.marks if mark not in listed)


def _law(document: Document) -> list[Mark] | None:
    """Return the headings that a law or a contract lacks, None where the document is neither."""
    for items, clauses in _readings(document):
        accepted = _accepted(document.text, items, clauses)
        if accepted:
            return list(_headings(document, items, accepted))
    return None


def _readings(document: Document) -> Iterator[tuple[list[_Item], tuple[str, ...]]]:
    """Yield the numbered lines by each way of numbering that the document's language allows, and the styles of which clauses are."""
    text = document.text
    if items := list(_items(document, _UNIT_LINE)):
        yield items, ("条",)
    items = list(_items(document, _ENGLISH_LINE))
    if len(items) >= _FEWEST and len(_LEGAL_ENGLISH.findall(text[:_SAMPLE])) >= _FEWEST_WORDS:
        yield items, ("section", "clause", "article")
    if sum(mark.kind == "heading" for mark in document.marks) > 1:
        return
    items = list(_items(document, _PLAIN_LINE))
    if len(items) >= _FEWEST and _is_contract(text):
        yield [item for item in items if item.number.style == items[0].number.style], (items[0].number.style,)


def _is_contract(text: str) -> bool:
    first = text.lstrip()[:200].split("\n", 1)[0].strip("#* \t")
    words = len(_CONTRACT.findall(text[:_SAMPLE])) + len(_LEGAL_ENGLISH.findall(text[:_SAMPLE]))
    return words >= _FEWEST_WORDS and (bool(_CONTRACT_TITLE.search(first)) or words >= 3 * _FEWEST_WORDS)


def _items(document: Document, pattern: re.Pattern[str]) -> Iterator[_Item]:
    """Yield the lines that begin with a number, outside of tables and code."""
    text = document.text
    blocks = sorted(
        (mark.span.start, mark.span.end) for mark in document.marks if mark.kind in ("table", "code", "row")
    )
    for match in pattern.finditer(text):
        place = bisect_right(blocks, (match.end(), len(text))) - 1
        if place >= 0 and match.end() < blocks[place][1]:
            continue
        line_end = text.find("\n", match.end())
        line_end = len(text) if line_end < 0 else line_end
        number = read(text[match.end() : min(line_end, match.end() + 40)])
        if number and not _SPOKEN_OF.match(text, match.end() + number.length, line_end):
            yield _Item(match.start("start"), match.end() + number.length, line_end, number)


def _accepted(text: str, items: Sequence[_Item], clauses: Sequence[str]) -> list[int]:
    """Return which items are clauses: of the finest style whose numbers count on through the text."""
    for style in clauses:
        places = [place for place, item in enumerate(items) if item.number.style == style]
        found = _excerpt(items, places) or [
            chain
            for one in chains([items[place].number.value for place in places])
            if (chain := [places[number] for number in one])
            and (items[chain[0]].number.value[-1] == 1 or len(chain) >= _FEWEST_OF_A_PART)
        ]
        if (
            max(map(len, found), default=0) >= _FEWEST
            and items[found[0][0]].start <= _LATEST_START * len(text)
            and _fills(text, items, found)
        ):
            return sorted(place for chain in found for place in chain)
    return []


def _excerpt(items: Sequence[_Item], places: Sequence[int]) -> list[list[int]]:
    """Return all the clauses where they rise through the whole text, most by one: parts of a law may be left out. Empty where they do not."""
    values = [items[place].number.value for place in places]
    steps = [follows(before, value) for before, value in pairwise(values)]
    rising = all(before < value for before, value in pairwise(values))
    return [list(places)] if rising and len(values) >= _FEWEST_OF_A_PART and 2 * sum(steps) >= len(steps) else []


def _fills(text: str, items: Sequence[_Item], found: Sequence[Sequence[int]]) -> bool:
    """Whether the clauses are the text: what comes after the last one, annexes aside, is not most of it."""
    last = items[found[-1][-1]]
    annex = _ANNEX.search(text, last.line_end)
    return (annex.start() if annex else len(text)) - last.start <= max(0.6 * len(text), 400)


def _headings(document: Document, items: Sequence[_Item], accepted: Sequence[int]) -> Iterator[Mark]:
    """Yield the headings for the clauses and the chapters above them, on lines that are none yet."""
    existing = [mark for mark in document.marks if mark.kind == "heading"]
    taken = {document.text.rfind("\n", 0, mark.span.start) + 1 for mark in existing}
    chosen = [*_chapters(document.text, items, accepted), *accepted]
    levels = _levels(existing, {items[place].number.style for place in chosen})
    for place in sorted(chosen):
        item = items[place]
        if document.text.rfind("\n", 0, item.start) + 1 in taken:
            continue
        end, label = _named(document.text, item, whole=place not in accepted)
        yield Mark("heading", Span(item.start, end), levels[item.number.style], label)
    first = min(levels.values(), default=1)
    for annex in _ANNEX.finditer(document.text, items[accepted[-1]].line_end):
        if annex.start() not in taken:
            yield Mark("heading", Span(annex.start(), annex.end()), first, " ".join(annex.group().split()))


def _chapters(text: str, items: Sequence[_Item], accepted: Sequence[int]) -> Iterator[int]:
    """Yield the chapters and sections: titles that count on and have clauses below them, not those of a table of contents."""
    known = set(accepted)
    deepest = _RANKS.get(items[accepted[0]].number.style, 0)
    last: dict[int, int] = {}
    listed = _listed(text, items)
    for place, item in enumerate(items):
        rank = _RANKS.get(item.number.style, deepest)
        if place in known or rank >= deepest or place in listed:
            continue
        if item.number.value[0] in (1, last.get(rank, 0) + 1) and _is_title(text[item.end : item.line_end]):
            last = {old: value for old, value in last.items() if old < rank} | {rank: item.number.value[0]}
            yield place


def _listed(text: str, items: Sequence[_Item]) -> set[int]:
    """Return the items right below which comes another of their rank or a higher one: lines of a table of contents."""
    found: set[int] = set()
    for place in range(len(items) - 2, -1, -1):
        item, following = items[place], items[place + 1]
        if text[item.line_end : following.start].strip("* \t\n\u3000") or _has_text(text[item.end : item.line_end]):
            continue
        rank, below = _RANKS.get(item.number.style, 9), _RANKS.get(following.number.style, 9)
        if below <= rank or (place + 1 in found and below > rank and following.number.style != "条"):
            found.add(place)
    return {place for place in found if items[place].number.style != "条"}


def _has_text(rest: str) -> bool:
    """Whether more than a title stands behind a number on its line: `Section 3.1 Term. The term is two years.`"""
    found = _TITLED.match(rest)
    return not _is_title(rest) or bool(found and re.search(r"[^\W\d_]{2}", rest[found.end() :]))


def _levels(existing: Sequence[Mark], styles: set[str]) -> dict[str, int]:
    """Return the level of each style: that of the headings that are numbered so already, else below all others."""
    numbered = {number.style: mark.level for mark in existing if (number := read(mark.label))}
    level = max(
        (mark.level for mark in existing if not ((number := read(mark.label)) and number.style in _RANKS)), default=0
    )
    levels: dict[str, int] = {}
    for style in sorted(styles | (numbered.keys() & _RANKS.keys()), key=lambda name: _RANKS.get(name, 0)):
        level = max(numbered.get(style, 0), level + 1)
        levels[style] = level
    return levels


def _named(text: str, item: _Item, *, whole: bool) -> tuple[int, str]:
    """Return where the heading of a clause ends and its label: the number with its title, or where it has none the number alone."""
    rest = text[item.end : item.line_end]
    bold = len(rest) - len(rest.lstrip("*_"))
    if not rest.strip("*_ \t.:：") and (below := _title_below(text, item.line_end)):
        return below, _label(text[item.start : below])
    if whole or (_is_title(rest) and not _TITLED.match(rest)):
        end = item.end + len(rest.rstrip())
    elif found := _BRACKETED.match(rest, bold) or _TITLED.match(rest):
        return item.end + found.end(), _label(f"{text[item.start : item.end]} {found[1]}")
    else:
        end = item.end + bold
        if item.number.style in ("一、", "1.") and (
            title := _PLAIN_STOPS.split(rest, 1)[0].strip("*_ \t")[:_LONGEST_TITLE]
        ):
            return end, _label(text[item.start : item.end] + title)
    return end, _label(text[item.start : end])


def _title_below(text: str, line_end: int) -> int:
    """Return the end of the next line, where it is the title of a number that stands alone on its line; else 0."""
    following = text[line_end + 1 : line_end + 1 + 2 * _LONGEST_TITLE].split("\n", 1)
    shown = following[0].strip("*_ \t\u3000")
    good = len(following) > 1 and shown and _is_title(shown) and not read(shown) and not shown.endswith(".")
    return line_end + 1 + len(following[0].rstrip()) if good else 0


def _label(text: str) -> str:
    return " ".join(text.replace("*", " ").replace("_", " ").split()).strip("#>- ")


def _is_title(rest: str) -> bool:
    """Whether what stands behind a number on its line is a title, or nothing."""
    shown = rest.strip("*_ \t\u3000.:：")
    return len(shown) <= _LONGEST_TITLE * (1 if any(sign > "\u2e80" for sign in shown) else 2) and not rest.rstrip(
        "*_ \t"
    ).endswith(
        (*_SENTENCE_END, ".")
        if shown and shown[-1].isascii() and " " in shown and shown[:1].islower()
        else _SENTENCE_END
    )


def _title(text: str, marks: Sequence[Mark]) -> str | None:
    """Return the first line, where it stands above all headings and reads as a title."""
    first = text.lstrip().split("\n", 1)[0]
    start = next((mark.span.start for mark in marks if mark.kind == "heading"), 0)
    shown = _label(first).strip("# ")
    return (
        shown
        if 0 < len(shown) <= 2 * _LONGEST_TITLE
        and len(text) - len(text.lstrip()) < start
        and not shown.endswith(_SENTENCE_END)
        else None
    )
