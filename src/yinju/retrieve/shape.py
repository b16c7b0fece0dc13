"""The shape of a list of hits: copies shown once with all their sources, and no document that crowds out the others.

Two passages are shown as one where nothing is lost by it: their text is the same but for white space and punctuation; or they are near
(`text.similar`: same numbers, names and negations) and what differs are words without content; or every sentence of the later one stands in
the earlier one. In the latter two cases their titles and headings must name the same, too: the same clause of two products is two facts.

Of passages with the same text the one is shown whose file looks like the original (`text.originals`), in the place of the best of them.

At most two passages of a document are shown while others have something to say, title pages not counted; where there are too few of these the
rest fills up. The order by score stays.
"""

from __future__ import annotations

import difflib
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence, Sized
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from yinju.text import originals, sentences, similar
from yinju.text.normalize import fold
from yinju.text.title_pages import is_title_page
from yinju.text.words import FILLERS
from yinju.types import Hit, Query

if TYPE_CHECKING:
    from yinju.store import Store
    from yinju.store.records import StoredChunk

PER_DOCUMENT = 2
WIDER = 1_000  # candidates of each leg where copies took the places of the others
_LOOKED_AT = 200  # rows that are looked at for further sources of the same text, when there are hits enough
_CONTAINED = 20  # characters from which a passage inside another one is no chance
_LENGTHS = 0.75  # of near passages: the shorter has at least this share of the longer
# White space and punctuation; not signs that make a number or a name another one: 1.5, -5, 10%, C#, a/b.
_nothing = re.compile(r"(?:(?![.,:/\-][0-9])(?!(?<=[0-9])[%‰])(?!(?<=[a-z0-9])[#/+])[^\w+<>=~^$€£¥°|]|_)+")
_unit = re.compile(
    "[\u3005\u3007\u3040-\u30ff\u3400-\u9fff\U00020000-\U000323af]|[^\\W\u3005\u3007\u3040-\u30ff\u3400-\u9fff\U00020000-\U000323af]+"
)
_FUNCTION = frozenset(
    "的地得了着过之于在与和及或而且则即便就都也还又再已将把被由从自向往对给为以因所其此该本各每均皆需须可请应当内后时起止等上下中个"
)
_LITTLE = (
    FILLERS | _FUNCTION | frozenset("".join(FILLERS))
)  # units that alone, or with their neighbours, say nothing of the matter
_GAP = 64  # little words beside each other
_MEANING = frozenset("上下中内后")  # one of them for another is another statement


def wanted_per_document(query: Query) -> int | None:
    """Return how many passages of a document may be hits, None: all. Without `collapse` all are, unless the query says how many."""
    asked = query.per_document if query.per_document is not None else PER_DOCUMENT if query.collapse else 0
    return asked or None


def crowded(ranked: Sized, candidates: int, query: Query) -> bool:
    """Whether copies may have taken the places of other passages among the candidates, so that more of them should be asked for."""
    return query.collapse and len(ranked) >= candidates


def gathered(
    store: Store, order: Sequence[int], query: Query, make: Callable[[StoredChunk], Hit], *, wanted: int, most: int | None
) -> list[Hit]:  # fmt: skip
    """Return up to `wanted` hits of these rows (best first) as `make` makes them, copies collapsed, at most `most` of a document."""
    shown: list[_Shown] = []
    counts: Counter[str] = Counter()
    waiting: set[int] = set()  # places in `shown` of passages beyond their document's share
    kept = 0
    ranks = _Originals(store)
    for step in _steps(len(order), wanted):
        if kept >= wanted and not (query.collapse and step.start < _LOOKED_AT):
            break
        for stored in store.chunks(order[step]):
            passage = _Passage(stored)
            same = _said_by(passage, shown, closely=kept < wanted) if query.collapse else None
            if same is not None:
                place, before = shown.index(same), same.hit.source
                same.also(passage, make, ranks)
                source = same.hit.source
                if source != before:
                    counts[before] -= 1
                    counts[source] += 1
                    if place not in waiting and most is not None and counts[source] > most:
                        waiting.add(place)
                        kept -= 1
            elif kept < wanted:
                if most is not None and counts[stored.source] >= most:
                    waiting.add(len(shown))
                else:
                    kept += 1
                counts[stored.source] += not passage.is_title
                shown.append(_Shown(passage, make(stored)))
    beyond = set(sorted(waiting)[max(0, wanted - kept) :])
    return [one.hit for place, one in enumerate(shown) if place not in beyond]


def capped(hits: Sequence[Hit], limit: int, most: int | None) -> list[Hit]:
    """Return the first `limit` of these hits with at most `most` of a document, filled up from the rest, in their order."""
    if most is None:
        return list(hits[:limit])
    counts: Counter[str] = Counter()
    first: list[int] = []
    rest: list[int] = []
    for place, hit in enumerate(hits):
        counts[hit.source] += 1
        (first if counts[hit.source] <= most else rest).append(place)
    chosen = first[:limit] + rest[: max(0, limit - len(first))]
    return [hits[place] for place in sorted(chosen)]


def _said_by(passage: _Passage, shown: Sequence[_Shown], *, closely: bool) -> _Shown | None:
    """Return what says the same as this passage; when it could be no hit any more, only what has the same text."""
    same = (
        one for one in shown if passage.key == one.passage.key or (closely and passage.says_no_more_than(one.passage))
    )
    return next(same, None)


