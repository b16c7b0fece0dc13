"""Many legs, one order. Pure functions: values by row in, votes by row out; the shares of a row's votes sum to its score.

`convex` is the base: each leg's values are scaled to 0..1 for this question and added with fixed weights. It keeps how sure a leg is,
which ranks alone forget. `reciprocal_ranks` needs no scales and stays as a mode.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from yinju.types import Vote

RANK_CONSTANT = 60


@dataclass(frozen=True, slots=True)
class Leg:
    """One opinion: a value for each row that it could judge, the rows that it proposed itself, and its weight.

    `floor` is the value that means "nothing in common": zero for BM25, None where only differences count (cosines).
    """

    name: str
    values: Mapping[int, float]
    proposed: tuple[int, ...]  # best first
    weight: float
    floor: float | None = 0.0


def convex(legs: Iterable[Leg], rows: Iterable[int]) -> dict[int, tuple[Vote, ...]]:
    """Weighted sum of the legs' values, each scaled to 0..1 over these rows. Weights are scaled to sum to one."""
    rows, legs = list(rows), [leg for leg in legs if leg.weight > 0 and leg.values]
    total = sum(leg.weight for leg in legs) or 1.0
    votes: dict[int, list[Vote]] = {row: [] for row in rows}
    for leg in legs:
        ranks = {row: rank for rank, row in enumerate(leg.proposed, 1)}
        scaled = scale({row: leg.values[row] for row in rows if row in leg.values}, leg.floor)
        for row, value in scaled.items():
            share = leg.weight / total * value
            if share or row in ranks:
                votes[row].append(Vote(leg.name, ranks.get(row), leg.values[row], share))
    return {row: tuple(given) for row, given in votes.items()}


def reciprocal_ranks(legs: Iterable[Leg], rows: Iterable[int]) -> dict[int, tuple[Vote, ...]]:
    """Sum of 1 / (60 + rank) over the legs that proposed the row (Cormack, Clarke and Buettcher 2009)."""
    votes: dict[int, list[Vote]] = {row: [] for row in rows}
    for leg in legs:
        for rank, row in enumerate(leg.proposed, 1):
            if row in votes:
                votes[row].append(Vote(leg.name, rank, leg.values[row], 1 / (RANK_CONSTANT + rank)))
    return {row: tuple(given) for row, given in votes.items()}


def scale(values: Mapping[int, float], floor: float | None) -> dict[int, float]:
    """Map values to 0..1: the best is 1, the floor (else the worst) is 0. Where all are equal, all are 1, or 0 if none is above the floor."""
    if not values:
        return {}
    low = min(values.values()) if floor is None else floor
    high = max(values.values())
    if high <= low:
        return dict.fromkeys(values, 1.0 if floor is None else 0.0)
    return {row: max(0.0, (value - low) / (high - low)) for row, value in values.items()}
