"""Questions that a document itself suggests: its headings, table cells, `X: value` lines, definitions, numbers, dates and names.

They are written by rules, offline, in the language of the document, and keep its words: a search finds them more easily than what people ask.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from yinju.text.language import is_chinese
from yinju.text.sentences import split
from yinju.text.tables import cells, column_names
from yinju.types import Document, Span

KINDS = ("row", "pair", "definition", "number", "date", "name", "heading")
_CUT_AT = re.compile(r"[，,；;。.!！?？](?=\s|[^\x00-\x7f]|$)")
_YES_NO = re.compile(
    "是|否|有|无|能|不能|支持|不支持|可以|不可以|yes|no|true|false|none|n/a|ok|[-–—/√✓✗×]", re.IGNORECASE
)
_MONTH = "(?:January|February|March|April|May|June|July|August|September|October|November|December)"
_DATE = re.compile(
    r"\d{4} ?年(?: ?\d{1,2} ?月(?: ?\d{1,2} ?日)?)?|\d{1,2} ?月 ?\d{1,2} ?日|\d{4}-\d{2}-\d{2}"
    rf"|\b{_MONTH} \d{{1,2}}(?:, \d{{4}}|\b)|\b(?:\d{{1,2}} )?{_MONTH} \d{{4}}|\b\d{{1,2}} {_MONTH}\b"
)
_ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_UNITS = (
    "万元|亿元|元|天|个月|小时|分钟|毫秒|秒|周|岁|个|次|条|字|人|台|件|页|份|位|倍|种|家|名|项|公里|厘米|毫米|米|公斤|千克|克|吨|升|毫升|度"
    "|℃|°C|%|％|[KMGT]B|kg|km|cm|mm|V|W|Hz"
)
_NUMBER = r"(?<![\w.,/:#§~-])(?<![第vV–])\d{1,3}(?:,\d{3})+|(?<![\w.,/:#§~–-])(?<!第)(?<!第 )\d+(?:\.\d+)?"
_ZH_NUMBER = re.compile(rf"(?P<number>{_NUMBER}) ?(?P<unit>{_UNITS})(?![a-zA-Z])")
# A bare number from 1000 to 2099 is a year: the 1942 essay.
_EN_UNITS = r"(?!(?:was|has|as|is|this|its|his|us)\b)[a-z]+s|yuan|people|feet|percent|%|[KMGT]B|kg|km|cm|mm|°C"
_EN_NUMBER = re.compile(rf"(?!(?:1\d|20)\d\d )(?P<number>{_NUMBER}) (?P<unit>{_EN_UNITS})(?!\w)")
_NAMED = re.compile(r"\s[A-Z][\w-]* $")  # RFC 8259, Windows 10: part of a name
_NAME = re.compile(r"“([^“”\n]{2,20})”|「([^「」\n]{2,20})」|《([^《》\n]{2,30})》|`([\w.:/-]{3,40})`")
_PAIR = re.compile(
    r"^[ \t]*(?:[-*+•][ \t]+)?\**(?P<key>[^:：|`\n*]{2,30}?)\**[:：][ \t]*\**(?P<value>[^\s*][^\n]{0,79}?)\**[ \t]*$"
)
_ZH_DEFINITION = re.compile(
    r"^[“「]?(?P<term>[^，。：；、“”「」\s]{2,14}?)[”」]?(?P<verb>是指|指的是|指|是一种|是一个|是一款|是一项)[^，。]{4,}"
)
_EN_DEFINITION = re.compile(
    r"^(?P<term>(?:An? |The )?[\w-]+(?: [\w-]+){0,3}) (?P<verb>is|are|means|refers to) (?:an?|the|any|all|what)\b .{8,}"
)
_NO_TERM = re.compile(
    r"^(?:这|那|它|其|他|她|此|该|我|你|您|如果|以下|以上|上述|本)|不|都|也|还|就|"
    r"^(?:this|that|these|those|it|there|here|what|if|when|you|we|they|he|she|which|who|such|one|all|each|both)\b",
    re.IGNORECASE,
)
_ASKS = re.compile(r"[?？]$|^(?:如何|怎么|怎样|为什么)|^how (?:to|do|can)\b", re.IGNORECASE)
# Words of a key that is half a sentence, or that says nothing of its value.
_NO_KEY = re.compile(
    "[，。；（(是不请会可了按被]|注意|提示|提醒|示例|例如|备注|说明|修复|新增|^(?:fixed|new|added|changed|note|tip|warning|example|important|please)"
    r"|[曰说道问答称云]$|\b(?:is|are|was|were|can|has|have|do|does|will|it|you|we|they|if|when|this|that|note)\b",
    re.IGNORECASE,
)
_GENERIC = re.compile(
    "概述|简介|前言|引言|目录|附录|总结|其他|说明|背景|备注|overview|introduction|summary|contents|appendix|notes|general|misc|other|faq",
    re.IGNORECASE,
)
_LEAST_SECTION = 40  # characters below a heading, so that there is something to be asked


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A question with the place of its answer. `core` is what only who has the place can know: a number or code, else empty."""

    kind: str
    question: str
    answer: str
    span: Span
    core: str = ""
    heading: str | None = None


