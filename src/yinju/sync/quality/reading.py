"""One document as the checks of quality see it: its sentences as hashes, its numbers with the heading that they stand under.

Everything here is linear in the text, and what is kept of a document is small: a library of a hundred thousand passages is compared
by what its documents share (the sentences' hashes), never pair by pair.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b
from heapq import nsmallest
from typing import NamedTuple

from yinju.store.records import SourceSummary
from yinju.text import similar
from yinju.text.normalize import fold
from yinju.types import Document, Mark, Span

SKETCH = 64  # sentences by which a document is compared
SHORTEST_SENTENCE = 8  # characters without white space and punctuation
LONGEST_FACT = 400
MOST_FACTS = 5_000  # of one document: beyond, it is data and no text

_sentence_end = re.compile(r"[。！？!?；;\n]+|\.\s+")
_beside_words = re.compile(r"[\W_]+")
_digits = re.compile(r"\d+(?:[.,:]\d+)*")
_date = re.compile(
    r"(?<!\d)(?:19|20)\d\d(?:\s*[-/.年]\s*\d{1,2}(?:\s*[-/.月]\s*\d{1,2}(?:\s*日)?|\s*月)?|\s*年)|(?<![\d.])\d{1,2}\s*月\s*\d{1,2}\s*日"
    r"|(?<![\d.])v?\d+\.\d+\.\d+(?:\.\d+)*"
    r"|(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]*\.? \d{1,2}(?:, (?:19|20)\d\d)?"
)
_ordinal = re.compile(
    r"第\s*[\d一二三四五六七八九十百]+|(?:图|表|步骤|附件|附录|公式|例)\s*\d+"
    r"|\b(?:figure|fig\.|table|step|chapter|section|page|no\.|version|article|appendix|v)\s*\d+(?:\.\d+)*|[#№]\s*\d+"
)
_link = re.compile(r"\]\([^)\s]*\)|<?https?://\S+|\{[^}]*\}")
_list_number = re.compile(r"^\s*(?:[-*+•>|]\s*)*(?:[(（]?\d{1,3}(?:\.\d{1,3})*[.)、）]\s*)?")
_counted = "年月日天周岁时点分秒元角块折成倍个件台次名人位条项章页级期册份批层米吨两斤升度小"
_value = re.compile(
    rf"(?<![\w.])(?P<currency>[$¥€£￥])?\s*(?P<number>\d+(?:,\d{{3}})*(?:\.\d+)?|[一二两三四五六七八九十百千半]+(?=[{_counted}]))"
    r"\s*(?P<unit>%|万元|亿元|元|美元|折|天|日|个月|月|年|小时|分钟|秒|周|次|人|台|个|gb|mb|tb|kb|days?|hours?|minutes?|seconds?|months?"
    r"|years?|weeks?|yuan|dollars?|euros?|usd|rmb|cny|eur|percent|kg|km|cm|mm)?"
    r"|(?<=[\u3400-\u9fff])(?P<number2>\d+(?:,\d{3})*(?:\.\d+)?|[一二两三四五六七八九十百千半]+(?=[" + _counted + r"]))"
    r"\s*(?P<unit2>%|万元|亿元|元|美元|折|天|日|个月|月|年|小时|分钟|秒|周|次|人|台|个|gb|mb|tb|kb)?"
)
_maybe_number = re.compile(r"\d|[一二两三四五六七八九十百千半]")
_numbering = re.compile(r"^(?:第[\d一二三四五六七八九十百]+[章节条部分]+|[\d.]+|[一二三四五六七八九十]+[、.])\s*")
_currencies = {
    "$": "dollar",
    "¥": "元",
    "￥": "元",
    "€": "euro",
    "£": "pound",
    "yuan": "元",
    "rmb": "元",
    "cny": "元",
    "usd": "dollar",
}


class Fact(NamedTuple):
    """A sentence or table row with numbers. `frame` is its wording without them; `start` and `end` are its place in the text.

    `heading` is that of its section, or the first cell of its row; `parents` are the headings above, without the document's title.
    """

    heading: str
    parents: str
    row: bool
    frame: str
    numbers: tuple[str, ...]
    measures: tuple[tuple[str, str], ...]  # (unit, number) of those with a unit
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Reading:
    """What is kept of one document."""

    summary: SourceSummary
    text_key: bytes  # of the text without white space
    characters: int
    sentences: int
    sketch: frozenset[int]  # the smallest hashes among those of its sentences
    facts: tuple[Fact, ...]

    @property
    def source(self) -> str:
        """The document's source."""
        return self.summary.source

    @property
    def labels(self) -> tuple[str, str, str]:
        """What the document calls itself: its folder, the name of its file, and its title."""
        folder, _, file = self.source.rpartition("/")
        return folder.rpartition("/")[2], file.rpartition(".")[0] or file, self.summary.title or ""


class Sentence(NamedTuple):
    """A sentence of a document by its hash, with its length in characters without white space and punctuation, and its place."""

    key: int
    length: int
    start: int
    end: int


