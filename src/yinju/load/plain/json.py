"""JSON and JSON lines: one line `a.b[0].c: value` for each value, one paragraph for each record. Plain text only, never an object.

Read by a scanner of our own: it knows the line of each value, keeps numbers as they are written and both of two equal keys, and its stack is
a list, so depth is a limit and not a crash.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import NamedTuple

from yinju.errors import DocumentError
from yinju.load.clean import WHAT, clean
from yinju.load.encoding import Decoded, decode
from yinju.load.parsed import Limits, Parsed, visible
from yinju.load.plain.text import plain
from yinju.messages import say
from yinju.types import Dropped

_SPACE = r"[ \t\n]*+"
_STRING = r'"[^"\\\x00-\x1f]*+(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*+)*+"'
_WORD = r"(?:-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?|-?Infinity|NaN|true|false|null)(?![\w.+-])"
_VALUE = rf"(?:({_STRING})|({_WORD})|([\[{{])){_SPACE}"
# A member or an element with the comma behind it: one match where a token each would be five.
_ELEMENT = re.compile(rf"{_SPACE}{_VALUE}(,?)")
_MEMBER = re.compile(rf"{_SPACE}({_STRING}){_SPACE}:{_SPACE}{_VALUE}(,?)")
_PLACES = {True: (1, 2), False: (2, 3)}  # of the groups for strings and words, in elements and in members
_END = re.compile(rf"{_SPACE}([\]}}]){_SPACE}(,?)")
_TOKEN = re.compile(rf"{_SPACE}(?:{_STRING}|{_WORD}|[\[\]{{}},:])")
_ESCAPE = re.compile(
    r"\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})|\\u([0-9a-fA-F]{4})|\\(.)", re.DOTALL
)
_SHORT = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_PLAIN_KEY = re.compile(r"[\w$-]+\Z")
_RECORD = re.compile(r"\[[0-9]+\]")
_NOT_JSON = ("NaN", "Infinity", "-Infinity")
_TITLES = ("title", "name", "标题", "名称")


class _Value(NamedTuple):
    path: str
    text: str
    offset: int  # in the source text


@dataclass(slots=True)
class _Level:
    path: str  # of what is inside, up to the name or the number of the member
    array: bool
    index: int = -1
    more: bool = False  # a comma stands before the next
    seen: set[str] = field(default_factory=set)


class _Scanner:
    """Yields the values of one JSON text; the counts are complete after the last."""

    def __init__(self, text: str, depth: int, first_line: int = 1) -> None:
        self.text, self.depth, self.first_line = text, depth, first_line
        self.place = 0
        self.key_characters = 0
        self.repeated = 0
        self.not_numbers = 0

    def values(self) -> Iterator[_Value]:
        """Yield the scalars in order. Raises DocumentError: damaged, too-deep."""
        first = _ELEMENT.match(self.text)
        if first is None or first.group(4):
            raise self._damaged()
        self.place = first.end()
        if not first.group(3):
            yield _Value("", self._scalar(first.group(1), first.group(2)), first.start(1 if first.group(1) else 2))
        else:
            yield from self._inside([_Level("", first.group(3) == "[")])
        if self.text[self.place :].strip(" \t\n"):
            raise self._damaged()

    def _inside(self, stack: list[_Level]) -> Iterator[_Value]:
        text = self.text
        while stack:
            level = stack[-1]
            match = (_ELEMENT if level.array else _MEMBER).match(text, self.place)
            if match is None or not (level.more or level.index < 0):
                self._close(stack)
                continue
            level.index += 1
            string, word, opened, comma = match.groups()[-4:]
            path = f"{level.path}[{level.index}]" if level.array else self._key(level, match.group(1))
            level.more = bool(comma)
            self.place = match.end()
            if opened:
                self._open(stack, opened, path, match)
            else:
                yield _Value(path, self._scalar(string, word), match.start(_PLACES[level.array][string is None]))

    def _open(self, stack: list[_Level], opened: str, path: str, match: re.Match[str]) -> None:
        if match.groups()[-1]:  # a comma right behind the bracket
            raise self._damaged()
        if len(stack) >= self.depth:
            raise DocumentError(
                say("nested deeper than {depth} levels", "嵌套超过 {depth} 层", depth=self.depth),
                say("flatten the data first", "请先将数据展平"),
                code="too-deep",
            )
        stack.append(_Level(path, opened == "["))

    def _close(self, stack: list[_Level]) -> None:
        """Pass over the bracket that ends the innermost level and the comma behind it."""
        level = stack.pop()
        match = _END.match(self.text, self.place)
        if match is None or level.more or (match.group(1) == "]") != level.array or (match.group(2) and not stack):
            raise self._damaged()
        self.place = match.end()
        if stack:
            stack[-1].more = bool(match.group(2))

    def _key(self, level: _Level, quoted: str) -> str:
        key, shown, count = _named(quoted)
        self.repeated += key in level.seen
        level.seen.add(key)
        self.key_characters += count
        return f"{level.path}.{shown}" if level.path else shown

    def _scalar(self, string: str | None, word: str | None) -> str:
        if string is not None:
            return unescape(string)
        self.not_numbers += word in _NOT_JSON
        return word or ""

    def _damaged(self) -> DocumentError:
        place = self.place
        for _ in range(4):  # what was read of a member
            token = _TOKEN.match(self.text, place)
            if token is None:
                break
            place = token.end()
        place = len(self.text) - len(self.text[place:].lstrip(" \t\n"))
        line = self.text.count("\n", 0, place) + self.first_line
        return DocumentError(
            say("not valid JSON at line {line}", "第 {line} 行不是有效的 JSON", line=line),
            say("check it with a JSON editor, or save it as .txt", "请用 JSON 编辑器检查，或另存为 .txt"),
            code="damaged",
        )


@lru_cache(maxsize=4_096)
def _named(quoted: str) -> tuple[str, str, int]:
    """Return a key, how it is shown in a path, and its visible characters."""
    key = unescape(quoted)
    return key, key if _PLAIN_KEY.match(key) else " ".join(key.split()) or '""', visible(key)


class _Writer:
    """Collects the lines of the document and the anchors to the lines of the file."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.anchors: list[tuple[int, int]] = []
        self.length = 0
        self.line = 0  # of the file, at `length`, by the anchors so far
        self.hidden = 0
        self.paths = 0  # visible characters of paths and colons, which the file has not

    def value(self, value: _Value, line: int) -> None:
        cleaned = clean(value.text)
        path = f"{value.path}: " if value.path else ""
        if not path.isascii():
            path = clean(path).text
        self.hidden += cleaned.removed
        self.paths += visible(path)
        self._anchor(line)
        if "\n" not in cleaned.text:
            self._write(f"{path}{cleaned.text}\n")
            return
        for number, piece in enumerate((path + cleaned.text).split("\n")):
            if number:
                self._anchor(line)  # a line end inside a string is none in the file
            self._write(piece + "\n")

    def paragraph(self) -> None:
        """End a record."""
        if self.length:
            self._write("\n")

    def _anchor(self, line: int) -> None:
        if not self.anchors or self.line != line:
            self.anchors.append((self.length, line))
            self.line = line

    def _write(self, text: str) -> None:
        self.parts.append(text)
        self.length += len(text)
        self.line += 1


