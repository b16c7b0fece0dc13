"""What is drawn on a PDF page besides its text: pictures, filled areas, and the thin rules that make a table.

A page may have hundreds of thousands of drawn objects (maps, charts); only the first ones are looked at, since rules of tables and
the picture of a scanned page are always among them.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from yinju.load.pdf.calls import address, quick
from yinju.load.pdf.segment import turned

_MOST_OBJECTS = 5_000
_MOST_POINTS = 400  # of one path; more are a drawing
_MOST_RULES = 3_000
_THIN = 2.6  # points: a rule, not an area
_SHORT = 3.0
_WHITE = 250
_DEEPEST = 3  # forms inside forms
Rectangle = tuple[float, float, float, float]  # left, bottom, right, top on the page
Matrix = tuple[float, float, float, float, float, float]
_SAME: Matrix = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)


@dataclass(slots=True)
class Drawing:
    """The page's rules, pictures and filled areas."""

    rules: list[Rectangle] = field(default_factory=list)  # thin: a point or a little more in one direction
    pictures: list[Rectangle] = field(default_factory=list)
    fills: list[Rectangle] = field(default_factory=list)  # not white
    paths: int = 0
    unknown: bool = False  # shadings, or too much to look at all of it

    def upright(self, turn: int) -> list[tuple[float, float, float]]:
        """Return the upright rules as (x, from y, to y), seen in the direction of text of this turn."""
        return [
            ((left + right) / 2, bottom, top)
            for left, right, bottom, top in self._turned(turn)
            if top - bottom > right - left
        ]

    def level(self, turn: int) -> list[tuple[float, float, float]]:
        """Return the level rules as (y, from x, to x), seen in the direction of text of this turn."""
        return [
            ((bottom + top) / 2, left, right)
            for left, right, bottom, top in self._turned(turn)
            if right - left >= top - bottom
        ]

    def _turned(self, turn: int) -> list[tuple[float, float, float, float]]:
        return [turned(left, right, bottom, top, turn) for left, bottom, right, top in self.rules]

    def coloured(self, x: float, y: float) -> bool:
        """Return whether something that may be dark lies at this place, so that white text can be read on it."""
        return self.unknown or any(
            left <= x <= right and bottom <= y <= top
            for places in (self.fills, self.pictures)
            for left, bottom, right, top in places
        )

    def pictured(self, x: float, y: float) -> bool:
        """Return whether a picture lies at this place: invisible text on it is what OCR has read of it."""
        return self.unknown or any(
            left <= x <= right and bottom <= y <= top for left, bottom, right, top in self.pictures
        )

    def picture_share(self, page: Rectangle) -> float:
        """Return the share of the page that its pictures cover, overlaps counted twice but never more than all."""
        left, bottom, right, top = page
        whole = max((right - left) * (top - bottom), 1.0)
        covered = sum(
            max(min(r, right) - max(x, left), 0.0) * max(min(t, top) - max(b, bottom), 0.0)
            for x, b, r, t in self.pictures
        )
        return min(covered / whole, 1.0)


def read_drawing(page: Any) -> Drawing:
    """Return what is drawn on the page."""
    reader = _Reader()
    reader.read(address(page.raw), "Page", _SAME, 0)
    return reader.drawing


