"""The verdicts of a second reading, read from a reply that should be JSON and often nearly is.

A verdict counts only where it certainly is one. Where a statement has none, or two that differ, the whole reply is no answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Literal

from yinju.messages import say
from yinju.text.loose_json import objects
from yinju.text.normalize import fold

Verdict = Literal["stated", "not stated", "contradicted"]
_DEEPEST = 2
_SPELLINGS: dict[Verdict, str] = {
    "stated": "stated supported 写明 有写明 已写明",
    "not stated": "notstated unstated notsupported unsupported notmentioned 没有写明 未写明 没写明 没有提到 未提及",
    "contradicted": "contradicted contradicts contradiction contradictory 矛盾 有矛盾 相矛盾",
}
_known: dict[str, Verdict] = {spelling: verdict for verdict, all in _SPELLINGS.items() for spelling in all.split()}
_verdicts = "verdict result judgement judgment conclusion status 结论 判断 结果"
_VERDICTS = frozenset(_verdicts.split())
_numbers = "number n id index statement 编号 序号 陈述"
_NUMBERS = frozenset(_numbers.split())
_number = re.compile(r"(?:statement|no|陈述|第)?[\W_]*(\d{1,4})[\W_]*条?")


class Unreadable(Exception):
    """The reply holds no verdict for each statement; the text says why, for people and for the model."""


def read(reply: str, count: int) -> dict[int, Verdict]:
    """Return the verdict on each statement, from 1 to `count`. Raises Unreadable."""
    if not reply.strip():
        raise Unreadable(say("the reply is empty", "回复为空"))
    found: dict[int, Verdict] = {}
    for one in objects(reply):
        for number, value in _entries(one):
            verdict = _verdict(value)
            if verdict is None:
                shown_as = " ".join(str(value).split())[:40]
                raise Unreadable(say("{value!r} is no verdict", "{value!r} 不是结论", value=shown_as))
            if not 1 <= number <= count:
                raise Unreadable(say("there is no statement {n}", "没有陈述 {n}", n=number))
            if found.setdefault(number, verdict) != verdict:
                raise Unreadable(say("statement {n} has two verdicts", "陈述 {n} 有两个结论", n=number))
    if not found:
        raise Unreadable(say("the reply holds no verdicts as JSON", "回复中没有 JSON 形式的结论"))
    missing = next((number for number in range(1, count + 1) if number not in found), None)
    if missing is not None:
        raise Unreadable(say("statement {n} has no verdict", "陈述 {n} 没有结论", n=missing))
    return found


def _entries(given: Mapping[str, Any], depth: int = 0) -> Iterator[tuple[int, Any]]:
    """Yield numbers with what is said of them: `{"1": ...}`, `{"number": 1, "verdict": ...}`, or one of these further in."""
    own = next((_as_number(value) for key, value in given.items() if _plain(key) in _NUMBERS), None)
    if own is not None:
        yield own, given
        return
    numbered = [(number, value) for key, value in given.items() if (number := _as_number(key)) is not None]
    yield from numbered
    if numbered or depth == _DEEPEST:
        return
    for value in given.values():
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, dict):
                yield from _entries(one, depth + 1)


def _as_number(given: Any) -> int | None:
    if isinstance(given, bool) or not isinstance(given, (int, str)):
        return None
    found = _number.fullmatch(fold(str(given)[:40]).strip())
    return int(found[1]) if found else None


def _verdict(given: Any) -> Verdict | None:
    if isinstance(given, dict):
        values = [value for key, value in given.items() if _plain(key) in _VERDICTS]
        return _verdict(values[0]) if len(values) == 1 and isinstance(values[0], str) else None
    return _known.get(_plain(given)) if isinstance(given, str) and len(given) <= 40 else None


def _plain(text: str) -> str:
    return re.sub(r"[\W_]+", "", fold(str(text)[:60]))
