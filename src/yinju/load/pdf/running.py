"""Running headers, footers and page numbers of a PDF are set aside.

What stands at the edge of many pages is furniture: it would cut sentences in two at each page and answer every question.
The first occurrence of a running header and the last of a footer stay where their words stand nowhere else: they are often the only place that
names the product or the firm, and there they cut no sentence in two.
"""

from __future__ import annotations

import re
import statistics
from collections import Counter
from collections.abc import Sequence

from yinju.load.builder import TextBuilder
from yinju.load.parsed import visible
from yinju.load.pdf.lines import SENTENCE_ENDS, letters
from yinju.load.pdf.page import Line, PageText

_EDGE_LINES = 3
_EDGE_SHARE = 0.14  # of the height of the page's text
_PAGE_NUMBER = re.compile(
    r"\W*(?:第|page|p\.)?\s*0\s*(?:页|頁)?\W*(?:(?:of|共|/|-)?\s*(?:第|共)?\s*0\s*(?:页|頁)?)?\W*", re.IGNORECASE
)
_SAID = re.compile("page|第|页|頁|共", re.IGNORECASE)  # the number says that it is a page's
_MARGIN = 0.085  # of the page's height
_FEW_PAGES = 3
_SHORT = 6  # pages: that a line returns proves little
_ROMAN = re.compile(r"[ivxlcIVXLC]{1,7}")


def set_running_lines_aside(builder: TextBuilder, pages: Sequence[PageText]) -> str | None:
    """Drop the lines at the edges of pages that return from page to page; return the running header that stays once, if any."""
    edges = [(page, _edges(page)) for page in pages if page.lines]
    places: dict[tuple[str, str], dict[int, float]] = {}
    for page, lines in edges:
        for where, line in lines:
            places.setdefault((where, _key(line)), {}).setdefault(page.number, line.baseline)
    total = len(edges)
    numbers = _page_numbers(edges)
    inside = {(where, _key(line)) for page, lines in edges for where, line in lines if not _in_margin(page, line)}
    running = {
        key for key, found in places.items() if _same_place(found) >= _needed(key[1], total, margin=key not in inside)
    }
    returns = _returns(edges)
    bodies = _joined_to_text(edges, running) if total <= _SHORT else set()
    set_aside = [
        ((where, _key(line)), line)
        for _, lines in edges
        for where, line in lines
        if id(line) in numbers or ((where, _key(line)) in running and id(line) in returns and id(line) not in bodies)
    ]
    elsewhere = letters("".join(line.text for page in pages[:30] for line in page.lines if not running & _keys(line)))
    last = {key: line for key, line in set_aside if key[0] == "bottom"}
    kept: dict[tuple[str, str], str] = {}
    gone: dict[int, str] = {}
    for key, line in set_aside:
        number = id(line) in numbers
        words = letters(line.text)
        once = last[key] is line if key in last else key not in kept
        if once and not number and len(words) > 3 and words not in elsewhere:
            kept[key] = " ".join(line.text.split())
        else:
            gone[id(line)] = "page number" if number else f"running {'footer' if key in last else 'header'}"
    if len(gone) + len(kept) == sum(len(page.lines) for page in pages):
        return None  # there is nothing else
    for page in pages:
        for line in page.lines:
            if id(line) in gone:
                builder.drop(gone[id(line)], visible(line.text))
        page.lines = [line for line in page.lines if id(line) not in gone]
    return next((text for (where, _), text in kept.items() if where == "top"), None)


def _keys(line: Line) -> set[tuple[str, str]]:
    return {("top", _key(line)), ("bottom", _key(line))}


def _returns(edges: list[tuple[PageText, list[tuple[str, Line]]]]) -> set[int]:
    """The lines that return word for word, or with a number that goes with the pages.

    Sentences, records and titles (`Note 12`, `Note 13`) that are alike but for their numbers are text, wherever they stand; so are lines in
    larger letters than the page's: where each page has a title of its own, its number goes with the page's by chance.
    """
    alike: dict[tuple[str, str, int, str], dict[int, Line]] = {}
    for page, lines in edges:
        usual = statistics.median(line.size for line in page.lines)
        for where, line in lines:
            signs = [(-1, " ".join(line.text.split()))]
            found = re.findall(r"\d+", line.text) if line.size <= 1.1 * usual else ()
            numbers = [int(number[-6:]) for number in found]
            signs += [(place, str(number - page.number)) for place, number in enumerate(numbers)]
            for place, sign in signs:
                alike.setdefault((where, _key(line), place, sign), {})[page.number] = line
    return {id(line) for same in alike.values() if len(same) > 1 for line in same.values()}