class _Reader:
    def __init__(self) -> None:
        import pypdfium2

        self.raw: Any = pypdfium2.raw
        self.drawing = Drawing()
        self.left_over = _MOST_OBJECTS
        raw, number, pointer = self.raw, ctypes.c_int, ctypes.c_void_p
        self.kind_of = quick(raw.FPDFPageObj_GetType, number, pointer)
        self.get = {
            "Page": quick(raw.FPDFPage_GetObject, pointer, pointer, number),
            "Form": quick(raw.FPDFFormObj_GetObject, pointer, pointer, ctypes.c_ulong),
        }
        self.bounds_of = quick(raw.FPDFPageObj_GetBounds, number, pointer, pointer, pointer, pointer, pointer)
        self.edges = (ctypes.c_float * 4)()
        first = ctypes.addressof(self.edges)
        self.edge_places = [first + 4 * number for number in range(4)]
        self.matrix = self.raw.FS_MATRIX()
        self.x, self.y = ctypes.c_float(), ctypes.c_float()
        self.mode, self.stroke = ctypes.c_int(), ctypes.c_int()
        self.colour = [ctypes.c_uint() for _ in range(4)]

    def read(self, handle: int, kind_of_parent: str, matrix: Matrix, depth: int) -> None:
        raw, drawing, kind_of, get = self.raw, self.drawing, self.kind_of, self.get[kind_of_parent]
        count = raw.FPDFPage_CountObjects if kind_of_parent == "Page" else raw.FPDFFormObj_CountObjects
        text = raw.FPDF_PAGEOBJ_TEXT
        for place in range(count(self._handle(handle, kind_of_parent))):
            item = get(handle, place)
            kind = kind_of(item)
            if kind == text:
                continue
            self.left_over -= 1
            if self.left_over < 0:
                drawing.unknown = True
                return
            if kind == raw.FPDF_PAGEOBJ_PATH:
                drawing.paths += 1
                self._path(item, matrix)
            elif kind == raw.FPDF_PAGEOBJ_IMAGE:
                drawing.pictures.append(self._bounds(item, matrix))
            elif kind == raw.FPDF_PAGEOBJ_FORM and depth < _DEEPEST:
                self.read(item, "Form", self._matrix_of(self._handle(item), matrix), depth + 1)
            else:
                drawing.unknown = True

    def _handle(self, place: int, kind: str = "Form") -> Any:
        """Return the number as the handle that the bindings want."""
        return ctypes.cast(place, self.raw.FPDF_PAGE if kind == "Page" else self.raw.FPDF_PAGEOBJECT)

    def _bounds(self, item: int, matrix: Matrix) -> Rectangle:
        self.bounds_of(item, *self.edge_places)
        left, bottom, right, top = self.edges
        return _mapped((left, bottom, right, top), matrix)

    def _matrix_of(self, item: Any, outer: Matrix) -> Matrix:
        if not self.raw.FPDFPageObj_GetMatrix(item, self.matrix):
            return outer
        m = self.matrix
        a, b, c, d, e, f = outer
        return (
            m.a * a + m.b * c,
            m.a * b + m.b * d,
            m.c * a + m.d * c,
            m.c * b + m.d * d,
            m.e * a + m.f * c + e,
            m.e * b + m.f * d + f,
        )

    def _path(self, place: int, matrix: Matrix) -> None:
        drawing = self.drawing
        bounds = self._bounds(place, matrix)
        left, bottom, right, top = bounds
        width, height = right - left, top - bottom
        if min(width, height) <= _THIN:
            if max(width, height) > _SHORT and len(drawing.rules) < _MOST_RULES:
                drawing.rules.append(bounds)
            return
        item = self._handle(place)
        points = self.raw.FPDFPath_CountSegments(item)
        self.raw.FPDFPath_GetDrawMode(item, self.mode, self.stroke)
        if self.mode.value and self._is_coloured(item):
            drawing.fills.append(bounds)
        if points > _MOST_POINTS or len(drawing.rules) >= _MOST_RULES or (points <= 5 and not self.stroke.value):
            return
        for shape in self._shapes(item, points, self._matrix_of(item, matrix)):
            drawing.rules += _rules(shape, bool(self.stroke.value))

    def _is_coloured(self, item: Any) -> bool:
        red, green, blue, alpha = self.colour
        if not self.raw.FPDFPageObj_GetFillColor(item, red, green, blue, alpha):
            return True
        return bool(alpha.value and min(red.value, green.value, blue.value) < _WHITE)

    def _shapes(self, item: Any, points: int, matrix: Matrix) -> Iterator[list[tuple[float, float]]]:
        """Yield the corners of each part of the path; a closed part ends where it begins."""
        raw = self.raw
        shape: list[tuple[float, float]] = []
        a, b, c, d, e, f = matrix
        for number in range(points):
            piece = raw.FPDFPath_GetPathSegment(item, number)
            kind = raw.FPDFPathSegment_GetType(piece)
            if kind == raw.FPDF_SEGMENT_MOVETO:
                if len(shape) > 1:
                    yield shape
                shape = []
            elif kind == raw.FPDF_SEGMENT_BEZIERTO:
                shape = []
                continue
            raw.FPDFPathSegment_GetPoint(piece, self.x, self.y)
            x, y = self.x.value, self.y.value
            shape.append((a * x + c * y + e, b * x + d * y + f))
            if raw.FPDFPathSegment_GetClose(piece):
                shape.append(shape[0])
        if len(shape) > 1:
            yield shape


def _rules(shape: list[tuple[float, float]], stroked: bool) -> Iterator[Rectangle]:
    """Yield the rules of a part of a path: itself where it is thin, else its level and upright edges where they are drawn."""
    xs, ys = [x for x, _ in shape], [y for _, y in shape]
    box = (min(xs), min(ys), max(xs), max(ys))
    width, height = box[2] - box[0], box[3] - box[1]
    if min(width, height) <= _THIN:
        if max(width, height) > _SHORT:
            yield box
        return
    if not stroked:
        return
    for (x0, y0), (x1, y1) in pairwise(shape):
        if min(abs(x0 - x1), abs(y0 - y1)) < 0.5 and max(abs(x0 - x1), abs(y0 - y1)) > _SHORT:
            yield min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)


def _mapped(box: Rectangle, matrix: Matrix) -> Rectangle:
    if matrix == _SAME:
        return box
    a, b, c, d, e, f = matrix
    corners = [(a * x + c * y + e, b * x + d * y + f) for x in (box[0], box[2]) for y in (box[1], box[3])]
    xs, ys = [x for x, _ in corners], [y for _, y in corners]
    return min(xs), min(ys), max(xs), max(ys)
