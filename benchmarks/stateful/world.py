"""A folder, a library over it, and the dict that says what must be in it. Each method is one thing that can happen.

What the dict holds is decided here by the rules that users are told (DESIGN, part 3), not by the product's plan: what is on disk is in the
library after a sync; what could not be read stays as it was; what was added stays until it is removed.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections import Counter
from collections.abc import Mapping
from contextlib import ExitStack
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath
from unittest import mock

from benchmarks.stateful import checks, lists, oracle
from benchmarks.stateful.oracle import ASKERS, PRESETS, RULES, CountingEmbedder, Expected, Reader, Version
from benchmarks.stateful.quick import GUARDED, memory, quick
from yinju import Library, SyncReport
from yinju.caring import LibraryOptions
from yinju.errors import MassDelete, SourceMissing
from yinju.principal import Principal
from yinju.store import Store
from yinju.types import Document

MODELS = 2


class Stop(BaseException):
    """The process ends here, as far as this process can show it."""


class World:
    """`disk` and `added` are what there is, `library` what the library must hold, `kept` which vectors it must have by model."""

    def __init__(self) -> None:
        self.home = Path(tempfile.mkdtemp(prefix="yinju-stateful-", dir=memory()))
        self.root = self.home / "docs"
        self.root.mkdir()
        self.reader = Reader()
        self.patches = ExitStack()
        for target, value in quick(self.reader).items():
            self.patches.enter_context(mock.patch(target, value))
        self.models = [CountingEmbedder(seed) for seed in range(MODELS)]
        self.model = 0
        self.presets = 0
        self.disk: dict[str, bytes] = {}
        self.trash: list[tuple[str, bytes]] = []
        self.added: dict[str, Version] = {}
        self.library: dict[str, Version] = {}
        self.kept: list[set[str]] = [set() for _ in self.models]
        self.sound = True  # no check has failed
        self.looks = 0  # how often the library was held against the dict: what is looked at takes turns
        self.rules = 0  # the rules file on disk
        self.ruled: dict[str, frozenset[str] | None] = {}  # who may see what by the rules that the last sync applied
        self.closed: dict[str, frozenset[str] | None] = {}  # who saw what before an undo, which opens nothing
        self.owners: dict[
            str, tuple[frozenset[str], bytes]
        ] = {}  # the list that the owner gave last, and to which text
        self.tick = 1_600_000_000 * 10**9
        self.open_library()
        self.witness = Store.open(
            self.home / "library", read_only=True
        )  # another process, as it were, that reads all the time

    def close(self) -> None:
        """Let go of everything."""
        self.witness.close()
        self.opened.store.close()
        self.patches.close()
        shutil.rmtree(self.home)

    def open_library(self) -> None:
        """Open the library with the model and the presets of the moment."""
        options = LibraryOptions(presets=PRESETS[self.presets], ocr=False)
        store = Store.open(self.home / "library")
        self.opened = Library(store, embedder=self.models[self.model], options=options)

    def reopen(self) -> None:
        """Close the library and open it again."""
        self.opened.store.close()
        self.open_library()

    def lose_views(self) -> None:
        """Somebody deletes the files that are there for speed only."""
        for path in (self.home / "library").glob("*.view"):
            path.unlink()

    # what happens on the disk

    def write(self, source: str, content: bytes) -> None:
        """A file is made, or gets other content."""
        path = self.root / source
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        self.disk[source] = content
        self.touch(source)

    def touch(self, source: str) -> None:
        """A file gets a new date."""
        self.tick += 10**9
        os.utime(self.root / source, ns=(self.tick, self.tick))

    def delete(self, source: str) -> None:
        """A file goes to the trash, and with it what kept it from being read: another of its name is another file."""
        (self.root / source).unlink()
        self.reader.locked.discard(source)
        self.reader.losing.discard(source)
        self.trash.append((source, self.disk.pop(source)))

    def rename(self, old: str, new: str) -> None:
        """A file gets another name, its date stays; a file of that name is lost."""
        path = self.root / new
        path.parent.mkdir(parents=True, exist_ok=True)
        (self.root / old).replace(path)
        self.disk[new] = self.disk.pop(old)

    def swap(self, one: str, other: str) -> None:
        """Two files change names."""
        self.rename(one, "between")
        self.rename(other, one)
        self.rename("between", other)

    # what happens to the library

    def sync(self, part: str = "", *, check: bool = False, release: bool = False) -> SyncReport:
        """Sync the root or a part of it, say yes to a mass deletion after it was refused, and look whether all is as it must be."""
        self.sound = False
        part = part if self.opened.store.roots() else ""  # of a root that nobody named yet there are no parts
        target = self.root / part if part else self.root
        after, closed = self.after_sync(part), lists.closed(self.opened, self.library)
        self._forget_counts()
        try:
            report = self._guarded_sync(target, part, check=check, release=release)
        except SourceMissing:
            assert part, "the root is not there"
            assert not any(_is_below(source, part) for source in self.from_files()), "what is gone was not removed"
            self.sound = True
            return SyncReport()
        before, self.library = self.library, after
        clean = not self.reader.locked and not self.reader.losing
        lists.followed(closed, lists.closed(self.opened, self.library), self.disk)
        self._faults_are_over(part)
        checks.counted(report, self.models[self.model], self.kept[self.model])
        self._note_vectors(before)
        self.ruled = {s: oracle.by_rules(self.rules, s) for s in self.from_files() if s in self.disk} if clean else {}
        self.agree()
        return report

    def stopped_sync(self, part: str, stop: mock._patch[object]) -> bool:
        """Sync until `stop` ends it; open the library again. Each document must be wholly at its old or its new version."""
        self.sound = False
        part = part if self.opened.store.roots() else ""
        target = self.root / part if part else self.root
        if part and not target.exists():
            self.sound = True
            return False
        before, after, was_stopped = self.library, self.after_sync(part), False
        closed = lists.closed(self.opened, before)
        with stop:
            try:
                self.opened.sync(target, allow_mass_delete=True)
            except Stop:
                was_stopped = True
        self.ruled = {}  # some may be narrower already
        self.reopen()
        self.library = checks.old_or_new(self.opened.store, before, after)
        lists.followed(closed, lists.closed(self.opened, self.library), self.disk, finished=False)
        for source in self.reader.losing & set(self.disk):
            self.touch(source)  # whether it was noted as unreadable or not, now it has to be looked at again
        hashes = self.hashes()
        for number, kept in enumerate(self.kept):
            kept.intersection_update(hashes)
            missing = {
                text_hash for text_hash, _ in self.opened.store.missing_vectors(self.models[number].fingerprint, 10_000)
            }
            assert not kept & missing, "vectors of unchanged text were lost"
            kept.update(hashes - missing)
        self.agree(complete=False)
        return was_stopped

    def add(self, source: str, content: bytes) -> None:
        """A document that is no file is added, or replaces what had its name."""
        self.sound = False
        self._forget_counts()
        before = self.library.copy()
        report = self.opened.add([Document.from_text(content.decode(), source=source)])
        self.ruled.pop(source, None)
        self.library[source] = self.added[source] = Version(content, self.presets, made=True)
        self.reader.locked.discard(source)
        self.reader.losing.discard(source)
        checks.counted(report, self.models[self.model], self.kept[self.model])
        self._note_vectors(before)
        self.agree()

    def remove(self, source: str) -> None:
        """A document is removed from the library; if it is a file the next sync brings it back."""
        self.sound = False
        self.opened.remove(source)
        self.added.pop(source, None)
        self.owners.pop(source, None)  # the list stays; what comes back is new, and may be closed elsewhere
        del self.library[source]
        self.reader.locked.discard(source)
        self.reader.losing.discard(source)
        for kept in self.kept:
            kept.intersection_update(self.hashes())
        self.agree(complete=False)

    def agree(self, *, complete: bool = True) -> None:
        """Hold the library against the dict, through its own eyes and through those of a witness."""
        state = checks.State(self.library, self.models[self.model], complete)
        self.looks += 1
        checks.store_agrees(self.witness if self.looks % 2 else self.opened.store, state)
        checks.facade_agrees(self.opened, state, self.looks)
        assert self.opened.store.check() == []
        self._askers_see_theirs(state)
        self.sound = True

    def _askers_see_theirs(self, state: checks.State) -> None:
        """Hold what one asker may see against the lists, as if nothing else were there."""
        asker = ASKERS[self.looks % len(ASKERS)]
        may = {source: version for source, version in self.library.items() if self.may_see(asker, source, version)}
        seen = checks.State(may, state.model, state.complete)
        library = self.opened.seen_by(asker)
        store = self.witness.seen_by(asker) if self.looks % 2 else library.store
        checks.store_agrees(store, seen)
        assert all(store.document(source) is None for source in self.library if source not in may)
        checks.facade_agrees(library, seen, self.looks + 3)

    def may_see(self, asker: Principal, source: str, version: Version) -> bool:
        """Tell from the lists whether the asker is on each of them; those of rules where a sync has just applied them, else as they are kept."""
        found = self.opened.access(source)
        rules = self.ruled[source] if source in self.ruled else found.get("rules")
        names, given_to = self.owners.get(source, (None, None))
        owner = names if version.content == given_to else found.get("owner")  # another text may be closed elsewhere
        lists = (oracle.narrower(self._own(source, version), self.closed.get(source)), rules, owner)
        return all(names is None or not asker.names.isdisjoint(names) for names in lists)

    def _own(self, source: str, version: Version) -> frozenset[str] | None:
        return oracle.own_list(version.content) if source.endswith(".md") else None

    # who may see what

    def restrict(self, source: str, names: frozenset[str] | None) -> None:
        """The owner gives a source a list, or takes it away. It holds at once."""
        self.sound = False
        self.opened.restrict(source, names)
        self.owners = {source: (names, self.library[source].content)} if names is not None else {}
        assert (names is None) == ("owner" not in self.opened.access(source))
        self.agree(complete=False)

    def restrict_and_move(self, old: str, new: str, names: frozenset[str], way: str, text: bytes) -> None:
        """A list of the owner goes where its document goes, and where its text goes; whether it does every sync looks (`lists.followed`)."""
        self.sync()
        if old not in self.from_files() or old not in self.disk or old == new:
            return
        self.restrict(old, names)
        suffix, other = (".md", ".txt") if old.endswith(".md") else (".txt", ".md")
        if way in ("rename", "retype", "cut"):
            new = str(PurePosixPath(new).with_suffix(other if way == "retype" else suffix))
            new = f"moved{PurePosixPath(new).suffix}" if new in self.disk or new in self.library else new
        if way == "copy":
            self.write(new, self.disk[old])
        elif way == "swap" and new in self.disk:
            self.swap(old, new)
        elif way == "edit":  # nothing but its name tells that it is the same
            self.delete(old)
            self.write(str(PurePosixPath(old).with_suffix(other)), text)
        else:
            self.rename(old, new)
        if way == "cut":
            self.presets = (self.presets + 1) % len(PRESETS)
            self.reopen()
        self.owners = {}
        self.sync()

    def use_rules(self, number: int) -> None:
        """The rules file becomes another one; a sync will see it."""
        self.rules, self.ruled = number, {}
        place = self.root / ".yinjuaccess"
        place.unlink(missing_ok=True)
        if (text := RULES[number][0]) is not None:
            place.write_text(text, encoding="utf-8")

    def undo(self, edits: Mapping[str, bytes]) -> None:
        """Sync edits and undo that: everything is as before and is held so by the next sync, until it is released."""
        self.sync()
        before = dict(self.library)
        for source, content in edits.items():
            self.write(source, content)
        step = self.opened.steps()[:1]
        self.sync()
        if self.opened.steps()[:1] == step:
            return
        self.sound = False
        after, self.library, self.ruled, self.owners = self.library, before, {}, {}
        self.closed = {source: self._own(source, version) for source, version in after.items()}
        self._forget_counts()
        self.opened.undo()
        assert not any(model.embedded for model in self.models), "what is undone had its vectors"
        self.agree()
        self.sound = False
        self.opened.sync(self.root)
        assert not any(model.embedded for model in self.models), "what is held back was embedded"
        self.agree()
        self.sound = False
        self._forget_counts()
        self.opened.sync(self.root, release=True, allow_mass_delete=True)
        self.library, self.closed = after, {}
        self._note_vectors()
        self.agree()

    # the rules that users are told

    def from_files(self) -> dict[str, Version]:
        """Return the part of the library that came from files."""
        return {source: version for source, version in self.library.items() if not version.made}

    def after_sync(self, part: str) -> dict[str, Version]:
        """Return what the library must hold after a sync of this part ("" for all)."""
        after = {
            source: version for source, version in self.library.items() if version.made or not _is_below(source, part)
        }
        for source, content in self.disk.items():
            if source in self.added or not _is_below(source, part):
                continue
            if self._is_faulty(source):
                after |= {source: self.library[source]} if source in self.library else {}
            elif content.strip():
                after[source] = Version(content, self.presets)
        return after

    def hashes(self) -> set[str]:
        """Return the hashes of all texts that have a vector when nothing is missing."""
        return {passage.text_hash for one in self.expected().values() for passage in one.passages}

    def expected(self) -> dict[str, Expected]:
        """Return what each source of the library must be."""
        return {source: oracle.expected(source, version) for source, version in self.library.items()}

    def _is_faulty(self, source: str) -> bool:
        """Tell whether a sync cannot read the file, and needs to."""
        return source in (self.reader.locked | self.reader.losing) and bool(self.disk[source])

    def _lost(self, part: str) -> tuple[int, int]:
        """Count by hand how many documents a sync of this part would take away: at least, at most (renames that may be seen as such or not)."""
        files = self.from_files()
        gone = [source for source in files if _is_below(source, part) and source not in self.disk]
        new = [s for s in self.disk if _is_below(s, part) and s not in self.library]
        emptied = [s for s in files if _is_below(s, part) and self.disk.get(s) == b""]
        old_kinds = Counter((files[source].content, self._kind(source)) for source in gone)
        new_kinds = Counter((self.disk[source], self._kind(source)) for source in new)
        most = len(gone) + len(emptied)
        return most - (old_kinds & new_kinds).total(), most

    def _kind(self, source: str) -> tuple[str, str | None]:
        presets = PRESETS[self.presets]
        return Path(source).suffix, next(
            (preset for glob, preset in presets.items() if fnmatchcase(source, glob)), None
        )

    def _must_be_refused(self, lost: int) -> bool:
        sizes = (len(self.from_files()), len(self.library))
        return any(size >= GUARDED and lost * 3 > size for size in sizes)

    def _guarded_sync(self, target: Path, part: str, **choices: bool) -> SyncReport:
        """Sync; where too much would go it must be refused, nothing changed, and done when it is allowed."""
        least, most = self._lost(part)
        generation = self.opened.store.generation
        try:
            report = self.opened.sync(target, **choices)
        except MassDelete:
            assert self._must_be_refused(most), f"refused although only {most} documents go"
            assert self.opened.store.generation == generation
            return self.opened.sync(target, allow_mass_delete=True, **choices)
        assert not self._must_be_refused(least), f"{least} documents went and nobody asked"
        return report

    def _forget_counts(self) -> None:
        for model in self.models:
            model.embedded.clear()

    def _faults_are_over(self, part: str) -> None:
        """What was locked can be read from now on, what lost text is written anew."""
        for source in self.reader.losing & set(self.disk):
            self.touch(source)
        for faults in (self.reader.locked, self.reader.losing):
            faults -= {source for source in faults if _is_below(source, part)}

    def _note_vectors(self, before: Mapping[str, Version] | None = None) -> None:
        """All texts have vectors of the model that was used; those of the last step's former texts stay, others lost theirs with the text."""
        hashes = self.hashes()
        former = {
            p.text_hash for source, version in (before or {}).items() for p in oracle.expected(source, version).passages
        }
        for number, kept in enumerate(self.kept):
            kept.intersection_update(hashes | former)
            if number == self.model:
                kept.update(hashes)


def _is_below(source: str, part: str) -> bool:
    return not part or source == part or source.startswith(part + "/")
