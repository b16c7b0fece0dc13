"""What a run looks like as plots: measures by kind of question with their intervals, how far the evidence can be trusted, the slowest questions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from yinju.evaluate import metrics
from yinju.evaluate.records import Record, values
from yinju.evaluate.report import as_json as report_as_json
from yinju.evaluate.report import interval_of, report

MEASURES = ("hit@1", "hit@5", "mrr@10", "refusal")
BINS = 10
SLOWEST = 10


def as_json(records: Sequence[Record]) -> dict[str, Any]:
    """Return the figures of a run and what its plots show. Raises ValueError where there are no records."""
    return {
        "report": report_as_json(report(records)),
        "kinds": kinds(records),
        "calibration": calibration(records),
        "slowest": slowest(records),
    }


def kinds(records: Sequence[Record]) -> list[dict[str, Any]]:
    """Return each kind of question with its measures, each with its 95 % interval; None where none of its questions can show it."""
    found = []
    for kind in sorted({record.kind for record in records}):
        group = [record for record in records if record.kind == kind]
        found.append({"kind": kind, "questions": len(group), **{name: _measure(group, name) for name in MEASURES}})
    return found


def _measure(records: Sequence[Record], name: str) -> dict[str, Any] | None:
    shown = values(records, name)
    if not shown:
        return None
    interval = interval_of(shown, name)
    return {
        "value": round(sum(shown) / len(shown), 4), "n": len(shown),
        "low": round(interval.low, 4) if interval else None, "high": round(interval.high, 4) if interval else None,
    }  # fmt: skip


def calibration(records: Sequence[Record], bins: int = BINS) -> dict[str, Any]:
    """Return for each bin of the evidence its mean and the share of its questions that have an answer, as the calibration error counts them.

    Without questions of both kinds nothing can be said.
    """
    outcomes = [record.answerable for record in records]
    if len(set(outcomes)) < 2:
        return {"bins": [], "error": None}
    chances = [record.evidence for record in records]
    found = []
    for number in range(bins):
        inside = [
            (chance, outcome)
            for chance, outcome in zip(chances, outcomes, strict=True)
            if min(int(chance * bins), bins - 1) == number
        ]
        n = len(inside)
        found.append(
            {
                "low": number / bins, "high": (number + 1) / bins, "n": n,
                "evidence": round(sum(chance for chance, _ in inside) / n, 4) if n else None,
                "answerable": round(sum(outcome for _, outcome in inside) / n, 4) if n else None,
            }
        )  # fmt: skip
    return {"bins": found, "error": round(metrics.calibration_error(chances, outcomes, bins), 4)}


def slowest(records: Sequence[Record], most: int = SLOWEST) -> list[dict[str, Any]]:
    """Return the questions that took longest, answer and search together."""
    order = sorted(records, key=lambda record: -(record.search_ms + (record.answer_ms or 0.0)))
    return [
        {"id": one.id, "question": one.question, "search_ms": one.search_ms, "answer_ms": one.answer_ms}
        for one in order[:most]
    ]
