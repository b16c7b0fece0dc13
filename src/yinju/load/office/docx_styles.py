"""What Word's paragraph styles say, those above them included: which are headings, which belong to a table of contents, which count.

Word keeps the names of its own styles in English whatever its language; other programs write them as their users see them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from yinju.load.office.docx_numbering import Numbering
from yinju.load.office.elements import attribute, is_on, value

_HEADING = re.compile(
    r"(?:heading|标题|標題|見出し|제목|überschrift|titre|título|titolo|заголовок|kop|rubrik|nagłówek|başlık)\s*([1-9])",
    re.IGNORECASE,
)
_TITLE = re.compile(r"title|标题|標題|文档标题|文件标题", re.IGNORECASE)
_CONTENTS = re.compile(
    r"(?:(?:toc|目录|目錄)\s*\d+|table of figures|图表目录|toc heading|toc 标题|目录标题)", re.IGNORECASE
)
_BODY = 9  # the outline level of text


@dataclass(frozen=True, slots=True)
class Style:
    """A paragraph style. `level` 0: no heading."""

    level: int = 0
    contents: bool = False
    number: tuple[str, int] | None = None
    hidden: bool = False


@dataclass(slots=True)
class Styles:
    """The styles of a document, by their ids; unknown ones are plain text."""

    paragraphs: dict[str, Style] = field(default_factory=dict)
    hidden_runs: frozenset[str] = frozenset()  # character styles whose text is not shown

    def of(self, properties: Any) -> Style:
        """Return the style of a paragraph with these properties (w:pPr or None)."""
        name = properties.find("{*}pStyle") if properties is not None else None
        return self.paragraphs.get(attribute(name, "val") if name is not None else "", Style())


@dataclass(frozen=True, slots=True)
class _Own:
    level: int | None  # None: not said
    contents: bool
    number: tuple[str, int] | None
    hidden: bool
    parent: str


def read_styles(root: Any, numbering: Numbering) -> Styles:
    """Return the styles of styles.xml, which may be None."""
    own: dict[str, _Own] = {}
    hidden: set[str] = set()
    for style in root.iterfind("{*}style") if root is not None else ():
        identity = attribute(style, "styleId")
        if attribute(style, "type") == "character" and is_on(style.find("{*}rPr/{*}vanish")):
            hidden.add(identity)
        if attribute(style, "type") not in ("paragraph", ""):
            continue
        own[identity] = _own(style, numbering.styles.get(identity))
        if attribute(style, "default") in ("1", "true"):
            own[""] = own[identity]
    return Styles({identity: _inherited(identity, own) for identity in own}, frozenset(hidden))


def _own(style: Any, number: tuple[str, int] | None) -> _Own:
    named, based = style.find("{*}name"), style.find("{*}basedOn")
    name = (attribute(named, "val") if named is not None else attribute(style, "styleId")).strip()
    heading = _HEADING.fullmatch(name)
    outline = style.find("{*}pPr/{*}outlineLvl")
    level = int(heading[1]) if heading else 1 if _TITLE.fullmatch(name) else None
    if level is None and outline is not None:
        level = value(outline, _BODY) + 1 if 0 <= value(outline, _BODY) < _BODY else 0
    return _Own(
        level,
        bool(_CONTENTS.fullmatch(name)),
        number,
        is_on(style.find("{*}rPr/{*}vanish")),
        attribute(based, "val") if based is not None else "\0",
    )


def _inherited(identity: str, own: dict[str, _Own]) -> Style:
    level: int | None = None
    contents, hidden, number = False, False, None
    seen: set[str] = set()
    while identity in own and identity not in seen:
        seen.add(identity)
        style = own[identity]
        level = style.level if level is None else level
        contents, hidden, number = contents or style.contents, hidden or style.hidden, number or style.number
        identity = style.parent
    return Style(level or 0, contents, number, hidden)
