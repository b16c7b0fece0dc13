"""Jupyter notebooks: Markdown cells as Markdown, code cells and their outputs as fenced code, pictures counted and passed over.

An output comes in several forms at once (text, HTML, picture): the one that reads best as text is kept, the others are accounted for. Fences
are added, so that the text itself tells code from what it printed. Formats 4 and 3 (worksheets, heading cells) are read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from yinju.errors import DocumentError
from yinju.load.builder import TextBuilder
from yinju.load.encoding import decode
from yinju.load.parsed import Limits, Parsed, visible
from yinju.messages import say
from yinju.types import Span

LONGEST_OUTPUT = 20_000  # characters of one output; of more, the beginning and the end are kept
_END_KEPT = 4_000
_TERMINAL = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]{0,2000}(?:\x07|\x1b\\)|[@-Z\\-_])")
_OVERWRITTEN = re.compile(r"^[^\n]*\r(?=[^\n\r])", re.MULTILINE)
_OBJECT = re.compile(
    r"\s*<[\w.]+(?: object| at 0x| size )[^<>]*>\s*"
)  # what Python shows of something that has only another form
_MAGIC = re.compile(r"%%(\w+)")
_MAGICS = {"bash": "bash", "sh": "bash", "sql": "sql", "html": "html", "javascript": "javascript", "js": "javascript"}
_TICKS = re.compile(r"`{3,}")
_TAG = re.compile(r"<[^<>]*>")
_OF_VERSION_3 = {"text": "text/plain", "html": "text/html", "latex": "text/latex", "markdown": "text/markdown"}
_PICTURES = ("png", "jpeg", "svg", "pdf")
_FORMS = ("text/markdown", "text/plain", "text/html", "text/latex")
DAMAGED_HINT = ("open it in Jupyter and save it again", "请在 Jupyter 中打开并重新保存")


def load_notebook(data: bytes, source: str, limits: Limits) -> Parsed:
    """Return the cells of a notebook in order. Raises DocumentError: damaged, too-deep, limit."""
    decoded = decode(data)
    notebook = _read(decoded.text)
    cells = list(_cells(notebook))
    if len(cells) > limits.cells:
        raise DocumentError(
            say("{cells} cells", "{cells} 个单元格", cells=len(cells)), say("split it", "请拆分文件"), code="limit"
        )
    writer = _Writer(_language(notebook), limits)
    for cell in cells:
        writer.cell(cell)
    builder = writer.builder
    first = next((mark.label for mark in builder.marks if mark.kind == "heading" and mark.level == 1), None)
    properties = _mapping(notebook.get("metadata"))
    return Parsed(
        text=builder.text(),
        marks=builder.sorted_marks(),
        title=first or _line(properties.get("title") or properties.get("name")),
        metadata={"encoding": decoded.encoding, "programming_language": writer.language, **_authors(properties)},
        dropped=builder.dropped(),
        images=writer.images,
        warnings=decoded.warnings + builder.warnings(),
    )


def _read(text: str) -> Mapping[str, Any]:
    try:
        notebook = json.loads(text)
    except RecursionError:
        raise DocumentError(
            say("the notebook is nested too deep", "笔记本嵌套过深"), say(*DAMAGED_HINT), code="too-deep"
        ) from None
    except ValueError as error:
        raise _damaged(str(error)) from None
    if not isinstance(notebook, dict) or not isinstance(notebook.get("cells", notebook.get("worksheets")), list):
        raise _damaged("no cells")
    return notebook


def _damaged(detail: str) -> DocumentError:
    return DocumentError(
        say("not a notebook: {detail}", "不是有效的笔记本：{detail}", detail=detail[:120]),
        say(*DAMAGED_HINT),
        code="damaged",
    )


def _cells(notebook: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    sheets = notebook.get("worksheets")
    groups = [sheet.get("cells") for sheet in sheets if isinstance(sheet, dict)] if isinstance(sheets, list) else []
    for group in [notebook.get("cells"), *groups]:
        yield from (cell for cell in group if isinstance(cell, dict)) if isinstance(group, list) else ()


def _language(notebook: Mapping[str, Any]) -> str:
    metadata = _mapping(notebook.get("metadata"))
    named = _mapping(metadata.get("language_info")).get("name") or _mapping(metadata.get("kernelspec")).get("language")
    return _line(named) or "python"


def _authors(metadata: Mapping[str, Any]) -> dict[str, Any]:
    authors = metadata.get("authors")
    names = [_line(_mapping(author).get("name")) for author in authors] if isinstance(authors, list) else []
    return {"author": ", ".join(name for name in names if name)} if any(names) else {}


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _line(value: Any) -> str | None:
    return " ".join(value.split())[:200] or None if isinstance(value, str) else None


def _joined(value: Any) -> str:
    """Return a text that may be written as a list of lines."""
    if isinstance(value, list):
        return "".join(part for part in value if isinstance(part, str))
    return value if isinstance(value, str) else ""


class _Writer:
    """Writes cells as paragraphs with their marks."""

    def __init__(self, language: str, limits: Limits) -> None:
        self.builder = TextBuilder()
        self.language = language
        self.limits = limits
        self.images = 0

    def cell(self, cell: Mapping[str, Any]) -> None:
        """Write one cell with its outputs."""
        text = self.builder.clean(_joined(cell.get("source", cell.get("input"))))
        kind = cell.get("cell_type")
        self.images += len(_mapping(cell.get("attachments")))
        if kind == "code":
            magic = _MAGIC.match(text)
            self._fenced(text, _MAGICS.get(magic.group(1), self.language) if magic else self.language)
            outputs = cell.get("outputs")
            for output in outputs if isinstance(outputs, list) else ():
                if isinstance(output, dict):
                    self._output(output)
        elif kind == "heading":  # of version 3
            span = self._paragraph(text)
            level = cell.get("level")
            if span is not None:
                self.builder.mark(
                    "heading", span, level if isinstance(level, int) and 1 <= level <= 6 else 1, _line(text) or ""
                )
        elif kind == "markdown":
            self._markdown(text)
        else:
            self._paragraph(text)

    def _markdown(self, text: str) -> None:
        from yinju.load.plain.markdown import structure_of

        span = self._paragraph(text)
        if span is None:
            return
        start = span.start
        for mark in structure_of(text.strip("\n")):
            self.builder.marks.append(replace(mark, span=Span(mark.span.start + start, mark.span.end + start)))

    def _paragraph(self, text: str) -> Span | None:
        if not text.strip():
            return None
        self.builder.separate("\n\n")
        return self.builder.write(text.strip("\n"))

    def _fenced(self, text: str, label: str) -> None:
        """Write code between fences that are longer than any in it."""
        text = text.strip("\n").rstrip()
        if not text.strip():
            return
        self.builder.separate("\n\n")
        fence = "`" * max(3, 1 + max((len(match) for match in _TICKS.findall(text)), default=0))
        start = self.builder.position
        self.builder.write(self.builder.added("fences around code", f"{fence}{label}\n"))
        self.builder.write(text)
        self.builder.write("\n" + self.builder.added("fences around code", fence))
        self.builder.mark("code", Span(start, self.builder.position), 0, label)

    def _output(self, output: Mapping[str, Any]) -> None:
        kind = output.get("output_type")
        if kind in ("error", "pyerr"):
            self._error(output)
        elif kind == "stream":
            self._printed(_joined(output.get("text")))
        else:
            forms = {name: _joined(value) for name, value in _mapping(output.get("data")).items()}
            forms = {_OF_VERSION_3[name]: _joined(output[name]) for name in _OF_VERSION_3 if name in output} | forms
            pictures = [name for name in forms if name.startswith(("image/", "application/vnd."))]
            self.images += bool(pictures or any(name in output for name in _PICTURES))
            self._richest({name: text for name, text in forms.items() if name.startswith("text/")}, bool(pictures))

    def _richest(self, forms: dict[str, str], pictured: bool) -> None:
        """Write the form that reads best as text and account for the others."""
        plain = forms.get("text/plain", "")
        html = forms.get("text/html", "")
        if html and (not plain.strip() or _OBJECT.fullmatch(plain)):
            chosen = "text/html"
        elif pictured and _OBJECT.fullmatch(plain):
            chosen = ""
        else:
            chosen = next((name for name in _FORMS if forms.get(name, "").strip()), "")
        for name, text in forms.items():
            if name != chosen:
                self.builder.drop("other forms of an output", text)
        if chosen == "text/html":
            self._html(html)
        elif chosen == "text/markdown":
            self._markdown(self.builder.clean(forms[chosen]))
        elif chosen:
            self._printed(forms[chosen])

    def _html(self, html: str) -> None:
        from yinju.load.registry import loader_of

        try:
            text = loader_of("html")(html.encode("utf-8", "replace"), "output.html", self.limits).text
        except DocumentError:
            text = self.builder.clean(_TAG.sub(" ", html))
        bounded = self._bounded(text)
        self.builder.drop("mark-up of an output", visible(html) - visible(text))
        self._fenced(bounded, "output")

    def _error(self, output: Mapping[str, Any]) -> None:
        lines = output.get("traceback")
        traceback = [line for line in lines if isinstance(line, str)] if isinstance(lines, list) else []
        name, value = _joined(output.get("ename")), _joined(output.get("evalue"))
        if any(line.strip() for line in traceback):
            self.builder.drop("message of an error, which ends its traceback", name + value)
            self._printed("\n".join(traceback))
        else:
            separator = self.builder.added("colon of an error", ": ") if name and value else ""
            self._printed(f"{name}{separator}{value}")

    def _printed(self, text: str) -> None:
        """Write what a program printed, as a terminal would show it."""
        shown = _TERMINAL.sub("", text)
        self.builder.drop("colours of a terminal", visible(text) - visible(shown))
        shown = shown.replace("\r\n", "\n")
        final = _OVERWRITTEN.sub("", shown)
        self.builder.drop("progress that was overwritten", visible(shown) - visible(final))
        self._fenced(self._bounded(self.builder.clean(final)), "output")

    def _bounded(self, text: str) -> str:
        if len(text) <= LONGEST_OUTPUT:
            return text
        head = text.rfind("\n", 0, LONGEST_OUTPUT - _END_KEPT) + 1 or LONGEST_OUTPUT - _END_KEPT
        tail = text.find("\n", len(text) - _END_KEPT)
        tail = len(text) - _END_KEPT if tail < 0 else tail
        self.builder.drop("long output", text[head:tail])
        return text[:head] + self.builder.added("mark of a long output", "[...]") + text[tail:]
