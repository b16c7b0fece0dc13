"""What is asked of PDF lines again and again: is it a list item, does it stand close to the line before, is it in the same style."""

from __future__ import annotations

import re
import statistics
from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise

from yinju.load.pdf.hyphens import count_words
from yinju.load.pdf.page import Line

ENDS = tuple(".。！？!?：:;；…”」』)）")
SENTENCE_ENDS = (".", "。", "！", "？", "!", "?", "；", ";")
LIST = re.compile(
    r"(?:[•●○▪■□◆◇➢✓]|[-–—*·]\s|\(?\d{1,3}[.)、](?!\d)|\(?[a-zA-Z][.)]\s|[(（][一二三四五六七八九十\d]{1,3}[)）]"
    r"|[一二三四五六七八九十]{1,3}、|[①-⑳]|第[一二三四五六七八九十百零\d]{1,6}[章节條条節編编篇])"
)
_CLOSERS = '”」』)）"’'
_NARROWEST = 10  # sizes: shorter lines end at the same place by chance
_FEWEST = 2


@dataclass(slots=True)
class Measures:
    """What is needed to decide about the next line."""

    spacing: float
    body: float
    words: Counter[str]
    edges: dict[tuple[int, int], tuple[float, float]]  # left and right edge of a column
    full: set[int] = field(default_factory=set)  # lines that reach the edge of a paragraph narrower than their column
    levels: dict[int, int] = field(default_factory=dict)  # line's identity -> heading level


def measure(lines: list[Line]) -> Measures:
    """Return the common sizes, distances and edges of the lines."""
    sizes: Counter[float] = Counter()
    words: Counter[str] = Counter()
    edges: dict[tuple[int, int], tuple[float, float]] = {}
    hyphen = False
    for line in lines:
        text = line.text
        sizes[round(line.size * 2) / 2] += len(text)
        count_words(words, text, goes_on=hyphen)
        hyphen = text.endswith(("-", "‐"))
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
    spacing = statistics.median(distances) if distances else 1.3 * body
    return Measures(spacing, body, words, edges, _justified(lines))


def _justified(lines: list[Line]) -> set[int]:
    """Return the lines of three or more that end at the same place, one below the other: text beside a figure."""
    found: set[int] = set()
    run: list[Line] = []
    for line in [*lines, None]:
        before = run[-1] if run else None
        same = line is not None and before is not None and (line.page, line.column) == (before.page, before.column)
        if line is not None and before is not None and same and line.table is None:
            step = before.baseline - line.baseline
            same = abs(line.right - before.right) < 0.6 * line.size and 0 < step < 2.2 * line.size
            if same and line.right - line.left > _NARROWEST * line.size:
                run.append(line)
                continue
        if len(run) > _FEWEST:
            found |= {id(part) for part in run}
        run = [] if line is None or line.table is not None else [line]
    return found


def is_listed(line: Line) -> bool:
    """Return whether the line begins as an item of a list or a clause does."""
    return bool(LIST.match(line.text))


def ends(line: Line) -> bool:
    """Return whether the line ends as a paragraph may: with a sentence's end, brackets and quotation marks behind it not counted."""
    bare = line.text.rstrip(_CLOSERS)
    return bare.endswith(ENDS)


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
