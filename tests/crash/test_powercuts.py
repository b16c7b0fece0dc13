"""The power fails: what was told to be on disk is there when it comes back (benchmarks.resilience.powercuts)."""

from __future__ import annotations

import os

import pytest
from benchmarks.resilience import disks, powercuts

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not hasattr(os, "fork"), reason="the trials fork processes, which this system does not know"),
]
CUTS = 20
SEED = 20_261_130


def test_the_power_fails_at_random_moments(tmp_path):
    try:
        result = powercuts.run(tmp_path / "place", CUTS, SEED, long_share=0.2, longest_s=8.0)
    except disks.NoDisk as error:
        pytest.skip(f"no disk whose power could be cut: {error}")
    print("\n".join(result.lines()))
    assert result.of.kills == CUTS
    assert result.of.acknowledged > CUTS
    assert result.of.slowest_start_s < 2
