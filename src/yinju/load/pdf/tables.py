"""Tables of which only the words are there: their columns from where the cells stand, their header, their going on over pages.

A column is what cells of several rows have in common; the narrow cells decide, and a wide cell that reaches over several columns stands
in the first of them. So an empty cell stays an empty cell, and every row has as many cells as the table has columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from yinju.load.builder import TextBuilder
from yinju.load.parsed import visible
from yinju.load.pdf.lines import letters
from yinju.load.pdf.page import Line, PageText, Table
from yinju.load.pdf.segment import Segment, glued, part, put_together, words_of
from yinju.load.pdf.values import SIGN, SIGN_BEHIND, is_time, is_value, takes_sign

_NUMBERS = 6  # of a word in a segment
_MOST_HEADER_ROWS = 4
_FAR = 8.0  # sizes between the name of a column and its values
_WIDEST_GAP = 4.0  # sizes between two rows of one table
_LONGEST_NAME = 60  # characters of a column's name
_MOST_COLUMNS = 100  # on one page: more are words that are strewn over it
REPEATED = "repeated table header"


def make_tables(lines: Sequence[Line]) -> None:
    """Give the lines that were found to be rows of tables their columns."""
    run: list[Line] = []
    for line in [*lines, None]:
        if line is not None and line.tabular and (not run or _goes_on(run[-1], line)):
            run.append(line)
            continue
        if len(run) > 1:
            _make_table(run)
        else:
            for single in run:
                single.tabular = False
        run = [line] if line is not None and line.tabular else []


def _goes_on(before: Line, line: Line) -> bool:
    return before.bottom - line.top < _WIDEST_GAP * line.size


def _make_table(rows: list[Line]) -> None:
    for row in rows:
        row.cells = _joined_signs(row.cells)
    cells = [cell for row in rows for cell in row.cells]
    columns = _columns(cells) if max(len(row.cells) for row in rows) <= _MOST_COLUMNS else []
    if not 2 <= len(columns) <= _MOST_COLUMNS:
        for row in rows:
            row.tabular = False
        return
    table = Table(columns)
    for row in rows:
        row.cells = [piece for cell in row.cells for piece in _pieces(cell, columns)]
        row.table, row.grid = table, _placed(row.cells, columns)
    _join_heads(rows, table)
    for row in rows:
        row.cells = [cell for cell in row.grid if cell]
    table.header = header_rows(texts_of(rows), rows)


def texts_of(rows: Sequence[Line]) -> list[list[str]]:
    """Return the texts of the cells of the rows, empty ones among them."""
    return [[cell.text if cell else "" for cell in row.grid] for row in rows]


def join_sign_columns(rows: list[Line], table: Table) -> None:
    """Join a column that holds nothing but currency signs or brackets with its numbers."""
    column = 0
    while column + 1 < len(table.columns):
        pairs = [(row.grid[column], row.grid[column + 1]) for row in rows]
        both = [(left, right) for left, right in pairs if left and right]
        ahead = both and all(SIGN.fullmatch(left.text) and takes_sign(right.text) for left, right in both)
        behind = both and all(SIGN_BEHIND.fullmatch(right.text) and left.text[-1].isdigit() for left, right in both)
        if not ahead and not behind:
            column += 1
            continue
        for row, (left, right) in zip(rows, pairs, strict=True):
            cell = glued(left, right, "", right if ahead else left) if left and right else left or right
            row.grid[column : column + 2] = [cell]
        table.columns[column : column + 2] = [(table.columns[column][0], table.columns[column + 1][1])]


def _join_heads(rows: list[Line], table: Table) -> None:
    """Join columns that hold nothing but a name with the neighbour that has the values: `2022` may stand left of all its numbers."""
    heads = header_rows(texts_of(rows), rows)
    column = 0
    while heads and column + 1 < len(table.columns):
        pairs = [(row.grid[column], row.grid[column + 1]) for row in rows]
        both = any(left and right for left, right in pairs)
        bare = any(not any(pair[side] for pair in pairs[heads:]) for side in (0, 1))
        gap = table.columns[column + 1][0] - table.columns[column][1]
        if both or not bare or gap > _FAR * rows[0].size:
            column += 1
            continue
        for row, (left, right) in zip(rows, pairs, strict=True):
            row.grid[column : column + 2] = [left or right]
        table.columns[column : column + 2] = [(table.columns[column][0], table.columns[column + 1][1])]


def _joined_signs(cells: list[Segment]) -> list[Segment]:
    """Join a currency sign or bracket that stands in a cell of its own with its number; give back one that hangs on the cell before."""
    parted: list[Segment] = []
    for place, cell in enumerate(cells):
        after = cells[place + 1] if place + 1 < len(cells) else None
        head, _, tail = cell.text.rpartition(" ")
        if head and after is not None and SIGN.fullmatch(tail) and takes_sign(after.text):
            words = sum(1 for _ in words_of(cell))
            behind = sum(1 for word in words_of(cell) if word.start >= len(head))
            if 0 < behind < words:
                parted += [part(cell, 0, words - behind), part(cell, words - behind, words)]
                continue
        parted.append(cell)
    joined: list[Segment] = []
    for cell in parted:
        before = joined[-1] if joined else None
        if before is not None and SIGN.fullmatch(before.text) and takes_sign(cell.text):
            joined[-1] = glued(before, cell, "", cell)
        elif before is not None and SIGN_BEHIND.fullmatch(cell.text) and before.text[-1:].isdigit():
            joined[-1] = glued(before, cell, "", before)
        else:
            joined.append(cell)
    return joined


def _columns(cells: list[Segment]) -> list[tuple[float, float]]:
    """Return left and right of the columns: cells that overlap are of one column, but those that overlap several are of none."""
    columns: list[tuple[float, float]] = []
    for left, right in sorted(map(_extent, cells), key=lambda extent: extent[1] - extent[0]):
        touched = [column for column in columns if _shared(left, right, column) > 0]
        if not touched:
            columns.append((left, right))
        elif len(touched) == 1:
            columns.remove(touched[0])
            columns.append((min(left, touched[0][0]), max(right, touched[0][1])))
    return _apart(sorted(columns))


def _extent(cell: Segment) -> tuple[float, float]:
    """Return from where to where a cell reaches; a currency sign far in front of its number does not count."""
    numbers = cell.words
    if len(numbers) > _NUMBERS and SIGN.fullmatch(cell.text[: int(numbers[1])]):
        return numbers[_NUMBERS + 2], cell.right
    return cell.left, cell.right


def _apart(columns: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Join columns that have grown into each other."""
    kept: list[tuple[float, float]] = []
    for column in columns:
        if kept and _shared(*column, kept[-1]) > 0.5 * min(column[1] - column[0], kept[-1][1] - kept[-1][0]):
            kept[-1] = (kept[-1][0], max(kept[-1][1], column[1]))
        else:
            kept.append(column)
    return kept


