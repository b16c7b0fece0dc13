"""Values to text for people. All text from documents, models and file names is hostile: it is made harmless before it reaches a terminal."""

from __future__ import annotations

import json
import os
import sys
import unicodedata
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TextIO

from yinju.errors import YinjuError
from yinju.messages import say
from yinju.types import Answer, Citation, FileReport, Lines, Span, Status, as_plain

if TYPE_CHECKING:
    from yinju.cli.links import Links

MARKS: dict[Status, str] = {"verified": "✓", "moved": "↷", "translated": "≈", "unsupported": "✗"}
COLOURS: dict[str, str] = {
    "verified": "32",
    "moved": "33",
    "translated": "36",
    "unsupported": "31",
    "dim": "2",
    "bold": "1",
}
LONGEST = 160  # columns of a line of a passage below a refusal, however wide the terminal is
_BLANKS = 5  # columns between the parts of a citation's line, and at its end
_LONGEST = 13  # columns of the longest status with its sign
_NARROW = 60  # columns of a terminal below which a line has room for the bare status only
# Reordering characters can make a name or a line look like another one.
_BIDI = dict.fromkeys([*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F, 0x061C])


def safe(text: str) -> str:
    """Return the text with control characters (but for line ends and tabs) and bidirectional overrides made visible."""
    return "".join(
        c
        if c in "\n\t" or (unicodedata.category(c) not in {"Cc", "Cs", "Zl", "Zp"} and ord(c) not in _BIDI)
        else f"\\u{ord(c):04x}"
        for c in text
    )


def flat(text: str) -> str:
    """Return safe text whose line ends are visible: a name in a message may hold one, and what follows would look like a message of ours."""
    return safe(text).replace("\n", "\\n")


def one_line(text: str) -> str:
    """Return safe text on a single line."""
    return " ".join(safe(text).split())


def emit_json(value: Any) -> None:
    """Print the value as one JSON document; never NaN, always valid UTF-8."""
    text = json.dumps(as_plain(value), ensure_ascii=False, allow_nan=False, indent=2 if sys.stdout.isatty() else None)
    print(text.encode("utf-8", "backslashreplace").decode("utf-8"))


def json_line(report: FileReport) -> None:
    """Tell a program that watches what is on disk now: one JSON line on stderr, whatever the file is called."""
    print(json.dumps({"source": report.source, "outcome": report.outcome}), file=sys.stderr, flush=True)


def error_json(error: YinjuError) -> dict[str, Any]:
    """Return the shape of an error with `--json`."""
    return {"error": {"code": error.code, "message": error.message, "hint": error.hint}}


def notice(text: str, quiet: bool = False) -> None:
    """Tell people something beside the result."""
    if not quiet:
        said = text.lstrip("\n")
        print(text[: len(text) - len(said)] + paint(flat(said), "dim", sys.stderr), file=sys.stderr)


def is_terminal(stream: TextIO) -> bool:
    """Whether the stream is a terminal that knows escape sequences."""
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def paint(text: str, style: str, stream: Any = None) -> str:
    """Colour the text where the stream is a terminal and `NO_COLOR` is not set."""
    if not is_terminal(stream or sys.stdout) or os.environ.get("NO_COLOR"):
        return text
    return f"\033[{COLOURS[style]}m{text}\033[0m"


def width(text: str) -> int:
    """Return the columns that the text takes on a terminal: wide characters take two."""
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 0 if unicodedata.combining(c) else 1 for c in text)


def pad(text: str, columns: int) -> str:
    """Fill the text with blanks to this many columns."""
    return text + " " * max(0, columns - width(text))


def cut(text: str, columns: int) -> str:
    """Shorten the text to this many columns, with an ellipsis."""
    if width(text) <= columns:
        return text
    kept, used = [], 1
    for c in text:
        used += width(c)
        if used > columns:
            break
        kept.append(c)
    return "".join(kept) + "…"


