"""Bytes of a page to a tree of nodes: the encoding by evidence, XHTML made readable for an HTML parser, nesting bounded before it is parsed.

The parser follows the rules of browsers, whose search for open elements makes it quadratic in the depth of the page; browsers, too, stop nesting
at some depth. What is nested deeper loses its tags, never its text. XHTML is read by the same parser, so no entity is ever fetched or expanded.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from yinju.load.encoding import Decoded, decode
from yinju.load.web.names import FLAT, STYLES, VOID

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

DEEPEST = 500  # elements in each other
DEEPEST_STYLES = 60  # of them such as change the look of letters: the parser opens all of these again in each paragraph
_CHARSET = re.compile(
    rb"<meta[^>]{0,300}?charset\s*=\s*[\"']?\s*([\w.:-]{2,40})|<\?xml[^>]{0,100}?encoding=[\"']([\w.:-]{2,40})",
    re.IGNORECASE,
)
_NAME = re.compile(r"<(/?)([a-zA-Z][^\s/>]{0,60}|!--)")
_RAW_TEXT = {"!--": "-->", "script": "</script", "style": "</style", "textarea": "</textarea", "title": "</title"}
_REST = re.compile(r"""(?:[^>"']|"[^"]*"|'[^']*')*>|[^>]*>?""")
_ALONE = re.compile(
    r"<([a-zA-Z][\w:.-]*+)((?:\s++[^\s\"'>/=]++(?:\s*+=\s*+(?:\"[^\"]*+\"|'[^']*+'|[^\s\"'>/]++))?){0,60}+)\s*+/>"
)
_RAW_START, _RAW_END = "<![CDATA[", "]]>"
_SHADOW = re.compile(
    r"<template(\s[^>]{0,300}\bshadowroot(?:mode)?\s*=[^>]{0,300})>|<template\b|</template\s*>", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Page:
    """A parsed page with the encoding that it was decoded by, and how many tags were taken out because they nested too deep."""

    tree: LexborHTMLParser
    decoded: Decoded
    flattened: int = 0

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a reader of the receipt should know."""
        return self.decoded.warnings + ((f"nesting-flattened: {self.flattened}",) if self.flattened else ())


def parse_html(data: bytes | str, charset: str | None = None, *, xml: bool = False) -> Page:
    """Return the tree of the page. A charset that it declares, or that is given, only breaks ties; `xml` says that it is XHTML for sure.

    Raises DocumentError with code `binary`.
    """
    from selectolax.lexbor import LexborHTMLParser

    decoded = Decoded(data, "unicode") if isinstance(data, str) else decode(data, _declared(data) or charset)
    source = decoded.text.replace("\x00", "")
    if xml or source[:200].lstrip().startswith("<?xml"):
        source = _closed(source)
    if "shadowroot" in source:
        source = _opened_shadows(source)
    source, flattened = _flattened(source)
    return Page(LexborHTMLParser(source), decoded, flattened)


def _declared(data: bytes) -> str | None:
    match = _CHARSET.search(data[:4096])
    return next((group.decode("ascii") for group in match.groups() if group), None) if match else None


def children(node: LexborNode) -> list[LexborNode]:
    """Return the elements and text nodes below a node."""
    return list(node.iter(include_text=True))


def text_nodes(root: LexborNode) -> Iterator[str]:
    """Yield the text of all text nodes below."""
    for node in root.traverse(include_text=True):
        if node.is_text_node:
            yield node.text_content or ""


def inner_text(node: LexborNode) -> str:
    """Return all text below a node, as it stands in the source."""
    return "".join(text_nodes(node))


def _closed(source: str) -> str:
    """Return XHTML as HTML: elements that are closed at once get an end tag, raw sections become text."""

    def ended(match: re.Match[str]) -> str:
        return match[0] if match[1].lower() in VOID else f"<{match[1]}{match[2]}></{match[1]}>"

    return _ALONE.sub(ended, _with_raw_sections(source))


def _with_raw_sections(source: str) -> str:
    """Return the source with the content of its raw sections as text."""
    parts, place = [], 0
    while (start := source.find(_RAW_START, place)) >= 0:
        end = source.find(_RAW_END, start)
        if end < 0:
            break
        content = source[start + len(_RAW_START) : end].replace("&", "&amp;").replace("<", "&lt;")
        parts += [source[place:start], content]
        place = end + len(_RAW_END)
    return "".join(parts) + source[place:]


def _opened_shadows(source: str) -> str:
    """Return the page with the templates that hold a shadow tree as ordinary elements: some programs save pages in this way."""
    open_templates: list[bool] = []

    def renamed(match: re.Match[str]) -> str:
        if match[0].startswith("</"):
            return "</div>" if open_templates and open_templates.pop() else match[0]
        open_templates.append(match[1] is not None)
        return "<div>" if match[1] is not None else match[0]

    return _SHADOW.sub(renamed, source)


def _flattened(source: str) -> tuple[str, int]:
    """Return the source without the tags that nest deeper than the limits, and how many start tags that were."""
    if source.count("<") < DEEPEST_STYLES:
        return source, 0
    parts: list[str] = []
    kept: defaultdict[str, list[bool]] = defaultdict(list)
    depth = styled = place = cut = behind = 0
    endless: set[str] = (
        set()
    )  # nothing closes them from here on: looking again at each would cost the square of the length
    for match in _NAME.finditer(source):
        name = match[2].lower()
        if name in FLAT or match.start() < behind:
            continue
        if name in _RAW_TEXT:
            end = -1 if match[1] or name in endless else source.find(_RAW_TEXT[name], match.end())
            behind = behind if match[1] else max(end, match.end())
            if end < 0 and not match[1]:
                endless.add(name)
            continue
        style = name in STYLES
        if match[1]:
            if not kept[name]:
                continue
            keep = kept[name].pop()
            depth, styled = depth - keep, styled - (keep and style)
        else:
            keep = depth < DEEPEST and (not style or styled < DEEPEST_STYLES)
            kept[name].append(keep)
            depth, styled = depth + keep, styled + (keep and style)
            cut += not keep
        if not keep and match.start() >= place:
            parts.append(source[place : match.start()])
            rest = _REST.match(source, match.end())
            place = rest.end() if rest else match.end()
    return ("".join(parts) + source[place:], cut) if cut else (source, 0)
