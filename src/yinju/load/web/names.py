"""The elements of HTML by what they do: a table of names, so that no other module lists them again."""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


HEADINGS = {f"h{level}": level for level in range(1, 7)}
LISTS = _words("ul ol menu dir")
BLOCKS = _words(
    "address article aside blockquote body center dd details dialog dir div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header"
    " hgroup hr html legend li main menu nav ol optgroup p pre search section summary table caption thead tbody tfoot tr ul td th foreignobject"
    " noscript textarea mjx-container"
)
APART = _words("p pre blockquote table ul ol dl figure hr h1 h2 h3 h4 h5 h6 menu dir center")  # an empty line around
INLINE = _words("a b i em strong span font code sub sup small mark u s label time kbd samp var q cite abbr")
STYLES = _words(
    "a b big code em font i nobr s small strike strong tt u"
)  # opened again in each paragraph until they end
VOID = _words("area base br col embed hr img input link meta param source track wbr")
# Elements without an end, or whose end may be left out: they do not nest by themselves.
FLAT = VOID | _words(
    "keygen basefont bgsound frame command image p li dt dd tr td th thead tbody tfoot caption colgroup option optgroup rb rt rtc rp html head"
    " body"
)
NO_TEXT = _words("script style template noscript iframe object head title select option datalist textarea rp rt")
FIELDS = _words("textarea select input")
OF_SITE = _words("header footer aside")
NAVIGATION_ROLES = _words("navigation search banner contentinfo menu menubar toolbar complementary")
MAY_BE_MAIN = _words("main article div section td body")
