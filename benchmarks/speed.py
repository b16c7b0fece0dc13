"""Measure what a user waits for, in fresh processes: `python -m benchmarks.speed`.

Each time is the median of several runs (`--runs`), with the least and the greatest: `import yinju`, a search on the example library from a
cold start, and how fast files are read (characters a second, without vectors) and embedded (passages a second).
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks import sets

IMPORT = "import time; t = time.perf_counter(); import yinju; print(time.perf_counter() - t)"
OPEN = "import time; t = time.perf_counter(); from yinju import Library; Library; print(time.perf_counter() - t)"
QUESTION = "在校生能便宜吗？"


class Done(NamedTuple):
    """What a process took, in seconds; `cpu` is what it computed, which a busy machine does not lengthen (0 on Windows: not known)."""

    took: float
    out: str
    cpu: float


def run(arguments: Sequence[str], *, expect: tuple[int, ...] = (0,)) -> Done:
    """Run this Python with the arguments to its end. Raises RuntimeError where it fails."""
    environment = {**os.environ, "PYTHONUTF8": "1"}
    before = os.times()
    started = time.perf_counter()
    done = subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, encoding="utf-8", env=environment, check=False
    )
    took = time.perf_counter() - started
    if done.returncode not in expect:
        raise RuntimeError(f"{' '.join(arguments[:4])} ended with {done.returncode}: {done.stderr.strip()[-500:]}")
    after = os.times()
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return Done(took, done.stdout, cpu)


def yinju(*arguments: str) -> Done:
    return run(["-m", "yinju", *arguments], expect=(0, 3))


def shown(name: str, values: Sequence[float], unit: str = "s", digits: int = 3) -> str:
    middle, least, most = (f"{value:,.{digits}f}" for value in (statistics.median(values), min(values), max(values)))
    return f"{name:<52} {middle:>12} {unit:<13} ({least} to {most}, n = {len(values)})"


def timed(name: str, runs: Sequence[Done]) -> str:
    """Return the line of whole processes, with the median of what they computed."""
    return (
        f"{shown(name, [done.took for done in runs])}, computing {statistics.median(done.cpu for done in runs):.3f} s"
    )


def starts(runs: int) -> list[str]:
    return [
        timed("python -c pass", [run(["-c", "pass"]) for _ in range(runs)]),
        timed('python -c "import yinju"', [run(["-c", "import yinju"]) for _ in range(runs)]),
        shown("  of which the import", [float(run(["-c", IMPORT]).out) for _ in range(runs)]),
        shown("from yinju import Library", [float(run(["-c", OPEN]).out) for _ in range(runs)]),
    ]


def searches(folder: Path, runs: int) -> list[str]:
    """Time the command from a cold start on the example library, which is synced first."""
    library = str(folder / "examples")
    yinju("sync", str(sets.EXAMPLES), "--library", library, "--yes", "--json")
    return [
        timed(
            f"yinju search --mode {mode}",
            [yinju("search", QUESTION, "--library", library, "--mode", mode, "--json") for _ in range(runs)],
        )
        for mode in ("lexical", "hybrid")
    ]


def reading(folder: Path, source: Path, runs: int) -> list[str]:
    """Time a sync without vectors: characters (not white space) of the documents over the whole time of the process."""
    rates, seconds = [], []
    for number in range(runs):
        library = str(folder / f"words-{number}")
        took, out, _ = yinju("sync", str(source), "--library", library, "--no-embed", "--yes", "--json")
        report: dict[str, Any] = json.loads(out)
        rates.append(sum(file["characters"] for file in report["files"]) / took)
        seconds.append(took)
    return [
        shown(f"sync {source.name} --no-embed", rates, "characters/s", 0),
        shown("  the whole process", seconds, digits=1),
    ]


def embedding(folder: Path, source: Path, runs: int) -> list[str]:
    """Time the vectors alone: a sync that finds the words done and only embeds."""
    rates = []
    for number in range(runs):
        library = str(folder / f"vectors-{number}")
        yinju("sync", str(source), "--library", library, "--no-embed", "--yes", "--json")
        took, out, _ = yinju("sync", str(source), "--library", library, "--yes", "--json")
        rates.append(json.loads(out)["embedded"] / took)
    return [shown(f"sync {source.name}, vectors", rates, "passages/s", 1)]


def passages(folder: Path, bench: Path, count: int) -> Path:
    """Write the first passages of a public set as files; the examples themselves where it is absent."""
    try:
        documents = sets.documents("cmrc2018-dev", bench)[:count]
    except sets.SetMissing:
        return sets.EXAMPLES
    target = folder / "passages"
    target.mkdir()
    for document in documents:
        (target / document.source).write_text(document.text, encoding="utf-8")
    return target


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.speed", description=__doc__)
    parser.add_argument("--runs", type=int, default=5, help="fresh processes for each start (default: 5)")
    parser.add_argument("--bench", type=Path, default=sets.BENCH, help="folder of the public sets")
    parser.add_argument("--passages", type=int, default=300, help="passages to embed (default: 300)")
    parser.add_argument("--only", default="starts,searches,reading,embedding", help="parts, separated by commas")
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="yinju-speed-") as name:
        folder = Path(name)
        tree = given.bench / "docs-tidb-zh"
        few = min(3, given.runs)
        parts = {
            "starts": lambda: starts(given.runs),
            "searches": lambda: searches(folder, given.runs),
            "reading": lambda: reading(folder, tree if tree.is_dir() else sets.EXAMPLES, few),
            "embedding": lambda: embedding(folder, passages(folder, given.bench, given.passages), few),
        }
        for part in given.only.split(","):
            print("\n".join(parts[part]()), flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
