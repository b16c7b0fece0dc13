"""What is asked of PDF lines again and again: is it a list item, does it stand close to the line before, is it in the same style."""

from __future__ import annotations

import re
import statistics
from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise

from yinju.load.pdf.layout import Line

ENDS = tuple(".。！？!?：:;；…”」』)）")
SENTENCE_ENDS = (".", "。", "！", "？", "!", "?", "；", ";")
LIST = re.compile(
    r"(?:[•●○▪■□◆◇➢✓]|[-–—*·]\s|\(?\d{1,3}[.)、](?!\d)|\(?[a-zA-Z][.)]\s|[(（][一二三四五六七八九十\d]{1,3}[)）]"
    r"|[一二三四五六七八九十]{1,3}、|[①-⑳]|第[一二三四五六七八九十百零\d]{1,6}[章节條条節編编篇])"
)
_WORD = re.compile(r"[A-Za-z]+(?:-[A-Za-z]+)+|[A-Za-z]{4,}")


@dataclass(slots=True)
class Measures:
    """What is needed to decide about the next line."""

    spacing: float
    body: float
    words: Counter[str]
    edges: dict[tuple[int, int], tuple[float, float]]  # left and right edge of a column
    levels: dict[int, int] = field(default_factory=dict)  # line's identity -> heading level


def measure(lines: list[Line]) -> Measures:
    """Return the common sizes, distances and edges of the lines."""
    sizes: Counter[float] = Counter()
    words: Counter[str] = Counter()
    edges: dict[tuple[int, int], tuple[float, float]] = {}
    for line in lines:
        sizes[round(line.size * 2) / 2] += len(line.text)
        words.update(word.lower() for word in _WORD.findall(line.text))
        left, right = edges.get((line.page, line.column), (line.left, line.right))
        edges[line.page, line.column] = min(left, line.left), max(right, line.right)
    body = max(sizes, key=lambda size: sizes[size])
    distances = [
        before.baseline - line.baseline
        for before, line in pairwise(lines)
        if (before.page, before.column) == (line.page, line.column)
        and 0 < before.baseline - line.baseline < 3 * line.size
        and abs(line.size - body) < 1
    ]
    return Measures(statistics.median(distances) if distances else 1.3 * body, body, words, edges)


def is_listed(line: Line) -> bool:
    """Return whether the line begins as an item of a list or a clause does."""
    return bool(LIST.match(line.text))


def indented(line: Line, state: Measures) -> bool:
    """Return whether the line begins right of its column's edge."""
    return line.left > state.edges[line.page, line.column][0] + 1.2 * line.size


def alike(before: Line, line: Line) -> bool:
    """Return whether two lines are of one size, weight and direction."""
    return (
        max(before.size, line.size) < 1.15 * min(before.size, line.size)
        and before.bold == line.bold
        and before.cells[0].turn == line.cells[0].turn
    )


def close(before: Line, line: Line, state: Measures) -> bool:
    """Return whether the two lines stand as near as lines of a paragraph do."""
    distance = before.baseline - line.baseline
    return distance <= max(1.3 * state.spacing, 1.05 * max(before.size, line.size)) * max(
        1.0, line.size / max(state.body, 1.0)
    )


def letters(text: str) -> str:
    """Return the letters and digits of a text in lower case: enough to recognise it again."""
    return "".join(character for character in text.lower() if character.isalnum())