def read(document: Document, summary: SourceSummary) -> tuple[Reading, list[Sentence]]:
    """Return what is kept of a document, and the sentences of its text, for counting how often each stands in the library."""
    pieces = list(_pieces(document.text))
    found = list(_sentences(document.text, pieces))
    keys = {sentence.key for sentence in found}
    skip = _beside_text(document)
    squeezed = "".join(fold(document.text).split())
    return (
        Reading(
            summary,
            blake2b(squeezed.encode("utf-8", "replace"), digest_size=16).digest(),
            len(squeezed),
            len(keys),
            frozenset(nsmallest(SKETCH, keys)),
            tuple(_facts(document, pieces, skip)),
        ),
        [one for one in found if not _touches(skip, one.start, one.end)],
    )


def _sentences(text: str, pieces: list[tuple[int, int]]) -> Iterator[Sentence]:
    """Yield the sentences that are long enough to say something; numbers are all alike in their hashes."""
    for start, end in pieces:
        wording = _beside_words.sub("", _digits.sub("0", text[start:end].lower()))
        if len(wording) >= SHORTEST_SENTENCE:
            yield Sentence(_hash(wording), len(wording), start, end)


def _pieces(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for match in _sentence_end.finditer(text):
        if match.start() > start:
            yield start, match.start()
        start = match.end()
    if start < len(text):
        yield start, len(text)


def _hash(wording: str) -> int:
    return int.from_bytes(blake2b(wording.encode("utf-8", "replace"), digest_size=8).digest(), "big")


def _facts(document: Document, pieces: list[tuple[int, int]], skip: list[Span]) -> Iterator[Fact]:
    """Yield the sentences with numbers; those that stand in code, in a table's header or more than once in a section are left out."""
    count = 0
    for heading, parents, start, end in _sections(document):
        once: dict[str, Fact | None] = {}
        first = bisect_left(pieces, (start, start))
        for place, stop in pieces[first : bisect_left(pieces, (end, end))]:
            fact = _fact(document.text, heading, parents, place, stop)
            if fact is not None and not _touches(skip, place, stop):
                once[fact.frame] = None if fact.frame in once else fact
        for fact in once.values():
            if fact is not None:
                yield fact
                count += 1
        if count >= MOST_FACTS:
            return


def _sections(document: Document) -> Iterator[tuple[str, str, int, int]]:
    """Yield (heading, the headings between it and the title, start, end), folded and without numbers before them."""
    marks = [mark for mark in document.marks if mark.kind == "heading"]
    title = _heading(document.title or "")
    first = marks[0].span.start if marks else len(document.text)
    if document.text[:first].strip():
        yield title, "", 0, first
    above: list[Mark] = []
    for number, mark in enumerate(marks):
        above = [one for one in above if one.level < mark.level]
        end = marks[number + 1].span.start if number + 1 < len(marks) else len(document.text)
        parents = " › ".join(_heading(one.label) for one in above if one.level > 1)
        if label := _heading(mark.label):
            yield label, parents, mark.span.end, end
        above.append(mark)


def _heading(label: str) -> str:
    return " ".join(_numbering.sub("", fold(label)).split())


def _beside_text(document: Document) -> list[Span]:
    """Return in their order where code and the headers of tables stand."""
    return [mark.span for mark in document.marks if mark.kind in ("code", "header")]


def _touches(skip: list[Span], start: int, end: int) -> bool:
    place = bisect_left(skip, end, key=lambda span: span.start) - 1
    return place >= 0 and skip[place].end > start


def _fact(text: str, heading: str, parents: str, start: int, end: int) -> Fact | None:
    if end - start > LONGEST_FACT or not _maybe_number.search(text, start, end):
        return None
    label = _label_of_row(text[start:end])
    if not label and not heading:
        return None
    said = _list_number.sub("", fold(text[start:end]))
    said = _ordinal.sub("n", _date.sub("d", _link.sub(" ", said)))
    numbers, measures = [], []
    for match in _value.finditer(said):
        number = match["number"] or match["number2"]
        unit = match["currency"] or match["unit"] or match["unit2"] or ""
        plain = (similar.numbers(number) or (number,))[0]
        numbers.append(plain)
        if unit:
            measures.append((_currencies.get(unit, unit.rstrip("s") or unit), plain))
    if not numbers:
        return None
    frame = _beside_words.sub("", _value.sub(lambda match: "0" + (match["unit"] or match["unit2"] or ""), said))
    if not measures and not re.search(r"[^\W\d]{2}", frame):
        return None
    if label:
        return Fact(label, f"{parents} › {heading}", True, frame, tuple(numbers), tuple(measures), start, end)
    return Fact(heading, parents, False, frame, tuple(numbers), tuple(measures), start, end)


def _label_of_row(line: str) -> str:
    """Return the first cell of a table row where it is a name and no number, else nothing."""
    if "\t" not in line and not line.lstrip().startswith("|"):
        return ""
    cells = [cell.strip() for cell in re.split(r"\t|(?<!\\)\|", line)]
    first = next((cell for cell in cells if cell), "")
    return "" if len(first) < 2 or len(first) > 60 or any(sign.isdigit() for sign in first) else _heading(first)
