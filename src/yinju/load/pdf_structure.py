"""Lines of PDF pages to paragraphs, headings, tables and page marks; running headers, footers and page numbers are set aside.

What stands at the edge of many pages is furniture: it would cut sentences in two at each page and answer every question.
The first occurrence of a running header stays where its words stand nowhere else: it is often the only place that names the product.
"""

from __future__ import annotations

import re
import statistics
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from yinju.load.builder import TextBuilder
from yinju.load.parsed import visible
from yinju.load.pdf_layout import Line, PageText, is_han
from yinju.load.rows import looks_like_value
from yinju.types import Span

_EDGE_LINES = 3
_EDGE_SHARE = 0.14  # of the height of the page's text
_ENDS = tuple(".。！？!?：:;；…”」』)）")
_LIST = re.compile(
    r"(?:[•●○▪■□◆◇➢✓]|[-–—*·]\s|\(?\d{1,3}[.)、](?!\d)|\(?[a-zA-Z][.)]\s|[(（][一二三四五六七八九十\d]{1,3}[)）]"
    r"|[一二三四五六七八九十]{1,3}、|[①-⑳]|第[一二三四五六七八九十百零\d]{1,6}[章节條条節編编篇])"
)
_CHAPTER = re.compile(r"第[一二三四五六七八九十百零\d]{1,4}([編编篇部]|[章]|[节節])(?=[\s　:：]|$|[^条條款项項])")
_PAGE_NUMBER = re.compile(
    r"\W*(?:第|page|p\.)?\s*0\s*(?:页|頁)?\W*(?:(?:of|共|/|-)?\s*(?:第|共)?\s*0\s*(?:页|頁)?)?\W*", re.IGNORECASE
)
_ROMAN = re.compile(r"[ivxlcIVXLC]{1,7}")
_WORD = re.compile(r"[A-Za-z]+(?:-[A-Za-z]+)+|[A-Za-z]{4,}")


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of the document's outline: title, page from 1, level from 1."""

    title: str
    page: int
    level: int


@dataclass(slots=True)
class _State:
    """What is needed to decide about the next line."""

    spacing: float
    body: float
    words: Counter[str]
    edges: dict[tuple[int, int], tuple[float, float]]  # left and right edge of a column
    levels: dict[int, int] = field(default_factory=dict)  # line's identity -> heading level


def write_pages(builder: TextBuilder, pages: Sequence[PageText], outline: Sequence[Entry]) -> None:
    """Write the pages with paragraphs joined, and mark pages, headings and tables."""
    _set_running_lines_aside(builder, pages)
    lines = [line for page in pages for line in page.lines]
    if not lines:
        return
    state = _measure(lines)
    state.levels = _headings(lines, outline, state)
    starts: list[tuple[int, int]] = []
    before: Line | None = None
    place = 0
    while place < len(lines):
        line = lines[place]
        group = _group(lines, place, state)
        _separate(builder, before, line, state)
        if not starts or starts[-1][0] != line.page:
            starts.append((line.page, builder.position))
        if len(group) > 1 and line.tabular:
            _write_table(builder, group)
        elif id(line) in state.levels:
            _write_heading(builder, group, state)
        else:
            builder.write(line.text)
        before = group[-1]
        place += len(group)
    _mark_pages(builder, starts)


def _mark_pages(builder: TextBuilder, starts: list[tuple[int, int]]) -> None:
    ends = [start for _, start in starts[1:]] + [builder.position]
    for (number, start), end in zip(starts, ends, strict=True):
        builder.mark("page", Span(start, end), number)


def _group(lines: list[Line], place: int, state: _State) -> list[Line]:
    """The lines that are written as one: a table's rows, a heading over several lines, else one line."""
    line = lines[place]
    level = state.levels.get(id(line))
    end = place + 1
    while end < len(lines) and lines[end].page == line.page and lines[end].column == line.column:
        following = lines[end]
        same_table = line.tabular and following.tabular and not level and id(following) not in state.levels
        same_heading = level and state.levels.get(id(following)) == level and _close(lines[end - 1], following, state)
        same_heading = same_heading and end - place < 4 and not _LIST.match(following.text)
        if not (same_table or (same_heading and _alike(line, following))):
            break
        end += 1
    return lines[place:end]


def _write_table(builder: TextBuilder, rows: list[Line]) -> None:
    start = builder.position
    spans: list[Span] = []
    for row in rows:
        if spans:
            builder.write("\n")
        spans.append(builder.write(row.text))
    builder.mark("table", Span(start, builder.position))
    names, values = [cell.text for cell in rows[0].cells], [cell.text for row in rows[1:6] for cell in row.cells[1:]]
    header = not any(map(looks_like_value, names[1:])) and any(map(looks_like_value, values))
    if header:
        builder.mark("header", spans[0])
    for span in spans[header:]:
        builder.mark("row", span)


