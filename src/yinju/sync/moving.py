"""Files that belong to another root than the library says: their folder is called otherwise now, or is synced as a whole now.

A folder that is moved or copied takes its `.yinju` along, and with it all roots that lie inside: their files are the same files at another
place. The evidence is that they are there. What is found is an `Adoption`, which is written before anything else, so that nothing has
to be read or embedded again and nothing counts as gone.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from yinju.sync.apply import Tally, known_files
from yinju.sync.plan import Known
from yinju.sync.roots import Root, Target
from yinju.sync.scan import Scan, is_below
from yinju.types import FileReport

if TYPE_CHECKING:
    from yinju.store import Store, Writer

HOME_KEY = "home"  # the folder that holds the library's own folder, as it was called at the last sync
FOLDER_KEY = "folder"  # the library's own folder, likewise
UPLOADS = "uploads"
PER_ROOT = ("synced", "recipe")  # what the library keeps of each root, see `synced_key` and `recipe_key`


@dataclass(frozen=True, slots=True)
class Adoption:
    """Files (source to path) that belong to `root`, and the roots that are none any more."""

    root: str
    prefix: str
    paths: Mapping[str, str]
    forget: tuple[str, ...] = ()

    def write(self, writer: Writer) -> None:
        """Let the library say so."""
        writer.adopt(self.root, self.prefix, self.paths, forget=self.forget)


def moved(store: Store) -> list[Adoption]:
    """Return what the library's roots that were moved together with it are now, each with what is known of its files."""
    places = list(_places(store))
    found = []
    for root, prefix in store.roots():
        for old, new in places:
            at = _moved_to(root, old, new)
            if at is not None and (paths := _paths(store, root, at)) is not None:
                found.append(Adoption(at, prefix, paths, (root,)))
                break
    return found


def roots_now(store: Store) -> list[Root]:
    """Return the roots of the library, those that were moved at their new places."""
    return renamed_roots(store.roots(), moved(store))


def renamed_roots(roots: Iterable[Root], moves: Iterable[Adoption]) -> list[Root]:
    """Return these roots, those that were moved at their new places."""
    now = {move.root: move.prefix for move in moves}
    gone = {old for move in moves for old in move.forget}
    return [*((root, prefix) for root, prefix in roots if root not in gone and root not in now), *now.items()]


def settle(store: Store, writer: Writer, tally: Tally) -> None:
    """Write down what was moved, and where the library lies now."""
    for move in moved(store):
        _name_alike(store, writer, move, tally)
        for kind in PER_ROOT:
            for old in move.forget:
                writer.set_value(f"{kind}:{move.root}", store.value(f"{kind}:{old}"))
        move.write(writer)  # from here on it is no move any more: what is kept of the old root goes last
        for key in [f"{kind}:{old}" for kind in PER_ROOT for old in move.forget]:
            writer.set_value(key, None)
    for key, place in ((HOME_KEY, _home(store)), (FOLDER_KEY, _folder(store))):
        if place is not None and store.value(key) != place:
            writer.set_value(key, place)


def _name_alike(store: Store, writer: Writer, move: Adoption, tally: Tally) -> None:
    """Give up the names of a root that was taken for a new one at its new place: its files have the names that they had before."""
    if dict(store.roots()).get(move.root, move.prefix) == move.prefix:
        return
    sources = {summary.source for summary in store.sources()}
    base = move.root if os.path.isdir(move.root) else os.path.dirname(move.root)
    named = {
        source: replace(file, source=name)
        for source, file in store.files(move.root).items()
        if (name := move.prefix + os.path.relpath(file.path, base).replace(os.sep, "/")) != source
    }
    rename = [
        (old, file.source, file)
        for old, file in named.items()
        if old in sources and file.source not in sources and file.source not in move.paths
    ]
    writer.rename(rename)
    renamed = {old for old, _, _ in rename}
    twice = [source for source in named if source not in renamed]
    writer.remove(twice)
    tally.renamed += len(rename)
    tally.done(FileReport(new, "renamed", f"renamed: {old}") for old, new, _ in rename)
    gone = [source for source in twice if source in sources]
    tally.removed += len(gone)
    tally.done(FileReport(source, "removed") for source in gone)


