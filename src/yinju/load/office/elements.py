"""Small helpers for the elements of Office files: names, attributes, switches, numbers, and the namespaces that hold text.

Every namespace has two forms: the one that Office writes, and the strict one of ISO 29500.
"""

from __future__ import annotations

import re
from typing import Any

from yinju.load.parsed import visible

_OPEN = "http://schemas.openxmlformats.org/"
_STRICT = "http://purl.oclc.org/ooxml/"
WORD = (_OPEN + "wordprocessingml/2006/main", _STRICT + "wordprocessingml/main")
MATH = (_OPEN + "officeDocument/2006/math", _STRICT + "officeDocument/math")
DRAWING = (_OPEN + "drawingml/2006/main", _STRICT + "drawingml/main")
CHART = (_OPEN + "drawingml/2006/chart", _STRICT + "drawingml/chart")


def split_tag(element: Any) -> tuple[str, str]:
    """Return namespace and local name of an element; empty ones for comments and the like."""
    if not isinstance(element.tag, str):
        return "", ""
    namespace, _, name = element.tag.rpartition("}")
    return namespace[1:], name


def local(element: Any) -> str:
    """Return the local name of an element."""
    return split_tag(element)[1]


def is_text(element: Any) -> bool:
    """Return whether the element holds characters that count: the texts of Word, of formulas, of drawings, and the values of charts."""
    namespace, name = split_tag(element)
    if name == "t":
        return namespace in WORD or namespace in MATH or namespace in DRAWING
    return (name == "delText" and namespace in WORD) or (name == "v" and namespace in CHART)


def text_within(element: Any) -> int:
    """Return the number of visible characters below the element, symbols of Word (w:sym) among them."""
    return sum(
        visible(item.text or "") if is_text(item) else split_tag(item)[1] == "sym" and split_tag(item)[0] in WORD
        for item in element.iter()
    )


def attribute(element: Any, name: str) -> str:
    """Return the attribute of that local name, whatever its namespace; empty if it is not there."""
    return next((str(value) for key, value in element.attrib.items() if key.rpartition("}")[2] == name), "")


def is_on(element: Any) -> bool:
    """Return whether a switch such as w:vanish is there and not turned off."""
    return element is not None and attribute(element, "val") not in ("0", "false", "off")


def number(text: str, default: int) -> int:
    """Return the whole number that the text states, or the default."""
    return int(text) if re.fullmatch(r"-?\d{1,15}", text) else default


def value(element: Any, default: int, name: str = "val") -> int:
    """Return the number in an attribute of an element that may be absent."""
    return number(attribute(element, name), default) if element is not None else default


def page_list(numbers: list[int]) -> str:
    """Return page numbers as people write them: `1-3, 7`."""
    parts: list[str] = []
    start = 0
    for place in range(len(numbers)):
        if place + 1 == len(numbers) or numbers[place + 1] != numbers[place] + 1:
            first, last = numbers[start], numbers[place]
            parts.append(str(first) if first == last else f"{first}-{last}")
            start = place + 1
    return ", ".join(parts)
