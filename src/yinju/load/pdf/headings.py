"""Which lines of a PDF are headings: by the outline where the text bears it out, else by size, weight and Chinese chapter numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from yinju.load.pdf.lines import LIST, SENTENCE_ENDS, Measures, alike, close, is_listed, letters
from yinju.load.pdf.page import Line
from yinju.load.pdf.segment import is_han

_CHAPTER = re.compile(r"第[一二三四五六七八九十百零\d]{1,4}([編编篇部]|[章]|[节節])(?=[\s　:：]|$|[^条條款项項])")
_CLAUSE = re.compile(
    r"第[一二三四五六七八九十百零\d]{1,6}[条條](?:\s*之[一二三四五六七八九十\d]+)?[\s　:：]{0,3}[^，。；、,]{2,30}"
)
_VALUE_AT_END = re.compile(r"[\d,]*[.,]\d+[%)]?$")


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of the document's outline: title, page from 1, level from 1."""

    title: str
    page: int
    level: int


def find_headings(lines: list[Line], outline: Sequence[Entry], state: Measures) -> dict[int, int]:
    """Return the heading level by line: from the outline where the text bears it out, else by size and weight."""
    by_outline = _outline_headings(lines, outline)
    if len(by_outline) >= 3 or (outline and 2 * len(by_outline) >= len(outline)):
        return by_outline
    prose = _in_prose(lines, state)
    candidates = [line for line in lines if id(line) not in prose and _may_be_heading(line)]
    large = [line for line in candidates if line.size >= 1.15 * state.body and not LIST.fullmatch(line.text)]
    if 3 * len(large) > len(lines) + 3:
        large = []
    steps = sorted({round(line.size) for line in large}, reverse=True)[:4]
    levels = {id(line): steps.index(round(line.size)) + 1 for line in large if round(line.size) in steps}
    for line in candidates:
        chapter = _CHAPTER.match(line.text)
        if chapter and id(line) not in levels:
            levels[id(line)] = 2 if chapter[1] in "节節" else 1
    alone = [line for line in _standing_alone(lines, state) if id(line) not in prose and _may_be_heading(line)]
    bold = [line for line in alone if id(line) not in levels]
    if 4 * len(bold) <= len(lines) + 4:
        level = min(max(levels.values(), default=0) + 1, 5)
        levels |= {id(line): level for line in bold}
    clauses = [line for line in candidates if id(line) not in levels and _CLAUSE.fullmatch(line.text)]
    level = min(max(levels.values(), default=1) + 1, 6)
    return levels | {id(line): level for line in clauses}


def is_numbered_part(text: str) -> bool:
    """Return whether a heading names a chapter or clause by its number, and so is no title of the whole."""
    return bool(_CHAPTER.match(text) or _CLAUSE.fullmatch(text))


def _in_prose(lines: list[Line], state: Measures) -> set[int]:
    """The lines of runs in one style that are too long for a heading or end as sentences do."""
    inside: set[int] = set()
    run: list[Line] = []
    for line in [*lines, None]:
        same = line is not None and run and (run[-1].page, run[-1].column) == (line.page, line.column)
        same = same and line is not None and _reaches_edge(run[-1], state) and alike(run[-1], line)
        if line is not None and same and not is_listed(line) and close(run[-1], line, state):
            run.append(line)
            continue
        if len(run) > 3 or (len(run) > 1 and any(part.text.endswith(SENTENCE_ENDS) for part in run)):
            inside |= {id(part) for part in run}
        run = [] if line is None else [line]
    return inside


def _reaches_edge(line: Line, state: Measures) -> bool:
    left, right = state.edges[line.page, line.column]
    return line.right >= right - 0.2 * (right - left)


def _standing_alone(lines: list[Line], state: Measures) -> list[Line]:
    """Bold lines between lines that are not bold, and not small."""
    found = []
    for before, line, after in zip([None, *lines], lines, [*lines[1:], None], strict=False):
        runs_on = after is not None and after.bold and close(line, after, state) and after.page == line.page
        part = before is not None and before.bold and close(before, line, state) and before.page == line.page
        if line.bold and line.size > 0.9 * state.body and not runs_on and not part:
            found.append(line)
    return found


def _may_be_heading(line: Line) -> bool:
    text = line.text
    width = len(text) + sum(map(is_han, text))
    alphabetic, digits = sum(map(str.isalpha, text)), sum(map(str.isdigit, text))
    shaped = not line.tabular and not line.turned and 2 <= width <= 120 and alphabetic >= max(2, digits)
    return shaped and not text.endswith(tuple("。；;，,、.")) and "....." not in text and not _VALUE_AT_END.search(text)


def _outline_headings(lines: list[Line], outline: Sequence[Entry]) -> dict[int, int]:
    by_page: dict[int, list[Line]] = {}
    for line in lines:
        by_page.setdefault(line.page, []).append(line)
    levels: dict[int, int] = {}
    for entry in outline:
        title = letters(entry.title)
        for line in by_page.get(entry.page, []):
            text = letters(line.text)
            if (
                text
                and id(line) not in levels
                and (
                    text == title
                    or (len(text) > 8 and title.startswith(text))
                    or (text.endswith(title) and len(text) < len(title) + 8)
                )
            ):
                levels[id(line)] = min(entry.level, 9)
                break
    return levels
