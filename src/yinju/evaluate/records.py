"""What came of one question, kept one a line, so that two runs can be compared question by question."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from yinju import private
from yinju.errors import UsageError
from yinju.evaluate import metrics
from yinju.evaluate.cases import not_written
from yinju.evaluate.scores import CRITERIA, Judgement
from yinju.messages import say
from yinju.types import as_plain

DEPTHS = (1, 5, 10)
DEPTH = 10  # passages asked for


@dataclass(frozen=True, slots=True)
class Record:
    """What came of one question.

    `ranks`: for each gold the rank (from 1) of the first passage that holds it, None where none of the first ten does. `grades`: for each
    passage the number of golds that it is the first to hold. `citations`, `right`: citations of the answer, and those in a gold place;
    None without an answer. `said`, `proved`: sentences of the answer, and those that are verified; `overlap`: with the expected answer (F1);
    `useful`: precision of its passages. `judged`: what a model says of it. `lost` is the step at which the question failed, None where it did not.
    """

    id: str
    question: str
    kind: str = ""
    made: bool = False
    answerable: bool = True
    mode: str = "hybrid"
    ranks: tuple[int | None, ...] = ()
    quoted: tuple[bool, ...] = ()
    grades: tuple[int, ...] = ()
    hits: tuple[str, ...] = ()
    evidence: float = 0.0
    refused: bool = False
    text: str | None = None
    citations: int | None = None
    right: int | None = None
    correct: bool | None = None
    said: int | None = None
    proved: int | None = None
    overlap: float | None = None
    useful: float | None = None
    judged: Judgement | None = None
    search_ms: float = 0.0
    answer_ms: float | None = None
    lost: str | None = None
    why: str = ""
    model: str | None = None  # that answered: `extractive` also where a chat model failed
    notices: tuple[str, ...] = ()

    def measures(self) -> dict[str, float]:
        """Return what is measured on this question, by name; what it cannot show is left out."""
        found: dict[str, float] = {}
        if self.answerable and self.ranks:
            found |= self._ranking()
        if self.answerable and self.citations and not self.refused:
            found["citations"] = (self.right or 0) / self.citations
        if self.answerable and self.correct is not None:
            found["correct"] = float(self.correct)
        if not self.refused:
            found |= self._of_answer()
        found["refusal"] = float(self.refused is not self.answerable)
        found["wrong-refusals" if self.answerable else "wrong-answers"] = 1 - found["refusal"]
        return found

    def _of_answer(self) -> dict[str, float]:
        found: dict[str, float] = {}
        if self.said:
            found["verified"] = (self.proved or 0) / self.said
        if self.answerable and self.overlap is not None:
            found["overlap"] = self.overlap
        if self.answerable and self.useful is not None:
            found["precision"] = self.useful
        for name in CRITERIA if self.judged is not None else ():
            value = getattr(self.judged, name).value
            if value is not None:
                found[f"judge-{name.partition('_')[2] or name}"] = value
        return found

    def _ranking(self) -> dict[str, float]:
        """A passage is as relevant as the golds that it is the first to hold; golds that were not found are passages of their own."""
        names = [str(number) for number in range(len(self.grades))]
        relevant = {name: float(grade) for name, grade in zip(names, self.grades, strict=True) if grade}
        relevant |= {f"missing {number}": 1.0 for number, rank in enumerate(self.ranks) if rank is None}
        found = {f"hit@{k}": metrics.hit(names, relevant, k) for k in DEPTHS}
        found["mrr@10"] = metrics.reciprocal_rank(names, relevant, DEPTH)
        found["ndcg@10"] = metrics.ndcg(names, relevant, DEPTH)
        quotes = [rank for rank, quoted in zip(self.ranks, self.quoted, strict=True) if quoted]
        for k in DEPTHS:
            found[f"recall@{k}"] = metrics.share_within(self.ranks, k)
            if quotes:
                found[f"quotes@{k}"] = metrics.share_within(quotes, k)
            if len(self.ranks) > 1:
                found[f"all@{k}"] = float(metrics.share_within(self.ranks, k) == 1)
        return found


def keep(path: str | Path, records: Iterable[Record]) -> None:
    """Write the records, one a line, each with its measures. Raises StoreReadOnly where the file cannot be written."""
    lines = (json.dumps({**as_plain(record), "measures": record.measures()}, ensure_ascii=False) for record in records)
    try:
        private.write(path, "".join(line + "\n" for line in lines), errors="backslashreplace", links=True)
    except OSError as error:
        raise not_written(path, error) from error


def load(path: str | Path) -> list[Record]:
    """Return kept records. Raises UsageError naming file and line."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(
            say("The records {path} cannot be read: {why}.", "无法读取记录 {path}：{why}。", path=path, why=error),
            say("`yinju eval FILE --keep RECORDS` writes some.", "`yinju eval 文件 --keep 记录` 会写出记录。"),
        ) from error
    return [_record(line, f"{path}:{number}") for number, line in enumerate(text.split("\n"), 1) if line.strip()]


def _record(line: str, place: str) -> Record:
    try:
        row: dict[str, Any] = json.loads(line)
        known = {one.name: row[one.name] for one in fields(Record) if one.name in row}
        known |= {
            name: tuple(known[name]) for name in ("ranks", "quoted", "grades", "hits", "notices") if name in known
        }
        if known.get("judged") is not None:
            known["judged"] = Judgement.from_plain(known["judged"])
        record = Record(**known)
        record.measures()
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise UsageError(
            say("{place} is no kept record.", "{place} 不是保存的记录。", place=place),
            say(
                "Records are written by `yinju eval FILE --keep RECORDS`.",
                "记录由 `yinju eval 文件 --keep 记录` 写出。",
            ),
        ) from error
    return record


def values(records: Sequence[Record], name: str) -> list[float]:
    """Return a measure's values over the records that can show it."""
    return [found[name] for found in map(Record.measures, records) if name in found]
