"""The cells of a workbook, one row at a time.

Read from the XML itself: openpyxl's normal mode takes some fifty times the file's size in memory, and its read-only mode believes the
sheet's stated range (which may be a million empty rows), gives no merged ranges and turns numbers into floats before their digits
can be counted. Its table of number formats is used.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import IO, Any

from yinju.load.builder import MOST_TEXT, TextBuilder, too_much_text
from yinju.load.office.merged import Merges
from yinju.load.office.package import beyond_limit, broken_xml, damaged, open_part, parse_part, relationships
from yinju.load.office.rows import Row
from yinju.load.office.sheet_blocks import SheetWriter, column_letters
from yinju.load.office.sheet_format import builtin_format, display
from yinju.load.parsed import Limits, visible
from yinju.messages import say

REFERENCE = re.compile(r"([A-Za-z]{1,3})(\d{1,7})")
_ESCAPE = re.compile(r"_x([0-9A-Fa-f]{4})_")
_LAST_COLUMN = 16_384
_LAST_ROW = 1_048_576
_RANGE = re.compile(rb"<(?:[\w.-]+:)?(mergeCell|col)\s([^<>]*)>")
_ATTRIBUTE = re.compile(r"""([\w.-]+)\s*=\s*["']([^"']*)["']""")
_AREA = re.compile(r"([A-Za-z]{1,3})(\d{1,7}):([A-Za-z]{1,3})(\d{1,7})")
_BLOCK = 1 << 20
_MOST_MERGES = 500_000  # ranges of one sheet that are remembered
_LONGEST_FORMAT = 255  # characters (ECMA-376 part 1, 18.8.30)
_BOOLEANS = {"1": "TRUE", "0": "FALSE"}


@dataclass(frozen=True, slots=True)
class Sheet:
    """A worksheet as the workbook lists it."""

    name: str
    part: str
    hidden: bool


@dataclass(slots=True)
class Workbook:
    """What the cells of all sheets need: texts and formats."""

    package: zipfile.ZipFile
    sheets: list[Sheet]
    unlisted: list[str]  # worksheets that the workbook does not name
    strings: list[str]
    formats: list[str]  # number format by style
    since_1904: bool
    cells: int = 0  # read so far
    characters: int = 0  # of these cells
    images: int = 0
    charts: int = 0
    read: set[str] = field(default_factory=set)  # notes and drawings

    def warnings(self, builder: TextBuilder) -> tuple[str, ...]:
        """Return what a reader of the receipt should know of what was passed over."""
        found = [f"comments-left-out: {builder.account['comment']}"] if builder.account["comment"] else []
        if self.charts:
            found.append(f"charts-not-read: {self.charts}")
        return tuple(found)


def open_workbook(package: zipfile.ZipFile, worksheets: list[str]) -> Workbook:
    """Read the list of sheets, the texts and the formats. Raises DocumentError."""
    related = relationships(package, "")
    main = next((target for kind, target in related.values() if kind == "officeDocument"), None)
    root = parse_part(package, main) if main else None
    if main is None or root is None:
        raise damaged(say("no workbook in the package", "包内没有工作簿"))
    parts = relationships(package, main)
    sheets: list[Sheet] = []
    for item in root.iterfind("{*}sheets/{*}sheet"):
        identity = next((value for key, value in item.attrib.items() if key.endswith("}id")), "")
        part = parts.get(identity, ("", ""))[1]
        if part in worksheets and part not in {sheet.part for sheet in sheets}:
            sheets.append(Sheet(str(item.get("name", "")), part, item.get("state", "visible") != "visible"))
    kinds = dict(parts.values())
    properties = root.find("{*}workbookPr")
    return Workbook(
        package=package,
        sheets=sheets,
        unlisted=[part for part in worksheets if part not in {sheet.part for sheet in sheets}],
        strings=list(_strings(package, kinds["sharedStrings"]))
        if kinds.get("sharedStrings") in package.NameToInfo
        else [],
        formats=_formats(parse_part(package, kinds.get("styles", "xl/styles.xml"))),
        since_1904=properties is not None and properties.get("date1904", "0") in ("1", "true"),
    )


def read_rows(
    workbook: Workbook, part: str, builder: TextBuilder, limits: Limits, writer: SheetWriter
) -> Iterator[Row]:
    """Yield the rows that hold something, top to bottom. What a cell shows more or less than it stores goes to the builder's account."""
    plan = _plan(workbook, part)
    merges = Merges(builder)
    used: set[int] = set()
    line = 0
    for element in _elements(workbook.package, part, "row"):
        line = _line(element, line)
        if not len(element):
            continue
        cells: list[str] = []
        style, column = 0, 0
        for cell in element.iterfind("{*}c"):
            reference = REFERENCE.fullmatch(cell.get("r", ""))
            column = _column(reference[1]) if reference else column + 1
            shown = _shown(workbook, cell, builder) if len(cell) else ""
            if not shown:
                continue
            workbook.cells += 1
            if workbook.cells > limits.cells:
                raise beyond_limit("more than 2 million cells", "单元格超过 200 万个")
            workbook.characters += len(shown)  # many cells may name one long text
            if workbook.characters > MOST_TEXT:
                raise too_much_text()
            if not cells:
                style = _integer(cell.get("s"))
            if column > _LAST_COLUMN:
                raise damaged(say("a cell beyond the last column", "单元格超出最后一列"))
            if column == len(cells) + 1:
                cells.append(shown)
            else:
                cells += [""] * (column - len(cells))
                cells[column - 1] = f"{cells[column - 1]} {shown}".strip()
        if cells:
            covered = plan.begin(line, cells, merges)
            merges.fill(line, cells)
            if plan.hidden_columns:
                used.update(column for column, text in enumerate(cells) if text and column in plan.hidden_columns)
            writer.hidden_rows += element.get("hidden") in ("1", "true")
            yield Row(line, tuple(cells), style, "" in cells or bool(covered), covered)
    writer.hidden_columns += [column_letters(column) for column in sorted(used)]


