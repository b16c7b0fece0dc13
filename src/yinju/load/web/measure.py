"""How much text and how many links each element of a page holds: what tells a menu from a paragraph."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from yinju.load.parsed import visible
from yinju.load.web.names import FIELDS, HEADINGS, NO_TEXT

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode


class Size(NamedTuple):
    """Visible characters, those of them in links, and how many links, form fields, headings of the first level and headings there are."""

    text: int = 0
    linked: int = 0
    links: int = 0
    fields: int = 0
    titles: int = 0
    headings: int = 0

    @property
    def own(self) -> int:
        """Characters that are no links."""
        return self.text - self.linked

    @property
    def density(self) -> float:
        """Share of the text that is links."""
        return self.linked / self.text if self.text else 0.0


def measure(root: LexborNode) -> dict[int, Size]:
    """Return the size of each element below (and with) the root by its `mem_id`; scripts and the like hold no text."""
    sizes: dict[int, Size] = {}
    open_elements: list[list[int]] = [[0] * 6]
    stack: list[tuple[LexborNode, str]] = [(root, "")]
    while stack:
        node, leaving = stack.pop()
        if leaving:
            size = open_elements.pop()
            if leaving == "a":
                size[1], size[2] = size[0], 1
            elif leaving in FIELDS:
                size[3] += 1
            elif leaving in HEADINGS:
                size[4] += leaving == "h1" and size[0] > 0
                size[5] += 1
            sizes[node.mem_id] = Size(*size)
            above = open_elements[-1]
            for number, value in enumerate(size):
                above[number] += value
        elif node.is_text_node:
            open_elements[-1][0] += visible(node.text_content or "")
        elif node.is_element_node:
            tag = node.tag or "?"
            open_elements.append([0] * 6)
            stack.append((node, tag))
            if tag not in NO_TEXT:
                stack += [(child, "") for child in node.iter(include_text=True)]
    return sizes
