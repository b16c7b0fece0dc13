"""Where the owner's lists must be after a sync: no text that was closed is open under another name, and nothing else is closed.

Told from bytes and names alone, as users are told it (docs/permissions.md). A list may let fewer in than is asked here, as two lists hold at once.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from benchmarks.stateful.oracle import ASKERS, Version
from yinju import Library

Names = frozenset[str]


@dataclass(frozen=True)
class Closed:
    """The documents that are files, and the owner's lists of all that there is or was, at one moment."""

    files: Mapping[str, bytes]
    lists: Mapping[str, Names]


def closed(library: Library, versions: Mapping[str, Version]) -> Closed:
    """Return what is closed now."""
    files = {source: version.content for source, version in versions.items() if not version.made}
    given = library.store.access_lists().items()
    return Closed(files, {source: frozenset(lists["owner"]) for source, lists in given if "owner" in lists})


def followed(before: Closed, after: Closed, disk: Collection[str], *, finished: bool = True) -> None:
    """Hold the lists after a sync against those before it. `finished`: it was not stopped, so that all that is gone went in it."""
    gone = (
        {source for source in before.files if source not in after.files and source not in disk} if finished else set()
    )
    moved = {before.files[source] for source in gone}
    for source, content in after.files.items():
        own = after.lists.get(source)
        if before.files.get(source) == content:
            assert own == before.lists.get(source), f"{source} is as it was, and its list is another"
            continue
        if source in before.lists:
            assert not _opens(own, before.lists[source]), (
                f"{source} says something else and is open to others than before"
            )
        for giver, given in before.lists.items():
            same = before.files.get(giver) == content
            named = (
                giver in gone and source not in before.files and content not in moved and _stem(giver) == _stem(source)
            )
            if same or named:
                assert not _opens(own, given), (
                    f"{source} is open to others than {giver}, which {'says the same' if same else 'is gone'}"
                )


def _opens(own: Names | None, given: Names) -> bool:
    """Tell whether somebody is let in by one list who is not by the other."""
    return any(_admits(own, asker.names) and not _admits(given, asker.names) for asker in ASKERS)


def _admits(names: Names | None, asker: Collection[str]) -> bool:
    return names is None or not names.isdisjoint(asker)


def _stem(source: str) -> str:
    return PurePosixPath(source).stem
