"""Recognised lines to paragraphs: columns first, then rows, then what belongs together.

This is for pictures. Pages of a PDF are laid out by the PDF room, which knows more of its document.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from yinju.boxes import Box
from yinju.load.ocr.lines import OcrLine, is_beside, upright

FEW = 4  # lines that a column has at least
FILLED = 0.6  # share of its column that its middle line fills: cells of a table do not
GAP = 0.8  # heights of a line between lines of two paragraphs
LARGER = 1.35  # a line so much higher than its neighbour is of another kind: a heading

Row = list[OcrLine]


def paragraphs(lines: Sequence[OcrLine]) -> list[list[Row]]:
    """Return the rows of each paragraph in reading order."""
    return [paragraph for column in _columns(list(lines)) for paragraph in _split(_rows(column))]


def continues(row: Row, following: Row, edge: float) -> bool:
    """Tell whether the sentence of a row runs on in the following one: both are single lines, and this one is full up to the right `edge`."""
    if len(row) > 1 or len(following) > 1:
        return False
    box = upright(row[0].box, row[0].turn)
    letter = (box.right - box.left) / max(len(row[0].text), 1)
    return box.right > edge - max(4 * letter, 0.06)


def right_edge(rows: Sequence[Row]) -> float:
    """Return where the longest row ends."""
    return max(upright(line.box, line.turn).right for row in rows for line in row)


def _columns(lines: list[OcrLine]) -> list[list[OcrLine]]:
    """Return the columns from left to right; what stands above and below across all of them stays before and behind."""
    gutter = _gutter(lines)
    if gutter is None:
        return [lines]
    across = [line for line in lines if _box(line).left < gutter < _box(line).right]
    inside = [line for line in lines if line not in across]
    top = min(_box(line).top for line in inside)
    above = [line for line in across if _box(line).top <= top]
    below = [line for line in across if line not in above]
    left = [line for line in inside if _box(line).right <= gutter]
    right = [line for line in inside if line not in left]
    return [part for part in (above, *_columns(left), *_columns(right), below) if part]


def _gutter(lines: list[OcrLine]) -> float | None:
    """Return where an empty strip parts two columns of running text, or None: the place that fewest lines cross, at most two."""
    if len(lines) < 2 * FEW:
        return None
    best: tuple[int, float] | None = None
    for place in sorted({_box(line).right + 0.001 for line in lines}):
        crossing = sum(_box(line).left < place < _box(line).right for line in lines)
        if crossing > 2 or (best is not None and crossing >= best[0]):
            continue
        left = [line for line in lines if _box(line).right <= place]
        right = [line for line in lines if _box(line).left >= place]
        if _is_column(left) and _is_column(right) and _reach_beside(left, right):
            best = crossing, place
    return None if best is None else best[1]


def _is_column(lines: list[OcrLine]) -> bool:
    if len(lines) < FEW:
        return False
    boxes = [_box(line) for line in lines]
    width = max(box.right for box in boxes) - min(box.left for box in boxes)
    long_enough = median(len(line.text) for line in lines) >= 8
    return long_enough and median(box.right - box.left for box in boxes) >= FILLED * width


def _reach_beside(left: list[OcrLine], right: list[OcrLine]) -> bool:
    """Tell whether the columns stand beside each other for most of the lower one's height."""
    spans = [(min(_box(line).top for line in part), max(_box(line).bottom for line in part)) for part in (left, right)]
    shared = min(span[1] for span in spans) - max(span[0] for span in spans)
    return shared > 0.5 * min(span[1] - span[0] for span in spans)


def _rows(lines: list[OcrLine]) -> list[Row]:
    rows: list[Row] = []
    for line in sorted(lines, key=lambda one: _box(one).top + _box(one).bottom):
        if rows and is_beside(_box(rows[-1][0]), _box(line)):
            rows[-1].append(line)
        else:
            rows.append([line])
    return [sorted(row, key=lambda one: _box(one).left) for row in rows]


def _split(rows: list[Row]) -> list[list[Row]]:
    found: list[list[Row]] = []
    for row in rows:
        if found and _belongs(found[-1][-1], row, found[-1]):
            found[-1].append(row)
        else:
            found.append([row])
    return found


def _belongs(before: Row, row: Row, rows: list[Row]) -> bool:
    """Tell whether the row goes on with the paragraph: near enough, of the same size, and not indented after one that is not."""
    height, above = _height(row), _height(before)
    gap = min(_box(line).top for line in row) - max(_box(line).bottom for line in before)
    if gap > GAP * min(height, above) or max(height, above) > LARGER * min(height, above):
        return False
    letter = height  # Chinese letters are as wide as they are high; indents are two of them
    indent = _box(row[0]).left - min(_box(one[0]).left for one in rows[-3:])
    return not (len(row) == 1 and indent > 1.2 * letter * _aspect(row) and len(rows) >= 1)


def _aspect(row: Row) -> float:
    """Return how much wider than high a Chinese letter of the row is in shares of the page, which need not be square."""
    box = _box(row[0])
    letters = sum(2 if ord(letter) > 0x2E7F else 1 for letter in row[0].text)
    return (box.right - box.left) * 2 / max(letters, 1) / max(box.bottom - box.top, 1e-6)


def _height(row: Row) -> float:
    return max(_box(line).bottom - _box(line).top for line in row)


def _box(line: OcrLine) -> Box:
    return upright(line.box, line.turn)
