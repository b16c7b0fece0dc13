"""Which parts of a web page are not its text: what is never text, what a reader does not see, what belongs to the site and not to the page.

A paragraph lost is worse than a menu kept. So a name such as `related` or `sidebar` decides nothing by itself: the part must be mostly links,
or fields, or short. Where the rules leave nearly nothing, `html.py` reads the page again with fewer of them (`Strictness`).
"""

from __future__ import annotations

import re
from enum import IntEnum
from typing import TYPE_CHECKING, NamedTuple

from yinju.load.web.hidden import hidden, may_be_shown
from yinju.load.web.measure import Size
from yinju.load.web.names import INLINE, MAY_BE_MAIN, NAVIGATION_ROLES, OF_SITE
from yinju.load.web.phrases import by_words
from yinju.load.web.properties import squeezed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from selectolax.lexbor import LexborNode

FURNITURE, OUTSIDE, NAVIGATION, SCRIPTS, CONTROLS = (
    "page furniture",
    "outside the article",
    "navigation",
    "scripts and styles",
    "controls",
)
_NEARLY_ALL = 0.8  # of the page's text: what is hidden then waits for a script, as a page that was saved too early
MAIN_SHARE = 0.5  # of the page's text that is no links, for an element to stand for the page
_NEVER_TEXT = {
    **dict.fromkeys(("script", "style", "template", "iframe", "object", "embed", "xml", "noframes", "noembed"), SCRIPTS),
    **dict.fromkeys(("title", "meta", "link", "base"), "title, kept as metadata"),
    **dict.fromkeys(("select", "option", "datalist", "video", "audio", "canvas"), CONTROLS),
    **dict.fromkeys(("rt", "rp", "rtc"), "reading aids"),
}  # fmt: skip
_OF_ROLE = {"banner": "header", "contentinfo": "footer", "complementary": "aside"}
_ITEMS = frozenset(("li", "dd", "dt", "tr", "h1", "h2", "h3", "h4", "h5", "h6", "figcaption", "caption"))
_UNFOLDS = frozenset(("aria-expanded", "aria-controls", "data-toggle", "data-bs-toggle", "data-target"))
_PARAGRAPH = 60  # visible characters of running text (Chinese half of it) that are worth more than tidiness
_PERMALINK = re.compile(r"headerlink|anchor|hash-?link|permalink", re.IGNORECASE)
_PERMALINK_SIGNS = frozenset(("§", "¶", "#", "🔗", "\u200b"))
_PAGE_BREAK = re.compile(r"\bdoc-pagebreak\b|\bpagebreak\b|\bpage-?(?:num(?:ber)?|no)\b|ebookmaker-pageno")
_PAGE_NUMBER = re.compile(r"[\[({]?(?:p\.?\s?|pg\s?)?(?:[0-9]{1,4}|[ivxlcdm]{1,8})[\])}]?", re.IGNORECASE)
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_LINE_NUMBERS = re.compile(r"line-?no|line-?num|pre-numbering|hljs-ln-n|\bgutter\b|\blinenos\b")
# What a name of a class or an id promises. `notice`: dropped where it is short; `small`: where it is short and has links; `mark`: also inside a line;
# `links`: where it is mostly links; `weak`: so, and outside the article; `contents`: where it is links; `form`: where it has fields.
_NAMED: tuple[tuple[re.Pattern[str], str, str], ...] = tuple(
    (re.compile(rf"(?:^|[\s_-])(?:{names})(?:$|[\s_-])"), kind, what)
    for names, kind, what in (
        (r"cookies?|consent|gdpr|ccpa|cookie\w+|onetrust|cc-window", "notice", "cookie notice"),
        (r"bread-?crumbs?|crumbs?|location-nav|curpos|cur-?position|weizhi", "small", NAVIGATION),
        (r"pagination|pager|page-?nav|paginav|prev-?next|post-?nav\w*|skip-?links?|skip-?to-?content|mw-jump-link", "small", NAVIGATION),
        (r"share|sharing|social|share-?\w+|sns|like-?box|reward|shang|qr-?code|qrcode|ewm|bdsharebuttonbox", "small", FURNITURE),
        (r"mw-editsection|editsection|edit-this-page|edit-?page|edit-link|edit-lemma|lock-lemma|edit-icon|viewcode-link", "mark", CONTROLS),
        (r"copy-?btn|copy-?code|hljs-button|btn-copy|copyright-?btn", "mark", CONTROLS),
        (r"after-dropdown-toc|mw-indicators|printfooter|catlinks|navbox|sistersitebox|vector-\w+", "wiki", NAVIGATION),
        (r"nav|navbar|nav-?\w+|menu|menus|top-?bar|topnav|mainnav|sub-?nav|side-?nav|tabbar|dropdown|toolbar|tool-?box", "links", NAVIGATION),
        (r"side-?bar\w*|sider|aside|right-?bar|left-?bar|right-?side\w*|left-?side\w*|side-?column", "links", "side bar"),
        (r"widget\w*|rail|channel|bottom", "weak", "side bar"),
        (r"related\w*|recommend\w*|more-?posts|read-?next|you-?may|also-?like", "links", "related pages"),
        (r"similar|hot-?\w*|tuijian|xgyd|relative\w*|rank\w*|tags?-?cloud", "weak", "related pages"),
        (r"toc|table-?of-?contents|contents|outline|on-?this-?page|catalog\w*|mulu|md-sidebar", "contents", "table of contents"),
        (r"foot|footer\w*|copyright|copy-?right|site-?info|friend-?links?|friendlink", "links", FURNITURE),
        (r"ad|ads|advert\w*|adsbygoogle|sponsor\w*|promo\w*|guanggao", "weak", "advertising"),
        (r"comment-?form|respond|reply-?form|newsletter|subscribe\w*|search|search-?\w+|searchbox", "form", CONTROLS),
        (r"login|log-?in|sign-?(?:in|up)|register|modal|popup|overlay|toast|drawer|lightbox", "form", CONTROLS),
    )
)  # fmt: skip
_ANY_NAME = re.compile("|".join(f"(?:{pattern.pattern})" for pattern, _, _ in _NAMED))
_SMALL, _FEW_WORDS, _LABEL = 400, 60, 20  # visible characters of a notice; of a line; of a label over links


