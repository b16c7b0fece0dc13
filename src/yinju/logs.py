"""What a server writes to its log: a fault may quote a document, a file name or a request, and none of them may look like a line of ours.

A record is one line, control and reordering characters made visible; the lines of a traceback stand behind a bar, so that no text can begin one.
"""

from __future__ import annotations

import logging
import sys
import threading
import unicodedata

BAR = "    | "
_BIDI = frozenset("\u200e\u200f\u061c\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def visible(text: str) -> str:
    """Return the text on one line, with what controls a terminal or turns writing round as `\\u001b`."""
    return "".join(
        f"\\u{ord(sign):04x}"
        if unicodedata.category(sign) in ("Cc", "Cs", "Zl", "Zp") or sign in _BIDI
        else sign
        for sign in text
    )  # fmt: skip


class Formatter(logging.Formatter):
    """One line a record, and one behind a bar for each line of a traceback."""

    def __init__(self) -> None:
        super().__init__("%(levelname)s %(name)s: %(message)s")

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802  the name that logging calls
        """Return the line of a record."""
        return visible(super().formatMessage(record))

    def formatException(self, ei: object) -> str:  # noqa: N802
        """Return the lines of a traceback."""
        text = super().formatException(ei)  # type: ignore[arg-type]
        return "\n".join(BAR + visible(line) for line in text.split("\n"))

    def formatStack(self, stack_info: str) -> str:  # noqa: N802
        """Return the lines of a stack."""
        return "\n".join(BAR + visible(line) for line in stack_info.split("\n"))


def install(level: int = logging.WARNING) -> None:
    """Let this process write its log to stderr in that form, what ends a thread among it. For programs of ours, never for a library."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(Formatter())
    logging.basicConfig(handlers=[handler], level=level, force=True)
    threading.excepthook = _ended


def _ended(given: threading.ExceptHookArgs) -> None:
    name = given.thread.name if given.thread is not None else "a thread"
    if given.exc_value is not None and given.exc_type is not SystemExit:
        found = (given.exc_type, given.exc_value, given.exc_traceback)
        logging.getLogger("yinju").error("%s ended by a fault of ours", name, exc_info=found)
