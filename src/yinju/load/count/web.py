"""Counts the visible characters of web pages by another walk than the loader's: what the receipt of each page must balance against.

What a text node is only the parser can say (browsers move and close elements that a page leaves open), so the tree is the same; it is walked
from node to neighbour here, while the loader keeps a stack.
"""

from __future__ import annotations


def count_html(data: bytes) -> int:
    """Return the visible characters of all text nodes, those of scripts, styles and hidden parts among them."""
    return count_markup(data)


def count_markup(data: bytes | str, charset: str | None = None, *, xml: bool = False) -> int:
    """Return what `count_html` does of a body that another file holds; `charset` and `xml` as for `load.web.html.html_blocks`."""
    from yinju.load.web.tree import parse_html

    root = parse_html(data, charset, xml=xml).tree.root
    nodes = root.traverse(include_text=True) if root is not None else ()
    return sum(sum(map(len, (node.text_content or "").split())) for node in nodes if node.is_text_node)
