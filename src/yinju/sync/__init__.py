"""Keep a library equal to its folders: look (`scan`), decide (`plan`, pure), do (`apply`), compute vectors (`vectors`), wait (`watch`).

`run` is all of it for folders and files, `add` for documents that are no files.
"""

from __future__ import annotations

from yinju.sync.add import add
from yinju.sync.amount import Amount, measure
from yinju.sync.apply import apply
from yinju.sync.guard import GuardedEmbedder, guarded
from yinju.sync.missing import embed
from yinju.sync.plan import Known, Plan, make_plan
from yinju.sync.purge import PurgeReport, purge
from yinju.sync.run import plan_only, remove, run
from yinju.sync.scan import Scan, scan
from yinju.sync.undo import undo
from yinju.sync.values import Progress, SyncOptions
from yinju.sync.vectors import Embedded, embed_missing
from yinju.sync.watch import watch

__all__ = [
    "Amount", "Embedded", "GuardedEmbedder", "Known", "Plan", "Progress", "PurgeReport", "Scan", "SyncOptions", "add", "apply", "embed",
    "embed_missing", "guarded", "make_plan", "measure", "plan_only", "purge", "remove", "run", "scan", "undo", "watch",
]  # fmt: skip
