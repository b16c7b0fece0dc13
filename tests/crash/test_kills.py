"""Killed at any moment and at every fail point: nothing that was told to be on disk is lost, nothing is half there (benchmarks.resilience)."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from benchmarks.resilience import kills, points

from yinju.failing import POINTS

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not hasattr(os, "fork"), reason="the trials fork processes, which this system does not know"),
]
KILLS = 200
SEED = 20_261_130
TESTS = Path(__file__).resolve().parents[1]


def test_killed_at_random_moments(tmp_path):
    result = kills.run(tmp_path / "trial", KILLS, SEED)
    print("\n".join(result.lines()))
    assert result.kills == KILLS
    assert result.of_command >= KILLS // 20, "the real command is among them"
    assert result.within >= KILLS // 5, "most kills would prove nothing if they came before or after the work"
    assert result.acknowledged
    assert result.completed
    assert result.slowest_start_s < 2


def test_ended_at_every_fail_point(tmp_path):
    result = points.run(tmp_path / "trial", thorough=False)
    print("\n".join(result.lines()))
    elsewhere = set(POINTS) - set(result.passed)
    texts = [path.read_text(encoding="utf-8") for path in TESTS.rglob("test_*.py") if path != Path(__file__)]
    untried = [point for point in elsewhere if not any(re.search(rf'["\']{point}[:"\']', text) for text in texts)]
    assert untried == []
    assert result.by_environment == len(result.passed)
