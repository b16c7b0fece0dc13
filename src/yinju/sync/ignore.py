"""What `.gitignore` and `.yinjuignore` say, as git reads them: the deepest file that has an opinion decides, its last matching line wins.

Both files count alike; in one folder `.yinjuignore` has the last word. The files are as hostile as any other: a pattern whose matching
could take for ever is left out and named in a notice, a file that is no regular file is not opened.
"""

from __future__ import annotations

import os
import re
import stat
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

NAMES = (".gitignore", ".yinjuignore")
MAXIMUM_BYTES = 1024 * 1024
MAXIMUM_PATTERNS = 5_000
MAXIMUM_STARS = 3  # in one segment: matching takes about length ** stars steps, and a name has up to 255 characters
MAXIMUM_DOUBLE_STARS = 4
MAXIMUM_PARENTS = 64


@dataclass(frozen=True, slots=True)
class _Layer:
    """The patterns of one folder. A path below the root is put to them as `lead + path[strip:]`."""

    strip: int
    lead: str
    patterns: GitIgnoreSpec


@dataclass(frozen=True, slots=True)
class Rules:
    """The layers that hold for one folder, deepest first, and what had to be left out of them."""

    layers: tuple[_Layer, ...] = ()
    notices: tuple[str, ...] = ()

    def ignores(self, path: str, *, folder: bool) -> bool:
        """Tell whether this path (relative to the root, with `/`) is not to be looked at."""
        subject = path + "/" if folder else path
        for layer in self.layers:
            verdict = layer.patterns.check_file(layer.lead + subject[layer.strip :]).include
            if verdict is not None:
                return verdict
        return False

    def entered(self, folder: str, relative: str) -> Rules:
        """Return the rules inside the folder that lies at `folder` on disk and is called `relative` below the root ("" is the root itself)."""
        return self._with(folder, strip=len(relative) + 1 if relative else 0, lead="")

    def _with(self, folder: str, strip: int, lead: str) -> Rules:
        lines: list[str] = []
        notices: list[str] = []
        for name in NAMES:
            safe, unsafe = _read(os.path.join(folder, name))
            lines += safe
            notices += [f"{os.path.join(folder, name)}: {line}" for line in unsafe]
        if not lines and not notices:
            return self
        from pathspec import GitIgnoreSpec

        spec = GitIgnoreSpec.from_lines(lines, backend="simple")
        return Rules((_Layer(strip, lead, spec), *self.layers), (*self.notices, *notices))


def rules_above(root: str) -> Rules:
    """Return the rules that the repository around `root` holds for what lies in it, none where there is no repository.

    Where they ignore `root` itself they say nothing: who names an ignored folder wants it.
    """
    parents: list[str] = []
    folder = root
    while not os.path.lexists(os.path.join(folder, ".git")):
        above = os.path.dirname(folder)
        if above == folder or len(parents) == MAXIMUM_PARENTS:
            return Rules()
        parents.append(above)
        folder = above
    rules = Rules()
    for parent in reversed(parents):
        lead = os.path.relpath(root, parent).replace(os.sep, "/") + "/"
        rules = rules._with(parent, strip=0, lead=lead)
    return Rules((), rules.notices) if rules.layers and rules.ignores("", folder=False) else rules


def is_safe(line: str) -> bool:
    """Tell whether this pattern can be matched in a time that a person does not notice."""
    segments = re.sub(r"\*{3,}", "**", line.strip()).split("/")
    if len(line) > 1_000 or sum(segment == "**" for segment in segments) > MAXIMUM_DOUBLE_STARS:
        return False
    return all(len(re.findall(r"\*+", segment)) <= MAXIMUM_STARS for segment in segments)


def _read(path: str) -> tuple[list[str], list[str]]:
    """Return the lines of an ignore file that can be used, and those that cannot."""
    try:
        if not stat.S_ISREG(os.lstat(path).st_mode):
            return [], []
        with open(path, "rb") as file:
            text = file.read(MAXIMUM_BYTES).decode("utf-8-sig", "surrogateescape")
    except OSError:
        return [], []
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    safe: list[str] = []
    unsafe: list[str] = lines[MAXIMUM_PATTERNS:]
    for line in lines[:MAXIMUM_PATTERNS]:
        (safe if is_safe(line) and _compiles(line) else unsafe).append(line)
    return safe, unsafe


def _compiles(line: str) -> bool:
    from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

    try:
        GitIgnoreSpecPattern(line)
    except (ValueError, re.error):
        return False
    return True