def _steps(count: int, wanted: int) -> Iterator[slice]:
    width = max(wanted * 2, 20)
    return (slice(start, start + width) for start in range(0, count, width))


class _Shown:
    """A hit to be, and the passage that it was made of."""

    def __init__(self, passage: _Passage, hit: Hit) -> None:
        self.passage = passage
        self.hit = hit

    def also(self, passage: _Passage, make: Callable[[StoredChunk], Hit], ranks: _Originals) -> None:
        """Take note that another passage says the same. Has it the same text and looks more like the original, it takes the place."""
        source, hit = passage.stored.source, self.hit
        if source == hit.source:
            return
        if passage.key == self.passage.key and ranks.rank(source) < ranks.rank(hit.source):
            also = tuple(name for name in (hit.source, *hit.also) if name != source)
            self.passage, self.hit = passage, replace(make(passage.stored), also=also, score=hit.score, votes=hit.votes)
        elif source not in hit.also:
            self.hit = replace(hit, also=(*hit.also, source))


class _Originals:
    """Which source looks like the original of a text, with a look at the disk whether it is a link there."""

    def __init__(self, store: Store) -> None:
        self._store = store

    @cached_property
    def _roots(self) -> list[tuple[str, str]]:
        return [
            (os.path.dirname(root) if os.path.isfile(root) else root, prefix) for root, prefix in self._store.roots()
        ]

    def rank(self, source: str) -> tuple[bool, bool, int, str]:
        return originals.rank(source, linked=any(self._is_link(root, prefix, source) for root, prefix in self._roots))

    def _is_link(self, root: str, prefix: str, source: str) -> bool:
        """Whether the file, or a folder between it and the root, is a link there."""
        parts = source.removeprefix(prefix).partition("!/")[0].split("/") if source.startswith(prefix) else []
        return any(os.path.islink(os.path.join(root, *parts[: count + 1])) for count in range(len(parts)))


@dataclass(frozen=True)
class _Passage:
    """A passage with what comparisons ask of it, worked out when it is first asked."""

    stored: StoredChunk

    @property
    def text(self) -> str:
        return self.stored.chunk.text

    @cached_property
    def key(self) -> str:
        return _key(self.text)

    @cached_property
    def is_title(self) -> bool:
        """Whether the passage only names its document."""
        return is_title_page(self.text, self.stored.title)

    @cached_property
    def shingles(self) -> frozenset[int]:
        return similar.shingles(self.text)

    @cached_property
    def numbers(self) -> Counter[str]:
        return Counter(similar.numbers(self.text))

    @cached_property
    def sentences(self) -> frozenset[str]:
        return frozenset(_key(span.of(self.text)) for span in sentences.split(self.text)) - {""}

    @cached_property
    def units(self) -> tuple[str, ...]:
        return tuple(_unit.findall(fold(self.text)))

    @cached_property
    def above(self) -> tuple[tuple[str, ...], frozenset[str]]:
        """What title, headings and table header name."""
        text = "\n".join((self.stored.title or "", *self.stored.chunk.headings, self.stored.chunk.header))
        return similar.numbers(text), similar.names(text)

    def says_no_more_than(self, other: _Passage) -> bool:
        """Whether this passage may go, since the other one, which is shown, says the same and all of it."""
        longer, shorter = len(other.key), len(self.key)
        if shorter > longer / _LENGTHS or self.above != other.above:
            return False
        return (shorter >= longer * _LENGTHS and self._is_near(other)) or self._is_in(other)

    def _is_in(self, other: _Passage) -> bool:
        return len(self.key) >= _CONTAINED and self.sentences <= other.sentences and self.numbers <= other.numbers

    def _is_near(self, other: _Passage) -> bool:
        common, every = len(self.shingles & other.shingles), len(self.shingles | other.shingles)
        if not every or common / every < similar.NEAR or not similar.near(self.text, other.text):
            return False
        (words, mine), (others, theirs) = _gaps(self.units), _gaps(other.units)
        return words == others and all(map(_differ_in_little, mine, theirs))


def _gaps(units: Sequence[str]) -> tuple[list[str], list[list[str]]]:
    """Return the units with content, and the little ones before each of them and behind the last."""
    words: list[str] = []
    gaps: list[list[str]] = [[]]
    for unit in units:
        if unit in _LITTLE:
            gaps[-1].append(unit)
        else:
            words.append(unit)
            gaps.append([])
    return words, gaps


def _differ_in_little(mine: Sequence[str], theirs: Sequence[str]) -> bool:
    """Whether the little words between two others say the same. So many of them that a comparison takes time are no text."""
    if mine == theirs:
        return True
    if max(len(mine), len(theirs)) > _GAP:
        return False
    changes = difflib.SequenceMatcher(None, mine, theirs, autojunk=False).get_opcodes()
    return all(
        tag == "equal" or _same_meaning(mine[start:end], theirs[begin:stop]) for tag, start, end, begin, stop in changes
    )


def _same_meaning(mine: Sequence[str], theirs: Sequence[str]) -> bool:
    """Whether nothing hangs on it which of these stands there: words without content, and not 以上 for 以下."""
    without_content = all(
        unit in FILLERS or unit in _FUNCTION or "".join(part) in FILLERS for part in (mine, theirs) for unit in part
    )
    return without_content and not (_MEANING.intersection(mine) and _MEANING.intersection(theirs))


def _key(text: str) -> str:
    return _nothing.sub("", fold(text))
