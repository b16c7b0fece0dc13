"""The parts of SQL that a dump is made of, as regular expressions: names, plain values, rows; and what a value shows.

Every repetition is possessive: a hostile file costs one pass. A backslash in a string escapes in MySQL, and elsewhere only behind an `E`.
"""

from __future__ import annotations

import re

WORD = r"""(?:`[^`\n]{1,200}`|"[^"\n]{1,200}"|\[[^\]\n]{1,200}\]|[\w$@#]{1,200})"""
NAME = rf"{WORD}(?:\s*\.\s*{WORD}){{0,2}}"
_BACKSLASH = r"'(?:[^'\\]++|''|\\.)*+'"
_DOUBLED = r"'(?:[^']++|'')*+'"
_CONSTANT = r"(?:NULL|TRUE|FALSE|DEFAULT|CURRENT_(?:TIMESTAMP|DATE|TIME))\b"
_CAST = re.compile(rf"CAST\(\s*(?:N?({_DOUBLED})|([-+]?[\d.]+))\s+AS\s+[^()]*(?:\([^()]*\))?\s*\)", re.IGNORECASE)
_LINES = re.compile(rf"replace\(\s*({_DOUBLED})\s*,\s*'(\\n|\\r)'\s*,\s*char\((?:10|13)\)\s*\)", re.IGNORECASE)
_PREFIX = re.compile(r"(?:N|E|U&|B|X|_\w+\s*)?(?=')", re.IGNORECASE)
_TYPE = re.compile(r"\s*::[\w \[\].\"]+\Z")
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\x00", "Z": "\x1a"}
_BREAKS = re.compile(r"[\t\n\v\f\r\x85\u2028\u2029]")
_BINARY = re.compile(r"(?:0x|\\x)[0-9a-f]{32,}\Z", re.IGNORECASE)
_NOT_COLUMNS = re.compile(
    r"(?:PRIMARY|KEY|UNIQUE|CONSTRAINT|FOREIGN|INDEX|CHECK|FULLTEXT|SPATIAL|EXCLUDE|LIKE|PERIOD)\b(?!`)", re.IGNORECASE
)
_FIRST_WORD = re.compile(rf"\s*({WORD})")
_PART = re.compile(
    rf"(?:[^'\"`(),\-/\[]++|{_DOUBLED}|`[^`]*+`|\"[^\"]*+\"|\[[^\]\n]*+\]|--[^\n]*+|/\*(?:[^*]|\*(?!/))*+\*/|[^(),])++|[(),]"
)
_COMMENT = re.compile(r"--[^\n]*+|/\*(?:[^*]|\*(?!/))*+\*/")


def _value(string: str) -> str:
    call = rf"[a-z_]\w*+\s*\((?:[^()']++|{string}|\((?:[^()']++|{string}|\([^()']*+\))*+\))*+\)"
    cast = r"(?:\s*::\s*[\w \[\].\"]+?(?:\(\d+(?:,\d+)?\))?(?=\s*(?:[,)]|\Z)))?"
    return rf"(?:(?:N|E|U&|B|X|_\w+\s*)?{string}|[-+]?[.\d][\w.]*+(?:(?<=[eE])[-+]\d+)?|{_CONSTANT}|{call}){cast}"


class Dialect:
    """How rows and values are written: `backslashes` escape in MySQL."""

    def __init__(self, *, backslashes: bool) -> None:
        self.backslashes = backslashes
        self.string = _BACKSLASH if backslashes else rf"(?:(?<=[eE]){_BACKSLASH}|{_DOUBLED})"
        value = _value(self.string)
        self.row = re.compile(rf"\(\s*({value}(?:\s*,\s*{value})*+)\s*\)", re.IGNORECASE | re.DOTALL)
        self.value = re.compile(rf"\s*({value})\s*(?:,|\Z)", re.IGNORECASE | re.DOTALL)

    def values(self, row: str) -> list[str | None]:
        """Return the values of a row (without its parentheses) as they are shown; None for binary data."""
        if "'" not in row and "(" not in row:
            return [value if not _BINARY.match(value) else None for value in map(str.strip, row.split(","))]
        return [self._shown(value) for value in self.value.findall(row)]

    def _shown(self, raw: str) -> str | None:
        if raw[0] == "'" and raw[-1] == "'":
            return self._string(raw, escapes=self.backslashes)
        if _BINARY.match(raw):
            return None
        prefix = _PREFIX.match(raw)
        if prefix is not None:
            kind = prefix.group().strip().lower()
            if kind in ("x", "_binary"):
                return None
            return self._string(_TYPE.sub("", raw[prefix.end() :]), escapes=self.backslashes or kind == "e")
        if (cast := _CAST.fullmatch(raw)) is not None:
            return cast.group(2) or self._string(cast.group(1), escapes=False)
        if (lines := _LINES.fullmatch(raw)) is not None:
            return self._string(lines.group(1).replace(lines.group(2), " "), escapes=False)
        return one_line(raw)

    def _string(self, quoted: str, *, escapes: bool) -> str | None:
        text = quoted[1:-1] if quoted.endswith("'") else quoted[1:]
        if _BINARY.match(text):
            return None
        if "''" in text:
            text = text.replace("''", "'")
        if escapes and "\\" in text:
            text = unescape(text)
        return one_line(text)


def unescape(text: str) -> str:
    """Return the text without backslash escapes."""
    return _ESCAPE.sub(lambda match: _ESCAPED.get(match.group(1), match.group(1)), text)


def one_line(text: str) -> str:
    """Return the text with tabs and line ends as spaces."""
    return text if text.isprintable() else _BREAKS.sub(" ", text)


def copied(line: str) -> list[str | None]:
    """Return the values of a line of PostgreSQL's COPY."""
    values: list[str | None] = []
    for value in line.split("\t"):
        if value == "\\N":
            values.append("NULL")
        elif value.startswith("\\\\x") and _BINARY.match(value[1:]):
            values.append(None)
        else:
            values.append(one_line(unescape(value)) if "\\" in value else one_line(value))
    return values


def bare(name: str) -> str:
    """Return the last part of a name without its quotes: `public."users"` is `users`."""
    parts = re.findall(WORD, name)
    last = parts[-1] if parts else name
    return last[1:-1] if last[:1] in '`"[' else last


def names_of(columns: str) -> tuple[str, ...]:
    """Return the names of a list of columns in parentheses."""
    return tuple(bare(word) for word in re.findall(WORD, columns))


def columns_of(body: str) -> tuple[str, ...]:
    """Return the names of the columns that the body of a CREATE TABLE declares."""
    start = body.find("(")
    if start < 0:
        return ()
    names: list[str] = []
    depth, fresh = 0, True
    for match in _PART.finditer(body, start):
        part = match.group()
        if part == "(":
            depth += 1
        elif part == ")":
            depth -= 1
            if depth == 0:
                break
        elif part == "," and depth == 1:
            fresh = True
        elif fresh and depth == 1 and (word := _FIRST_WORD.match(_COMMENT.sub(" ", part))) is not None:
            fresh = False
            if not _NOT_COLUMNS.match(word.group(1)):
                names.append(bare(word.group(1)))
    return tuple(names)
