"""What a browser does not show, by the attributes of one element: text may be hidden there from people and not from a model.

Parts that scripts show on a click (tabs, folded answers) are text; so names that say so win over `display: none`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

_UNSEEN = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|(?:^|[;\s])opacity\s*:\s*0*\.?0+%?\s*(?:$|[;!])"
    r"|font-size\s*:\s*0*(?:[01](?:\.0*)?|\.\d+)(?:px|pt)?\s*(?:$|[;!])|font-size\s*:\s*0(?:\.0*)?(?:em|rem|%|vw)"
    r"|(?:left|top|right|text-indent|margin-left|margin-top)\s*:\s*-\s*\d{3,}(?:\.\d+)?(?:px|em|rem|pt|vw|%)"
    r"|clip\s*:\s*rect\(\s*(?:0|1px)[\s,]|clip-path\s*:\s*inset\(\s*(?:50|100)%|transform\s*:\s*scale[xy]?\(\s*0\s*\)|mso-hide\s*:\s*all"
    r"|(?:^|[;\s])color\s*:\s*transparent",
    re.IGNORECASE,
)
_NO_ROOM = re.compile(r"(?:^|[;\s])(?:max-)?(?:height|width)\s*:\s*0(?:px|em|%|pt)?\s*(?:$|[;!])", re.IGNORECASE)
_CUT_OFF = re.compile(r"overflow(?:-[xy])?\s*:\s*(?:hidden|clip)", re.IGNORECASE)
_FOLDED = re.compile(
    r"tab-?pane|tab-?content|tab_?con|tabs?__|accordion|collaps|answer|faq|spoiler|toggle|expand|fold|unfold|more-?text|details|panel|js_content",
    re.IGNORECASE,
)
_SCREEN_READERS = re.compile(
    r"(?:^|\s)(?:sr-only|visually-?hidden|screen-reader(?:-text)?|a11y-hidden|offscreen)(?:$|\s)", re.IGNORECASE
)
_DECEIVING = re.compile(r"font-size|text-indent|clip|scale|-\s*\d{3,}|color\s*:|height|width|mso-hide", re.IGNORECASE)
_COLOUR = re.compile(r"(?:^|[;\s])(?:(background)(?:-color)?|color)\s*:\s*([^;!]+)", re.IGNORECASE)
_WHITE = {"white": "#ffffff", "#fff": "#ffffff", "black": "#000000", "#000": "#000000"}


def hidden(attributes: Mapping[str, str | None]) -> bool:
    """Say whether an element with these attributes is not shown."""
    if "note" in (attributes.get("epub:type") or ""):
        return False  # a note that a reader of books opens
    if "hidden" in attributes:
        return (attributes["hidden"] or "") != "until-found" and not _may_unfold(attributes)
    if attributes.get("aria-hidden") == "true":
        return True
    if _SCREEN_READERS.search(attributes.get("class") or ""):
        return True
    style = attributes.get("style")
    if not style:
        return False
    if _UNSEEN.search(style) or (_NO_ROOM.search(style) and _CUT_OFF.search(style)):
        return not ("display" in style and _may_unfold(attributes))
    return False


def may_be_shown(attributes: Mapping[str, str | None]) -> bool:
    """Say whether the element is hidden in a way that scripts undo, rather than one that only deceives."""
    return not _DECEIVING.search(attributes.get("style") or "") and not _SCREEN_READERS.search(
        attributes.get("class") or ""
    )


def _may_unfold(attributes: Mapping[str, str | None]) -> bool:
    names = f"{attributes.get('class') or ''} {attributes.get('id') or ''}"
    return attributes.get("role") == "tabpanel" or bool(_FOLDED.search(names))


def shade(attributes: Mapping[str, str | None], behind: str) -> tuple[str, str]:
    """Return the colour behind the text below this element, and whether it writes in just that colour: `` (no), `same`, `doubtful`.

    `behind` is the colour above: `` where nothing was said, so that the page is white, `?` where a class or a picture may have set it.
    """
    style = attributes.get("style") or ""
    colours = {bool(match[1]): _plain(match[2]) for match in _COLOUR.finditer(style)}
    letters = colours.get(False) or _plain(attributes.get("color") or "")
    ground = colours.get(True) or _plain(attributes.get("bgcolor") or "")
    if not ground:
        ground = "?" if attributes.get("class") or "background" in attributes or "background-image" in style else behind
    if not letters or letters != (ground or "#ffffff"):
        return ground, ""
    return ground, "same" if ground else "doubtful"


def _plain(colour: str) -> str:
    folded = "".join(colour.split()).lower()
    if folded.startswith("rgb("):
        numbers = re.findall(r"\d+", folded)[:3]
        return "#" + "".join(f"{min(int(number), 255):02x}" for number in numbers) if len(numbers) == 3 else folded
    return _WHITE.get(folded, folded)
