"""The text inside an OpenDocument paragraph. White space is written as elements there; notes, comments and frames stand in the middle of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from yinju.load.builder import TextBuilder
from yinju.load.office.elements import attribute, local, number
from yinju.load.office.odf_package import Odf, inside, qualified
from yinju.load.office.symbols import scripted

_SPACES = re.compile(r"[ \t\r\n]+")
_LEFT_OUT = {
    "text:page-number": "page number",
    "text:page-count": "page number",
    "text:note-citation": "number of a note",
    "office:annotation": "comment",
    "text:ruby-text": "reading aid",
    "text:hidden-text": "hidden text",
    "text:hidden-paragraph": "hidden text",
    "svg-compatible:title": "alternative text of pictures and objects",
    "svg-compatible:desc": "alternative text of pictures and objects",
    "office:event-listeners": "settings",
    "office:forms": "form controls",
    "office:binary-data": "picture",
}
DRAWN = frozenset(
    ("frame", "custom-shape", "g", "rect", "ellipse", "circle", "line", "path", "polygon", "polyline", "connector", "caption", "measure",
     "regular-polygon")
)  # fmt: skip


class OdfInline:
    """Collects the text of paragraphs; frames and notes met on the way wait in `boxes` and `notes`."""

    def __init__(self, builder: TextBuilder, odf: Odf, raised: Mapping[str, bool]) -> None:
        self.builder = builder
        self._raised = raised
        self.odf = odf
        self.boxes: list[Any] = []
        self.notes: list[tuple[int, Any]] = []
        self.images = 0
        self.comments = 0
        self.embedded = 0
        self._notes_met = 0
        self._handlers: dict[str, Callable[[Any, list[str]], None]] = {
            "s": lambda element, out: out.append(" " * min(number(attribute(element, "c"), 1), 100)),
            "tab": lambda element, out: out.append(" "),
            "line-break": lambda element, out: out.append("\n"),
            "note": self._note,
        }

    def text(self, paragraph: Any) -> str:
        """Return the text of the paragraph, cleaned, spaces around it cut off."""
        out: list[str] = []
        self._walk(paragraph, out)
        return self.builder.clean("".join(out)).strip()

    def flat(self, container: Any) -> str:
        """Return all paragraphs below in one line, frames and nested tables among them."""
        return " ".join(" ".join(self.lines(container)).split())

    def lines(self, container: Any) -> list[str]:
        """Return all paragraphs below that hold something."""
        waiting, self.boxes = self.boxes, []
        texts: list[str] = []
        self._flat(container, texts)
        while self.boxes:
            box = self.boxes.pop(0)
            if not self.is_object(box):
                self._flat(box, texts)
        self.boxes = waiting
        return [text for text in texts if text]

    def _flat(self, container: Any, texts: list[str]) -> None:
        self.builder.drop("text outside of paragraphs", container.text or "")
        for child in container:
            name = local(child)
            if name in ("p", "h"):
                texts.append(self.text(child))
            elif not (self.leave_out(child) or (name in DRAWN and self.is_object(child))):
                self._flat(child, texts)
            self.builder.drop("text outside of paragraphs", child.tail or "")

    def leave_out(self, element: Any) -> bool:
        """Account for an element that is not read, if it is one of those; say whether it was."""
        what = _LEFT_OUT.get(qualified(element))
        if what is None:
            return False
        self.comments += what == "comment"
        self.builder.drop(what, inside(element))
        return True

    def is_object(self, frame: Any) -> bool:
        """Count a frame that only holds a picture or an object, and say whether it is one; formulas are written by `formula`."""
        if local(frame) != "frame" or any(local(item) in ("text-box", "table") for item in frame):
            return False
        objects = [item for item in frame if local(item) in ("object", "object-ole", "plugin", "applet")]
        self.embedded += bool(objects)
        self.images += (any(local(item) == "image" for item in frame) and not objects) or bool(objects)
        self.builder.drop("alternative text of pictures and objects", inside(frame))
        return True

    def _walk(self, element: Any, out: list[str]) -> None:
        out.append(_SPACES.sub(" ", element.text or ""))
        for child in element:
            name = local(child)
            handler = self._handlers.get(name)
            if handler is not None:
                handler(child, out)
            elif name in DRAWN:
                formula = self.formula(child)
                if formula:
                    out.append(self.builder.added("formula", formula))
                    self.builder.drop("text of an embedded object", inside(child))
                elif not self.is_object(child):
                    self.boxes.append(child)
            elif not self.leave_out(child):
                start = len(out)
                self._walk(child, out)
                style = attribute(child, "style-name") if name == "span" else ""
                if style in self._raised:
                    out[start:] = [scripted("".join(out[start:]), raised=self._raised[style])]
            out.append(_SPACES.sub(" ", child.tail or ""))

    def formula(self, frame: Any) -> str:
        """Return the formula that a frame holds, as its author typed it (StarMath); empty where it holds none."""
        for item in frame.iterfind("{*}object") if local(frame) == "frame" else ():
            root = item if len(item) else self._object(attribute(item, "href"))
            for note in root.iter("{*}annotation") if root is not None else ():
                if attribute(note, "encoding").startswith("StarMath"):
                    return " ".join("".join(note.itertext()).split())
        return ""

    def _object(self, target: str) -> Any:
        name = target.removeprefix("./").strip("/") + "/content.xml"
        return self.odf.part(name) if target and ".." not in name else None

    def _note(self, element: Any, out: list[str]) -> None:
        self._notes_met += 1
        out.append(self.builder.added("note mark", f"[^{self._notes_met}]"))
        self.builder.drop("text outside of paragraphs", element.text or "")
        for child in element:
            if local(child) == "note-body":
                self.notes.append((self._notes_met, child))
            else:
                self.builder.drop("number of a note", inside(child))
            self.builder.drop("text outside of paragraphs", child.tail or "")
