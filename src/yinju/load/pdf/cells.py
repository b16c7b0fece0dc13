"""Cells of PDF tables whose text runs over several lines.

Read row by row, the lines of neighbouring cells would be mixed into nonsense. But a cell is drawn in one go: lines that were drawn one
after the other, each just below the one before, and that have something beside them, are one cell. Single lines beside it are in its row.
"""

from __future__ import annotations

from yinju.load.builder import TextBuilder
from yinju.load.pdf.rows import Heights, apart, one_cell
from yinju.load.pdf.segment import WIDE_GAP, Segment, is_han, is_right_to_left, put_together

_MOST_LINES = 24  # of one cell; longer ones are columns of text
_STEP = 1.9  # sizes from line to line inside a cell


def join_cells(segments: list[Segment], builder: TextBuilder) -> list[Segment]:
    """Return the segments (in the order of drawing) with the lines of such cells joined; taken-back hyphens are accounted for."""
    drawn = joined_lines(segments)
    heights = Heights(drawn)
    joined: list[Segment] = []
    for block in _stacks(drawn):
        if 1 < len(block) <= _MOST_LINES and _has_neighbour(block, heights):
            joined.append(one_cell(block, builder))
        else:
            joined += block
    return joined


def joined_lines(segments: list[Segment]) -> list[Segment]:
    """Return the segments with those joined that were drawn one after the other on one line without a wide gap."""
    lines: list[Segment] = []
    for segment in segments:
        before = lines[-1] if lines else None
        if before is not None and _goes_on(before, segment):
            lines[-1] = put_together(before, segment)
        else:
            lines.append(segment)
    return lines


def _goes_on(before: Segment, segment: Segment) -> bool:
    size = max(before.size, segment.size)
    level = abs(before.baseline - segment.baseline) < 0.4 * min(before.size, segment.size)
    gap = segment.left - before.right
    return level and -0.3 * size < gap < WIDE_GAP * size and not is_right_to_left(segment.text[0])


def _stacks(lines: list[Segment]) -> list[list[Segment]]:
    edges = _edges(lines)
    stacks: list[list[Segment]] = []
    for line in lines:
        if stacks and _below(stacks[-1][-1], line) and _runs_on(stacks[-1][-1], line, edges):
            stacks[-1].append(line)
        else:
            stacks.append([line])
    return stacks


def _edges(lines: list[Segment]) -> dict[tuple[str, int], float]:
    """How far the lines reach that share a left edge (or a middle): where their cells end."""
    edges: dict[tuple[str, int], float] = {}
    for line in lines:
        for key in (("left", round(line.left / 4)), ("middle", round((line.left + line.right) / 8))):
            edges[key] = max(edges.get(key, line.right), line.right)
    return edges


def _edge(upper: Segment, lower: Segment, edges: dict[tuple[str, int], float]) -> float:
    """Where the cell of two lines ends: as far as lines reach that begin there or a little further in, or that have the same middle."""
    left, middle = round(upper.left / 4), round((upper.left + upper.right) / 8)
    by_left = max(edges.get(("left", left + step), 0.0) for step in range(-1, round(upper.size / 2)))
    by_middle = max(edges.get(("middle", middle + step), 0.0) for step in (-1, 0, 1))
    return by_left if lower.left > upper.left - 0.5 * upper.size and by_left > upper.right else min(by_left, by_middle)


def _below(upper: Segment, lower: Segment) -> bool:
    """Return whether the lower line stands as the next line of a cell does: same size, next line, same left edge or same middle."""
    step = upper.baseline - lower.baseline
    size = max(upper.size, lower.size)
    if not 0.5 * size < step < _STEP * size or size > 1.15 * min(upper.size, lower.size):
        return False
    middle = abs(upper.left + upper.right - lower.left - lower.right) / 2
    indent = lower.left - upper.left
    return abs(indent) < 0.5 * size or middle < 0.7 * size or (0 < indent < 2 * size and _starts_inside(lower.text))


def _runs_on(upper: Segment, lower: Segment, edges: dict[tuple[str, int], float]) -> bool:
    """Return whether the upper line was broken because its cell was full, or the lower one begins in mid-sentence."""
    if upper.text.endswith((":", "：")):
        return False
    if _starts_inside(lower.text):
        return True
    han = is_han(lower.text[0])
    word = 1 if han else len(lower.text.split(maxsplit=1)[0])
    width = (lower.right - lower.left) / max(len(lower.text), 1)
    return upper.right + (word + 0.6) * width >= _edge(upper, lower, edges)


def _starts_inside(text: str) -> bool:
    return text[0].islower() or (text[0] in "(,;&" and text[1:2].islower())


def _has_neighbour(block: list[Segment], heights: Heights) -> bool:
    left, right = min(line.left for line in block), max(line.right for line in block)
    beside = heights.between(block[-1].bottom, block[0].top)
    own = {id(line) for line in block}
    return any(id(other) not in own and apart(other, left, right) for other in beside)
