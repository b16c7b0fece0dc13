"""Front matter of Markdown: metadata in YAML (`---`), TOML (`+++`) or JSON (`{`) before the text.

YAML is read without its dangers: no tags that make objects, few aliases, few values, little depth. Bad YAML costs a warning and never the
document: then the plain `key: value` lines are taken for what they are.
"""

from __future__ import annotations

import json
import math
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date, datetime, time
from typing import Any

MAXIMUM_CHARACTERS = 64 * 1024
MAXIMUM_ALIASES = 20
MAXIMUM_VALUES = 5_000
MAXIMUM_DEPTH = 20

_FENCED = re.compile(
    r"\A(?:[ \t]*\n){0,9}(---|\+\+\+)[ \t]*(?:yaml|toml)?[ \t]*\n(.*?)^(?:\1|\.\.\.)[ \t]*(?:\n|\Z)",
    re.DOTALL | re.MULTILINE,
)
_PLAIN_LINE = re.compile(r"^([A-Za-z_\u4e00-\u9fff][\w .-]{0,60}?)[ \t]*:[ \t]+(.+?)[ \t]*$", re.MULTILINE)
_KEY_LINE = re.compile(r"[\w\"'\u4e00-\u9fff][\w .\"'-]{0,80}[ \t]*(?::(?:[ \t]|$)|=)")
_OTHER_LINE = re.compile(r"[ \t]|[-#\[\]}]|$")  # inside a value, an item, a comment, a table of TOML, nothing
_json_keys = (
    "title 标题 date draft slug tags categories description layout weight author authors lastmod aliases access"
)
_JSON_KEYS = frozenset(_json_keys.split())
_UNCLOSED = re.compile(r"\A(?:[ \t]*\n){0,9}(?:(?:---|\+\+\+)[^\n]*\n|\{).*?(?=^[ \t]*$|\Z)", re.DOTALL | re.MULTILINE)
_ACCESS_LINE = re.compile(r"(?:^[ \t]{0,3}|[{,][ \t]*)[\"']?access[\"']?[ \t]*[:=：]", re.IGNORECASE | re.MULTILINE)
_NAMES = {
    "author": ("author", "authors", "作者"),
    "created": ("created", "date", "created_at", "creation_date", "published", "pubdate", "日期", "创建时间"),
    "modified": ("modified", "updated", "lastmod", "last_modified", "updated_at", "last_updated", "更新时间"),
}


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """`length` characters at the start of the text are front matter (0: there is none)."""

    length: int = 0
    title: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()


class _TooMuch(ValueError):
    """The front matter is larger, deeper or more entangled than any honest one."""


def read_front_matter(text: str) -> FrontMatter:
    """Return the front matter at the start of the text. A text that merely begins with `---` has none. Never raises.

    Where it cannot be read and yet seems to say who may see the document, `access` is null, which lets nobody in.
    """
    found, sound = _read(text)
    if sound or any(key.strip().casefold() == "access" for key in found.metadata):
        return found
    start = text[:MAXIMUM_CHARACTERS]
    head = _FENCED.match(start) or _UNCLOSED.match(start)
    if head is None or not _ACCESS_LINE.search(head[0]):
        return found
    warning = "front-matter: access is not understood"
    return replace(found, metadata={**found.metadata, "access": None}, warnings=(*found.warnings, warning))


def _read(text: str) -> tuple[FrontMatter, bool]:
    """Return what was found, and whether it could be read as what it claims to be."""
    match = _FENCED.match(text)
    if match is None:
        found = _json(text) if text.startswith("{") else FrontMatter()
        return found, found.length > 0
    fence, body = match.group(1), match.group(2)
    warnings: tuple[str, ...] = ()
    if not _looks_like_keys(body):
        return FrontMatter(), False  # two thematic breaks around prose
    try:
        values = _toml(body) if fence == "+++" else _yaml(body)
    except _BadYaml as error:
        values, warnings = _plain_lines(body), (f"front-matter: {error}",)
    if not isinstance(values, dict):
        return FrontMatter(match.end()), False
    title = values.pop("title", None) or values.pop("标题", None)
    return FrontMatter(match.end(), _as_title(title), standard_names(values), warnings), not warnings