class Strictness(IntEnum):
    """How much is left out: everything by the rules; without looking for a main part and names; only what nobody sees; only what is no text."""

    PAGE, LANDMARKS, SEEN, ANYTHING = range(4)


class Place(NamedTuple):
    """What is known of the elements above."""

    in_article: bool = False  # a header or footer belongs to the article here
    in_heading: bool = False
    formula: bool = False
    shade: str = ""  # the colour behind the text, `?` where a class may have set one


class Rules:
    """The decision for one page."""

    def __init__(self, sizes: dict[int, Size], body: LexborNode | None, strictness: Strictness) -> None:
        self.sizes = sizes
        self.strictness = strictness
        self.whole = sizes.get(body.mem_id, Size()) if body is not None else Size()
        self.title_missing = False  # in the main part
        self.site = ""  # the site's name as it ends the page's title
        self.started = False  # the article has begun
        self.in_table = False  # of data: no furniture stands there
        self.unhidden = 0  # visible characters of hidden parts that are text nevertheless
        self._promised: dict[str, tuple[tuple[str, str], ...]] = {}

    def size(self, node: LexborNode) -> Size:
        """Return what this element holds."""
        return self.sizes.get(node.mem_id) or Size()

    def left_out(self, node: LexborNode, tag: str, attributes: Mapping[str, str | None], place: Place) -> str:
        """Return why this element is no text of the page, or nothing."""
        if tag in _NEVER_TEXT and not (tag == "script" and (attributes.get("type") or "").startswith("math/tex")):
            return _NEVER_TEXT[tag]
        if tag == "noscript":
            return "" if self.strictness == Strictness.ANYTHING else "shown without scripts"
        if self.strictness == Strictness.ANYTHING:
            self.unhidden = max(self.unhidden, self.size(node).text if hidden(attributes) else 0)
            return ""
        named = ""
        if attributes:
            named = _CAMEL.sub("-", f"{attributes.get('class') or ''} {attributes.get('id') or ''}").lower().strip()
        return self._unseen(node, tag, attributes, place, named) or (
            self._of_page(node, tag, attributes, place, named) if self.strictness < Strictness.SEEN else ""
        )

    def _unseen(
        self, node: LexborNode, tag: str, attributes: Mapping[str, str | None], place: Place, named: str
    ) -> str:
        if tag in ("button", "textarea", "dialog") and self._is_control(node, tag, attributes, place):
            return CONTROLS
        if not attributes:
            return ""
        if tag == "a" and _is_permalink(node, attributes):
            return "heading links"
        if self._is_hidden(node, tag, attributes):
            return "hidden parts"
        return (
            _small_part(node, tag, attributes, named)
            if named or "role" in attributes or "epub:type" in attributes
            else ""
        )

    def _of_page(
        self, node: LexborNode, tag: str, attributes: Mapping[str, str | None], place: Place, named: str
    ) -> str:
        if self.in_table:
            return ""
        role = (attributes.get("role") or "").lower()
        reason = ""
        if tag in OF_SITE or tag == "nav" or role in NAVIGATION_ROLES:
            reason = self._of_site(node, tag if tag in OF_SITE else _OF_ROLE.get(role, "nav"), place)
        elif role in ("dialog", "alertdialog"):
            reason = CONTROLS if self.size(node).own < _SMALL else ""
        elif tag == "a" and "hreflang" in attributes:
            reason = "links to other languages"
        elif tag == "form":
            size = self.size(node)
            search = size.fields and size.own < _SMALL and "search" in str(attributes).lower()
            reason = CONTROLS if search else ""
        elif self.strictness == Strictness.PAGE and named and tag not in ("body", "html", "main", "article"):
            reason = self._by_name(node, tag, named, place)
        return reason or self._by_words(node, tag)

    def _by_words(self, node: LexborNode, tag: str) -> str:
        if self.strictness != Strictness.PAGE:
            return ""
        return by_words(node, tag, self.size(node), self.whole, self.started)

    def worth_keeping(self, node: LexborNode, tag: str) -> bool:
        """Say whether an element outside the main part is a paragraph of running text, which is never thrown away with the furniture."""
        if tag == "h1":
            return self.title_missing and squeezed(node.text(deep=True)) != self.site
        if tag not in ("p", "blockquote", "pre", "table", "li", "dd"):
            return False
        size = self.size(node)
        return size.density < 0.4 and _is_running(node, size)

    def _is_control(self, node: LexborNode, tag: str, attributes: Mapping[str, str | None], place: Place) -> bool:
        if tag == "dialog":
            return "open" not in attributes
        if tag == "textarea":
            return len(node.text(deep=True)) < _SMALL
        if "accordion" in (attributes.get("class") or ""):
            return False
        if not place.in_heading or node.parent is None:
            return True
        return attributes.keys().isdisjoint(_UNFOLDS) and self.size(node.parent).text > self.size(node).text

    def _is_hidden(self, node: LexborNode, tag: str, attributes: Mapping[str, str | None]) -> bool:
        if not hidden(attributes):
            return False
        if tag in ("body", "html", "main", "article") or attributes.get("id") == "js_content":
            return False  # scripts show the page once it has come
        size = self.size(node)
        nearly_all = size.text > _NEARLY_ALL * self.whole.text and (size.headings or size.text > _SMALL)
        if self.strictness < Strictness.SEEN and nearly_all and may_be_shown(attributes):
            self.unhidden = max(self.unhidden, size.text)
            return False
        return node.css_first("math") is None or "math" not in str(attributes)

    def _of_site(self, node: LexborNode, tag: str, place: Place) -> str:
        """A header, footer or aside inside the article belongs to the article; one that holds its title or long running text, too."""
        if self.strictness >= Strictness.SEEN or (tag != "nav" and place.in_article):
            return ""
        size = self.size(node)
        if tag == "header" and size.titles and size.titles == self.whole.titles and size.density < 0.5:
            return ""
        if size.own > (1000 if tag == "footer" else 250) and size.density < 0.4 and not size.fields:
            return ""
        return NAVIGATION if tag == "nav" else FURNITURE

    def _by_name(self, node: LexborNode, tag: str, named: str, place: Place) -> str:
        if tag in _ITEMS:
            return ""
        promises = self._promised.get(named)
        if promises is None:
            promises = self._promised[named] = _promises(named)
        if not promises:
            return ""
        size = self.size(node)
        if size.titles and size.titles == self.whole.titles:
            return ""
        fits = (
            what for kind, what in promises if self._fits(kind, size, tag) and not (kind == "weak" and place.in_article)
        )
        return next(fits, "")

    def _fits(self, kind: str, size: Size, tag: str) -> bool:
        if 4 * size.own > self.whole.own and size.own > _FEW_WORDS:
            return False  # it is most of the page
        if kind in ("wiki", "mark"):
            return kind == "wiki" or size.text < _FEW_WORDS
        if kind in ("links", "weak"):
            return size.links > 1 and (size.density >= 0.6 or size.own <= _LABEL) and tag not in INLINE
        if kind == "contents":
            return size.links > 0 and size.density >= 0.6 and tag not in INLINE
        if kind == "form":
            return size.fields > 0 and size.own < _SMALL
        if kind == "small" and ((not size.links and tag != "a") or tag in INLINE - {"a"}):
            return False
        return size.text < _SMALL and (size.own < _PARAGRAPH or tag not in ("p", "pre", "blockquote", "table"))


