"""`python -m benchmarks.resilience COMMAND` prints what was tried; what does not hold is told with its seed, and exit code 1."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

from benchmarks.resilience import full, kills, points, powercuts, together
from benchmarks.resilience.disks import NoDisk
from benchmarks.resilience.kills import Broken

SEED = 20_261_130


class Tried(Protocol):
    """What a command tried."""

    def lines(self) -> list[str]: ...


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Crash a library and look.")
    commands = parser.add_subparsers(dest="command", required=True)
    killing = commands.add_parser("kills", help="kill processes at random moments")
    killing.add_argument("--count", type=int, default=1000)
    killing.add_argument("--seed", type=int, default=SEED)
    commands.add_parser("points", help="end processes at each fail point of each action")
    cutting = commands.add_parser("powercuts", help="cut the power of a disk; needs root on Linux")
    cutting.add_argument("--count", type=int, default=100)
    cutting.add_argument("--seed", type=int, default=SEED)
    commands.add_parser("full", help="let a small disk run full at 20 sizes; needs root on Linux")
    reading = commands.add_parser("together", help="read while another process writes")
    reading.add_argument("--readers", type=int, default=8)
    reading.add_argument("--seconds", type=float, default=600.0)
    reading.add_argument("--seed", type=int, default=SEED)
    for each in commands.choices.values():
        each.add_argument(
            "--place", type=Path, help="a new folder for the libraries; kept where something does not hold"
        )
    given = parser.parse_args(arguments)
    place = given.place or Path(tempfile.mkdtemp(prefix="resilience-")) / "trial"
    tries: dict[str, Callable[[], Tried]] = {
        "kills": lambda: kills.run(place, given.count, given.seed),
        "points": lambda: points.run(place),
        "powercuts": lambda: powercuts.run(place, given.count, given.seed),
        "full": lambda: full.run(place),
        "together": lambda: together.run(place, given.readers, given.seconds, given.seed),
    }
    began = time.monotonic()
    try:
        result = tries[given.command]()
    except Broken as broken:
        print(broken, file=sys.stderr)
        return 1
    except NoDisk as error:
        print(f"not tried: {error}", file=sys.stderr)
        return 2
    print("\n".join([*result.lines(), f"{time.monotonic() - began:.0f} s"]))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
