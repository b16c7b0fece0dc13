"""What is done about passages that disagree: both are quoted and named; the newer document is preferred only where the user says so.

Extracts quote both sides below a line that says so. A model is told which passages disagree, by their markers and in our own words, and if
it cites only one of the two all the same, a notice names the other.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Literal

from yinju.answer.conflicts import Conflict, Side, conflicts
from yinju.errors import UsageError
from yinju.messages import say
from yinju.text import labels
from yinju.types import Citation, Context, Hit, Passage

NEWEST: Literal["newest"] = "newest"
LONGEST_VALUE = 60  # characters of a value in a notice
_MARKED = re.compile(r"\s*\[\d+\]")
_ENDS = "。！？.!?"
_HEADS = {
    "zh": ("### 文档说法不一致", "### 文档说法不一致，以较新的为准"),
    "en": ("### The documents disagree", "### The documents disagree; this is the newer one"),
}
_PROMPT: Mapping[str, tuple[str, str]] = {
    "zh": (
        "注意：资料 [{a}] 与 [{b}] 对同一件事说法不一致。请把两种说法都写出来，分别标出编号，并指出文档不一致。",
        "注意：资料 [{a}] 与 [{b}] 对同一件事说法不一致，其中 [{new}] 较新。请以 [{new}] 为准，同时说明较旧的 [{old}] 怎么说。",
    ),
    "en": (
        "Note: passages [{a}] and [{b}] disagree about the same thing. State both, cite each, and say that the documents disagree.",
        "Note: passages [{a}] and [{b}] disagree about the same thing, and [{new}] is newer. "
        "Answer by [{new}] and say what the older [{old}] states.",
    ),
}


def preference(given: str | None) -> Literal["", "newest"]:
    """Return what a user prefers of documents that disagree, empty for neither. Raises UsageError for what there is not."""
    if not given:
        return ""
    if given != NEWEST:
        raise UsageError(
            say("There is no preference {name!r}.", "没有 {name!r} 这种取舍。", name=given), say("Choose newest.", "可选 newest。")
        )  # fmt: skip
    return NEWEST


def newer_of(one: Hit, other: Hit) -> tuple[int, str]:
    """Return 1 where the first hit's document looks newer, -1 where the second's does, 0 where nothing tells, and by what.

    By date or version in the front matter, else by what the names say, else by when the file was changed (`modified`).
    """
    for key in ("date", "updated", "version"):
        mine, theirs = _order(one.metadata.get(key)), _order(other.metadata.get(key))
        if mine and theirs and mine != theirs:
            return (1 if mine > theirs else -1), key
    by_name = labels.newer(labels.parse(one.source), labels.parse(other.source))
    if by_name:
        return by_name, "name"
    for key in ("modified", "created"):
        mine, theirs = _order(one.metadata.get(key)), _order(other.metadata.get(key))
        if mine and theirs and mine != theirs:
            return (1 if mine > theirs else -1), key
    return 0, ""


def _order(value: object) -> tuple[int, ...]:
    """Return the numbers of a date or version in their order: `2024-05-01`, `v1.10`, `2024 年 5 月`."""
    return tuple(int(digits) for digits in re.findall(r"\d{1,9}", str(value)[:32])) if value is not None else ()


def notice(conflict: Conflict, *, prefer: str = "") -> str:
    """Return in one sentence for people that two documents disagree, and about what; with `prefer="newest"` which one is newer."""
    ordered = _ordered(conflict, prefer)
    if ordered is not None:
        new, old = ordered
        return say(
            "The documents disagree: the newer {new} says “{a}”, the older {old} says “{b}”.",
            "文档说法不一致：较新的 {new} 为“{a}”，较旧的 {old} 为“{b}”。",
            new=new.source, a=_value(new), old=old.source, b=_value(old),
        )  # fmt: skip
    return say(
        "The documents disagree: {one} says “{a}”, {other} says “{b}”.", "文档说法不一致：{one} 为“{a}”，{other} 为“{b}”。",
        one=conflict.one.source, a=_value(conflict.one), other=conflict.other.source, b=_value(conflict.other),
    )  # fmt: skip


def _value(side: Side) -> str:
    value = " ".join(side.value.split())
    return value if len(value) <= LONGEST_VALUE else value[: LONGEST_VALUE - 1] + "…"


def _ordered(conflict: Conflict, prefer: str) -> tuple[Side, Side] | None:
    """Return the newer and the older side, None where nobody asked or nothing tells."""
    one, other = conflict.one, conflict.other
    newer = newer_of(one.passage.hit, other.passage.hit)[0] if prefer == NEWEST else 0
    return None if not newer else (one, other) if newer > 0 else (other, one)


def for_prompt(found: Sequence[Conflict], language: str, *, prefer: str = "") -> str:
    """Return what a model is told of conflicts, to stand outside of the passages; empty where there are none.

    It holds markers and our own words only, nothing that a document says.
    """
    lines = []
    for conflict in found:
        a, b = sorted(conflict.markers)
        ordered = _ordered(conflict, prefer)
        new, old = (side.passage.marker for side in ordered) if ordered else (a, b)
        lines.append(_PROMPT[language][ordered is not None].format(a=a, b=b, new=new, old=old))
    return "\n".join(dict.fromkeys(lines))


def with_both(question: str, text: str, context: Context, language: str, *, prefer: str = "") -> tuple[str, list[str]]:
    """Return an extract with the other side of what it quotes, and notices for people.

    Nothing is changed where no quoted sentence is disputed. With `prefer="newest"` the newer side is quoted alone, and a notice names the older.
    """
    said = _squeezed(_MARKED.sub("", text))
    notices: list[str] = []
    heads: list[str] = []
    for conflict in conflicts(question, context.passages):
        sides = (conflict.one, conflict.other)
        if not any(_squeezed(_quoted(side)) in said for side in sides):
            continue
        ordered = _ordered(conflict, prefer)
        notices.append(notice(conflict, prefer=prefer))
        heads.append(_HEADS[language][ordered is not None])
        for side in sides if ordered is None else ordered[:1]:
            if _squeezed(_quoted(side)) not in said:
                text = f"{text}\n{_stated(side)}"
                said += _squeezed(_quoted(side))
        if ordered is not None:
            text = _without(text, ordered[1])
    return (f"{heads[0]}\n{text}" if heads else text), notices


def unsaid(question: str, passages: Sequence[Passage], citations: Sequence[Citation], *, prefer: str = "") -> list[str]:
    """Return a notice for each conflict of which a model's answer cites one side only."""
    cited = {citation.id for citation in citations}
    return [
        notice(conflict, prefer=prefer)
        for conflict in conflicts(question, passages)
        if len(cited & {conflict.one.passage.id, conflict.other.passage.id}) == 1
    ]


