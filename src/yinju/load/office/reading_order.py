"""The order in which a person reads the shapes of a slide.

A slide keeps its shapes in the order in which they were drawn. Mostly that is the order of reading too, so it is believed until it
contradicts the page: a shape that comes before one that stands above it, or to the left of it. Then the page is cut at its gaps,
into rows first and columns within them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Box(NamedTuple):
    """Where a shape stands, in the units of the slide."""

    left: int
    top: int
    right: int
    bottom: int


def reading_order(boxes: Sequence[Box | None]) -> list[int]:
    """Return the places of the shapes in the order of reading; as they came where one of them has no known place."""
    places = list(range(len(boxes)))
    known = [box for box in boxes if box is not None]
    if len(known) < len(boxes) or _is_sensible(known):
        return places
    return _cut(places, known)


def _is_sensible(boxes: Sequence[Box]) -> bool:
    return not any(
        _is_above(later, earlier) or _is_left(later, earlier)
        for place, earlier in enumerate(boxes[:200])
        for later in boxes[place + 1 : 200]
    )


def _is_above(one: Box, other: Box) -> bool:
    """One stands wholly above the other, in its column."""
    return one.bottom <= other.top and min(one.right, other.right) > max(one.left, other.left)


def _is_left(one: Box, other: Box) -> bool:
    """One stands wholly to the left of the other, in its row."""
    overlap = min(one.bottom, other.bottom) - max(one.top, other.top)
    return one.right <= other.left and 2 * overlap > min(one.bottom - one.top, other.bottom - other.top)


def _cut(places: list[int], boxes: Sequence[Box]) -> list[int]:
    """Cut into bands at gaps over the whole width, else over the whole height; what cannot be cut goes by top and left."""
    pending, ordered = [places], []
    while pending:
        group = pending.pop()
        parts = _bands(group, [(boxes[p].top, boxes[p].bottom) for p in group])
        if len(parts) == 1:
            parts = _bands(group, [(boxes[p].left, boxes[p].right) for p in group])
        if len(parts) == 1:
            ordered += sorted(group, key=lambda place: (boxes[place].top, boxes[place].left))
        else:
            pending += reversed(parts)
    return ordered


def _bands(places: list[int], ranges: list[tuple[int, int]]) -> list[list[int]]:
    """Group the places whose ranges touch; in rising order. A tenth of the smaller range may lap over."""
    bands: list[list[int]] = []
    end = 0
    for (start, stop), place in sorted(zip(ranges, places, strict=True)):
        if bands and start < end - (stop - start) // 10:
            bands[-1].append(place)
            end = max(end, stop)
        else:
            bands.append([place])
            end = stop
    return bands