def _shared(left: float, right: float, column: tuple[float, float]) -> float:
    """How much the two overlap; a touch is none."""
    shared = min(right, column[1]) - max(left, column[0])
    return shared if shared > 0.15 * min(right - left, column[1] - column[0]) else 0.0


def _pieces(cell: Segment, columns: list[tuple[float, float]]) -> list[Segment]:
    """Return the cell in pieces where it is several cells that stand close: each word below one column, and wide spaces between."""
    if len([column for column in columns if _shared(*_extent(cell), column) > 0]) < 2 or cell.lines > 1:
        return [cell]
    words = list(words_of(cell))
    cuts = [0]
    for number, (before, word) in enumerate(pairwise(words), 1):
        if word.left - before.right >= 0.45 * cell.size and _at(before.left, before.right, columns) < _at(
            word.left, word.right, columns
        ):
            cuts.append(number)
    cuts.append(len(words))
    if len(cuts) == 2:
        return [cell]
    return [part(cell, first, last) for first, last in pairwise(cuts)]


def _at(left: float, right: float, columns: list[tuple[float, float]]) -> int:
    shares = [_shared(left, right, column) for column in columns]
    best = max(shares)
    if best > 0:
        return shares.index(best) if (right - left) < 1.5 * best else next(i for i, share in enumerate(shares) if share)
    middle = (left + right) / 2
    return min(range(len(columns)), key=lambda i: abs((columns[i][0] + columns[i][1]) / 2 - middle))


