"""ODP (and drawings, ODG) to a document: one page a slide, its title a heading, its notes behind it, as PPTX is read.

Slide numbers, dates and footers stay out of the text and in the account; what stands on masters belongs to no slide and is not counted.
"""

from __future__ import annotations

import re
from typing import Any

from yinju.load.office.elements import attribute, local, page_list
from yinju.load.office.odf_blocks import LEFT_OUT, OdfBlocks
from yinju.load.office.odf_inline import DRAWN
from yinju.load.office.odf_package import inside, open_odf, qualified
from yinju.load.office.odf_text import odf_reader, odf_warnings
from yinju.load.office.package import beyond_limit, damaged, only_pictures
from yinju.load.office.reading_order import Box, reading_order
from yinju.load.parsed import Limits, Parsed, visible
from yinju.messages import say
from yinju.types import Span

_LENGTH = re.compile(r"(-?\d{1,7}(?:\.\d{1,9})?)(cm|mm|in|pt|pc|px)?")
_UNITS = {"cm": 10.0, "mm": 1.0, "in": 25.4, "pt": 25.4 / 72, "pc": 25.4 / 6, "px": 25.4 / 96}
_FURNITURE = frozenset(("header", "footer", "page-number", "date-time"))
_HAN = re.compile("[\u3400-\u9fff]")
_DEEPEST = 100


def load_odp(data: bytes, source: str, limits: Limits) -> Parsed:
    """Return the text of an OpenDocument presentation. Raises DocumentError: damaged, encrypted, limit, no-text, unsafe-xml."""
    with open_odf(data, limits) as odf:
        root = odf.root()
        body = root.find("{*}body")
        show = next(iter(body), None) if body is not None else None
        if body is None or show is None:
            raise damaged(say("no presentation in the package", "包内没有演示文稿"))
        slides = _Slides(odf_reader(odf, root, limits), limits)
        for element in body:
            slides.write(element)
        slides.mark_pages()
        title, metadata = odf.properties(root)
    builder = slides.reader.builder
    if not visible(builder.text()):
        raise only_pictures(slides=True)
    marks = builder.sorted_marks()
    first = builder.first_heading(1)
    hidden = (f"hidden-slides: {page_list(slides.hidden)}",) if slides.hidden else ()
    return Parsed(
        text=builder.text(),
        marks=marks,
        title=first or title,
        metadata=metadata,
        dropped=builder.dropped(),
        pages=len(slides.starts),
        page_states={state: page_list(numbers) for state, numbers in slides.states.items()},
        images=slides.reader.inline.images,
        warnings=hidden + odf_warnings(slides.reader),
    )


class _Slides:
    """Writes the slides of one presentation."""

    def __init__(self, reader: OdfBlocks, limits: Limits) -> None:
        self.reader = reader
        self.limits = limits
        self.starts: list[int] = []
        self.states: dict[str, list[int]] = {}
        self.hidden: list[int] = []
        self._depth = 0

    def write(self, show: Any) -> None:
        """Write the slides below this element; what is no slide is written as text."""
        drop = self.reader.builder.drop
        drop("text outside of paragraphs", (show.text or "") + (show.tail or ""))
        for element in show:
            if qualified(element) == "drawing:page":
                self._slide(element)
                drop("text outside of paragraphs", element.tail or "")
            else:
                drop(LEFT_OUT.get(qualified(element), "settings"), inside(element))
                drop("text outside of paragraphs", element.tail or "")

    def mark_pages(self) -> None:
        """Say where each slide stands."""
        ends = [*self.starts[1:], self.reader.builder.position][: len(self.starts)]
        for number, (start, end) in enumerate(zip(self.starts, ends, strict=True), 1):
            self.reader.builder.mark("page", Span(start, end), number)

    def _slide(self, page: Any) -> None:
        number = len(self.starts) + 1
        if number > self.limits.pages:
            raise beyond_limit("too many slides", "幻灯片过多")
        builder, images = self.reader.builder, self.reader.inline.images
        before = builder.position
        notes = [child for child in page if qualified(child) == "presentation:notes"]
        shapes = [child for child in page if local(child) in DRAWN]
        titles = [shape for shape in shapes if attribute(shape, "class") == "title"]
        for shape in titles:
            self._title(shape)
        self._ordered([shape for shape in shapes if shape not in titles])
        for child in page:
            if child not in shapes and child not in notes:
                builder.drop("settings", inside(child))
            builder.drop("text outside of paragraphs", child.tail or "")
        builder.drop("text outside of paragraphs", page.text or "")
        for element in notes:
            self._notes(element)
        self.reader.blocks.end_list()
        if ("drawing-page", attribute(page, "style-name")) in self.reader.styles.hidden:
            self.hidden.append(number)
        written = builder.position > before
        self.starts.append(before + 2 if written and before else before)
        state = "text" if written else "scanned" if self.reader.inline.images > images else "blank"
        self.states.setdefault(state, []).append(number)

    def _title(self, shape: Any) -> None:
        text = self.reader.inline.flat(shape)
        if text:
            self.reader.blocks.heading(text, 1)

    def _ordered(self, shapes: list[Any]) -> None:
        for place in reading_order([_box(shape) for shape in shapes]):
            self._shape(shapes[place])

    def _shape(self, shape: Any) -> None:
        if attribute(shape, "class") in _FURNITURE:
            self.reader.builder.drop("slide number, date or footer", inside(shape))
        elif local(shape) == "g" and self._depth < _DEEPEST:
            self._depth += 1
            members = [child for child in shape if local(child) in DRAWN]
            self._ordered(members)
            for child in shape:
                if child not in members:
                    self.reader.builder.drop("alternative text of pictures and objects", inside(child))
                self.reader.builder.drop("text outside of paragraphs", child.tail or "")
            self.reader.builder.drop("text outside of paragraphs", shape.text or "")
            self._depth -= 1
        else:
            self.reader.one(shape)

    def _notes(self, notes: Any) -> None:
        texts: list[str] = []
        for shape in notes:
            if attribute(shape, "class") in _FURNITURE or local(shape) not in DRAWN:
                self.reader.builder.drop("slide number, date or footer", inside(shape))
            elif not self.reader.inline.is_object(shape):
                texts += self.reader.inline.lines(shape)
            self.reader.builder.drop("text outside of paragraphs", shape.tail or "")
        self.reader.builder.drop("text outside of paragraphs", notes.text or "")
        if texts:
            label = "备注：" if _HAN.search("".join(texts)) else "Notes:"
            self.reader.blocks.block("\n".join([self.reader.builder.added("label of notes", label), *texts]))


def _box(shape: Any) -> Box | None:
    sides = [_millimetres(attribute(shape, name)) for name in ("x", "y", "width", "height")]
    if local(shape) in ("line", "connector"):  # two points
        sides = [_millimetres(attribute(shape, name)) for name in ("x1", "y1", "x2", "y2")]
        if all(side is not None for side in sides):
            left, top, right, bottom = (side or 0 for side in sides)
            return Box(min(left, right), min(top, bottom), max(left, right), max(top, bottom))
    if any(side is None for side in sides):
        return None
    left, top, width, height = (side or 0 for side in sides)
    return Box(left, top, left + width, top + height)


def _millimetres(text: str) -> int | None:
    """Return a length in hundredths of a millimetre."""
    found = _LENGTH.fullmatch(text)
    return round(float(found[1]) * _UNITS[found[2] or "mm"] * 100) if found else None
