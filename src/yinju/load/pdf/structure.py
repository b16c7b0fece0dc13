"""Lines of PDF pages to paragraphs, headings, tables and page marks."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from yinju.load.builder import TextBuilder
from yinju.load.pdf.headings import Entry, find_headings
from yinju.load.pdf.hyphens import seam
from yinju.load.pdf.lines import ENDS, LIST, Measures, alike, close, ends, indented, is_listed, measure
from yinju.load.pdf.page import Line, PageText
from yinju.load.pdf.rows import DIVIDED
from yinju.load.pdf.running import set_running_lines_aside
from yinju.load.pdf.segment import Segment, is_han
from yinju.load.pdf.tables import join_over_pages
from yinju.load.pdf.writer import PageWriter
from yinju.types import Span

_AT_END = 1_000_000  # the column of notes


def write_pages(builder: TextBuilder, pages: Sequence[PageText], outline: Sequence[Entry]) -> tuple[str | None, bytes]:
    """Write the pages with paragraphs joined, and mark pages, headings and tables.

    Return the running header, if there is one, and the boxes of the words.
    """
    running = set_running_lines_aside(builder, pages)
    join_over_pages(pages, builder)
    for page in pages:
        page.lines += [_note(text, page) for text in page.notes]
    lines = [line for page in pages for line in page.lines]
    if not lines:
        return None, b""
    state = measure(lines)
    state.levels = find_headings(lines, outline, state)
    writer = PageWriter(builder, {page.number: page.frame for page in pages})
    starts: list[tuple[int, int]] = []
    before: Line | None = None
    place = 0
    while place < len(lines):
        line = lines[place]
        group = _group(lines, place, state)
        _separate(writer, before, line, state)
        if line.table is not None:
            _write_table(writer, group, starts)
        else:
            _begin_page(starts, line, builder)
            if id(line) in state.levels:
                _write_heading(writer, group, state)
            else:
                writer.line(line)
        before = group[-1]
        place += len(group)
    _mark_pages(builder, starts)
    return running, writer.boxes()


def _note(text: str, page: PageText) -> Line:
    """Return a note that somebody has stuck to the page, as a line of its own at its end."""
    size = statistics.median(line.size for line in page.lines) if page.lines else 10.0
    return Line([Segment(text, 0.0, 1.0, 0.0, size, 0.0, 0, False, size)], _AT_END, page.number)


def _begin_page(starts: list[tuple[int, int]], line: Line, builder: TextBuilder) -> None:
    if not starts or starts[-1][0] != line.page:
        starts.append((line.page, builder.position))


def _mark_pages(builder: TextBuilder, starts: list[tuple[int, int]]) -> None:
    ends = [start for _, start in starts[1:]] + [builder.position]
    for (number, start), end in zip(starts, ends, strict=True):
        builder.mark("page", Span(start, end), number)


def _group(lines: list[Line], place: int, state: Measures) -> list[Line]:
    """The lines that are written as one: a table's rows, a heading over several lines, else one line."""
    line = lines[place]
    end = place + 1
    if line.table is not None:
        while end < len(lines) and lines[end].table is line.table:
            end += 1
        return lines[place:end]
    level = state.levels.get(id(line))
    while level and end < len(lines) and (lines[end].page, lines[end].column) == (line.page, line.column):
        following = lines[end]
        same_heading = state.levels.get(id(following)) == level and close(lines[end - 1], following, state)
        same_heading = same_heading and end - place < 4 and not LIST.match(following.text)
        if not (same_heading and alike(line, following)):
            break
        end += 1
    return lines[place:end]


def _write_table(writer: PageWriter, rows: list[Line], starts: list[tuple[int, int]]) -> None:
    builder = writer.builder
    start = builder.position
    spans: list[Span] = []
    for row in rows:
        if spans:
            builder.write("\n")
        _begin_page(starts, row, builder)
        spans.append(writer.line(row))
    builder.mark("table", Span(start, builder.position))
    header = min(rows[0].table.header, len(rows) - 1) if rows[0].table is not None else 0
    if header:
        builder.mark("header", Span(spans[0].start, spans[header - 1].end))
    for span in spans[header:]:
        builder.mark("row", span)


def _write_heading(writer: PageWriter, lines: list[Line], state: Measures) -> None:
    builder = writer.builder
    start = builder.position
    for before, line in zip([None, *lines], lines, strict=False):
        if before is not None:
            builder.write(_glue(writer, before, line, state))
        writer.line(line)
    label = " ".join(builder.text_from(start).split())
    builder.mark("heading", Span(start, builder.position), state.levels[id(lines[0])], label)


def _separate(writer: PageWriter, before: Line | None, line: Line, state: Measures) -> None:
    builder = writer.builder
    if before is None:
        return
    if id(line) in state.levels or id(before) in state.levels or line.table is not None or before.table is not None:
        builder.write("\n\n")
    elif _joined(before, line, state):
        builder.write(_glue(writer, before, line, state))
    elif is_listed(line) or (close(before, line, state) and not before.text.endswith(ENDS)):
        builder.write("\n")
    else:
        builder.write("\n\n")


def _glue(writer: PageWriter, before: Line, line: Line, state: Measures) -> str:
    """What stands between two lines of a paragraph; a hyphen that only divided a word is taken back."""
    divided, between = seam(before.text, line.text, state.words)
    if divided:
        writer.take_back(before.text[-1], DIVIDED)
    return between


def _joined(before: Line, line: Line, state: Measures) -> bool:
    """Return whether the line goes on with the paragraph of the line before."""
    if not alike(before, line) or is_listed(line):
        return False
    left, right = state.edges[before.page, before.column]
    width = max(right - left, 1.0)
    latin = not (is_han(before.text[-1]) or is_han(line.text[0]))
    full = before.right >= right - (max(0.2 * width, 2.5 * before.size) if latin else 2.5 * before.size)
    full = full or id(before) in state.full
    runs_on = line.text[0].islower()
    if (before.page, before.column) != (line.page, line.column):
        level = abs(line.left - before.left) < 0.7 * line.size or not indented(line, state)
        return (full or runs_on) and not ends(before) and level
    distance = before.baseline - line.baseline
    spaced = full and distance <= 2.6 * line.size and not ends(before) and not indented(line, state)
    if distance < 0 or not (spaced or close(before, line, state)):
        return False
    if line.left > before.left + 1.2 * line.size and not is_listed(before) and not runs_on:
        return False
    return full or (runs_on and not before.text.endswith(ENDS))
