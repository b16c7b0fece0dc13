"""PPTX to a document: one page a slide in the order of the show, its title a heading, the speaker's notes behind it.

Hidden slides are read, and named in a warning: whoever opens the file sees them. Slide numbers, dates, footers and comments stay out of the
text and in the account; what stands on masters and layouts belongs to no slide and is not counted.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from typing import Any

from yinju.load.builder import TextBuilder
from yinju.load.clean import clean
from yinju.load.office.blocks import Blocks
from yinju.load.office.drawing import FURNITURE, paragraph_text, paragraphs
from yinju.load.office.elements import attribute, page_list, text_within
from yinju.load.office.package import (
    beyond_limit,
    core_properties,
    damaged,
    only_pictures,
    open_package,
    parse_part,
    parts_of_type,
    relationships,
)
from yinju.load.office.slide_shapes import Layout, SlideShapes, placeholder_of
from yinju.load.parsed import Limits, Parsed, visible
from yinju.messages import say
from yinju.types import Span

_DEFAULT_SECTIONS = frozenset(("default section", "默认节", "无标题节", "预设章节", "預設章節", "untitled section", ""))


def load_pptx(data: bytes, source: str, limits: Limits) -> Parsed:
    """Return the text of a presentation. Raises DocumentError: damaged, encrypted, limit, no-text, unknown-type, unsafe-xml."""
    with open_package(data, limits) as package:
        deck = _Deck(package)
        if len(deck.slides) > limits.pages:
            raise beyond_limit("too many slides", "幻灯片过多")
        for slide, part in enumerate(deck.slides, 1):
            deck.write_slide(slide, part)
        deck.mark_pages()
        deck.account_for_the_rest()
        title, metadata = core_properties(package)
    builder = deck.builder
    if not visible(builder.text()):
        raise only_pictures(slides=True)
    marks = builder.sorted_marks()
    level = 2 if deck.sections else 1
    first = builder.first_heading(level)
    return Parsed(
        text=builder.text(),
        marks=marks,
        title=first or title,
        metadata=metadata,
        dropped=builder.dropped(),
        pages=len(deck.slides),
        page_states={state: page_list(numbers) for state, numbers in deck.states.items()},
        images=deck.images,
        warnings=deck.warnings() + builder.warnings(),
    )


class _Deck:
    """Writes slides, and remembers which parts were read."""

    def __init__(self, package: zipfile.ZipFile) -> None:
        self.package = package
        self.builder = TextBuilder()
        self.blocks = Blocks(self.builder)
        main = next((target for kind, target in relationships(package, "").values() if kind == "officeDocument"), None)
        root = parse_part(package, main) if main else None
        if main is None or root is None:
            raise damaged(say("no presentation in the package", "包内没有演示文稿"))
        parts = relationships(package, main)
        listed = {
            str(item.get("id")): parts.get(_relation(item), ("", ""))[1]
            for item in root.iterfind("{*}sldIdLst/{*}sldId")
        }
        self.slides = [part for part in dict.fromkeys(listed.values()) if part in package.NameToInfo]
        self.sections = _sections(root, listed)
        self.starts: list[int] = []
        self.read: set[str] = set()
        self.layouts: dict[str, Layout] = {}
        self.states: dict[str, list[int]] = {}
        self.hidden: list[int] = []
        self.images = 0
        self.unread: list[str] = []

    def write_slide(self, number: int, part: str) -> None:
        """Write one slide with its notes as a page."""
        root = parse_part(self.package, part)
        self.read.add(part)
        related = relationships(self.package, part)
        before = self.builder.position
        if section := self.sections.get(part):
            self.blocks.heading(self.builder.added("section name", section), 1)
        shapes = SlideShapes(
            self.blocks,
            self._layout(related),
            lambda identity: self._open(related.get(identity, ("", ""))[1]),
            2 if self.sections else 1,
        )
        tree = root.find("{*}cSld/{*}spTree") if root is not None else None
        if tree is not None:
            shapes.write(tree)
        self._outside(root, tree)
        self._notes(related)
        self.blocks.end_list()
        self.images += shapes.images
        self.unread += shapes.unread
        if root is not None and attribute(root, "show") in ("0", "false"):
            self.hidden.append(number)
        written = self.builder.position > before
        self.starts.append(before + 2 if written and before else before)
        state = "text" if written else "scanned" if shapes.images else "blank"
        self.states.setdefault(state, []).append(number)

    def mark_pages(self) -> None:
        """Say where each slide stands."""
        ends = [*self.starts[1:], self.builder.position][: len(self.starts)]
        for number, (start, end) in enumerate(zip(self.starts, ends, strict=True), 1):
            self.builder.mark("page", Span(start, end), number)

    def account_for_the_rest(self) -> None:
        """Count what is read by no one: comments, slides and notes outside of the show, charts and diagrams of masters."""
        for ending, what in _ASIDE.items():
            for part in parts_of_type(self.package, ending):
                if part not in self.read:
                    root = parse_part(self.package, part)
                    self.builder.drop(what, text_within(root) + sum(visible(_plain(text)) for text in _comments(root)))

    def warnings(self) -> tuple[str, ...]:
        """Return what a reader of the receipt should know."""
        found = [f"hidden-slides: {page_list(self.hidden)}"] if self.hidden else []
        if comments := self.builder.account.get("comment", 0):
            found.append(f"comments-left-out: {comments}")
        if self.unread:
            found.append(f"{self.unread[0]}s-not-read: {len(self.unread)}")
        if any("/embeddings/" in name for name in self.package.NameToInfo):
            found.append("embedded-files-not-read")
        return tuple(found)

    def _notes(self, related: dict[str, tuple[str, str]]) -> None:
        """Write the speaker's notes behind a line that says so; the picture of the slide and the page's furniture are left out."""
        part = next((target for kind, target in related.values() if kind == "notesSlide"), "")
        root = self._open(part)
        tree = root.find("{*}cSld/{*}spTree") if root is not None else None
        texts: list[str] = []
        read = 0
        for shape in tree.iter("{*}sp") if tree is not None else ():
            body, place = shape.find("{*}txBody"), placeholder_of(shape)
            if body is None or next(body.iter("{*}sp"), None) is not None:
                continue
            read += sum(text_within(paragraph) for paragraph in paragraphs(body))
            if place is not None and place[0] in ("sldNum", "dt", "ftr", "hdr", "sldImg"):
                self.builder.drop(FURNITURE, sum(text_within(paragraph) for paragraph in paragraphs(body)))
            else:
                texts += filter(None, (paragraph_text(paragraph, self.builder) for paragraph in paragraphs(body)))
        if root is not None:
            self.builder.drop("text outside of shapes", text_within(root) - read)
        if texts:
            label = "备注：" if _HAN.search("".join(texts)) else "Notes:"
            self.blocks.block("\n".join([self.builder.added("label of notes", label), *texts]))

    def _outside(self, root: Any, tree: Any) -> None:
        """Account for text of a slide that stands in no shape."""
        if root is not None:
            rest = text_within(root) - (text_within(tree) if tree is not None else 0)
            self.builder.drop("text outside of shapes", rest)

    def _open(self, part: str) -> Any:
        """Return the root of a part the first time that it is asked for, else None."""
        if part in self.read or part not in self.package.NameToInfo:
            return None
        self.read.add(part)
        return parse_part(self.package, part)

    def _layout(self, related: dict[str, tuple[str, str]]) -> Layout:
        part = next((target for kind, target in related.values() if kind == "slideLayout"), "")
        if part not in self.layouts:
            above = relationships(self.package, part) if part else {}
            master = next((target for kind, target in above.values() if kind == "slideMaster"), "")
            self.layouts[part] = Layout(
                parse_part(self.package, part) if part else None, parse_part(self.package, master) if master else None
            )
        return self.layouts[part]


_ASIDE = {
    "presentationml.comments+xml": "comment",
    "ms-powerpoint.comments+xml": "comment",
    "presentationml.slide+xml": "slide outside of the show",
    "presentationml.notesSlide+xml": "notes outside of the show",
    "drawingml.chart+xml": "chart outside of the slides",
    "drawingml.diagramData+xml": "diagram outside of the slides",
}
_HAN = re.compile("[\u3400-\u9fff]")


def _comments(root: Any) -> Iterator[Any]:
    """Yield the texts of comments in their old form (p:text)."""
    return (item for item in root.iter("{*}text") if "presentationml" in str(item.tag))


def _plain(element: Any) -> str:
    return element.text or ""


def _relation(item: Any) -> str:
    """Return the relationship that a slide of the list names; its own id is an attribute without a namespace."""
    return next((str(value) for key, value in item.attrib.items() if key.endswith("}id")), "")


def _sections(root: Any, parts: dict[str, str]) -> dict[str, str]:
    """Return the first slide of each named section with that name; nothing where there is only the section that PowerPoint makes itself."""
    found: dict[str, str] = {}
    for section in root.iter("{*}section"):
        name = " ".join(clean(attribute(section, "name")).text.split())
        slides = [parts.get(str(item.get("id")), "") for item in section.iter("{*}sldId")]
        first = next(filter(None, slides), None)
        if first and name.lower() not in _DEFAULT_SECTIONS:
            found[first] = name
    return found
