"""PowerPoint 97-2003 (.ppt, also what WPS writes as .dps) to a document: one page a slide, as for PPTX.

Titles are headings, paragraphs of a body list items, tables rows by the places of their cells, the speaker's notes stand behind the slide.
"""

from __future__ import annotations

import re
from itertools import chain, groupby

from yinju.load.legacy.blocks import Blocks, TableRow, one_line
from yinju.load.legacy.ole import Compound
from yinju.load.legacy.ppt_file import BODIES, FURNITURE, TITLES, Shape, Show, Slide, open_show
from yinju.load.office.elements import page_list
from yinju.load.office.package import only_pictures
from yinju.load.parsed import Limits, Parsed, visible
from yinju.types import Span

_HAN = re.compile("[\u3400-\u9fff]")
_CONTROLS = re.compile("[\x00-\x08\x0e-\x1f]")
_MOST_COLUMNS = 200
_FURNITURE = "slide number, date or footer"


def load_ppt(data: bytes, source: str, limits: Limits) -> Parsed:
    """Return the text of a presentation. Raises DocumentError: damaged, encrypted, limit, no-text."""
    compound = Compound(data)
    show = open_show(compound, limits)
    deck = _Deck(show)
    for number, slide in enumerate(show.slides, 1):
        deck.write_slide(number, slide)
    deck.end()
    title, metadata = compound.properties()
    builder = deck.blocks.builder
    if not visible(builder.text()):
        raise only_pictures(slides=True)
    marks = builder.sorted_marks()
    first = builder.first_heading()
    hidden = [number for number, slide in enumerate(show.slides, 1) if slide.hidden]
    return Parsed(
        text=builder.text(),
        marks=marks,
        title=first or title,
        metadata=metadata,
        dropped=builder.dropped(),
        pages=len(show.slides),
        page_states={state: page_list(numbers) for state, numbers in deck.states.items()},
        images=deck.images,
        warnings=((f"hidden-slides: {page_list(hidden)}",) if hidden else ()) + builder.warnings(),
    )


class _Deck:
    def __init__(self, show: Show) -> None:
        self.blocks = Blocks()
        self.starts: list[int] = []
        self.states: dict[str, list[int]] = {}
        self.images = 0
        self.notes: dict[int, list[Slide]] = {}
        for notes in show.notes:
            self.notes.setdefault(notes.about, []).append(notes)

    def write_slide(self, number: int, slide: Slide) -> None:
        """Write one slide as a page, its title first, with its notes behind it."""
        before, pictures = self.blocks.builder.position, sum(shape.picture for shape in slide.shapes)
        for shape in slide.shapes:
            self._resolve(slide, shape)
        loose = Shape(texts=[text for text in slide.texts if text[1]])  # in the outline, but in no shape
        shapes_in_order = sorted(slide.shapes, key=lambda shape: not any(kind in TITLES for kind, _ in shape.texts))
        for table, shapes in groupby([*shapes_in_order, loose], key=lambda shape: shape.table):
            if table:
                self._table(list(shapes))
            else:
                for shape in shapes:
                    self._shape(shape)
        self.blocks.end_list()
        for notes in self.notes.pop(slide.identity, []):
            self._notes(notes)
        self.images += pictures
        written = self.blocks.builder.position > before
        self.starts.append(before + 2 if written and before else before)
        self.states.setdefault("text" if written else "scanned" if pictures else "blank", []).append(number)

    def end(self) -> None:
        """Write notes of no slide, and say where each slide stands."""
        end = self.blocks.builder.position
        for notes in chain.from_iterable(self.notes.values()):
            self._notes(notes)
        for number, (start, stop) in enumerate(zip(self.starts, [*self.starts, end][1:], strict=True), 1):
            self.blocks.builder.mark("page", Span(start, max(start, stop)), number)

    @staticmethod
    def _resolve(slide: Slide, shape: Shape) -> None:
        """Fetch the texts that the shape shows from the slide's outline, each once."""
        for number in shape.outline:
            if number < len(slide.texts):
                shape.texts.append(slide.texts[number])
                slide.texts[number] = (slide.texts[number][0], "")

    def _shape(self, shape: Shape) -> None:
        for kind, text in shape.texts:
            paragraphs = self._paragraphs(text)
            if shape.placeholder in FURNITURE:
                self.blocks.builder.drop(_FURNITURE, sum(map(visible, paragraphs)))
            elif kind in TITLES:
                self.blocks.heading(" ".join(paragraphs), 1)
            elif kind in BODIES and len(paragraphs) > 1:
                for paragraph in paragraphs:
                    self.blocks.item(paragraph, 0, "•")
                self.blocks.end_list()
            else:
                for paragraph in paragraphs:
                    self.blocks.paragraph(paragraph)

    def _paragraphs(self, text: str) -> list[str]:
        text = self.blocks.builder.clean(_CONTROLS.sub("", text.replace("\x0b", "\n").replace("\r", "\x0c")))
        return [paragraph for part in text.split("\x0c") if (paragraph := part.strip())]

    def _table(self, shapes: list[Shape]) -> None:
        """Write the cells of a table, rows by their upper edge, cells by their left one."""
        placed = [(shape.place or (0, 0), self._cell(shape)) for shape in shapes if shape.texts]
        columns = {left: column for column, left in enumerate(sorted({left for (_, left), _ in placed}))}
        if len(columns) > _MOST_COLUMNS:  # no table that anyone could read
            for _, text in placed:
                self.blocks.paragraph(text)
            return
        rows = []
        for _, cells in groupby(sorted(placed, key=lambda item: item[0]), key=lambda item: item[0][0]):
            row = [""] * len(columns)
            for (_, left), text in cells:
                column = columns[left]
                row[column] = f"{row[column]} {text}".strip()
            rows.append(TableRow(row))
        self.blocks.table(rows)

    def _cell(self, shape: Shape) -> str:
        return one_line(" ".join(part for _, text in shape.texts for part in self._paragraphs(text)))

    def _notes(self, notes: Slide) -> None:
        texts: list[str] = []
        for shape in notes.shapes:
            paragraphs = [part for _, text in shape.texts for part in self._paragraphs(text)]
            if shape.placeholder in FURNITURE:
                self.blocks.builder.drop(_FURNITURE, sum(map(visible, paragraphs)))
            else:
                texts += paragraphs
        if texts:
            label = "备注：" if _HAN.search("".join(texts)) else "Notes:"
            self.blocks.block("\n".join([self.blocks.builder.added("label of notes", label), *texts]))
