"""Furniture that is known by its first words or its shape, on pages whose mark-up says nothing: many Chinese sites are nested tables."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from yinju.load.web.measure import Size

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

_BOXES = frozenset(
    (
        "div",
        "td",
        "p",
        "li",
        "span",
        "ul",
        "ol",
        "dl",
        "section",
        "aside",
        "table",
        "tr",
        "center",
        "small",
        "footer",
        "header",
    )
)
_HERE = re.compile(
    r"(?:您|你)?(?:现在|当前|所在)?的?(?:位置|所在位置)(?:是)?\s*[:：]|当前位置|you are here", re.IGNORECASE
)
_RELATED = re.compile(
    r"相关(?:问题|推荐|文章|阅读|新闻|链接|内容|资讯|视频|搜索)|推荐(?:阅读|文章|内容)|猜你喜欢|热门(?:文章|推荐|新闻|资讯|标签)|大家都在看|最新(?:文章|评论)|更多(?:推荐|精彩)"
    r"|related (?:posts|articles|stories|pages|questions|content)|you (?:may|might) also (?:like|enjoy)|recommended (?:for you|reading|posts)"
    r"|more (?:from|in) |recent (?:posts|comments)|popular posts",
    re.IGNORECASE,
)
_NEIGHBOUR = re.compile(r"上一[篇页条章]|下一[篇页条章]|(?:previous|next)(?: (?:page|post|article))?\b", re.IGNORECASE)
_LEGAL = re.compile(
    r"(?:copyright\b|©|版权所有(?=$|[\s:：©(（]|copyright))|[^\n]{0,80}(?:ICP备|公网安备|all rights reserved)",
    re.IGNORECASE,
)
_COOKIES = re.compile(
    r"\b(?:we|site|website)\b[^.。]{0,60}\bcookies\b|cookies? (?:settings|preferences)|(?:本|该|我们的?)(?:网站|站)[^。]{0,20}\bcookies?\b",
    re.IGNORECASE,
)
_NOTICES = frozenset(("div", "section", "aside", "footer"))
_MENU_LINKS, _MENU_WORD = 4, 12  # at least so many links of so few characters each
_LEAST, _SHORT, _LONG = 4, 150, 500  # visible characters


def by_words(node: LexborNode, tag: str, size: Size, whole: Size, started: bool) -> str:
    """Return why this element is furniture, or nothing. `started`: the article has begun, so that a row of links is no menu any more."""
    if tag not in _BOXES or not size.text or size.titles or (2 * size.text > whole.text and size.text > 40):
        return ""
    if size.links and size.text < _SHORT and not size.headings:
        start = _start(node)
        if _HERE.match(start):
            return "navigation"
        if _NEIGHBOUR.match(start) and size.density > 0.4:
            return "navigation"
    if size.links > 1 and size.density > 0.5 and _RELATED.match(_start(node)):
        return "related pages"
    if _LEAST < size.text < _SHORT and tag not in ("table", "tr") and _LEGAL.match(_start(node)):
        return "page furniture"
    if (
        tag in _NOTICES
        and size.links
        and _LEAST < size.text < _LONG
        and _COOKIES.search(_start(node)[:_SHORT])
        and whole.text > 3 * size.text
    ):
        return "cookie notice"
    if not started and _is_menu(node, size) and whole.own > 3 * size.text:
        return "navigation"
    return ""


def _is_menu(node: LexborNode, size: Size) -> bool:
    if size.headings or size.links < _MENU_LINKS or size.density < 0.9 or size.linked > _MENU_WORD * size.links:
        return False
    return any(not (link.attributes.get("href") or "#").startswith("#") for link in node.css("a"))


def _start(node: LexborNode) -> str:
    return " ".join(node.text(deep=True)[:400].split())
