"""Whether two documents say of themselves that they are about different things, by their names and titles.

`月报-2024-01` and `月报-2024-02`, `X100` and `X200`, `华东区价格` and `华北区价格` may well give other numbers under the same heading; `pricing`
and `faq` may not. And whether one name is another with a mark of its version: `合同-最终版2`, `合同 (1)`, `plan_v2`, `old/plan`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from yinju.text.normalize import fold
from yinju.text.similar import names

_HAN = "\u3400-\u9fff"
_DATE = re.compile(
    r"(?<!\d)(?:19|20)\d\d(?:[-_./年 ]?(?:1[0-2]|0?[1-9])(?:[-_./月 ]?(?:3[01]|[12]\d|0?[1-9])日?|月)?|年|[-_ ]?q[1-4]|年?第?[一二三四]季度?)?(?!\d)"
)
_STAGES: tuple[tuple[int, str], ...] = (
    (-3, r"作废|已废止|废止|过期|obsolete|deprecated|superseded"),
    (-2, r"旧版|旧|存档|归档|old|archived?|previous"),
    (-1, r"初稿|草稿|草案|征求意见稿|draft|wip|备份|backup|bak"),
    (1, r"修订版|修订稿|修改版|修改稿|更新版|revised|updated|新版|新|new|latest|最新版?"),
    (2, r"最终版本?|最终稿|最终|终版|终稿|定稿|正式版|final(?:ly)?(?:[-_ ]?version)?"),
)
_STAGE = re.compile("|".join(f"(?P<s{place}>{words})" for place, (_rank, words) in enumerate(_STAGES)))
_VERSION = re.compile(
    r"(?:(?<![a-z])(?:v|ver|version|rev|revision)[ ._-]?|版本)(\d+(?:\.\d+)*)|第?((?<!\d)(?<!\d\.)\d+(?:\.\d+)*|[一二三四五六七八九十])版"
)
_NUMBERED = re.compile(r"(?<![\d.])\d+(?:\.\d+)+(?![\d.])")
_COPY = re.compile(
    rf"副本|复制|拷贝|(?<![a-z])copy(?: of)?(?![a-z])|[(\[]\d{{1,2}}[)\]]|(?<=[{_HAN}a-z])[ _-]+\d(?!\d)$"
)
_SEPARATORS = re.compile(r"[\s_\-–—.,·+()\[\]【】]+")
_MOST_PARTS, _LONGEST_PART = 8, 18  # of a version: a name may hold as many digits as it likes
_CODE = re.compile(r"(?<!\d)\d+(?:\.\d+)+|(?<![a-z])[a-z]*\d[a-z\d]*")
_NAME = re.compile(r"(?<![A-Za-z])[A-Za-z]*[a-z][A-Z]\w*|(?<![A-Za-z])[A-Z]{2,}[a-z]\w*")
_SERIES = re.compile(
    r"月报|周报|日报|季报|年报|纪要|通报|简报|公报|期|账单|发票|对账|日志|minutes|weekly|monthly|daily|quarterly|report|newsletter|release"
    r"|changelog|invoice|statement|log|notes|meeting|diary|journal"
)
# What kind of document it is says nothing about what it is about.
_GENRES = re.compile(
    r"说明书?|手册|指南|政策|规定|清单|目录|介绍|须知|一览|简介|文档|页面|列表|表|页|guide|manual|policy|list|table|overview|page|faq|help|docs?"
)


class Name(NamedTuple):
    """What a file's name says: `family` is the name without its marks of version."""

    family: str
    stage: int  # -3 obsolete ... 0 nothing said ... 2 final
    version: tuple[int, ...]
    copy: bool
    date: str  # digits of the date in order; empty: none
    numbered: tuple[int, ...]  # 7.1 in release-7.1

    @property
    def marked(self) -> bool:
        """True where the name says outright that it is a version or a copy."""
        return bool(self.stage or self.version or self.copy)


def parse(source: str) -> Name:
    """Return what the name of a source says. Marks on the folder above it count, too (`旧/报价.md`)."""
    folder, _, file = fold(source).rpartition("/")
    stem = file.rpartition(".")[0] or file
    above = folder.rpartition("/")[2]
    stage, number = _stage(stem)
    if not stage and _STAGE.fullmatch(above):
        stage, _ = _stage(above)
    date = _DATE.search(stem)
    bare = _DATE.sub(" ", stem)
    version = _VERSION.search(bare)
    bare = _VERSION.sub(" ", bare)
    numbered = _NUMBERED.search(bare)
    bare = _NUMBERED.sub(" ", bare)
    copy = _COPY.search(bare) is not None
    bare = _words_of_stage(_COPY.sub(" ", bare))
    parts = version.group(1) or version.group(2) if version else ""
    return Name(
        family=_SEPARATORS.sub("", bare),
        stage=stage,
        version=_parts(parts) if version else ((number,) if number else ()),
        copy=copy,
        date="".join(re.findall(r"\d+", date.group())) if date else "",
        numbered=_parts(numbered.group()) if numbered else (),
    )


