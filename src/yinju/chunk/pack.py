"""Pack the atoms of sections into chunks: as large as the maximum allows, cut at the best border, evenly filled, overlapping by whole sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from yinju.chunk.presets import ChunkOptions
from yinju.chunk.structure import CHAPTER, MUST, NEVER, Atom, Header, Section, Structure
from yinju.types import Mark


@dataclass(frozen=True, slots=True)
class Piece:
    """A chunk to be: its range, the headings that hold for it, the table header above it. `exact`: its indentation is not added.

    `tokens` is -1 where they have not been estimated.
    """

    start: int
    end: int
    path: tuple[Mark, ...]
    header: str = ""
    exact: bool = False
    tokens: int = -1


def pack(structure: Structure, options: ChunkOptions) -> Iterator[Piece]:
    """Yield the pieces of a document in order."""
    for section in _merged(_with_lone_headings(structure.sections), options):
        for first, last in _ranges(section.atoms, structure.headers, options):
            start, end = section.atoms[first], section.atoms[last - 1]
            tokens = start.tokens if last - first == 1 and start.kind != "piece" else -1
            yield Piece(
                start.start, end.end, section.path, _header(section.atoms, first, structure.headers), tokens=tokens
            )


def _with_lone_headings(sections: Sequence[Section]) -> list[Section]:
    """Put a heading without text of its own before the first section under it, whose headings include it."""
    kept: list[Section] = []
    for section in sections:
        above = kept[-1] if kept else None
        if above and _is_lone(above) and _is_under(section.path, above.path):
            first, *rest = section.atoms
            joined = Atom(first.start, first.end, first.tokens, NEVER, first.kind, first.table)
            kept[-1] = Section(section.path, [*above.atoms, joined, *rest])
        else:
            kept.append(section)
    return kept


def _is_lone(section: Section) -> bool:
    own = section.path[-1].span.end if section.path else 0
    return section.atoms[-1].end <= own and all(atom.kind == "heading" for atom in section.atoms)


def _is_under(path: tuple[Mark, ...], above: tuple[Mark, ...]) -> bool:
    return len(path) > len(above) and path[: len(above)] == above


def _merged(sections: Sequence[Section], options: ChunkOptions) -> Iterator[Section]:
    """Join neighbours under one heading while they are small; their headings are then the ones that hold for all of them."""
    group: Section | None = None
    size = 0
    for section in sections:
        tokens = section.tokens
        common = _common(group.path, section.path) if group else ()
        # the parent with its children, or children of one parent
        fits = bool(common) and group is not None and len(common) >= len(group.path) - 1
        if group and fits and size < options.merge_below and size + tokens <= options.maximum:
            group = Section(common, [*group.atoms, *section.atoms])
            size += tokens
            continue
        if group:
            yield group
        group, size = section, tokens
    if group:
        yield group


def _common(one: tuple[Mark, ...], other: tuple[Mark, ...]) -> tuple[Mark, ...]:
    same = 0
    while same < min(len(one), len(other)) and one[same] == other[same]:
        same += 1
    return one[:same]


def _header(atoms: Sequence[Atom], first: int, headers: dict[int, Header]) -> str:
    table = atoms[first].table
    return headers[table].text if table >= 0 and atoms[first].start != table else ""


def _ranges(atoms: Sequence[Atom], headers: dict[int, Header], options: ChunkOptions) -> Iterator[tuple[int, int]]:
    """Yield (first, last + 1) of each chunk's atoms; the first ones may be the last ones of the chunk before."""
    sums = [0, *accumulate(atom.tokens for atom in atoms)]
    first = new = 0  # of the chunk; of what no chunk has yet
    while new < len(atoms):
        table = atoms[new].table
        room = headers[table].tokens if table >= 0 and atoms[new].start != table else 0
        end = _end(atoms, sums, first, new, options, options.maximum - room)
        yield first, end
        first, new = _overlap(atoms, sums, new, end, options), end


def _end(atoms: Sequence[Atom], sums: Sequence[int], first: int, new: int, options: ChunkOptions, limit: int) -> int:
    """Return where the chunk that begins with `first`, and must hold the atom `new`, ends: the best border within the limit."""
    last = new + 1
    while last < len(atoms) and atoms[last].border != MUST and sums[last + 1] - sums[first] <= limit:
        last += 1
    if last == len(atoms) or atoms[last].border == MUST:
        return last
    rest = sums[-1] - sums[first]
    aim = max(options.minimum, rest / -(-rest // limit))  # so that the last chunk is no crumb
    candidates = range(new + 1, last + 1)
    enough = [place for place in candidates if sums[place] - sums[first] >= options.minimum]
    return max(enough or [last], key=lambda place: (atoms[place].border, -abs(sums[place] - sums[first] - aim)))


def _overlap(atoms: Sequence[Atom], sums: Sequence[int], new: int, end: int, options: ChunkOptions) -> int:
    """Return the first atom that comes again before atom `end`: whole sentences, not beyond a table, a fence or a definition's end.

    At least one atom stays behind, so that no chunk lies within another.
    """
    if end == len(atoms) or atoms[end].border >= CHAPTER or atoms[end].table >= 0:
        return end
    again = ("sentence", "line", "piece") if options.unit == "definitions" else ("sentence", "piece")
    room = min(options.overlap, options.maximum - atoms[end].tokens)
    first = end
    while first - 1 > new and atoms[first - 1].kind in again and sums[end] - sums[first - 1] <= room:
        first -= 1
    while first < end and atoms[first].border == NEVER:  # a sentence right under its heading goes with it or not at all
        first += 1
    return first
