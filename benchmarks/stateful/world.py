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
from pathlib import Path
from unittest import mock

from benchmarks.stateful import checks
from benchmarks.stateful.oracle import PRESETS, CountingEmbedder, Expected, Reader, Version, expected
from yinju import Library, SyncReport
from yinju.caring import LibraryOptions
from yinju.errors import MassDelete, SourceMissing
from yinju.store import Store
from yinju.types import Document

GUARDED = 6  # documents from which mass deletion is refused, here; 20 in the product
MODELS = 2
EMBEDDED_AT_ONCE = 4


class Stop(BaseException):
    """The process ends here, as far as this process can show it."""


class World:
    """`disk` and `added` are what there is, `library` what the library must hold, `kept` which vectors it must have by model."""

    def __init__(self) -> None:
        self.home = Path(tempfile.mkdtemp(prefix="yinju-stateful-", dir=_memory()))
        self.root = self.home / "docs"
        self.root.mkdir()
        self.reader = Reader()
        self.patches = ExitStack()
        for target, value in _quick(self.reader).items():
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
        """A file goes to the trash."""
        (self.root / source).unlink()
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

    def sync(self, part: str = "", *, check: bool = False) -> SyncReport:
        """Sync the root or a part of it, say yes to a mass deletion after it was refused, and look whether all is as it must be."""
        self.sound = False
        part = part if self.opened.store.roots() else ""  # of a root that nobody named yet there are no parts
        target = self.root / part if part else self.root
        after = self.after_sync(part)
        self._forget_counts()
        try:
            report = self._guarded_sync(target, part, check=check)
        except SourceMissing:
            assert part, "the root is not there"
            assert not any(_is_below(source, part) for source in self.from_files()), "what is gone was not removed"
            self.sound = True
            return SyncReport()
        self.library = after
        self._faults_are_over(part)
        checks.counted(report, self.models[self.model], self.kept[self.model])
        self._note_vectors()
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
        with stop:
            try:
                self.opened.sync(target, allow_mass_delete=True)
            except Stop:
                was_stopped = True
        self.reopen()
        self.library = checks.old_or_new(self.opened.store, before, after)
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
        report = self.opened.add([Document.from_text(content.decode(), source=source)])
        self.library[source] = self.added[source] = Version(content, self.presets, made=True)
        self.reader.locked.discard(source)
        self.reader.losing.discard(source)
        checks.counted(report, self.models[self.model], self.kept[self.model])
        self._note_vectors()
        self.agree()

    def remove(self, source: str) -> None:
        """A document is removed from the library; if it is a file the next sync brings it back."""
        self.sound = False
        self.opened.remove(source)
        self.added.pop(source, None)
        del self.library[source]
        self.reader.locked.discard(source)
        self.reader.losing.discard(source)
        for kept in self.kept:
            kept.intersection_update(self.hashes())
        self.agree(complete=False)

    def agree(self, *, complete: bool = True) -> None:
        """Hold the library against the dict, through its own eyes and through those of a witness."""
        state = checks.State(self.library, self.models[self.model], complete)
        for store in (self.opened.store, self.witness):
            checks.store_agrees(store, state)
        checks.facade_agrees(self.opened, state, self.tick)
        assert self.opened.store.check() == []
        self.sound = True

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
        return {source: expected(source, version) for source, version in self.library.items()}

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

    def _guarded_sync(self, target: Path, part: str, *, check: bool) -> SyncReport:
        """Sync; where too much would go it must be refused, nothing changed, and done when it is allowed."""
        least, most = self._lost(part)
        generation = self.opened.store.generation
        try:
            report = self.opened.sync(target, check=check)
        except MassDelete:
            assert self._must_be_refused(most), f"refused although only {most} documents go"
            assert self.opened.store.generation == generation
            return self.opened.sync(target, check=check, allow_mass_delete=True)
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

    def _note_vectors(self) -> None:
        """All texts have vectors of the model that was used, and those of others lost theirs where the text is gone."""
        hashes = self.hashes()
        for number, kept in enumerate(self.kept):
            kept.intersection_update(hashes)
            if number == self.model:
                kept.update(hashes)


def _is_below(source: str, part: str) -> bool:
    return not part or source == part or source.startswith(part + "/")


def _memory() -> str | None:
    """Return a folder in memory, where the system has one: fsync costs nothing there, and what is lost with the power is another test's affair."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


def _quick(reader: Reader) -> Mapping[str, object]:
    """Return what is smaller here than in the product, so that a few documents meet what many do, and the reader without processes."""
    return {
        "yinju.load.Pool": reader,
        "yinju.sync.plan.LIBRARY_OF_SOME_SIZE": GUARDED,
        "yinju.store.matrix.MINIMUM_TAIL": 2,
        "yinju.sync.vectors.BATCH_FIRST": EMBEDDED_AT_ONCE,
        "yinju.sync.vectors.BATCH": EMBEDDED_AT_ONCE,
        "yinju.sync.apply.TOGETHER_SECONDS": 1e9,
    }
