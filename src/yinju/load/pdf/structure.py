"""Lines of PDF pages to paragraphs, headings, tables and page marks."""

from __future__ import annotations

import re
from collections.abc import Sequence

from yinju.load.builder import TextBuilder
from yinju.load.office.rows import looks_like_value
from yinju.load.pdf.characters import is_han
from yinju.load.pdf.headings import Entry, find_headings
from yinju.load.pdf.layout import Line, PageText
from yinju.load.pdf.lines import ENDS, LIST, Measures, alike, close, indented, is_listed, measure
from yinju.load.pdf.running import set_running_lines_aside
from yinju.types import Span


def write_pages(builder: TextBuilder, pages: Sequence[PageText], outline: Sequence[Entry]) -> str | None:
    """Write the pages with paragraphs joined, and mark pages, headings and tables. Return the running header, if there is one."""
    running = set_running_lines_aside(builder, pages)
    lines = [line for page in pages for line in page.lines]
    if not lines:
        return None
    state = measure(lines)
    state.levels = find_headings(lines, outline, state)
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
    return running


def _mark_pages(builder: TextBuilder, starts: list[tuple[int, int]]) -> None:
    ends = [start for _, start in starts[1:]] + [builder.position]
    for (number, start), end in zip(starts, ends, strict=True):
        builder.mark("page", Span(start, end), number)


def _group(lines: list[Line], place: int, state: Measures) -> list[Line]:
    """The lines that are written as one: a table's rows, a heading over several lines, else one line."""
    line = lines[place]
    level = state.levels.get(id(line))
    end = place + 1
    while end < len(lines) and lines[end].page == line.page and lines[end].column == line.column:
        following = lines[end]
        same_table = line.tabular and following.tabular and not level and id(following) not in state.levels
        same_heading = level and state.levels.get(id(following)) == level and close(lines[end - 1], following, state)
        same_heading = same_heading and end - place < 4 and not LIST.match(following.text)
        if not (same_table or (same_heading and alike(line, following))):
            break
        end += 1
    return lines[place:end]


def _write_table(builder: TextBuilder, rows: list[Line]) -> None:
    start = builder.position
    spans: list[Span] = []
    second = min((row.cells[1].left for row in rows if len(row.cells) > 2), default=float("inf"))
    for row in rows:
        if spans:
            builder.write("\n")
        # A row that begins where the values stand has an empty cell in front.
        spans.append(builder.write("\t" * (row.left > second - 0.5 * row.size) + row.text))
    builder.mark("table", Span(start, builder.position))
    names, values = [cell.text for cell in rows[0].cells], [cell.text for row in rows[1:6] for cell in row.cells[1:]]
    header = not any(map(looks_like_value, names[1:])) and any(map(looks_like_value, values))
    if header:
        builder.mark("header", spans[0])
    for span in spans[header:]:
        builder.mark("row", span)


def _write_heading(builder: TextBuilder, lines: list[Line], state: Measures) -> None:
    start = builder.position
    for before, line in zip([None, *lines], lines, strict=False):
        if before is not None:
            builder.write(_glue(builder, before, line, state))
        builder.write(" ".join(line.text.split()))
    label = builder.text_from(start)
    builder.mark("heading", Span(start, builder.position), state.levels[id(lines[0])], label)


def _separate(builder: TextBuilder, before: Line | None, line: Line, state: Measures) -> None:
    if before is None:
        return
    if id(line) in state.levels or id(before) in state.levels or line.tabular != before.tabular:
        builder.write("\n\n")
    elif line.tabular:
        builder.write("\n" if line.page == before.page and line.column == before.column else "\n\n")
    elif _joined(before, line, state):
        builder.write(_glue(builder, before, line, state))
    elif is_listed(line) or (close(before, line, state) and not before.text.endswith(ENDS)):
        builder.write("\n")
    else:
        builder.write("\n\n")


def _glue(builder: TextBuilder, before: Line, line: Line, state: Measures) -> str:
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


def _joined(before: Line, line: Line, state: Measures) -> bool:
    """Return whether the line goes on with the paragraph of the line before."""
    if not alike(before, line) or is_listed(line):
        return False
    left, right = state.edges[before.page, before.column]
    width = max(right - left, 1.0)
    latin = not (is_han(before.text[-1]) or is_han(line.text[0]))
    full = before.right >= right - (max(0.2 * width, 2.5 * before.size) if latin else 2.5 * before.size)
    runs_on = line.text[0].islower()
    if (before.page, before.column) != (line.page, line.column):
        return (full or runs_on) and not before.text.endswith(ENDS) and not indented(line, state)
    distance = before.baseline - line.baseline
    spaced = full and distance <= 2.6 * line.size and not before.text.endswith(ENDS) and not indented(line, state)
    if distance < 0 or not (spaced or close(before, line, state)):
        return False
    if line.left > before.left + 1.2 * line.size and not is_listed(before) and not runs_on:
        return False
    return full or (runs_on and not before.text.endswith(ENDS))