def _joined_to_text(edges: list[tuple[PageText, list[tuple[str, Line]]]], running: set[tuple[str, str]]) -> set[int]:
    """The lines at an edge that are followed by text of the same size at the distance of a paragraph's lines."""
    joined: set[int] = set()
    for page, lines in edges:
        furniture = {id(line) for where, line in lines if (where, _key(line)) in running}
        for where, line in lines:
            inward = 1 if where == "top" else -1
            for other in page.lines:
                step = inward * (line.baseline - other.baseline)
                beside = other.left < line.right and line.left < other.right
                if id(other) not in furniture and beside and 0 < step < 1.6 * line.size and _as_large(line, other):
                    joined.add(id(line))
    return joined


def _as_large(line: Line, other: Line) -> bool:
    return abs(line.size - other.size) < 0.05 * line.size


def _page_numbers(edges: list[tuple[PageText, list[tuple[str, Line]]]]) -> set[int]:
    """The lines that hold nothing but a number which keeps the same distance to the number of the page over many pages."""
    distances: dict[tuple[str, int], list[Line]] = {}
    for page, lines in edges:
        for where, line in lines:
            found = re.search(r"\d{1,5}", line.text)
            if found and _PAGE_NUMBER.fullmatch(_key(line)):
                distances.setdefault((where, int(found.group()) - page.number), []).append(line)
    needed = max(2, 0.1 * len(edges))
    numbers = {id(line) for same in distances.values() if len(same) >= needed for line in same}
    for page, lines in edges:
        for where, line in lines:
            alone = where == "bottom" and len(edges) <= _FEW_PAGES and _stands_alone(page, line)
            if _PAGE_NUMBER.fullmatch(_key(line)) and (_SAID.search(line.text) or alone):
                numbers.add(id(line))
    return numbers


def _stands_alone(page: PageText, line: Line) -> bool:
    """Return whether a bare number stands below all text, in the margin."""
    bare = re.fullmatch(r"[-–—·\s]*\d{1,4}[-–—·\s]*", line.text)
    others = [other.bottom for other in page.lines if other is not line]
    clear = bool(others) and min(others) - line.top > 0.8 * line.size
    return bool(bare) and clear and _in_margin(page, line)


def _in_margin(page: PageText, line: Line) -> bool:
    """Return whether the line stands at the very edge of an upright page; slides have their titles there."""
    cell = line.cells[0]
    box = page.frame.box(line.left, line.right, line.bottom, line.top, cell.turn)
    return page.upright and (box.bottom < _MARGIN or box.top > 1 - _MARGIN)


def _same_place(baselines: dict[int, float]) -> int:
    """On how many pages the line stands at its most common height, give or take three points."""
    heights = Counter(round(baseline / 3) for baseline in baselines.values())
    return max((heights[height - 1] + heights[height] + heights[height + 1] for height in heights), default=0)


def _needed(key: str, pages: int, *, margin: bool) -> float:
    """On how many pages a line must stand to be furniture. In a short document a sentence that returns may be its text.

    In the margin a few are enough: headers of left and right pages, or of one chapter.
    """
    if _PAGE_NUMBER.fullmatch(key) and not _ROMAN.fullmatch(key):
        return float("inf")  # told by their values
    if pages <= _SHORT and (len(key) > 80 or key.endswith(SENTENCE_ENDS)):
        return 7
    if margin and pages > 3:
        return 2 if pages <= _SHORT else 3
    return max(2, pages) if pages <= 3 else max(3, 0.1 * pages)


def _key(line: Line) -> str:
    text = re.sub(r"\d+", "0", " ".join(line.text.split()))
    return "i" if _ROMAN.fullmatch(text) else text


def _edges(page: PageText) -> list[tuple[str, Line]]:
    """The first and last lines of a page, with where they stand."""
    level = [line for line in page.lines if line.cells[0].turn == page.lines[0].cells[0].turn]
    top, bottom = max(line.top for line in level), min(line.bottom for line in level)
    reach = _EDGE_SHARE * (top - bottom)
    by_height = sorted(level, key=lambda line: -line.baseline)
    upper = [("top", line) for line in by_height[:_EDGE_LINES] if top - line.bottom <= max(reach, 1.5 * line.size)]
    lower = [("bottom", line) for line in by_height[-_EDGE_LINES:] if line.top - bottom <= max(reach, 1.5 * line.size)]
    chosen = {id(line) for _, line in upper}
    both = upper + [item for item in lower if id(item[1]) not in chosen]
    return [(where, line) for where, line in both if len(line.cells) < 4 and not _in_table(line)]


def _in_table(line: Line) -> bool:
    """Return whether the line is a table's row: a header that returns on every page is the table's."""
    return line.table is not None
