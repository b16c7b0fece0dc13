"""Sections with the same heading whose numbers differ, in documents that do not say that they are about different things.

Two pages that give two prices for one thing are worse for answers than any fault of search: whichever is found, it is proved. But most
texts with the same words and other numbers are no contradiction: monthly reports, product pages, tables of limits. What counts here

- stands under the same heading with the same wording but for its numbers, or under a heading that only a few documents have with one
  value of the same unit each;
- in documents whose names, titles and headings in between name no other date, version, model, region;
- that do not differ in most of what they share: two pages made from one template are two things;
- and is no matter of many documents with many values, which is a template, too.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

from yinju.sync.quality.reading import Fact, Reading
from yinju.text import labels

FEW = 3  # documents that may disagree without being a template
MOST_DOCUMENTS = 40  # with the same heading and wording
GENERIC_FRAME = 8  # headings under which the same wording stands: then it says nothing about them
TEMPLATE_FACTS = 4  # shared facts from which two documents may be recognised as one template
TEMPLATE_SHARE = 0.5
FACTS_OF_SECTION = 6  # a longer section has more numbers than can be set against those of another

# Headings that say what kind of text follows, not what it is about.
_GENERIC_HEADINGS = """
说明 概述 简介 介绍 示例 例子 注意 注意事项 备注 背景 参数 参数说明 前言 引言 总结 小结 附录 目录 语法 用法 更新 其他 合计 小计 总计 数量 内容 步骤
环境准备 前提条件 常见问题 参考 相关 另请参阅 主要内容 概要 正文
overview introduction example examples usage note notes summary description parameters syntax background appendix contents total subtotal
prerequisites requirements faq details other references changes steps
"""
_GENERIC = frozenset(_GENERIC_HEADINGS.split())


class Conflict(NamedTuple):
    """Two documents and the facts about which they differ."""

    one: Reading
    other: Reading
    facts: tuple[tuple[Fact, Fact], ...]


class _Said(NamedTuple):
    reading: Reading
    fact: Fact


def conflicts(readings: Sequence[Reading], versions: Iterable[Iterable[str]] = ()) -> list[Conflict]:
    """Return the contradictions, those with most facts first. `versions` are groups of sources that are one document: they may well differ
    by their names, and what they disagree about counts all the same.
    """
    family = {source: number for number, sources in enumerate(versions) for source in sources}
    groups = _by_wording(readings)
    shared, differing = _templates(groups)
    found: dict[tuple[str, str], list[tuple[_Said, _Said]]] = defaultdict(list)
    for said in (*_same_wording(groups), *_same_heading(readings)):
        one, other = sorted(said, key=lambda each: each.reading.source)
        pair = (one.reading.source, other.reading.source)
        related = pair[0] in family and family[pair[0]] == family.get(pair[1])
        if not related and (_is_template(shared[pair], differing[pair]) or _are_distinct(one, other)):
            continue
        if all(known[0].fact.heading != one.fact.heading for known in found[pair]):
            found[pair].append((one, other))
    made = [
        Conflict(facts[0][0].reading, facts[0][1].reading, tuple((one.fact, other.fact) for one, other in facts))
        for facts in found.values()
        if facts
    ]
    return sorted(made, key=lambda each: (-len(each.facts), each.one.source, each.other.source))


def _by_wording(readings: Sequence[Reading]) -> dict[tuple[str, str], list[_Said]]:
    """Return what stands under the same heading in the same words, by both; a wording under many headings is left out."""
    headings: dict[str, set[str]] = defaultdict(set)
    for reading in readings:
        for fact in reading.facts:
            if len(known := headings[fact.frame]) <= GENERIC_FRAME:
                known.add(fact.heading)
    groups: dict[tuple[str, str], list[_Said]] = defaultdict(list)
    for reading in readings:
        for fact in reading.facts:
            if len(headings[fact.frame]) <= GENERIC_FRAME and fact.heading not in _GENERIC:
                groups[fact.heading, fact.frame].append(_Said(reading, fact))
    return {key: group for key, group in groups.items() if 1 < len(group) <= MOST_DOCUMENTS}


def _templates(groups: dict[tuple[str, str], list[_Said]]) -> tuple[Counter[tuple[str, str]], Counter[tuple[str, str]]]:
    """Return for pairs of sources how many facts they share, and how many of these differ."""
    shared: Counter[tuple[str, str]] = Counter()
    differing: Counter[tuple[str, str]] = Counter()
    for group in groups.values():
        for one, other in combinations(group, 2):
            first, second = sorted((one.reading.source, other.reading.source))
            if first != second:
                shared[first, second] += 1
                differing[first, second] += one.fact.numbers != other.fact.numbers
    return shared, differing


def _is_template(shared: int, differing: int) -> bool:
    return shared >= TEMPLATE_FACTS and differing > shared * TEMPLATE_SHARE


def _same_wording(groups: dict[tuple[str, str], list[_Said]]) -> Iterator[tuple[_Said, _Said]]:
    """Yield pairs that give other numbers in the same words: each odd value against the most common one."""
    for group in groups.values():
        values = Counter(said.fact.numbers for said in group)
        documents = len({said.reading.source for said in group})
        if len(values) < 2 or documents < 2 or len(values) > max(FEW, documents // 3):
            continue
        if documents > FEW and values.most_common(1)[0][1] * 2 <= documents:
            continue
        usual = values.most_common(1)[0][0]
        right = next(said for said in group if said.fact.numbers == usual)
        for said in group:
            if said.fact.numbers != usual and said.reading.source != right.reading.source:
                yield right, said


def _same_heading(readings: Sequence[Reading]) -> Iterator[tuple[_Said, _Said]]:
    """Yield pairs whose short sections have one value of the same unit each, and not the same, under a heading of few documents."""
    sections: dict[str, dict[str, list[Fact]]] = defaultdict(lambda: defaultdict(list))
    by_source = {reading.source: reading for reading in readings}
    for reading in readings:
        for fact in reading.facts:
            if fact.heading not in _GENERIC:
                sections[fact.heading][reading.source].append(fact)
    for documents in sections.values():
        if not 1 < len(documents) <= FEW:
            continue
        for one, other in combinations(documents, 2):
            pair = _one_value_each(documents[one], documents[other])
            if pair is not None:
                yield _Said(by_source[one], pair[0]), _Said(by_source[other], pair[1])


def _one_value_each(one: list[Fact], other: list[Fact]) -> tuple[Fact, Fact] | None:
    if max(len(one), len(other)) > FACTS_OF_SECTION:
        return None
    mine, theirs = _measured(one), _measured(other)
    for unit, facts in mine.items():
        if len(facts) == 1 and len(theirs.get(unit, {})) == 1:
            (here, fact), (there, counterpart) = *facts.items(), *theirs[unit].items()
            if here != there and fact.frame != counterpart.frame and _has_common_word(fact.frame, counterpart.frame):
                return fact, counterpart
    return None


def _measured(facts: list[Fact]) -> dict[str, dict[str, Fact]]:
    """Return by unit the values of a section, each with where it stands."""
    found: dict[str, dict[str, Fact]] = defaultdict(dict)
    for fact in facts:
        for unit, number in fact.measures:
            found[unit].setdefault(number, fact)
    return found


def _has_common_word(one: str, other: str) -> bool:
    """Tell whether two wordings share at least a pair of characters beside the number itself, or one is hardly more than the number."""
    pairs = [
        {text[place : place + 2] for place in range(len(text) - 1) if "0" not in text[place : place + 2]}
        for text in (one, other)
    ]
    return bool(pairs[0] & pairs[1]) or min(len(one), len(other)) <= 6


def _are_distinct(one: _Said, other: _Said) -> bool:
    mine, theirs = one.fact.parents, other.fact.parents
    if labels.distinct([mine], [theirs]) or labels.distinct(one.reading.labels, other.reading.labels):
        return True
    return bool(mine and theirs) and mine != theirs and not (one.fact.row or other.fact.row)
