"""Decide what a sync has to do. Pure: known files and a scan in, a plan out; nothing is read or written here.

Size and date as they were: unchanged, not read. Otherwise the content's digest decides; where it is the same, only the record is
touched. A file that is gone and a new one with the same digest are one file with a new name. A file counts as gone only if the
scan covers its place: what could not be listed is kept.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import PurePosixPath
from typing import Literal

from yinju.errors import MassDelete
from yinju.messages import say
from yinju.sync.scan import Scan, is_below
from yinju.types import FileReport, SourceFile

RACY_NS = 2_000_000_000  # file systems keep dates as coarse as two seconds (FAT)
LIBRARY_OF_SOME_SIZE = 20
MAXIMUM_COMPARISONS = 10_000  # of names, to tell renamed files with one content apart

# The text could not be obtained now, which says nothing about it: try again at each sync, whatever size and date say.
PASSING_REASONS = frozenset({"permission", "missing", "changed-during-read", "crashed", "unreadable"})


@dataclass(frozen=True, slots=True)
class Known:
    """What the library remembers of a file. `skipped`: it holds no text of it; `kept`: that of an older version.

    `ignored`: no text of it either, and nobody needs to know.

    `outdated`: it was read by other loaders than would read it now.
    """

    file: SourceFile
    state: Literal["indexed", "skipped", "kept", "ignored"] = "indexed"
    reason: str | None = None
    hint: str | None = None
    outdated: bool = False

    @property
    def has_text(self) -> bool:
        """True where the file can be found in the library."""
        return self.state in ("indexed", "kept")

    @property
    def may_pass(self) -> bool:
        """True where reading failed for a reason that may be gone although the file looks the same."""
        return self.reason is not None and self.reason.split(":")[0] in PASSING_REASONS


@dataclass(frozen=True, slots=True)
class Plan:
    """What has to be done to one root, or a part of it, in the order of the fields.

    `touch` are files with a new date and the same content, `rename` pairs of the old source and the file at its new place, `forget`
    records of files that could not be indexed and are gone now, `skip` what the scan found and could not use, `known_problems` skipped
    or kept files that nothing has to be done for.
    """

    root: str
    prefix: str = ""
    part: str = ""
    rename: tuple[tuple[str, SourceFile], ...] = ()
    touch: tuple[SourceFile, ...] = ()
    add: tuple[SourceFile, ...] = ()
    update: tuple[SourceFile, ...] = ()
    remove: tuple[str, ...] = ()
    forget: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()
    kept: tuple[FileReport, ...] = ()
    skip: tuple[FileReport, ...] = ()
    known_problems: tuple[FileReport, ...] = ()
    ignored: int = 0
    notices: tuple[str, ...] = ()

    @property
    def reads(self) -> tuple[SourceFile, ...]:
        """The files that have to be read."""
        return tuple(sorted((*self.add, *self.update), key=lambda file: file.source))

    @property
    def is_empty(self) -> bool:
        """True where nothing has to be written."""
        return not (self.rename or self.touch or self.add or self.update or self.remove or self.forget)


def looks_unchanged(known: Known, file: SourceFile, synced_ns: int | None) -> bool:
    """Tell from size and date alone. A file as young as the last sync may have changed within the same tick: that is not enough."""
    same = (known.file.size, known.file.modified_ns) == (file.size, file.modified_ns)
    return same and synced_ns is not None and file.modified_ns < synced_ns - RACY_NS


def to_compare(
    known: Mapping[str, Known], scan: Scan, *, synced_ns: int | None, check: bool = False
) -> tuple[SourceFile, ...]:
    """Return the files whose digest `make_plan` needs: those that may or may not be what is known.

    A file of another size is another content. A new file may be a renamed one where a vanished one had its size.
    """
    vanished_sizes = {known[source].file.size for source in _vanished(known, scan) if known[source].has_text}
    wanted = []
    for file in scan.files:
        before = known.get(file.source)
        if before is None:
            wanted += [file] if file.size in vanished_sizes else []
        elif before.file.digest and before.file.size == file.size:
            wanted += [file] if check or not looks_unchanged(before, file, synced_ns) else []
    return tuple(wanted)


def make_plan(
    known: Mapping[str, Known],
    scan: Scan,
    digests: Mapping[str, str] | None = None,
    *,
    synced_ns: int | None = None,
    everything: bool = False,
    taken: Iterable[str] = (),
    kind: Callable[[str], Hashable] | None = None,
) -> Plan:
    """Return what makes the library equal to the scan.

    `known` are the files of this root, `digests` those of the files that `to_compare` named, by source (a file that could not be read
    has none and counts as changed). `synced_ns` is when the last whole sync of the root began. `everything`: read all files again.
    `taken` are sources that belong to something else in the library. Only files of one `kind` (by default the suffix) can be renamed
    into each other: another kind is read and cut in another way.
    """
    digests = digests or {}
    taken = set(taken)
    free = [file for file in scan.files if file.source in known or file.source not in taken]
    occupied = [_name_taken(file.source) for file in scan.files if file.source not in known and file.source in taken]
    vanished = _vanished(known, scan)
    new = [file for file in free if file.source not in known]
    rename = () if everything else _renamed(known, vanished, new, digests, kind or suffix)
    moved_from = {old for old, _ in rename}
    moved_to = {file.source for _, file in rename}

    sorted_out: dict[str, list[SourceFile]] = defaultdict(list)
    for file in free:
        before = known.get(file.source)
        if before is not None:
            sorted_out[_verdict(before, file, digests, synced_ns, everything)].append(file)
    gone = [source for source in vanished if source not in moved_from]
    idle = [known[file.source] for file in sorted_out["unchanged"]]
    return Plan(
        root=scan.root,
        prefix=scan.prefix,
        part=scan.part,
        rename=rename,
        touch=tuple(sorted_out["touch"]),
        add=tuple(file for file in new if file.source not in moved_to),
        update=tuple(sorted_out["update"]),
        remove=tuple(source for source in gone if known[source].has_text),
        forget=tuple(source for source in gone if not known[source].has_text),
        unchanged=tuple(before.file.source for before in idle if before.state == "indexed"),
        kept=_out_of_sight(known, scan),
        skip=(*(p for p in scan.problems if not (p.source in known and known[p.source].has_text and not scan.covers(p.source))), *occupied),
        known_problems=tuple(_as_before(before) for before in idle if before.reason and before.state != "ignored"),
        ignored=scan.ignored + sum(before.state == "ignored" for before in idle),
        notices=(*scan.notices, *_read_again(known, sorted_out["update"], digests)),
    )  # fmt: skip


def guard_against_mass_delete(plan: Plan, known: Mapping[str, Known], total: int) -> None:
    """Raise MassDelete where the plan would remove more than a third of its root or of the library (`total` documents).

    A file that holds nothing any more counts as removed. Libraries below 20 documents are not guarded.
    """
    texts = {source for source, before in known.items() if before.has_text}
    emptied = [f.source for f in plan.update if f.size == 0 and f.source in texts and known[f.source].file.size > 0]
    lost = len(plan.remove) + len(emptied)
    for size in (len(texts), total):
        if size >= LIBRARY_OF_SOME_SIZE and lost * 3 > size:
            raise MassDelete(
                say(
                    "This sync would remove {lost} of {size} documents, {first} among them.",
                    "本次同步将删除 {size} 篇文档中的 {lost} 篇，其中包括 {first}。",
                    lost=lost,
                    size=size,
                    first=(*plan.remove, *emptied)[0],
                ),
                say(
                    "Check that the folder is complete (drive connected, checkout finished). "
                    "If this is meant, repeat it with --allow-mass-delete.",
                    "请确认文件夹完整（磁盘已连接、检出已完成）。若确实要删除，请加 --allow-mass-delete 重试。",
                ),
            )


def _verdict(
    before: Known, file: SourceFile, digests: Mapping[str, str], synced_ns: int | None, everything: bool
) -> Literal["unchanged", "touch", "update"]:
    if everything or before.may_pass or before.outdated:
        return "update"
    same_record = (before.file.size, before.file.modified_ns) == (file.size, file.modified_ns)
    digest = digests.get(file.source)
    if before.file.digest is not None and digest is not None:
        if digest != before.file.digest:
            return "update"
        return "unchanged" if same_record else "touch"
    if before.file.digest is None:  # it could never be read: size and date are all there is
        return "unchanged" if same_record else "update"
    return "unchanged" if looks_unchanged(before, file, synced_ns) else "update"


def _read_again(
    known: Mapping[str, Known], update: Sequence[SourceFile], digests: Mapping[str, str]
) -> tuple[str, ...]:
    """Say how many files that did not change are read again, since the loaders did."""
    again = []
    for file in update:
        before = known[file.source]
        same = (before.file.size, before.file.modified_ns) == (file.size, file.modified_ns)
        if before.outdated and (same or before.file.digest == digests.get(file.source, "")):
            again.append(suffix(file.source).removeprefix(".").upper() or "?")
    if not again:
        return ()
    kinds = ", ".join(sorted(set(again))[:6]) + (" …" if len(set(again)) > 6 else "")
    return (
        say(
            "Files that did not change but are read again, since this version reads them better: {n} ({kinds}).",
            "有 {n} 个文件未改动，但会重新读取，因为本版本读取得更好（{kinds}）。",
            n=len(again),
            kinds=kinds,
        ),
    )


def _vanished(known: Mapping[str, Known], scan: Scan) -> list[str]:
    """Return the known sources that the scan would have met and did not, in order."""
    present = {file.source for file in scan.files}
    return sorted(source for source in known if source not in present and scan.covers(source))


def _out_of_sight(known: Mapping[str, Known], scan: Scan) -> tuple[FileReport, ...]:
    """Return reports on the known files that lie where the scan could not look."""
    present = {file.source for file in scan.files}
    blind = {problem.source: problem for problem in scan.problems if problem.source in scan.unlisted}
    reports = []
    for source in sorted(known):
        if source in present or not known[source].has_text or not is_below(source, scan.part) or scan.covers(source):
            continue
        cause = next(problem for folder, problem in blind.items() if is_below(source, folder))
        reports.append(FileReport(source, "kept", cause.reason, cause.hint))
    return tuple(reports)


def _renamed(
    known: Mapping[str, Known],
    vanished: Sequence[str],
    new: Sequence[SourceFile],
    digests: Mapping[str, str],
    kind: Callable[[str], Hashable],
) -> tuple[tuple[str, SourceFile], ...]:
    """Pair vanished sources with new files of the same content and kind; among several, the most similar names first."""
    old_by_content: dict[tuple[str, Hashable], list[str]] = defaultdict(list)
    new_by_content: dict[tuple[str, Hashable], list[SourceFile]] = defaultdict(list)
    for source in vanished:
        if known[source].state == "indexed" and (digest := known[source].file.digest):
            old_by_content[digest, kind(source)].append(source)
    for file in new:
        if digest := digests.get(file.source):
            new_by_content[digest, kind(file.source)].append(file)
    pairs: list[tuple[str, SourceFile]] = []
    for content, candidates in new_by_content.items():
        pairs += _most_similar(old_by_content.get(content, []), candidates)
    return tuple(sorted(pairs))


def _most_similar(old: Sequence[str], new: Sequence[SourceFile]) -> list[tuple[str, SourceFile]]:
    if len(old) * len(new) > MAXIMUM_COMPARISONS:
        return list(zip(sorted(old), sorted(new, key=lambda file: file.source), strict=False))
    ranked = sorted(
        ((-_similarity(source, file.source), source, file.source, file) for source in old for file in new),
        key=lambda candidate: candidate[:3],
    )
    pairs: dict[str, SourceFile] = {}
    used: set[str] = set()
    for _, source, target, file in ranked:
        if source not in pairs and target not in used:
            pairs[source] = file
            used.add(target)
    return list(pairs.items())


def _similarity(one: str, other: str) -> float:
    """Rank names: the same file name in another folder before the same folder before anything else. 0 to 2."""
    same_name = one.rsplit("/", 1)[-1].casefold() == other.rsplit("/", 1)[-1].casefold()
    return same_name + SequenceMatcher(None, one, other, autojunk=False).ratio()


def suffix(source: str) -> str:
    """Return the suffix of the file's name in lower case, such as `.md`."""
    return PurePosixPath(source).suffix.casefold()


def _as_before(known: Known) -> FileReport:
    return FileReport(known.file.source, "kept" if known.has_text else "skipped", known.reason, known.hint)


def _name_taken(source: str) -> FileReport:
    return FileReport(
        source,
        "skipped",
        "name-taken",
        say(
            "Another document of the library has this name: rename the file, or remove the other one.",
            "资料库中已有同名文档：请重命名该文件，或删除另一篇文档。",
        ),
    )
