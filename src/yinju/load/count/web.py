"""Counts the visible characters of web formats by another walk than the loader's: what the receipt of each must balance against.

What a text node is only the parser can say (browsers move and close elements that a page leaves open), so the tree is the same; it is walked
from node to neighbour here, while the loader keeps a stack. Books are counted over all their pages, whatever their reading order says;
of an archive every page is counted.
"""

from __future__ import annotations

import email
import email.policy
import io
import re
import zipfile

_BOOK_PAGE = re.compile(r"(?i).+\.(?:html?|xhtml?|xht)")
_MARKUP = re.compile(rb"(?i)<(?:!doctype\s+html|html|body)\b")


def count_html(data: bytes) -> int:
    """Return the visible characters of all text nodes, those of scripts, styles and hidden parts among them."""
    return count_markup(data)


def count_markup(data: bytes | str, charset: str | None = None, *, xml: bool = False) -> int:
    """Return what `count_html` does of a body that another file holds; `charset` and `xml` as for `load.web.html.html_blocks`."""
    from yinju.load.web.tree import parse_html

    root = parse_html(data, charset, xml=xml).tree.root
    nodes = root.traverse(include_text=True) if root is not None else ()
    return sum(sum(map(len, (node.text_content or "").split())) for node in nodes if node.is_text_node)


def count_epub(data: bytes) -> int:
    """Return the visible characters of all pages of a book, in or out of its reading order."""
    found = 0
    with zipfile.ZipFile(io.BytesIO(data)) as book:
        for name in book.namelist():
            if _BOOK_PAGE.fullmatch(name):
                found += count_markup(book.read(name), xml=True)
            elif name.lower().endswith(".xml") and not name.startswith("META-INF/"):
                page = book.read(name)
                found += count_markup(page, xml=True) if _MARKUP.search(page[:2_000]) else 0
    return found


def count_mhtml(data: bytes) -> int:
    """Return the visible characters of all pages of a web archive."""
    found = 0
    for part in email.message_from_bytes(data, policy=email.policy.compat32).walk():
        if part.get_content_subtype() in ("html", "xhtml+xml"):
            page = part.get_payload(decode=True)
            found += count_markup(page, part.get_content_charset()) if isinstance(page, bytes) and page.strip() else 0
    return found
