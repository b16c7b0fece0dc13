"""The text inside a Word paragraph, in its final view: what was inserted is there, what was deleted is counted as dropped.

Read straight from the XML: python-docx leaves out insertions, content controls, text boxes and footnotes.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from yinju.load.builder import TextBuilder
from yinju.load.office.charts import graphic_parts
from yinju.load.office.drawing import chosen
from yinju.load.office.elements import MATH, WORD, attribute, is_on, is_text, split_tag, text_within, value
from yinju.load.office.formula import formula_text, is_formula
from yinju.load.office.symbols import is_private, scripted, symbol

_CHARACTERS = {"tab": " ", "br": "\n", "cr": "\n", "ptab": " "}
_PAGE_FIELDS = frozenset(("PAGE", "NUMPAGES", "SECTIONPAGES"))
_CONTENTS_FIELDS = frozenset(("TOC", "TOA", "INDEX"))
_NOTHING = frozenset(
    ("rPr", "pPr", "sdtPr", "sdtEndPr", "delInstrText", "ffData", "bookmarkStart", "bookmarkEnd", "proofErr", "commentReference")
)  # fmt: skip


@dataclass(slots=True)
class _Field:
    """A field whose end was not met yet: its instruction so far, and whether its result has begun."""

    instruction: str = ""
    in_result: bool = False

    @property
    def kind(self) -> str:
        """The first word of the instruction."""
        return (self.instruction.split() or [""])[0].upper()


class Inline:
    """Collects the text of paragraphs; text boxes, notes and charts met on the way wait in `boxes`, `notes` and `graphics`.

    `fields`: whether begin and end of the document's fields match, so that a table of contents can be told by its field.
    """

    def __init__(self, builder: TextBuilder, hidden_runs: frozenset[str] = frozenset(), *, fields: bool = True) -> None:
        self.builder = builder
        self.boxes: list[Any] = []
        self.notes: list[tuple[str, str]] = []  # kind (footnote, endnote), id
        self.graphics: list[tuple[str, str]] = []  # kind (chart, diagram), relationship
        self.note_number: dict[tuple[str, str], int] = {}
        self.images = 0
        self.pictured_formulas = 0
        self._hidden_runs = hidden_runs
        self._follow_fields = fields
        self._fields: list[_Field] = []
        self._fonts: list[str] = []
        self._handlers: dict[str, Callable[[Any, list[str]], None]] = {
            "del": self._deleted,
            "moveFrom": self._deleted,
            "delText": self._deleted_text,
            "r": self._run,
            "rt": self._reading,
            "txbxContent": self._box,
            "footnoteReference": self._note,
            "endnoteReference": self._note,
            "noBreakHyphen": self._hyphen,
            "AlternateContent": self._alternative,
            "sym": self._symbol,
            "fldChar": self._field_character,
            "fldSimple": self._simple_field,
            "instrText": self._instruction,
            "graphicData": self._graphic,
            "imagedata": self._image,
            "OLEObject": self._embedded,
        }

    def text(self, paragraph: Any) -> str:
        """Return the text of the paragraph, cleaned, spaces around it cut off."""
        out: list[str] = []
        if is_formula(paragraph):
            self._formula(paragraph, out)
        else:
            self._walk(paragraph, out)
        return self.builder.clean("".join(out)).strip()

    def text_left_out(self, paragraph: Any, what: str) -> None:
        """Account for a paragraph that is not shown; the fields that begin or end in it are followed."""
        self.builder.drop(what, text_within(paragraph))
        self._follow(paragraph)

    def _follow(self, element: Any) -> None:
        for item in element.iter():
            name = split_tag(item)[1]
            if name == "fldChar":
                self._step(item)
            elif name == "instrText":
                self._instruction(item, [])

    def _walk(self, element: Any, out: list[str]) -> None:
        for child in element:
            namespace, name = split_tag(child)
            if is_text(child) and name == "t":
                self._text(child, out)
            elif name in _CHARACTERS and namespace in WORD:
                out.append(_CHARACTERS[name])
            elif namespace in MATH and is_formula(child):
                self._formula(child, out)
            elif (handler := self._handlers.get(name)) is not None:
                handler(child, out)
            elif name not in _NOTHING:
                self._walk(child, out)
                if name == "p":  # of a drawing
                    out.append(" ")

    def _left_out(self) -> str:
        """Why text is left out at this place: empty where it is not."""
        for field in self._fields:
            if field.kind in _CONTENTS_FIELDS and self._follow_fields:
                return "table of contents"
            if field.kind in _PAGE_FIELDS:
                return "page number"
        return ""

    def _text(self, element: Any, out: list[str]) -> None:
        text = element.text or ""
        if what := self._left_out():
            self.builder.drop(what, text)
        elif text and any(map(is_private, text)):
            for character in text:
                self._put(symbol(ord(character), self._fonts[-1] if self._fonts else ""), character, out)
        else:
            out.append(text)

    def _put(self, shown: str, stored: str, out: list[str]) -> None:
        """Write a character of a symbol font as text; without a counterpart it is left out."""
        if not shown:
            self.builder.drop("symbol without a letter", stored)
        out.append(shown)

    def _symbol(self, element: Any, out: list[str]) -> None:
        code = attribute(element, "char")
        known = re.fullmatch(r"[0-9A-Fa-f]{1,5}", code) is not None
        shown = symbol(int(code, 16), attribute(element, "font")) if known else ""
        if what := self._left_out():
            self.builder.drop(what, 1)
        elif len(shown.strip()) == 1:
            out.append(shown)
        else:
            self.builder.drop("symbol without a letter", 1)

    def _formula(self, element: Any, out: list[str]) -> None:
        if what := self._left_out():
            self.builder.drop(what, text_within(element))
        else:
            out.append(formula_text(element, self.builder))

    def _deleted_text(self, element: Any, out: list[str]) -> None:
        self.builder.drop("deleted text", element.text or "")

    def _deleted(self, element: Any, out: list[str]) -> None:
        self.builder.drop("deleted text", text_within(element))
        self._follow(element)

    def _run(self, element: Any, out: list[str]) -> None:
        properties = element.find("{*}rPr")
        if properties is None:
            self._walk(element, out)
            return
        style = properties.find("{*}rStyle")
        vanish = properties.find("{*}vanish")
        if is_on(vanish) or (vanish is None and style is not None and attribute(style, "val") in self._hidden_runs):
            self.builder.drop("hidden text", text_within(element))
            self._follow(element)
            return
        fonts, script = properties.find("{*}rFonts"), properties.find("{*}vertAlign")
        self._fonts.append((attribute(fonts, "ascii") or attribute(fonts, "hAnsi")) if fonts is not None else "")
        start = len(out)
        self._walk(element, out)
        self._fonts.pop()
        if script is not None and attribute(script, "val") in ("superscript", "subscript"):
            out[start:] = [scripted("".join(out[start:]), raised=attribute(script, "val") == "superscript")]

    def _reading(self, element: Any, out: list[str]) -> None:
        self.builder.drop("reading aid", text_within(element))

    def _box(self, element: Any, out: list[str]) -> None:
        self.boxes.append(element)

    def _note(self, element: Any, out: list[str]) -> None:
        if self._left_out():
            return
        key = (split_tag(element)[1].removesuffix("Reference"), attribute(element, "id"))
        if key not in self.note_number:
            self.note_number[key] = len(self.note_number) + 1
            self.notes.append(key)
        out.append(self.builder.added("note mark", f"[^{self.note_number[key]}]"))

    def _hyphen(self, element: Any, out: list[str]) -> None:
        if not self._left_out():
            out.append(self.builder.added("hyphen", "-"))

    def _alternative(self, element: Any, out: list[str]) -> None:
        """Word writes a text box twice, for new and for old readers: the first that holds text is read."""
        self._walk(chosen(element, self.builder), out)

    def _graphic(self, element: Any, out: list[str]) -> None:
        self.graphics += graphic_parts(element)
        self.images += sum(1 for _ in element.iter("{*}pic"))
        self._walk(element, out)

    def _image(self, element: Any, out: list[str]) -> None:
        self.images += 1

    def _embedded(self, element: Any, out: list[str]) -> None:
        self.pictured_formulas += attribute(element, "ProgID").lower().startswith(("equation", "mathtype"))

    def _instruction(self, element: Any, out: list[str]) -> None:
        if self._fields and not self._fields[-1].in_result:
            self._fields[-1].instruction += element.text or ""

    def _field_character(self, element: Any, out: list[str]) -> None:
        self._step(element)
        if not self._left_out():
            out.append(self._form_field(element))

    def _step(self, element: Any) -> None:
        kind = attribute(element, "fldCharType")
        if kind == "begin":
            self._fields.append(_Field())
        elif kind == "separate" and self._fields:
            self._fields[-1].in_result = True
        elif kind == "end" and self._fields:
            self._fields.pop()

    def _form_field(self, element: Any) -> str:
        """Return what a form field of the old kind shows without storing it as text: a check box, or the entry that was chosen."""
        box, choice = element.find("{*}ffData/{*}checkBox"), element.find("{*}ffData/{*}ddList")
        if box is not None:
            state = box.find("{*}checked")
            checked = is_on(state if state is not None else box.find("{*}default"))
            return self.builder.added("check box", "☑" if checked else "☐")
        if choice is not None:
            entries = [attribute(entry, "val") for entry in choice.iterfind("{*}listEntry")]
            place = value(choice.find("{*}result"), value(choice.find("{*}default"), 0))
            return self.builder.added("chosen entry", entries[place]) if 0 <= place < len(entries) else ""
        return ""

    def _simple_field(self, element: Any, out: list[str]) -> None:
        self._fields.append(_Field(attribute(element, "instr"), True))
        self._walk(element, out)
        self._fields.pop()


def fields_match(root: Any) -> bool:
    """Return whether every field of the text has an end."""
    kinds = [attribute(item, "fldCharType") for item in root.iter("{*}fldChar")]
    return kinds.count("begin") == kinds.count("end")
