"""Citation markers in an answer, in every form that models write; found, checked, and written as `[1]`.

`[1]`, `[1,3]`, `[1-3]`, `[1 and 2]`, `[[1]]`, `【2】`, `［2］`, `〔2〕`, `[^2]`, `[#2]`, `[ID:2]`, `[来源 1]`, `【1†plans.md】`; in round
brackets only with a label, `(source 1)`, `（见资料 2）`, because `(1)` counts the items of a list. Numbers in brackets that are no markers
stay as they are: in code, in links, indices (`args[1]`, `a[0]`), years that no passage has, and intervals such as `[0, 1]`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_LARGEST_RANGE = 50
_LABELS = (
    "citation", "citations", "cite", "source", "sources", "document", "documents", "doc", "docs", "passage", "passages", "fragment", "chunk",
    "reference", "ref", "refs", "id", "来源", "文档", "资料", "片段", "段落", "引用", "参考", "文献", "材料", "出处", "编号",
)  # fmt: skip
_LEADS = ("见", "参见", "详见", "据", "see ", "cf. ")  # before a label
_WORDS = ("and", "和", "与", "及")  # between two numbers
_SIGNS = ",，、;；&-–—~～"
_s = r"[^\S\n]{0,3}"  # bounded, so that no text takes long
_label = rf"(?:{'|'.join(sorted(_LABELS, key=len, reverse=True))}){_s}(?:id)?{_s}[:：#＃]?{_s}"
_lead = rf"(?:{'|'.join(map(re.escape, _LEADS))})?"
_digits = rf"[\^#＃]?{_s}[-−]?\d{{1,20}}(?:†[^\]】］〕\n]{{0,30}})?"
_joint = rf"{_s}(?:[{re.escape(_SIGNS)}]|{'|'.join(_WORDS)}){_s}"
_unit = rf"(?:{_label})?{_digits}"
_square = rf"{_lead}{_unit}(?:{_joint}{_unit})*"
_round = rf"{_lead}{_label}{_digits}(?:{_joint}{_unit})*"
# `[[1]]` is `[1]` in brackets of its own: the inner one is the marker, the outer pair goes with it.
MARKER = re.compile(
    rf"(?:\[\[{_s}{_square}{_s}\]\]|[\[【［〔]{_s}{_square}{_s}[\]】］〕])(?!\()|[(（]{_s}{_round}{_s}[)）]",
    re.IGNORECASE,
)
OPENERS = "[【［〔(（"
CLOSED = re.compile(r"[\]】］〕)）]$")
# Longest text that may still become a marker; what is longer is none.
LONGEST = 80
_part = re.compile(r"([-−]?)(?<!\d)(\d{1,20})(?:\s*[-–—~～]\s*[\^#＃]?(\d{1,20}))?")
_year = re.compile(r"(?<!\d)(?:1[89]|20)\d\d(?!\d)")
# Names that programs give to what they index; other words may well stand before a marker.
_INDEXED = re.compile(
    r"(?:^|[^A-Za-z0-9_])(?:[a-z]|argv|args|arr|array|nums|dp|vec|tuple|dict|matrix|lst|buf|\w+_(?:list|array|arr))$|[$.]\w+$"
)


def numbers(marker: str, count: int) -> tuple[int, ...] | None:
    """Return the passage numbers from 1 to `count` that a marker names, () where it names none of them.

    None where it is no marker but a year or an interval.
    """
    inner = re.sub(r"†[^,，\]】］〕]*", "", marker)[1:-1]
    if any(int(year) > count for year in _year.findall(inner)):
        return None
    found: list[int] = []
    parts = _part.findall(inner)
    plain = not any(character.isalpha() for character in inner)
    if plain and len(parts) + sum(bool(last) for _, _, last in parts) == 2 and _interval(parts):
        return None
    for sign, first, last in parts:
        if sign and not found and inner.lstrip(" ^[").startswith(sign):
            continue  # [-1]
        start, end = int(first), int(last or first)
        if start <= end <= start + _LARGEST_RANGE or not last:
            found += range(max(1, start), min(end, count) + 1)
    return tuple(dict.fromkeys(number for number in found if 1 <= number <= count))


def _interval(parts: Sequence[tuple[str, str, str]]) -> bool:
    """True for two numbers of which the first is zero or negative: no passage has such a number, but many a range begins so."""
    sign, first, _ = parts[0]
    return bool(sign) or int(first) == 0


def is_index(before: str, marker: str) -> bool:
    """True where a bracket behind this text is an index of a program: `args[1]`, `x[2]`, `row[0]`, `m[1][2]`."""
    if marker[0] != "[":
        return False
    before = re.sub(r"(?<=\w)(?:\[\d{1,9}\])+$", "", before[-80:])
    if re.fullmatch(r"\[0+\]", marker) and re.search(r"[A-Za-z0-9_)]$", before):
        return True
    return bool(_INDEXED.search(before[-40:])) and not before.endswith(" ")


def written(found: tuple[int, ...] | list[int]) -> str:
    """Return the markers as we write them: `[1][3]`."""
    return "".join(f"[{number}]" for number in found)


def _beginnings(words: Sequence[str]) -> str:
    """Return a pattern for every beginning of these words, the empty one too."""
    prefixes = {re.escape(word[:length]) for word in words for length in range(1, len(word) + 1)}
    return f"(?:{'|'.join(sorted(prefixes, key=len, reverse=True))})?"


_number_begun = rf"(?:[\^#＃]?{_s}[-−]?\d{{0,20}}|[\^#＃]?{_s}[-−]?\d{{1,20}}†[^\]】］〕\n]{{0,30}})"
_joint_begun = rf"{_s}(?:(?:[{re.escape(_SIGNS)}]|{_beginnings(_WORDS)}){_s})?"
_unit_begun = rf"(?:{_beginnings(_LABELS)}|{_label}(?:{_beginnings(('id',))})|(?:{_label})?{_number_begun})"
_square_begun = rf"{_s}(?:{_beginnings(_LEADS)}|{_lead}(?:{_unit}{_joint})*{_unit_begun}|{_lead}{_unit}(?:{_joint}{_unit})*{_joint_begun})"
_round_begun = (
    rf"{_s}(?:{_beginnings(_LEADS)}|{_lead}{_beginnings(_LABELS)}|{_lead}{_label}(?:{_beginnings(('id',))})"
    rf"|{_lead}{_label}(?:{_digits}{_joint}(?:{_unit}{_joint})*)?{_unit_begun}|{_round}{_joint_begun})"
)
_BEGUN = re.compile(
    rf"\[\[?{_square_begun}\]?|\[\[?{_s}{_square}{_s}\]\]?|[【［〔]{_square_begun}[\]】］〕]?|[(（]{_round_begun}[)）]?",
    re.IGNORECASE,
)


def could_grow(text: str) -> bool:
    """True where a text that starts with an opening bracket may become a marker when more comes."""
    return len(text) <= LONGEST and _BEGUN.fullmatch(text) is not None
