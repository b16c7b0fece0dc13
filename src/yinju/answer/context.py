"""The block of passages that is put into a prompt: within a budget, in an order that is read well, in a form that cannot be forged.

Models overlook the middle of a long context (Liu et al. 2023, "Lost in the Middle"), so the best passage comes first, the second
best last, and the weakest stand in the middle. Markers count in the order shown. What a document says cannot look like our own
delimiters or like a model's control tokens: their brackets are replaced one for one, so lengths and line numbers stay.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from yinju.errors import UsageError
from yinju.load.clean import clean
from yinju.messages import say
from yinju.text import sentences
from yinju.text.tokens import estimate
from yinju.types import Context, ContextFormat, Hit, Passage, Span

_TAGS = re.compile(
    r"[<＜](?=/?\s*(?:documents?|sources?|passages?|context|system|instructions?|question|answer|user|assistant|developer|think|thinking|reasoning|thought"
    r"|tools?|tool_\w+|function_\w+|invoke|im_start|im_end)\b)", re.IGNORECASE,
)  # fmt: skip
# What the chat templates of Qwen, Llama, Mistral, DeepSeek, GLM, Gemma, Phi and Command have between turns.
_CONTROL = re.compile(
    r"[<＜][|｜][^<>＜＞|｜\n]{1,40}[|｜][>＞]|<<\s*/?SYS\s*>>|</?s>|<(?:start|end)_of_turn>|<[|｜][^<>|｜\n]{1,40}>|<[^<>|｜\n]{1,40}[|｜]>"
    r"|<(?:bos|eos|pad|unk|mask|sop|eop|eod|unused\d{1,4}|extra_id_\d{1,4})>|◁/?think▷",
    re.IGNORECASE,
)
_INSTRUCTION = re.compile(
    r"\[(/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|THINK|gMASK|sMASK|BOS|EOS|PAD|UNK))\]",
    re.IGNORECASE,
)
_unprintable = re.compile(r"[\x00-\x1f\x7f\u2028\u2029]")
_swapped = str.maketrans("<>＜＞◁▷", "‹›‹›‹›")


def neutralise(text: str, form: ContextFormat = "tagged") -> str:
    """Return the text with what could pass for our delimiters or for control tokens made harmless; as long as before."""
    text = _TAGS.sub("‹", without_control(text))
    for pattern, replacement in _FORMS[form].forged:
        text = pattern.sub(replacement, text)
    return text


def without_control(text: str) -> str:
    """Return the text with the control tokens of chat models made harmless; as long as before."""
    text = _CONTROL.sub(lambda match: match.group().translate(_swapped), text)
    return _INSTRUCTION.sub(r"⟦\1⟧", text)


def build(question: str, hits: Sequence[Hit], *, tokens: int = 2000, format: ContextFormat = "tagged") -> Context:
    """Return the context of the hits, best first, in at most `tokens` tokens (estimated) with everything around the passages.

    Whole passages only, but for the best one: if it does not fit alone, it is cut at a sentence. A passage that does not fit is left
    out and smaller ones behind it may come in. Raises UsageError for an unknown format or a budget below 1.
    """
    if format not in _FORMS:
        names = ", ".join(_FORMS)
        raise UsageError(
            say("Unknown context format {name}.", "没有这种上下文格式：{name}。", name=repr(format)),
            say("Choose one of {names}.", "可选：{names}。", names=names),
        )
    if tokens < 1:
        raise UsageError(
            say("A context needs a budget of at least 1 token.", "上下文的预算至少要有 1 个 token。"),
            say("Try --tokens 2000.", "可以试试 --tokens 2000。"),
        )

    def block(chosen: Sequence[Hit]) -> str:
        return render(question, _numbered(chosen), format)

    chosen: list[Hit] = []
    for hit in hits:
        if estimate(block([*chosen, hit])) <= tokens:
            chosen.append(hit)
        elif not chosen and hit is hits[0]:
            cut = _cut(hit, lambda part: estimate(block([part])) <= tokens)
            chosen += [cut] if cut else []
    text = block(chosen)
    if estimate(text) > tokens:  # even the frame is too large
        text = ""
    return Context(question, format, text, tuple(_numbered(chosen)), estimate(text), len(hits) - len(chosen))


def renumber(context: Context, first: Sequence[int]) -> Context:
    """Return the context with the passages that have these markers first, and all markers counted anew."""
    by_marker = {passage.marker: passage.hit for passage in context.passages}
    order = [*dict.fromkeys(first), *(marker for marker in by_marker if marker not in first)]
    passages = tuple(Passage(number, by_marker[marker]) for number, marker in enumerate(order, start=1))
    return replace(context, passages=passages, text=render(context.question, passages, context.format))


def arrange(count: int) -> list[int]:
    """Return ranks 0..count-1 in the order shown: 0, 2, 4, ... 5, 3, 1."""
    return [*range(0, count, 2), *reversed(range(1, count, 2))]


def _numbered(ranked: Sequence[Hit]) -> list[Passage]:
    return [Passage(number, ranked[rank]) for number, rank in enumerate(arrange(len(ranked)), start=1)]


def _cut(hit: Hit, fits: Callable[[Hit], bool]) -> Hit | None:
    """Return the longest beginning of the hit that fits: whole sentences, else (one sentence is too long) characters."""
    ends = [span.end for span in sentences.split(hit.text)]
    whole = _last_that_fits(ends, lambda end: fits(_beginning(hit, end)))
    if whole is None:
        whole = _last_that_fits(range(1, (ends or [len(hit.text)])[0]), lambda end: fits(_beginning(hit, end)))
    return _beginning(hit, whole) if whole else None


def _last_that_fits(ends: Sequence[int], fits: Callable[[int], bool]) -> int | None:
    low, high = 0, len(ends)
    while low < high:
        middle = (low + high) // 2
        if fits(ends[middle]):
            low = middle + 1
        else:
            high = middle
    return ends[low - 1] if low else None


def _beginning(hit: Hit, end: int) -> Hit:
    text = hit.text[:end]
    lines = hit.lines
    if lines is not None and hit.text.count("\n") == lines[1] - lines[0]:
        lines = (lines[0], lines[0] + text.count("\n"))
    return replace(hit, text=text, span=Span(hit.span.start, hit.span.start + end), lines=lines, tokens=estimate(text))


def body(hit: Hit, form: ContextFormat) -> str:
    """Return what a passage shows: its table header, if it has one, and its text, without hidden characters, both made harmless."""
    text = f"{hit.header.rstrip()}\n{hit.text}" if hit.header.strip() else hit.text
    return neutralise(clean(text).text, form)


def _plain(text: str) -> str:
    """Return a name on one line, without what could close an attribute or a bracket."""
    return re.sub(
        r'["<>\[\]\x00-\x1f\x7f\u2028\u2029]',
        lambda m: {'"': "'", "<": "‹", ">": "›", "[": "(", "]": ")"}.get(m.group(), " "),
        clean(text).text,
    )


def _attribute(text: str) -> str:
    """Return a name on one line as the value of an attribute: what could close it is escaped as in HTML, so nothing is lost."""
    escaped = html.escape(_unprintable.sub(" ", clean(text).text), quote=False).replace('"', "&quot;")
    return _INSTRUCTION.sub(r"&#91;\1&#93;", escaped)


def _heading_path(hit: Hit, write: Callable[[str], str] = _plain) -> str:
    return " > ".join(write(heading) for heading in hit.headings)


def _lines(hit: Hit) -> str:
    return f"{hit.lines[0]}-{hit.lines[1]}" if hit.lines else ""


def _tagged(question: str, passages: Sequence[Passage]) -> str:
    shown = []
    for passage in passages:
        hit = passage.hit
        pairs = (
            ("source", _attribute(hit.source)),
            ("headings", _heading_path(hit, _attribute)),
            ("lines", _lines(hit)),
            ("page", str(hit.page or "")),
        )
        attributes = "".join(f' {name}="{value}"' for name, value in pairs if value)
        shown.append(f'<document id="{passage.marker}"{attributes}>\n{body(hit, "tagged")}\n</document>')
    return "\n".join(("<documents>", *shown, "</documents>"))


def _numbers(question: str, passages: Sequence[Passage]) -> str:
    return "\n\n".join(
        f"[{p.marker}] ({' > '.join(filter(None, (_plain(p.hit.source), _heading_path(p.hit))))})\n{body(p.hit, 'numbered')}"
        for p in passages
    )


def _sections(question: str, passages: Sequence[Passage]) -> str:
    shown = []
    by_score = sorted(passages, key=lambda p: -p.hit.score)
    for p in passages:
        hit = p.hit
        title = _heading_path(hit) or _plain(hit.title or "")
        rank = by_score.index(p) + 1
        shown.append(
            f"[{p.marker}] rank: {rank} | source: {_plain(hit.source)}#{hit.index} | title: {title} | score: {hit.score:.3f}\n{body(hit, 'sections')}"
        )
    return "\n\n".join((f"# Task\n{question}", "# External knowledge", *shown))


def _fragments(question: str, passages: Sequence[Passage]) -> str:
    return "\n\n".join(
        f"fragment {p.marker} | {' > '.join(filter(None, (_plain(p.hit.source), _heading_path(p.hit))))}\n{body(p.hit, 'fragments')}"
        for p in passages
    )


@dataclass(frozen=True, slots=True)
class _Form:
    """How a format is written, and what of it a document must not imitate (a replacement is as long as what it replaces)."""

    write: Callable[[str, Sequence[Passage]], str]
    forged: tuple[tuple[re.Pattern[str], str], ...] = ()


_number_line = (re.compile(r"^([^\S\n]*)\[(\d+)\]", re.MULTILINE), r"\1⟦\2⟧")
_FORMS: dict[ContextFormat, _Form] = {
    "tagged": _Form(_tagged),
    "numbered": _Form(_numbers, (_number_line,)),
    "sections": _Form(
        _sections,
        (
            _number_line,
            (
                re.compile(r"^([^\S\n]*)#([^\S\n]*(?:Task|External knowledge)\b)", re.MULTILINE | re.IGNORECASE),
                r"\1♯\2",
            ),
        ),
    ),
    "fragments": _Form(
        _fragments, ((re.compile(r"^([^\S\n]*fragment[^\S\n]+\d+[^\S\n]*)\|", re.MULTILINE | re.IGNORECASE), r"\1¦"),)
    ),
}


def render(question: str, passages: Sequence[Passage], form: ContextFormat) -> str:
    """Return the block of these passages in a format."""
    return _FORMS[form].write(question, passages)
