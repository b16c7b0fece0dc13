"""Source code: the file itself, with a mark for each function, class and method that has a name.

The grammar follows from the file's name; a language without one is plain text of type `code`. Whatever the grammar makes of a file, its
text is kept whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import PurePosixPath

from yinju.load.code.definitions import NotParsed, definitions
from yinju.load.code.languages import GRAMMARS
from yinju.load.detect import suffix_of, type_by_name
from yinju.load.parsed import Limits, Parsed
from yinju.load.plain.text import plain
from yinju.types import Mark, Span

_BY_SUFFIX = {"tsx": "tsx"}
_CPP_HEADER = re.compile(
    r"^[ \t]*(?:class[ \t]+\w+|namespace\b|template[ \t]*<|public:|private:|using[ \t]+\w+)", re.MULTILINE
)
_SCRIPT = re.compile(r"<script\b([^>]{0,300})>(.*?)</script\s*>", re.DOTALL | re.IGNORECASE)
_TYPESCRIPT = re.compile(r"\blang\s*=\s*[\"']?ts", re.IGNORECASE)


def load_code(data: bytes, source: str, limits: Limits) -> Parsed:
    """Return source code or configuration as it is, with its definitions where there is a grammar. Raises DocumentError."""
    parsed = plain(data, source, preset="code")
    try:
        return replace(parsed, marks=tuple(_definitions(parsed.text, source)))
    except NotParsed as error:
        return replace(parsed, warnings=(*parsed.warnings, f"code-not-parsed: {error}"))


def _definitions(text: str, source: str) -> Iterator[Mark]:
    language = language_of(source, text)
    if language is not None:
        yield from definitions(text, language, _module(source) if language == "python" else "")
    elif suffix_of(source) in ("vue", "svelte"):
        yield from _scripts(text)


def language_of(source: str, text: str) -> str | None:
    """Return the key of `GRAMMARS` by which this file is read, or None."""
    suffix, kind = suffix_of(source), type_by_name(source) or ""
    if kind == "c" and suffix == "h" and _CPP_HEADER.search(text):
        return "cpp"
    language = _BY_SUFFIX.get(suffix, kind)
    return language if language in GRAMMARS else None


def _module(source: str) -> str:
    """Return the name under which Python knows the file: its own, or that of the package that it opens."""
    path = PurePosixPath(source)
    name = path.parent.name if path.stem in ("__init__", "__main__") else path.stem
    return name if name.isidentifier() else ""


def _scripts(text: str) -> Iterator[Mark]:
    """Yield the definitions of the scripts of a Vue or Svelte component."""
    for match in _SCRIPT.finditer(text):
        language = "typescript" if _TYPESCRIPT.search(match.group(1)) else "javascript"
        start = match.start(2)
        for mark in definitions(match.group(2), language):
            yield replace(mark, span=Span(mark.span.start + start, mark.span.end + start))
