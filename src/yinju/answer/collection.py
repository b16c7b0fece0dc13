"""Word what a scan of the whole collection found: how many of how many, what was counted, and each find with its place.

The number comes from counting and not from a passage, so the denominator is always said, and what could not be read. Each line below it
quotes the passage that its marker names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from yinju.answer import markers
from yinju.answer.support import chinese
from yinju.answer.verify import cite
from yinju.tally import Row, Tally, Wanted
from yinju.types import Answer, Citation, Context, Passage, Sentence

MODEL = "scan"
_CUT = 200  # characters of a find that are shown in the answer; the citation has all
_LIMIT = re.compile(r"\(The first \d+ of (?P<found>\d+) are listed\.\)|（只列出前 \d+ 项，共 (?P<zh_found>\d+) 项。）")
_BRACKETS = str.maketrans("[]【】［］", "()()()")
_STRUCTURES = {
    "table": ("a table", "表格"),
    "code": ("a code block", "代码"),
    "list": ("a list", "列表"),
    "page": ("pages", "页"),
}


def stream(
    question: str, tally: Tally, searched_as: str = "", took_ms: float = 0.0
) -> Iterator[str | Citation | Answer]:
    """Yield the text, the citations, and the Answer of a question about the whole collection."""
    answer = worded(question, tally, searched_as, took_ms)
    yield answer.text
    yield from answer.citations
    yield answer


def worded(question: str, tally: Tally, searched_as: str = "", took_ms: float = 0.0) -> Answer:
    """Return the answer: the count with its denominator, what was counted, and a line with a marker for each find."""
    zh = chinese(question)
    lines: list[str] = []
    passages: list[Passage] = []
    citations: list[Citation] = []
    sentences: list[Sentence] = []
    for row in tally.rows:
        said = _said(row, tally.wanted, zh)
        if row.hit is None or row.within is None or not row.within.of(row.hit.text).strip():
            lines.append(f"- {said}")
            continue
        marker = len(passages) + 1
        passages.append(Passage(marker, row.hit))
        citations.append(cite(passages[-1], row.within, "verified", exact=True))
        sentences.append(Sentence(said, (marker,), "verified", exact=True))
        lines.append(f"- {said} [{marker}]")
    head = _headline(tally, zh)
    if passages:
        sentences.insert(0, Sentence(head, tuple(passage.marker for passage in passages), "verified"))
    parts = [f"{head}{'' if zh else ' '}{_read(tally, zh)}".strip(), *lines]
    if tally.found > len(tally.rows):
        parts.append(
            f"（只列出前 {len(tally.rows)} 项，共 {tally.found} 项。）" if zh else f"(The first {len(tally.rows)} of {tally.found} are listed.)"
        )  # fmt: skip
    parts.append(_counted(tally, zh))
    text = "\n".join(part for part in parts if part)
    context = Context(question, "tagged", "", tuple(passages), 0)
    return Answer(
        question, text, searched_as or question, model=MODEL, evidence=1.0, sentences=tuple(sentences), citations=tuple(citations), context=context,
        took_ms={"scan": round(took_ms, 2)},
    )  # fmt: skip


def shortened(text: str, most: int) -> str:
    """Return the text of such an answer with so many of its finds at most, and how many more there are.

    For people at a terminal: what the answer has beside its text stays whole, and so does `--json`.
    """
    lines = text.split("\n")
    finds = [at for at, line in enumerate(lines) if line.startswith("- ")]
    if len(finds) <= most:
        return text
    limit = next((at for at, line in enumerate(lines) if _LIMIT.fullmatch(line)), None)
    found = _LIMIT.fullmatch(lines[limit]) if limit is not None else None
    total = int(found["found"] or found["zh_found"]) if found else len(finds)
    all_listed = total == len(finds)
    if chinese(lines[0]):
        told = f"（……另有 {total - most} 项；用 `--json` 可列出{'全部' if all_listed else f'前 {len(finds)} 项'}）"
    else:
        told = f"(… {total - most} more; `--json` lists {'all' if all_listed else f'the first {len(finds)}'})"
    left = {*finds[most:], limit}
    kept = [told if at == finds[most] else line for at, line in enumerate(lines) if at == finds[most] or at not in left]
    return "\n".join(kept)


def not_scanned(question: str) -> str:
    """Return the notice for a question that asks for all of something that no scan understood."""
    if chinese(question):
        return "这个回答来自最相关的段落，没有逐一检查全部文件；要统计全部文件，请问“哪些文件提到……”。"
    return "This answer comes from the best passages, not from all documents; to count over all of them ask “which files mention ...”."


def _said(row: Row, wanted: Wanted, zh: bool) -> str:
    text = " ".join(row.text.split())
    if wanted.kind == "documents" and not row.quoted and row.hit is not None and row.within is not None:
        title = " ".join(row.within.of(row.hit.text).split()).lstrip("# ")
        text = title if not text or text == title else f"{title} ({text})" if not zh else f"{title}（{text}）"
    text = text if len(text) <= _CUT else text[: _CUT - 1] + "…"
    text = markers.MARKER.sub(lambda found: found.group().translate(_BRACKETS), text)
    source = markers.MARKER.sub(lambda found: found.group().translate(_BRACKETS), row.source)
    times = (
        "" if wanted.kind != "documents" or row.times < 2 else f"（{row.times} 处）" if zh else f" ({row.times} times)"
    )
    return f"{source}{times}：{text}" if zh and text else f"{source}{times}: {text}" if text else f"{source}{times}"


def _headline(tally: Tally, zh: bool) -> str:
    kind = tally.wanted.kind
    if kind == "documents":
        return _documents_zh(tally) if zh else _documents_en(tally)
    if kind == "headings":
        files = len({row.source for row in tally.rows}) if tally.found <= len(tally.rows) else tally.files
        return (
            f"{files} 个文件共有 {tally.found} 个标题。"
            if zh
            else f"{tally.found} headings in {files} file{_s(files)}."
        )
    if kind == "mentions":
        texts = _texts(tally.wanted, zh)
        if zh:
            return f"{texts}在 {tally.files} 个文件中的 {tally.among} 个里出现 {tally.times} 次，共 {tally.found} 行。"
        return f"{texts} occurs {tally.times} time{_s(tally.times)}, on {tally.found} line{_s(tally.found)}, in {tally.among} of {tally.files} files."
    return _rows_zh(tally) if zh else _rows_en(tally)


def _documents_en(tally: Tally) -> str:
    wanted = tally.wanted
    said: list[str] = []
    if wanted.unread:
        said.append("could not be read")
    if wanted.types:
        said.append(f"{'is' if tally.found == 1 else 'are'} of type {'/'.join(wanted.types)}")
    if wanted.language:
        said.append(f"{'is' if tally.found == 1 else 'are'} in language “{wanted.language}”")
    if wanted.dated is not None:
        said.append(f"{'has' if tally.found == 1 else 'have'} a date {_range(wanted, zh=False)}")
    if wanted.condition:
        said.append(f"{'has' if tally.found == 1 else 'have'} {_key(tally)}")
    if wanted.structure is not None:
        said.append(f"{_does('contain', tally, wanted)} {_STRUCTURES[wanted.structure][0]}")
    if wanted.texts:
        said.append(f"{_does('mention', tally, wanted)} {_texts(wanted, zh=False)}")
    if not said:
        return f"There {'is' if tally.files == 1 else 'are'} {tally.files} file{_s(tally.files)}{_below(wanted, zh=False)}."
    return f"{tally.found} of {tally.files} file{_s(tally.files)}{_below(wanted, zh=False)} {' and '.join(said)}."


def _does(verb: str, tally: Tally, wanted: Wanted) -> str:
    one = tally.found == 1
    return f"{'does' if one else 'do'} not {verb}" if wanted.without else f"{verb}s" if one else verb


def _documents_zh(tally: Tally) -> str:
    wanted = tally.wanted
    said: list[str] = []
    if wanted.unread:
        said.append("无法读取")
    if wanted.types:
        said.append(f"类型为 {'/'.join(wanted.types)}")
    if wanted.language:
        said.append(f"语言为 {wanted.language}")
    if wanted.dated is not None:
        said.append(f"日期{_range(wanted, zh=True)}")
    if wanted.condition:
        said.append(_key(tally))
    if wanted.structure is not None:
        said.append(f"{'没有' if wanted.without else '含有'}{_STRUCTURES[wanted.structure][1]}")
    if wanted.texts:
        said.append(f"{'没有' if wanted.without else ''}提到{_texts(wanted, zh=True)}")
    if not said:
        return f"{_below(wanted, zh=True)}共有 {tally.files} 个文件。"
    return f"{_below(wanted, zh=True)}共 {tally.files} 个文件中的 {tally.found} 个{'，且'.join(said)}。"


def _rows_en(tally: Tally) -> str:
    thing = "item" if "listed" in tally.told else "row"
    where = f"{'list' if 'listed' in tally.told else 'table'}{_s(len(tally.tables))} {', '.join(f'“{name}”' for name in tally.tables[:5])}"
    if condition := tally.told.get("condition"):
        return f"{tally.found} of {tally.among} {thing}s fulfil “{condition}”, in the {where}."
    return f"{tally.found} {thing}{_s(tally.found)} in the {where}."


def _rows_zh(tally: Tally) -> str:
    listed = "listed" in tally.told
    where = f"{'列表' if listed else '表格'}{'、'.join(f'“{name}”' for name in tally.tables[:5])}"
    unit = "项" if listed else "行"
    if condition := tally.told.get("condition"):
        return f"{where}的 {tally.among} {unit}中有 {tally.found} {unit}符合“{condition}”。"
    return f"{where}共有 {tally.found} {unit}。"


def _read(tally: Tally, zh: bool) -> str:
    """Return how far all could be read."""
    said = ""
    if tally.wanted.kind != "documents":
        said = f"检查了 {tally.files} 个文件，" if zh else f"{tally.files} file{_s(tally.files)} scanned, "
    if tally.wanted.unread:
        return ""
    if not tally.unread:
        said += "全部都能读取。" if zh else "all of them could be read."
        said = said if zh else said[0].upper() + said[1:]
    elif _names_some(tally.wanted) and tally.found_unread:
        said += _unread_among(tally, zh)
    elif _names_some(tally.wanted):  # the documents that were counted stand before it, and these are none of them
        said += f"另有 {tally.unread} 个无法读取。" if zh else f"{tally.unread} more could not be read."
    else:
        said += f"其中 {tally.unread} 个无法读取。" if zh else f"{tally.unread} could not be read."
    if tally.partly:
        said += (
            f"另有 {tally.partly} 个文件的部分页面没有文字。"
            if zh
            else f" {tally.partly} more have pages without text."
        )
    return said


def _unread_among(tally: Tally, zh: bool) -> str:
    """Return how many of the documents that were counted could not be read, and how many others."""
    among, others = tally.found_unread, tally.unread - tally.found_unread
    if zh:
        return f"这 {tally.found} 个中有 {among} 个无法读取" + (
            f"，其他文件中另有 {others} 个无法读取。" if others else "。"
        )
    return f"{among} of these {tally.found} could not be read" + (
        f", nor could {others} other file{_s(others)}." if others else "."
    )


def _names_some(wanted: Wanted) -> bool:
    """Return whether documents of some kind are counted, and not all that there are."""
    asked = (wanted.types, wanted.language, wanted.dated, wanted.condition, wanted.structure, wanted.texts)
    return wanted.kind == "documents" and any(asked)


def _counted(tally: Tally, zh: bool) -> str:
    """Return what was counted and how, in one line."""
    wanted = tally.wanted
    said: list[str] = []
    if wanted.texts:
        exact = all(text.exact for text in wanted.texts)
        if "near" in tally.told:
            said.append(
                "整个说法没有原样出现，因此统计的是同一行里含有其中全部词语的文件"
                if zh
                else "files with all of the words on one line, since they never stand together"
            )
        elif wanted.kind == "mentions":
            said.append("统计的是出现次数" if zh else "occurrences")
        else:
            said.append("统计的是文件" if zh else "files")
        said.append(
            ("按原文（不分大小写、全半角、繁简）" if exact else "不分大小写、全半角、繁简和英文词形") if zh
            else ("as quoted (case, width and traditional characters set"
                " aside)" if exact else "in any form of the words (case, width, traditional characters, endings)")
        )  # fmt: skip
        said.append("不猜测同义词" if zh else "synonyms are not guessed")
    elif wanted.kind == "rows":
        said.append(("统计的是列表项" if "listed" in tally.told else "统计的是表格的数据行（不含表头）") if zh else
                    ("items of lists" if "listed" in tally.told else "rows of tables without their headers"))  # fmt: skip
    elif wanted.dated is not None:
        keys = (
            "、".join(key.removeprefix("date ") for key in tally.told if key.startswith("date "))
            if zh
            else ", ".join(key.removeprefix("date ") for key in tally.told if key.startswith("date "))
        )
        if keys:
            said.append(f"日期取自 {keys}" if zh else f"dates are those of {keys}")
    if not said:
        return ""
    return ("说明：" + "；".join(said) + "。") if zh else f"Counted: {'; '.join(said)}."


def _texts(wanted: Wanted, zh: bool) -> str:
    quoted: Sequence[str] = [f"“{text.text}”" for text in wanted.texts]
    if zh:
        return ("或" if wanted.any_of else "和").join(quoted)
    return (" or " if wanted.any_of else " and ").join(quoted)


def _range(wanted: Wanted, *, zh: bool) -> str:
    dated = wanted.dated
    assert dated is not None
    if dated.first and dated.first == dated.last:
        return f"在 {dated.first}" if zh else f"in {dated.first}"
    if dated.first and dated.last:
        return f"在 {dated.first} 至 {dated.last}" if zh else f"from {dated.first} to {dated.last}"
    if dated.first:
        sign = "晚于" if dated.exclusive else "不早于"
        return f"{sign} {dated.first}" if zh else f"{'after' if dated.exclusive else 'since'} {dated.first}"
    sign = "早于" if dated.exclusive else "不晚于"
    return f"{sign} {dated.last}" if zh else f"{'before' if dated.exclusive else 'until'} {dated.last}"


def _key(tally: Tally) -> str:
    return f"{tally.told.get('key', '')} = {tally.told.get('wanted', '')}"


def _below(wanted: Wanted, *, zh: bool) -> str:
    if not wanted.names:
        return ""
    names = ", ".join(wanted.names)
    return f"{names} 下" if zh else f" in {names}"


def _s(count: int) -> str:
    return "" if count == 1 else "s"
