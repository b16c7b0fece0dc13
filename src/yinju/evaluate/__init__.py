"""Measure a library on questions with known places: one's own, or made from its documents. Sees a library as its users do.

`run(library, read("cases.jsonl"))` asks, `report(records)` counts, `compare(before, after)` tells two runs apart.
"""

from __future__ import annotations

from yinju.evaluate.cases import Case, Gold, read, write
from yinju.evaluate.compare import Comparing, compare
from yinju.evaluate.diagnose import Diagnosis, Step, diagnose
from yinju.evaluate.judge import Judge
from yinju.evaluate.records import Record, keep, load
from yinju.evaluate.report import Measure, Report, report
from yinju.evaluate.run import run
from yinju.evaluate.scores import Judgement, Score

__all__ = [
    "Case", "Comparing", "Diagnosis", "Gold", "Judge", "Judgement", "Measure", "Record", "Report", "Score", "Step", "compare", "diagnose", "keep",
    "load", "read", "report", "run", "write",
]  # fmt: skip
