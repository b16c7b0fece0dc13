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
from xml.parsers.expat import ParserCreate

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
_DRESSED = re.compile(rb"<c\s[^<>]*/>")  # a cell that holds nothing
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
    cells = _Cells(strings)
    parser = ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler, parser.EndElementHandler, parser.CharacterDataHandler = (
        cells.start,
        cells.end,
        cells.data,
    )
    with package.open(name) as stream:
        rest = b""
        while block := stream.read(_BLOCK << 4):
            end = block.rfind(b">") + 1
            window = rest + (block[:end] if end else block)
            parser.Parse(window if b"<![CDATA[" in window else _DRESSED.sub(b"", window))
            rest = block[end:] if end else b""
        parser.Parse(rest, True)
    return cells.found


class _Cells:
    """Adds up what the cells of a sheet store: the value, the text inside, or the formula where no value is cached."""

    def __init__(self, strings: list[int]) -> None:
        self.found = 0
        self._strings = strings
        self._kind = ""
        self._parts: dict[str, list[str]] = {}
        self._sink: list[str] | None = None
        self._reading_aid = False

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """An element begins."""
        name = tag.rpartition(":")[2]
        if name == "c":
            self._kind, self._parts = attributes.get("t", "n"), {}
        elif name in ("v", "f", "t") and not self._reading_aid:
            self._sink = self._parts.setdefault(name, [])
        elif name == "rPh":
            self._reading_aid = True

    def end(self, tag: str) -> None:
        """An element ends."""
        name = tag.rpartition(":")[2]
        self._sink = None
        if name == "rPh":
            self._reading_aid = False
        elif name == "c":
            self.found += self._cell()

    def data(self, text: str) -> None:
        """Characters of the element that is open."""
        if self._sink is not None:
            self._sink.append(text)

    def _cell(self) -> int:
        if self._kind == "inlineStr":
            return visible("".join(self._parts.get("t", ())))
        value = "".join(self._parts.get("v", ()))
        if value or ("v" in self._parts and self._kind == "str"):
            if self._kind == "s":
                place = value.strip()
                return (
                    self._strings[int(place)]
                    if place.isdecimal() and len(place) < 10 and int(place) < len(self._strings)
                    else 0
                )
            return visible(value)
        return visible("".join(self._parts.get("f", ())))


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
