"""A library under random histories of its folder holds what a dict says; faults that are planted in it are noticed. See benchmarks/stateful."""

from __future__ import annotations

import pytest
from benchmarks.stateful.machine import LibraryOfAFolder, limits
from benchmarks.stateful.mutations import MUTATIONS, caught
from hypothesis import seed
from hypothesis.stateful import run_state_machine_as_test

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("number", range(5))
def test_after_any_history_the_library_holds_what_the_folder_says(number: int) -> None:
    run_state_machine_as_test(seed(number)(LibraryOfAFolder), settings=limits(40, 50))


@pytest.mark.parametrize("fault", MUTATIONS)
def test_a_planted_fault_is_noticed(fault: str) -> None:
    assert caught(fault) is not None
