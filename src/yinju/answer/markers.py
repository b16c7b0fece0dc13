"""Citation markers in an answer: `[1]`, `[1,3]`, `[1-3]`, `【2】`, `［2］`, `[^2]`, `[来源 1]`; found, checked, and written as `[1]`.

Numbers in brackets that are no markers stay as they are: in code, in links, and years that no passage has.
"""

from __future__ import annotations

import re

_LARGEST_RANGE = 50
_label = r"(?:(?:citation|source|document|doc|passage|fragment|ref|来源|文档|资料|片段|段落|引用)\s*[:：#]?\s*)?"
_number = r"\^?\s*[-−]?\d{1,20}(?:†[^\]】］\n]{0,30})?"
_joint = r"\s*[,，、;；\-–—~～]\s*"
MARKER = re.compile(rf"[\[【［]\s*{_label}{_number}(?:{_joint}{_label}{_number})*\s*[\]】］](?!\()", re.IGNORECASE)
OPENERS = "[【［"
# Longest text that may still become a marker; what is longer is none.
LONGEST = 80
_part = re.compile(r"([-−]?)(?<!\d)(\d{1,20})(?:\s*[-–—~～]\s*\^?(\d{1,20}))?")
_YEAR = re.compile(r"[\[【［]\s*(?:1[89]|20)\d\d\s*[\]】］]")


def numbers(marker: str, count: int) -> tuple[int, ...] | None:
    """Return the passage numbers from 1 to `count` that a marker names, () where it names none of them, None where it is a year."""
    if _YEAR.fullmatch(marker) and int(re.sub(r"\D", "", marker)) > count:
        return None
    inner = re.sub(r"†[^,，\]】］]*", "", marker)[1:-1]
    found: list[int] = []
    for sign, first, last in _part.findall(inner):
        if sign and not found and inner.lstrip(" ^").startswith(sign):
            continue  # [-1]
        start, end = int(first), int(last or first)
        if start <= end <= start + _LARGEST_RANGE or not last:
            found += range(max(1, start), min(end, count) + 1)
    return tuple(dict.fromkeys(number for number in found if 1 <= number <= count))


def written(found: tuple[int, ...] | list[int]) -> str:
    """Return the markers as we write them: `[1][3]`."""
    return "".join(f"[{number}]" for number in found)


def could_grow(text: str) -> bool:
    """True where a text that starts with an opening bracket may become a marker when more comes."""
    if len(text) > LONGEST or "\n" in text:
        return False
    body = re.sub(r"[\]】］]$", "", text[1:]).lower().replace("：", ":").replace("＃", "#")
    rest = re.sub(r"†[^\]】］]*", "", body)
    words = re.sub(r"[\d\s\^,，、;；\-−–—~～:#]", "", rest)
    return not words or any(
        label.startswith(words) or words.replace(label, "") == ""
        for label in (
            "citation",
            "source",
            "document",
            "doc",
            "passage",
            "fragment",
            "ref",
            "来源",
            "文档",
            "资料",
            "片段",
            "段落",
            "引用",
        )
    )
