"""What an undo holds back, taken out of a sync before it is planned. Pure, like `plan`.

A file that is held is neither new nor changed nor gone to the plan, whatever it, its recipe or its loaders are: nothing happens to it or to the
document of its name. It is held for what it says, so the hold follows it to another name, and ends when it says something else.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field, replace

from yinju.messages import say
from yinju.store.records import Hold
from yinju.sync.plan import Known, looks_unchanged
from yinju.sync.scan import Scan
from yinju.types import FileReport, SourceFile

Moved = tuple[str, str, SourceFile]  # the old source, the new one, and the file that the document there was read from
REASON = "held"


@dataclass(frozen=True, slots=True)
class Holding:
    """What is done to the holds of a root: `held` are all sources that are passed over, `look` those whose file has another date now.

    `moved` are holds whose file has another name, `documents` those of them that have a document to go with it.
    """

    held: tuple[str, ...] = ()
    released: tuple[str, ...] = ()
    look: tuple[Hold, ...] = ()
    moved: tuple[tuple[str, Hold], ...] = ()
    documents: tuple[Moved, ...] = ()

    @property
    def is_empty(self) -> bool:
        """True where nothing has to be written."""
        return not (self.released or self.look or self.moved)

    @property
    def holds(self) -> tuple[Hold, ...]:
        """The holds that have to be written."""
        return (*self.look, *(hold for _, hold in self.moved))

    @property
    def gone(self) -> tuple[str, ...]:
        """The sources that are held no longer."""
        return (*self.released, *(old for old, _ in self.moved))

    def reports(self) -> list[FileReport]:
        """Return a line for each file that is passed over."""
        return [FileReport(source, "unchanged", REASON) for source in self.held]


def notice(count: int) -> str:
    """Say how many files are held back, and who lets them go."""
    return say(
        "1 file is held back by undo; `yinju sync --release` takes it."
        if count == 1
        else "{n} files are held back by undo; `yinju sync --release` takes them.",
        "有 {n} 个文件因撤销而暂不收录；`yinju sync --release` 会收录。",
        n=count,
    )


def to_compare(
    known: Mapping[str, Known], scan: Scan, holds: Mapping[str, Hold], *, synced_ns: int | None, check: bool = False
) -> tuple[SourceFile, ...]:
    """Return the files whose digest `sift` needs: those that may or may not be what is held, here or under another name."""
    present = {file.source: file for file in scan.files}
    wanted, lost = [], set()
    for source, hold in holds.items():
        if hold.file is None:
            continue
        if (file := present.get(source)) is None:
            lost.add(hold.file.size)
        elif (
            hold.file.digest and hold.file.size == file.size and (check or not _looks_same(hold.file, file, synced_ns))
        ):
            wanted.append(file)
    return (*wanted, *(file for file in scan.files if file.source not in known and file.size in lost))


@dataclass(slots=True)
class _Sifting:
    held: list[str] = field(default_factory=list)
    released: list[str] = field(default_factory=list)
    look: list[Hold] = field(default_factory=list)
    lost: dict[str, Hold] = field(default_factory=dict)


def sift(
    known: Mapping[str, Known],
    scan: Scan,
    holds: Mapping[str, Hold],
    digests: Mapping[str, str],
    *,
    kind: Callable[[str], Hashable],
    taken: Iterable[str] = (),
    release: bool = False,
) -> tuple[dict[str, Known], Scan, Holding]:
    """Return known files and scan without what is held, and what happens to the holds.

    `holds` are those of this root, `taken` sources that belong to something else. `release`: nothing that the scan covers is held any longer.
    """
    holds = {source: hold for source, hold in sorted(holds.items()) if scan.covers(source)}
    if not holds:
        return dict(known), scan, Holding()
    if release:
        return dict(known), scan, Holding(released=tuple(holds))
    present = {file.source: file for file in scan.files}
    found = _Sifting()
    for source, hold in holds.items():
        _judge(found, source, hold, present.get(source), digests)
    used = {*known, *holds, *taken}
    new = [file for file in scan.files if file.source not in used]
    pairs = dict(_follow(found.lost, new, digests, kind))
    found.released += [source for source in found.lost if source not in pairs]
    moved = tuple((old, replace(found.lost[old], source=file.source, file=file)) for old, file in pairs.items())
    documents = tuple(
        (old, file.source, replace(known[old].file, source=file.source, path=file.path))
        for old, file in pairs.items()
        if old in known and known[old].has_text
    )
    held = (*found.held, *(file.source for file in pairs.values()))
    aside = {*held, *pairs}
    holding = Holding(tuple(sorted(held)), tuple(sorted(found.released)), tuple(found.look), moved, documents)
    left = {source: before for source, before in known.items() if source not in aside}
    return left, replace(scan, files=tuple(file for file in scan.files if file.source not in aside)), holding


def _judge(
    found: _Sifting,
    source: str,
    hold: Hold,
    file: SourceFile | None,
    digests: Mapping[str, str],
) -> None:
    """Sort one hold out: its file says what it said, says something else, or is not there."""
    if hold.file is None:
        (found.held if file is None else found.released).append(source)
    elif file is None:
        found.lost[source] = hold
    elif not _says_the_same(hold.file, file, digests.get(source)):
        found.released.append(source)
    else:
        found.held.append(source)
        if _record(hold.file) != _record(file):
            found.look.append(replace(hold, file=replace(file, digest=hold.file.digest)))


def _says_the_same(then: SourceFile, now: SourceFile, digest: str | None) -> bool:
    if then.digest is None:  # it could not be read: size and date are all there is
        return _record(then) == _record(now)
    if then.size != now.size:
        return False
    return digest is None or digest == then.digest  # looks the same, or cannot be read: no evidence of a change


def _looks_same(then: SourceFile, now: SourceFile, synced_ns: int | None) -> bool:
    return looks_unchanged(Known(then), now, synced_ns)


def _record(file: SourceFile) -> tuple[int, int]:
    return file.size, file.modified_ns


def _follow(
    lost: Mapping[str, Hold],
    new: Iterable[SourceFile],
    digests: Mapping[str, str],
    kind: Callable[[str], Hashable],
) -> Iterable[tuple[str, SourceFile]]:
    """Pair held files that are gone with new ones of the same content and kind."""
    free: dict[tuple[str, Hashable], list[SourceFile]] = defaultdict(list)
    for file in sorted(new, key=lambda file: file.source, reverse=True):
        if digest := digests.get(file.source):
            free[digest, kind(file.source)].append(replace(file, digest=digest))
    for source, hold in lost.items():
        assert hold.file is not None
        candidates = free.get((hold.file.digest or "", kind(source)))
        if candidates:
            yield source, candidates.pop()