def _json(text: str) -> FrontMatter:
    """Return a JSON object of metadata as Hugo writes it; a text that merely begins with an object keeps it."""
    try:
        values, end = json.JSONDecoder().raw_decode(text[:MAXIMUM_CHARACTERS])
        found = _as_json(values, _Budget())
    except (ValueError, RecursionError):
        return FrontMatter()
    rest = text[end:].partition("\n")
    if not _JSON_KEYS.intersection(found) or rest[0].strip() or not rest[2].strip():
        return FrontMatter()
    title = found.pop("title", None) or found.pop("标题", None)
    return FrontMatter(len(text) - len(rest[2]), _as_title(title), standard_names(found))


def _looks_like_keys(body: str) -> bool:
    """Say whether each line at the margin begins with a key: prose between two breaks must never be cut off."""
    lines = body.split("\n")
    return all(_OTHER_LINE.match(line) or _KEY_LINE.match(line) for line in lines) and (
        not body.strip() or any(_KEY_LINE.match(line) for line in lines)
    )


def standard_names(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values with author, created and modified under these names too, whatever the file calls them."""
    found = dict(values)
    by_folded = {key.lower().replace("-", "_").replace(" ", "_"): value for key, value in values.items()}
    for name, synonyms in _NAMES.items():
        value = next((by_folded[s] for s in synonyms if by_folded.get(s) not in (None, "", [])), None)
        if value is not None:
            found[name] = value
    return found


class _BadYaml(Exception):
    """Front matter that cannot be read as what it claims to be."""


def _toml(body: str) -> Any:
    try:
        return _as_json(tomllib.loads(body), _Budget())
    except (tomllib.TOMLDecodeError, ValueError, RecursionError) as error:
        raise _BadYaml(_first_line(error)) from None


def _yaml(body: str) -> Any:
    import yaml

    if len(body) > MAXIMUM_CHARACTERS:
        raise _BadYaml("too large")

    class Careful(yaml.SafeLoader):
        """The safe loader, which counts aliases before it follows them."""

        aliases = 0

        def compose_node(self, parent: Any, index: Any) -> Any:
            if self.check_event(yaml.events.AliasEvent):
                self.aliases += 1
                if self.aliases > MAXIMUM_ALIASES:
                    raise _TooMuch("too many aliases")
            return super().compose_node(parent, index)

    try:
        return _as_json(Careful(body).get_single_data(), _Budget())
    except (yaml.YAMLError, ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError) as error:
        raise _BadYaml(_first_line(error)) from None


class _Budget:
    """Counts the values that are left, so that shared parts cannot grow without end when they are written out."""

    def __init__(self) -> None:
        self.left = MAXIMUM_VALUES

    def spend(self, depth: int) -> None:
        self.left -= 1
        if self.left < 0 or depth > MAXIMUM_DEPTH:
            raise _TooMuch("too many values or too deep")


def _as_json(value: Any, budget: _Budget, depth: int = 0) -> Any:
    """Return the value as JSON data: dates as ISO 8601, sets as lists, keys as strings."""
    budget.spend(depth)
    if isinstance(value, (datetime, date, time)):
        return value.isoformat()
    if isinstance(value, dict):
        return {str(key): _as_json(item, budget, depth + 1) for key, item in value.items()}
    if isinstance(value, (list, tuple, set)):
        return [_as_json(item, budget, depth + 1) for item in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, int):
        return value if abs(value) < 2**63 else str(value)
    return str(value)


def _plain_lines(body: str) -> dict[str, Any]:
    pairs = _PLAIN_LINE.findall(body[:MAXIMUM_CHARACTERS])[:100]
    return {key: value.strip("\"'") for key, value in pairs if value[0] not in "&*!|>[{"}


def _as_title(value: Any) -> str | None:
    if value is None or isinstance(value, (dict, list)):
        return None
    return " ".join(str(value).split()) or None


def _first_line(error: Exception) -> str:
    problem = getattr(error, "problem", None) or str(error) or type(error).__name__
    return str(problem).split("\n", 1)[0][:120]
