"""The vector leg: exact cosines, less what a passage has in common with every question (everyday.py), with languages put on one scale.

A multilingual model puts texts of one language nearer to each other than to their translations, so in a library that mixes languages
whatever is in the question's own language would crowd out the page that answers. Therefore Chinese and other documents propose passages
of their own, and most of the difference between the two baselines (the mean cosine of ranks 5 to 50) is taken out. On xquad with each
paragraph in one language only, Chinese questions find the English passage among the first five in 0.86 of cases (0.03 without), English
ones the Chinese in 0.75 (0.28), and passages in the question's own language as before (0.98, 1.00); with the whole difference taken out
the latter suffer. A passage that holds both languages, such as a bilingual price list, is near to both and gets nothing added.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from yinju.retrieve import filters
from yinju.text.language import is_chinese, speaks
from yinju.types import Where

if TYPE_CHECKING:
    from yinju.protocols import Vectors
    from yinju.store import Store
    from yinju.store.records import RowIds, StoredChunk

SHARE_TAKEN_OUT = 0.8
NEAREST = 4  # ranks that may be answers and are left out of the baseline, or the first quarter of a smaller list
LOWEST_RANK = 50
ENOUGH = 4  # passages without which a language has no baseline
CHINESE, OTHERS = "zh", "[!z]*"


@dataclass(frozen=True, slots=True)
class Near:
    """What the vectors say, by row: the cosine to the question less half of the mean cosine to everyday questions (`heights`).

    `across` are the rows in another language than the question, `shift` is what is added for them; proposals stand best first.
    """

    heights: dict[int, float] = field(default_factory=dict)
    across: frozenset[int] = frozenset()
    shift: float = 0.0
    proposed: tuple[int, ...] = ()

    def values(self) -> dict[int, float]:
        """Return the heights on one scale."""
        return {row: height + self.shift * (row in self.across) for row, height in self.heights.items()}

    def alike(self, row: int) -> list[float]:
        """Return the falling heights of the rows that are in the same language as this one."""
        side = row in self.across
        return sorted(
            (height for other, height in self.heights.items() if (other in self.across) == side), reverse=True
        )


def nearest(
    store: Store,
    fingerprint: str,
    question: tuple[str, Vectors],
    depth: int,
    where: Where,
    allowed: RowIds | None,
) -> Near:
    """Return the nearest rows inside the filter to the question, both languages on one scale.

    `question` is its text and its vector, less its share of everyday questions (`everyday.without`).
    """
    text, vector = question
    if "language" in where or not _mixed(store):
        found = dict(store.nearest(fingerprint, vector, depth, allowed))
        return Near(found, proposed=tuple(found))
    heights: dict[int, float] = {}
    for name in (CHINESE, OTHERS):
        heights.update(
            store.nearest(fingerprint, vector, depth, filters.allowed(store, filters.joined(where, {"language": name})))
        )
    across = frozenset(stored.rowid for stored in store.chunks(list(heights)) if is_across(stored, text))
    own, other = (
        _baseline([height for row, height in heights.items() if (row in across) == side]) for side in (False, True)
    )
    shift = 0.0 if own is None or other is None else SHARE_TAKEN_OUT * max(0.0, own - other)
    values = Near(heights, across, shift).values()
    order = sorted(values, key=lambda row: (-values[row], row))
    return Near(heights, across, shift, tuple(order[:depth]))


def sides(store: Store, near: Near, question: str) -> dict[bool, list[float]]:
    """Return the heights of the proposed rows: under False those that can be read in the question's language, under True the others."""
    found: dict[bool, list[float]] = {False: [], True: []}
    for stored in store.chunks(list(near.heights)):
        found[is_across(stored, question)].append(near.heights[stored.rowid])
    return found


def is_across(stored: StoredChunk, question: str) -> bool:
    """Whether neither the passage nor its breadcrumb, which is embedded with it, can be read in the question's language."""
    chinese = is_chinese(question)
    above = " ".join((stored.title or "", *stored.chunk.headings))
    return not speaks(stored.chunk.text, chinese=chinese) and not (above.strip() and speaks(above, chinese=chinese))


def _mixed(store: Store) -> bool:
    """Whether the library holds enough of Chinese and of other languages for two baselines."""
    languages = store.languages()
    chinese = languages.get(CHINESE, 0)
    return chinese >= ENOUGH and sum(languages.values()) - chinese >= ENOUGH


def _baseline(heights: Sequence[float]) -> float | None:
    ranked = sorted(heights, reverse=True)[min(NEAREST, len(heights) // 4) : LOWEST_RANK]
    return sum(ranked) / len(ranked) if len(heights) >= ENOUGH else None
