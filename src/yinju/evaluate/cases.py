"""Questions with the place of their answer, as people keep them: one JSON object a line, each checked before anything is asked.

A line that says less than it seems to would make a figure wrong without a sign, so keys that are not known are an error, too.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from yinju import private
from yinju.errors import StoreReadOnly, UsageError
from yinju.messages import say
from yinju.types import Lines

MAXIMUM_BYTES = 64 << 20
_PLACE = ("source", "heading", "line", "lines", "page", "quote")
_KEYS = (
    "id", "question", "expect", "answer", "answerable", "history", "where", "without", "made", "kind", "lang", "note", *_PLACE,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Gold:
    """A place that holds the answer, or a part of it. What is given narrows it: the quote most, then lines, page, heading, the whole source."""

    source: str
    heading: str | None = None
    lines: Lines | None = None
    page: int | None = None
    quote: str | None = None


@dataclass(frozen=True, slots=True)
class Case:
    """A question to be asked. `golds`: all of them are needed for the whole answer. `answers`: wordings of which one is enough.

    `without` names sources that are left out of the search. `made`: the question was written by a program.
    """

    question: str
    golds: tuple[Gold, ...] = ()
    answers: tuple[str, ...] = ()
    answerable: bool = True
    history: tuple[Mapping[str, str], ...] = ()
    where: Mapping[str, str | tuple[str, ...]] = field(default_factory=dict)
    without: tuple[str, ...] = ()
    made: bool = False
    kind: str = ""
    id: str = ""


def read(path: str | Path) -> list[Case]:
    """Return the cases in this file. Raises UsageError naming file and line of the first fault."""
    path = Path(path)
    return parse(_text(path), path.name)


def parse(text: str, name: str = "cases") -> list[Case]:
    r"""Return the cases in this text. Only "\n" ends a line: texts may hold U+2028. Raises UsageError."""
    found: list[Case] = []
    lines: dict[str, int] = {}
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), 1):
        if not line.strip():
            continue
        place = f"{name}:{number}"
        case = _case(_object(line, place), place)
        if case.id in lines:
            raise _fault(
                place,
                say(
                    "the id {id!r} is that of line {n}, too",
                    "编号 {id!r} 与第 {n} 行重复",
                    id=case.id,
                    n=lines[case.id],
                ),
            )
        case = case if case.id else replace(case, id=_new_id(case, lines))
        lines[case.id] = number
        found.append(case)
    if not found:
        raise UsageError(
            say("{name} holds no questions.", "{name} 里没有问题。", name=name),
            say("`yinju eval make` writes some from your documents.", "`yinju eval make` 可以从您的文档生成一些。"),
        )
    return found


def as_line(case: Case, note: str = "") -> str:
    """Return the case as one line of JSON, without what is not said; `parse` reads it back. `note` is for people."""
    golds = [_plain_gold(gold) for gold in case.golds]
    plain: dict[str, Any] = {"id": case.id, "question": case.question}
    plain |= golds[0] if len(golds) == 1 else {"expect": golds}
    plain |= {
        "answer": case.answers[0] if len(case.answers) == 1 else list(case.answers),
        "answerable": None if case.answerable else False,
        "history": [dict(turn) for turn in case.history],
        "where": {key: given if isinstance(given, str) else list(given) for key, given in case.where.items()},
        "without": case.without[0] if len(case.without) == 1 else list(case.without),
        "made": case.made or None,
        "kind": case.kind,
        "note": note,
    }
    return json.dumps(
        {key: value for key, value in plain.items() if value not in (None, "", [], {})}, ensure_ascii=False
    )


def write(path: str | Path, cases: Iterable[Case]) -> None:
    """Write the cases to this file, one a line. Raises StoreReadOnly where it cannot be written."""
    try:
        text = "".join(as_line(case) + "\n" for case in cases)
        private.write(path, text, errors="backslashreplace", links=True)
    except OSError as error:
        raise not_written(path, error) from error


def append(path: str | Path, case: Case, note: str = "", *, links: bool = True) -> Case:
    """Add a case at the end of this file (`links`: which may be one) and return it with its id.

    Raises UsageError for a broken file, or one that asks this already."""
    path = Path(path)
    if not case.question.strip():
        raise UsageError(
            say("The question is empty.", "问题是空的。"), say("Write what people ask.", "请写下人们会问的话。")
        )
    there = _text(path) if path.exists() else ""
    known = {known.id: 1 for known in parse(there, path.name)} if there.strip() else {}
    case = case if case.id else replace(case, id=_new_id(case, {}))
    if case.id in known:
        raise UsageError(
            say("{name} asks this already, with the same place.", "{name} 里已有这个问题和出处。", name=path.name),
            say("Nothing was added.", "没有添加。"),
            code="known-case",
        )
    try:
        with private.opened(path, "a", errors="backslashreplace", links=links) as file:
            file.write(("\n" if there and not there.endswith("\n") else "") + as_line(case, note) + "\n")
    except OSError as error:
        raise not_written(path, error) from error
    return case


def _text(path: Path) -> str:
    try:
        if path.stat().st_size > MAXIMUM_BYTES:
            raise UsageError(
                say("{path} is larger than 64 MB.", "{path} 超过 64 MB。", path=path), say("Split it.", "请拆分。")
            )
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(
            say(
                "The questions {path} cannot be read: {why}.",
                "无法读取问题文件 {path}：{why}。",
                path=path,
                why=getattr(error, "strerror", None) or error,
            ),
            say("It has to be a JSONL file in UTF-8.", "应为 UTF-8 编码的 JSONL 文件。"),
        ) from error


def _object(line: str, place: str) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise _fault(place, say("no JSON ({why})", "不是 JSON（{why}）", why=error)) from error
    if not isinstance(row, dict):
        raise _fault(place, say("no JSON object", "不是 JSON 对象"))
    return row


def _case(row: dict[str, Any], place: str) -> Case:
    unknown = [key for key in row if key not in _KEYS]
    if unknown:
        raise _fault(place, say("there is no key {key!r}", "没有 {key!r} 这个键", key=unknown[0]))
    given = {key: value for key, value in row.items() if value is not None}
    question = _of_type(given, "question", str, place) or ""
    if not question.strip():
        raise _fault(place, say('"question" is missing or empty', "缺少 question 或为空"))
    answerable = _of_type(given, "answerable", bool, place)
    case = Case(
        question=question,
        golds=_golds(given, place),
        answers=_texts(given, "answer", place),
        answerable=answerable is not False,
        history=_history(given, place),
        where=_where(given, place),
        without=_texts(given, "without", place),
        made=bool(_of_type(given, "made", bool, place)),
        kind=_of_type(given, "kind", str, place) or "",
        id=str(given.get("id", "")),
    )
    if answerable is None and not case.golds and not case.answers:
        raise _fault(
            place,
            say(
                'nothing to check: give "source", "answer" or "answerable": false',
                "没有可核对的内容：请写 source、answer 或 answerable: false",
            ),
        )
    return case


def _golds(given: Mapping[str, Any], place: str) -> tuple[Gold, ...]:
    expected = given.get("expect", [])
    if isinstance(expected, dict):
        expected = [expected]
    if not isinstance(expected, list) or not all(isinstance(one, dict) for one in expected):
        raise _fault(place, say('"expect" has to be a list of objects', "expect 应为对象列表"))
    if "source" in given:
        expected = [{key: given[key] for key in _PLACE if key in given}, *expected]
    elif any(key in given for key in _PLACE):
        raise _fault(place, say('a place without its "source"', "出处缺少 source"))
    return tuple(
        dict.fromkeys(_gold({key: value for key, value in one.items() if value is not None}, place) for one in expected)
    )


def _gold(given: Mapping[str, Any], place: str) -> Gold:
    unknown = [key for key in given if key not in _PLACE]
    if unknown:
        raise _fault(place, say("a place has no key {key!r}", "出处没有 {key!r} 这个键", key=unknown[0]))
    source = _of_type(given, "source", str, place)
    if not source:
        raise _fault(place, say('a place without its "source"', "出处缺少 source"))
    quote = _of_type(given, "quote", str, place)
    if quote is not None and not quote.strip():
        raise _fault(place, say('"quote" is empty', "quote 为空"))
    return Gold(
        source, _of_type(given, "heading", str, place), _lines(given, place), _of_type(given, "page", int, place), quote
    )


def _lines(given: Mapping[str, Any], place: str) -> Lines | None:
    value = given.get("lines", given.get("line"))
    if value is None:
        return None
    pair = [value, value] if isinstance(value, int) else value
    numbers = isinstance(pair, list) and len(pair) == 2 and all(type(number) is int for number in pair)
    if not numbers or not 1 <= pair[0] <= pair[1]:
        raise _fault(
            place,
            say('"lines" has to be two numbers from 1, such as [3, 8]', "lines 应为从 1 数起的两个数，例如 [3, 8]"),
        )
    return pair[0], pair[1]


def _history(given: Mapping[str, Any], place: str) -> tuple[Mapping[str, str], ...]:
    turns = given.get("history", [])
    if isinstance(turns, str):  # the question before, alone
        turns = [{"role": "user", "content": turns}]
    try:
        found = tuple({"role": turn["role"], "content": turn["content"]} for turn in turns)
    except (TypeError, KeyError):
        found = ({"role": ""},)
    if not all(
        turn["role"] in ("user", "assistant", "system") and isinstance(turn.get("content"), str) for turn in found
    ):
        raise _fault(
            place,
            say('"history" has to be a list of {{"role", "content"}}', 'history 应为 {{"role", "content"}} 的列表'),
        )
    return found


def _where(given: Mapping[str, Any], place: str) -> dict[str, str | tuple[str, ...]]:
    where = given.get("where", {})
    right = isinstance(where, dict) and all(
        isinstance(globs, str) or (isinstance(globs, list) and globs and all(isinstance(one, str) for one in globs))
        for globs in where.values()
    )
    if not right:
        raise _fault(place, say('"where" has to be an object of KEY: GLOB', "where 应为 KEY: GLOB 的对象"))
    return {key: globs if isinstance(globs, str) else tuple(globs) for key, globs in where.items()}


def _texts(given: Mapping[str, Any], key: str, place: str) -> tuple[str, ...]:
    value = given.get(key, [])
    texts = [value] if isinstance(value, (str, int, float)) and not isinstance(value, bool) else value
    if not isinstance(texts, list) or not all(
        isinstance(text, (str, int, float)) and str(text).strip() for text in texts
    ):
        raise _fault(place, say('"{key}" has to be a text or a list of texts', "{key} 应为文本或文本列表", key=key))
    return tuple(str(text) for text in texts)


def _of_type(given: Mapping[str, Any], key: str, kind: type, place: str) -> Any:
    value = given.get(key)
    if value is not None and (not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool)):
        names = {str: say("a text", "文本"), bool: "true / false", int: say("a number", "整数")}
        raise _fault(place, say('"{key}" has to be {kind}', "{key} 应为{kind}", key=key, kind=names[kind]))
    return value


def _plain_gold(gold: Gold) -> dict[str, Any]:
    plain = {
        "source": gold.source, "heading": gold.heading, "lines": list(gold.lines) if gold.lines else None, "page": gold.page, "quote": gold.quote,
    }  # fmt: skip
    return {key: value for key, value in plain.items() if value is not None}


def _new_id(case: Case, taken: Mapping[str, int]) -> str:
    """Return an id that stays when lines are added or moved: two runs are compared by it."""
    parts: Sequence[object] = (
        case.question,
        case.golds,
        case.history,
        sorted(case.where.items()),
        case.without,
        case.answerable,
    )
    id = "q_" + hashlib.sha256(repr(parts).encode("utf-8", "surrogatepass")).hexdigest()[:10]
    return next(name for name in (id, *(f"{id}-{count}" for count in range(2, len(taken) + 3))) if name not in taken)


def _fault(place: str, what: str) -> UsageError:
    return UsageError(
        say("{place}: {what}.", "{place}：{what}。", place=place, what=what),
        say(
            'A line is {{"question": "...", "source": "a.md", "lines": [3, 3]}}; see docs/evaluation.md.',
            '每行形如 {{"question": "...", "source": "a.md", "lines": [3, 3]}}，详见 docs/evaluation.md。',
        ),
    )


def not_written(path: str | Path, error: OSError) -> StoreReadOnly:
    """Return the error for a file that cannot be written."""
    return StoreReadOnly(
        say("{path} cannot be written: {why}.", "无法写入 {path}：{why}。", path=path, why=error.strerror or error),
        say("Name another file.", "请换一个文件。"),
        code="not-written",
    )
