"""Links from a place to the file on disk, for terminals that follow them (OSC 8). Elsewhere the text stands as it is.

A link goes only to a file below a folder that the user has synced, never to what a document or a model says. The address is
percent-encoded, so nothing of a file's name reaches the terminal as control characters. Lines are named as the terminal at hand
reads them: kitty as a fragment, the one of VS Code in an address of its own; others open the file.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from yinju.cli import render
from yinju.load.archive import SEPARATOR

if TYPE_CHECKING:
    from yinju.library import Library
    from yinju.types import Lines


class Links:
    """Where the sources of a library lie. Without a terminal, or without roots, nothing is linked."""

    def __init__(self, library: Library | None = None) -> None:
        wanted = library is not None and render.is_terminal(sys.stdout) and os.environ.get("TERM") != "linux"
        self._roots = sorted(library.store.roots(), key=lambda one: -len(one[1])) if wanted and library else []

    def on(self, text: str, source: str, lines: Lines | None) -> str:
        """Return the text, linked to its file where there is one."""
        path = self._path(source)
        if path is None:
            return text
        return f"\033]8;;{address(path, lines[0] if lines else None, os.environ)}\033\\{text}\033]8;;\033\\"

    def _path(self, source: str) -> Path | None:
        for root, prefix in self._roots:
            if not source.startswith(prefix):
                continue
            name = source[len(prefix) :].partition(SEPARATOR)[0]
            path = Path(root) if os.path.isfile(root) and os.path.basename(root) == name else Path(root) / name
            if os.path.exists(path):
                return path
        return None


def address(path: Path, line: int | None, environment: Mapping[str, str]) -> str:
    """Return the address of a line of a file as the terminal of this environment reads it."""
    plain = path.absolute().as_uri()
    if line is None:
        return plain
    if environment.get("TERM_PROGRAM") == "vscode":
        return f"vscode://file{quote(path.absolute().as_posix())}:{line}:1"
    if "KITTY_WINDOW_ID" in environment or environment.get("TERM") == "xterm-kitty":
        return f"{plain}#{line}"
    return plain


NONE = Links()