def _line(row: Any, before: int) -> int:
    """Return the number of a row. Raises DocumentError for one that no sheet has."""
    stated = row.get("r", "")
    if not stated.isdecimal():
        return before + 1
    if len(stated) > 7 or not 0 < int(stated) <= _LAST_ROW:
        raise damaged(say("a row beyond the last row", "单元格超出最后一行"))
    return int(stated)


@dataclass(slots=True)
class _Plan:
    """What must be known of a sheet before its rows are read, though the file says it behind them: merged ranges, hidden columns."""

    merged: dict[int, dict[int, tuple[int, int]]] = field(
        default_factory=dict
    )  # line -> first column -> last column and line
    hidden_columns: set[int] = field(default_factory=set)

    def begin(self, line: int, cells: list[str], merges: Merges) -> tuple[int, ...]:
        """Tell which ranges begin in this row; return the columns that they reach over."""
        covered: list[int] = []
        reached = 0
        for first, (last, last_line) in sorted(self.merged.get(line, {}).items()):
            if first < len(cells) and cells[first]:
                merges.begin(line, first, last_line, cells[first])
                covered += range(
                    max(first + 1, reached), last + 1
                )  # ranges do not lap over each other in an honest file
                reached = max(reached, last + 1)
        return tuple(covered)


def _plan(workbook: Workbook, part: str) -> _Plan:
    """Look through the sheet without parsing it: the ranges stand behind a million cells."""
    plan = _Plan()
    rest = b""
    left = _MOST_MERGES
    with open_part(workbook.package, part) as stream:
        while (block := stream.read(_BLOCK)) and left > 0:
            window = rest + block
            end = window.rfind(b">") + 1
            rest = window[end:][-_BLOCK:]
            if b"mergeCell" in window or b"hidden" in window:
                for found in _RANGE.finditer(window, 0, end):
                    left -= 1
                    _note_range(plan, found[1], found[2].decode("ascii", "replace"))
    return plan


def _note_range(plan: _Plan, kind: bytes, attributes: str) -> None:
    values = dict(_ATTRIBUTE.findall(attributes))
    if kind == b"col" and values.get("hidden") in ("1", "true"):
        first, last = _integer(values.get("min"), 1), _integer(values.get("max"), 1)
        plan.hidden_columns.update(range(max(0, first - 1), min(last, _LAST_COLUMN)))
    elif kind == b"mergeCell" and (corners := _AREA.fullmatch(values.get("ref", ""))):
        first, last = _column(corners[1]) - 1, _column(corners[3]) - 1
        if last < _LAST_COLUMN:
            plan.merged.setdefault(int(corners[2]), {})[first] = (last, int(corners[4]))


def count_cells(workbook: Workbook, part: str) -> int:
    """Return the visible characters that the cells of a sheet store."""
    return sum(
        visible(_stored(workbook, cell)[0])
        for row in _elements(workbook.package, part, "row")
        for cell in row.iterfind("{*}c")
    )


