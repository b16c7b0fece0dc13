"""Find sentences in Chinese, English and mixed text, in one pass and linear time.

Blocks come first (a blank line, a list item, a heading or a table row ends what stood before), then the ends of sentences in each
block. A dot is an end only where it reads as one: not in 3.14, v2.3.1, config.yaml, example.com, `Mr. Smith`, `Fig. 2`, nor before a
small letter; behind `Inc.`, `Ltd.` or `U.S.` only where the next word begins a sentence. What closes a sentence (quotes, brackets) stays
with it, and short quoted or bracketed text is not cut inside.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator

from yinju.types import Span

_CLOSERS = "[”’」』】）〕》〉)\\]}]*"
_end = re.compile(f"(?P<strong>[。！？｡‼⁇⁈⁉])[。！？｡!?…⋯.]*{_CLOSERS}|(?P<weak>[!?]+|[.．…⋯]+[!?！？。]*){_CLOSERS}")
# Opens and closes alike: it closes where it was open in this block.
_symmetric = re.compile('["`]|\\*{1,3}(?=\\S)|(?<=\\S)\\*{1,3}')
_more_closers = re.compile(f"{_CLOSERS}")
# What is said in quotes or brackets of ordinary length belongs to the sentence around it.
_enclosed = re.compile(
    "“[^“”\n]{1,120}”|「[^「」\n]{1,120}」|『[^『』\n]{1,120}』|（[^（）\n]{1,120}）|\\([^()\n]{1,120}\\)|《[^《》\n]{1,60}》"
)
_goes_on = re.compile("[，、；：,;:的]")  # “你好！”，他说
_block_start = re.compile(
    r"[ \t]*(?:[-*+•●▪·‣◦][ \t]|\d{1,9}[.)、．][ \t\u4e00-\u9fff]|[（(]\d{1,3}[)）]|[①-⑳]|\||>|#{1,6}[ \t]|```|~~~"
    r"|第[0-9零一二三四五六七八九十百千]{1,9}[章节条])"
)
_block_alone = re.compile(r"[ \t]*(?:#{1,6}[ \t]|\||```|~~~)")  # such a line ends with its line
_abbreviation = re.compile(
    r"(?:\b(?:Mr|Mrs|Ms|Messrs|Dr|Prof|Rev|Hon|Gov|Gen|Sen|Rep|Capt|Lt|Col|Sgt|St|Mt|vs|cf|approx|dept|est|al|viz|ca)|\b[eE]\.g|\b[iI]\.e)$"
)
# These end a name as often as a sentence: what follows decides.
_name_end = re.compile(r"\b(?:Inc|Ltd|Corp|Co|Cos|Bros|Plc|Jr|Sr|Esq|Ph\.?D|[A-Z])$")
_small_end = re.compile(r"\b(?:etc|[ap]\.m)$")
_begins = re.compile(
    r"\s*(?:[\"“‘'(]\s*)?(?:The|This|That|These|Those|It|They|There|Their|Its|However|When|If|After|Before|For|Since|While|During|Under|Although"
    r"|Because|Our|His|Her|Both|Such|What|How|Why|Please)\s+(?!(?:and|et)\b)[\w\"“]"
)
_after_hour = re.compile(r"\s*(?:(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day\b|[A-Z]{2,4}\b)")
_before_number = re.compile(
    r"\b(?:No|Nos|Fig|Figs|Sec|Eq|Eqs|Vol|Art|Ch|Chap|Ver|Tab|Ref|App|Par|p|pp|v|[Jj]an|[Ff]eb|[Mm]ar|[Aa]pr|[Jj]un|[Jj]ul|[Aa]ug|[Ss]ept?|[Oo]ct|[Nn]ov|[Dd]ec)$",
    re.IGNORECASE,
)
_list_number = re.compile(r"(?:^|\n|[。；！？：])[ \t]*(?:\d{1,9}|[a-zA-Z])$")
_LOOK_BACK = 16  # characters before a dot that decide what it is


def split(text: str) -> list[Span]:
    """Return the sentences in order: all of the text is in one, but the white space around and between them."""
    spans: list[Span] = []
    for start, end in _blocks(text):
        place = start
        for cut in _cuts(text, start, end) if not _is_row(text, start, end) else ():
            _append(spans, text, place, cut)
            place = cut
        _append(spans, text, place, end)
    return spans


def _append(spans: list[Span], text: str, start: int, end: int) -> None:
    piece = text[start:end]
    left = piece.lstrip()
    if left:
        spans.append(Span(end - len(left), start + len(piece.rstrip())))


def _blocks(text: str) -> Iterator[tuple[int, int]]:
    start = place = 0
    alone = False  # the line before ends its block
    for line in text.split("\n"):
        following = place + len(line) + 1
        if not line or line.isspace():
            if place > start:
                yield start, place
            start = following
        else:
            row = "\t" in line and "\t" in line.strip()
            if place > start and (alone or row or _block_start.match(line)):
                yield start, place
                start = place
            alone = row or bool(_block_alone.match(line))
        place = following
    if start < len(text):
        yield start, len(text)


def _is_row(text: str, start: int, end: int) -> bool:
    """A row of a table is one sentence whatever its cells say."""
    line = text[start:end].strip()
    return line.startswith("|") or "\t" in line


def _cuts(text: str, start: int, end: int) -> Iterator[int]:
    first = _end.search(text, start, end)
    if first is None or first.end() >= end:  # one sentence, as most lines are
        return
    enclosed = [match.span() for match in _enclosed.finditer(text, start, end)]
    opens = [span[0] for span in enclosed]
    symmetric = {match.start(): match.group()[0] for match in _symmetric.finditer(text, start, end)}
    places = {sign: [place for place, other in symmetric.items() if other == sign] for sign in '"`*'}
    for match in _end.finditer(text, start, end):
        cut = match.end()
        while cut < end and (sign := symmetric.get(cut)) and bisect_left(places[sign], cut) % 2:
            closed = _symmetric.match(text, cut, end)
            cut = closed.end() if closed else cut + 1
            more = _more_closers.match(text, cut, end)
            cut = more.end() if more else cut
        around = bisect_right(opens, cut - 1) - 1
        inside = around >= 0 and enclosed[around][0] < cut < enclosed[around][1]
        if cut < end and not inside and _is_end(text, match, cut):
            yield cut


def _is_end(text: str, match: re.Match[str], after: int) -> bool:
    mark = match.start()
    following = text[after]
    if _goes_on.match(following):
        return False
    if match["strong"]:
        return True
    signs = match["weak"]
    if signs[0] in "!?":
        return following.isspace() or _is_wide(following)
    if len(signs) > 1 or signs[0] in "…⋯":  # an ellipsis, with or without more
        return signs[-1] in "!?！？。" or (following.isspace() and not _starts_small(text, after))
    before = text[max(0, mark - _LOOK_BACK) : mark]
    if signs == "．":
        return not following.isdigit()
    if following.isspace():
        return _is_full_stop(before, text, after)
    return _is_wide(following) and bool(before) and not before[-1].isdigit() and not _is_short(before)


def _is_short(before: str) -> bool:
    return any(form.search(before) for form in (_abbreviation, _name_end))


def _is_full_stop(before: str, text: str, after: int) -> bool:
    """Whether a dot before white space ends a sentence."""
    if _abbreviation.search(before) or _list_number.search(before):
        return False
    following = text[after : after + 8].lstrip()[:1]
    if following.isdigit() and _before_number.search(before):
        return False
    if _name_end.search(before):
        return _begins.match(text, after) is not None
    if _small_end.search(before):
        return following.isupper() and not _after_hour.match(text, after)
    return not following.islower()


def _starts_small(text: str, place: int) -> bool:
    return text[place : place + 8].lstrip()[:1].islower()


def _is_wide(character: str) -> bool:
    """Chinese, Japanese and full-width characters follow a sentence without a space."""
    return "\u2e80" <= character <= "\uffef" or character >= "\U00020000"
