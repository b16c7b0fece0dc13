"""Who may see which file, as `.yinjuaccess` in a synced folder, or in a folder below it, says.

    # GLOB: names of principals or groups; the last line that matches a file counts
    人事/*: hr, legal
    public/*: *

A glob is compared with the path below the rules' own folder, `*` crosses `/`, and a folder's name stands for all that lies in it. Upper and
lower case, and the two ways of composing letters, are the same: where the disk takes two names for one, so do the rules.

What cannot be understood closes, it never opens: a line without a colon, or a file that cannot be read, lets nobody but the owner see anything
of this folder, and says so. Where several folders around a file have rules, from the outermost synced one on, all of them hold.

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

    `roots` are those of the library. A file in a folder that is not there keeps the list that it has: its rules are not there either.
    """
    known = {*roots, *sources}
    folders = _Folders([_base(path) for path, _ in known])
    wanted: dict[str, Names | None] = {}
    for root in known:
        path, prefix = root
        base = _base(path)
        if root not in sources and not any(_is_in(base, _base(other)) for other, _ in sources):
            continue
        for source in sources.get(root) or store.files(path):
            relative = source.removeprefix(prefix)
            if folders.is_there(base, relative):
                wanted[source] = folders.names(base, relative)
    current = _current(store)
    notices = tuple(dict.fromkeys(folders.faults))
    return Lists(wanted, all(names == current.get(source) for source, names in wanted.items()), notices)


class _Folders:
    """The rules files of all folders that lie between the outermost root and a file, each read once."""

    def __init__(self, bases: Sequence[str]) -> None:
        self._bases = bases
        self._rules: dict[str, Rules | None] = {}
        self._layers: dict[tuple[str, str], tuple[tuple[Rules, str], ...] | None] = {}
        self.faults: list[str] = []

    def is_there(self, base: str, relative: str) -> bool:
        """Tell whether the folder of the file at this path below a root is there."""
        return self._around(base, relative) is not None

    def names(self, base: str, relative: str) -> Names | None:
        """Return who may see the file at this path below a root."""
        outside, archive, inside = relative.partition("!/")
        name = outside.rpartition("/")[2] + archive + inside
        names: Names | None = None
        for rules, lead in self._around(base, relative) or ():
            names = both(names, rules.names(lead + name))
        return names

    def _around(self, base: str, relative: str) -> tuple[tuple[Rules, str], ...] | None:
        parent = relative.partition("!/")[0].rpartition("/")[0]
        if (base, parent) not in self._layers:
            self._layers[base, parent] = self._found(base, parent)
        return self._layers[base, parent]

    def _found(self, base: str, parent: str) -> tuple[tuple[Rules, str], ...] | None:
        """Return the rules for what lies in a folder, each with the folder's path below them."""
        folder = os.path.join(base, *parent.split("/")) if parent else base
        if not os.path.isdir(folder):
            return None
        top = min((other for other in self._bases if _is_in(base, other)), key=len)
        steps = [step for step in os.path.relpath(folder, top).split(os.sep) if step != os.curdir]
        layers = []
        for depth in range(len(steps) + 1):
            rules = self._read(os.path.join(top, *steps[:depth]))
            if rules is not None:
                layers.append((rules, "".join(step + "/" for step in steps[depth:])))
        return tuple(layers)

    def _read(self, folder: str) -> Rules | None:
        if folder not in self._rules:
            rules = self._rules[folder] = read(folder)
            self.faults += [rules.fault] if rules is not None and rules.fault is not None else []
        return self._rules[folder]


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


def _base(root: str) -> str:
    return os.path.dirname(root) if os.path.isfile(root) else root


def _is_in(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def _fault(path: str, what: str) -> str:
    return say(
        "{path} cannot be understood ({what}): until it is mended nobody but the owner sees anything of this folder.",
        "无法理解 {path}（{what}）：修正之前，除所有者外无人能看到该文件夹的任何内容。",
        path=path,
        what=what,
    )
