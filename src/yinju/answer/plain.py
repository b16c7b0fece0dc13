"""Text as a reader sees it: Markdown links as their labels, no emphasis marks, pictures, tags and comments. Code stays as it is."""

from __future__ import annotations

import re

_tags = (
    "a|abbr|b|blockquote|br|center|cite|code|colgroup|col|dd|details|div|dl|dt|em|embed|figure|figcaption|font|h[1-6]|hr|i|iframe|img|kbd|li|"
    "mark|ol|p|picture|pre|s|script|section|small|source|span|strong|style|sub|summary|sup|table|tbody|td|tfoot|th|thead|tr|u|ul|video"
)
REMOVED = re.compile(
    r"<!--.*?-->|!\[[^\]\n]*\](?:\([^()\s]*(?:\s[^()\n]*)?\)|\[[^\]\n]*\])|\{\{[<%][^{}\n]*[>%]\}\}"
    rf"|</?(?:{_tags})(?:[\s/][^<>]*)?/?>",
    re.DOTALL | re.IGNORECASE,
)
LINK = re.compile(
    r"(?<![A-Za-z0-9_!])\[(?P<label>(?=[^\]\n]*[^\W\d_])(?:[^\[\]\n]|\[[^\[\]\n]*\])*)\](?:\((?:[^()\s]|\([^()\s]*\))*(?:\s[^()\n]*)?\)|\[[^\[\]\n]*\])"
)
_strong = re.compile(r"(?<![A-Za-z0-9*])(\*\*\*|\*\*)(?=\S)([^*\n]+)(?<=\S)\1(?![A-Za-z0-9*])")
_code = re.compile(r"(`+[^`\n]+`+)")


def plain(text: str) -> str:
    """Return the text as a reader sees it: links as their labels, without emphasis marks, pictures, tags and comments."""
    text = LINK.sub(lambda found: found["label"], REMOVED.sub("", text))
    parts = _code.split(LINK.sub(lambda found: found["label"], text))  # once more: brackets within a link
    return " ".join(
        "".join(part if place % 2 else _strong.sub(r"\2", part) for place, part in enumerate(parts)).split()
    )