def _placed(cells: list[Segment], columns: list[tuple[float, float]]) -> list[Segment | None]:
    """Return a cell, or None, for each column."""
    grid: list[Segment | None] = [None] * len(columns)
    last = -1
    for number, cell in enumerate(cells):
        place = min(max(_at(*_extent(cell), columns), last + 1), len(columns) - 1)
        taken = grid[place]
        grid[place] = cell if taken is None else put_together(taken, cell)
        last = min(place, len(columns) - 1 if number + 1 == len(cells) else place)
    return grid


def header_rows(rows: Sequence[Sequence[str]], lines: Sequence[Line]) -> int:
    """Return how many of the first rows name the columns of the others."""
    body = [is_value(cell) and not is_time(cell) for row in rows[1:] for cell in row[1:] if cell]
    values = (any(body) and (not rows[0][0] or 2 * sum(body) >= len(body))) or _numbered(rows)
    found = 0
    while found < min(_MOST_HEADER_ROWS, len(rows) - 1):
        row = rows[found]
        if not _names(row) or (found and row[0] and rows[found - 1][0]):
            break
        found += 1
    if found and not values and not _stands_out(rows, lines):
        return 0
    return found


def _numbered(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether there is a column whose cells nearly all have digits, but not the first."""
    for name, *cells in zip(*rows, strict=True):
        filled = [any(map(str.isdigit, cell)) for cell in cells if cell]
        if name and not any(map(str.isdigit, name)) and len(filled) > 1 and 10 * sum(filled) >= 7 * len(filled):
            return not any(character.isdigit() for cell in rows[0] for character in cell)
    return False


def _names(row: Sequence[str]) -> bool:
    """Return whether the row has names of columns and no values but years and dates."""
    filled = [cell for cell in row[1:] if cell]
    if any(is_value(cell) and not is_time(cell) for cell in filled) or any(len(cell) > _LONGEST_NAME for cell in row):
        return False
    return bool(filled) and not (is_value(row[0]) and not is_time(row[0]))


def _stands_out(rows: Sequence[Sequence[str]], lines: Sequence[Line]) -> bool:
    """Return whether the first row of a table of words is its header: short, different names for all columns, ruled or in bold."""
    first = rows[0]
    filled = [cell for cell in first if cell]
    named = bool(first[0]) and 3 * len(filled) >= 2 * len(first) and len(set(filled)) == len(filled) > 1
    named = named and all(len(cell) <= _LONGEST_NAME // 2 for cell in filled)
    table = lines[0].table
    bold = lines[0].bold and not all(line.bold for line in lines[1:])
    longer = sum(map(len, first)) * 1.3 < max(sum(map(len, row)) for row in rows[1:])
    return named and (bold or (table is not None and table.ruled and (len(rows) > 2 or longer)))


def join_over_pages(pages: Sequence[PageText], builder: TextBuilder) -> None:
    """Let a table go on with the one at the head of the next page where their columns fit; its header is then not repeated."""
    table: Table | None = None
    head: list[Line] = []
    for page in pages:
        if not page.lines:
            continue
        first = page.lines[0].table
        if first is not None and table is not None:
            _join(table, head, page, first, builder)
        last = page.lines[-1].table if page.lines else table
        if last is not table:
            head = [line for line in page.lines if line.table is last][: last.header if last else 0]
            table = last


def _join(table: Table, head: list[Line], page: PageText, following: Table, builder: TextBuilder) -> None:
    """Let the rows of a table at the head of a page belong to the one before, whose first rows are its header."""
    if table is following or not _same_columns(table, following):
        return
    repeated = _repeated(head, page.lines[: following.header]) if following.header else 0
    if following.header and repeated < following.header:
        return
    for line in page.lines[:repeated]:
        builder.drop(REPEATED, visible(line.text))
    page.lines = page.lines[repeated:]
    for line in page.lines:
        if line.table is following:
            line.table = table


def _repeated(head: list[Line], lines: list[Line]) -> int:
    """Return how many of the lines say again what the header says."""
    count = 0
    for one, other in zip(head, lines, strict=False):
        if letters(one.text) != letters(other.text):
            break
        count += 1
    return count


def _same_columns(table: Table, following: Table) -> bool:
    if len(table.columns) != len(following.columns) or table.ruled != following.ruled:
        return False
    pairs = list(zip(table.columns, following.columns, strict=True))
    if table.ruled:
        return all(abs(one[0] - other[0]) < 5 and abs(one[1] - other[1]) < 5 for one, other in pairs)
    return all(_shared(*one, other) > 0 for one, other in pairs)
