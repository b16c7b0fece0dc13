"""Does a sentence about a table mix two rows? Subject and value must stand in the same row.

All rows of a table hold much the same words, so what tells them apart decides: words that some rows have and others lack. The rows that a
sentence is about are those whose subject cell (the first one with a word of its own) it names; of its other telling words no row may
hold more than they do. The weight of a word is the logarithm of how rare it is among the rows.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from yinju.answer.clauses import clauses
from yinju.answer.plain import plain
from yinju.answer.views import Part
from yinju.text import tables
from yinju.text.normalize import fold
from yinju.text.words import FILLERS, terms

LISTED = 0.5  # of several rows that are named together (`A and B cost 3 and 4`) each holds at least so much of what the best one holds
NAMED = 0.5  # share of a subject cell's telling words from which on a sentence names the row
MOST = 400  # rows of a table that are compared
_CODE = re.compile(r"=[`#@:]*[a-z0-9][^\s\u3400-\u9fff]*")
_BEFORE, _AFTER = r"(?<![a-z0-9_])(?<![a-z0-9][-.])", r"(?![a-z0-9_])(?![-.][a-z0-9])"
_SHORT = 24  # characters of a cell that is compared as a whole, too

Words = frozenset[str]


@dataclass(frozen=True, slots=True)
class _Row:
    subject: Words
    code: str  # the subject cell where it is one code, which is named whole or not at all
    words: Words
    cells: Words  # short cells as they are, folded, without white space


def mixed(claim: str, tables_of: Sequence[Sequence[str]]) -> bool:
    """True where a sentence joins the subject of one row with what another row says. `tables_of`: for each table the texts of its rows."""
    return any(_mixed(claim, _rows(tuple(rows[:MOST]))) for rows in tables_of if len(rows) > 1)


def of(chosen: Sequence[Part], parts: Sequence[Part]) -> list[list[str]]:
    """Return the rows of the tables in each passage that a chosen piece is a row of. A blank line or prose ends a table."""
    found: list[list[str]] = []
    for marker in dict.fromkeys(part.passage.marker for part in chosen if part.piece.kind == "row"):
        end = -1
        for part in parts:
            if part.passage.marker != marker or part.piece.kind != "row":
                continue
            between = part.passage.hit.text[max(end, 0) : part.piece.span.start]
            if end < 0 or between.strip() or between.count("\n") > 1:
                found.append([])
            found[-1].append(part.piece.text)
            end = part.piece.span.end
    return found


def _mixed(claim: str, rows: Sequence[_Row]) -> bool:
    counts = Counter(word for row in rows for word in row.words)

    def telling(text: str) -> dict[str, float]:
        said = _words(text) | _cells_in(text, rows)
        return {word: math.log(len(rows) / counts[word]) for word in said if 0 < counts[word] < len(rows)}

    for part in _parts(claim, rows, telling):
        words = telling(part)
        named = _named(rows, words)
        if named and not _agree(named, rows, words):
            return True
    return False


def _parts(claim: str, rows: Sequence[_Row], telling: Callable[[str], dict[str, float]]) -> list[str]:
    """Return a claim in parts, each with the clause that names its rows: all of it where one clause names all of them."""
    found: list[str] = []
    names, complete = 0, False  # whether the last part says anything of the rows that it names
    for part in clauses(claim):
        words = telling(part.text)
        named = _named(rows, words)
        more = bool(words.keys() - frozenset().union(*(row.subject for row in named)))
        if found and not (named and complete):
            found[-1] = f"{found[-1]} {part.text}"
            complete = complete or more
        else:
            found.append(part.text)
            complete = more
        names += bool(named)
    return found if names > 1 else [claim]


def _agree(named: Sequence[_Row], rows: Sequence[_Row], telling: dict[str, float]) -> bool:
    """True where one named row says it all (the others are named in its cells), or all of them say the same."""
    for row in named:
        rest = {word: weight for word, weight in telling.items() if word not in row.subject}
        alone = all(other is row or other.subject <= row.words for other in named)
        figures = all(word in row.words for word in rest if word.lstrip("=")[:1].isdigit())
        if alone and figures and _worth(row, rest) >= _most(rows, rest):
            return True
    subjects = frozenset(word for row in named for word in row.subject)
    rest = {word: weight for word, weight in telling.items() if word not in subjects}
    most = _most(rows, rest)
    return len(named) > 1 and most > 0 and all(_worth(row, rest) >= LISTED * most for row in named)


def _most(rows: Sequence[_Row], weights: dict[str, float]) -> float:
    return max(_worth(row, weights) for row in rows) - 1e-9


def _named(rows: Sequence[_Row], telling: dict[str, float]) -> list[_Row]:
    """Return the rows whose subject a sentence names best."""
    shares = []
    for row in rows:
        own = [word for word in row.subject if word in telling]
        share = len(own) / len(row.subject) if row.subject else 0.0
        shares.append(float(row.code in telling) if row.code else share)
    best = max(shares, default=0.0)
    least = max(NAMED, best - 1e-9)
    if best >= NAMED:
        return [row for row, share in zip(rows, shares, strict=True) if share >= least]
    weights = [sum(telling.get(word, 0.0) for word in row.subject) for row in rows if not row.code]
    most = max(weights, default=0.0)
    hinted = [row for row in rows if not row.code and sum(telling.get(word, 0.0) for word in row.subject) > most - 1e-9]
    return hinted if len(hinted) == 1 and most >= math.log(len(rows)) > 0 else []


def _worth(row: _Row, weights: dict[str, float]) -> float:
    return sum(weight for word, weight in weights.items() if word in row.words)


@lru_cache(maxsize=256)
def _rows(texts: tuple[str, ...]) -> tuple[_Row, ...]:
    split = [[plain(cell) for cell in tables.cells(text)] for text in texts]
    column = _subject_column(split)
    found = []
    for cells in split:
        whole = frozenset(_whole(cell) for cell in cells if cell and len(cell) <= _SHORT)
        words = frozenset().union(*map(_words, cells)) | whole
        subject = cells[column] if column < len(cells) else ""
        name = _whole(subject)
        code = name if name in whole and _CODE.fullmatch(name) else ""
        found.append(_Row(_words(subject) | (whole & {name}), code, words, whole))
    return tuple(found)


def _subject_column(split: Sequence[Sequence[str]]) -> int:
    """Return the first column that says in every row another thing, with words; else the first one."""
    width = min(map(len, split), default=0)
    for column in range(width):
        cells = [row[column] for row in split]
        if len(set(cells)) == len(cells) and 2 * sum(any(c.isalpha() for c in cell) for cell in cells) > len(cells):
            return column
    return 0


def _whole(cell: str) -> str:
    return "=" + "".join(fold(cell).split())


def _cells_in(claim: str, rows: Sequence[_Row]) -> Words:
    """Return the short cells that stand in the claim, not inside a longer word."""
    compact = "".join(fold(claim).split())
    cells = {cell for row in rows for cell in row.cells if cell[1:] in compact}
    return frozenset(cell for cell in cells if not cell.isascii() or _apart(cell[1:]).search(fold(claim)))


@lru_cache(maxsize=1024)
def _apart(cell: str) -> re.Pattern[str]:
    edges = (_BEFORE if cell[:1].isalnum() else "", _AFTER if cell[-1:].isalnum() else "")
    return re.compile(edges[0] + r"\s*".join(map(re.escape, cell)) + edges[1])


@lru_cache(maxsize=4096)
def _words(text: str) -> Words:
    both = terms(text)
    return frozenset(word for word in (*both.words, *both.bigrams) if word not in FILLERS)