def _shown(workbook: Workbook, cell: Any, builder: TextBuilder) -> str:
    stored, kind = _stored(workbook, cell)
    if not stored:
        return ""
    if kind == "n":
        style = _integer(cell.get("s"))
        code = workbook.formats[style] if style < len(workbook.formats) else "General"
        shown = display(stored, code, since_1904=workbook.since_1904)
    elif kind == "b":
        shown = _BOOLEANS.get(stored.strip(), stored)
    elif kind == "formula":
        shown = "=" + stored
    else:
        shown = _ESCAPE.sub(lambda match: chr(int(match[1], 16)), stored) if "_x" in stored else stored
    if shown is not stored:
        builder.drop("value as displayed", visible(stored) - visible(shown))
    return " ".join(builder.clean(shown).split())


def _stored(workbook: Workbook, cell: Any) -> tuple[str, str]:
    """Return the characters that the cell stores and their kind: s (text), n, b, e, d, formula (where no value is cached)."""
    kind = cell.get("t", "n")
    if kind == "inlineStr":
        inline = cell.find("{*}is")
        return ("", "s") if inline is None else (string_of(inline), "s")
    value = cell.find("{*}v")
    if value is not None and (value.text or kind == "str"):
        text = value.text or ""
        if kind == "s":
            place = _integer(text.strip(), len(workbook.strings))
            return (workbook.strings[place] if place < len(workbook.strings) else ""), "s"
        return text, ("s" if kind == "str" else kind)
    formula = cell.find("{*}f")
    return (formula.text or "", "formula") if formula is not None else ("", kind)


def _strings(package: zipfile.ZipFile, part: str) -> Iterator[str]:
    for element in _elements(package, part, "si"):
        yield string_of(element)


def string_of(element: Any) -> str:
    """The text of a string item: its own or that of its runs, without reading aids."""
    texts = [child.text or "" for child in element.iterfind("{*}t")]
    texts += [child.text or "" for child in element.iterfind("{*}r/{*}t")]
    return "".join(texts)


def _elements(package: zipfile.ZipFile, part: str, name: str) -> Iterator[Any]:
    """Yield the elements of that name and forget each of them afterwards: memory stays small whatever the sheet's size."""
    from lxml import etree

    try:
        with open_part(package, part) as stream:
            lean = WithoutEmptyCells(stream) if name == "row" else stream
            for _, element in etree.iterparse(
                lean, tag="{*}" + name, resolve_entities=False, no_network=True, load_dtd=False, remove_comments=True
            ):
                yield element
                element.clear()
                while element.getprevious() is not None:
                    del element.getparent()[0]
    except etree.XMLSyntaxError as error:
        raise broken_xml(error, part) from error


class WithoutEmptyCells:
    """A stream of a worksheet without the cells that are only dressed: a million formatted rows cost no more than reading them.

    What says where it stands may go; what does not (no `r`) must stay, as its neighbours' places are counted from it.
    """

    _EMPTY_CELL = re.compile(rb'<c\s[^<>]*\br="[^<>]*/>')
    _EMPTY_ROW = re.compile(rb'<row\s[^<>]*\br="[^<>]*(?:/>|>\s*</row>)')

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._rest = b""
        self._ready = io.BytesIO()

    def read(self, size: int = -1) -> bytes:
        """Return the next bytes, perhaps fewer than asked for; nothing at the end."""
        while not (found := self._ready.read(size)):
            block = self._stream.read(_BLOCK)
            window = self._rest + block
            if not window:
                break
            end = window.rfind(b"<row") if block else len(window)
            kept, self._rest = (window, b"") if end < 0 else (window[:end], window[end:])
            if b"<![CDATA[" not in kept:
                kept = self._EMPTY_ROW.sub(b"", self._EMPTY_CELL.sub(b"", kept))
            self._ready = io.BytesIO(kept)
        return found


def _formats(root: Any) -> list[str]:
    if root is None:
        return []
    own = {
        _integer(item.get("numFmtId")): str(item.get("formatCode", ""))
        for item in root.iterfind("{*}numFmts/{*}numFmt")
    }
    numbers = [_integer(item.get("numFmtId")) for item in root.iterfind("{*}cellXfs/{*}xf")]
    return [_sound(own.get(number, "")) or builtin_format(number) for number in numbers]


def _sound(code: str) -> str:
    """Return the format, or nothing where no program would take it: it may cost more to apply than the sheet to read."""
    return code if len(code) <= _LONGEST_FORMAT else ""


@lru_cache(maxsize=4096)
def _column(letters: str) -> int:
    number = 0
    for letter in letters.upper():
        number = number * 26 + ord(letter) - 64
    return number


def _integer(text: str | None, default: int = 0) -> int:
    return int(text) if text and text.isdecimal() and len(text) < 10 else default
