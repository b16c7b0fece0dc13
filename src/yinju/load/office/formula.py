"""Formulas of Office (OMML) as one readable line: `x=(-b±√(b^2-4ac))/(2a)`. Brackets stand only where the line would be read wrongly without.

The source is ECMA-376 part 1, 22.1. What the line adds (`^`, `_`, `/`, brackets, √, ∑) is told to the builder, so that receipts balance.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from yinju.load.builder import TextBuilder
from yinju.load.office.elements import MATH, attribute, is_text, local, split_tag, text_within
from yinju.load.parsed import visible

_DELETED = ("del", "moveFrom")
_SCRIPTS = ("sSup", "sSub", "sSubSup", "limLow", "limUpp", "f")
_ACCENTS = {"\u0302": "^", "\u0303": "~", "\u0304": "ˉ", "\u0305": "ˉ", "\u0307": "˙", "\u20d7": "→", "\u20d1": "→"}
_DEEPEST = 60  # formulas nested deeper are written without their signs


def is_formula(element: Any) -> bool:
    """Return whether the element is a formula or a paragraph of formulas."""
    namespace, name = split_tag(element)
    return namespace in MATH and name in ("oMath", "oMathPara")


def formula_text(element: Any, builder: TextBuilder) -> str:
    """Return the formula as one line; what it adds and what was deleted from it goes to the builder's account."""
    deleted = sum(text_within(item) for item in element.iter() if local(item) in _DELETED)
    text = "\n".join(_row(item, 0) for item in element if local(item) == "oMath") if _is_paragraph(element) else ""
    text = text or _row(element, 0)
    builder.drop("deleted text", deleted)
    builder.drop("signs of formulas", text_within(element) - deleted - visible(text))
    return text


def _is_paragraph(element: Any) -> bool:
    return local(element) == "oMathPara"


def _row(element: Any, depth: int) -> str:
    if element is None:
        return ""
    if depth > _DEEPEST:
        return "".join(item.text or "" for item in element.iter() if is_text(item))
    line = ""
    scripts = False
    for child in element:
        text = _one(child, depth + 1)
        line += " " + text if scripts and text[:1].isalnum() and line[-1:].isalnum() else text
        scripts = local(child) in _SCRIPTS if text else scripts
    return line


def _one(element: Any, depth: int) -> str:
    name = local(element)
    if is_text(element):
        return str(element.text or "")
    if name.endswith("Pr") or name in _DELETED:
        return ""
    write = _WRITERS.get(name)
    return write(element, depth) if write and split_tag(element)[0] in MATH else _row(element, depth)


def _part(element: Any, name: str, depth: int) -> str:
    return _row(element.find("{*}" + name), depth)


def _grouped(text: str) -> str:
    """Put brackets around what is more than one number, name or bracketed part."""
    if len(text) < 2 or text.isdigit() or (text.isalpha() and text.isascii()) or _is_bracketed(text):
        return text
    return f"({text})"


def _is_bracketed(text: str) -> bool:
    if text[0] + text[-1] not in ("()", "[]", "{}"):
        return False
    depth = 0
    for place, character in enumerate(text):
        depth += (character in "([{") - (character in ")]}")
        if depth == 0:
            return place == len(text) - 1
    return False


def _fraction(element: Any, depth: int) -> str:
    above, below = _part(element, "num", depth), _part(element, "den", depth)
    kind = element.find("{*}fPr/{*}type")
    if kind is not None and attribute(kind, "val") == "noBar":
        return f"{above};{below}"
    return f"{_grouped(above)}/{_grouped(below)}"


def _scripts(element: Any, depth: int) -> str:
    below, above = _part(element, "sub", depth), _part(element, "sup", depth)
    scripts = (f"_{_grouped(below)}" if below else "") + (f"^{_grouped(above)}" if above else "")
    base = _part(element, "e", depth)
    if local(element) == "sPre":
        return scripts + base
    return (base if len(base) < 2 or base.isalnum() else _grouped(base)) + scripts


def _root(element: Any, depth: int) -> str:
    degree, base = _part(element, "deg", depth), _part(element, "e", depth)
    return (f"{_grouped(degree)}√" if degree else "√") + (base if len(base) == 1 else _grouped(base))


def _sum(element: Any, depth: int) -> str:
    sign = element.find("{*}naryPr/{*}chr")
    below, above = _part(element, "sub", depth), _part(element, "sup", depth)
    scripts = (f"_{_grouped(below)}" if below else "") + (f"^{_grouped(above)}" if above else "")
    shown = attribute(sign, "val") if sign is not None else "∫"
    return f"{shown}{scripts} {_part(element, 'e', depth)}" if scripts else shown + _part(element, "e", depth)


def _delimited(element: Any, depth: int) -> str:
    properties = element.find("{*}dPr")

    def sign(name: str, default: str) -> str:
        found = properties.find("{*}" + name) if properties is not None else None
        return default if found is None else attribute(found, "val")

    inner = sign("sepChr", "|").join(_row(item, depth) for item in element.iterfind("{*}e"))
    return sign("begChr", "(") + inner + sign("endChr", ")")


def _function(element: Any, depth: int) -> str:
    name, argument = _part(element, "fName", depth), _part(element, "e", depth)
    return f"{name} {argument}" if argument and not _is_bracketed(argument) else name + argument


def _limit(element: Any, depth: int) -> str:
    sign = "_" if local(element) == "limLow" else "^"
    return f"{_part(element, 'e', depth)}{sign}{_grouped(_part(element, 'lim', depth))}"


def _matrix(element: Any, depth: int) -> str:
    rows = (", ".join(_row(cell, depth) for cell in row.iterfind("{*}e")) for row in element.iterfind("{*}mr"))
    return "[" + "; ".join(rows) + "]"


def _lines(element: Any, depth: int) -> str:
    lines = (_row(item, depth) for item in element.iterfind("{*}e"))
    return "; ".join(line.replace("#", " ").replace("&", "") for line in lines)  # signs for where to align


def _accent(element: Any, depth: int) -> str:
    sign = element.find("{*}accPr/{*}chr")
    shown = attribute(sign, "val") if sign is not None else "\u0302"
    return _grouped(_part(element, "e", depth)) + _ACCENTS.get(shown, "" if len(shown) != 1 else shown)


def _phantom(element: Any, depth: int) -> str:
    return _part(element, "e", depth)


_WRITERS: dict[str, Callable[[Any, int], str]] = {
    "f": _fraction,
    "sSup": _scripts,
    "sSub": _scripts,
    "sSubSup": _scripts,
    "sPre": _scripts,
    "rad": _root,
    "nary": _sum,
    "d": _delimited,
    "func": _function,
    "limLow": _limit,
    "limUpp": _limit,
    "m": _matrix,
    "eqArr": _lines,
    "acc": _accent,
    "phant": _phantom,
}
