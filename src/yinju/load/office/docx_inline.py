"""The text inside a Word paragraph, in its final view: what was inserted is there, what was deleted is counted as dropped.

Read straight from the XML: python-docx leaves out insertions, content controls, text boxes and footnotes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from yinju.load.builder import TextBuilder
from yinju.load.parsed import visible

WORD = (
    "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
    "http://purl.oclc.org/ooxml/wordprocessingml/main",
)
MATH = (
    "http://schemas.openxmlformats.org/officeDocument/2006/math",
    "http://purl.oclc.org/ooxml/officeDocument/math",
)
_CHARACTERS = {"tab": " ", "br": "\n", "cr": "\n", "ptab": " "}


def split_tag(element: Any) -> tuple[str, str]:
    """Return namespace and local name of an element; empty ones for comments and the like."""
    if not isinstance(element.tag, str):
        return "", ""
    namespace, _, name = element.tag.rpartition("}")
    return namespace[1:], name


def is_text(element: Any) -> bool:
    """Return whether the element holds characters that count: w:t, w:delText or m:t."""
    namespace, name = split_tag(element)
    return (namespace in WORD and name in ("t", "delText")) or (namespace in MATH and name == "t")


def text_within(element: Any) -> int:
    """Return the number of visible characters below the element."""
    return sum(visible(item.text or "") for item in element.iter() if is_text(item))


def attribute(element: Any, name: str) -> str:
    """Return the attribute of that local name, whatever its namespace; empty if it is not there."""
    return next((str(value) for key, value in element.attrib.items() if key.rpartition("}")[2] == name), "")


def is_on(element: Any) -> bool:
    """Return whether a switch such as w:vanish is there and not turned off."""
    return element is not None and attribute(element, "val") not in ("0", "false", "off")


class Inline:
    """Collects the text of paragraphs; text boxes and footnote references met on the way wait in `boxes` and `notes`."""

    def __init__(self, builder: TextBuilder) -> None:
        self.builder = builder
        self.boxes: list[Any] = []
        self.notes: list[tuple[str, str]] = []  # kind (footnote, endnote), id
        self.note_number: dict[tuple[str, str], int] = {}
        self._handlers: dict[str, Callable[[Any, list[str]], None]] = {
            "t": self._text,
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
            "rPr": self._nothing,
            "pPr": self._nothing,
            "sdtPr": self._nothing,
            "instrText": self._nothing,
        }

    def text(self, paragraph: Any) -> str:
        """Return the text of the paragraph, cleaned, spaces around it cut off."""
        out: list[str] = []
        self._walk(paragraph, out)
        return self.builder.clean("".join(out)).strip()

    def _walk(self, element: Any, out: list[str]) -> None:
        for child in element:
            namespace, name = split_tag(child)
            if name in _CHARACTERS and namespace in WORD:
                out.append(_CHARACTERS[name])
            elif name == "t" and namespace not in WORD + MATH:
                continue  # text of drawings: not counted, not read
            else:
                handler = self._handlers.get(name)
                if handler is None:
                    self._walk(child, out)
                else:
                    handler(child, out)

    def _text(self, element: Any, out: list[str]) -> None:
        out.append(element.text or "")

    def _deleted_text(self, element: Any, out: list[str]) -> None:
        self.builder.drop("deleted text", element.text or "")

    def _deleted(self, element: Any, out: list[str]) -> None:
        self.builder.drop("deleted text", text_within(element))

    def _run(self, element: Any, out: list[str]) -> None:
        properties = element.find("{*}rPr")
        if properties is not None and is_on(properties.find("{*}vanish")):
            self.builder.drop("hidden text", text_within(element))
        else:
            self._walk(element, out)

    def _reading(self, element: Any, out: list[str]) -> None:
        self.builder.drop("reading aid", text_within(element))

    def _box(self, element: Any, out: list[str]) -> None:
        self.boxes.append(element)

    def _note(self, element: Any, out: list[str]) -> None:
        key = (split_tag(element)[1].removesuffix("Reference"), attribute(element, "id"))
        if key not in self.note_number:
            self.note_number[key] = len(self.note_number) + 1
            self.notes.append(key)
        out.append(self.builder.added("note mark", f"[^{self.note_number[key]}]"))

    def _hyphen(self, element: Any, out: list[str]) -> None:
        out.append(self.builder.added("hyphen", "-"))

    def _alternative(self, element: Any, out: list[str]) -> None:
        """Word writes a text box twice, for new and for old readers: the first that holds text is read."""
        branches = list(element)
        chosen = next((branch for branch in branches if text_within(branch)), None)
        for branch in branches:
            if branch is chosen:
                self._walk(branch, out)
            else:
                self.builder.drop("the same for older programs", text_within(branch))

    def _nothing(self, element: Any, out: list[str]) -> None:
        return
