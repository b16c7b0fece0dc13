"""How many visible characters an Office file holds, counted by other code than the loaders'.

The loaders read with lxml and walk the structure; here the standard library's streaming parser adds up every element that may hold text,
wherever it stands. Called after the loader, which has refused unsafe files.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator
from typing import Any
from xml.etree.ElementTree import Element, XMLParser, iterparse

from yinju.load.parsed import visible

_TEXT = re.compile(
    r"\{[^}]*wordprocessingml[^}]*\}(?:t|delText)|\{[^}]*(?:officeDocument|ooxml)[^}]*/math\}t"
    r"|\{[^}]*drawingml[^}]*main\}t|\{[^}]*drawingml[^}]*chart\}v|\{[^}]*presentationml[^}]*\}text"
)
_SYMBOL = re.compile(r"\{[^}]*wordprocessingml[^}]*\}sym")
_DRAWN = r"drawingml\.(?:chart|diagramData)\+xml"
_WORD_PARTS = re.compile(
    r"wordprocessingml\.(?:document\.main|template\.main|header|footer|footnotes|endnotes|comments)\+xml"
    rf"|ms-word\.(?:document|template)\.macroEnabled\.main(?:Template)?\+xml|ms-word\.template\.macroEnabledTemplate|{_DRAWN}"
)
_SLIDE_PARTS = re.compile(rf"presentationml\.(?:slide|notesSlide|comments)\+xml|ms-powerpoint\.comments\+xml|{_DRAWN}")
_SHEET_PARTS = re.compile(r"spreadsheetml\.worksheet\+xml")
_SHEET_NOTES = re.compile(r"spreadsheetml\.comments\+xml|threadedcomments\+xml")
_SHEET_DRAWINGS = re.compile(r"officedocument\.drawing\+xml")
_BLOCK = 1 << 16


def count_docx(data: bytes) -> int:
    """Return the visible characters of all texts and symbols: body, notes, headers, footers, comments, charts, diagrams."""
    return _texts(data, _WORD_PARTS)


def count_pptx(data: bytes) -> int:
    """Return the visible characters of all texts on slides and notes pages, in comments, charts and diagrams."""
    return _texts(data, _SLIDE_PARTS)


def _texts(data: bytes, parts: re.Pattern[str]) -> int:
    with zipfile.ZipFile(io.BytesIO(data)) as package:
        return sum(_text(package, name) for name in _parts(package, parts))


def _text(package: zipfile.ZipFile, name: str) -> int:
    with package.open(name) as stream:
        found = 0
        for _, element in iterparse(stream):  # noqa: S314  the loader has refused DTDs
            if _TEXT.fullmatch(element.tag):
                found += visible(element.text or "")
            elif _SYMBOL.fullmatch(element.tag):
                found += 1
            element.clear()
        return found


def count_xlsx(data: bytes) -> int:
    """Return the visible characters of all cells of all worksheets as they are stored, formulas only where no value is cached.

    The notes of cells and the texts of shapes count too.
    """
    with zipfile.ZipFile(io.BytesIO(data)) as package:
        strings = [
            length for name in _parts(package, re.compile(r"sharedStrings\+xml")) for length in _shared(package, name)
        ]
        found = sum(_sheet_text(package, name, strings) for name in _parts(package, _SHEET_PARTS))
        found += sum(_notes_text(package, name) for name in _parts(package, _SHEET_NOTES))
        return found + sum(_text(package, name) for name in _parts(package, _SHEET_DRAWINGS))


def _shared(package: zipfile.ZipFile, name: str) -> Iterator[int]:
    with package.open(name) as stream:
        for _, element in iterparse(stream):  # noqa: S314  the loader has refused DTDs
            if _local(element) == "si":
                yield visible(_string(element))
                element.clear()


def _notes_text(package: zipfile.ZipFile, name: str) -> int:
    with package.open(name) as stream:
        return sum(
            visible(_string(element)) or visible(element.text or "")
            for _, element in iterparse(stream)  # noqa: S314  the loader has refused DTDs
            if _local(element) == "text"
        )


def _sheet_text(package: zipfile.ZipFile, name: str, strings: list[int]) -> int:
    found = 0
    root: Element | None = None
    with package.open(name) as stream:
        for event, element in iterparse(stream, events=("start", "end")):  # noqa: S314  the loader has refused DTDs
            local = _local(element)
            if event == "start":
                root = element if local == "sheetData" else root
                continue
            if local == "c":
                found += _cell_text(element, strings)
                element.clear()
            elif local == "row" and root is not None:
                root.clear()
    return found


def _cell_text(cell: Element, strings: list[int]) -> int:
    if not len(cell):
        return 0
    kind = cell.get("t", "n")
    parts = {_local(part): part for part in cell}
    value, formula = parts.get("v"), parts.get("f")
    if kind == "inlineStr" and "is" in parts:
        return visible(_string(parts["is"]))
    if value is not None and (value.text or kind == "str"):
        text = (value.text or "").strip()
        if kind == "s":
            return strings[int(text)] if text.isdecimal() and int(text) < len(strings) else 0
        return visible(text)
    return visible(formula.text or "") if formula is not None else 0


def _string(element: Element) -> str:
    """The text of a string: its own t, or those of its runs; the reading aids (rPh) are no part of it."""
    texts = []
    for child in element:
        if _local(child) == "t":
            texts.append(child.text or "")
        elif _local(child) == "r":
            texts += [part.text or "" for part in child if _local(part) == "t"]
    return "".join(texts)


def count_csv(data: bytes) -> int:
    """Return the visible characters of the decoded file, its delimiters and quotes included."""
    from yinju.load.encoding import decode

    return visible(decode(data).text)


def count_odf(data: bytes) -> int:
    """Return the visible characters of all text below `office:body`, pictures written as text left out."""
    counting = _BodyText()
    parser = XMLParser(target=counting)  # noqa: S314  the loader has refused DTDs
    for block in _odf_content(data):
        parser.feed(block)
    parser.close()
    return counting.found


def _odf_content(data: bytes) -> Iterator[bytes]:
    if not data.startswith(b"PK"):  # one flat XML file
        yield from (data[place : place + _BLOCK] for place in range(0, len(data), _BLOCK))
        return
    with zipfile.ZipFile(io.BytesIO(data)) as package, package.open("content.xml") as stream:
        while block := stream.read(_BLOCK):
            yield block


class _BodyText:
    """Adds up character data while the parser is inside the body."""

    def __init__(self) -> None:
        self.found = 0
        self.inside = 0
        self.pictures = 0

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """An element begins."""
        self.inside += tag.endswith("}body") and "office" in tag
        self.pictures += tag.endswith("}binary-data")

    def end(self, tag: str) -> None:
        """An element ends."""
        self.inside -= tag.endswith("}body") and "office" in tag
        self.pictures -= tag.endswith("}binary-data")

    def data(self, text: str) -> None:
        """Characters, perhaps not all of their element's at once."""
        if self.inside and not self.pictures:
            self.found += visible(text)

    def close(self) -> Any:
        """The end of the file."""
        return None


def _parts(package: zipfile.ZipFile, kind: re.Pattern[str]) -> list[str]:
    with package.open("[Content_Types].xml") as stream:
        found = [
            str(element.get("PartName", "")).lstrip("/")
            for _, element in iterparse(stream)  # noqa: S314  the loader has refused DTDs
            if _local(element) == "Override" and kind.search(str(element.get("ContentType", "")))
        ]
    present = set(package.namelist())
    return [name for name in dict.fromkeys(found) if name in present]


def _local(element: Element) -> str:
    return element.tag.rpartition("}")[2]
