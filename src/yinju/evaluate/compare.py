"""Two runs over the same questions: what changed, how far it can be trusted, and on which questions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from yinju.errors import UsageError
from yinju.evaluate import metrics
from yinju.evaluate.metrics import Comparison
from yinju.evaluate.records import Record
from yinju.evaluate.report import LOWER, NAMES
from yinju.messages import say
from yinju.types import as_plain


@dataclass(frozen=True, slots=True)
class Difference:
    """One measure in both runs, over the questions that show it in both. `better` counts questions on which the second run is better."""

    name: str
    before: float
    after: float
    comparison: Comparison

    @property
    def better(self) -> int:
        """Questions on which the second run is better, whichever way the measure counts."""
        return self.comparison.worse if self.name in LOWER else self.comparison.better

    @property
    def worse(self) -> int:
        """Questions on which the second run is worse."""
        return self.comparison.better if self.name in LOWER else self.comparison.worse


@dataclass(frozen=True, slots=True)
class Change:
    """A question whose outcome differs: best rank of a gold and whether it was refused, before and after."""

    id: str
    question: str
    ranks: tuple[int | None, int | None]
    refused: tuple[bool, bool]
    correct: tuple[bool | None, bool | None]
    better: bool  # by the first measure that differs, in the order of the table


@dataclass(frozen=True, slots=True)
class Comparing:
    """Two runs side by side. `only_before`, `only_after`: questions that the other run lacks; they are not counted."""

    questions: int
    only_before: int
    only_after: int
    differences: tuple[Difference, ...]
    changes: tuple[Change, ...]


def compare(before: Sequence[Record], after: Sequence[Record]) -> Comparing:
    """Compare the second run with the first, question by question. Raises UsageError where they share none."""
    later = {record.id: record for record in after}
    pairs = [(record, later[record.id]) for record in before if _same(record, later.get(record.id))]
    if not pairs:
        raise UsageError(
            say("The two runs share no question.", "两次运行没有相同的问题。"),
            say("Compare records of the same file of questions.", "请比较同一问题文件的记录。"),
        )
    measured = [(old.measures(), new.measures()) for old, new in pairs]
    differences = []
    for name in NAMES:
        both = [(old[name], new[name]) for old, new in measured if name in old and name in new]
        if both:
            old, new = [one for one, _ in both], [one for _, one in both]
            differences.append(Difference(name, sum(old) / len(both), sum(new) / len(both), metrics.compare(old, new)))
    changes = [change for pair, found in zip(pairs, measured, strict=True) if (change := _change(*pair, *found))]
    return Comparing(
        len(pairs), len(before) - len(pairs), len(after) - len(pairs), tuple(differences),
        tuple(sorted(changes, key=lambda change: change.better)),
    )  # fmt: skip


def _same(old: Record, new: Record | None) -> bool:
    return new is not None and old.question == new.question and old.answerable is new.answerable


def _change(old: Record, new: Record, before: dict[str, float], after: dict[str, float]) -> Change | None:
    differing = [name for name in NAMES if name in before and name in after and before[name] != after[name]]
    if not differing:
        return None
    up = after[differing[0]] > before[differing[0]]
    return Change(
        old.id, old.question, (_best(old), _best(new)), (old.refused, new.refused), (old.correct, new.correct),
        better=up is not (differing[0] in LOWER),
    )  # fmt: skip


def _best(record: Record) -> int | None:
    return min((rank for rank in record.ranks if rank is not None), default=None)


def as_json(found: Comparing) -> dict[str, Any]:
    """Return the comparison as JSON data."""
    return {
        "questions": found.questions, "only_before": found.only_before, "only_after": found.only_after,
        "measures": {
            one.name: {
                "before": round(one.before, 4), "after": round(one.after, 4), "difference": round(one.comparison.difference.mean, 4),
                "low": round(one.comparison.difference.low, 4) if one.comparison.has_interval else None,
                "high": round(one.comparison.difference.high, 4) if one.comparison.has_interval else None,
                "p": round(one.comparison.p, 4), "better": one.better, "worse": one.worse, "same": one.comparison.same,
            }
            for one in found.differences
        },
        "changed": as_plain(found.changes),
    }  # fmt: skip