def load_json(data: bytes, source: str, limits: Limits) -> Parsed:
    """Return the values of a JSON file, a line each; what is no JSON is plain text with a warning. Raises DocumentError: too-deep."""
    decoded = decode(data)
    return _load(data, source, decoded, [_Scanner(_unix(decoded.text), limits.depth)])


def load_jsonl(data: bytes, source: str, limits: Limits) -> Parsed:
    """Return the records of a JSON lines file, a paragraph each, else as `load_json`. Raises DocumentError: too-deep."""
    decoded = decode(data)
    lines = enumerate(_unix(decoded.text).split("\n"), 1)
    return _load(
        data, source, decoded, [_Scanner(line, limits.depth, number) for number, line in lines if line.strip()]
    )


def _unix(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _load(data: bytes, source: str, decoded: Decoded, records: list[_Scanner]) -> Parsed:
    try:
        return _flattened(decoded, records)
    except DocumentError as error:
        if error.code != "damaged":
            raise
        parsed = plain(data, source)
        return replace(parsed, warnings=(*parsed.warnings, f"not-json: {error.message}"))


def _flattened(decoded: Decoded, records: list[_Scanner]) -> Parsed:
    writer, title = _Writer(), None
    for scanner in records:
        line, counted, record = scanner.first_line, 0, None
        for value in scanner.values():
            line, counted = line + scanner.text.count("\n", counted, value.offset), value.offset
            if (here := _record(value.path)) != record:
                writer.paragraph()
            record = here
            writer.value(value, line)
            if title is None and len(records) == 1 and value.path in _TITLES:
                title = " ".join(clean(value.text).text.split())[:200] or None
    keys = sum(scanner.key_characters for scanner in records)
    counts = (("keys, written as paths", keys - writer.paths), (WHAT, writer.hidden))
    warnings = (
        ("repeated-keys", sum(scanner.repeated for scanner in records)),
        ("not-a-number", sum(scanner.not_numbers for scanner in records)),
        ("hidden-characters", writer.hidden),
    )
    return Parsed(
        text="".join(writer.parts),
        anchors=tuple(writer.anchors),
        title=title,
        metadata={"encoding": decoded.encoding},
        dropped=tuple(Dropped(what, count) for what, count in counts if count),
        warnings=decoded.warnings + tuple(f"{code}: {count}" for code, count in warnings if count),
    )


def _record(path: str) -> str:
    """Values under the same element of the outermost list are one record."""
    match = _RECORD.match(path)
    return match.group() if match else ""


def unescape(string: str) -> str:
    """Return the text of a JSON string with its quotes. Halves of surrogate pairs that stand alone become U+FFFD."""
    return _ESCAPE.sub(_unescape_one, string[1:-1]) if "\\" in string else string[1:-1]


def _unescape_one(match: re.Match[str]) -> str:
    high, low, single, short = match.groups()
    if short is not None:
        return _SHORT.get(short, short)
    if single is None:
        return chr(0x10000 + ((int(high, 16) - 0xD800) << 10) + (int(low, 16) - 0xDC00))
    code = int(single, 16)
    return "\ufffd" if 0xD800 <= code < 0xE000 else chr(code)
