"""Sentences about rows of tables, for `benchmarks.verification`: what a row says of its subject, and what another row says.

From the Markdown tables of two handbooks (one Chinese, one English) come sentences in plain forms (`the column of the subject is the
value`): with the value of the subject's own row, and with the value that another row of the same table has in that column. Only
tables with a subject in their first column are used, only values that one row alone has.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from yinju.answer.plain import plain
from yinju.text import tables

FOLDERS = {"docs-tidb-zh": "md", "docs-gitlab-handbook": "handbook"}
FORMS = {
    "zh": ("{key}的{column}是{value}", "{key}：{value}", "{column}为{value}的是{key}", "在{key}这一行，{column}为{value}"),
    "en": ("The {column} of {key} is {value}", "{key}: {value}", "For {key}, the {column} is {value}", "{value} is the {column} of {key}"),
}  # fmt: skip
LONGEST = 60  # characters of a cell that a sentence repeats
_TABLE = re.compile(r"(?:^\|[^\n]*\n){4,40}", re.MULTILINE)
_FENCED = re.compile(r"^\s*```.*?^\s*```\s*$", re.MULTILINE | re.DOTALL)
_RULE = re.compile(r"[\s|:+-]*-{2,}[\s|:+-]*")
_SHORTEST = re.compile(r"[\u4e00-\u9fff]{2}|[a-zA-Z]{3}|\d")


@dataclass(frozen=True, slots=True)
class Said:
    """A sentence, the table that it is about, and whether the table says so."""

    language: str
    text: str
    table: str
    source: str
    right: bool


def said(folder: Path, name: str, count: int, seed: str) -> Iterator[Said]:
    """Yield up to `count` pairs of a right and a wrong sentence from the tables of a folder, one pair for each table."""
    rng = random.Random(f"{seed} {name}")
    found = [(path, table) for path in sorted(folder.rglob("*.md")) for table in _tables(path)]
    rng.shuffle(found)
    made = 0
    for path, table in found:
        if made < count and (pair := _pair(table, rng)):
            made += 1
            for right, text in zip((True, False), pair, strict=True):
                language = "zh" if re.search("[\u4e00-\u9fff]", table) else "en"
                yield Said(language, text, table, path.name, right)


def _tables(path: Path) -> list[str]:
    text = _FENCED.sub("", path.read_text(encoding="utf-8") + "\n")
    return [m.group() for m in _TABLE.finditer(text) if _RULE.fullmatch(m.group().split("\n")[1])]


def _pair(table: str, rng: random.Random) -> tuple[str, str] | None:
    header, _, *lines = table.strip().split("\n")
    names = [plain(name) for name in tables.cells(header)]
    rows = [[plain(cell) for cell in tables.cells(line)] for line in lines]
    if not all(len(row) == len(names) for row in rows) or len({row[0] for row in rows}) < len(rows) or not all(names):
        return None
    choices = [
        (row, other, at)
        for row in rows
        for other in rows
        for at in range(1, len(names))
        if _apart(row, other, at, rows)
    ]
    if not choices:
        return None
    row, other, at = rng.choice(choices)
    language = "zh" if re.search("[\u4e00-\u9fff]", table) else "en"
    form, end = rng.choice(FORMS[language]), "。" if language == "zh" else "."
    right, wrong = (form.format(key=row[0], column=names[at], value=value[at].rstrip("。.")) for value in (row, other))
    return f"{right} [1]{end}", f"{wrong} [1]{end}"


def _apart(row: list[str], other: list[str], at: int, rows: list[list[str]]) -> bool:
    """True where a sentence with the value of the other row is wrong: only that row has it, and this one has another."""
    mine, theirs, key = row[at], other[at], row[0]
    if row is other or not all(_SHORTEST.search(cell) and len(cell) <= LONGEST for cell in (mine, theirs, key)):
        return False
    if re.search(r"[\[\]<>|]", key + mine + theirs):
        return False
    everywhere = [cell.casefold() for line in rows for cell in line]
    return (
        sum(theirs.casefold() in cell for cell in everywhere)
        == 1
        == sum(mine.casefold() in cell for cell in everywhere)
    )