def main_part(body: LexborNode, sizes: dict[int, Size]) -> LexborNode | None:
    """Return the element that holds the page's text, where there is one beyond doubt, the page's only title included; else None."""
    whole = sizes.get(body.mem_id, Size())
    for selector in _MAIN:
        found = [node for node in body.css(selector) if node.tag in MAY_BE_MAIN]
        if len(found) != 1:
            continue
        size = sizes.get(found[0].mem_id, Size())
        if size.own >= MAIN_SHARE * max(1, whole.own) and size.text:
            return _with_title(found[0], body, sizes)
    return None


def _with_title(node: LexborNode, body: LexborNode, sizes: dict[int, Size]) -> LexborNode | None:
    """Return the element, or the nearest one above it that also holds the page's title; None where that is the whole page."""
    whole, chosen = sizes.get(body.mem_id, Size()), node
    while not sizes.get(chosen.mem_id, Size()).titles and whole.titles:
        above = chosen.parent
        if above is None or above.mem_id == body.mem_id:
            return node
        chosen = above
    return chosen


_MAIN = (
    *("main", "[role=main]", "#js_article", "article", "[itemprop=articleBody]", ".theme-doc-markdown", ".markdown-body", "#mw-content-text"),
    *(".vp-doc", ".theme-default-content", ".theme-hope-content", ".md-content", ".rst-content", "#article_content", "#js_content", "#artibody"),
    *(".RichContent-inner", ".Post-RichTextContainer", ".TRS_Editor", ".pages_content", "#UCAP-CONTENT", ".entry-content", ".post-content"),
    *(".article-content", ".article_content", ".article-body", ".post-body", ".news-content", "#zoom", "#vsb_content", ".markdown-section"),
)  # fmt: skip


