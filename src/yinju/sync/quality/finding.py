"""One thing that needs attention, and how things that need attention are put together for a person."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

Level = Literal["damage", "skipped", "kept", "warning", "notice"]
ORDER: tuple[Level, ...] = ("damage", "skipped", "kept", "warning", "notice")


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that needs attention. `subject` is a source, a folder or the library's file.

    `kind` is a stable code for what it is about; findings of one kind and `group` can be told together. `sources` are all documents
    that it concerns, `details` lines that show it, such as `plans.md:9: 年费方案每年 168 元`.
    """

    level: Level
    subject: str
    message: str
    hint: str | None = None
    kind: str = ""
    group: str = ""  # what may be said of all of its kind at once; empty: each stands for itself
    sources: tuple[str, ...] = ()
    details: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Group:
    """Findings that say the same of many subjects, or a single one (`message` and `hint` are of the first)."""

    findings: tuple[Finding, ...]

    @property
    def first(self) -> Finding:
        """The finding that speaks for all."""
        return self.findings[0]


def sorted_findings(findings: Iterable[Finding]) -> list[Finding]:
    """Return the worst first; within a level those of one kind together, in the order in which the kinds first came."""
    found = list(findings)
    kinds: dict[tuple[str, str], int] = {}
    for finding in found:
        kinds.setdefault((finding.kind, finding.group), len(kinds))
    return sorted(found, key=lambda one: (ORDER.index(one.level), kinds[one.kind, one.group], one.subject))


def grouped(findings: Sequence[Finding], most: int) -> list[Group]:
    """Return the findings in their order, more than `most` of one level, kind and group as one."""
    together: dict[tuple[str, str, str], list[Finding]] = {}
    for finding in findings:
        together.setdefault((finding.level, finding.kind, finding.group), []).append(finding)
    groups: list[Group] = []
    for members in together.values():
        many = len(members) > most and members[0].kind
        groups += [Group(tuple(members))] if many else [Group((one,)) for one in members]
    return groups
