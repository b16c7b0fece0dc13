"""Markdown as people write it, seen as CommonMark: a view of the text with the same number of lines, in which no dialect misleads the parser.

In the view, lines that are only mark-up of a dialect (`:::tip`, `<Tabs>`, `{% raw %}`) are empty, bodies that a dialect indents are quotes,
and what is no Markdown at all (formulas, comments, tables in HTML) is empty. The view is only looked at: the document's text stays the file's own.
What the view hides and a reader sees as one piece comes back as `Block`s.

A line is read as a dialect's only where it leaves no doubt, and what is opened must be closed: else the text is left as CommonMark reads it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from functools import lru_cache

FURTHEST = 400  # lines from the start of a formula or a comment to its end
_DEEPEST = 8  # containers within each other

_EVENT = re.compile(
    r"^(?P<indent>[ \t]*)(?:"
    r"(?P<fence>(?:(?:>|[-*+]|\d{1,9}[.)])[ \t]*)*(?:`{3,}|~{3,}))"
    r"|(?P<body>(?:!!!|\?\?\?\+?)[ \t]+\S|===[!+]?[ \t]+[\"']|\[\^[^\]\n]{1,80}\]:|:[ \t]+\S)"
    r"|(?P<container>:{3,})"
    r"|(?P<math>\$\$|\\\[[ \t]*$|\\begin\{(?P<environment>[a-z]{1,20}\*?)\})"
    r"|(?P<comment>\{/\*|%%)"
    r"|(?P<template>\{\{[<%]|\{%)"
    r"|(?P<hidden><!--)"
    r"|(?P<raw><(?i:pre|script|style|textarea)\b)"
    r"|(?P<table>(?:<[a-zA-Z][^<>\n]*>)*<(?i:table)\b)"
    r"|(?P<tag></?(?:[A-Z]|(?:details|summary|aside|div|section|article|center|main)\b))"
    r"|(?P<esm>(?:import|export)[ \t])"
    r"|(?P<wide>#{1,6}[\u3000\u00a0]+(?=\S))"
    r"|(?P<hash>#{2,6}(?=[^\s#]))"
    r")",
    re.MULTILINE,
)
_ATTRIBUTE = r"(?:\s+[\w:@.#-]+(?:=(?:\"[^\"<>]*\"|'[^'<>]*'|\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}|[^\s\"'<>={}]+))?|\s+\{\.\.\.[\w.]+\})"
_TAG = rf"</?(?:[A-Z][\w.]*|details|aside|div|section|article|center|main)(?:{_ATTRIBUTE}){{0,30}}\s*/?>"
_TAGS = re.compile(
    rf"[ \t]*(?:(?:{_TAG}|<summary>[^\n<]*(?:</?[a-z]+>[^\n<]*){{0,6}}</summary>)[ \t]*)+$", re.MULTILINE
)
_TAG_NAME = re.compile(r"<(/?)([A-Za-z][\w.]*)(?:[^<>]|=>)*?(/?)>")
_HTML_TABLE = re.compile(r"<(/?)table\b", re.IGNORECASE)
_TEMPLATE = re.compile(
    r"[ \t]*(?:(?:\{\{[<%](?P<hugo>[^\n{}]*)[%>]\}\}|\{%-?(?P<jinja>[^\n{}]*?)-?%\})[ \t]*)+$", re.MULTILINE
)
_TEMPLATE_CODE = re.compile(r"\s*(highlight|mermaid|comment)\b[ \t]*([\w+#-]*)")
_ESM = re.compile(
    r"import\s+(?:[\w*{},\s$]{1,400}\s+from\s+)?(['\"])[^'\"\n]+\1;?[ \t]*$|export\s+(?:const|let|var|function|default|async|\{|\*)\b.*$",
    re.MULTILINE,
)
_CALLOUT = re.compile(
    r"[ \t]*(?:\{[^{}\n]*\.callout-|\[?(?:note|tip|info|warning|danger|caution|important|success|attention|hint|seealso|error|quote"
    r"|abstract|example|question|提示|注意|警告|信息|说明|重要|危险)\b)",
    re.IGNORECASE,
)
# Two or more `#` and then, perhaps after a number, a letter beyond ASCII: `##标题`, `###2.1 安装`. Never `#标签`, `##tag` or `##123`.
_GLUED = re.compile(
    r"[ ]{0,3}(#{2,6})(?=(?:\d{1,3}(?:\.\d{1,3})*[.、．)）]?[ \t]*)?[*【《「“]{0,3}[^\W\d_a-zA-Z])([^\n]*)"
)
_HASHTAG = re.compile(r"\s#{1,2}[^\s#]|[^\W\d_a-zA-Z]#{1,2}\S")
_LONGEST_GLUED = 60
_FENCE_CLOSE = {sign: re.compile(rf"^[ \t>]*(?P<run>{sign}{{3,}})[ \t]*$", re.MULTILINE) for sign in "`~"}


@dataclass(frozen=True, slots=True)
class Block:
    """Lines that a reader sees as one piece: `code` with its language, or an HTML `table`. `end` is the line after the last."""

    first: int
    end: int
    kind: str
    label: str = ""


@dataclass(frozen=True, slots=True)
class View:
    """What the parser reads, line for line as many as the text has, and what it must not read."""

    text: str
    blocks: tuple[Block, ...] = ()


def view(text: str) -> View:
    """Return the text as CommonMark reads it without misunderstanding. The same object where no dialect is used."""
    return _Reader(text).run()


@dataclass(slots=True)
class _Open:
    """A container or component that is not closed yet: its line, its indentation, its name, whether what it holds is an aside."""

    line: int
    indent: str
    name: str = ""
    aside: bool = False


@dataclass(slots=True)
class _Reader:
    text: str
    starts: list[int] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    edits: dict[int, str] = field(default_factory=dict)
    blocks: list[Block] = field(default_factory=list)
    containers: list[_Open] = field(default_factory=list)
    components: list[_Open] = field(default_factory=list)

    def run(self) -> View:
        place = 0
        while match := _EVENT.search(self.text, place):
            if not self.lines:
                self._prepare()
            number = self._line(match.start())
            name = "math" if match["math"] else match.lastgroup
            following = max(getattr(self, f"_{name}")(match, number), number + 1)
            if following >= len(self.lines):
                break
            place = self.starts[following]
        self._comments()
        if not self.edits:
            return View(self.text, tuple(self.blocks))
        if not self.lines:
            self._prepare()
        return View(
            "\n".join(self.edits.get(number, line) for number, line in enumerate(self.lines)), tuple(self.blocks)
        )

    def _prepare(self) -> None:
        self.lines = self.text.split("\n")
        place = 0
        for line in self.lines:
            self.starts.append(place)
            place += len(line) + 1

    def _line(self, place: int) -> int:
        return bisect_right(self.starts, place) - 1

    def _blank(self, first: int, end: int) -> None:
        for number in range(first, min(end, len(self.lines))):
            self.edits[number] = ""

    def _hide(self, first: int, end: int, kind: str, label: str = "") -> int:
        """Take lines away from the parser and remember them as one block."""
        self._blank(first, end)
        self.blocks.append(Block(first, end, kind, label))
        return end

    def _line_with(self, sign: str, number: int, ends: bool = True) -> int | None:
        """Return the first line from `number` on that holds `sign` (or ends with it), not too far away."""
        for one in range(number, min(number + FURTHEST, len(self.lines))):
            if self.lines[one].rstrip().endswith(sign) if ends else sign in self.lines[one]:
                return one
        return None

    # What each kind of line does: it returns the line at which reading goes on.

    def _fence(self, match: re.Match[str], number: int) -> int:
        run = match["fence"].lstrip("> \t-*+0123456789.)")
        line = self.lines[number]
        if run[0] == "`" and "`" in line[line.index(run) + len(run) :]:
            return number + 1  # `code` in a line
        for close in _FENCE_CLOSE[run[0]].finditer(self.text, self.starts[number] + len(line)):
            if len(close["run"]) >= len(run):
                return self._line(close.start("run")) + 1
        return len(self.lines)

    def _body(self, match: re.Match[str], number: int) -> int:
        """Quote the indented lines below an admonition, a tab, a footnote or a definition: they are no code."""
        opener = self.edits.get(number, self.lines[number])
        prefix = re.match(r"[ \t>]*", opener).group()  # type: ignore[union-attr]  # it always matches
        if prefix.count(">") >= _DEEPEST:
            return number + 1
        blank: list[int] = []
        for one in range(number + 1, len(self.lines)):
            line = self.edits.get(one, self.lines[one])
            rest = line[len(prefix) :]
            if not line.strip(" \t>"):
                blank.append(one)
            elif line.startswith(prefix) and (rest.startswith("    ") or rest.startswith("\t")):
                for empty in blank:
                    self.edits[empty] = f"{prefix}>"
                blank = []
                self.edits[one] = f"{prefix}> {rest[1:] if rest[0] == chr(9) else rest[4:]}"
            else:
                break
        return number + 1

    def _container(self, match: re.Match[str], number: int) -> int:
        rest = self.lines[number].strip().lstrip(":").strip()
        self.edits[number] = ""
        if rest.endswith(":::"):
            return number + 1
        if rest:
            self.containers.append(_Open(number, match["indent"], aside=bool(_CALLOUT.match(rest))))
        elif self.containers:
            opened = self.containers.pop()
            if opened.aside and len(self.containers) < _DEEPEST:
                self._quote(opened.line + 1, number, opened.indent)
        return number + 1

    def _quote(self, first: int, end: int, indent: str) -> None:
        """Make the lines of an aside a quote: its headings are no sections of the document."""
        for number in range(first, end):
            line = self.edits.get(number, self.lines[number])
            self.edits[number] = f"{indent}> {line.removeprefix(indent)}"

    def _math(self, match: re.Match[str], number: int) -> int:
        opener = match["math"]
        line = self.lines[number].strip()
        if opener == "$$":
            if "$$" in line[2:]:
                return number + 1
            close = self._line_with("$$", number + 1)
        elif opener.startswith("\\["):
            close = self._line_with("\\]", number + 1)
        else:
            name = f"\\end{{{match['environment']}}}"
            close = self._line_with(name, number, ends=False)
        if close is None or any(_is_border(self.lines[one]) for one in range(number + 1, close)):
            return number + 1
        return self._hide(number, close + 1, "code", "math")

    def _comment(self, match: re.Match[str], number: int) -> int:
        sign = "*/}" if match["comment"] == "{/*" else "%%"
        if sign in self.lines[number][match.end() - match.start() :]:
            return number + 1
        close = self._line_with(sign, number + 1, ends=False)
        if close is None:
            return number + 1
        self._blank(number, close + 1)
        return close + 1

    def _template(self, match: re.Match[str], number: int) -> int:
        whole = _TEMPLATE.match(self.text, self.starts[number])
        if whole is None:
            return number + 1
        self.edits[number] = ""
        named = _TEMPLATE_CODE.match(whole["hugo"] or whole["jinja"] or "")
        if named is None:
            return number + 1
        hugo = whole["hugo"] is not None
        close = self._closing(
            re.compile(rf"\{{\{{[<%]\s*/\s*{named[1]}\b" if hugo else rf"\{{%-?\s*end{named[1]}\b"), number + 1
        )
        if close is None:
            return number + 1
        if named[1] == "comment":
            self._blank(number, close + 1)
            return close + 1
        return self._hide(number, close + 1, "code", named[2] if named[1] == "highlight" else named[1])

    def _closing(self, pattern: re.Pattern[str], number: int) -> int | None:
        far = self.starts[min(number + FURTHEST, len(self.lines) - 1)]
        found = pattern.search(self.text, self.starts[number], far + 1_000) if number < len(self.lines) else None
        return None if found is None else self._line(found.start())

    def _hidden(self, match: re.Match[str], number: int) -> int:
        if len(match["indent"]) > 3:
            return number + 1
        end = self.text.find("-->", match.end())
        return len(self.lines) if end < 0 else self._line(end) + 1

    def _raw(self, match: re.Match[str], number: int) -> int:
        name = match["raw"][1:].lower()
        close = _closing_tag(name).search(self.text, match.end())
        if close is None:
            return len(self.lines)
        end = self._line(close.start()) + 1
        if name == "pre" and end - number > 1:
            return self._hide(number, end, "code")
        return end

    def _table(self, match: re.Match[str], number: int) -> int:
        depth = 0
        for tag in _HTML_TABLE.finditer(self.text, match.start()):
            depth += -1 if tag[1] else 1
            if depth == 0:
                return self._hide(number, self._line(tag.start()) + 1, "table")
        return number + 1 if depth < 2 else len(self.lines)  # never closed: the next one need not look again

    def _tag(self, match: re.Match[str], number: int) -> int:
        whole = _TAGS.match(self.text, self.starts[number])
        if whole is None:
            return number + 1
        end = self._line(whole.end()) + 1
        self._blank(number, end)
        for tag in _TAG_NAME.finditer(whole.group()):
            closes, name, alone = tag.groups()
            if alone or name == "summary":
                continue
            if not closes:
                self.components.append(_Open(end - 1, match["indent"], name))
                continue
            for place in range(len(self.components) - 1, max(len(self.components) - _DEEPEST, 0) - 1, -1):
                if self.components[place].name == name:
                    self._dedent(self.components[place], number)
                    del self.components[place:]
                    break
        return end

    def _dedent(self, opened: _Open, end: int) -> None:
        """Take away the indentation that a component gives to all that it holds: it makes no code."""
        if len(self.components) > _DEEPEST:
            return
        inner = [
            (one, line) for one in range(opened.line + 1, end) if (line := self.edits.get(one, self.lines[one])).strip()
        ]
        own = len(opened.indent)
        margin = min((len(line) - len(line.lstrip(" \t")) for _, line in inner), default=0) - own
        if margin > 0:
            self.edits.update((one, line[:own] + line[own + margin :]) for one, line in inner)

    def _esm(self, match: re.Match[str], number: int) -> int:
        if match["indent"] or not _ESM.match(self.text, self.starts[number]):
            return number + 1
        end = number
        while end < len(self.lines) and self.lines[end].strip():
            end += 1
        return self._hide(number, end, "code", "js")

    def _wide(self, match: re.Match[str], number: int) -> int:
        line = self.edits.get(number, self.lines[number])
        self.edits[number] = re.sub(
            r"(#)[\u3000\u00a0]+", lambda found: found[1] + " " * (len(found[0]) - 1), line, count=1
        )
        return number + 1

    def _hash(self, match: re.Match[str], number: int) -> int:
        line = self.edits.get(number, self.lines[number])
        glued = _GLUED.fullmatch(line)
        if glued and len(line) <= _LONGEST_GLUED and not _HASHTAG.search(glued[2].rstrip("# ")):
            self.edits[number] = line.replace(glued[1], f"{glued[1]} ", 1)
        return number + 1

    def _comments(self) -> None:
        """Hide comments of several lines that begin inside a line; those that begin one are hidden by CommonMark."""
        place = 0
        while (start := self.text.find("<!--", place)) >= 0:
            end = self.text.find("-->", start)
            if end < 0:
                return
            place = end + 3
            begin = self.text.rfind("\n", 0, start) + 1
            before = self.text[begin:start]
            if "\n" not in self.text[start:end] or not before.strip() or before.count("`") % 2:
                continue
            if not self.lines:
                self._prepare()
            first, last = self._line(start), self._line(end)
            if last - first <= FURTHEST and not any(_is_fence(self.lines[one]) for one in range(first, last + 1)):
                self._blank(first + 1, last + 1)


def _is_fence(line: str) -> bool:
    return line.lstrip(" \t>").startswith(("```", "~~~"))


def _is_border(line: str) -> bool:
    """Whether a line is one that no formula holds: a heading or a fence."""
    return line.startswith(("# ", "## ", "### ", "```", "~~~"))


@lru_cache(maxsize=8)
def _closing_tag(name: str) -> re.Pattern[str]:
    return re.compile(f"</{name}", re.IGNORECASE)
