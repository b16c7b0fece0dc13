"""Load a server with what people, programs and failing models do to it: `python -m benchmarks.load --minutes 60`.

Phases: at rest; 8 clients that search, some that ask a fake model (a share of its answers fails), edits with syncs, and /health; as many clients as
are refused; slow and silent connections; at rest again. `--passages 100000` makes a large library once (`--keep DIR` has it again) of which 8 clients
only search. Figures of memory, descriptors and threads are those of the server's process; Linux tells them.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.load.large import large
from benchmarks.load.mixed import Plan, mixed


def main(arguments: Sequence[str] | None = None) -> int:
    """Return 0 where nothing broke: no fault of the server, nothing left behind."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.load", description=__doc__)
    parser.add_argument("--minutes", type=float, default=5.0, help="of mixed load (default: 5)")
    parser.add_argument("--searching", type=int, default=8, help="clients that search (default: 8)")
    parser.add_argument("--asking", type=int, default=4, help="clients that ask (default: 4)")
    parser.add_argument("--crowd", type=int, default=128, help="clients of the overload (default: 128)")
    parser.add_argument("--crowd-seconds", type=float, default=20.0, help="of the overload (default: 20)")
    parser.add_argument(
        "--faults", type=float, default=0.1, help="share of the model's answers that fail (default: 0.1)"
    )
    parser.add_argument("--files", type=int, default=200, help="files of the folder (default: 200)")
    parser.add_argument("--model", default="hashing", help="embedding model: hashing, e5, none (default: hashing)")
    parser.add_argument("--passages", type=int, default=0, help="search a large library of so many passages instead")
    parser.add_argument("--keep", type=Path, help="where the large library is kept")
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="yinju-load-") as name:
        if given.passages:
            return large(
                given.keep or Path(name) / "large", given.passages, given.searching, given.minutes * 60, Path(name)
            )
        plan = Plan(
            seconds=given.minutes * 60, searching=given.searching, asking=given.asking, crowd=given.crowd,
            crowd_s=given.crowd_seconds, faults=given.faults, files=given.files, model=given.model,
        )  # fmt: skip
        report = mixed(plan, Path(name))
    print("\n".join(report.lines()))
    return 0 if report.sound else 1


if __name__ == "__main__":
    sys.exit(main())
