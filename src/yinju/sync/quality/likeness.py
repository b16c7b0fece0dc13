"""Documents that are there more than once: the same bytes, the same text, nearly the same text, or versions of one file.

Candidates come from what documents share: their sketches (the smallest hashes of their sentences, in an inverted list that leaves out
what many share), and the family of their names. Only candidates are compared, and not too many of them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from itertools import combinations
from typing import NamedTuple

from yinju.sync.quality.reading import Reading
from yinju.text import labels, originals, similar
from yinju.text.labels import Name

MOST_SHARING = 30  # documents: a sentence in more of them is boilerplate and makes no candidates
CANDIDATE = 0.25  # share of sketches in common from which documents are compared
SURE_CANDIDATE = 0.6  # the same where their names say that they are about different things
# Measured on 1,219 pages of one manual (TiDB, Chinese), which has no copies: pairs of pages on different things, whose names do not say so,
# resemble each other by at most 0.75; where the names do, by up to 0.88, and two release notes by 1.0 with 0.56 of their numbers in common.
NEAR = 0.8  # resemblance of the wording from which two documents are near-copies
NUMBERS_ALIKE = 0.6  # share of numbers in common
SAME = 0.95  # resemblance and share of numbers from which they are near-copies whatever their names
FEW_NUMBERS = 4  # of so few numbers one that differs says little
VERSION = 0.4  # resemblance of two files whose names say that they are versions of one
DATED = 0.5  # of two whose names differ by a date
MOST_COMPARED = 3_000  # pairs
LONGEST_COMPARED = 100_000  # characters of a document
SHORTEST = 8  # characters: of shorter texts nothing is said but that they are the same
MOST_IN_FAMILY = 12
MOST_DATED = 3  # more than so many with dates or numbers in their names are a series


class Copies(NamedTuple):
    """Documents with the same bytes (`same_file`) or the same text."""

    readings: tuple[Reading, ...]
    same_file: bool


class Pair(NamedTuple):
    """Two documents that are nearly the same, or versions of one. `newer` is 1 where the first looks newer, -1 the second, 0 unknown."""

    one: Reading
    other: Reading
    resemblance: float
    versions: bool
    newer: int = 0
    by: str = ""  # what tells which is newer: name, date (in the document), time (of the file)


def copies(readings: Sequence[Reading]) -> list[Copies]:
    """Return groups of documents with the same text, largest first, in each the one that looks like the original first."""
    groups: dict[bytes, list[Reading]] = defaultdict(list)
    for reading in sorted(readings, key=lambda reading: originals.rank(reading.source)):
        groups[reading.text_key].append(reading)
    found = [
        Copies(tuple(group), len({one.summary.digest for one in group}) == 1 and group[0].summary.digest is not None)
        for group in groups.values()
        if len(group) > 1
    ]
    return sorted(found, key=lambda one: (-len(one.readings), one.readings[0].source))


def pairs(readings: Sequence[Reading], text_of: Callable[[str], str]) -> tuple[list[Pair], int]:
    """Return near-copies and versions among documents of which each text occurs once, and how many candidates were too many to be compared.

    Of documents that are all alike each is paired with one other: n documents give n - 1 pairs. `text_of` reads a text by its source.
    """
    names = {reading.source: labels.parse(reading.source) for reading in readings}
    families = _families(readings, names)
    series = frozenset(family for family, members in families.items() if _is_series(members, names))
    found, texts, together = [], _Texts(text_of), _Together()
    compared = left_out = 0
    for one, other in [*_by_name(families, names, series), *_alike(readings)]:
        if together.are(one.source, other.source):
            continue
        if compared >= MOST_COMPARED:
            left_out += 1
            continue
        compared += 1
        pair = _judge(one, other, _needed(names[one.source], names[other.source], series), texts)
        if pair is not None:
            found.append(pair)
            together.join(one.source, other.source)
    return found, left_out


class _Together:
    """Which sources are known to be alike, directly or through others."""

    def __init__(self) -> None:
        self._joined: dict[str, str] = {}

    def are(self, one: str, other: str) -> bool:
        """Tell whether both belong to one group."""
        return self._root(one) == self._root(other)

    def join(self, one: str, other: str) -> None:
        """Make one group of the groups of both."""
        self._joined[self._root(one)] = self._root(other)

    def _root(self, source: str) -> str:
        while source in self._joined:
            source = self._joined[source]
        return source


class _Texts:
    """Shingles, numbers and names of the few documents that are compared."""

    def __init__(self, text_of: Callable[[str], str]) -> None:
        self._text_of = text_of
        self._known: dict[str, tuple[frozenset[int], Counter[str]]] = {}

    def of(self, source: str) -> tuple[frozenset[int], Counter[str]]:
        """Return shingles and numbers."""
        if source not in self._known:
            if len(self._known) > 200:
                self._known.clear()
            text = self._text_of(source)[:LONGEST_COMPARED]
            self._known[source] = similar.shingles(text), Counter(similar.numbers(text))
        return self._known[source]


def _judge(one: Reading, other: Reading, needed: float | None, texts: _Texts) -> Pair | None:
    """Compare two candidates; `needed` is the resemblance from which they are versions of one file, if their names say so."""
    if min(one.characters, other.characters) < SHORTEST or max(one.characters, other.characters) > 8 * min(
        one.characters, other.characters
    ):
        return None
    (mine, my_numbers), (theirs, their_numbers) = texts.of(one.source), texts.of(other.source)
    alike = len(mine & theirs) / max(len(mine | theirs), 1)
    if needed is not None and alike >= needed:
        newer, by = newer_of(one, other)
        return Pair(one, other, alike, True, newer, by)
    together = (my_numbers | their_numbers).total()
    share = (my_numbers & their_numbers).total() / together if together else 1.0
    if alike < NEAR or (share < NUMBERS_ALIKE and together > FEW_NUMBERS):
        return None
    if min(alike, share) < SAME and labels.distinct(one.labels, other.labels):
        return None
    newer, by = newer_of(one, other)
    return Pair(one, other, alike, False, newer, by)


def _needed(one: Name, other: Name, series: frozenset[str]) -> float | None:
    """Return the resemblance that makes two files versions of one by their names; None where the names do not say so."""
    if one.family != other.family or one == other or not one.family:
        return None
    if (one.date, one.numbered) != (other.date, other.numbered):
        return None if one.family in series else DATED
    return VERSION if one.marked or other.marked else None


def _families(readings: Sequence[Reading], names: dict[str, Name]) -> dict[str, list[Reading]]:
    """Return the documents whose names are one name with other marks of version, by that name."""
    families: dict[str, list[Reading]] = defaultdict(list)
    for reading in sorted(readings, key=lambda reading: reading.source):
        families[names[reading.source].family].append(reading)
    return {family: members for family, members in families.items() if family and len(members) > 1}


def _is_series(members: Sequence[Reading], names: dict[str, Name]) -> bool:
    """Tell whether dates or numbers in the names count one thing after the other, such as reports."""
    dated = {(names[one.source].date, names[one.source].numbered) for one in members} - {("", ())}
    return len(dated) > MOST_DATED or (len(dated) > 1 and any(labels.is_series(one.source) for one in members))


def _by_name(
    families: dict[str, list[Reading]], names: dict[str, Name], series: frozenset[str]
) -> list[tuple[Reading, Reading]]:
    """Return the pairs of each family of some size that may be versions of one file."""
    return [
        (one, other)
        for members in families.values()
        if len(members) <= MOST_IN_FAMILY
        for one, other in combinations(members, 2)
        if _needed(names[one.source], names[other.source], series) is not None
    ]


def _alike(readings: Sequence[Reading]) -> list[tuple[Reading, Reading]]:
    """Return pairs whose sketches have enough in common, most first."""
    holders: dict[int, list[int]] = defaultdict(list)
    for number, reading in enumerate(readings):
        for key in reading.sketch:
            if len(holders[key]) <= MOST_SHARING:
                holders[key].append(number)
    shared: Counter[tuple[int, int]] = Counter()
    for numbers in holders.values():
        if 1 < len(numbers) <= MOST_SHARING:
            shared.update(combinations(numbers, 2))
    scored = []
    for (first, second), count in shared.items():
        one, other = readings[first], readings[second]
        share = count / max(min(len(one.sketch), len(other.sketch)), 1)
        if share >= CANDIDATE and (share >= SURE_CANDIDATE or not labels.distinct(one.labels, other.labels)):
            first_source, second_source = sorted((one.source, other.source))
            scored.append((-share, first_source, second_source))
    by_source = {reading.source: reading for reading in readings}
    return [(by_source[one], by_source[other]) for _share, one, other in sorted(scored)]


def newer_of(one: Reading, other: Reading) -> tuple[int, str]:
    """Return 1 where the first looks newer, -1 where the second does, 0 where nothing tells, and by what: name, date, time."""
    by_name = labels.newer(labels.parse(one.source), labels.parse(other.source))
    if by_name:
        return by_name, "name"
    dates = [_date_in(reading) for reading in (one, other)]
    if all(dates) and dates[0] != dates[1]:
        return (1 if dates[0] > dates[1] else -1), "date"
    times = [reading.summary.modified_ns or 0 for reading in (one, other)]
    if all(times) and times[0] != times[1]:
        return (1 if times[0] > times[1] else -1), "time"
    return 0, ""


def _date_in(reading: Reading) -> str:
    found = next(
        (
            reading.summary.metadata.get(key)
            for key in ("modified", "date", "created")
            if reading.summary.metadata.get(key)
        ),
        "",
    )
    return str(found)[:19]