def suggestions(document: Document) -> Iterator[Suggestion]:
    """Yield the questions that a document suggests, in the order of the text within each kind."""
    yield from _from_rows(document)
    taken = [mark.span for mark in document.marks if mark.kind in ("table", "code", "heading")]
    for span in split(document.text):
        if any(span.start < other.end and other.start < span.end for other in taken):
            continue
        sentence = " ".join(span.of(document.text).split())
        sentence = re.sub(r"^(?:[-*+•]|\d{1,3}[.)、])\s+", "", sentence)
        found = _from_pair(document, span) or _from_definition(sentence, span) or _from_sentence(sentence, span)
        if found is not None:
            yield found
    yield from _from_headings(document)


def _from_rows(document: Document) -> Iterator[Suggestion]:
    tables = [mark for mark in document.marks if mark.kind == "table"]
    headers = [mark.span for mark in document.marks if mark.kind == "header"]
    for mark in document.marks:
        if mark.kind != "row":
            continue
        table = next((one.span for one in tables if one.span.start <= mark.span.start < one.span.end), None)
        header = next((one for one in headers if table and table.start <= one.start < table.end), None)
        if header is None:
            continue
        names, values = column_names(header.of(document.text)), cells(mark.span.of(document.text))
        if len(names) < 2 or not values or len(values) > len(names):
            continue
        key = _plain(values[0])
        if not 2 <= len(key) <= 30 or key.isdigit():
            continue
        for name, value in zip(names[1:], values[1:], strict=False):
            text = _plain(value)
            if name and 2 <= len(text) <= 60 and not _YES_NO.fullmatch(text):
                yield Suggestion("row", _of_cell(key, _plain(name), text), text, mark.span, _core(text))


def _of_cell(key: str, column: str, value: str) -> str:
    if is_chinese(key + column):
        if column.startswith(("是否", "能否", "可否")):
            return f"{key}{column}？"
        ask = "什么时候" if _DATE.search(value) else "多少" if value[:1].isdigit() else "什么"
        return f"{key}的{column}是{ask}？"
    if re.match(r"(?:what|how|when|where|who|which|why|can|is|does)\b", column, re.IGNORECASE):
        return f"{key}: {column[:1].lower() + column[1:]}".rstrip("?") + "?"
    column = column if column.isupper() else column[:1].lower() + column[1:]
    return f"What is the {column} for {key}?"


def _from_pair(document: Document, span: Span) -> Suggestion | None:
    found = _PAIR.match(span.of(document.text))
    if found is None:
        return None
    key, value = found["key"].strip(), found["value"].strip("。. ")
    if (
        _NO_KEY.search(key)
        or not any(character.isalpha() for character in key)
        or key[-1].isdigit()
        or "//" in value[:3]
        or len(value) < 2
    ):
        return None
    above = document.headings(span.start)
    heading = _plain(above[-1]) if above else ""
    if is_chinese(key):
        if len(key) > 12:
            return None
        ask = "多少" if re.match(r"[¥￥$]?\d", value) else "什么"
        question = f"{heading}的{key}是{ask}？" if heading and heading not in key else f"{key}是{ask}？"
    else:
        if len(key.split()) > 3:
            return None
        of = f" of {heading}" if heading and heading.lower() not in key.lower() else ""
        question = f"What is the {key[:1].lower() + key[1:]}{of}?"
    return Suggestion("pair", question, value, span, _core(value))


def _from_definition(sentence: str, span: Span) -> Suggestion | None:
    found = _ZH_DEFINITION.match(sentence)
    if found and not _NO_TERM.search(found["term"]):
        ask = "指什么" if "指" in found["verb"] else "是什么"
        return Suggestion("definition", f"“{found['term']}”{ask}？", "", span)
    found = _EN_DEFINITION.match(sentence)
    if found and not _NO_TERM.match(found["term"]):
        verb = "are" if found["verb"] == "are" else "is"
        term = found["term"]
        term = term[:1].lower() + term[1:] if re.match(r"(?:An?|The) ", term) else term
        return Suggestion("definition", f"What {verb} {term}?", "", span)
    return None


