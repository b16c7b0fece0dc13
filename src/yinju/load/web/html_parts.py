"""Which parts of a web page are its text: what is never text, what a reader does not see, what belongs to the site and not to the page."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from yinju.load.parsed import visible
from yinju.load.plain.frontmatter import standard_names

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

MAIN_SHARE = 0.4  # of the page's text, for a `main` or `article` to stand for the page
_NEVER_TEXT = {
    **dict.fromkeys(
        ("script", "style", "template", "noscript", "iframe", "object", "svg", "math-annotation"), "scripts and styles"
    ),
    **dict.fromkeys(("title", "meta", "link", "base"), "title, kept as metadata"),
    **dict.fromkeys(("select", "option", "datalist", "button", "dialog"), "controls"),
    "nav": "navigation",
}
_ROLES = {"navigation", "search", "banner", "contentinfo", "menu", "menubar", "toolbar", "dialog"}
_HIDDEN_STYLE = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0(?![.\d])|opacity\s*:\s*0(?![.\d])", re.IGNORECASE
)
_BLOCKS = (
    "address article aside blockquote body center dd details dialog div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header"
    " hr html legend li main menu nav ol p pre section summary table caption thead tbody tfoot tr ul td th"
)
BLOCKS = frozenset(_BLOCKS.split())
_META = {
    "author": ("author", "article:author", "dc.creator", "citation_author"),
    "created": (
        "date",
        "article:published_time",
        "dc.date",
        "pubdate",
        "publishdate",
        "dcterms.created",
        "datepublished",
    ),
    "modified": ("last-modified", "article:modified_time", "og:updated_time", "dcterms.modified", "datemodified"),
    "description": ("description", "og:description"),
    "keywords": ("keywords",),
}


def left_out(node: LexborNode) -> str:
    """Return why this element is no text of the page, or nothing."""
    tag = node.tag or ""
    if tag in _NEVER_TEXT:
        return _NEVER_TEXT[tag]
    attributes = node.attributes
    if not attributes:
        return "page furniture" if tag in ("header", "footer", "aside") and _of_the_site(node) else ""
    if (
        "hidden" in attributes
        or attributes.get("aria-hidden") == "true"
        or _HIDDEN_STYLE.search(attributes.get("style") or "")
    ):
        return "hidden parts"
    if "hreflang" in attributes and tag == "a":
        return "links to other languages"
    if (attributes.get("role") or "").lower() in _ROLES:
        return "navigation"
    return "page furniture" if tag in ("header", "footer", "aside") and _of_the_site(node) else ""


def _of_the_site(node: LexborNode) -> bool:
    """A header, footer or aside inside the article belongs to the article."""
    above = node.parent
    while above is not None:
        if above.tag in ("main", "article", "section"):
            return False
        above = above.parent
    return True


def main_part(tree: LexborHTMLParser) -> LexborNode | None:
    """Return the element that holds the page's text, where there is one beyond doubt; None for the whole page."""
    body = tree.body
    if body is None:
        return None
    everything = max(1, _readable(body))
    for selector in ("main", "[role=main]", "article"):
        found = tree.css(selector)
        if len(found) == 1 and _readable(found[0]) >= MAIN_SHARE * everything:
            return found[0]
    return None


def _readable(root: LexborNode) -> int:
    """Return the visible characters of an element without those that are never text."""
    count, stack = 0, [root]
    while stack:
        node = stack.pop()
        if node.is_text_node:
            count += visible(node.text_content or "")
        elif node.is_element_node and (node.tag or "") not in _NEVER_TEXT:
            stack += node.iter(include_text=True)
    return count


def properties(tree: LexborHTMLParser) -> tuple[str | None, dict[str, Any]]:
    """Return title, and author, dates, description and keywords from the page's head."""
    found: dict[str, str] = {}
    for node in tree.css("meta"):
        key = (
            node.attributes.get("name") or node.attributes.get("property") or node.attributes.get("itemprop") or ""
        ).lower()
        content = " ".join((node.attributes.get("content") or "").split())[:1000]
        if key and content:
            found.setdefault(key, content)
    metadata = {name: next((found[key] for key in keys if key in found), None) for name, keys in _META.items()}
    title = tree.css_first("title")
    shown = " ".join((title.text(deep=True) if title is not None else "").split()) or found.get("og:title")
    return shown or None, standard_names({key: value for key, value in metadata.items() if value})
