"""Formulas in one line: the TeX that the page brings along, else its MathML written out with `^`, `_` and `/`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from yinju.load.builder import TextBuilder
from yinju.load.parsed import visible
from yinju.load.web.tree import children, inner_text

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

AS_DRAWN, SIGNS = "formulas as drawn", "formula signs"
_DISPLAY_STYLE = re.compile(r"\{\\(?:displaystyle|textstyle)\s*(.*)\}", re.DOTALL)
_DEEPEST = 100
_BETWEEN = {"msup": "^", "msub": "_", "mfrac": "/", "munder": "_", "mover": "^"}


def math_text(node: LexborNode, builder: TextBuilder) -> str:
    """Return a `math` element as one piece of text; the builder is told what else it held and what was added."""
    whole = visible(inner_text(node))
    note = next((a for a in node.css("annotation") if "tex" in (a.attributes.get("encoding") or "").lower()), None)
    if note is not None and (source := inner_text(note).strip()):
        text = tex(source, builder)
        builder.drop(AS_DRAWN, whole - visible(text) + 2)
        return text
    text = " ".join(_linear(node, 0).split())
    builder.drop(SIGNS, whole - visible(text))
    return text


def tex(source: str, builder: TextBuilder) -> str:
    """Return TeX between dollar signs, without the wrapper that only says how large it is drawn."""
    match = _DISPLAY_STYLE.fullmatch(source.strip())
    inner = " ".join((match[1] if match and match[1].strip() else source).split())
    builder.drop(SIGNS, -2)
    return f"${inner}$"


def _linear(node: LexborNode, depth: int) -> str:
    if node.is_text_node:
        return node.text_content or ""
    if depth > _DEEPEST:
        return inner_text(node)
    tag = node.tag or ""
    if tag in ("annotation", "annotation-xml"):
        return ""
    parts = [part for part in (_linear(child, depth + 1).strip("\n\t ") for child in children(node)) if part]
    if tag in _BETWEEN and len(parts) == 2:
        return f"{_grouped(parts[0])}{_BETWEEN[tag]}{_grouped(parts[1])}"
    if tag in ("msubsup", "munderover") and len(parts) == 3:
        return f"{_grouped(parts[0])}_{_grouped(parts[1])}^{_grouped(parts[2])}"
    if tag == "msqrt":
        return f"√({''.join(parts)})"
    return (" " if tag in ("mtd", "mtr", "mtable") else "").join(parts)


def _grouped(text: str) -> str:
    return text if len(text) == 1 or text.isalnum() else f"({text})"
