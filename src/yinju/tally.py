"""Questions about a whole collection, and what a scan of it found: plain values.

The room `answer` reads the question and words the answer, the room `retrieve` scans the store; neither knows the other, so what they
hand to each other stands here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from yinju.types import Hit, Span

Kind = Literal["documents", "mentions", "rows", "headings"]
Structure = Literal["table", "code", "list", "page"]


@dataclass(frozen=True, slots=True)
class Sought:
    """A text to look for. `exact`: it stood in quotation marks, so no other forms of its words count."""

    text: str
    exact: bool = False


@dataclass(frozen=True, slots=True)
class Dated:
    """A condition on a date as people write it: `first` and `last` are beginnings of ISO dates; empty: open.

    Both are included unless `exclusive`. `changed` is False where the question is about when a file was made, not when it was last changed.
    """

    first: str = ""
    last: str = ""
    changed: bool = True
    exclusive: bool = False

    def holds(self, date: str) -> bool:
        """Return whether an ISO date is in the range, compared as far as the bounds go: the whole of May is not after 2026-05."""
        if self.first.startswith("--"):  # a month of any year
            return date[5:7] == self.first[2:]
        after, before = date[: len(self.first)], date[: len(self.last)]
        if self.exclusive:
            return (not self.first or after > self.first) and (not self.last or before < self.last)
        return after >= self.first and before <= self.last


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a question wants of the whole collection. `count`: how many, else which.

    documents  those that hold all (`any_of`: one) of `texts`, or do not (`without`), of these `types` and `language`, with a `structure`,
               a date, a `condition` on their metadata; `unread`: the files that could not be read
    mentions   the places where the texts stand
    rows       rows of tables and items of lists about `noun` that fulfil `condition`; `strict`: only where the noun names the table;
               `one`: one thing is asked for (`which channel`), so only where the condition surely is a column and what its cells say
    headings   the headings of the documents, or their tables (`structure`)

    `names` are names of files or folders that the question gives, `asked` is the question.
    """

    kind: Kind
    asked: str
    count: bool = False
    texts: tuple[Sought, ...] = ()
    any_of: bool = False
    without: bool = False
    types: tuple[str, ...] = ()
    language: str = ""
    structure: Structure | None = None
    dated: Dated | None = None
    unread: bool = False
    noun: str = ""
    condition: str = ""
    strict: bool = True
    one: bool = False
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Row:
    """One thing that was found: what is shown of it, the passage that holds it, and its place in that passage's text.

    Without a hit (a file that was not read, an empty one) only the `source` is known. `times`: so often in this document. `quoted` is
    False where the place stands for the whole document and proves nothing by its words.
    """

    source: str
    text: str
    hit: Hit | None = None
    within: Span | None = None
    times: int = 1
    quoted: bool = True


@dataclass(frozen=True, slots=True)
class Tally:
    """What an exhaustive scan found. `found` counts all, `rows` shows the first of them.

    `files` is the number of files in scope, `unread` of them could not be read (`found_unread` of these are among the finds: of a file
    that could not be read its type is known), `partly` have pages without text. `among` is the number
    of rows that the condition was tried on, `tables` where they stand. `told` says in which way something was counted: names of rules.
    """

    wanted: Wanted
    found: int
    rows: tuple[Row, ...]
    files: int
    unread: int = 0
    found_unread: int = 0
    partly: int = 0
    among: int = 0
    times: int = 0
    tables: tuple[str, ...] = ()
    told: Mapping[str, str] = field(default_factory=dict)