def _write_heading(builder: TextBuilder, lines: list[Line], state: _State) -> None:
    start = builder.position
    for before, line in zip([None, *lines], lines, strict=False):
        if before is not None:
            builder.write(_glue(builder, before, line, state))
        builder.write(" ".join(line.text.split()))
    label = builder.text_from(start)
    builder.mark("heading", Span(start, builder.position), state.levels[id(lines[0])], label)


def _separate(builder: TextBuilder, before: Line | None, line: Line, state: _State) -> None:
    if before is None:
        return
    if id(line) in state.levels or id(before) in state.levels or line.tabular != before.tabular:
        builder.write("\n\n")
    elif line.tabular:
        builder.write("\n" if line.page == before.page and line.column == before.column else "\n\n")
    elif _joined(before, line, state):
        builder.write(_glue(builder, before, line, state))
    elif _is_listed(line) or (_close(before, line, state) and not before.text.endswith(_ENDS)):
        builder.write("\n")
    else:
        builder.write("\n\n")


def _glue(builder: TextBuilder, before: Line, line: Line, state: _State) -> str:
    """What stands between two lines of a paragraph; a hyphen that only divided a word is taken back."""
    last, first = before.text[-1], line.text[0]
    if last == "-" and first.isalpha():
        tail, head = re.search(r"[A-Za-z]*-$", before.text), re.match(r"[A-Za-z]+", line.text)
        stem = (tail.group()[:-1], head.group()) if tail and head else ("", "")
        joined, hyphenated = "".join(stem).lower(), "-".join(stem).lower()
        known = (
            state.words[joined] >= state.words[hyphenated]
            if state.words[joined] or state.words[hyphenated]
            else before.hyphen
        )
        if len(stem[0]) > 1 and first.islower() and known:
            builder.take_back("-", "hyphen at a line's end")
        return ""
    return "" if is_han(last) or is_han(first) else " "


def _joined(before: Line, line: Line, state: _State) -> bool:
    """Return whether the line goes on with the paragraph of the line before."""
    if not _alike(before, line) or _is_listed(line):
        return False
    left, right = state.edges[before.page, before.column]
    width = max(right - left, 1.0)
    latin = not (is_han(before.text[-1]) or is_han(line.text[0]))
    full = before.right >= right - (max(0.2 * width, 2.5 * before.size) if latin else 2.5 * before.size)
    runs_on = line.text[0].islower()
    if (before.page, before.column) != (line.page, line.column):
        return (full or runs_on) and not before.text.endswith(_ENDS) and not _indented(line, state)
    if not _close(before, line, state) or before.baseline < line.baseline:
        return False
    if line.left > before.left + 1.2 * line.size and not _is_listed(before) and not runs_on:
        return False
    return full or (runs_on and not before.text.endswith(_ENDS))


def _is_listed(line: Line) -> bool:
    return bool(_LIST.match(line.text))


def _indented(line: Line, state: _State) -> bool:
    return line.left > state.edges[line.page, line.column][0] + 1.2 * line.size


def _alike(before: Line, line: Line) -> bool:
    return max(before.size, line.size) < 1.15 * min(before.size, line.size) and before.bold == line.bold


def _close(before: Line, line: Line, state: _State) -> bool:
    """Return whether the two lines stand as near as lines of a paragraph do."""
    distance = before.baseline - line.baseline
    return distance <= max(1.3 * state.spacing, 1.05 * max(before.size, line.size)) * max(
        1.0, line.size / max(state.body, 1.0)
    )


def _measure(lines: list[Line]) -> _State:
    sizes: Counter[float] = Counter()
    words: Counter[str] = Counter()
    edges: dict[tuple[int, int], tuple[float, float]] = {}
    for line in lines:
        sizes[round(line.size * 2) / 2] += len(line.text)
        words.update(word.lower() for word in _WORD.findall(line.text))
        left, right = edges.get((line.page, line.column), (line.left, line.right))
        edges[line.page, line.column] = min(left, line.left), max(right, line.right)
    body = max(sizes, key=lambda size: sizes[size])
    distances = [
        before.baseline - line.baseline
        for before, line in pairwise(lines)
        if (before.page, before.column) == (line.page, line.column)
        and 0 < before.baseline - line.baseline < 3 * line.size
        and abs(line.size - body) < 1
    ]
    return _State(statistics.median(distances) if distances else 1.3 * body, body, words, edges)


