"""Does a passage say more than what its document is called? A title page, or the head of a page that was cut off, names it and states nothing."""

from __future__ import annotations

import re

from yinju.text.normalize import fold
from yinju.text.tokens import estimate

LONGEST = 40  # tokens
_statement = re.compile(r"[。！？!?；;：:\t|]|\.(?:\s|$)")
_mark = re.compile(r"[\W_]+")


def is_title_page(text: str, title: str | None) -> bool:
    """Return whether a text holds the document's title and next to nothing besides: at most 40 tokens, no sentence, no `name: value`, no table."""
    named = _mark.sub("", fold(title or ""))
    if not named or _statement.search(text) or estimate(text) > LONGEST:
        return False
    return named in _mark.sub("", fold(text))
