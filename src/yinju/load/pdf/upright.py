"""Chinese columns that run from top to bottom, the first one on the right: their characters are joined to lines again.

PDFium gives the characters one below the other; they are turned here as if the page lay on its side, so that the rest reads columns as lines.
Only where most of a page is written so: single characters one below the other are common in the heads of tables.
"""

from __future__ import annotations

from array import array

from yinju.load.pdf.segment import Segment, is_han, turned

_SHARE = 0.6  # of the page's characters
_FEWEST = 12  # characters in columns


def join_upright(segments: list[Segment]) -> list[Segment]:
    """Return the segments with the columns of vertical writing joined, if most of the page is written so."""
    single = sum(1 for segment in segments if len(segment.text) == 1 and is_han(segment.text))
    if single < _FEWEST or single < _SHARE * sum(len(segment.text) for segment in segments):
        return segments
    runs: list[list[Segment]] = []
    for segment in segments:
        if runs and _below(runs[-1][-1], segment):
            runs[-1].append(segment)
        else:
            runs.append([segment])
    in_columns = sum(len(run) for run in runs if len(run) > 2)
    if in_columns < max(_FEWEST, _SHARE * single):
        return segments
    return [_column(run) for run in runs]


def _below(upper: Segment, lower: Segment) -> bool:
    size = max(upper.size, lower.size)
    level = abs(upper.left + upper.right - lower.left - lower.right) < size
    return (
        level
        and upper.turn == lower.turn == 0
        and len(lower.text) < 5
        and 0.4 * size < upper.baseline - lower.baseline < 2 * size
    )


def _column(run: list[Segment]) -> Segment:
    text = ""
    words = array("f")
    for segment in run:
        edges = turned(segment.left, segment.right, segment.bottom, segment.top, 1)
        words.extend((len(text), len(text) + len(segment.text), *edges))
        text += segment.text
    left, right = min(segment.left for segment in run), max(segment.right for segment in run)
    bottom, top = min(segment.bottom for segment in run), max(segment.top for segment in run)
    edges = turned(left, right, bottom, top, 1)
    size = max(segment.size for segment in run)
    return Segment(text, *edges, (left + right) / 2 - size / 2, 1, all(s.bold for s in run), size, words=words)
