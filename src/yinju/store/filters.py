"""Which chunks a question may see: `--where KEY=GLOB`, decided before any leg cuts its list.

Globs are compared with folded values (width, case, traditional to simplified). Documents are filtered first, since they are few; only
`headings` looks at chunks.
"""

from __future__ import annotations

import fnmatch
import json
import re
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from yinju.errors import UsageError
from yinju.messages import say
from yinju.store import sql
from yinju.store.database import from_cell

if TYPE_CHECKING:
    import apsw

    from yinju.store.records import RowIds

Test = Callable[[str], bool]
MAXIMUM_PATTERN = 1_000  # characters
_COLUMNS = ("source", "type", "language")
_DATES = ("modified", "created", "date")
_COMPARISON = re.compile(r"(>=|<=|>|<|=)\s*(\d{4}(?:-\d{2}(?:-\d{2}(?:[T ][\d:]+)?)?)?)")


def allowed(connection: apsw.Connection, where: Mapping[str, str]) -> RowIds | None:
    """Return the sorted row ids that match all conditions, None where there is no condition. Raises UsageError."""
    if not where:
        return None
    import numpy as np

    tests = {key: _test(key, pattern) for key, pattern in where.items()}
    heading_test = tests.pop("headings", None)
    documents = _documents(connection, tests) if tests else None
    conditions, values = ["1"], []
    if documents is not None:
        conditions.append("document in (select value from json_each(?))")
        values.append(json.dumps(documents))
    if heading_test is not None:
        matching = _headings(connection, heading_test)
        conditions.append("headings in (select value from json_each(?))")
        values.append(json.dumps(matching))
    statement = f"select group_concat(id, ' ') from chunk where {' and '.join(conditions)}"  # noqa: S608  our own
    joined = sql.cell(connection, statement, tuple(values))
    return np.sort(np.array(joined.split(), dtype=np.int64)) if joined else np.empty(0, dtype=np.int64)


def _documents(connection: apsw.Connection, tests: Mapping[str, Test]) -> list[int]:
    rows = connection.execute("select id, source, type, language, modified_ns, metadata from document")
    found = []
    for number, source, type_, language, modified_ns, metadata in rows:
        columns = {"source": from_cell(source), "type": type_, "language": language}
        parsed: dict[str, Any] | None = None
        for key, test in tests.items():
            if key in columns:
                values: Iterable[str] = (columns[key],)
            else:
                parsed = json.loads(metadata) if parsed is None else parsed
                values = list(_values(parsed, key, modified_ns))
            if not any(test(value) for value in values):
                break
        else:
            found.append(number)
    return found


def _headings(connection: apsw.Connection, test: Test) -> list[str]:
    cells = [cell for (cell,) in connection.execute("select distinct headings from chunk")]
    return [cell for cell in cells if _heading_matches(json.loads(cell), test)]


def _heading_matches(headings: list[str], test: Test) -> bool:
    return any(test(heading) for heading in headings) or (len(headings) > 1 and test(" > ".join(headings)))


def _values(metadata: Mapping[str, Any], key: str, modified_ns: int | None) -> Iterable[str]:
    value = next((metadata[name] for name in metadata if name.casefold() == key.casefold()), None)
    if value is None and key == "modified" and modified_ns is not None:
        value = datetime.fromtimestamp(modified_ns / 1e9, UTC).strftime("%Y-%m-%dT%H:%M:%S")
    for one in value if isinstance(value, list) else [value]:
        if one is not None:
            yield one if isinstance(one, str) else json.dumps(one, ensure_ascii=False)


def _test(key: str, pattern: str) -> Test:
    if len(pattern) > MAXIMUM_PATTERN:
        raise UsageError(
            say("the pattern for {key} is too long", "{key} 的匹配式过长", key=key),
            say("At most {most} characters.", "最多 {most} 个字符。", most=MAXIMUM_PATTERN),
        )
    if key in _DATES and pattern[:1] in "<>=" and pattern:
        return _date_test(key, pattern)
    from yinju.text.normalize import fold

    match = re.compile(fnmatch.translate(fold(pattern))).match
    return lambda value: match(fold(value)) is not None


def _date_test(key: str, pattern: str) -> Test:
    found = _COMPARISON.fullmatch(pattern.strip())
    if found is None:
        raise UsageError(
            say("{key} cannot be compared with {pattern}", "{key} 无法与 {pattern} 比较", key=key, pattern=pattern),
            say("Write for example {key}=>=2024-01-31.", "例如：{key}=>=2024-01-31。", key=key),
        )
    operator, bound = found[1], found[2].replace(" ", "T")
    compare: dict[str, Test] = {
        ">=": lambda value: value >= bound,
        "<=": lambda value: value <= bound,
        ">": lambda value: value > bound,
        "<": lambda value: value < bound,
        "=": lambda value: value == bound,
    }
    decide = compare[operator]
    # Compared as far as the bound goes: the whole of 2024-01-31 is <= 2024-01-31.
    return lambda value: decide(value.replace("/", "-").replace(" ", "T")[: len(bound)])
