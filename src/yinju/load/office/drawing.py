"""Text in drawings (DrawingML): paragraphs of shapes with their bullets and numbers, and tables. PowerPoint lives on it, Word and Excel have some."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from yinju.load.builder import TextBuilder
from yinju.load.office.blocks import Blocks, TableRow
from yinju.load.office.docx_numbering import number_text
from yinju.load.office.elements import attribute, is_text, local, number, text_within
from yinju.load.office.formula import formula_text, is_formula
from yinju.load.office.symbols import scripted

FURNITURE = "slide number, date or footer"
_BULLET = "•"
_NUMBERS = {
    "alphaLc": "lowerLetter",
    "alphaUc": "upperLetter",
    "romanLc": "lowerRoman",
    "romanUc": "upperRoman",
    "circleNumDb": "decimalEnclosedCircle",
    "circleNumWdWhite": "decimalEnclosedCircle",
    "circleNumWdBlack": "decimalEnclosedCircle",
    "arabicDb": "decimalFullWidth",
    "ea1Chs": "chineseCounting",
    "ea1Cht": "taiwaneseCounting",
    "ea1JpnChsDb": "chineseCounting",
    "ea1JpnKor": "chineseCounting",
}
_SCHEME = re.compile(r"(.*?)(Period|ParenR|ParenBoth|Plain|Minus)?")

Marking = Callable[[Any, int], Any]  # paragraph, level -> the element that says which bullet or number it has, or None


def paragraph_text(paragraph: Any, builder: TextBuilder) -> str:
    """Return the text of one paragraph of a shape, cleaned; slide numbers and dates are left out, formulas are written as a line."""
    out: list[str] = []
    _walk(paragraph, builder, out)
    return builder.clean("".join(out)).strip()


def _walk(element: Any, builder: TextBuilder, out: list[str]) -> None:
    for child in element:
        name = local(child)
        if is_formula(child):
            out.append(formula_text(child, builder))
        elif is_text(child):
            out.append(child.text or "")
        elif name == "br":
            out.append("\n")
        elif name == "fld" and attribute(child, "type").startswith(("slidenum", "datetime")):
            builder.drop(FURNITURE, text_within(child))
        elif name == "AlternateContent":
            _walk(chosen(child, builder), builder, out)
        elif name not in ("rPr", "pPr", "endParaRPr"):
            start = len(out)
            _walk(child, builder, out)
            if name == "r" and (baseline := _baseline(child)):
                out[start:] = [scripted("".join(out[start:]), raised=baseline > 0)]
        else:
            builder.drop("text outside of paragraphs", text_within(child))


def _baseline(run: Any) -> int:
    """Return how far a run is raised (or lowered: negative), in thousandths of its size."""
    properties = run.find("{*}rPr")
    return number(attribute(properties, "baseline"), 0) if properties is not None else 0


def chosen(alternatives: Any, builder: TextBuilder) -> Any:
    """Return the first branch that holds text, else the first one; the text of the others is accounted for."""
    branches = list(alternatives)
    best = next((branch for branch in branches if text_within(branch)), branches[0] if branches else alternatives)
    for branch in branches:
        if branch is not best:
            builder.drop("the same for older programs", text_within(branch))
    return best


def flat_text(body: Any, builder: TextBuilder) -> str:
    """Return all paragraphs below in one line."""
    _leave_out_rest(body, "p", builder)
    texts = (paragraph_text(item, builder) for item in paragraphs(body))
    return " ".join(" ".join(texts).split())


def paragraphs(body: Any) -> Iterator[Any]:
    """Yield the paragraphs directly in a text body."""
    return (child for child in body if local(child) == "p")


def _leave_out_rest(parent: Any, kept: str, builder: TextBuilder) -> None:
    """Account for text below an element that is in none of its children of this name."""
    rest = sum(text_within(child) for child in parent if local(child) != kept)
    builder.drop("text outside of paragraphs", rest)


def own_marking(paragraph: Any, level: int) -> Any:
    """Return what the paragraph itself says of its bullet or number, or None."""
    return marking_in(paragraph.find("{*}pPr"))


def marking_in(properties: Any) -> Any:
    """Return the element for bullet or number in these properties, or None."""
    return next((item for item in properties if local(item) in _MARKINGS), None) if properties is not None else None


_MARKINGS = frozenset(("buNone", "buChar", "buAutoNum", "buBlip"))


def write_body(body: Any, blocks: Blocks, marking: Marking = own_marking) -> None:
    """Write the paragraphs of a text body: list items where they have bullets or numbers."""
    counts: dict[int, tuple[str, int]] = {}
    _leave_out_rest(body, "p", blocks.builder)
    for paragraph in paragraphs(body):
        text = paragraph_text(paragraph, blocks.builder)
        if not text:
            continue
        properties = paragraph.find("{*}pPr")
        level = min(max(number(attribute(properties, "lvl"), 0), 0), 8) if properties is not None else 0
        shown = _shown(marking(paragraph, level), level, counts)
        if shown:
            blocks.item(" ".join(text.split()), level, shown)
        else:
            blocks.block(text)
    blocks.end_list()


def _shown(marking: Any, level: int, counts: dict[int, tuple[str, int]]) -> str:
    """Count the paragraph and return its bullet or number; empty for none."""
    for deeper in [depth for depth in counts if depth > level]:
        del counts[deeper]
    kind = local(marking) if marking is not None else "buNone"
    if kind != "buAutoNum":
        counts.pop(level, None)
        if kind == "buNone":
            return ""
        sign = attribute(marking, "char") if kind == "buChar" else ""
        return sign if len(sign) == 1 and not sign.isalnum() and sign.isprintable() and sign < "\ue000" else _BULLET
    scheme, start = attribute(marking, "type"), number(attribute(marking, "startAt"), 1)
    key = f"{scheme} {start}"
    count = counts[level][1] + 1 if counts.get(level, ("", 0))[0] == key else start
    counts[level] = (key, count)
    return _numbered(scheme, count)


def _numbered(scheme: str, count: int) -> str:
    found = _SCHEME.fullmatch(scheme)
    name, ending = (found[1], found[2]) if found else ("", "Period")
    shown = number_text(count, _NUMBERS.get(name, "decimal"))
    return {"ParenR": f"{shown})", "ParenBoth": f"({shown})", "Plain": shown, "Minus": f"{shown}-"}.get(
        ending or "Plain", f"{shown}."
    )


def table_rows(table: Any, builder: TextBuilder) -> list[TableRow]:
    """Return the rows of a table (a:tbl), merged cells once."""
    properties = table.find("{*}tblPr")
    headed = properties is not None and attribute(properties, "firstRow") in ("1", "true")
    rows = []
    _leave_out_rest(table, "tr", builder)
    for place, row in enumerate(table.iterfind("{*}tr")):
        cells: list[str] = []
        joined: list[int] = []
        _leave_out_rest(row, "tc", builder)
        for cell in row.iterfind("{*}tc"):
            body = cell.find("{*}txBody")
            builder.drop(
                "text outside of paragraphs", text_within(cell) - (text_within(body) if body is not None else 0)
            )
            if attribute(cell, "hMerge") in ("1", "true") or attribute(cell, "vMerge") in ("1", "true"):
                builder.drop("text under a merged cell", text_within(body) if body is not None else 0)
                joined += [len(cells)] if attribute(cell, "hMerge") in ("1", "true") else []
                cells.append("")
            else:
                cells.append(flat_text(body, builder) if body is not None else "")
        rows.append(TableRow(cells, headed and place == 0 and sum(map(bool, cells)) > 1, joined))
    return rows
