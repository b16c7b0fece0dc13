"""Reports of files as the doors tell them: beside each code what it means and what to do, in the language of the request.

The codes are kept with the documents and stay as they are for programs; people read a page in their own language, whatever that of the sync was.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from yinju.sync import remarks
from yinju.types import as_plain

if TYPE_CHECKING:
    from yinju.types import FileReport, SyncReport


def file_report(report: FileReport) -> dict[str, Any]:
    """Return the shape of one file of `sync --json`, with `why` it was skipped or kept, `remarks` on its warnings and names of what was dropped."""
    why, hint = remarks.skipped(report.reason or "", report.hint)
    dropped = [
        {"what": one.what, "characters": one.characters, "name": remarks.dropped(one.what)}
        for one in report.receipt.dropped
    ]
    told = [remarks.remark(warning)._asdict() for warning in report.receipt.warnings]
    return {**as_plain(report), "hint": hint, "why": why or None, "dropped": dropped, "remarks": told}


def sync_report(report: SyncReport) -> dict[str, Any]:
    """Return the shape of `sync --json`, each file told as above."""
    return {**as_plain(report), "files": [file_report(one) for one in report.files]}


def codes(warnings: Iterable[str]) -> list[dict[str, str | None]]:
    """Return one remark for each code among these warnings."""
    found = dict.fromkeys(warning.partition(": ")[0] for warning in warnings)
    return [dict(remarks.remark(code)._asdict()) for code in found]
