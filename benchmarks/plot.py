"""Kept runs as a picture: one line of dots for each set, drawn as SVG by hand, so that nothing has to be installed for it.

Colours are chosen for white and for black ground alike (a page that shows the picture need not say which it has): each has a contrast of at
least 3 to both, and shapes tell the marks apart without colour. Numbers are in `python -m benchmarks.retrieval --table`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple
from xml.sax.saxutils import escape

from benchmarks import tables
from yinju.evaluate import metrics

WIDTH, LEFT, RIGHT, TOP, ROW = 760, 190, 60, 44, 26  # points
LEAST, MOST = 0.0, 1.0  # of nDCG@10
INK, FAINT = "#7d8590", "#7d859040"


class Mark(NamedTuple):
    """How one figure is drawn: `shape` with its centre at 0, 0."""

    name: str
    colour: str
    shape: str


MARKS = {
    "lexical": Mark("words", "#b7791f", "M0-4.5L4.5 3.5H-4.5Z"),
    "dense": Mark("vectors", "#3b82c4", "M-3.5-3.5h7v7h-7Z"),
    "rerank": Mark("hybrid + rerank", "#a855a8", "M0-5L5 0 0 5-5 0Z"),
    "hybrid": Mark("hybrid", "#2e9e5b", "M-5 0a5 5 0 1 0 10 0a5 5 0 1 0-10 0Z"),
    "mixed": Mark("hybrid, all sets in one library", "#2e9e5b", "M-5 0a5 5 0 1 0 10 0a5 5 0 1 0-10 0Z"),
    "floor": Mark("floor", INK, "M-.8-9h1.6v18h-1.6Z"),
}
HOLLOW = ("mixed",)


def draw(runs: Path, label: str, target: Path) -> None:
    """Draw nDCG@10 of the kept runs `label` and `label`-mixed, with 95 % intervals of the hybrid search, as SVG into the target."""
    rows = [(task, figures(runs, label, task)) for task in tables.FLOORS]
    target.write_text(picture([(task, found) for task, found in rows if found]), encoding="utf-8", newline="\n")


def figures(runs: Path, label: str, task: str) -> dict[str, metrics.Interval]:
    """Return what was measured of a task by the names of MARKS."""
    found = {mode: tables.values(runs / label, task, mode) for mode in tables.MODES}
    found["mixed"] = tables.values(runs / f"{label}-mixed", task, "hybrid")
    return {mode: metrics.interval(values) for mode, values in found.items() if values}


def picture(rows: Sequence[tuple[str, dict[str, metrics.Interval]]]) -> str:
    """Return the SVG of these tasks."""
    height = TOP + ROW * len(rows) + 34
    said = "; ".join(f"{task} {found['hybrid'].mean:.3f}" for task, found in rows if "hybrid" in found)
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" role="img"'
            f' font-family="system-ui,sans-serif" font-size="12" fill="{INK}">',
            f"<title>nDCG@10 by set, hybrid search: {escape(said)}</title>",
            *_legend([name for name in MARKS if name == "floor" or any(name in found for _, found in rows)]),
            *_axis(height),
            *(line for number, (task, found) in enumerate(rows) for line in _row(number, task, found)),
            "</svg>\n",
        ]
    )


def _legend(names: Sequence[str]) -> Iterator[str]:
    place = 12.0
    for name in names:
        yield _mark(name, place, 16)
        yield f'<text x="{place + 10:.0f}" y="20">{MARKS[name].name}</text>'
        place += 34 + 6.2 * len(MARKS[name].name)


def _axis(height: int) -> Iterator[str]:
    for tenth in range(0, 11, 2):
        place = _across(tenth / 10)
        yield f'<path d="M{place:.1f} {TOP - 8}V{height - 30}" stroke="{FAINT}"/>'
        yield f'<text x="{place:.1f}" y="{height - 14}" text-anchor="middle">{tenth / 10:.1f}</text>'
    yield f'<text x="{LEFT - 14}" y="{height - 14}" text-anchor="end">nDCG@10</text>'


def _row(number: int, task: str, found: dict[str, metrics.Interval]) -> Iterator[str]:
    y = TOP + ROW * number + ROW // 2 - 4
    yield f'<text x="{LEFT - 14}" y="{y + 4}" text-anchor="end">{escape(task)}</text>'
    hybrid, floor = found.get("hybrid"), tables.FLOORS.get(task, (None, None))[0]
    if floor is not None:
        yield _mark("floor", _across(floor), y)
    if hybrid is not None:
        yield (
            f'<path d="M{_across(hybrid.low):.1f} {y}H{_across(hybrid.high):.1f}" stroke="{MARKS["hybrid"].colour}" stroke-width="2"'
            ' stroke-opacity=".5"/>'
        )
        yield f'<text x="{WIDTH - RIGHT + 14}" y="{y + 4}">{hybrid.mean:.3f}</text>'
    for name in MARKS:
        if name in found:
            yield _mark(name, _across(found[name].mean), y)


def _mark(name: str, x: float, y: float) -> str:
    _, colour, shape = MARKS[name]
    look = f'fill="none" stroke="{colour}" stroke-width="1.6"' if name in HOLLOW else f'fill="{colour}"'
    return f'<path transform="translate({x:.1f} {y:.1f})" d="{shape}" {look}/>'


def _across(value: float) -> float:
    return LEFT + (WIDTH - LEFT - RIGHT) * (value - LEAST) / (MOST - LEAST)
