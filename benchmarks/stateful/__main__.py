"""Run the machine for longer than a test may: `python -m benchmarks.stateful --examples 2000 --steps 100`.

The seed that is printed replays a failure. `--mutations` plants faults, one after another, and tells which were noticed.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Sequence

from hypothesis import seed
from hypothesis.stateful import run_state_machine_as_test

from benchmarks.stateful.machine import LibraryOfAFolder, limits
from benchmarks.stateful.mutations import MUTATIONS, caught


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.stateful", description=__doc__)
    parser.add_argument("--examples", type=int, default=200, help="histories (default: 200)")
    parser.add_argument("--steps", type=int, default=50, help="steps of each (default: 50)")
    parser.add_argument("--seed", type=int, help="the one that a failure named; without it another each time")
    parser.add_argument("--mutations", action="store_true", help="plant faults and see that each is noticed")
    given = parser.parse_args(arguments)
    number = random.randrange(10**6) if given.seed is None else given.seed
    return _mutations(given.seed) if given.mutations else _histories(given.examples, given.steps, number)


def _histories(examples: int, steps: int, number: int) -> int:
    print(f"{examples} histories of {steps} steps, seed {number}", flush=True)
    began = time.monotonic()
    run_state_machine_as_test(seed(number)(LibraryOfAFolder), settings=limits(examples, steps))
    print(f"each agreed with the dict; {time.monotonic() - began:.0f} s")
    return 0


def _mutations(number: int | None) -> int:
    found = 0
    for name in MUTATIONS:
        began = time.monotonic()
        how = caught(name, number)
        found += how is not None
        print(f"{'caught' if how else 'MISSED':<7} {time.monotonic() - began:5.1f} s  {name}: {how or '-'}", flush=True)
    print(f"{found} of {len(MUTATIONS)} planted faults are caught")
    return 0 if found == len(MUTATIONS) else 1


if __name__ == "__main__":
    sys.exit(main())