def known_of(store: Store, target: Target, move: Adoption | None, *, ocr: bool) -> dict[str, Known]:
    """Return what the library remembers of the files of this root, where it was before and of the files that it takes from others."""
    known = known_files(store, target.root, ocr=ocr)
    for old in () if move is None else move.forget:
        known = {**_at(known_files(store, old, ocr=ocr), move), **known}
    for root in target.absorbs:
        known = {**known_files(store, root, ocr=ocr), **known}
    if not os.path.isdir(target.root):
        name = target.prefix + os.path.basename(target.root)
        folder = known_files(store, os.path.dirname(target.root), ocr=ocr)
        known = {**{source: before for source, before in folder.items() if is_below(source, name)}, **known}
    apart = [target.prefix + os.path.basename(root) for root in target.leave_out if _is_file_of(root, target.root)]
    return {source: one for source, one in known.items() if not any(is_below(source, name) for name in apart)}


def adoption(store: Store, target: Target, known: Mapping[str, Known], found: Scan) -> Adoption | None:
    """Return which of the known files the library has under another root, None where that is none."""
    if os.path.isdir(target.root) and not target.absorbs:
        return None
    own = store.files(target.root)
    at = {file.source: file.path for file in found.files}
    paths = {source: at.get(source, before.file.path) for source, before in known.items() if source not in own}
    paths |= {item.source: "" for item in store.skipped() if item.root in target.absorbs and item.file is None}
    paths |= {hold.source: at.get(hold.source, "") for hold in store.holds() if hold.root in target.absorbs}
    if not paths and not target.absorbs:
        return None
    return Adoption(target.root, target.prefix, paths, tuple(sorted(target.absorbs)))


def _at(known: Mapping[str, Known], move: Adoption | None) -> dict[str, Known]:
    paths = {} if move is None else move.paths
    return {
        source: replace(before, file=replace(before.file, path=paths.get(source, before.file.path)))
        for source, before in known.items()
    }


def _places(store: Store) -> Iterator[tuple[str, str]]:
    """Yield what the places that move with the library were called and are called now, inner ones first."""
    folder, home = _folder(store), _home(store)
    if folder is None or home is None:
        return
    yield from (
        (was, now)
        for was, now in ((store.value(FOLDER_KEY), folder), (store.value(HOME_KEY), home))
        if was and was != now
    )
    for root, _ in store.roots():  # of libraries that did not write down where they were
        above, name = os.path.split(root)
        is_ours = name == UPLOADS and os.path.basename(above) == os.path.basename(folder) and above != folder
        if is_ours and not os.path.lexists(root):
            yield above, folder


def _moved_to(root: str, old: str, new: str) -> str | None:
    if root != old and not root.startswith(old.rstrip(os.sep) + os.sep):
        return None
    at = new + root[len(old) :]
    return at if os.path.lexists(at) else None


def _paths(store: Store, old: str, new: str) -> dict[str, str] | None:
    """Return where the files of a root are now; None where nothing of it is there although it was somewhere else."""
    paths = {
        source: new + file.path[len(old) :] for source, file in store.files(old).items() if file.path.startswith(old)
    }
    if os.path.lexists(old) and paths and not any(map(_is_there, paths.values())):
        return None
    if not os.path.isdir(new):  # a single file, which earlier versions took for one of its folder
        beside = store.files(os.path.dirname(old)).items()
        paths |= {s: new + file.path[len(old) :] for s, file in beside if is_below(file.path, old)}
    paths |= {item.source: "" for item in store.skipped() if item.root == old and item.file is None}
    return {**{hold.source: "" for hold in store.holds() if hold.root == old}, **paths}


def _is_there(path: str) -> bool:
    return os.path.lexists(path.partition("!/")[0])


def _is_file_of(root: str, folder: str) -> bool:
    return os.path.dirname(root) == folder and not os.path.isdir(root)


def _folder(store: Store) -> str | None:
    return None if store.folder is None else os.path.realpath(store.folder)


def _home(store: Store) -> str | None:
    folder = _folder(store)
    return None if folder is None else os.path.dirname(folder)
