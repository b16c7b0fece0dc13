"""What the groups of an RTF file are, and what holds inside of one."""

from __future__ import annotations

from dataclasses import dataclass, field

from yinju.load.legacy.blocks import TableRow

# What a group is, by its first word. Text of the document stands in the first four kinds, in shapes further in, in no other.
REASONS = {
    **dict.fromkeys(
        ["header", "headerl", "headerr", "headerf", "footer", "footerl", "footerr", "footerf"], "page header or footer"
    ),
    **{"annotation": "comment", "fldinst": "field code", "xe": "index entry", "tc": "index entry"},
}
GROUPS = {"listtext": "listtext", "pntext": "listtext", "footnote": "footnote", "shptxt": "box", "dptxbxtext": "box"}
GROUPS |= {
    "fonttbl": "fonttbl",
    "stylesheet": "stylesheet",
    "info": "info",
    "shpinst": "shape",
    "do": "shape",
    "sp": "shape",
}
GROUPS |= dict.fromkeys(
    ["colortbl", "pict", "nonshppict", "objdata", "nonesttables", "shprslt", "upr", "filetbl", "private", "template"],
    "skip",
)
SILENT = frozenset(("skip", "fonttbl", "stylesheet", "info"))
PASSED = frozenset(("shppict", "shpgrp"))  # starred groups that may hold more further in


@dataclass(slots=True)
class State:
    """What holds for the text of a group: what the group is, and the properties of its characters and paragraph."""

    group: str = "body"
    reason: str = ""  # why its text is left out
    skipped: int = 1  # \uc: characters behind \u for older readers
    font: int = -1
    hidden: bool = False
    deleted: bool = False
    style: int = 0
    based: int = -1  # the style that a style is based on
    outline: int | None = None
    in_table: bool = False
    depth: int = 0  # of nested tables
    level: int = 0  # of a list
    key: str = ""  # of the info
    opens: bool = False  # this state belongs to the group that has just been opened


@dataclass(slots=True)
class Style:
    """What a paragraph style says. `level` 0: no heading."""

    level: int = 0
    contents: bool = False


@dataclass(slots=True)
class Table:
    """The table that is being read."""

    rows: list[TableRow] = field(default_factory=list)
    cells: list[str] = field(default_factory=list)
    cell: list[str] = field(default_factory=list)
    header: bool = False
