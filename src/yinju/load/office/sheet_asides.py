"""What lies beside the cells of a worksheet: notes of cells and texts in shapes are read, threads of comments and charts are counted."""

from __future__ import annotations

from typing import Any

from yinju.load.builder import TextBuilder
from yinju.load.office.drawing import paragraph_text, paragraphs
from yinju.load.office.elements import attribute, is_text, number, text_within
from yinju.load.office.package import parse_part, parts_of_type, relationships
from yinju.load.office.sheet_blocks import Aside
from yinju.load.office.sheet_reader import REFERENCE, Workbook, string_of
from yinju.load.parsed import visible

_THREADS = "tc="  # an author of this kind stands for a thread of comments
_ASIDE = ("spreadsheetml.comments+xml", "threadedcomments+xml", "officedocument.drawing+xml")


def read_asides(workbook: Workbook, part: str, builder: TextBuilder) -> list[Aside]:
    """Return the notes of a sheet by row, then the texts of its shapes."""
    notes: list[Aside] = []
    shapes: list[Aside] = []
    for kind, target in relationships(workbook.package, part).values():
        if target in workbook.read or target not in workbook.package.NameToInfo:
            continue
        if kind == "comments":
            workbook.read.add(target)
            notes += _notes(parse_part(workbook.package, target), builder)
        elif kind == "drawing":
            workbook.read.add(target)
            shapes += _shapes(workbook, parse_part(workbook.package, target), builder)
    return sorted(notes, key=lambda note: note.line) + shapes


def account_for_asides(workbook: Workbook, builder: TextBuilder) -> None:
    """Count notes, threads and drawings that belong to no sheet that was read."""
    for ending in _ASIDE:
        for part in parts_of_type(workbook.package, ending):
            if part not in workbook.read:
                root = parse_part(workbook.package, part)
                if ending.startswith("officedocument"):
                    builder.drop("drawing outside of the sheets", text_within(root))
                else:
                    found = sum(visible(string_of(text)) or visible(text.text or "") for text in root.iter("{*}text"))
                    builder.drop("comment", found)


def _notes(root: Any, builder: TextBuilder) -> list[Aside]:
    authors = [author.text or "" for author in root.iterfind("{*}authors/{*}author")]
    listed = list(root.iterfind("{*}commentList/{*}comment"))
    found = []
    counted = 0
    for note in listed:
        text = note.find("{*}text")
        if text is None:
            continue
        stored = string_of(text) or (text.text or "")
        counted += visible(stored)
        author = number(attribute(note, "authorId"), -1)
        place = REFERENCE.fullmatch(attribute(note, "ref"))
        name = authors[author] if 0 <= author < len(authors) else ""
        if name.startswith(_THREADS):
            builder.drop("comment", stored)
            continue
        shown = " ".join(builder.clean(stored).split())
        if name and shown.startswith(name + ":"):  # Excel writes the author in front of the note
            builder.drop("author of a note", name + ":")
            shown = shown[len(name) + 1 :].strip()
        if shown:
            found.append(Aside(int(place[2]) if place else 1, place[0] if place else "", shown))
    everything = sum(visible(string_of(text)) or visible(text.text or "") for text in root.iter("{*}text"))
    builder.drop("comment", everything - counted)
    return found


def _shapes(workbook: Workbook, root: Any, builder: TextBuilder) -> list[Aside]:
    """Return the texts of shapes. A shape for old programs stands beside the one for new ones: only the first is read."""
    found: list[Aside] = []
    workbook.images += sum(1 for _ in root.iter("{*}pic"))
    workbook.charts += sum(1 for item in root.iter("{*}graphicFrame"))
    shown = 0
    for anchor in root:
        row = anchor.find("{*}from/{*}row")
        line = number((row.text or "").strip(), 0) + 1 if row is not None else 1
        for body in anchor.iter("{*}txBody"):
            if any(above.tag.endswith("}Fallback") for above in body.iterancestors() if isinstance(above.tag, str)):
                continue
            shown += sum(text_within(paragraph) for paragraph in paragraphs(body))
            lines = [paragraph_text(paragraph, builder) for paragraph in paragraphs(body)]
            if text := "\n".join(filter(None, lines)):
                found.append(Aside(max(1, line), "", text))
    builder.drop(
        "texts of drawings that are not shown", sum(visible(t.text or "") for t in root.iter() if is_text(t)) - shown
    )
    return found
