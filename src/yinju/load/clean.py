"""Characters that nobody sees are taken out: they hide instructions from people and words from the index.

Removed are zero bytes and other control characters, zero-width and bidirectional controls, tag characters, soft hyphens. Joiners stay where a
script needs them (Arabic, Indic, emoji), variation selectors stay behind the character that they vary. What goes is counted.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from yinju.load.parsed import visible
from yinju.types import Dropped

WHAT = "hidden characters"
_JOINED = "[\u0600-\u08ff\u0900-\u0dff\u1000-\u109f\u1780-\u17ff\u1800-\u18af\u2190-\u2bff\ufb50-\ufdff\ufe0f\ufe70-\ufefc\U0001f000-\U0001faff]"
_HIDDEN = re.compile(
    "[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e00ff\U000e01f0-\U000e0fff]"
    f"|(?<!{_JOINED})[\u200c\u200d]"
    "|(?<![\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff])[\U000e0100-\U000e01ef]"
    "|(?<=[\ufe00-\ufe0f])[\ufe00-\ufe0f]+"
)
# One set, without looking around: most texts hold none of these.
_PERHAPS_HIDDEN = re.compile(
    "[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Cleaned:
    """A text without hidden characters, line ends as `\\n`, and how many visible-by-`isspace` code points were taken out."""

    text: str
    removed: int = 0

    @property
    def dropped(self) -> tuple[Dropped, ...]:
        """The line of the receipt."""
        return (Dropped(WHAT, self.removed),) if self.removed else ()

    @property
    def warnings(self) -> tuple[str, ...]:
        """The warning that goes with it."""
        return (f"hidden-characters: {self.removed}",) if self.removed else ()


def clean(text: str) -> Cleaned:
    """Return the text without hidden characters. Lone surrogates (only possible in strings that never were bytes) become U+FFFD."""
    if text.isascii() and text.isprintable():
        return Cleaned(text)
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if not text.isprintable():
        text = _LONE_SURROGATE.sub("\ufffd", text)
    shown = _HIDDEN.sub("", text) if _PERHAPS_HIDDEN.search(text) else text
    return Cleaned(shown, visible(text) - visible(shown) if len(shown) != len(text) else 0)
