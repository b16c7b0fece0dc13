"""Counts the visible characters of web pages by another walk than the loader's: what the receipt of each page must balance against."""

from __future__ import annotations


def count_html(data: bytes) -> int:
    """Return the visible characters of all text nodes, those of scripts, styles and hidden parts among them."""
    from yinju.load.web.html import parse_html

    root = parse_html(data).tree.root
    nodes = root.traverse(include_text=True) if root is not None else ()
    return sum(sum(map(len, (node.text_content or "").split())) for node in nodes if node.is_text_node)