def is_series(source: str) -> bool:
    """Tell whether the name says that one comes after the other, such as minutes, invoices and monthly reports."""
    return _SERIES.search(fold(source.rpartition("/")[2])) is not None


def newer(one: Name, other: Name) -> int:
    """Return 1 where the first looks newer by its name, -1 where the other does, 0 where the names do not tell."""
    for mine, theirs in (
        (one.date, other.date) if one.date and other.date else ("", ""),
        (one.numbered, other.numbered) if one.numbered and other.numbered else ((), ()),
        (one.stage, other.stage),
        (one.version, other.version),
    ):
        if mine != theirs:
            return 1 if mine > theirs else -1  # type: ignore[operator]
    return 0


def distinct(one: Sequence[str], other: Sequence[str]) -> bool:
    """Tell whether two lists of labels (such as folder, name, title) name different things, each compared with its counterpart.

    Different are dates, codes with a digit (`X100`), names (`iPhone`, 专业版, 江苏省), and another word in the same place (华东区价格, 华北区价格).
    """
    for found in (_dates, _codes, _names):
        here, there = (frozenset().union(*map(found, labels)) for labels in (one, other))
        if here and there and here != there:
            return True
    pairs = zip(one, other, strict=True)
    return any(_other_word(fold(mine), fold(theirs)) for mine, theirs in pairs if mine != theirs)


def _dates(label: str) -> frozenset[str]:
    return frozenset("".join(re.findall(r"\d+", match.group())) for match in _DATE.finditer(fold(label)))


def _codes(label: str) -> frozenset[str]:
    """Return numbers and codes that name something; a single digit counts copies and says nothing."""
    return frozenset(code for code in _CODE.findall(_DATE.sub(" ", fold(label))) if len(code) > 1)


def _names(label: str) -> frozenset[str]:
    """Return words with a capital inside, and Chinese names by what they end with; `Price` and `FAQ` name nothing."""
    latin = frozenset(fold(word) for word in _NAME.findall(label))
    return latin | frozenset(name for name in names(label) if re.search(f"[{_HAN}]", name) and not _STAGE.search(name))


def _other_word(one: str, other: str) -> bool:
    """Tell whether the labels share their beginning or end and have other words in between: 华东区价格, 华北区价格."""
    mine, theirs = (_SEPARATORS.sub(" ", _GENRES.sub(" ", _words_of_stage(text))).strip() for text in (one, other))
    start = _shared(mine, theirs)
    end = _shared(mine[start:][::-1], theirs[start:][::-1])
    if start + end < (2 if re.search(f"[{_HAN}]", mine) else 4):
        return False
    slots = [text[start : len(text) - end].strip() for text in (mine, theirs)]
    return all(len(slot) > 1 or re.match(f"[{_HAN}]", slot) for slot in slots)


def _shared(one: str, other: str) -> int:
    count = 0
    for mine, theirs in zip(one, other, strict=False):
        if mine != theirs:
            break
        count += 1
    return count


def _stage(text: str) -> tuple[int, int]:
    """Return the rank of the last word for a stage, and the number behind it (最终版2)."""
    rank, number = 0, 0
    for match in _STAGE.finditer(text):
        if _inside_word(text, match):
            continue
        rank = next(_STAGES[int(name[1:])][0] for name, found in match.groupdict().items() if found)
        after = re.match(r"[ _-]?(\d{1,2})(?!\d)", text[match.end() :])
        number = int(after.group(1)) if after else 0
    return rank, number


def _words_of_stage(text: str) -> str:
    out, place = [], 0
    for match in _STAGE.finditer(text):
        if not _inside_word(text, match):
            out += [text[place : match.start()], " "]
            place = match.end()
            after = re.match(r"[ _-]?\d{1,2}(?!\d)", text[place:])
            place += after.end() if after else 0
    return "".join((*out, text[place:]))


def _inside_word(text: str, match: re.Match[str]) -> bool:
    """Tell whether what was found is only part of a word: `new` in `newsletter`, 新 in 新闻 or 创新, 旧 in 折旧."""
    before, after = text[: match.start()][-1:], text[match.end() :][:1]
    if match.group().isascii():
        return (before.isascii() and before.isalpha()) or (after.isascii() and after.isalpha())
    if len(match.group()) == 1:
        return (
            bool(re.match(f"[{_HAN}]", before) and re.match(f"[{_HAN}]", after))
            or (bool(re.match(f"[{_HAN}]", after)) and match.group() == "新" and after in "闻手人品增建车生型能兴疆加")
            or (bool(before) and before in "创更全革刷折陈怀守")
        )
    return False


def _parts(text: str) -> tuple[int, ...]:
    digits = "一二三四五六七八九十"
    parts = text.split(".")[:_MOST_PARTS]
    return tuple(digits.index(part) + 1 if part in digits else int(part[:_LONGEST_PART]) for part in parts)