def cut_around(text: str, at: Span, columns: int) -> str:
    """Return the text on one safe line of so many columns in which this part of it can be seen, with … where something was left out."""
    before, found, after = one_line(text[: at.start]), one_line(text[at.start : at.end]), one_line(text[at.end :])
    before += " " * (bool(before) and text[: at.start][-1:].isspace())
    after = " " * (bool(after) and text[at.end :][:1].isspace()) + after
    room = columns - width(found) - min(width(after), columns // 2)
    if before and width(before) > room:
        before = "…" + _last(before, room - 1)
    return cut(before + found + after, columns)


def _last(text: str, columns: int) -> str:
    """Return as much of the end of a text as takes this many columns."""
    used = 0
    for place, c in enumerate(reversed(text)):
        used += width(c)
        if used > columns:
            return text[len(text) - place :]
    return text


def place(source: str, lines: Lines | None, page: int | None) -> str:
    """Return `plans.md:9`, `plans.md:9-12`, `card.pdf p.2` or the source alone."""
    if lines is not None:
        return f"{one_line(source)}:{lines[0]}" + (f"-{lines[1]}" if lines[1] != lines[0] else "")
    return one_line(source) + (f" p.{page}" if page is not None else "")


def breadcrumb(headings: Sequence[str]) -> str:
    """Return headings as `订阅方案 › 年费`."""
    return " › ".join(one_line(heading) for heading in headings)


def citations(found: Sequence[Citation], links: Links | None = None) -> str:
    """Return a line for each place that is cited: marker, place, breadcrumb, status, none wider than the terminal.

    A marker stands for a passage, and may have several places in it: it is told once, and the others stand below it.
    """
    together: dict[int, list[Citation]] = {}
    for one in found:
        together.setdefault(one.marker, []).append(one)
    rows = [
        (f"[{marker}]" if first is one else "  ", place(one.source, one.lines, one.page), breadcrumb(one.headings), one)
        for marker, (first, *more) in together.items()
        for one in (first, *more)
    ]
    total = columns()
    marks = max((width(row[0]) for row in rows), default=0)
    told = [one.told if total >= _NARROW else one.status for *_, one in rows]
    beside = _BLANKS + max(_LONGEST, 2 + max(map(width, told), default=0))
    places = min(max((width(row[1]) for row in rows), default=0), max(20, total // 2))
    room = min(total - marks - places - beside, 30)
    out = []
    for (marker, where, crumb, one), status in zip(rows, told, strict=True):
        sign = paint(f"{MARKS[one.status]} {status}", one.status)
        shown = cut_middle(where, places)
        linked = links.on(shown, one.source, one.lines) if links else shown
        headings = f"{pad(cut(crumb, room), room)} " if room > 3 else ""
        out.append(f"{pad(marker, marks)} {linked}{pad('', places - width(shown))}  {headings}{sign}")
    return "\n".join(out)


def cut_middle(text: str, columns: int) -> str:
    """Shorten the text to this many columns in its middle: the end of a place, its line or page, tells most."""
    if width(text) <= columns:
        return text
    tail = _last(text, columns * 2 // 3)
    return cut(text, columns - width(tail)) + tail


def refusal(answer: Answer, *, said: bool = False, links: Links | None = None) -> str:
    """Return a refusal with its reason and the nearest passages; without its text where a stream has `said` it."""
    from yinju.cli.excerpt import excerpt
    from yinju.cli.flow import flowing

    parts = [] if said else [flowing(safe(answer.text))]
    if answer.reason:
        parts.append(flowing(safe(answer.reason)))
    if answer.nearest:
        parts.append(say("Nearest passages:", "最接近的段落："))
        for hit in answer.nearest:
            where = cut_middle(place(hit.source, hit.lines, hit.page), columns() - 2)
            parts.append(f"  {links.on(where, hit.source, hit.lines) if links else where}")
            parts += [
                paint(cut(f"    {line}", LONGEST), "dim")
                for line in excerpt(hit.text, answer.searched_as, most=3, indent=4)
            ]
    return "\n".join(parts)


def plural(count: int) -> str:
    """Return the ending of an English noun after this number."""
    return "" if count == 1 else "s"


def columns() -> int:
    """Return the columns of the terminal; a pipe has as many as anyone could want."""
    if not sys.stdout.isatty():
        return 10_000
    try:
        return max(40, os.get_terminal_size(sys.stdout.fileno()).columns)
    except OSError:
        return 80
