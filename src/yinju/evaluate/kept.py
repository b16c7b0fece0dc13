"""Runs kept in a folder: a file of records each, as `eval --keep` writes it, and beside it what was asked.

A file of records that somebody puts there by hand is a run, too. A run is found by its name in the folder's listing, so no name that is asked for
becomes a path.
"""

from __future__ import annotations

import json
import os
import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from yinju import private
from yinju.errors import SourceMissing, UsageError
from yinju.evaluate.cases import not_written
from yinju.evaluate.records import Record, keep, load, values
from yinju.messages import say

ENDING = ".records.jsonl"
HEADLINE = ("hit@5", "mrr@10", "refusal")


@dataclass(frozen=True, slots=True)
class Run:
    """One kept run, without its records. `figures` are the headline's means, None where no question shows one."""

    id: str
    label: str
    made: float  # seconds since 1970
    mode: str
    questions: int
    figures: dict[str, float | None]

    def as_json(self) -> dict[str, Any]:
        """Return it as JSON data."""
        return {
            "id": self.id, "label": self.label, "made": self.made, "mode": self.mode, "questions": self.questions, **self.figures,
        }  # fmt: skip


def save(folder: Path, records: Sequence[Record], label: str = "") -> Run:
    """Keep a run and return it. Raises StoreReadOnly where the folder cannot be written to."""
    made = time.time()
    id = f"{time.strftime('%Y%m%d-%H%M%S', time.gmtime(made))}-{secrets.token_hex(3)}"
    run = _run(id, records, label, made)
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        keep(folder / f"{id}{ENDING}", records)
        about = json.dumps(run.as_json() | {"figures": run.figures}, ensure_ascii=False)
        private.write(folder / f"{id}.json", about + "\n")
    except OSError as error:
        raise not_written(folder, error) from error
    return run


def runs(folder: Path) -> list[Run]:
    """Return the kept runs, newest first; what is no file of records is passed over."""
    found = []
    for name in _names(folder):
        run = _described(folder, name)
        if run is None:
            try:
                run = _run(name, load(folder / f"{name}{ENDING}"), "", os.path.getmtime(folder / f"{name}{ENDING}"))
            except (UsageError, OSError):
                continue
        found.append(run)
    return sorted(found, key=lambda run: (-run.made, run.id))


def read(folder: Path, id: str) -> tuple[Run, list[Record]]:
    """Return a kept run with its records. Raises SourceMissing where there is none, UsageError where it is damaged."""
    if id not in _names(folder):
        raise SourceMissing(
            say("No such run is kept.", "没有保存这次评测。"),
            say("/api/evaluations lists those that are.", "/api/evaluations 列出已保存的评测。"),
            code="no-evaluation",
        )
    path = folder / f"{id}{ENDING}"
    records = load(path)
    if not records:
        raise UsageError(
            say("The run {id} holds no records.", "评测 {id} 没有记录。", id=id),
            say("Run it again.", "请重新运行。"),
        )
    return _described(folder, id) or _run(id, records, "", os.path.getmtime(path)), records


def _names(folder: Path) -> list[str]:
    try:
        return sorted(name.removesuffix(ENDING) for name in os.listdir(folder) if name.endswith(ENDING))
    except OSError:
        return []


def _described(folder: Path, id: str) -> Run | None:
    try:
        about = json.loads((folder / f"{id}.json").read_text(encoding="utf-8"))
        figures = {name: None if about["figures"][name] is None else float(about["figures"][name]) for name in HEADLINE}
        return Run(id, str(about["label"]), float(about["made"]), str(about["mode"]), int(about["questions"]), figures)
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


def _run(id: str, records: Sequence[Record], label: str, made: float) -> Run:
    shown = {name: values(records, name) for name in HEADLINE}
    figures = {name: round(sum(found) / len(found), 4) if found else None for name, found in shown.items()}
    return Run(id, label, made, records[0].mode if records else "", len(records), figures)
