"""Title, author, dates, address and language of a page, from its head and from what it marks itself as such."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from yinju.load.plain.frontmatter import standard_names

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

_META = {
    "author": ("author", "article:author", "dc.creator", "dcterms.creator", "citation_author", "parsely-author"),
    "created": (
        *("article:published_time", "og:published_time", "date", "dc.date", "dcterms.created", "pubdate", "publishdate", "publish_time"),
        *("publish-date", "datepublished", "citation_publication_date", "parsely-pub-date", "weibo:article:create_at"),
    ),
    "modified": (
        *("article:modified_time", "og:updated_time", "last-modified", "dcterms.modified", "datemodified", "revised"),
        "weibo:article:update_at",
    ),
    "description": ("description", "og:description", "dc.description"),
    "keywords": ("keywords",),
    "site": ("og:site_name", "application-name", "sitename"),
}  # fmt: skip
_ADDRESS = re.compile(r"https?://", re.IGNORECASE)
_SAVED_FROM = re.compile(r"<!--\s*saved from url=\(\d+\)(https?://\S+)\s*-->", re.IGNORECASE)
_BETWEEN = re.compile(r"\s+[-|–—·•»:]\s+|\s*[_|｜]+\s*|\s*-{2,}\s*|(?<=[\u3400-\u9fff）】])-(?=[\u3400-\u9fffA-Z])")
_DATE = re.compile(r"((?:19|20)\d\d)\s?[-/.年]\s?(1[0-2]|0?[1-9])\s?[-/.月]\s?(3[01]|[12]\d|0?[1-9])(?!\d)")
_SAID = re.compile(r"(?:发布|发表|发文|成文|印发|更新)(?:时间|日期)\s*[:：]\s*" + _DATE.pattern)
_LONGEST = 1000  # characters of one value


def properties(tree: LexborHTMLParser, source: str) -> tuple[str | None, dict[str, Any]]:
    """Return the page's own title as it stands there, and its metadata."""
    found: dict[str, str] = {}
    for node in tree.css("meta"):
        key = (_value(node, "name") or _value(node, "property") or _value(node, "itemprop")).lower()
        if key and (content := _value(node, "content")):
            found.setdefault(key, content)
    metadata: dict[str, Any] = {
        name: next((found[key] for key in keys if key in found), None) for name, keys in _META.items()
    }
    if metadata["author"] and _ADDRESS.match(metadata["author"]):
        metadata["author"] = None
    metadata["author"] = metadata["author"] or _text(tree, "[rel=author], [itemprop=author] [itemprop=name]", 60)
    if not metadata["created"]:
        metadata["created"] = _time(tree, "time[pubdate], time[itemprop=datePublished], article time[datetime]")
    if not metadata["modified"]:
        metadata["modified"] = _time(tree, "time[itemprop=dateModified]")
    metadata["created"] = metadata["created"] or _linked_data(tree, "datePublished") or _shown_date(tree)
    metadata["modified"] = metadata["modified"] or _linked_data(tree, "dateModified")
    metadata["url"] = _address(tree, found, source)
    root = tree.css_first("html")
    metadata["lang"] = (_value(root, "lang") or _value(root, "xml:lang"))[:20] if root is not None else None
    title = tree.css_first("head > title") or tree.css_first("title")
    shown = " ".join((title.text(deep=True) if title is not None else "").split()) or found.get("og:title")
    return shown or None, standard_names({key: value for key, value in metadata.items() if value})


def best_title(headings: list[str], title: str | None, site: str | None) -> str | None:
    """Return the page's title: the first heading that the page's own title agrees with, else that title without the site's name."""
    plain, last = squeezed(title or ""), site_name(title)
    shown = [heading for heading in headings if heading and heading != site]
    agreeing = [one for one in shown if len(squeezed(one)) > 1 and squeezed(one) in plain and squeezed(one) != last]
    if agreeing:
        return agreeing[0]
    if len(shown) == 1 and squeezed(shown[0]) != last:
        return shown[0]
    pieces = [piece for piece in _BETWEEN.split(title or "") if piece.strip()]
    return _without_site(title, pieces, site) or (shown[0] if shown else None)


def _without_site(title: str | None, pieces: list[str], site: str | None) -> str | None:
    if not title or len(pieces) < 2:
        return title
    if site and pieces[0].strip() == site:
        return title[title.index(pieces[1]) :].strip()
    last = title.rindex(pieces[-1])
    before = _BETWEEN.split(title[:last].rstrip())[0] if len(pieces) == 2 else title[:last]
    shortened = before.strip(" -_|｜–—·•»:\t")
    return shortened if len(shortened) >= len(pieces[-1].strip()) / 2 and len(shortened) > 1 else title


def site_name(title: str | None) -> str:
    """Return what ends the page's title behind a sign, squeezed, or nothing."""
    pieces = [piece for piece in _BETWEEN.split(title or "") if piece.strip()]
    return squeezed(pieces[-1]) if len(pieces) > 1 else ""


def squeezed(text: str) -> str:
    """Return the text without white space and differences of case."""
    return "".join(text.split()).casefold()


def _value(node: LexborNode, attribute: str) -> str:
    return " ".join((node.attributes.get(attribute) or "").split())[:_LONGEST]


def _text(tree: LexborHTMLParser, selector: str, longest: int) -> str | None:
    node = tree.css_first(selector)
    text = " ".join(node.text(deep=True).split()) if node is not None else ""
    return text if 0 < len(text) <= longest else None


def _time(tree: LexborHTMLParser, selector: str) -> str | None:
    node = tree.css_first(selector)
    return (_value(node, "datetime") or None) if node is not None else None


def _linked_data(tree: LexborHTMLParser, name: str) -> str | None:
    """Return a date from the page's data for search engines; as text, for that data may be broken or deep."""
    for node in tree.css("script[type='application/ld+json']"):
        match = re.search(rf'"{name}"\s*:\s*"([^"\\]{{4,40}})"', node.text(deep=True))
        if match:
            return match[1]
    return None


def _shown_date(tree: LexborHTMLParser) -> str | None:
    for node in tree.css(
        "#publish_time, #pubtime, .publish-time, .publish_time, .pubtime, .pub-time, .post-date, .article-time"
    ):
        if match := _DATE.search(node.text(deep=True)[:100]):
            return iso_date(match)
    return None


def date_said(text: str) -> str | None:
    """Return the date that a page's first lines give as that of its publication."""
    match = _SAID.search(text[:1500])
    return iso_date(match) if match else None


def iso_date(match: re.Match[str]) -> str:
    """Return year, month and day of a match as one date."""
    return f"{match[1]}-{int(match[2]):02}-{int(match[3]):02}"


def _address(tree: LexborHTMLParser, found: dict[str, str], source: str) -> str | None:
    link = tree.css_first("link[rel=canonical]")
    saved = _SAVED_FROM.search(source[:4096])
    candidates = (_value(link, "href") if link is not None else "", found.get("og:url", ""), saved[1] if saved else "")
    return next((address for address in candidates if _ADDRESS.match(address)), None)
