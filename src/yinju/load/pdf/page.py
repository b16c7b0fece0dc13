"""What one PDF page is made of once it is read: lines in reading order, some of them rows of a table. All lengths are points."""

from __future__ import annotations

from dataclasses import dataclass, field

from yinju.boxes import Box
from yinju.load.pdf.segment import Segment, turned_back


@dataclass(slots=True, eq=False)
class Table:
    """What the rows of a table share: where its columns stand, and how many of its rows are header."""

    columns: list[tuple[float, float]]  # left and right of each
    ruled: bool = False
    header: int = 0


@dataclass(slots=True, eq=False)
class Line:
    """A row of segments in one column. `tabular`: its cells stand below or above those of a neighbour."""

    cells: list[Segment]
    column: int  # number of the column block on the page, in reading order
    page: int
    tabular: bool = False
    left: float = 0.0
    right: float = 0.0
    top: float = 0.0
    bottom: float = 0.0
    baseline: float = 0.0
    size: float = 0.0
    bold: bool = False
    turned: bool = False  # not in the direction of most of the page's text
    table: Table | None = None
    grid: list[Segment | None] = field(default_factory=list)  # a cell for each column of the table

    def __post_init__(self) -> None:
        """Measure the line."""
        self.left, self.right = min(c.left for c in self.cells), max(c.right for c in self.cells)
        self.top, self.bottom = max(c.top for c in self.cells), min(c.bottom for c in self.cells)
        longest = max(self.cells, key=lambda cell: len(cell.text))
        self.baseline, self.size = longest.baseline, longest.size
        self.bold = all(cell.bold for cell in self.cells)

    @property
    def text(self) -> str:
        """The line's text: the cells of a table's row separated by tabs, else what stands on the line by spaces."""
        if self.table is not None:
            return "\t".join(cell.text if cell else "" for cell in self.grid)
        return " ".join(cell.text for cell in self.cells)

    @property
    def parts(self) -> list[tuple[int, Segment]]:
        """The line's segments with their places in its text."""
        places: list[tuple[int, Segment]] = []
        place = 0
        for cell in self.grid if self.table is not None else self.cells:
            if cell is not None:
                places.append((place, cell))
                place += len(cell.text)
            place += 1
        return places


@dataclass(frozen=True, slots=True)
class Frame:
    """How places on a page (points from its lower left corner) become shares of the page as it is shown, turned and cut."""

    origin: tuple[float, float] = (0.0, 0.0)  # share of x and y at the point (0, 0)
    along: tuple[float, float] = (0.0, 0.0)  # what a point to the right adds to them
    up: tuple[float, float] = (0.0, 0.0)  # what a point upwards adds

    def box(self, left: float, right: float, bottom: float, top: float, turn: int) -> Box:
        """Return the box of text of this turn in shares of the page."""
        x0, x1, y0, y1 = turned_back(left, right, bottom, top, turn)
        (u, v), (a, b), (c, d) = self.origin, self.along, self.up
        if a > 0 > d:  # shown as it is
            return Box(u + a * x0, v + d * y1, u + a * x1, v + d * y0)
        us, vs = (u + a * x0 + c * y0, u + a * x1 + c * y1), (v + b * x0 + d * y0, v + b * x1 + d * y1)
        return Box(min(us), min(vs), max(us), max(vs))

    def place(self, x: float, y: float) -> tuple[float, float]:
        """Return the point on the page at these shares of it: `box` undone."""
        (u, v), (a, b), (c, d) = self.origin, self.along, self.up
        whole = a * d - b * c
        if not whole:
            return 0.0, 0.0
        return ((x - u) * d - (y - v) * c) / whole, ((y - v) * a - (x - u) * b) / whole


@dataclass(slots=True, eq=False)
class PageText:
    """The lines of one page in reading order, and what is known of the page besides."""

    number: int
    lines: list[Line] = field(default_factory=list)
    characters: int = 0
    unreadable: int = 0  # private use, replacement and control characters, characters without a code
    frame: Frame = field(default_factory=Frame)
    upright: bool = True  # higher than wide
    pictures: int = 0
    state: str = "text"  # see `types.Receipt.page_states`
    doubtful: bool = False  # readable, but hardly a language
    notes: list[str] = field(default_factory=list)  # written beside the page's text by its readers
    confidence: float = 1.0  # of OCR