def _headings(lines: list[Line], outline: Sequence[Entry], state: _State) -> dict[int, int]:
    """Return the heading level by line: from the outline where the text bears it out, else by size and weight."""
    by_outline = _outline_headings(lines, outline)
    if len(by_outline) >= 3 or (outline and 2 * len(by_outline) >= len(outline)):
        return by_outline
    candidates = [line for line in lines if _may_be_heading(line)]
    large = [line for line in candidates if line.size >= 1.15 * state.body and not _LIST.fullmatch(line.text)]
    if 3 * len(large) > len(lines) + 3:
        large = []
    steps = sorted({round(line.size) for line in large}, reverse=True)[:4]
    levels = {id(line): steps.index(round(line.size)) + 1 for line in large if round(line.size) in steps}
    for line in candidates:
        chapter = _CHAPTER.match(line.text)
        if chapter and id(line) not in levels:
            levels[id(line)] = 1 if chapter[1] in "編编篇部" else 2 if chapter[1] in "节節" else 1
    bold = [line for line in _standing_alone(lines, state) if _may_be_heading(line) and id(line) not in levels]
    if 4 * len(bold) <= len(lines) + 4:
        level = min(max(levels.values(), default=0) + 1, 5)
        levels |= {id(line): level for line in bold}
    return levels


def _standing_alone(lines: list[Line], state: _State) -> list[Line]:
    """Bold lines between lines that are not bold, and not small."""
    found = []
    for before, line, after in zip([None, *lines], lines, [*lines[1:], None], strict=False):
        runs_on = after is not None and after.bold and _close(line, after, state) and after.page == line.page
        part = before is not None and before.bold and _close(before, line, state) and before.page == line.page
        if line.bold and line.size > 0.9 * state.body and not runs_on and not part:
            found.append(line)
    return found


def _may_be_heading(line: Line) -> bool:
    text = line.text
    width = len(text) + sum(map(is_han, text))
    letters = sum(character.isalpha() for character in text)
    return (
        not line.tabular
        and 2 <= width <= 120
        and letters >= 2
        and not text.endswith(tuple("。；;，,、."))
        and "....." not in text
    )


def _outline_headings(lines: list[Line], outline: Sequence[Entry]) -> dict[int, int]:
    by_page: dict[int, list[Line]] = {}
    for line in lines:
        by_page.setdefault(line.page, []).append(line)
    levels: dict[int, int] = {}
    for entry in outline:
        title = _letters(entry.title)
        for line in by_page.get(entry.page, []):
            text = _letters(line.text)
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


def _letters(text: str) -> str:
    return "".join(character for character in text.lower() if character.isalnum())


def _set_running_lines_aside(builder: TextBuilder, pages: Sequence[PageText]) -> None:
    """Drop the lines at the edges of pages that return from page to page."""
    edges = [(page, _edges(page)) for page in pages if page.lines]
    seen: Counter[tuple[str, str]] = Counter()
    for _, lines in edges:
        seen.update({(where, _key(line)) for where, line in lines})
    total = len(edges)
    running = {key for key, count in seen.items() if count >= _needed(key[1], total)}
    kept: set[tuple[str, str]] = set()
    elsewhere = _letters(
        "".join(line.text for page in pages[:30] for line in page.lines if ("top", _key(line)) not in running)
    )
    for page, lines in edges:
        gone: set[int] = set()
        for where, line in lines:
            key = (where, _key(line))
            if key not in running:
                continue
            words = _letters(line.text)
            if (
                where == "top"
                and key not in kept
                and len(words) > 3
                and not _PAGE_NUMBER.fullmatch(key[1])
                and words not in elsewhere
            ):
                kept.add(key)
                continue
            gone.add(id(line))
            number = bool(_PAGE_NUMBER.fullmatch(key[1]))
            builder.drop(
                "page number" if number else "running header" if where == "top" else "running footer",
                visible(line.text),
            )
        page.lines = [line for line in page.lines if id(line) not in gone]


def _needed(key: str, pages: int) -> float:
    """On how many pages a line must stand to be furniture."""
    if _PAGE_NUMBER.fullmatch(key):
        return 2
    return max(2, pages) if pages <= 3 else max(3, 0.1 * pages)


def _key(line: Line) -> str:
    text = re.sub(r"\d+", "0", " ".join(line.text.split()))
    return "0" if _ROMAN.fullmatch(text) else text


def _edges(page: PageText) -> list[tuple[str, Line]]:
    """The first and last lines of a page, with where they stand."""
    level = [line for line in page.lines if line.cells[0].turn == page.lines[0].cells[0].turn]
    top, bottom = max(line.top for line in level), min(line.bottom for line in level)
    reach = _EDGE_SHARE * (top - bottom)
    by_height = sorted(level, key=lambda line: -line.baseline)
    upper = [("top", line) for line in by_height[:_EDGE_LINES] if top - line.bottom <= max(reach, 1.5 * line.size)]
    lower = [("bottom", line) for line in by_height[-_EDGE_LINES:] if line.top - bottom <= max(reach, 1.5 * line.size)]
    chosen = {id(line) for _, line in upper} if len(by_height) > 1 else set()
    both = upper + [item for item in lower if id(item[1]) not in chosen]
    return [(where, line) for where, line in both if len(line.cells) < 4]
