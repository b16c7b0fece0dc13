"""Who may see which file, as `.yinjuaccess` at the top of a synced folder says.

    # GLOB: names of principals or groups; the last line that matches a file counts
    人事/*: hr, legal
    public/*: *

A glob is compared with the path below the folder, `*` crosses `/`, and a folder's name stands for all that lies in it. Upper and lower case,
and the two ways of composing letters, are the same: where the disk takes two names for one, so do the rules.

What cannot be understood closes, it never opens: a line without a colon, or a file that cannot be read, lets nobody but the owner see anything
of this folder, and says so. A folder inside another synced folder has to satisfy the rules of both.

Lists are made narrower before a sync writes its first document and wider after its last one: nobody reads an old text by a new permission.
"""

from __future__ import annotations

import fnmatch
import os
import re
import stat
import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from yinju.messages import say
from yinju.store.access import both, split

if TYPE_CHECKING:
    from yinju.store import Store, Writer
    from yinju.store.access import Names
    from yinju.sync.roots import Root

NAME = ".yinjuaccess"
MAXIMUM_BYTES = 1024 * 1024
MAXIMUM_LINES = 2_000
MAXIMUM_GLOB = 500  # characters


@dataclass(frozen=True, slots=True)
class Rules:
    """What one file says: patterns with the names that they let in, in its order. `fault`: what of it cannot be understood."""

    lines: tuple[tuple[re.Pattern[str], Names], ...] = ()
    fault: str | None = None

    def names(self, path: str) -> Names | None:
        """Return who may see the file at this path below the folder (with `/`); None: the rules do not say."""
        if self.fault is not None:
            return ()
        folded = _folded(path)
        return next((names for pattern, names in reversed(self.lines) if pattern.match(folded)), None)


@dataclass(frozen=True, slots=True)
class Lists:
    """What the rules give each known source of a root (None: no list), what differs from the library, and what has to be told."""

    wanted: Mapping[str, Names | None]
    is_current: bool = True
    notices: tuple[str, ...] = ()

    def narrow(self, store: Store, writer: Writer) -> None:
        """Take away what the rules do not give any more."""
        current = _current(store)
        changes = {source: both(names, current.get(source)) for source, names in self.wanted.items()}
        _write(writer, {source: names for source, names in changes.items() if names != current.get(source)})

    def widen(self, store: Store, writer: Writer, unread: Iterable[str] = ()) -> None:
        """Store what the rules give, but for files whose new text could not be read yet."""
        current, left_out = _current(store), frozenset(unread)
        _write(
            writer,
            {
                source: names
                for source, names in self.wanted.items()
                if names != current.get(source) and source not in left_out
            },
        )


def lists_for(store: Store, sources: Mapping[Root, Collection[str]], roots: Sequence[Root]) -> Lists:
    """Return what the rules say of these sources of each root, and of what is known of the roots inside them.

    `roots` are those of the library; all that lie around a root have rules for it.
    """
    known = {*roots, *sources}
    rules = {base: found for base in {_base(root) for root, _ in known} if (found := read(base)) is not None}
    current = _current(store)
    if not rules and not current:
        return Lists({})
    wanted: dict[str, Names | None] = {}
    applied: set[str] = set()
    for root in known:
        path, prefix = root
        if root not in sources and not any(_is_inside(_base(path), _base(other)) for other, _ in sources):
            continue
        around = [base for base in rules if _is_in(_base(path), base)]
        applied.update(around)
        for source in sources.get(root) or store.files(path):
            names: Names | None = None
            for base in around:
                names = both(names, rules[base].names(_lead(path, base) + source.removeprefix(prefix)))
            wanted[source] = names
    notices = tuple(fault for base in sorted(applied) if (fault := rules[base].fault) is not None)
    return Lists(wanted, all(names == current.get(source) for source, names in wanted.items()), notices)


def read(folder: str) -> Rules | None:
    """Return the rules of this folder, None where it has none."""
    path = os.path.join(folder, NAME)
    try:
        if not stat.S_ISREG(os.lstat(path).st_mode):
            return Rules(fault=_fault(path, say("it is no plain file", "不是普通文件")))
        with open(path, "rb") as file:
            content = file.read(MAXIMUM_BYTES + 1)
        text = content.decode("utf-8-sig")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        return Rules(fault=_fault(path, str(error)))
    return parse(text, path) if len(content) <= MAXIMUM_BYTES else Rules(fault=_fault(path, say("too long", "过长")))


def parse(text: str, path: str = NAME) -> Rules:
    """Return the rules in a text."""
    lines = [line.strip() for line in text.splitlines()]
    stated = [line for line in lines if line and not line.startswith("#")]
    if len(stated) > MAXIMUM_LINES:
        return Rules(fault=_fault(path, say("too many lines", "行数过多")))
    found = []
    for line in stated:
        colon = ":" if ":" in line else "："
        glob, parted, names = line.partition(colon) if colon == ":" else line.rpartition(colon)
        glob = glob.strip()
        if not parted or not glob or len(glob) > MAXIMUM_GLOB:
            return Rules(fault=_fault(path, line[:80]))
        found.append((_pattern(glob), split(re.split(r"(?:^|\s)#", names)[0])))
    return Rules(tuple(found))


def _pattern(glob: str) -> re.Pattern[str]:
    """Return what matches the paths of a glob: those that it describes, and all that lies in a folder or an archive that it describes."""
    folded = _folded(glob).removeprefix("./").lstrip("/")
    folded = folded + "*" if folded.endswith("/") else folded
    ways = {folded, folded.replace("**/", "")}  # as git has it: `**/` is also no folder at all
    every = [way + end for way in sorted(ways) for end in ("", "/*", "!/*")]
    return re.compile("|".join(fnmatch.translate(one) for one in every))


def _folded(text: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold()).replace("\\", "/")


def _current(store: Store) -> dict[str, Names]:
    lists = store.access_lists()
    return {source: given["rules"] for source, given in lists.items() if "rules" in given}


def _write(writer: Writer, changes: Mapping[str, Names | None]) -> None:
    if changes:
        writer.set_access("rules", changes)


def _lead(root: str, folder: str) -> str:
    relative = os.path.relpath(_base(root), folder).replace(os.sep, "/")
    return "" if relative == "." else relative + "/"


def _base(root: str) -> str:
    return os.path.dirname(root) if os.path.isfile(root) else root


def _is_inside(path: str, folder: str) -> bool:
    return path != folder and path.startswith(folder.rstrip(os.sep) + os.sep)


def _is_in(path: str, folder: str) -> bool:
    return path == folder or _is_inside(path, folder)


def _fault(path: str, what: str) -> str:
    return say(
        "{path} cannot be understood ({what}): until it is mended nobody but the owner sees anything of this folder.",
        "无法理解 {path}（{what}）：修正之前，除所有者外无人能看到该文件夹的任何内容。",
        path=path,
        what=what,
    )
