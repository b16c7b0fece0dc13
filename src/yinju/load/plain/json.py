"""JSON and JSON lines: one line `a.b[0].c: value` for each value, one paragraph for each record. Plain text only, never an object.

Read by a scanner of our own: it knows the line of each value, keeps numbers as they are written and both of two equal keys, and its stack is
a list, so depth is a limit and not a crash.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from yinju.errors import DocumentError
from yinju.load.clean import WHAT, clean
from yinju.load.encoding import Decoded, decode
from yinju.load.parsed import Limits, Parsed, visible
from yinju.load.plain.text import plain
from yinju.messages import say
from yinju.types import Dropped

_TOKEN = re.compile(
    r"""[ \t\n]*+(?:
    (?P<string>"[^"\\\x00-\x1f]*+(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*+)*+")
    |(?P<mark>[\[\]{},:])
    |(?P<word>(?:-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?|-?Infinity|NaN|true|false|null)(?![\w.+-]))
    )""",
    re.VERBOSE,
)
_ESCAPE = re.compile(
    r"\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})|\\u([0-9a-fA-F]{4})|\\(.)", re.DOTALL
)
_SHORT = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_PLAIN_KEY = re.compile(r"[\w$-]+\Z")
_ELEMENT = re.compile(r"\[[0-9]+\]")
_NOT_JSON = ("NaN", "Infinity", "-Infinity")
_TITLES = ("title", "name", "标题", "名称")


@dataclass(frozen=True, slots=True)
class _Value:
    path: str
    text: str
    offset: int  # in the source text


@dataclass(slots=True)
class _Level:
    path: str
    array: bool
    index: int = -1
    key: str | None = None
    seen: set[str] = field(default_factory=set)


class _Scanner:
    """Yields the values of one JSON text; `warnings` and `key_characters` are complete after the last."""

    def __init__(self, text: str, depth: int, first_line: int = 1) -> None:
        self.text, self.depth, self.first_line = text, depth, first_line
        self.place = 0
        self.key_characters = 0
        self.repeated = 0
        self.not_numbers = 0

    def values(self) -> Iterator[_Value]:
        """Yield the scalars in order. Raises DocumentError: damaged, too-deep."""
        stack: list[_Level] = []
        expect = "value"  # or `value or end`, `key`, `key or end`, `comma or end`
        while stack or expect == "value":
            kind, word, offset = self._next()
            if kind == "mark" and word in "]}" and expect.endswith("end") and stack[-1].array == (word == "]"):
                stack.pop()
                expect = "comma or end"
            elif expect.startswith("value"):
                path = self._path(stack)
                if kind == "mark":
                    self._open(stack, word, path, offset)
                    expect = "value or end" if stack[-1].array else "key or end"
                else:
                    yield _Value(path, self._scalar(kind, word), offset)
                    expect = "comma or end"
            elif expect.startswith("key"):
                self._key(stack[-1], kind, word, offset)
                expect = "value"
            elif word == "," and kind == "mark":
                expect = "value" if stack[-1].array else "key"
            else:
                raise self._damaged(offset)
        if self.text[self.place :].strip(" \t\n"):
            raise self._damaged(self.place)

    def _next(self) -> tuple[str, str, int]:
        match = _TOKEN.match(self.text, self.place)
        if match is None or match.lastgroup is None:
            raise self._damaged(self.place)
        self.place = match.end()
        return match.lastgroup, match.group(match.lastgroup), match.start(match.lastgroup)

    def _open(self, stack: list[_Level], mark: str, path: str, offset: int) -> None:
        if mark not in "[{":
            raise self._damaged(offset)
        if len(stack) >= self.depth:
            raise DocumentError(
                say("nested deeper than {depth} levels", "嵌套超过 {depth} 层", depth=self.depth),
                say("flatten the data first", "请先将数据展平"),
                code="too-deep",
            )
        stack.append(_Level(path, mark == "["))

    def _key(self, level: _Level, kind: str, word: str, offset: int) -> None:
        if kind != "string":
            raise self._damaged(offset)
        if self._next()[:2] != ("mark", ":"):
            raise self._damaged(offset)
        level.key = unescape(word)
        self.repeated += level.key in level.seen
        level.seen.add(level.key)
        self.key_characters += visible(level.key)

    def _scalar(self, kind: str, word: str) -> str:
        if kind == "string":
            return unescape(word)
        self.not_numbers += word in _NOT_JSON
        return word

    def _path(self, stack: list[_Level]) -> str:
        if not stack:
            return ""
        level = stack[-1]
        if level.array:
            level.index += 1
            return f"{level.path}[{level.index}]"
        key = level.key or ""
        shown = key if _PLAIN_KEY.match(key) else " ".join(key.split()) or '""'
        return f"{level.path}.{shown}" if level.path else shown

    def _damaged(self, offset: int) -> DocumentError:
        line = self.text.count("\n", 0, offset) + self.first_line
        return DocumentError(
            say("not valid JSON at line {line}", "第 {line} 行不是有效的 JSON", line=line),
            say("check it with a JSON editor, or save it as .txt", "请用 JSON 编辑器检查，或另存为 .txt"),
            code="damaged",
        )


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
        path = clean(f"{value.path}: " if value.path else "").text
        self.hidden += cleaned.removed
        self.paths += visible(path)
        self._anchor(line)
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
    match = _ELEMENT.match(path)
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
