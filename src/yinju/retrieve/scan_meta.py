"""Conditions on what is known of a document besides its text: its date, and the keys of its front matter or its properties."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from yinju.tally import Wanted
from yinju.text.normalize import fold

if TYPE_CHECKING:
    from yinju.store.records import SourceSummary

Test = Callable[["SourceSummary"], bool]
_CHANGED = ("updated", "last_updated", "lastmod", "modified", "date")
_MADE = ("created", "date", "published")
_KEYS = {"作者": "author", "标题": "title", "标签": "tags", "受众": "audience", "读者": "audience", "状态": "status", "部门": "department",
    "类别": "category",
         "分类": "category", "版本": "version", "writer": "author", "owner": "owner", "tag": "tags"}  # fmt: skip
_OPERATOR = re.compile(
    r"^\s*(?P<not>(?:is|are|was)(?:\s+not|n['’]t)|不是|不为|不等于|!=)?\s*(?:set to|equal(?:s| to)?|of|is|are|was|as|named"
    r"|called|等于|是|为|=|＝|:|：)*\s*",
    re.IGNORECASE,
)


def test(wanted: Wanted, summaries: Sequence[SourceSummary], told: dict[str, str]) -> Test | None:
    """Return the test of a question's date and condition; None where the condition names no key that a document has.

    `told` receives which keys were compared, and under `value SOURCE` what a document says there.
    """
    tests: list[Test] = []
    if wanted.dated is not None:
        tests.append(_date_test(wanted, told))
    if wanted.condition:
        found = _presence_test(wanted, summaries, told) or _key_test(wanted.condition, summaries, told)
        if found is None:
            return None
        tests.append(found)
    return lambda one: all(passes(one) for passes in tests)


def _date_test(wanted: Wanted, told: dict[str, str]) -> Test:
    dated = wanted.dated
    assert dated is not None
    keys = _CHANGED if dated.changed else _MADE

    def passes(one: SourceSummary) -> bool:
        key, date = _date(one, keys, own=dated.changed)
        if not date or not dated.holds(date):
            return False
        told[f"date {key}"] = str(int(told.get(f"date {key}", "0")) + 1)
        told[f"value {one.source}"] = f"{key}: {date[:10]}"
        return True

    return passes


def _date(one: SourceSummary, keys: Sequence[str], *, own: bool) -> tuple[str, str]:
    lower = {key.casefold(): key for key in one.metadata}
    for key in keys:
        if key in lower and (
            date := re.match(r"\d{4}-\d{2}(?:-\d{2})?", str(one.metadata[lower[key]]).replace("/", "-"))
        ):
            return key, date.group()
    if own and one.modified_ns is not None:
        return "file", datetime.fromtimestamp(one.modified_ns / 1e9, UTC).strftime("%Y-%m-%d")
    return "", ""


def _presence_test(wanted: Wanted, summaries: Sequence[SourceSummary], told: dict[str, str]) -> Test | None:
    """Return the test of `have an author`, `no author`: a key alone."""
    said = re.sub(r"^(?:an?|any|the|no|没有|有|标明|写明)\s*", "", fold(wanted.condition).strip())
    keys = {fold(key): key for one in summaries for key in one.metadata}
    keys |= {fold(name): key for name, key in _KEYS.items() if fold(key) in keys}
    if said not in keys:
        return None
    key = keys[said]
    lacking = wanted.without or re.match(r"no\s|没有", fold(wanted.condition)) is not None
    told["key"], told["wanted"] = key, "–" if lacking else "*"
    return lambda one: bool(list(_values(one, key))) != lacking


def _key_test(condition: str, summaries: Sequence[SourceSummary], told: dict[str, str]) -> Test | None:
    said = fold(condition).strip()
    keys = {fold(key): key for one in summaries for key in one.metadata}
    keys |= {fold(name): key for name, key in _KEYS.items() if fold(key) in keys}
    named = [(place, name) for name in keys if (place := _stands(name, said)) is not None]
    if not named:
        return None
    place, name = min(named, key=lambda pair: (pair[0], -len(pair[1])))
    if re.sub(r"^(?:an?|the|their|its|its own|metadata|key|field|的|里|中)\s*", "", said[:place]).strip():
        return None
    operator = _OPERATOR.match(said[place + len(name) :])
    assert operator is not None
    value = said[place + len(name) + operator.end() :].strip(" \"'“”「」`?.。")
    if not value:
        return None
    key = keys[name]
    told["key"], told["wanted"] = key, value
    negated = bool(operator["not"])

    def passes(one: SourceSummary) -> bool:
        values = list(_values(one, key))
        holds = any(value == fold(own) or _within(value, fold(own)) for own in values)
        if holds != negated and (values or negated):
            told[f"value {one.source}"] = f"{key}: {', '.join(values)}" if values else ""
            return True
        return False

    return passes


def _stands(name: str, said: str) -> int | None:
    boundary = r"(?<![a-z0-9_]){}(?![a-z0-9_])" if name.isascii() else "{}"
    found = re.search(boundary.format(re.escape(name)), said)
    return found.start() if found else None


def _within(value: str, own: str) -> bool:
    """True where the value is whole words of a longer one: `Chen` of `Chen Yu`."""
    return re.search(rf"(?<![^\W_]){re.escape(value)}(?![^\W_])", own) is not None


def _values(one: SourceSummary, key: str) -> Iterator[str]:
    value = next((one.metadata[name] for name in one.metadata if name.casefold() == key.casefold()), None)
    for part in value if isinstance(value, list) else [value]:
        if part is not None:
            yield part if isinstance(part, str) else json.dumps(part, ensure_ascii=False)
