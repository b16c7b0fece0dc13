"""The walk over a page's tree: every text node once, into the text or into the account of what was left out.

It keeps a stack of its own, since hostile pages nest deeper than Python does.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from yinju.load.builder import TextBuilder
from yinju.load.parsed import visible
from yinju.load.web.formula import AS_DRAWN, math_text, tex
from yinju.load.web.furniture import OUTSIDE, Place, Rules, Strictness
from yinju.load.web.hidden import shade
from yinju.load.web.names import HEADINGS, INLINE
from yinju.load.web.tables import is_data
from yinju.load.web.tree import children, inner_text
from yinju.load.web.writer import MARKERS, Writer

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

_ARTICLE = frozenset(("main", "article", "section"))
_DRAWN_TEXT = frozenset(("text", "foreignobject", "foreignObject"))
_RAISED = str.maketrans("0123456789+-−=()ni", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿⁱ")
_EXPONENT = re.compile(r"[-+−=()0-9ni]{1,8}")
_NOTE_NUMBER = re.compile(r"[0-9]{1,4}|[a-z*†‡§¶#]{1,2}|[一二三四五六七八九十]{1,3}|[①-⑳]")
_NOTE_LINK = re.compile(r"footnote-?ref|noteref|\bfnref")
_BACK_LINK = re.compile(r"footnote-?back|footnote-backref|reversefootnote|backlink|fnback")
_FACT = re.compile(r"meta|time|date|author|byline|\btag|label|count|badge|publish|source|editor", re.IGNORECASE)
_CODE = re.compile(r"token|hljs|highlight|\bpl-")
_OUTLINE = re.compile(r"mso-outline-level\s*:\s*([1-9])")
_FORMULA_PICTURE = re.compile(r"equation\?tex=|latex|codecogs|math-fallback-image|\btex\b", re.IGNORECASE)
_BEGUN = 200  # characters after which the article has begun even without a heading
DESCRIPTIONS = "descriptions of pictures"
_TELLING = 6  # characters of a description that says anything
_FILE_NAME = re.compile(r"\.(?:png|jpe?g|gif|webp|svg|bmp)$", re.IGNORECASE)
_COLOURED = frozenset(("style", "color", "bgcolor", "background"))
_NOTHING: dict[str, str | None] = {}


class Walk:
    """One walk; `images` and `places` are known when it is over."""

    def __init__(self, builder: TextBuilder, rules: Rules, cells: int) -> None:
        self.builder = builder
        self.rules = rules
        self.writer = Writer(builder, cells)
        self.images = 0
        self.places: dict[str, int] = {}
        self.white = 0  # visible characters that are perhaps of the colour of the page

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a reader of the receipt should know."""
        doubtful = self.white + self.rules.unhidden
        return (f"hidden-text: {doubtful}",) if doubtful else ()

    def through(self, root: LexborNode, main: LexborNode | None) -> None:
        """Walk the whole tree; with a main part, what lies outside is furniture but for paragraphs of running text."""
        main_id = main.mem_id if main is not None else None
        stack: list[tuple[LexborNode, str, Place, int]] = [(root, "" if main is None else OUTSIDE, Place(), -1)]
        while stack:
            node, reason, place, leaving = stack.pop()
            if leaving >= 0:
                self.writer.leave(node.tag or "", leaving)
                if node.tag == "a" and (behind := node.next) is not None and behind.tag == "a":
                    self.writer.space()
            elif node.is_text_node:
                text = node.text_content or ""
                if reason:
                    self.builder.account[reason] += visible(text)
                else:
                    self.writer.write(text)
            elif node.is_element_node:
                tag, attributes = node.tag or "", node.attributes or _NOTHING
                reason = "" if node.mem_id == main_id else self._reason(node, tag, attributes, place, reason)
                if not reason and attributes:
                    place, reason = self._shaded(node, attributes, place)
                if reason == OUTSIDE:
                    stack += [(child, reason, place, -1) for child in reversed(children(node))]
                elif reason:
                    self.builder.account[reason] += visible(inner_text(node))
                elif not self._whole(node, tag, attributes):
                    level = 0 if self.writer.grid or self.writer.headings else _heading_level(tag, attributes)
                    self.writer.enter(node, tag, attributes, level)
                    self.rules.started = self.rules.started or level > 0 or self.builder.position > _BEGUN
                    if (
                        tag == "table"
                        and not self.writer.grid
                        and not self.writer.headings
                        and is_data(node, self.rules.sizes)
                    ):
                        self.writer.begin_table()
                    place = _below(tag, level, place)
                    self._apart(node, tag, attributes)
                    stack.append((node, "", place, level))
                    stack += [(child, "", place, -1) for child in reversed(children(node))]
        self.writer.block()

    def _reason(
        self, node: LexborNode, tag: str, attributes: Mapping[str, str | None], place: Place, above: str
    ) -> str:
        self.rules.in_table = self.writer.grid is not None
        own = self.rules.left_out(node, tag, attributes, place)
        if own or not above:
            return own
        return "" if self.rules.worth_keeping(node, tag) else above

    def _shaded(self, node: LexborNode, attributes: Mapping[str, str | None], place: Place) -> tuple[Place, str]:
        """Text in the colour of what is behind it is hidden; where that colour is only likely, a warning says so."""
        if attributes.keys().isdisjoint(_COLOURED):
            return (place._replace(shade="?") if "class" in attributes and place.shade != "?" else place), ""
        ground, same = shade(attributes, place.shade)
        if same == "same" and self.rules.strictness < Strictness.ANYTHING:
            return place, "hidden parts"
        if same:
            self.white += self.rules.size(node).text
        return place._replace(shade=ground), ""

    def _apart(self, node: LexborNode, tag: str, attributes: Mapping[str, str | None]) -> None:
        """Names, dates and counts in neighbouring elements stand apart on the page by its style sheet."""
        if tag in INLINE and attributes and (before := node.prev) is not None and before.is_element_node:
            named = f"{attributes.get('class') or ''} {attributes.get('id') or ''}"
            if _FACT.search(named) and not _CODE.search(named) and node.text(deep=True)[:1].isalnum():
                self.writer.space()

    def _whole(self, node: LexborNode, tag: str, attributes: Mapping[str, str | None]) -> bool:
        """Take elements that are read as one piece; say whether this was one."""
        if attributes and (identity := attributes.get("id")):
            self.places.setdefault(identity, self.builder.position)
        if tag == "figure":
            self._figure(node)
            return False
        if tag == "math":
            self.writer.piece(math_text(node, self.builder))
        elif tag == "script":
            self._script(node)
        elif tag == "svg":
            self._drawing(node)
        elif tag == "input":
            self._box(node, attributes)
            return False
        elif tag in ("sup", "a"):
            return self._note(node, tag, attributes)
        elif tag == "img":
            self._image(attributes)
            return False
        else:
            style = attributes.get("style") or ""
            return "mso-" in style and self._of_word(node, style)
        return True

    def _of_word(self, node: LexborNode, style: str) -> bool:
        if "mso-element:comment" in style.replace(" ", ""):
            self.builder.drop("comment", inner_text(node))
            return True
        if "mso-list:ignore" in style.replace(" ", "").lower():
            number = " ".join(inner_text(node).split())
            if len(number) == 1 and not number.isdigit():  # a letter of a font of pictures
                self.builder.drop(MARKERS, number)
                self.writer.set_marker("- ")
            else:
                self.writer.piece(number + " ")
            return True
        return False

    def _script(self, node: LexborNode) -> None:
        source = inner_text(node)
        self.writer.piece(tex(source, self.builder))
        self.builder.drop(AS_DRAWN, visible(source) - visible(" ".join(source.split())))

    def _image(self, attributes: Mapping[str, str | None]) -> None:
        """Pictures are counted. Their description is text only where the picture stands for text: a formula, a sign of feeling, a figure."""
        self.images += 1
        alt = " ".join((attributes.get("alt") or "").split())
        if not alt:
            return
        named = f"{attributes.get('class') or ''} {attributes.get('src') or ''}"
        formula = "eeimg" in attributes or _FORMULA_PICTURE.search(named) is not None
        if "footnote" in named and len(alt) >= _TELLING:  # how some Chinese books keep their notes
            self.writer.write(self.builder.added(DESCRIPTIONS, f"[{alt}]"))
        elif formula or "emoji" in named.lower():
            shown = f"${alt}$" if formula and not alt.startswith("$") else alt
            self.writer.write(self.builder.added(DESCRIPTIONS, shown))

    def _box(self, node: LexborNode, attributes: Mapping[str, str | None]) -> None:
        """Whether a task in a list is done."""
        above = node.parent
        in_item = above is not None and (above.tag == "li" or (above.parent is not None and above.parent.tag == "li"))
        if attributes.get("type") == "checkbox" and in_item:
            self.writer.piece(self.builder.added("check marks", "[x]" if "checked" in attributes else "[ ]"))

    def _figure(self, node: LexborNode) -> None:
        """A figure without any words has its description for a caption."""
        picture = node.css_first("img[alt]") if not self.rules.size(node).text else None
        alt = " ".join((picture.attributes.get("alt") or "").split()) if picture is not None else ""
        if len(alt) >= _TELLING and not _FILE_NAME.search(alt):
            self.writer.write(self.builder.added(DESCRIPTIONS, alt))

    def _drawing(self, node: LexborNode) -> None:
        """Words in a drawing are kept, each on its line; its titles and styles are not."""
        self.images += 1
        words = [text for text in node.css("text, foreignObject") if inner_text(text).strip() and not _nested(text)]
        shown = "\n".join(" ".join(inner_text(text).split()) for text in words)
        self.builder.drop("drawings", visible(inner_text(node)) - visible(shown))
        if shown:
            self.writer.piece(f"\n{shown}\n")

    def _note(self, node: LexborNode, tag: str, attributes: Mapping[str, str | None]) -> bool:
        """Numbers of notes are set apart from the word before them, exponents are written as such."""
        named = f"{attributes.get('class') or ''} {attributes.get('epub:type') or ''} {attributes.get('role') or ''} {attributes.get('rev') or ''}"
        if tag == "a" and not (attributes.get("href") or "").startswith("#") and not named.strip():
            return False
        text = inner_text(node).strip()
        if len(text) > 8 or not text:
            return False
        if tag == "a":
            if _BACK_LINK.search(named) and len(text) <= 4:
                self.builder.drop("back links", text)
                return True
            if not _NOTE_LINK.search(named) or not _NOTE_NUMBER.fullmatch(text):
                return False
        elif node.css_first("a") is None or not _NOTE_NUMBER.fullmatch(text):
            if not _EXPONENT.fullmatch(text) or self.writer.preformatted:
                return False
            self.writer.piece(text.translate(_RAISED))
            return True
        self.writer.piece(f"[{text}]")
        self.builder.added("note mark", "[]")
        return True


def _below(tag: str, level: int, place: Place) -> Place:
    """Return what is known below an element of this name."""
    if tag in _ARTICLE:
        return place._replace(in_article=True)
    return place._replace(in_heading=True) if level or tag in ("summary", "dt") else place


def _nested(node: LexborNode) -> bool:
    above = node.parent
    while above is not None and above.tag != "svg":
        if above.tag in _DRAWN_TEXT:
            return True
        above = above.parent
    return False


def _heading_level(tag: str, attributes: Mapping[str, str | None]) -> int:
    if tag in HEADINGS:
        return HEADINGS[tag]
    if not attributes:
        return 0
    if attributes.get("role") == "heading":
        level = attributes.get("aria-level") or "2"
        return min(int(level), 9) if level.isascii() and level.isdigit() and len(level) < 3 and int(level) else 2
    if tag == "p":
        match = _OUTLINE.search(attributes.get("style") or "")
        if match:
            return int(match[1])
        return 1 if attributes.get("class") == "MsoTitle" else 0
    return 0