def _is_running(node: LexborNode, size: Size) -> bool:
    text = node.text(deep=True)
    chinese = sum(1 for c in text[:200] if "\u3400" <= c <= "\u9fff") > 20
    return size.own >= (_PARAGRAPH // 2 if chinese else _PARAGRAPH) and any(mark in text for mark in "。！？；.!?;")


def _promises(named: str) -> tuple[tuple[str, str], ...]:
    if not _ANY_NAME.search(named):
        return ()
    return tuple((kind, what) for pattern, kind, what in _NAMED if pattern.search(named))


def _small_part(node: LexborNode, tag: str, attributes: Mapping[str, str | None], named: str) -> str:
    """Marks that stand inside the text of an article."""
    if tag == "span" and "mw-cite-backlink" in named:
        return "back links"
    if _LINE_NUMBERS.search(named) and _only_numbers(node.text(deep=True)):
        return "line numbers"
    if "mathjax" in named and ("mathjax_preview" in named or tag == "span"):
        return "formulas as drawn"
    if _PAGE_BREAK.search(f"{named} {attributes.get('epub:type') or ''} {attributes.get('role') or ''}"):
        return "page numbers" if _PAGE_NUMBER.fullmatch(node.text(deep=True).strip()) else ""
    return ""


def _is_permalink(node: LexborNode, attributes: Mapping[str, str | None]) -> bool:
    """A sign beside a heading that links to it."""
    if "#" not in (attributes.get("href") or ""):
        return False
    text = node.text(deep=True).strip()
    return len(text) <= 2 and (text in _PERMALINK_SIGNS or _PERMALINK.search(attributes.get("class") or "") is not None)


def _only_numbers(text: str) -> bool:
    return all(c.isdigit() or c.isspace() for c in text)
