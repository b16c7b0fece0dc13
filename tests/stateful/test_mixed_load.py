"""Twenty seconds of what `python -m benchmarks.load` does for an hour: nothing breaks, and nothing is left behind."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from benchmarks.load.mixed import Plan, mixed
from benchmarks.load.report import LEFT

pytestmark = pytest.mark.slow


@pytest.mark.skipif(sys.platform != "linux", reason="what a process holds is read from /proc")
def test_a_loaded_server_breaks_nothing_and_keeps_nothing(tmp_path: Path) -> None:
    plan = Plan(seconds=10, searching=4, asking=3, crowd=48, crowd_s=3, faults=0.2, files=30, lingering_s=2)
    report = mixed(plan, tmp_path)
    told = "\n".join(report.lines())
    assert report.faults == 0, told
    assert report.load.statuses["search", 200] > 10, told
    assert report.load.statuses["ask", 200] > 0, told
    assert report.rounds > 0, told
    assert report.crowd.statuses["search", 503] > 0, told
    assert report.crowd.without_retry_after == 0, told
    assert report.recovery_s <= 5, told
    assert max(report.left) <= LEFT, told
