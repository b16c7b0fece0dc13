"""What the styles of an OpenDocument file say that a reader needs: which paragraphs are headings, how lists count, what is hidden."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from yinju.load.office.docx_numbering import number_text
from yinju.load.office.elements import attribute, local, number

_HEADING = re.compile(r"(?:heading|标题|標題)\s*([1-9])", re.IGNORECASE)
_TITLE = re.compile(r"title|标题|標題", re.IGNORECASE)
_ENCODED = re.compile(r"_([0-9a-fA-F]{1,4})_")
_BULLET = "•"
_FORMS = {
    "a": "lowerLetter",
    "A": "upperLetter",
    "i": "lowerRoman",
    "I": "upperRoman",
    "1st": "ordinal",
    "01": "decimalZero",
    "01, 02, 03, ...": "decimalZero",
    "一, 二, 三, ...": "chineseCounting",
    "壹, 贰, 叁, ...": "chineseLegalSimplified",
    "壹, 貳, 參, ...": "ideographLegalTraditional",
    "甲, 乙, 丙, ...": "ideographTraditional",
    "子, 丑, 寅, ...": "ideographZodiac",
    "①, ②, ③, ...": "decimalEnclosedCircle",
    "１, ２, ３, ...": "decimalFullWidth",
}


@dataclass(frozen=True, slots=True)
class Level:
    """One level of a list: bullet or number with what stands around it."""

    bullet: str = ""
    form: str = ""
    prefix: str = ""
    suffix: str = ""
    start: int = 1
    shown_levels: int = 1


@dataclass(slots=True)
class Styles:
    """The styles of content and styles.xml together."""

    parents: dict[tuple[str, str], str] = field(default_factory=dict)  # (family, style) -> its parent
    names: dict[str, str] = field(default_factory=dict)  # paragraph style -> name that people see
    lists: dict[str, dict[int, Level]] = field(default_factory=dict)
    list_of: dict[str, str] = field(default_factory=dict)  # paragraph style -> list style
    outline: dict[int, Level] = field(default_factory=dict)
    raised: dict[str, bool] = field(default_factory=dict)  # styles of raised (or lowered: False) letters
    hidden: set[tuple[str, str]] = field(default_factory=set)  # (family, style) of sheets and slides that are not shown

    def read(self, root: Any) -> None:
        """Add the styles below a root element."""
        for kind in ("styles", "automatic-styles"):
            for style in root.iterfind("{*}" + kind + "/*") if root is not None else ():
                self.add(style)

    def add(self, style: Any) -> None:
        """Add one style."""
        kind, name = local(style), attribute(style, "name")
        if kind == "list-style":
            self.lists[name] = _levels(style)
        elif kind == "outline-style":
            self.outline = _levels(style)
        elif kind == "style":
            family = attribute(style, "family")
            self.parents[family, name] = attribute(style, "parent-style-name")
            self.names[name] = attribute(style, "display-name") or _decoded(name)
            if listed := attribute(style, "list-style-name"):
                self.list_of[name] = listed
            for properties in style:
                if (place := attribute(properties, "text-position")).startswith(("super", "sub", "-")):
                    self.raised[name] = place.startswith("super")
                elif re.match(r"[1-9]", place):
                    self.raised[name] = True
                if attribute(properties, "display") == "false" and local(properties) == "table-properties":
                    self.hidden.add((family, name))
                if attribute(properties, "visibility") == "hidden":
                    self.hidden.add((family, name))

    def heading_level(self, style: str) -> int:
        """Return the level of the heading that a paragraph of this style is, by the names of the style and those above it; 0 for none."""
        seen: set[str] = set()
        while style and style not in seen:
            seen.add(style)
            name = self.names.get(style, _decoded(style)).strip()
            if found := _HEADING.fullmatch(name):
                return int(found[1])
            if _TITLE.fullmatch(name):
                return 1
            style = self.parents.get(("paragraph", style), "")
        return 0


def _decoded(name: str) -> str:
    return _ENCODED.sub(lambda match: chr(int(match[1], 16)), name)


def _levels(style: Any) -> dict[int, Level]:
    found = {}
    for item in style:
        kind, level = local(item), number(attribute(item, "level"), 0)
        if kind.endswith("bullet"):
            sign = attribute(item, "bullet-char")
            shown = len(sign) == 1 and not sign.isalnum() and sign.isprintable() and not "\ue000" <= sign <= "\uf8ff"
            found[level] = Level(bullet=sign if shown else _BULLET)
        elif kind.endswith("image"):
            found[level] = Level(bullet=_BULLET)
        else:
            found[level] = Level(
                form=attribute(item, "num-format"),
                prefix=attribute(item, "num-prefix"),
                suffix=attribute(item, "num-suffix"),
                start=number(attribute(item, "start-value"), 1),
                shown_levels=min(max(number(attribute(item, "display-levels"), 1), 1), 10),
            )
    return found


class Counts:
    """Counts the items of one list, or the headings of a document."""

    def __init__(self) -> None:
        self._counts: dict[int, int] = {}

    def marker(self, levels: dict[int, Level], level: int, start: int | None = None) -> str:
        """Count one item of this level (from 1) and return what stands in front of it; empty for none."""
        current = levels.get(level)
        for deeper in [depth for depth in self._counts if depth > level]:
            del self._counts[deeper]
        first = current.start if current else 1
        self._counts[level] = start if start is not None else self._counts.get(level, first - 1) + 1
        if current is None:
            return "" if levels else _BULLET  # a list without a style of its own
        if current.bullet:
            return current.bullet
        if not current.form:
            return ""
        shown = []
        for depth in range(max(1, level - current.shown_levels + 1), level + 1):
            form = levels[depth].form if depth in levels else ""
            if form:
                shown.append(number_text(self._counts.get(depth, levels[depth].start), _FORMS.get(form, "decimal")))
        return current.prefix + ".".join(shown) + current.suffix
