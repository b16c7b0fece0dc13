"""Charts and diagrams (SmartArt) as text: a chart's title and the table of its cached values, a diagram's points as a list."""

from __future__ import annotations

from typing import Any

from yinju.load.clean import clean
from yinju.load.office.blocks import Blocks, TableRow
from yinju.load.office.drawing import flat_text
from yinju.load.office.elements import attribute, is_text, local, number, text_within
from yinju.load.office.sheet_format import display
from yinju.load.parsed import visible

_MOST_POINTS = 10_000
_NO_POINTS = frozenset(("pres", "parTrans", "sibTrans", "doc"))
_DEEPEST = 20


def write_chart(root: Any, blocks: Blocks) -> None:
    """Write title, names of the axes and values; what the file repeats for each series is accounted for."""
    builder = blocks.builder
    start = builder.position
    titles = [_rich(item) for item in root.iter("{*}title")]
    for text in filter(None, (clean(title).text for title in titles)):
        blocks.block(text)
    for header, columns in _tables(list(root.iter("{*}ser"))):
        blocks.table(_rows(header, columns))
    builder.drop("repeated or unrounded values of charts", text_within(root) - visible(builder.text_from(start)))


def _rich(title: Any) -> str:
    """The text of a title, be it typed or taken from a cell."""
    texts = [item.text or "" for item in title.iter() if is_text(item)]
    return " ".join("".join(texts).split())


def _tables(series: list[Any]) -> list[tuple[list[str], list[dict[int, str]]]]:
    """Return header and columns: one table for all series with the same categories."""
    tables: list[tuple[list[str], list[dict[int, str]]]] = []
    for item in series:
        name = _rich(item.find("{*}tx")) if item.find("{*}tx") is not None else ""
        labels = _points(_first(item, "cat", "xVal"))
        columns = [_points(item.find("{*}" + kind)) for kind in ("val", "yVal", "bubbleSize")]
        columns = [column for column in columns if column]
        if not tables or tables[-1][1][0] != labels:
            tables.append(([""], [labels]))
        tables[-1][0].extend([name, *[""] * (len(columns) - 1)] if columns else [])
        tables[-1][1].extend(columns)
    return tables


def _first(item: Any, *names: str) -> Any:
    return next((found for name in names if (found := item.find("{*}" + name)) is not None), None)


def _points(data: Any) -> dict[int, str]:
    """Return index -> cached value as displayed; levels of categories joined, the outer one first."""
    points: dict[int, str] = {}
    if data is None:
        return points
    levels = list(data.iter("{*}lvl")) or [data]
    for level in reversed(levels):
        code = next((item.text or "" for item in level.iter("{*}formatCode")), "General")
        for point in level.iter("{*}pt"):
            place, stored = number(attribute(point, "idx"), -1), point.find("{*}v")
            if 0 <= place < _MOST_POINTS and stored is not None and stored.text:
                shown = display(stored.text, code) if code else stored.text
                points[place] = f"{points.get(place, '')} {' '.join(shown.split())}".strip()
    return points


def _rows(header: list[str], columns: list[dict[int, str]]) -> list[TableRow]:
    places = sorted({place for column in columns for place in column})
    rows = [TableRow([clean(cell).text for cell in header], True)]
    rows += [TableRow([clean(column.get(place, "")).text for column in columns]) for place in places]
    return rows


def write_diagram(root: Any, blocks: Blocks) -> None:
    """Write the points of a diagram's data in their order, as a list with levels."""
    builder = blocks.builder
    texts = {
        attribute(point, "modelId"): point.find("{*}t")
        for point in root.iterfind("{*}ptLst/{*}pt")
        if attribute(point, "type") not in _NO_POINTS and point.find("{*}t") is not None
    }
    below: dict[str, list[tuple[int, str]]] = {}
    for link in root.iterfind("{*}cxnLst/{*}cxn"):
        if attribute(link, "type") in ("", "parOf"):
            below.setdefault(attribute(link, "srcId"), []).append(
                (number(attribute(link, "srcOrd"), 0), attribute(link, "destId"))
            )
    roots = [attribute(p, "modelId") for p in root.iterfind("{*}ptLst/{*}pt") if attribute(p, "type") == "doc"]
    written: set[str] = set()
    stack = [(identity, -1) for identity in [*reversed(list(texts)), *roots]]
    while stack:
        identity, level = stack.pop()
        if identity in written:
            continue
        written.add(identity)
        text = flat_text(texts[identity], builder) if identity in texts else ""
        if text:
            blocks.item(text, max(0, level), "•")
        children = sorted(below.get(identity, ()), reverse=True)
        stack += [(child, min(level + 1, _DEEPEST)) for _, child in children]
    blocks.end_list()
    shown = sum(
        text_within(texts[identity]) for identity in written if identity in texts
    )  # flat_text accounts for all of it
    builder.drop("texts of a diagram that are not shown", text_within(root) - shown)


def graphic_parts(element: Any) -> list[tuple[str, str]]:
    """Return (chart or diagram, relationship) for the charts and diagrams that a drawing shows."""
    found = []
    for item in element.iter():
        name = local(item)
        if name == "chart" and attribute(item, "id"):
            found.append(("chart", attribute(item, "id")))
        elif name == "relIds" and attribute(item, "dm"):
            found.append(("diagram", attribute(item, "dm")))
    return found
