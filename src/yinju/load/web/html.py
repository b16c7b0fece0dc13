"""Web pages: the main text in blocks, with headings, lists, code and tables; scripts, hidden parts and the furniture of the site left out.

What is left out is decided before the text is written (`furniture.py`), and counted by its reason. Where the rules would leave nearly nothing of
a page, it is read again with fewer of them: a page that is all furniture keeps its text.

For other loaders (mails, books): `html_blocks(builder, data, charset=None) -> Facts` writes the HTML body `data` (bytes or str) into a
`TextBuilder` with marks and account; what it found is `yinju.load.count.web.count_markup(data, charset=None)`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from yinju.load.builder import TextBuilder
from yinju.load.parsed import DEFAULT_LIMITS, Limits, Parsed, visible
from yinju.load.web.furniture import Rules, Strictness, main_part
from yinju.load.web.measure import measure
from yinju.load.web.properties import best_title, date_said, properties, site_name
from yinju.load.web.tree import Page, parse_html
from yinju.load.web.walk import Walk

if TYPE_CHECKING:
    from yinju.load.web.measure import Size

_NEARLY_NOTHING = 0.1  # of the page's text: the rules did not fit
_LITTLE = 200  # visible characters: a page of links may be so short


@dataclass(frozen=True, slots=True)
class Facts:
    """What was learnt of a page beside its text."""

    title: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    images: int = 0  # pictures that were passed over
    warnings: tuple[str, ...] = ()
    places: Mapping[str, int] = field(default_factory=dict)  # id of an element -> where its text begins


def load_html(data: bytes, source: str, limits: Limits) -> Parsed:
    """Return the main text of the page. Raises DocumentError: binary, limit."""
    return read_page(parse_html(data), limits)


def read_page(page: Page, limits: Limits) -> Parsed:
    """Return the main text of a parsed page. Raises DocumentError with code `limit`."""
    body = page.tree.body
    sizes = measure(body) if body is not None else {}
    whole = sizes[body.mem_id] if body is not None and body.mem_id in sizes else None
    title, metadata = properties(page.tree, page.decoded.text)
    for strictness in Strictness:
        builder = TextBuilder()
        walk = _walked(page, sizes, strictness, builder, limits, site_name(title))
        if _enough(builder, whole, strictness):
            break
    if "created" not in metadata and (said := date_said(builder.text())):
        metadata["created"] = said
    headings = [mark.label for mark in builder.marks if mark.kind == "heading" and mark.level == 1]
    return Parsed(
        text=builder.text(),
        marks=builder.sorted_marks(),
        title=best_title(headings, title, metadata.get("site")),
        metadata={"encoding": page.decoded.encoding, **metadata},
        dropped=builder.dropped(),
        images=walk.images,
        warnings=page.warnings + builder.warnings() + walk.warnings,
    )


def html_blocks(
    builder: TextBuilder,
    data: bytes | str,
    charset: str | None = None,
    *,
    limits: Limits = DEFAULT_LIMITS,
    xml: bool = False,
) -> Facts:
    """Write an HTML body that belongs to no site (a mail, a chapter) behind what the builder holds, with an empty line before it.

    Only scripts and what nobody sees are left out. A charset that is given breaks ties only. Raises DocumentError: binary, limit.
    """
    page = parse_html(data, charset, xml=xml)
    body = page.tree.body
    walk = _walked(page, measure(body) if body is not None else {}, Strictness.SEEN, builder, limits)
    title, metadata = properties(page.tree, "")
    return Facts(title, metadata, walk.images, page.warnings + walk.warnings, walk.places)


def _walked(
    page: Page, sizes: dict[int, Size], strictness: Strictness, builder: TextBuilder, limits: Limits, site: str = ""
) -> Walk:
    body = page.tree.body
    main = main_part(body, sizes) if body is not None and strictness == Strictness.PAGE else None
    rules = Rules(sizes, body, strictness)
    rules.title_missing = main is not None and not rules.size(main).titles
    rules.site = site
    walk = Walk(builder, rules, limits.cells)
    if page.tree.root is not None:
        walk.through(page.tree.root, main)
    return walk


def _enough(builder: TextBuilder, whole: Size | None, strictness: Strictness) -> bool:
    """Say whether so much was written that the rules fit the page. What is hidden is only text where there is no other."""
    written = visible(builder.text())
    if not written or whole is None or strictness >= Strictness.SEEN:
        return written > 0
    return written >= _NEARLY_NOTHING * whole.text or (written >= _LITTLE and written >= _NEARLY_NOTHING * whole.own)