def dated(hits: Sequence[Hit], modified_ns: Mapping[str, int | None]) -> tuple[Hit, ...]:
    """Return the hits with the time of their file (by source, nanoseconds since 1970) as `modified`, where their documents give none."""
    return tuple(_dated(hit, modified_ns.get(hit.source)) for hit in hits)


def _dated(hit: Hit, modified_ns: int | None) -> Hit:
    if modified_ns is None or "modified" in hit.metadata:
        return hit
    time = datetime.fromtimestamp(modified_ns / 1e9, UTC).strftime("%Y-%m-%dT%H:%M:%S")
    return replace(hit, metadata={**hit.metadata, "modified": time})


def _quoted(side: Side) -> str:
    """Return a side's sentence as an extract words it."""
    return " ".join(side.text.split())


def _stated(side: Side) -> str:
    """Return the sentence with its marker in front of the full stop."""
    text = _quoted(side)
    body = text.rstrip(_ENDS)
    return f"{body} [{side.passage.marker}]{text[len(body) :]}"


def _without(text: str, side: Side) -> str:
    """Return an extract without the sentence of this side; unchanged where nothing would be left of it."""
    body = re.escape(_quoted(side).rstrip(_ENDS))
    rest = re.sub(rf"{body}(?:\s*\[\d+\])*[{re.escape(_ENDS)}]?(?:\s*\[\d+\])*\s?", "", text)
    return rest.strip() or text


def _squeezed(text: str) -> str:
    return "".join(text.split()).rstrip(_ENDS)