def _from_sentence(sentence: str, span: Span) -> Suggestion | None:
    chinese = is_chinese(sentence)
    if not (
        8 <= len(sentence) <= 120 if chinese else 25 <= len(sentence) <= 240 and sentence.rstrip("\"'”’)")[-1:] in ".!"
    ):
        return None
    date = _DATE.search(sentence)
    if date:
        ask = "什么时候" if chinese else "what date"
        return _cloze(
            "date",
            sentence,
            date.span(),
            ask,
            date.group(),
            span,
            core=date.group() if _ISO_DATE.fullmatch(date.group()) else "",
        )
    numbers = (_ZH_NUMBER if chinese else _EN_NUMBER).finditer(sentence)
    number = next((one for one in numbers if not _NAMED.search(sentence[: one.start()])), None)
    if number:
        unit = number["unit"]
        ask = (
            ("百分之多少" if unit in "%％" else f"多少{unit}")
            if chinese
            else ("what percentage" if unit == "%" else f"how many {unit}")
        )
        return _cloze("number", sentence, number.span(), ask, number.group(), span, core=number["number"])
    name = _NAME.search(sentence)
    if name:
        text = next(group for group in name.groups() if group)
        ask = "什么" if chinese else "what"
        return _cloze("name", sentence, name.span(), ask, text, span, core=_core(text) if name[4] else "")
    return None


def _cloze(
    kind: str, sentence: str, at: tuple[int, int], ask: str, answer: str, span: Span, *, core: str
) -> Suggestion | None:
    """Ask for what stands at this place: the sentence up to the end of its clause, with a question word instead of it."""
    start, end = at
    stop = _CUT_AT.search(sentence, end)
    before, after = sentence[:start].rstrip(), sentence[end : stop.start() if stop else len(sentence)].rstrip()
    if is_chinese(sentence):
        after = after.lstrip() if is_chinese(after.lstrip()[:1]) else after
        question = f"{before}{ask}{after.rstrip('：:')}？"
    else:
        gap = "" if before.endswith("(") else " "
        question = " ".join(f"{before}{gap}{ask}{after.rstrip(':')}?".split())
        question = question[:1].upper() + question[1:]
    if any(question.count(left) != question.count(right) for left, right in ("()", "（）", "“”", "[]")):
        return None  # it was cut inside of brackets
    rest = re.sub(r"\W", "", question.replace(ask, "", 1))
    if len(rest) < (6 if is_chinese(sentence) else 15):  # nothing is left to be searched for
        return None
    return Suggestion(kind, _plain(question), answer, span, core)


def _from_headings(document: Document) -> Iterator[Suggestion]:
    marks = [mark for mark in document.marks if mark.kind == "heading"]
    for number, mark in enumerate(marks):
        end = marks[number + 1].span.start if number + 1 < len(marks) else len(document.text)
        label = _plain(mark.label)
        body = document.text[mark.span.end : end].strip()
        if (
            len(body) < _LEAST_SECTION
            or not 2 <= len(label) <= 60
            or _GENERIC.fullmatch(label)
            or label == document.title
        ):
            continue
        section = Span(mark.span.start, mark.span.start + len(document.text[mark.span.start : end].rstrip()))
        yield Suggestion(
            "heading", _of_heading(label, document.title or "", is_chinese(label)), "", section, heading=mark.label
        )


def _of_heading(label: str, title: str, chinese: bool) -> str:
    if _ASKS.search(label):
        return label if label[-1] in "?？" else label + ("？" if chinese else "?")
    if chinese:
        return f"《{title}》里，关于“{label}”是怎么说的？" if title else f"关于“{label}”是怎么说的？"
    return f"What does “{title}” say about {label}?" if title else f"What is said about {label}?"


def _core(text: str) -> str:
    """Return the number or code in a value, which would be the same in another language; empty where there is none."""
    found: Sequence[str] = re.findall(r"[A-Za-z]*[\d][\w.,:–-]*\w|\w*[_-]\w+|\d{2,}", text)
    return max(found, key=len, default="")


def _plain(text: str) -> str:
    """Return the text without the marks of Markdown, on one line."""
    return " ".join(re.sub(r"[*`]|\[([^\]]*)\]\([^)]*\)", r"\1", text).split())
