"""What is wrong with the documents themselves: copies, old versions, contradictions, boilerplate, tables and pages that lost their sense.

The quality of the documents decides more than the pipeline: of two prices for one thing one is wrong, and no search can know which.
One pass reads each document once; what is compared afterwards is small (see `reading`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cmp_to_key
from typing import TYPE_CHECKING

from yinju.messages import say
from yinju.sync.quality.boilerplate import Counting, Repeated
from yinju.sync.quality.contradictions import Conflict, conflicts
from yinju.sync.quality.finding import Finding
from yinju.sync.quality.likeness import Copies, Pair, copies, newer_of, pairs
from yinju.sync.quality.reading import Fact, Reading, read
from yinju.types import Document

if TYPE_CHECKING:
    from yinju.store import Store
    from yinju.store.records import SourceSummary

SHOWN_FACTS = 3
SHOWN_NAMES = 5
SHOWN_BOILERPLATE = 5
LONGEST_LINE = 160
FEW_CHARACTERS = 80  # on a page of text stand many hundred
FEWEST_PAGES = 2


def findings(store: Store, summaries: Sequence[SourceSummary]) -> list[Finding]:
    """Return what is to be said of the quality of the documents that the library holds."""
    readings, counting = [], Counting()
    for summary in summaries:
        document = store.document(summary.source) if summary.state != "skipped" else None
        if document is not None:
            reading, sentences = read(document, summary)
            readings.append(reading)
            counting.add(summary.source, sentences)
    same = copies(readings)
    once = _each_text_once(readings, same)
    near, left_out = pairs(once, lambda source: _text(store, source))
    families = _families(near)
    related = [_sources(family) for family in families]
    differing = conflicts(once, related)
    versions = [_sources(family) for family in families if any(pair.versions for pair in family)]
    told = [one for one in differing if not any({one.one.source, one.other.source} <= sources for sources in versions)]
    return [
        *(_conflict(store, conflict) for conflict in told),
        *(_family(store, family, differing) for family in families if any(pair.versions for pair in family)),
        *(_near_copies(store, family, differing) for family in families if not any(pair.versions for pair in family)),
        *([_too_many(left_out)] if left_out else []),
        *map(_copies, same),
        *_tables(readings),
        *_pages(readings),
        *(_boilerplate(store, repeated) for repeated in counting.repeated()[:SHOWN_BOILERPLATE]),
    ]


def _text(store: Store, source: str) -> str:
    document = store.document(source)
    return "" if document is None else document.text


def _each_text_once(readings: Sequence[Reading], same: Iterable[Copies]) -> list[Reading]:
    others = {reading.source for group in same for reading in group.readings[1:]}
    return [reading for reading in readings if reading.source not in others]


def _conflict(store: Store, conflict: Conflict) -> Finding:
    headings = ", ".join(one.heading for one, _ in conflict.facts[:SHOWN_FACTS])
    text = say(
        "under the same heading ({headings}) they give other numbers", "同一标题（{headings}）下的数字不同", headings=headings
    )  # fmt: skip
    return Finding(
        "warning",
        f"{conflict.one.source}, {conflict.other.source}",
        text,
        say(
            "Correct the wrong one, or say in both headings what each is about (year, version, region).",
            "请改正错误的一处，或在标题里写明各自的年份、版本或地区。",
        ),
        "numbers-differ",
        say("other numbers under the same heading", "同一标题下的数字不同"),
        (conflict.one.source, conflict.other.source),
        _both(store, conflict, SHOWN_FACTS),
    )


def _both(store: Store, conflict: Conflict, most: int) -> tuple[str, ...]:
    one, other = store.document(conflict.one.source), store.document(conflict.other.source)
    if one is None or other is None:
        return ()
    lines = []
    for mine, theirs in conflict.facts[:most]:
        lines += [_line(one, mine), _line(other, theirs)]
        first, second = _only(mine.numbers, theirs.numbers)
        lines.append(say("  {one} against {other}", "  {one} 与 {other}", one=first, other=second))
    return tuple(lines)


def _line(document: Document, fact: Fact) -> str:
    return _place(document, fact.start) + ": " + _one_line(document.text[fact.start : fact.end])


def _place(document: Document, offset: int) -> str:
    while offset < len(document.text) - 1 and document.text[offset].isspace():
        offset += 1
    line, page = document.line_at(offset), document.page(offset)
    return document.source + (f":{line}" if line is not None else f" p.{page}" if page is not None else "")


def _one_line(text: str) -> str:
    line = " ".join(text.replace("\t", " | ").split())
    return line if len(line) <= LONGEST_LINE else line[: LONGEST_LINE - 1] + "…"


def _only(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, str]:
    """Return the numbers that the one has and the other has not, and the other way round."""
    if len(one) == len(other):
        differing = [(mine, theirs) for mine, theirs in zip(one, other, strict=True) if mine != theirs]
        return ", ".join(mine for mine, _ in differing), ", ".join(theirs for _, theirs in differing)
    return ", ".join(one), ", ".join(other)


def _families(near: Sequence[Pair]) -> list[list[Pair]]:
    """Return the pairs that hang together, by their first source."""
    family_of: dict[str, list[Pair]] = {}
    for pair in near:
        joined = [pair]
        for source in (pair.one.source, pair.other.source):
            joined += [one for one in family_of.get(source, []) if one not in joined]
        for one in joined:
            family_of[one.one.source] = family_of[one.other.source] = joined
    return list({id(family): family for family in family_of.values()}.values())


def _family(store: Store, family: Sequence[Pair], differing: Sequence[Conflict]) -> Finding:
    readings = {reading.source: reading for pair in family for reading in (pair.one, pair.other)}
    ordered = sorted(readings.values(), key=cmp_to_key(_newest_first))
    first, second = ordered[:2]
    direction, by = newer_of(first, second)
    names = ", ".join(reading.source for reading in ordered[1:])
    text = say("versions of one file: {others}", "同一文件的不同版本：{others}", others=names)
    if direction > 0:
        ways = {
            "name": say("its name", "文件名"), "date": say("the date in it", "文内日期"), "time": say("the date of the file", "文件时间"),
        }  # fmt: skip
        text += say("; by {way} {source} looks newest", "；按{way}看，{source} 最新", way=ways[by], source=first.source)
    return Finding(
        "warning",
        first.source,
        text,
        say(
            "Move what no longer holds out of the folder, or name it in .yinjuignore.",
            "请把不再有效的版本移出文件夹，或写入 .yinjuignore。",
        ),
        "old-versions",
        say("versions of one file", "同一文件的不同版本"),
        tuple(reading.source for reading in ordered),
        _difference(store, family, differing),
    )


def _newest_first(one: Reading, other: Reading) -> int:
    return -newer_of(one, other)[0] or (one.source > other.source) - (one.source < other.source)


def _sources(family: Sequence[Pair]) -> set[str]:
    return {source for pair in family for source in (pair.one.source, pair.other.source)}


def _difference(store: Store, family: Sequence[Pair], differing: Sequence[Conflict]) -> tuple[str, ...]:
    sources = _sources(family)
    found = next((one for one in differing if {one.one.source, one.other.source} <= sources), None)
    return () if found is None else _both(store, found, 1)


def _near_copies(store: Store, family: Sequence[Pair], differing: Sequence[Conflict]) -> Finding:
    first, *others = sorted(_sources(family))
    names = ", ".join(others[:SHOWN_NAMES]) + (" …" if len(others) > SHOWN_NAMES else "")
    text = say(
        "nearly the same text as {others} ({share:.0%} of the wording)", "与 {others} 的文字几乎相同（{share:.0%}）",
        others=names, share=min(pair.resemblance for pair in family),
    )  # fmt: skip
    return Finding(
        "notice",
        first,
        text,
        say("Keep one of them, or say at the top of each how they differ.", "请只保留一份，或在开头写明它们的区别。"),
        "near-copies",
        say("nearly the same text as another document", "与另一文档的文字几乎相同"),
        (first, *others),
        _difference(store, family, differing),
    )


def _too_many(left_out: int) -> Finding:
    text = say(
        "more documents share sentences than were compared: {n} pairs were not looked at", "共有相同句子的文档过多：有 {n} 对没有比较",
        n=left_out,
    )  # fmt: skip
    hint = say("Clear what is listed, then ask again.", "请先处理已列出的，再运行一次。")
    return Finding("notice", say("near-copies", "近似副本"), text, hint, "not-compared")


def _copies(group: Copies) -> Finding:
    first, *others = (reading.source for reading in group.readings)
    names = ", ".join(others[:SHOWN_NAMES]) + (" …" if len(others) > SHOWN_NAMES else "")
    text = (
        say("the same file as {names}", "与 {names} 是同一个文件", names=names)
        if group.same_file
        else say("the same text as {names}", "与 {names} 的文字相同", names=names)
    )
    return Finding(
        "notice",
        first,
        text,
        say("Keep one; name the others in .yinjuignore.", "请保留一份，其余写入 .yinjuignore。"),
        "copies",
        say("the same text as another document", "与另一文档的文字相同"),
        (first, *others),
    )


def _tables(readings: Sequence[Reading]) -> list[Finding]:
    return [
        Finding(
            "notice",
            reading.source,
            say(
                "tables without a header: {n} of {all}", "没有表头的表格：{n} 个，共 {all} 个",
                n=receipt.tables_without_header, all=receipt.tables,
            ),
            say(
                "Give the first row names of columns, so that its values say what they are.",
                "请在首行写上列名，让数值有所指。",
            ),
            "tables-without-header",
            say("tables without a header", "有表格没有表头"),
            (reading.source,),
        )
        for reading in readings
        if (receipt := reading.summary.receipt).tables_without_header
    ]  # fmt: skip


def _pages(readings: Sequence[Reading]) -> list[Finding]:
    found = []
    for reading in readings:
        receipt = reading.summary.receipt
        pages = receipt.pages or 0
        if reading.summary.type == "pdf" and pages >= FEWEST_PAGES and receipt.characters < FEW_CHARACTERS * pages:
            text = say(
                "{n} characters on {pages} pages: most of it may be pictures", "{pages} 页只有 {n} 个字：大部分可能是图像",
                n=receipt.characters, pages=pages,
            )  # fmt: skip
            hint = say("Open it and see; `yinju[ocr]` reads scans.", "请打开查看；`yinju[ocr]` 可识别扫描页。")
            few = say("few characters for their pages", "页多字少")
            found.append(Finding("warning", reading.source, text, hint, "few-characters", few, (reading.source,)))
    return found


def _boilerplate(store: Store, repeated: Repeated) -> Finding:
    document = store.document(repeated.source)
    example = "" if document is None else _one_line(document.text[repeated.start : repeated.end])
    where = repeated.source if document is None else _place(document, repeated.start)
    text = say(
        "{count} sentence(s) that stand in {n} documents", "有 {count} 句话出现在 {n} 篇文档中", n=repeated.documents, count=repeated.sentences
    )  # fmt: skip
    return Finding(
        "notice",
        repeated.source,
        text,
        say(
            "If it answers no question, keep it on one page and take it out of the others.",
            "若不能回答问题，请只留在一页，其余删去。",
        ),
        "boilerplate",
        text,
        (repeated.source,),
        (f"{where}: {example}",),
    )
