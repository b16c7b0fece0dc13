"""The shapes of one slide, written in the order of reading: title, texts with their bullets, tables, charts, diagrams, groups."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from yinju.load.office.blocks import Blocks
from yinju.load.office.charts import graphic_parts, write_chart, write_diagram
from yinju.load.office.drawing import FURNITURE, chosen, flat_text, marking_in, own_marking, table_rows, write_body
from yinju.load.office.elements import attribute, local, number, text_within
from yinju.load.office.reading_order import Box, reading_order

_TITLES = frozenset(("title", "ctrTitle"))
_FURNITURE = frozenset(("dt", "ftr", "sldNum", "hdr"))
_BULLETED = frozenset(("", "body", "obj"))
_DEEPEST = 100

OpenPart = Callable[
    [str], Any
]  # relationship of the slide -> the part's root, or None where it was read before or is missing


@dataclass(frozen=True, slots=True)
class Layout:
    """What slides inherit: layout and master, either may be None."""

    layout: Any = None
    master: Any = None

    def placeholder(self, kind: str, index: str) -> Any:
        """Return the layout's shape for this placeholder, or None."""
        shapes = self.layout.iter("{*}sp") if self.layout is not None else ()
        by_kind = None
        for shape in shapes:
            found = placeholder_of(shape)
            if found is None:
                continue
            if index and found[1] == index:
                return shape
            if kind and found[0] == kind and by_kind is None:
                by_kind = shape
        return by_kind

    def body_style(self, level: int) -> Any:
        """Return what the master says of body text at this level, or None."""
        return (
            self.master.find(f"{{*}}txStyles/{{*}}bodyStyle/{{*}}lvl{level + 1}pPr")
            if self.master is not None
            else None
        )


def placeholder_of(shape: Any) -> tuple[str, str] | None:
    """Return kind and index of the placeholder that a shape is, or None."""
    found = next((item for item in shape.iterfind("{*}nvSpPr/{*}nvPr/{*}ph")), None)
    return None if found is None else (attribute(found, "type"), attribute(found, "idx"))


class SlideShapes:
    """Writes the shapes of one slide and counts its pictures."""

    def __init__(self, blocks: Blocks, layout: Layout, open_part: OpenPart, title_level: int) -> None:
        self.blocks = blocks
        self.layout = layout
        self.open_part = open_part
        self.title_level = title_level
        self.images = 0
        self.unread: list[str] = []
        self._depth = 0

    def write(self, tree: Any) -> None:
        """Write all shapes of the slide's tree, its title first."""
        shapes = list(self._members(tree))
        titles = [shape for shape in shapes if (placeholder_of(shape) or ("",))[0] in _TITLES]
        for shape in titles:
            self._title(shape)
        self._ordered([shape for shape in shapes if shape not in titles])

    def _members(self, tree: Any) -> Iterator[Any]:
        for child in tree:
            if local(child) == "AlternateContent":
                yield from self._members(self._branch(child))
            elif local(child) in ("sp", "grpSp", "graphicFrame", "pic", "cxnSp"):
                yield child
            else:
                self._left(child)

    def _left(self, *elements: Any, but: Any = None) -> None:
        """Account for text where no program puts any, except below one element."""
        found = sum(text_within(element) for element in elements) - (text_within(but) if but is not None else 0)
        self.blocks.builder.drop("text outside of shapes", found)

    def _branch(self, alternatives: Any) -> Any:
        """A chart or formula has its text in one branch only; where no branch has any, the first is for new programs."""
        return chosen(alternatives, self.blocks.builder)

    def _ordered(self, shapes: list[Any]) -> None:
        for place in reading_order([self._box(shape) for shape in shapes]):
            self._shape(shapes[place])

    def _shape(self, shape: Any) -> None:
        name = local(shape)
        if name == "grpSp" and self._depth < _DEEPEST:
            self._depth += 1
            self._ordered(list(self._members(shape)))
            self._depth -= 1
        elif name == "pic":
            self.images += 1
            self._left(shape)
        elif name == "graphicFrame":
            self._graphic(shape)
        else:
            self._text(shape)

    def _title(self, shape: Any) -> None:
        body = shape.find("{*}txBody")
        self._left(shape, but=body)
        text = flat_text(body, self.blocks.builder) if body is not None else ""
        if text:
            self.blocks.heading(text, self.title_level)

    def _text(self, shape: Any) -> None:
        body = shape.find("{*}txBody")
        self._left(shape, but=body)
        if body is None:
            return
        kind, index = placeholder_of(shape) or (None, "")
        if kind in _FURNITURE:
            self.blocks.builder.drop(FURNITURE, text_within(body))
            return
        inherited = self.layout.placeholder(kind, index) if kind is not None else None
        layers = [source.find("{*}txBody/{*}lstStyle") for source in (shape, inherited) if source is not None]
        bulleted = kind in _BULLETED

        def marking(paragraph: Any, level: int) -> Any:
            found = own_marking(paragraph, level)
            for layer in layers if found is None else ():
                style = layer.find(f"{{*}}lvl{level + 1}pPr") if layer is not None else None
                if (found := marking_in(style)) is not None:
                    return found
            return marking_in(self.layout.body_style(level)) if found is None and bulleted else found

        write_body(body, self.blocks, marking)

    def _graphic(self, frame: Any) -> None:
        data = frame.find("{*}graphic/{*}graphicData")
        self._left(frame, but=data)
        if data is None:
            return
        table = data.find("{*}tbl")
        if table is not None:
            self._left(data, but=table)
            self.blocks.table(table_rows(table, self.blocks.builder))
            return
        parts = graphic_parts(data)
        for kind, identity in parts:
            root = self.open_part(identity)
            if root is None:
                self.unread.append(kind)
            elif kind == "chart":
                write_chart(root, self.blocks)
            else:
                write_diagram(root, self.blocks)
        self.images += not parts
        self.blocks.builder.drop("text of an embedded object", text_within(data))

    def _box(self, shape: Any) -> Box | None:
        own = next(shape.iterfind("{*}spPr/{*}xfrm"), None)
        if own is None:
            own = next((item for item in shape if local(item) == "xfrm"), None)
        if own is None:
            own = shape.find("{*}grpSpPr/{*}xfrm")
        if own is None and (found := placeholder_of(shape)) is not None:
            inherited = self.layout.placeholder(*found)
            own = inherited.find("{*}spPr/{*}xfrm") if inherited is not None else None
        corner, size = (own.find("{*}off"), own.find("{*}ext")) if own is not None else (None, None)
        if corner is None or size is None:
            return None
        left, top = number(attribute(corner, "x"), 0), number(attribute(corner, "y"), 0)
        return Box(left, top, left + number(attribute(size, "cx"), 0), top + number(attribute(size, "cy"), 0))
